"""``explore --graph`` of TLA+ modules: the states and steps of TLC's graph, in TLA+'s notation."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command_line import verify

TLC = Path(__file__).resolve().parents[3] / "shared" / "tla" / "tlc"
MODULE = r"""---- MODULE G ----
EXTENDS Naturals, TLC
CONSTANT Node
VARIABLES x, m
Init == x \in {0, 1} /\ m = [n \in Node |-> "idle"]
Up == x < 4 /\ x' = x + 1 /\ UNCHANGED m
Stay == UNCHANGED <<x, m>>
Take(n) == m[n] = "idle" /\ m' = [m EXCEPT ![n] = "busy"] /\ UNCHANGED x
Again == \E n \in Node : Take(n)
Next == Up \/ Stay \/ Again \/ \E n \in Node : Take(n)
Few == x < 3
NotBack == x' < 3
Seen == x
Same == Permutations(Node)
===="""
CONFIG = "INIT Init\nNEXT Next\nCONSTANT Node = {a, b}\nCHECK_DEADLOCK FALSE\n"
RESTRICTED = ("", "CONSTRAINT Few\n", "ACTION_CONSTRAINT NotBack\n")
Graph = tuple[set[str], set[tuple[str, str]], set[str]]


def _draw(folder: Path, config: str, *words: str) -> Graph:
    """Return the states, steps and initial states that verify draws."""
    (folder / "G.tla").write_text(MODULE)
    (folder / "G.cfg").write_text(config)
    file = folder / "g.json"
    done = verify("explore", str(folder / "G.tla"), "--graph", str(file), *words)
    assert done.exit_code in (0, 13), done.output
    graph = json.loads(file.read_text())
    labels = [one["label"] for one in graph["objects"]]
    steps = {(labels[one["tail"]], labels[one["head"]]) for one in graph["edges"]}
    return set(labels), steps, {one["label"] for one in graph["objects"] if one.get("style") == "filled"}


def _of_tlc(folder: Path) -> Graph:
    """Return the same of TLC."""
    command = [str(TLC), "-workers", "1", "-dump", "dot", "tlc.dot", "-config", "G.cfg", "G.tla"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=60)
    labels, steps, initial = dict[str, str](), set(), set()
    for line in (folder / "tlc.dot").read_text().splitlines():
        if node := re.match(r'(-?\d+) \[label="((?:[^"\\]|\\.)*)"(,style = filled)?', line):
            labels[node[1]] = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), node[2])
            initial |= {labels[node[1]]} if node[3] else set()
        elif step := re.match(r"(-?\d+) -> (-?\d+)", line):
            steps.add((step[1], step[2]))
    return set(labels.values()), {(labels[one], labels[other]) for one, other in steps}, initial


def _sort_conjuncts(graph: Graph) -> Graph:
    """Return a graph whose labels have their lines in order: TLC has its own order of variables."""

    def sort_label(label: str) -> str:
        return "\n".join(sorted(label.splitlines()))

    states, steps, initial = graph
    return (
        set(map(sort_label, states)),
        {(sort_label(one), sort_label(other)) for one, other in steps},
        set(map(sort_label, initial)),
    )


@pytest.mark.skipif(not TLC.exists(), reason="TLC is not beside the project")
@pytest.mark.parametrize("restricted", [*RESTRICTED, "CONSTRAINT Few\nVIEW Seen\n"])
def test_a_graph_is_that_of_tlc(tmp_path: Path, restricted: str) -> None:
    drawn = _draw(tmp_path, CONFIG + restricted)
    assert _sort_conjuncts(drawn) == _sort_conjuncts(_of_tlc(tmp_path))


def test_a_graph_has_each_step_with_its_action_and_steps_that_change_nothing(tmp_path: Path) -> None:
    _draw(tmp_path, CONFIG + "CONSTRAINT Few\n")
    graph = json.loads((tmp_path / "g.json").read_text())
    assert graph["objects"][0]["label"] == '/\\ x = 0\n/\\ m = (a :> "idle" @@ b :> "idle")'
    (first, second) = (one["_gvid"] for one in graph["objects"] if one.get("style") == "filled")
    titles = {one["label"] for one in graph["edges"] if one["tail"] == first}
    assert titles == {"Up()", "Stay()", "Take(n=a)", "Take(n=b)"}
    assert [one["head"] for one in graph["edges"] if one["label"] == "Stay()"][:2] == [first, second]


def test_permuted_states_are_one_state(tmp_path: Path) -> None:
    whole = _draw(tmp_path, CONFIG + "CONSTRAINT Few\n")
    folded = _draw(tmp_path, CONFIG + "CONSTRAINT Few\nSYMMETRY Same\n")
    assert (len(whole[0]), len(folded[0])) == (12, 9)
    assert folded[0] < whole[0]


def test_a_part_is_said(tmp_path: Path) -> None:
    states, steps, initial = _draw(tmp_path, CONFIG, "--depth", "1")
    assert len(states) == 7
    assert {one for one, _ in steps} == initial


def test_both_semantics_draw_as_many_states_and_steps(tmp_path: Path) -> None:
    shapes = []
    for by in ("interpreter", "translation"):
        states, steps, initial = _draw(tmp_path, CONFIG, "--by", by)
        shapes.append((len(states), len(steps), len(initial)))
    assert shapes[0] == shapes[1]


def test_a_graph_is_written_as_graphml_and_dot(tmp_path: Path) -> None:
    _draw(tmp_path, CONFIG + "CONSTRAINT Few\n")
    for name in ("g.dot", "g.graphml"):
        path = tmp_path / name
        assert verify("explore", str(tmp_path / "G.tla"), "--graph", str(path)).exit_code == 0
    root = ElementTree.parse(tmp_path / "g.graphml").getroot()
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    assert len(root.findall(".//g:node", space)) == 12
    assert (tmp_path / "g.dot").read_text().count("peripheries=2") == 2
