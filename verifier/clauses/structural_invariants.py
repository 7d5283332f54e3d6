"""Structural invariants: small clauses over state bits that hold in every reachable state.

Candidates are the unit and binary clauses that hold in all states of random walks. Candidates are dropped
until the conjunction of the others is inductive (Houdini: Flanagan and Leino 2001,
doi:10.1007/3-540-45251-6_29). These are proved, so a search may assume them in every frame.

A state in which all of the others hold, and one of whose steps breaks a candidate, is where walks begin
again: candidates that are false on them are dropped without a query each. All that is kept was shown by a
query, whatever walks did.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain, combinations, count, islice
from operator import and_

import numpy as np

from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.encodings.elimination import exists_over
from verifier.encodings.evaluator import Evaluator
from verifier.solvers import QUERY_SOLVER, Answer, Clause, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation
from verifier.system.transition_system import TransitionSystem

WALKS = 512
"""The number of random walks."""
_WALK_LENGTH = 60
_MOST_PAIRS = 50_000
"""The limit of binary clauses that are tried. Each takes a query, and a missing one only helps less."""
_BUNDLE = 16
"""The number of clauses that a query assumes together."""
_FEWER, _SHORTER = 64, 16
"""The walks, and their length, from a state in which candidates break. Longer ones drop hardly more."""


def structural_invariants(
    system: TransitionSystem,
    unrolling: Unrolling,
    permutations: Sequence[Permutation] = (),
    guesses: Sequence[Clause] | None = None,
) -> list[list[int]]:
    """Clauses over the state bits (variables 1, 2, … in their order) whose conjunction is inductive.

    Candidates are ``guesses``, such as what was found for the same system elsewhere, or else what random
    walks suggest. Guesses may be wrong: what is returned is shown here.

    Under ``permutations``, a group of symmetries of the system, an image of an invariant is one. So of the
    candidates only those are taken all of whose images are candidates, and with one its images fall: fewer
    queries. These are small, one for each orbit, and a solver for such is asked: one query about all
    candidates at once took ten to twenty times as long (measured on kip320).
    """
    initial = initial_state(unrolling)
    if initial is None:
        return []
    walks = _RandomWalks(system)
    candidates = _candidates(walks.history(initial)) if guesses is None else guesses
    return _Inductiveness(unrolling, walks).inductive(_orbits(candidates, permutations))


def initial_state(unrolling: Unrolling) -> list[bool] | None:
    """Find an initial state; None if there is none, or if the solver gives up."""
    opened = open_solver("cadical")
    opened.add_clauses(unrolling.start)
    opened.add_clauses(unrolling.state)
    if opened.solve() is not Answer.SATISFIABLE:
        return None
    return [opened.value(variable) for variable in range(1, unrolling.bits + 1)]


def random_walks(system: TransitionSystem, initial: Sequence[bool]) -> list[int]:
    """Return for each state bit its values in the states of ``WALKS`` random walks, as one long integer.

    The integer's bits from ``n * WALKS`` on are the values after *n* steps.
    """
    return _RandomWalks(system).history(initial)


class _RandomWalks:
    """Random walks, many at a time: a bit of each integer is one of them."""

    def __init__(self, system: TransitionSystem) -> None:
        self._rng = random.Random(0)
        self._inputs = [symbol for instance in system.instances for symbol in instance.inputs]
        outputs = [term for i in system.instances for term in (i.guard, *i.updates.values())]
        self._evaluate = Evaluator((*system.bits, *self._inputs), outputs)
        place = {symbol: index for index, symbol in enumerate(system.bits)}
        output = count()
        self._moves = [
            (next(output), [(place[symbol], next(output)) for symbol in instance.updates])
            for instance in system.instances
        ]
        """For each instance where the evaluation has its guard, and for each bit its new value."""

    def history(
        self, initial: Sequence[bool], walks: int | None = None, length: int | None = None
    ) -> list[int]:
        """Return for each state bit its values on that many walks of that many steps from a state: its values
        after *n* steps are in the integer's bits from ``n * walks`` on."""
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

    def after(self, state: Sequence[bool]) -> dict[int, int]:
        """Return for each literal the states of walks from a state in which it is false."""
        return _false_in(self.history(state, _FEWER, _SHORTER), (_SHORTER + 1) * _FEWER)

    def _step(self, state: list[int], walks: int) -> int:
        """Takes a step on all walks; returns those that cannot."""
        rng, waiting = self._rng, (1 << walks) - 1
        values = self._evaluate([*state, *(rng.getrandbits(walks) for _ in self._inputs)], waiting)
        moves = [move for move in self._moves if values[move[0]]]
        rng.shuffle(moves)
        # In two rounds an instance moves only some of the walks that enable it, so that walks differ.
        for thinned in (True, True, False):
            for guard, updates in moves:
                chosen = values[guard] & waiting
                if thinned:
                    chosen &= rng.getrandbits(walks) & rng.getrandbits(walks)
                waiting &= ~chosen
                for index, output in updates if chosen else ():
                    state[index] = (state[index] & ~chosen) | (values[output] & chosen)
        return waiting


