"""``results/stubborn-sets.md``: what a partial-order reduction would save on the built-in protocols.

Run ``python -m results.generators.stubborn_sets > results/stubborn-sets.md``. In each state only the enabled
moves of a stubborn set are taken. A set of moves is stubborn for a goal (a state where a property fails) if

1. it contains every move that can make some false part of the goal true;
2. it contains, with an enabled move, all moves that write a bit that this one reads or writes, or read a bit
   that it writes;
3. it contains, with a disabled move, all moves that write a bit of one false conjunct of its guard;
4. if deadlocks are sought, it contains an enabled move, if there is one.

Every way to the goal has a member of the set. The first one may come first: the way stays as long. So each
goal keeps its least depth, and no cycle needs care. The script checks this: it compares the depths of first
violations and the number of deadlocks with the full search, and ends with exit code 1 if they differ.

Moves depend on each other bit by bit. In each state, the false part with the fewest new writers is taken. A
fast exploration could only afford coarser sets, so the factors are upper bounds.

Source: Valmari 1991, doi:10.1007/3-540-53863-1_36; Schmidt 1999, doi:10.1007/3-540-48745-X_4 (properties).
"""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pysmt.fnode import FNode
from pysmt.operators import AND, NOT, OR
from tabulate import tabulate

from verifier.encodings.bits import negation
from verifier.encodings.elimination import split_conjunction
from verifier.explicit.compiled import Program
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Look, Moves
from verifier.explicit.packing import lanes, to_slices
from verifier.runs.validation.lanes import numbers_of
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import Model, build

CASES: Sequence[tuple[str, Mapping[str, int | str]]] = (
    ("rabbit-sac", {"queues": 3, "apps": 2}),
    ("rabbit-sac-restart", {"queues": 2, "apps": 2}),
    ("kip320", {"max_leader_epoch": 1, "log_size": 2, "max_records": 1}),
    ("pulsar-compaction", {"message_sent_limit": 2}),
    ("exactly-once", {"message_count": 1}),
    ("bookkeeper", {"bookies": 2, "write_quorum": 2, "losses": "none"}),
)
_MOST_STATES = 60_000

Mask: TypeAlias = int
"""A set of moves: a bit for each."""
Truths: TypeAlias = "NDArray[np.bool_]"
"""The truth of each part of goals and guards in one state."""


@dataclass(frozen=True)
class Part:
    """A formula that a way to the goal may have to make true."""

    output: int
    writers: Mask
    """The moves that write one of its bits."""


@dataclass(frozen=True)
class Junction:
    """A goal with parts: all of them must be true, or (``any_of``) one."""

    any_of: bool
    parts: tuple[Goal, ...]


Goal: TypeAlias = "Part | Junction"


class StubbornSets:
    """Chooses a stubborn set in each state, for some properties of a model, or for deadlocks."""

    def __init__(self, moves: Moves, properties: Sequence[str], *, deadlocks: bool) -> None:
        self._moves, self._deadlocks = moves, deadlocks
        system = moves.model.system
        self._bits = frozenset(system.bits)
        self._program = Program(system.bits)
        self._writers: dict[FNode, Mask] = {}
        readers: dict[FNode, Mask] = {}
        touched = []
        for number, move in enumerate(moves.moves):
            instance = move.instance
            written = frozenset(instance.updates)
            read = self._free(instance.guard).union(*map(self._free, instance.updates.values()))
            touched.append((written, read))
            for bit in written:
                self._writers[bit] = self._writers.get(bit, 0) | 1 << number
            for bit in read:
                readers[bit] = readers.get(bit, 0) | 1 << number
        self._conflicts = [
            _union(self._writers.get(bit, 0) | (readers.get(bit, 0) if bit in written else 0) for bit in both)
            for written, read in touched
            for both in [written | read]
        ]
        self._guards = [tuple(self._make_guard(number)) for number in range(len(moves.moves))]
        self._goals = [self._make_goal(system.property_named(one).formula, False) for one in properties]
        self._compiled = self._program.compile()

    def find_truths(self, look: Look) -> NDArray[np.bool_]:
        """Return the truth of each part, in each state of a level."""
        count = len(look.rows)
        size = len(lanes(count))
        outputs = self._compiled(list(to_slices(look.rows, max(1, self._moves.bits))))
        words = np.array([np.broadcast_to(np.asarray(one, np.uint64), (size,)) for one in outputs], np.uint64)
        return list_bits(words.reshape(len(outputs), size), count)

    def choose(self, enabled: Mask, truths: Truths) -> Mask:
        """Return the enabled members of a stubborn set."""
        chosen = 0
        for goal in self._goals:
            needed = _find_needed(goal, truths, chosen)
            if needed is None:  # the property fails here, and the search goes on for others
                return enabled
            chosen = self._close(chosen | needed, enabled, truths)
        if self._deadlocks and not chosen & enabled:
            closed = [self._close(chosen | 1 << move, enabled, truths) for move in numbers_of(enabled)]
            chosen = min(closed, key=lambda one: (one & enabled).bit_count(), default=0)
        return chosen & enabled

    def _close(self, chosen: Mask, enabled: Mask, truths: Truths) -> Mask:
        done = 0
        while rest := chosen & ~done:
            first = rest & -rest
            done |= first
            number = first.bit_length() - 1
            if enabled & first:
                chosen |= self._conflicts[number]
                continue
            false = [part.writers for part in self._guards[number] if not truths[part.output]]
            chosen |= min(false, key=lambda writers: (writers & ~chosen).bit_count())
        return chosen

    def _free(self, term: FNode) -> frozenset[FNode]:
        return frozenset(term.get_free_variables()) & self._bits

    def _make_part(self, term: FNode, known: Mapping[FNode, bool]) -> Part:
        local = self._program.number_known_variables(known)
        output = self._program.output(self._program.number(term, local))
        return Part(output, _union(self._writers.get(bit, 0) for bit in self._free(term)))

    def _make_guard(self, number: int) -> Iterator[Part]:
        move = self._moves.moves[number]
        known = dict(zip(move.instance.inputs, move.inputs, strict=True))
        for conjunct in split_conjunction(move.instance.guard):
            yield self._make_part(conjunct, known)

    def _make_goal(self, term: FNode, truth: bool) -> Goal:
        """Return the goal that a formula has a truth value."""
        kind = term.node_type()
        if kind == NOT:
            return self._make_goal(term.args()[0], not truth)
        if kind in (AND, OR):
            parts = tuple(self._make_goal(one, truth) for one in term.args())
            return Junction((kind == OR) == truth, parts)
        return self._make_part(term if truth else negation(term), {})


