"""Replay of lassos: infinite executions, as a stem and a loop that is repeated forever.

The stem and one round of the loop are replayed like any execution. Then the temporal property is read for
this execution, term by term and state by state, without the bits that engines use; and for each fairness
condition a reason is found for which the loop meets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, conjunction, negation, restrict_formula
from verifier.encodings.concrete import Concrete
from verifier.encodings.elimination import exists_over
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.lowering import Bindings
from verifier.encodings.terms import Term
from verifier.specs.temporal import Fairness, Strength, TemporalFormula, TemporalOperator
from verifier.system.fairness import Condition, conditions_of
from verifier.system.liveness import LiveModel
from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Trace


def check_lasso(live: LiveModel, trace: Trace) -> Trace:
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
    bits = [replayer.encode_state(step, state) for step, state in enumerate(trace.states)]
    looked_at = Evaluator(base.system.bits, [base.system.constraint, live.read])
    if not looked_at.single(bits[loop.start])[0]:
        raise ReplayFailure(loop.start, "the loop is beyond the constraint, where nothing is looked for")
    for step, state in enumerate(bits):
        if not looked_at.single(state)[1]:
            raise ReplayFailure(step, f"{live.property_.name} reads what has no value")
    if Execution(base, trace.states, loop.start).holds(live.property_.formula):
        raise ReplayFailure(last, f"{live.property_.name} holds of this execution")
    reasons = _Fairness(live, replayer, once, bits, loop.start).reasons()
    return replace(trace, loop=replace(loop, fairness=live.fairness, conditions=reasons))


def shorten_lasso(live: LiveModel, lasso: Trace) -> Trace:
    """Return the shortest prefix of a checked lasso that violates the property with a loop of its own. A
    search closes a loop only where the bits that record the past are as before, too."""
    states, loop = lasso.states, lasso.loop
    if not live.remembers or loop is None or loop.closing is None:
        return lasso
    for end, start in ((last, first) for last in range(1, len(states)) for first in range(last)):
        if states[start] == states[end]:
            own = replace(loop, start=start, closing=lasso.actions[end - 1])
            shorter = replace(lasso, states=states[:end], actions=lasso.actions[: end - 1], loop=own)
            with suppress(ReplayFailure):
                return check_lasso(live, shorter)
    return lasso


class Execution:
    """The infinite execution through some states that then goes back to one of them and round forever.

    A formula is read for every place of it at once, as the meaning of its operators says."""

    def __init__(self, base: Model, states: Sequence[Mapping[str, Concrete]], start: int) -> None:
        self.base, self.states, self.start = base, states, start
        self.bits = [base.layout.encode_state(state) for state in states]
        self.next = [*range(1, len(states)), start]
        """For each place the one after it."""

    def holds(self, formula: TemporalFormula, bindings: Bindings = MappingProxyType({})) -> bool:
        """True if the execution satisfies the formula."""
        return self._truths(formula, bindings)[0]

    def _truths(self, formula: TemporalFormula, bindings: Bindings) -> list[bool]:
        """Return for each place the truth of the formula in the execution from there on."""

        def at(number: int) -> list[bool]:
            if formula.terms:
                term = formula.terms[number]
                return [self._holds(term, bindings, place) for place in range(len(self.states))]
            return self._truths(formula.parts[number], bindings)

        match formula.operator:
            case TemporalOperator.STEP:
                return self._steps(formula.terms[0], bindings)
            case TemporalOperator.FAIR:
                assert formula.condition is not None
                rows = [self._fair(one) for one in self._conditions(formula.condition)]
                return [all(row[place] for row in rows) for place in range(len(self.states))]
            case TemporalOperator.UNTIL:
                return self._until(at(0), at(1))
            case TemporalOperator.LEADS_TO:
                return self._wherever(at(0), self._eventually(at(1)))
            case TemporalOperator.EVER_AFTER:
                return self._wherever(at(0), self._always(at(1)))
        if formula.operator in _MODES:
            row = at(0)
            for mode in reversed(_MODES[formula.operator]):
                row = self._always(row) if mode == "always" else self._eventually(row)
            return row
        return self._combine(formula, bindings)

    def _combine(self, formula: TemporalFormula, bindings: Bindings) -> list[bool]:
        values = [bindings]
        if formula.binds is not None:
            values = [{**bindings, formula.binds: value} for value in formula.binds.sort.each()]
        rows = [self._truths(part, one) for one in values for part in formula.parts]
        if formula.operator is TemporalOperator.NOT:
            return [not truth for truth in rows[0]]
        join = all if formula.operator in _CONJUNCTIONS else any
        return [join(row[place] for row in rows) for place in range(len(self.states))]

    def _after(self, place: int) -> range:
        """All places that come from one on, itself among them."""
        return range(min(place, self.start), len(self.states))

    def _eventually(self, row: list[bool]) -> list[bool]:
        return [any(row[later] for later in self._after(place)) for place in range(len(row))]

    def _always(self, row: list[bool]) -> list[bool]:
        return [all(row[later] for later in self._after(place)) for place in range(len(row))]

    def _wherever(self, first: list[bool], then: list[bool]) -> list[bool]:
        return self._always([not due or met for due, met in zip(first, then, strict=True)])

    def _until(self, holds: list[bool], reached: list[bool]) -> list[bool]:
        until = []
        for place in range(len(self.states)):
            here, seen = place, set()
            while not reached[here] and holds[here] and here not in seen:
                seen.add(here)
                here = self.next[here]
            until.append(reached[here])
        return until

    def _steps(self, term: Term, bindings: Bindings) -> list[bool]:
        """True if the next step changes the state and satisfies a formula of two states."""
        return [
            dict(self.states[place]) != dict(self.states[after]) and self._holds(term, bindings, place, after)
            for place, after in enumerate(self.next)
        ]

    def _holds(self, term: Term, bindings: Bindings, place: int, after: int | None = None) -> bool:
        """True if a formula holds of a state, or of the step to another one."""
        following = None if after is None else self.states[after]
        return ConcreteReading(self.states[place], following).holds(term, bindings)

    def _conditions(self, family: Fairness) -> Sequence[Condition]:
        """The fairness conditions of a family."""
        return tuple(conditions_of(self.base, family))

    def _is_possible(self, condition: Condition, place: int) -> bool:
        """True if a step of the condition is possible in a state."""
        return Evaluator(self.base.system.bits, [condition.enabled]).single(self.bits[place])[0]

    def _fair(self, condition: Condition) -> list[bool]:
        """True if the condition is met from each place on: a step of it is taken again and again, or it is
        impossible again and again, or (strong) impossible from some place on."""
        impossible = [not self._is_possible(condition, place) for place in range(len(self.bits))]
        lazy = self._always(self._eventually(impossible))
        if condition.strength is Strength.STRONG:
            lazy = self._eventually(self._always(impossible))
        again = self._always(self._eventually([self._takes(condition, n) for n in range(len(self.bits))]))
        return [one or other for one, other in zip(lazy, again, strict=True)]

    def _takes(self, condition: Condition, place: int) -> bool:
        """True if the step from the state to the next is one of the condition's."""
        return _is_step_of(self.base, condition, self.bits[place], self.bits[self.next[place]])