def find_enabled_on_walks(system: TransitionSystem) -> set[str]:
    """Actions that are enabled in some state of random walks."""
    initial = initial_state(unroll(system, Steps.SERIAL, symmetry=False))
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
    pairs = ([a, b] for a, b in combinations(loose, 2) if a != -b and not false_in[a] & false_in[b])
    return [[literal] for literal in units] + list(islice(pairs, _MOST_PAIRS))


def _false_in(history: Sequence[int], states: int) -> dict[int, int]:
    """Return for each literal the states of walks in which it is false."""
    everywhere = (1 << states) - 1
    false_in = {index + 1: values ^ everywhere for index, values in enumerate(history)}
    return false_in | {-(index + 1): values for index, values in enumerate(history)}


def _orbits(candidates: Sequence[Clause], permutations: Sequence[Permutation]) -> list[tuple[int, Clause]]:
    """Return the candidates all of whose images are candidates, each with the number of its orbit."""
    place = {frozenset(clause): number for number, clause in enumerate(candidates)}
    orbits = []
    for number, clause in enumerate(candidates):
        images = (frozenset(p[v] if v > 0 else -p[-v] for v in clause) for p in permutations)
        places = [place.get(image) for image in images]
        if None not in places:
            orbits.append((min((one for one in places if one is not None), default=number), clause))
    return orbits


class _Inductiveness:
    """Finds the clauses that hold initially and that every step keeps."""

    def __init__(self, unrolling: Unrolling, walks: _RandomWalks) -> None:
        self.unrolling = unrolling
        self.walks = walks

    def inductive(self, candidates: Sequence[tuple[int, Clause]]) -> list[list[int]]:
        """The largest inductive subset of the candidates, each given with the number of its orbit, of which
        it has none or all."""
        orbits: dict[int, list[Clause]] = {}
        for orbit, clause in candidates:
            orbits.setdefault(orbit, []).append(clause)
        initially = _Sieve(self.unrolling, orbits).orbits_left()
        kept = _Sieve(self.unrolling, {orbit: orbits[orbit] for orbit in initially}, self.walks).orbits_left()
        return [list(clause) for orbit, clause in candidates if orbit in kept]


