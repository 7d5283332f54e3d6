"""Translated modules are counted as the interpreter counts them, which counts as TLC does: classes of states
where the configuration has a SYMMETRY, and ways in which Init is true of a state."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from functools import partialmethod
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.command_line import verify, wrong
from tests.support.tla_modules import counts, explore_module, specify_module, write_module
from verifier.encodings.sorts import Range, Set
from verifier.encodings.terms import Symbol
from verifier.explicit.classes import PermutedWords
from verifier.explicit.packing import pack_columns
from verifier.runs.building import build_model
from verifier.runs.modules import refining, translated_exploring
from verifier.runs.modules.loading import TlaDefinition, load
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translated_checks import check_choices
from verifier.runs.modules.translating import NotTranslated, translate_module
from verifier.specs.definition import Action, Parameter
from verifier.tla.explorer import Explorer
from verifier.tla.translate import sampling, translation
from verifier.tla.translate.said import is_true_once
from verifier.tla.translate.sampling import Stepper, sample
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.terms import variable

_PLAIN = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
_AS_TRANSLATED = "explored using the translation"


@pytest.fixture(autouse=True)
def look_at_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few states are looked at, so that these small modules are translated."""

    def few(spec: Any, *_: object, symmetry: Any = None, **__: object) -> Any:
        return sample(spec, most=6, most_initial=4, symmetry=symmetry)

    monkeypatch.setattr(translation, "sample", few)
    monkeypatch.setattr(refining, "POLICY", replace(POLICY, long_translation_seconds=inf))


def _compare(folder: Path, body: str, config: str) -> str:
    """Explores by the command and by the interpreter, which agree; what the command said on the way."""
    found = explore_module(folder, body, config).result
    (folder / "M.cfg").write_text(config)
    done = verify("explore", "--spec", str(write_module(folder, body)), "--keep-going", "--format", "json")
    run = json.loads(done.stdout)
    figures = run["statistics"]
    assert figures["complete"], done.output
    own = (figures["distinct_states"], figures["generated_states"], figures["levels"])
    assert own == (found.distinct, found.generated, found.levels), done.output
    violated = {r["property"]: r["steps"] for r in run["results"] if r["verdict"] == "VIOLATED"}
    assert violated == {name: len(one.states) - 1 for name, one in found.violations.items()}
    return done.stderr


_VOTES = """EXTENDS TLC, Naturals, FiniteSets, Sequences, FiniteSetsExt
CONSTANTS S, V, none, v
VARIABLES sets, vote, queue, sent
Init == sets = {} /\\ vote = [s \\in S |-> none] /\\ queue = <<>> /\\ sent = {}
Vote(s, w) == /\\ vote[s] = none /\\ vote' = [vote EXCEPT ![s] = w]
              /\\ sent' = sent \\cup {[from |-> s, of |-> w]} /\\ UNCHANGED <<sets, queue>>
Ask(s) == Len(queue) < 2 /\\ queue' = Append(queue, s) /\\ UNCHANGED <<sets, vote, sent>>
Meet(s, t) == /\\ s # t /\\ {s, t} \\notin sets /\\ sets' = sets \\cup {{s, t}}
              /\\ UNCHANGED <<vote, queue, sent>>
"""
_NEXT = """Next == \\/ \\E s \\in S, w \\in V : Vote(s, w)
        \\/ \\E s \\in S : Ask(s)
        \\/ \\E s, t \\in S : Meet(s, t)
"""
_FINE = _NEXT + "Inv == \\A m \\in sent : m.from \\in S\nSym == Permutations(S) \\cup Permutations(V)\n"
_CONFIG = """INIT Init
NEXT Next
CONSTANTS S = {a, b, c}
V = {v, w}
none = none
v = v
SYMMETRY Sym
INVARIANT Inv
CHECK_DEADLOCK FALSE
"""


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        (_FINE, _AS_TRANSLATED),
        # Some of the permutations: the classes are smaller.
        (_NEXT + "Inv == Len(queue) < 2\nSym == Permutations({v})\n", _AS_TRANSLATED),
        (_NEXT + "Inv == Cardinality(sets) < 3\n"
         "Sym == {[s \\in S |-> CHOOSE t \\in S : TRUE]}\n", "SYMMETRY expects a set of permutations"),
        # One thing is chosen, whatever the order.
        (_NEXT + "Inv == \\A s \\in S : vote[s] # none => (CHOOSE m \\in sent : m.from = s).of = vote[s]\n"
         "Sym == Permutations(S) \\cup Permutations(V)\n", _AS_TRANSLATED),
        # What is chosen rests on the order, in the state or among constants.
        (_NEXT + "Inv == sent = {} \\/ (CHOOSE m \\in sent : TRUE).of \\in V\nSym == Permutations(S)\n",
         "explored by the interpreter"),
        (_NEXT + "First == CHOOSE s \\in S : TRUE\nInv == vote[First] = vote[First]\n"
         "Sym == Permutations(S)\n", "CHOOSE takes a or"),
        (_NEXT + "Inv == FoldSet(LAMBDA m, n : n + 1, 0, sent) <= 3\nSym == Permutations(S)\n",
         "a fold over a set"),
        # A value is named.
        (_NEXT + "Inv == vote = vote \\/ v \\in V\nSym == Permutations(V)\n", "v stands here"),
    ],
)  # fmt: skip
def test_classes_are_those_of_the_interpreter(rest: str, why: str, tmp_path: Path) -> None:
    if "expects" in why:
        (tmp_path / "M.cfg").write_text(_CONFIG)
        assert why in verify("explore", "--spec", str(write_module(tmp_path, _VOTES + rest))).stderr
        return
    assert why in _compare(tmp_path, _VOTES + rest, _CONFIG)


