"""IC3 and k-induction on systems whose answers are known, and the mistakes that such engines invite."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import count
from multiprocessing import Pipe
from typing import Any

import pytest

from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.explicit import explore
from tests.support.models import build
from tests.support.sampling import first_of
from tests.support.toys import (
    Chain,
    Corridor,
    LockServer,
    Lottery,
    Matchmaker,
    Overflow,
    SelfLoop,
    Unreachable,
)
from verifier.clauses.type_clauses import type_clauses
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.renaming import rename_value
from verifier.encodings.sorts import IndexSet, Option, Range, Sequence
from verifier.engines.bounded_search import SolverGaveUp, ViolationFound
from verifier.engines.ic3.cubes import Cube
from verifier.engines.ic3.frames import Blocked, Frames
from verifier.engines.ic3.inductive_generalisation import InductiveGeneralisation
from verifier.engines.ic3.known_steps import Predecessor
from verifier.engines.ic3.lifting import Lifting
from verifier.engines.ic3.problem import problem
from verifier.engines.ic3.reduction import reduce_invariant
from verifier.engines.ic3.search import Counterexample, FrameClosed, Proof, prove
from verifier.engines.kinduction import KInductionProof, kinduction
from verifier.engines.provers import ic3_certificate, ic3_work
from verifier.kernels.building import load_queries
from verifier.kernels.query_functions import QueryFunctions
from verifier.solvers import QUERY_SOLVER, Answer, ClauseSolver, open_solver, satisfiable
from verifier.solvers.solver_names import BACKENDS, Backend
from verifier.specs.kafka.kip320 import Kip320
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.system.model import Model
from verifier.trust.certify import check
from verifier.trust.replay import Replayer

KNOWN: list[tuple[Protocol, str, int | None]] = [
    (Chain(), "NeverTop", 2),  # the violating state has no successor
    (Chain({"top": 6}), "NeverTop", 6),
    (Chain(), "StartsLow", None),
    (Chain(), "NotAtStart", 0),
    (Chain(), "StuckOnlyAtTop", None),
    (Chain(), "StuckElsewhere", 2),
    (SelfLoop(), "NeverTop", 2),
    (SelfLoop(), "StuckElsewhere", None),
    (Unreachable(), "NeverOdd", None),
    (Corridor(), "AtFour", 2),
    (Corridor(), "AtFive", None),
    (Overflow(), "TypeInvariant", 3),
    (LockServer(), "HolderWaitsNoMore", None),
    (LockServer(), "NotAllAsk", 3),
    (LockServer(), "FirstNeverHolds", 2),
    (Lottery(), "SomeLeft", 1),
    (Lottery(), "DrawnInRounds", None),
    (Matchmaker(), "SomeoneAlone", 2),
    (Matchmaker(), "Mutual", None),
]
"""Protocol, property, and the fewest actions to a violation."""

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def _ids(case: Any) -> str:
    return f"{case[0].spec_name()}-{case[1]}"


def _functions() -> QueryFunctions:
    functions = load_queries()
    if functions is None:
        pytest.skip("no C compiler")
    return functions


def _ic3(model: Model, name: str, *, symmetry: bool = True, compiled: bool = False) -> Proof | Counterexample:
    permutations = bit_permutations(model)
    question = problem(model.system, name)
    functions = _functions() if compiled else None
    answer = prove(question, permutations if symmetry else permutations[:1], functions=functions)
    if isinstance(answer, Counterexample):
        firings = [(model.system.instances[index], inputs) for index, inputs in answer.firings]
        Replayer(model).execute(answer.initial, firings, name)
    else:
        _passes(model, name, answer)
    return answer


def _passes(model: Model, name: str, proof: Proof) -> None:
    """The invariant is one, of which the type invariant need not be a part."""
    checked = check(model, ic3_certificate(model, name, proof), "z3")
    types = {f"the invariant implies {p.name}" for p in model.system.properties if p.kind == "type invariant"}
    assert {failed.obligation for failed in checked.failed} <= types


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("case", KNOWN, ids=_ids)
def test_ic3_knows_the_toys(case: Any, symmetry: bool, compiled: bool) -> None:
    protocol, name, length = case
    answer = _ic3(build(protocol), name, symmetry=symmetry, compiled=compiled)
    if length is None:
        assert isinstance(answer, Proof)
    else:
        assert isinstance(answer, Counterexample)
        assert len(answer.firings) >= length


@pytest.mark.parametrize("case", KNOWN, ids=_ids)
def test_kinduction_knows_the_toys(case: Any) -> None:
    protocol, name, length = case
    events: list[Any] = []
    kinduction(build(protocol).system, name, "cadical", events.append)
    last = events[-1]
    if length is None:
        assert isinstance(last, KInductionProof)
    else:
        assert isinstance(last, ViolationFound)
        assert last.steps == length


def test_never_two_is_violated_though_two_is_stuck() -> None:
    """The relation must not be asked for beyond the state in which the property fails."""
    model = build(Chain({"top": 2}))
    assert isinstance(_ic3(model, "NeverTop"), Counterexample)
    events: list[Any] = []
    kinduction(model.system, "NeverTop", "z3", events.append)
    assert isinstance(events[-1], ViolationFound)


@pytest.mark.parametrize("rules", first_of(range(30), 10))
def test_random_systems_agree_with_exploration(rules: int) -> None:
    model = build(RandomProtocol({"rules": rules}))
    steps = explore(model).steps
    for name in NAMES:
        for compiled in (True, False):
            answer = _ic3(model, name, compiled=compiled)
            assert isinstance(answer, Proof) == (name not in steps)
            if isinstance(answer, Counterexample):
                assert len(answer.firings) >= steps[name]
        events: list[Any] = []
        kinduction(model.system, name, "cadical", events.append, largest_k=12)
        if isinstance(events[-1], ViolationFound):
            assert events[-1].steps == steps[name]
        elif isinstance(events[-1], KInductionProof):
            assert name not in steps


def test_closed_frames_are_depths_without_violation() -> None:
    model = build(Chain({"top": 6}))
    events: list[Any] = []
    prove(problem(model.system, "NeverTop"), bit_permutations(model), events.append)
    closed = [event.frame for event in events if isinstance(event, FrameClosed)]
    assert closed == list(range(len(closed)))
    assert max(closed) < 6


# Lifting


def _walks(model: Model, count: int, length: int, seed: int) -> list[tuple[bool, ...]]:
    """States of random executions."""
    rng, replayer = random.Random(seed), Replayer(model)
    unrolling = problem(model.system, model.system.properties[0].name).unrolling
    solver = open_solver(QUERY_SOLVER)
    solver.add_clauses([*unrolling.start, *unrolling.state])
    assert satisfiable(solver)
    initial = [solver.value(bit) for bit in range(1, len(model.system.bits) + 1)]
    found = []
    for _ in range(count):
        state = list(initial)
        for _ in range(length):
            found.append(tuple(state))
            instance = rng.choice(model.system.instances)
            inputs = [rng.random() < 0.5 for _ in instance.inputs]
            state = replayer.successor(state, instance, inputs) or state
    return found


@pytest.mark.parametrize("protocol", [Kip320(SMALL), Lottery(), Matchmaker()], ids=lambda p: p.spec_name())
def test_every_state_of_a_lifted_cube_has_the_successor(protocol: Protocol) -> None:
    """The guard is part of what is lifted: else the cube has states in which the step is not enabled."""
    model = build(protocol)
    lifting = Lifting(problem(model.system, model.system.properties[0].name))
    replayer, rng = Replayer(model), random.Random(3)
    larger = 0
    for state in _walks(model, 30, 12, 1):
        for index, instance in enumerate(model.system.instances):
            inputs = [rng.random() < 0.5 for _ in instance.inputs]
            after = replayer.successor(state, instance, inputs)
            if after is None:
                continue
            literals = _literals(after)
            goal = tuple(rng.sample(literals, min(3, len(literals))))
            cube = lifting.lift_predecessor(Predecessor(state, index, tuple(inputs), goal))
            larger += len(cube) < len(state)
            for _ in range(4):  # any other bits, also such as hold no state
                other = [rng.random() < 0.5 for _ in state]
                for literal in cube:
                    other[abs(literal) - 1] = literal > 0
                reached = replayer.successor(other, instance, inputs)
                assert reached is not None
                assert all(reached[abs(literal) - 1] == (literal > 0) for literal in goal)
    assert larger


def _literals(state: Any) -> tuple[int, ...]:
    return tuple(number if on else -number for number, on in enumerate(state, 1))


@pytest.mark.parametrize("protocol", [Kip320(SMALL), Lottery()], ids=lambda p: p.spec_name())
def test_relation_and_functions_agree_on_codes_without_a_value(protocol: Protocol) -> None:
    """Unchanged variables are unchanged bit by bit, in the clauses of the relation as in the evaluator's
    functions."""
    model = build(protocol)
    question = problem(model.system, model.system.properties[0].name)
    unrolled, rng, replayer = question.unrolling, random.Random(5), Replayer(model)
    solver = open_solver(QUERY_SOLVER)
    solver.add_clauses([*unrolled.state, *unrolled.relation])
    valid = Evaluator(model.system.bits, [model.system.valid])
    astray = 0
    for _ in range(300):
        state = [rng.random() < 0.5 for _ in model.system.bits]
        astray += not valid.single(state)[0]
        for index, instance in enumerate(model.system.instances):
            inputs = [rng.random() < 0.5 for _ in instance.inputs]
            given = [v if on else -v for v, on in zip(unrolled.inputs[index], inputs, strict=True)]
            expected = replayer.successor(state, instance, inputs)
            taken = satisfiable(solver, [*_literals(state), unrolled.firing[index], *given])
            assert taken == (expected is not None)
            if expected is not None:
                bits = range(1, len(state) + 1)
                assert [solver.value(unrolled.stride + bit) for bit in bits] == expected
    assert astray > 50


# Symmetry


class Queue(Protocol, camel_case=True):
    """People in a queue; unused places are filled with the first of them, so bits do not just move."""

    people = IndexSetConstant(3, kind="person")

    def state(self) -> State:
        return State(queue=Sequence(self.people, 2), served=Range(0, 1))

    def init(self, s: Any) -> Any:
        return (s.queue.length == 0) & (s.served == 0)

    @action(one="people")
    def join(self, s: Any, one: Any) -> Step:
        return Step(when=[s.queue.length < 2], then={s.queue: s.queue.append(one)})

    @invariant()
    def none_served(self, s: Any) -> Any:
        return s.served == 0


class QueueOfOptions(Queue):
    """A queue whose unused places are filled with none."""

    def state(self) -> State:
        return State(queue=Sequence(Option(self.people), 2), served=Range(0, 1))


@pytest.mark.parametrize("protocol", [Kip320(SMALL), LockServer(), Lottery(), Matchmaker(), QueueOfOptions()])
def test_permutations_of_bits_rename_states(protocol: Protocol) -> None:
    model = build(protocol)
    permutations = bit_permutations(model)
    assert len(permutations) > 1
    (symmetry,) = model.system.symmetries
    movable = [element for element in symmetry.sort.values() if element not in symmetry.pinned]
    for state in set(_walks(model, 20, 10, 2)):
        images = {_move(state, permutation) for permutation in permutations}
        swapped = {movable[0]: movable[1], movable[1]: movable[0]}
        assert _rename(model, state, symmetry.sort, swapped) in images
        for image in images:
            model.layout.decode_state(image)


def _move(state: tuple[bool, ...], permutation: tuple[int, ...]) -> tuple[bool, ...]:
    result = [False] * len(state)
    for number, on in enumerate(state, 1):
        result[permutation[number] - 1] = on
    return tuple(result)


def _rename(model: Model, state: tuple[bool, ...], sort: IndexSet, names: Any) -> tuple[bool, ...]:
    values = model.layout.decode_state(state)
    sorts = model.layout.sorts
    changed = {name: rename_value(sorts[name], value, {sort: names}) for name, value in values.items()}
    return tuple(model.layout.encode_state(changed))


def test_no_symmetry_where_unused_places_hold_an_element() -> None:
    model = build(Queue())
    assert model.system.symmetries
    assert len(bit_permutations(model)) == 1
    assert isinstance(_ic3(model, "NoneServed"), Proof)


# Solvers


class _ToyBackend:
    """A backend that passes everything on to another one, until it gives up."""

    patience = math.inf

    def __init__(self, seed: int) -> None:
        self.solver: ClauseSolver = open_solver("z3")
        self.add_clauses = self.solver.add_clauses
        self.value = self.solver.value
        self.values = self.solver.values
        self.failed_assumptions = self.solver.failed_assumptions
        self.close = self.solver.close

    def solve(self, assumptions: Any = ()) -> Answer:
        self.patience -= 1
        return self.solver.solve(assumptions) if self.patience >= 0 else Answer.UNKNOWN


class _Impatient(_ToyBackend):
    patience = 3


@pytest.mark.parametrize("case", [KNOWN[0], KNOWN[2], KNOWN[12]], ids=_ids)
def test_a_new_backend_serves_all_of_ic3(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "toy", Backend(__name__, "_ToyBackend", "z3-solver"))
    protocol, name, length = case
    model = build(protocol)
    question, permutations = problem(model.system, name), bit_permutations(model)
    monkeypatch.setitem(BACKENDS, QUERY_SOLVER, replace(BACKENDS[QUERY_SOLVER], kind="NotThere"))
    answer = prove(question, permutations, solver="toy")
    assert isinstance(answer, Proof) == (length is None)
    if isinstance(answer, Proof):
        clauses = reduce_invariant(question, permutations, answer.clauses, "toy").clauses
        _passes(model, name, Proof(tuple(clauses), 0, answer.frame, 0, 0.0))


def test_a_solver_that_gives_up_ends_ic3_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "toy", Backend(__name__, "_Impatient", "z3-solver"))
    events: list[Any] = []
    ic3_work(build(Chain()), "NeverTop", lemmas=False, solver="toy")(events.append, Pipe()[0])
    assert events[-1] == SolverGaveUp("toy gave up")


# Inductive generalisation


class _CandidateWithCtgs:
    """Frames and lifting in which the candidate (1, 2) has so many CTGs, all of which can be blocked."""

    frontier = 2

    def __init__(self, ctgs: int) -> None:
        self.ctgs = ctgs
        self.uses: dict[int, int] = {}
        self.calls: list[str] = []
        self.asked: Cube = ()
        self.numbers = count()

    def initial_state_in(self, cube: Cube) -> None:
        return None

    def core_at(self, cube: Cube, level: int) -> Blocked | None:
        self.asked = cube
        if set(cube) != {1, 2}:
            return Blocked(cube) if 10 in cube else None
        self.calls.append("query")
        return None if self.ctgs else Blocked(cube)

    def predecessor(self) -> Predecessor:
        return Predecessor((), 0, (), self.asked, next(self.numbers))

    def lift_predecessor(self, predecessor: Predecessor) -> Cube:
        return (10,) if set(predecessor.into) == {1, 2} else (11,)

    def push_forward(self, core: Cube, level: int) -> tuple[Cube, int]:
        return core, level

    def add_blocked(self, cube: Cube, level: int) -> None:
        self.calls.append("block")
        self.ctgs -= 1


@pytest.mark.parametrize("ctgs", range(6))
def test_after_each_blocked_ctg_the_candidate_is_tried_again(ctgs: int) -> None:
    """As in the paper, three CTGs are blocked at most; none of them for nothing."""
    frames: Any = _CandidateWithCtgs(ctgs)
    core = InductiveGeneralisation(frames, frames).generalise((1, 2, 3), 2)
    blocked = min(ctgs, 3)
    assert frames.calls == [*["query", "block"] * blocked, "query"]
    assert set(core) == ({1, 2} if ctgs <= 3 else {1, 2, 3})


# Frames, and what comes of them


@pytest.mark.parametrize("seed", range(4))
def test_frames_of_the_library_have_the_answers_of_minisat(seed: int) -> None:
    """Both exclude the same cubes, some of which are not blocked: that makes no difference here."""
    model = build(Kip320({"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}))
    question, permutations = problem(model.system, "StrongIsr"), bit_permutations(model)
    both = [Frames(question, permutations, functions=functions) for functions in (None, _functions())]
    for _ in range(3):
        for frames in both:
            frames.open_frame()
    rng, replayer, blocked = random.Random(seed), Replayer(model), 0
    bits = range(1, question.bits + 1)
    for _ in range(400):
        cube = tuple(rng.choice((bit, -bit)) for bit in sorted(rng.sample(bits, rng.randint(1, 4))))
        level = rng.randint(1, 3)
        if both[0].initial_state_in(cube) is not None:
            continue
        match rng.randrange(12):
            case 0:
                for frames in both:
                    frames.add_blocked(cube, level)
            case _:
                plain, answer = (frames.relative_induction(cube, level) for frames in both)
                assert isinstance(answer, Blocked) == isinstance(plain, Blocked)
                if isinstance(answer, Predecessor):
                    instance = model.system.instances[answer.step]
                    after = replayer.successor(tuple(map(bool, answer.bits)), instance, answer.inputs)
                    assert after is not None
                    assert all(after[abs(v) - 1] == (v > 0) for v in cube)
                else:
                    blocked += 1
        assert both[0].is_blocked(cube, level) == both[1].is_blocked(cube, level)
        assert (both[0].bad_state() is None) == (both[1].bad_state() is None)
    assert blocked > 20
    assert [sorted(map(sorted, both[0].find_blocked_cubes(level))) for level in (1, 2, 3)] == [
        sorted(map(sorted, both[1].find_blocked_cubes(level))) for level in (1, 2, 3)
    ]


def test_a_clause_below_the_last_frame_is_not_lost_when_pushed() -> None:
    model = build(Kip320(SMALL))
    frames = Frames(problem(model.system, "StrongIsr"), bit_permutations(model))
    for _ in range(3):
        frames.open_frame()
    state = frames.bad_state()
    assert state is not None
    frames.add_blocked(state, 1)
    (orbit,) = frames.levels[1]
    frames.move_up(orbit, 2)
    assert not frames.levels[1]
    assert frames.is_blocked(state, 1)
    assert frames.is_blocked(state, 2)
    assert not frames.is_blocked(state, 3)
    assert len(frames.find_blocked_cubes(1)) == len(orbit.images)


def test_blocked_cubes_have_no_initial_state_in_them() -> None:
    model = build(Kip320(SMALL))
    frames = Frames(problem(model.system, "StrongIsr"), bit_permutations(model))
    frames.open_frame()
    state = frames.bad_state()
    assert state is not None
    answer = frames.relative_induction(state, 1)
    assert isinstance(answer, Blocked)
    assert frames.initial_state_in(answer.core) is None
    assert set(answer.core) <= set(state)


def test_kip320_is_proved_and_its_invariant_can_be_reduced() -> None:
    model = build(Kip320(SMALL))
    proof = _ic3(model, "StrongIsr")
    assert isinstance(proof, Proof)
    question = problem(model.system, "StrongIsr")
    fewer = reduce_invariant(question, bit_permutations(model), proof.clauses).clauses
    assert 0 < len(fewer) < len(proof.clauses)
    _passes(model, "StrongIsr", Proof(tuple(fewer), 0, proof.frame, 0, 0.0))


def test_an_invariant_with_a_clause_missing_is_noticed() -> None:
    model = build(Kip320(SMALL))
    proof = _ic3(model, "StrongIsr")
    assert isinstance(proof, Proof)
    asked = problem(model.system, "StrongIsr")
    fewer = reduce_invariant(asked, bit_permutations(model), proof.clauses).clauses
    with pytest.raises(AssertionError):
        _passes(model, "StrongIsr", Proof(tuple(fewer[1:]), 0, proof.frame, 0, 0.0))


@pytest.mark.parametrize(
    "protocol", [Kip320(SMALL), Lottery(), QueueOfOptions()], ids=lambda p: p.spec_name()
)
def test_type_clauses_say_which_bits_hold_a_state(protocol: Protocol) -> None:
    model = build(protocol)
    clauses = type_clauses(model.system)
    valid = Evaluator(model.system.bits, [model.system.valid])
    rng = random.Random(7)
    states = [*_walks(model, 20, 10, 3)]
    states += [tuple(bit ^ (rng.random() < 0.03) for bit in state) for state in states for _ in range(4)]
    for state in states:
        holds = all(any(state[abs(v) - 1] == (v > 0) for v in clause) for clause in clauses)
        assert holds == valid.single(state)[0]
