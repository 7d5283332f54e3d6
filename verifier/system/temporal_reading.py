"""A temporal formula, read as a question about loops: what a loop must do to violate it.

A formula becomes claims that something happens again and again: that a state satisfies a formula, or that a
step is taken. What a formula says of an execution's beginning is remembered by a few bits.

Monitors remember what has happened:

- ``eventually P``: a bit says that P has held. The property holds where the bit is set again and again.
- ``P leads to Q``: a bit says that Q is still due. The property holds where it is clear again and again.
- ``now P``: a bit says whether P held in the first state. The property holds where it is set.
- ``P ever after Q``: a bit says that P has held, another one that Q was false then. The property holds where
  the other one is clear.

Where a temporal formula stands in another one, a bit says whether it holds from the present place on. What is
to come is guessed, and each loop must confirm it (``temporal_bits``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    negation,
    restrict_formulas,
)
from verifier.encodings.definedness import Definedness
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Bindings
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Term
from verifier.errors import UsageError
from verifier.specs.temporal import Fairness, Strength, TemporalFormula, TemporalOperator, TemporalProperty
from verifier.system.fairness import Condition, conditions_of, steps_of
from verifier.system.model import Model
from verifier.system.partial_reads import PartialRead, TemporalReads, parts_of
from verifier.system.same_steps import SameSteps, changes
from verifier.system.temporal_bits import Event, Guess, Monitor, Promise, Watch

MOST_GOALS = 1000
"""The most goals that a negated property may have."""


@dataclass(frozen=True, eq=False)
class Goal:
    """A way for a loop to violate the property: see each of ``visits`` happen, stay within some states,
    and take none of some steps."""

    visits: tuple[Event, ...]
    stays: FNode
    avoids: tuple[tuple[int, FNode], ...] = ()
    """Steps as in ``Event``."""


@dataclass(frozen=True, eq=False)
class _Claim:
    """The claim that an event happens infinitely often, or (not ``often``) never from some time on."""

    event: Event
    often: bool

    def negate(self) -> _Claim:
        return _Claim(self.event, not self.often)


_Cases = list[tuple[_Claim, ...]]
"""A disjunction of conjunctions."""


def _holds(formula: FNode, *, always: bool) -> _Claim:
    """Return the claim that a formula holds in infinitely many states, or in all from some state on."""
    return _Claim(Event(negation(formula) if always else formula), often=not always)


class Reader:
    """Reads a temporal formula: what it claims, the bits that it needs, and where it reads nothing."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.watches: dict[Watch, FNode] = {}
        """The bits, in an order in which each may speak of those before it."""
        self.undefined: list[PartialRead] = []
        self._reads = TemporalReads(model.definition, model.layout, model.system.instances)
        self._same_steps = SameSteps(model.system.instances, model.system.bits)
        self._name = ""

    def goals(self, prop: TemporalProperty) -> tuple[Goal, ...]:
        """The ways for a loop to violate the property. Raises UsageError if it has too many ways to fail."""
        self._name = prop.name
        self.undefined += (replace(read, property_name=None) for read in self._reads.find(prop))
        cases = self._cases(prop.formula, {}, negated=True)
        parts = [cases, *(self._confirm(w, own) for w, own in self.watches.items() if isinstance(w, Guess))]
        just = [w.justice(own) for w, own in self.watches.items() if isinstance(w, Promise)]
        goals = []
        for claims in self._both(parts):
            never = [claim.event for claim in claims if not claim.often]
            stays = conjunction(negation(event.state) for event in never)
            avoids = _join_steps(event.steps for event in never)
            wanted = dict.fromkeys([*(claim.event for claim in claims if claim.often), *just])
            visits = tuple(event for event in wanted if event.state is not TRUE)
            if stays is not FALSE and not any(v.state is FALSE and not v.steps for v in visits):
                goals.append(Goal(visits, stays, avoids))
        return tuple(goals)

    def _confirm(self, guess: Guess, own: FNode) -> _Cases:
        yes, no = _holds(own, always=True), _holds(negation(own), always=True)
        return [(yes, _Claim(guess.event, often=True)), (no, _Claim(guess.event, often=False))]

    # A formula as claims

    def _cases(self, formula: TemporalFormula, bindings: Bindings, *, negated: bool) -> _Cases:
        """The formula, or its negation, as a disjunction of conjunctions."""
        match formula.operator:
            case TemporalOperator.NOT:
                return self._cases(formula.parts[0], bindings, negated=not negated)
            case TemporalOperator.FAIR:
                conditions = self._conditions(formula)
                return self._join([self._fair(c, negated=negated) for c in conditions], not negated)
        if formula.operator in (*_CONJUNCTIONS, *_DISJUNCTIONS):
            inner = parts_of(formula, bindings)
            parts = [self._cases(one, values, negated=negated) for one, values in inner]
            return self._join(parts, (formula.operator in _CONJUNCTIONS) is not negated)
        claim = self._claim(formula, bindings)
        return [(claim.negate() if negated else claim,)]

    def _join(self, parts: Sequence[_Cases], conjunctive: bool) -> _Cases:
        if conjunctive:
            return self._both(parts)
        self._check(sum(map(len, parts)))
        return [case for part in parts for case in part]

    def _both(self, parts: Sequence[_Cases]) -> _Cases:
        count = 1
        for part in parts:
            count *= len(part)
            self._check(count)
        return [sum(chosen, ()) for chosen in product(*parts)]

    def _check(self, count: int) -> None:
        if count > MOST_GOALS:
            words = f"{self._name} has more than {MOST_GOALS} ways to fail"
            raise UsageError(f"{words}: state it as several properties, or at smaller constants")

    def _conditions(self, formula: TemporalFormula) -> list[Condition]:
        """The fairness that a formula speaks of. Where its steps are cut off, it has no value."""
        assert isinstance(formula.condition, Fairness)
        conditions = list(conditions_of(self.model, formula.condition))
        for when in (condition.cut_off for condition in conditions):
            if when is not FALSE and all(when is not read.when for read in self.undefined):
                self.undefined.append(PartialRead(f"the property {self._name}", (), {}, (), when))
        return conditions

    def _fair(self, condition: Condition, *, negated: bool) -> _Cases:
        claims = [_Claim(event, often) for event, often in self._demands(condition)]
        cases = [(claim.negate() if negated else claim,) for claim in claims]
        return self._join([[case] for case in cases], negated)

    def _demands(self, condition: Condition) -> list[tuple[Event, bool]]:
        """One of these happens again and again, or does not."""
        steps = tuple(steps_of(self.model, condition, self._same_steps).items())
        if condition.strength is Strength.WEAK:
            return [(Event(negation(condition.enabled), steps), True)]
        return [(Event(FALSE, steps), True), (Event(condition.enabled), False)]

    def _claim(self, formula: TemporalFormula, bindings: Bindings) -> _Claim:
        def at(place: int) -> FNode:
            return self._operand(formula, place, bindings)

        match formula.operator:
            case TemporalOperator.EVENTUALLY:
                return _holds(self._monitor("has held", self._event(formula, bindings)), always=False)
            case TemporalOperator.ALWAYS:
                return _holds(negation(self._monitor("failed", Event(negation(at(0))))), always=True)
            case TemporalOperator.ALWAYS_EVENTUALLY:
                return _Claim(self._event(formula, bindings), often=True)
            case TemporalOperator.EVENTUALLY_ALWAYS:
                return _holds(at(0), always=True)
            case TemporalOperator.LEADS_TO:
                first, open_ = at(0), negation(at(1))
                due = self._monitor("is due", Event(conjunction((first, open_))), open_)
                return _holds(negation(due), always=False)
            case TemporalOperator.EVER_AFTER:
                began = self._monitor("has begun", Event(at(0)))
                failed = self._monitor("failed", Event(conjunction((began, negation(at(1))))))
                return _holds(negation(failed), always=True)
        held = self._monitor("held at first", Event(FALSE), TRUE, self._here(formula, bindings))
        return _holds(held, always=True)

    # A formula as it is at a place of an execution

    def _here(self, formula: TemporalFormula, bindings: Bindings) -> FNode:
        """True if the execution from here on satisfies the formula."""

        def at(place: int) -> FNode:
            return self._operand(formula, place, bindings)

        match formula.operator:
            case TemporalOperator.NOW:
                return at(0)
            case TemporalOperator.NOT:
                return negation(self._here(formula.parts[0], bindings))
            case TemporalOperator.EVENTUALLY:
                return self._comes(self._event(formula, bindings))
            case TemporalOperator.UNTIL:
                return self._find_watch_bit(Promise("is to come", at(0), Event(at(1))))
            case TemporalOperator.ALWAYS_EVENTUALLY:
                return self._again(self._event(formula, bindings))
            case TemporalOperator.FAIR:
                return conjunction(
                    disjunction(
                        self._again(event) if often else negation(self._again(event))
                        for event, often in self._demands(condition)
                    )
                    for condition in self._conditions(formula)
                )
            case TemporalOperator.STEP:
                raise UsageError(f"{self._name} is about a step where a state is expected")
        if formula.operator not in (*_CONJUNCTIONS, *_DISJUNCTIONS):
            return self._here(_in_other_words(formula), bindings)
        parts = [self._here(part, values) for part, values in parts_of(formula, bindings)]
        return conjunction(parts) if formula.operator in _CONJUNCTIONS else disjunction(parts)

    def _operand(self, formula: TemporalFormula, place: int, bindings: Bindings) -> FNode:
        if formula.terms:
            return self._formula(formula.terms[place], bindings)
        return self._here(formula.parts[place], bindings)

    def _event(self, formula: TemporalFormula, bindings: Bindings) -> Event:
        """The event of the formula: a state, or a step."""
        if formula.parts and formula.parts[0].operator is TemporalOperator.STEP:
            return Event(FALSE, tuple(self._steps(formula.parts[0].terms[0], bindings)))
        return Event(self._operand(formula, 0, bindings))

    # Bits

    def _find_watch_bit(self, watch: Watch) -> FNode:
        """The bit of a watch; of equal ones the same."""
        own = self.watches.get(watch)
        if own is None:
            own = self.watches[watch] = bit_of(f"{self._name} {len(self.watches) + 1} {watch.what}")
        return own

    def _monitor(self, what: str, sets: Event, keeps: FNode = TRUE, first: FNode | None = None) -> FNode:
        return self._find_watch_bit(Monitor(what, sets, keeps, sets.state if first is None else first))

    def _comes(self, event: Event) -> FNode:
        return self._find_watch_bit(Promise("is to come", TRUE, event))

    def _again(self, event: Event) -> FNode:
        return self._find_watch_bit(Guess("happens again and again", event))

    # Terms

    def _formula(self, term: Term, bindings: Bindings) -> FNode:
        """The formula of the term, which means nothing where the term reads what has no value."""
        return self._reads.lowering.formula(term, bindings)

    def _steps(self, term: Term, bindings: Bindings) -> Iterator[tuple[int, FNode]]:
        """Yield for each instance the formula that its step changes the state and satisfies a formula of two
        states."""
        lowering, later = self._reads.two_states
        said = lowering.formula(term, bindings)
        read = Definedness(lowering).of(term, bindings)
        for number, instance in enumerate(self.model.system.instances):
            after = {new: instance.updates.get(old, old) for old, new in later.items()}
            holds, defined = restrict_formulas((said, read), after)
            taken = conjunction((changes(instance), defined, holds))
            if taken is not FALSE:
                yield number, taken


