"""Variables that no loop of an execution changes, although executions may change them.

If steps only set a bit, or only clear it, it is constant along a loop: no other step could undo a change. A
step that always changes such a bit is in no loop. So it is left out, and further bits may turn out to be
constant. The usual case is a counter that only grows. The effect of a step on the bits of a field is computed
for each value of this field, whatever the others are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, restrict_formula, restrict_formulas
from verifier.encodings.layout import Leaf
from verifier.system.model import Model
from verifier.system.transition_system import Instance


@dataclass
class _Effect:
    """The effect of an instance on a field."""

    sets: set[FNode] = field(default_factory=set)
    clears: set[FNode] = field(default_factory=set)
    changes: list[frozenset[FNode]] = field(default_factory=list)
    """For each value of the field with which the instance may be enabled, the bits that certainly change."""


def find_frozen_variables(model: Model) -> frozenset[str]:
    """The names of the state variables of which every bit is the same all along each loop."""
    effects = [list(_effects(instance, model.layout.leaves)) for instance in model.system.instances]
    frozen: set[FNode] = set()
    while True:
        possible = [one for one in effects if not any(_always_changes(effect, frozen) for effect in one)]
        sets = set().union(*(effect.sets for one in possible for effect in one))
        clears = set().union(*(effect.clears for one in possible for effect in one))
        unchanged = set(model.system.bits) - (sets & clears)
        if unchanged == frozen:
            break
        frozen = unchanged
    moving = {leaf.path[0] for leaf in model.layout.leaves if not frozen.issuperset(leaf.bits)}
    return frozenset(model.layout.sorts.keys() - moving)


def _effects(instance: Instance, leaves: Sequence[Leaf]) -> Iterator[_Effect]:
    for leaf in leaves:
        if any(bit in instance.updates for bit in leaf.bits):
            yield _effect(instance, leaf)


def _effect(instance: Instance, leaf: Leaf) -> _Effect:
    effect = _Effect()
    updates = [instance.updates.get(bit, bit) for bit in leaf.bits]
    for value in leaf.values:
        code = leaf.encode(value)
        known = _constants(leaf.bits, code)
        if restrict_formula(instance.guard, known) is FALSE:
            continue
        changed = []
        for bit, old, new in zip(leaf.bits, code, restrict_formulas(updates, known), strict=True):
            if old:
                effect.clears.update([bit] if new is not TRUE else [])
            else:
                effect.sets.update([bit] if new is not FALSE else [])
            if new is (FALSE if old else TRUE):
                changed.append(bit)
        effect.changes.append(frozenset(changed))
    return effect


def _constants(bits: Iterable[FNode], values: Iterable[bool]) -> Mapping[FNode, FNode]:
    return {bit: TRUE if value else FALSE for bit, value in zip(bits, values, strict=True)}


def _always_changes(effect: _Effect, frozen: set[FNode]) -> bool:
    return all(changed & frozen for changed in effect.changes)
