"""Graphs of the Community Modules: what is computed here is what the text of the module says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import write_module
from verifier.processes.stacks import make_room_for_recursion
from verifier.tla.config import parse_config
from verifier.tla.explorer import Explorer
from verifier.tla.loading import read_module
from verifier.tla.specification import specify

_LIBRARY = Path(__file__).resolve().parents[3] / "shared" / "tla" / "library"
# On all graphs of three nodes: paths by listing them, and connections by Warshall's algorithm.
BODY = r"""EXTENDS Graphs, TLC
N == 1..3
All == Graphs(N)
RECURSIVE Warshall(_, _)
Warshall(G, S) ==
    IF S = {} THEN [m, n \in N |-> m = n \/ <<m, n>> \in G.edge]
    ELSE LET u == CHOOSE u \in S : TRUE
             C == Warshall(G, S \ {u})
         IN [m, n \in N |-> C[m, n] \/ (C[m, u] /\ C[u, n])]
Simple(G) == {p \in UNION {[1..k -> N] : k \in 1..3} :
                 (\A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge)
                 /\ \A i, j \in 1..Len(p) : p[i] = p[j] => i = j}
ASSUME \A G \in All : LET C == Warshall(G, N) IN
    /\ ConnectionsIn(G) = C
    /\ \A m, n \in N : AreConnectedIn(m, n, G) = C[m, n]
    /\ IsStronglyConnected(G) = \A m, n \in N : C[m, n]
    /\ SimplePath(G) = Simple(G)
    /\ HasCycle(G) = \E m, n \in N : C[m, n] /\ <<n, m>> \in G.edge
    /\ \A m, n \in N : (n \in Descendants(G, m)) = \E k \in Successors(G, m) : C[k, n]
ASSUME IsTreeWithRoot([node |-> N, edge |-> {<<2, 1>>, <<3, 1>>}], 1)
ASSUME ~IsTreeWithRoot([node |-> N, edge |-> {<<2, 1>>, <<3, 2>>}], 2)
"""


@pytest.mark.skipif(not (_LIBRARY / "Relation.tla").is_file(), reason="the Community Modules are not there")
def test_what_graphs_compute_is_what_its_text_says(tmp_path: Path) -> None:
    make_room_for_recursion()
    module, library = read_module(write_module(tmp_path, BODY), [_LIBRARY])
    Explorer(specify(module, parse_config("", "M.cfg"), words=library.words), properties=()).assume()
