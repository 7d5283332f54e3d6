"""The reading for all constants: every step at small constants is one of it; proofs fail for mutants."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify
from tests.support.explicit import initial_states
from tests.support.finite_structures import Structure, facts, members, set_names
from tests.support.weakened import without
from verifier.encodings.quantifiers import any_of, count, sum_of
from verifier.encodings.sorts import Range, Set
from verifier.engines.all_constants import AllConstantsOutcome
from verifier.engines.all_constants import check as prove_all
from verifier.parametric.approximations import APPROXIMATIONS
from verifier.parametric.certificate import Misfit, check, dump
from verifier.parametric.clausal import Clause, close_clause
from verifier.parametric.deciding import decide
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.errors import NotParametric
from verifier.parametric.formulas import say_formulas
from verifier.parametric.instances import Kinds, instances, number_of_instances
from verifier.parametric.logic import BOOL, Logic
from verifier.parametric.protocol_readings import read_for_all, read_traced
from verifier.parametric.proving import Attempt, Proofs, prove
from verifier.parametric.results import Open, Shown
from verifier.parametric.smtlib import script
from verifier.parametric.symbolic import symbolic
from verifier.parametric.system import ParametricSystem
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.loading import load as load_spec
from verifier.runs.table import engine_named
from verifier.solvers import Answer
from verifier.solvers.solver_names import SCRIPT_SOLVERS, decide_script
from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.names import title_of
from verifier.specs.protocol import IntegerConstant, Protocol, State, Step, action, define, invariant
from verifier.specs.registry import load
from verifier.system.model import Model, build
from verifier.text.all_constants import render_for_all
from verifier.trust.replay import Replayer
from verifier.trust.trace import ActionTaken
from verifier.verdict import VerdictKind

ConcreteState = dict[str, Any]
Transition = tuple[ConcreteState, ActionTaken, ConcreteState]


def random_transitions(model: Model, count: int, rng: random.Random) -> list[Transition]:
    """Steps on random walks from an initial state."""
    replayer, system = Replayer(model), model.system
    decode = model.layout.decode_state
    found: list[Transition] = []
    width = len(system.bits)
    initial = [[bool(number >> place & 1) for place in range(width)] for number in initial_states(model)]
    state, steps = rng.choice(initial), 0
    while len(found) < count:
        instances = list(system.instances)
        rng.shuffle(instances)
        for instance in instances:
            inputs = [rng.random() < 0.5 for _ in instance.inputs]
            after = replayer.successor(state, instance, inputs)
            if after is not None:
                found.append(
                    (dict(decode(state)), replayer.name_action(instance, inputs), dict(decode(after)))
                )
                state, steps = after, steps + 1
                break
        else:
            steps = 99
        if steps > 15:
            state, steps = rng.choice(initial), 0
    return found


class Reading:
    """A protocol's parametric reading, for tests of concrete steps."""

    def __init__(self, kind: type[Protocol], constants: dict[str, Any]) -> None:
        self.reading = read_traced(kind, constants)
        self.system = ParametricSystem(self.reading.definition)
        self.model = build(define(kind(constants)))
        protocol = kind(constants)
        sets = (
            getattr(protocol, name)
            for name, constant in constants_of(kind).items()
            if isinstance(constant, IndexSetConstant)
        )
        self.elements = {one.name: list(one.elements) for one in sets}

    def structure(self, state: ConcreteState, taken: ActionTaken, rng: random.Random) -> Structure:
        """A structure that is this state, and the action's parameters, and random elsewhere."""
        definition, known = self.model.definition, dict[Any, Any]()
        for name, value in self.reading.constants.items():
            known[f"constant {name}", ()] = value
        for symbol in definition.variables:
            known |= dict(facts(symbol.sort, symbol.name, state[symbol.name]))
        own = next(one for one in definition.actions if one.name == taken.name)
        for name, sort in own.sorts.items():
            known |= dict(facts(sort, f"{name}?", taken.parameters[name]))
        both = ((symbol.sort, symbol.name + prime) for symbol in definition.variables for prime in ("", "'"))
        sets = frozenset(name for one in both for name in set_names(*one))
        most = max(6, *(members(symbol.sort) for symbol in definition.variables))
        return Structure(self.system, self.elements, known, rng, most=most, sets=sets)

    def is_step(
        self, before: ConcreteState, taken: ActionTaken, after: ConcreteState, rng: random.Random
    ) -> bool:
        """True if the reading has this step."""
        step = next(one for one in self.system.steps if one.name == taken.name)
        structure = self.structure(before, taken, rng)
        for symbol in self.model.definition.variables:
            structure.known |= dict(facts(symbol.sort, f"{symbol.name}'", after[symbol.name]))
        if not structure.value(step.guard):
            return False
        values = self.system.values
        return all(
            structure.value(
                values.equal(symbol.sort, value, symbolic(values, symbol.sort, f"{symbol.name}'"))
            )
            for symbol, value in step.successor.items()
        )


