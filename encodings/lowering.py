"""The finite reading: lowers terms to boolean terms and expands quantifiers over their sorts' values.

Building must not be what takes the time. So nothing is lowered that cannot matter: what constants decide
comes first, a quantifier over a set looks at the values that the set can contain, and what was made of a term
serves for all terms like it (``readings``). None of this changes the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, conjunction, disjunction, negation
from verifier.encodings.compound_lowering import COMPOUND_RULES, apply_partial
from verifier.encodings.concrete import Concrete
from verifier.encodings.fitting import convert
from verifier.encodings.lowered import (
    Lowered,
    LoweredOption,
    either,
    equal,
    lower_constant,
    make_definedness,
    restrict_value,
    select,
)
from verifier.encodings.lowering_rules import Rule, of_all, of_formulas, of_instances
from verifier.encodings.partiality import never_has_value
from verifier.encodings.readings import Bindings, Memory
from verifier.encodings.scalars import Scalar
from verifier.encodings.sequence_lowering import SEQUENCE_RULES
from verifier.encodings.set_lowering import SET_RULES
from verifier.encodings.sorts import Function, PartialFunction, Record, Sort
from verifier.encodings.terms import Operator, Symbol, Term

__all__ = ["Bindings", "Lowering"]


class Lowering(Memory):
    """Lowers terms for one meaning of the free variables.

    Terms that are alike are lowered once for each value of what they read of bound variables. It calls
    ``tick`` for each of these and for each value of a bound variable. ``tick`` may raise an exception to end
    the work.
    """

    def __init__(
        self,
        variables: Mapping[Symbol, Lowered],
        tick: Callable[[], None] = lambda: None,
        outer: Lowering | None = None,
    ) -> None:
        self._variables = dict(variables)
        super().__init__(self._variables, outer)
        self._tick = tick

    def extend(self, variables: Mapping[Symbol, Lowered]) -> Lowering:
        """A lowering that gives further variables a meaning. It shares what does not read them."""
        return Lowering({**self._variables, **variables}, self._tick, self)

    def lower(self, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term."""
        reading = self.reading(term)
        key = reading.key(bindings)
        result = reading.results.lowered.get(key)
        if result is None:
            self._tick()
            result = reading.results.lowered[key] = _RULES[term.operator](self, term, bindings)
        return result

    def arguments(self, term: Term, bindings: Bindings) -> list[Any]:
        """The lowered forms of a term's arguments."""
        return [self.lower(argument, bindings) for argument in term.arguments]

    def argument(self, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term's only argument."""
        (argument,) = term.arguments
        return self.lower(argument, bindings)

    def formulas(self, term: Term, bindings: Bindings) -> Iterator[FNode]:
        """A term's arguments as formulas."""
        return (self.formula(argument, bindings) for argument in term.arguments)

    def convert(self, sort: Sort, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term, in the shape of a sort that includes the term's sort."""
        return convert(self.lower(term, bindings), term.sort, sort)

    def expand(self, term: Term, bindings: Bindings) -> Iterator[tuple[Concrete, Bindings]]:
        """The bound variable's values that count, each with the bindings that include it."""
        assert term.binds is not None
        for value in self.candidates(term, bindings):
            self._tick()
            yield value, {**bindings, term.binds: value}

    def instances(self, term: Term, bindings: Bindings) -> Iterator[tuple[Concrete, FNode]]:
        """The bound variable's values that count, each with the last argument lowered to a formula for it."""
        for value, inner in self.expand(term, bindings):
            yield value, self.formula(term.arguments[-1], inner)

    # Leaves and booleans

    def _literal(self, term: Term, bindings: Bindings) -> Any:
        return lower_constant(term.sort, term.data)

    def _variable(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.data, Symbol)
        if term.data in self._variables:
            return self._variables[term.data]
        return lower_constant(term.sort, bindings[term.data])

    def _is_decided(self, term: Term, bindings: Bindings, decisive: FNode) -> bool:
        """True if an argument without state variables decides the term, before others are lowered for it."""
        constants = self.reading(term).constants
        return any(self.formula(argument, bindings) is decisive for argument in constants)

    def _and(self, term: Term, bindings: Bindings) -> Any:
        if self._is_decided(term, bindings, FALSE):
            return FALSE
        return conjunction(self.formulas(term, bindings))

    def _or(self, term: Term, bindings: Bindings) -> Any:
        if self._is_decided(term, bindings, TRUE):
            return TRUE
        return disjunction(self.formulas(term, bindings))

    def _implies(self, term: Term, bindings: Bindings) -> Any:
        if self._is_decided(term, bindings, TRUE):
            return TRUE
        premise = self.formula(term.arguments[0], bindings)
        if premise is FALSE:
            return TRUE
        return disjunction((negation(premise), self.formula(term.arguments[1], bindings)))

    def _if(self, term: Term, bindings: Bindings) -> Any:
        condition, *branches = term.arguments
        decides = self.formula(condition, bindings)
        if decides is TRUE or decides is FALSE:
            return self.convert(term.sort, branches[decides is FALSE], bindings)
        for branch, other in (branches, reversed(branches)):
            if never_has_value(branch):  # that this one is not taken is what ``Definedness`` says
                return self.convert(term.sort, other, bindings)
        return either(decides, *(self.convert(term.sort, branch, bindings) for branch in branches))

    # Options

    def _some(self, term: Term, bindings: Bindings) -> Any:
        value = self.argument(term, bindings)
        return value if term.sort.is_scalar else LoweredOption(TRUE, value)

    def _is_none(self, term: Term, bindings: Bindings) -> Any:
        value = self.argument(term, bindings)
        return value.equals(None) if isinstance(value, Scalar) else negation(value.present)

    def _get(self, term: Term, bindings: Bindings) -> Any:
        value = self.argument(term, bindings)
        if isinstance(value, Scalar):
            return value.without(None)
        return restrict_value(term.sort, value.present, value.payload)

    # Records and functions

    def _record(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Record)
        return dict(zip(term.sort.field_sorts, self.arguments(term, bindings), strict=True))

    def _record_update(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Record)
        name = str(term.data)
        record = self.lower(term.arguments[0], bindings)
        value = self.convert(term.sort.field_sorts[name], term.arguments[1], bindings)
        return restrict_value(term.sort, make_definedness(record), {**record, name: value})

    def _apply(self, term: Term, bindings: Bindings) -> Any:
        function = self.lower(term.arguments[0], bindings)
        keys, within = self._key(term.arguments[1], bindings, function)
        if isinstance(term.arguments[0].sort, PartialFunction):
            return apply_partial(term.sort, function, keys)
        return select(term.sort, [(when, function[key]) for key, when in keys], within is TRUE)

    def _function(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Function)
        (body,) = term.arguments
        return {key: self.convert(term.sort.range, body, inner) for key, inner in self.expand(term, bindings)}

    def _function_update(self, term: Term, bindings: Bindings) -> Any:
        assert isinstance(term.sort, Function)
        function = self.convert(term.sort, term.arguments[0], bindings)
        keys, within = self._key(term.arguments[1], bindings, function)
        value = self.convert(term.sort.range, term.arguments[2], bindings)
        changed = {key: either(when, value, function[key]) for key, when in keys}
        return restrict_value(
            term.sort, conjunction((make_definedness(function), within)), {**function, **changed}
        )


_RULES: Mapping[Operator, Rule] = {
    Operator.LITERAL: Lowering._literal,
    Operator.VARIABLE: Lowering._variable,
    Operator.NOT: of_formulas(lambda formulas: negation(*formulas)),
    Operator.AND: Lowering._and,
    Operator.OR: Lowering._or,
    Operator.IMPLIES: Lowering._implies,
    Operator.EQUAL: of_all(equal),
    Operator.IF: Lowering._if,
    Operator.LESS: of_all(scalars.less),
    Operator.LESS_EQUAL: of_all(scalars.less_equal),
    Operator.ADD: of_all(scalars.add),
    Operator.SUBTRACT: of_all(scalars.subtract),
    Operator.MULTIPLY: of_all(scalars.multiply),
    Operator.DIVIDE: of_all(scalars.quotient),
    Operator.MODULO: of_all(scalars.remainder),
    Operator.MINIMUM: of_all(lambda *integers: reduce(scalars.lesser, integers)),
    Operator.MAXIMUM: of_all(lambda *integers: reduce(scalars.greater, integers)),
    Operator.SOME: Lowering._some,
    Operator.IS_NONE: Lowering._is_none,
    Operator.GET: Lowering._get,
    Operator.RECORD: Lowering._record,
    Operator.FIELD: lambda lowering, term, bindings: lowering.argument(term, bindings)[term.data],
    Operator.RECORD_UPDATE: Lowering._record_update,
    Operator.APPLY: Lowering._apply,
    Operator.FUNCTION: Lowering._function,
    Operator.FUNCTION_UPDATE: Lowering._function_update,
    Operator.FORALL: of_instances(conjunction),
    Operator.EXISTS: of_instances(disjunction),
    Operator.COUNT: of_instances(scalars.total_of),
    **SET_RULES,
    **SEQUENCE_RULES,
    **COMPOUND_RULES,
}
