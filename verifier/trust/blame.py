"""Blames a false formula on the parts of the state that decide it, and says why in plain words.

``0 < length(log[r2])`` is false since ``length(log[r2]) is 0, and must be more than 0``. Of a count that
is too small, the elements to blame are those that fail the fewest conjuncts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from verifier.encodings.blame import Blame, Culprit, Side, blame_comparison, join_blames, list_names
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.lowering import Bindings
from verifier.encodings.terms import Operator, Term, conjuncts
from verifier.trust.concrete_reading import ConcreteReading

_RELATIONS = {
    Operator.EQUAL: "=",
    Operator.LESS: "<",
    Operator.LESS_EQUAL: "≤",
    Operator.SUBSET: "⊆",
    Operator.CONTAINS: "∈",
}
_DENIED = {"=": "≠", "∈": "∉"}
_MOST_ELEMENTS = 200
"""The most elements of which each is asked whether it counts."""
_SHORT = 60
"""The most characters of a formula within a sentence."""


@dataclass(frozen=True)
class Blaming:
    """Blames false formulas in a concrete state."""

    reading: ConcreteReading
    said: Callable[[Term, Bindings], str]
    """The text of a term."""
    mentioned: Callable[[Term, Bindings], Iterator[tuple[str, Concrete]]]
    """The parts of the state that a term mentions, with their values."""
    sources: Callable[[Term, Bindings], dict[str, tuple[str, ...]]]
    """Of a set that is made from others, the parts of the state that decide about each element."""

    def blame(self, term: Term, bindings: Bindings) -> Blame:
        """Say why a formula is false."""
        match term.operator:
            case Operator.NOT if term.arguments[0].operator is Operator.NOT:
                return self.blame(term.arguments[0].arguments[0], bindings)
            case Operator.NOT:
                return self._blame_negation(term, bindings)
            case Operator.OR:
                return join_blames([self.blame(part, bindings) for part in term.arguments])
            case Operator.AND:
                parts = (part for part in term.arguments if not self.reading.holds(part, bindings))
                return self.blame(next(parts), bindings)
            case Operator.IMPLIES:
                return self.blame(term.arguments[1], bindings)
            case Operator.IS_NONE:
                name, value = self._show_term(term.arguments[0], bindings)
                return self._make_blame(term, bindings, f"{name} is {value}, and must be none")
            case Operator.EXISTS:
                return self._missing(term, bindings)
            case Operator.LESS_EQUAL | Operator.LESS if any(map(_counts, term.arguments)):
                return self._blame_count(term, bindings)
            case operator if operator in _RELATIONS:
                return self._blame_relation(term, bindings, _RELATIONS[operator])
        return self._make_blame(term, bindings, self._plain(term, bindings, "is false"))

    def _blame_negation(self, term: Term, bindings: Bindings) -> Blame:
        inner = term.arguments[0]
        if inner.operator is Operator.IS_NONE:
            name = self.said(self._settle_choice(inner.arguments[0], bindings), bindings)
            return self._make_blame(term, bindings, f"{name} has no value")
        relation = _DENIED.get(_RELATIONS.get(inner.operator, ""))
        if relation is not None:
            return self._blame_relation(inner, bindings, relation)
        return self._make_blame(term, bindings, self._plain(inner, bindings, "is true, and must not be"))

    def _blame_relation(self, term: Term, bindings: Bindings, relation: str) -> Blame:
        left, right = term.arguments
        if term.operator is Operator.CONTAINS:
            left, right = right, left
        return blame_comparison(relation, self._side(left, bindings), self._side(right, bindings))

    def _side(self, term: Term, bindings: Bindings) -> Side:
        value = self.reading.value(term, bindings)
        members = tuple(map(show, sorted(value, key=show))) if isinstance(value, frozenset) else None
        paths = tuple(name for name, _ in self.mentioned(term, bindings))
        sources = {one: tuple(map(Culprit, of)) for one, of in self.sources(term, bindings).items()}
        return Side(self.said(term, bindings), show(value), members, paths, sources)

    def _blame_count(self, term: Term, bindings: Bindings) -> Blame:
        """Blame a count that is too small on the elements that nearly count, a large one on those that do."""
        left, right = term.arguments
        is_small = _counts(right)
        count, bound = (right, left) if is_small else (left, right)
        assert count.binds is not None
        if count.binds.sort.size > _MOST_ELEMENTS:
            return self._blame_relation(term, bindings, _RELATIONS[term.operator])
        limit = self.reading.value(bound, bindings)
        body, holds = count.arguments[0], self.reading.holds
        inner = [{**bindings, count.binds: value} for value in count.binds.sort.each()]
        counted = [show(one[count.binds]) for one in inner if holds(body, one)]
        if not is_small or not isinstance(limit, int):
            culprits = [one for each in inner if holds(body, each) for one in self._culprits(body, each)]
            words = f"{_say_total(counted, count)}, and {_limit(limit, term)} may"
            return Blame(words, tuple(dict.fromkeys([*culprits, *self._culprits(bound, bindings)])))
        near = self._nearest(body, [one for one in inner if not holds(body, one)])
        blames = [(show(one[count.binds]), self.blame(body, one)) for one in near]
        needed = limit + (term.operator is Operator.LESS)
        words = f"{_say_total(counted, count)}, and {needed} {'is' if needed == 1 else 'are'} needed"
        words += "".join(f"; {name} does not count: {blame.says}" for name, blame in blames)
        blamed = dict.fromkeys(one for _, blame in blames for one in blame.culprits)
        blamed |= dict.fromkeys(self._culprits(bound, bindings))
        context = dict.fromkeys(path for one in near for path in self._find_held(body, one))
        return Blame(words, tuple(blamed), context=tuple(context))

    def _find_held(self, body: Term, bindings: Bindings) -> Iterator[str]:
        """Yield the parts of the state that the conjuncts mention that hold."""
        for part in conjuncts(body):
            if self.reading.holds(part, bindings):
                yield from (path for path, _ in self.mentioned(part, bindings))

    def _missing(self, term: Term, bindings: Bindings) -> Blame:
        assert term.binds is not None
        body = self.said(term.arguments[0], bindings)
        values = ", ".join(f"{name} = {show(value)}" for name, value in self.mentioned(term, bindings))
        words = body if len(body) <= _SHORT or not values else f"what is needed ({values})"
        said = self._say_absent(term, bindings) or f"no {term.binds.name} has {words}"
        if term.binds.sort.size > _MOST_ELEMENTS:
            return self._make_blame(term, bindings, said)
        each = ({**bindings, term.binds: value} for value in term.binds.sort.each())
        lacks = (
            (part, inner)
            for inner in each
            for part in conjuncts(term.arguments[0])
            if not self.reading.holds(part, inner)
        )
        culprits = dict.fromkeys(one for part, inner in lacks for one in self._culprits(part, inner))
        return Blame(said, tuple(culprits))

    def _say_absent(self, term: Term, bindings: Bindings) -> str:
        """Say that a sequence lacks an item, where no place of the sequence is to have it; else nothing.

        The places must be all those of the sequence: an item beyond them is in it.
        """
        place, parts = term.binds, list(conjuncts(term.arguments[0]))
        within = [one.arguments for one in parts if one.operator is Operator.LESS]
        equal = [one.arguments for one in parts if one.operator is Operator.EQUAL]
        if place is None or len(parts) != 2 or len(within) != 1 or len(equal) != 1:
            return ""
        (index, length), sides = within[0], equal[0]
        at = next((one for one in sides if one.operator is Operator.AT), None)
        if (
            at is None
            or length.operator is not Operator.LENGTH
            or at.arguments != (length.arguments[0], index)
        ):
            return ""
        sequence, item = at.arguments[0], sides[1] if sides[0] is at else sides[0]
        is_place = index.operator is Operator.VARIABLE and index.data == place
        if not is_place or place in sequence.free or place in item.free:
            return ""
        held = self.reading.value(sequence, bindings)
        if not isinstance(held, tuple) or not set(range(len(held))) <= set(place.sort.each()):
            return ""
        return blame_comparison("∈", self._side(item, bindings), self._side(sequence, bindings)).says

    def _nearest(self, body: Term, inner: list[Bindings]) -> list[Bindings]:
        """The elements that fail the fewest conjuncts."""
        parts = list(conjuncts(body))
        failed = [sum(not self.reading.holds(part, one) for part in parts) for one in inner]
        return [one for one, count in zip(inner, failed, strict=True) if count == min(failed)]

    def _make_blame(self, term: Term, bindings: Bindings, words: str) -> Blame:
        return Blame(words, tuple(self._culprits(term, bindings)))

    def _culprits(self, term: Term, bindings: Bindings) -> Iterator[Culprit]:
        for name, _ in self.mentioned(term, bindings):
            yield Culprit(name)

    def _settle_choice(self, term: Term, bindings: Bindings) -> Term:
        """The branch that is taken of a choice that does not depend on the state."""
        if term.operator is not Operator.IF or term.arguments[0].free - bindings.keys():
            return term
        condition, then, otherwise = term.arguments
        return self._settle_choice(then if self.reading.holds(condition, bindings) else otherwise, bindings)

    def _plain(self, term: Term, bindings: Bindings, truth: str) -> str:
        return f"{self.said(term, bindings)} {truth}"

    def _show_term(self, term: Term, bindings: Bindings) -> tuple[str, str]:
        return self.said(term, bindings), show(self.reading.value(term, bindings))


def _counts(term: Term) -> bool:
    return term.operator is Operator.COUNT


def _say_total(counted: list[str], count: Term) -> str:
    """Say how many elements count, and which."""
    kind = _kind_of(count)
    if not counted:
        return f"no {kind} counts"
    number = f"1 {kind} counts" if len(counted) == 1 else f"{len(counted)} {kind}s count"
    return f"{number} ({list_names(counted)})"


def _kind_of(count: Term) -> str:
    """Return the word for what is counted: the kind of an index set, or an element of another sort."""
    assert count.binds is not None
    kind = str(count.binds.sort).partition("(")[0]
    return kind if kind.islower() and kind.isidentifier() else "element"


def _limit(limit: Concrete | None, term: Term) -> str:
    """Return how many elements may count: below a limit, one less than that."""
    if not isinstance(limit, int):
        return f"at most {show(limit)}"
    most = limit - (term.operator is Operator.LESS)
    return f"at most {most}" if most > 0 else "none"
