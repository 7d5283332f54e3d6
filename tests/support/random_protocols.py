"""Random small protocols, rich in what reductions may get wrong: several kinds of interchangeable elements,
held by options, records, functions, sets, sequences and bags, in states and in parameters.

A protocol is made from its seed in two rounds. The first one is explored by the naive reading; then some of
the rarer states that were reached, up to the names of elements, become properties, so that an engine that
leaves out one execution too many misses a state that it is asked for.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from types import NoneType
from typing import Any

from tests.support.naive import Explored, Naive
from tests.support.random_plans import ParameterPlan, Plan, plan_of
from tests.support.random_sorts import elements_in, stable
from tests.support.random_terms import Terms
from verifier.encodings.expressions import literal, record, set_of
from verifier.encodings.quantifiers import all_of, exists, forall
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.values import BooleanValue
from verifier.specs.definition import PropertyKind
from verifier.specs.members import ActionMember, PropertyMember, free
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, define

MOST_STATES = 700
"""Naive exploration ends with the last level that stays below."""
_MOST_NAMINGS = 30
DEEPEST = 6
_ATTEMPTS = 10
_DEEP_ENOUGH = 3


class _Round(Protocol, camel_case=True):
    """The base of both rounds."""

    plan: Plan
    explored: Explored | None

    def assumptions(self) -> list[tuple[bool, str]]:
        """All kinds have elements."""
        return [(all(sort.count > 0 for sort in self.plan.sorts), "there are elements of every kind")]

    def state(self) -> State:
        """Return the variables of the plan."""
        return State(**self.plan.variables)

    def init(self, s: Any) -> Any:
        """Every variable by itself."""
        rng = self.plan.rng("init")
        return all_of(*(_initially(rng, getattr(s, name)) for name in self.plan.variables))

    def constraint(self, s: Any) -> Any:
        """Something that is usually true."""
        if not self.plan.constraint:
            return None
        rng = self.plan.rng("constraint")
        terms = self.terms(rng, s, {})
        return terms.formula(1) | terms.formula(1) | terms.formula(1)

    def terms(self, rng: random.Random, s: Any, parameters: Mapping[str, Any]) -> Terms:
        """Random terms over the state and parameters."""
        scope = [*(getattr(s, name) for name in self.plan.variables), *parameters.values()]
        plan, preferred = self.plan, list(parameters.values())
        return Terms(rng, scope, plan.sorts, preferred, plan.undefined, plan.naming)


def _initially(rng: random.Random, value: Any) -> Any:
    """Return a formula about the initial value of a variable, without a name."""
    match value.sort:
        case IndexSet() as sort:
            return exists(sort, lambda e: value == e)
        case Option():
            return value.is_none
        case Record() as sort:
            return all_of(*(_initially(rng, getattr(value, name)) for name, _ in sort.fields))
        case Tuple() as sort:
            return all_of(*(_initially(rng, value[place]) for place in range(len(sort.items))))
        case Variant() as sort:
            tag, part = rng.choice(sort.alternatives)
            return value.is_(tag) if part == Tuple() else value.is_(tag) & _initially(rng, value.payload(tag))
        case PartialFunction() as sort:
            return value.is_empty if rng.random() < 0.7 else value.domain.cardinality == 1
        case Function() as sort:
            return forall(sort.domain, lambda key: _initially(rng, value[key]))
        case Set():
            return value.cardinality == (1 if rng.random() < 0.1 and value.sort.element.size else 0)
        case Sequence():
            return value.is_empty
        case Bag() as sort:
            copies = rng.choice([0, 0, 0, 1])
            return forall(sort.element, lambda item: value.copies(item) == copies)
        case Range() as sort:
            return value == rng.choice([sort.low, sort.low, sort.low, sort.high])
        case sort:
            return value == literal(sort, next(iter(sort.values())))


def _remove_watch(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method without the check of Python's decisions, which inspects each instruction that makes
    terms. That check took most of the time."""

    @wraps(method)
    def call_unwatched(*arguments: Any, **named: Any) -> Any:
        watch = sys.gettrace()
        sys.settrace(None)
        try:
            return method(*arguments, **named)
        finally:
            sys.settrace(watch)

    return call_unwatched