def _is_step_of(base: Model, condition: Condition, before: Sequence[bool], after: Sequence[bool]) -> bool:
    """True if one of the condition's instances leads from the state to the other, which is another one."""
    known = {bit: TRUE if on else FALSE for bit, on in zip(base.system.bits, before, strict=True)}
    wanted = dict(zip(base.system.bits, after, strict=True))
    return before != after and any(
        _leads(base.system.instances[number], known, wanted) for number in condition.instances
    )


def _leads(instance: Instance, known: Mapping[FNode, FNode], wanted: Mapping[FNode, bool]) -> bool:
    """True if some inputs let the instance lead from the known state to the wanted one."""
    same = [new if wanted[old] else negation(new) for old, new in instance.updates.items()]
    kept = all((known[bit] is TRUE) is on for bit, on in wanted.items() if bit not in instance.updates)
    step = restrict_formula(conjunction((instance.guard, *same)), known)
    return kept and exists_over(step, instance.inputs) is TRUE


_CONJUNCTIONS = (TemporalOperator.AND, TemporalOperator.FOR_EACH)
_MODES = {
    TemporalOperator.NOW: (),
    TemporalOperator.EVENTUALLY: ("eventually",),
    TemporalOperator.ALWAYS: ("always",),
    TemporalOperator.ALWAYS_EVENTUALLY: ("always", "eventually"),
    TemporalOperator.EVENTUALLY_ALWAYS: ("eventually", "always"),
}
"""The modes of the places that come, from the outside in."""


class _Fairness:
    """The reasons why a loop meets fairness conditions."""

    def __init__(
        self, live: LiveModel, replayer: Replayer, once: Trace, bits: Sequence[list[bool]], start: int
    ) -> None:
        self.live = live
        self.bits = bits
        self.start = start
        place = {id(instance): number for number, instance in enumerate(live.base.system.instances)}
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
                return f"taken in the loop, by {self._action(step)}"
        for step, _ in self.taken:
            after = self.bits[step] if step < len(self.bits) else self.bits[self.start]
            if _is_step_of(self.live.base, condition, self.bits[step - 1], after):
                return f"taken in the loop: {self._action(step)} leads where it does"
        possible = [step for step, enabled in self.enabled.items() if enabled[number]]
        if not possible:
            return "enabled in no state of the loop"
        if condition.strength is Strength.WEAK and len(possible) < len(self.enabled):
            step = next(step for step in self.enabled if step not in possible)
            return f"not enabled in state {step}"
        (cut_off,) = Evaluator(self.live.base.system.bits, [condition.cut_off]).single(self.bits[possible[0]])
        if cut_off:
            words = f"a step that {condition.name} demands leaves its sort or reads what has no value"
            raise ReplayFailure(possible[0], f"it is not known whether the loop is fair: {words}")
        words = f"{condition.name} demands a step that is possible in state {possible[0]} and never taken"
        raise ReplayFailure(self.start, f"the loop is not fair: {words}")

    def _action(self, step: int) -> str:
        return f"{self.once.actions[step - 1]} from state {step - 1}"
