"""Readings of a state by its specification: properties, true or false and why, and expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from verifier.conform.machine import State
from verifier.conform.modules import ModuleMachine
from verifier.conform.protocols import ProtocolMachine, concrete
from verifier.encodings.expressions import term_of
from verifier.encodings.plain_terms import Reader, Undefined
from verifier.encodings.terms import Term
from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.loaded import Loaded
from verifier.runs.modules.loading import formula_named
from verifier.runs.modules.traces import make_failing_part
from verifier.specs.definition import Property, PropertyKind
from verifier.specs.names import own_name
from verifier.system.measure import read_expression as read_python
from verifier.testing.json_values import module_json, protocol_json
from verifier.tla.asked_expression import place_in_text
from verifier.tla.asked_expression import read_expression as read_tla
from verifier.tla.explaining import false_parts
from verifier.tla.frames import UNSET
from verifier.tla.frames import Undefined as UndefinedInModule
from verifier.tla.splitting import Formula
from verifier.tla.value_types import NoValue
from verifier.tla.values import materialize
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.explain import Explainer
from verifier.trust.trace import FailingPart

T = TypeVar("T")


@dataclass(frozen=True)
class Claim:
    """A property of a specification, as a session speaks of it."""

    name: str
    kind: str
    description: str = ""
    by_default: bool = True
    of_step: bool = False
    """True if it relates the states before and after a step."""
    of_state: bool = True
    """True if it has a value in a state. Others are about executions, or about what actions do."""


@dataclass(frozen=True)
class Truth:
    """A property in a state: true, false, or without a value; and why it is false."""

    holds: bool | None
    parts: tuple[FailingPart, ...] = ()
    """The smallest false parts."""
    reason: str = ""
    """Why it has no value."""


class Reading(Protocol):
    """A reading of states by the language of the specification."""

    @property
    def claims(self) -> Mapping[str, Claim]:
        """The properties by name."""

    def evaluate(self, text: str) -> Callable[[State], Any]:
        """Return the function that gives the value of an expression in a state. Raises UsageError. The
        function raises Undefined or UsageError where the expression has no value."""

    def judge(self, name: str, state: State, before: State | None) -> Truth:
        """Return whether a property holds in a state, or of the step to it from the state before. Raises
        UsageError for a property that has no value in a state."""

    def as_json(self, value: Any) -> Any:
        """Return a value as plain JSON."""


class ProtocolReading:
    """A reading of a protocol in Python: its own terms."""

    def __init__(self, loaded: Loaded, machine: ProtocolMachine) -> None:
        self.definition, self.vocabulary = loaded.definition, loaded.vocabulary
        self._machine = machine
        self._read = Reader()
        self._properties = {one.name: one for one in self.definition.properties}
        self.claims: Mapping[str, Claim] = {
            **{name: _claim(one) for name, one in self._properties.items()},
            **{
                one.name: Claim(one.name, "temporal", one.description, one.default, of_state=False)
                for one in self.definition.temporal
            },
        }

    def evaluate(self, text: str) -> Callable[[State], Any]:
        """Return the function that gives the value of an expression in a state. Raises UsageError."""
        read = self._read(term_of(read_python(self.definition, text, self.vocabulary)))

        def value(state: State) -> Any:
            try:
                return read(dict(zip(self.definition.variables, state, strict=True)))
            except Undefined:
                raise UsageError(f"the expression {text!r} reads what has no value in this state") from None

        return value

    def judge(self, name: str, state: State, before: State | None) -> Truth:
        """Return whether a property holds in a state, or of the step to it."""
        name = own_name(name, list(self.claims))
        claim = _find_claim(self.claims, name, self.definition.name)
        if claim.of_step and before is None:
            raise UsageError(f"{name} is about a step: take one, or name the state before it")
        formula, now = self._properties[name].formula, self._concrete(state)
        reading = ConcreteReading(now)
        if claim.of_step and before is not None:
            if before == state:
                return Truth(True)
            reading = ConcreteReading(self._concrete(before), now)
        return _judge_term(Explainer(reading, self.definition.presentation.first_index), formula)

    def _concrete(self, state: State) -> dict[str, Any]:
        return {n: concrete(value) for n, value in zip(self._machine.variables, state, strict=True)}

    def as_json(self, value: Any) -> Any:
        """Return a value as plain JSON."""
        return protocol_json(value)


def _judge_term(explainer: Explainer, formula: Term) -> Truth:
    reading = explainer.reading
    undefined = reading.find_undefined_read([formula], {})
    if undefined is not None:
        term, bindings = undefined
        return Truth(None, (), f"{explainer.part(term, bindings).formula} has no value")
    if reading.holds(formula, {}):
        return Truth(True)
    return Truth(False, tuple(one.part for one in explainer.failures(formula)))


def _claim(one: Property) -> Claim:
    of_step = one.kind is PropertyKind.STEP_INVARIANT
    of_state = one.kind in (PropertyKind.INVARIANT, PropertyKind.TYPE_INVARIANT, PropertyKind.REACHABLE)
    return Claim(one.name, one.kind.value, one.description, one.default, of_step, of_state or of_step)


def _find_claim(claims: Mapping[str, Claim], name: str, spec: str) -> Claim:
    if name not in claims:
        raise make_unknown_name_error(f"property of {spec}", name, claims)
    if not claims[name].of_state:
        words = "has no value in a single state; the request check decides it"
        raise UsageError(f"{name} ({claims[name].kind}) {words}")
    return claims[name]


class ModuleReading:
    """A reading of a TLA+ module: the interpreter's."""

    def __init__(self, loaded: Loaded, machine: ModuleMachine, file: Path) -> None:
        self.spec, self._folder, self._name = machine.spec, file.parent, loaded.definition.name
        kinds = {one.name: one for one in loaded.definition.properties}
        self.claims: Mapping[str, Claim] = {
            **{name: _claim(kinds[name]) for name in self.spec.invariants if name in kinds},
            **{
                name: Claim(name, "property", of_step=bool(one.steps), of_state=bool(one.always or one.steps))
                for name, one in self.spec.properties.items()
            },
        }

    def evaluate(self, text: str) -> Callable[[State], Any]:
        """Return the function that gives the value of an expression in a state. Raises UsageError."""
        formula = read_tla(self.spec, self._folder, text)
        compute = self.spec.evaluator.compile_value(formula.body, formula.module)

        def value(state: State) -> Any:
            try:
                return self._in_state(state, lambda: materialize(compute()))
            except UndefinedInModule as error:
                raise UndefinedInModule(place_in_text(error.place), error.words) from None

        return value

    def _in_state(self, state: State, work: Callable[[], T], after: State | None = None) -> T:
        evaluator = self.spec.evaluator
        evaluator.now[:] = state
        evaluator.next[:] = [UNSET] * len(state) if after is None else after
        return work()

    def judge(self, name: str, state: State, before: State | None) -> Truth:
        """Return whether a property, or an operator of the module, holds in a state or of the step to it."""
        if name in self.spec.invariants:
            return self._judge([self.spec.invariants[name]], state)
        if name not in self.spec.properties:
            return self._judge([formula_named(self.spec, name, list(self.claims))], state)
        _find_claim(self.claims, name, self._name)
        safety = self.spec.properties[name]
        truth = self._judge(list(safety.always), state)
        if truth.holds is not True or not safety.steps:
            return truth
        if before is None:
            raise UsageError(f"{name} is about a step: take one, or name the state before it")
        return self._judge(list(safety.steps), before, state)

    def _judge(self, formulas: list[Formula], state: State, after: State | None = None) -> Truth:
        evaluator = self.spec.evaluator
        try:
            for one in formulas:
                test = evaluator.compile_truth(one.body, one.module)
                if not self._in_state(state, test, after):
                    parts = false_parts(self.spec, [one], state, after)
                    return Truth(False, tuple(map(make_failing_part, parts)))
        except (UndefinedInModule, NoValue) as error:
            return Truth(None, (), str(error))
        return Truth(True)

    def as_json(self, value: Any) -> Any:
        """Return a value as plain JSON."""
        return module_json(value, self.spec.evaluator.order)


def make_reading(loaded: Loaded, machine: Any) -> Reading:
    """Return the reading of a specification."""
    if isinstance(machine, ModuleMachine):
        return ModuleReading(loaded, machine, Path(loaded.spec))
    return ProtocolReading(loaded, machine)
