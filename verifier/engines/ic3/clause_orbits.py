"""Blocked cubes with all their images, and the search for those that another one makes superfluous."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from verifier.engines.ic3.cubes import Cube, mask, negation


class BlockedCube(Protocol):
    """A blocked cube, of which all images are blocked, too."""

    cube: Cube
    level: int
    """The highest frame in which it is known to be blocked."""
    count: int
    """The number of its images."""

    @property
    def images(self) -> tuple[frozenset[int], ...]:
        """The cube and its images, each once."""


class Orbit:
    """A blocked cube and its images under the permutations. The first image represents the orbit."""

    def __init__(self, images: tuple[frozenset[int], ...], classes: frozenset[int]) -> None:
        self.images = images
        self.count = len(images)
        self.cube: Cube = tuple(images[0])
        """The representative."""
        self.masks = tuple(map(mask, images))
        self.outside = ~self.masks[0]
        """The bits that the representative's mask lacks: a part of the representative shares no bit with
        it."""
        self.classes = classes
        """The classes of its literals. All images have the same."""
        self.class_mask = mask(classes)
        self.level = 0
        """The highest frame in which it is known to be blocked."""

    @cached_property
    def clauses(self) -> list[list[int]]:
        """The clauses that exclude the images."""
        return [negation(image) for image in self.images]

    def subsumes(self, other: Orbit) -> bool:
        """True if an image excludes all that the other representative excludes. By symmetry the images then
        exclude all that the other orbit excludes."""
        return (
            len(other.cube) >= len(self.cube)
            and not self.class_mask & ~other.class_mask
            and any(not image & other.outside for image in self.masks)
        )


class OrbitIndex:
    """Orbits by the classes of their literals: what an orbit subsumes has all its classes."""

    def __init__(self) -> None:
        self._having: dict[int, dict[Orbit, None]] = {}

    def add(self, orbit: Orbit) -> None:
        """Adds an orbit."""
        for one in orbit.classes:
            self._having.setdefault(one, {})[orbit] = None

    def remove(self, orbit: Orbit) -> None:
        """Removes an orbit."""
        for one in orbit.classes:
            del self._having[one][orbit]

    def find_subsumed(self, orbit: Orbit) -> list[Orbit]:
        """The orbits that this one subsumes at their level, or above it."""
        having = [self._having.get(one, {}) for one in orbit.classes]
        rarest = min(having, key=len, default={})
        return [other for other in rarest if other.level <= orbit.level and orbit.subsumes(other)]
