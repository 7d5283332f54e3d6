"""Quantifiers over values that a formula tells by cases, against all values of the variables."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from verifier.parametric.determined import simplify
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT, Bound, Node

_NUMBERS = range(3)


def _evaluate(node: Node, values: Mapping[Node, Any]) -> Any:
    """The value of a formula, by the definition of each kind."""
    if node in values:
        return values[node]
    if isinstance(node.data, Bound):
        choices = [(False, True) if one.sort == BOOL else _NUMBERS for one in node.data.variables]
        found = (
            _evaluate(node.args[0], {**values, **dict(zip(node.data.variables, chosen, strict=True))})
            for chosen in product(*choices)
        )
        return all(found) if node.kind == "forall" else any(found)
    args = [_evaluate(arg, values) for arg in node.args]
    match node.kind:
        case "true" | "false":
            return node.kind == "true"
        case "not":
            return not args[0]
        case "and":
            return all(args)
        case "or":
            return any(args)
        case "=":
            return args[0] == args[1]
        case "<=":
            return args[0] <= args[1]
        case "ite":
            return args[1] if args[0] else args[2]
        case "sum":
            factors, constant = node.data
            return constant + sum(f * a for f, a in zip(factors, args, strict=True))
    raise AssertionError(node)


class _Made:
    """Random formulas about an option that is compared, as images of images make them."""

    def __init__(self, seed: int) -> None:
        self.rng, self.logic = random.Random(seed), Logic()
        self.truths = [self.logic.app(f"b{n}", BOOL) for n in range(2)]
        self.numbers = [self.logic.app(f"n{n}", INT) for n in range(2)]
        self.none = self.logic.variable(BOOL)
        self.held = [self.logic.variable(INT) for _ in range(2)]

    def condition(self) -> Node:
        one = self.rng.choice(self.truths)
        return self.rng.choice((one, self.logic.neg(one), self.logic.conj(self.truths)))

    def equality(self) -> Node:
        """The equality of the variables with an option that may be none."""
        logic, absent = self.logic, self.condition()
        other = [self.rng.choice(self.numbers) for _ in self.held]
        same = [logic.equal(mine, its) for mine, its in zip(self.held, other, strict=True)]
        neither = (logic.neg(self.none), logic.neg(absent), *same)
        return logic.disj((logic.conj((self.none, absent)), logic.conj(neither)))

    def within(self) -> Node:
        """The variables are bounded; where the option is none, they have the values of unused slots."""
        logic = self.logic
        bounded = logic.conj(logic.less_equal(one, self.rng.choice(self.numbers)) for one in self.held)
        unused = logic.conj(logic.equal(one, logic.integer(0)) for one in self.held)
        return logic.conj((logic.disj((self.none, bounded)), logic.disj((logic.neg(self.none), unused))))

    def other(self) -> Node:
        one, another = self.rng.sample([*self.held, *self.numbers], 2)
        told = self.rng.choice((self.logic.equal(one, another), self.logic.less_equal(one, another)))
        return self.logic.disj((told, self.rng.choice((self.none, self.condition()))))

    def parts(self) -> list[Node]:
        made = [self.within(), self.equality(), self.other(), self.other(), self.equality()]
        kept = [one for one in made if self.rng.random() < 0.75]
        self.rng.shuffle(kept)
        return kept

    def states(self) -> list[dict[Node, Any]]:
        names: Sequence[Node] = (*self.truths, *self.numbers)
        choices = [(False, True)] * len(self.truths) + [tuple(_NUMBERS)] * len(self.numbers)
        return [dict(zip(names, chosen, strict=True)) for chosen in product(*choices)]


@pytest.mark.parametrize("seed", range(25))
def test_a_quantifier_without_the_variables_means_the_same(seed: int) -> None:
    made = _Made(seed)
    logic, variables = made.logic, (made.none, *made.held)
    body = logic.conj(made.parts())
    solved = logic.exists(variables, body), logic.forall(variables, logic.neg(body))
    for state in made.states():
        found = any(
            _evaluate(body, {**state, **dict(zip(variables, chosen, strict=True))})
            for chosen in product((False, True), _NUMBERS, _NUMBERS)
        )
        assert [_evaluate(one, state) for one in solved] == [found, not found]


@pytest.mark.parametrize("seed", range(25))
def test_a_simpler_formula_means_the_same(seed: int) -> None:
    made = _Made(seed)
    logic, variables = made.logic, (made.none, *made.held)
    body = logic.disj((logic.conj(made.parts()), *made.parts()[:2]))
    simple = simplify(logic, body)
    for state in made.states():
        for chosen in product((False, True), _NUMBERS, _NUMBERS):
            values = {**state, **dict(zip(variables, chosen, strict=True))}
            assert _evaluate(simple, values) == _evaluate(body, values)


def test_an_option_that_equals_another_one_needs_no_quantifier() -> None:
    made = _Made(0)
    logic = made.logic
    held = logic.conj((made.within(), made.equality()))
    assert not logic.exists((made.none, *made.held), held).quantified


@pytest.mark.parametrize("seed", range(25))
def test_values_after_each_other_mean_the_same_as_at_once(seed: int) -> None:
    """Results are kept for each variable and value, whatever formula they were made for."""
    made = _Made(seed)
    logic, variables = made.logic, (made.none, *made.held)
    bound = logic.variable(INT)
    inner = logic.conj((logic.less_equal(bound, made.held[0]), *made.parts()))
    bodies = [logic.exists([bound], inner), *made.parts(), logic.disj(made.parts())]
    for chosen in product((logic.true, logic.false), made.numbers, made.numbers):
        values = dict(zip(variables, chosen, strict=True))
        for body in bodies:
            replaced = body
            for variable, value in values.items():
                replaced = logic.substitute(replaced, {variable: value})
            at_once = logic.substitute(body, values)
            assert not replaced.free
            for state in made.states()[::5]:
                assert _evaluate(replaced, state) == _evaluate(at_once, state)
