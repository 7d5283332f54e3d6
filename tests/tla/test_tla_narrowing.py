"""Loops over the values that the next state leaves: values, successors and errors of the loops as written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.tla_modules import specify_module
from verifier.tla import hoisting
from verifier.tla.ast import Definition
from verifier.tla.frames import Undefined
from verifier.tla.narrowing import _Narrowing
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import FALSE, TRUE, ModelValue, NoValue, function
from verifier.tla.values import set_of

HEAD = r"""EXTENDS Naturals, Sequences, TLC
CONSTANTS none, m1, m2
VARIABLES f, goal, n, on
vars == <<f, goal, n, on>>
Words == {"a", "b", "no", "yes", "zero"}
Some == {0, 1, 2, 3, 5, 8}
Models == {none, m1, m2}
Init == f = <<>> /\ goal = <<>> /\ n = 0 /\ on = FALSE
Free(k, v) == f[k] = v
Other(k, v) == f[k] \notin {none, v} /\ on
Put(k, v) == f' = [f EXCEPT ![k] = v]
Late(k, v) == on /\ f[k] # v /\ Put(k, v) /\ v = f[n]
Stay == UNCHANGED <<goal, n, on>>
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS none = none\n m1 = m1\n m2 = m2\n"
PARTS = [
    "on", "~on", "n = 1", "n", "v = n", "v # 2", 'v # "no"', "v \\in {n, 3}", 'v \\in {"a", none}', "v < 3",
    "n < k", "f[k] # v", "f[k] = n", "f[k] \\notin {none, v}", "f[k] \\notin {n, v}", "n \\in {v}", "n' = n",
    "f[n] # v", "f[v] = n", "{v} = {n}", "Free(k, v)", "Other(k, v)", "Other(n, v)", "k \\in DOMAIN f",
    "(on \\/ f[n] = 1)", "(v = n \\/ f[n] = 1)", "(v # n => f[n] = 1)", "goal = f", "f[k] \\in {v, m1}",
    "PrintT(n) = TRUE", "(on => n # 9 \\/ f[9] = 1)", "PrintT(v)", "PrintT(n)", "f[k] = goal[n]", "m1 # v",
    "v \\in DOMAIN goal", "Free(v, v)", "Free(v, n)",
]  # fmt: skip
EQUATIONS = [
    "Put(k, v)", "Late(k, v)", "f' = [f EXCEPT ![k] = v]", "f' = [f EXCEPT ![n] = v]", "Put(n, v)",
    "f' = [f EXCEPT ![v] = v]", "f' = [goal EXCEPT ![k] = v]", "f' = [f EXCEPT ![k] = <<v>>]",
    "f' = [f EXCEPT ![k][n] = v]",
    "f' = [f EXCEPT ![k] = v, ![n] = v]", "f' = [f EXCEPT ![k] = IF @ = v THEN v ELSE n]",
    "f' = [[f EXCEPT ![n] = v] EXCEPT ![k] = v]",
]  # fmt: skip
ITEMS: list[Any] = [0, 1, 2, 3, "a", "no", "yes"]


def _bodies(chance: Random) -> list[str]:
    made = []
    for number in range(60):
        parts = chance.sample(PARTS, chance.choice([0, 1, 1, 2, 2, 3]))
        equation = EQUATIONS[number % 3] if chance.random() < 0.7 else chance.choice(EQUATIONS)
        made.append(" /\\ ".join([*parts, equation, *chance.sample(PARTS, chance.choice([0, 0, 1]))]))
    return made


def _specify(folder: Path, bodies: list[str], domain: str) -> Specification:
    """A module with two formulas for each body: of two states, and one that is walked."""
    tested = [f"A{number} == \\E k \\in 1..2, v \\in {domain} : {body}" for number, body in enumerate(bodies)]
    walked = [
        f"W{number} == /\\ f' = goal\n /\\ \\E k \\in {{1, 2, 3}}, v \\in {domain} : {body}\n /\\ Stay"
        for number, body in enumerate(bodies)
    ]
    body = "\n".join([HEAD, *tested, *walked, "Next == UNCHANGED vars"])
    return specify_module(folder, body, CONFIG)


def _function(chance: Random, spec: Specification, like: Any = None) -> Any:
    """A sequence, a function or a record, often with one other item than another one has."""
    models = [spec.evaluator.model_values[name] for name in ("none", "m1")]
    if like is not None and chance.random() < 0.8 and like:
        pairs = dict(enumerate(like, 1)) if type(like) is tuple else dict(like)
        pairs[chance.choice(list(pairs))] = _item(chance, models)
        return function(pairs)
    keys: list[Any] = chance.choice([[1, 2], [1, 2, 3], [0, 1], [1, 5], ["a", "no"], []])
    kind: list[Any] = chance.choice([ITEMS[:4], ITEMS[4:], models, ITEMS])
    return function({key: chance.choice(kind) for key in keys})


def _item(chance: Random, models: list[ModelValue]) -> Any:
    return chance.choice([*ITEMS, chance.choice(models), (1, 2), set_of([1])])


def _states(spec: Specification, chance: Random, count: int) -> list[tuple[Any, ...]]:
    found = []
    for _ in range(count):
        f = _function(chance, spec)
        found.append((f, _function(chance, spec, f), chance.randint(0, 3), chance.choice([TRUE, FALSE])))
    return found


def _outcome(spec: Specification, ask: Callable[[], Any]) -> str:
    """The value or the successors of a formula, and what it prints; or the words of its error."""
    spec.evaluator.printed.clear()
    try:
        answer = ask()
    except (Undefined, NoValue) as error:
        answer = str(error)
    return str((answer, spec.evaluator.printed))


def _formula(spec: Specification, name: str) -> Formula:
    found = spec.module.names[name]
    assert isinstance(found, Definition)
    assert found.body is not None
    return Formula(found.body, found.module)


def _ask_all(spec: Specification, count: int, seed: int) -> list[list[str]]:
    """The outcomes of all formulas, in random states."""
    states, evaluator, found = _states(spec, Random(seed), 40), spec.evaluator, list[list[str]]()
    for number in range(count):
        tested = _formula(spec, f"A{number}")
        test, stepper = evaluator.compile_truth(tested.body, tested.module), Stepper(spec)
        stepper.walk = stepper.explorer.walks.over(_formula(spec, f"W{number}"), primed=False)
        row = list[str]()
        for state in states:
            evaluator.now[:], evaluator.next[:] = state, (state[1], state[0], *state[2:])
            row.append(_outcome(spec, test))
            row.append(_outcome(spec, partial(stepper.successors, state)))
        found.append(row)
    return found


def test_a_narrower_loop_has_the_outcomes_of_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies, left = _bodies(Random(35)), [0]
    narrow = _Narrowing.narrow

    def count_left(self: _Narrowing, e: Any, row: Any) -> Any:
        rest = narrow(self, e, row)
        left[0] += len(list(row)) - len(list(rest))
        return rest

    monkeypatch.setattr(_Narrowing, "narrow", count_left)
    for seed, domain in enumerate(("Words", "Some", "0..6", "Models", "DOMAIN goal")):
        both = []
        for narrows in (True, False):
            with monkeypatch.context() as patch:
                if not narrows:
                    patch.setattr(hoisting, "find_narrowing", lambda *_: None)
                both.append(_ask_all(_specify(tmp_path, bodies, domain), len(bodies), seed))
        for body, one, other in zip(bodies, *both, strict=True):
            assert one == other, (domain, body)
        outcomes = {outcome for row in both[0] for outcome in row}
        assert len(outcomes) > 50
    assert left[0] > 3_000
