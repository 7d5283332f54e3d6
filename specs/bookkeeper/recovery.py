"""``bookkeeper``: the clients that recover a ledger: they fence it, read it to its end, and close it.

Why a client begins a recovery is left open: nothing must depend on it. Several can recover at once.
"""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import count, forall, function, if_, maximum
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.clients import ClientsState
from verifier.specs.bookkeeper.ensemble_changes import EnsembleChanges
from verifier.specs.bookkeeper.exchange import DELIVERABLE, PROCESSED, ReadResponse
from verifier.specs.protocol import Step, action, free


class Recovery(EnsembleChanges):
    """Clients that recover a ledger which another one created."""

    # Fencing

    @action(client="clients", lost=free("ensembles"))
    def client_starts_recovery(self, s: ClientsState, client: Element, lost: SetValue[Element]) -> Step:
        """A client puts the ledger in recovery and asks the last ensemble to fence it."""
        c, ensemble = s.clients[client], self.last_fragment(s.meta_fragments)
        starts = Step(
            when=[c.status.is_none, (s.meta_status == "OPEN") | (s.meta_status == "IN_RECOVERY")],
            then={
                s.meta_status: "IN_RECOVERY",
                s.meta_version: s.meta_version + 1,
                c.status: "IN_RECOVERY",
                c.meta_version: s.meta_version + 1,
                c.recovery_phase: "FENCING",
                c.fragments: s.meta_fragments,
                c.recovery_ensemble: ensemble,
            },
        )
        return starts & self.send_to_ensemble(s, s.fence_requests[client], ensemble, lost)

    @action(client="clients", bookie="bookies")
    def client_receives_fencing_read_lac_response(
        self, s: ClientsState, client: Element, bookie: Element
    ) -> Step:
        """The recovery learns that a bookie is fenced, and perhaps of a later add confirmed.

        What a bookie tells may be old, which does no harm: it only saves reads. All before the last fragment
        was committed. Once the recovery reads, answers that come late are ignored.
        """
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

    # Reading

    @action(client="clients", entry="next_ids", lost=free("ensembles"))
    def client_sends_recovery_read_requests(
        self, s: ClientsState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """Once no ack quorum is without a fenced bookie, the recovery reads entry by entry.

        It reads from the ensemble that was the last one when it began: bookies that it takes in while it
        writes need not have the entries, and it could end the ledger too early by what they say.
        """
        c = s.clients[client]
        reads_on = (
            (c.recovery_phase == "READ_WRITE") & c.last_recoverable_entry.is_none & c.curr_read_entry.is_none
        )
        enough_fenced = self.has_quorum_coverage(c.fenced, c.recovery_ensemble.cardinality)
        is_next = Step(
            when=[
                c.status == "IN_RECOVERY",
                reads_on | ((c.recovery_phase == "FENCING") & enough_fenced),
                entry == c.lap + 1,
            ],
            then={c.recovery_phase: "READ_WRITE", c.curr_read_entry: entry, c.fenced: self.nobody},
        )
        requests = s.read_requests[client][entry]
        return is_next & self.send_to_ensemble(s, requests, c.recovery_ensemble, lost)

    def receive_read(self, s: ClientsState, client: Element, bookie: Element, entry: Integer) -> Step:
        """A response to the current read arrives; those to earlier reads are ignored."""
        c = s.clients[client]
        return Step(
            when=[
                c.status == "IN_RECOVERY",
                c.recovery_phase == "READ_WRITE",
                s.read_responses[client][entry][bookie].count == DELIVERABLE,
                c.curr_read_entry == entry,
            ]
        )

    def is_no_such_entry(self, responses: SetValue[Element]) -> Formula:
        """So many bookies do not have the entry that the others are no ack quorum. One that has it is enough
        for the opposite: it costs little to write back too much, and entries to write back too little."""
        return self.has_quorum_coverage(responses, self.write_quorum)

    def has_all_responses(self, s: ClientsState, client: Element, responses: SetValue[Element]) -> Formula:
        """Every bookie has answered or timed out."""
        ensemble = s.clients[client].recovery_ensemble
        timeouts = count(self.has_read_timeout(s, client, b) for b in ensemble)
        return responses.cardinality + timeouts == self.write_quorum

    def conclude_read(self, s: ClientsState, client: Element, bookie: Element, entry: Integer) -> Step:
        """The read ends, this response is processed, and what else is on its way of the recovery's reads is
        never delivered. How that is said in the original is chosen by ``late_reads``."""
        c, ensemble = s.clients[client], s.clients[client].recovery_ensemble
        requests, responses = s.read_requests[client], s.read_responses[client]
        ends = Step(then={c.curr_read_entry: None, c.read_responses: self.nobody})

        def is_settled(e: Integer, b: Element) -> Formula:
            is_this = (e == entry) & (b == bookie)
            return (requests[e][b] != DELIVERABLE) & ((responses[e][b].count != DELIVERABLE) | is_this)

        def ignore_count(counts: OptionValue[Integer], b: Element) -> OptionValue[Integer]:
            return if_(ensemble.contains(b) & (counts == DELIVERABLE), PROCESSED, counts)

        def ignoring(response: ReadResponse, b: Element) -> ReadResponse:
            return response.updated(count=ignore_count(response.count, b))

        if self.late_reads == "as-written":
            return ends & Step(
                when=[forall(is_settled(e, b) for e in self.next_ids for b in ensemble)],
                then={responses[entry][bookie].count: PROCESSED},
            )
        return ends & Step(
            then={
                requests: function(
                    function(ignore_count(requests[e][b], b) for b in self.bookies) for e in self.next_ids
                ),
                responses: function(
                    function(ignoring(responses[e][b], b) for b in self.bookies) for e in self.next_ids
                ),
            }
        )

    @action(client="clients", bookie="bookies", entry="ids")
    def read_positive(self, s: ClientsState, client: Element, bookie: Element, entry: Integer) -> Step:
        """A bookie has the entry, which is enough: it will be written back."""
        c, response = s.clients[client], s.read_responses[client][entry][bookie]
        has_entry = Step(
            when=[response.data.is_some],
            then={
                c.lap: entry,
                c.pending_add_ops[entry]: self.ensemble(s, client),
                c.data[entry]: response.data,
            },
        )
        received = self.receive_read(s, client, bookie, entry)
        return received & has_entry & self.conclude_read(s, client, bookie, entry)

    @action(client="clients", bookie="bookies", entry="next_ids")
    def read_negative(self, s: ClientsState, client: Element, bookie: Element, entry: Integer) -> Step:
        """Too many bookies do not have the entry for it to be committed: the ledger ends before it."""
        c = s.clients[client]
        is_end = Step(
            when=[
                s.read_responses[client][entry][bookie].data.is_none,
                self.is_no_such_entry(c.read_responses.add(bookie)),
            ],
            then={c.recovery_ensemble: self.nobody, c.last_recoverable_entry: entry - 1},
        )
        received = self.receive_read(s, client, bookie, entry)
        return received & is_end & self.conclude_read(s, client, bookie, entry)

    @action(client="clients", bookie="bookies", entry="next_ids")
    def read_unknown(self, s: ClientsState, client: Element, bookie: Element, entry: Integer) -> Step:
        """All have answered or timed out, and nobody can tell: the recovery gives up."""
        c = s.clients[client]
        responses = c.read_responses.add(bookie)
        is_unknown = Step(
            when=[
                s.read_responses[client][entry][bookie].data.is_none,
                ~self.is_no_such_entry(responses),
                self.has_all_responses(s, client, responses),
            ],
            then={c.status: "ABORTED", c.recovery_ensemble: self.nobody},
        )
        received = self.receive_read(s, client, bookie, entry)
        return received & is_unknown & self.conclude_read(s, client, bookie, entry)

    @action(client="clients", bookie="bookies", entry="next_ids")
    def not_enough_read_responses(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """A bookie does not have the entry, and others have yet to answer."""
        c, response = s.clients[client], s.read_responses[client][entry][bookie]
        responses = c.read_responses.add(bookie)
        return self.receive_read(s, client, bookie, entry) & Step(
            when=[
                response.data.is_none,
                ~self.is_no_such_entry(responses),
                ~self.has_all_responses(s, client, responses),
            ],
            then={c.read_responses: responses, response.count: PROCESSED},
        )

    # Writing back and closing

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def client_writes_back_entry(
        self, s: ClientsState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The recovery writes the first entry that it read and did not write yet."""
        c = s.clients[client]
        writes = Step(when=[c.status == "IN_RECOVERY", c.recovery_phase == "READ_WRITE"])
        return writes & self.write_back_entry(s, client, entry, lost)

    @action(client="clients", bookie="bookies", entry="ids")
    def recovery_client_receives_add_confirmed_response(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """The recovery learns that a bookie has an entry that was written back."""
        recovers = Step(when=[s.clients[client].status == "IN_RECOVERY"])
        return recovers & self.receive_add_confirmed_response(s, client, bookie, entry)

    @action(client="clients", ensemble=free("ensembles"))
    def recovery_client_changes_ensemble(
        self, s: ClientsState, client: Element, ensemble: SetValue[Element]
    ) -> Step:
        """It replaces bookies that timed out, and keeps that to itself until it closes the ledger: another
        recovery, also one that takes over from it, must not read from bookies that it has only taken in."""
        recovers = Step(when=[s.clients[client].status == "IN_RECOVERY", s.meta_status == "IN_RECOVERY"])
        return recovers & self.change_ensemble(s, client, ensemble)

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def recovery_client_sends_pending_add_op(
        self, s: ClientsState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The recovery sends a pending add to the bookies that are new in its ensemble."""
        recovers = Step(when=[s.clients[client].status == "IN_RECOVERY"])
        return recovers & self.resend_pending_add_op(s, client, entry, lost)

    @action(client="clients")
    def recovery_client_closes_ledger(self, s: ClientsState, client: Element) -> Step:
        """The recovery has read and written all there is, and closes the ledger if nobody came between."""
        c = s.clients[client]
        return Step(
            when=[
                c.meta_version == s.meta_version,
                s.meta_status == "IN_RECOVERY",
                c.status == "IN_RECOVERY",
                c.recovery_phase == "READ_WRITE",
                c.last_recoverable_entry.is_some,
                forall(c.pending_add_ops[e].is_empty for e in self.ids),
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