SMALL: dict[str, dict[str, Any]] = {
    "bookkeeper": {"bookies": 2, "write_quorum": 1, "ack_quorum": 1, "ensemble_choice": "any"},
    "bookkeeper-4-13": {"bookies": 2, "write_quorum": 1, "ack_quorum": 1, "ensemble_choice": "any"},
    "exactly-once": {"message_count": 1, "dup_count": 2},
    "exactly-once-atomic": {"max_queue": 2, "max_retry": 1},
    "kip320": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    "kip101": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
}


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.thorough] * spec.startswith("book")) for spec in SMALL]
)
def test_steps_at_small_constants_are_steps_of_the_reading(spec: str) -> None:
    rng = random.Random(1)
    reading = Reading(load(spec), SMALL[spec])
    seen = set()
    for before, taken, after in random_transitions(reading.model, 60, rng):
        assert reading.is_step(before, taken, after, rng), (taken, before, after)
        seen.add(taken.name)
    assert len(seen) > 5


def test_what_is_no_step_is_no_step_of_the_reading() -> None:
    """The check of steps can fail."""
    rng = random.Random(2)
    reading = Reading(load("kip320"), SMALL["kip320"])
    transitions = random_transitions(reading.model, 30, rng)
    pairs = zip(transitions, transitions[3:], strict=False)
    wrong = [(before, taken, other) for (before, taken, after), (_, _, other) in pairs if after != other]
    assert wrong
    assert not any(reading.is_step(before, taken, after, rng) for before, taken, after in wrong)


def test_what_the_table_says_stands_in_the_documentation() -> None:
    text = (ROOT / "docs" / "all-constants.md").read_text(encoding="utf-8")
    for one in APPROXIMATIONS:
        assert f"| {one.what} | {one.read_as} | {one.why} |" in text


# Proofs


def attempt_proof(kind: type[Protocol], name: str, **constants: Any) -> Attempt:
    return prove(Proofs.of(read_for_all(kind, constants)), name, Limits(300).begin())


def ticket_lock() -> type[Protocol]:
    return load(str(ROOT / "docs" / "tutorial" / "ticket_lock.py"))


def test_the_example_is_proved_and_its_certificate_checked() -> None:
    reading = read_for_all(ticket_lock(), {})
    attempt = prove(Proofs.of(reading), "mutual_exclusion", Limits(60).begin())
    assert attempt.proved
    assert attempt.needed == ("Typed", "holder_is_served", "tickets_differ", "tickets_were_drawn")
    assert reading.said == ("clients >= 1", "last_ticket >= 0")
    content = json.loads(dump(reading, attempt))
    assert check(reading, content, Limits(60).begin()).failed == ()


@pytest.mark.thorough
def test_a_certificate_that_leaves_something_out_is_refused() -> None:
    reading = read_for_all(ticket_lock(), {})
    attempt = prove(Proofs.of(reading), "mutual_exclusion", Limits(60).begin())
    content: Any = json.loads(dump(reading, attempt))
    fewer: Any = {**content, "obligations": content["obligations"][1:]}
    with pytest.raises(Misfit, match="leaves out"):
        check(reading, fewer, Limits(60).begin())
    step = next(one for one in content["obligations"] if one["kept"])
    weaker = [{**one, "kept": []} if one is step else one for one in content["obligations"]]
    with pytest.raises(Misfit, match="is not what it means here"):
        check(reading, content | {"obligations": weaker}, Limits(60).begin())
    more = [{**one, "with_stays": True} if one is step else one for one in content["obligations"]]
    with pytest.raises(Misfit, match="leaves out"):
        check(reading, content | {"obligations": more}, Limits(60).begin())
    with pytest.raises(Misfit, match="assumes other things"):
        check(reading, content | {"assumptions": []}, Limits(60).begin())