_HELD = """EXTENDS TLC, Naturals
CONSTANT S
VARIABLES held, seen, last
Init == held = <<>> /\\ seen = {} /\\ last = <<>>
Take(s) == /\\ s \\notin DOMAIN held /\\ \\E n \\in {1, 9} : held' = (s :> n) @@ held
           /\\ last' = <<s>> /\\ UNCHANGED seen
Note(s) == /\\ seen = {} /\\ last # <<>> /\\ seen' = {<<s, DOMAIN held, {last[1]}>>}
           /\\ UNCHANGED <<held, last>>
Next == \\E s \\in S : Take(s) \\/ Note(s)
Inv == \\A t \\in seen : t[1] \\notin t[2] \\/ t[1] \\in DOMAIN held
Sym == Permutations(S)
"""


def test_all_that_permutations_make_of_a_listed_value_is_listed(tmp_path: Path) -> None:
    """Few of the tuples in a set and few of the domains of a function are in the states looked at."""
    config = f"CONSTANT S = {{a, b, c, d}}\nSYMMETRY Sym\nINVARIANT Inv\n{_PLAIN}"
    assert _AS_TRANSLATED in _compare(tmp_path, _HELD, config)


def test_permuted_words_can_be_sent_to_other_processes(tmp_path: Path) -> None:
    """The copies of workers agree; three generators make the twelve permutations of two sets."""
    (tmp_path / "M.cfg").write_text(_CONFIG)
    path = write_module(tmp_path, _VOTES + _FINE)
    module = load(str(path), {})
    symmetry = Explorer(module.specification, properties=()).permute()
    assert symmetry is not None
    made = translate_module(module, widely=True, symmetry=symmetry)
    model = build_model(made.definition())
    words = PermutedWords(model)
    assert (words.size, len(model.definition.permutations)) == (12, 3)
    stepper = Stepper(module.specification)
    states = stepper.strolls(stepper.successors(made.translation.sample.initial[0]), 5, 9)
    encode, names = made.translation.names.encode, made.sorts()
    for state in states:
        images = [tuple(map(renaming.of, state)) for renaming in symmetry.renamings]
        own = [
            {name: encode(value, sort) for (name, sort), value in zip(names.items(), image, strict=True)}
            for image in (state, *images)
        ]
        rows = pack_columns(np.array([model.layout.encode_state(one) for one in own]))
        found = pickle.loads(pickle.dumps(words)).representatives(rows)
        assert len(np.unique(found, axis=0)) == 1
        assert words.sizes(rows).tolist() == [len({state, *images})] * len(rows)


