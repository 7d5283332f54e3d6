"""The parts of the state that an expression reads, and those that decide a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from verifier.encodings.blame import Culprit
from verifier.tla import ast
from verifier.tla.ast import Expression, Symbol
from verifier.tla.facts import ACTION, subexpressions
from verifier.tla.frames import Frame, Undefined
from verifier.tla.lets import extend_frame
from verifier.tla.loops import compile_setter
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import is_function, is_member, materialize, pairs_of, same

if TYPE_CHECKING:
    from verifier.tla.blaming import Blaming

_MOST_KEYS = 200
"""The most keys of functions that are compared one by one."""
_CHOOSING = (ast.Function, ast.Image, ast.Filter, ast.Quantifier)
_MOST_CHOICES = 24
"""The most choices of names for each of which the parts that are read count."""
_DEEPEST = 30
"""Definitions further down are not opened."""
_DEEPEST_CALLS = 8
"""Operators with arguments further down are not opened: they may call themselves twice."""


class PartFinder:
    """Finds what an expression reads in a frame."""

    def __init__(self, blaming: Blaming, depth: int = 0, *, primed: bool = False) -> None:
        self.blaming = blaming
        self.depth = depth
        self.primed = primed
        """True below a prime: no value of this state decides anything there."""

    def paths(self, whole: Expression, outer: Set[Symbol] = frozenset()) -> Iterator[str]:
        """Yield the paths that an expression reads. ``outer``: names that are bound and have no value."""
        inner, waiting = {*outer, *find_bound_names(whole)}, [whole]
        inner = {name for name in inner if not isinstance(name, ast.Definition)}
        inner |= set(self.blaming.descent.evaluator.index) if self.primed else set()
        while waiting:
            part = waiting.pop(0)
            path = self.blaming.path_of(part, inner)
            if path is not None:
                yield path
                rest = part
                while isinstance(rest, ast.FunctionApply):  # what is read to find the place
                    waiting.append(rest.argument)
                    rest = rest.function
                continue
            if isinstance(part, ast.Prime | ast.Unchanged | ast.Enabled) and not self.primed:
                yield from PartFinder(self.blaming, self.depth, primed=True).paths(part.body, inner)
                continue
            if isinstance(part, ast.Let):  # a definition counts where it is applied
                waiting.append(part.body)
                continue
            chosen = None if self.primed else self._read_each(part, inner)
            if chosen is not None:
                yield from chosen
                continue
            is_open = self.primed or inner.intersection(names_in(part))
            applied = None if is_open else self._read_application(part)
            if applied is not None:
                yield from applied
                assert isinstance(part, ast.FunctionApply)
                waiting.append(part.argument)
                continue
            opened = self.blaming.open_definition(part) if self.depth < _DEEPEST else None
            if opened is not None:
                blaming, body = opened
                own = inner if blaming is self.blaming else frozenset[Symbol]()
                yield from PartFinder(blaming, self.depth + 1, primed=self.primed).paths(body, own)
                continue
            called = None if is_open or self.depth >= _DEEPEST_CALLS else self.blaming.apply_operator(part)
            if called is not None:
                assert isinstance(part, ast.Apply)
                yield from PartFinder(called[0], self.depth + 1).paths(called[1])
                waiting += part.arguments
                continue
            local = self._open_local(part) if self.depth < _DEEPEST_CALLS else None
            if local is not None:
                assert isinstance(part, ast.Apply)
                assert local.body is not None
                own = {*inner, *local.parameters}
                yield from PartFinder(self.blaming, self.depth + 1, primed=self.primed).paths(local.body, own)
            elif isinstance(part, ast.Apply):
                alone = ast.Apply(part.operator, place=part.place)
                analysis = self.blaming.descent.evaluator.analysis
                yield from sorted(one.name for one in analysis.of(alone, self.blaming.unit.module).reads)
            waiting += subexpressions(part)[0] if is_open else self._deciding(part)

    def _open_local(self, whole: Expression) -> ast.Definition | None:
        """Return the definition of LET that an expression applies; None if it applies none."""
        if not isinstance(whole, ast.Apply) or not isinstance(whole.operator, ast.Definition):
            return None
        symbol = whole.operator
        return symbol if symbol.nested and symbol.body is not None and whole.arguments else None

    def _read_each(self, whole: Expression, inner: Set[Symbol]) -> list[str] | None:
        """Return what a function, set or quantifier reads for each choice of its names. None if these are
        many, or depend on names in ``inner``."""
        if not isinstance(whole, _CHOOSING) or self.depth >= _DEEPEST_CALLS:
            return None
        bindings = (whole.binding,) if isinstance(whole, ast.Filter) else whole.bindings
        if isinstance(whole, ast.Function) and whole.itself is not None:
            return None
        own = set(find_bound_names(whole))
        if not (inner - own).isdisjoint(names_in(whole)):
            return None
        with suppress(Undefined, NoValue):
            found = [path for one in bindings for path in self.paths(one.domain)]
            readings = [PartFinder(self.blaming.at(one), self.depth + 1) for one in self._choose(bindings)]
            some = whole.universal if isinstance(whole, ast.Quantifier) and self._is_state(whole) else None
            if some is not None and self._is_true(whole) != some:  # exceptions or examples decide
                readings = [one for one in readings if one._is_true(whole.body) != some]
            for reading in readings:
                found += reading.paths(whole.body)
            return list(dict.fromkeys(found))
        return None

    def _choose(self, bindings: Sequence[ast.Binding]) -> Iterator[Frame]:
        """Yield a frame for each choice of the names of bindings. Raises NoValue if these are many."""
        blaming = self.blaming
        sets = [materialize(blaming.value(one.domain)) for one in bindings for _ in _each_name(one)]
        if not all(isinstance(one, frozenset) for one in sets) or prod(map(len, sets)) > _MOST_CHOICES:
            raise NoValue("many choices")
        for items in product(*map(blaming.sort, sets)):
            frame = extend_frame(blaming.frame[:], blaming.unit)
            left = iter(items)
            for one in bindings:
                if one.is_tuple:
                    compile_setter(blaming.descent.evaluator, one, blaming.unit)(frame, next(left))
                    continue
                for name in one.names:
                    frame[blaming.unit.slot(name)] = next(left)
            yield frame

    def _deciding(self, whole: Expression) -> list[Expression]:
        """The parts of an expression that decide its value: of IF the branch taken, of a true disjunction
        the true parts, of a false conjunction the false ones."""
        parts = list(subexpressions(whole)[0])
        with suppress(Undefined, NoValue):
            match whole:
                case ast.If():
                    held = self._is_true(whole.condition)
                    return [whole.condition, whole.then if held else whole.otherwise]
                case ast.Junction() if self._is_state(whole):
                    truths = [self._is_true(item) for item in whole.items]
                    if all(truths) == whole.conjunction == any(truths):
                        return parts
                    return [
                        part
                        for part, truth in zip(whole.items, truths, strict=True)
                        if truth != whole.conjunction
                    ]
        return parts

    def _is_true(self, whole: Expression) -> bool:
        blaming = self.blaming
        return not blaming.descent.is_false(whole, blaming.unit, blaming.frame)

    def _is_state(self, whole: Expression) -> bool:
        module = self.blaming.unit.module
        return self.blaming.descent.evaluator.analysis.of(whole, module).level <= ACTION

    def _read_application(self, whole: Expression) -> list[str] | None:
        """Return what a definition of a function reads at an argument; None if it is none, or not known."""
        if not isinstance(whole, ast.FunctionApply):
            return None
        blaming, function = self._open(whole.function)
        with suppress(Undefined, NoValue):
            path = blaming.path_of(function, set()) if function is not whole.function else None
            if path is not None and not isinstance(whole.argument, ast.String):
                return [f"{path}[{blaming.text(self.blaming.value(whole.argument))}]"]
            if not isinstance(function, ast.Function):
                return None
            return PartFinder(blaming, self.depth + 1)._at(function, self.blaming.value(whole.argument))
        return None

    def _open(self, whole: Expression) -> tuple[Blaming, Expression]:
        """Return what stands behind names of definitions."""
        blaming = self.blaming
        for _ in range(_DEEPEST):
            opened = blaming.open_definition(whole)
            if opened is None:
                break
            blaming, whole = opened
        return blaming, whole

    def _at(self, function: ast.Function, key: Value) -> list[str] | None:
        """Return what the body of a function reads for an element; None if it has several names."""
        binding, blaming = function.bindings[0], self.blaming
        if len(function.bindings) > 1 or function.itself is not None:
            return None
        if len(binding.names) > 1 and not binding.is_tuple:
            return None
        put = compile_setter(blaming.descent.evaluator, binding, blaming.unit)
        frame = extend_frame(blaming.frame[:], blaming.unit)
        put(frame, key)
        return list(PartFinder(blaming.at(frame), self.depth + 1).paths(function.body))

    def decisive(self, relation: str, left: Expression, right: Expression) -> tuple[Culprit, ...] | None:
        """The parts of the state that decide a comparison; None if that is all that both sides read."""
        with suppress(Undefined, NoValue):
            if relation in ("<", "≤"):
                return self._too_large(left, right)
            if relation in (">", "≥"):
                return self._too_large(right, left)
            if relation == "=":
                return self._different(left, right)
            if relation == "∈":
                return self._outside(left, right)
        return None

    def _too_large(self, count: Expression, limit: Expression) -> tuple[Culprit, ...] | None:
        blame = self._blame_count(count)
        return None if blame is None else tuple(dict.fromkeys([*blame, *map(Culprit, self.paths(limit))]))

    def _blame_count(self, whole: Expression) -> tuple[Culprit, ...] | None:
        """Of a count that is too large, what makes each element one that counts."""
        match whole:
            case ast.Apply(operator=operator, arguments=(of,)):
                blaming = self.blaming
                symbol = blaming.descent.evaluator.resolve(operator, blaming.unit.module) or operator
                if symbol.name != "Cardinality":
                    return None
                path = blaming.path_of(of, set())
                if not isinstance(of, ast.Filter) and path is None:
                    return None
                held = [blaming.text(one) for one in blaming.sort(materialize(blaming.value(of)))]
                if path is not None:
                    return (Culprit(path, tuple(held)),)
                members = blaming.memberships(of)
                parts = [part for one in held if members for part in members[one].culprits]
                return tuple(dict.fromkeys(parts)) or None
        return None

    def _different(self, left: Expression, right: Expression) -> tuple[Culprit, ...] | None:
        """Of functions that differ, what both read at the keys at which they do."""
        one, other = self._pairs(left), self._pairs(right)
        if one is None or other is None or one.keys() != other.keys():
            return None
        keys = [key for key in one if not same(one[key], other[key])]
        sides = [self._at_keys(side, keys) for side in (left, right)]
        return _join(sides)

    def _outside(self, left: Expression, right: Expression) -> tuple[Culprit, ...] | None:
        """Of a function that is not in a set of functions, what it reads at the keys with wrong values."""
        blaming, functions = self._open(right)
        pairs = self._pairs(left)
        if isinstance(functions, ast.RecordSet) and pairs is not None:
            return self._fields_outside(left, pairs, PartFinder(blaming, self.depth + 1), functions)
        if not isinstance(functions, ast.FunctionSet) or pairs is None:
            return None
        domain, range_ = (materialize(blaming.value(one)) for one in (functions.domain, functions.range))
        if domain != frozenset(pairs):
            return None
        keys = [key for key, value in pairs.items() if not is_member(value, range_)]
        read = list(PartFinder(blaming, self.depth + 1).paths(functions.range))
        return _join([self._at_keys(left, keys), read])

    def _fields_outside(
        self, left: Expression, pairs: dict[Value, Value], reading: PartFinder, records: ast.RecordSet
    ) -> tuple[Culprit, ...] | None:
        """Of a record that is not in a set of records, the fields with wrong values."""
        blaming, record = self._open(left)
        path = blaming.path_of(record, set())
        made = dict(record.fields) if isinstance(record, ast.Record) else {}
        if (path is None and not made) or pairs.keys() != {name for name, _ in records.fields}:
            return None
        found: list[list[str] | None] = []
        for name, range_ in records.fields:
            if not is_member(pairs[name], materialize(reading.blaming.value(range_))):
                own = PartFinder(blaming, self.depth + 1).paths(made[name]) if made else [f"{path}.{name}"]
                found.append([*own, *reading.paths(range_)])
        return _join(found)

    def _pairs(self, whole: Expression) -> dict[Value, Value] | None:
        if not self._is_state(whole):
            return None
        value = self.blaming.value(whole)
        pairs = pairs_of(value) if is_function(value) else None
        return pairs if pairs is not None and len(pairs) <= _MOST_KEYS else None

    def _at_keys(self, whole: Expression, keys: list[Value]) -> list[str] | None:
        """Return what a function reads at some keys; None if that is not known."""
        blaming, function = self._open(whole)
        reading = PartFinder(blaming, self.depth + 1)
        path = blaming.path_of(function, set())
        if path is not None:
            is_record = all(isinstance(key, str) and key.isidentifier() for key in keys)
            return None if is_record else [f"{path}[{blaming.text(key)}]" for key in keys]
        match function:
            case ast.Function():
                values = [reading._at(function, key) for key in keys]
                return None if None in values else [path for one in values for path in one or ()]
            case ast.Except(updates=updates) if all(len(one.path) == 1 for one in updates):
                put = [blaming.value(one.path[0]) for one in updates]
                new = [one for one, key in zip(updates, put, strict=True) if key in keys]
                old = reading._at_keys(function.function, [key for key in keys if key not in put])
                return None if old is None else [*old, *(p for one in new for p in reading.paths(one.value))]
        return None


def _join(found: list[list[str] | None]) -> tuple[Culprit, ...] | None:
    """The culprits of all; None if one is not known, or if there are none."""
    if None in found:
        return None
    return tuple(Culprit(path) for path in dict.fromkeys(path for one in found for path in one or ())) or None


def _each_name(binding: ast.Binding) -> Sequence[Symbol]:
    """The names that are bound one by one; a tuple of names is bound at once."""
    return binding.names[:1] if binding.is_tuple else binding.names


def find_bound_names(whole: Expression) -> Iterator[Symbol]:
    """The names that are bound inside of an expression."""
    waiting = [whole]
    while waiting:
        parts, names = subexpressions(waiting.pop())
        yield from names
        waiting += parts


def names_in(whole: Expression) -> Iterator[Symbol]:
    """The operators that are applied in an expression."""
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Apply):
            yield part.operator
        waiting += subexpressions(part)[0]
