"""The plan of a random protocol, decided by a seed before terms are made: elements, variables, parameters."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from tests.support.random_sorts import random_sort
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
)

_MOST_INSTANCES = 60
_KINDS = ("node", "client", "coordinator", "name", "replica")


_LISTED = (Listed(0, 2, 9), Listed((0, 0), (0, 1), (1, 1)), Listed("a", (True,), {"n": 1}))

ParameterPlan = tuple[str, Sort, bool]
"""A parameter's name, its sort, and whether it is free."""


@dataclass(frozen=True)
class Plan:
    """The decisions of a seed before terms are made."""

    seed: str
    kinds: Mapping[str, tuple[int, bool]]
    """For each kind of element how many there are, and whether they are interchangeable."""
    variables: Mapping[str, Sort]
    actions: tuple[tuple[ParameterPlan, ...], ...]
    """For each action its parameters."""
    undefined: bool
    """True if terms may make undefined reads."""
    constraint: bool
    naming: bool
    """True if terms may name interchangeable elements."""
    shape: str
    """``rich``: nested state; ``sparse``: actions read and write little, so that many commute; ``holding``:
    actions do something to the elements that a nested parameter holds."""

    def rng(self, salt: str) -> random.Random:
        """Randomness of its own for each place, the same whenever the place is read."""
        return random.Random(f"{self.seed} {salt}")

    @property
    def sorts(self) -> list[IndexSet]:
        """The index sets."""
        return [IndexSet(kind, count, symmetric) for kind, (count, symmetric) in self.kinds.items()]

    @property
    def features(self) -> frozenset[str]:
        """Return the features of this protocol that a version of the verifier may get wrong."""
        found = set()
        if len({kind[0] for kind in self.kinds}) < len(self.kinds):
            found.add("kinds with one first letter")
        if any(_has_bag(sort) for parameters in self.actions for _, sort, _ in parameters):
            found.add("bags as parameters")
        return frozenset(found)


def _has_bag(sort: Sort) -> bool:
    return isinstance(sort, Bag) or any(map(_has_bag, sort.parts()))


def plan_of(seed: str) -> Plan:
    """Return the decisions of this seed."""
    rng = random.Random(seed)
    kinds: dict[str, tuple[int, bool]] = {}
    for kind in rng.sample(_KINDS, rng.choice([1, 1, 2, 2, 2, 3])):
        largest = 4 if not kinds else 3
        kinds[kind] = (rng.choice([2, 3, 3, rng.randint(1, largest)]), rng.random() < 0.88)
    sorts = [IndexSet(kind, count, symmetric) for kind, (count, symmetric) in kinds.items()]
    enum = Enum("Colour", ("red", "green", "blue")[: rng.randint(2, 3)])
    atoms: list[Sort] = [*sorts, *sorts, enum, Range(0, 1), Range(0, 2), Boolean(), rng.choice(_LISTED)]
    shape = rng.choice(["rich", "rich", "sparse", "sparse", "holding"])
    return Plan(
        seed,
        kinds,
        _rich_sorts(rng, sorts, atoms) if shape == "rich" else _few_sorts(rng, sorts),
        _holders(rng, sorts) if shape == "holding" else _parameters(rng, sorts, atoms, shape == "sparse"),
        undefined=rng.random() < 0.25,
        constraint=rng.random() < 0.15,
        naming=rng.random() < 0.25,
        shape=shape,
    )


def _sets(rng: random.Random, sorts: list[IndexSet]) -> dict[str, Sort]:
    variables: dict[str, Sort] = {"done": Set(sorts[0])}
    if len(sorts) > 1 and rng.random() < 0.5:
        variables["used"] = Set(sorts[1])
    return variables


def _rich_sorts(rng: random.Random, sorts: list[IndexSet], atoms: list[Sort]) -> dict[str, Sort]:
    """Variables of nested sorts."""
    variables = _sets(rng, sorts)
    for number in range(rng.randint(1, 3)):
        variables[f"v{number}"] = random_sort(rng, atoms, rng.randint(1, 2), 600)
    if rng.random() < 0.4:
        variables["log"] = Sequence(rng.choice([*atoms[-3:], atoms[0]]), 2)
    if rng.random() < 0.6:
        variables["count"] = Range(0, rng.randint(1, 3))
    return variables


def _few_sorts(rng: random.Random, sorts: list[IndexSet]) -> dict[str, Sort]:
    """More variables, of small sorts."""
    kind = rng.choice(sorts)
    small: list[Sort] = [
        Boolean(),
        Boolean(),
        Range(0, 1),
        Range(0, 2),
        Option(kind),
        Function(kind, Boolean()),
    ]
    variables = _sets(rng, sorts)
    variables |= {f"v{number}": rng.choice(small) for number in range(rng.randint(2, 4))}
    return variables


def _holders(rng: random.Random, sorts: list[IndexSet]) -> tuple[tuple[ParameterPlan, ...], ...]:
    """For each action a parameter that holds elements, or one that is an element."""
    sort = random_sort(rng, [*sorts, *sorts, Range(0, 1)], rng.choice([1, 1, 2]), 30)
    if len(sorts) > 1 and rng.random() < 0.4:
        sort = Record(a=sorts[0], b=sorts[1])
    nested: tuple[ParameterPlan, ...] = (("one", sort, False),)
    element: tuple[ParameterPlan, ...] = (("one", rng.choice(sorts), False),)
    return (nested, element) if rng.random() < 0.5 else (nested,)


def _parameters(
    rng: random.Random, sorts: list[IndexSet], atoms: list[Sort], sparse: bool
) -> tuple[tuple[ParameterPlan, ...], ...]:
    actions: list[tuple[ParameterPlan, ...]] = []
    room = _MOST_INSTANCES
    for _ in range(rng.randint(3, 5) if sparse else rng.randint(2, 4)):
        parameters: list[ParameterPlan] = []
        size = 1
        for name in ("one", "two", "three")[: rng.choice([0, 1, 1, 2] if sparse else [0, 1, 1, 2, 2, 3])]:
            sort = rng.choice(sorts) if rng.random() < 0.5 else random_sort(rng, atoms, rng.randint(0, 2), 30)
            if size * sort.size <= min(room, 36):
                size *= sort.size
                parameters.append((name, sort, sort.size <= 8 and rng.random() < 0.1))
        room -= size
        actions.append(tuple(parameters))
    return tuple(actions)
