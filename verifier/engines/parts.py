"""Parts of a search: sets of executions in which some state bits have given values in given frames.

The parts of *k* choices are the 2^k ways to give *k* bits their values. An execution that has all the frames
of the choices is in exactly one part. A shorter execution may be in several parts. A depth that is closed in
every part is closed for the whole search.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from verifier.clauses.cnf import Clausifier
from verifier.clauses.structural_invariants import WALKS, initial_state, random_walks
from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.encodings.bits import conjunction, disjunction, negation
from verifier.solvers import Answer, open_solver
from verifier.system.transition_system import TransitionSystem

_SOLVER = "cadical"


@dataclass(frozen=True)
class Choice:
    """A state bit in a frame."""

    bit: str
    """Its symbol's name."""
    frame: int


@dataclass(frozen=True)
class Part:
    """One of the 2^k parts of k choices."""

    index: int
    """Its i-th binary digit, counted from the lowest, is the value of the i-th choice."""
    choices: tuple[Choice, ...]

    @property
    def whole_below(self) -> int:
        """The part contains all executions of fewer actions than this."""
        return min((choice.frame for choice in self.choices), default=sys.maxsize)

    def units(self, system: TransitionSystem, frame: int) -> list[int]:
        """The literals that hold in that frame, over the state bits."""
        place = {symbol.symbol_name(): number for number, symbol in enumerate(system.bits, 1)}
        return [
            place[choice.bit] if self.index >> digit & 1 else -place[choice.bit]
            for digit, choice in enumerate(self.choices)
            if choice.frame == frame
        ]


def choose(system: TransitionSystem, depth: int, parts: int) -> tuple[Choice, ...]:
    """Choices that split a search to that depth into at most so many parts (a power of two).

    The choices are bits of early frames that split random walks evenly: each further choice makes the entropy
    over all parts as large as possible. If the system has bits that no step turns off, such as the bits of
    counters, only these bits are chosen. Such a bit, on in one frame, is on in all later frames; off in one
    frame, it is off in all earlier frames. So the parts repeat less of each other's work.

    Measured on kip320: with early frames the parts repeat less work than with late frames. Bits that split
    random walks evenly split the time better than bits from which unit propagation derives most.
    """
    unrolling: Unrolling = unroll(system, Steps.SERIAL, symmetry=True)
    initial = initial_state(unrolling, _SOLVER)
    if initial is None:
        return ()
    history = random_walks(system, initial)
    everyone = (1 << WALKS) - 1
    growing = _growing(system) or range(len(system.bits))
    candidates = {
        Choice(system.bits[number].symbol_name(), frame): history[number] >> (frame * WALKS) & everyone
        for frame in range(max(depth // 5, 1), max(depth // 3 + 1, 2))
        if frame <= depth
        for number in growing
    }
    cells, chosen = [everyone], list[Choice]()
    while 2 ** (len(chosen) + 1) <= parts and candidates:
        best = max(candidates, key=lambda choice: _entropy(_split(cells, candidates[choice])))
        split = _split(cells, candidates.pop(best))
        if _entropy(split) <= _entropy(cells):
            break
        cells = split
        chosen.append(best)
    return tuple(chosen)


def _growing(system: TransitionSystem) -> list[int]:
    """The numbers of the bits that no step turns off."""
    cnf = Clausifier()
    for symbol in system.bits:
        cnf.declare(symbol)
    cnf.assert_term(system.valid)
    falls = [
        cnf.literal(
            disjunction(
                conjunction((instance.guard, symbol, negation(instance.updates[symbol])))
                for instance in system.instances
                if symbol in instance.updates
            )
        )
        for symbol in system.bits
    ]
    solver = open_solver(_SOLVER)
    try:
        solver.add_clauses(cnf.clauses)
        return [n for n, fall in enumerate(falls) if solver.solve([fall]) is Answer.UNSATISFIABLE]
    finally:
        solver.close()


def _split(cells: Sequence[int], by: int) -> list[int]:
    return [part for cell in cells for part in (cell & by, cell & ~by)]


def _entropy(cells: Sequence[int]) -> float:
    shares = [cell.bit_count() / WALKS for cell in cells if cell]
    return -sum(share * math.log2(share) for share in shares)
