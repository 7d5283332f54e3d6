"""Random terms of a wanted sort over the values in scope."""

from __future__ import annotations

import random
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass
from functools import partial
from types import NoneType
from typing import Any

from tests.support.random_formulas import UNSAFE, Formulas, NoTerm, Thunk
from verifier.encodings.compound_values import tuple_of
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.expressions import coerce, literal, record, some
from verifier.encodings.printing import text
from verifier.encodings.quantifiers import (
    any_of,
    choose,
    comprehension,
    count,
    exists,
    filtered,
    function,
    if_,
    image,
    mapped,
    maximum,
    minimum,
    partial_function,
    sum_of,
    union_of,
)
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
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
    join,
)

_LEAVING = 0.15
"""The probability that a term may leave its sort."""
_NAMING = 0.3
"""The probability that an interchangeable element is named, where that is allowed at all."""
_MOST_OPTIONS = 6
_WITH_PLACES = Function | Record | Tuple | PartialFunction
"""The sorts whose parts are assigned."""


@dataclass(frozen=True)
class _Fits:
    """A term that never leaves the sort asked for, though its static sort is wider."""

    term: Any


class Terms(Formulas):
    """Makes random terms of every sort, and assignments."""

    # Actions

    def assignments(self, variables: PythonSequence[Any], most: int) -> dict[Any, Any]:
        """New values of some variables, ``most`` at most, some at several places of one function."""
        rng = self.rng
        then: dict[Any, Any] = {}
        if not variables:
            return then
        for variable in rng.sample(list(variables), min(len(variables), most, rng.choice([1, 1, 2, 2, 3]))):
            targets = [variable]
            if isinstance(variable.sort, _WITH_PLACES) and rng.random() < 0.7:
                targets = self._places(variable)
            for target in targets:
                value = self._or_none(partial(self.value, target.sort, 2))
                if not isinstance(value, NoneType):
                    then[target] = value
        return then

    def lively(self, sets: PythonSequence[Any], counter: Any) -> tuple[list[Any], dict[Any, Any]]:
        """Return guards and assignments that lead on: elements are put in a set, a counter goes up."""
        rng = self.rng
        when: list[Any] = []
        then: dict[Any, Any] = {}
        choices = [
            (p, chosen) for p in self.preferred for chosen in sets if _has(p.sort, chosen.sort.element)
        ]
        if choices and rng.random() < 0.7:
            value, chosen = rng.choice(choices)
            when += self._about_what_it_holds(value, chosen)
            kind = chosen.sort.element
            then[chosen] = (
                chosen.add(value)
                if value.sort == kind
                else comprehension(kind, lambda n: chosen.contains(n) | holding(value, n))
            )
        if not isinstance(counter, NoneType) and rng.random() < (0.2 if then else 0.5):
            when.append(counter < counter.sort.high)
            then[counter] = counter + 1
        return when, then

    def _about_what_it_holds(self, value: Any, chosen: Any) -> list[Any]:
        """Guards about the elements that a value holds: how many they are, whether they are in a set."""
        rng, kind = self.rng, chosen.sort.element
        found = []
        if value.sort != kind and rng.random() < 0.6:
            found.append(count(kind, lambda n: holding(value, n)) == rng.choice([1, 1, 1, 2]))
        if rng.random() < 0.7:
            found.append(~exists(kind, lambda n: holding(value, n) & chosen.contains(n)))
        if value.sort != kind and rng.random() < 0.3:  # it has to wait for others
            found.append(chosen.cardinality == rng.choice([0, 1, 2]))
        return found

    def _places(self, variable: Any) -> list[Any]:
        """Places below a variable; two keys may be the same, one place is not inside another."""
        if isinstance(variable.sort, Record):
            name = self.rng.choice([name for name, _ in variable.sort.fields])
            return self._deeper(getattr(variable, name))
        if isinstance(variable.sort, Tuple):
            return self._deeper(variable[self.rng.randrange(len(variable.sort.items))])
        keys = [
            self._or_none(lambda: self.value(variable.sort.domain, 1))
            for _ in range(self.rng.choice([1, 1, 2]))
        ]
        # Two entries for one place are refused; two keys that only may be the same are not.
        different = {text(key.term): key for key in keys if not isinstance(key, NoneType)}
        places = [variable[key] for key in different.values()]
        return [deeper for place in places[:1] for deeper in self._deeper(place)] + places[1:] or [variable]

    def _deeper(self, place: Any) -> list[Any]:
        if isinstance(place.sort, _WITH_PLACES) and self.rng.random() < 0.5:
            return self._places(place)
        return [place]

    # Values

    def value(self, sort: Sort, depth: int) -> Any:
        """A term that can stand where one of the sort is wanted. Raises NoTerm if none was found."""
        with self._trying():
            options = self._sources(sort)
            if depth > 0 or not options:
                options += self._makers(sort, max(depth, 1)) * max(depth, 1)
            self.rng.shuffle(options)
            for option in options[:_MOST_OPTIONS]:
                try:
                    made = option()
                    if isinstance(made, _Fits):
                        return made.term
                    found = coerce(made, sort)
                    if join(found.sort, sort) == sort or self.rng.random() < _LEAVING:
                        return found
                except (NoTerm, SortError):
                    continue
            raise NoTerm

    def _sources(self, sort: Sort) -> list[Thunk]:
        """Return the terms in scope, and their parts."""
        found: list[Thunk] = []
        for value in [*self.scope, *self.preferred, *self.preferred]:
            found += self._inside(value, sort, 2)
        return found

    def _inside(self, value: Any, sort: Sort, depth: int) -> list[Thunk]:
        found: list[Thunk] = [lambda: value] if _alike(value.sort, sort) else []
        if depth == 0:
            return found
        match value.sort:
            case Option() if not isinstance(sort, Option):
                found += [lambda: self._guard(value.is_some, value.value, sort)] * _alike(
                    value.sort.inner, sort
                )
            case Record():
                for name, _ in value.sort.fields:
                    found += self._inside(getattr(value, name), sort, depth - 1)
            case Tuple() | Variant() | PartialFunction():
                found += self._inside_compound(value, sort, depth)
            case Function() if _alike(value.sort.range, sort) or isinstance(
                value.sort.range, Record | Option
            ):

                def apply() -> Any:
                    inner = value[self.value(value.sort.domain, 0)]
                    return self.rng.choice(self._inside(inner, sort, depth - 1) or [self._fail])()

                found.append(apply)
            case Sequence() if _alike(value.sort.element, sort):

                def at() -> Any:
                    index = self.rng.choice([0, 0, value.length - 1])
                    return self._guard(~value.is_empty, value[index], sort)

                found.append(at)
        return found

    def _inside_compound(self, value: Any, sort: Sort, depth: int) -> list[Thunk]:
        found: list[Thunk] = []
        match value.sort:
            case Tuple():
                for place in range(len(value.sort.items)):
                    found += self._inside(value[place], sort, depth - 1)
            case Variant():
                for tag, part in value.sort.alternatives:
                    if _alike(part, sort):
                        found.append(self._of_tag(value, tag, sort))
            case PartialFunction() if _alike(value.sort.range, sort):

                def guarded_value() -> Any:
                    key = self.value(value.sort.domain, 0)
                    return self._guard(value.contains(key), value[key], sort)

                found.append(guarded_value)
        return found

    def _of_tag(self, value: Any, tag: str, sort: Sort) -> Thunk:
        return lambda: self._guard(value.is_(tag), value.payload(tag), sort)

    def _fail(self) -> Any:
        raise NoTerm

    def _guard(self, condition: Any, value: Any, sort: Sort) -> Any:
        """The value where the condition holds, else another one."""
        if self.undefined and self.rng.random() < UNSAFE:
            return value
        return if_(condition, value, self.value(sort, 0))

    def _makers(self, sort: Sort, depth: int) -> list[Thunk]:
        make = {
            Boolean: self._booleans,
            Range: self._integers,
            Enum: self._literals,
            IndexSet: self._elements,
            Option: self._options,
            Record: self._records,
            Function: self._functions,
            Set: self._sets,
            Sequence: self._sequences,
            Bag: self._bags,
            Tuple: self._tuples,
            Variant: self._variants,
            PartialFunction: self._partial_functions,
            Listed: self._list_thunks,
        }[type(sort)]
        conditional: Thunk = lambda: if_(  # noqa: E731
            self.formula(0), self.value(sort, 0), self.value(sort, 0)
        )
        return [*make(sort, depth - 1), conditional]

    def _literals(self, sort: Sort, depth: int) -> list[Thunk]:
        return [lambda: literal(sort, self.rng.choice(list(sort.values())))] * 2

    def _booleans(self, sort: Sort, depth: int) -> list[Thunk]:
        return [*self._literals(sort, depth), lambda: self.formula(depth)]

    def _integers(self, sort: Any, depth: int) -> list[Thunk]:
        rng = self.rng

        def step() -> Any:
            value = self.value(sort, 0)
            return rng.choice(
                [value + 1, value - 1, maximum(value - 1, sort.low), minimum(value + 1, sort.high)]
            )

        def make_count() -> Any:
            return minimum(count(rng.choice(self.sorts), self._body(0)), sort.high)

        def extreme() -> Any:
            members = self.value(Set(sort), depth)
            least = members.minimum if rng.random() < 0.5 else members.maximum
            return self._guard(~members.is_empty, least, sort)

        def calculate() -> Any:
            left, right = self.value(sort, 0), self.value(sort, depth)
            if rng.random() < 0.5:
                return rng.choice([left // 2, left % 2, _within(sort, left * right), _within(sort, -left)])
            divided = left // right if rng.random() < 0.5 else left % right
            return self._guard(right > 0, divided, sort)

        def make_sum() -> Any:
            if rng.random() < 0.4:
                return _within(sort, self.value(Sequence(sort, 2), depth).sum)
            kind = rng.choice(self.sorts)
            sets = [v for v in self.scope if isinstance(v.sort, Set) and v.sort.element == kind]
            body = self._body(0)
            return _within(sort, sum_of(rng.choice([kind, *sets]), lambda x: if_(body(x), 1, 0)))

        found = [*self._literals(sort, depth), step, make_count, calculate, make_sum]
        if depth > 0 or rng.random() < 0.2:
            found.append(extreme)
        return found

    def _elements(self, sort: Any, depth: int) -> list[Thunk]:
        def make_choice() -> Any:
            body = self._body(0)
            found = choose(sort, body)
            return self._guard(exists(sort, body), found, sort)

        def make_literal() -> Any:
            if sort.symmetric and not (self.naming and self.rng.random() < _NAMING):
                raise NoTerm
            return literal(sort, self.rng.choice(list(sort.values())))

        return [make_literal] if sort.symmetric else [make_literal, make_choice]

    def _options(self, sort: Any, depth: int) -> list[Thunk]:
        return [lambda: literal(sort, None), lambda: some(self.value(sort.inner, depth))] * 2

    def _records(self, sort: Any, depth: int) -> list[Thunk]:
        def change() -> Any:
            name, part = self.rng.choice(sort.fields)
            return self.value(sort, 0).updated(**{name: self.value(part, depth)})

        return [lambda: record(sort, **{n: self.value(p, depth) for n, p in sort.fields}), change]

    def _functions(self, sort: Any, depth: int) -> list[Thunk]:
        def change() -> Any:
            return self.value(sort, 0).updated(self.value(sort.domain, depth), self.value(sort.range, depth))

        def make() -> Any:
            return function(sort.domain, lambda k: self.within(k).value(sort.range, depth), sort.range)

        return [change, change, make]

    def _tuples(self, sort: Any, depth: int) -> list[Thunk]:
        def change() -> Any:
            place = self.rng.randrange(len(sort.items))
            return self.value(sort, 0).updated(place, self.value(sort.items[place], depth))

        return [lambda: tuple_of(*(self.value(part, depth) for part in sort.items)), change]

    def _variants(self, sort: Any, depth: int) -> list[Thunk]:
        def make() -> Any:
            tag, part = self.rng.choice(sort.alternatives)
            return sort.make(tag) if part == Tuple() else sort.make(tag, self.value(part, depth))

        return [make, make, make]

    def _partial_functions(self, sort: Any, depth: int) -> list[Thunk]:
        def change() -> Any:
            function, key = self.value(sort, 0), self.value(sort.domain, depth)
            return function.updated(key, self.value(sort.range, depth))

        def less() -> Any:
            return self.value(sort, 0).without(self.value(sort.domain, depth))

        def make() -> Any:
            over = sort.domain if self.rng.random() < 0.3 else self.value(Set(sort.domain), 0)
            seed = self.rng.random()

            def body(key: Any) -> Any:
                inner = self.within(key)
                inner.rng = random.Random(seed)
                return inner.value(sort.range, depth)

            return partial_function(over, body, sort.range)

        def whole() -> Any:
            return function(sort.domain, lambda k: self.within(k).value(sort.range, depth), sort.range)

        return [change, change, change, less, make, whole, lambda: literal(sort, FrozenMap())]

    def _list_thunks(self, sort: Any, depth: int) -> list[Thunk]:
        if sort.bounds is None:
            return self._literals(sort, depth)
        return [*self._literals(sort, depth), lambda: maximum(self.value(sort, 0) - 1, sort.bounds.low)]

    def _sets(self, sort: Any, depth: int) -> list[Thunk]:
        rng, element = self.rng, sort.element

        def change() -> Any:
            members, item = self.value(sort, 0), self.value(element, depth)
            return members.add(item) if rng.random() < 0.7 else members.remove(item)

        def combine() -> Any:
            left, right = self.value(sort, 0), self.value(sort, 0)
            return rng.choice([left | right, left & right, left - right])

        def make_image() -> Any:
            over = rng.choice([s for s in self.sorts if s.count <= 3] or self.sorts)
            return image(over, lambda m: self.within(m).value(element, 0))

        def join() -> Any:
            over = rng.choice([s for s in self.sorts if s.count <= 3] or self.sorts)
            return union_of(over, lambda m: self.within(m).value(sort, 0))

        def from_elsewhere() -> Any:
            others = [element - self.value(sort, 0), element]
            return rng.choice([*others, self.value(Sequence(element, 2), depth).elements])

        empty: Thunk = lambda: literal(sort, frozenset())  # noqa: E731
        makers = [join, from_elsewhere, change, change, change, combine, make_image, empty]
        return [*makers, lambda: comprehension(element, self._body(0))] if element.size <= 12 else makers

    def _sequences(self, sort: Any, depth: int) -> list[Thunk]:
        rng = self.rng

        def append() -> Any:
            sequence, item = self.value(sort, 0), self.value(sort.element, depth)
            longer = sequence.append(item)
            if rng.random() < 2 * _LEAVING:
                return longer
            return _Fits(if_(sequence.length < sort.capacity, longer, sequence))

        def cut() -> Any:
            sequence = self.value(sort, 0)
            return rng.choice(
                [sequence.truncate(self.value(Range(0, 1), 0)), filtered(sequence, self._body(0))]
            )

        def rearrange() -> Any:
            sequence = self.value(sort, 0)
            if rng.random() < 0.3:
                return sequence.reversed
            if rng.random() < 0.5:
                seed = rng.random()
                return mapped(sequence, lambda x: self._again(seed, x).value(sort.element, 0))
            whole = sequence.between(0, sequence.length)
            shorter = rng.choice([sequence.tail, sequence.between(1, 1), whole])
            return self._guard(~sequence.is_empty, shorter, sort)

        def overwritten() -> Any:
            sequence, index = self.value(sort, 0), rng.choice([0, 0, 1])
            changed = sequence.updated(index, self.value(sort.element, depth))
            return self._guard(sequence.length > index, changed, sort)

        def prepend() -> Any:
            sequence = self.value(sort, 0)
            longer = sequence.prepend(self.value(sort.element, depth))
            return _Fits(if_(sequence.length < sort.capacity, longer, sequence))

        makers = [append, append, prepend, overwritten, rearrange, cut]
        return [*makers, lambda: literal(sort, ())]

    def _again(self, seed: float, x: Any) -> Terms:
        """Terms about a bound variable, the same whenever they are read."""
        inner = self.within(x)
        inner.rng = random.Random(seed)
        return inner

    def _bags(self, sort: Any, depth: int) -> list[Thunk]:
        def add() -> Any:
            bag, item = self.value(sort, 0), self.value(sort.element, depth)
            longer = bag.add(item)
            if self.rng.random() < 2 * _LEAVING:
                return longer
            return _Fits(if_(bag.copies(item) < sort.maximum, longer, bag))

        def remove() -> Any:
            return self.value(sort, 0).remove(self.value(sort.element, depth))

        return [add, add, remove]


def _within(sort: Any, value: Any) -> Any:
    """An integer, brought into the range."""
    return minimum(maximum(value, sort.low), sort.high)


def _alike(one: Sort, other: Sort) -> bool:
    """True if values of both go together."""
    try:
        join(one, other)
    except SortError:
        return False
    return True


def _has(sort: Sort, kind: Sort) -> bool:
    return sort == kind or any(_has(part, kind) for part in sort.parts())


def holding(value: Any, element: Any) -> Any:
    """Return the formula that an element is part of a value."""
    match value.sort:
        case IndexSet() as sort if sort == element.sort:
            return value == element
        case Option():
            return value.is_some & holding(value.value, element)
        case Record() as sort:
            return any_of(*(holding(getattr(value, name), element) for name, _ in sort.fields))
        case Function() as sort if sort.domain == element.sort and isinstance(sort.range, Boolean | Range):
            return value[element] == literal(sort.range, list(sort.range.values())[-1])
        case Tuple() as sort:
            return any_of(*(holding(value[place], element) for place in range(len(sort.items))))
        case Variant() as sort:
            tags = (tag for tag, part in sort.alternatives if part != Tuple())
            return any_of(*(value.is_(tag) & holding(value.payload(tag), element) for tag in tags))
        case PartialFunction():
            return exists(value.domain, lambda key: holding(key, element) | holding(value[key], element))
        case Function() as sort:
            return exists(sort.domain, lambda key: holding(value[key], element))
        case Set():
            return exists(value, lambda item: holding(item, element))
        case Sequence() as sort:
            return any_of(*((value.length > i) & holding(value[i], element) for i in range(sort.capacity)))
        case Bag() as sort:
            return exists(sort.element, lambda item: (value.copies(item) > 0) & holding(item, element))
    return any_of()
