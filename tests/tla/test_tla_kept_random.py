"""Random modules with ENABLED, ``@``, INSTANCE, SYMMETRY and VIEW: with kept values as without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.kept_values import collecting_memories, without_keeping
from tests.support.sampling import first_of
from tests.support.tla_modules import all_found, specify_module
from verifier.tla import hoisting, pruning
from verifier.tla.ast import Definition
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.kept_conjuncts import Kept
from verifier.tla.remaining import Remaining
from verifier.tla.value_types import Fn

OTHER = r"""EXTENDS Integers, Sequences, FiniteSets
CONSTANT S
VARIABLES role, log, n
Agreed(i) == {k \in 1..Len(log[i]) : Cardinality({j \in S : Len(log[j]) >= k}) * 2 > Cardinality(S)}
Leads(i) == role[i] = 2
Commit(i) == n' = IF Agreed(i) = {} THEN n ELSE Cardinality(Agreed(i))
Able(i) == ENABLED (Leads(i) /\ n' = n + 1)
Bump(i) == role' = [role EXCEPT ![i] = IF @ < 2 THEN @ + 1 ELSE 0]
Share(i, j) == /\ Leads(i)
               /\ log' = [log EXCEPT ![j] = SubSeq(log[i], 1, IF Len(@) > Len(log[i]) THEN 0 ELSE Len(@))]
"""
HEAD = OTHER.replace("\nCONSTANT S", "", 1).replace("FiniteSets", "FiniteSets, TLC")
INSTANCES = r"""
Same == INSTANCE Other
Put == INSTANCE Other WITH n <- role["a"], role <- [k \in S |-> n]
Of(k) == INSTANCE Other WITH n <- Len(log[k])
"""
STATES = [
    "Leads(I)", "Able(I)", "ENABLED Commit(I)", "ENABLED Bump(I)", "Agreed(I) = Agreed(J)", "role[I] < n",
    "Len([log EXCEPT ![I] = Append(@, n)][J]) > 1", "[role EXCEPT ![I] = @ + n][J] = 2", "Head(log[I]) = n",
    "(\\A k \\in 1..Len(log[I]) : log[I][k] <= role[J])", "(\\E k \\in Agreed(I) : k > role[J])", "I = J",
    "ENABLED (n' = role[I] /\\ n' # n /\\ role' = [role EXCEPT ![J] = @])",
]  # fmt: skip
PARTS = [
    "(\\A k \\in 1..Len(log[I]) : log[I][k] <= role[J])", "role[I] < role[J]", "Head(log[I]) = role[J]",
    "(\\E k \\in DOMAIN log[J] : k > Len(log[I]))",
]  # fmt: skip
"""Formulas that read nothing but parts of variables."""
INSTANCE_STATES = [
    "Same!Leads(I)", "Same!Able(I)", "Put!Leads(I)", "Put!Able(I)", "Of(I)!Able(J)", "Same!Agreed(I) = {}",
    "Put!Agreed(I) = Of(J)!Agreed(I)",
]  # fmt: skip
STEPS = [
    "Commit(I)", "Bump(I)", "Share(I, J)", "n' = n", "UNCHANGED <<log, role>>", "role'[I] = role[J]",
    "log' = [log EXCEPT ![I] = Append(@, n)]", "n' = [role EXCEPT ![I] = @ + n][J]",
    "log'[J] = [log EXCEPT ![I] = [k \\in 1..Len(@) |-> @[k]]][J]", "Len(log'[I]) > Len(log[I])",
    "n' = Cardinality({k \\in S : role[k] = role[I]})", "(\\E k \\in S : role'[k] > role[I])",
    "log'[I][1] = n", "Head(log[J]) = role'[I]",
    "(\\E b, e \\in 1..Len(log[I]) + 1 : role[I] < b /\\ b <= e /\\ SubSeq(log[I], b, e - 1) = log'[J])",
]  # fmt: skip
LETS = [
    "(LET L_top == Cardinality({k \\in 1..Len(log[I]) : log[I][k] <= role[J]}) IN n' = L_top)",
    ("(LET L_of(k) == Cardinality({x \\in 1..Len(log[k]) : x > role[I]})\n"
     " L_sum == L_of(I) + L_of(J) IN L_sum = n')"),
    "(LET L_few == {k \\in Nat : k < role[I]} IN n' \\in L_few)",
    "(LET L_f == [k \\in Nat |-> Len(log[I])] IN L_f[n] = n')",
    "(LET L_one == CHOOSE k \\in 0..2 : k = role[I]\n L_two == Agreed(J) IN L_one \\in L_two \\/ n' = L_one)",
    "(LET L_last == {log[I][k] : k \\in DOMAIN log[I]} IN role[J] \\in L_last /\\ n' = n)",
    ("(LET L_one == IF I = \"a\" THEN 0 ELSE 1\n"
     " L_two == Cardinality({k \\in 1..Len(log[J]) : log[J][k] > L_one}) IN n' = L_two)"),
    "(LET L_high == {k \\in 1..2 : log[I][k] > role[I]} IN IF n > 1 THEN L_high = {} ELSE n' = n)",
]  # fmt: skip
INSTANCE_STEPS = [
    "Same!Commit(I)", "Same!Bump(I)", "Same!Share(I, J)", "Put!Commit(I)", "Of(J)!Commit(I)", "Of(I)!Bump(J)",
    "Put!Share(I, J)",
]  # fmt: skip


def _formula(chance: Random, states: list[str], steps: list[str], depth: int = 2) -> str:
    """Return a random formula of a step about I and J."""
    if not depth or chance.random() < 0.15:
        leaf, number = chance.choice([*states, *steps]), chance.randrange(10**6)
        return re.sub(r"\bL_\w+", lambda found: f"{found[0]}{number}", leaf)
    first, second = (_formula(chance, states, steps, depth - 1) for _ in range(2))
    match chance.randrange(8):
        case 0:
            return f"({first} \\/ {second})"
        case 1:
            return f"(IF {chance.choice(states)} THEN {first} ELSE {second})"
        case 2:
            name = f"x{chance.randrange(10**6)}"
            return f"(LET {name} == J IN {first} /\\ {_name(second, name, 'I')})"
        case 3:
            name = f"q{chance.randrange(10**6)}"
            return f"(\\E {name} \\in S : {_name(chance.choice(states), 'I', name)} /\\ {first})"
        case 4:
            return f"({chance.choice(states)} => {first})"
    return f"({chance.choice(states)} /\\ {first} /\\ {second})"


def _name(formula: str, first: str, second: str) -> str:
    """Return a formula about other names than I and J."""
    return re.sub(r"\b[IJ]\b", lambda found: first if found[0] == "I" else second, formula)


@contextmanager
def _without_keeping() -> Iterator[None]:
    with without_keeping(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(hoisting, "_guards", lambda *_, **__: [])
        yield


@contextmanager
def _counting() -> Iterator[list[Kept | Remaining]]:
    """Collect the memories that are made. Loops of few values are shortened, too."""
    with collecting_memories() as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pruning, "FEWEST", 1)
        yield made


def _steps(chance: Random, count: int) -> list[tuple[list[Any], list[Any]]]:
    """Successive steps, each of which changes one variable or one part of it. The others stay one object."""
    now: list[Any] = [Fn(dict.fromkeys("abc", 0)), Fn(dict.fromkeys("abc", (1,))), 0]
    found = []
    for _ in range(count):
        later, one = list(now), chance.choice("abc")
        match chance.randrange(4):
            case 0:
                later[0] = Fn({**now[0], one: chance.randint(0, 2)})
            case 1:
                longer = (*now[1][one][-2:], chance.randint(0, 2))
                later[1] = Fn({**now[1], one: longer if chance.random() < 0.8 else ()})
            case 2:
                later[2] = chance.randint(0, 3)
        found.append((now, later))
        now = later if chance.random() < 0.8 else chance.choice(found)[0]
    return found


def _outcomes(folder: Path, body: str, count: int, steps: list[tuple[list[Any], list[Any]]]) -> Any:
    spec = specify_module(folder, body, Other=OTHER)
    evaluator, found = spec.evaluator, []
    for number in range(count):
        symbol = spec.module.names[f"A{number}"]
        assert isinstance(symbol, Definition)
        assert symbol.body is not None
        test, outcomes = evaluator.compile_truth(symbol.body, symbol.module), list[object]()
        for now, later in steps:
            evaluator.now[:], evaluator.next[:] = now, later
            try:
                outcomes.append(test())
            except Undefined as error:
                outcomes.append(str(error))
        found.append(outcomes)
    return found


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 8), marks=pytest.mark.thorough)])
def test_kept_values_of_random_formulas_are_those_of_plain_evaluation(tmp_path: Path, seeds: range) -> None:
    heads = ("\\E i, j \\in S", "\\A i \\in S : \\E j \\in S", "\\A i, j \\in S")
    states, actions = STATES + INSTANCE_STATES, STEPS + INSTANCE_STEPS + LETS
    first, _, rest = HEAD.partition("\n")
    head, outcomes = f'{first}\nS == {{"a", "b", "c"}}\n{rest}{INSTANCES}', set[str]()
    known = 0
    for seed in seeds:
        chance = Random(seed)
        kinds = ((PARTS, PARTS), (states, actions), (PARTS, LETS), (states, actions))
        made_of = [kinds[number % 4] for number in range(48)]
        formulas = [
            _name(_formula(chance, *given, 1 + number % 3), "i", "j") for number, given in enumerate(made_of)
        ]
        defined = [f"A{k} == {heads[k // 3 % 3]} : {one}" for k, one in enumerate(formulas)]
        body = "\n".join([head, *defined, "Init == n = 0", "Next == TRUE"])
        steps = _steps(chance, 80)
        with _counting() as made:
            found = _outcomes(tmp_path, body, len(formulas), steps)
        known += sum(one.known for one in made)
        with _without_keeping():
            plain = _outcomes(tmp_path, body, len(formulas), steps)
        for formula, one, other in zip(defined, found, plain, strict=True):
            assert one == other, formula
            outcomes.update(map(str, other))
    assert known > 1_000
    assert {"True", "False"} < outcomes, "no formula had an error"


def test_definitions_of_let_keep_their_values(tmp_path: Path) -> None:
    """Each alone, so that what is kept decides."""
    heads = ("\\E i, j \\in S", "\\A i, j \\in S")
    defined = [
        f"A{2 * number + k} == {head} : {_name(formula, 'i', 'j')}"
        for number, formula in enumerate(LETS)
        for k, head in enumerate(heads)
    ]
    first, _, rest = HEAD.partition("\n")
    body = "\n".join([f'{first}\nS == {{"a", "b", "c"}}\n{rest}', *defined, "Init == n = 0", "Next == TRUE"])
    steps = _steps(Random(7), 400)
    with _counting() as made:
        found = _outcomes(tmp_path, body, len(defined), steps)
    assert sum(one.known for one in made) > 1_000
    with _without_keeping():
        plain = _outcomes(tmp_path, body, len(defined), steps)
    for formula, one, other in zip(defined, found, plain, strict=True):
        assert one == other, formula
    assert all(len(set(map(str, row))) > 1 for row in plain[::2])


MODEL = r"""
Perms == Permutations(S)
View == <<role, log>>
Init == role = [k \in S |-> 0] /\ log = [k \in S |-> <<>>] /\ n = 0
Write(i) == Leads(i) /\ Len(log[i]) < 2 /\ log' = [log EXCEPT ![i] = Append(@, n)] /\ UNCHANGED <<role, n>>
Next == \E i, j \in S : \/ Bump(i) /\ UNCHANGED <<log, n>>
                        \/ Share(i, j) /\ UNCHANGED <<role, n>>
                        \/ Commit(i) /\ UNCHANGED <<log, role>>
                        \/ Write(i)
Spec == Init /\ [][Next]_<<role, log, n>>
Same == INSTANCE Other
"""
OF_MODEL = [[one for one in of if "Head" not in one and "[1]" not in one] for of in (STATES, STEPS)]
"""Formulas without errors: of members of a set of model values, it is open which is looked at first."""


def _explore(folder: Path, body: str, config: str) -> Any:
    spec = specify_module(folder, body, config, Other=OTHER)
    asked = (*spec.invariants, *spec.properties)
    return all_found(Explorer(spec, properties=asked, keep_going=True, max_states=150, by_columns=False))[0]


@pytest.mark.parametrize("seed", first_of(range(6), 3))
@pytest.mark.parametrize("reduced", ["", "SYMMETRY Perms", "VIEW View", "VIEW View\nSYMMETRY Perms"])
def test_searches_with_kept_values_find_what_plain_ones_find(tmp_path: Path, seed: int, reduced: str) -> None:
    chance = Random(f"{seed}")
    states = [*OF_MODEL[0], "Same!Leads(I)", "Same!Able(I)", "Same!Agreed(J) = {}"]
    steps = [*OF_MODEL[1], "Same!Bump(I)", "Same!Commit(I)", "Same!Share(I, J)"]
    lines = list[str]()
    for number in range(4):
        formula = _name(_formula(chance, states, steps), "i", "j")
        known = "Next \\/ " if number % 2 else ""
        lines.append(f"P{number} == [][{known}\\E i, j \\in S : {formula}]_<<role, log, n>>")
    head, _, rest = HEAD.partition("\n")
    body = "\n".join([head, "CONSTANT S", rest, MODEL, *lines])
    config = f"SPECIFICATION Spec\nCONSTANT S = {{p, q, r}}\nCHECK_DEADLOCK FALSE\n{reduced}\n"
    config += "PROPERTIES P0 P1 P2 P3"
    with _counting() as made:
        found = _explore(tmp_path, body, config)
    assert made
    with _without_keeping():
        plain = _explore(tmp_path, body, config)
    assert found == plain
