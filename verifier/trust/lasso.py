"""Replay of lassos: infinite executions, as a stem and a loop that is repeated for ever.

The stem and one round of the loop are replayed like any execution. Then the temporal property is read for
this execution, term by term and state by state, without the monitors that engines use; and for each fairness
condition a reason is found for which the loop meets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from verifier.encodings.concrete import Concrete
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.lowering import Bindings
from verifier.specs.temporal import Strength, TemporalFormula, TemporalOperator
from verifier.system.liveness import Condition, LiveModel
from verifier.trust.explain import ConcreteReading
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Trace


def checked_lasso(live: LiveModel, trace: Trace) -> Trace:
    """The lasso with the reasons for which it is fair. Raises ReplayFailure if it is no execution, does not
    violate the property, or is not fair."""
    loop, base = trace.loop, live.base
    if loop is None or not 0 <= loop.start < len(trace.states):
        raise ReplayFailure(trace.steps, "the execution has no loop")
    last = len(trace.states) - 1
    if loop.closing is None and loop.start != last:
        raise ReplayFailure(last, "an execution that stutters stays in its last state")
    once = replace(trace, loop=None, violates=None)
    if loop.closing is not None:
        states = (*trace.states, trace.states[loop.start])
        once = replace(once, states=states, actions=(*trace.actions, loop.closing))
    replayer = Replayer(base)
    replayer.check(once)
    bits = [replayer.encoded(step, state) for step, state in enumerate(trace.states)]
    (within,) = Evaluator(base.system.bits, [base.system.constraint]).single(bits[loop.start])
    if not within:
        raise ReplayFailure(loop.start, "the loop is beyond the constraint, where nothing is looked for")
    if holds(live.property_.formula, trace.states, loop.start):
        raise ReplayFailure(last, f"{live.property_.name} holds of this execution")
    reasons = _Fairness(live, replayer, once, bits, loop.start).reasons()
    return replace(trace, loop=replace(loop, fairness=live.fairness, conditions=reasons))


def holds(
    formula: TemporalFormula,
    states: Sequence[Mapping[str, Concrete]],
    start: int,
    bindings: Bindings = MappingProxyType({}),
) -> bool:
    """Whether a temporal formula holds of the execution through the states that then goes back to ``start``
    and round for ever."""

    def where(term_number: int) -> list[bool]:
        term = formula.terms[term_number]
        return [ConcreteReading(state).holds(term, bindings) for state in states]

    match formula.operator:
        case TemporalOperator.EVENTUALLY:
            return any(where(0))
        case TemporalOperator.ALWAYS_EVENTUALLY:
            return any(where(0)[start:])
        case TemporalOperator.EVENTUALLY_ALWAYS:
            return all(where(0)[start:])
        case TemporalOperator.LEADS_TO:
            first, then = where(0), where(1)
            again = any(then[start:])
            return all(again or any(then[place:]) for place, due in enumerate(first) if due)
        case TemporalOperator.INITIALLY:
            return where(0)[0]
        case TemporalOperator.EVER_AFTER:
            first, then = where(0), where(1)
            return all(all(then[min(place, start) :]) for place, begins in enumerate(first) if begins)
    if formula.binds is None:
        parts = [holds(part, states, start, bindings) for part in formula.parts]
    else:
        values = formula.binds.sort.each()
        parts = [holds(formula.parts[0], states, start, {**bindings, formula.binds: v}) for v in values]
    if formula.operator is TemporalOperator.NOT:
        return not parts[0]
    return all(parts) if formula.operator in _CONJUNCTIONS else any(parts)


_CONJUNCTIONS = (TemporalOperator.AND, TemporalOperator.FOR_EACH)


class _Fairness:
    """Why a loop meets fairness conditions."""

    def __init__(
        self, live: LiveModel, replayer: Replayer, once: Trace, bits: Sequence[list[bool]], start: int
    ) -> None:
        self.live = live
        self.bits = bits
        self.start = start
        instances = list(live.base.system.instances)
        place = {id(instance): number for number, instance in enumerate(instances)}
        self.taken: list[tuple[int, int]] = []
        """The steps of the loop that change the state: their numbers, and their instances by place."""
        for step in range(start + 1, len(once.states)):
            instance, _ = replayer.instance_of(step, once.actions[step - 1])
            if once.states[step] != once.states[step - 1]:
                self.taken.append((step, place[id(instance)]))
        self.once = once
        enabled = [condition.enabled for condition in live.conditions]
        evaluator = Evaluator(live.base.system.bits, enabled)
        self.enabled = {step: evaluator.single(bits[step]) for step in range(start, len(bits))}

    def reasons(self) -> tuple[tuple[str, str], ...]:
        """Each condition with its reason. Raises ReplayFailure if there is none."""
        return tuple((c.name, self._reason(n, c)) for n, c in enumerate(self.live.conditions))

    def _reason(self, number: int, condition: Condition) -> str:
        for step, instance in self.taken:
            if instance in condition.instances:
                action = self.once.actions[step - 1]
                return f"taken in the loop, by {action} from state {step - 1}"
        possible = [step for step, enabled in self.enabled.items() if enabled[number]]
        if not possible:
            return "impossible in every state of the loop"
        if condition.strength is Strength.WEAK and len(possible) < len(self.enabled):
            step = next(step for step in self.enabled if step not in possible)
            return f"impossible in state {step}"
        words = f"{condition.name} demands a step that is possible in state {possible[0]} and never taken"
        raise ReplayFailure(self.start, f"the loop is not fair: {words}")
