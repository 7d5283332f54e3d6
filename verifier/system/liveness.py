"""A temporal property under fairness, read as a question about fair loops of a transition system.

A counterexample is a lasso: a stem to a loop that is repeated for ever. The negation of the property becomes
a disjunction of goals. Each goal asks of a loop that it visits some states, and that it stays within others.
What a formula says of an execution's beginning is remembered by a few deterministic bits, the monitors:

- ``eventually P``: a bit says that P has held. The property holds where the bit is set again and again.
- ``P leads to Q``: a bit says that Q is still due. The property holds where it is clear again and again.
- ``initially P``: a bit says whether P held in the first state. The property holds where it is set.
- ``P ever after Q``: a bit says that P has held, another one that Q was false then. The property holds where
  the other one is clear.

So every temporal formula is a boolean combination of claims that something holds again and again. A monitor
does not change in a step that changes no state, because an execution may stutter anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    equivalence,
    exists_over,
    negation,
    restricted_all,
)
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.definedness import Definedness
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Term
from verifier.errors import UsageError, unknown_name
from verifier.specs.definition import UNDEFINED_READ, Definition, PropertyKind
from verifier.specs.temporal import (
    NO_FAIRNESS,
    SPEC_FAIRNESS,
    Fairness,
    Strength,
    Taken,
    TemporalFormula,
    TemporalOperator,
    TemporalProperty,
)
from verifier.system.model import Model, PartialRead, Support, nowhere_undefined
from verifier.system.transition_system import Instance, SafetyProperty

MOST_GOALS = 1000
"""The most goals that a negated property may have."""


@dataclass(frozen=True, eq=False)
class Goal:
    """What a loop must do to violate the property: visit a state of each of ``visits``, and stay within."""

    visits: tuple[FNode, ...]
    stays: FNode


@dataclass(frozen=True, eq=False)
class Condition:
    """One fairness condition: a step of one of the instances that changes the state."""

    name: str
    strength: Strength
    instances: tuple[int, ...]
    """By their place among the system's instances."""
    enabled: FNode
    """Where such a step is possible: TLA+'s ``ENABLED <A>_vars``."""


@dataclass(frozen=True, eq=False)
class LiveModel:
    """A temporal property under fairness, with the model that remembers what the property needs."""

    base: Model
    model: Model
    """The base model with the monitors. Its instances are those of the base model, in the same order."""
    property_: TemporalProperty
    fairness: str
    """The name of the fairness."""
    goals: tuple[Goal, ...]
    conditions: tuple[Condition, ...]
    read: FNode
    """Where all that the property reads has a value. Elsewhere it is not claimed to fail."""


@dataclass(frozen=True, eq=False)
class _Claim:
    """That a formula holds in infinitely many states, or in all from some state on."""

    formula: FNode
    always: bool

    def negated(self) -> _Claim:
        return _Claim(negation(self.formula), not self.always)


@dataclass(frozen=True, eq=False)
class _Monitor:
    """A bit that remembers. ``next_value`` is over the old bit and the formulas of the new state."""

    name: str
    first: FNode
    """Its value initially, over the state."""
    sets: FNode
    """The bit is set in a state where this holds."""
    keeps: FNode
    """It stays set in a state where this holds."""


