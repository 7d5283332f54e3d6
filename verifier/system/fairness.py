"""Fairness conditions of a model: which instances take a demanded step, and where such a step is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pysmt.fnode import FNode

from verifier.encodings.bits import conjunction, disjunction
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.elimination import exists_over
from verifier.errors import UsageError, make_unknown_name_error
from verifier.specs.definition import Definition
from verifier.specs.temporal import NO_FAIRNESS, SPEC_FAIRNESS, Fairness, Strength, Taken
from verifier.system.model import CutOff, Model
from verifier.system.same_steps import SameSteps, changes
from verifier.system.transition_system import Instance


@dataclass(frozen=True, eq=False)
class Condition:
    """One fairness condition: a step of one of the instances that changes the state."""

    name: str
    strength: Strength
    instances: tuple[int, ...]
    """By their place among the system's instances."""
    possible: FNode
    """The states in which such a step can be taken."""
    cut_off: FNode
    """The states in which it is disabled only because it would leave a sort, or make an undefined read."""
    family: Fairness
    """The family of the condition."""
    values: tuple[Concrete, ...] = ()
    """The values of the parameters in ``each`` of the family."""

    @property
    def enabled(self) -> FNode:
        """Return the states in which such a step may be possible: TLA+'s ``ENABLED <A>_vars``, which ignores
        sorts. Nothing is fair only because a step was cut off."""
        return disjunction((self.possible, self.cut_off))


def conditions_named(definition: Definition, name: str) -> tuple[Fairness, ...]:
    """The fairness conditions under a name. Raises UsageError for an unknown one."""
    variants = {SPEC_FAIRNESS: (), NO_FAIRNESS: ()} | {v.name: v.conditions for v in definition.fairness}
    if name not in variants:
        raise make_unknown_name_error(f"fairness of {definition.name}", name, variants)
    return variants[name]


def conditions_of(base: Model, fairness: Fairness) -> Iterator[Condition]:
    """Yield the conditions of a family, each with its instances. Raises UsageError if fairness mentions a
    parameter that is not expanded."""
    families: dict[tuple[Concrete, ...], _Members] = {}
    if fairness.steps is not None:
        families[()] = _Members()
    key_of = _key_of(fairness)
    for number, instance in enumerate(base.system.instances):
        if (key := key_of(instance)) is not None:
            families.setdefault(key, _Members()).instances.append(number)
    for cut in base.cut_off:
        if (key := key_of(cut)) is not None:
            families.setdefault(key, _Members()).cut_off.append(cut.when)
    for key, members in families.items():
        name = _condition_name(fairness, dict(zip(fairness.each, key, strict=True)))
        possible, cut_off = _possible(base, members.instances), disjunction(members.cut_off)
        taking = tuple(members.instances)
        yield Condition(name, fairness.strength, taking, possible, cut_off, fairness, key)


@dataclass
class _Members:
    """The subject of one condition of a family."""

    instances: list[int] = field(default_factory=list)
    cut_off: list[FNode] = field(default_factory=list)


def _key_of(fairness: Fairness) -> Callable[[Instance | CutOff], tuple[Concrete, ...] | None]:
    """The key of the condition to which an instance belongs; None if it belongs to none."""
    given, steps = dict(fairness.given), fairness.steps

    def make_key(one: Instance | CutOff) -> tuple[Concrete, ...] | None:
        if fairness.actions and one.action not in fairness.actions:
            return None
        for name in (*fairness.each, *given):
            if name not in one.parameters:
                words = f"{fairness}: {name} of {one.action} is chosen freely at these constants"
                raise UsageError(f"{words}, so there is no instance for each of its values")
        if any(one.parameters[name] != value for name, value in given.items()):
            return None
        return tuple(one.parameters[name] for name in fairness.each)

    return make_key if steps is None else _make_key(steps)


def _make_key(steps: Sequence[Taken]) -> Callable[[Instance | CutOff], tuple[Concrete, ...] | None]:
    """The key where the instances are listed: they belong to one condition."""
    wanted: dict[str, list[Mapping[str, Concrete]]] = {}
    for step in steps:
        wanted.setdefault(step.action, []).append(dict(step.given))

    def key_if_listed(one: Instance | CutOff) -> tuple[Concrete, ...] | None:
        meant = any(
            all(one.parameters.get(name) == value for name, value in given.items())
            for given in wanted.get(one.action, ())
        )
        return () if meant else None

    return key_if_listed


def _possible(base: Model, numbers: Sequence[int]) -> FNode:
    """Return the states in which one of the instances may be taken and changes the state."""
    instances = [base.system.instances[number] for number in numbers]
    return disjunction(exists_over(conjunction((one.guard, changes(one))), one.inputs) for one in instances)


def _condition_name(fairness: Fairness, values: Mapping[str, Concrete]) -> str:
    """``weak fairness of Subscribe with app = a1, queue = q2``."""
    one = replace(fairness, each=())
    shown = ", ".join(f"{name} = {show(value)}" for name, value in values.items())
    return f"{one}{' with ' if shown and not fairness.given else ', ' if shown else ''}{shown}"


def steps_of(base: Model, condition: Condition, same: SameSteps) -> dict[int, FNode]:
    """Return for each instance, by its place, the formula that its step is one of the condition's.

    Whether a step is one is a question about the state before and the state after, whatever its name is."""
    own = set(condition.instances)
    steps = {}
    for number, instance in enumerate(base.system.instances):
        taken = changes(instance)
        if number not in own:
            ways = disjunction(same.when(number, other) for other in condition.instances)
            taken = conjunction((taken, ways))
        if not taken.is_false():
            steps[number] = taken
    return steps