@pytest.mark.parametrize("other", ["holder_is_served", "Typed", "UndefinedRead", "NoDeadlock", "None"])
def test_a_certificate_is_of_an_invariant(other: str) -> None:
    """Whatever else its file claims to be of is refused: a lemma, another kind of property, nothing."""
    reading = read_for_all(ticket_lock(), {})
    content: Any = json.loads(dump(reading, Attempt("mutual_exclusion", kept=False)))
    with pytest.raises(Misfit, match=f"has none called {other}"):
        check(reading, content | {"property": other}, Limits(60).begin())


LOCK_MUTANTS = [
    ("draw", {"effect": 1}, "Draw"),
    ("enter", {"guard": 0}, "Enter"),
    ("leave", {"guard": 0}, "Leave"),
    ("leave", {"effect": 0}, "Leave"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "lacks", "at"), LOCK_MUTANTS)
def test_mutants_of_the_example_are_not_proved(method: str, lacks: dict[str, int], at: str) -> None:
    mutant = type(without(ticket_lock(), {}, method, **lacks))
    attempt = attempt_proof(mutant, "mutual_exclusion")
    assert not attempt.proved
    assert any(one.name.startswith(at) for one in attempt.open)


KIP320_MUTANTS = [
    ("controller_elect_leader", {"guard": 0}, "LeadersAreMembers"),
    ("controller_elect_leader", {"effect": 0}, "TypeOk"),
    ("controller_elect_leader", {"effect": 1}, "QuorumIsLastRequest"),
    ("controller_shrink_isr", {"effect": 2}, "QuorumIsLastRequest"),
    ("fenced_leader_shrink_isr", {"guard": 3}, "LeadersAreMembers"),
    ("fenced_leader_shrink_isr", {"effect": 0}, "TrueLeaderAgrees"),
    ("fenced_leader_shrink_isr", {"effect": 1}, "TrueLeaderAgrees"),
    ("leader_write", {"guard": 0}, "Typed"),
    ("leader_write", {"guard": 2}, "Typed"),
    ("leader_write", {"effect": 1}, "RecordsArePast"),
    ("fenced_leader_inc_high_watermark", {"guard": 0}, "HighWatermarkInLog"),
    ("fenced_leader_inc_high_watermark", {"guard": 1}, "FollowerAheadOfLeader"),
]
"""The missing line of an action, and a lemma that it then does not preserve."""


BOOKKEEPER_MUTANTS = [
    ("client_creates_ledger", {"guard": 0}, "OneCreator"),
    ("client_starts_recovery", {"guard": 0}, "CreationComesFirst"),
    ("client_starts_recovery", {"effect": 4}, "StatusTellsRole"),
    ("client_starts_recovery", {"effect": 0}, "MetadataTellsStage"),
    ("recovery_client_closes_ledger", {"guard": 1}, "OneClientCloses"),
    ("client_closes_ledger_success", {"guard": 2}, "OneClientCloses"),
    ("client_closes_ledger_success", {"effect": 3}, "MetadataTellsStage"),
    ("recovery_client_closes_ledger", {"guard": 5}, "MetadataTellsStage"),
    ("client_sends_recovery_read_requests", {"effect": 0}, "ReadsInOrder"),
    ("client_sends_recovery_read_requests", {"guard": 2}, "ReadsInOrder"),
    ("bookie_sends_add_confirmed_response", {"effect": 0}, "ConfirmedIsStored"),
]
"""Missing lines of bookkeeper's actions, and lemmas that these then do not preserve."""

