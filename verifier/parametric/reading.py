"""Terms read as values of first-order logic. Quantifiers are kept; what is no first-order formula is refused.

What has no explicit value, as the maximum of a set or a choice, is a new function symbol with an axiom that
says what it is. So are formulas with quantifiers that depend on variables bound outside: they get a predicate
(``Definitions``), which solvers use to see what to instantiate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verifier.encodings.printing import text
from verifier.encodings.sorts import (
    Boolean,
    Option,
    Set,
    Sort,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.parametric.errors import NotParametric
from verifier.parametric.logic import BOOL, INT, Bound, Logic, Node
from verifier.parametric.values import (
    Copies,
    Fields,
    Items,
    Mapped,
    Members,
    OptionOf,
    Partly,
    Tags,
    Value,
    Values,
)


@dataclass
class Definitions:
    """Function symbols that stand for something, each with the axioms that say for what."""

    axioms: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    """Of predicates of the state after a step, the one of the same formula in the state before."""
    names: dict[str, str] = field(default_factory=dict)
    """The symbol of each content, so that one content has one symbol."""


@dataclass(frozen=True)
class Scope:
    """The values of symbols, and what is known of the place where a term stands."""

    values: Mapping[Symbol, Value]
    bound: tuple[Symbol, ...] = ()
    """Those that a quantifier binds, outermost first."""
    weak: frozenset[Symbol] = frozenset()
    """Those that are bound by a quantifier which, where the whole formula holds, only says that there is one
    value, or that may do so."""
    polarity: int = 1
    """1 if the formula's truth makes the whole one true, -1 if it makes it false, 0 if both may be."""

    def binding(self, symbol: Symbol, value: Value, *, weak: bool) -> Scope:
        """The scope with one more variable."""
        more = frozenset((symbol,)) if weak else frozenset()
        return replace(
            self,
            values={**self.values, symbol: value},
            bound=(*self.bound, symbol),
            weak=self.weak | more,
        )

    def turned(self, factor: int) -> Scope:
        """The scope of a part: negated (-1), or with either truth value (0)."""
        return replace(self, polarity=self.polarity * factor)


