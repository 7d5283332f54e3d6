"""Replay: checks executions on the concrete evaluator, without a solver.

Every counterexample must pass this check before anybody sees it. Its first state must be initial, each
action must be enabled and give the next state, and the property must fail in the last state. A step invariant
must fail of the last step: its own formula is read for the two states, not the one that engines search with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import constant
from verifier.encodings.printing import text
from verifier.encodings.sorts import SortError
from verifier.specs.definition import Action
from verifier.system.model import Model
from verifier.system.step_invariants import breaking_choices
from verifier.system.transition_system import Instance
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.explain import Explainer, breaks, list_undefined
from verifier.trust.trace import ActionTaken, Trace

Bits = Sequence[bool]


class ReplayFailure(Exception):
    """A trace is no execution, or its last state does not violate the property. ``step`` 0 is the initial
    state."""

    def __init__(self, step: int, reason: str) -> None:
        super().__init__(f"step {step}: {reason}")
        self.step = step
        self.reason = reason


class Replayer:
    """Executes a model's instances on concrete states."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._instances: dict[int, Evaluator] = {}
        self._single: dict[str, Evaluator] = {}
        self._place = {bit: index for index, bit in enumerate(model.system.bits)}

    # Compiled when first needed: most runs replay nothing.

    @cached_property
    def _initial(self) -> Evaluator:
        system = self.model.system
        return Evaluator(system.bits, [system.init])

    def is_initial(self, state: Bits) -> bool:
        """True if Init holds."""
        return self._initial.single(state)[0]

    def find_violated(self, state: Bits) -> list[str]:
        """The properties whose formula fails in the state, or that are reachable and hold in it.

        A step invariant fails in a state if an enabled instance breaks it."""
        return [prop.name for prop in self.model.system.properties if self.violates(state, prop.name)]

    def violates(self, state: Bits, name: str) -> bool:
        """True if one property is violated: the others may be much larger, as that all expressions have
        a value."""
        evaluator = self._single.get(name)
        if evaluator is None:
            formulas = [prop.formula for prop in self.model.system.properties if prop.name == name]
            evaluator = self._single[name] = Evaluator(self.model.system.bits, formulas)
        return not all(evaluator.single(state))

    def successor(self, state: Bits, instance: Instance, inputs: Bits) -> list[bool] | None:
        """The state after the instance; None if it is not enabled."""
        evaluator = self._instances.get(id(instance))
        if evaluator is None:
            outputs = [instance.guard, *instance.updates.values()]
            evaluator = Evaluator((*self.model.system.bits, *instance.inputs), outputs)
            self._instances[id(instance)] = evaluator
        enabled, *values = evaluator.single([*state, *inputs])
        if not enabled:
            return None
        result = list(state)
        for bit, value in zip(instance.updates, values, strict=True):
            result[self._place[bit]] = value
        return result

    def execute(self, initial: Bits, firings: Sequence[tuple[Instance, Bits]], prop: str) -> Trace:
        """The trace of an execution that ends in a violation. Raises ReplayFailure if it does not.

        If the property is a step invariant, the execution ends where an instance breaks it. The trace has
        this step, too.
        """
        if not self.is_initial(initial):
            raise ReplayFailure(0, "not an initial state")
        states = [list(initial)]
        for step, (instance, inputs) in enumerate(firings, 1):
            following = self.successor(states[-1], instance, inputs)
            if following is None:
                raise ReplayFailure(step, f"{instance.label} is not enabled")
            states.append(following)
        if not self.violates(states[-1], prop):
            raise ReplayFailure(len(firings), self._make_missed_message(prop, states[-1]))
        definition, decode = self.model.definition, self.model.layout.decode_state
        trace = Trace(
            spec=definition.name,
            spec_hash=definition.spec_hash,
            constants=definition.constants,
            violates=prop,
            states=tuple(decode(state) for state in states),
            actions=tuple(self.name_action(instance, inputs) for instance, inputs in firings),
        )
        return self.complete_trace(trace) if self.model.system.about_steps(prop) else trace

    def name_action(self, instance: Instance, inputs: Bits) -> ActionTaken:
        """The action that an instance with these inputs is."""
        return ActionTaken(instance.action, self.model.parameter_values(instance, inputs))

    def complete_trace(self, trace: Trace) -> Trace:
        """The trace to where an instance breaks the step invariant, with that step: the first that does."""
        prop, last = str(trace.violates), self.encode_state(trace.steps, trace.states[-1])
        own = [step for step in self.model.breaking if step.property_name == prop]
        for label, inputs in breaking_choices(own, self.model.system.bits, last):
            instance = self.model.instance(label)
            following = self.successor(last, instance, inputs)
            if following is None:
                raise ReplayFailure(trace.steps + 1, f"{label} is not enabled")
            states = (*trace.states, self.model.layout.decode_state(following))
            whole = replace(
                trace, states=states, actions=(*trace.actions, self.name_action(instance, inputs))
            )
            self._require_broken(whole)
            return whole
        raise ReplayFailure(trace.steps, f"no instance breaks {prop} in the last state")

    def _require_broken(self, trace: Trace) -> None:
        """Checks that the last step does not satisfy the step invariant, as the protocol states it."""
        prop = next(p for p in self.model.definition.properties if p.name == trace.violates)
        if not trace.actions:
            raise ReplayFailure(trace.steps, f"{prop.name} is about steps, and the trace has none")
        before, after = trace.states[-2:]
        if not breaks(prop, before, after):
            has_value = before == after or ConcreteReading(before, after).is_defined(prop.formula, {})
            words = "holds of" if has_value else "has no value for"
            raise ReplayFailure(trace.steps, f"{prop.name} {words} the last step")

    def check(self, trace: Trace) -> None:
        """Checks a trace of any origin. Raises ReplayFailure, which names the step and the reason."""
        states = [self.encode_state(step, state) for step, state in enumerate(trace.states)]
        if not self.is_initial(states[0]):
            explainer = Explainer(ConcreteReading(trace.states[0]))
            reasons = "; ".join(str(reason) for reason in explainer.failures(self.model.definition.init))
            raise ReplayFailure(0, f"not an initial state: {reasons}")
        for step, action in enumerate(trace.actions, 1):
            self._check_step(step, action, trace.states[step - 1], states[step - 1], states[step])
        if trace.violates is not None and self.model.system.about_steps(trace.violates):
            self._require_broken(trace)
        elif trace.violates is not None and not self.violates(states[-1], trace.violates):
            raise ReplayFailure(trace.steps, self._make_missed_message(trace.violates, states[-1]))

    def _make_missed_message(self, prop: str, last: Bits) -> str:
        """The message for a last state that does not violate the property."""
        own = [read for read in self.model.undefined if read.property_name == prop]
        undefined = list_undefined(self.model, own, self.model.layout.decode_state(last))
        if undefined:
            return f"{prop} has no value in the last state: {'; '.join(undefined)}"
        return f"{prop} {'is not reached' if self.model.system.seeks(prop) else 'holds'} in the last state"

    def encode_state(self, step: int, state: Mapping[str, Any]) -> list[bool]:
        """The bits of a state. Raises ReplayFailure if it is none of the protocol's."""
        sorts = self.model.layout.sorts
        if set(state) != set(sorts):
            differing = ", ".join(sorted(set(state) ^ set(sorts)))
            raise ReplayFailure(step, f"the state has other variables than the protocol: {differing}")
        for name, value in state.items():
            try:
                constant(sorts[name], value)
            except (SortError, KeyError):
                raise ReplayFailure(step, f"{name} = {show(value)} is not in {sorts[name]}") from None
        return self.model.layout.encode_state(state)

    def _check_step(
        self, step: int, action: ActionTaken, before: Mapping[str, Any], state: Bits, claimed: Bits
    ) -> None:
        instance, inputs = self.instance_of(step, action)
        following = self.successor(state, instance, inputs)
        if following is None:
            raise ReplayFailure(step, f"{action} is not enabled: {self._explain_disabled(action, before)}")
        differing = [
            f"{leaf.name} becomes {show(leaf.decode(own))}, the trace says {show(leaf.decode(other))}"
            for leaf, own, other in self._leaf_differences(following, claimed)
        ]
        if differing:
            raise ReplayFailure(step, f"{action} gives another state: {'; '.join(differing)}")

    def _leaf_differences(self, one: Bits, other: Bits) -> list[tuple[Any, Bits, Bits]]:
        position, leaf_differences = 0, []
        for leaf in self.model.layout.leaves:
            end = position + len(leaf.bits)
            if list(one[position:end]) != list(other[position:end]):
                leaf_differences.append((leaf, one[position:end], other[position:end]))
            position = end
        return leaf_differences

    def instance_of(self, step: int, action: ActionTaken) -> tuple[Instance, list[bool]]:
        """The instance that an action names, with its inputs. Raises ReplayFailure if there is none."""
        named = [known for known in self.model.definition.actions if known.name == action.name]
        definition = next((known for known in named if _takes(known, action)), named[0] if named else None)
        if definition is None:
            names = ", ".join(known.name for known in self.model.definition.actions)
            raise ReplayFailure(step, f"the protocol has no action {action.name}; it has {names}")
        wanted = {parameter.symbol.name: parameter for parameter in definition.parameters}
        if set(action.parameters) != set(wanted):
            raise ReplayFailure(step, f"{action} should have the parameters {', '.join(wanted) or 'none'}")
        for name, value in action.parameters.items():
            if not wanted[name].symbol.sort.contains(value):
                raise ReplayFailure(step, f"{name}={show(value)} is not in {wanted[name].symbol.sort}")
        expanded = [action.parameters[name] for name, parameter in wanted.items() if not parameter.free]
        label = f"{action.name}({', '.join(show(value) for value in expanded)})"
        try:
            instance = self.model.instance(label)
        except KeyError:
            raise ReplayFailure(step, f"{action} is never enabled") from None
        return instance, self.model.free_bits(instance, action.parameters)

    def _explain_disabled(self, action: ActionTaken, state: Mapping[str, Concrete]) -> str:
        definition = next(known for known in self.model.definition.actions if known.name == action.name)
        bindings = {p.symbol: action.parameters[p.symbol.name] for p in definition.parameters}
        reading = ConcreteReading(state)
        lines = [text(line, bindings) for line in definition.when if not reading.holds(line, bindings)]
        bound = self.model.definition.constraint
        if bound is not None and not reading.holds(bound, {}):
            lines.append("the state is beyond the constraint")
        return "; ".join(f"{line} is false" for line in lines) or "it would assign a value outside a sort"


def _takes(known: Action, action: ActionTaken) -> bool:
    """True if an action has these values of parameters. Several have one name where each has values of its
    own, as those of TLA+ modules."""
    sorts = known.sorts
    values = action.parameters
    return set(sorts) == set(values) and all(sorts[name].contains(value) for name, value in values.items())
