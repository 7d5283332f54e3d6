"""What holds of the clients of ``bookkeeper``: who does what, and what an add tells of its sender.

The creator of a ledger is the client that writes to it; all others can only recover it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import all_of, count, exists, forall
from verifier.encodings.sorts import Function, Range, Record
from verifier.specs.bookkeeper.ledger import LOST, PROCESSED, Ensembles, untouched
from verifier.specs.bookkeeper.storing import StoringState
from verifier.specs.protocol import lemma


class BookKeeperClientLemmas:
    """To be mixed into ``bookkeeper``, with those of what is lost and kept."""

    # What the lemmas speak of

    def is_creator(self: Any, s: StoringState, client: Element) -> Any:
        """The client created the ledger."""
        return s.clients[client].status.is_some & ~self.is_recovering(s, client)

    def for_creator(self: Any, s: StoringState, body: Callable[[Element], Formula]) -> Formula:
        """What holds of the client that created the ledger, if there is one."""
        return forall(self.clients, lambda w: self.is_creator(s, w).implies(body(w)))

    def has_fenced(self: Any, s: StoringState, client: Element) -> Formula:
        """A bookie has answered the recovery's fencing."""
        c = s.clients[client]
        return (c.recovery_phase == "READ_WRITE") | ~c.fenced.is_empty

    # Who does what

    @lemma()
    def creation_comes_first(self: Any, s: StoringState) -> Formula:
        """A client creates the ledger before anybody else can do anything, and remains its creator."""
        creator = exists(self.clients, lambda w: self.is_creator(s, w))
        return s.meta_status.is_none.implies(self.init(s)) & s.meta_status.is_some.implies(creator)

    @lemma()
    def one_creator(self: Any, s: StoringState) -> Any:
        """A ledger is created only where there is none."""
        return self.for_creator(s, lambda w: self.for_creator(s, lambda x: w == x))

    @lemma()
    def idle_clients_did_nothing(self: Any, s: StoringState) -> Formula:
        """Creating the ledger or recovering it is the first thing that a client does."""
        of_clients = [
            getattr(s, variable.name)
            for variable in s.symbols
            if isinstance(variable.sort, Function) and variable.sort.domain == self.clients
        ]

        def did_nothing(c: Any) -> Formula:
            return all_of(*(values[c] == untouched(values[c].sort) for values in of_clients))

        return forall(self.clients, lambda c: s.clients[c].status.is_none.implies(did_nothing(c)))

    @lemma()
    def status_tells_role(self: Any, s: StoringState) -> Formula:
        """The creator is open or withdraws, a recovery goes on or is aborted; either may close."""

        def agrees(c: Any) -> Any:
            writes = (c.status == "OPEN") | (c.status == "WITHDRAWN")
            recovers = (c.status == "IN_RECOVERY") | (c.status == "ABORTED")
            started = c.recovery_phase != "NOT_STARTED"
            return writes.implies(~started) & recovers.implies(started)

        return forall(self.clients, lambda c: agrees(s.clients[c]))

    @lemma()
    def metadata_tells_stage(self: Any, s: StoringState) -> Formula:
        """A recovery says so in the metadata before anything else; who closes does it there."""
        return forall(
            self.clients,
            lambda c: (
                self.is_recovering(s, c).implies(
                    (s.meta_status == "IN_RECOVERY") | (s.meta_status == "CLOSED")
                )
                & (s.clients[c].status == "CLOSED").implies(
                    (s.meta_status == "CLOSED") & (s.clients[c].lac == s.meta_last_entry)
                )
            ),
        )

    # Fragments

    @lemma()
    def creator_knows_fragments(self: Any, s: StoringState) -> Any:
        """Until the ledger is closed only its creator changes the fragments, here and there in one step."""
        return self.for_creator(
            s, lambda w: (s.meta_status != "CLOSED").implies(s.clients[w].fragments == s.meta_fragments)
        )

    @lemma()
    def ensembles_are_full(self: Any, s: StoringState) -> Formula:
        """Every ensemble is chosen with as many bookies as an entry is sent to."""

        def is_full(fragments: Ensembles) -> Any:
            return self.last_fragment(fragments).cardinality == self.write_quorum

        return s.meta_status.is_some.implies(is_full(s.meta_fragments)) & forall(
            self.clients, lambda c: s.clients[c].status.is_some.implies(is_full(s.clients[c].fragments))
        )

    @lemma()
    def fragments_begin_unconfirmed(self: Any, s: StoringState) -> Formula:
        """A fragment begins at the first unconfirmed entry; a recovery takes what is before the last one for
        confirmed, with the first answer to its fencing."""
        return forall(
            self.clients,
            lambda c: (self.is_creator(s, c) | self.has_fenced(s, c)).implies(
                self.last_first_entry(s.clients[c].fragments) <= s.clients[c].lac + 1
            ),
        )

    @lemma()
    def recovery_knows_last_fragment(self: Any, s: StoringState) -> Any:
        """A recovery begins with the creator's fragments, which change no more, and reads from the last one,
        beginning in it."""

        def knows(c: Any, w: Any) -> Any:
            one, other = s.clients[c], s.clients[w]
            reads = (one.status == "IN_RECOVERY") & one.last_recoverable_entry.is_none
            return (
                (one.recovery_phase == "FENCING").implies(one.fragments == other.fragments)
                & reads.implies(one.recovery_ensemble == self.ensemble(s, w))
                & self.has_fenced(s, c).implies(self.last_first_entry(other.fragments) <= one.lap + 1)
            )

        return self.for_creator(
            s, lambda w: forall(self.clients, lambda c: self.is_recovering(s, c).implies(knows(c, w)))
        )

    # Adds

    @lemma()
    def adds_have_content(self: Any, s: StoringState) -> Formula:
        """A client sends adds of entries that it was given or has read."""

        def has_content(c: Any, e: Any) -> Formula:
            entry = s.clients[c]
            sent = exists(
                self.bookies,
                lambda b: (
                    s.add_confirmations[c][e][b].is_some
                    | s.add_refusals[c][e][b].is_some
                    | exists(self.lacs, lambda lac: s.add_requests[c][e][lac][b].is_some)
                ),
            )
            has_data = entry.data[e].is_some
            return (sent | ~entry.pending_add_ops[e].is_empty).implies(has_data) & has_data.implies(
                e <= entry.lap
            )

        return forall(self.clients, self.ids, has_content)

    @lemma()
    def contents_are_original(self: Any, s: StoringState) -> Any:
        """The creator gives an entry its content, and everybody else has it from there."""
        return self.entries_are_in_order(s) & forall(
            self.clients,
            self.ids,
            lambda c, e: (
                (s.clients[c].data[e].is_none | (s.clients[c].data[e] == e))
                & forall(
                    self.bookies,
                    lambda b: s.read_responses[c][e][b].data.is_none | (s.read_responses[c][e][b].data == e),
                )
            ),
        )

    @lemma()
    def adds_are_pending_until_confirmed(self: Any, s: StoringState) -> Formula:
        """What a client sends or reads is pending until it is confirmed, and all before it."""

        def is_pending(c: Any, e: Any) -> Any:
            pending = ~c.pending_add_ops[e].is_empty
            return (pending.implies(c.lac < e)) & ((c.lac < e) & (e <= c.lap)).implies(pending)

        return forall(
            self.clients,
            lambda c: (
                (s.clients[c].lac <= s.clients[c].lap)
                & forall(self.ids, lambda e: is_pending(s.clients[c], e))
            ),
        )

    @lemma()
    def confirmed_is_stored(self: Any, s: StoringState) -> Formula:
        """A bookie stores an entry before it confirms it, and keeps it."""
        return forall(
            self.clients,
            self.ids,
            self.bookies,
            lambda c, e, b: (
                s.clients[c].confirmed[e].contains(b).implies(s.add_confirmations[c][e][b].is_some)
                & s.add_confirmations[c][e][b].is_some.implies(self.is_stored(s, b, e))
            ),
        )

    @lemma()
    def confirmed_by_ensemble(self: Any, s: StoringState) -> Formula:
        """Confirmations count from bookies of the ensemble, and those replaced are struck out."""
        return forall(
            self.clients,
            self.ids,
            lambda c, e: (s.clients[c].lac < e).implies(s.clients[c].confirmed[e] <= self.ensemble(s, c)),
        )

    @lemma()
    def acknowledged_by_ack_quorum(self: Any, s: StoringState) -> Any:
        """The creator acknowledges an entry that an ack quorum of the entry's ensemble confirmed."""

        def is_acknowledged(w: Any, e: Any) -> Any:
            ensemble = self.fragment_of_entry(s.clients[w].fragments, e)
            return (s.clients[w].confirmed[e] & ensemble).cardinality >= self.ack_quorum

        return self.for_creator(
            s, lambda w: forall(self.ids, lambda e: (e <= s.clients[w].lac).implies(is_acknowledged(w, e)))
        )

    @lemma()
    def adds_tell_known_lac(self: Any, s: StoringState) -> Formula:
        """An add carries what its client knew as last confirmed when it sent it."""
        return forall(
            self.clients,
            self.ids,
            self.lacs,
            self.bookies,
            lambda c, e, lac, b: s.add_requests[c][e][lac][b].is_some.implies(lac <= s.clients[c].lac),
        )

    @lemma()
    def fenced_bookies_refuse(self: Any, s: StoringState) -> Formula:
        """A bookie refuses an add only when it is fenced, and remains so."""
        return forall(
            self.clients,
            self.ids,
            self.bookies,
            lambda c, e, b: s.add_refusals[c][e][b].is_some.implies(s.b_fenced.contains(b)),
        )

    # How often the metadata can change

    @lemma()
    def adds_in_flight_are_limited(self: Any, s: StoringState) -> Any:
        """The creator sends an entry with what was confirmed then, which is not far behind it."""

        def is_limited(w: Any, e: Any, lac: Integer) -> Formula:
            sent = exists(self.bookies, lambda b: s.add_requests[w][e][lac][b].is_some)
            return sent.implies((lac < e) & (e <= lac + self.inflight_limit))

        return self.for_creator(
            s,
            lambda w: (
                (s.clients[w].lap <= s.clients[w].lac + self.inflight_limit)
                & forall(self.ids, self.lacs, lambda e, lac: is_limited(w, e, lac))
            ),
        )

    @lemma()
    def changes_of_ensemble_settle_losses(self: Any, s: StoringState) -> Formula:
        """Each change of ensemble settles the loss of an add or of a confirmation, which happens once."""
        behind = Range(1, min(self.inflight_limit, self.send_limit))
        adds = Record(entry=self.ids, behind=behind, bookie=self.bookies)
        confirmations = Record(entry=self.ids, bookie=self.bookies)

        def is_accounted_for(w: Any) -> Formula:
            requests = s.add_requests[w]
            settled = count(
                adds,
                lambda m: (
                    (m.behind <= m.entry) & (requests[m.entry][m.entry - m.behind][m.bookie] == PROCESSED)
                ),
            )
            lost = count(confirmations, lambda m: s.add_confirmations[w][m.entry][m.bookie] == LOST)
            can_change = self.write_quorum < self.bookies.size
            return (s.meta_version + lost <= 1 + settled) if can_change else (s.meta_version == 1)

        return (s.meta_status == "OPEN").implies(self.for_creator(s, is_accounted_for) & s.b_fenced.is_empty)

    @lemma()
    def versions_suffice(self: Any, s: StoringState) -> Formula:
        """Beyond that each recovery changes the metadata once, and so does closing: versions are left for
        the clients that have not yet done so."""
        recoveries = count(self.clients, lambda c: self.is_recovering(s, c))
        rest = self.clients.size - recoveries
        return (s.meta_status != "CLOSED").implies(s.meta_version + rest <= self.versions.high)