_COUNTED = "EXTENDS Naturals\nVARIABLES x, y\n{init}\nNext == x < 3 /\\ x' = x + 1 /\\ UNCHANGED y\n"
_ONCE = [
    "Init == x \\in 0..2 /\\ y \\in {0, 5, 7}",
    "Both == x \\in 0..2 /\\ y \\in {0, 5, 7}\nInit == Both /\\ (x = 0 \\/ y = 0 \\/ x < 2)",
    "Init == x \\in 0..2 /\\ TRUE /\\ y \\in {0, 5, 7} /\\ y \\in 0..9 /\\ \\E z \\in 0..5 : z > x",
]
_SEVERAL = [
    "Init == (x \\in {0, 1} \\/ x = 1) /\\ x \\in 0..2 /\\ y \\in {0, 5, 7}",
    "Init == x \\in 0..2 /\\ (x = 0 \\/ x < 2) /\\ y \\in {0, 5, 7}",
    "Init == (\\E z \\in 0..2 : x = z \\div 2) /\\ x \\in 0..2 /\\ y \\in {0, 5, 7}",
]


@pytest.mark.parametrize("init", [*_ONCE, *_SEVERAL])
def test_ways_of_many_initial_states(init: str, tmp_path: Path) -> None:
    """More initial states than are looked at are counted by their number, where each is one way."""
    body, config = _COUNTED.format(init=init), _PLAIN
    assert is_true_once(specify_module(tmp_path, body, config)) == (init in _ONCE)
    why = _AS_TRANSLATED if init in _ONCE else "in how many ways Init is true is not known"
    assert why in _compare(tmp_path, body, config)


def test_no_time_to_build_leaves_exploring_to_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = replace(POLICY, least_building_seconds=0.0, most_building_seconds=0.0)
    monkeypatch.setattr(translated_exploring, "POLICY", hasty)
    said = _compare(tmp_path, _COUNTED.format(init=_ONCE[0]), _PLAIN)
    assert "explored by the interpreter: building the translation takes too much time" in said


def test_large_formulas_leave_exploring_to_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translated_exploring, "POLICY", replace(POLICY, formula_parts=3))
    said = _compare(tmp_path, _COUNTED.format(init=_ONCE[0]), _PLAIN)
    assert "explored by the interpreter: the formulas of the translation have more than 3 parts" in said


def test_free_parameters_of_many_values_are_told_before_building() -> None:
    chosen = Parameter(Symbol("m", Set(Range(1, 20))), free=True)
    choosing = Action("Choose", (chosen,), (), (), "")
    definition = TlaDefinition("M", {}, (), variable(chosen.symbol), (choosing,), (), None)
    with pytest.raises(NotTranslated, match="Choose is chosen too freely to enumerate"):
        check_choices(definition)
    few = replace(choosing, parameters=(replace(chosen, symbol=Symbol("m", Range(1, 20))),))
    check_choices(replace(definition, actions=(few,)))


@pytest.mark.parametrize(("step", "levels", "complete"), [("2 * x + i", 5, False), ("x + i", 99, True)])
def test_the_first_states_end_where_levels_grow_fast(
    step: str, levels: int, complete: bool, tmp_path: Path
) -> None:
    """Levels of 1, 2, 4, … states are expected to go on to grow when half of the states are found."""
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 1\n"
    body += f"Next == x < 100 /\\ \\E i \\in 0..1 : x' = {step}\n"
    seen = sample(specify_module(tmp_path, body), most=100, most_generated=1_000)
    assert (seen.complete, len(seen.generated)) == (complete, levels)
    assert seen.seconds_per_state is not None


