"""``bookkeeper-4-13``: w1, which creates the ledger, adds entries, and closes it."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Integer
from verifier.specs.bookkeeper.exchange import DELIVERABLE, PROCESSED
from verifier.specs.bookkeeper.v4_13_clients import Clients413, State413
from verifier.specs.protocol import Step, action, free


class Writer413(Clients413):
    """The client that writes to the ledger."""

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
        is_next = Step(
            when=[w1.status == "OPEN", entry == w1.lap + 1],
            then={w1.lap: entry, w1.pending_add_ops[entry]: w1.ensemble},
        )
        return is_next & self.send_add_entry_requests(s, "w1", entry, w1.ensemble, lost)

    @action(bookie="bookies", entry="ids")
    def w1_receives_add_confirmed_response(self, s: State413, bookie: Element, entry: Integer) -> Step:
        """The writer learns that a bookie has an entry, which may commit entries."""
        is_open = Step(when=[s.w1.status == "OPEN"])
        return is_open & self.receive_add_confirmed_response(s, "w1", bookie, entry)

    @action(bookie="bookies", entry="ids")
    def w1_receives_add_fenced_response(self, s: State413, bookie: Element, entry: Integer) -> Step:
        """The writer learns that the ledger is being recovered, and stops: fencing is there to keep it from
        adding to a ledger whose end another client is about to determine."""
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

    @action(bookie="bookies", ensemble=free("ensembles"))
    def w1_tries_invalid_ensemble_change(
        self, s: State413, bookie: Element, ensemble: SetValue[Element]
    ) -> Step:
        """The writer would put a fragment before another."""
        return self.invalid_ensemble_change(s, "w1", bookie, ensemble, "OPEN")

    @action(entry="ids", lost=free("ensembles"))
    def w1_sends_pending_add_op(self, s: State413, entry: Integer, lost: SetValue[Element]) -> Step:
        """The writer sends a pending add to the bookies that are new in its ensemble."""
        is_open = Step(when=[s.w1.status == "OPEN"])
        return is_open & self.resend_pending_add_op(s, "w1", entry, lost)

    @action
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

    @action
    def w1_close_ledger_fail(self, s: State413) -> Step:
        """The writer wants to close the ledger and finds it no longer open; it can still add to it."""
        return Step(
            when=[s.w1.meta_version != s.meta_version, s.w1.status == "OPEN", s.meta_status != "OPEN"],
            then={s.w1.meta_version: None},
        )