_SHAPES = {"rich": (0.9, [0, 0, 1, 1, 2], 3), "sparse": (0.5, [0, 1, 1], 1), "holding": (1.0, [0, 0, 1], 1)}
"""The probability that an action leads on, its number of further guards, and its number of assignments."""


def _action(number: int, parameters: tuple[ParameterPlan, ...]) -> ActionMember:
    def method(protocol: _Round, s: Any, **given: Any) -> Step:
        rng = protocol.plan.rng(f"action {number}")
        terms = protocol.terms(rng, s, given)
        plan = protocol.plan
        sets = [getattr(s, name) for name in ("done", "used") if name in plan.variables]
        counter = s.count if "count" in plan.variables else None
        lively, lines, most = _SHAPES[plan.shape]
        when, then = terms.lively(sets, counter) if rng.random() < lively else ([], {})
        when += [terms.formula(1 if plan.shape == "rich" else 0) for _ in range(rng.choice(lines))]
        used = {target.term.data for target in then}
        variables = [getattr(s, name) for name in plan.variables]
        unused = [variable for variable in variables if variable.term.data not in used]
        then |= terms.assignments(
            unused, 0 if then and plan.shape == "holding" and rng.random() < 0.7 else most
        )
        rng.shuffle(when)
        return Step(when, then or {s.done: s.done})

    domains: dict[str, Any] = {}
    for name, _, is_free in parameters:
        attribute = f"sort_{number}_{name}"
        domains[name] = free(attribute) if is_free else attribute
    return ActionMember(_remove_watch(method), domains)


def _claim(salt: str, kind: PropertyKind) -> PropertyMember:
    """A random claim: that elements are never in a random situation."""

    def method(protocol: _Round, s: Any) -> Any:
        rng = protocol.plan.rng(salt)
        chosen = [rng.choice(protocol.plan.sorts) for _ in range(rng.choice([0, 1, 2]))]

        def situation(*elements: Any) -> Any:
            inner = protocol.plan.rng(f"{salt} body")
            named = {f"x{place}": element for place, element in enumerate(elements)}
            terms = protocol.terms(inner, s, named)
            return all_of(*(terms.formula(1) for _ in range(inner.randint(2, 5))))

        found = exists(*chosen, situation) if chosen else situation()
        return found if kind is PropertyKind.REACHABLE else ~found

    return PropertyMember(_remove_watch(method), kind, True, None)


def _step_claim() -> PropertyMember:
    """A random claim about steps: that elements, before and after, are never in a random situation."""

    def method(protocol: _Round, s: Any, after: Any) -> Any:
        rng = protocol.plan.rng("step claim")
        changed = {f"{name} after": getattr(after, name) for name in protocol.plan.variables}
        chosen = [rng.choice(protocol.plan.sorts) for _ in range(rng.choice([0, 1, 1]))]

        def situation(*elements: Any) -> Any:
            inner = protocol.plan.rng("step claim body")
            named = {f"x{place}": element for place, element in enumerate(elements)}
            terms = protocol.terms(inner, s, changed | named)
            return all_of(*(terms.formula(1) for _ in range(inner.randint(2, 4))))

        return ~(exists(*chosen, situation) if chosen else situation())

    return PropertyMember(_remove_watch(method), PropertyKind.STEP_INVARIANT, True, None)


def _step_target() -> PropertyMember:
    """Return a property that no step is like one that exploration has taken."""

    def method(protocol: _Round, s: Any, after: Any) -> Any:
        assert protocol.explored is not None
        rng, plan = protocol.plan.rng("step target"), protocol.plan
        level = rng.choice([1, min(protocol.explored.closed, DEEPEST)])
        last = rng.choice(sorted(protocol.explored.levels[level], key=stable))
        pair = ((s, protocol.explored.before[last]), (after, last))
        alike = [_alike(rng, plan, own, dict(zip(plan.variables, state, strict=True))) for own, state in pair]
        return ~all_of(*alike)

    return PropertyMember(_remove_watch(method), PropertyKind.STEP_INVARIANT, True, None)