def test_random_walks_go_on_while_they_widen_the_sorts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value that few walks come to is looked for as long as others are found on the way."""
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 1 /\\ y = 0\n"
        "Next == \\E i \\in 0..3 : x' = (7 * x + 3 * i) % 100003 /\\ y' = IF i = 0 THEN y + 1 ELSE 0\n"
    )
    spec = specify_module(tmp_path, body)
    first = sample(spec, most=6)
    assert len(first.states) > first.nearest
    waiting = sample(spec, most=6, walks=False)
    assert len(waiting.states) == waiting.nearest
    batches = list(waiting.further)
    assert len(batches) == SAMPLING.walks_more * 30 // SAMPLING.walks_at_once
    as_many = batches[: 30 // SAMPLING.walks_at_once]
    assert waiting.states + list(dict.fromkeys(chain.from_iterable(as_many))) == first.states
    monkeypatch.setattr(translation, "sample", sample)
    walked = translation.start_translation(spec, widely=True).sample
    assert len(walked.states) - walked.nearest > sum(map(len, as_many))


def test_the_first_states_can_be_gone_on_with(tmp_path: Path) -> None:
    """They are then those that are found without a break."""
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 1\n"
    spec = specify_module(tmp_path, f"{body}Next == x < 100 /\\ \\E i \\in 0..1 : x' = 2 * x + i\n")
    seen = sample(spec, most=100, most_generated=1_000, walks=False)
    before = len(seen.generated)
    assert not seen.complete
    assert seen.look_on(0.0) == []
    found = seen.look_on(60.0)
    whole = sample(spec, most=1_000)
    assert (seen.complete, whole.complete) == (True, True)
    assert [*seen.states, *found] == whole.states
    assert seen.generated == whole.generated
    assert len(seen.generated) > before
    assert seen.look_on(60.0) == []


@pytest.mark.parametrize("few", [True, False])
def test_more_states_are_looked_at_where_building_takes_long(
    few: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sorts are widened before all else is built; if these are all states, nothing is built."""
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 15 /\\ x' = x + 1\n"
    monkeypatch.setattr(sampling, "SAMPLING", replace(SAMPLING, walks=0))
    monkeypatch.setattr(translation, "sample", lambda spec, *_, **__: sample(spec, most=6))
    assert "goes beyond the guessed range" in _compare(tmp_path, body, _PLAIN)
    monkeypatch.setattr(refining, "POLICY", replace(POLICY, long_translation_seconds=-1.0))
    monkeypatch.setattr(sampling.Sample, "look_on", partialmethod(_look_on, 100 if few else 12))
    said = _compare(tmp_path, body, _PLAIN)
    assert ("an execution of 12 steps goes beyond the guessed range" in said) != few
    assert ("explored by the interpreter: there are few states" if few else _AS_TRANSLATED) in said


def _look_on(found: sampling.Sample, most: int, _: float) -> list[Any]:
    assert found.search is not None
    known, found.search.most = len(found.search.explorer.states), most
    found.complete = found.search.look()
    return list(found.search.explorer.states[known:])


LEVELS = """EXTENDS Naturals, TLC
VARIABLES a, b
Init == a = 0 /\\ b \\in 0..1 /\\ TLCGet("level") = 0
Next == (a' = a + 1 /\\ b' = b) \\/ (b' = (b + 3) % 7 /\\ a' = a)
Con == TLCGet("level") < 5
Con2 == TLCGet("level") <= 3 /\\ b # 3
ACon == TLCGet("level") < 4
Three == TLCGet("level") < 4
Step == [][TLCGet("level") < 4]_<<a, b>>
"""
PLAIN = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("CONSTRAINT Con", (17, 36, 4)),
        ("CONSTRAINT Con2", (8, 18, 3)),
        ("ACTION_CONSTRAINT ACon", (17, 36, 4)),
    ],
)
def test_the_level_is_that_of_the_state_that_is_looked_at(
    config: str, found: tuple[int, int, int], tmp_path: Path
) -> None:
    """Of a constraint the level is that of the successor, of a step that of the state before."""
    assert counts(tmp_path, LEVELS, PLAIN + config) == found


@pytest.mark.parametrize(("asked", "steps"), [("INVARIANT Three", 3), ("PROPERTY Step", 4)])
def test_properties_of_a_level(asked: str, steps: int, tmp_path: Path) -> None:
    found = explore_module(tmp_path, LEVELS, f"{PLAIN}CONSTRAINT Con\n{asked}").result
    (violation,) = found.violations.values()
    assert len(violation.states) - 1 == steps


HIGHER = """EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Set(k) == (k > 0 \\/ k < 3) /\\ x' = k
With(F(_), e) == e < 9 /\\ F(e) /\\ UNCHANGED y
Two(F(_, _)) == F(x, y)
Again(F(_), e) == With(F, e % 3)
Low(e) == e = 0 \\/ e < 2
Either(F(_), e) == F(e) /\\ x' = e /\\ y' = e
Next == \\/ With(Set, x + 1)
        \\/ Again(LAMBDA e : x' \\in {y, e}, x + 2)
        \\/ Two(LAMBDA a, b : LET c == a + 1 IN a > 1 /\\ y' = (b + c) % 3 /\\ x' = a)
        \\/ Either(Low, y)
Inv == x < 6 \\/ y = 0
"""


