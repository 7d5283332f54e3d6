"""Parts of a search: sets of executions in which some state bits have given values in given frames.

The parts of *k* choices are the 2^k ways to give *k* bits their values. An execution that has all the frames
of the choices is in exactly one part. A shorter execution may be in several parts. A depth that is closed in
every part is closed for the whole search.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from verifier.clauses.cnf import Clausifier
from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.structural_invariants import WALKS, initial_state, random_walks, structural_invariants
from verifier.clauses.unrolling import Clauses, Steps, Unrolling, unroll
from verifier.encodings.bits import conjunction, disjunction, negation
from verifier.solvers import Answer, open_solver
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.system.model import Model
from verifier.system.transition_system import TransitionSystem

_SOLVER = "cadical"
_EVERYONE = (1 << WALKS) - 1
"""All random walks, a bit for each."""
_SHORTLIST = 4
"""The number of choices among which the solver decides. With more it takes longer, and did not find better
ones (kip320): a small depth says little about a large one."""
_SHORTEST = 2
"""The limit from the third choice on, since each has more parts."""
_SHORTLIST_OF_HALVES = 8
"""The limit where a part is split again: that was searched until its time was over, so looking is short."""
_MOST_EFFORT = 700_000
"""Propagations of a look ahead over all executions: about a tenth of a second."""


@dataclass(frozen=True)
class Choice:
    """A state bit in a frame."""

    bit: str
    """Its symbol's name."""
    frame: int

    def shrunk(self, depth: int, of: int) -> Choice:
        """The choice that is as far on in a search to ``depth`` as this one in a search to ``of``."""
        return Choice(self.bit, -(-self.frame * depth // of))


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

    def shrunk(self, depth: int, of: int) -> Part:
        """The part of a search to a small depth that stands for this one: its choices are as far on."""
        return Part(self.index, tuple(choice.shrunk(depth, of) for choice in self.choices))

    def units(self, system: TransitionSystem, frame: int) -> list[int]:
        """The literals that hold in that frame, over the state bits."""
        place = {symbol.symbol_name(): number for number, symbol in enumerate(system.bits, 1)}
        return [
            place[choice.bit] if self.index >> digit & 1 else -place[choice.bit]
            for digit, choice in enumerate(self.choices)
            if choice.frame == frame
        ]


def common_invariants(model: Model) -> Clauses:
    """Structural invariants of the whole search. Looking ahead assumes them, and so does each part, once it
    has shown that they are inductive, which takes less than to find them."""
    system = model.system
    whole = unroll(system, Steps.SERIAL, symmetry=False)
    return structural_invariants(system, whole, bit_permutations(model))


def choose(
    system: TransitionSystem,
    name: str,
    depth: int,
    parts: int,
    invariants: Clauses,
    needless: Callable[[], bool] = lambda: False,
) -> tuple[Choice, ...]:
    """Choices that split a search for a violation of that property, to that depth, into at most so many parts
    (a power of two). Once they are ``needless``, it returns some soon.

    The choices are bits of early frames. If the system has bits that no step turns off, such as the bits of
    counters, only these bits are chosen. Such a bit, on in one frame, is on in all later frames; off in one
    frame, it is off in all earlier frames. So the parts repeat less of each other's work. Of the bits that
    split random walks most evenly, each further choice is the one after which the solver closes a small depth
    with the least work in the parts (``LookAhead``).
    """
    candidates = _candidates(system, depth) if parts > 1 else {}
    if not candidates:
        return ()
    looking = LookAhead(system, name, depth, invariants)
    cells, chosen = [_EVERYONE], list[Choice]()
    while 2 ** (len(chosen) + 1) <= parts and not needless():
        entropy = {choice: _entropy(_split(cells, walks)) for choice, walks in candidates.items()}
        even = sorted((c for c in entropy if entropy[c] > _entropy(cells)), key=entropy.__getitem__)
        most = _SHORTLIST if len(chosen) < 2 else _SHORTEST
        few = looking.tell_apart(even, chosen)[-most:]
        if not few:
            break
        count = 2 ** (len(chosen) + 1)
        best = looking.best({c: [Part(i, (*chosen, c)) for i in range(count)] for c in few}, needless)
        cells = _split(cells, candidates.pop(best))
        chosen.append(best)
    return tuple(chosen)


def halves(
    system: TransitionSystem, name: str, depth: int, part: Part, invariants: Clauses
) -> tuple[Part, ...]:
    """The part as two, by one choice more; none if there is nothing to choose. Of the choices that split the
    random walks in the part most evenly, or where none does all walks, it takes the one that looks best."""
    candidates = _candidates(system, depth)
    cell = _EVERYONE
    for digit, choice in enumerate(part.choices):
        walks = candidates.pop(choice, 0)
        cell &= walks if part.index >> digit & 1 else ~walks
    shares = {
        choice: (_evenness(cell, walks), _evenness(_EVERYONE, walks)) for choice, walks in candidates.items()
    }
    even = sorted((choice for choice in shares if any(shares[choice])), key=shares.__getitem__)
    looking = LookAhead(system, name, depth, invariants)
    few = looking.tell_apart(even, part.choices)[-_SHORTLIST_OF_HALVES:]
    if not few:
        return ()
    both = {
        choice: [Part(part.index | value << len(part.choices), (*part.choices, choice)) for value in (0, 1)]
        for choice in few
    }
    return tuple(both[looking.best(both)])


class LookAhead:
    """The solver's effort to close a small depth in parts of the search.

    A choice is placed at the same relative position in the small depth as in the search. Measured on kip320
    (3,2,2,2) at depth 14, of 20 choices: the best one by far at depth 7, in frame 4, has halves of 0.55 and
    0.62 of the whole time in frame 7. In its own frame, another one seemed best, with 0.56 and 1.01:
    decisions at the end of a search split it badly.
    """

    def __init__(self, system: TransitionSystem, name: str, depth: int, invariants: Clauses) -> None:
        self._system = system
        self._names = tuple(dict.fromkeys((name, *(prop.name for prop in system.implied))))
        self._unrolling = _unroll(system)
        self._invariants = invariants
        self._variables = FrameVariables(self._unrolling)
        self._placed: list[Clauses] = []
        self._depth = self._small = depth
        self._small, _ = self._search(Part(0, ()), _MOST_EFFORT)

    def tell_apart(self, choices: Sequence[Choice], chosen: Sequence[Choice]) -> list[Choice]:
        """Return the choices that differ at the small depth, the last of equal ones; none that was chosen
        there."""
        seen = {self._shrunk(choice): choice for choice in choices}
        for one in chosen:
            seen.pop(self._shrunk(one), None)
        return sorted(seen.values(), key=choices.index)

    def best(
        self,
        parts_of: Mapping[Choice, Sequence[Part]],
        needless: Callable[[], bool] = lambda: False,
    ) -> Choice:
        """The choice whose parts take the least: the largest of them, and two cores for all."""
        least, best = math.inf, next(iter(parts_of))
        for choice, parts in parts_of.items() if len(parts_of) > 1 else ():
            if needless():
                break
            efforts: list[int] = []
            for part in parts:
                efforts.append(self._search(part.shrunk(self._small, self._depth))[1])
                if (taken := max(efforts) + sum(efforts) / 2) >= least:
                    break  # the others only add to it
            else:
                least, best = taken, choice
        return best

    def _shrunk(self, choice: Choice) -> Choice:
        return choice.shrunk(self._small, self._depth)

    def _search(self, part: Part, most: float = math.inf) -> tuple[int, int]:
        """The depth that was closed with at most so much effort, or just more, and the effort."""
        unrolling, variables, solver = self._unrolling, self._variables, open_solver(_SOLVER)
        try:
            for depth in range(self._small + 1):
                solver.add_clauses(self._clauses(depth))
                units = [[literal] for literal in part.units(self._system, depth)]
                solver.add_clauses(variables.place_clauses(units, depth))
                for name in self._names:
                    holds = variables.at(unrolling.properties[name], depth)
                    if solver.solve([-holds]) is Answer.UNSATISFIABLE:
                        solver.add_clauses([[holds]])
                if solver.effort() > most:
                    break
            return depth, solver.effort()
        finally:
            solver.close()

    def _clauses(self, depth: int) -> Clauses:
        """The clauses that a search adds for a frame, whichever its part."""
        unrolling, variables = self._unrolling, self._variables
        if depth == len(self._placed):
            variables.open_frame()
            known = [*self._invariants, *unrolling.state, *([] if depth else unrolling.start)]
            clauses = variables.place_clauses(known, depth)
            if depth > 0:
                clauses += variables.place_clauses(unrolling.relation, depth - 1)
            if depth > 1:
                clauses += variables.place_clauses(unrolling.succession, depth - 2)
            self._placed.append(clauses)
        return self._placed[depth]


def _candidates(system: TransitionSystem, depth: int) -> dict[Choice, int]:
    """The choices that there are, and of each the random walks in which the bit is on."""
    initial = initial_state(_unroll(system))
    if initial is None:
        return {}
    history = random_walks(system, initial)
    growing = _growing(system) or range(len(system.bits))
    return {
        Choice(system.bits[number].symbol_name(), frame): history[number] >> (frame * WALKS) & _EVERYONE
        for frame in range(max(depth // 5, 1), max(depth // 2 + 1, 2))
        if frame <= depth
        for number in growing
    }


def _unroll(system: TransitionSystem) -> Unrolling:
    return unroll(system, Steps.SERIAL, symmetry=True)


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


def _evenness(cell: int, by: int) -> int:
    """Return the number of walks in the smaller half."""
    return min(half.bit_count() for half in _split([cell], by))


def _entropy(cells: Sequence[int]) -> float:
    shares = [cell.bit_count() / WALKS for cell in cells if cell]
    return -sum(share * math.log2(share) for share in shares)
