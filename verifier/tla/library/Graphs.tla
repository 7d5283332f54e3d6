------------------------------- MODULE Graphs -------------------------------
\* Directed graphs, with connectedness as a fixed point. The names are those of the Community Modules.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation
IsDirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET (G.node \X G.node)] :
         IsDirectedGraph(H) /\ H.edge \subseteq G.edge}
Transpose(G) == [edge |-> {<<e[2], e[1]>> : e \in G.edge}, node |-> G.node]
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
SimplePath(G) ==
    UNION {{p \in [1..n -> G.node] : (\A i \in 1..(n - 1) : <<p[i], p[i + 1]>> \in G.edge)
                                     /\ \A i, j \in 1..n : p[i] = p[j] => i = j} :
           n \in 1..Cardinality(G.node)}
LOCAL Reached(G, S) ==
    LET RECURSIVE reached(_)
        reached(found) ==
            LET more == found \cup {n \in G.node : \E m \in found : <<m, n>> \in G.edge}
            IN IF more = found THEN found ELSE reached(more)
    IN reached(S)
AreConnectedIn(m, n, G) == m \in G.node /\ n \in Reached(G, {m})
IsStronglyConnected(G) == \A m \in G.node : G.node \subseteq Reached(G, {m})
ConnectionsIn(G) == [m, n \in G.node |-> n \in Reached(G, {m})]
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ r \in G.node
    /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : (e[1] = f[1]) => (e = f)
    /\ \A n \in G.node : AreConnectedIn(n, r, G)
GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]
IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq (U \cup V)
    /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[2] \in U /\ e[1] \in V)
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}
Ancestors(G, n) == {m \in G.node : n \in Reached(G, Successors(G, m))}
Descendants(G, n) == Reached(G, Successors(G, n))
HasCycle(G) == \E n \in G.node : n \in Descendants(G, n)
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}
EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
=============================================================================
