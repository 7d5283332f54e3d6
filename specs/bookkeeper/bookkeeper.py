"""``bookkeeper``: recovery of a ledger by other clients than its writer, and what must never happen.

Source: Vanlightly/bookkeeper-tlaplus, BookKeeperProtocol.tla and MessagePassing.tla. Differences, none
of which changes what can happen:

- What other variables determine is left out: the current fragment (the last one), the fragment of a
  pending add (a change of ensemble always changes the ensemble, so that tells an add to be resent), the
  field ``recovery`` of adds (a client that has begun recovery never does anything else), the content of
  adds and of their responses (a client has one content for an entry: ``data``), and of the responses
  to reads that a client collects the bookies are enough (all say that there is no such entry, since one
  with the entry ends the read).
- A bookie has at most one content per entry. The original has a set of entries, which could hold two
  with the same id; the first state in which one of them is wrong violates NoOutOfOrderEntries in both.
- The response to a read is received by one of four actions, named after what the client then does.
- A failed bookie of an ensemble change is one that timed out, since the original requires of all others
  that they did not: there is nothing to choose.

As written, a recovery read concludes only when none of its other messages is on its way, because the
original determines ``messages'`` twice there. ``late_reads=intended`` drops those messages.
``fence_recovery_reads=false`` is the known-bad variant that the original suggests as an exercise.
With two recoveries, three clients in all, AllCommittedEntriesReachAckQuorum does not hold: the second can
learn from a bookie that an entry is confirmed, by fragments that only the first knew (an execution of 30
actions, in the original as well: docs/bookkeeper-two-recoveries.md). All else does: the lemmas say why.

Liveness is the original's ``LedgerIsClosed`` under ``[]<>``; what the original quantifies over there, the
map of clients, is read as its domain. Its fairness, ``WF_vars(Next)``, is the protocol's own.
docs/liveness.md says when the ledger is closed.
"""

from __future__ import annotations

from verifier.encodings.declared import Formula, Integer
from verifier.encodings.quantifiers import count, exists, forall
from verifier.specs.bookkeeper.bookies import Bookies
from verifier.specs.bookkeeper.bookkeeper_lemmas import BookKeeperLemmas
from verifier.specs.bookkeeper.clients import Client, ClientsState
from verifier.specs.bookkeeper.recovery import Recovery
from verifier.specs.bookkeeper.writer import Writer
from verifier.specs.protocol import always_eventually, invariant, step_invariant, temporal, weak
from verifier.specs.temporal import Fairness, TemporalFormula

RECOVERY = (
    "client_creates_ledger",
    "client_starts_recovery",
    "bookie_sends_fencing_read_lac_response",
    "client_receives_fencing_read_lac_response",
    "client_sends_recovery_read_requests",
    "bookie_sends_read_response",
    "read_positive",
    "read_negative",
    "not_enough_read_responses",
    "client_writes_back_entry",
    "bookie_sends_add_confirmed_response",
    "recovery_client_receives_add_confirmed_response",
    "recovery_client_closes_ledger",
)
"""The actions that must go on for the ledger to be closed. None can be left out."""


class BookKeeper(BookKeeperLemmas, Recovery, Writer, Bookies):
    """Apache BookKeeper: entries of a ledger survive the recovery that closes it."""

    name = "bookkeeper"
    default_depth = 18

    @invariant(name="NoDivergenceBetweenClientAndMetaData")
    def no_divergence_between_client_and_meta_data(self, s: ClientsState) -> Formula:
        """One client closed the ledger, and no entry that was acknowledged lies behind its end."""

        def has_closed(c: Client) -> Formula:
            return (c.status == "CLOSED") & (c.lac == s.meta_last_entry)

        def has_no_more(c: Client) -> Formula:
            stays_out = c.status.is_none | (c.status == "IN_RECOVERY") | (c.status == "ABORTED")
            return stays_out | (c.lac <= s.meta_last_entry)

        closers = count(has_closed(s.clients[c]) for c in self.clients)
        return (s.meta_status == "CLOSED").implies(
            (closers == 1) & forall(has_no_more(s.clients[c]) for c in self.clients)
        )

    @invariant(name="NoDivergence", default=False)
    def no_divergence(self, s: ClientsState) -> Formula:
        """Short for NoDivergenceBetweenClientAndMetaData."""
        return self.no_divergence_between_client_and_meta_data(s)

    @invariant(name="AllAckedEntriesAreReadable")
    def all_acked_entries_are_readable(self, s: ClientsState) -> Formula:
        """Each entry that a client knows to be confirmed is on a bookie of its ensemble."""

        def readable(entry: Integer) -> Formula:
            ensemble = self.fragment_of_entry(s.meta_fragments, entry)
            return exists(self.is_stored(s, b, entry) for b in ensemble)

        def is_readable_for(c: Client) -> Formula:
            speaks = (c.status == "OPEN") | (c.status == "CLOSED")
            return speaks.implies(forall(readable(e) for e in self.ids if e <= c.lac))

        return forall(is_readable_for(s.clients[c]) for c in self.clients)

    @temporal(name="Liveness")
    def liveness(self, s: ClientsState) -> TemporalFormula:
        """Again and again the ledger is closed, and one of its clients has closed it."""
        closer = exists(s.clients[c].status == "CLOSED" for c in self.clients)
        return always_eventually((s.meta_status == "CLOSED") & closer)

    def fairness(self) -> list[Fairness]:
        """Every step that stays possible is taken."""
        return [weak()]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Some recovery begins and goes on, and bookies answer; nothing is demanded of the writer."""
        return {"recovery": [weak(name) for name in RECOVERY]}

    @step_invariant(name="ClosedLedgerStaysClosed", default=False)
    def closed_ledger_stays_closed(self, s: ClientsState, after: ClientsState) -> Formula:
        """Once the ledger is closed, it stays closed, with its end and its fragments."""
        return (s.meta_status == "CLOSED").implies(
            (after.meta_status == "CLOSED")
            & (after.meta_last_entry == s.meta_last_entry)
            & (after.meta_fragments == s.meta_fragments)
        )