def _find_needed(goal: Goal, truths: Truths, chosen: Mask) -> Mask | None:
    """Return moves of which every way to the goal takes one; None if the goal is reached."""
    if isinstance(goal, Part):
        return None if truths[goal.output] else goal.writers
    needed = [_find_needed(part, truths, chosen) for part in goal.parts]
    missing = [one for one in needed if one is not None]
    if goal.any_of:
        return _union(missing) if len(missing) == len(needed) else None
    return min(missing, key=lambda one: (one & ~chosen).bit_count(), default=None)


def _union(masks: Iterator[Mask] | Sequence[Mask]) -> Mask:
    union = 0
    for mask in masks:
        union |= mask
    return union


def list_bits(words: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Return rows of slices as rows of truth values, one for each state."""
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=count).view(np.bool_)


@dataclass
class Counts:
    """The figures of a search."""

    states: int = 0
    deadlocks: int = 0
    depths: dict[str, int] = field(default_factory=dict)
    """For each property the least number of steps to a state in which it fails."""


def search(moves: Moves, chooser: StubbornSets | None) -> Counts | None:
    """Explore all states, or those of a reduced search; None if there are more than 60,000."""
    level, counts = initial_states(moves.model.system), Counts()
    seen = set(map(bytes, level))
    depth = 0
    while len(level):
        if len(seen) > _MOST_STATES:
            return None
        look = moves.look(level)
        counts.deadlocks += int(np.bitwise_count(look.deadlocked).sum())
        for name, failing in look.failing.items():
            if failing.any():
                counts.depths.setdefault(name, depth)
        enabled = list_bits(look.enabled, len(level))
        if chooser is not None:
            enabled &= _choose_moves(chooser, enabled, chooser.find_truths(look))
        new = []
        for move in np.flatnonzero(enabled.any(axis=1)):
            for row in moves.after(look, int(move), np.flatnonzero(enabled[move])):
                if bytes(row) not in seen:
                    seen.add(bytes(row))
                    new.append(row)
        level = np.array(new, np.uint64).reshape(-1, moves.words)
        depth += 1
    counts.states = len(seen)
    return counts


def _choose_moves(
    chooser: StubbornSets, enabled: NDArray[np.bool_], truths: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    chosen = np.zeros_like(enabled)
    packed = np.packbits(enabled, axis=0, bitorder="little")
    for state in range(enabled.shape[1]):
        mask = int.from_bytes(packed[:, state].tobytes(), "little")
        for move in numbers_of(chooser.choose(mask, truths[:, state])):
            chosen[move, state] = True
    return chosen


def compare(model: Model) -> Iterator[tuple[str, int, int, bool]]:
    """Yield for each property, and for deadlocks: its name, the states of the full and of the reduced search,
    and whether both found the same."""
    moves = Moves(model)
    full = search(moves, None)
    assert full is not None, "more states than this script counts"
    for name in [prop.name for prop in model.system.properties]:
        reduced = search(moves, StubbornSets(moves, [name], deadlocks=False))
        assert reduced is not None
        yield name, full.states, reduced.states, full.depths.get(name) == reduced.depths.get(name)
    reduced = search(moves, StubbornSets(moves, [], deadlocks=True))
    assert reduced is not None
    yield "deadlock", full.states, reduced.states, full.deadlocks == reduced.deadlocks


def main() -> None:
    """Print the table as Markdown; end with exit code 1 if a reduced search found something else."""
    table, wrong = [], []
    for spec, constants in CASES:
        at = ", ".join(f"{name}={value}" for name, value in constants.items())
        for name, full, reduced, same in compare(build(define(load(spec)(constants)))):
            table.append([spec, at, name, full, reduced, f"{full / max(1, reduced):.2f}"])
            wrong += [] if same else [f"{spec} {name}"]
            print(*table[-1], file=sys.stderr)
    print("# What a partial-order reduction would save\n")
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    print(f"`python -m results.generators.stubborn_sets` on {datetime.date.today()}, {versions}.\n")
    print("The states that remain if each state takes only the enabled moves of a stubborn set, for one")
    print("property at a time. The sets are the finest that can be told from bits (see the docstring).")
    print("Least depths of violations and numbers of deadlocks were compared with the full search.\n")
    print(tabulate(table, headers=["spec", "constants", "property", "states", "reduced", "factor"],
                   tablefmt="github"))  # fmt: skip
    for one in wrong:
        print(f"\n**wrong**: {one}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
