"""The operators that are built in, translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.sorts import Listed, PartialFunction, Range, Set, Sort, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla import ast
from verifier.tla.evaluator import Evaluator
from verifier.tla.extensions import EXTENSIONS
from verifier.tla.frames import Undefined
from verifier.tla.primitives import PRIMITIVES
from verifier.tla.translate.functions import Mappings
from verifier.tla.translate.making import TRUTH, known_table, literal, table_of, variable
from verifier.tla.translate.sets import Case
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    AllSequences,
    Chosen,
    Joined,
    Known,
    Members,
    Nothing,
    Part,
    Row,
    Single,
    Span,
    Subsets,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.values import NoValue, is_infinite, is_set

_MOST_RESULTS = 5000


class Builtins(Mappings):
    """Makes terms of the operators that are built in."""

    evaluator: Evaluator

    def builtin(self, name: str, given: list[Sym], whole: ast.Expression) -> Sym:
        """An operator with its arguments."""
        for one in given:
            if isinstance(one, Nothing):
                return one
        found = self._logical(name, given)
        if found is not None:
            return found
        if all(isinstance(one, Known) for one in given):
            return self._evaluate(name, [one.value for one in given if isinstance(one, Known)], whole)
        rule = _RULES.get(name)
        if rule is None:
            raise Untranslated(
                whole.place, f"the operator {name} is not translated where the state decides it"
            )
        return rule(self, *given)

    def _evaluate(self, name: str, given: list[Any], whole: ast.Expression) -> Sym:
        make = PRIMITIVES.get(name) or EXTENSIONS.get(name)
        if make is None or name in ("TLCGet", "TLCSet", "RandomElement", "JavaTime", "TLCGetOrDefault"):
            raise Untranslated(whole.place, f"the operator {name} is not translated")
        fake = ast.Apply(ast.Builtin(name, len(given)), (), place=whole.place)
        try:
            return Known(make(self.evaluator, fake, list(map(_constantly, given)))([]))
        except Undefined as error:
            return Nothing(str(error))

    def _logical(self, name: str, given: list[Sym]) -> Sym | None:
        match name:
            case "TRUE":
                return YES
            case "FALSE":
                return NO
            case "~":
                return self.not_(given[0])
            case "<=>":
                return self._equivalent(*given)
            case "=>":
                return self.implies(given[0], lambda: given[1])
            case "=":
                return self.equal(*given)
            case "#":
                return self.not_(self.equal(*given))
            case "\\in":
                return self.contains(given[1], given[0])
            case "\\notin":
                return self.not_(self.contains(given[1], given[0]))
            case "\\subseteq":
                return self.subset(*given)
            case "<" | "<=" | ">" | ">=":
                return self._compared(name, *given)
        return None

    def _equivalent(self, one: Sym, other: Sym) -> Sym:
        left, right = self.truth(one), self.truth(other)
        if isinstance(left, Nothing) or isinstance(right, Nothing):
            return left if isinstance(left, Nothing) else right
        return self.equal(left, right)

    def _compared(self, name: str, one: Sym, other: Sym) -> Sym:
        left, right = self.integer(one), self.integer(other)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        if name in (">", ">="):
            left, right = right, left
        return self.less(left, right, equal=name in ("<=", ">="))

    def least_first(self, cases: list[Case]) -> list[Case]:
        """The members of a set that the state decides, in TLC's order; CHOOSE takes the first that fits."""
        if len(cases) < 2 or any(case.symbol is not None for case in cases):
            return cases
        values = {id(case): case.item.value for case in cases if isinstance(case.item, Known)}
        if len(values) < len(cases):
            return self.spread(self.term(Members(tuple((case.condition, case.item) for case in cases))))
        try:
            ranks = list(self.names.order.sorted(frozenset(values.values())))
        except NoValue:
            raise Untranslated(None, "CHOOSE from values that have no order") from None
        return sorted(cases, key=lambda case: ranks.index(values[id(case)]))

    def chosen(self, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
        """CHOOSE: the first that fits."""
        if not any(case.symbol is not None for case in cases):
            found: Sym = Nothing("CHOOSE finds no element")
            conditions = []
            for case in cases:
                fits = self.and_([case.condition, body(case.item)])
                if fits is NO:
                    continue
                conditions.append((fits, case.item))
                if fits is YES:
                    break
            for fits, item in reversed(conditions):
                found = item if fits is YES else self.if_(fits, item, found)
            return found
        if len(cases) > 1:
            raise Untranslated(None, "CHOOSE from a union of sets that the state decides")
        (case,) = cases
        fits = self.and_([case.condition, body(case.item)])
        if not (isinstance(case.item, Term) and case.item.data is case.symbol) or case.symbol is None:
            raise Untranslated(None, "CHOOSE from a set of this form")
        if isinstance(fits, Nothing):
            return fits
        formula = self.formula(fits)
        if not ordered(case.symbol.sort):
            other = self.fresh("y", case.symbol.sort)
            renamed = self.and_(
                [Term(Operator.CONTAINS, TRUTH, (self._comprehended(case, formula), variable(other)))]
            )
            same = Term(Operator.EQUAL, TRUTH, (variable(other), variable(case.symbol)))
            alone = Term(
                Operator.FORALL,
                TRUTH,
                (Term(Operator.IMPLIES, TRUTH, (self.formula(renamed), same)),),
                binds=other,
            )
            formula = Term(Operator.AND, TRUTH, (formula, alone))
        return Term(Operator.CHOOSE, case.symbol.sort, (formula,), binds=case.symbol)

    def _comprehended(self, case: Case, formula: Term) -> Term:
        assert case.symbol is not None
        return Term(Operator.COMPREHENSION, Set(case.symbol.sort), (formula,), binds=case.symbol)

    # -- sets

    def united(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\cup other``"""
        if isinstance(one, Members) and isinstance(other, Members):
            return Members((*one.items, *other.items))
        if any(self._stays_lazy(part) for part in (one, other)):
            return Joined((one, other))
        left, right = self.pair(one, other)
        if not isinstance(left.sort, Set) or not isinstance(right.sort, Set):
            return Nothing("sets are expected")
        return Term(Operator.UNION, self.join(left.sort, right.sort), (left, right))

    @staticmethod
    def _stays_lazy(value: Sym) -> bool:
        if isinstance(value, Known):
            return is_set(value.value) and not isinstance(value.value, frozenset)
        return isinstance(value, LAZY_SETS) and not isinstance(value, Members | Part | Span)

    def common(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\cap other``"""
        if isinstance(one, Known) and not isinstance(other, Known):
            one, other = other, one
        if isinstance(other, Known) and isinstance(one, Term) and isinstance(other.value, frozenset):
            return self._kept(other, lambda item: self.contains(one, item))
        return self._kept(one, lambda item: self.contains(other, item))

    def without(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\ other``"""
        if isinstance(one, Term) and isinstance(one.sort, Set) and not self._stays_lazy(other):
            left, right = self.pair(one, other)
            if isinstance(right.sort, Set):
                return Term(Operator.DIFFERENCE, left.sort, (left, right))
        return self._kept(one, lambda item: self.not_(self.contains(other, item)))

    def _kept(self, of: Sym, test: Callable[[Sym], Sym]) -> Sym:
        if isinstance(of, Known) and is_set(of.value) and is_infinite(of.value):
            return Part(of, test)
        items: list[tuple[Sym, Sym]] = []
        for case in self.spread(of):
            if case.symbol is not None:
                return Part(of, test)
            condition = self.and_([case.condition, test(case.item)])
            if condition is not NO:
                items.append((condition, case.item))
        return Members(tuple(items))

    def cardinality(self, of: Sym) -> Sym:
        """``Cardinality``"""
        if isinstance(of, Chosen):
            return self.if_(of.condition, self.cardinality(of.then), self.cardinality(of.otherwise))
        if isinstance(of, Subsets):
            return self.power(Known(2), self.cardinality(of.base))
        term = self.term(of)
        if isinstance(term.sort, Variant):
            return self.over(term, self.cardinality)
        if not isinstance(term.sort, Set):
            return Nothing("a set is expected")
        return Term(Operator.CARDINALITY, Range(0, term.sort.element.size), (term,))

    def big_union(self, of: Sym) -> Sym:
        """``UNION``"""
        parts: list[Sym] = []
        for case in self.spread(of):
            if case.symbol is None:
                empty = Known(frozenset())
                parts.append(
                    case.item if case.condition is YES else self.if_(case.condition, case.item, empty)
                )
                continue
            item = self.term(case.item)
            if not isinstance(item.sort, Set):
                return Nothing("a set of sets is expected")
            symbol = self.fresh("e", item.sort.element)
            inside = Term(Operator.CONTAINS, TRUTH, (item, variable(symbol)))
            some = self.exists(case, inside)
            made = Term(Operator.COMPREHENSION, Set(symbol.sort), (self.formula(some),), binds=symbol)
            parts.append(made)
        found: Sym = Known(frozenset())
        for part in parts:
            found = (
                part if isinstance(found, Known) and found.value == frozenset() else self.united(found, part)
            )
        return found

    # -- integers

    def sum_of(self, operator: Operator, one: Sym, other: Sym) -> Sym:
        """``+`` or ``-``"""
        left, right = self.integer(one), self.integer(other)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        return self.arithmetic(operator, left, right)

    def by_cases(self, compute: Callable[[int, int], int], one: Sym, other: Sym) -> Sym:
        """An operator on integers, by all the values that they may have."""
        left, right = self.integer(one), self.integer(other)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        firsts, seconds = self._integers(left), self._integers(right)
        if len(firsts) * len(seconds) > _MOST_RESULTS:
            raise Untranslated(None, f"arithmetic on {len(firsts)} by {len(seconds)} values")
        groups: dict[Any, list[Sym]] = {}
        for a in firsts:
            for b in seconds:
                try:
                    result: Any = compute(a, b)
                except NoValue:
                    continue
                both = self.and_([self.equal(left, Known(a)), self.equal(right, Known(b))])
                groups.setdefault(result, []).append(both)
        found: Sym = Nothing("arithmetic without a result")
        for result, conditions in groups.items():
            found = self.if_(self.or_(conditions), Known(result), found)
        return found

    def _integers(self, value: Sym) -> list[int]:
        if isinstance(value, Known):
            return [value.value]
        assert isinstance(value, Term)
        return [v for v in value.sort.values() if isinstance(v, int)]

    def power(self, one: Sym, other: Sym) -> Sym:
        """``one ^ other``"""
        from verifier.tla.primitives import _power

        return self.by_cases(_power, one, other)

    def span(self, low: Sym, high: Sym) -> Sym:
        """``low..high``"""
        left, right = self.integer(low), self.integer(high)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        return Span(left, right)

    def extreme(self, of: Sym, *, largest: bool) -> Sym:
        """``Min`` or ``Max``"""
        term = self.term(of)
        if not isinstance(term.sort, Set) or not isinstance(term.sort.element, Range | Listed):
            return Nothing("a set of integers is expected")
        operator = Operator.MAXIMUM_OF if largest else Operator.MINIMUM_OF
        return Term(operator, term.sort.element, (term,))

    # -- sequences and functions

    def length_of(self, value: Sym) -> Sym:
        """``Len``"""
        if isinstance(value, Chosen):
            return self.if_(value.condition, self.length_of(value.then), self.length_of(value.otherwise))
        row = self.row(value)
        return row if isinstance(row, Nothing) else row.length

    def head(self, value: Sym) -> Sym:
        """``Head``"""
        return self.apply(value, Known(1))

    def tail(self, value: Sym) -> Sym:
        """``Tail``"""
        row = self.row(value)
        if isinstance(row, Nothing) or not row.slots:
            return row if isinstance(row, Nothing) else Nothing("Tail of the empty sequence")
        some = self.less(Known(0), row.length)
        return self.if_(
            some, self.subsequence(row, Known(2), row.length), Nothing("Tail of the empty sequence")
        )

    def sub_seq(self, value: Sym, first: Sym, last: Sym) -> Sym:
        """``SubSeq``"""
        row, low, high = self.row(value), self.integer(first), self.integer(last)
        if isinstance(row, Nothing):
            return row
        for part in (low, high):
            if isinstance(part, Nothing):
                return part
        inside = self.or_(
            [
                self.less(high, low),
                self.and_([self.less(Known(1), low, equal=True), self.less(high, row.length, equal=True)]),
            ]
        )
        return self.if_(inside, self.subsequence(row, low, high), Nothing("SubSeq leaves the sequence"))

    def select_seq(self, value: Sym, test: Sym) -> Sym:
        """``SelectSeq``"""
        assert isinstance(test, Op)
        term = self.as_sequence(value)
        symbol = self.fresh("e", term.sort.element)  # type: ignore[attr-defined]
        condition = self.formula(test.call(variable(symbol)))
        return Term(Operator.FILTER, term.sort, (term, condition), binds=symbol)

    def over_each(self, one: Sym, other: Sym) -> Sym:
        """``one @@ other``"""
        first, second = table_of(one), table_of(other)
        if first is not None and second is not None:
            return known_table(Table({**second.rows, **first.rows}))
        right = self.partial_function(other)
        if first is None and isinstance(one, Single):
            return self._extended(right, one.key, one.value)
        if first is not None:
            found = right
            for key, item in first.rows.items():
                found = self._extended(found, Known(key), item)
            return found
        return self._merged(self.partial_function(one), right)

    def _extended(self, function: Term, key: Sym, item: Sym) -> Term:
        assert isinstance(function.sort, PartialFunction)
        at, value = self.term(key), self.term(item)
        sort = self.join(function.sort, PartialFunction(at.sort, value.sort))
        assert isinstance(sort, PartialFunction)
        whole = self.convert(function, sort)
        return Term(
            Operator.EXTEND, sort, (whole, self.convert(at, sort.domain), self.convert(value, sort.range))
        )

    def partial_function(self, value: Sym) -> Term:
        """A function as a term of a sort of functions whose domain varies."""
        table = self.rows_of(value)
        if table is not None and not table.rows:
            from verifier.tla.translate.shapes import NOTHING

            sort: Sort = PartialFunction(NOTHING, NOTHING)
            return literal(sort, self.names.encode((), sort))
        if table is not None:
            keys = self.join_all([self.sort_of(key) for key in table.rows])
            return self.as_partial(table, keys, None)
        term = self.term(value)
        if isinstance(term.sort, PartialFunction):
            return term
        raise Untranslated(None, "@@ of functions of this kind")

    def _merged(self, one: Term, other: Term) -> Term:
        sort = self.join(one.sort, other.sort)
        assert isinstance(sort, PartialFunction)
        left, right = self.convert(one, sort), self.convert(other, sort)
        symbol = self.fresh("k", sort.domain)
        inside = [self.contains(self.domain(part), variable(symbol)) for part in (left, right)]
        applied = [Term(Operator.APPLY, sort.range, (part, variable(symbol))) for part in (left, right)]
        body = self.term(self.if_(inside[0], *applied))
        return Term(Operator.PARTIAL_FUNCTION, sort, (self.formula(self.or_(inside)), body), binds=symbol)

    def pair_of(self, key: Sym, item: Sym) -> Sym:
        """``key :> item``"""
        return Table({key.value: item}) if isinstance(key, Known) else Single(key, item)

    # -- folds

    def fold_set(self, operator: Sym, base: Sym, of: Sym) -> Sym:
        """``FoldSet``: the first element is combined last."""
        assert isinstance(operator, Op)
        found = base
        for case in reversed(self._listed_cases(of)):
            found = self.if_(case.condition, operator.call(case.item, found), found)
        return found

    def map_then_fold(self, operator: Sym, base: Sym, image: Sym, choose: Sym, of: Sym) -> Sym:
        """``MapThenFoldSet``, where the order does not matter to the operator that chooses."""
        assert isinstance(operator, Op)
        assert isinstance(image, Op)
        found = base
        for case in reversed(self._listed_cases(of)):
            found = self.if_(case.condition, operator.call(image.call(case.item), found), found)
        return found

    def _listed_cases(self, of: Sym) -> list[Case]:
        found = []
        for case in self.spread(of):
            if case.symbol is None:
                found.append(case)
                continue
            if case.symbol.sort.size > 64:
                raise Untranslated(None, "a fold over a set with many possible members")
            for value in case.symbol.sort.values():
                item = Known(self.names.decode(value, case.symbol.sort))
                found.append(Case(self.contains(of, item), item))
        return found

    def fold_left(self, operator: Sym, base: Sym, of: Sym) -> Sym:
        """``FoldLeft``"""
        return self._fold_row(operator, base, of, left=True)

    def fold_right(self, operator: Sym, of: Sym, base: Sym) -> Sym:
        """``FoldRight``"""
        return self._fold_row(operator, base, of, left=False)

    def _fold_row(self, operator: Sym, base: Sym, of: Sym, *, left: bool) -> Sym:
        assert isinstance(operator, Op)
        row = self.row(of)
        if isinstance(row, Nothing):
            return row
        found, places = base, list(enumerate(row.slots))
        for place, item in places if left else reversed(places):
            made = operator.call(found, item) if left else operator.call(item, found)
            found = self.if_(self.less(Known(place), row.length), made, found)
        return found


def _constantly(value: Any) -> Callable[[Any], Any]:
    return lambda frame: value


def ordered(sort: Sort) -> bool:
    """Whether the order of a sort's values is TLC's."""
    return not isinstance(sort, Variant | PartialFunction) and all(map(ordered, sort.parts()))


def _row_of(value: Row) -> Row:
    return value


_RULES: dict[str, Callable[..., Sym]] = {
    "+": lambda make, one, other: make.sum_of(Operator.ADD, one, other),
    "-": lambda make, one, other: make.sum_of(Operator.SUBTRACT, one, other),
    "-.": lambda make, value: make.sum_of(Operator.SUBTRACT, Known(0), value),
    "*": lambda make, one, other: make.by_cases(int.__mul__, one, other),
    "\\div": lambda make, one, other: make.by_cases(_divided, one, other),
    "%": lambda make, one, other: make.by_cases(_modulo, one, other),
    "^": Builtins.power,
    "..": Builtins.span,
    "\\cup": Builtins.united,
    "\\cap": Builtins.common,
    "\\": Builtins.without,
    "SUBSET": lambda make, base: Subsets(base),
    "UNION": Builtins.big_union,
    "DOMAIN": Builtins.domain,
    "Cardinality": Builtins.cardinality,
    "IsFiniteSet": lambda make, value: YES,
    "Seq": lambda make, base: AllSequences(base),
    "Len": Builtins.length_of,
    "Head": Builtins.head,
    "Tail": Builtins.tail,
    "Append": Builtins.appended,
    "\\o": Builtins.concatenated,
    "SubSeq": Builtins.sub_seq,
    "SelectSeq": Builtins.select_seq,
    ":>": Builtins.pair_of,
    "@@": Builtins.over_each,
    "Min": lambda make, of: make.extreme(of, largest=False),
    "Max": lambda make, of: make.extreme(of, largest=True),
    "FoldSet": Builtins.fold_set,
    "FoldLeft": Builtins.fold_left,
    "FoldRight": Builtins.fold_right,
    "MapThenFoldSet": Builtins.map_then_fold,
    "TLCEval": lambda make, value: value,
    "TLCNoOp": lambda make, value: value,
    "Print": lambda make, shown, value: value,
    "PrintT": lambda make, shown: YES,
    "Assert": lambda make, truth, words: make.if_(truth, YES, Nothing("Assert fails")),
}
"""What translates an operator whose arguments are not all known."""


def _divided(one: int, other: int) -> int:
    if other == 0:
        raise NoValue("division by 0")
    return one // other


def _modulo(one: int, other: int) -> int:
    if other <= 0:
        raise NoValue("the second argument of % must be above 0")
    return one % other