_CONJUNCTIONS = (TemporalOperator.AND, TemporalOperator.FOR_EACH)
_DISJUNCTIONS = (TemporalOperator.OR, TemporalOperator.FOR_SOME)


def _in_other_words(formula: TemporalFormula) -> TemporalFormula:
    """Rewrite the formula by what happens eventually, or again and again."""
    first, *others = formula.parts or (
        TemporalFormula(TemporalOperator.NOW, (term,)) for term in formula.terms
    )
    match formula.operator:
        case TemporalOperator.ALWAYS:
            return ~_make_formula(TemporalOperator.EVENTUALLY, ~first)
        case TemporalOperator.EVENTUALLY_ALWAYS:
            return ~_make_formula(TemporalOperator.ALWAYS_EVENTUALLY, ~first)
        case TemporalOperator.LEADS_TO:
            return _make_formula(
                TemporalOperator.ALWAYS, ~first | _make_formula(TemporalOperator.EVENTUALLY, *others)
            )
        case TemporalOperator.EVER_AFTER:
            return _make_formula(
                TemporalOperator.ALWAYS, ~first | _make_formula(TemporalOperator.ALWAYS, *others)
            )
    raise AssertionError(formula.operator)


def _make_formula(operator: TemporalOperator, part: TemporalFormula) -> TemporalFormula:
    return TemporalFormula(operator, parts=(part,))


def bit_of(name: str) -> FNode:
    """The bit of a boolean variable of the state."""
    return Layout({name: Boolean()}).bits[0]


def _join_steps(parts: Iterator[tuple[tuple[int, FNode], ...]]) -> tuple[tuple[int, FNode], ...]:
    """Steps that are one of these."""
    steps: dict[int, list[FNode]] = {}
    for part in parts:
        for number, when in part:
            steps.setdefault(number, []).append(when)
    return tuple((number, disjunction(ways)) for number, ways in steps.items())
