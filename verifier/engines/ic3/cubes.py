"""Cubes: conjunctions of literals over the state bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.symmetry.bit_permutations import Permutation

Cube = tuple[int, ...]


def negation(cube: Iterable[int]) -> list[int]:
    """The clause that excludes the cube; of a clause, the cube that it excludes."""
    return [-literal for literal in cube]


def images(literals: Sequence[int], permutations: Iterable[Permutation]) -> tuple[frozenset[int], ...]:
    """The cube or clause under each permutation; equal images once."""
    moved = (frozenset(p[v] if v > 0 else -p[-v] for v in literals) for p in permutations)
    return tuple(dict.fromkeys(moved))


def mask(literals: Iterable[int]) -> int:
    """The set of literals as bits of an integer: parts and unions are then single operations."""
    bits = 0
    for literal in literals:
        bits |= 1 << (2 * literal if literal > 0 else 1 - 2 * literal)
    return bits


def literal_classes(bits: int, permutations: Sequence[Permutation]) -> dict[int, int]:
    """Return for each literal the least of its images, so that literals that are images of each other have
    the same.

    The permutations must be a group.
    """
    least = {v: min((p[v] for p in permutations), default=v) for v in range(1, bits + 1)}
    return least | {-v: -one for v, one in least.items()}
