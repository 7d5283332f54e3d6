"""Expressions of a module read as values of the verifier, with quantifiers kept.

Each rule gets the kind that the place of the expression expects, or None. A node or operator without a rule
is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.encodings.expressions import integer
from verifier.encodings.scalar_sorts import SortError
from verifier.encodings.terms import Symbol
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.advice import INSTEAD
from verifier.tla.first_order.families import Families
from verifier.tla.first_order.kinds import Kind, Linear, Member, Optional, SetOf, Sorts, Truth, Whole
from verifier.tla.first_order.scopes import Delayed, Local, Meaning, Misfit, Scope, Unread, describe_kind
from verifier.tla.first_order.typed import (
    ALWAYS,
    NEVER,
    Assigned,
    Collection,
    Kinds,
    Typed,
    make_word,
    variable_of,
)

if TYPE_CHECKING:
    from verifier.tla.first_order.constants import Constants
    from verifier.tla.specification import Specification

Read: TypeAlias = "Typed | Collection"
RECURSIVE = "RECURSIVE"
"""The name of the rule of recursive definitions."""
Rule: TypeAlias = "Callable[[Reading, Any, Scope, Kind | None], Read]"
"""Reads a node in a scope, where a kind is expected."""


def _suggest_name(kind: Kind, expected: Kind) -> str:
    """Return the advice how a value that may be absent is read as an element."""
    if not isinstance(kind, Optional) or not isinstance(kind.inner, Member) or kind.inner != expected:
        return ""
    return f": name the element before, as in \\E x \\in {kind.inner.constant} : x = … /\\ …"


class Reading:
    """The meaning of a module's expressions in one protocol."""

    def __init__(
        self,
        specification: Specification,
        constants: Constants,
        sorts: Sorts,
        forms: Mapping[type, Rule],
        operators: Mapping[str, Rule],
        sets: Mapping[str, Any],
    ) -> None:
        """``sets``: the state variables of families, as far as there is a state."""
        self.specification, self.constants, self.sorts = specification, constants, sorts
        self.kinds, self.any_bounds = Kinds(sorts), Kinds(sorts, for_assignment=True)
        self.families = Families(constants.families, sorts.members, sets)
        self._forms, self._operators = forms, operators

    # -- reading

    def read(self, whole: ast.Expression, scope: Scope, expected: Kind | None = None) -> Read:
        """Return the meaning of an expression. Raises Unread."""
        rule = self._forms.get(type(whole))
        if rule is None:
            words = f"{type(whole).__name__} is not supported"
            raise Unread(whole.place, words)
        try:
            return rule(self, whole, scope, expected)
        except SortError as error:
            raise Unread(whole.place, str(error)) from error

    def read_typed(self, whole: ast.Expression, scope: Scope, expected: Kind | None = None) -> Typed:
        """Return the value of an expression, of the kind that is expected."""
        value = self._read_value(whole, scope.reading_only(), expected)
        if expected is None:
            return value
        try:
            fitting = self.kinds.widen(value, expected)
        except SortError as error:
            raise Unread(whole.place, str(error)) from error
        if fitting is None:
            words = f"{expected} is expected here, and this is {describe_kind(value.kind)}"
            raise Misfit(whole.place, words + _suggest_name(value.kind, expected))
        return fitting

    def _read_value(self, whole: ast.Expression, scope: Scope, expected: Kind | None) -> Typed:
        """Return the value of an expression, of its own kind."""
        value = self.read(whole, scope, expected)
        if isinstance(value, Collection):
            value = self.as_value(value, whole.place)
        is_family = isinstance(expected, SetOf) and self.families.is_element(value)
        return self.families.as_set(value) if is_family else value

    def read_part(self, whole: ast.Expression, scope: Scope, wanted: Kind | None) -> Typed:
        """Return the value of a part, of the kind that is wanted if it surely has it, or of its own."""
        if wanted is not None:
            try:
                return self.read_typed(whole, scope, wanted)
            except Misfit:
                pass
        return self.read_typed(whole, scope)

    def read_key(self, whole: ast.Expression, scope: Scope, domain: Kind) -> Typed:
        """Return an argument of a function, which has no value beyond its domain. A value that may be absent
        is read like the value of an option. The proof includes that no read is made where it is absent, and
        conditions before the read protect it."""
        if not isinstance(domain, Whole):
            try:
                return self.read_typed(whole, scope, domain)
            except Misfit as misfit:
                present = self._read_present(whole, scope, domain)
                if present is None:
                    raise misfit from None
                return present
        key = self.read_typed(whole, scope)
        if not isinstance(key.kind, Whole):
            raise Misfit(whole.place, f"{domain} is expected here, and this is {key.kind}")
        return Typed(domain, key.value)

    def _read_present(self, whole: ast.Expression, scope: Scope, domain: Kind) -> Typed | None:
        """Return a value that may be absent as one of a kind to which the absent one does not belong. None if
        it is no such value."""
        value = self.read_typed(whole, scope)
        if not isinstance(value.kind, Optional) or isinstance(domain, Optional):
            return None
        return self.kinds.widen(Typed(value.kind.inner, value.value.value), domain)

    def read_assigned(self, whole: ast.Expression, scope: Scope, kind: Kind) -> Typed:
        """Return the next value of a variable of a kind. Raises Misfit."""
        value = self._read_value(whole, replace(scope, assigning=True), kind)
        return self.assign(value, kind, whole.place)

    def assign(self, value: Typed, kind: Kind, place: Place) -> Typed:
        """Return a value as the next one of a variable of a kind. Raises Misfit."""
        if isinstance(value.kind, Whole) and isinstance(kind, Whole):
            return value
        try:
            fitting = None if isinstance(value, Assigned) else self.kinds.widen(value, kind)
            if fitting is not None:
                return fitting
            loose = self.any_bounds.widen(value, kind)
        except SortError as error:
            raise Unread(place, str(error)) from error
        if loose is None:
            words = f"{kind} is expected here, and this is {value.kind}"
            raise Misfit(place, words + _suggest_name(value.kind, kind))
        return Assigned(kind, loose.value)

    def formula(self, whole: ast.Expression, scope: Scope) -> BooleanValue:
        """Return an expression as a formula."""
        return self.read_typed(whole, scope, Truth()).formula

    def ranges_over_nothing(self, bindings: Sequence[ast.Binding], scope: Scope) -> bool:
        """True if names range over a set that is written as the empty one. No formula about them is read."""
        return any(self.collection(binding.domain, scope).element is None for binding in bindings)

    def collection(self, whole: ast.Expression, scope: Scope, element: Kind | None = None) -> Collection:
        """Return an expression as a set."""
        collection = self.read(whole, scope.reading_only(), None if element is None else SetOf(element))
        if isinstance(collection, Typed):
            if self.families.is_element(collection):
                collection = self.families.as_set(collection)
            if isinstance(collection.kind, Optional) and isinstance(collection.kind.inner, SetOf):
                # The proof includes that no set is read where the value stands for none.
                collection = Typed(collection.kind.inner, collection.value.value)
            if not isinstance(collection.kind, SetOf):
                raise Misfit(whole.place, f"a set is expected here, and this is {collection.kind}")
            return self.kinds.of_set(collection)
        return collection

    def as_value(self, collection: Collection, place: Place) -> Typed:
        """Return a set as a value."""
        if collection.element is None:
            return Typed(SetOf(None), None)
        if collection.made is None:
            raise Unread(place, "this set only says what belongs to it; it is not a value that can be stored")
        return Typed(SetOf(collection.element), collection.made)

    # -- names

    def resolve(self, symbol: ast.Symbol, scope: Scope, place: Place) -> ast.Symbol:
        """Return the meaning of a symbol. The configuration may put a definition in place of another one:
        what is proved is about the module with it. Another substitute is refused."""
        put = self.specification.evaluator.resolve(symbol, scope.module)
        if put is None or put is symbol:
            return symbol
        plain = isinstance(symbol, ast.Definition) and not symbol.parameters
        if plain and isinstance(put, ast.Definition) and not put.parameters and put.body is not None:
            self.constants.substitutes[symbol.name] = put.name
            return put
        words = f"the configuration puts another operator or value in place of {symbol.name}"
        raise Unread(
            place,
            f"{words}: what is proved would not be about the module as it is written; leave it out of the "
            "configuration",
        )

    def application(self, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Read:
        """Return the meaning of a symbol with its arguments."""
        symbol = self.resolve(whole.operator, scope, whole.place)
        match symbol:
            case ast.Variable():
                return self._variable(symbol, scope, whole.place)
            case ast.Constant():
                return self._constant(symbol, whole)
            case ast.Bound() | ast.Parameter():
                return self._read_bound(symbol, whole, scope, expected)
            case ast.Definition():
                chosen = scope.values.get(symbol)  # the element of a sum, which a LET defines by CHOOSE
                if isinstance(chosen, Typed):
                    return chosen
                rule = self._operators.get(RECURSIVE) if symbol.recursive else None
                if rule is not None:
                    return rule(self, replace(whole, operator=symbol), scope, expected)
                return self.read(*self.enter(symbol, whole, scope), expected)
        rule = self._operators.get(symbol.name)
        if rule is None:
            words = f"the operator {symbol.name} is not supported"
            instead = f" ({INSTEAD[symbol.name]})" if symbol.name in INSTEAD else ""
            raise Unread(whole.place, words + instead)
        return rule(self, whole, scope, expected)

    def enter(self, symbol: ast.Definition, whole: ast.Apply, scope: Scope) -> tuple[ast.Expression, Scope]:
        """Return the body of a definition and its scope."""
        if symbol.body is None or symbol.recursive or symbol.takes is not None:
            raise Unread(whole.place, f"{symbol.shown} is recursive, a function, or has no body")
        values: dict[ast.Symbol, Meaning] = {
            parameter: Delayed(argument, scope.reading_only())
            for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True)
        }
        return symbol.body, scope.enter_definition(symbol, values)

    def _variable(self, symbol: ast.Variable, scope: Scope, place: Place) -> Typed:
        if not scope.primed:
            return scope.now[symbol]
        value = scope.after.get(symbol)
        if value is None:
            raise Unread(place, f"{symbol.name}' is read before it is assigned")
        if isinstance(value, Assigned):
            raise Unread(place, f"{symbol.name}' is read, and it may have integers beyond its bounds")
        return value

    def _constant(self, symbol: ast.Constant, whole: ast.Apply) -> Read:
        name = symbol.name
        if whole.arguments:
            raise Unread(whole.place, f"the constant {name} is an operator")
        if name in self.constants.sets:
            return self.kinds.whole(self.constants.member(name))
        if name in self.constants.numbers:
            own = Linear(0, ((name, 1),))
            return Typed(Whole(own, own), integer(self.sorts.numbers[name]))
        if name in self.constants.atoms:
            return self.word(name, whole.place)
        if name in self.constants.fixed:
            return Typed(Truth(), ALWAYS if self.constants.fixed[name] else NEVER)
        raise Unread(whole.place, self.constants.refused.get(name, f"the constant {name} has no reading"))

    def word(self, word: str, place: Place) -> Typed:
        """Return a string or a single model value."""
        if self.sorts.words is None or word not in self.sorts.words.members:
            raise Unread(place, f"{word} is not a word of the module")
        return make_word(self.sorts.words, word)

    def _read_bound(
        self, symbol: ast.Bound | ast.Parameter, whole: ast.Apply, scope: Scope, expected: Kind | None
    ) -> Read:
        meaning = scope.values.get(symbol)
        if isinstance(meaning, Typed):
            return meaning
        if not isinstance(meaning, Delayed):
            raise Unread(whole.place, f"{symbol.name} has no value here")
        inner = scope.resume_argument(meaning)
        if not whole.arguments:
            return self.read(meaning.whole, inner, expected)
        if isinstance(meaning.whole, ast.Lambda):
            for parameter, argument in zip(meaning.whole.parameters, whole.arguments, strict=True):
                inner = inner.binding(parameter, Delayed(argument, scope))
            return self.read(meaning.whole.body, inner, expected)
        raise Unread(whole.place, f"{symbol.name} is an operator that is an argument")

    # -- bound names

    def bind(
        self, binding: ast.Binding, scope: Scope, name: str | None = None
    ) -> tuple[list[tuple[Symbol, BooleanValue, Typed]], Scope]:
        """Return new symbols for the names of a binding, each with the formula that it is in the set."""
        domain = self.collection(binding.domain, scope)
        kind, inner = self.find_element_kind(domain, binding.domain.place), scope
        made = []
        names = [None] if binding.is_tuple else list(binding.names)
        for bound in names:
            own = name or (bound.name if bound is not None else "item")
            symbol = Symbol(own, kind.sort(self.sorts))
            element = Typed(kind, variable_of(symbol))
            made.append((symbol, domain.has(element), element))
            if bound is not None:
                inner = inner.binding(bound, element)
            else:
                inner = self.bind_items(binding, element, inner)
        return made, inner

    def bind_items(self, binding: ast.Binding, value: Typed, scope: Scope) -> Scope:
        """Return the scope in which the names of a tuple have the items of a value."""
        items = getattr(value.kind, "items", ())
        if len(items) != len(binding.names):
            raise Unread(binding.domain.place, f"its elements are not tuples of {len(binding.names)} items")
        for place, bound in enumerate(binding.names):
            scope = scope.binding(bound, self.kinds.item(value, place))
        return scope

    def find_element_kind(self, collection: Collection, place: Place, *, as_type: bool = False) -> Kind:
        """Return the kind of a set's elements. Raises Unread if it is not known. ``as_type``: no name ranges
        over the set."""
        kind = collection.element
        if (collection.unbounded and not as_type) or (isinstance(kind, Whole) and not kind.is_known):
            words = "this is a set of integers without a greatest or least one, such as Nat"
            raise Unread(place, f"{words}: write a range, such as 0..Most with a constant Most")
        if kind is None or not kind.is_known:
            raise Unread(place, "the kind of the elements of this set is not known")
        return kind

    def enter_let(self, whole: ast.Let, scope: Scope) -> Scope:
        """Return the scope below the definitions of a LET."""
        for definition in whole.definitions:
            scope = scope.binding(definition, Local(scope.values, scope.old))
        return scope