BOOKKEEPER_4_13_MUTANTS = [
    ("w1_creates_ledger", {"guard": 0}, "StatusesAgree"),
    ("w1_sends_add_entry_requests", {"guard": 1}, "PendingAreUnconfirmed"),
    ("bookie_sends_add_confirmed_response", {"effect": 0}, "ConfirmedIsStored"),
    ("w1_close_ledger_success", {"guard": 2}, "StatusesAgree"),
    ("w1_close_ledger_success", {"effect": 3}, "ClosedWithLastConfirmed"),
    ("w2_place_in_recovery", {"effect": 4}, "StatusesAgree"),
    ("w2_sends_read_requests", {"guard": 2}, "ReadsGoInTurn"),
    ("w2_closes_ledger", {"guard": 4}, "ClosedWithLastConfirmed"),
    ("w2_closes_ledger", {"effect": 0}, "StatusesAgree"),
    ("w2_place_in_recovery", {"effect": 0}, "StatusesAgree"),
]
"""Missing lines of bookkeeper-4-13's actions, and lemmas that these then do not preserve."""


def results_of(spec: str, kind: type[Protocol], name: str, action: str, claim: str) -> list[Any]:
    """Return the results of the obligations that an action preserves a lemma, with little effort."""
    listed = Proofs.of(read_traced(kind, SMALL[spec])).list_obligations(name, kept=name == "WeakIsr")
    asked = [one for said in listed.claims if said.split(":")[0] == claim for one in listed.claims[said]]
    asked = [one for one in asked if one.at == action]
    assert asked
    return [decide(listed.obligations, one, EFFORTS[:4]) for one in asked]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["StrongIsr", "WeakIsr"])
@pytest.mark.parametrize(("method", "lacks", "claim"), KIP320_MUTANTS)
def test_mutants_of_kip320_are_not_proved(method: str, lacks: dict[str, int], claim: str, name: str) -> None:
    """Both proofs need these obligations."""
    require_open("kip320", name, method, lacks, claim)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "lacks", "claim"), BOOKKEEPER_MUTANTS)
def test_mutants_of_bookkeeper_are_not_proved(method: str, lacks: dict[str, int], claim: str) -> None:
    require_open("bookkeeper", "NoDivergence", method, lacks, claim)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "lacks", "claim"), BOOKKEEPER_4_13_MUTANTS)
def test_mutants_of_bookkeeper_4_13_are_not_proved(method: str, lacks: dict[str, int], claim: str) -> None:
    require_open("bookkeeper-4-13", "NoDivergence", method, lacks, claim)


@pytest.mark.slow
def test_recovery_reads_that_do_not_fence_are_not_proved() -> None:
    """A bookie that lacks an entry can then still take it: what release 4.13 does."""
    kind = load("bookkeeper-4-13")
    asked = "NoDivergence", "BookieSendsReadResponse", "NoSuchEntryIsFinal"
    assert any(isinstance(result, Open) for result in results_of("bookkeeper-4-13", kind, *asked))
    fencing = {**SMALL["bookkeeper-4-13"], "recovery_reads_fence": True}
    listed = Proofs.of(read_traced(kind, fencing)).list_obligations(asked[0], kept=False)
    of_lemma = [one for one in listed.claims[asked[2]] if one.at == asked[1]]
    assert of_lemma
    assert all(isinstance(decide(listed.obligations, one, EFFORTS[:4]), Shown) for one in of_lemma)


def require_open(spec: str, name: str, method: str, lacks: dict[str, int], claim: str) -> None:
    """Obligations of the mutant are open. Those of the protocol itself are shown with the same effort."""
    kind = load(spec)
    mutant = type(without(kind, {}, method, **lacks))
    action = title_of(method)
    assert any(isinstance(result, Open) for result in results_of(spec, mutant, name, action, claim))
    assert all(isinstance(result, Shown) for result in results_of(spec, kind, name, action, claim))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["StrongIsr", "WeakIsr"])
def test_kip320_is_proved_for_all_constants(name: str) -> None:
    reading = read_for_all(load("kip320"), {})
    attempt = prove(Proofs.of(reading), name, Limits(600).begin())
    assert attempt.proved, attempt.open
    assert check(reading, json.loads(dump(reading, attempt)), Limits(600).begin()).failed == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "at"),
    [
        ("kip101", "BecomeFollowerTruncateKip101"),
        ("kip279", "BecomeFollowerTruncateKip279"),
        ("kip320-first-try", "FollowerTruncate"),
    ],
)
def test_what_loses_data_is_not_proved(spec: str, at: str) -> None:
    """Open is, among others, the action by which the known violation happens."""
    attempt = attempt_proof(load(spec), "StrongIsr")
    assert not attempt.proved
    assert any(one.name.startswith(f"{at} StrongIsr") for one in attempt.open)


