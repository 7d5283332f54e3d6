"""`bmc` looks at one of states that differ in names of model values only, where nothing tells them apart."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from math import factorial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.sampling import rest_slow
from tests.support.tla_modules import question_of, specify_module, translate_body
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.runs.modules import bounded_checking
from verifier.runs.modules.strategy import answer_question
from verifier.runs.modules.translating import NotTranslated
from verifier.runs.news import Remark
from verifier.tla.automorphisms import interchangeable

TEXT = "EXTENDS TLC, Naturals, FiniteSets, FiniteSetsExt\nCONSTANTS S, a, c\nVARIABLE x\nInit == x = {}\n"
STEP = "Next == \\E s \\in S : x' = x \\cup {s}\n"
CONFIG = (
    "\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANTS S = {a, b, c}, a = a, c = c\nINVARIANT Inv\n"
)


def _ask(folder: Path, body: str, config: str, **options: Any) -> tuple[Run, list[str]]:
    said: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, Remark):
            said.append(event.words)

    made = translate_body(folder, f"\n{body}", config)
    return answer_question(question_of(made, "bmc", listen, depth=3, **options)), said


def _answer(found: Run) -> dict[str, tuple[str, int | None]]:
    return {
        v.property_name: (v.kind.value, v.depth if v.trace is None else v.trace.steps)
        for v in found.outcome.verdicts
    }


@pytest.mark.parametrize("translating", [False, True])
@pytest.mark.parametrize(
    ("body", "permuted", "told_apart"),
    [
        (STEP + "Inv == TRUE", 6, False),
        (STEP + "Inv == x # S", 6, False),
        # The state of its class that is found first does not violate it.
        (STEP + "Inv == x # {c}", 2, False),
        (STEP + "One == CHOOSE s \\in S : TRUE\nInv == x # S \\ {One}", 6, True),
        (STEP + "One == CHOOSE s \\in S : s # a\nInv == x # {One}", 2, True),
        (STEP + "Inv == Cardinality(x) < 2 \\/ FoldSet(LAMBDA s, t : {s}, {}, x) # S \\ (S \\ x)", 6, True),
        ("Next == x # S /\\ x' = x \\cup {CHOOSE s \\in S : s \\notin x}\nInv == TRUE", 6, True),
    ],
)
def test_what_tells_values_apart(
    body: str,
    permuted: int,
    told_apart: bool,
    translating: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if translating:
        monkeypatch.setattr(bounded_checking, "search_by_interpreter", lambda *_: None)
    spec = specify_module(tmp_path, TEXT + body, CONFIG)
    assert spec.next is not None
    formulas = [*spec.init, spec.next, *spec.invariants.values()]
    assert len(interchangeable(spec, formulas, 120)) + 1 == permuted
    found, said = _ask(tmp_path, TEXT + body, CONFIG, shortest=True)
    plain, quiet = _ask(tmp_path, TEXT + body, CONFIG, shortest=True, symmetry=False)
    assert _answer(found) == _answer(plain)
    assert any("told apart" in words for words in said) == told_apart
    assert not any("told apart" in words for words in quiet)


def test_large_sets_are_permuted_in_part(tmp_path: Path) -> None:
    names = ", ".join(f"v{number}" for number in range(9))
    config = f"INIT Init\nNEXT Next\nCONSTANTS S = {{{names}}}, a = a, c = c"
    spec = specify_module(tmp_path, TEXT + STEP + "Inv == TRUE", config)
    assert spec.next is not None
    assert len(interchangeable(spec, [*spec.init, spec.next], 120)) + 1 == factorial(5)


TWO_SETS = """EXTENDS TLC, Naturals, FiniteSets
CONSTANTS S, T, a, c
VARIABLES x, y
Init == x = {} /\\ y = {}
One == CHOOSE s \\in S : TRUE
Next == \\/ \\E s \\in S : x' = x \\cup {s} /\\ UNCHANGED y
        \\/ x # {} /\\ \\E t \\in T : y' = y \\cup {t} /\\ UNCHANGED x