def test_actions_that_are_given_operators(tmp_path: Path) -> None:
    """An operator that is an argument is walked, as is its name elsewhere. The counts are TLC's."""
    assert _AS_TRANSLATED in _compare(tmp_path, HIGHER, f"{_PLAIN}INVARIANT Inv\n")
    assert counts(tmp_path, HIGHER) == (27, 124, 9)
    found = json.loads(verify("bmc", str(tmp_path / "M.tla"), "--shortest", "--format", "json").stdout)
    steps = {one["property"]: (one["verdict"], one["steps"]) for one in found["results"]}
    assert steps["Inv"] == ("VIOLATED", 6)


@pytest.mark.thorough
def test_an_operator_that_is_given_itself_without_end_is_refused(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nRECURSIVE Loop(_)\nCall(F(_), e) == F(e)\n"
    body += "Loop(e) == x' = e \\/ Call(Loop, e + 1)\nNext == x < 3 /\\ Loop(x)\n"
    (tmp_path / "M.cfg").write_text(_PLAIN)
    assert "deeper than" in wrong("prove", str(write_module(tmp_path, body)))


@pytest.mark.parametrize(
    ("limit", "as_translated"),
    [("", True), ("small_bits", False), ("small_terms", False), ("few_initial", False)],
)
def test_variables_of_few_values_are_left_to_columns_unless_the_translation_is_small(
    limit: str, as_translated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "sample", lambda spec, *_, **__: sample(spec, most=1_200))
    if limit:
        policy: Any = {limit: 0}
        monkeypatch.setattr(translated_exploring, "POLICY", replace(POLICY, **policy))
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 1 /\\ y = 1\n"
        "Next == \\/ x' = (x % 50) + 1 /\\ y' = y\n        \\/ y' = (y % 50) + 1 /\\ x' = x\n"
    )
    said = _compare(tmp_path, body, _PLAIN)
    assert (_AS_TRANSLATED if as_translated else "each variable has few values") in said


@pytest.mark.parametrize("by_columns", [False, True])
def test_few_values_shorten_building_only_where_columns_explore(
    by_columns: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow machine CheckpointCoordination was left to the interpreter: 101 s, and 11 as translated.
    Columns do not explore a function that is applied where a step stands."""
    monkeypatch.setattr(translation, "sample", lambda spec, *_, **__: sample(spec, most=1_200))
    hasty = replace(POLICY, least_building_seconds=0.0, expected_states=10**9)
    monkeypatch.setattr(translated_exploring, "POLICY", hasty)
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nMay[n \\in 0..50] == n > 0\nInit == x = 1 /\\ y = 1\n"
        f"Next == /\\ {'x > 0' if by_columns else 'May[x]'}\n"
        "        /\\ \\/ x' = (x % 50) + 1 /\\ y' = y\n           \\/ y' = (y % 50) + 1 /\\ x' = x\n"
    )
    said = _compare(tmp_path, body, _PLAIN)
    assert ("building the translation takes too much time" if by_columns else _AS_TRANSLATED) in said


_MESSAGES = """EXTENDS Naturals
VARIABLES x, sent, kept
Message(i) == [a |-> i % 5, b |-> i % 4, c |-> i % 3]
Init == x = 0 /\\ sent = {} /\\ kept = {}
Next == \\/ x < 12 /\\ x' = x + 1 /\\ sent' = sent \\cup {Message(x)} /\\ UNCHANGED kept
        \\/ \\E m \\in sent : kept' = {m} /\\ UNCHANGED <<x, sent>>
"""


def test_explored_states_are_small_and_what_was_not_seen_widens_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Members are listed, of which the first states have few; others come up while it is explored."""
    monkeypatch.setattr(translation, "SAMPLING", replace(SAMPLING, states_of_explore=6))
    monkeypatch.setattr(sampling, "SAMPLING", replace(SAMPLING, steps=2))
    spec = specify_module(tmp_path, _MESSAGES, _PLAIN)
    for widely in (True, False):
        made = translation.start_translation(spec, widely=widely)
        found = sort_of(made.shapes["sent"], made.names)
        assert isinstance(found, Set)
        assert made.names.lists(found.element) == widely
    said = _compare(tmp_path, _MESSAGES, _PLAIN)
    assert "goes beyond the guessed range" in said
    assert _AS_TRANSLATED in said
