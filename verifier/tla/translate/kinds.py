r"""The kinds of values: which an operator takes, and which may be compared.

An operator has no value of what is of another kind, as to the interpreter: ``x \cup {1}`` where x is no set,
``Cardinality(x)`` where it is a record. So arguments are narrowed to the kind that an operator takes, at one
place for all operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import assert_never

from verifier.encodings.sorts import (
    Function,
    Listed,
    PartialFunction,
    Record,
    Sequence,
    Set,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.reading import Reading
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    AllSequences,
    Chosen,
    Entries,
    Functions,
    Joined,
    Known,
    LazyMap,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Row,
    Span,
    Subsets,
    Sym,
    Table,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, literal, variable
from verifier.tla.translate.value_kinds import (
    EVERY,
    FUNCTION,
    INTEGER,
    SET,
    STRING,
    clash,
    kind_of,
    kind_of_sort,
    kinds_of_members,
)
from verifier.tla.values import Fn, pairs_of

OPERANDS: Mapping[str, tuple[str | None, ...]] = MappingProxyType(
    {
        "\\in": (None, SET),
        "\\notin": (None, SET),
        "\\subseteq": (SET, SET),
        "\\cup": (SET, SET),
        "\\cap": (SET, SET),
        "\\": (SET, SET),
        "SUBSET": (SET,),
        "UNION": (SET,),
        "Cardinality": (SET,),
        "IsFiniteSet": (SET,),
        "DOMAIN": (FUNCTION,),
        "Len": (FUNCTION,),
        "Head": (FUNCTION,),
        "Tail": (FUNCTION,),
        "Append": (FUNCTION, None),
        "\\o": (FUNCTION, FUNCTION),
        "SubSeq": (FUNCTION, None, None),
        "SelectSeq": (FUNCTION, None),
        "Reverse": (FUNCTION,),
        "FoldLeft": (None, None, FUNCTION),
        "FoldRight": (None, FUNCTION, None),
        "BoundedSeq": (SET, None),
        "@@": (FUNCTION, FUNCTION),
        "SetToBag": (SET,),
        "BagToSet": (FUNCTION,),
        "BagIn": (None, FUNCTION),
        "CopiesIn": (None, FUNCTION),
        "BagCardinality": (FUNCTION,),
        "(+)": (FUNCTION, FUNCTION),
        "(-)": (FUNCTION, FUNCTION),
        "\\sqsubseteq": (FUNCTION, FUNCTION),
        "kSubset": (None, SET),
        "Min": (SET,),
        "Max": (SET,),
        "SetToSeq": (SET,),
        "FoldSet": (None, None, SET),
        "MapThenFoldSet": (None, None, None, None, SET),
    }
)
"""The kind that each argument of an operator must have. None where the operator's rule sees to it, as for
integers and truth values, or where any kind will do."""


class Kinds(Reading):
    """Knows of which kinds values are."""

    def operands(self, name: str, given: list[Sym]) -> list[Sym]:
        """The arguments of an operator, each without a value where it is of a kind that it does not take."""
        wanted = OPERANDS.get(name)
        if wanted is None:
            return given
        return [
            one if kind is None else self.expected(one, kind) for one, kind in zip(given, wanted, strict=True)
        ]

    def expected(self, value: Sym, kind: str) -> Sym:
        """A value where it is of a kind; it has none elsewhere."""
        if isinstance(value, Nothing | Op):
            return value
        if isinstance(value, Chosen):
            sides = [self.expected(side, kind) for side in (value.then, value.otherwise)]
            same = sides[0] is value.then and sides[1] is value.otherwise
            return value if same else self.if_(value.condition, *sides)
        if isinstance(value, Term) and isinstance(value.sort, Variant):
            tags = [t for t, _ in value.sort.alternatives if kind in self.kinds(self.payload(value, t))]
            if len(tags) == 1:
                return self.expected(self.payload(value, tags[0]), kind)
        found = self.kinds(value)
        held = found.get(kind)
        if held is None:
            return Nothing(f"a {kind} is expected")
        if len(found) == 1:
            return value
        return self.after(self.if_(held, YES, Nothing(f"a {kind} is expected")), value)

    def member_of(self, of: Sym, item: Sym) -> Sym:
        """Whether something is a member, where it is of a kind that may be compared with the members."""
        if self.of_candidates:
            return self.contains(of, item)
        of = self.expected(of, SET)
        if isinstance(of, Known):
            of = self.described(of.value)
        match of:
            case Nothing():
                return of
            case Chosen():
                sides = [self.member_of(side, item) for side in (of.then, of.otherwise)]
                return self.if_(of.condition, *sides)
            case Joined():
                return self.or_([self.member_of(part, item) for part in of.parts])
            case Part():
                inside = self.member_of(of.base, item)
                return NO if inside is NO else self.and_([inside, of.test(item)])
            case Members(base=base) if base is not None:
                inside = self.member_of(base, item)
                return NO if inside is NO else self.and_([inside, self.contains(of, item)])
        inside = self.contains(of, item)
        return self.after(self._comparable_with_members(of, item, inside), inside)

    def kinds(self, value: Sym) -> dict[str, Sym]:
        """The kinds of values that an expression may have, and when it has which."""
        match value:
            case Known():
                return {kind_of(value.value): YES}
            case Nothing() | Op():
                return {}
            case Term():
                return self._kinds_of_term(value)
            case Table() | Row() | Entries() | LazyMap():
                return {FUNCTION: YES}
            case Chosen():
                found: dict[str, Sym] = {}
                sides = ((value.condition, value.then), (self.not_(value.condition), value.otherwise))
                for when, side in sides:
                    for kind, held in self.kinds(side).items():
                        found[kind] = self.or_([found.get(kind, NO), self.and_([when, held])])
                return found
            case Functions() | Records() | Products() | Subsets() | AllSequences() | Span():
                return {SET: YES}
            case Members() | Joined() | Part():
                return {SET: YES}
        assert_never(value)

    def _kinds_of_term(self, value: Term) -> dict[str, Sym]:
        sort = value.sort
        if isinstance(sort, Variant):
            found: dict[str, Sym] = {}
            for tag, _ in sort.alternatives:
                held = self.has_tag(value, tag)
                for kind, when in self.kinds(self.payload(value, tag)).items():
                    found[kind] = self.or_([found.get(kind, NO), self.and_([held, when])])
            return found
        if not isinstance(sort, Listed):
            return {kind_of_sort(sort): YES}
        groups = self.listed_kinds.get(sort)
        if groups is None:
            groups = self.listed_kinds[sort] = {}
            for one in sort.values():
                groups.setdefault(kind_of(self.names.decode(one, sort)), []).append(one)
        if len(groups) == 1:
            return dict.fromkeys(groups, YES)
        return {
            kind: Term(Operator.CONTAINS, TRUTH, (literal(Set(sort), frozenset(some)), value))
            for kind, some in groups.items()
        }

    def comparable(self, one: Sym, other: Sym) -> Sym:
        """A formula that has a value only where two values may be compared; it is true there."""
        wrong = [
            self.and_([first, second])
            for kind, first in self.kinds(one).items()
            for another, second in self.kinds(other).items()
            if clash(kind, {another})
        ]
        return self.if_(self.or_(wrong), Nothing("values of different kinds are compared"), YES)

    def _comparable_with_members(self, of: Sym, item: Sym, inside: Sym) -> Sym:
        """The same for a value and the members of a set, where it is not in the set."""
        kinds = self.kinds(item)
        clashes = self._clash_with_some(of, kinds)
        if clashes is NO:
            return YES
        wrong = self.and_([self.not_(inside), clashes])
        return self.if_(wrong, Nothing("a value of another kind than the members of the set"), YES)

    def mixed_members(self, one: Sym, other: Sym) -> Sym:
        """A formula that has a value only where the members of two finite sets may be compared with each
        other; it is true there."""
        first, second = self._some_of_kinds(one), self._some_of_kinds(other)
        pairs = [(a, b) for a in first for b in second if clash(a, {b})]
        if not pairs:
            return YES
        return self._unless_both([(first[a], second[b]) for a, b in pairs])

    def of_one_kind(self, of: Sym) -> Sym:
        """A finite set where its members may be compared with each other; it has no value elsewhere."""
        found = self._some_of_kinds(of)
        pairs = [(found[a], found[b]) for a, b in combinations(found, 2) if clash(a, {b})]
        return self.after(self._unless_both(pairs), of)

    def _unless_both(self, pairs: Iterable[tuple[list[Sym], list[Sym]]]) -> Sym:
        """True; it has no value where there are members of two kinds that are not compared."""
        wrong = [self.and_([self.or_(one), self.or_(other)]) for one, other in pairs]
        return self.if_(self.or_(wrong), Nothing("members of different kinds are in one set"), YES)

    def _some_of_kinds(self, of: Sym) -> dict[str, list[Sym]]:
        """The kinds that members of a finite set may be of, and whether there is one of each."""
        if isinstance(of, Known):
            return {kind: [YES] for kind in kinds_of_members(of.value)}
        found: dict[str, list[Sym]] = {}
        for case in self.spread(of):
            for kind, held in self.kinds(case.item).items():
                found.setdefault(kind, []).append(self.exists(case, held))
        return found

    def comparable_key(self, function: Sym, key: Sym) -> Sym:
        """A formula that has a value only where a key may be compared with those of a function; it is true
        there."""
        kinds, own = self.kinds(key), self._kinds_of_keys(function)
        model = [held for kind, held in kinds.items() if kind not in EVERY]
        comparable: Sym = YES
        if model and INTEGER in own:  # the keys of a sequence are compared with integers alone
            wrong = self.and_([self.or_(model), self.is_sequence(function)])
            comparable = self.if_(wrong, Nothing("a sequence has integers as its keys"), YES)
        if not any(clash(kind, own) for kind in kinds):
            return comparable
        return self.and_([comparable, self._comparable_with_members(self.domain(function), key, NO)])

    def is_sequence(self, function: Sym) -> Sym:
        """Whether a function is a sequence, and not the empty one."""
        table = self.rows_of(function)
        if table is not None:
            return YES if table.rows and table.rows.keys() == set(range(1, len(table.rows) + 1)) else NO
        if isinstance(function, Row):
            return self.less(Known(0), function.length)
        if isinstance(function, Entries):
            function = self.term(function)
        if not isinstance(function, Term) or not isinstance(function.sort, Sequence | PartialFunction):
            return NO
        if isinstance(function.sort, Sequence):
            return self.less(Known(0), self.length(function))
        row = self.row_of_partial(function)
        return self.and_([self.less(Known(0), row.length), self.is_row(function, row)])

    def _kinds_of_keys(self, function: Sym) -> set[str]:
        """The kinds that keys of a function may be of."""
        match function:
            case Table():
                return {kind_of(key) for key in function.rows}
            case Row():
                return {INTEGER}
            case Term(sort=Tuple() | Sequence()):
                return {INTEGER}
            case Term(sort=Record()):
                return {STRING}
            case Term(sort=Function(domain=keys) | PartialFunction(domain=keys)):
                return set(self.kinds(variable(self.fresh("k", keys))))
            case Term():  # each alternative is asked for itself
                return set()
            case Known() if isinstance(function.value, tuple | Fn):
                return {kind_of(key) for key in pairs_of(function.value)}
        return set(EVERY)

    def comparable_parts(self, one: Sym, other: Sym, inside: Sym) -> Sym:
        """Whether a set is in another, where what is missing may be compared with what the other has. Model
        values are looked at first: where one of them is missing, nothing else is compared."""
        cases = [(case, self.kinds(case.item)) for case in self.spread(one)]
        if self._clash_with_some(other, dict.fromkeys((k for _, kinds in cases for k in kinds), YES)) is NO:
            return inside
        found: dict[str, list[Sym]] = {}
        missing: list[Sym] = []
        for case, kinds in cases:
            for kind, held in kinds.items():
                if kind != "model":
                    found.setdefault(kind, []).append(self.exists(case, held))
                    continue
                absent = self.not_(self.contains(other, case.item))
                missing.append(self.exists(case, self.and_([held, absent])))
        clashes = self._clash_with_some(other, {kind: self.or_(held) for kind, held in found.items()})
        wrong = self.and_([self.not_(inside), clashes, self.not_(self.or_(missing))])
        return self.after(self.if_(wrong, Nothing("a value of another kind than the members"), YES), inside)

    def _clash_with_some(self, of: Sym, kinds: dict[str, Sym]) -> Sym:
        """True where some member of a set cannot be compared with a value that is of one of these kinds, each
        under its condition."""
        match of:
            case Known():
                described = self.described(of.value)
                if not isinstance(described, Known):
                    return self._clash_with_some(described, kinds)
                return self._clash_with_kinds(kinds_of_members(of.value), kinds)
            case Functions() | Records() | Products() | AllSequences():
                return self._clash_with_kinds({FUNCTION}, kinds)
            case Subsets():
                return self._clash_with_kinds({SET}, kinds)
            case Span():
                other = self._clash_with_kinds({INTEGER}, kinds)
                return NO if other is NO else self.and_([self.less(of.low, of.high, equal=True), other])
            case Joined():
                return self.or_([self._clash_with_some(part, kinds) for part in of.parts])
            case Chosen():
                sides = [self._clash_with_some(side, kinds) for side in (of.then, of.otherwise)]
                return self.if_(of.condition, *sides)
            case Members() | Part() | Term():
                return self._clash_with_listed(of, kinds)
        return NO

    def _clash_with_kinds(self, members: set[str], kinds: dict[str, Sym]) -> Sym:
        return self.or_([held for kind, held in kinds.items() if clash(kind, members)])

    def _clash_with_listed(self, of: Members | Part | Term, kinds: dict[str, Sym]) -> Sym:
        if isinstance(of, Term):
            if not isinstance(of.sort, Set):
                return NO
            if self.names.lists(of.sort.element):
                own = {kind_of(one) for one in self.names.listing(of.sort.element)}
                if not any(clash(kind, own) or clash(other, {kind}) for kind in kinds for other in own):
                    return NO
        found = []
        for case in self.spread(of):
            for kind, held in self.kinds(case.item).items():
                also = self.or_([is_of for other, is_of in kinds.items() if clash(kind, {other})])
                if also is not NO:
                    found.append(self.exists(case, self.and_([held, also])))
        return self.or_(found)


__all__ = ["OPERANDS", "Kinds"]