"""
TWO_SETS_CONFIG = CONFIG.replace("CONSTANTS", "CONSTANTS T = {t, u, v},")


@pytest.mark.parametrize(
    ("invariant", "told_apart", "states"),
    [
        ("TRUE", 0, 7),  # how many are in x, and how many in y
        ("x # {One, c}", 1, None),
        ("One \\in S", 1, 17),  # members of T are still exchanged
        ("One \\in S /\\ (CHOOSE t \\in T : TRUE) \\in T", 2, None),
        ("(CHOOSE s \\in S \\ {One} : TRUE) \\in S", 1, 17),
    ],
)
def test_what_is_not_told_apart_is_still_exchanged(
    invariant: str, told_apart: int, states: int | None, tmp_path: Path
) -> None:
    body = f"{TWO_SETS}Inv == {invariant}"
    found, said = _ask(tmp_path, body, TWO_SETS_CONFIG, shortest=True)
    plain, _ = _ask(tmp_path, body, TWO_SETS_CONFIG, shortest=True, symmetry=False)
    assert _answer(found) == _answer(plain)
    assert sum("told apart" in words for words in said) == told_apart
    if states is not None:
        assert any(f"all {states} states" in words and "up to renaming" in words for words in said)


RULES = {
    "step": [
        "\\E s \\in S : $guard /\\ x' = x \\cup {s} /\\ UNCHANGED <<f, p>>",
        "\\E s \\in $set : $guard /\\ p' = s /\\ UNCHANGED <<x, f>>",
        "\\E s \\in S : f[s] < 2 /\\ f' = [f EXCEPT ![s] = @ + 1] /\\ p' = $one /\\ UNCHANGED x",
        "\\E s \\in S : x # {} /\\ x' = x \\ {$one} /\\ f' = [f EXCEPT ![$one] = 0] /\\ UNCHANGED p",
    ],
    "guard": ["TRUE", "s # $one", "s \\in $set", "f[s] = Cardinality(x)", "$test"],
    "one": ["s", "s", "s", "p", "(CHOOSE t \\in S : t # p)", "(CHOOSE t \\in S : TRUE)", "c",
            "(CHOOSE t \\in S : f[t] = Max({f[u] : u \\in S}))"],
    "set": ["S", "x", "(S \\ x)", "{t \\in S : f[t] = 0}", "(S \\ {p})", "{t \\in x : t # c}"],
    "test": ["p \\in $set", "$set # {}", "$set \\subseteq $set", "Cardinality($set) < 3",
             "\\A t \\in $set : f[t] < 2", "(x = {} \\/ (CHOOSE t \\in x : TRUE) # p)",
             "FoldSet(LAMBDA t, n : n + f[t], 0, x) < 3"],
}  # fmt: skip


def _module(chance: Random) -> str:
    """A module that may tell the members of S apart."""

    def part(rule: str) -> str:
        return re.sub(r"\$([a-z]+)", lambda found: part(chance.choice(RULES[found[1]])), rule)

    steps = " \\/ ".join(f"({part('$step')})" for _ in range(chance.randint(1, 3)))
    invariant = part(f"{'$test'} \\/ {'$test'}" if chance.random() < 0.7 else "$test").replace("(s ", "(p ")
    return (
        "\nEXTENDS Naturals, FiniteSets, FiniteSetsExt\nCONSTANTS S, c\nVARIABLES x, f, p\n"
        "Init == x = {} /\\ f = [s \\in S |-> 0] /\\ p \\in S\n"
        f"Next == {steps}\nInv == {invariant}"
    )


RANDOM_CONFIG = (
    "\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANTS S = {a, b, c}, c = c\nINVARIANT Inv\n"
)


def _compare(folder: Path, seeds: range, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Random modules with each of both ways to answer, with and without permutations."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        body = _module(Random(seed))
        answers: list[dict[str, tuple[str, int | None]]] = []
        for symmetry, translating in product((True, False), repeat=2):
            with monkeypatch.context() as changed:
                if translating:
                    changed.setattr(bounded_checking, "search_by_interpreter", lambda *_: None)
                try:
                    found, said = _ask(folder, body, RANDOM_CONFIG, symmetry=symmetry, shortest=True)
                except NotTranslated:
                    continue
                except UsageError:
                    answers.append({"": ("error", None)})
                    continue
                answers.append(_answer(found))
                seen["told apart"] += any("told apart" in words for words in said)
        assert all(one == answers[0] for one in answers), f"seed {seed}: {answers}\n{body}"
        seen.update(kind for kind, _ in answers[0].values())
    return seen


@pytest.mark.thorough
def test_random_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _compare(tmp_path, range(4), monkeypatch)
    assert seen["VIOLATED"]
    assert seen["HOLDS"]


@pytest.mark.parametrize("first", rest_slow(range(4, 104, 10), 1))
def test_more_random_modules(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _compare(tmp_path, range(first, first + 10), monkeypatch)