def _target(number: int, level: int, kind: PropertyKind) -> PropertyMember:
    """Return a property that no state (or some state) is like one that exploration has reached at this
    level."""

    def method(protocol: _Round, s: Any) -> Any:
        assert protocol.explored is not None
        rng = protocol.plan.rng(f"target {number}")
        states = sorted(protocol.explored.levels[level], key=stable)
        state = dict(zip(protocol.plan.variables, rng.choice(states), strict=True))
        found = _alike(rng, protocol.plan, s, state)
        return found if kind is PropertyKind.REACHABLE else ~found

    return PropertyMember(_remove_watch(method), kind, True, None)


def _alike(rng: random.Random, plan: Plan, s: Any, state: Mapping[str, Any]) -> BooleanValue:
    """Return the formula that the state is like this one, as far as it concerns some of the elements."""
    chosen: list[tuple[IndexSet, Any]] = []
    namings = 1
    everything = [(sort, element) for sort in plan.sorts for element in sort.values()]
    mentioned = [e for name, sort in plan.variables.items() for e in elements_in(sort, state[name])]
    rng.shuffle(everything)
    for sort, element in sorted(everything, key=lambda item: item not in mentioned):
        if namings * sort.count <= _MOST_NAMINGS:
            namings *= sort.count
            chosen.append((sort, element))

    def described(*elements: Any) -> Any:
        names = dict(zip(chosen, elements, strict=True))
        different = [
            names[a] != names[b] for a in chosen for b in chosen if a[0] == b[0] and a[1] is not b[1]
        ]
        describe = [_describes(getattr(s, name), state[name], names) for name in plan.variables]
        return all_of(*different, *describe)

    if not chosen:
        return all_of(described())
    body = _with_arguments(len(chosen), described)
    return exists(*(sort for sort, _ in chosen), body)


def _with_arguments(count: int, body: Callable[..., Any]) -> Callable[..., Any]:
    """The function with that many named parameters, which become the names of bound variables."""
    names = ", ".join(f"e{place}" for place in range(count))
    made: Callable[..., Any] = eval(f"lambda {names}: body({names})", {"body": body})
    return made


Names = Mapping[tuple[IndexSet, Any], Any]


def _describes(value: Any, concrete: Any, names: Names) -> Any:
    """Return the formula that ``value`` is the concrete one, as far as the names go."""
    always = all_of()
    match value.sort:
        case IndexSet() as sort:
            return value == names[sort, concrete] if (sort, concrete) in names else always
        case Option():
            if isinstance(concrete, NoneType):
                return value.is_none
            return value.is_some & _describes(value.value, concrete, names)
        case Record() as sort:
            return all_of(*(_describes(getattr(value, n), concrete[n], names) for n, _ in sort.fields))
        case Tuple() | Variant() | PartialFunction():
            return _describes_compound(value, concrete, names)
        case Function():
            parts = [
                _describes(value[key], item, names)
                for known, item in concrete.items()
                for key in [_expression(value.sort.domain, known, names)]
                if not isinstance(key, NoneType)
            ]
            return all_of(*parts)
        case Set():
            items = (_expression(value.sort.element, item, names) for item in sorted(concrete, key=stable))
            inside = [value.contains(item) for item in items if not isinstance(item, NoneType)]
            return all_of(value.cardinality == len(concrete), *inside)
        case Sequence():
            at = (value.length > index for index in range(len(concrete)))
            parts = [
                a & _describes(value[i], c, names) for i, (a, c) in enumerate(zip(at, concrete, strict=True))
            ]
            return all_of(value.length == len(concrete), *parts)
        case Bag():
            items = ((_expression(value.sort.element, item, names), n) for item, n in concrete.items())
            return all_of(*(value.copies(item) == n for item, n in items if not isinstance(item, NoneType)))
        case sort:
            return value == literal(sort, concrete)


