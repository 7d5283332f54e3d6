"""Structural invariants: small clauses over state bits that hold in every reachable state.

Candidates are the unit and binary clauses that hold in all states of random walks. Candidates are dropped
until the conjunction of the others is inductive (Houdini: Flanagan and Leino 2001,
doi:10.1007/3-540-45251-6_29). These are proved, so a search may assume them in every frame.

A state in which all of the others hold, and one of whose steps breaks a candidate, is where walks begin
again: candidates that are false on them are dropped without a query each. All that is kept was shown by a
query at the end, whatever walks did.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import and_

from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.encodings.elimination import exists_over
from verifier.encodings.evaluator import Evaluator
from verifier.solvers import Answer, Clause, open_solver
from verifier.symmetry.bit_permutations import Permutation
from verifier.system.transition_system import TransitionSystem

WALKS = 512
"""How many random walks there are."""
_WALK_LENGTH = 60
_FEWER, _SHORTER = 64, 16
"""The walks, and their length, from a state in which candidates break. Longer ones drop hardly more."""


def structural_invariants(
    system: TransitionSystem,
    unrolling: Unrolling,
    solver: str,
    permutations: Sequence[Permutation] = (),
    guesses: Sequence[Clause] | None = None,
) -> list[list[int]]:
    """Clauses over the state bits (variables 1, 2, … in their order) whose conjunction is inductive.

    Candidates are ``guesses``, such as what was found for the same system elsewhere, or else what random
    walks suggest. Guesses may be wrong: what is returned is shown here.

    Under ``permutations``, a group of symmetries of the system, an image of an invariant is one. So of the
    candidates only those are taken all of whose images are candidates, and with one its images fall: fewer
    queries. Empty if the solver gives up: no engine depends on them.
    """
    initial = initial_state(unrolling, solver)
    if initial is None:
        return []
    walks = _RandomWalks(system)
    candidates = _candidates(walks.history(initial)) if guesses is None else guesses
    return _Inductiveness(unrolling, solver, walks).inductive(_orbits(candidates, permutations))


def initial_state(unrolling: Unrolling, solver: str) -> list[bool] | None:
    """Some initial state; None if there is none, or if the solver gives up."""
    opened = open_solver(solver)
    opened.add_clauses(unrolling.start)
    opened.add_clauses(unrolling.state)
    if opened.solve() is not Answer.SATISFIABLE:
        return None
    return [opened.value(variable) for variable in range(1, unrolling.bits + 1)]


def random_walks(system: TransitionSystem, initial: Sequence[bool]) -> list[int]:
    """For each state bit, its values in the states of ``WALKS`` random walks, as one long integer.

    The integer's bits from ``n * WALKS`` on are the values after *n* steps.
    """
    return _RandomWalks(system).history(initial)


class _RandomWalks:
    """Random walks, many at a time: a bit of each integer is one of them."""

    def __init__(self, system: TransitionSystem) -> None:
        self._rng = random.Random(0)
        self._instances = system.instances
        self._inputs = [symbol for instance in system.instances for symbol in instance.inputs]
        outputs = [term for i in system.instances for term in (i.guard, *i.updates.values())]
        self._evaluate = Evaluator((*system.bits, *self._inputs), outputs)
        self._place = {symbol: index for index, symbol in enumerate(system.bits)}

    def history(
        self, initial: Sequence[bool], walks: int | None = None, length: int | None = None
    ) -> list[int]:
        """For each state bit, its values on that many walks of that many steps from a state: its values after
        *n* steps are in the integer's bits from ``n * walks`` on."""
        walks, length = walks or WALKS, length or _WALK_LENGTH
        everyone = (1 << walks) - 1
        start = [everyone if value else 0 for value in initial]
        state = list(start)
        history = list(start)
        for step in range(1, length + 1):
            waiting = self._step(state, walks)
            for index, value in enumerate(start):  # a walk without a successor starts again
                state[index] = (state[index] & ~waiting) | (value & waiting)
                history[index] |= state[index] << (step * walks)
        return history

    def _step(self, state: list[int], walks: int) -> int:
        """Takes a step on all walks; returns those that cannot."""
        rng, waiting = self._rng, (1 << walks) - 1
        values = iter(self._evaluate([*state, *(rng.getrandbits(walks) for _ in self._inputs)], waiting))
        moves = [
            (next(values), [(self._place[symbol], next(values)) for symbol in instance.updates])
            for instance in self._instances
        ]
        rng.shuffle(moves)
        # In two rounds an instance moves only some of the walks that enable it, so that walks differ.
        for thinned in (True, True, False):
            for enabled, updates in moves:
                chosen = enabled & waiting
                if thinned:
                    chosen &= rng.getrandbits(walks) & rng.getrandbits(walks)
                waiting &= ~chosen
                for index, value in updates if chosen else ():
                    state[index] = (state[index] & ~chosen) | (value & chosen)
        return waiting


