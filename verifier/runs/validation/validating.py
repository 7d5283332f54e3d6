"""The comparison of one module with its translation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from verifier.runs.validation.agreement import Agreement, Disagrees
from verifier.runs.validation.both_semantics import Values
from verifier.runs.validation.budget import Budget, OutOfTime
from verifier.runs.validation.compared_expressions import Expressions, Question
from verifier.runs.validation.comparison import Comparison
from verifier.runs.validation.executions import Executions
from verifier.runs.validation.lanes import Lane, Lanes
from verifier.runs.validation.solving import StateSolver
from verifier.runs.validation.subject import Subject
from verifier.runs.validation.walks import draw_states, walk_states
from verifier.runs.validation.wanted_formulas import Target, targets
from verifier.tla.specification import without_traces

if TYPE_CHECKING:
    from verifier.tla.exploration_result import State
    from verifier.trust.certificate import Certificate

_BATCH = 64
_MOST_GIVEN = 120
"""The limit of states from a solver."""
_WALKING, _LOWERING, _SOLVING = 0.4, 0.65, 0.85
"""The shares of the time that are used at the end of each part, if there is enough work."""
_EXPLAINING_SECONDS = 2.0


@dataclass
class Validation:
    """A comparison. The same seed gives the same states."""

    subject: Subject
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.agreement: Agreement = self.subject.agreement
        self.agreement.seed = self.seed
        self.lanes: list[Lane] = []
        self.following: list[list[State]] = []
        """Some successors of each lane."""
        self.budget = Budget(0.0)

    def run(self, seconds: float, *, thorough: bool = False) -> Agreement:
        """Compare for at most this number of seconds. ``thorough``: continue with further states until then.
        Raises Disagrees at the first difference."""
        began = time.monotonic()
        self.budget = Budget(seconds, time.monotonic if thorough else time.process_time)
        with without_traces(self.subject.spec), self._explain_difference():
            self._round()
            while thorough and self.budget.spent < 1:
                self.lanes, self.following = [], []
                self._round()
        self.agreement.seconds = time.monotonic() - began
        return self.agreement

    def _round(self) -> None:
        walked = walk_states(self.subject, self.chance, self.budget)
        self._compare(self._find_reached_states(walked), _WALKING)
        self._compare(self._draw_states(list(walked)), _WALKING)
        made = self._expressions()
        questions = [] if made is None else _questions(made, self.budget)
        wanted = targets(self.subject, self.certificates.values(), made, questions, self.chance)
        self._compare(self._solve_for_states(wanted), _SOLVING)
        if made is not None:
            self._compare_values(made, questions)
        self._compare_executions()

    # -- states

    def _find_reached_states(self, states: Mapping[State, bool]) -> Iterator[Lane]:
        for state, within in states.items():
            bits = self.subject.encode(state)
            if bits is not None:
                yield Lane(state, bits, reachable=True, within=within)
            elif self.subject.proved:
                raise self.subject.differ("its sorts", "that it is reachable", "that it is outside", state)

    def _draw_states(self, walked: Sequence[State]) -> Iterator[Lane]:
        for state in draw_states(self.subject, walked, self.chance):
            bits = self.subject.encode(state)
            if bits is not None:
                yield Lane(state, bits, reachable=False)

    def _solve_for_states(self, targets: Sequence[Target]) -> Iterator[Lane]:
        """Yield states that satisfy formulas which too few other states satisfy."""
        if not self.lanes or not self.lanes[0].state:
            return
        lanes, given = Lanes(self.subject, self.lanes), StateSolver(self.subject.model, self.chance)
        known = {lane.bits for lane in self.lanes}
        try:
            for target in targets:
                have = lanes.evaluate(target.formula).bit_count() if target.of_state else 0
                for _ in range(target.wanted - have):
                    if self.budget.spent > _SOLVING or self.agreement.given >= _MOST_GIVEN:
                        return
                    bits = given.near(self.chance.choice(self.lanes).bits, target.formula)
                    if bits is None:
                        break
                    lane = self._canonical(bits)
                    if lane is not None and bits not in known:
                        known.add(bits)
                        self.agreement.given += 1
                        yield lane
        finally:
            given.close()

    def _canonical(self, bits: int) -> Lane | None:
        """Return a state from a solver; None if its value has other bits, or none: no step leads there."""
        try:
            state = self.subject.decode(bits)
        except ValueError:
            return None
        return Lane(state, bits, reachable=False) if self.subject.encode(state) == bits else None

    # -- comparison

    def _compare(self, lanes: Iterator[Lane], until: float) -> None:
        """Compare in states, and keep them. ``until``: the share of the time at which it stops."""
        while batch := list(islice(lanes, _BATCH)):
            if self.lanes and self.budget.spent > until:
                return
            compared = Comparison(Lanes(self.subject, batch), self.certificates, self.chance)
            compared.run()
            self.lanes += batch
            self.following += [compared.following.get(number, []) for number in range(len(batch))]

    def _expressions(self) -> Expressions | None:
        notes = self.subject.made.translation.notes
        return None if notes is None else Expressions(self.subject, notes, self.chance, self.budget)

    def _compare_values(self, made: Expressions, questions: Sequence[Question]) -> None:
        if not self.lanes:
            return
        values = Values(self.subject, made.after, self._pair_states())
        with suppress(OutOfTime):
            for question in questions:  # an expression comes after its parts
                self.budget.check()
                for difference in values.differences(question):
                    raise values.error(difference)
                self.agreement.expressions += 1

    def _compare_executions(self) -> None:
        claimed = self.subject.made.claimed
        if claimed is None or self.subject.excluded is not None:
            return
        with suppress(OutOfTime):
            Executions(self.subject, claimed, self.chance, self.budget).compare(self.lanes, self.following)

    def _pair_states(self) -> list[tuple[Lane, Lane]]:
        """Return each state with a successor, or else with another state."""
        pairs = []
        for lane, following in zip(self.lanes, self.following, strict=True):
            other = self.chance.choice(following) if following else lane.state
            bits = self.subject.encode(other)
            pairs.append((lane, lane if bits is None else Lane(other, bits, lane.reachable)))
        return pairs

    @contextmanager
    def _explain_difference(self) -> Iterator[None]:
        """Explain a difference in a property or a step by the smallest expression that differs."""
        try:
            yield
        except Disagrees as difference:
            least = self._explanation(difference)
            if least is None:
                raise
            raise least from None

    def _explanation(self, difference: Disagrees) -> Disagrees | None:
        """Return the difference in the smallest expression, in a state where there is one."""
        bits = self.subject.encode(difference.state)
        self.budget = Budget(_EXPLAINING_SECONDS)
        made = self._expressions()
        if bits is None or made is None or difference.of_expression:
            return None
        lane = Lane(difference.state, bits, reachable=False)
        values = Values(self.subject, made.after, [(lane, lane)])
        with suppress(OutOfTime, Disagrees):
            for question in made.questions():
                for smallest in values.differences(question):
                    return values.error(smallest, difference.disagreement.what)
        return None


def _questions(made: Expressions, budget: Budget) -> list[Question]:
    """Return the translations that can be compared, as many as time allows."""
    questions: list[Question] = []
    try:
        for question in made.questions():
            questions.append(question)
            if budget.spent > _LOWERING:
                break
    except OutOfTime:
        pass
    return questions


__all__ = ["Validation"]
