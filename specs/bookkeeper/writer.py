"""``bookkeeper``: the client that creates the ledger, adds entries, and closes it."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Integer
from verifier.specs.bookkeeper.clients import ClientsState
from verifier.specs.bookkeeper.ensemble_changes import EnsembleChanges
from verifier.specs.bookkeeper.exchange import DELIVERABLE, PROCESSED
from verifier.specs.protocol import Step, action, free


class Writer(EnsembleChanges):
    """A client that creates a ledger, adds entries, and replaces bookies that time out."""

    @action(client="clients", ensemble=free("ensembles"))
    def client_creates_ledger(self, s: ClientsState, client: Element, ensemble: SetValue[Element]) -> Step:
        """A client creates the ledger, with its first fragment on some ensemble."""
        c, fragments = s.clients[client], s.meta_fragments.updated(1, ensemble)
        return Step(
            when=[
                s.meta_status.is_none,
                c.meta_version.is_none,
                self.selects_ensemble(s, ensemble, self.nobody, self.nobody),
            ],
            then={
                c.status: "OPEN",
                c.meta_version: 1,
                c.fragments: fragments,
                s.meta_status: "OPEN",
                s.meta_version: 1,
                s.meta_fragments: fragments,
            },
        )

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def client_sends_add_entry_requests(
        self, s: ClientsState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The writer sends the next entry to its ensemble, unless too many are unconfirmed."""
        c, ensemble = s.clients[client], self.ensemble(s, client)
        is_next = Step(
            when=[c.status == "OPEN", c.lap - c.lac <= self.inflight_limit - 1, entry == c.lap + 1],
            then={c.lap: entry, c.pending_add_ops[entry]: ensemble, c.data[entry]: entry},
        )
        return is_next & self.send_add_entry_requests(s, client, entry, ensemble, lost)

    @action(client="clients", bookie="bookies", entry="ids")
    def client_receives_add_confirmed_response(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """The writer learns that a bookie has an entry, which may commit entries."""
        is_open = Step(when=[s.clients[client].status == "OPEN"])
        return is_open & self.receive_add_confirmed_response(s, client, bookie, entry)

    @action(client="clients", bookie="bookies", entry="ids")
    def client_receives_add_fenced_response(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """The writer learns that the ledger is being recovered, and withdraws: fencing is there to keep it
        from adding to a ledger whose end another client is about to determine."""
        c, response = s.clients[client], s.add_refusals[client][entry][bookie]
        return Step(
            when=[
                c.status == "OPEN",
                response == DELIVERABLE,
                self.is_earliest_response(s, client, bookie, entry),
                self.ensemble(s, client).contains(bookie),
            ],
            then={c.status: "WITHDRAWN", response: PROCESSED},
        )

    @action(client="clients", ensemble=free("ensembles"))
    def client_changes_ensemble(self, s: ClientsState, client: Element, ensemble: SetValue[Element]) -> Step:
        """The writer replaces the bookies that timed out, in the metadata at once: it must not go on before
        others could find the entries that it adds."""
        c = s.clients[client]
        writes_metadata = Step(
            when=[c.status == "OPEN", s.meta_status == "OPEN", c.meta_version == s.meta_version],
            then={
                s.meta_fragments: c.fragments.updated(c.lac + 1, ensemble),
                s.meta_version: s.meta_version + 1,
                c.meta_version: s.meta_version + 1,
            },
        )
        return writes_metadata & self.change_ensemble(s, client, ensemble)

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def client_resends_pending_add_op(
        self, s: ClientsState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The writer sends a pending add to the bookies that are new in its ensemble."""
        is_open = Step(when=[s.clients[client].status == "OPEN"])
        return is_open & self.resend_pending_add_op(s, client, entry, lost)

    @action(client="clients")
    def client_closes_ledger_success(self, s: ClientsState, client: Element) -> Step:
        """The writer closes the ledger, at any time, and the metadata store agrees."""
        c = s.clients[client]
        return Step(
            when=[c.meta_version == s.meta_version, c.status == "OPEN", s.meta_status == "OPEN"],
            then={
                c.meta_version: s.meta_version + 1,
                c.status: "CLOSED",
                s.meta_status: "CLOSED",
                s.meta_last_entry: c.lac,
                s.meta_version: s.meta_version + 1,
            },
        )

    @action(client="clients")
    def client_closes_ledger_fail(self, s: ClientsState, client: Element) -> Step:
        """The writer wants to close the ledger, finds it no longer open, and withdraws."""
        c = s.clients[client]
        return Step(
            when=[c.status == "OPEN", s.meta_status != "OPEN"],
            then={c.status: "WITHDRAWN", c.meta_version: None},
        )
