"""Induction with lemmas: toys with known answers, KIP-320 and what breaks it, and the command line."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support import toys
from tests.support.command_line import LOCK, TOYS, verify
from tests.support.explicit import explore
from tests.support.models import build
from tests.support.sampling import first_of, some_of
from tests.support.weakened import without
from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import conjunction, equivalence, restrict_formula
from verifier.encodings.quantifiers import choose
from verifier.encodings.renaming import rename_bits
from verifier.encodings.sorts import Range
from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.engines.inductive_question import Kind
from verifier.engines.recheck import choose_induction_rechecker
from verifier.errors import UsageError
from verifier.processes.limits import Limits
from verifier.solvers import Answer, open_solver
from verifier.solvers.cadical_backend import CadicalSolver
from verifier.solvers.solver_names import BACKENDS, SOLVER_NAMES
from verifier.specs.kafka.kip320 import Kip320
from verifier.specs.protocol import (
    DefinitionError,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    define,
    invariant,
    lemma,
)
from verifier.symmetry.instance_orbits import list_images
from verifier.trust.certify import CheckReport, FailedObligation
from verifier.verdict import VerdictKind

PROVED, NOT_INDUCTIVE, VIOLATED = VerdictKind.PROVED, VerdictKind.NOT_INDUCTIVE, VerdictKind.VIOLATED


class Pair(Protocol, camel_case=True):
    """Two counters that go up together, and a third that counts on its own."""

    top = IntegerConstant(4)

    def state(self) -> State:
        return State(x=Range(0, self.top), y=Range(0, self.top), z=Range(0, self.top))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == 0) & (s.z == 0)

    @action()
    def both(self, s: Any) -> Step:
        return Step(when=[s.x < self.top, s.y < self.top], then={s.x: s.x + 1, s.y: s.y + 1})

    @action()
    def third(self, s: Any) -> Step:
        return Step(when=[s.z < self.top, s.x != s.y], then={s.z: s.z + 1})

    @invariant()
    def third_rests(self, s: Any) -> Any:
        return s.z == 0

    @lemma()
    def together(self, s: Any) -> Any:
        """Only one action changes them, and it changes both."""
        return s.x == s.y

    @lemma()
    def stays_low(self, s: Any) -> Any:
        """Not so."""
        return s.x < 2

    @lemma()
    def in_range(self, s: Any) -> Any:
        """True, and of no use."""
        return s.z <= self.top


def prove_by_induction(protocol: Protocol, name: str, **options: Any) -> InductionOutcome:
    return induct(build(protocol), Request(name, **options))


def kip320(replicas: int, log_size: int, records: int, epochs: int) -> Kip320:
    return Kip320(
        {"replicas": replicas, "log_size": log_size, "max_records": records, "max_leader_epoch": epochs}
    )


def failing(outcome: InductionOutcome) -> set[tuple[str | None, str]]:
    return {(item.action, item.formula) for item in outcome.obligations if item.holds is False}


# Toys


def test_a_property_that_is_inductive_by_itself_is_proved() -> None:
    assert prove_by_induction(toys.Chain(), "StartsLow").verdicts[0].kind is PROVED
    assert prove_by_induction(toys.LockServer(), "HolderWaitsNoMore").verdicts[0].kind is PROVED


def test_a_violation_in_a_state_without_successor_is_no_proof() -> None:
    verdict = prove_by_induction(toys.Chain(), "NeverTop").verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert verdict.trace is not None
    assert [state["x"] for state in verdict.trace.states] == [1, 2]
    assert "may be unreachable" in str(verdict.reason)


def test_a_reachable_first_state_makes_the_counterexample_a_violation() -> None:
    verdict = prove_by_induction(toys.Chain(), "NeverTop", reachable=2).verdicts[0]
    assert verdict.kind is VIOLATED
    assert verdict.trace is not None
    assert [state["x"] for state in verdict.trace.states] == [0, 1, 2]


def test_an_unreachable_first_state_is_said_to_be_so() -> None:
    verdict = prove_by_induction(Pair(), "ThirdRests", lemmas=(), reachable=5).verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert "not reached within 5 actions" in str(verdict.reason)


def test_a_property_that_fails_initially_is_violated() -> None:
    verdict = prove_by_induction(toys.Chain(), "NotAtStart").verdicts[0]
    assert (verdict.kind, verdict.steps) == (VIOLATED, 0)


def test_an_action_that_would_leave_a_sort_is_no_proof() -> None:
    assert prove_by_induction(toys.Overflow(), "Small").verdicts[0].kind is not PROVED


def test_free_parameters_take_part_in_counterexamples() -> None:
    verdict = prove_by_induction(toys.Lottery(), "SomeLeft").verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert verdict.trace is not None
    assert "group" in verdict.trace.actions[0].parameters


def test_lemmas_prove_what_is_not_inductive() -> None:
    assert prove_by_induction(Pair(), "ThirdRests", lemmas=()).verdicts[0].kind is NOT_INDUCTIVE
    outcome = prove_by_induction(Pair(), "ThirdRests", lemmas=("Together",))
    assert outcome.verdicts[0].kind is PROVED
    assert set(outcome.invariant) == {"Typed", "TypeInvariant", "Together", "ThirdRests"}


def test_a_false_lemma_fails_where_it_is_broken() -> None:
    outcome = prove_by_induction(Pair(), "ThirdRests")
    assert outcome.verdicts[0].kind is NOT_INDUCTIVE
    assert failing(outcome) == {("Both", "StaysLow")}


def test_houdini_leaves_out_what_falls() -> None:
    outcome = prove_by_induction(Pair(), "ThirdRests", houdini=True)
    assert outcome.verdicts[0].kind is PROVED
    assert [(item.formula, item.fell_at) for item in outcome.left_out] == [("StaysLow", "Both()")]
    assert "InRange" in outcome.invariant


def test_minimise_leaves_out_what_is_not_needed() -> None:
    outcome = prove_by_induction(Pair(), "ThirdRests", minimise=True)
    assert outcome.verdicts[0].kind is PROVED
    assert {item.formula for item in outcome.left_out} == {"StaysLow", "InRange"}


def test_houdini_does_not_save_a_false_property() -> None:
    assert prove_by_induction(toys.Chain(), "NeverTop", houdini=True).verdicts[0].kind is NOT_INDUCTIVE


def test_unknown_lemmas_and_reachable_properties_are_turned_down() -> None:
    with pytest.raises(UsageError, match="Together"):
        prove_by_induction(Pair(), "ThirdRests", lemmas=("Togethr",))
    with pytest.raises(UsageError, match="reachable"):
        prove_by_induction(toys.Corridor(), "AtFour")


def test_a_lemma_is_part_of_the_hash_and_no_property() -> None:
    """The answers of induction depend on the lemmas."""

    class Plain(Pair):
        """Without a lemma of the base class."""

        name = "pair"
        together = None  # type: ignore[assignment]

    with_lemmas, without = define(Pair()), define(Plain())
    assert with_lemmas.spec_hash != without.spec_hash
    assert "Together" not in {prop.name for prop in with_lemmas.properties}


def test_a_lemma_that_tells_elements_apart_is_turned_down() -> None:
    class Ordered(toys.LockServer):
        """Its lemma takes the first client in order."""

        @lemma()
        def first_comes_first(self, s: Any) -> Any:
            return s.holder == choose(self.clients, lambda c: ~s.asked.contains(c))

    with pytest.raises(DefinitionError, match="FirstComesFirst"):
        build(Ordered())


@pytest.mark.parametrize("rules", first_of(range(40), 10))
def test_what_is_proved_of_random_protocols_is_never_violated(rules: int) -> None:
    model = build(RandomProtocol({"rules": rules}))
    steps = explore(model).steps
    for name in NAMES:
        kinds = {induct(model, Request(name, symmetry=s)).verdicts[0].kind for s in (True, False)}
        assert len(kinds) == 1
        assert kinds != {PROVED} or steps.get(name) is None


# Orbits


@pytest.mark.parametrize("protocol", [kip320(3, 1, 1, 1), toys.LockServer(), toys.Matchmaker()])
def test_instances_are_images_of_their_representatives(protocol: Protocol) -> None:
    """Renaming commutes with taking the instance, on every valid state."""
    model = build(protocol)
    system = model.system
    cnf = Clausifier()
    cnf.assert_term(system.valid)
    solver = open_solver("cadical")
    for image in list_images(model.definition, system):
        own, other = system.instances[image.instance], system.instances[image.of]
        renamed = dict(zip(system.bits, rename_bits(model.layout, image.renaming), strict=True))
        after = {bit: other.updates.get(bit, bit) for bit in system.bits}
        same = [equivalence(restrict_formula(own.guard, renamed), other.guard)]
        for bit in system.bits:
            taken_then_renamed = restrict_formula(renamed[bit], after)
            renamed_then_taken = restrict_formula(own.updates.get(bit, bit), renamed)
            same.append(equivalence(taken_then_renamed, renamed_then_taken))
        agrees = cnf.literal(same[0])
        follows = cnf.literal(conjunction(same[1:]))
        guard = cnf.literal(other.guard)
        solver.add_clauses(cnf.clauses)
        assert solver.solve([-agrees]) is Answer.UNSATISFIABLE
        assert solver.solve([guard, -follows]) is Answer.UNSATISFIABLE


# KIP-320


@pytest.mark.thorough
@pytest.mark.parametrize("constants", [(2, 1, 1, 1), (2, 3, 2, 2), (3, 2, 2, 2)])
@pytest.mark.parametrize("name", ["StrongIsr", "WeakIsr"])
def test_the_lemmas_of_kip320_are_inductive(constants: tuple[int, int, int, int], name: str) -> None:
    outcome = prove_by_induction(kip320(*constants), name)
    assert outcome.verdicts[0].kind is PROVED
    assert (Kind.SAFETY in {item.kind for item in outcome.obligations}) == (name == "StrongIsr")


@pytest.mark.thorough
def test_representatives_suffice_for_kip320() -> None:
    some, every = (prove_by_induction(kip320(3, 1, 1, 1), "StrongIsr", symmetry=s) for s in (True, False))
    assert some.verdicts[0].kind is every.verdicts[0].kind is PROVED
    assert some.asked < every.asked / 2


@pytest.mark.slow
@pytest.mark.parametrize("replicas", [2, 3])
@pytest.mark.parametrize("log_size", range(1, 4))
@pytest.mark.parametrize("records", range(1, 4))
@pytest.mark.parametrize("epochs", range(4))
def test_the_lemmas_of_kip320_are_inductive_on_a_grid(
    replicas: int, log_size: int, records: int, epochs: int
) -> None:
    protocol = kip320(replicas, log_size, records, epochs)
    for name in ("StrongIsr", "WeakIsr"):
        assert prove_by_induction(protocol, name).verdicts[0].kind is PROVED


_TRUNCATE = "fenced_become_follower_and_truncate"
GUARDS = [
    ("controller_elect_leader", 0, ("ControllerElectLeader", "LeadersAreMembers")),
    ("become_leader", 1, ("BecomeLeader", "LeaderCameFirst")),
    ("fenced_leader_expand_isr", 1, ("FencedLeaderExpandIsr", "LaggardWasMember")),
    ("fenced_leader_expand_isr", 2, ("FencedLeaderExpandIsr", "Committed")),
    ("fenced_leader_expand_isr", 3, ("FencedLeaderExpandIsr", "Committed")),
    ("fenced_leader_shrink_isr", 3, ("FencedLeaderShrinkIsr", "TrueLeaderAgrees")),
    ("fenced_leader_inc_high_watermark", 0, ("FencedLeaderIncHighWatermark", "HighWatermarkInLog")),
    ("fenced_leader_inc_high_watermark", 1, ("FencedLeaderIncHighWatermark", "Committed")),
    (_TRUNCATE, 1, ("FencedBecomeFollowerAndTruncate", "LeaderCameFirst")),
    (_TRUNCATE, 4, ("FencedBecomeFollowerAndTruncate", "LeaderCameFirst")),
    ("fenced_follower_fetch", 0, ("FencedFollowerFetch", "FollowerHasPrefix")),
]


@pytest.mark.parametrize(("method", "line", "broken"), some_of(GUARDS, every=2))
def test_dropping_a_guard_breaks_a_lemma(method: str, line: int, broken: tuple[str, str]) -> None:
    outcome = prove_by_induction(without(Kip320, {"replicas": 3}, method, guard=line), "StrongIsr")
    verdict = outcome.verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert broken in failing(outcome)
    assert {action for action, _ in failing(outcome)} == {broken[0]}
    assert broken[0] in str(verdict.reason)
    assert verdict.trace is not None
    assert verdict.trace.actions[0].name == broken[0]


# What was concluded is checked again


def _rechecking(claim: Any) -> Any:
    """In the place of the check by another solver: one that reports that, or goes on forever."""

    def work_of(*_: Any) -> Any:
        def work(report: Any, incoming: Any) -> None:
            if claim is None:
                incoming.recv()
            report(claim)

        return work

    return work_of


def test_a_proof_names_who_checked_it_again() -> None:
    outcome = prove_by_induction(toys.Chain(), "StartsLow")
    assert outcome.verdicts[0].kind is PROVED
    assert outcome.rechecked is not None
    assert outcome.rechecked.solver == "minisat"
    assert outcome.rechecked.certificate.property_name == "StartsLow"
    assert prove_by_induction(toys.Chain(), "NeverTop").rechecked is None


@pytest.mark.parametrize(
    ("claim", "kind", "words"),
    [
        (
            CheckReport(1, (FailedObligation("Count() keeps it", certain=True),), 0.0, 1),
            VerdictKind.ERROR,
            "refutes",
        ),
        (
            CheckReport(1, (FailedObligation("safety", certain=False),), 0.0, 1),
            VerdictKind.INCONCLUSIVE,
            "gave up",
        ),
        (None, VerdictKind.INCONCLUSIVE, "did not finish checking it: timeout"),
    ],
)
def test_what_does_not_pass_again_is_not_proved(
    monkeypatch: pytest.MonkeyPatch, claim: Any, kind: VerdictKind, words: str
) -> None:
    monkeypatch.setattr("verifier.engines.induction.recheck_work", _rechecking(claim))
    outcome = prove_by_induction(toys.Chain(), "StartsLow", limits=Limits(3))
    assert outcome.verdicts[0].kind is kind
    assert words in str(outcome.verdicts[0].reason)
    assert outcome.rechecked is None


@pytest.mark.parametrize("solver", SOLVER_NAMES)
def test_another_program_checks_a_proof(solver: str) -> None:
    found, checked = BACKENDS[solver], BACKENDS[choose_induction_rechecker(solver)]
    assert found.kind != checked.kind


@pytest.mark.parametrize("checker", ["another", "the same"])
def test_a_solver_that_is_wrong_proves_nothing(monkeypatch: pytest.MonkeyPatch, checker: str) -> None:
    monkeypatch.setattr(CadicalSolver, "_decide", lambda *_: Answer.UNSATISFIABLE)
    monkeypatch.setattr(CadicalSolver, "_read_core", lambda *_: ())
    monkeypatch.setattr("verifier.engines.induction.require_initial_state", lambda _: None)
    monkeypatch.setattr("verifier.trust.certify.require_initial_state", lambda _: None)
    if checker == "the same":  # the condition
        monkeypatch.setattr("verifier.engines.induction.choose_induction_rechecker", lambda solver: solver)
    verdict = prove_by_induction(toys.Chain(), "NeverTop").verdicts[0]
    assert verdict.kind is (PROVED if checker == "the same" else VerdictKind.ERROR)


# The command line


def test_the_table_and_the_counterexample_are_shown() -> None:
    done = verify("induct", "--spec", f"{TOYS}:Chain", "--property", "NeverTop")
    assert done.exit_code == 11
    assert "some state (may be unreachable)" in done.stdout
    assert "may be unreachable" in done.stdout
    assert "fails" in done.stdout


@pytest.mark.thorough
def test_json_has_the_obligations() -> None:
    done = verify("induct", "--spec", "kip320", "--set", "replicas=2", "--format", "json")
    result = json.loads(done.stdout)
    assert (done.exit_code, result["exit_code"]) == (0, 0)
    assert {item["property"]: item["verdict"] for item in result["results"]} == {
        "TypeOk": "PROVED",
        "WeakIsr": "PROVED",
        "StrongIsr": "PROVED",
    }
    assert {item["rechecked_by"] for item in result["proofs"]} == {"minisat"}
    assert all(item["recheck_seconds"] >= 0 for item in result["proofs"])
    cells = result["statistics"]["properties"]["TypeOk"]["obligations"]
    assert {"FencedFollowerFetch", None} <= {cell["action"] for cell in cells}
    assert all(cell["holds"] for cell in cells)


def test_expectations_count() -> None:
    arguments = ("induct", "--spec", f"{TOYS}:Chain", "--property", "NeverTop", "--expect", "not_inductive")
    assert verify(*arguments).exit_code == 0


def test_time_that_is_over_decides_nothing() -> None:
    arguments = [f"--set={name}=5" for name in ("replicas", "log_size", "max_records", "max_leader_epoch")]
    done = verify("induct", "--spec", "kip320", "--property", "StrongIsr", "--timeout", "2s", *arguments)
    assert done.exit_code == 12
    assert "timeout" in done.stdout


def test_the_table_explains_its_cells() -> None:
    said = verify("induct", LOCK).stdout
    legend = said[said.index("\n", said.index(" init ")) :].partition("\n\n")[0]
    for words in (
        " Typed  each variable has a value of its sort",
        "  init  each initial state satisfies the formula",
        "safety  the lemmas imply the property",
        "  0.00  proved, in so many seconds (·: nothing to prove)",
    ):
        assert re.search(rf"^ *{re.escape(words)}$", legend, re.MULTILINE), legend


def test_one_action_instance_is_called_the_only_one() -> None:
    said = " ".join(verify("induct", f"{TOYS}:Chain", "--property", "StartsLow").stdout.split())
    assert "covering the only action instance." in said
    assert "1 action instances" not in " ".join(verify("show", f"{TOYS}:Chain").stdout.split())
    lock = " ".join(verify("induct", LOCK, "--no-symmetry").stdout.split())
    assert "covering all 6 action instances." in lock
