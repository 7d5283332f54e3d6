"""Comparison of a protocol's functions, run in some states, with the formulas of its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import show
from verifier.encodings.evaluator import LaneEvaluator
from verifier.encodings.plain_terms import Environment, Undefined, plain
from verifier.encodings.random_values import draw_value
from verifier.specs.definition import PropertyKind
from verifier.specs.in_states import ActionFunction, Unread
from verifier.specs.plain_steps import NOTHING, Happening

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.runs.validation.agreement import Agreement
    from verifier.specs.definition import Action
    from verifier.specs.in_states import Function, InStates
    from verifier.system.model import Model
    from verifier.system.transition_system import Instance, SafetyProperty
    from verifier.trust.certificate import Certificate

_MOST_CHOICES = 200
"""The values of parameters that are tried for an action in each batch: all if there are no more."""

Bits = tuple[bool, ...]


class Differs(Exception):
    """Raised if the protocol and its formulas differ in a state."""


@dataclass(frozen=True)
class Lane:
    """A state to compare."""

    bits: Bits
    state: Mapping[str, Any]
    reachable: bool

    @property
    def words(self) -> str:
        """Return the state as text."""
        return ", ".join(f"{name} = {show(value)}" for name, value in self.state.items())


@dataclass
class Seen:
    """The protocol's own result for the steps from one state."""

    e: Environment
    within: bool = True
    undefined: bool = False
    """True if the constraint or an action reads an undefined value."""
    leaves: bool = False
    dead: bool = True
    every: bool = True
    """True if all instances were tried and could be read."""
    successors: list[tuple[Bits, Environment]] = field(default_factory=list)


