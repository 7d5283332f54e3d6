"""``bookkeeper-4-13``: the protocol of release 4.13, whose recovery can lose committed entries.

Source: Vanlightly/bookkeeper-tlaplus, BookKeeperProtocol_v4_13.tla and MessagePassing_v4_13.tla.
Differences, none of which changes what can happen:

- What other variables determine is left out: the fragments of pending adds, where the current fragments
  begin, the ensemble of the recovery's (the last one: the writer changes nothing once the ledger is in
  recovery), the fields of w1 that only a recovery uses, the content of adds (w1 sends numbers, w2 what
  it read: ``data``), and the id of the entry last read (each read has all its answers, or time-outs,
  before it ends, so that no answer is taken for another entry's).
- A bookie has at most one content per entry. The original has a set of entries, which could hold two
  with the same id; the first state in which one of them is wrong violates NoOutOfOrderEntries in both.

As in the original, a bookie that does not have an entry answers with a message that does not name the
entry, and so sends it once only; and such an answer counts no time-outs.

``recovery_reads_fence=false`` is what 4.13 does, and the known-bad variant. The liveness property (the
writer closes the ledger eventually) is not here yet.
"""

from __future__ import annotations

from typing import Any

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import all_of, count, exists, forall, function, if_, maximum
from verifier.encodings.values import OptionValue, SetValue
from verifier.specs.bookkeeper.ledger import DELIVERABLE, LOST, PROCESSED, ReadResponse
from verifier.specs.bookkeeper.v4_13_lemmas import Lemmas413
from verifier.specs.bookkeeper.v4_13_writers import State413, Writers413
from verifier.specs.protocol import Step, action, free, invariant, type_invariant