class _Clauses:
    """The clauses of orbits in arrays, which are all checked in many states at once."""

    def __init__(self, orbits: Mapping[int, Sequence[Clause]]) -> None:
        clauses = [(orbit, list(clause)) for orbit, clauses in orbits.items() for clause in clauses]
        longest = max((len(clause) for _, clause in clauses), default=1)
        self._orbits = np.array([orbit for orbit, _ in clauses], np.int64)
        filled = [clause + clause[-1:] * (longest - len(clause)) for _, clause in clauses]
        self._literals = np.array(filled, np.int64).reshape(-1, longest).T

    def remove_fallen(self, false_in: Mapping[int, int], states: int) -> list[int]:
        """Remove the orbits with a clause that is false in some state. ``false_in``: the states in which each
        literal is false, one bit for each."""
        size = -(-states // 64) * 8
        last = len(false_in) // 2
        ordered = chain(range(-last, 0), range(1, last + 1))
        rows = b"".join(false_in[literal].to_bytes(size, "little") for literal in ordered)
        words = np.frombuffer(rows, np.uint64).reshape(2 * last, -1)
        literals = self._literals
        false = reduce(and_, (words[last + column - (column > 0)] for column in literals)).any(axis=1)
        fallen = np.flatnonzero(np.bincount(self._orbits[false]))
        left = ~np.isin(self._orbits, fallen)
        self._orbits, self._literals = self._orbits[left], literals[:, left]
        kept: list[int] = fallen.tolist()
        return kept


class _Sieve:
    """Drops orbits until no clause of the others can be false: initially, or, with ``walks``, after a step
    from a state in which all of them are true.

    Only the first clause of an orbit is asked about. If an image of it could be false, so could it be: the
    permutations leave the system and the clauses that are assumed as they are.

    Clauses are assumed in bundles, because a query takes as long as there are assumptions. The core of an
    answer says on which bundles it rests. Where one of these loses a clause, it is asked again.
    """

    def __init__(
        self,
        unrolling: Unrolling,
        orbits: Mapping[int, Sequence[Clause]],
        walks: _RandomWalks | None = None,
    ) -> None:
        after_step = walks is not None
        self._walks = walks
        self._orbits = dict(orbits)
        self._clauses = _Clauses(orbits)
        self._first = unrolling.stride if after_step else 0
        self._bits = range(self._first + 1, self._first + unrolling.bits + 1)
        self._solver = open_solver(QUERY_SOLVER)
        self._solver.add_clauses(unrolling.state)
        self._solver.add_clauses(unrolling.relation if after_step else unrolling.start)
        self._switches = count(2 * unrolling.stride + 1)
        self._bundles: dict[int, list[int]] = {}
        """The orbits that are assumed where a variable, their switch, is true."""
        self._switch_of: dict[int, int] = {}
        self._rest_on: dict[int, list[int]] = {}
        """For each switch the orbits of which an answer rests on it."""
        everything = list(orbits) if after_step else []
        for start in range(0, len(everything), _BUNDLE):
            self._assume(everything[start : start + _BUNDLE])

    def _assume(self, bundle: list[int]) -> None:
        switch = next(self._switches)
        self._bundles[switch] = bundle
        self._switch_of |= dict.fromkeys(bundle, switch)
        self._solver.add_clauses([-switch, *clause] for orbit in bundle for clause in self._orbits[orbit])

    def orbits_left(self) -> Collection[int]:
        """The orbits that are left."""
        waiting = dict.fromkeys(self._orbits)
        while waiting:
            orbit = next(iter(waiting))
            if self._holds(orbit):
                del waiting[orbit]
                continue
            fallen = self._false_in_model()
            waiting |= dict.fromkeys(self._resting_on(fallen))
            for one in fallen:
                waiting.pop(one, None)
        self._solver.close()
        return self._orbits

    def _holds(self, orbit: int) -> bool:
        broken = [-v - self._first if v > 0 else -v + self._first for v in self._orbits[orbit][0]]
        if satisfiable(self._solver, [*self._bundles, *broken]):
            return False
        for literal in self._solver.failed_assumptions():
            if literal in self._bundles:
                self._rest_on.setdefault(literal, []).append(orbit)
        return True

    def _false_in_model(self) -> list[int]:
        """The orbits with a clause that is false in the solver's model, or later on walks. They are dropped.

        What is inductive holds on the walks, too: these begin where a step leads from a state in which all
        clauses hold that are left.
        """
        values = self._solver.values(self._bits)
        if self._walks is None:
            fallen = self._clauses.remove_fallen(_false_in(list(map(int, values)), 1), 1)
        else:
            fallen = self._clauses.remove_fallen(self._walks.after(values), (_SHORTER + 1) * _FEWER)
        for orbit in fallen:
            del self._orbits[orbit]
        return fallen

    def _resting_on(self, fallen: Iterable[int]) -> list[int]:
        """The orbits of which an answer rests on a bundle of one that fell. A smaller one replaces it."""
        result: list[int] = []
        for switch in {self._switch_of[one]: None for one in fallen if one in self._switch_of}:
            result += (one for one in self._rest_on.pop(switch, ()) if one in self._orbits)
            self._solver.add_clauses([[-switch]])
            if left := [one for one in self._bundles.pop(switch) if one in self._orbits]:
                self._assume(left)
        return result