class Batch:
    """States that are compared at once."""

    def __init__(
        self,
        model: Model,
        meaning: InStates,
        lanes: Sequence[Lane],
        names: frozenset[str],
        chance: Random,
        agreement: Agreement,
    ) -> None:
        self.model, self.system, self.meaning = model, model.system, meaning
        self.lanes, self.names, self.chance, self.agreement = lanes, names, chance, agreement
        values = {
            symbol: sum(1 << number for number, lane in enumerate(lanes) if lane.bits[place])
            for place, symbol in enumerate(model.layout.bits)
        }
        inputs = [symbol for instance in self.system.instances for symbol in instance.inputs]
        self.evaluate = LaneEvaluator(values, (1 << len(lanes)) - 1, inputs)
        self.place = {symbol: place for place, symbol in enumerate(model.layout.bits)}
        self.seen = [Seen(meaning.environment(lane.state)) for lane in lanes]

    def compare(self, certificates: Mapping[str, Certificate]) -> list[Bits]:
        """Return the successors of the reachable states. Raises Differs at the first difference."""
        own = self.meaning
        self._compare("init", own.init, self.system.init, is_initial=True)
        self._compare("the constraint", own.constraint, self.system.constraint)
        for number, seen in enumerate(self.seen):
            self._look_within(number, seen)
        for action in self.model.definition.actions:
            self._compare_action(action, own.actions[action.name])
        for lemma in (one for one in self.system.lemmas if one.name in self.names):
            self._compare(f"lemma {lemma.name}", own.lemmas[lemma.name], lemma.formula)
        for prop in (one for one in self.system.properties if one.name in self.names):
            self._compare_property(prop)
        self._compare_reads()
        self._compare_proofs(certificates)
        reachable = [seen for lane, seen in zip(self.lanes, self.seen, strict=True) if lane.reachable]
        return [bits for seen in reachable for bits, _ in seen.successors]

    def _differ(self, number: int, what: str, place: str, said: object, formula: object) -> Differs:
        where = f" ({place})" if place else ""
        return Differs(
            f"the formulas do not agree with the protocol on {what}{where}: run in the state, its function "
            f"says {said}, the formula {formula}, in the state {self.lanes[number].words}"
        )

    def _evaluate(self, ask: Callable[[], bool]) -> bool | Unread | None:
        """Return the value of a function; None if it reads an undefined value."""
        try:
            return ask()
        except Undefined:
            return None
        except Unread as nothing:
            self.agreement.undefined += 1
            return nothing

    # -- formulas of one state

    def _compare(self, what: str, function: Function, formula: FNode, *, is_initial: bool = False) -> None:
        """Compare a formula that is false if it reads an undefined value."""
        ask = self.meaning.is_initial if is_initial else partial(self.meaning.holds, function)
        value = self.evaluate(formula)
        read = self.evaluate(self.model.init_is_read) if is_initial else -1
        for number, seen in enumerate(self.seen):
            said = self._evaluate(partial(ask, seen.e))
            formula_says = bool(value >> number & 1)
            if not isinstance(said, Unread) and read >> number & 1 and bool(said) is not formula_says:
                raise self._differ(number, what, function.place, said, formula_says)

    def _look_within(self, number: int, seen: Seen) -> None:
        said = self._evaluate(partial(self.meaning.is_within, seen.e))
        seen.every = not isinstance(said, Unread)
        seen.undefined = said is None
        seen.within = said is True

    def _compare_property(self, prop: SafetyProperty) -> None:
        function = self.meaning.properties.get(prop.name)
        if prop.kind is PropertyKind.STEP_INVARIANT:
            self._compare_step_invariant(prop)
            return
        if function is None:
            self._compare_unwritten(prop)
            return
        value, unread = self.evaluate(prop.formula), 0
        for read in self.model.undefined:
            if read.property_name == prop.name:
                unread |= self.evaluate(read.when)
        for number, seen in enumerate(self.seen):
            said = self._evaluate(partial(self.meaning.holds, function, seen.e))
            if isinstance(said, Unread):
                continue
            expected, reads = _expect(prop.kind, said, seen)
            formula = bool(value >> number & 1)
            if expected is not None and expected is not formula:
                raise self._differ(number, prop.name, function.place, expected, formula)
            if reads is not None and reads is not bool(unread >> number & 1):
                words = ("it reads what has no value", "all that it reads has a value")
                raise self._differ(number, prop.name, function.place, *(words if reads else words[::-1]))

    def _compare_unwritten(self, prop: SafetyProperty) -> None:
        """Compare a property without a function: that no value leaves its sort, or freedom from deadlock."""
        if prop.kind is PropertyKind.UNDEFINED_READ:
            return
        if prop.kind not in (PropertyKind.TYPE_INVARIANT, PropertyKind.DEADLOCK_INVARIANT):
            self.agreement.undefined += len(self.seen)
            return
        value = self.evaluate(prop.formula)
        for number, seen in enumerate(self.seen):
            holds = prop.kind is PropertyKind.TYPE_INVARIANT
            expected, _ = _expect(prop.kind, holds, seen)
            if expected is not None and expected is not bool(value >> number & 1):
                raise self._differ(number, prop.name, "", expected, not expected)

    def _compare_step_invariant(self, prop: SafetyProperty) -> None:
        function = self.meaning.step_properties.get(prop.name)
        if function is None:
            self.agreement.undefined += len(self.seen)
            return
        value = self.evaluate(prop.formula)
        for number, seen in enumerate(self.seen):
            broken, every = False, seen.every
            for _, after in seen.successors:
                if after == seen.e:
                    continue
                said = self._evaluate(partial(self.meaning.holds_of_step, function, seen.e, after))
                every = every and isinstance(said, bool)
                broken = broken or said is False
            holds = bool(value >> number & 1)
            if (broken and holds) or (every and not broken and not holds):
                raise self._differ(number, f"the steps of {prop.name}", function.place, not broken, holds)

    def _compare_reads(self) -> None:
        """Compare where the constraint and the actions read undefined values."""
        value = 0
        for read in self.model.undefined:
            if read.property_name is None:
                value |= self.evaluate(read.when)
        for number, seen in enumerate(self.seen):
            formula = bool(value >> number & 1)
            if (seen.undefined and not formula) or (seen.every and formula and not seen.undefined):
                words = "the constraint and the actions, whether they read what has no value"
                raise self._differ(number, words, "", seen.undefined, formula)

    def _compare_proofs(self, certificates: Mapping[str, Certificate]) -> None:
        """Check that each reachable state satisfies the clauses of every proof's invariant."""
        named = {symbol.symbol_name(): place for symbol, place in self.place.items()}
        for name, certificate in certificates.items():
            for clause in certificate.clauses:
                if not all(bit in named for bit, _ in clause):
                    break  # an invariant of another model, such as one for loops
                for number, lane in enumerate(self.lanes):
                    if lane.reachable and not any(lane.bits[named[bit]] is value for bit, value in clause):
                        what = f"the invariant of the proof of {name}"
                        raise self._differ(number, what, "", "it is reachable", "it is excluded")

    # -- steps

    def _compare_action(self, action: Action, function: ActionFunction) -> None:
        instances = {
            tuple(one.parameters.values()): one for one in self.system.instances if one.action == action.name
        }
        choices, every = self._choices(action)
        for seen in self.seen:
            seen.every = seen.every and every
        for values in choices:
            expanded = tuple(value for p, value in zip(action.parameters, values, strict=True) if not p.free)
            label = f"{action.name}({', '.join(map(show, values))})"
            reached = self._compute_successors(action, instances.get(expanded), values)
            plainly = tuple(map(plain, values))
            for number, seen in enumerate(self.seen):
                what = self._happening(function, plainly, seen)
                if what is not None:
                    self._compare_step(number, label, function.place, what, reached[number])

    def _happening(self, function: ActionFunction, values: tuple[Any, ...], seen: Seen) -> Happening | None:
        """Return the effect of an action; None if it is not known."""
        if not seen.within:
            return NOTHING
        try:
            what = self.meaning.happening(function, values, seen.e)
        except Unread:
            self.agreement.undefined += 1
            seen.every = False
            return None
        seen.undefined |= what.undefined
        seen.leaves |= what.leaves
        seen.dead &= what is NOTHING
        return what

    def _compare_step(
        self, number: int, label: str, place: str, what: Happening, reached: Bits | None
    ) -> None:
        if what.after is None:
            if reached is not None:
                raise self._differ(number, label, place, "it is not enabled", "it is")
            return
        if reached is None:
            raise self._differ(number, label, place, "it is enabled", "it is not")
        after = self.model.layout.decode_state(reached)
        e = self.meaning.environment(after)
        for symbol, value in e.items():
            if value != what.after[symbol]:
                name = f"{symbol.name} after {label}"
                raise self._differ(number, name, place, what.after[symbol], show(after[symbol.name]))
        self.agreement.steps += 1
        self.seen[number].successors.append((reached, e))

    def _compute_successors(
        self, action: Action, instance: Instance | None, values: tuple[Any, ...]
    ) -> list[Bits | None]:
        """Return the successor of each state by the formulas; None where the instance is not enabled."""
        reached: list[Bits | None] = [None] * len(self.lanes)
        if instance is None:
            return reached
        targets, terms = list(instance.updates), list(instance.updates.values())
        if instance.inputs:
            layout = self.model.free_layouts[instance.label]
            given = zip(action.parameters, values, strict=True)
            named = {f"{instance.label}.{p.symbol.name}": value for p, value in given}
            bits = layout.encode_state({name: named[name] for name in layout.sorts})
            chosen = dict(zip(instance.inputs, bits, strict=True))
            guard, *new = self.evaluate.under(chosen, [instance.guard, *terms])
        else:
            guard = self.evaluate(instance.guard)
            new = list(map(self.evaluate, terms)) if guard else []
        for number, lane in enumerate(self.lanes):
            if guard >> number & 1:
                after = list(lane.bits)
                for target, value in zip(targets, new, strict=True):
                    after[self.place[target]] = bool(value >> number & 1)
                reached[number] = tuple(after)
        return reached

    def _choices(self, action: Action) -> tuple[list[tuple[Any, ...]], bool]:
        """Return values of the parameters, and whether these are all."""
        sorts = list(action.sorts.values())
        if prod(sort.size for sort in sorts) <= _MOST_CHOICES:
            return list(product(*(tuple(sort.each()) for sort in sorts))), True
        drawn = {tuple(draw_value(sort, self.chance) for sort in sorts) for _ in range(_MOST_CHOICES // 4)}
        return list(drawn), False


def _expect(kind: PropertyKind, said: bool | None, seen: Seen) -> tuple[bool | None, bool | None]:
    """Return the expected value of a property's formula, and whether it should read an undefined value.
    Either is None if it is not known."""
    holds = True if said is None else said  # no failure is claimed
    match kind:
        case PropertyKind.REACHABLE:
            return said is not True, said is None
        case PropertyKind.TYPE_INVARIANT:
            stays = not seen.leaves if seen.every or seen.leaves else None
            return (False if not holds else stays), said is None
        case PropertyKind.DEADLOCK_INVARIANT:
            if not seen.every:
                return (True if holds or not seen.dead else None), None
            alive = not seen.dead or not seen.within
            return holds or alive, said is None and not alive
    return holds, said is None
