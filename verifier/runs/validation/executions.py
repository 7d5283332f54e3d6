"""Temporal formulas and fairness, compared on infinite executions.

A temporal formula is true or false of any sequence of states, reachable or not. So a lasso may consist of any
states. Fairness is compared in states within the constraint: a translated action takes no step outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import Concrete
from verifier.runs.validation.agreement import Disagreement, Disagrees
from verifier.runs.validation.budget import Budget
from verifier.runs.validation.subject import ERRORS, Subject, truth
from verifier.specs.temporal import Fairness, TemporalFormula, TemporalOperator
from verifier.system.fairness import Condition, conditions_of
from verifier.tla.lasso import Lasso
from verifier.tla.unfolding import Leaf, Unfolded, unfold_formula
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.lasso import Execution

if TYPE_CHECKING:
    from verifier.encodings.lowering import Bindings
    from verifier.encodings.terms import Term
    from verifier.runs.validation.lanes import Lane
    from verifier.runs.validation.translated_module import Claimed
    from verifier.tla.exploration_result import State
    from verifier.tla.splitting import Formula

_MOST_STATES, _MOST_LASSOS, _LONGEST = 10, 80, 4
_LEAST_LASSOS = 20
"""Lassos that are compared even if the time is over: without any, no temporal verdict was compared."""


class _NotRead(Exception):
    """Raised if a formula reads an undefined value."""


@dataclass
class _Known:
    """Values that were evaluated already."""

    values: dict[State, Mapping[str, Concrete]] = field(default_factory=dict)
    truths: dict[Any, bool] = field(default_factory=dict)
    conditions: dict[int, tuple[Condition, ...]] = field(default_factory=dict)
    tests: dict[Leaf, Callable[[], bool]] = field(default_factory=dict)


class _Remembered(Execution):
    """An execution that looks up known values of its states."""

    def __init__(self, subject: Subject, known: _Known, states: Sequence[State], start: int) -> None:
        super().__init__(subject.model, [known.values[state] for state in states], start)
        self.known, self.own = known, states

    def _look_up(self, key: Any, compute: Any) -> bool:
        if key not in self.known.truths:
            self.known.truths[key] = compute()
        return self.known.truths[key]

    def _holds(self, term: Term, bindings: Bindings, place: int, after: int | None = None) -> bool:
        def read() -> bool:
            reading = ConcreteReading(self.states[place], None if after is None else self.states[after])
            if not reading.is_defined(term, bindings):
                raise _NotRead
            return reading.holds(term, bindings)

        return self._look_up((id(term), self.own[place], None if after is None else self.own[after]), read)

    def _conditions(self, family: Fairness) -> Sequence[Condition]:
        if id(family) not in self.known.conditions:
            self.known.conditions[id(family)] = tuple(conditions_of(self.base, family))
        return self.known.conditions[id(family)]

    def _is_possible(self, condition: Condition, place: int) -> bool:
        possible = super()._is_possible
        return self._look_up((id(condition), self.own[place]), lambda: possible(condition, place))

    def _takes(self, condition: Condition, place: int) -> bool:
        takes = super()._takes
        key = (id(condition), self.own[place], self.own[self.next[place]])
        return self._look_up(key, lambda: takes(condition, place))


class Executions:
    """Compares claims about executions, on lassos of some states."""

    def __init__(self, subject: Subject, claimed: Claimed, chance: Random, budget: Budget) -> None:
        self.subject, self.claimed, self.chance, self.budget = subject, claimed, chance, budget
        self.known = _Known()
        self.formulas: dict[Formula, Unfolded] = {}
        self.fair = [TemporalFormula(TemporalOperator.FAIR, condition=one) for one in claimed.fairness]

    def compare(self, lanes: Sequence[Lane], following: Sequence[Sequence[State]]) -> None:
        """Compare. Raises Disagrees at the first difference, and OutOfTime."""
        after = {lane.state: several for lane, several in zip(lanes, following, strict=True)}
        for number, (states, start) in enumerate(self._lassos(list(after), after)):
            if number >= _LEAST_LASSOS:
                self.budget.check()
            ours = _Remembered(self.subject, self.known, states, start)
            evaluator = self.subject.spec.evaluator
            theirs = Lasso(evaluator, states, start, tests=self.known.tests)
            for name, formulas in self.claimed.properties.items():
                self._compare(name, theirs, formulas, ours, [self._alone(self.claimed.translated[name])])
            fair = [*self.fair, *self.claimed.assumed]
            fairness = self.subject.spec.fairness
            self._compare("the fairness of the specification", theirs, fairness, ours, fair)
            self.subject.agreement.executions += 1

    def _lassos(
        self, states: Sequence[State], after: Mapping[State, Sequence[State]]
    ) -> Iterator[tuple[list[State], int]]:
        """Yield some states in a row, and the start of the loop: steps of the module, or any steps."""
        usable = [state for state in states if self._is_usable(state)]
        if not usable:
            return
        pool = self.chance.sample(usable, min(_MOST_STATES, len(usable)))
        for number in range(_MOST_LASSOS):
            lasso = [self.chance.choice(pool)]
            for _ in range(self.chance.randrange(_LONGEST)):
                steps = [one for one in after.get(lasso[-1], ()) if number % 2 and self._is_usable(one)]
                lasso.append(self.chance.choice(steps or pool))
            yield lasso, self.chance.randrange(len(lasso))

    def _is_usable(self, state: State) -> bool:
        """True if a state belongs to the sorts and the constraint; then its values are kept."""
        if state in self.known.values:
            return True
        bits = self.subject.encode(state)
        try:
            if bits is None or not self.subject.stepper.within(state):
                return False
        except ERRORS:
            return False
        layout = self.subject.model.layout
        self.known.values[state] = layout.decode_state(
            [bool(bits >> place & 1) for place in range(len(layout.bits))]
        )
        return True

    def _unfold(self, formula: Formula) -> Unfolded:
        if formula not in self.formulas:
            self.formulas[formula] = unfold_formula(self.subject.spec.evaluator, formula)
        return self.formulas[formula]

    def _alone(self, claim: TemporalFormula) -> TemporalFormula:
        """Return a property without the assumptions of the specification."""
        return claim.parts[-1] if self.claimed.assumed else claim

    def _compare(
        self,
        what: str,
        theirs: Lasso,
        formulas: Sequence[Formula],
        ours: _Remembered,
        translated: Sequence[TemporalFormula],
    ) -> None:
        """Compare the conjunction of some formulas on an execution."""
        try:
            interpreter = [theirs.truths(self._unfold(one))[0] for one in formulas]
            translation = [ours.holds(one) for one in translated]
        except (*ERRORS, _NotRead):
            self.subject.agreement.undefined += 1
            return
        if all(interpreter) is not all(translation):
            rows = [f"({self.subject.show(state)})" for state in ours.own]
            shown = f"{', '.join(rows)}, and from there back to state {ours.start + 1}"
            said, formula = truth(all(interpreter)), truth(all(translation))
            raise Disagrees(Disagreement(what, said, formula, shown, kind="execution"), ours.own[0])


__all__ = ["Executions"]
