"""The reader of terms as values of first-order logic: scopes, and definitions of what has no explicit term.

A value without an explicit term, such as the maximum of a set or a choice, is a new function symbol with a
defining axiom. A quantified formula that depends on outer bound variables gets a predicate (``Definitions``),
which solvers use as a trigger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeAlias

from verifier.encodings.printing import text
from verifier.encodings.sorts import Set, Sort, sorts_in
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.parametric.counting import Counting
from verifier.parametric.errors import NotParametric
from verifier.parametric.extremal import Extreme
from verifier.parametric.first_order_values import Mapped, Partly, Value
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT, Node, canonical
from verifier.parametric.set_formulas import abstract_sets
from verifier.parametric.sort_nodes import Values

HOLDS = "holds "
"""The beginning of the names of predicates for formulas."""


@dataclass(frozen=True)
class Summing:
    """The sum that is a function symbol."""

    outside: tuple[Node, ...]
    """The arguments of the symbol."""
    variables: tuple[Node, ...]
    """The variables of the value to which a summand belongs."""
    summand: Node
    """The integer that is summed; 0 for values that are not summed."""


@dataclass
class Definitions:
    """Function symbols, each with its defining axioms."""

    axioms: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    """For predicates of the state after a step: the one of the same formula in the state before."""
    names: dict[str, str] = field(default_factory=dict)
    """The symbol of each content, so that one content has one symbol, whatever was read before."""
    counts: dict[str, Counting] = field(default_factory=dict)
    """The symbols of counts. Their facts are no axioms, but are given where they may help."""
    sums: dict[str, Summing] = field(default_factory=dict)
    """The symbols of sums. Their facts are given like those of counts."""
    extremes: dict[str, Extreme] = field(default_factory=dict)
    """The symbols of least and greatest elements."""


@dataclass(frozen=True)
class Scope:
    """The values of symbols, and the context of a term."""

    values: Mapping[Symbol, Value]
    bound: tuple[Symbol, ...] = ()
    """The symbols that a quantifier binds, outermost first."""
    weak: frozenset[Symbol] = frozenset()
    """The symbols that an existential quantifier may bind, with respect to the truth of the whole formula."""
    among: Operator | None = None
    """The innermost quantifier, if it binds a set."""
    polarity: int = 1
    """1 for a positive occurrence in the whole formula, -1 for a negative one, 0 for either."""

    def binding(self, symbol: Symbol, value: Value, *, weak: bool) -> Scope:
        """Return the scope with one more variable."""
        more = frozenset((symbol,)) if weak else frozenset()
        return replace(
            self,
            values={**self.values, symbol: value},
            bound=(*self.bound, symbol),
            weak=self.weak | more,
        )

    def turn(self, factor: int) -> Scope:
        """Return the scope of a part: negated (-1), or with either truth value (0)."""
        among = self.among if factor == 1 else None
        return replace(self, polarity=self.polarity * factor, among=among)


class Reader:
    """Reads terms in one state, by a rule for each operator. ``before`` reads the same terms in the state
    before a step, for twins."""

    def __init__(
        self,
        rules: Mapping[Operator, Rule],
        values: Values,
        definitions: Definitions,
        state: Mapping[Symbol, Value],
        before: Reader | None = None,
    ) -> None:
        self._rules = rules
        self.values = values
        self.logic: Logic = values.logic
        self.definitions = definitions
        self.scope = Scope(state)
        self.before = before

    def formula(self, term: Term) -> Node:
        """Return a formula about the state."""
        return self.truth(term, self.scope)

    def value(self, term: Term) -> Value:
        """Return a value in the state."""
        value: Value = self.read(term, self.scope)
        return value

    # All terms

    def read(self, term: Term, scope: Scope) -> Any:
        """Return the value of a term."""
        rule = self._rules.get(term.operator)
        if rule is None:
            raise NotParametric(f"{term.operator} has no parametric reading: {text(term)[:120]}")
        try:
            return rule(self, term, scope)
        except NotParametric as error:
            if "\n" in str(error) or " in " in str(error)[-200:]:
                raise
            raise NotParametric(f"{error}, in {text(term)[:160]}") from None

    def truth(self, term: Term, scope: Scope) -> Node:
        """Return the value of a formula."""
        truth = self.read(term, scope)
        assert isinstance(truth, Node)
        return truth

    def part(self, term: Term, scope: Scope) -> Any:
        """Return the value of a part that is neither conjunct nor disjunct: its formulas have either
        polarity."""
        return self.read(term, scope.turn(0))

    # Formulas

    def read_quantified(self, term: Term, scope: Scope) -> Node:
        """Return a quantified formula, or a predicate for it if it depends on outer bound variables."""
        if self._is_about_sets(term, scope):
            return self._name_about_sets(term, scope)
        if not scope.weak.isdisjoint(term.free) or self._chooses_element_with_sets(term, scope):
            return self._name_formula(term, scope)
        return self._quantify(term, scope)

    def _chooses_element_with_sets(self, term: Term, scope: Scope) -> bool:
        """True if a formula says for bound variables that an element with sets exists. Such a formula is a
        predicate wherever it occurs. So lemmas have no variables for its fields, and fewer instances."""
        if term.operator is not Operator.EXISTS or not self.values.has_named_sets:
            return False
        assert term.binds is not None
        has_sets = any(isinstance(part, Set) for part in sorts_in(term.binds.sort))
        return has_sets and not term.free.isdisjoint(scope.bound)

    def _is_about_sets(self, term: Term, scope: Scope) -> bool:
        """True if a formula says something of all sets, and is not itself what another such formula says."""
        assert term.binds is not None
        if not self.values.has_sets_in_states or not isinstance(term.binds.sort, Set):
            return False
        universal = (term.operator is Operator.FORALL) == (scope.polarity >= 0)
        if scope.polarity and not universal and term.free.isdisjoint(scope.bound):
            return False
        return scope.among != term.operator

    def _name_about_sets(self, term: Term, scope: Scope) -> Node:
        """Return the formula as a predicate of the sets that it is about."""
        meaning, name, variables, values = self._abstract_sets(term, scope)
        if not variables:
            return meaning
        if self.before is not None:
            _, twin, others, _ = self.before._abstract_sets(term, self.before._enter(scope))
            if twin != name and [one.sort for one in others] == [one.sort for one in variables]:
                self.definitions.twins.setdefault(name, twin)
        return self.logic.app(name, BOOL, values)

    def _abstract_sets(
        self, term: Term, scope: Scope
    ) -> tuple[Node, str, tuple[Node, ...], tuple[Node, ...]]:
        inner = replace(scope, weak=frozenset(), polarity=1)
        meaning = self._quantify(term, inner)
        general, variables, values = abstract_sets(self.logic, meaning)
        if not variables:
            return meaning, "", (), ()
        name = self.symbol("holds", general, variables, lambda applied: (self.logic.iff(applied, general),))
        return meaning, name, variables, values

    def _quantify(self, term: Term, scope: Scope) -> Node:
        assert term.binds is not None
        universal = term.operator is Operator.FORALL
        weak = scope.polarity != (1 if universal else -1)
        one = self.values.quantify(term.binds.sort)
        inner = scope.binding(term.binds, one.value, weak=weak)
        inner = replace(inner, among=term.operator if isinstance(term.binds.sort, Set) else None)
        said = self.truth(term.arguments[0], inner)
        if universal:
            return self.logic.forall(one.variables, self.logic.implies(one.within, said))
        return self.logic.exists(one.variables, self.logic.conj((one.within, said)))

    # Definitions

    def _name_formula(self, term: Term, scope: Scope) -> Node:
        """Return the formula as a predicate of its outer bound variables."""
        symbols = [symbol for symbol in scope.bound if symbol in term.free]
        if self.values.has_named_sets:  # the predicate is the same for another order of quantifiers
            occurring = dict.fromkeys(one.data for one in term.walk() if isinstance(one.data, Symbol))
            symbols = [symbol for symbol in occurring if symbol in symbols]
        fresh = {symbol: self.values.quantify(symbol.sort) for symbol in symbols}
        outside = {symbol: one.value for symbol, one in fresh.items()}
        variables = tuple(v for one in fresh.values() for v in one.variables)
        arguments = tuple(node for s in symbols for node in self.values.flat(s.sort, scope.values[s]))
        if any(isinstance(part, Set) for s in symbols for part in sorts_in(s.sort)):
            variables, arguments = self._keep_used(term, scope, outside, symbols, variables, arguments)
        name = self._define(term, scope, outside, symbols, variables)
        if self.before is not None:
            twin = self.before._define(term, self.before._enter(scope), outside, symbols, variables)
            if twin != name:
                self.definitions.twins.setdefault(name, twin)
        return self.logic.app(name, BOOL, arguments)

    def _keep_used(
        self,
        term: Term,
        scope: Scope,
        outside: Mapping[Symbol, Value],
        symbols: Sequence[Symbol],
        variables: tuple[Node, ...],
        arguments: tuple[Node, ...],
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """Return the variables that a formula depends on, and their values. An element with sets has other
        fields, too, of which solvers need not know the values."""
        used = self._find_meaning(term, scope, outside, symbols).free
        if self.before is not None:
            used |= self.before._find_meaning(term, self.before._enter(scope), outside, symbols).free
        pairs = [(one, value) for one, value in zip(variables, arguments, strict=True) if one in used]
        return tuple(one for one, _ in pairs), tuple(value for _, value in pairs)

    def _enter(self, scope: Scope) -> Scope:
        """Return a scope of the state after a step with the variables of this state."""
        return replace(scope, values={**scope.values, **self.scope.values})

    def _define(
        self,
        term: Term,
        scope: Scope,
        outside: Mapping[Symbol, Value],
        symbols: Sequence[Symbol],
        variables: tuple[Node, ...],
    ) -> str:
        meaning = self._find_meaning(term, scope, outside, symbols)
        return self.symbol("holds", meaning, variables, lambda applied: (self.logic.iff(applied, meaning),))

    def _find_meaning(
        self, term: Term, scope: Scope, outside: Mapping[Symbol, Value], symbols: Sequence[Symbol]
    ) -> Node:
        values = {**scope.values, **outside}
        inner = replace(scope, values=values, bound=tuple(symbols), weak=frozenset(), polarity=0)
        return self._quantify(term, inner)

    def remove_quantifiers(self, meaning: Node) -> Node:
        """Return the formula, or a predicate for it if it has quantifiers."""
        if not meaning.quantified:
            return meaning
        outside = sorted(meaning.free, key=lambda node: node.data)
        name = self.symbol("holds", meaning, outside, lambda one: (self.logic.iff(one, meaning),))
        return self.logic.app(name, BOOL, outside)

    def symbol(
        self,
        word: str,
        meaning: Node,
        variables: Sequence[Node],
        axioms: Callable[[Node], Sequence[Node]],
        sort: str = BOOL,
    ) -> str:
        """Return the function symbol that is defined by a formula over these variables."""
        key = f"{word} {canonical(meaning, variables)}"
        if not meaning.free.issuperset(variables):  # otherwise the text determines all of their sorts
            key += f" for {' '.join(variable.sort for variable in variables)}"
        name = self.definitions.names.get(key)
        if name is None:
            name = f"{word} {blake2b(key.encode(), digest_size=8).hexdigest()}"
            self.definitions.names[key] = name
            applied = self.logic.app(name, sort, variables)
            said = tuple(
                self.logic.forall(variables, axiom) if variables else axiom for axiom in axioms(applied)
            )
            self.definitions.axioms[name] = said
        return name

    # Integers

    def short(self, value: Value) -> Value:
        """Return the value; a conditional integer becomes a constant, so that formulas stay small."""
        return self.short_integer(value) if isinstance(value, Node) else value

    def short_integer(self, value: Node) -> Node:
        """Return the integer; a conditional one becomes a constant, as in `short`."""
        if value.kind != "ite" or value.sort != INT or value.free:
            return value
        name = self.symbol("value", value, (), lambda one: (self.logic.equal(one, value),), INT)
        return self.logic.app(name, INT)

    # Parts of other terms

    def body(self, term: Term, scope: Scope, body: Term) -> Callable[[Value], Any]:
        """Return a body as a function of the variable that the term binds."""
        symbol = term.binds
        assert symbol is not None
        return lambda value: self.read(body, scope.turn(0).binding(symbol, value, weak=True))

    def update(self, sort: Sort, function: Value, key: Value, value: Value) -> Value:
        """Return the function with another value at a key."""
        domain: Sort = sort.domain  # type: ignore[attr-defined]
        match function:
            case Partly():
                return Partly(
                    lambda k: self.logic.disj((self.values.equal(domain, k, key), function.has(k))),
                    lambda k: self.values.choice(self.values.equal(domain, k, key), value, function.at(k)),
                )
            case Mapped():
                return Mapped(
                    lambda k: self.values.choice(self.values.equal(domain, k, key), value, function.at(k))
                )
        raise NotParametric("a part of what is not a function is assigned")


Rule: TypeAlias = Callable[[Reader, Term, Scope], Any]
"""Reads the terms of an operator."""
