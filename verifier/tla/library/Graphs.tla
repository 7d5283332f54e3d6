------------------------------- MODULE Graphs -------------------------------
\* Directed graphs. The names are those of the Community Modules.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
IsDirectedGraph(G) ==
    G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET (G.node \X G.node)] : IsDirectedGraph(H) /\ H.edge \subseteq G.edge}
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
ConnectedNodes(R) == {r[1] : r \in R} \cup {r[2] : r \in R}
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
==============================================================================
