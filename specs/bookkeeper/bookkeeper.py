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
The liveness property (a ledger is closed eventually) is not here yet.
"""

from __future__ import annotations

from typing import Any

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import all_of, count, exists, forall, function, if_, maximum
from verifier.encodings.values import OptionValue, SetValue
from verifier.specs.bookkeeper.bookkeeper_lemmas import BookKeeperLemmas
from verifier.specs.bookkeeper.ledger import (
    DELIVERABLE,
    PROCESSED,
)
from verifier.specs.bookkeeper.storing import Client, StoringState
from verifier.specs.bookkeeper.writing import Writing
from verifier.specs.protocol import Step, action, free, invariant, step_invariant, type_invariant


class BookKeeper(BookKeeperLemmas, Writing):
    """Apache BookKeeper: entries of a ledger survive the recovery that closes it."""

    name = "bookkeeper"
    default_depth = 18

    @action(client="clients", lost=free("ensembles"))
    def client_starts_recovery(self, s: StoringState, client: Element, lost: SetValue[Element]) -> Step:
        """A client puts the ledger in recovery and asks the last ensemble to fence it."""
        c, requests = s.clients[client], s.fence_requests[client]
        ensemble = self.last_fragment(s.meta_fragments)
        return Step(
            when=[
                c.status.is_none,
                (s.meta_status == "OPEN") | (s.meta_status == "IN_RECOVERY"),
                *self.can_send(s, requests, ensemble, lost),
            ],
            then={
                s.meta_status: "IN_RECOVERY",
                s.meta_version: s.meta_version + 1,
                c.status: "IN_RECOVERY",
                c.meta_version: s.meta_version + 1,
                c.recovery_phase: "FENCING",
                c.fragments: s.meta_fragments,
                c.recovery_ensemble: ensemble,
                requests: self.sent_to_ensemble(requests, ensemble, lost),
            },
        )

    @action(client="clients", bookie="bookies")
    def client_receives_fencing_read_lac_response(
        self, s: StoringState, client: Element, bookie: Element
    ) -> Step:
        """The recovery learns that a bookie is fenced, and perhaps of a later add confirmed."""
        c, response = s.clients[client], s.fence_responses[client][bookie]
        lac = maximum(response.lac, self.last_first_entry(c.fragments) - 1)
        return Step(
            when=[c.recovery_phase == "FENCING", response.count == DELIVERABLE],
            then={
                c.fenced: c.fenced.add(bookie),
                c.lac: maximum(c.lac, lac),
                c.lap: maximum(c.lap, lac),
                response.count: PROCESSED,
            },
        )

    @action(client="clients", entry="next_ids", lost=free("ensembles"))
    def client_sends_recovery_read_requests(
        self, s: StoringState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """Once enough bookies are fenced, the recovery reads entry by entry from its first ensemble."""
        c, requests = s.clients[client], s.read_requests[client][entry]
        reads_on = (
            (c.recovery_phase == "READ_WRITE") & c.last_recoverable_entry.is_none & c.curr_read_entry.is_none
        )
        enough_fenced = self.has_quorum_coverage(c.fenced, c.recovery_ensemble.cardinality)
        return Step(
            when=[
                c.status == "IN_RECOVERY",
                reads_on | ((c.recovery_phase == "FENCING") & enough_fenced),
                entry == c.lap + 1,
                *self.can_send(s, requests, c.recovery_ensemble, lost),
            ],
            then={
                c.recovery_phase: "READ_WRITE",
                c.curr_read_entry: entry,
                c.fenced: self.nobody,
                requests: self.sent_to_ensemble(requests, c.recovery_ensemble, lost),
            },
        )

    # The response to a read

    def receives_read(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> list[Formula]:
        c = s.clients[client]
        return [
            c.status == "IN_RECOVERY",
            c.recovery_phase == "READ_WRITE",
            s.read_responses[client][entry][bookie].count == DELIVERABLE,
            c.curr_read_entry == entry,
        ]

    def is_no_such_entry(self, responses: SetValue[Element]) -> Formula:
        return self.has_quorum_coverage(responses, self.write_quorum)

    def has_all_responses(self, s: StoringState, client: Element, responses: SetValue[Element]) -> Formula:
        """Every bookie has answered or timed out."""
        timeouts = count(s.clients[client].recovery_ensemble, lambda b: self.has_read_timeout(s, client, b))
        return responses.cardinality + timeouts == self.write_quorum

    def concludes_read(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> list[Formula]:
        """Whether the read may conclude: see ``late_reads`` in the module's docstring."""
        if self.late_reads == "intended":
            return []
        requests, responses = s.read_requests[client], s.read_responses[client]
        ensemble = s.clients[client].recovery_ensemble
        return [
            forall(
                self.next_ids,
                ensemble,
                lambda e, b: (
                    (requests[e][b] != DELIVERABLE)
                    & ((responses[e][b].count != DELIVERABLE) | ((e == entry) & (b == bookie)))
                ),
            )
        ]

    def ignore_further_responses(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> dict[Any, Any]:
        """This response is processed, and so are all messages of reads that are on their way."""
        requests, responses = s.read_requests[client], s.read_responses[client]
        if self.late_reads == "as-written":
            return {responses[entry][bookie].count: PROCESSED}
        ensemble = s.clients[client].recovery_ensemble

        def ignored(counts: OptionValue[Integer], b: Element) -> OptionValue[Integer]:
            return if_(ensemble.contains(b) & (counts == DELIVERABLE), PROCESSED, counts)

        return {
            requests: function(
                self.next_ids,
                lambda e: function(self.bookies, lambda b: ignored(requests[e][b], b)),
            ),
            responses: function(
                self.next_ids,
                lambda e: function(
                    self.bookies,
                    lambda b: responses[e][b].updated(count=ignored(responses[e][b].count, b)),
                ),
            ),
        }

    @action(client="clients", bookie="bookies", entry="ids")
    def read_positive(self, s: StoringState, client: Element, bookie: Element, entry: Integer) -> Step:
        """A bookie has the entry, which is enough: it will be written back."""
        c, response = s.clients[client], s.read_responses[client][entry][bookie]
        return Step(
            when=[
                *self.receives_read(s, client, bookie, entry),
                response.data.is_some,
                *self.concludes_read(s, client, bookie, entry),
            ],
            then={
                c.curr_read_entry: None,
                c.read_responses: self.nobody,
                c.lap: entry,
                c.pending_add_ops[entry]: self.ensemble(s, client),
                c.data[entry]: response.data,
                **self.ignore_further_responses(s, client, bookie, entry),
            },
        )

    @action(client="clients", bookie="bookies", entry="next_ids")
    def read_negative(self, s: StoringState, client: Element, bookie: Element, entry: Integer) -> Step:
        """Too many bookies do not have the entry for it to be committed: the ledger ends before it."""
        c = s.clients[client]
        responses = c.read_responses.add(bookie)
        return Step(
            when=[
                *self.receives_read(s, client, bookie, entry),
                s.read_responses[client][entry][bookie].data.is_none,
                self.is_no_such_entry(responses),
                *self.concludes_read(s, client, bookie, entry),
            ],
            then={
                c.curr_read_entry: None,
                c.read_responses: self.nobody,
                c.recovery_ensemble: self.nobody,
                c.last_recoverable_entry: entry - 1,
                **self.ignore_further_responses(s, client, bookie, entry),
            },
        )

    @action(client="clients", bookie="bookies", entry="next_ids")
    def read_unknown(self, s: StoringState, client: Element, bookie: Element, entry: Integer) -> Step:
        """All have answered or timed out, and nobody can tell: the recovery gives up."""
        c = s.clients[client]
        responses = c.read_responses.add(bookie)
        return Step(
            when=[
                *self.receives_read(s, client, bookie, entry),
                s.read_responses[client][entry][bookie].data.is_none,
                ~self.is_no_such_entry(responses),
                self.has_all_responses(s, client, responses),
                *self.concludes_read(s, client, bookie, entry),
            ],
            then={
                c.status: "ABORTED",
                c.curr_read_entry: None,
                c.read_responses: self.nobody,
                c.recovery_ensemble: self.nobody,
                **self.ignore_further_responses(s, client, bookie, entry),
            },
        )

    @action(client="clients", bookie="bookies", entry="next_ids")
    def not_enough_read_responses(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """A bookie does not have the entry, and others have yet to answer."""
        c, response = s.clients[client], s.read_responses[client][entry][bookie]
        responses = c.read_responses.add(bookie)
        return Step(
            when=[
                *self.receives_read(s, client, bookie, entry),
                response.data.is_none,
                ~self.is_no_such_entry(responses),
                ~self.has_all_responses(s, client, responses),
            ],
            then={c.read_responses: responses, response.count: PROCESSED},
        )

    # Writing back and closing

    def is_unwritten(self, s: StoringState, client: Element, entry: Integer) -> Formula:
        """The entry is to be written back, and no add of it was sent."""
        return ~s.clients[client].pending_add_ops[entry].is_empty & forall(
            self.lacs, self.bookies, lambda lac, b: s.add_requests[client][entry][lac][b].is_none
        )

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def client_writes_back_entry(
        self, s: StoringState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The recovery writes the first entry that it read and did not write yet."""
        c, ensemble = s.clients[client], self.ensemble(s, client)
        return Step(
            when=[
                c.status == "IN_RECOVERY",
                c.recovery_phase == "READ_WRITE",
                self.is_unwritten(s, client, entry),
                ~exists(self.ids, lambda e: (e < entry) & self.is_unwritten(s, client, e)),
                *self.can_send_add(s, client, entry, ensemble, lost),
            ],
            then=self.send_add(s, client, entry, ensemble, lost),
        )

    @action(client="clients", bookie="bookies", entry="ids")
    def recovery_client_receives_add_confirmed_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """The recovery learns that a bookie has an entry that was written back."""
        return self.receive_add_confirmed(s, client, bookie, entry, "IN_RECOVERY")

    @action(client="clients", ensemble=free("ensembles"))
    def recovery_client_changes_ensemble(
        self, s: StoringState, client: Element, ensemble: SetValue[Element]
    ) -> Step:
        """It replaces bookies that timed out, and keeps that to itself until it closes the ledger."""
        return Step(
            when=[
                s.clients[client].status == "IN_RECOVERY",
                s.meta_status == "IN_RECOVERY",
                *self.can_change_ensemble(s, client, ensemble),
            ],
            then=self.change_ensemble(s, client, ensemble),
        )

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def recovery_client_sends_pending_add_op(
        self, s: StoringState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The recovery sends a pending add to the bookies that are new in its ensemble."""
        return self.resend_pending_add_op(s, client, entry, lost, "IN_RECOVERY")

    @action(client="clients")
    def recovery_client_closes_ledger(self, s: StoringState, client: Element) -> Step:
        """The recovery has read and written all there is, and closes the ledger if nobody came between."""
        c = s.clients[client]
        return Step(
            when=[
                c.meta_version == s.meta_version,
                s.meta_status == "IN_RECOVERY",
                c.status == "IN_RECOVERY",
                c.recovery_phase == "READ_WRITE",
                c.last_recoverable_entry.is_some,
                forall(self.ids, lambda e: c.pending_add_ops[e].is_empty),
            ],
            then={
                c.status: "CLOSED",
                c.meta_version: s.meta_version + 1,
                s.meta_version: s.meta_version + 1,
                s.meta_fragments: c.fragments,
                s.meta_status: "CLOSED",
                s.meta_last_entry: c.last_recoverable_entry.value,
            },
        )

    # Properties

    @type_invariant(name="TypeOK")
    def type_ok(self, s: StoringState) -> Formula:
        """All of it is in the sorts."""
        return all_of()

    def does_not_diverge(self, s: StoringState) -> Formula:
        def has_no_more(c: Client) -> Formula:
            stays_out = c.status.is_none | (c.status == "IN_RECOVERY") | (c.status == "ABORTED")
            return stays_out | (c.lac <= s.meta_last_entry)

        closers = count(
            self.clients,
            lambda c: (s.clients[c].status == "CLOSED") & (s.clients[c].lac == s.meta_last_entry),
        )
        return (s.meta_status == "CLOSED").implies(
            (closers == 1) & forall(self.clients, lambda c: has_no_more(s.clients[c]))
        )

    @invariant(name="NoDivergenceBetweenClientAndMetaData")
    def no_divergence_between_client_and_meta_data(self, s: StoringState) -> Formula:
        """One client closed the ledger, and no entry that was acknowledged lies behind its end."""
        return self.does_not_diverge(s)

    @invariant(name="NoDivergence", default=False)
    def no_divergence(self, s: StoringState) -> Formula:
        """Short for NoDivergenceBetweenClientAndMetaData."""
        return self.does_not_diverge(s)

    @invariant(name="AllAckedEntriesAreReadable")
    def all_acked_entries_are_readable(self, s: StoringState) -> Formula:
        """Each entry that a client knows to be confirmed is on a bookie of its ensemble."""

        def readable(entry: Integer) -> Formula:
            ensemble = self.fragment_of_entry(s.meta_fragments, entry)
            return exists(ensemble, lambda b: self.is_stored(s, b, entry))

        def is_readable_for(c: Client) -> Formula:
            speaks = (c.status == "OPEN") | (c.status == "CLOSED")
            return speaks.implies(forall(self.ids, lambda e: (e <= c.lac).implies(readable(e))))

        return forall(self.clients, lambda c: is_readable_for(s.clients[c]))

    @invariant(name="AllCommittedEntriesReachAckQuorum")
    def all_committed_entries_reach_ack_quorum(self, s: StoringState) -> Formula:
        """Once the ledger is closed, each of its entries is on an ack quorum of its ensemble."""
        return self.committed_entries_reach_ack_quorum(s)

    @invariant(name="NoOutOfOrderEntries")
    def no_out_of_order_entries(self, s: StoringState) -> Formula:
        """Every entry stored is the one that was first sent as that entry."""
        return self.entries_are_in_order(s)

    @step_invariant(name="ClosedLedgerStaysClosed", default=False)
    def closed_ledger_stays_closed(self, s: StoringState, after: StoringState) -> Formula:
        """Once the ledger is closed, it stays closed, with its end and its fragments."""
        return (s.meta_status == "CLOSED").implies(
            (after.meta_status == "CLOSED")
            & (after.meta_last_entry == s.meta_last_entry)
            & (after.meta_fragments == s.meta_fragments)
        )
