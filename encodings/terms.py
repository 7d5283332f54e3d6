"""Terms: typed expressions as plain data.

A term says what a formula means (``forall r: P(r)``), not how a solver receives it. The finite reading
(``verifier.encodings.lowering``) expands quantifiers. A parametric reading could keep them. Printing and
the symmetry check use the same terms. Terms are immutable and compared by identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort


class Operator(StrEnum):
    """The operation of a term on its arguments. The comment gives the arguments, then the data."""

    LITERAL = "literal"  # () ; data: the concrete value
    VARIABLE = "variable"  # () ; data: the Symbol
    NOT = "not"
    AND = "and"
    OR = "or"
    IMPLIES = "implies"
    EQUAL = "equal"
    IF = "if"  # condition, then, else
    LESS = "less"
    LESS_EQUAL = "less or equal"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"  # the floor of the quotient; the divisor is positive
    MODULO = "modulo"  # the divisor is positive
    MINIMUM = "minimum"  # of two or more
    MAXIMUM = "maximum"  # of two or more
    SOME = "some"
    IS_NONE = "is none"
    GET = "get"  # the payload of an option
    RECORD = "record"  # field values in order
    FIELD = "field"  # record or tuple ; data: name or place
    RECORD_UPDATE = "record update"  # record, value ; data: name
    APPLY = "apply"  # function, key
    FUNCTION = "function"  # body ; binds the key
    FUNCTION_UPDATE = "function update"  # function, key, value
    SET = "set"  # elements
    CONTAINS = "contains"  # set, element
    UNION = "union"
    INTERSECTION = "intersection"
    DIFFERENCE = "difference"
    SUBSET = "subset"
    COMPREHENSION = "comprehension"  # condition ; binds the element
    IMAGE = "image"  # condition, body ; binds the element
    UNION_OF = "union of"  # condition, body ; binds: the union of the sets that are values of the body
    CARDINALITY = "cardinality"
    MINIMUM_OF = "minimum of set"
    MAXIMUM_OF = "maximum of set"
    CHOOSE = "choose"  # condition ; binds the value: the first in the sort's order
    FORALL = "forall"  # body ; binds
    EXISTS = "exists"  # body ; binds
    COUNT = "count"  # body ; binds: how many values satisfy it
    SUM_OF = "sum of"  # condition, body ; binds
    SEQUENCE = "sequence"  # elements
    LENGTH = "length"
    AT = "at"  # sequence, index from 0
    APPEND = "append"
    TRUNCATE = "truncate"  # sequence, how many of the first elements to keep
    FILTER = "filter"  # sequence, condition ; binds the element
    CONCATENATE = "concatenate"
    BETWEEN = "between"  # sequence, index of the first element, index after the last
    REVERSE = "reverse"
    MAP = "map"  # sequence, body ; binds the element
    SEQUENCE_UPDATE = "sequence update"  # sequence, index, value
    OCCURS = "occurs"  # sequence, element
    ELEMENTS = "elements"  # sequence: the set of its elements
    SUM = "sum"  # sequence of integers
    COPIES = "copies"  # bag, element
    BAG_ADD = "add to bag"
    BAG_REMOVE = "remove from bag"
    TUPLE = "tuple"  # items
    VARIANT = "variant"  # payload ; data: tag
    HAS_TAG = "has tag"  # variant ; data: tag
    PAYLOAD = "payload"  # variant ; data: tag
    PARTIAL_FUNCTION = "partial function"  # condition, body ; binds the key
    DOMAIN = "domain"  # partial function
    EXTEND = "extend"  # partial function, key, value: with this value at the key
    WITHOUT = "without"  # partial function, key


@dataclass(frozen=True, eq=False)
class Symbol:
    """A variable: a state variable, a parameter of an action, or a variable bound by a quantifier."""

    name: str
    sort: Sort


_NONE: frozenset[Symbol] = frozenset()


@dataclass(frozen=True, eq=False)
class Term:
    """One expression. ``data`` is what the operator needs besides its arguments (see Operator)."""

    operator: Operator
    sort: Sort
    arguments: tuple[Term, ...] = ()
    data: Concrete | Symbol = None
    binds: Symbol | None = None
    free: frozenset[Symbol] = field(init=False, repr=False)
    """The variables that occur in the term and are not bound in it."""

    def __post_init__(self) -> None:
        free = _NONE
        for argument in self.arguments:
            own = argument.free
            if own is not free and not own <= free:  # most arguments have the same ones, or none
                free = own if free <= own else free | own
        if isinstance(self.data, Symbol):
            free |= {self.data}
        if self.binds is not None:
            free -= {self.binds}
        object.__setattr__(self, "free", free)

    def walk(self) -> Iterator[Term]:
        """This term and all terms in it, each once."""
        return distinct([self])


def distinct(terms: Iterable[Term]) -> Iterator[Term]:
    """These terms and all terms in them, each once."""
    seen: set[int] = set()
    stack = list(terms)
    while stack:
        term = stack.pop()
        if id(term) not in seen:
            seen.add(id(term))
            stack.extend(term.arguments)
            yield term


def conjuncts(term: Term) -> Iterator[Term]:
    """Yield the conjuncts of a formula, the first first; a formula that is no conjunction is its only one."""
    if term.operator is Operator.AND:
        for part in term.arguments:
            yield from conjuncts(part)
    else:
        yield term
