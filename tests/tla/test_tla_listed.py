"""Sorts that list messages, refinement of instances with parameters, ALIAS, and what stays violated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module, specify_module, write_module
from verifier.encodings.sorts import Listed, PartialFunction, Set
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import Shape
from verifier.tla.translate.translation import start_translation

_MAIL = """EXTENDS Naturals, TLC
CONSTANT N
VARIABLES sent, inbox, got
Ids == 0..N
Letter(a, b, k) == [kind |-> "letter", from |-> a, to |-> b, number |-> k, copy |-> a + b, extra |-> k * 7]
Init == sent = [m \\in {} |-> 0] /\\ inbox = {} /\\ got = 0
Send(a) == /\\ got < 3
           /\\ Letter(a, N, got) \\notin DOMAIN sent
           /\\ sent' = sent @@ (Letter(a, N, got) :> 1)
           /\\ UNCHANGED <<inbox, got>>
Both == /\\ got = 0
        /\\ sent' = sent @@ [m \\in {Letter(a, got, got) : a \\in {got, got + 1}} |-> 1]
        /\\ UNCHANGED <<inbox, got>>
Take == \\E m \\in DOMAIN sent : /\\ sent[m] > 0
                             /\\ m.number <= got
                             /\\ sent' = [sent EXCEPT ![m] = @ - 1]
                             /\\ inbox' = inbox \\cup {m}
                             /\\ got' = IF m.from = N THEN got + 1 ELSE got
Next == (\\E a \\in Ids : Send(a)) \\/ Both \\/ Take
Spec == Init /\\ [][Next]_<<sent, inbox, got>>
Few == got < 3
Own == \\A m \\in inbox : m.copy = m.from + m.to /\\ m \\in DOMAIN sent
First == inbox # {} => (CHOOSE m \\in inbox : \\A o \\in inbox : m.extra <= o.extra).number = 0
"""
_CONFIG = "SPECIFICATION Spec\nCONSTANT N = 1\nINVARIANTS Few Own First\nCHECK_DEADLOCK FALSE\n"


def _results(*words: str) -> dict[str, Any]:
    done = verify(*words, "--format", "json")
    assert done.stdout.startswith("{"), done.output
    return {row["property"]: row for row in json.loads(done.stdout)["results"]}


def test_messages_are_listed_where_their_sort_would_be_much_wider(tmp_path: Path) -> None:
    made = start_translation(specify_module(tmp_path, _MAIL, _CONFIG.replace("= 1", "= 3")))
    sent, inbox = (sort_of(made.shapes[name], made.names) for name in ("sent", "inbox"))
    assert isinstance(sent, PartialFunction)
    assert isinstance(inbox, Set)
    assert made.names.lists(sent.domain)
    assert made.names.lists(inbox.element)


def test_few_values_are_not_listed(tmp_path: Path) -> None:
    made = start_translation(
        specify_module(
            tmp_path, "EXTENDS Naturals\nVARIABLE x\nInit == x = {<<0, 1>>}\nNext == x' = x \\cup {<<1, 1>>}"
        )
    )
    found = sort_of(made.shapes["x"], made.names)
    assert isinstance(found, Set)
    assert not isinstance(found.element, Listed)


def test_what_was_not_seen_widens_the_sorts_and_the_verdicts_are_tlcs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From one state nothing is known of the messages: each comes by a witness."""
    monkeypatch.setattr("verifier.tla.translate.sampling.SAMPLING", replace(SAMPLING, walks=0))
    monkeypatch.setattr("verifier.tla.translate.shape_sorts._MOST_KEYS", 4)
    monkeypatch.setattr("verifier.tla.translate.shape_sorts._MOST_UNSEEN", 1)
    write_module(tmp_path, _MAIL)
    (tmp_path / "M.cfg").write_text(_CONFIG)
    spec = str(tmp_path / "M.tla")
    own = _results("bmc", "--spec", spec, "--depth", "8", "--shortest")
    theirs = explore_module(tmp_path, _MAIL, _CONFIG).result
    for name in ("Few", "Own", "First"):
        violation = theirs.violations.get(name)
        if violation is None or len(violation.states) - 1 > 8:
            assert own[name]["verdict"] == "HOLDS"
        else:
            assert own[name]["verdict"] == "VIOLATED"
            assert own[name]["steps"] == len(violation.states) - 1


def test_shapes_that_are_joined_know_no_more_than_both() -> None:
    one, other = Shape(seen={}), Shape(seen={})
    one.add((1, 2))
    other.add((3, 4))
    one.merge(other)
    assert one.seen == {(1, 2): None, (3, 4): None}
    unknown = Shape()
    unknown.add((5, 6))
    one.merge(unknown)
    assert one.seen is None


