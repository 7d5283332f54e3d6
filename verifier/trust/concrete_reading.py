"""Terms evaluated in one concrete state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from verifier.encodings.bits import TRUE
from verifier.encodings.cases import cases
from verifier.encodings.concrete import Concrete
from verifier.encodings.definedness import Definedness
from verifier.encodings.lowered import lower_constant
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import prime


class ConcreteReading:
    """Evaluates terms in one concrete state, by lowering them over constants.

    With ``after``, the state after a step, it evaluates what step invariants say of the step.
    """

    def __init__(self, state: Mapping[str, Concrete], after: Mapping[str, Concrete] | None = None) -> None:
        self._state = {**state, **{prime(name): value for name, value in (after or {}).items()}}
        self._lowerings: dict[frozenset[Symbol], Lowering] = {}

    @property
    def variables(self) -> frozenset[str]:
        """Return the names of the variables, of the state after a step with a prime."""
        return frozenset(self._state)

    def _lowering(self, term: Term, bindings: Bindings) -> Lowering:
        variables = frozenset(symbol for symbol in term.free if symbol not in bindings)
        if variables not in self._lowerings:
            meaning = {symbol: lower_constant(symbol.sort, self._state[symbol.name]) for symbol in variables}
            self._lowerings[variables] = Lowering(meaning)
        return self._lowerings[variables]

    def holds(self, term: Term, bindings: Bindings) -> bool:
        """True if a formula holds. It does not hold if it reads what has no value."""
        true = self._lowering(term, bindings).formula(term, bindings) is TRUE
        return true and self.is_defined(term, bindings)

    def is_defined(self, term: Term, bindings: Bindings) -> bool:
        """True if everything that a term reads has a value."""
        return Definedness(self._lowering(term, bindings)).of(term, bindings) is TRUE

    def find_undefined_read(self, lines: Iterable[Term], bindings: Bindings) -> tuple[Term, Bindings] | None:
        """The first read without a value, and the values of the bound variables in it; None if there is none.

        The lines are read in order, up to the first that is false. Of nested terms the smallest is returned.
        """
        for line in lines:
            if not self.is_defined(line, bindings):
                return self._innermost(line, bindings)
            if isinstance(line.sort, Boolean) and not self.holds(line, bindings):
                return None
        return None

    def _innermost(self, term: Term, bindings: Bindings) -> tuple[Term, Bindings]:
        """The first smallest undefined read within a term that has one."""
        inner = [bindings]
        if term.binds is not None:
            inner = [{**bindings, term.binds: value} for value in term.binds.sort.each()]
        for values in inner:
            for part in term.arguments:
                if not self.is_defined(part, values) and self._matters(term, part, values):
                    return self._innermost(part, values)
        return term, bindings

    def _matters(self, term: Term, part: Term, bindings: Bindings) -> bool:
        """True if the part is read. It is not if the parts before it already decide the term."""
        before = term.arguments[: term.arguments.index(part)]
        match term.operator:
            case Operator.AND | Operator.IMPLIES:
                return all(self.holds(other, bindings) for other in before)
            case Operator.IMAGE | Operator.PARTIAL_FUNCTION | Operator.UNION_OF | Operator.SUM_OF:
                return all(self.holds(other, bindings) for other in before)
            case Operator.OR:
                return not any(self.holds(other, bindings) for other in before)
            case Operator.FILTER | Operator.MAP if before and term.binds is not None:
                elements = self.value(before[0], bindings)
                return isinstance(elements, tuple) and bindings[term.binds] in elements
            case Operator.IF if before:
                return self.holds(before[0], bindings) == (len(before) == 1)
        return True

    def value(self, term: Term, bindings: Bindings) -> Concrete | None:
        """The value of a term. It is also None if the term is undefined."""
        possible = cases(term.sort, self._lowering(term, bindings).lower(term, bindings))
        return possible[0][0] if possible else None