def _describes_compound(value: Any, concrete: Any, names: Names) -> Any:
    match value.sort:
        case Tuple():
            return all_of(*(_describes(value[place], item, names) for place, item in enumerate(concrete)))
        case Variant() as sort:
            if sort.payload(concrete.tag) == Tuple():
                return value.is_(concrete.tag)
            held = _describes(value.payload(concrete.tag), concrete.payload, names)
            return value.is_(concrete.tag) & held
        case PartialFunction() as sort:
            keys = ((_expression(sort.domain, known, names), item) for known, item in concrete.items())
            parts = [
                value.contains(key) & _describes(value[key], item, names)
                for key, item in keys
                if not isinstance(key, NoneType)
            ]
            return all_of(value.domain.cardinality == len(concrete), *parts)
    raise TypeError(f"unknown sort {value.sort}")


def _expression(sort: Sort, concrete: Any, names: Names) -> Any:
    """The concrete value as an expression in names; None where a name is missing or it would be long."""
    if not elements_in(sort, concrete):
        return literal(sort, concrete) if isinstance(sort, Range | Enum | Boolean) else None
    match sort:
        case IndexSet():
            return names.get((sort, concrete))
        case Option():
            return _expression(sort.inner, concrete, names)
        case Record():
            fields = {name: _expression(part, concrete[name], names) for name, part in sort.fields}
            if any(isinstance(item, NoneType) for item in fields.values()):
                return None
            return record(sort, **fields)
        case Set():
            items = [_expression(sort.element, item, names) for item in sorted(concrete, key=stable)]
            return None if any(isinstance(item, NoneType) for item in items) else set_of(sort.element, *items)
    return None


def _class(plan: Plan, explored: Explored | None) -> type[_Round]:
    """The protocol class of a round."""
    rng = plan.rng("class")
    body: dict[str, Any] = {"__doc__": f"Random protocol {plan.seed}.", "plan": plan, "explored": explored}
    body["name"] = f"random-{plan.seed}"
    for kind, (count, symmetric) in plan.kinds.items():
        body[f"{kind}s"] = IndexSetConstant(count, kind=kind, symmetric=symmetric)
    for number, parameters in enumerate(plan.actions):
        body.update((f"sort_{number}_{name}", sort) for name, sort, _ in parameters)
        body[f"action_{number}"] = _action(number, parameters)
    body |= {f"claim_{n}": _claim(f"claim {n}", PropertyKind.INVARIANT) for n in range(2)}
    if rng.random() < 0.3:
        body["type_ok"] = _claim("typed", PropertyKind.TYPE_INVARIANT)
    if rng.random() < 0.5:
        body["stuck"] = _claim("stuck", PropertyKind.DEADLOCK_INVARIANT)
    if rng.random() < 0.5:
        body["reached"] = _claim("reached", PropertyKind.REACHABLE)
    if explored is not None:
        last = min(explored.closed, DEEPEST)
        for number in range(3 if last > 0 else 0):
            level = last if number == 0 else rng.randint(1, last)
            kind = PropertyKind.REACHABLE if number == 1 else PropertyKind.INVARIANT
            body[f"target_{number}"] = _target(number, level, kind)
        if last > 0:
            body["step_target"] = _step_target()
    body["step_claim"] = _step_claim()
    return type("Random", (_Round,), body)


def random_protocol(seed: int) -> tuple[Plan, Protocol]:
    """Return the protocol of a seed, with its plan: of a few, the first that leads somewhere."""
    best: tuple[int, Plan, Explored] | None = None
    for attempt in range(_ATTEMPTS):
        plan = plan_of(f"{seed}.{attempt}")
        explored = Naive(define(_class(plan, None)())).explore(MOST_STATES, DEEPEST)
        if best is None or explored.closed > best[0]:
            best = explored.closed, plan, explored
        if explored.closed >= _DEEP_ENOUGH:
            break
    assert best is not None
    return best[1], _class(best[1], best[2])()
