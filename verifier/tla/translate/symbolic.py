"""The results of translation: known values, terms, and forms between them.

Large and infinite sets stay descriptions, and functions with known keys stay tables, until a term is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from verifier.encodings.terms import Term
from verifier.tla.ast import Expression
from verifier.tla.errors import Place
from verifier.tla.value_types import FALSE, TRUE, Value


class Untranslated(Exception):
    """Raised for an expression that cannot be translated: where, and why."""

    def __init__(self, place: Place | None, words: str) -> None:
        super().__init__(words)
        self.place, self.words = place, words

    def __str__(self) -> str:
        return f"{self.place}: {self.words}" if self.place is not None else self.words


@dataclass(frozen=True, eq=False)
class Known:
    """A value that is the same in all states."""

    value: Value


@dataclass(frozen=True, eq=False)
class Nothing:
    """An expression that has no value, wherever it is evaluated."""

    words: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A function whose keys are known."""

    rows: dict[Value, Sym]


@dataclass(frozen=True, eq=False)
class Row:
    """A sequence by its slots and its length. A slot beyond the length is never read."""

    slots: tuple[Sym, ...]
    length: Sym


@dataclass(frozen=True, eq=False)
class Entries:
    """A function by its entries, where not all keys are known.

    Each entry has the condition under which its key is in the domain. Equal keys have equal values.
    """

    rows: tuple[tuple[Sym, Sym, Sym], ...]
    """Condition, key and value of each entry."""


@dataclass(frozen=True, eq=False)
class LazyMap:
    r"""A function ``f[x \\in S] == e``. Its values are translated one by one, when they are needed."""

    domain: Sym
    at: Callable[[Sym], Sym]
    """Returns the value at an argument."""
    whole: Callable[[], Sym]
    """Returns the function with all its values."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """An IF whose two sides have no common term."""

    condition: Sym
    then: Sym
    otherwise: Sym


@dataclass(frozen=True, eq=False)
class Functions:
    """``[S -> T]``"""

    domain: Sym
    range: Sym


@dataclass(frozen=True, eq=False)
class Records:
    """``[a : S, b : T]``"""

    fields: dict[str, Sym]


@dataclass(frozen=True, eq=False)
class Products:
    r"""``S \\X T``"""

    items: tuple[Sym, ...]


@dataclass(frozen=True, eq=False)
class Subsets:
    """``SUBSET S``"""

    base: Sym


@dataclass(frozen=True, eq=False)
class AllSequences:
    """``Seq(S)``"""

    base: Sym


@dataclass(frozen=True, eq=False)
class Span:
    """``low..high``"""

    low: Sym
    high: Sym


@dataclass(frozen=True, eq=False)
class Members:
    """A set of items, each with the condition under which it is a member."""

    items: tuple[tuple[Sym, Sym], ...]
    base: Sym | None = None
    """The set of functions, tuples or sets from which the items come: TLC looks there first for a member."""


@dataclass(frozen=True, eq=False)
class Joined:
    """A union of sets."""

    parts: tuple[Sym, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """The members of a set that pass a test."""

    base: Sym
    test: Callable[[Sym], Sym]


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator that is an argument."""

    call: Callable[..., Sym]
    count: int = 0
    """The number of its parameters, if it has a body."""
    entered: Callable[[Sequence[Any]], tuple[Expression, Any]] | None = None
    """Returns its body with the body's context, for values of its parameters; None if it has no body."""


Sym: TypeAlias = (
    "Known | Nothing | Term | Table | Row | Entries | LazyMap | Chosen | Functions | Records | Products"
    " | Subsets | AllSequences | Span | Members | Joined | Part | Operator"
)

SetForm: TypeAlias = (
    "Functions | Records | Products | Subsets | AllSequences | Span | Members | Joined | Part"
)
"""The sets that are described by their parts."""

YES, NO = Known(TRUE), Known(FALSE)
LAZY_SETS = (Functions, Records, Products, Subsets, AllSequences, Span, Members, Joined, Part)
