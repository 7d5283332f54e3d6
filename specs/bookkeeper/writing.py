"""``bookkeeper``: the client that creates the ledger and writes to it."""

from __future__ import annotations

from typing import Any

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import comprehension, exists, forall, function, if_, maximum
from verifier.encodings.values import OptionValue, SetValue
from verifier.specs.bookkeeper.ledger import (
    DELIVERABLE,
    LOST,
    PROCESSED,
    Counts,
)
from verifier.specs.bookkeeper.storing import Storing, StoringState
from verifier.specs.protocol import Step, action, free


class Writing(Storing):
    """A client that creates a ledger, adds entries, and replaces bookies that time out."""

    # The client that creates the ledger

    @action(client="clients", ensemble=free("ensembles"))
    def client_creates_ledger(self, s: StoringState, client: Element, ensemble: SetValue[Element]) -> Step:
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
        self, s: StoringState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The writer sends the next entry to its ensemble, unless too many are unconfirmed."""
        c, ensemble = s.clients[client], self.ensemble(s, client)
        return Step(
            when=[
                c.status == "OPEN",
                c.lap - c.lac <= self.inflight_limit - 1,
                entry == c.lap + 1,
                *self.can_send_add(s, client, entry, ensemble, lost),
            ],
            then={
                c.lap: entry,
                c.pending_add_ops[entry]: ensemble,
                c.data[entry]: entry,
                **self.send_add(s, client, entry, ensemble, lost),
            },
        )

    @action(client="clients", bookie="bookies", entry="ids")
    def client_receives_add_confirmed_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """The writer learns that a bookie has an entry, which may commit entries."""
        return self.receive_add_confirmed(s, client, bookie, entry, "OPEN")

    def receive_add_confirmed(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer, status: str
    ) -> Step:
        c, response = s.clients[client], s.add_confirmations[client][entry][bookie]
        confirmed = c.confirmed.updated(entry, c.confirmed[entry].add(bookie))
        lac = self.last_confirmed(confirmed)
        return Step(
            when=[
                c.status == status,
                response == DELIVERABLE,
                self.is_earliest_response(s, client, bookie, entry),
                self.ensemble(s, client).contains(bookie),
            ],
            then={
                c.confirmed: confirmed,
                c.lac: maximum(c.lac, lac),
                c.pending_add_ops: self.still_pending(c.pending_add_ops, confirmed, lac),
                response: PROCESSED,
            },
        )

    @action(client="clients", bookie="bookies", entry="ids")
    def client_receives_add_fenced_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> Step:
        """The writer learns that the ledger is being recovered, and withdraws."""
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
    def client_changes_ensemble(self, s: StoringState, client: Element, ensemble: SetValue[Element]) -> Step:
        """The writer replaces the bookies that timed out, in the metadata as well."""
        c = s.clients[client]
        fragments = c.fragments.updated(c.lac + 1, ensemble)
        return Step(
            when=[
                c.status == "OPEN",
                s.meta_status == "OPEN",
                c.meta_version == s.meta_version,
                *self.can_change_ensemble(s, client, ensemble),
            ],
            then={
                s.meta_fragments: fragments,
                s.meta_version: s.meta_version + 1,
                c.meta_version: s.meta_version + 1,
                **self.change_ensemble(s, client, ensemble),
            },
        )

    def failed(self, s: StoringState, client: Element) -> SetValue[Element]:
        """The bookies of the client's ensemble that timed out on its adds."""
        return comprehension(self.ensemble(s, client), lambda b: self.has_write_timeout(s, client, b))

    def can_change_ensemble(
        self, s: StoringState, client: Element, ensemble: SetValue[Element]
    ) -> list[Formula]:
        """Every pending add was sent to the current ensemble, some of which failed and can be replaced."""
        c, current, failed = s.clients[client], self.ensemble(s, client), self.failed(s, client)
        return [
            forall(self.ids, lambda e: c.pending_add_ops[e].is_empty | (c.pending_add_ops[e] == current)),
            ~failed.is_empty,
            self.selects_ensemble(s, ensemble, current - failed, failed),
        ]

    def change_ensemble(
        self, s: StoringState, client: Element, ensemble: SetValue[Element]
    ) -> dict[Any, Any]:
        """A fragment from the first unconfirmed entry on, which may replace the current one."""
        c, failed = s.clients[client], self.failed(s, client)

        def cleared(count: OptionValue[Integer], bookie: Element) -> OptionValue[Integer]:
            return if_(failed.contains(bookie) & (count == LOST), PROCESSED, count)

        def all_cleared(counts: Counts) -> Counts:
            return function(self.bookies, lambda b: cleared(counts[b], b))

        requests = s.add_requests[client]
        confirmations, refusals = s.add_confirmations[client], s.add_refusals[client]
        return {
            c.fragments: c.fragments.updated(c.lac + 1, ensemble),
            c.confirmed: function(
                self.ids, lambda e: if_(e > c.lac, c.confirmed[e] - failed, c.confirmed[e])
            ),
            requests: function(
                self.ids, lambda e: function(self.lacs, lambda lac: all_cleared(requests[e][lac]))
            ),
            confirmations: function(self.ids, lambda e: all_cleared(confirmations[e])),
            refusals: function(self.ids, lambda e: all_cleared(refusals[e])),
        }

    @action(client="clients", entry="ids", lost=free("ensembles"))
    def client_resends_pending_add_op(
        self, s: StoringState, client: Element, entry: Integer, lost: SetValue[Element]
    ) -> Step:
        """The writer sends a pending add to the bookies that are new in its ensemble."""
        return self.resend_pending_add_op(s, client, entry, lost, "OPEN")

    def resend_pending_add_op(
        self, s: StoringState, client: Element, entry: Integer, lost: SetValue[Element], status: str
    ) -> Step:
        c, current = s.clients[client], self.ensemble(s, client)
        last_sent = c.pending_add_ops[entry]
        newcomers = current - last_sent
        return Step(
            when=[
                c.status == status,
                ~last_sent.is_empty & (last_sent != current),
                ~exists(self.ids, lambda e: (e < entry) & (c.pending_add_ops[e] == last_sent)),
                *self.can_send_add(s, client, entry, newcomers, lost),
            ],
            then={
                last_sent: current,
                **self.send_add(s, client, entry, newcomers, lost),
            },
        )

    @action(client="clients")
    def client_closes_ledger_success(self, s: StoringState, client: Element) -> Step:
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
    def client_closes_ledger_fail(self, s: StoringState, client: Element) -> Step:
        """The writer wants to close the ledger, finds it no longer open, and withdraws."""
        c = s.clients[client]
        return Step(
            when=[c.status == "OPEN", s.meta_status != "OPEN"],
            then={c.status: "WITHDRAWN", c.meta_version: None},
        )
