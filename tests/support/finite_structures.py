"""Formulas of the parametric reading in finite structures: the states of a protocol at small constants.

What a state leaves open, such as what stands beyond the end of a sequence, has a random value: the reading
must not depend on it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from verifier.encodings.sorts import (
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
)
from verifier.parametric.nodes import BOOL, INT, Bound, Node
from verifier.parametric.system import ParametricSystem


def scalar(sort: Sort, value: Any) -> Any:
    """A concrete scalar as formulas have it: members of enumerations are numbers."""
    return sort.members.index(value) if isinstance(sort, Enum) else value


def keys(sort: Sort) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The values of a sort, each with the scalars that it is as a key."""
    for value in sort.each():
        yield value, flat(sort, value)


def flat(sort: Sort, value: Any) -> tuple[Any, ...]:
    match sort:
        case Option():
            inner = flat(sort.inner, next(iter(sort.inner.each())) if value is None else value)
            unused = tuple(False if isinstance(i, bool) else 0 if isinstance(i, int) else None for i in inner)
            return (value is None, *(unused if value is None else inner))
        case Record():
            return tuple(i for name, part in sort.fields for i in flat(part, value[name]))
        case Tuple():
            return tuple(i for part, item in zip(sort.items, value, strict=True) for i in flat(part, item))
    return (scalar(sort, value),)


def facts(  # noqa: C901 -- one case each
    sort: Sort, name: str, value: Any, args: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, Any]]:
    """Yield the values of the function symbols of a name, for a concrete value."""
    match sort:
        case Boolean() | Range() | Enum() | Listed() | IndexSet():
            yield (name, args), scalar(sort, value)
        case Option():
            yield (f"{name}.none", args), value is None
            if value is not None:
                yield from facts(sort.inner, f"{name}.some", value, args)
        case Record():
            for part, inner in sort.fields:
                yield from facts(inner, f"{name}.{part}", value[part], args)
        case Tuple():
            for place, inner in enumerate(sort.items):
                yield from facts(inner, f"{name}.{place}", value[place], args)
        case Function():
            for key, scalars in keys(sort.domain):
                yield from facts(sort.range, name, value[key], (*args, *scalars))
        case Set():
            for item, scalars in keys(sort.element):
                yield (name, (*args, *scalars)), item in value
        case Sequence():
            yield (f"{name}.length", args), len(value)
            for place, item in enumerate(value):
                yield from facts(sort.element, f"{name}.at", item, (*args, place))
        case _:
            raise AssertionError(f"not needed so far: {sort}")


def set_names(sort: Sort, name: str) -> Iterator[str]:
    """The function symbols of sets in values of a sort."""
    match sort:
        case Set():
            yield name
        case Option():
            yield from set_names(sort.inner, f"{name}.some")
        case Record():
            for part, inner in sort.fields:
                yield from set_names(inner, f"{name}.{part}")
        case Function():
            yield from set_names(sort.range, name)


def members(sort: Sort) -> int:
    """The greatest number that a member of an enumeration in the sort has; 0 if there is none."""
    own = len(sort.members) - 1 if isinstance(sort, Enum) else 0
    return max((own, *map(members, sort.parts())))


class _NoValueError(AssertionError):
    pass