def test_what_is_said_of_truth_values_is_said_of_both() -> None:
    logic = Logic()
    truth, element = logic.variable(BOOL), logic.variable("sort thing")
    clause = Clause((truth, element), logic.disj((truth, logic.app("is", BOOL, (element,)))))
    terms = [logic.app("one", "sort thing"), logic.app("some truth", BOOL)]
    found = [body for _, body in instances(logic, Kinds(), clause, terms)]
    assert found == [logic.app("is", BOOL, (terms[0],))]  # of true it says nothing
    assert number_of_instances(logic, Kinds(), clause, terms) == 2


# No proof is vacuous


def test_no_guard_contradicts_the_lemmas() -> None:
    """At small constants each action of kip320 is taken in some reachable state, where all lemmas hold."""
    rng = random.Random(3)
    reading = Reading(load("kip320"), SMALL["kip320"])
    system, seen = reading.system, set()
    for before, taken, _ in random_transitions(reading.model, 150, rng):
        if taken.name not in seen:
            seen.add(taken.name)
            structure = reading.structure(before, taken, rng)
            names = [lemma.name for lemma in reading.reading.definition.lemmas]
            assert all(structure.value(system.formula(name, system.before)) for name in names)
    assert seen == {step.name for step in system.steps}


@pytest.mark.thorough
@pytest.mark.parametrize("solver", SCRIPT_SOLVERS)
@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("kip320", "StrongIsr"),
        pytest.param("pulsar-compaction", "CompactionHorizonCorrectness", marks=pytest.mark.slow),
        pytest.param("exactly-once", "Safety", marks=pytest.mark.slow),
        pytest.param("exactly-once-atomic", "Safety", marks=pytest.mark.slow),
        ("rabbit-sac", "DeadlockPerfect"),
        ("rabbit-sac-restart", "DeadlockPerfect"),
    ],
)
def test_the_lemmas_alone_do_not_contradict_each_other(solver: str, spec: str, name: str) -> None:
    """Neither solver finds a contradiction in what every proof assumes."""
    proofs = Proofs.of(read_traced(load(spec), {}))
    obligations = proofs.list_obligations(name, kept=False, with_stays=spec.startswith("exactly")).obligations
    premises = obligations.premises
    lemmas = [(n, close_clause(obligations.logic, c, premises.leads)) for n, c in premises.hypotheses]
    constants = [("", clause.body) for clause in obligations.constants]
    definitions = premises.definitions(node for _, node in lemmas)
    asked = script(constants, definitions, [("", name, node) for name, node in lemmas])
    assert decide_script(solver, asked, (), 50_000).answer is not Answer.UNSATISFIABLE


# What cannot be read


class Unrolled(Protocol, camel_case=True):
    n = IntegerConstant(2)

    def state(self) -> State:
        return State(x=Range(0, self.n))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[any_of(*(s.x == i for i in range(self.n)))], then={s.x: s.x + 1})

    @invariant
    def small(self, s: Any) -> Any:
        return s.x <= self.n


class Decided(Unrolled):
    @action
    def up(self, s: Any) -> Step:
        most = self.n if self.n > 1 else 1
        return Step(when=[s.x < most], then={s.x: s.x + 1})


class Summed(Unrolled):
    @action
    def up(self, s: Any) -> Step:
        return Step(when=[sum_of(s.x for _ in Range(0, self.n)) < 9], then={s.x: 0})


class Divided(Unrolled):
    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n // 2], then={s.x: s.x + 1})


def test_a_loop_over_a_constant_is_refused_with_its_place() -> None:
    with pytest.raises(NotParametric, match=r"test_parametric.py, line .*: n is made a plain integer"):
        read_for_all(Unrolled, {})