class BookKeeper413(Lemmas413, Writers413):
    """Apache BookKeeper 4.13: recovery reads that do not fence lose entries already acknowledged."""

    name = "bookkeeper-4-13"
    default_depth = 20

    # w1, which creates the ledger

    @action(ensemble=free("ensembles"))
    def w1_creates_ledger(self, s: State413, ensemble: SetValue[Element]) -> Step:
        """The writer creates the ledger, with its first fragment on some ensemble."""
        return Step(
            when=[
                s.meta_status.is_none,
                s.w1.meta_version.is_none,
                self.selects_ensemble(s, ensemble, self.nobody, self.nobody),
            ],
            then={
                s.w1.status: "OPEN",
                s.w1.meta_version: 1,
                s.w1.ensemble: ensemble,
                s.meta_status: "OPEN",
                s.meta_version: 1,
                s.meta_fragments[1]: ensemble,
            },
        )

    @action(entry="ids", lost=free("ensembles"))
    def w1_sends_add_entry_requests(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        """The writer sends the next entry to its ensemble."""
        w1 = s.w1
        return Step(
            when=[
                w1.status == "OPEN",
                entry == w1.lap + 1,
                *self.can_send_add(s, "w1", entry, w1.ensemble, lost),
            ],
            then={
                w1.lap: entry,
                w1.pending_add_ops[entry]: w1.ensemble,
                **self.send_add(s, "w1", entry, w1.ensemble, lost),
            },
        )

    @action(bookie="bookies", entry="ids")
    def w1_receives_add_confirmed_response(self, s: State413, bookie: Element, entry: Integer) -> Step:
        """The writer learns that a bookie has an entry, which may commit entries."""
        return self.receive_add_confirmed(s, "w1", bookie, entry, "OPEN")

    @action(bookie="bookies", entry="ids")
    def w1_receives_add_fenced_response(self, s: State413, bookie: Element, entry: Integer) -> Step:
        """The writer learns that the ledger is being recovered, and stops."""
        response = s.add_refusals[entry][bookie]
        return Step(
            when=[
                s.w1.status == "OPEN",
                response == DELIVERABLE,
                self.is_earliest_response(s, "w1", bookie, entry),
                s.w1.ensemble.contains(bookie),
            ],
            then={s.w1.status: None, response: PROCESSED},
        )

    @action(bookie="bookies", ensemble=free("ensembles"))
    def w1_changes_ensemble(self, s: State413, bookie: Element, ensemble: SetValue[Element]) -> Step:
        """The writer replaces a bookie that timed out."""
        return self.change_ensemble(s, "w1", bookie, ensemble, "OPEN")

    @action(bookie="bookies")
    def w1_tries_invalid_ensemble_change(self, s: State413, bookie: Element) -> Step:
        return self.try_invalid_ensemble_change(s, "w1", bookie, "OPEN")

    @action(entry="ids", lost=free("ensembles"))
    def w1_sends_pending_add_op(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        return self.send_pending_add_op(s, "w1", entry, lost, "OPEN")

    @action()
    def w1_close_ledger_success(self, s: State413) -> Step:
        """The writer closes the ledger, at any time, and the metadata store agrees."""
        return Step(
            when=[s.w1.meta_version == s.meta_version, s.w1.status == "OPEN", s.meta_status == "OPEN"],
            then={
                s.w1.meta_version: s.meta_version + 1,
                s.w1.status: "CLOSED",
                s.meta_status: "CLOSED",
                s.meta_last_entry: s.w1.lac,
                s.meta_version: s.meta_version + 1,
            },
        )

    @action()
    def w1_close_ledger_fail(self, s: State413) -> Step:
        """The writer wants to close the ledger and finds it no longer open; it can still add to it."""
        return Step(
            when=[s.w1.meta_version != s.meta_version, s.w1.status == "OPEN", s.meta_status != "OPEN"],
            then={s.w1.meta_version: None},
        )

    # w2, which recovers the ledger

    @action(lost=free("ensembles"))
    def w2_place_in_recovery(self, s: State413, lost: SetValue[Element]) -> Step:
        """The recovery begins and asks the last ensemble to fence the ledger."""
        ensemble = self.last_fragment(s.meta_fragments)
        return Step(
            when=[
                s.w2.status.is_none,
                s.meta_status == "OPEN",
                *self.can_send(s, s.fence_requests, ensemble, lost),
            ],
            then={
                s.meta_status: "IN_RECOVERY",
                s.meta_version: s.meta_version + 1,
                s.w2.status: "IN_RECOVERY",
                s.w2.meta_version: s.meta_version + 1,
                s.w2.recovery_phase: "FENCING",
                s.fence_requests: self.sent_to_ensemble(s.fence_requests, ensemble, lost),
            },
        )

    @action(bookie="bookies")
    def w2_receives_fencing_read_lac_response(self, s: State413, bookie: Element) -> Step:
        """The recovery learns that a bookie is fenced and, before it reads, of a later add confirmed."""
        w2, response = s.w2, s.fence_responses[bookie]
        lac = maximum(response.lac, self.last_first_entry(s.meta_fragments) - 1)
        reads = exists(self.next_ids, self.bookies, lambda e, b: s.read_requests[e][b].is_some)
        is_news = ~reads & (lac > w2.lac)
        return Step(
            when=[response.count == DELIVERABLE],
            then={
                w2.fenced: w2.fenced.add(bookie),
                w2.lac: if_(is_news, lac, w2.lac),
                w2.lap: if_(is_news, lac, w2.lap),
                response.count: PROCESSED,
            },
        )

    @action(entry="next_ids", lost=free("ensembles"))
    def w2_sends_read_requests(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        """Once no ack quorum is without a fenced bookie, the recovery reads entry by entry."""
        w2, requests = s.w2, s.read_requests[entry]
        unfenced = self.last_fragment(s.meta_fragments) - w2.fenced
        ensemble = self.fragment_of_entry(s.meta_fragments, entry)
        return Step(
            when=[
                w2.status == "IN_RECOVERY",
                (w2.recovery_phase == "READ")
                | ((w2.recovery_phase == "FENCING") & (unfenced.cardinality < self.ack_quorum)),
                entry == w2.lap + 1,
                forall(self.bookies, lambda b: requests[b].is_none),
                *self.can_send(s, requests, ensemble, lost),
            ],
            then={
                w2.recovery_phase: "PENDING_READ_RESPONSE",
                requests: self.sent_to_ensemble(requests, ensemble, lost),
            },
        )

    # The answer to a read: an entry, or none

    def read_ensemble(self, s: State413, entry: OptionValue[Integer]) -> SetValue[Element]:
        """Where an entry was read from; not known of no entry."""
        return if_(entry.is_some, self.fragment_of_entry(s.meta_fragments, entry.value), self.nobody)

    def having(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> SetValue[Element]:
        """The bookies that answered with an entry, this one included."""
        return if_(entry.is_some, s.w2.has_entry.add(bookie), s.w2.has_entry)

    def lacking(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> SetValue[Element]:
        """The bookies that answered that they have none, this one included."""
        return if_(entry.is_none, s.w2.no_such_entry.add(bookie), s.w2.no_such_entry)

    def has_all_responses(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> Formula:
        timeouts = count(self.read_ensemble(s, entry), lambda b: self.has_read_timeout(s, b))
        answers = self.having(s, bookie, entry).cardinality + self.lacking(s, bookie, entry).cardinality
        return answers + timeouts == self.write_quorum

    def fenced_by(self, s: State413, bookie: Element) -> SetValue[Element]:
        return s.w2.fenced.add(bookie) if self.recovery_reads_fence else s.w2.fenced

    def clear_read_timeouts(
        self, s: State413, bookie: Element, entry: OptionValue[Integer]
    ) -> dict[Any, Any]:
        """The answer is processed, and time-outs of the ensemble read from are forgotten."""
        ensemble = self.read_ensemble(s, entry)

        def cleared(counts: OptionValue[Integer], b: Element) -> OptionValue[Integer]:
            return if_(ensemble.contains(b) & (counts == LOST), PROCESSED, counts)

        def answered(e: OptionValue[Integer], b: Element) -> ReadResponse:
            response = s.read_responses[e][b]
            is_this = (e == entry) & (b == bookie)
            return response.updated(count=if_(is_this, PROCESSED, cleared(response.count, b)))

        requests = s.read_requests
        return {
            requests: function(
                self.next_ids, lambda e: function(self.bookies, lambda b: cleared(requests[e][b], b))
            ),
            s.read_responses: function(
                self.answers, lambda e: function(self.bookies, lambda b: answered(e, b))
            ),
        }

    @action(bookie="bookies", entry="answers")
    def w2_receives_non_final_read(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> Step:
        """An answer came, and others are still to come."""
        w2, response = s.w2, s.read_responses[entry][bookie]
        return Step(
            when=[response.count == DELIVERABLE, ~self.has_all_responses(s, bookie, entry)],
            then={
                w2.has_entry: self.having(s, bookie, entry),
                w2.no_such_entry: self.lacking(s, bookie, entry),
                w2.curr_read_entry: if_(entry.is_some, response.data, w2.curr_read_entry),
                w2.fenced: self.fenced_by(s, bookie),
                response.count: PROCESSED,
            },
        )

    @action(bookie="bookies", entry="answers", read="ids")
    def w2_completes_read_successfully(
        self, s: State413, bookie: Element, entry: OptionValue[Integer], read: Integer
    ) -> Step:
        """The last answer came, and enough bookies have the entry: it will be written back."""
        w2, response = s.w2, s.read_responses[entry][bookie]
        return Step(
            when=[
                response.count == DELIVERABLE,
                self.has_all_responses(s, bookie, entry),
                self.having(s, bookie, entry).cardinality >= self.ack_quorum,
                read == w2.lap + 1,
            ],
            then={
                w2.has_entry: self.nobody,
                w2.no_such_entry: self.nobody,
                w2.curr_read_entry: None,
                w2.fenced: self.fenced_by(s, bookie),
                w2.lap: read,
                w2.pending_add_ops[read]: self.ensemble(s, "w2"),
                w2.data[read]: if_(entry.is_none, w2.curr_read_entry, response.data),
                w2.recovery_phase: "READ",
                **self.clear_read_timeouts(s, bookie, entry),
            },
        )

    @action(bookie="bookies", entry="answers")
    def w2_completes_read_with_no_such_entry(
        self, s: State413, bookie: Element, entry: OptionValue[Integer]
    ) -> Step:
        """The last answer came, and too many bookies lack the entry for it to be committed."""
        w2, response = s.w2, s.read_responses[entry][bookie]
        lacking = self.lacking(s, bookie, entry)
        return Step(
            when=[
                response.count == DELIVERABLE,
                self.has_all_responses(s, bookie, entry),
                self.has_quorum_coverage(lacking, self.write_quorum),
            ],
            then={
                w2.has_entry: self.nobody,
                w2.no_such_entry: self.nobody,
                w2.curr_read_entry: None,
                w2.fenced: self.fenced_by(s, bookie),
                w2.recovery_phase: "WRITE",
                **self.clear_read_timeouts(s, bookie, entry),
            },
        )

    # Writing back and closing

    def is_unwritten(self, s: State413, entry: Integer) -> Formula:
        """The entry is to be written back, and no add of it was sent."""
        return ~s.w2.pending_add_ops[entry].is_empty & forall(
            self.lacs, self.bookies, lambda lac, b: s.add_requests["w2"][entry][lac][b].is_none
        )

    @action(entry="ids", lost=free("ensembles"))
    def w2_writes_back_entry(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        """The recovery writes the first entry that it read and did not write yet."""
        ensemble = self.ensemble(s, "w2")
        return Step(
            when=[
                s.w2.status == "IN_RECOVERY",
                s.w2.recovery_phase == "WRITE",
                self.is_unwritten(s, entry),
                ~exists(self.ids, lambda e: (e < entry) & self.is_unwritten(s, e)),
                *self.can_send_add(s, "w2", entry, ensemble, lost),
            ],
            then=self.send_add(s, "w2", entry, ensemble, lost),
        )

    @action(bookie="bookies", entry="ids")
    def w2_receives_add_confirmed_response(self, s: State413, bookie: Element, entry: Integer) -> Step:
        """The recovery learns that a bookie has an entry that was written back."""
        return self.receive_add_confirmed(s, "w2", bookie, entry, "IN_RECOVERY")

    @action(bookie="bookies", ensemble=free("ensembles"))
    def w2_changes_ensemble(self, s: State413, bookie: Element, ensemble: SetValue[Element]) -> Step:
        """The recovery replaces a bookie that timed out, in the metadata at once."""
        return self.change_ensemble(s, "w2", bookie, ensemble, "IN_RECOVERY")

    @action(bookie="bookies")
    def w2_tries_invalid_ensemble_change(self, s: State413, bookie: Element) -> Step:
        return self.try_invalid_ensemble_change(s, "w2", bookie, "IN_RECOVERY")

    @action(entry="ids", lost=free("ensembles"))
    def w2_sends_pending_add_op(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        return self.send_pending_add_op(s, "w2", entry, lost, "IN_RECOVERY")

    @action()
    def w2_closes_ledger(self, s: State413) -> Step:
        """The recovery has written all that it read, and closes the ledger."""
        return Step(
            when=[
                s.w2.meta_version == s.meta_version,
                s.meta_status == "IN_RECOVERY",
                s.w2.status == "IN_RECOVERY",
                s.w2.recovery_phase == "WRITE",
                forall(self.ids, lambda e: s.w2.pending_add_ops[e].is_empty),
            ],
            then={
                s.w2.status: "CLOSED",
                s.w2.meta_version: s.meta_version + 1,
                s.meta_version: s.meta_version + 1,
                s.meta_status: "CLOSED",
                s.meta_last_entry: s.w2.lac,
            },
        )

    # Properties

    @type_invariant(name="TypeOK")
    def type_ok(self, s: State413) -> Formula:
        """All of it is in the sorts."""
        return all_of()

    @invariant(name="OnlyValidFragments")
    def only_valid_fragments(self, s: State413) -> Formula:
        """No fragment is put before another."""
        return (s.w1.status != "INVALID") & (s.w2.status != "INVALID")

    @invariant(name="NoOutOfOrderEntries")
    def no_out_of_order_entries(self, s: State413) -> Formula:
        """Every entry stored is the one that was first sent as that entry."""
        return self.entries_are_in_order(s)

    def does_not_diverge(self, s: State413) -> Formula:
        return (s.meta_status == "CLOSED").implies(s.w1.lac <= s.meta_last_entry)

    @invariant(name="NoDivergenceBetweenWriterAndMetaData")
    def no_divergence_between_writer_and_meta_data(self, s: State413) -> Formula:
        """No entry that the writer knows to be confirmed lies behind the end of the closed ledger."""
        return self.does_not_diverge(s)

    @invariant(name="NoDivergence", default=False)
    def no_divergence(self, s: State413) -> Formula:
        """Short for NoDivergenceBetweenWriterAndMetaData."""
        return self.does_not_diverge(s)

    @invariant(name="AllCommittedEntriesReachAckQuorum")
    def all_committed_entries_reach_ack_quorum(self, s: State413) -> Formula:
        """Once the ledger is closed, each of its entries is on an ack quorum of its ensemble."""
        return self.committed_entries_reach_ack_quorum(s)
