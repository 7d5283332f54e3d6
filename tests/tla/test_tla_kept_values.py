"""Values kept from one step to the next are those of plain evaluation, and so are the errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.kept_values import collecting_memories, without_keeping
from tests.support.tla_modules import specify_module
from verifier.tla.ast import Definition
from verifier.tla.frames import Undefined
from verifier.tla.kept_conjuncts import Kept
from verifier.tla.remaining import Remaining
from verifier.tla.specification import Specification
from verifier.tla.value_types import Fn, Value

HEAD = r"""EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES role, log, n
vars == <<role, log, n>>
S == {"a", "b", "c"}
Init == role = [i \in S |-> 0] /\ log = [i \in S |-> <<>>] /\ n = 0
Leads(i) == role[i] = 2
Agreed(i) == {k \in 1..Len(log[i]) : Cardinality({j \in S : Len(log[j]) >= k}) * 2 > 3}
Commit(i) == n' = IF Agreed(i) = {} THEN n ELSE Cardinality(Agreed(i))
Copies(i, j) == LET more == Len(log[i]) - n IN \/ Leads(i) /\ more > 0 /\ log'[j] = log[i]
                                               \/ role[i] = 1 /\ UNCHANGED log
Send(i, range) == range[1] <= range[2] /\ log[i][range[1]] = n' /\ range[2] > n
"""
OF_STEPS = [
    "Leads(i) /\\ n' = n", "Commit(i)", "Leads(j) /\\ Commit(i)", "Copies(i, j)", "i # j /\\ Copies(i, j)",
    "n' = n /\\ Leads(i)", "log[i] # <<>> /\\ Head(log[i]) = n'", "Head(log[i]) = n /\\ n' > n",
    "\\E b, e \\in 1..Len(log[i]) : role[i] = 2 /\\ b < e /\\ log[i][b] = n'",
    "\\E b, e \\in 1..n : Send(i, <<b, e>>) /\\ UNCHANGED log",
    "role[i] = 2 /\\ role'[i] = 1", "(role[i] = 2 /\\ n' = 1) \\/ (role[j] = 0 /\\ n' = 2)",
    "role[n] = 2 /\\ n' = n", "UNCHANGED <<log, n>> /\\ role[i] > role[j]", "i = n' /\\ Leads(i)",
    "(\\A k \\in Agreed(i) : k <= n') /\\ n' # n", "(\\E k \\in S : role'[k] > role[i]) /\\ n' = n",
    "PrintT(n) /\\ n' = n", "Leads(i) /\\ TLCSet(1, n) /\\ n' = n",
]  # fmt: skip
OF_STATES = [
    "\\A k \\in DOMAIN log[i] \\cap DOMAIN log[j] : log[i][k] = log[j][k] => role[i] # role[j]",
    "\\A k \\in 1..Len(log[i]) : log[i][k] <= n", "\\E k \\in 1..role[i] : log[j][k] > 0",
    "Cardinality({k \\in S : role[k] > role[i]}) < 2", "\\A k \\in {i, j} : role[k] = role[i]",
]  # fmt: skip


def _outcomes(folder: Path, steps: list[tuple[list[Any], list[Any]]]) -> list[list[object]]:
    quantifiers = [f"\\E i, j \\in S : {body}" for body in OF_STEPS]
    quantifiers += [f"\\A i \\in S : \\E j \\in S : {body}" for body in OF_STEPS]
    quantifiers += [f"\\{kind} i, j \\in S : {body}" for body in OF_STATES for kind in "AE"]
    defined = [f"A{number} == {body}" for number, body in enumerate(quantifiers)]
    spec = specify_module(folder, HEAD + "\n".join([*defined, "Next == UNCHANGED vars"]))
    tests = [_compile(spec, f"A{number}") for number in range(len(defined))]
    return [[_decide(spec, test, *step) for step in steps] for test in tests]


def _compile(spec: Specification, name: str) -> Callable[[], bool]:
    found = spec.module.names[name]
    assert isinstance(found, Definition)
    assert found.body is not None
    return spec.evaluator.compile_truth(found.body, found.module)


def _decide(spec: Specification, test: Callable[[], bool], now: list[Any], later: list[Any]) -> object:
    spec.evaluator.now[:], spec.evaluator.next[:] = now, later
    try:
        return test()
    except Undefined as error:
        return str(error)


def _steps(chance: Random, count: int) -> list[tuple[list[Any], list[Any]]]:
    """Successive steps, each of which changes one variable or one part of it. The others stay one object."""
    now: list[Any] = [Fn(dict.fromkeys("abc", 0)), Fn(dict.fromkeys("abc", ())), 0]
    found = []
    for _ in range(count):
        later, one = list(now), chance.choice("abc")
        match chance.randrange(4):
            case 0:
                later[0] = Fn({**now[0], one: chance.randint(0, 2)})
            case 1:
                log: Value = (*now[1][one][-3:], chance.randint(0, 2))
                later[1] = Fn({**now[1], one: log if chance.random() < 0.9 else ()})
            case 2:
                later[2] = chance.randint(0, 3)
        found.append((now, later))
        now = later if chance.random() < 0.8 else chance.choice(found)[0]
    return found


def test_values_that_are_kept_are_the_values_without_keeping(tmp_path: Path) -> None:
    steps = _steps(Random(35), 150)
    with collecting_memories() as made:
        found = _outcomes(tmp_path, steps)
    assert sum(one.known for one in made if isinstance(one, Remaining)) > 500
    assert sum(one.known for one in made if isinstance(one, Kept)) > 500
    with collecting_memories() as others, without_keeping():
        plain = _outcomes(tmp_path, steps)
    assert not others, "values are kept although nothing may be"
    for number, (one, other) in enumerate(zip(found, plain, strict=True)):
        assert one == other, number
    outcomes = {str(outcome)[:4] for row in plain for outcome in row}
    assert len(outcomes - {"True", "Fals"}) > 0, "no formula had an error"
    assert {"True", "Fals"} < outcomes


SMALL = (
    HEAD
    + r"""
