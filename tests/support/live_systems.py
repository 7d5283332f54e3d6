"""Random small systems with temporal properties and fairness, and a naive decision that shares nothing with
the engines.

It checks every set of states in which an execution may stay forever.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

from verifier.encodings.concrete import FrozenMap
from verifier.encodings.expressions import literal
from verifier.encodings.quantifiers import if_
from verifier.encodings.sorts import Boolean, Function, Option, Range
from verifier.specs.members import ActionMember
from verifier.specs.protocol import Protocol, State, Step, define
from verifier.specs.temporal import Fairness, Strength, TemporalFormula
from verifier.specs.temporal_members import (
    TemporalMember,
    always_eventually,
    eventually,
    eventually_always,
    leads_to,
)
from verifier.system.liveness import LiveModel, live_model
from verifier.system.model import build

Edge = tuple[int, int]
Formula = tuple[Any, ...]
"""An operator and sets of states, or an operator and formulas."""


@dataclass(frozen=True)
class Plan:
    """A system: for each label (an action and the value of its parameter) its guard and its targets."""

    states: int
    initial: frozenset[int]
    steps: Mapping[tuple[str, int], Mapping[int, int]]
    formula: Formula
    fairness: tuple[Fairness, ...]
    split: bool = False
    """True if the protocol holds the state in two variables, of which no loop may change the first."""
    reads: bool = False
    """True if a step without a target makes an undefined read. If not, it leaves its sort."""

    def leads_nowhere(self, source: int, labels: Iterable[tuple[str, int]] | None = None) -> bool:
        """True if a step from a state, of one of the labels, leads to none of the states (``nowhere``)."""
        chosen = self.steps if labels is None else labels
        return any(self.steps[label].get(source) == self.nowhere for label in chosen)

    @property
    def nowhere(self) -> int:
        """Return the number that represents no state."""
        return self.states

    @property
    def edges(self) -> set[Edge]:
        """The steps that can be taken and change the state."""
        every = {(s, t) for leads in self.steps.values() for s, t in leads.items() if s != t}
        return {(s, t) for s, t in every if t != self.nowhere}


def plan_of(seed: int) -> Plan:
    """A random system."""
    rng = random.Random(seed)
    count = rng.randint(2, 6)
    labels = [(f"Move{n}", value) for n in range(rng.randint(1, 3)) for value in (0, 1)]
    often = rng.choice([0.2, 0.4, 0.6])

    def leads() -> dict[int, int]:
        sources = [s for s in range(count) if rng.random() < often]
        return {s: rng.choice([s, *range(count)]) for s in sources}

    initial = frozenset(rng.sample(range(count), rng.choice([1, 1, 2])))
    steps = {label: leads() for label in labels}
    actions = sorted({name for name, _ in labels})
    fairness = tuple(_fairness(rng, actions) for _ in range(rng.randint(0, 3)))
    formula = _formula(rng, count, rng.choice([0, 0, 1, 2, 3]))
    split = rng.random() < 0.5
    if split and rng.random() < 0.6:  # no step back to a pair of states that was left
        steps = {label: {s: t for s, t in to.items() if t // 2 >= s // 2} for label, to in steps.items()}
    return Plan(count, initial, steps, formula, fairness, split)


def harder_plan_of(seed: int) -> Plan:
    """A random system in which two labels may have the same steps, and some lead nowhere."""
    plan, rng = plan_of(seed), random.Random(f"harder {seed}")
    steps = {label: dict(leads) for label, leads in plan.steps.items()}
    fairness = plan.fairness
    if rng.random() < 0.6 and len(steps) > 2:  # one way into a circle, and another one on
        *alike, other = rng.sample(list(steps), 3)
        first, *others = rng.sample(range(plan.states), min(plan.states, rng.choice([2, 3])))
        steps |= {label: {first: others[0]} for label in alike}
        steps[other] |= dict(pairwise([*others, first]))
        each = [Fairness(Strength.STRONG, (name,), (), (("value", value),)) for name, value in alike]
        fairness = (Fairness(Strength.WEAK), *each)
    if rng.random() < 0.5:
        for label in rng.sample(list(steps), rng.randint(1, 2)):
            sources = rng.sample(range(plan.states), rng.randint(1, 2))
            steps[label] |= dict.fromkeys(sources, plan.nowhere)
    return replace(plan, steps=steps, fairness=fairness, reads=rng.random() < 0.4)


def _fairness(rng: random.Random, actions: Sequence[str]) -> Fairness:
    some = tuple(rng.sample(actions, rng.randint(0, min(2, len(actions)))))
    how = rng.random()
    each = ("value",) if how < 0.4 else ()
    given = (("value", rng.randint(0, 1)),) if how > 0.8 else ()
    return Fairness(rng.choice(list(Strength)), some, each, given)


_BASIC = ("eventually", "always eventually", "eventually always", "leads to")


def _formula(rng: random.Random, count: int, depth: int) -> Formula:
    def states() -> frozenset[int]:
        return frozenset(s for s in range(count) if rng.random() < 0.4)

    if depth == 0:
        operator = rng.choice(_BASIC)
        return (operator, states(), states()) if operator == "leads to" else (operator, states())
    operator = rng.choice(["and", "or", "not"])
    parts = [_formula(rng, count, depth - 1) for _ in range(1 if operator == "not" else 2)]
    return (operator, *parts)


# As a protocol


def live_of(plan: Plan) -> LiveModel:
    """The system as an engine sees it."""
    definition = define(protocol_of(plan)())
    return live_model(build(definition), definition.temporal[0], "spec", definition.fairness[0].conditions)


def protocol_of(plan: Plan) -> type[Protocol]:
    """The system as a protocol."""
    firsts, seconds = Range(0, (plan.states - 1) // 2), Range(0, 1)
    places = Range(0, plan.states - 1)
    beyond, outside = Range(0, plan.states), Range(0, (plan.states + 1) // 2)
    own = State(first=firsts, second=seconds) if plan.split else State(x=places)

    def table(s: Any, sort: Any, of: Callable[[int], Any]) -> Any:
        """The value for the present state."""
        if not plan.split:
            return literal(Function(places, sort), FrozenMap({x: of(x) for x in range(plan.states)}))[s.x]
        pairs = range((plan.states + 1) // 2)
        halves = [
            literal(Function(firsts, sort), FrozenMap({one: of(2 * one + n) for one in pairs}))
            for n in (0, 1)
        ]
        return if_(s.second == 0, halves[0][s.first], halves[1][s.first])

    def goes(s: Any, leads: Mapping[int, int]) -> list[tuple[Any, Any]]:
        """Return the new value of each variable."""
        if not plan.split:
            return [(s.x, table(s, beyond, lambda x: leads.get(x, 0)))]
        return [
            (s.first, table(s, outside, lambda x: first_of(leads.get(x, 0)))),
            (s.second, table(s, seconds, lambda x: leads.get(x, 0) % 2)),
        ]

    def first_of(state: int) -> int:
        return (plan.states + 1) // 2 if state == plan.nowhere else state // 2

    def reads(s: Any, leads: Mapping[int, int]) -> Any:
        """True, but without value where a step leads nowhere, if that is so because of what it reads."""
        lacking = [x for x, to in leads.items() if plan.reads and to == plan.nowhere]
        return table(s, Option(Boolean()), lambda x: None if x in lacking else True).value

    def action(name: str) -> ActionMember:
        def method(self: Any, s: Any, value: Any) -> Step:
            first, second = plan.steps[name, 0], plan.steps[name, 1]
            off = table(s, Boolean(), lambda x: x in first) & reads(s, first)
            on = table(s, Boolean(), lambda x: x in second) & reads(s, second)
            when = ((value == 0) & off) | ((value == 1) & on)
            both = zip(goes(s, first), goes(s, second), strict=True)
            then = {target: if_(value == 0, zero, one) for (target, zero), (_, one) in both}
            return Step(when=[when], then=then)

        return ActionMember(method, {"value": "values"})

    def claim(self: Any, s: Any) -> TemporalFormula:
        return _temporal(plan.formula, lambda chosen: table(s, Boolean(), lambda x: x in chosen))

    actions = sorted({name for name, _ in plan.steps})
    body = {
        "values": Range(0, 1),
        "state": lambda self: own,
        "init": lambda self, s: table(s, Boolean(), lambda x: x in plan.initial),
        **{name.lower(): action(name) for name in actions},
        "claim": TemporalMember(claim, True, None),
        "fairness": lambda self: [*_write_fairness(plan)],
        "fairness_variants": lambda self: {},
    }
    if not plan.fairness:
        body["fairness"] = lambda self: [Fairness(Strength.WEAK, ("move0",), (), (("value", 0),))]
    return type("RandomSystem", (Protocol,), body, camel_case=True)


def _write_fairness(plan: Plan) -> Iterator[Fairness]:
    for one in plan.fairness:
        yield Fairness(one.strength, tuple(name.lower() for name in one.actions), one.each, one.given)


def _temporal(formula: Formula, holds: Callable[[frozenset[int]], Any]) -> TemporalFormula:
    made: dict[str, Callable[..., TemporalFormula]] = {
        "eventually": eventually,
        "always eventually": always_eventually,
        "eventually always": eventually_always,
        "leads to": leads_to,
    }
    operator, *parts = formula
    if operator in made:
        return made[operator](*map(holds, parts))
    inner = [_temporal(part, holds) for part in parts]
    if operator == "not":
        return ~inner[0]
    return inner[0] & inner[1] if operator == "and" else inner[0] | inner[1]


# The naive decision


def is_violated(plan: Plan) -> bool:
    """True if a fair execution violates the property, by trying every set of states to stay in."""
    edges = plan.edges
    due = sorted(_leads_to(plan.formula), key=repr)
    ends = _stems(plan, edges, due)
    for size in range(1, plan.states + 1):
        for chosen in combinations(range(plan.states), size):
            inside = frozenset(chosen)
            if not _is_connected(inside, edges) or not _is_fair(plan, inside):
                continue
            for state, visited, pending in ends:
                if state in inside and not _truth(plan.formula, visited | inside, inside, due, pending):
                    return True
    return False


def meets_nowhere(plan: Plan) -> bool:
    """True if an execution comes to a state from which a step leads nowhere."""
    return any(plan.leads_nowhere(state) for state, _, _ in _stems(plan, plan.edges, ()))


def _leads_to(formula: Formula) -> set[Formula]:
    operator, *parts = formula
    if operator in _BASIC:
        return {formula} if operator == "leads to" else set()
    return set().union(*map(_leads_to, parts))


def _stems(
    plan: Plan, edges: set[Edge], due: Sequence[Formula]
) -> set[tuple[int, frozenset[int], tuple[bool, ...]]]:
    """Return the ends of stems, the visited states, and the second formulas that are still due."""

    def after(state: int, visited: frozenset[int], pending: tuple[bool, ...]) -> Any:
        now = tuple(
            state not in second and (was or state in first)
            for (_, first, second), was in zip(due, pending, strict=True)
        )
        return state, visited | {state}, now

    found = {after(s, frozenset(), (False,) * len(due)) for s in plan.initial}
    waiting = list(found)
    while waiting:
        state, visited, pending = waiting.pop()
        for source, target in edges:
            new = after(target, visited, pending)
            if source == state and new not in found:
                found.add(new)
                waiting.append(new)
    return found


def _is_connected(inside: frozenset[int], edges: set[Edge]) -> bool:
    def reach(state: int) -> set[int]:
        seen = {state}
        while more := {t for s, t in edges if s in seen and t in inside} - seen:
            seen |= more
        return seen

    return all(reach(state) >= inside for state in inside)


def _is_fair(plan: Plan, inside: frozenset[int]) -> bool:
    """An execution that stays in these states and takes all edges between them again and again is fair."""
    for labels, strong in families(plan):
        moves = [(s, t) for label in labels for s, t in plan.steps[label].items() if s != t]
        possible = {s for s, _ in moves}
        taken = any(s in inside and t in inside for s, t in moves)
        demanded = bool(possible & inside) if strong else possible >= inside
        if demanded and not taken:
            return False
    return True


def families(plan: Plan) -> Iterator[tuple[list[tuple[str, int]], bool]]:
    fairness = plan.fairness or (Fairness(Strength.WEAK, ("Move0",), (), (("value", 0),)),)
    for one in fairness:
        values: list[int] = [v for v in (0, 1) if dict(one.given).get("value", v) == v]
        groups: list[list[int]] = [[v] for v in values] if one.each else [values]
        for group in groups:
            labels = [(n, v) for n, v in plan.steps if v in group and (not one.actions or n in one.actions)]
            yield labels, one.strength is Strength.STRONG


def _truth(
    formula: Formula,
    visited: frozenset[int],
    inside: frozenset[int],
    due: Sequence[Formula],
    pending: tuple[bool, ...],
) -> bool:
    operator, *parts = formula
    match operator:
        case "eventually":
            return bool(visited & parts[0])
        case "always eventually":
            return bool(inside & parts[0])
        case "eventually always":
            return bool(inside <= parts[0])
        case "leads to":
            first, second = parts
            return bool(inside & second) or not (pending[due.index(formula)] or inside & first)
    inner = [_truth(part, visited, inside, due, pending) for part in parts]
    if operator == "not":
        return not inner[0]
    return all(inner) if operator == "and" else any(inner)