def test_a_decision_on_a_constant_is_an_assumption_with_its_place() -> None:
    reading = read_for_all(Decided, {})
    assert [one.words for one in reading.assumptions] == ["n >= 0", "n > 1"]
    assert re.fullmatch(r"n > 1 \(test_parametric.py, line \d+\)", reading.said[1])
    assert attempt_proof(Decided, "Small").proved


def test_what_has_no_reading_is_refused_with_its_place() -> None:
    with pytest.raises(NotParametric, match="action Up: sum of has no parametric reading"):
        attempt_proof(Summed, "Small")
    with pytest.raises(NotParametric, match=r"test_parametric.py, line .*: n is divided"):
        read_for_all(Divided, {})


class Ordered(Unrolled):
    """A protocol whose own assumptions count as declared."""

    last = IntegerConstant(4)

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.n < self.last, "n < last")]

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n, s.x < self.last], then={s.x: s.x + 1})


class OrderedTwice(Ordered):
    """The code decides the same again. Nobody knows whether the proof needs the one or the other."""

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < (self.n if self.n < self.last else 0)], then={s.x: s.x + 1})


class AlwaysSo(Unrolled):
    """Code that decides what the declared bounds imply."""

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < (self.n if self.n + 1 > 0 else 7)], then={s.x: s.x + 1})


def test_assumptions_that_the_protocol_declares() -> None:
    reading = read_for_all(Ordered, {})
    assert [one.words for one in reading.assumptions] == ["n >= 0", "last >= 0", "n < last"]
    assert reading.beyond_declared == ()
    assert len(read_for_all(OrderedTwice, {}).beyond_declared) == 1
    assert read_for_all(AlwaysSo, {}).said == ("n >= 0",)


class OneValue(Unrolled):
    """The constant has no other value, so the reading is known for this one only."""

    n = IntegerConstant(2, minimum=2, maximum=2)
    other = IntegerConstant(1)

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n], then={s.x: s.x + 1})


def test_a_constant_that_cannot_move_is_assumed_to_have_its_value() -> None:
    beyond = read_for_all(OneValue, {}).beyond_declared
    assert [words.partition(" (")[0] for words in beyond] == ["n == 2"]


class FewWaiting(Protocol, camel_case=True):
    """At most one client waits: whoever wants to, while nobody does."""

    clients = IndexSetConstant(2, kind="client")

    def state(self) -> State:
        return State(waiting=Set(self.clients))

    def init(self, s: Any) -> Any:
        return s.waiting.is_empty

    @action(client="clients")
    def wait(self, s: Any, client: Any) -> Step:
        return Step(when=[s.waiting.cardinality < 1], then={s.waiting: s.waiting.add(client)})

    @invariant
    def few(self, s: Any) -> Any:
        return count(s.waiting.contains(c) for c in self.clients) <= 1

    @invariant(default=False)
    def none(self, s: Any) -> Any:
        return s.waiting.cardinality == 0


def test_small_numbers_of_elements_are_read() -> None:
    assert attempt_proof(FewWaiting, "Few").proved
    assert not attempt_proof(FewWaiting, "None").proved


# The command


