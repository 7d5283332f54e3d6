"""Instances up to permutations of interchangeable elements: one stands for all its images.

The action terms of a checked symmetry tell no element from another (``system.declared_symmetry``), so
renaming the elements in an instance's parameters gives the instance that does the same to a renamed state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verifier.encodings.concrete import Concrete
from verifier.encodings.renaming import Renaming, rename_value
from verifier.encodings.sorts import IndexSet, Sort
from verifier.specs.definition import Definition
from verifier.system.transition_system import Instance, TransitionSystem


@dataclass(frozen=True)
class Image:
    """An instance as the image of another under a permutation of elements."""

    instance: int
    of: int
    renaming: Renaming


class NoImage(Exception):
    """An instance is not what renaming elements in another should have made of it."""


def list_images(definition: Definition, system: TransitionSystem) -> tuple[Image, ...]:
    """Return every instance as the image of a representative, which is the image of itself.

    Checked: each renaming is a permutation that moves no pinned element, and gives the parameters.
    Raises NoImage if that fails, which is an error in here.
    """
    sorts = {
        action.name: {p.symbol.name: p.symbol.sort for p in action.parameters if not p.free}
        for action in definition.actions
    }
    first: dict[tuple[str, tuple[Concrete, ...]], int] = {}
    images = []
    for index, instance in enumerate(system.instances):
        ordering = _first_named_first(system, instance)
        key = (instance.action, tuple(_parameters(sorts[instance.action], instance, ordering)))
        representative = first.setdefault(key, index)
        back = _compose(_first_named_first(system, system.instances[representative]), ordering)
        image = Image(index, representative, back)
        _check(sorts[instance.action], system, image)
        images.append(image)
    return tuple(images)


def instance_representatives(definition: Definition, system: TransitionSystem) -> tuple[int, ...]:
    """An instance of each orbit."""
    if not system.symmetries:  # and instances may be of no action of the protocol
        return tuple(range(len(system.instances)))
    return tuple(image.instance for image in list_images(definition, system) if image.instance == image.of)


def _first_named_first(system: TransitionSystem, instance: Instance) -> Renaming:
    """The permutation that gives elements the places in which the instance names them."""
    renaming: dict[IndexSet, dict[Concrete, Concrete]] = {}
    for symmetry in system.symmetries:
        named = dict.fromkeys(element for sort, element in instance.mentions if sort == symmetry.sort)
        order = [*named, *(element for element in symmetry.movable if element not in named)]
        renaming[symmetry.sort] = dict(zip(order, symmetry.movable, strict=True))
    return renaming


def _parameters(sorts: Mapping[str, Sort], instance: Instance, renaming: Renaming) -> list[Concrete]:
    return [rename_value(sort, instance.parameters[name], renaming) for name, sort in sorts.items()]


def _compose(one: Renaming, inverted: Renaming) -> Renaming:
    """First ``one``, then the inverse of the other."""
    inverse = {sort: {new: old for old, new in pairs.items()} for sort, pairs in inverted.items()}
    return {sort: {old: inverse[sort][new] for old, new in pairs.items()} for sort, pairs in one.items()}


def _check(sorts: Mapping[str, Sort], system: TransitionSystem, image: Image) -> None:
    instance, representative = system.instances[image.instance], system.instances[image.of]
    permutes = all(
        set(pairs) == set(pairs.values()) == set(symmetry.sort.each()) - symmetry.pinned
        for symmetry in system.symmetries
        for pairs in (image.renaming[symmetry.sort],)
    )
    given = _parameters(sorts, representative, image.renaming)
    if (
        not permutes
        or instance.action != representative.action
        or given != list(instance.parameters.values())
    ):
        raise NoImage(f"{instance.label} is not an image of {representative.label}")
