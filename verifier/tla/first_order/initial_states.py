r"""Initial states of a module that the type invariant leaves out: a proof about the others would be none.

A formula is read for states whose variables have values of their kinds. ``\A v \in 0..x : P`` has no v beyond
the greatest value of the kind of x. So Init is read exactly only where it gives each variable such a value.
This shows in its text, for most variables: they are equal to a value of their kind, or in a set of these. The
proof shows it for another variable, if one conjunct gives its value and Init says nothing else of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from verifier.encodings.terms import Symbol
from verifier.tla import ast
from verifier.tla.action_forms import (
    Argument,
    Assignment,
    Binding,
    Call,
    Choice,
    Condition,
    Conjunction,
    Disjunction,
    action_form,
)
from verifier.tla.first_order.kinds import Kind
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Delayed, Misfit, Scope, Unread
from verifier.tla.first_order.typed import Typed, variable_of

Part = tuple[ast.Expression, Scope]
"""A part of Init, with the meaning of its names."""
_NONE: frozenset[ast.Variable] = frozenset()


@dataclass(frozen=True)
class InitialStates:
    """The initial states of a module."""

    reading: Reading
    kinds: Mapping[ast.Variable, Kind]

    def require_exact(self, now: Mapping[ast.Variable, Typed]) -> None:
        """Raise Unread if the reading of Init may lack an initial state."""
        init = self.reading.specification.init
        parts = [part for one in init for part in self._flatten(one.body, Scope(one.module, now))]
        known = self._find_fitting_in_all(parts, _NONE)
        for variable in self.kinds:
            if variable not in known:
                self._require_alone(variable, parts, known)

    def _require_alone(
        self, variable: ast.Variable, parts: list[Part], known: frozenset[ast.Variable]
    ) -> None:
        about = [part for part in parts if variable in self._find_read(*part)]
        values = list(self._find_values(*about[0], variable)) if len(about) == 1 else []
        if not any(self._find_read(*value) <= known for value, _ in values):
            is_open = len(values) == 1 and isinstance(values[0][0][0], ast.Choose | ast.If | ast.Let)
            unread = self._find_read(*values[0][0]) - known if is_open else _NONE
            names = " and ".join(sorted(one.name for one in unread))
            hint = f" (its value here reads {names}: is a parenthesis missing?)" if unread else ""
            place = about[-1][0].place if about else self.reading.specification.init[0].body.place
            raise Unread(
                place,
                f"Init may give {variable.name} a value that is not {self.kinds[variable]}: write "
                f"{variable.name} = … or {variable.name} \\in … as a conjunct, and with such values if Init "
                f"says more of it{hint}",
            )

    def _flatten(self, whole: ast.Expression, scope: Scope) -> Iterator[Part]:
        form = action_form(self.reading.specification.evaluator, whole, scope.module)
        match form:
            case Conjunction(items):
                for item in items:
                    yield from self._flatten(item, scope)
            case Call(definition, call):
                self.reading.resolve(call.operator, scope, call.place)
                yield from self._flatten(*self.reading.enter(definition, call, scope))
            case _:
                yield whole, scope

    # -- variables whose values are of their kinds

    def _find_fitting_in_all(
        self, parts: list[Part], known: frozenset[ast.Variable]
    ) -> frozenset[ast.Variable]:
        """Return the variables that surely have such values where all parts are true."""
        while True:
            more = known.union(*(self._find_fitting(*part, known) for part in parts))
            if more == known:
                return known
            known = more

    def _find_fitting(
        self, whole: ast.Expression, scope: Scope, known: frozenset[ast.Variable]
    ) -> frozenset[ast.Variable]:
        """Return the variables that one part gives such values. ``known``: the variables that other parts
        give some."""
        form = action_form(self.reading.specification.evaluator, whole, scope.module)
        match form:
            case Conjunction() | Call():
                return self._find_fitting_in_all(list(self._flatten(whole, scope)), known)
            case Disjunction(items):
                return frozenset.intersection(*(self._find_fitting(one, scope, known) for one in items))
            case Condition(_, then, ast.Expression() as otherwise):
                both = (self._find_fitting(one, scope, known) for one in (then, otherwise))
                return frozenset.intersection(*both)
            case Choice(quantifier):
                return self._find_fitting_below(quantifier, scope, known)
            case Binding(let):
                return self._find_fitting(let.body, self.reading.enter_let(let, scope), known)
            case Argument(parameter, call):
                meaning = scope.values.get(parameter)
                if isinstance(meaning, Delayed) and not call.arguments:
                    return self._find_fitting(meaning.whole, scope.resume_argument(meaning), known)
            case Assignment():
                return self._find_assigned(whole, scope, known)
        return _NONE

    def _find_fitting_below(
        self, quantifier: ast.Quantifier, scope: Scope, known: frozenset[ast.Variable]
    ) -> frozenset[ast.Variable]:
        inner = scope
        for binding in quantifier.bindings:
            if not self._find_read(binding.domain, scope) <= known:
                return _NONE
            _, bound_scope = self.reading.bind(binding, scope)
            inner = replace(inner, values={**inner.values, **bound_scope.values})
        return self._find_fitting(quantifier.body, inner, known)

    def _find_assigned(
        self, whole: ast.Expression, scope: Scope, known: frozenset[ast.Variable]
    ) -> frozenset[ast.Variable]:
        assigned = set[ast.Variable]()
        for variable, kind in self.kinds.items():
            for (value, inner), is_equal in self._find_values(whole, scope, variable):
                if self._find_read(value, inner) <= known and self._fits(value, inner, kind, is_equal):
                    assigned.add(variable)
        return frozenset(assigned)

    def _find_values(
        self, whole: ast.Expression, scope: Scope, variable: ast.Variable
    ) -> Iterator[tuple[Part, bool]]:
        """Yield what a formula says a variable is: the value, or the set that contains it with False."""
        form = action_form(self.reading.specification.evaluator, whole, scope.module)
        if isinstance(form, Assignment):
            sides = [(form.left, form.right)]
            if form.is_equation:
                sides.append((form.right, form.left))
            for one, other in sides:
                if self._is_variable(one, scope, variable):
                    yield (other, scope), form.is_equation

    def _is_variable(self, whole: ast.Expression, scope: Scope, variable: ast.Variable) -> bool:
        if not isinstance(whole, ast.Apply):
            return False
        meaning = scope.values.get(whole.operator)
        if isinstance(whole.operator, ast.Parameter) and isinstance(meaning, Delayed):
            return self._is_variable(meaning.whole, meaning.scope, variable)
        return whole.operator is variable

    def _fits(self, whole: ast.Expression, scope: Scope, kind: Kind, is_equal: bool) -> bool:
        """True if a value, or each element of a set, is of a kind whatever the constants are."""
        try:
            if is_equal:
                self.reading.read_typed(whole, scope, kind)
                return True
            element = self.reading.collection(whole, scope, kind).element
            if element is None:
                return True
            if not element.is_known:
                return False
            one = Typed(element, variable_of(Symbol("x", element.sort(self.reading.sorts))))
            return self.reading.kinds.widen(one, kind) is not None
        except Misfit:
            return False

    def _find_read(self, whole: ast.Expression, scope: Scope) -> frozenset[ast.Variable]:
        """Return the variables that an expression mentions, also through arguments."""
        facts = self.reading.specification.evaluator.analysis.of(whole, scope.module)
        meanings = (scope.values.get(one) for one in facts.free if isinstance(one, ast.Parameter))
        given = (self._find_read(one.whole, one.scope) for one in meanings if isinstance(one, Delayed))
        return facts.reads.union(*given)
