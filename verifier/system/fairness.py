"""Fairness conditions of a model: which instances take a demanded step, and where such a step is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pysmt.fnode import FNode

from verifier.encodings.bits import conjunction, disjunction, equivalence, negation
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.elimination import exists_over
from verifier.errors import UsageError, unknown_name
from verifier.specs.definition import Definition
from verifier.specs.temporal import NO_FAIRNESS, SPEC_FAIRNESS, Fairness, Strength, Taken
from verifier.system.model import Model
from verifier.system.transition_system import Instance


@dataclass(frozen=True, eq=False)
class Condition:
    """One fairness condition: a step of one of the instances that changes the state."""

    name: str
    strength: Strength
    instances: tuple[int, ...]
    """By their place among the system's instances."""
    enabled: FNode
    """Where such a step is possible: TLA+'s ``ENABLED <A>_vars``."""
    family: Fairness
    """What it is one condition of."""
    values: tuple[Concrete, ...] = ()
    """The values of the parameters in ``each`` of the family."""


def conditions_named(definition: Definition, name: str) -> tuple[Fairness, ...]:
    """The fairness conditions under a name. Raises UsageError for an unknown one."""
    variants = {SPEC_FAIRNESS: (), NO_FAIRNESS: ()} | {v.name: v.conditions for v in definition.fairness}
    if name not in variants:
        raise unknown_name(f"fairness of {definition.name}", name, variants)
    return variants[name]


def conditions_of(base: Model, fairness: Fairness) -> Iterator[Condition]:
    """The conditions of a family, each with its instances. Raises UsageError if fairness speaks of a
    parameter that is not expanded."""
    if fairness.steps is not None:
        taking = _taking(base, fairness.steps)
        yield Condition(str(fairness), fairness.strength, taking, _enabled(base, taking), fairness)
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
        enabled = _enabled(base, numbers)
        yield Condition(name, fairness.strength, tuple(numbers), enabled, fairness, key)


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


def changes(instance: Instance) -> FNode:
    """Whether taking the instance changes the state."""
    return disjunction(negation(equivalence(old, new)) for old, new in instance.updates.items())


def alike(instance: Instance, other: Instance) -> FNode:
    """Whether the other instance can be taken, and leads where the first one does."""
    bits = dict.fromkeys((*instance.updates, *other.updates))
    same = (equivalence(instance.updates.get(bit, bit), other.updates.get(bit, bit)) for bit in bits)
    found: FNode = exists_over(conjunction((other.guard, *same)), other.inputs)
    return found


def steps_of(base: Model, condition: Condition) -> dict[int, FNode]:
    """For each instance (by its place) when it takes a step that is one of the condition's.

    Whether a step is one is a question about the state before and the state after, whatever its name is."""
    own = set(condition.instances)
    found = {}
    for number, instance in enumerate(base.system.instances):
        ways = (
            () if number in own else (alike(instance, base.system.instances[other]) for other in sorted(own))
        )
        taken = changes(instance)
        if number not in own:
            taken = conjunction((taken, disjunction(ways)))
        if not taken.is_false():
            found[number] = taken
    return found
