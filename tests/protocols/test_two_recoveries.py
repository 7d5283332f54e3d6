"""Two recoveries: the execution, its confirmation by TLC on the original text, and what follows from it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.bookkeeper_tla import configuration, make_guided_module, onward
from tests.support.command_line import run_generator, verify
from tests.support.lemma_grid import by_lemmas, is_proved
from tests.support.models import build
from tests.support.two_recoveries import (
    ACTIONS,
    CONSTANTS,
    VIOLATED,
    beginning_after,
    find_fired,
    two_recoveries,
)
from tests.support.weakened import without
from verifier.encodings.quantifiers import count, exists, forall, if_, maximum
from verifier.engines.explore import Exploration, Request, explore
from verifier.specs.bookkeeper.bookkeeper import BookKeeper
from verifier.specs.protocol import Step, action, free, invariant, lemma
from verifier.trust.replay import Replayer
from verifier.trust.trace import Trace
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.thorough

SHARED = Path(__file__).parents[3] / "shared" / "tla"
TLC, ORIGINAL = SHARED / "tlc", SHARED / "upstream" / "bookkeeper-tlaplus"
KEPT = ("NoDivergenceBetweenClientAndMetaData", "AllAckedEntriesAreReadable", "NoOutOfOrderEntries")
ONWARD_STATES = 9072
"""Reachable from the last state; counted by TLC as well."""

needs_tlc = pytest.mark.skipif(
    not (TLC.is_file() and ORIGINAL.is_dir() and shutil.which("java")), reason="needs TLC, the original, Java"
)


def run_tlc(folder: Path, trace: Trace, module: str, text: str, *options: str) -> str:
    """Return TLC's output on a module that extends the original, which is copied beside it."""
    invariants = ["TypeOK", *KEPT, *([VIOLATED] if module == "Guided" else [])]
    for name in ("BookKeeperProtocol.tla", "MessagePassing.tla"):
        shutil.copyfile(ORIGINAL / name, folder / name)
    (folder / f"{module}.tla").write_text(text, encoding="utf-8")
    (folder / f"{module}.cfg").write_text(configuration(trace, module, invariants), encoding="utf-8")
    files = ("-metadir", str(folder / "states"), "-config", f"{module}.cfg", f"{module}.tla")
    command = [str(TLC), "-workers", "1", *options, *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


# The execution


def test_a_committed_entry_is_on_too_few_bookies() -> None:
    _, trace = two_recoveries()
    last: Any = trace.states[-1]
    assert [str(action) for action in trace.actions] == ACTIONS
    assert (trace.steps, last["meta_status"], last["meta_last_entry"]) == (30, "CLOSED", 1)
    stored = {str(b) for b, entries in last["b_entries"].items() if entries[1] is not None}
    assert (stored, {str(b) for b in last["meta_fragments"][1]}) == ({"b1", "b3"}, {"b1", "b2"})


def test_the_entry_was_never_acknowledged_to_the_writer() -> None:
    _, trace = two_recoveries()
    for state in trace.states:
        creator: Any = next(iter(state["clients"].values()))  # type: ignore[attr-defined]
        assert creator["lac"] == 0


def test_the_written_trace_replays(tmp_path: Path) -> None:
    file = tmp_path / "two.itf.json"
    run_generator("two_recoveries", str(file))
    done = verify("replay", str(file))
    said = f"replayed: 30 actions, {VIOLATED} fails in the last state"
    assert (done.exit_code, said in done.stdout) == (0, True), done.output


@pytest.mark.slow
def test_bounded_model_checking_finds_such_an_execution() -> None:
    constants = [word for name, value in CONSTANTS.items() for word in ("--set", f"{name}={value}")]
    search = ("--steps", "parallel", "--solver", "cadical", "--depth", "30", "--property", VIOLATED)
    done = verify("bmc", "--spec", "bookkeeper", *constants, *search)
    assert (done.exit_code, f"{VIOLATED}: VIOLATED" in done.stdout) == (10, True), done.output


# TLC, on the original text


@needs_tlc
def test_tlc_follows_the_execution_to_the_violation(tmp_path: Path) -> None:
    _, trace = two_recoveries()
    said = run_tlc(tmp_path, trace, "Guided", make_guided_module(trace))
    assert f"Invariant {VIOLATED} is violated." in said, said
    assert "31 distinct states found" in said
    assert (said.count("<GuidedNext"), "/\\ step = 30\n" in said) == (30, True)


@needs_tlc
@pytest.mark.parametrize("place", ["state", "action"])
def test_tlc_follows_nothing_else(tmp_path: Path, place: str) -> None:
    """With one value of a state changed, or one action named wrongly, it gets stuck before that step."""
    _, trace = two_recoveries()
    if place == "state":
        states = list(trace.states)
        states[20] = {**states[20], "meta_version": 1}
        wrong = replace(trace, states=tuple(states))
    else:
        actions = [*trace.actions[:19], trace.actions[0], *trace.actions[20:]]
        wrong = replace(trace, actions=tuple(actions))
    said = run_tlc(tmp_path, trace, "Guided", make_guided_module(wrong))
    assert "Error: Deadlock reached." in said, said
    assert ("20 distinct states found" in said, "is violated" in said) == (True, False)


@needs_tlc
@pytest.mark.slow
def test_tlc_finds_nothing_worse_from_there_on(tmp_path: Path) -> None:
    _, trace = two_recoveries()
    said = run_tlc(tmp_path, trace, "Onward", onward(trace, trace.steps), "-deadlock")
    assert "No error has been found" in said, said
    assert f"{ONWARD_STATES} distinct states found, 0 states left on queue" in said


# What can happen from there on


def explore_after(actions: int) -> Exploration:
    return explore(beginning_after(actions), Request((*KEPT, VIOLATED), keep_going=True))


@pytest.mark.parametrize(("actions", "states"), [(30, ONWARD_STATES), (29, 18_144), (27, 45_360)])
def test_nothing_is_lost_from_there_on(actions: int, states: int) -> None:
    """From the last state, or where the second recovery has begun to read, whatever is done next."""
    outcome = explore_after(actions)
    kinds = {verdict.property_name: verdict.kind for verdict in outcome.verdicts}
    assert kinds == {**dict.fromkeys(KEPT, VerdictKind.HOLDS), VIOLATED: VerdictKind.VIOLATED}
    assert (outcome.statistics["complete"], outcome.statistics["distinct_states"]) == (True, states)


class Acknowledged(BookKeeper):
    """Claims about acknowledged entries and readers that the original's invariants leave open."""

    name = "bookkeeper-acknowledged"

    def count_storing(self, s: Any, fragments: Any, entry: Any) -> Any:
        """The number of bookies of the entry's ensemble that have it."""
        return count(self.fragment_of_entry(fragments, entry), lambda b: self.is_stored(s, b, entry))

    def is_kept_or_creators(self, s: Any, creator: Any, fragments: Any, entry: Any) -> Any:
        theirs = self.fragment_of_entry(s.clients[creator].fragments, entry)
        reaches = self.count_storing(s, fragments, entry) >= self.ack_quorum
        return reaches | (self.fragment_of_entry(fragments, entry) == theirs)

    @invariant()
    def acknowledged_entries_reach_ack_quorum(self, s: Any) -> Any:
        """An entry that the writer has acknowledged is on an ack quorum of its ensemble, before and after
        closing."""
        return forall(
            self.clients,
            self.ids,
            lambda c, e: ((e <= s.clients[c].lac) & ~self.is_recovering(s, c)).implies(
                self.count_storing(s, s.meta_fragments, e) >= self.ack_quorum
            ),
        )

    @invariant()
    def closed_ledger_is_readable(self, s: Any) -> Any:
        """Each entry of a closed ledger is on a bookie of its ensemble."""
        return forall(
            self.ids,
            lambda e: ((s.meta_status == "CLOSED") & (e <= s.meta_last_entry)).implies(
                self.count_storing(s, s.meta_fragments, e) >= 1
            ),
        )

    @lemma()
    def recovery_keeps_or_leaves(self, s: Any) -> Any:
        """An entry that a recovery takes as confirmed is on an ack quorum, or where the creator wrote it."""
        return self.for_creator(
            s,
            lambda w: forall(
                self.clients,
                self.ids,
                lambda c, e: (self.is_recovering(s, c) & (e <= s.clients[c].lac)).implies(
                    self.is_kept_or_creators(s, w, s.clients[c].fragments, e)
                ),
            ),
        )

    @lemma()
    def closed_ledger_keeps_or_leaves(self, s: Any) -> Any:
        """So is what a closed ledger has."""
        return self.for_creator(
            s,
            lambda w: forall(
                self.ids,
                lambda e: ((s.meta_status == "CLOSED") & (e <= s.meta_last_entry)).implies(
                    self.is_kept_or_creators(s, w, s.meta_fragments, e)
                ),
            ),
        )


@pytest.mark.slow
def test_what_was_acknowledged_stays_on_an_ack_quorum() -> None:
    """In executions of any length: what two recoveries leave on too few bookies was never acknowledged."""
    model = build(Acknowledged({**CONSTANTS, "ensemble_choice": "any"}))
    assert is_proved(by_lemmas(model, ("AcknowledgedEntriesReachAckQuorum", "ClosedLedgerIsReadable")))


def test_what_was_acknowledged_would_be_missed() -> None:
    """Unless a confirmation of a bookie that was replaced counts, which is noticed."""
    constants = {**CONSTANTS, "clients": 1}
    name, kinds = "AcknowledgedEntriesReachAckQuorum", []
    for protocol in (
        Acknowledged(constants),
        without(Acknowledged, constants, "client_receives_add_confirmed_response", guard=3),
    ):
        outcome = explore(build(protocol), Request((name,)))
        kinds.append(next(verdict.kind for verdict in outcome.verdicts if verdict.property_name == name))
    assert kinds == [VerdictKind.HOLDS, VerdictKind.VIOLATED]


# What would repair it


class Repaired(BookKeeper):
    """With the lemma that fails when there are two recoveries."""

    name = "bookkeeper-repaired"

    def is_kept(self, s: Any, fragments: Any, entry: Any) -> Any:
        """On an ack quorum, however many recoveries there were."""
        stored = count(self.fragment_of_entry(fragments, entry), lambda b: self.is_stored(s, b, entry))
        return stored >= self.ack_quorum


class KeepsLacOfBookies(Repaired):
    """A recovery add leaves a bookie's last add confirmed as it is: what a recovery takes for confirmed
    stays with it until it closes the ledger, as its fragments do."""

    @action(client="clients", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_confirmed_response(
        self, s: Any, client: Any, bookie: Any, entry: Any, lac: Any, lost: Any
    ) -> Step:
        """As before but for that."""
        original = BookKeeper.bookie_sends_add_confirmed_response.method
        step = original(self, s, client, bookie, entry, lac, lost)
        targets = list(step.then)
        kept = if_(self.is_recovering(s, client), s.b_lac[bookie], lac)
        return Step(step.when, {**step.then, targets[1]: kept})

    @lemma()
    def told_lacs_are_the_creators(self, s: Any) -> Any:
        """The creator has acknowledged every entry that bookies take as confirmed."""

        def is_told(e: Any) -> Any:
            by_bookie = exists(self.bookies, lambda b: e <= s.b_lac[b])
            responses = s.fence_responses
            return by_bookie | exists(self.clients, self.bookies, lambda c, b: e <= responses[c][b].lac)

        return self.for_creator(
            s, lambda w: forall(self.ids, lambda e: is_told(e).implies(e <= s.clients[w].lac))
        )


class IgnoresLacOfBookies(Repaired):
    """A recovery reads its last fragment from the beginning, whatever bookies take for confirmed."""

    @action(client="clients", bookie="bookies")
    def client_receives_fencing_read_lac_response(self, s: Any, client: Any, bookie: Any) -> Step:
        """As before but for that."""
        step = BookKeeper.client_receives_fencing_read_lac_response.method(self, s, client, bookie)
        c, targets = s.clients[client], list(step.then)
        before = self.last_first_entry(c.fragments) - 1
        begun = {targets[1]: maximum(c.lac, before), targets[2]: maximum(c.lap, before)}
        return Step(step.when, {**step.then, **begun})


@pytest.mark.slow
@pytest.mark.parametrize("repaired", [KeepsLacOfBookies, IgnoresLacOfBookies])
def test_two_repairs(repaired: type[BookKeeper]) -> None:
    """Each keeps what a recovery takes for confirmed from being believed with other fragments."""
    model = build(repaired({**CONSTANTS, "ensemble_choice": "any"}))
    assert is_proved(by_lemmas(model, (VIOLATED, *KEPT)))


REPAIRED_END = """\
ClientSendsRecoveryReadRequests(client=c3, entry=1, lost={b2})
BookieSendsReadResponse(client=c3, bookie=b1, entry=1, lost=false)
ReadPositive(client=c3, bookie=b1, entry=1)
ClientSendsRecoveryReadRequests(client=c3, entry=2, lost={b1})
BookieSendsReadResponse(client=c3, bookie=b2, entry=2, lost=false)
ReadNegative(client=c3, bookie=b2, entry=2)
ClientWritesBackEntry(client=c3, entry=1, lost={})
BookieSendsAddConfirmedResponse(client=c3, bookie=b1, entry=1, lac=0, lost=false)
BookieSendsAddConfirmedResponse(client=c3, bookie=b2, entry=1, lac=0, lost=false)
RecoveryClientReceivesAddConfirmedResponse(client=c3, bookie=b1, entry=1)
RecoveryClientReceivesAddConfirmedResponse(client=c3, bookie=b2, entry=1)
RecoveryClientClosesLedger(client=c3)
""".splitlines()
"""The actions after the 26th, if the second recovery has not learned a LAC."""


@pytest.mark.parametrize("repaired", [KeepsLacOfBookies, IgnoresLacOfBookies])
def test_a_repaired_protocol_writes_the_entry_back(repaired: type[BookKeeper]) -> None:
    """The execution continues until the second recovery closes the ledger with the entry on both."""
    model = build(repaired(CONSTANTS))
    replayer = Replayer(model)
    state = model.layout.encode_state({name: sort.default for name, sort in model.layout.sorts.items()})
    for line in (*ACTIONS[:26], *REPAIRED_END):
        following = replayer.successor(state, *find_fired(model, line))
        assert following is not None, line
        state = following
    assert not replayer.find_violated(state)
    last: Any = model.layout.decode_state(state)
    assert (last["meta_status"], last["meta_last_entry"]) == ("CLOSED", 1)
    assert all(entries[1] is not None for entries in last["b_entries"].values())