Led == \E i, j \in S : Leads(i) /\ n' = n
Wrong == \E i \in S : Head(log[i]) = 1 /\ n' = n
Next == UNCHANGED vars
"""
)


def test_members_are_found_again_if_a_variable_that_is_read_has_another_value(tmp_path: Path) -> None:
    spec = specify_module(tmp_path, SMALL)
    test, logs = _compile(spec, "Led"), Fn(dict.fromkeys("abc", ()))
    none, one = Fn(dict.fromkeys("abc", 0)), Fn({"a": 0, "b": 0, "c": 2})
    for roles, later, expected in [(none, 0, False), (one, 0, True), (one, 1, False), (none, 0, False)]:
        assert _decide(spec, test, [roles, logs, 0], [roles, logs, later]) is expected


def test_a_guard_without_a_value_is_an_error_only_where_the_loop_comes_to_it(tmp_path: Path) -> None:
    spec = specify_module(tmp_path, SMALL)
    test, roles = _compile(spec, "Wrong"), Fn(dict.fromkeys("abc", 0))
    fine, empty = Fn({"a": (1,), "b": (), "c": ()}), Fn(dict.fromkeys("abc", ()))
    words = str(_decide(spec, test, [roles, empty, 0], [roles, empty, 0]))
    assert "Head" in words or "empty" in words, words
    outcomes = {str(_decide(spec, test, [roles, fine, 0], [roles, fine, 0])) for _ in range(3)}
    assert len(outcomes) == 1


def test_a_loop_over_many_members_ends_at_the_first_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first conjuncts are not evaluated for all members: that could take long, or have no end."""
    tried, run = list[int](), Remaining.find

    def note(self: Remaining, e: Any) -> Any:
        rows = run(self, e)
        tried.append(0 if rows is None else len(rows))
        return rows

    monkeypatch.setattr(Remaining, "find", note)
    body = r"\E s \in SUBSET (1..40) : n = 0 /\ log'[\"a\"] = <<>> /\ s = {}".replace('\\"', '"')
    spec = specify_module(tmp_path, f"{HEAD}A0 == {body}\nNext == UNCHANGED vars")
    test = _compile(spec, "A0")
    state: list[Any] = [Fn(dict.fromkeys("abc", 0)), Fn(dict.fromkeys("abc", ())), 0]
    assert [_decide(spec, test, state, list(state)) for _ in range(3)] == [True] * 3
    assert tried == [0, 0, 0]
