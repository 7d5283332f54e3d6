"""Mutants of the reductions: each lacks the condition that makes it sound.

``python -m tests.support.reduction_mutants SEEDS`` prints for each after how many random protocols it was
noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.support import naive_comparisons as differential
from tests.support.models import build
from tests.support.naive import Explored, Naive
from tests.support.naive_comparisons import Complaints, Subject
from tests.support.random_plans import Plan
from tests.support.random_protocols import random_protocol
from verifier.clauses import structural_invariants as structural
from verifier.clauses import unrolling as unroll
from verifier.clauses.unrolling import Clauses, Steps
from verifier.encodings.renaming import Renaming, rename_bits
from verifier.encodings.sorts import Bag, Function, Option, Sort
from verifier.explicit import arrangements, keys, table
from verifier.specs.definition import Definition
from verifier.specs.protocol import Protocol
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.system.declared_symmetry import Named, _within, check_symmetry, list_mentioned
from verifier.system.transition_system import Instance, Symmetry

Compare = Callable[[Subject], Complaints]
Disturbs = Callable[[Instance, Instance], bool]


@dataclass(frozen=True)
class Mutant:
    """A reduction without its condition."""

    name: str
    reduction: str
    patches: tuple[tuple[str, Any], ...]
    """The replacements, by dotted names."""
    checks: tuple[Compare, ...]
    """The checks that should detect it."""

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Within this the verifier is the mutant."""
        started = [patch(where, what) for where, what in self.patches]
        for each in started:
            each.start()
        try:
            yield
        finally:
            for each in reversed(started):
                each.stop()


@cache
def _prepare(seed: int) -> tuple[Plan, Protocol, Explored]:
    """Return a protocol and its true answers."""
    subject = differential.subject_of(seed)
    return subject.plan, random_protocol(seed)[1], subject.truth


def count_until_noticed(mutant: Mutant, seeds: Sequence[int]) -> int | None:
    """After how many of the protocols that are compared the mutant is noticed; None: it is not."""
    for compared, seed in enumerate(seeds, 1):
        prepared = _prepare(seed)
        if any(_complaints(mutant, seed, *prepared)):
            unchanged = replace(mutant, patches=())
            assert not any(_complaints(unchanged, seed, *prepared)), (
                f"seed {seed} is wrong without the mutant"
            )
            return compared
    return None


def _complaints(mutant: Mutant, seed: int, plan: Plan, protocol: Protocol, truth: Explored) -> Complaints:
    with mutant.at_work():
        try:
            model = build(protocol)
            subject = Subject(seed, plan, model, Naive(model.definition), truth)
            for compare in mutant.checks:
                yield from compare(subject)
        except Exception as error:  # noqa: BLE001  # an internal error is noticed, too
            yield repr(error)


# Where a mutant should be noticed


def serial(subject: Subject) -> Complaints:
    """One instance a step, with symmetry."""
    return differential.by_searching(subject, Steps.SERIAL, True)


def serial_alone(subject: Subject) -> Complaints:
    """One instance a step, without symmetry."""
    return differential.by_searching(subject, Steps.SERIAL, False)


def parallel(subject: Subject) -> Complaints:
    """Several instances a step, without symmetry."""
    return differential.by_searching(subject, Steps.PARALLEL, False)


def explore(subject: Subject) -> Complaints:
    """All states."""
    return differential.by_exploring(subject, False)


def explore_by_orbits(subject: Subject) -> Complaints:
    """A state for each orbit."""
    return differential.by_exploring(subject, True)


def explore_by_keys(subject: Subject) -> Complaints:
    """A state for each orbit, found by sorting elements."""
    return differential.by_sorting_elements(subject)


def prove(subject: Subject) -> Complaints:
    """IC3, for every property."""
    for name in subject.names:
        yield from differential.by_ic3(subject, name)


def induct(subject: Subject) -> Complaints:
    """k-induction, for every property."""
    for name in subject.names:
        yield from differential.by_kinduction(subject, name)


# Naming in order


class _EvenWhereTheSameInstanceNamesIt(unroll._Mentions):
    """The element before must be older even where the instance names that, too."""

    def _require(
        self, index: int, instance: Instance, place: Mapping[Any, int], predecessor: Mapping[int, int]
    ) -> None:
        for number in dict.fromkeys(place[item] for item in instance.names):
            if number in predecessor:
                self.requirements.append((index, predecessor[number]))
            self.named_by[number].append(index)


