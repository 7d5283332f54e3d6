"""The states in which terms read what has no value.

Examples are the value of an option that is none, a sequence beyond its end, and the minimum of an empty set.
A formula that makes such a read is not false: it has no meaning. A term reads all of its parts, as in TLA+,
and a quantifier reads its body for every value. There are these exceptions:

- ``a & b`` and ``a.implies(b)`` read ``b`` only if ``a`` is true;
- ``a | b`` reads ``b`` only if ``a`` is false;
- ``if_`` reads only the branch that it takes;
- ``image``, ``union_of``, ``sum_of`` and ``partial_function`` read their bodies only for the elements of
  their domain;
- ``filtered`` and ``mapped`` read their bodies only for the elements of the sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, starmap

from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, choice, conjunction, disjunction, negation
from verifier.encodings.cases import cases
from verifier.encodings.lowered import equal, holds, lower_constant
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.partiality import is_partial
from verifier.encodings.scalars import Scalar, less_equal
from verifier.encodings.sorts import Function, PartialFunction
from verifier.encodings.terms import Operator, Term


class Definedness:
    """For terms over the variables of a lowering: the states in which all of their reads have a value.

    In these states the lowering of a term is the term's value.
    """

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._total: dict[int, tuple[Term, bool]] = {}

    def of(self, term: Term, bindings: Bindings | None = None) -> FNode:
        """The formula that everything which the term reads has a value."""
        if self._is_total(term):
            return TRUE
        bindings = bindings or {}
        reading = self._lowering.reading(term)
        key = reading.key(bindings)
        result = reading.results.defined.get(key)
        if result is None:
            rule = _RULES.get(term.operator)
            parts = self._parts(term, bindings) if rule is None else rule(self, term, bindings)
            result = reading.results.defined[key] = parts
        return result

    def _is_total(self, term: Term) -> bool:
        """True if the term always has a value, by its operators and sorts. Each term is checked once."""
        entry = self._total.get(id(term))
        if entry is None:  # the entry keeps the term alive, so no other term gets its id
            total = not is_partial(term) and all(map(self._is_total, term.arguments))
            entry = self._total[id(term)] = (term, total)
        return entry[1]

    def of_lines(self, lines: Sequence[Term], bindings: Bindings) -> FNode:
        """Definedness of a conjunction of lines, read up to the first line that is false."""
        result = TRUE
        for line in reversed(self._read(lines, bindings, FALSE)):
            rest = result if result is TRUE else disjunction((negation(self._true(line, bindings)), result))
            result = conjunction((self.of(line, bindings), rest))
        return result

    def _read(self, parts: Sequence[Term], bindings: Bindings, last: FNode) -> Sequence[Term]:
        """The parts that matter of those that are read up to the first that is ``last``: none after one that
        is so in every state, and none after the last that may have no value."""
        partial = [index for index, part in enumerate(parts) if not self._is_total(part)]
        if not partial:
            return ()
        for index, part in enumerate(parts[: partial[-1]]):
            if self._true(part, bindings) is last:
                return parts[: index + 1]
        return parts[: partial[-1] + 1]

    def _true(self, term: Term, bindings: Bindings) -> FNode:
        return self._lowering.formula(term, bindings)

    def _parts(self, term: Term, bindings: Bindings) -> FNode:
        """The rule for a term that reads all of its parts, and a body for every value of its variable."""
        if term.binds is None:
            return conjunction(self.of(part, bindings) for part in term.arguments)
        return conjunction(
            self.of(part, inner) for inner in self._expand(term, bindings) for part in term.arguments
        )

    def _expand(self, term: Term, bindings: Bindings) -> Iterator[Bindings]:
        """The bindings with each value of the bound variable for which the body is read beyond the question
        whether the value is in a set that always has a value."""
        assert term.binds is not None
        guard = self._lowering.reading(term).guard
        asked = guard is not None and self._is_total(guard)
        values = self._lowering.candidates(term, bindings) if asked else term.binds.sort.each()
        for value in values:
            yield {**bindings, term.binds: value}

    def _and(self, term: Term, bindings: Bindings) -> FNode:
        return self.of_lines(term.arguments, bindings)

    def _or(self, term: Term, bindings: Bindings) -> FNode:
        result = TRUE
        for part in reversed(self._read(term.arguments, bindings, TRUE)):
            rest = result if result is TRUE else disjunction((self._true(part, bindings), result))
            result = conjunction((self.of(part, bindings), rest))
        return result

    def _if(self, term: Term, bindings: Bindings) -> FNode:
        condition, *branches = term.arguments
        decides = self._true(condition, bindings)
        if decides is TRUE or decides is FALSE:
            taken = self.of(branches[decides is FALSE], bindings)
        else:
            taken = choice(decides, *(self.of(branch, bindings) for branch in branches))
        return conjunction((self.of(condition, bindings), taken))

    def _image(self, term: Term, bindings: Bindings) -> FNode:
        return conjunction(self.of_lines(term.arguments, inner) for inner in self._expand(term, bindings))

    def _filter(self, term: Term, bindings: Bindings) -> FNode:
        sequence, condition = term.arguments
        assert term.binds is not None
        lowered = self._lowering.lower(sequence, bindings)
        conditions = [self.of(sequence, bindings)]
        for value in term.binds.sort.each():
            read = self.of(condition, {**bindings, term.binds: value})
            if read is not TRUE:
                item = lower_constant(term.binds.sort, value)
                occurs = disjunction(
                    conjunction((lowered.length.at_least(index + 1), equal(slot, item)))
                    for index, slot in enumerate(lowered.slots)
                )
                conditions.append(disjunction((negation(occurs), read)))
        return conjunction(conditions)

    def _get(self, term: Term, bindings: Bindings) -> FNode:
        (option,) = term.arguments
        value = self._lowering.lower(option, bindings)
        present = negation(value.equals(None)) if isinstance(value, Scalar) else value.present
        return conjunction((self.of(option, bindings), present))

    def _divisor(self, term: Term, bindings: Bindings) -> FNode:
        divisor = self._lowering.lower(term.arguments[1], bindings)
        return conjunction((self._parts(term, bindings), divisor.at_least(1)))

    def _between(self, term: Term, bindings: Bindings) -> FNode:
        sequence, first, end = (self._lowering.lower(part, bindings) for part in term.arguments)
        ascending = pairwise((Scalar.make_constant(0), first, end, sequence.length))
        return conjunction((self._parts(term, bindings), *starmap(less_equal, ascending)))

    def _at(self, term: Term, bindings: Bindings) -> FNode:
        sequence, index = (self._lowering.lower(part, bindings) for part in term.arguments[:2])
        within = disjunction(
            conjunction((when, sequence.length.at_least(place + 1)))
            for place, when in index.cases()
            if isinstance(place, int) and 0 <= place < len(sequence.slots)
        )
        return conjunction((self._parts(term, bindings), within))

    def _key(self, term: Term, bindings: Bindings) -> FNode:
        function, key = term.arguments[:2]
        if isinstance(function.sort, PartialFunction):
            slots = self._lowering.lower(function, bindings)
            at = cases(key.sort, self._lowering.lower(key, bindings))
            held = (conjunction((when, slots[value].present)) for value, when in at if value in slots)
            return conjunction((self._parts(term, bindings), disjunction(held)))
        assert isinstance(function.sort, Function)
        if not is_partial(term):
            return self._parts(term, bindings)
        keys = frozenset(function.sort.domain.each())
        possible = cases(key.sort, self._lowering.lower(key, bindings))
        within = disjunction(when for value, when in possible if value in keys)
        return conjunction((self._parts(term, bindings), within))

    def _payload(self, term: Term, bindings: Bindings) -> FNode:
        (variant,) = term.arguments
        has_tag = self._lowering.lower(variant, bindings).tag.equals(term.data)
        return conjunction((self.of(variant, bindings), has_tag))

    def _extreme(self, term: Term, bindings: Bindings) -> FNode:
        (elements,) = term.arguments
        held = self._lowering.lower(elements, bindings)
        some = disjunction(holds(inside) for inside in held.values())
        return conjunction((self.of(elements, bindings), some))

    def _choose(self, term: Term, bindings: Bindings) -> FNode:
        (condition,) = term.arguments
        some = disjunction(self._true(condition, inner) for inner in self._expand(term, bindings))
        return conjunction((self._parts(term, bindings), some))


_Rule = Callable[[Definedness, Term, Bindings], FNode]
_RULES: Mapping[Operator, _Rule] = {
    Operator.AND: Definedness._and,
    Operator.IMPLIES: Definedness._and,
    Operator.OR: Definedness._or,
    Operator.IF: Definedness._if,
    Operator.IMAGE: Definedness._image,
    Operator.PARTIAL_FUNCTION: Definedness._image,
    Operator.PAYLOAD: Definedness._payload,
    Operator.UNION_OF: Definedness._image,
    Operator.SUM_OF: Definedness._image,
    Operator.FILTER: Definedness._filter,
    Operator.MAP: Definedness._filter,
    Operator.DIVIDE: Definedness._divisor,
    Operator.MODULO: Definedness._divisor,
    Operator.BETWEEN: Definedness._between,
    Operator.GET: Definedness._get,
    Operator.AT: Definedness._at,
    Operator.SEQUENCE_UPDATE: Definedness._at,
    Operator.APPLY: Definedness._key,
    Operator.FUNCTION_UPDATE: Definedness._key,
    Operator.MINIMUM_OF: Definedness._extreme,
    Operator.MAXIMUM_OF: Definedness._extreme,
    Operator.CHOOSE: Definedness._choose,
}
"""The rules of the operators that are partial or do not read all of their parts."""
