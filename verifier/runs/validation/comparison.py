"""The comparison of Init, the constraint, properties, steps and invariants of proofs, in some states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from verifier.runs.validation.compared_steps import Steps
from verifier.runs.validation.lanes import Lanes
from verifier.runs.validation.subject import ERRORS
from verifier.runs.validation.subject import truth as shown
from verifier.specs.definition import PropertyKind
from verifier.verdict import OF_STEPS

if TYPE_CHECKING:
    from verifier.system.transition_system import SafetyProperty
    from verifier.tla.exploration_result import State
    from verifier.tla.splitting import Formula, Safety
    from verifier.trust.certificate import Certificate


class Comparison:
    """Compares all formulas that a verdict depends on, in some states."""

    def __init__(self, lanes: Lanes, certificates: Mapping[str, Certificate], chance: Random) -> None:
        self.lanes, self.subject, self.certificates = lanes, lanes.subject, certificates
        self.model, self.system = self.subject.model, self.subject.model.system
        self.chance = chance
        self.following: dict[int, list[State]] = {}
        """The successors of the states whose successors were all compared."""

    def run(self) -> None:
        """Compare. Raises Disagrees at the first difference."""
        subject, evaluate = self.subject, self.lanes.evaluate
        spec, init_read = subject.spec, evaluate(self.model.init_is_read)
        if subject.is_settled(spec.init):
            initial = evaluate(self.system.init)
            self._compare("Init", initial, init_read, self._asking(spec.init), at_all=False)
        within = self.lanes.mask
        for one in self.model.undefined:
            if one.property_name is None and one.place == "the constraint":
                within &= ~evaluate(one.when)
        constraint = evaluate(self.system.constraint)
        own = self.model.definition.constraint is not None and subject.excluded is None
        if own and subject.is_settled(spec.constraints):
            self._compare("the constraint", constraint, within, self._asking(spec.constraints))
        if spec.next is not None and subject.is_settled([spec.next, *spec.constraints]):
            self.following = Steps(self.lanes, self.chance).select_compared()
        for prop in self.system.properties:
            self._compare_property(prop)
        self._compare_proofs()
        subject.agreement.states += len(self.lanes.lanes)

    def _asking(self, formulas: Sequence[Formula]) -> Callable[[State], bool]:
        return lambda state: self.subject.holds(formulas, state)

    def _compare(
        self, what: str, holds: int, read: int, ask: Callable[[State], bool], *, at_all: bool = True
    ) -> None:
        """Compare a formula. ``read``: the lanes in which all its reads have values. ``at_all``: it must have
        one in each reachable state."""
        for number, lane in self.lanes:
            has_value = bool(read >> number & 1)
            try:
                said = ask(lane.state)
            except ERRORS as error:
                if lane.within and has_value and at_all:
                    raise self.subject.without_value(error, lane.state) from None
                self.subject.agreement.undefined += 1
                continue
            if has_value and said is not bool(holds >> number & 1):
                raise self.subject.differ(what, shown(said), shown(not said), lane.state)
            if not has_value and lane.reachable and self.subject.proved and at_all:
                raise self.subject.differ(what, shown(said), "that it has no value", lane.state)

    # -- properties

    def _compare_property(self, prop: SafetyProperty) -> None:
        spec, name = self.subject.spec, prop.name
        if name not in self.subject.asked:  # its undefined reads are not known
            return
        safety = spec.properties.get(name.removesuffix(OF_STEPS))
        if prop.kind is PropertyKind.STEP_INVARIANT and safety is not None:
            self._compare_step_invariant(prop, safety.steps)
            return
        if name in spec.invariants:
            formulas: Sequence[Formula] = (spec.invariants[name],)
        elif prop.kind is PropertyKind.INVARIANT and safety is not None and self._is_of_states(safety):
            formulas = safety.always
        else:
            return
        if not self.subject.is_settled(formulas):
            return
        read = self.lanes.mask
        for one in self.model.undefined:
            if one.property_name == name:
                read &= ~self.lanes.evaluate(one.when)
        self._compare(name, self.lanes.evaluate(prop.formula), read, self._asking(formulas))

    def _is_of_states(self, safety: Safety) -> bool:
        """True if its formula is about all states, and no initial state violates it."""
        initial = self.subject.made.translation.sample.initial
        return bool(safety.always) and all(self.subject.holds(safety.initially, one) for one in initial)

    def _compare_step_invariant(self, prop: SafetyProperty, formulas: Sequence[Formula]) -> None:
        holds = self.lanes.evaluate(prop.formula)
        for number, successors in self.following.items():
            state = self.lanes.lanes[number].state
            try:
                said = all(self.subject.holds(formulas, state, other) for other in successors)
            except ERRORS:
                self.subject.agreement.undefined += 1
                continue
            if said is not bool(holds >> number & 1):
                raise self.subject.differ(f"the steps of {prop.name}", shown(said), shown(not said), state)

    # -- proofs

    def _compare_proofs(self) -> None:
        """Check that each reachable state satisfies the clauses of every proof's invariant."""
        if not self.lanes.reachable:
            return
        named = {symbol.symbol_name(): symbol for symbol in self.system.bits}
        for name, certificate in self.certificates.items():
            for clause in certificate.clauses:
                if not all(bit in named for bit, _ in clause):
                    break  # an invariant of another model, such as one for loops
                holds = 0
                for bit, value in clause:
                    column = self.lanes.evaluate(named[bit])
                    holds |= column if value else column ^ self.lanes.mask
                broken = self.lanes.reachable & ~holds
                if broken:
                    lane = self.lanes.lanes[(broken & -broken).bit_length() - 1]
                    what = f"the invariant of the proof of {name}"
                    raise self.subject.differ(what, "it is reachable", "it is excluded", lane.state)


__all__ = ["Comparison"]
