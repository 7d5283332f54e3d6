-------------------------- MODULE UndirectedGraphs --------------------------
\* Undirected graphs, with connectedness as a fixed point. The names are those of the Community Modules.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
IsUndirectedGraph(G) ==
    G = [node |-> G.node, edge |-> G.edge] /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}
IsLoopFreeUndirectedGraph(G) ==
    G = [node |-> G.node, edge |-> G.edge] /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
SimplePath(G) ==
    UNION {{p \in [1..n -> G.node] : (\A i \in 1..(n - 1) : {p[i], p[i + 1]} \in G.edge)
                                     /\ \A i, j \in 1..n : p[i] = p[j] => i = j} :
           n \in 1..Cardinality(G.node)}
LOCAL Reached(G, S) ==
    LET RECURSIVE reached(_)
        reached(found) ==
            LET more == found \cup {n \in G.node : \E m \in found : {m, n} \in G.edge}
            IN IF more = found THEN found ELSE reached(more)
    IN reached(S)
AreConnectedIn(m, n, G) == n \in Reached(G, {m})
ConnectedComponents(G) == {Reached(G, {n}) : n \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{s, t} : <<s, t>> \in S \X S}]
=============================================================================
