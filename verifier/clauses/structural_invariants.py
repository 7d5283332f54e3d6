"""Structural invariants: small clauses over state bits that hold in every reachable state.

Candidates are the unit and binary clauses that hold in all states of random walks. Candidates are dropped
until the conjunction of the others is inductive (Houdini: Flanagan and Leino 2001,
doi:10.1007/3-540-45251-6_29). These are proved, so a search may assume them in every frame.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

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


def structural_invariants(
    system: TransitionSystem,
    unrolling: Unrolling,
    solver: str,
    permutations: Sequence[Permutation] = (),
) -> list[list[int]]:
    """Clauses over the state bits (variables 1, 2, … in their order) whose conjunction is inductive.

    Under ``permutations``, a group of symmetries of the system, an image of an invariant is one. So of the
    candidates only those are taken all of whose images are candidates, and with one its images fall: fewer
    queries. Empty if the solver gives up: no engine depends on them.
    """
    initial = initial_state(unrolling, solver)
    if initial is None:
        return []
    checker = _Inductiveness(unrolling, solver)
    return checker.inductive(_orbits(_candidates(random_walks(system, initial)), permutations))


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
    rng = random.Random(0)
    everyone = (1 << WALKS) - 1
    inputs = [symbol for instance in system.instances for symbol in instance.inputs]
    outputs = [term for i in system.instances for term in (i.guard, *i.updates.values())]
    evaluate = Evaluator((*system.bits, *inputs), outputs)
    place = {symbol: index for index, symbol in enumerate(system.bits)}
    start = [everyone if value else 0 for value in initial]
    state = list(start)
    history = list(start)
    for step in range(1, _WALK_LENGTH + 1):
        values = iter(evaluate([*state, *(rng.getrandbits(WALKS) for _ in inputs)], everyone))
        moves = [
            (next(values), [(place[symbol], next(values)) for symbol in instance.updates])
            for instance in system.instances
        ]
        rng.shuffle(moves)
        waiting = everyone
        # In two rounds an instance moves only some of the walks that enable it, so that walks differ.
        for thinned in (True, True, False):
            for enabled, updates in moves:
                chosen = enabled & waiting
                if thinned:
                    chosen &= rng.getrandbits(WALKS) & rng.getrandbits(WALKS)
                waiting &= ~chosen
                for index, value in updates if chosen else ():
                    state[index] = (state[index] & ~chosen) | (value & chosen)
        for index, value in enumerate(start):  # a walk without a successor starts again
            state[index] = (state[index] & ~waiting) | (value & waiting)
            history[index] |= state[index] << (step * WALKS)
    return history


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
    everywhere = (1 << ((_WALK_LENGTH + 1) * WALKS)) - 1
    false_in = {index + 1: values ^ everywhere for index, values in enumerate(history)}
    false_in |= {-(index + 1): values for index, values in enumerate(history)}
    units = [literal for literal, states in false_in.items() if not states]
    fixed = {abs(literal) for literal in units}
    loose = [literal for literal in false_in if abs(literal) not in fixed]
    pairs = [[a, b] for a, b in combinations(loose, 2) if a != -b and not false_in[a] & false_in[b]]
    return [[literal] for literal in units] + pairs


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

    def __init__(self, unrolling: Unrolling, solver: str) -> None:
        self.unrolling = unrolling
        self.solver = solver

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
        active = [variables.fresh() for _ in candidates]
        broken = [variables.fresh() for _ in candidates]
        some_broken = variables.fresh()
        if assumed:
            solver.add_clauses([-on, *clause] for on, clause in zip(active, candidates, strict=True))
        placed = variables.placed(candidates, frame)
        bits = [variables.at(bit, frame) for bit in range(1, self.unrolling.bits + 1)]
        solver.add_clauses(
            [-flag, -literal] for flag, clause in zip(broken, placed, strict=True) for literal in clause
        )
        solver.add_clauses([[-some_broken, *broken]])
        alive = list(range(len(candidates)))
        while alive:
            answer = solver.solve([some_broken, *(active[index] for index in alive)])
            if answer is Answer.UNSATISFIABLE:
                return [numbered[index] for index in alive]
            if answer is Answer.UNKNOWN:
                return []
            values = solver.values(bits)
            true = {bit if on else -bit for bit, on in zip(bits, values, strict=True)}
            falling = {orbits[index] for index in alive if true.isdisjoint(placed[index])}
            fallen = {index for index in alive if orbits[index] in falling}
            solver.add_clauses([-broken[index]] for index in fallen)
            alive = [index for index in alive if index not in fallen]
        return []