def enabled_on_walks(system: TransitionSystem) -> set[str]:
    """Actions that are enabled in some state of random walks."""
    initial = initial_state(unroll(system, Steps.SERIAL, symmetry=False), "cadical")
    if initial is None:
        return set()
    history = random_walks(system, initial)
    guards = [exists_over(instance.guard, instance.inputs) for instance in system.instances]
    values = Evaluator(system.bits, guards)(history, (1 << ((_WALK_LENGTH + 1) * WALKS)) - 1)
    return {instance.action for instance, on in zip(system.instances, values, strict=True) if on}


def _candidates(history: Sequence[int]) -> list[list[int]]:
    """The unit and binary clauses that are true in all states of the walks."""
    false_in = _false_in(history, (_WALK_LENGTH + 1) * WALKS)
    units = [literal for literal, states in false_in.items() if not states]
    fixed = {abs(literal) for literal in units}
    loose = [literal for literal in false_in if abs(literal) not in fixed]
    pairs = [[a, b] for a, b in combinations(loose, 2) if a != -b and not false_in[a] & false_in[b]]
    return [[literal] for literal in units] + pairs


def _false_in(history: Sequence[int], states: int) -> dict[int, int]:
    """For each literal the states of walks in which it is false, of so many."""
    everywhere = (1 << states) - 1
    false_in = {index + 1: values ^ everywhere for index, values in enumerate(history)}
    return false_in | {-(index + 1): values for index, values in enumerate(history)}


def _orbits(candidates: Sequence[Clause], permutations: Sequence[Permutation]) -> list[tuple[int, Clause]]:
    """Those candidates all of whose images are candidates, each with the number of its orbit."""
    place = {frozenset(clause): number for number, clause in enumerate(candidates)}
    found = []
    for number, clause in enumerate(candidates):
        images = (frozenset(p[v] if v > 0 else -p[-v] for v in clause) for p in permutations)
        places = [place.get(image) for image in images]
        if None not in places:
            found.append((min((one for one in places if one is not None), default=number), clause))
    return found


class _Inductiveness:
    """Finds the clauses that hold initially and that every step keeps."""

    def __init__(self, unrolling: Unrolling, solver: str, walks: _RandomWalks) -> None:
        self.unrolling = unrolling
        self.solver = solver
        self.walks = walks

    def inductive(self, candidates: Sequence[tuple[int, Clause]]) -> list[list[int]]:
        """The largest inductive subset of the candidates, each given with the number of its orbit, of which
        it has none or all."""
        unrolling = self.unrolling
        initially = [*unrolling.start, *unrolling.state]
        kept = self._kept(initially, candidates, frame=0, assumed=False)
        step = [*unrolling.state, *unrolling.relation]
        return [list(clause) for _, clause in self._kept(step, kept, frame=1, assumed=True)]

    def _kept(
        self, clauses: Sequence[Clause], numbered: Sequence[tuple[int, Clause]], frame: int, assumed: bool
    ) -> list[tuple[int, Clause]]:
        """Drops candidates until none of the others can be false in ``frame``. If ``assumed``, these hold in
        frame 0."""
        solver = open_solver(self.solver)
        solver.add_clauses(clauses)
        orbits, candidates = [orbit for orbit, _ in numbered], [clause for _, clause in numbered]
        variables = FrameVariables(self.unrolling, frames=2)
        broken = [variables.fresh() for _ in candidates]
        some_broken = variables.fresh()
        placed = variables.placed(candidates, frame)
        bits = [variables.at(bit, frame) for bit in range(1, self.unrolling.bits + 1)]
        solver.add_clauses(
            [-flag, -literal] for flag, clause in zip(broken, placed, strict=True) for literal in clause
        )
        solver.add_clauses([[-some_broken, *broken]])
        alive, held, asserted = list(range(len(candidates))), variables.fresh(), 0
        while alive:
            if assumed and not asserted:
                solver.add_clauses([-held, *candidates[index]] for index in alive)
                asserted = len(alive)
            answer = solver.solve([some_broken, held])
            if answer is Answer.UNKNOWN:
                return []
            if answer is Answer.UNSATISFIABLE:
                if not assumed or asserted == len(alive):
                    return [numbered[index] for index in alive]
                solver.add_clauses([[-held]])  # some of what was assumed has fallen
                held, asserted = variables.fresh(), 0
                continue
            values = solver.values(bits)
            true = {bit if on else -bit for bit, on in zip(bits, values, strict=True)}
            broken_here = {index for index in alive if true.isdisjoint(placed[index])}
            if assumed:
                broken_here |= self._broken_later(values, alive, candidates)
            falling = {orbits[index] for index in broken_here}
            fallen = {index for index in alive if orbits[index] in falling}
            solver.add_clauses([-broken[index]] for index in fallen)
            alive = [index for index in alive if index not in fallen]
        return []

    def _broken_later(
        self, state: Sequence[bool], alive: Sequence[int], candidates: Sequence[Clause]
    ) -> set[int]:
        """Those that are false on walks from a state that a step reaches from one in which all hold. The
        inductive ones among them hold on the walks, too."""
        history = self.walks.history(state, _FEWER, _SHORTER)
        false_in = _false_in(history, (_SHORTER + 1) * _FEWER)
        return {
            index for index in alive if reduce(and_, (false_in[literal] for literal in candidates[index]))
        }