@dataclass
class _Reader:
    """Reads a temporal formula: what it claims, the monitors that it needs, and where it reads nothing."""

    model: Model
    monitors: list[_Monitor] = field(default_factory=list)
    undefined: list[PartialRead] = field(default_factory=list)

    def __post_init__(self) -> None:
        lowered = self.model.layout.lowered
        self._lowering = Lowering({s: lowered[s.name] for s in self.model.definition.variables})
        self._definedness = Definedness(self._lowering)
        self._name = ""

    def goals(self, prop: TemporalProperty) -> tuple[Goal, ...]:
        """What loops violate the property."""
        self._name = prop.name
        found = []
        for claims in self._cases(prop.formula, {}, negated=True):
            stays = conjunction(claim.formula for claim in claims if claim.always)
            visits = tuple(dict.fromkeys(claim.formula for claim in claims if not claim.always))
            if stays is not FALSE and FALSE not in visits:
                found.append(Goal(tuple(visit for visit in visits if visit is not TRUE), stays))
        return tuple(found)

    def _cases(
        self, formula: TemporalFormula, bindings: Bindings, *, negated: bool
    ) -> list[tuple[_Claim, ...]]:
        """The formula, or its negation, as a disjunction of conjunctions."""
        operator = formula.operator
        if operator is TemporalOperator.NOT:
            return self._cases(formula.parts[0], bindings, negated=not negated)
        if formula.terms:
            claim = self._claim(formula, bindings)
            return [(claim.negated() if negated else claim,)]
        parts = [
            self._cases(part, values, negated=negated) for part, values in _parts(formula, bindings)
        ]
        is_conjunction = operator in (TemporalOperator.AND, TemporalOperator.FOR_EACH)
        if is_conjunction is not negated:
            count = 1
            for part in parts:
                count *= len(part)
                self._check(count)
            return [sum(choice, ()) for choice in product(*parts)]
        self._check(sum(map(len, parts)))
        return [case for part in parts for case in part]

    def _check(self, count: int) -> None:
        if count > MOST_GOALS:
            words = f"{self._name} has more than {MOST_GOALS} ways to fail"
            raise UsageError(f"{words}: state it as several properties, or at smaller constants")

    def _claim(self, formula: TemporalFormula, bindings: Bindings) -> _Claim:
        terms = [self._formula(term, bindings) for term in formula.terms]
        match formula.operator:
            case TemporalOperator.EVENTUALLY:
                return _Claim(self._monitor("has held", terms[0], TRUE), always=False)
            case TemporalOperator.LEADS_TO:
                open_ = negation(terms[1])
                due = self._monitor("is due", conjunction((terms[0], open_)), open_)
                return _Claim(negation(due), always=False)
            case TemporalOperator.EVENTUALLY_ALWAYS:
                return _Claim(terms[0], always=True)
            case TemporalOperator.INITIALLY:
                return _Claim(self._monitor("held at first", FALSE, TRUE, terms[0]), always=True)
            case TemporalOperator.EVER_AFTER:
                began = self._monitor("has begun", terms[0], TRUE)
                failed = self._monitor("failed", conjunction((began, negation(terms[1]))), TRUE)
                return _Claim(negation(failed), always=True)
        return _Claim(terms[0], always=False)

    def _formula(self, term: Term, bindings: Bindings) -> FNode:
        """What the term says; where it reads what has no value, it is reported instead."""
        unread = negation(self._definedness.of(term, bindings))
        if unread is not FALSE:
            place = f"the property {self._name}"
            self.undefined.append(PartialRead(place, (term,), bindings, (), unread))
        return self._lowering.formula(term, bindings)

    def _monitor(self, what: str, sets: FNode, keeps: FNode, first: FNode | None = None) -> FNode:
        """The bit of a monitor. It may speak of the bits of those before it."""
        name = f"{self._name} {len(self.monitors) + 1} {what}"
        self.monitors.append(_Monitor(name, sets if first is None else first, sets, keeps))
        bit: FNode = Layout({name: Boolean()}).bits[0]
        return bit


def _parts(formula: TemporalFormula, bindings: Bindings) -> Iterator[tuple[TemporalFormula, Bindings]]:
    if formula.binds is None:
        yield from ((part, bindings) for part in formula.parts)
    else:
        for value in formula.binds.sort.each():
            yield formula.parts[0], {**bindings, formula.binds: value}


def conditions_named(definition: Definition, name: str) -> tuple[Fairness, ...]:
    """The fairness conditions under a name. Raises UsageError for an unknown one."""
    variants = {SPEC_FAIRNESS: (), NO_FAIRNESS: ()} | {v.name: v.conditions for v in definition.fairness}
    if name not in variants:
        raise unknown_name(f"fairness of {definition.name}", name, variants)
    return variants[name]


def live_model(
    base: Model, prop: TemporalProperty, fairness: str, conditions: Sequence[Fairness]
) -> LiveModel:
    """The property under these fairness conditions. Raises UsageError if it has too many ways to fail, or
    if fairness speaks of a parameter that is not expanded."""
    reader = _Reader(base)
    goals = reader.goals(prop)
    model = _with_reads(_monitored(base, reader.monitors), reader.undefined)
    fair = tuple(one for condition in conditions for one in _conditions(base, condition))
    return LiveModel(base, model, prop, fairness, goals, fair, nowhere_undefined(reader.undefined))


