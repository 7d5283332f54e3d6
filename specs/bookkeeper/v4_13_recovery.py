"""``bookkeeper-4-13``: w2, which recovers the ledger: it fences it, reads it to its end, and closes it.

It needs an ack quorum of positive answers to take an entry for committed, and so many negative ones that the
others are no ack quorum to take it for missing. It writes nothing before it has read all.
"""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import count, exists, forall, function, if_, maximum
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.exchange import DELIVERABLE, LOST, PROCESSED, ReadResponse
from verifier.specs.bookkeeper.v4_13_clients import Clients413, State413
from verifier.specs.protocol import Step, action, free


class Recovery413(Clients413):
    """The client that recovers the ledger."""

    @action(lost=free("ensembles"))
    def w2_place_in_recovery(self, s: State413, lost: SetValue[Element]) -> Step:
        """The recovery begins and asks the last ensemble to fence the ledger."""
        starts = Step(
            when=[s.w2.status.is_none, s.meta_status == "OPEN"],
            then={
                s.meta_status: "IN_RECOVERY",
                s.meta_version: s.meta_version + 1,
                s.w2.status: "IN_RECOVERY",
                s.w2.meta_version: s.meta_version + 1,
                s.w2.recovery_phase: "FENCING",
            },
        )
        ensemble = self.last_fragment(s.meta_fragments)
        return starts & self.send_to_ensemble(s, s.fence_requests, ensemble, lost)

    @action(bookie="bookies")
    def w2_receives_fencing_read_lac_response(self, s: State413, bookie: Element) -> Step:
        """The recovery learns that a bookie is fenced and, before it reads, of a later add confirmed."""
        w2, response = s.w2, s.fence_responses[bookie]
        lac = maximum(response.lac, self.last_first_entry(s.meta_fragments) - 1)
        reads = exists(s.read_requests[e][b].is_some for e in self.next_ids for b in self.bookies)
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
        is_next = Step(
            when=[
                w2.status == "IN_RECOVERY",
                (w2.recovery_phase == "READ")
                | ((w2.recovery_phase == "FENCING") & (unfenced.cardinality < self.ack_quorum)),
                entry == w2.lap + 1,
                forall(requests[b].is_none for b in self.bookies),
            ],
            then={w2.recovery_phase: "PENDING_READ_RESPONSE"},
        )
        return is_next & self.send_to_ensemble(s, requests, ensemble, lost)

    # The answer to a read: an entry, or none

    def read_ensemble(self, s: State413, entry: OptionValue[Integer]) -> SetValue[Element]:
        """The ensemble that an entry was read from; none if there is no entry."""
        return if_(entry.is_some, self.fragment_of_entry(s.meta_fragments, entry.value), self.nobody)

    def having(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> SetValue[Element]:
        """The bookies that answered with an entry, this one included."""
        return if_(entry.is_some, s.w2.has_entry.add(bookie), s.w2.has_entry)

    def lacking(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> SetValue[Element]:
        """The bookies that answered that they have none, this one included."""
        return if_(entry.is_none, s.w2.no_such_entry.add(bookie), s.w2.no_such_entry)

    def has_received_all(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> Formula:
        """With this answer, every bookie has answered or timed out; none has done two of that."""
        having, lacking = self.having(s, bookie, entry), self.lacking(s, bookie, entry)
        ensemble = self.read_ensemble(s, entry)

        def is_counted(b: Element) -> Formula:
            timed_out = ensemble.contains(b) & self.has_read_timeout(s, b)
            return having.contains(b) | lacking.contains(b) | timed_out

        return count(is_counted(b) for b in self.bookies) == self.write_quorum

    def add_fenced(self, s: State413, bookie: Element) -> SetValue[Element]:
        """The bookies known to be fenced, with this one if reads fence."""
        return s.w2.fenced.add(bookie) if self.recovery_reads_fence else s.w2.fenced

    def complete_read(self, s: State413, bookie: Element, entry: OptionValue[Integer], phase: str) -> Step:
        """The last answer came: it is processed, and time-outs of the ensemble read from are forgotten."""
        w2, ensemble = s.w2, self.read_ensemble(s, entry)
        requests, responses = s.read_requests, s.read_responses

        def clear(counts: OptionValue[Integer], b: Element) -> OptionValue[Integer]:
            return if_(ensemble.contains(b) & (counts == LOST), PROCESSED, counts)

        def answer(e: OptionValue[Integer], b: Element) -> ReadResponse:
            response, is_this = responses[e][b], (e == entry) & (b == bookie)
            return response.updated(count=if_(is_this, PROCESSED, clear(response.count, b)))

        return Step(
            when=[
                responses[entry][bookie].count == DELIVERABLE,
                self.has_received_all(s, bookie, entry),
            ],
            then={
                w2.has_entry: self.nobody,
                w2.no_such_entry: self.nobody,
                w2.curr_read_entry: None,
                w2.fenced: self.add_fenced(s, bookie),
                w2.recovery_phase: phase,
                requests: function(
                    function(clear(requests[e][b], b) for b in self.bookies) for e in self.next_ids
                ),
                responses: function(function(answer(e, b) for b in self.bookies) for e in self.answers),
            },
        )

    @action(bookie="bookies", entry="answers")
    def w2_receives_non_final_read(self, s: State413, bookie: Element, entry: OptionValue[Integer]) -> Step:
        """An answer came, and others are still to come."""
        w2, response = s.w2, s.read_responses[entry][bookie]
        return Step(
            when=[response.count == DELIVERABLE, ~self.has_received_all(s, bookie, entry)],
            then={
                w2.has_entry: self.having(s, bookie, entry),
                w2.no_such_entry: self.lacking(s, bookie, entry),
                w2.curr_read_entry: if_(entry.is_some, response.data, w2.curr_read_entry),
                w2.fenced: self.add_fenced(s, bookie),
                response.count: PROCESSED,
            },
        )

    @action(bookie="bookies", entry="answers", read="ids")
    def w2_completes_read_successfully(
        self, s: State413, bookie: Element, entry: OptionValue[Integer], read: Integer
    ) -> Step:
        """The last answer came, and enough bookies have the entry: it will be written back."""
        w2, response = s.w2, s.read_responses[entry][bookie]
        enough = Step(
            when=[self.having(s, bookie, entry).cardinality >= self.ack_quorum, read == w2.lap + 1],
            then={
                w2.lap: read,
                w2.pending_add_ops[read]: self.ensemble(s, "w2"),
                w2.data[read]: if_(entry.is_none, w2.curr_read_entry, response.data),
            },
        )
        return self.complete_read(s, bookie, entry, "READ") & enough

    @action(bookie="bookies", entry="answers")
    def w2_completes_read_with_no_such_entry(
        self, s: State413, bookie: Element, entry: OptionValue[Integer]
    ) -> Step:
        """The last answer came, and too many bookies lack the entry for it to be committed."""
        lacking = self.lacking(s, bookie, entry)
        too_few = Step(when=[self.has_quorum_coverage(lacking, self.write_quorum)])
        return self.complete_read(s, bookie, entry, "WRITE") & too_few

    # Writing back and closing

    @action(entry="ids", lost=free("ensembles"))
    def w2_writes_back_entry(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        """The recovery writes the first entry that it read and did not write yet."""
        writes = Step(when=[s.w2.status == "IN_RECOVERY", s.w2.recovery_phase == "WRITE"])
        return writes & self.write_back_entry(s, "w2", entry, lost)

    @action(bookie="bookies", entry="ids")
    def w2_receives_add_confirmed_response(self, s: State413, bookie: Element, entry: Integer) -> Step:
        """The recovery learns that a bookie has an entry that was written back."""
        recovers = Step(when=[s.w2.status == "IN_RECOVERY"])
        return recovers & self.receive_add_confirmed_response(s, "w2", bookie, entry)

    @action(bookie="bookies", ensemble=free("ensembles"))
    def w2_changes_ensemble(self, s: State413, bookie: Element, ensemble: SetValue[Element]) -> Step:
        """The recovery replaces a bookie that timed out, in the metadata at once."""
        return self.change_ensemble(s, "w2", bookie, ensemble, "IN_RECOVERY")

    @action(bookie="bookies", ensemble=free("ensembles"))
    def w2_tries_invalid_ensemble_change(
        self, s: State413, bookie: Element, ensemble: SetValue[Element]
    ) -> Step:
        """The recovery would put a fragment before another."""
        return self.invalid_ensemble_change(s, "w2", bookie, ensemble, "IN_RECOVERY")

    @action(entry="ids", lost=free("ensembles"))
    def w2_sends_pending_add_op(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        """The recovery sends a pending add to the bookies that are new in its ensemble. What is pending is
        unconfirmed; said here, a proof for all constants sees at once that the add's key is one."""
        recovers = Step(when=[s.w2.status == "IN_RECOVERY", s.w2.lac < entry])
        return recovers & self.resend_pending_add_op(s, "w2", entry, lost)

    @action
    def w2_closes_ledger(self, s: State413) -> Step:
        """The recovery has written all that it read, and closes the ledger."""
        return Step(
            when=[
                s.w2.meta_version == s.meta_version,
                s.meta_status == "IN_RECOVERY",
                s.w2.status == "IN_RECOVERY",
                s.w2.recovery_phase == "WRITE",
                forall(s.w2.pending_add_ops[e].is_empty for e in self.ids),
            ],
            then={
                s.w2.status: "CLOSED",
                s.w2.meta_version: s.meta_version + 1,
                s.meta_version: s.meta_version + 1,
                s.meta_status: "CLOSED",
                s.meta_last_entry: s.w2.lac,
            },
        )
