"""The conditions under which all reads of a term have a value, as formulas of the parametric reading.

The rules are those of ``verifier.encodings.definedness``. A part of a conjunction or an implication is read
where those left of it are true; of a disjunction where they are false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from verifier.encodings.sorts import Function, PartialFunction
from verifier.encodings.terms import Operator, Term
from verifier.parametric.nodes import INT, Node
from verifier.parametric.term_reader import Reader, Scope


class Definedness:
    """Builds the formulas that the reads of terms have values, in the state of a reader."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.logic = reader.logic

    def formula(self, term: Term) -> Node:
        """Return the formula that all reads of the term have a value."""
        return self.of(term, self.reader.scope.turn(0))

    def of(self, term: Term, scope: Scope) -> Node:
        """Return the formula that all reads of the term have a value, where some variables have values."""
        own = _OWN.get(term.operator)
        parts = self._parts(term, scope)
        return parts if own is None else self.logic.conj((parts, own(self, term, scope)))

    def _parts(self, term: Term, scope: Scope) -> Node:
        match term.operator:
            case Operator.AND | Operator.IMPLIES:
                return self.in_turn(term.arguments, scope, True)
            case Operator.OR:
                return self.in_turn(term.arguments, scope, False)
            case Operator.IF:
                condition, then, otherwise = term.arguments
                taken = self.logic.ite(
                    self._truth(condition, scope), self.of(then, scope), self.of(otherwise, scope)
                )
                return self.logic.conj((self.of(condition, scope), taken))
        if term.binds is None:
            return self.logic.conj(self.of(part, scope) for part in term.arguments)
        return self._quantify(term, scope)

    def _quantify(self, term: Term, scope: Scope) -> Node:
        """Return the formula for every value of the bound variable. An enumerated sequence is read once."""
        assert term.binds is not None
        one = self.reader.values.quantify(term.binds.sort)
        inner = scope.binding(term.binds, one.value, weak=False)
        through = term.operator in (Operator.FILTER, Operator.MAP)
        whole = [self.of(part, scope) for part in term.arguments[:1] if through]
        said = self.in_turn(term.arguments[1:] if through else term.arguments, inner, True)
        every = self.logic.forall(one.variables, self.logic.follows(one.within, said))
        return self.logic.conj((*whole, every))

    def in_turn(self, parts: Sequence[Term], scope: Scope, goes_on: bool) -> Node:
        """Return the formula for parts of which each is read only if those before it have this truth
        value."""
        formulas: list[Node] = []
        before: list[Node] = []
        for place, part in enumerate(parts):
            formulas.append(self.logic.follows(self.logic.conj(before), self.of(part, scope)))
            if place < len(parts) - 1:
                truth = self._truth(part, scope)
                before.append(truth if goes_on else self.logic.neg(truth))
        return self.logic.conj(formulas)

    def _truth(self, term: Term, scope: Scope) -> Node:
        return self.reader.truth(term, scope)

    # The conditions of single operations

    def _get(self, term: Term, scope: Scope) -> Node:
        return self.logic.neg(self.reader.part(term.arguments[0], scope).absent)

    def _at(self, term: Term, scope: Scope) -> Node:
        sequence, place = (self.reader.part(arg, scope) for arg in term.arguments[:2])
        return self.reader.values.place_within(sequence, place)

    def _key(self, term: Term, scope: Scope) -> Node:
        function, key = (self.reader.part(arg, scope) for arg in term.arguments[:2])
        sort = term.arguments[0].sort
        if isinstance(sort, PartialFunction):
            return function.has(key)  # type: ignore[no-any-return]
        assert isinstance(sort, Function)
        return self.reader.values.make_typing_formula(sort.domain, key)

    def _extreme(self, term: Term, scope: Scope) -> Node:
        members = self.reader.part(term.arguments[0], scope)
        variable = self.logic.variable(INT)
        return self.logic.exists((variable,), members.contains(variable))

    def _between(self, term: Term, scope: Scope) -> Node:
        sequence, first, end = (self.reader.part(arg, scope) for arg in term.arguments)
        at_most = self.logic.less_equal
        zero = self.logic.integer(0)
        return self.logic.conj((at_most(zero, first), at_most(first, end), at_most(end, sequence.length)))

    def _divisor(self, term: Term, scope: Scope) -> Node:
        return self.logic.less_equal(self.logic.integer(1), self.reader.part(term.arguments[1], scope))

    def _payload(self, term: Term, scope: Scope) -> Node:
        tags = self.reader.part(term.arguments[0], scope)
        number = list(tags.payloads).index(str(term.data))
        return self.logic.equal(tags.tag, self.logic.integer(number))

    def _choose(self, term: Term, scope: Scope) -> Node:
        assert term.binds is not None
        one = self.reader.values.quantify(term.binds.sort)
        inner = scope.binding(term.binds, one.value, weak=False)
        said = self.logic.conj((one.within, self._truth(term.arguments[0], inner)))
        return self.logic.exists(one.variables, said)


_OWN: Mapping[Operator, Callable[[Definedness, Term, Scope], Node]] = {
    Operator.GET: Definedness._get,
    Operator.AT: Definedness._at,
    Operator.SEQUENCE_UPDATE: Definedness._at,
    Operator.APPLY: Definedness._key,
    Operator.FUNCTION_UPDATE: Definedness._key,
    Operator.MINIMUM_OF: Definedness._extreme,
    Operator.MAXIMUM_OF: Definedness._extreme,
    Operator.BETWEEN: Definedness._between,
    Operator.DIVIDE: Definedness._divisor,
    Operator.MODULO: Definedness._divisor,
    Operator.PAYLOAD: Definedness._payload,
    Operator.CHOOSE: Definedness._choose,
}
