r"""Constants that are sets of sets, such as quorums.

A family is an index set, whose elements stand for its sets, and a state variable that gives the set of each.
It starts with any value that satisfies the facts of the family, and no action changes it. So the protocol's
executions at n elements of S and k of the family are those of the module with all families of k parts of S
that satisfy the facts. Different elements stand for different sets: equations of sets are read exactly.

The facts are the ASSUMEs that mention the family. If there is none, but any two sets in the configuration
share an element, then this is assumed of the family; the answer says that the module does not declare it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from verifier.encodings.sorts import Function, Set, Sort
from verifier.encodings.terms import Symbol
from verifier.encodings.values import BooleanValue
from verifier.tla.first_order.kinds import Map, Member, SetOf
from verifier.tla.first_order.typed import Typed, conjoin, quantify, variable_of
from verifier.tla.value_types import Value

ASSUMED = ".assumed"
"""The end of the name of the lemma that says what is assumed of families. No operator has a dot."""


@dataclass(frozen=True)
class Family:
    """A constant whose elements are sets of elements of another constant."""

    name: str
    base: str
    """The constant of which its elements are parts."""
    given: tuple[frozenset[Value], ...]
    """The sets in the configuration, in a fixed order."""
    is_declared: bool = False
    """True if an ASSUME of the module says what is known of it."""

    @property
    def variable(self) -> str:
        """Return the name of the state variable that gives the sets."""
        return f"{self.name}_sets"

    @property
    def kind(self) -> Map:
        """Return the kind of that variable."""
        return Map(Member(self.name), SetOf(Member(self.base)))

    @property
    def meets(self) -> bool:
        """True if it is assumed that any two sets share an element."""
        return not self.is_declared and self.any_two_meet

    @property
    def any_two_meet(self) -> bool:
        """True if any two of the given sets share an element."""
        return all(one & other for one in self.given for other in self.given)

    @property
    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions on it, in words."""
        return (self.said_of_parts, *self.undeclared)

    @property
    def said_of_parts(self) -> str:
        """Return the assumption that its elements are parts of its base, in words."""
        return f"each element of {self.name} is a subset of {self.base}"

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Return the assumption that only the configuration tells, in words."""
        return (f"any two elements of {self.name} share an element",) if self.meets else ()


def find_families(sets: Mapping[str, tuple[Value, ...]]) -> dict[str, Family | str]:
    """Return the constants whose values are sets of sets, or the reason why one has no reading."""
    families: dict[str, Family | str] = {}
    plain = {name: values for name, values in sets.items() if not any(map(_is_set, values))}
    for name, values in sets.items():
        if name in plain:
            continue
        parts = [one for one in values if isinstance(one, frozenset)]
        used = frozenset().union(*parts)
        bases = [other for other, elements in plain.items() if used and used <= frozenset(elements)]
        if len(parts) == len(values) and len(bases) == 1:
            families[name] = Family(name, bases[0], tuple(parts))
        else:
            families[name] = (
                f"the elements of {name} are sets or tuples; only sets of model values, strings or integers, "
                "and sets of subsets of one other constant are read as any such set. A set of quorums can "
                "also be defined in the module: {Q \\in SUBSET S : Cardinality(Q) * 2 > Cardinality(S)}"
            )
    return families


def find_again(
    known: Mapping[str, Family], sets: Mapping[str, tuple[Value, ...]]
) -> Mapping[str, Family | str]:
    """Return the same families with other sets."""
    parts = {name: [one for one in sets[name] if isinstance(one, frozenset)] for name in known}
    return {name: replace(one, given=tuple(parts[name])) for name, one in known.items()}


def _is_set(value: Value) -> bool:
    return isinstance(value, frozenset | tuple | dict)


def declare(families: Mapping[str, Family], mentioned: set[str]) -> dict[str, Family]:
    """Return the families, of which ASSUMEs mention some."""
    return {name: replace(one, is_declared=name in mentioned) for name, one in families.items()}


class Families:
    """The families at the sorts of one protocol."""

    def __init__(
        self, families: Mapping[str, Family], members: Mapping[str, Sort[Any]], sets: Mapping[str, Any]
    ) -> None:
        """``sets``: the state variables of families. Without them, formulas have others in their place."""
        self.known, self._members = families, members
        self._sets = {name: sets[name] if name in sets else self._placeholder(name) for name in families}

    def _placeholder(self, name: str) -> Any:
        part = Set(self._members[self.known[name].base])
        return variable_of(Symbol(self.known[name].variable, Function(self._members[name], part)))

    def is_element(self, typed: Typed) -> bool:
        """True for an element of a family, which is a set."""
        return isinstance(typed.kind, Member) and typed.kind.constant in self.known

    def as_set(self, typed: Typed) -> Typed:
        """Return an element of a family as the set that it is."""
        assert isinstance(typed.kind, Member)
        family = self.known[typed.kind.constant]
        return Typed(SetOf(Member(family.base)), self._sets[family.name][typed.value])

    def facts(self, family: Family) -> BooleanValue | None:
        """Return the assumption that only the configuration tells; None if there is none."""
        if not family.meets:
            return None
        one, other = self._make_symbol(family, "Q"), self._make_symbol(family, "R")
        shared = self._have_common_member(family, one, other)
        return quantify(True, one, quantify(True, other, shared))

    def differ(self, family: Family) -> BooleanValue:
        """Return the formula that different elements are different sets."""
        one, other = self._make_symbol(family, "Q"), self._make_symbol(family, "R")
        sets = [self.as_set(Typed(Member(family.name), variable_of(symbol))) for symbol in (one, other)]
        same = variable_of(one) == variable_of(other)
        said = (sets[0].value == sets[1].value).implies(same)
        return quantify(True, one, quantify(True, other, said))

    def _have_common_member(self, family: Family, *symbols: Symbol) -> BooleanValue:
        item = Symbol("x", self._members[family.base])
        sets = [self.as_set(Typed(Member(family.name), variable_of(symbol))) for symbol in symbols]
        return quantify(False, item, conjoin(*(one.value.contains(variable_of(item)) for one in sets)))

    def _make_symbol(self, family: Family, name: str) -> Symbol:
        return Symbol(name, self._members[family.name])


def all_families(size: int) -> Iterator[tuple[frozenset[int], ...]]:
    """Yield the non-empty sets of parts of the numbers below ``size``, the smallest first."""
    parts = [frozenset(part) for length in range(size + 1) for part in combinations(range(size), length)]
    for length in range(1, len(parts) + 1):
        yield from combinations(parts, length)
