"""Random formulas over the values in scope."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from collections.abc import Sequence as PythonSequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import NoneType
from typing import Any, Self

from verifier.encodings.expressions import coerce
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
    Tuple,
    Variant,
)

UNSAFE = 0.3
"""The probability of an undefined read without a guard, where that is allowed at all."""
_MOST_TRIES = 60
_MOST_NESTED = 5
Thunk = Callable[[], Any]


class NoTerm(Exception):
    """Nothing in scope gives a term of the sort."""


@dataclass
class _Effort:
    """The effort spent on one term, and its depth."""

    left: int = _MOST_TRIES
    nested: int = 0


class Formulas:
    """Makes random formulas. ``preferred`` are those in scope that should be used most: parameters."""

    def __init__(
        self,
        rng: random.Random,
        scope: PythonSequence[Any],
        sorts: PythonSequence[IndexSet],
        preferred: PythonSequence[Any] = (),
        undefined: bool = False,
        naming: bool = False,
        effort: _Effort | None = None,
    ) -> None:
        self.rng = rng
        self.effort = effort or _Effort()
        self.scope = list(scope)
        self.sorts = sorts
        self.preferred = list(preferred)
        self.undefined = undefined
        self.naming = naming

    def within(self, value: Any) -> Self:
        """Terms that may use a further value."""
        scope, preferred = [*self.scope, value], [*self.preferred, value]
        return type(self)(self.rng, scope, self.sorts, preferred, self.undefined, self.naming, self.effort)

    def value(self, sort: Sort, depth: int) -> Any:
        """A term that can stand where one of the sort is wanted. Raises NoTerm if none was found."""
        raise NotImplementedError

    def _or_none(self, make: Thunk) -> Any:
        try:
            return make()
        except (NoTerm, SortError):
            return None

    @contextmanager
    def _trying(self) -> Iterator[None]:
        """Limit the effort for one term, and the depth of terms."""
        effort = self.effort
        if effort.nested == 0:
            effort.left = _MOST_TRIES
        effort.left -= 1
        if effort.left <= 0 or effort.nested >= _MOST_NESTED:
            raise NoTerm
        effort.nested += 1
        try:
            yield
        finally:
            effort.nested -= 1

    def _body(self, depth: int) -> Callable[[Any], Any]:
        """A random formula about a bound variable, the same whenever it is read."""
        seed = self.rng.random()

        def body(x: Any) -> Any:
            inner = self.within(x)
            inner.rng = random.Random(seed)
            return inner.formula(depth)

        return body

    def formula(self, depth: int) -> Any:
        """A random formula."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.45:
            match rng.randrange(5):
                case 0:
                    return self.formula(depth - 1) & self.formula(depth - 1)
                case 1:
                    return self.formula(depth - 1) | self.formula(depth - 1)
                case 2:
                    return self.formula(depth - 1).implies(self.formula(depth - 1))
                case 3:
                    return exists(rng.choice(self.sorts), self._body(depth - 1))
                case _:
                    return forall(rng.choice(self.sorts), self._body(depth - 1))
        for _ in range(8):
            found = self._or_none(lambda: self._atom(rng.choice(self.preferred or self.scope)))
            if isinstance(found, NoneType):
                found = self._or_none(lambda: self._atom(rng.choice(self.scope)))
            if not isinstance(found, NoneType):
                return ~found if rng.random() < 0.35 else found
        return coerce(rng.random() < 0.5, Boolean())

    def _atom(self, value: Any) -> Any:
        """A formula about one value."""
        rng, sort = self.rng, value.sort
        other: Thunk = lambda: self.value(sort, 1)  # noqa: E731
        match sort:
            case Boolean():
                return value
            case Range() | Listed() if isinstance(sort, Range) or sort.bounds is not None:
                return rng.choice([value == other(), value < other(), value <= other()])
            case Option() if rng.random() < 0.6:
                return self._about_option(value)
            case Record() if rng.random() < 0.7:
                return self._atom(getattr(value, rng.choice(sort.fields)[0]))
            case Function() if rng.random() < 0.7:
                return self._atom(value[self.value(sort.domain, 0)])
            case Tuple() | Variant() | PartialFunction() if rng.random() < 0.8:
                return self._about_compound(value)
            case Set():
                return self._about_set(value)
            case Sequence():
                return self._about_sequence(value)
            case Bag() if rng.random() < 0.8:
                return value.copies(self.value(sort.element, 0)) == rng.randint(0, sort.maximum)
            case IndexSet():
                return self._about_element(value)
        return value == other()

    def _about_option(self, value: Any) -> Any:
        if self.rng.random() < 0.5:
            return value.is_none
        if self.undefined and self.rng.random() < UNSAFE:
            return self._atom(value.value)
        return value.is_some & self._atom(value.value)

    def _about_compound(self, value: Any) -> Any:
        match value.sort:
            case Tuple() as sort:
                return self._atom(value[self.rng.randrange(len(sort.items))])
            case Variant():
                return self._about_variant(value)
        return self._about_partial(value)

    def _about_variant(self, value: Any) -> Any:
        tag, part = self.rng.choice(value.sort.alternatives)
        if part == Tuple() or self.rng.random() < 0.5:
            return value.is_(tag)
        atom = self._atom(value.payload(tag))
        return atom if self.undefined and self.rng.random() < UNSAFE else value.is_(tag) & atom

    def _about_partial(self, value: Any) -> Any:
        rng, key = self.rng, self.value(value.sort.domain, 0)
        pick = rng.random()
        if pick < 0.4:
            return value.contains(key)
        if pick < 0.6:
            return value.domain.cardinality == rng.randint(0, min(2, value.sort.domain.size))
        if self.undefined and rng.random() < UNSAFE:
            return self._atom(value[key])
        return value.contains(key) & self._atom(value[key])

    def _about_sequence(self, value: Any) -> Any:
        if self.rng.random() < 0.5:
            return value.length == self.rng.randint(0, value.sort.capacity)
        if self.rng.random() < 0.3:
            return value.contains(self.value(value.sort.element, 0))
        atom = self._atom(value.head)
        return atom if self.undefined and self.rng.random() < UNSAFE else ~value.is_empty & atom

    def _about_set(self, value: Any) -> Any:
        rng, element = self.rng, value.sort.element
        pick = rng.random()
        if pick < 0.5:
            return value.contains(self.value(element, 0))
        if pick < 0.8:
            return value.cardinality == rng.randint(0, min(3, element.size))
        if pick < 0.9:
            return exists(value, self._body(0)) if element.size <= 12 else value.is_empty
        if pick < 0.92:
            return element == value
        other = self.value(value.sort, 1)
        return rng.choice([value <= other, value < other, value >= other])

    def _about_element(self, value: Any) -> Any:
        """Return the formula that it is another element, or is in some set."""
        holders = [v for v in self.scope if isinstance(v.sort, Set) and v.sort.element == value.sort]
        if holders and self.rng.random() < 0.6:
            return self.rng.choice(holders).contains(value)
        return value == self.value(value.sort, 0)
