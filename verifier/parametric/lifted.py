"""Clauses that a prover found at small constants, generalised to formulas for all constants: Python text.

A clause says that some values do not occur together. Its elements become variables, all different. Its
numbers become ``k`` plus a distance. The guess may be false, so it is checked.

Source: Ma et al. 2019, doi:10.1145/3341301.3359651, generalise invariants of small instances, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from keyword import iskeyword
from typing import Any

from verifier.encodings.concrete import Element
from verifier.encodings.layout import BitMeaning, Layout, Leaf, Part, Relation
from verifier.encodings.sorts import (
    Boolean,
    Enum,
    Function,
    IndexSet,
    Option,
    Range,
    Record,
    Set,
    Sort,
    Tuple,
)
from verifier.encodings.sorts import Sequence as SequenceSort
from verifier.parametric.covered import cover_elements
from verifier.parametric.traced import polynomial_of, polynomial_text

Literal = tuple[str, bool]
"""The name of a bit, and whether it is set."""
_MOST_CHOICES = 6
"""The limit of readings of a clause for which all are lifted."""
_LETTERS = "abcdefgh"
_MOST_OCCURRENCES = 5
"""The limit of elements in a clause whose occurrences become variables of their own."""
_LONGEST = 95
"""The length from which a formula is written on several lines."""


@dataclass(frozen=True)
class Lifted:
    """A formula that excludes a combination, for all values of some variables."""

    variables: tuple[tuple[str, str], ...]
    """The variables, each with the text of its sort."""
    parts: tuple[str, ...]
    is_general: bool = True
    """True if it mentions no numbers but ``k`` and distances from it."""
    is_split: bool = False
    """True if each place of an element has a variable of its own: a stronger guess."""

    @property
    def text(self) -> str:
        """Return the formula as an expression, on lines as in a method."""
        said = f"~({' & '.join(self.parts)})"
        if len(said) > _LONGEST:
            parts = "\n                & ".join(self.parts)
            said = f"~(\n                {parts}\n            )"
        loops = "".join(f"\n            for {name} in {sort}" for name, sort in self.variables)
        return f"forall(\n            {said}{loops}\n        )" if loops else said


def method(name: str, formula: str, why: str) -> str:
    """Return a lemma as text to paste into the class of a protocol."""
    return f'    @lemma\n    def {name}(self, s):\n        """{why}"""\n        return {formula}\n'


class Unread(Exception):
    """Raised for a clause without such a text."""


@dataclass
class _Clause:
    """One reading of a clause, while it is written."""

    lifter: Lifter
    is_shifted: bool
    zero_stays: bool
    first: int | None
    elements: dict[Element, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    k_sort: str | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    """The numbers of elements of index sets."""
    is_split: bool = False
    """True if each occurrence of an element becomes a variable of its own."""
    occurrences: list[tuple[str, Element]] = field(default_factory=list)
    """The variables of occurrences, in a split clause."""

    def number(self, value: int, sort: Range) -> str:
        if not self.is_shifted or (self.zero_stays and value <= 0) or self.first is None:
            return str(value)
        if self.k_sort is None or value == self.first:
            self.k_sort = self.k_sort or range_text(self.lifter.sets, sort)
        more = value - self.first
        return f"k + {more}" if more > 0 else f"k - {-more}" if more else "k"

    def element(self, value: Element, sort: IndexSet) -> str:
        if self.is_split:
            return self._occurrence(value, sort)
        known = self.elements.get(value)
        if known is None:
            if len(self.elements) == len(_LETTERS):
                raise Unread
            known = self.elements[value] = _LETTERS[len(self.elements)]
            of_sort = self.lifter.set_text(sort)
            self.sizes[of_sort] = sort.size
            self.conditions += [f"({n} != {known})" for n, its in self.variables.items() if its == of_sort]
            self.variables[known] = of_sort
        return known

    def _occurrence(self, value: Element, sort: IndexSet) -> str:
        if len(self.occurrences) == _MOST_OCCURRENCES:
            raise Unread
        name = _LETTERS[len(self.occurrences)]
        self.occurrences.append((name, value))
        self.variables[name] = self.lifter.set_text(sort)
        return name

    def distinctions(self) -> list[str]:
        """Return the inequalities between two occurrences of different elements."""
        return [
            f"({one} != {other})"
            for (one, mine), (other, theirs) in combinations(self.occurrences, 2)
            if mine is not theirs and self.variables[one] == self.variables[other]
        ]

    def key(self, value: Any, sort: Sort) -> str:
        if isinstance(sort, IndexSet):
            return self.element(value, sort)
        if isinstance(sort, Range):
            name = f"i{len(self.variables)}"
            self.variables[name] = range_text(self.lifter.sets, sort)
            self.conditions.append(f"({name} == {self.number(value, sort)})")
            return name
        if isinstance(sort, Enum):
            return repr(value)
        return self._compound_key(value, sort)

    def _compound_key(self, value: Any, sort: Sort) -> str:
        match sort:
            case Option():
                return "None" if value is None else self.key(value, sort.inner)
            case Tuple():
                pairs = zip(value, sort.items, strict=True)
                return f"({', '.join(self.key(item, part) for item, part in pairs)})"
            case Record():
                fields = (f"{name!r}: {self.key(value[name], part)}" for name, part in sort.fields)
                return f"{{{', '.join(fields)}}}"
            case Boolean():
                return str(value)
        raise Unread


@dataclass(frozen=True)
class Lifter:
    """Lifts clauses over the bits of a layout. The sorts are those of the reading for all constants."""

    layout: Layout
    sorts: Mapping[str, Sort]
    sets: Mapping[str, str]
    """The name of the constant of each index set."""

    def lift(self, clauses: Iterable[Sequence[Literal]]) -> list[Lifted]:
        """Return the formulas: those for any number first, short ones before long ones."""
        formulas: dict[Lifted, None] = {}
        bits = {
            bit.symbol_name(): (leaf, place)
            for leaf in self.layout.leaves
            for place, bit in enumerate(leaf.bits)
        }
        for clause in clauses:
            leaves: dict[int, tuple[Leaf, list[tuple[BitMeaning, bool]]]] = {}
            for name, is_set in clause:
                leaf, place = bits[name]
                leaves.setdefault(id(leaf), (leaf, []))[1].append((leaf.meaning(place), not is_set))
            together = sorted(leaves.values(), key=lambda pair: pair[0].name)
            for one in self._readings([(leaf, _find_allowed_values(leaf, said)) for leaf, said in together]):
                formulas.setdefault(one)
        return sorted(formulas, key=lambda one: (not one.is_general, len(one.parts), len(one.text)))

    def _readings(self, together: Sequence[tuple[Leaf, tuple[Any, ...]]]) -> Iterator[Lifted]:
        numbers = sorted({n for leaf, allowed in together for n in _numbers(leaf, allowed)})
        positive = [n for n in numbers if n > 0]
        firsts = [(False, False, None), (True, False, numbers[0] if numbers else None)]
        if positive and len(positive) < len(numbers):
            firsts.append((True, True, positive[0]))
        ways = [_bounds(leaf, allowed) for leaf, allowed in together]
        for shifted, stays, first in firsts if numbers else firsts[:1]:
            for place, chosen in enumerate(product(*ways)):
                if place >= _MOST_CHOICES:
                    break
                clause = _Clause(self, shifted, stays, first)
                try:
                    parts = [
                        self._part(clause, leaf, allowed, how)
                        for (leaf, allowed), how in zip(together, chosen, strict=True)
                    ]
                except Unread:
                    break
                variables = dict(clause.variables)
                if clause.k_sort is not None:
                    variables["k"] = clause.k_sort
                is_general = shifted or not numbers
                whole = Lifted(tuple(variables.items()), (*clause.conditions, *parts), is_general)
                yield whole
                yield from _with_fewer_distinctions(whole)
                for kept, said in cover_elements(whole.variables, whole.parts, clause.sizes):
                    yield Lifted(kept, said, is_general)
        if not numbers:
            yield from self._split(together)

    def _split(self, together: Sequence[tuple[Leaf, tuple[Any, ...]]]) -> Iterator[Lifted]:
        """Yield stronger guesses: any elements in each place, or two of them different."""
        clause = _Clause(self, False, False, None, is_split=True)
        try:
            parts = [self._part(clause, leaf, allowed, "==") for leaf, allowed in together]
        except Unread:
            return
        distinctions = clause.distinctions()
        if distinctions or len(clause.occurrences) > 1:
            for kept in ((), *((one,) for one in distinctions)):
                yield Lifted(tuple(clause.variables.items()), (*kept, *parts), is_split=True)

    def set_text(self, sort: IndexSet) -> str:
        """Return an index set as text of the protocol."""
        if sort.name not in self.sets:
            raise Unread
        return read_field("self", self.sets[sort.name])

    def _part(self, clause: _Clause, leaf: Leaf, allowed: tuple[Any, ...], how: str) -> str:
        """Return the text that a field has one of the values."""
        text, sort = read_field("s", str(leaf.path[0])), self.sorts[str(leaf.path[0])]
        for step in leaf.path[1:]:
            text, sort = _take_step(clause, text, sort, step)
        if not allowed:
            raise Unread  # the clause says nothing
        if leaf.code is None:
            return text if allowed[0] else f"~{text}"
        is_option = isinstance(sort, Option)
        inner = sort.inner if isinstance(sort, Option) else sort
        held = [value for value in allowed if value is not None]
        if not held:
            return f"{text}.is_none"
        rest = [value for value in leaf.values if value is not None]
        if len(held) == len(rest):
            if len(allowed) == len(leaf.values) or not is_option:
                raise Unread
            return f"{text}.is_some"
        said = _say_clause(clause, f"{text}.value" if is_option else text, text, inner, held, how)
        if not is_option or how == "==":
            return f"({text}.is_none | {said})" if is_option and None in allowed else said
        return f"({text}.is_none | {said})" if None in allowed else f"({text}.is_some & {said})"


def _say_clause(clause: _Clause, value: str, whole: str, sort: Sort, held: Sequence[Any], how: str) -> str:
    match sort:
        case Range():
            if how == "==":
                return f"({whole} == {clause.number(held[0], sort)})"
            end = held[0] if how == ">=" else held[-1]
            return f"({value} {how} {clause.number(end, sort)})"
        case IndexSet() if len(held) == 1:
            return f"({whole} == {clause.element(held[0], sort)})"
        case Enum():
            return "(" + " | ".join(f"({whole} == {one!r})" for one in held) + ")"
    raise Unread


def _with_fewer_distinctions(whole: Lifted) -> Iterator[Lifted]:
    """Yield stronger guesses, in which at most one pair of elements must differ: at few elements, all others
    of a clause may differ by chance."""
    distinctions = [part for part in whole.parts if " != " in part]
    rest = tuple(part for part in whole.parts if part not in distinctions)
    for kept in ((), *((one,) for one in distinctions)) if len(distinctions) > 1 else ():
        yield replace(whole, parts=(*kept, *rest), is_split=True)


def read_field(whole: str, name: str) -> str:
    """Return the text that reads a field. A module may have names that are no names in Python."""
    return f"{whole}.{name}" if name.isidentifier() and not iskeyword(name) else f"getattr({whole}, {name!r})"


def _take_step(clause: _Clause, text: str, sort: Sort, step: Any) -> tuple[str, Sort]:
    """Take one step of a path."""
    if isinstance(sort, Option):
        if isinstance(step, Part) and step.name == "is some":
            return f"{text}.is_some", sort
        text, sort = f"{text}.value", sort.inner
    match sort:
        case Function():
            return f"{text}[{clause.key(step, sort.domain)}]", sort.range
        case Set():
            return f"{text}.contains({clause.key(step, sort.element)})", sort
        case Record() if isinstance(step, Part) and step.name in sort.field_sorts:
            return read_field(text, step.name), sort.field_sorts[step.name]
        case SequenceSort():
            if isinstance(step, Part):
                return f"{text}.length", Range(0, sort.capacity)
            place = clause.key(step, Range(0, sort.capacity - 1))
            clause.conditions.append(f"({place} < {text}.length)")
            return f"{text}[{place}]", sort.element
    raise Unread


def _find_allowed_values(leaf: Leaf, said: Iterable[tuple[BitMeaning, bool]]) -> tuple[Any, ...]:
    """Return the values of a field that agree with all its bits in the clause."""
    values = (False, True) if leaf.code is None else leaf.values
    known = list(said)
    return tuple(v for v in values if all(_holds(leaf, meaning, v) == is_so for meaning, is_so in known))


def _holds(leaf: Leaf, meaning: BitMeaning, value: Any) -> bool:
    match meaning.relation:
        case Relation.IS_TRUE:
            return bool(value)
        case Relation.AT_LEAST:
            return leaf.values.index(value) >= leaf.values.index(meaning.value)
        case Relation.IN:
            return value in meaning.value  # type: ignore[operator]
    return bool(value == meaning.value)


def _bounds(leaf: Leaf, allowed: Sequence[Any]) -> tuple[str, ...]:
    """Return the relations that describe values: equal to one, at least, or at most. A value that is the last
    at these constants may stand for all from it on."""
    held = [value for value in allowed if _is_number(value)]
    rest = [value for value in leaf.values if _is_number(value)] if leaf.code is not None else []
    if not held or len(held) == len(rest):
        return ("==",)
    ends = [">="] * (held[-1] == rest[-1]) + ["<="] * (held[0] == rest[0])
    ends = ends if list(held) == list(range(held[0], held[-1] + 1)) else []
    return tuple(["=="] * (len(held) == 1) + ends)


def _numbers(leaf: Leaf, allowed: Sequence[Any]) -> Iterator[int]:
    yield from (step for step in leaf.path if isinstance(step, int) and _is_number(step))
    held = [value for value in allowed if _is_number(value)]
    rest = [value for value in leaf.values if _is_number(value)] if leaf.code is not None else []
    if held and len(held) < len(rest):
        yield held[0] if held[-1] == rest[-1] else held[-1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def range_text(sets: Mapping[str, str], sort: Range) -> str:
    """Return a range as text of the protocol."""
    return f"Range({_write_bound(sets, sort.low)}, {_write_bound(sets, sort.high)})"


def _write_bound(sets: Mapping[str, str], value: int) -> str:
    polynomial = polynomial_of(value)
    names = {name for monomial in polynomial for name in monomial}
    text = polynomial_text(polynomial)
    own = {name: read_field("self", name) for name in names}
    sizes = {name: f"{read}.size" if name in sets.values() else read for name, read in own.items()}
    return " ".join(sizes.get(word, word) for word in text.split())
