"""Random systems with temporal formulas nested in any way, and a naive decision: every lasso of a few states
is looked at, and what the formula says of it is read from the meaning of its operators, place by place.

``python -m tests.support.nested_formulas FIRST COUNT`` compares as many as you like.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

from tests.support.live_differential import is_proved_by_ic3, shortest, verdict_of
from tests.support.live_systems import Formula, Plan, families, harder_plan_of, meets_nowhere, protocol_of
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.expressions import literal, term_of, wrap
from verifier.encodings.sorts import Boolean, Function, Range
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.engines.live import LiveEngine
from verifier.specs.definition import Definition
from verifier.specs.protocol import define
from verifier.specs.temporal import Fairness, Strength, TemporalFormula, TemporalOperator
from verifier.system.liveness import LiveModel, live_model
from verifier.system.model import build
from verifier.verdict import VerdictKind

MOST_STEPS = 4
"""The most steps of a lasso in the naive decision, with the step that closes the loop."""
_ONE = ("eventually", "always", "always eventually", "eventually always")
_TWO = ("until", "leads to", "and", "or")


def draw_nested_plan(seed: int) -> Plan:
    """A small random system with a nested formula."""
    rng = random.Random(seed)
    plan = harder_plan_of(seed)
    while plan.states > 4:
        plan = harder_plan_of(rng.randrange(10**6))
    return replace(plan, formula=_formula(rng, plan, rng.choice([2, 2, 3, 3, 4])), split=False)


def _formula(rng: random.Random, plan: Plan, depth: int) -> Formula:
    states = frozenset(s for s in range(plan.states) if rng.random() < 0.45)
    chance = rng.random()
    if depth == 0 or chance < 0.1:
        return ("now", states)
    if chance < 0.2:
        pairs = product(range(plan.states), repeat=2)
        steps = frozenset(pair for pair in pairs if rng.random() < 0.3)
        return (rng.choice(["eventually", "always eventually"]), ("step", steps))
    if chance < 0.28:
        actions = sorted({name for name, _ in plan.steps})
        one = Fairness(rng.choice(list(Strength)), (rng.choice(actions),), rng.choice([(), ("value",)]))
        return ("fair", one)
    if chance < 0.4:
        return ("not", _formula(rng, plan, depth - 1))
    if chance < 0.7:
        return (rng.choice(_ONE), _formula(rng, plan, depth - 1))
    parts = (_formula(rng, plan, depth - 1), _formula(rng, plan, depth - 1))
    return (rng.choice(_TWO), *parts)


# As an engine sees it


def make_nested_live(plan: Plan) -> LiveModel:
    """The system, with the formula as its property."""
    simple = replace(plan, formula=("eventually", frozenset[int]()))
    definition = define(protocol_of(simple)())
    own = replace(definition.temporal[0], formula=_temporal(plan.formula, plan, definition))
    definition = replace(definition, temporal=(own,))
    return live_model(build(definition), own, "spec", definition.fairness[0].conditions)


def _temporal(formula: Formula, plan: Plan, definition: Definition) -> TemporalFormula:
    operator, *parts = formula
    places = Range(0, plan.states - 1)
    (before,), (after,) = definition.variables, definition.successor

    def among(symbol: Symbol, chosen: Any) -> Any:
        table = FrozenMap({x: x in chosen for x in range(plan.states)})
        value = wrap(Term(Operator.VARIABLE, symbol.sort, data=symbol))
        return literal(Function(places, Boolean()), table)[value]

    if operator == "now":
        return TemporalFormula(TemporalOperator.NOW, (term_of(among(before, parts[0])),))
    if operator == "step":
        claim = among(before, set())
        for s, t in sorted(parts[0]):
            claim = claim | (among(before, {s}) & among(after, {t}))
        return TemporalFormula(TemporalOperator.STEP, (term_of(claim),))
    if operator == "fair":
        return TemporalFormula(TemporalOperator.FAIR, condition=parts[0])
    inner = tuple(_temporal(part, plan, definition) for part in parts)
    return TemporalFormula(TemporalOperator(operator), parts=inner)


# The naive decision


def shortest_violation(plan: Plan, most: int) -> int | None:
    """Return the fewest steps of a fair lasso that violates the formula, up to this number; None if there is
    none."""
    found = (steps for word, start, steps in _lassos(plan, most) if violates(plan, word, start))
    return min(found, default=None)


def _lassos(plan: Plan, most: int) -> Iterator[tuple[list[int], int, int]]:
    """Every execution: states in a row, the place that comes after the last one, and how many steps it takes.
    One that stutters in its last state takes none to close the loop."""
    edges = plan.edges
    words = [[first] for first in sorted(plan.initial)]
    while words:
        word = words.pop()
        steps = len(word) - 1
        yield word, steps, steps
        if steps < most:
            yield from ((word, n, steps + 1) for n in range(steps) if (word[-1], word[n]) in edges)
            words += [[*word, t] for s, t in sorted(edges) if s == word[-1]]


def violates(plan: Plan, word: Sequence[int], start: int) -> bool:
    """True if the execution is fair and the formula is false of it."""
    fair = all(_is_met(plan, labels, strong, word, start) for labels, strong in families(plan))
    if any(plan.leads_nowhere(s, labels) for s in word for labels in _list_mentioned(plan, plan.formula)):
        return False  # whether such a step is possible is not known
    return fair and not _says(plan, plan.formula, word, start, 0)


def _list_mentioned(plan: Plan, formula: Formula) -> Iterator[Sequence[tuple[str, int]]]:
    """Yield the labels of the fairness conditions that a formula mentions."""
    operator, *parts = formula
    if operator == "fair":
        yield from (labels for labels, _ in families(replace(plan, fairness=(parts[0],))))
    elif operator not in ("now", "step"):
        for part in parts:
            if isinstance(part, tuple):
                yield from _list_mentioned(plan, part)


def _says(  # noqa: C901 -- one case per operator
    plan: Plan, formula: Formula, word: Sequence[int], start: int, place: int
) -> bool:
    """True if the execution from a place on satisfies the formula."""
    operator, *parts = formula

    def later(number: int) -> list[int]:
        """The places from there on, once round the loop."""
        return list(range(number, len(word))) + list(range(start, number if number > start else start))

    def at(part: int, number: int) -> bool:
        return _says(plan, parts[part], word, start, number)

    match operator:
        case "now":
            return word[place] in parts[0]
        case "step":
            following = word[place + 1] if place + 1 < len(word) else word[start]
            return following != word[place] and (word[place], following) in parts[0]
        case "fair":
            own = replace(plan, fairness=(parts[0],))
            return all(_is_met(own, labels, strong, word, start) for labels, strong in families(own))
        case "not":
            return not at(0, place)
        case "and":
            return at(0, place) and at(1, place)
        case "or":
            return at(0, place) or at(1, place)
        case "eventually":
            return any(at(0, n) for n in later(place))
        case "always":
            return all(at(0, n) for n in later(place))
        case "always eventually":
            return any(at(0, n) for n in range(start, len(word)))
        case "eventually always":
            return all(at(0, n) for n in range(start, len(word)))
        case "leads to":
            return all(not at(0, n) or any(at(1, m) for m in later(n)) for n in later(place))
        case "until":
            places = later(place)
            return any(at(1, n) and all(at(0, m) for m in places[:i]) for i, n in enumerate(places))
    raise AssertionError(operator)


def _is_met(
    plan: Plan, labels: Sequence[tuple[str, int]], strong: bool, word: Sequence[int], start: int
) -> bool:
    moves = {(s, t) for label in labels for s, t in plan.steps[label].items() if s != t}
    loop = [*word[start:], word[start]]
    if any(pair in moves for pair in pairwise(loop)):
        return True
    possible = [any(s == state for s, _ in moves) for state in word[start:]]
    return not any(possible) if strong else not all(possible)


# The comparison


def compare(seed: int, *, prove: bool) -> bool:
    """Compares exploration, bounded search, proof and the naive decision on one system. Returns whether the
    property is violated."""
    plan = draw_nested_plan(seed)
    live = make_nested_live(plan)
    least = shortest_violation(plan, MOST_STEPS)
    cut_off = meets_nowhere(plan)
    verdict = verdict_of(live, LiveEngine.EXPLICIT, breach=cut_off)
    violated = verdict.kind is VerdictKind.VIOLATED
    passed = VerdictKind.INCONCLUSIVE if cut_off else VerdictKind.PROVED
    assert violated or verdict.kind is passed, (seed, verdict)
    assert violated or least is None, (seed, plan.formula)
    if verdict.trace is not None:
        assert verdict.trace.loop is not None
        word = [int(str(state["x"])) for state in verdict.trace.states]
        assert violates(plan, word, verdict.trace.loop.start), (seed, plan.formula, word)
    found = shortest(live, MOST_STEPS)
    if live.remembers and found != least:
        assert least is not None, (seed, plan.formula)
        assert found is None or found > least, (seed, plan.formula)
    else:
        assert found == least, (seed, plan.formula)
    assert not prove or is_proved_by_ic3(live) is (not violated and not cut_off), (seed, plan.formula)
    return violated


def main() -> None:
    """Compares as many as are asked for."""
    first, count = map(int, sys.argv[1:])
    violated = sum(compare(seed, prove=True) for seed in range(first, first + count))
    print(f"{count} systems: the engines agree with brute force; {violated} properties are violated")


if __name__ == "__main__":
    main()
