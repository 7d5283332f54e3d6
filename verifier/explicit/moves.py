"""Properties, guards and successors of many states at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.layout import Layout
from verifier.errors import UsageError
from verifier.explicit.compiled import Compiled, Program
from verifier.explicit.packing import WORD, Rows, lanes, places, to_slices, words_for
from verifier.system.model import Model
from verifier.system.transition_system import Instance

MOST_MOVES = 100_000
"""The most moves to compile. Each instance with each value of its free parameters is a move."""


@dataclass(frozen=True, eq=False)
class Move:
    """An instance with the bits of its free parameters fixed."""

    instance: Instance
    inputs: tuple[bool, ...]


@dataclass(frozen=True)
class _Update:
    """How a move changes rows: the bits that it sets and clears, and the bits that outputs give."""

    kept: Rows
    """One row: the bits that keep their old value."""
    ones: Rows
    """One row: the bits that become 1."""
    computed: tuple[tuple[int, slice, NDArray[np.uint64]], ...]
    """For each word of a row with computed bits: its number, the outputs, and the place of each output."""


@dataclass(frozen=True, eq=False)
class Look:
    """The evaluation of all outputs on some states. A mask is a slice with a bit per state."""

    rows: Rows
    values: Any
    """The outputs, each a slice; the successors are made of them."""
    failing: Mapping[str, NDArray[np.uint64]]
    """For each property the states in which it fails."""
    within: NDArray[np.uint64]
    """The states within the constraint."""
    deadlocked: NDArray[np.uint64]
    enabled: NDArray[np.uint64]
    """For each move the states in which it is enabled."""


@dataclass(frozen=True, eq=False)
class Successors:
    """The states after one move."""

    move: int
    sources: NDArray[np.intp]
    """For each successor the place of its predecessor."""
    rows: Rows


class Moves:
    """All moves of a model, compiled together with its properties."""

    def __init__(self, model: Model) -> None:
        self.model = model
        system = model.system
        self.bits = len(system.bits)
        self.words = words_for(self.bits)
        self._names = [prop.name for prop in system.properties]
        self._place = {bit: index for index, bit in enumerate(system.bits)}
        program = Program(system.bits)
        for term in (system.constraint, system.alive, *(prop.formula for prop in system.properties)):
            program.output(program.number(term))
        self._first_guard = 2 + len(self._names)
        grounded = list(self._grounded(program))
        for _, guard, _ in grounded:
            program.output(guard)
        self.moves = [move for move, _, _ in grounded]
        self._updates = [self._update(program, changed) for _, _, changed in grounded]
        self._compiled: Compiled = program.compile()

    def chunk(self, octets: int = 1 << 25) -> int:
        """How many states to evaluate at once, so that the outputs fit into this memory."""
        fitting = octets // (8 * max(1, self._compiled.outputs))
        return WORD * max(4, min(256, fitting))

    def look(self, rows: Rows) -> Look:
        """Evaluates properties, constraint and guards on states."""
        outputs = self._compiled(list(to_slices(rows, self.bits)))
        real = lanes(len(rows))
        guards = outputs[self._first_guard : self._first_guard + len(self.moves)]
        return Look(
            rows=rows,
            values=outputs,
            failing={name: ~holds & real for name, holds in zip(self._names, outputs[2:], strict=False)},
            within=outputs[0] & real,
            deadlocked=~outputs[1] & real,
            enabled=np.array(guards, np.uint64).reshape(len(guards), len(real)) & real,
        )

    def successors(self, look: Look) -> Iterator[Successors]:
        """The successors by each move that is enabled in some of the states."""
        for number in np.flatnonzero(look.enabled.any(axis=1)):
            sources = places(look.enabled[number])
            yield Successors(int(number), sources, self.after(look, int(number), sources))

    def after(self, look: Look, move: int, sources: NDArray[np.intp]) -> Rows:
        """The states after a move from the states at ``sources``. The move must be enabled in them."""
        update = self._updates[move]
        rows: Rows = look.rows[sources]
        rows &= update.kept
        rows |= update.ones
        if update.computed:
            word, lane = sources >> 6, (sources & 63).astype(np.uint64)
        for target, outputs, positions in update.computed:
            new = np.array(look.values[outputs])[:, word]
            new >>= lane
            new &= np.uint64(1)
            new <<= positions
            rows[:, target] |= np.bitwise_or.reduce(new, axis=0)
        return rows

    def _grounded(self, program: Program) -> Iterator[tuple[Move, int, dict[int, int]]]:
        """Each move whose guard is not constantly false, with the numbers of its guard and its new bits."""
        system, found = self.model.system, 0
        for instance in system.instances:
            for inputs in self._choices(instance):
                known = dict(zip(instance.inputs, inputs, strict=True))
                guard = program.number(instance.guard, known)
                if program.constant(guard) is False:
                    continue
                found += 1
                if found > MOST_MOVES:
                    raise UsageError(
                        f"{instance.label} is chosen too freely to enumerate: more than {MOST_MOVES:,} "
                        "instances and values of free parameters (verify bmc chooses them by the solver)"
                    )
                changed = {
                    self._place[bit]: program.number(term, known) for bit, term in instance.updates.items()
                }
                yield Move(instance, inputs), guard, changed

    def _choices(self, instance: Instance) -> Iterator[tuple[bool, ...]]:
        if not instance.inputs:
            yield ()
            return
        layout: Layout = self.model.free_layouts[instance.label]
        for codes in product(*([leaf.encode(value) for value in leaf.values] for leaf in layout.leaves)):
            yield tuple(bit for code in codes for bit in code)

    def _update(self, program: Program, changed: Mapping[int, int]) -> _Update:
        kept = np.full(self.words, ~np.uint64(0))
        ones = np.zeros(self.words, np.uint64)
        computed: dict[int, list[tuple[int, int]]] = {}
        for place, number in sorted(changed.items()):
            word, position = divmod(place, WORD)
            value = program.constant(number)
            if value is None and number == program.number(self.model.system.bits[place]):
                continue
            kept[word] &= ~np.uint64(1 << position)
            if value is None:
                computed.setdefault(word, []).append((position, number))
            elif value:
                ones[word] |= np.uint64(1 << position)
        parts = []
        for word, targets in computed.items():
            outputs = [program.output(number) for _, number in targets]
            positions = np.array([position for position, _ in targets], np.uint64)[:, np.newaxis]
            parts.append((word, slice(outputs[0], outputs[-1] + 1), positions))
        return _Update(kept, ones, tuple(parts))