@dataclass
class Structure:
    """A finite structure: elements by sort, and the known values of function symbols."""

    system: ParametricSystem
    elements: Mapping[str, list[Any]]
    known: dict[tuple[str, tuple[Any, ...]], Any]
    rng: random.Random
    least: int = -3
    most: int = 6
    """Quantified integers are looked for among these; all bounds must be within them."""
    sets: frozenset[str] = frozenset()
    """The symbols of sets. What is no value of their elements' sort is in none of them."""
    _memory: dict[tuple[Node, tuple[Any, ...]], Any] = field(default_factory=dict)

    def value(self, node: Node, env: Mapping[Node, Any] | None = None) -> Any:
        """The value of a node, its free variables having these values."""
        env = env or {}
        key = (node, tuple(sorted(((v.data, env[v]) for v in node.free), key=lambda pair: pair[0])))
        if key not in self._memory:
            self._memory[key] = self._compute(node, env)
        return self._memory[key]

    def _compute(self, node: Node, env: Mapping[Node, Any]) -> Any:  # noqa: C901 -- one case each
        match node.kind:
            case "true" | "false":
                return node.kind == "true"
            case "var":
                return env[node]
            case "and":
                return all(self.value(arg, env) for arg in node.args)
            case "or":
                return any(self.value(arg, env) for arg in node.args)
            case "not":
                return not self.value(node.args[0], env)
            case "ite":
                return self.value(node.args[1 if self.value(node.args[0], env) else 2], env)
            case "forall" | "exists":
                chosen = self._choices(node.data, env)
                said = (self.value(node.args[0], one) for one in chosen)
                return all(said) if node.kind == "forall" else any(said)
        args = tuple(self.value(arg, env) for arg in node.args)
        match node.kind:
            case "=":
                return args[0] == args[1]
            case "<=":
                return args[0] <= args[1]
            case "*":
                return args[0] * args[1]
            case "sum":
                factors, constant = node.data
                return sum(f * a for f, a in zip(factors, args, strict=True)) + constant
            case "app":
                return self.apply(node, args)
        raise AssertionError(node.kind)

    def _choices(self, bound: Bound, env: Mapping[Node, Any]) -> Iterator[Mapping[Node, Any]]:
        for values in product(*(self.domain(variable.sort) for variable in bound.variables)):
            yield {**env, **dict(zip(bound.variables, values, strict=True))}

    def domain(self, sort: str) -> list[Any]:
        if sort == BOOL:
            return [False, True]
        if sort == INT:
            return list(range(self.least, self.most + 1))
        return list(self.elements[sort.removeprefix("sort ")])

    def apply(self, node: Node, args: tuple[Any, ...]) -> Any:
        key = (str(node.data), args)
        counting = self.system.definitions.counts.get(str(node.data))
        if counting is not None and key not in self.known:
            env = dict(zip(counting.outside, args, strict=True))
            items = product(*(self.domain(variable.sort) for variable in counting.variables))
            known = (env | dict(zip(counting.variables, item, strict=True)) for item in items)
            self.known[key] = sum(bool(self.value(counting.inside, one)) for one in known)
        summing = self.system.definitions.sums.get(str(node.data))
        if summing is not None and key not in self.known:
            env = dict(zip(summing.outside, args, strict=True))
            items = product(*(self.domain(variable.sort) for variable in summing.variables))
            known = (env | dict(zip(summing.variables, item, strict=True)) for item in items)
            self.known[key] = sum(self.value(summing.summand, one) for one in known)
        if key not in self.known:
            axioms = self.system.definitions.axioms.get(str(node.data))
            self.known[key] = (
                False
                if node.data in self.sets
                else self.rng.choice(self.domain(node.sort))
                if axioms is None
                else self._define(node, args, axioms)
            )
        return self.known[key]

    def _define(self, node: Node, args: tuple[Any, ...], axioms: tuple[Node, ...]) -> Any:
        """The value of a defined symbol with which its axioms hold of these arguments."""
        for value in self.domain(node.sort):
            trial = replace(self, known=dict(self.known), _memory={})
            trial.known[str(node.data), args] = value
            try:
                if all(trial.value(self._at(axiom, node, args, trial), trial.env) for axiom in axioms):
                    return value
            except _NoValueError:
                continue  # with this value there is none of another symbol that the axioms speak of
        raise _NoValueError(f"no value of {node.data} satisfies its axioms")

    env: dict[Node, Any] = field(default_factory=dict)

    @staticmethod
    def _at(axiom: Node, node: Node, args: tuple[Any, ...], trial: Structure) -> Node:
        """The body of an axiom, its variables being these arguments."""
        trial.env = {}
        if not args:
            return axiom
        assert axiom.kind == "forall"
        heads: list[Node] = []

        def look(one: Node) -> None:
            if one.kind == "app" and one.data == node.data:
                heads.append(one)
            for arg in one.args:
                look(arg)

        look(axiom.args[0])
        for variable, value in zip(heads[0].args, args, strict=True):
            trial.env[variable] = value
        rest = tuple(v for v in axiom.data.variables if v not in trial.env)
        return trial.system.logic.forall(rest, axiom.args[0]) if rest else axiom.args[0]
