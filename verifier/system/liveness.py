"""A temporal property under fairness, read as a question about fair loops of a transition system.

A counterexample is a lasso: a stem to a loop that is repeated forever. The negation of the property becomes
a disjunction of goals, and the model gets the bits that they speak of (``temporal_reading``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pysmt.fnode import FNode

from verifier.encodings.bits import conjunction
from verifier.encodings.layout import Layout
from verifier.encodings.sorts import Boolean
from verifier.specs.definition import PropertyKind
from verifier.specs.temporal import Fairness, TemporalProperty
from verifier.system.fairness import Condition, conditions_of
from verifier.system.model import Model
from verifier.system.partial_reads import PartialRead, nowhere_undefined
from verifier.system.support import Support
from verifier.system.temporal_bits import Guess, Monitor, Promise, Watch
from verifier.system.temporal_reading import Goal, Reader
from verifier.system.transition_system import Instance, SafetyProperty


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
    """The states in which all reads of the property have values. Elsewhere it is not claimed to fail."""
    guesses: bool
    """True if the future is guessed. Then a wrong guess may disable an instance of the model that is enabled
    in the base model, and conditions say where."""
    remembers: bool
    """True if bits record the past. A loop is closed only if they are also as before."""


def live_model(
    base: Model, prop: TemporalProperty, fairness: str, conditions: Sequence[Fairness]
) -> LiveModel:
    """The property under these fairness conditions. Raises UsageError if it has too many ways to fail, or
    if fairness speaks of a parameter that is not expanded."""
    reader = Reader(base)
    goals = reader.goals(prop)
    model = _with_reads(_add_bits(base, reader.watches), reader.undefined)
    fair = tuple(one for condition in conditions for one in conditions_of(base, condition))
    read = nowhere_undefined(reader.undefined)
    guesses = any(isinstance(watch, Promise) for watch in reader.watches)
    remembers = any(isinstance(watch, Monitor) and watch.changes for watch in reader.watches)
    return LiveModel(base, model, prop, fairness, goals, fair, read, guesses, remembers)


def _add_bits(base: Model, watches: Mapping[Watch, FNode]) -> Model:
    """The model with the bits. Symmetry is left out: they and goals may name elements."""
    added = {own.symbol_name(): Boolean() for own in watches.values()}
    layout = Layout({**base.layout.sorts, **added})
    support = Support(layout)
    free = dict(base.free_layouts)
    instances = []
    for number, instance in enumerate(base.system.instances):
        inputs = _choices(base, instance, watches)
        if inputs is not None:
            free[instance.label] = inputs
        instances.append(_watching(instance, number, watches, inputs, support))
    changing = [(watch, own) for watch, own in watches.items() if not isinstance(watch, Guess)]
    first = (watch.begins(own) for watch, own in changing)
    always = (watch.fits(own) for watch, own in changing)
    system = replace(
        base.system,
        leaves=layout.leaves,
        bits=layout.bits,
        valid=conjunction((base.system.valid, *always)),
        init=conjunction((base.system.init, *first)),
        instances=tuple(instances),
        symmetries=(),
    )
    return replace(base, layout=layout, system=system, free_layouts=free)


def _choices(base: Model, instance: Instance, watches: Mapping[Watch, FNode]) -> Layout | None:
    """The inputs of the instance: its own, and a guess for each promise; None where nothing is guessed."""
    promised = [own for watch, own in watches.items() if isinstance(watch, Promise)]
    if not promised:
        return None
    own = base.free_layouts[instance.label].sorts if instance.inputs else {}
    return Layout({**own, **{f"{instance.label}.{one.symbol_name()}": Boolean() for one in promised}})


def _watching(
    instance: Instance,
    number: int,
    watches: Mapping[Watch, FNode],
    inputs: Layout | None,
    support: Support,
) -> Instance:
    """The instance, which also sets the bits to what they say in the new state."""
    updates, guards = dict(instance.updates), [instance.guard]
    guesses = iter(() if inputs is None else inputs.bits[len(instance.inputs) :])
    for watch, own in watches.items():
        match watch:
            case Monitor():
                updates[own] = watch.after(own, number, updates)
            case Promise():
                updates[own], allowed = watch.after(own, number, updates, next(guesses))
                guards.append(allowed)
    guard = conjunction(guards)
    return replace(
        instance,
        guard=guard,
        updates=updates,
        inputs=instance.inputs if inputs is None else inputs.bits,
        reads=support.leaves((guard, *updates.values())),
        writes=support.leaves(updates),
        mentions=(),
        names=(),
    )


def _with_reads(model: Model, reads: Sequence[PartialRead]) -> Model:
    """Return the model in which ``UndefinedRead`` concerns the temporal property, and no other property."""
    model = model.asking(())
    if not reads:
        return model
    undefined = (*model.undefined, *reads)
    kept = (prop for prop in model.system.properties if prop.kind is not PropertyKind.UNDEFINED_READ)
    title = model.definition.titles.undefined_read
    nowhere = SafetyProperty(title, PropertyKind.UNDEFINED_READ, nowhere_undefined(undefined), False)
    system = replace(model.system, properties=(*kept, nowhere))
    return replace(model, undefined=undefined, system=system)
