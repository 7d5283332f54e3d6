"""Terms that are alike: they differ only in the names of bound variables, and in whose parts they read.

``{m \\in sent : m.kind = "vote"}`` written twice is two terms, with two bound variables, and so is
``m.kind = "vote"`` about two variables. What such terms mean follows from their shape and from the values of
what they read, so what was made of one serves for the other.

A shape is a number. Equal numbers mean: the same operators, sorts and data, with the same pattern of
variables. A read is a variable, or a field of one where nothing but the field is read: ``m.kind`` needs no
more of ``m``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verifier.encodings.sorts import Record, Sort
from verifier.encodings.terms import Operator, Symbol, Term

Read = tuple[Symbol, tuple[Any, ...]]
"""A variable, and the names of the fields that lead to the part of it that is read."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A term without the identity of what it reads."""

    number: int
    reads: tuple[Read, ...]
    """The parts of free variables that the term reads, in the order of their first occurrence."""


class Shapes:
    """The shapes of terms. It keeps the terms alive, because it knows them by ``id``."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Term, Shape]] = {}
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._sorts: dict[int, tuple[Sort, int]] = {}

    def of(self, term: Term) -> Shape:
        """The shape of a term."""
        known = self._known.get(id(term))
        if known is None:
            known = self._known[id(term)] = (term, self._shape(term))
        return known[1]

    def _shape(self, term: Term) -> Shape:
        part = part_of_variable(term)
        if part is not None:
            return Shape(self._number(("part", self._sort(term.sort))), (part,))
        places: dict[Read, int] = {}
        arguments = []
        for argument in term.arguments:
            shape = self.of(argument)
            # What is read of the variable that this term binds is no read of the term, but part of its shape.
            pattern = tuple(
                read[1] if read[0] is term.binds else places.setdefault(read, len(places))
                for read in shape.reads
            )
            arguments.append((shape.number, pattern))
        binds = None if term.binds is None else self._sort(term.binds.sort)
        # Sorts tell equal data of different types apart, and the type does where a sort would not.
        head = (term.operator, self._sort(term.sort), type(term.data), term.data, binds)
        return Shape(self._number((*head, *arguments)), tuple(places))

    def _number(self, form: tuple[Any, ...]) -> int:
        return self._numbers.setdefault(form, len(self._numbers))

    def _sort(self, sort: Sort) -> int:
        """A number of the sort; equal sorts have the same."""
        known = self._sorts.get(id(sort))
        if known is None:
            known = self._sorts[id(sort)] = (sort, self._number(("sort", sort)))
        return known[1]


def part_of_variable(term: Term) -> Read | None:
    """The variable that a term is, or of which it is a field; None if it is neither."""
    path: list[Any] = []
    while term.operator is Operator.FIELD and isinstance(term.arguments[0].sort, Record):
        path.append(term.data)
        (term,) = term.arguments
    if term.operator is not Operator.VARIABLE:
        return None
    assert isinstance(term.data, Symbol)
    return term.data, tuple(reversed(path))