_COUNTER = """EXTENDS Naturals
CONSTANT Max
VARIABLE n
Init == n = 0
Next == n < Max /\\ n' = n + 1
Spec == Init /\\ [][Next]_n
Fair == Spec /\\ WF_n(Next)
"""
_TWO = """EXTENDS Naturals
CONSTANT Limit
VARIABLES a, b
C(x, k) == INSTANCE Counter WITH n <- x, Max <- k
InitTwo == a = 0 /\\ b = 0
Up == \\/ (a < Limit /\\ a' = a + 1 /\\ UNCHANGED b)
      \\/ (b <= Limit /\\ b' = b + 1 /\\ UNCHANGED a)
SpecTwo == InitTwo /\\ [][Up]_<<a, b>> /\\ WF_<<a, b>>(Up)
RefA == C(a, Limit)!Spec
RefB == C(b, Limit)!Spec
RefSum == C(a + b, 2 * Limit + 1)!Spec
RefEach == \\A k \\in {Limit, Limit + 1} : C(a, k)!Spec
FairA == C(a, Limit)!Fair
"""
_TWO_CONFIG = (
    "SPECIFICATION SpecTwo\nCONSTANT Limit = 2\nCHECK_DEADLOCK FALSE\n"
    "PROPERTIES RefA RefB RefSum RefEach FairA\n"
)


@pytest.fixture
def two(tmp_path: Path) -> str:
    write_module(tmp_path, _COUNTER, "Counter")
    (tmp_path / "M.cfg").write_text(_TWO_CONFIG)
    return str(write_module(tmp_path, _TWO))


@pytest.mark.parametrize("engine", [("explore", "--keep-going"), ("bmc", "--depth", "6", "--shortest")])
def test_refinement_of_an_instance_with_parameters(two: str, engine: tuple[str, ...]) -> None:
    """TLC: a step of RefB is the third one to raise b; the others hold."""
    name, *options = engine
    found = _results(name, "--spec", two, *options)
    assert (found["RefB"]["verdict"], found["RefB"]["steps"]) == ("VIOLATED", 3)
    for held in ("RefA", "RefSum", "RefEach"):
        assert found[held]["verdict"] == "HOLDS"
    left = "FairA" if name == "explore" else "FairA (temporal part)"
    assert found[left]["verdict"] == "INCONCLUSIVE"


def test_fairness_of_an_instance_with_parameters(two: str) -> None:
    assert _results("live", "--spec", two)["FairA"]["verdict"] == "PROVED"


_ALIASED = """EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = IF x = 3 THEN 1 ELSE x + 1
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Small == x < 3
Live == <>[](x = 1)
Shown == [double |-> 2 * x, next |-> x', level |-> TLCGet("level")]
"""


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (("explore", "--property", "Small"), {"double": 6, "next": 3, "level": 4}),
        (("bmc", "--property", "Small"), {"double": 6, "next": 3, "level": 4}),
        (("prove", "--property", "Small"), {"double": 6, "next": 3, "level": 4}),
        (("simulate", "--property", "Small"), {"double": 6, "next": 3, "level": 4}),
        (("live", "--property", "Live"), {"double": 6, "next": 1, "level": 4}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_alias_says_what_a_counterexample_shows(
    tmp_path: Path, words: tuple[str, ...], last: dict[str, int]
) -> None:
    """As TLC: the next state of the last one is itself, of a lasso the one where the loop starts."""
    spec, trace = str(write_module(tmp_path, _ALIASED)), tmp_path / "t.itf.json"
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nALIAS Shown\nCHECK_DEADLOCK FALSE\n")
    done = verify(*words, "--spec", spec, "--trace-out", str(trace))
    assert done.exit_code == 10
    assert "double = 6" in done.stdout
    assert f"level = {last['level']}" in done.stdout
    states = json.loads(trace.read_text())["states"]
    assert states[-1]["#meta"]["alias"] == last
    assert states[-1]["x"] == 3
    assert verify("replay", str(trace), "--spec", spec).exit_code == 0


_UNITED = """EXTENDS Integers, Sequences, FiniteSets
CONSTANT None
VARIABLES n, listed, other, row
Pair == <<[c |-> 1], [a |-> FALSE, b |-> TRUE]>>
Some == {<<TRUE>>, <<Pair>>, Pair}
Row(number, of, set, sequence) == n = number /\\ listed = of /\\ other = set /\\ row = sequence
Init == \\/ Row(0, {}, {<<>>}, <<>>)
        \\/ Row(1, {}, Some, <<[a |-> None, b |-> 1], [a |-> 3, b |-> 7], [a |-> 3, b |-> 0]>>)
        \\/ Row(2, {Some}, {None}, <<>>)
        \\/ Row(3, {}, {[b |-> 0], [a |-> None, b |-> "b", c |-> "b"]}, None)
Next == UNCHANGED <<n, listed, other, row>>
United == Cardinality(listed \\cup other) = CASE n = 0 -> 1 [] n = 1 -> 3 [] OTHER -> 2
Joined == n = 0 => Cardinality(listed \\cup {row \\o row}) = 1
"""


def test_a_union_has_all_members_of_a_small_sort_beside_listed_ones(tmp_path: Path) -> None:
    spec = str(write_module(tmp_path, _UNITED))
    (tmp_path / "M.cfg").write_text("CONSTANT None = None\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    asked = ("bmc", "--spec", spec, "--depth", "1", "--by", "translation", "--property")
    assert _results(*asked, "United")["United"]["verdict"] == "HOLDS"
    refused = verify(*asked, "Joined")  # the sort of rows is too large to be listed
    assert refused.exit_code == 2
    assert "has no value as translated in a reachable state" in refused.stderr
    assert _results(*asked[:5], "--property", "Joined")["Joined"]["verdict"] == "HOLDS"