class _LastFirst(unroll._Mentions):
    """Elements are named from the last one on, against the order of instances."""

    def _require(
        self, index: int, instance: Instance, place: Mapping[Any, int], predecessor: Mapping[int, int]
    ) -> None:
        successor = {before: after for after, before in predecessor.items()}
        super()._require(index, instance, place, successor)


def _without(kind: type[Sort]) -> Callable[..., Named]:
    """Mentions that do not look into sorts of a kind."""

    def holds(sort: Sort) -> bool:
        return isinstance(sort, kind) or any(map(holds, sort.parts()))

    def list_named(sort: Sort, value: Any, symmetries: tuple[Symmetry, ...]) -> Named:
        return () if holds(sort) else list_mentioned(sort, value, symmetries)

    return list_named


def _never_against_the_order(instances: Sequence[Instance], *_: Any) -> tuple[Named, ...]:
    """Nobody looks whether an exchanged instance stands earlier."""
    return tuple(instance.mentions for instance in instances)


# Swapping and parallel steps


def _succession(commute: Disturbs) -> Callable[..., Clauses]:
    def make_clauses(self: Any, firing: Sequence[int], stride: int) -> Clauses:
        if self.steps is Steps.PARALLEL:
            return []
        instances = self.system.instances
        return [
            [-firing[later], -(firing[earlier] + stride)]
            for later, second in enumerate(instances)
            for earlier, first in enumerate(instances[:later])
            if commute(first, second)
        ]

    return make_clauses


def _forbid_disturbed(touches: Callable[[Instance], Iterable[int]]) -> Callable[..., None]:
    def add_clauses(self: Any, firing: Sequence[int], order: Iterable[int]) -> None:
        written: dict[int, int] = {}
        for index in order:
            instance, fires = self.system.instances[index], firing[index]
            for leaf in touches(instance):
                if leaf in written:
                    self.cnf.clauses.append([-written[leaf], -fires])
            for leaf in instance.writes:
                now = self.cnf.fresh()
                self.cnf.clauses.append([-fires, now])
                if leaf in written:
                    self.cnf.clauses.append([-written[leaf], now])
                written[leaf] = now

    return add_clauses


# Symmetry


def _all_movable(definition: Definition) -> tuple[Symmetry, ...]:
    """Named elements are not pinned."""
    return tuple(replace(symmetry, pinned=frozenset()) for symmetry in check_symmetry(definition))


def _without_choose(definition: Definition) -> tuple[Symmetry, ...]:
    """Kinds that are chosen from in order count as interchangeable."""
    known = {symmetry.sort: symmetry for symmetry in check_symmetry(definition)}
    found = dict.fromkeys(part for symbol in definition.variables for part in _within(symbol.sort))
    return tuple(known.get(sort, Symmetry(sort, frozenset())) for sort in found)


def _one_variable_less(layout: Any, renaming: Renaming) -> Any:
    """A renaming that leaves the first leaf as it is."""
    return [layout.bits[0], *rename_bits(layout, renaming)[1:]]


def _permutations_of_all(model: Any) -> Any:
    """Permutations that move named elements, too."""
    symmetries = tuple(replace(symmetry, pinned=frozenset()) for symmetry in model.system.symmetries)
    return _TRUE_PERMUTATIONS(replace(model, system=replace(model.system, symmetries=symmetries)))


_TRUE_PERMUTATIONS = bit_permutations
_TRUE_WALK = arrangements.walk
_TRUE_CLASSES = keys.key_classes


def _first_step_only(blocks: Any) -> Any:
    return list(_TRUE_WALK(blocks))[:1]


def _keys_of_places(layout: Any, symmetries: Any, place: int) -> Any:
    """Keys that tell elements apart by their places."""
    classes = _TRUE_CLASSES(layout, symmetries, place)
    return replace(classes, single=np.roll(classes.single, 1, axis=0))


class _ByHash(table.StateTable):
    """Takes states with the same hash of few bits for the same."""

    def _first_slots(self, rows: Any) -> Any:
        return (table.hashes_of(rows) >> np.uint64(58)).astype(np.int64)

    def _differ(self, numbers: Any, others: Any) -> Any:
        hashes = self._first_slots(self._rows[: max(numbers.max(), others.max()) + 1])
        return np.flatnonzero(hashes[numbers] != hashes[others])


def _meets(one: frozenset[int], other: frozenset[int]) -> bool:
    return bool(one & other)


_BUILDER = "verifier.clauses.unrolling._UnrollingBuilder"
_SERIAL = (serial,)

