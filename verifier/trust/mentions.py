"""The parts of a state that a term mentions, and those that decide whether a value is an element of a set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.lowering import Bindings
from verifier.encodings.printing import LONGEST, text
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.trust.concrete_reading import ConcreteReading

_PATHS = frozenset(
    {Operator.APPLY, Operator.FIELD, Operator.PAYLOAD, Operator.AT, Operator.LENGTH, Operator.VARIABLE}
)
_KEYS = _PATHS | {Operator.GET}
_MOST_ELEMENTS = 200
"""The most elements of which each is looked at."""


@dataclass(frozen=True)
class Mentions:
    """Finds what terms mention of a concrete state."""

    reading: ConcreteReading
    variables: frozenset[str]
    first_index: int

    def values(self, term: Term, bindings: Bindings) -> Iterator[tuple[str, Concrete | None]]:
        """Yield the values of the parts of the state that a term mentions outside of further quantifiers.

        Whether a value is in a set that a condition describes depends on the condition for this value.
        """
        seen: set[str] = set()
        visited: set[int] = set()
        stack = [(term, bindings)]
        while stack:
            part, bound = stack.pop()
            if id(part) in visited:  # terms share their parts
                continue
            visited.add(id(part))
            inside = self._inside(part, bound)
            if self._is_path(part, bound):
                values = [(self.name(part, bound), self.reading.value(part, bound))]
                stack.extend((key, bound) for key in self._find_keys(part, bound))
            elif inside is not None:
                values = list(self.values(*inside))
            else:
                values = []
                stack.extend((one, bound) for one in reversed(part.arguments))
            yield from (one for one in values if one[0] not in seen)
            seen.update(name for name, _ in values)

    def name(self, part: Term, bindings: Bindings, longest: int = LONGEST) -> str:
        """Name a term by its text, with the values of its keys."""
        if part.operator is Operator.APPLY and (not isinstance(part.sort, Boolean) or self._is_stored(part)):
            base, key = part.arguments
            value = self.reading.value(key, bindings) if self._is_closed(key, bindings) else None
            if value is not None:
                return f"{self.name(base, bindings)}[{show(value)}]"
        if part.operator is Operator.FIELD and isinstance(part.data, str):
            return f"{self.name(part.arguments[0], bindings)}.{part.data}"
        return text(part, bindings, self.first_index, longest)

    def _find_keys(self, path: Term, bindings: Bindings) -> Iterator[Term]:
        """Yield the keys in a path that are parts of the state themselves, and not computed from many."""
        part = path
        while part.arguments:
            is_plain = part.operator is Operator.APPLY and part.arguments[1].operator in _KEYS
            if is_plain and self._reads_state(part.arguments[1], bindings):
                yield part.arguments[1]
            part = part.arguments[0]

    def _reads_state(self, key: Term, bindings: Bindings) -> bool:
        return self._is_closed(key, bindings) and bool(key.free - bindings.keys())

    def _is_closed(self, term: Term, bindings: Bindings) -> bool:
        return all(symbol in bindings or symbol.name in self.variables for symbol in term.free)

    def _is_path(self, part: Term, bindings: Bindings) -> bool:
        """True of a part of the state. Of another truth value, what it is made from is mentioned."""
        if part.operator not in _PATHS or (isinstance(part.sort, Boolean) and not self._is_stored(part)):
            return False
        return self._reads_state(part, bindings)

    def _is_stored(self, part: Term) -> bool:
        """True if a path begins at a variable of the state, and not at a value that a formula makes."""
        while part.operator in _PATHS and part.arguments:
            part = part.arguments[0]
        return isinstance(part.data, Symbol) and part.data.name in self.variables

    def _inside(self, part: Term, bindings: Bindings) -> tuple[Term, Bindings] | None:
        """The condition of a set for the value that is asked for; None of anything else."""
        if part.operator is not Operator.CONTAINS:
            return None
        whole, element = part.arguments
        known = element.free <= bindings.keys() and whole.operator is Operator.COMPREHENSION
        if not known or whole.binds is None:
            return None
        value = self.reading.value(element, bindings)
        return None if value is None else (whole.arguments[0], {**bindings, whole.binds: value})

    def sources(self, term: Term, bindings: Bindings) -> dict[str, tuple[str, ...]]:
        """Return the parts that decide about each element of a set that is made from others, by the element's
        text."""
        if term.binds is None or term.binds.sort.size > _MOST_ELEMENTS:
            return {}
        if term.operator not in (Operator.COMPREHENSION, Operator.IMAGE, Operator.UNION_OF):
            return {}
        sources: dict[str, tuple[str, ...]] = {}
        for value in term.binds.sort.each():
            inner = {**bindings, term.binds: value}
            if term.operator is not Operator.COMPREHENSION and not self._is_taken(term, inner):
                continue
            names = [name for part in term.arguments for name, _ in self.values(part, inner)]
            for element in self._find_elements(term, value, inner):
                known = sources.get(show(element), ())
                sources[show(element)] = tuple(dict.fromkeys([*known, *names]))
        return sources

    def _is_taken(self, term: Term, inner: Bindings) -> bool:
        return all(self.reading.holds(condition, inner) for condition in term.arguments[:-1])

    def _find_elements(self, term: Term, value: Concrete, inner: Bindings) -> Iterable[Concrete | None]:
        """The elements that a set has for a value of its bound name."""
        if term.operator is Operator.COMPREHENSION:
            return (value,)
        last = self.reading.value(term.arguments[-1], inner)
        if term.operator is Operator.IMAGE:
            return (last,)
        return last if isinstance(last, frozenset) else ()
