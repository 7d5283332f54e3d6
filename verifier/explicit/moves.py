"""Properties, guards and successors of many states at once."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.elimination import possible_choices
from verifier.encodings.layout import Layout
from verifier.errors import UsageError
from verifier.explicit.compiled import Compiled, Program
from verifier.explicit.packing import WORD, Rows, lanes, places, to_slices, words_for
from verifier.system.model import Model
from verifier.system.transition_system import Instance

MOST_MOVES = 100_000
"""The most moves to compile. Each instance with each value of its free parameters is a move."""
_MOST_TRIED = 1 << 20
"""The most values of free parameters to try. One that makes the guard false in every state is no move."""


@dataclass(frozen=True, eq=False)
class Move:
    """An instance with the bits of its free parameters fixed."""

    instance: Instance
    inputs: tuple[bool, ...]


@dataclass(frozen=True)
class Update:
    """The effect of a move on rows: the bits that it sets and clears, and the bits that outputs determine."""

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


class Transitions:
    """The effect of each move on states, and the states in which properties fail: arrays and compiled
    terms, without
    the model. It can be pickled, so that other processes need neither the protocol nor its terms."""

    def __init__(
        self,
        bits: int,
        names: Sequence[str],
        actions: Sequence[str],
        updates: Sequence[Update],
        compiled: Compiled,
    ) -> None:
        """``names`` are those of the properties; ``actions`` has that of each move."""
        self.bits = bits
        self.words = words_for(bits)
        self.actions = tuple(actions)
        self.names = tuple(names)
        self.updates = tuple(updates)
        self.compiled = compiled

    def alone(self) -> Transitions:
        """The transitions without the model."""
        return Transitions(self.bits, self.names, self.actions, self.updates, self.compiled)

    @property
    def digest(self) -> str:
        """A hash of all that decides which states follow which."""
        parts = hashlib.sha256(self.compiled.source.encode())
        for update in self.updates:
            parts.update(update.kept.tobytes() + update.ones.tobytes())
            for word, outputs, positions in update.computed:
                parts.update(f"{word} {outputs.start} {outputs.stop} ".encode() + positions.tobytes())
        parts.update(repr((self.bits, self.names, self.actions)).encode())
        return parts.hexdigest()

    def chunk(self, octets: int = 1 << 25) -> int:
        """Return the number of states to evaluate at once, so that the outputs fit into this memory."""
        fitting = octets // (8 * max(1, self.compiled.outputs))
        return WORD * max(4, min(256, fitting))

    def look(self, rows: Rows) -> Look:
        """Evaluates properties, constraint and guards on states."""
        outputs = self.compiled(list(to_slices(rows, max(1, self.bits))))
        real = lanes(len(rows))
        first = 2 + len(self.names)
        guards = outputs[first : first + len(self.updates)]
        return Look(
            rows=rows,
            values=outputs,
            failing={name: ~holds & real for name, holds in zip(self.names, outputs[2:], strict=False)},
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
        update = self.updates[move]
        rows: Rows = look.rows.take(sources, axis=0)
        rows &= update.kept
        rows |= update.ones
        if update.computed:
            word, lane = sources >> 6, (sources & 63).astype(np.uint64)
        for target, outputs, positions in update.computed:
            new = np.array(look.values[outputs]).take(word, axis=1)
            new >>= lane
            new &= np.uint64(1)
            new <<= positions
            rows[:, target] |= np.bitwise_or.reduce(new, axis=0)
        return rows


class Moves(Transitions):
    """All moves of a model, compiled together with its properties."""

    def __init__(self, model: Model) -> None:
        self.model = model
        system = model.system
        names = [prop.name for prop in system.properties]
        self._place = {bit: index for index, bit in enumerate(system.bits)}
        program = Program(system.bits)
        for term in (system.constraint, system.alive, *(prop.formula for prop in system.properties)):
            program.output(program.number(term))
        grounded = list(self._ground(program))
        for _, guard, _ in grounded:
            program.output(guard)
        self.moves = [move for move, _, _ in grounded]
        actions = [move.instance.action for move in self.moves]
        words = words_for(len(system.bits))
        updates = [self._update(program, words, changed) for _, _, changed in grounded]
        super().__init__(len(system.bits), names, actions, updates, program.compile())

    def _ground(self, program: Program) -> Iterator[tuple[Move, int, dict[int, int]]]:
        """Each move whose guard is not constantly false, with the numbers of its guard and its new bits."""
        system, count, tried = self.model.system, 0, 0
        for instance in system.instances:
            tried += self._count_of_choices(instance)
            if tried > _MOST_TRIED:
                raise _too_free(instance)
            possible = possible_choices(instance.guard, instance.inputs)
            for inputs in self._choices(instance):
                if possible is not None and inputs not in possible:
                    continue
                known = program.number_known_variables(dict(zip(instance.inputs, inputs, strict=True)))
                guard = program.number(instance.guard, known)
                if program.constant(guard) is False:
                    continue
                count += 1
                if count > MOST_MOVES:
                    raise _too_free(instance)
                changed = {
                    self._place[bit]: program.number(term, known) for bit, term in instance.updates.items()
                }
                yield Move(instance, inputs), guard, changed

    def _count_of_choices(self, instance: Instance) -> int:
        """Return the number of combined values of the free parameters."""
        if not instance.inputs:
            return 1
        return math.prod(len(leaf.values) for leaf in self.model.free_layouts[instance.label].leaves)

    def _choices(self, instance: Instance) -> Iterator[tuple[bool, ...]]:
        if not instance.inputs:
            yield ()
            return
        layout: Layout = self.model.free_layouts[instance.label]
        for codes in product(*([leaf.encode(value) for value in leaf.values] for leaf in layout.leaves)):
            yield tuple(bit for code in codes for bit in code)

    def _update(self, program: Program, words: int, changed: Mapping[int, int]) -> Update:
        kept = np.full(words, ~np.uint64(0))
        ones = np.zeros(words, np.uint64)
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
        return Update(kept, ones, tuple(parts))


def _too_free(instance: Instance) -> UsageError:
    return UsageError(
        f"{instance.label} is chosen too freely to enumerate: more than {MOST_MOVES:,} instances and values "
        "of free parameters (verify bmc chooses them by the solver)"
    )
