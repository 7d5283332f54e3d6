"""Lemmas about the clients of ``bookkeeper``: who does what, and what an add tells of its sender.

The creator of a ledger is the client that writes to it; all others can only recover it.
"""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import all_of, count, exists, forall
from verifier.encodings.sorts import Function, Range, Record
from verifier.specs.bookkeeper.clients import Client, Clients, ClientsState
from verifier.specs.bookkeeper.exchange import LOST, PROCESSED
from verifier.specs.bookkeeper.ledger import Ensembles, empty_value
from verifier.specs.protocol import lemma


class BookKeeperClientLemmas(Clients):
    """To be mixed into ``bookkeeper``, with those of what is lost and kept."""

    # What the lemmas speak of

    def is_creator(self, s: ClientsState, client: Element) -> Formula:
        """The client created the ledger."""
        return s.clients[client].status.is_some & ~self.is_recovering(s, client)

    def for_creator(self, s: ClientsState, body: Callable[[Element], Formula]) -> Formula:
        """Facts about the client that created the ledger, if there is one."""
        return forall(body(w) for w in self.clients if self.is_creator(s, w))

    def has_fenced(self, s: ClientsState, client: Element) -> Formula:
        """A bookie has answered the recovery's fencing."""
        c = s.clients[client]
        return (c.recovery_phase == "READ_WRITE") | ~c.fenced.is_empty

    # Who does what

    @lemma
    def creation_comes_first(self, s: ClientsState) -> Formula:
        """A client creates the ledger before anybody else can do anything, and remains its creator."""
        creator = exists(self.is_creator(s, w) for w in self.clients)
        return s.meta_status.is_none.implies(self.init(s)) & s.meta_status.is_some.implies(creator)

    @lemma
    def one_creator(self, s: ClientsState) -> Formula:
        """A ledger is created only where there is none."""
        return self.for_creator(s, lambda w: self.for_creator(s, lambda x: w == x))

    @lemma
    def idle_clients_did_nothing(self, s: ClientsState) -> Formula:
        """Creating the ledger or recovering it is the first thing that a client does."""
        of_clients = [
            getattr(s, variable.name)
            for variable in s.symbols
            if isinstance(variable.sort, Function) and variable.sort.domain == self.clients
        ]

        def did_nothing(c: Element) -> Formula:
            return all_of(*(values[c] == empty_value(values[c].sort) for values in of_clients))

        return forall(did_nothing(c) for c in self.clients if s.clients[c].status.is_none)

    @lemma
    def status_tells_role(self, s: ClientsState) -> Formula:
        """The creator is open or withdraws, a recovery goes on or is aborted; either may close."""

        def agrees(c: Client) -> Formula:
            writes = (c.status == "OPEN") | (c.status == "WITHDRAWN")
            recovers = (c.status == "IN_RECOVERY") | (c.status == "ABORTED")
            started = c.recovery_phase != "NOT_STARTED"
            return writes.implies(~started) & recovers.implies(started)

        return forall(agrees(s.clients[c]) for c in self.clients)

    @lemma(using={"recovery_client_closes_ledger": ["adds_are_pending_until_confirmed", "reads_in_order"]})
    def metadata_tells_stage(self, s: ClientsState) -> Formula:
        """A recovery says so in the metadata before anything else; who closes does it there."""
        return forall(
            self.is_recovering(s, c).implies((s.meta_status == "IN_RECOVERY") | (s.meta_status == "CLOSED"))
            & (s.clients[c].status == "CLOSED").implies(
                (s.meta_status == "CLOSED") & (s.clients[c].lac == s.meta_last_entry)
            )
            for c in self.clients
        )

    @lemma
    def one_client_closes(self, s: ClientsState) -> Formula:
        """Who closes the ledger says so in the metadata, and nobody else can close it then."""

        def has_closed(c: Element) -> Formula:
            return s.clients[c].status == "CLOSED"

        return all_of(
            (s.meta_status == "CLOSED").implies(exists(has_closed(c) for c in self.clients)),
            forall(c == d for c in self.clients for d in self.clients if has_closed(c) & has_closed(d)),
        )

    # Fragments

    @lemma(
        using={
            "client_creates_ledger": ["creation_comes_first"],
            "client_changes_ensemble": ["one_creator", "status_tells_role"],
            "recovery_client_changes_ensemble": ["status_tells_role"],
        }
    )
    def creator_knows_fragments(self, s: ClientsState) -> Formula:
        """Until the ledger is closed only its creator changes the fragments, here and there in one step."""
        return self.for_creator(
            s, lambda w: (s.meta_status != "CLOSED").implies(s.clients[w].fragments == s.meta_fragments)
        )

    @lemma(
        using={
            "client_creates_ledger": ["creation_comes_first"],
            "client_changes_ensemble": ["ensembles_are_full"],
            "client_starts_recovery": ["ensembles_are_full"],
            "recovery_client_changes_ensemble": ["ensembles_are_full"],
        }
    )
    def ensembles_are_full(self, s: ClientsState) -> Formula:
        """Every ensemble is chosen with as many bookies as an entry is sent to."""

        def is_full(fragments: Ensembles) -> Formula:
            return self.last_fragment(fragments).cardinality == self.write_quorum

        return s.meta_status.is_some.implies(is_full(s.meta_fragments)) & forall(
            is_full(s.clients[c].fragments) for c in self.clients if s.clients[c].status.is_some
        )

    @lemma(
        using=[
            *("creation_comes_first", "idle_clients_did_nothing", "status_tells_role", "one_creator"),
            *("metadata_tells_stage", "fencing_comes_first", "reads_in_order", "ensembles_are_full"),
            *("recovery_reads_last_fragment", "adds_are_pending_until_confirmed"),
        ]
    )
    def fragments_begin_unconfirmed(self, s: ClientsState) -> Formula:
        """A fragment begins at the first unconfirmed entry; a recovery takes what is before the last one for
        confirmed, with the first answer to its fencing."""
        return forall(
            self.last_first_entry(s.clients[c].fragments) <= s.clients[c].lac + 1
            for c in self.clients
            if self.is_creator(s, c) | self.has_fenced(s, c)
        )

    def for_recoveries(self, s: ClientsState, body: Callable[[Client, Element], Formula]) -> Formula:
        """Facts about the knowledge of each recovery, and of the creator."""
        return self.for_creator(
            s,
            lambda w: forall(body(s.clients[c], w) for c in self.clients if self.is_recovering(s, c)),
        )

    @lemma(using=["status_tells_role", "creator_knows_fragments", "fencing_comes_first", "adds_have_content"])
    def recovery_begins_with_fragments(self, s: ClientsState) -> Formula:
        """A recovery begins with the creator's fragments, which change no more; it changes its own once it
        has sent adds."""
        return self.for_recoveries(
            s,
            lambda c, w: (c.recovery_phase == "FENCING").implies(c.fragments == s.clients[w].fragments),
        )

    @lemma(using=["status_tells_role", "metadata_tells_stage", "creator_knows_fragments"])
    def recovery_reads_last_fragment(self, s: ClientsState) -> Formula:
        """A recovery reads from the creator's last ensemble."""

        def reads(c: Client) -> Formula:
            return (c.status == "IN_RECOVERY") & c.last_recoverable_entry.is_none

        return self.for_recoveries(
            s, lambda c, w: reads(c).implies(c.recovery_ensemble == self.ensemble(s, w))
        )

    @lemma(
        using={
            "client_creates_ledger": ["creation_comes_first", "metadata_tells_stage"],
            "client_starts_recovery": ["idle_clients_did_nothing"],
            "client_receives_fencing_read_lac_response": [
                *("status_tells_role", "fencing_comes_first", "recovery_begins_with_fragments"),
            ],
            "client_sends_recovery_read_requests": [
                *("status_tells_role", "fencing_comes_first", "reads_in_order", "ensembles_are_full"),
                "recovery_reads_last_fragment",
            ],
            "client_changes_ensemble": ["status_tells_role", "metadata_tells_stage"],
            "recovery_client_changes_ensemble": ["status_tells_role"],
        }
    )
    def recovery_begins_in_last_fragment(self, s: ClientsState) -> Formula:
        """A recovery takes what is before the last fragment for confirmed, with the first answer to its
        fencing."""
        return self.for_recoveries(
            s,
            lambda c, w: ((c.recovery_phase == "READ_WRITE") | ~c.fenced.is_empty).implies(
                self.last_first_entry(s.clients[w].fragments) <= c.lap + 1
            ),
        )

    # Adds

    @lemma(
        using=[
            *("idle_clients_did_nothing", "reads_in_order", "fencing_comes_first"),
            *("fencing_is_recovery", "fenced_bookies_refuse"),
        ]
    )
    def adds_have_content(self, s: ClientsState) -> Formula:
        """A client sends adds of entries that it was given or has read."""

        def has_content(c: Element, e: Integer) -> Formula:
            requests, has_data = s.add_requests[c][e], s.clients[c].data[e].is_some
            sent = exists(requests[lac][b].is_some for lac in self.lacs for b in self.bookies)
            confirmed = exists(s.add_confirmations[c][e][b].is_some for b in self.bookies)
            refused = exists(s.add_refusals[c][e][b].is_some for b in self.bookies)
            pending = ~s.clients[c].pending_add_ops[e].is_empty
            return all_of(
                *(known.implies(has_data) for known in (sent, confirmed, refused, pending)),
                has_data.implies(e <= s.clients[c].lap),
            )

        return forall(self.clients, self.ids, has_content)

    @lemma
    def contents_are_original(self, s: ClientsState) -> Formula:
        """The creator gives an entry its content, and everybody else has it from there."""
        return self.no_out_of_order_entries(s) & forall(
            (s.clients[c].data[e].is_none | (s.clients[c].data[e] == e))
            & forall(
                s.read_responses[c][e][b].data.is_none | (s.read_responses[c][e][b].data == e)
                for b in self.bookies
            )
            for c in self.clients
            for e in self.ids
        )

    @lemma(
        using=[
            *("creation_comes_first", "idle_clients_did_nothing", "ensembles_are_full", "adds_have_content"),
            *("confirmed_is_stored", "fencing_comes_first", "reads_in_order"),
        ]
    )
    def adds_are_pending_until_confirmed(self, s: ClientsState) -> Formula:
        """Everything that a client sends or reads is pending until it is confirmed, and all before it."""

        def is_pending(c: Client, e: Integer) -> Formula:
            pending = ~c.pending_add_ops[e].is_empty
            return (pending.implies(c.lac < e)) & ((c.lac < e) & (e <= c.lap)).implies(pending)

        return forall(
            (s.clients[c].lac <= s.clients[c].lap) & forall(is_pending(s.clients[c], e) for e in self.ids)
            for c in self.clients
        )

    @lemma
    def confirmed_is_stored(self, s: ClientsState) -> Formula:
        """A bookie stores an entry before it confirms it, and keeps it."""
        return forall(
            s.clients[c].confirmed[e].contains(b).implies(s.add_confirmations[c][e][b].is_some)
            & s.add_confirmations[c][e][b].is_some.implies(self.is_stored(s, b, e))
            for c in self.clients
            for e in self.ids
            for b in self.bookies
        )

    @lemma
    def confirmed_by_ensemble(self, s: ClientsState) -> Formula:
        """Confirmations count from bookies of the ensemble, and those replaced are struck out."""
        return forall(
            s.clients[c].confirmed[e] <= self.ensemble(s, c)
            for c in self.clients
            for e in self.ids
            if s.clients[c].lac < e
        )

    @lemma(
        using={
            "client_creates_ledger": ["creation_comes_first"],
            "client_receives_add_confirmed_response": [
                *("fragments_begin_unconfirmed", "confirmed_by_ensemble"),
            ],
            "client_changes_ensemble": ["fragments_begin_unconfirmed", "confirmed_by_ensemble"],
            "client_closes_ledger_fail": ["idle_clients_did_nothing"],
            "client_starts_recovery": ["idle_clients_did_nothing"],
            "recovery_client_receives_add_confirmed_response": ["status_tells_role"],
            "recovery_client_changes_ensemble": ["status_tells_role"],
            "recovery_client_closes_ledger": ["status_tells_role"],
        }
    )
    def acknowledged_by_ack_quorum(self, s: ClientsState) -> Formula:
        """The creator acknowledges an entry that an ack quorum of the entry's ensemble confirmed."""

        def is_acknowledged(w: Element, e: Integer) -> Formula:
            ensemble = self.fragment_of_entry(s.clients[w].fragments, e)
            return (s.clients[w].confirmed[e] & ensemble).cardinality >= self.ack_quorum

        return self.for_creator(
            s, lambda w: forall(is_acknowledged(w, e) for e in self.ids if e <= s.clients[w].lac)
        )

    @lemma
    def adds_tell_known_lac(self, s: ClientsState) -> Formula:
        """An add carries what its client knew as last confirmed when it sent it."""
        return forall(
            lac <= s.clients[c].lac
            for c in self.clients
            for e in self.ids
            for lac in self.lacs
            for b in self.bookies
            if s.add_requests[c][e][lac][b].is_some
        )

    @lemma(using=["metadata_tells_stage", "ensemble_is_asked"])
    def fencing_is_recovery(self, s: ClientsState) -> Formula:
        """No bookie is fenced before a recovery has put the ledger in recovery."""
        return (s.meta_status.is_none | (s.meta_status == "OPEN")).implies(s.b_fenced.is_empty)

    @lemma
    def fenced_bookies_refuse(self, s: ClientsState) -> Formula:
        """A bookie refuses an add only when it is fenced, and remains so."""
        return forall(
            s.b_fenced.contains(b)
            for c in self.clients
            for e in self.ids
            for b in self.bookies
            if s.add_refusals[c][e][b].is_some
        )

    # How often the metadata can change

    @lemma
    def adds_in_flight_are_limited(self, s: ClientsState) -> Formula:
        """The creator sends an entry with what was confirmed then, which is not far behind it."""

        def is_limited(w: Element, e: Integer, lac: Integer) -> Formula:
            sent = exists(s.add_requests[w][e][lac][b].is_some for b in self.bookies)
            return sent.implies((lac < e) & (e <= lac + self.inflight_limit))

        return self.for_creator(
            s,
            lambda w: (
                (s.clients[w].lap <= s.clients[w].lac + self.inflight_limit)
                & forall(is_limited(w, e, lac) for e in self.ids for lac in self.lacs)
            ),
        )

    @lemma
    def changes_of_ensemble_settle_losses(self, s: ClientsState) -> Formula:
        """Each change of ensemble settles the loss of an add or of a confirmation, which happens once, and
        takes in another bookie."""
        behind = Range(1, self.inflight_limit)
        adds = Record(entry=self.ids, behind=behind, bookie=self.bookies)
        confirmations = Record(entry=self.ids, bookie=self.bookies)

        def is_accounted_for(w: Element) -> Formula:
            requests = s.add_requests[w]
            settled = count(
                (m.behind <= m.entry) & (requests[m.entry][m.entry - m.behind][m.bookie] == PROCESSED)
                for m in adds
            )
            lost = count(s.add_confirmations[w][m.entry][m.bookie] == LOST for m in confirmations)
            others = self.bookies.size - self.write_quorum
            return (s.meta_version + lost <= 1 + settled) & (s.meta_version <= 1 + others * settled)

        return (s.meta_status == "OPEN").implies(self.for_creator(s, is_accounted_for))

    @lemma
    def versions_suffice(self, s: ClientsState) -> Formula:
        """Beyond that each recovery changes the metadata once, and so does closing: versions are left for
        the clients that have not yet done so."""
        recoveries = count(self.is_recovering(s, c) for c in self.clients)
        rest = self.clients.size - recoveries
        return (s.meta_status != "CLOSED").implies(s.meta_version + rest <= self.versions.high)