MUTANTS = (
    Mutant(
        "an exchanged instance that stands later",
        "naming order",
        (("verifier.system.model.order_named", _never_against_the_order),),
        _SERIAL,
    ),
    Mutant(
        "predecessor older, though the instance names both",
        "naming order",
        (("verifier.clauses.unrolling._Mentions", _EvenWhereTheSameInstanceNamesIt),),
        _SERIAL,
    ),
    Mutant(
        "named from the last on, against the order of instances",
        "naming order",
        (("verifier.clauses.unrolling._Mentions", _LastFirst),),
        _SERIAL,
    ),
    Mutant(
        "mentions miss options",
        "naming order",
        (("verifier.system.model.list_mentioned", _without(Option)),),
        _SERIAL,
    ),
    Mutant(
        "mentions miss functions",
        "naming order",
        (("verifier.system.model.list_mentioned", _without(Function)),),
        _SERIAL,
    ),
    Mutant(
        "mentions miss bags",
        "naming order",
        (("verifier.system.model.list_mentioned", _without(Bag)),),
        _SERIAL,
    ),
    Mutant(
        "swapping without reads",
        "succession",
        ((f"{_BUILDER}._succession", _succession(lambda a, b: not _meets(a.writes, b.writes))),),
        (serial_alone,),
    ),
    Mutant(
        "swapping without the reads of the later",
        "succession",
        (
            (
                f"{_BUILDER}._succession",
                _succession(lambda a, b: not (_meets(a.writes, b.writes) or _meets(b.writes, a.reads))),
            ),
        ),
        (serial_alone,),
    ),
    Mutant(
        "swapping without writes",
        "succession",
        (
            (
                f"{_BUILDER}._succession",
                _succession(lambda a, b: not (_meets(a.writes, b.reads) or _meets(b.writes, a.reads))),
            ),
        ),
        (serial_alone,),
    ),
    Mutant(
        "parallel steps without reads",
        "parallel steps",
        ((f"{_BUILDER}._undisturbed", _forbid_disturbed(lambda instance: instance.writes)),),
        (parallel,),
    ),
    Mutant(
        "what walks saw is taken for inductive",
        "structural invariants",
        (
            (
                "verifier.clauses.structural_invariants._Inductiveness.inductive",
                lambda self, candidates: list(candidates),
            ),
        ),
        (serial_alone, induct),
    ),
    Mutant(
        "what two short walks saw is taken for inductive",
        "structural invariants",
        (
            (
                "verifier.clauses.structural_invariants._Inductiveness.inductive",
                lambda self, candidates: list(candidates),
            ),
            ("verifier.clauses.structural_invariants.WALKS", 2),
            ("verifier.clauses.structural_invariants._WALK_LENGTH", 5),
        ),
        (serial_alone, induct),
    ),
    Mutant(
        "images under permutations that move named elements",
        "images of clauses",
        (("verifier.engines.provers.bit_permutations", _permutations_of_all),),
        (prove,),
    ),
    Mutant(
        "representatives by a renaming that leaves a bit",
        "orbit representatives",
        (("verifier.explicit.orbits.rename_bits", _one_variable_less),),
        (explore_by_orbits,),
    ),
    Mutant(
        "a walk that leaves out permutations",
        "swaps in NumPy",
        (("verifier.explicit.orbits.walk", _first_step_only),),
        (explore_by_orbits,),
    ),
    Mutant(
        "an element is sorted by the key of another",
        "keys of elements",
        (("verifier.explicit.orbits.key_classes", _keys_of_places),),
        (explore_by_keys,),
    ),
    Mutant(
        "named elements move",
        "symmetry",
        (("verifier.system.model.check_symmetry", _all_movable),),
        (serial, explore_by_orbits),
    ),
    Mutant(
        "kinds that are chosen from in order are interchangeable",
        "symmetry",
        (("verifier.system.model.check_symmetry", _without_choose),),
        (serial, explore_by_orbits),
    ),
    Mutant(
        "states with one hash are one",
        "table of states",
        (("verifier.engines.explore.StateTable", _ByHash),),
        (explore,),
    ),
)


def main(count: int) -> None:
    """A line for each mutant."""
    assert structural.WALKS > 2
    for mutant in MUTANTS:
        after = count_until_noticed(mutant, range(count))
        said = "not noticed" if after is None else f"noticed by protocol {after}"
        print(f"{mutant.reduction}: {mutant.name}: {said}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
