"""Steps that queries found. They answer queries without the solver.

A query of relative induction fails because of a step into the cube from a state outside it. The same step
answers later queries, too, so steps are kept, with their states as columns: one long integer for each state
bit, with a bit of its own for each step. Whether a known step leads into a cube takes a few operations on
long integers, a tenth of a query's time.

Only a solver says that a cube is blocked. What is kept here can only tell that it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifier.engines.ic3.cubes import Cube
from verifier.symmetry.bit_permutations import Permutation

_BATCH = 32
"""The number of steps that become columns at once."""
_MOST = 1 << 14
"""The number of steps from which the older half is forgotten."""
MOST_IMAGES = 8
"""The limit of images of a cube that are tried. With 120 permutations, all of them take longer than a
query."""
_DIGITS = bytes.maketrans(b"\x00\x01", b"01")


@dataclass(frozen=True)
class Predecessor:
    """A state, and a step from it into a cube."""

    bits: Sequence[int]
    """The values of the state bits, 0 or 1."""
    step: int
    """The index of the instance that makes the step."""
    inputs: tuple[bool, ...]
    into: Cube
    number: int = 0
    """Predecessors with the same number have the same state and step."""

    @property
    def state(self) -> tuple[int, ...]:
        """One literal for each state bit."""
        return tuple([bit if on else -bit for bit, on in enumerate(self.bits, 1)])


@dataclass(frozen=True)
class Step:
    """A step of an instance."""

    before: Sequence[bool]
    after: Sequence[bool]
    instance: int
    inputs: tuple[bool, ...]
    frame: int
    """A frame that the state before is in."""


class KnownSteps:
    """Steps, and for each frame those that begin in it. The permutations must keep the frames."""

    def __init__(self, bits: int, permutations: Sequence[Permutation]) -> None:
        self._permutations = permutations[:MOST_IMAGES]
        self._steps: list[Step] = []
        self._forgotten = 0
        self._before = self._after = [0] * (bits + 1)
        """For each state bit, in which steps it is set before, and in which after."""
        self._begin_in: list[int] = []
        self._waiting: list[Step] = []
        """Steps that are no columns yet."""
        self._excluded: list[tuple[Sequence[frozenset[int]], range]] = []
        """The cubes excluded since the first of them came."""

    def open_frame(self) -> None:
        """Adds a frame, which all states are in."""
        self._begin_in.append((1 << len(self._steps)) - 1)

    def into(self, cube: Cube, frame: int) -> Predecessor | None:
        """A state of the frame, outside the cube, and a step from it into the cube. The cube may also be an
        image of the given one. None if no such step is known."""
        beginning = self._begin_in[frame]
        if not beginning:
            return None
        for permutation in self._permutations:
            image = move(cube, permutation)
            is_within = _within(self._after, image, beginning)
            if is_within:
                is_within &= ~_within(self._before, image, is_within)
            if is_within:
                place = is_within.bit_length() - 1
                return self._predecessor(self._steps[place], place, image)
        return None

    def add(self, step: Step, cube: Cube) -> Predecessor:
        """Keeps a step into the cube."""
        predecessor = self._predecessor(step, len(self._steps) + len(self._waiting), cube)
        self._waiting.append(step)
        if len(self._waiting) == _BATCH:
            self._take_in()
        return predecessor

    def exclude(self, cubes: Sequence[frozenset[int]], frames: range) -> None:
        """Note that no state of the cubes is in the frames."""
        if self._waiting:
            self._excluded.append((cubes, frames))
        _leave(self._before, self._begin_in, cubes, frames)

    def _predecessor(self, step: Step, place: int, cube: Cube) -> Predecessor:
        return Predecessor(step.before, step.instance, step.inputs, cube, self._forgotten + place)

    def _take_in(self) -> None:
        """Makes columns of the steps that wait."""
        waiting, place = self._waiting, len(self._steps)
        before = _columns([step.before for step in waiting])
        after = _columns([step.after for step in waiting])
        begin_in = [
            sum(1 << number for number, step in enumerate(waiting) if step.frame <= frame)
            for frame in range(len(self._begin_in))
        ]
        for cubes, frames in self._excluded:
            _leave(before, begin_in, cubes, frames)
        self._before = _join_bits(self._before, before, place)
        self._after = _join_bits(self._after, after, place)
        self._begin_in = _join_bits(self._begin_in, begin_in, place)
        self._steps += waiting
        self._waiting, self._excluded = [], []
        if len(self._steps) >= _MOST:
            self._forget(_MOST // 2)

    def _forget(self, oldest: int) -> None:
        del self._steps[:oldest]
        self._forgotten += oldest
        self._before, self._after, self._begin_in = (
            [column >> oldest for column in columns]
            for columns in (self._before, self._after, self._begin_in)
        )


def move(cube: Cube, permutation: Permutation) -> Cube:
    """The image of a cube."""
    return tuple([permutation[v] if v > 0 else -permutation[-v] for v in cube])


def _columns(rows: Sequence[Sequence[bool]]) -> list[int]:
    """Return for each variable, from 1 on, the rows in which it is set. The first row is the lowest bit."""
    digits = (bytes(column).translate(_DIGITS) for column in zip(*reversed(rows), strict=True))
    return [0, *(int(column, 2) for column in digits)]


def _join_bits(old: Sequence[int], new: Sequence[int], place: int) -> list[int]:
    return [one | other << place for one, other in zip(old, new, strict=True)]


def _within(columns: Sequence[int], cube: Iterable[int], among: int) -> int:
    """Return the steps whose state is in the cube."""
    for literal in cube:
        among &= columns[literal] if literal > 0 else ~columns[-literal]
        if not among:
            break
    return among


def _leave(before: Sequence[int], begin_in: list[int], cubes: Iterable[Iterable[int]], frames: range) -> None:
    """Steps from states of the cubes do not begin in the frames."""
    among = begin_in[frames[-1]]  # lower frames have no other states
    inside = 0
    for cube in cubes:
        inside |= _within(before, cube, among)
    if inside:
        for frame in frames:
            begin_in[frame] &= ~inside