def _monitored(base: Model, monitors: Sequence[_Monitor]) -> Model:
    """The model with a bit for each monitor. Symmetry is left out: monitors and goals may name elements."""
    layout = Layout({**base.layout.sorts, **{m.name: Boolean() for m in monitors}})
    bits = layout.bits[len(base.system.bits) :]
    support = Support(layout)
    instances = tuple(_watching(i, monitors, bits, support) for i in base.system.instances)
    first = (equivalence(bit, monitor.first) for bit, monitor in zip(bits, monitors, strict=True))
    system = replace(
        base.system,
        leaves=layout.leaves,
        bits=layout.bits,
        init=conjunction((base.system.init, *first)),
        instances=instances,
        symmetries=(),
    )
    return replace(base, layout=layout, system=system)


def _watching(
    instance: Instance, monitors: Sequence[_Monitor], bits: Sequence[FNode], support: Support
) -> Instance:
    """The instance, which also sets the monitors to what they remember in the new state."""
    updates = dict(instance.updates)
    for monitor, bit in zip(monitors, bits, strict=True):
        sets, keeps = restricted_all((monitor.sets, monitor.keeps), updates)
        updates[bit] = disjunction((sets, conjunction((keeps, bit))))
    return replace(
        instance,
        updates=updates,
        reads=support.leaves((instance.guard, *updates.values())),
        writes=support.leaves(updates),
        mentions=(),
        names=(),
    )


def _with_reads(model: Model, reads: Sequence[PartialRead]) -> Model:
    """The model in which ``UndefinedRead`` speaks of the temporal property, too, and of no other property."""
    model = model.asking(())
    if not reads:
        return model
    found = (*model.undefined, *reads)
    kept = (prop for prop in model.system.properties if prop.kind is not PropertyKind.UNDEFINED_READ)
    nowhere = SafetyProperty(UNDEFINED_READ, PropertyKind.UNDEFINED_READ, nowhere_undefined(found), False)
    system = replace(model.system, properties=(*kept, nowhere))
    return replace(model, undefined=found, system=system)


def changes(instance: Instance) -> FNode:
    """Whether taking the instance changes the state."""
    return disjunction(negation(equivalence(old, new)) for old, new in instance.updates.items())


def _conditions(base: Model, fairness: Fairness) -> Iterator[Condition]:
    """The conditions of a family, each with its instances."""
    if fairness.steps is not None:
        taking = _taking(base, fairness.steps)
        yield Condition(str(fairness), fairness.strength, taking, _enabled(base, taking))
        return
    given = dict(fairness.given)
    families: dict[tuple[Concrete, ...], list[int]] = {}
    for number, instance in enumerate(base.system.instances):
        if fairness.actions and instance.action not in fairness.actions:
            continue
        for name in (*fairness.each, *given):
            if name not in instance.parameters:
                words = f"{fairness}: {name} of {instance.action} is chosen freely at these constants"
                raise UsageError(f"{words}, so there is no instance for each of its values")
        if all(instance.parameters[name] == value for name, value in given.items()):
            key = tuple(instance.parameters[name] for name in fairness.each)
            families.setdefault(key, []).append(number)
    for key, numbers in families.items():
        name = _condition_name(fairness, dict(zip(fairness.each, key, strict=True)))
        yield Condition(name, fairness.strength, tuple(numbers), _enabled(base, numbers))


def _taking(base: Model, steps: Sequence[Taken]) -> tuple[int, ...]:
    """The instances that are meant."""
    wanted: dict[str, list[Mapping[str, Concrete]]] = {}
    for step in steps:
        wanted.setdefault(step.action, []).append(dict(step.given))
    return tuple(
        number
        for number, instance in enumerate(base.system.instances)
        if any(
            all(instance.parameters.get(name) == value for name, value in given.items())
            for given in wanted.get(instance.action, ())
        )
    )


def _enabled(base: Model, numbers: Sequence[int]) -> FNode:
    """Where one of the instances may be taken and changes the state."""
    instances = [base.system.instances[number] for number in numbers]
    return disjunction(exists_over(conjunction((one.guard, changes(one))), one.inputs) for one in instances)


def _condition_name(fairness: Fairness, values: Mapping[str, Concrete]) -> str:
    """``weak fairness of Subscribe with app = a1, queue = q2``."""
    one = replace(fairness, each=())
    shown = ", ".join(f"{name} = {show(value)}" for name, value in values.items())
    return f"{one}{' with ' if shown and not fairness.given else ', ' if shown else ''}{shown}"
