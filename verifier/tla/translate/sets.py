"""Sets as terms."""

from __future__ import annotations

from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.membership import Membership
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.symbolic import (
    YES,
    AllSequences,
    Functions,
    Joined,
    Part,
    Products,
    Records,
    Span,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.translate.terms import literal


class Sets(Membership):
    """Makes terms of sets."""

    def set_term(self, value: Sym) -> Term:
        """A set that is described, as a term."""
        if isinstance(value, AllSequences):
            raise Untranslated(None, "the set of all sequences is no value of a state")
        if isinstance(value, Functions | Records | Products | Subsets | Joined | Span):
            return self.term(self.strict(self._set_term(value), value))
        if isinstance(value, Part):
            return self.term(self.strict(self._set_term(value), value.base))
        return self._set_term(value)

    def _set_term(self, value: Sym) -> Term:
        pieces: list[Term] = []
        plain: list[Term] = []
        for case in self.spread(value):
            item = self.term(case.item)
            if case.symbol is not None:
                inside = self.formula(case.condition)
                if item.operator is Operator.VARIABLE and item.data is case.symbol:
                    pieces.append(Term(Operator.COMPREHENSION, Set(item.sort), (inside,), binds=case.symbol))
                else:
                    pieces.append(Term(Operator.IMAGE, Set(item.sort), (inside, item), binds=case.symbol))
            elif case.condition is YES:
                plain.append(item)
            else:
                one = Term(Operator.SET, Set(item.sort), (item,))
                none = literal(Set(item.sort), frozenset())
                pieces.append(Term(Operator.IF, one.sort, (self.formula(case.condition), one, none)))
        if plain:
            element = self.join_all([item.sort for item in plain])
            pieces.insert(0, Term(Operator.SET, Set(element), tuple(self.convert(i, element) for i in plain)))
        if not pieces:
            return literal(Set(NOTHING), frozenset())
        whole = self.join_all([piece.sort for piece in pieces])
        found = self.convert(pieces[0], whole)
        for piece in pieces[1:]:
            found = Term(Operator.UNION, whole, (found, self.convert(piece, whole)))
        return found


__all__ = ["Sets"]