class Reader:
    """Reads terms in one state. ``before`` reads the same terms in the state before a step, for twins."""

    def __init__(
        self,
        values: Values,
        definitions: Definitions,
        state: Mapping[Symbol, Value],
        before: Reader | None = None,
    ) -> None:
        self.values = values
        self.logic: Logic = values.logic
        self.definitions = definitions
        self.scope = Scope(state)
        self.before = before

    def formula(self, term: Term) -> Node:
        """A formula about the state."""
        return self.truth(term, self.scope)

    def value(self, term: Term) -> Value:
        """A value in the state."""
        found: Value = self.read(term, self.scope)
        return found

    # Every term

    def read(self, term: Term, scope: Scope) -> Any:
        """The value of a term."""
        rule = _RULES.get(term.operator)
        if rule is None:
            raise NotParametric(f"{term.operator} has no parametric reading: {text(term)[:120]}")
        try:
            return rule(self, term, scope)
        except NotParametric as error:
            if "\n" in str(error) or " in " in str(error)[-200:]:
                raise
            raise NotParametric(f"{error}, in {text(term)[:160]}") from None

    def truth(self, term: Term, scope: Scope) -> Node:
        """The value of a formula."""
        found = self.read(term, scope)
        assert isinstance(found, Node)
        return found

    def part(self, term: Term, scope: Scope) -> Any:
        """The value of a part that is no conjunct or disjunct: its formulas may count either way."""
        return self.read(term, scope.turned(0))

    def _literal(self, term: Term, scope: Scope) -> Value:
        return self.values.literal(term.sort, term.data)

    def _variable(self, term: Term, scope: Scope) -> Value:
        assert isinstance(term.data, Symbol)
        return scope.values[term.data]

    # Formulas

    def _not(self, term: Term, scope: Scope) -> Node:
        return self.logic.neg(self.truth(term.arguments[0], scope.turned(-1)))

    def _and(self, term: Term, scope: Scope) -> Node:
        return self.logic.conj(self.truth(part, scope) for part in term.arguments)

    def _or(self, term: Term, scope: Scope) -> Node:
        return self.logic.disj(self.truth(part, scope) for part in term.arguments)

    def _implies(self, term: Term, scope: Scope) -> Node:
        one, other = term.arguments
        return self.logic.implies(self.truth(one, scope.turned(-1)), self.truth(other, scope))

    def _equal(self, term: Term, scope: Scope) -> Node:
        one, other = term.arguments
        sort = _wider(one.sort, other.sort)
        return self.values.equal(sort, self.part(one, scope), self.part(other, scope))

    def _if(self, term: Term, scope: Scope) -> Value:
        condition, then, otherwise = term.arguments
        inner = scope if isinstance(term.sort, Boolean) else scope.turned(0)
        decides = self.part(condition, scope)
        if decides.quantified:
            outside = sorted(decides.free, key=lambda node: node.data)
            meaning = decides
            name = self.symbol("holds", meaning, outside, lambda one: (self.logic.iff(one, meaning),))
            decides = self.logic.app(name, BOOL, outside)
        chosen: Value = self.values.choice(decides, self.read(then, inner), self.read(otherwise, inner))
        return self.short(chosen)

    def _quantifier(self, term: Term, scope: Scope) -> Node:
        if not scope.weak.isdisjoint(term.free):
            return self._named(term, scope)
        return self._quantified(term, scope)

    def _quantified(self, term: Term, scope: Scope) -> Node:
        assert term.binds is not None
        universal = term.operator is Operator.FORALL
        weak = scope.polarity != (1 if universal else -1)
        one = self.values.quantified(term.binds.sort)
        inner = scope.binding(term.binds, one.value, weak=weak)
        said = self.truth(term.arguments[0], inner)
        if universal:
            return self.logic.forall(one.variables, self.logic.implies(one.within, said))
        return self.logic.exists(one.variables, self.logic.conj((one.within, said)))

    # Definitions

    def _named(self, term: Term, scope: Scope) -> Node:
        """The formula as a predicate of the variables that are bound outside of it."""
        symbols = [symbol for symbol in scope.bound if symbol in term.free]
        fresh = {symbol: self.values.quantified(symbol.sort) for symbol in symbols}
        outside = {symbol: one.value for symbol, one in fresh.items()}
        variables = tuple(v for one in fresh.values() for v in one.variables)
        name = self._defined(term, scope, outside, symbols, variables)
        args = [node for s in symbols for node in self.values.flat(s.sort, scope.values[s])]
        if self.before is not None:
            values = {s: v for s, v in scope.values.items() if s not in self.scope.values}
            outer = replace(scope, values={**self.before.scope.values, **values})
            twin = self.before._defined(term, outer, outside, symbols, variables)
            if twin != name:
                self.definitions.twins.setdefault(name, twin)
        return self.logic.app(name, BOOL, args)

    def _defined(
        self,
        term: Term,
        scope: Scope,
        outside: Mapping[Symbol, Value],
        symbols: Sequence[Symbol],
        variables: tuple[Node, ...],
    ) -> str:
        inner = replace(
            scope,
            values={**scope.values, **outside},
            bound=tuple(symbols),
            weak=frozenset(),
            polarity=0,
        )
        meaning = self._quantified(term, inner)
        return self.symbol("holds", meaning, variables, lambda applied: (self.logic.iff(applied, meaning),))

    def symbol(
        self,
        word: str,
        meaning: Node,
        variables: Sequence[Node],
        axioms: Callable[[Node], Sequence[Node]],
        sort: str = BOOL,
    ) -> str:
        """The function symbol that is defined by a formula over these variables."""
        key = f"{word} {canonical(meaning, variables)}"
        name = self.definitions.names.get(key)
        if name is None:
            name = f"{word} {len(self.definitions.names)}"
            self.definitions.names[key] = name
            applied = self.logic.app(name, sort, variables)
            said = tuple(
                self.logic.forall(variables, axiom) if variables else axiom for axiom in axioms(applied)
            )
            self.definitions.axioms[name] = said
        return name

    # Integers

    def short(self, value: Value) -> Value:
        """The value; a conditional integer as a constant of its own, so that formulas stay small."""
        return self.short_integer(value) if isinstance(value, Node) else value

    def short_integer(self, value: Node) -> Node:
        """The same of an integer."""
        if value.kind != "ite" or value.sort != INT or value.free:
            return value
        name = self.symbol("value", value, (), lambda one: (self.logic.equal(one, value),), INT)
        return self.logic.app(name, INT)

    def _compare(self, term: Term, scope: Scope) -> Node:
        one, other = (self.part(arg, scope) for arg in term.arguments)
        strict = term.operator is Operator.LESS
        return self.logic.less(one, other) if strict else self.logic.less_equal(one, other)

    def _calculate(self, term: Term, scope: Scope) -> Node:
        one, other = (self.part(arg, scope) for arg in term.arguments)
        match term.operator:
            case Operator.ADD:
                return self.logic.plus(one, other)
            case Operator.SUBTRACT:
                return self.logic.minus(one, other)
        return self.logic.times(one, other)

    def _extreme(self, term: Term, scope: Scope) -> Node:
        first, *rest = (self.part(arg, scope) for arg in term.arguments)
        for other in rest:
            least = self.logic.less_equal(first, other)
            chosen = least if term.operator is Operator.MINIMUM else self.logic.neg(least)
            first = self.short_integer(self.logic.ite(chosen, first, other))
        return first  # type: ignore[no-any-return]

    def _extreme_of(self, term: Term, scope: Scope) -> Node:
        """The least or greatest element of a set: a function symbol, whose axiom says so of sets with one."""
        members = self.part(term.arguments[0], scope)
        logic, least = self.logic, term.operator is Operator.MINIMUM_OF
        variable, other = logic.variable(INT), logic.variable(INT)
        inside = members.contains(variable)
        also = logic.substituted(inside, {variable: other})
        outside = sorted(inside.free - {variable}, key=lambda node: node.data)

        def axioms(applied: Node) -> tuple[Node, ...]:
            some = logic.exists((variable,), inside)
            among = logic.substituted(inside, {variable: applied})
            ends = logic.less_equal(applied, other) if least else logic.less_equal(other, applied)
            return (
                logic.implies(some, among),
                logic.forall((other,), logic.implies(also, ends)),
            )

        word = "least" if least else "greatest"
        name = self.symbol(word, inside, (*outside, variable), lambda _: (), INT)
        if not self.definitions.axioms[name]:
            applied = logic.app(name, INT, outside)
            said = tuple(logic.forall(outside, axiom) for axiom in axioms(applied))
            self.definitions.axioms[name] = said
        return logic.app(name, INT, outside)

    # Options, records, functions, variants

    def _some(self, term: Term, scope: Scope) -> OptionOf:
        return OptionOf(self.logic.false, self.part(term.arguments[0], scope))

    def _is_none(self, term: Term, scope: Scope) -> Node:
        return self.part(term.arguments[0], scope).absent  # type: ignore[no-any-return]

    def _get(self, term: Term, scope: Scope) -> Value:
        """Of none it is what stands in unused slots, as in the finite reading."""
        option = self.part(term.arguments[0], scope)
        return self.values.choice(option.absent, self.values.unused(term.sort), option.value)  # type: ignore[no-any-return]

    def _record(self, term: Term, scope: Scope) -> Fields:
        names = list(getattr(term.sort, "field_sorts", ())) or [str(n) for n in range(len(term.arguments))]
        return Fields({n: self.part(arg, scope) for n, arg in zip(names, term.arguments, strict=True)})

    def _field(self, term: Term, scope: Scope) -> Value:
        return self.part(term.arguments[0], scope).of[str(term.data)]  # type: ignore[no-any-return]

    def _record_update(self, term: Term, scope: Scope) -> Fields:
        record, value = (self.part(arg, scope) for arg in term.arguments)
        return Fields({**record.of, str(term.data): value})

    def _apply(self, term: Term, scope: Scope) -> Value:
        function, key = (self.part(arg, scope) for arg in term.arguments)
        return function.at(key)  # type: ignore[no-any-return]

    def _function(self, term: Term, scope: Scope) -> Mapped:
        return Mapped(self._body(term, scope, term.arguments[0]))

    def _body(self, term: Term, scope: Scope, body: Term) -> Callable[[Value], Any]:
        symbol = term.binds
        assert symbol is not None
        return lambda value: self.read(body, scope.turned(0).binding(symbol, value, weak=True))

    def _function_update(self, term: Term, scope: Scope) -> Value:
        function, key, value = (self.part(arg, scope) for arg in term.arguments)
        return self.updated(term.arguments[0].sort, function, key, value)

    def updated(self, sort: Sort, function: Value, key: Value, value: Value) -> Value:
        """The function with another value at a key."""
        domain: Sort = sort.domain  # type: ignore[attr-defined]
        match function:
            case Partly():
                return Partly(
                    lambda k: self.logic.disj((self.values.equal(domain, k, key), function.has(k))),
                    lambda k: self.values.choice(
                        self.values.equal(domain, k, key), value, function.at(k)
                    ),
                )
            case Mapped():
                return Mapped(
                    lambda k: self.values.choice(self.values.equal(domain, k, key), value, function.at(k))
                )
        raise NotParametric("a part of what is no function is assigned")

    def _variant(self, term: Term, scope: Scope) -> Tags:
        assert isinstance(term.sort, Variant)
        payload = self.part(term.arguments[0], scope) if term.arguments else Fields({})
        return self.values.tagged(term.sort, str(term.data), payload)

    def _has_tag(self, term: Term, scope: Scope) -> Node:
        sort = term.arguments[0].sort
        assert isinstance(sort, Variant)
        number = [tag for tag, _ in sort.alternatives].index(str(term.data))
        return self.logic.equal(self.part(term.arguments[0], scope).tag, self.logic.integer(number))

    def _payload(self, term: Term, scope: Scope) -> Value:
        return self.part(term.arguments[0], scope).payloads[str(term.data)]  # type: ignore[no-any-return]

    def _partial_function(self, term: Term, scope: Scope) -> Partly:
        inside, body = term.arguments
        return Partly(self._body(term, scope, inside), self._body(term, scope, body))

    def _domain(self, term: Term, scope: Scope) -> Members:
        return Members(self.part(term.arguments[0], scope).has)

    def _extend(self, term: Term, scope: Scope) -> Value:
        function, key, value = (self.part(arg, scope) for arg in term.arguments)
        return self.updated(term.sort, function, key, value)

    def _without(self, term: Term, scope: Scope) -> Partly:
        function, key = (self.part(arg, scope) for arg in term.arguments)
        domain: Sort = term.sort.domain  # type: ignore[attr-defined]
        return Partly(
            lambda k: self.logic.conj(
                (self.logic.neg(self.values.equal(domain, k, key)), function.has(k))
            ),
            function.at,
        )

    # Sets and bags

    def _set(self, term: Term, scope: Scope) -> Members:
        assert isinstance(term.sort, Set)
        items, element = [self.part(arg, scope) for arg in term.arguments], term.sort.element
        return Members(
            lambda item: self.logic.disj(self.values.equal(element, item, one) for one in items)
        )

    def _contains(self, term: Term, scope: Scope) -> Node:
        members, item = (self.part(arg, scope) for arg in term.arguments)
        return members.contains(item)  # type: ignore[no-any-return]

    def _combined(self, term: Term, scope: Scope) -> Members:
        one, other = (self.part(arg, scope) for arg in term.arguments)
        logic = self.logic
        match term.operator:
            case Operator.UNION:
                return Members(lambda item: logic.disj((one.contains(item), other.contains(item))))
            case Operator.INTERSECTION:
                return Members(lambda item: logic.conj((one.contains(item), other.contains(item))))
        return Members(lambda item: logic.conj((one.contains(item), logic.neg(other.contains(item)))))

    def _subset(self, term: Term, scope: Scope) -> Node:
        one, other = (self.part(arg, scope) for arg in term.arguments)
        sort = term.arguments[0].sort
        assert isinstance(sort, Set)
        return self.values.each_any(
            sort.element, lambda item, _: self.logic.implies(one.contains(item), other.contains(item))
        )

    def _comprehension(self, term: Term, scope: Scope) -> Members:
        """Only values of the sort are in it."""
        assert term.binds is not None
        body, sort = self._body(term, scope, term.arguments[0]), term.binds.sort
        return Members(lambda item: self.logic.conj((self.values.typed(sort, item), body(item))))

    def _image(self, term: Term, scope: Scope) -> Members:
        assert term.binds is not None
        assert isinstance(term.sort, Set)
        condition, body = (self._body(term, scope, arg) for arg in term.arguments)
        sort, element = term.binds.sort, term.sort.element
        union = term.operator is Operator.UNION_OF

        def contains(item: Value) -> Node:
            one = self.values.quantified(sort)
            value = body(one.value)
            found = value.contains(item) if union else self.values.equal(element, item, value)
            said = self.logic.conj((one.within, condition(one.value), found))
            return self.logic.exists(one.variables, said)

        return Members(contains)

    def _copies(self, term: Term, scope: Scope) -> Node:
        bag, item = (self.part(arg, scope) for arg in term.arguments)
        return bag.of(item)  # type: ignore[no-any-return]

    def _bag_change(self, term: Term, scope: Scope) -> Copies:
        bag, item = (self.part(arg, scope) for arg in term.arguments)
        logic, element = self.logic, term.arguments[1].sort
        more = term.operator is Operator.BAG_ADD

        def of(one: Value) -> Node:
            found = bag.of(one)
            changed = logic.plus(found, logic.integer(1 if more else -1))
            same = self.values.equal(element, one, item)
            fits = same if more else logic.conj((same, logic.less_equal(logic.integer(1), found)))
            return logic.ite(fits, changed, found)

        return Copies(of)

    # Sequences

    def _sequence(self, term: Term, scope: Scope) -> Items:
        items = [self.part(arg, scope) for arg in term.arguments]
        return self.values.listed(term.sort.element, items)  # type: ignore[attr-defined]

    def _length(self, term: Term, scope: Scope) -> Node:
        return self.part(term.arguments[0], scope).length  # type: ignore[no-any-return]

    def _at(self, term: Term, scope: Scope) -> Value:
        sequence, place = (self.part(arg, scope) for arg in term.arguments)
        return sequence.at(place)  # type: ignore[no-any-return]

    def _append(self, term: Term, scope: Scope) -> Items:
        sequence, item = (self.part(arg, scope) for arg in term.arguments)
        end = sequence.length
        return Items(
            self.logic.plus(end, self.logic.integer(1)),
            lambda place: self.values.choice(self.logic.equal(place, end), item, sequence.at(place)),
        )

    def _truncate(self, term: Term, scope: Scope) -> Items:
        sequence, most = (self.part(arg, scope) for arg in term.arguments)
        logic, zero = self.logic, self.logic.integer(0)
        least = logic.ite(logic.less_equal(most, sequence.length), most, sequence.length)
        return Items(self.short_integer(logic.ite(logic.less(least, zero), zero, least)), sequence.at)

    def _concatenate(self, term: Term, scope: Scope) -> Items:
        one, other = (self.part(arg, scope) for arg in term.arguments)
        logic = self.logic
        return Items(
            logic.plus(one.length, other.length),
            lambda place: self.values.choice(
                logic.less(place, one.length), one.at(place), other.at(logic.minus(place, one.length))
            ),
        )

    def _between(self, term: Term, scope: Scope) -> Items:
        sequence, first, end = (self.part(arg, scope) for arg in term.arguments)
        logic = self.logic
        return Items(logic.minus(end, first), lambda place: sequence.at(logic.plus(place, first)))

    def _map(self, term: Term, scope: Scope) -> Items:
        sequence = self.part(term.arguments[0], scope)
        body = self._body(term, scope, term.arguments[1])
        return Items(sequence.length, lambda place: body(sequence.at(place)))

    def _sequence_update(self, term: Term, scope: Scope) -> Items:
        sequence, at, value = (self.part(arg, scope) for arg in term.arguments)
        return Items(
            sequence.length,
            lambda place: self.values.choice(self.logic.equal(place, at), value, sequence.at(place)),
        )

    def _occurs(self, term: Term, scope: Scope) -> Node:
        sequence, item = (self.part(arg, scope) for arg in term.arguments)
        return self._holds(term.arguments[0].sort.element, sequence, item)  # type: ignore[attr-defined]

    def _elements(self, term: Term, scope: Scope) -> Members:
        sequence, sort = self.part(term.arguments[0], scope), term.arguments[0].sort
        return Members(lambda item: self._holds(sort.element, sequence, item))  # type: ignore[attr-defined]

    def _holds(self, sort: Sort, sequence: Items, item: Value) -> Node:
        place = self.logic.variable(INT)
        same = self.values.equal(sort, sequence.at(place), item)
        return self.logic.exists((place,), self.logic.conj((self.values.place_within(sequence, place), same)))

    def _reverse(self, term: Term, scope: Scope) -> Items:
        sequence, logic = self.part(term.arguments[0], scope), self.logic
        last = logic.minus(sequence.length, logic.integer(1))
        return Items(sequence.length, lambda place: sequence.at(logic.minus(last, place)))