def test_the_command_says_all(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    spec = str(ROOT / "docs" / "tutorial" / "ticket_lock.py")
    asked = ("prove", "--spec", spec, "--property", "mutual_exclusion", "--all-constants")
    done = verify(*asked, "--certificate", str(proof), "--format", "json")
    content = json.loads(done.stdout)
    assert (done.exit_code, content["constants"]) == (0, "all")
    assert content["assumptions"] == ["clients >= 1", "last_ticket >= 0"]
    assert content["results"][0]["verdict"] == "PROVED"
    assert "client(2)" not in content["asked"]["mutual_exclusion"]["says"]
    again = verify("certify", str(proof), "--spec", spec)
    assert again.exit_code == 0
    assert "mutual_exclusion  PROVED" in again.output


def test_formulas_for_all_constants_have_the_names_of_constants() -> None:
    says = say_formulas(read_for_all(load("kip320"), {}))["WeakIsr"]
    assert says.startswith("∀ leader ∈ replica: ")
    assert "∀ offset ∈ 0..log_size - 1: " in says


def test_a_certificate_is_good_wherever_the_file_of_its_protocol_is(tmp_path: Path) -> None:
    proof, there = tmp_path / "proof.json", tmp_path / "moved.py"
    written = (ROOT / "tests" / "support" / "misread_constants.py").read_text(encoding="utf-8")
    there.write_text(f"# One line more.\n{written}", encoding="utf-8")
    spec = f"{ROOT / 'tests' / 'support' / 'misread_constants.py'}:Matched"
    asked = ("--property", "Inv", "--all-constants", "--certificate", str(proof))
    assert verify("prove", "--spec", spec, *asked).exit_code == 0
    again = verify("certify", str(proof), "--spec", f"{there}:Matched")
    assert (again.exit_code, "n != 7 (moved.py, line" in again.output) == (0, True)


def test_the_command_does_not_say_all_where_code_decides_on_a_constant() -> None:
    spec = f"{ROOT / 'tests' / 'support' / 'misread_constants.py'}:Matched"
    asked = ("prove", "--spec", spec, "--property", "Inv", "--all-constants")
    content = json.loads(verify(*asked, "--format", "json").stdout)
    assert (content["results"][0]["verdict"], content["constants"]) == ("PROVED", "assumed")
    (beyond,) = content["beyond_declared"]
    assert beyond.startswith("n != 7 (")
    assert beyond in content["assumptions"]
    assert "warning: the protocol does not declare n != 7" in verify(*asked).output


def test_what_was_not_tried_is_told_from_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a proof of another property, which says nothing of either. No violation is searched here."""
    monkeypatch.setattr("verifier.runs.all_constants._violation", lambda *_: None)
    loaded = load_spec(f"{ROOT / 'tests' / 'support' / 'toys.py'}:LockServer", {})
    names = ["HolderWaitsNoMore", "NotAllAsk"]
    run = execute("prove", loaded, engine_named("prove").options_for(names, {"all_constants": True}))
    outcome = run.outcome
    assert isinstance(outcome, AllConstantsOutcome)

    def render(tried: Sequence[Attempt]) -> str:
        shown = replace(run, outcome=replace(outcome, attempts=tuple(tried)))
        return " ".join(" ".join(str(line) for line in render_for_all(shown, 200, full=False)).split())

    assert outcome.verdicts[1].kind is VerdictKind.INCONCLUSIVE
    tried = render(outcome.attempts)
    assert "NotAllAsk was tried and is neither proved nor refuted, at any constants: 1 of its" in tried
    assert "may decide it: verify prove " in tried
    assert "toys.py --property NotAllAsk" in tried
    assert "HolderWaitsNoMore was" not in tried
    assert "NotAllAsk was not tried, so nothing is known of it" in render(outcome.attempts[:1])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--set", "clients=4"), "proves for every clients"),
        (("--property", "Nothing"), "Nothing"),
    ],
)
def test_wrong_usage(more: tuple[str, ...], says: str) -> None:
    spec = str(ROOT / "docs" / "tutorial" / "ticket_lock.py")
    done = verify("prove", "--spec", spec, "--all-constants", *more)
    assert done.exit_code == 2
    assert says in done.output


class TwoCounters(Protocol, camel_case=True):
    """Two counters, each within its range."""

    last = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.last), y=Range(0, self.last))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == 0)

    @action
    def up(self, s: Any) -> Step:
        return Step(when=s.x < self.last, then={s.x: s.x + 1, s.y: s.x + 1})

    @invariant
    def alike(self, s: Any) -> Any:
        return s.x == s.y

    @invariant
    def small(self, s: Any) -> Any:
        return s.x <= self.last


@pytest.mark.parametrize("within", [True, False])
def test_the_user_ends_all_properties(within: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the proof that is being searched, and those that would have come after it."""
    asked: list[int] = []

    def interrupt(*_: Any) -> Any:
        asked.append(1)
        raise KeyboardInterrupt

    # The first is raised while the processes are waited for, the second between them.
    monkeypatch.setattr(f"verifier.parametric.proving.{'run_tasks' if within else '_result'}", interrupt)
    found = prove_all(read_for_all(TwoCounters, {}), ["Alike", "Small"], Limits(60))
    assert [str(verdict.reason) for verdict in found.verdicts] == ["interrupted", "interrupted"]
    assert found.interrupted
    assert len(asked) == 1
