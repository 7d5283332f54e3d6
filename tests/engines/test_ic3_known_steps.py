"""Steps that IC3 keeps are steps, and begin where they are said to begin."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pytest

from tests.support.models import build
from verifier.engines.ic3 import known_steps
from verifier.engines.ic3.cubes import Cube, images
from verifier.engines.ic3.frames import Frames
from verifier.engines.ic3.known_steps import KnownSteps, Predecessor, Step
from verifier.engines.ic3.problem import problem
from verifier.kernels.building import load_queries
from verifier.specs.kafka.kip320 import Kip320
from verifier.symmetry.bit_permutations import Permutation, bit_permutations
from verifier.trust.replay import Replayer

BITS = 4
PERMUTATIONS: list[Permutation] = [(0, 1, 2, 3, 4), (0, 2, 1, 4, 3)]
State = tuple[bool, ...]


@dataclass
class _Plain:
    """A plain version of ``KnownSteps``, step by step."""

    steps: list[tuple[State, State, set[int]]]
    frames: int = 0

    def open_frame(self) -> None:
        for _, _, frames in self.steps:
            frames.add(self.frames)
        self.frames += 1

    def add(self, step: Step) -> None:
        frames = set(range(step.frame, self.frames))
        self.steps.append((tuple(step.before), tuple(step.after), frames))

    def exclude(self, cubes: Iterable[Iterable[int]], frames: range) -> None:
        for cube in cubes:
            for before, _, in_frames in self.steps:
                if _inside(before, cube):
                    in_frames.difference_update(frames)

    def into(self, cube: Cube, frame: int, of: int) -> bool:
        return any(
            frame in frames and _inside(after, image) and not _inside(before, image)
            for before, after, frames in self.steps[:of]
            for image in images(cube, PERMUTATIONS)
        )


def _inside(state: Sequence[bool], cube: Iterable[int]) -> bool:
    return all(state[abs(literal) - 1] == (literal > 0) for literal in cube)


def _cube(rng: random.Random) -> Cube:
    bits = rng.sample(range(1, BITS + 1), rng.randint(1, 3))
    return tuple(rng.choice((bit, -bit)) for bit in bits)


@pytest.mark.parametrize("seed", range(40))
def test_known_steps_are_those_of_a_plain_list(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if clauses come while steps wait to become columns, and clauses move to later frames."""
    monkeypatch.setattr(known_steps, "_BATCH", 4)
    rng, known, plain = random.Random(seed), KnownSteps(BITS, PERMUTATIONS), _Plain([])
    excluded: list[tuple[tuple[frozenset[int], ...], int]] = []
    for _ in range(2):
        known.open_frame()
        plain.open_frame()
    for _ in range(120):
        match rng.randrange(8):
            case 0 if plain.frames < 6:
                known.open_frame()
                plain.open_frame()
            case 1:
                cubes, level = images(_cube(rng), PERMUTATIONS), rng.randrange(1, plain.frames)
                excluded.append((cubes, level))
                known.exclude(cubes, range(1, level + 1))
                plain.exclude(cubes, range(1, level + 1))
            case 2 if excluded:
                cubes, level = excluded.pop(rng.randrange(len(excluded)))
                if level + 1 < plain.frames:
                    excluded.append((cubes, level + 1))
                    known.exclude(cubes, range(level + 1, level + 2))
                    plain.exclude(cubes, range(level + 1, level + 2))
                else:
                    excluded.append((cubes, level))
            case 3 | 4 | 5:
                before, after = (tuple(rng.random() < 0.5 for _ in range(BITS)) for _ in range(2))
                # The lowest frame that no clause excludes it from.
                frame = max(
                    (level + 1 for cubes, level in excluded if any(_inside(before, c) for c in cubes)),
                    default=1,
                )
                if frame < plain.frames:
                    step = Step(before, after, 0, (), rng.randrange(frame, plain.frames))
                    known.add(step, ())
                    plain.add(step)
            case _:
                cube, frame = _cube(rng), rng.randrange(1, plain.frames)
                found = known.into(cube, frame)
                columns = len(plain.steps) // 4 * 4
                assert (found is not None) == plain.into(cube, frame, columns)
                if found is not None:
                    _is_right(found, cube, frame, plain)


def _is_right(found: Predecessor, cube: Cube, frame: int, plain: _Plain) -> None:
    before, after, frames = plain.steps[found.number]
    assert frozenset(found.into) in images(cube, PERMUTATIONS)
    assert tuple(found.bits) == before
    assert frame in frames
    assert _inside(after, found.into)
    assert not _inside(before, found.into)


def test_old_steps_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_steps, "_BATCH", 1)
    monkeypatch.setattr(known_steps, "_MOST", 4)
    known = KnownSteps(3, [(0, 1, 2, 3)])
    known.open_frame()
    for number in range(4):
        after = tuple(bool(number >> bit & 1) for bit in range(3))
        assert known.add(Step((False, False, True), after, number, (), 0), ()).number == number
    assert known.into((-1, -2, -3), 0) is None
    found = known.into((1, 2, -3), 0)
    assert found is not None
    assert (found.number, found.step) == (3, 3)


@pytest.mark.parametrize("compiled", [True, False])
def test_what_frames_know_is_a_step_from_the_frame_into_the_image(compiled: bool) -> None:
    """A step of an image of the cube is not one into the cube, so a predecessor names its cube."""
    model = build(Kip320({"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}))
    functions = load_queries() if compiled else None
    frames = Frames(problem(model.system, "StrongIsr"), bit_permutations(model), functions=functions)
    frames.open_frame()
    frames.open_frame()
    rng, replayer, seen, images_met = random.Random(1), Replayer(model), 0, 0
    bits = range(1, frames.problem.bits + 1)
    for _ in range(1500):
        cube = tuple(rng.choice((bit, -bit)) for bit in sorted(rng.sample(bits, 2)))
        if frames.initial_state_in(cube) is not None:
            continue
        queries = frames.queries
        if frames.core_at(cube, 2) is None:
            found = frames.predecessor()
            seen += queries == frames.queries
            images_met += set(found.into) != set(cube)
            assert not _inside(list(map(bool, found.bits)), found.into)
            instance = model.system.instances[found.step]
            after = replayer.successor(list(map(bool, found.bits)), instance, found.inputs)
            assert after is not None
            assert _inside(after, found.into)
    assert seen
    assert images_met