def _wider(one: Sort, other: Sort) -> Sort:
    """Of two sorts that are compared, one whose structure fits both: they differ in bounds only."""
    return other if isinstance(one, Option) and not isinstance(other, Option) else one


def canonical(node: Node, variables: Sequence[Node]) -> str:
    """A text that is the same for formulas which differ in the numbers of variables only."""
    numbers = {variable: place for place, variable in enumerate(variables)}

    def of(one: Node) -> str:
        if one.kind == "var":
            return f"v{numbers.setdefault(one, len(numbers))}:{one.sort}"
        if isinstance(one.data, Bound):
            bound = " ".join(map(of, one.data.variables))
            return f"({one.kind} {bound}. {of(one.args[0])})"
        return f"({one.kind} {one.data} {' '.join(map(of, one.args))})"

    return of(node)


_Rule = Callable[[Reader, Term, Scope], Any]
_RULES: Mapping[Operator, _Rule] = {
    Operator.LITERAL: Reader._literal,
    Operator.VARIABLE: Reader._variable,
    Operator.NOT: Reader._not,
    Operator.AND: Reader._and,
    Operator.OR: Reader._or,
    Operator.IMPLIES: Reader._implies,
    Operator.EQUAL: Reader._equal,
    Operator.IF: Reader._if,
    Operator.FORALL: Reader._quantifier,
    Operator.EXISTS: Reader._quantifier,
    Operator.LESS: Reader._compare,
    Operator.LESS_EQUAL: Reader._compare,
    Operator.ADD: Reader._calculate,
    Operator.SUBTRACT: Reader._calculate,
    Operator.MULTIPLY: Reader._calculate,
    Operator.MINIMUM: Reader._extreme,
    Operator.MAXIMUM: Reader._extreme,
    Operator.MINIMUM_OF: Reader._extreme_of,
    Operator.MAXIMUM_OF: Reader._extreme_of,
    Operator.SOME: Reader._some,
    Operator.IS_NONE: Reader._is_none,
    Operator.GET: Reader._get,
    Operator.RECORD: Reader._record,
    Operator.TUPLE: Reader._record,
    Operator.FIELD: Reader._field,
    Operator.RECORD_UPDATE: Reader._record_update,
    Operator.APPLY: Reader._apply,
    Operator.FUNCTION: Reader._function,
    Operator.FUNCTION_UPDATE: Reader._function_update,
    Operator.VARIANT: Reader._variant,
    Operator.HAS_TAG: Reader._has_tag,
    Operator.PAYLOAD: Reader._payload,
    Operator.PARTIAL_FUNCTION: Reader._partial_function,
    Operator.DOMAIN: Reader._domain,
    Operator.EXTEND: Reader._extend,
    Operator.WITHOUT: Reader._without,
    Operator.SET: Reader._set,
    Operator.CONTAINS: Reader._contains,
    Operator.UNION: Reader._combined,
    Operator.INTERSECTION: Reader._combined,
    Operator.DIFFERENCE: Reader._combined,
    Operator.SUBSET: Reader._subset,
    Operator.COMPREHENSION: Reader._comprehension,
    Operator.IMAGE: Reader._image,
    Operator.UNION_OF: Reader._image,
    Operator.COPIES: Reader._copies,
    Operator.BAG_ADD: Reader._bag_change,
    Operator.BAG_REMOVE: Reader._bag_change,
    Operator.SEQUENCE: Reader._sequence,
    Operator.LENGTH: Reader._length,
    Operator.AT: Reader._at,
    Operator.APPEND: Reader._append,
    Operator.TRUNCATE: Reader._truncate,
    Operator.CONCATENATE: Reader._concatenate,
    Operator.BETWEEN: Reader._between,
    Operator.MAP: Reader._map,
    Operator.SEQUENCE_UPDATE: Reader._sequence_update,
    Operator.OCCURS: Reader._occurs,
    Operator.ELEMENTS: Reader._elements,
    Operator.REVERSE: Reader._reverse,
}
"""What is not in this table is refused."""
