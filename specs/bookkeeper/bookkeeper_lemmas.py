"""Why a recovery loses nothing that was acknowledged: lemmas that every action of ``bookkeeper`` keeps.

A recovery ends the ledger at an entry that so many bookies of the creator's last ensemble do not have
that the rest is no ack quorum. The reads that told it so have fenced them, so that the creator can never
have that entry acknowledged (``answers_are_final``, ``end_is_out_of_reach``). All before it the recovery
has read, or took for confirmed; and it closes the ledger with fragments in which that is stored
(``recovery_keeps_entries``). What it needs to know of clients is in ``bookkeeper_client_lemmas``.
"""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import comprehension, count, exists, forall
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.bookkeeper_client_lemmas import BookKeeperClientLemmas
from verifier.specs.bookkeeper.clients import Client, ClientsState
from verifier.specs.bookkeeper.ledger import Ensembles
from verifier.specs.protocol import lemma

CHANGING_WHO_NEVER_CONFIRMS = (
    "bookie_sends_add_confirmed_response",
    "client_receives_add_confirmed_response",
    "recovery_client_receives_add_confirmed_response",
    "bookie_sends_fencing_read_lac_response",
    "bookie_sends_read_response",
)
"""The actions that change of whom it is said how many never confirm, so that numbers are compared."""


class BookKeeperLemmas(BookKeeperClientLemmas):
    """To be mixed into ``bookkeeper``."""

    # What the lemmas speak of

    def is_readable(self, s: ClientsState, fragments: Ensembles, entry: Integer) -> Formula:
        """A bookie of the entry's ensemble has it."""
        return exists(self.is_stored(s, b, entry) for b in self.fragment_of_entry(fragments, entry))

    def is_kept(self, s: ClientsState, fragments: Ensembles, entry: Integer) -> Formula:
        """The entry is readable, and on an ack quorum unless there were several recoveries: the second
        can learn from a bookie what is confirmed by fragments that only the first knows."""
        stored = count(self.is_stored(s, b, entry) for b in self.fragment_of_entry(fragments, entry))
        recoveries = count(self.is_recovering(s, c) for c in self.clients)
        return (stored >= 1) & ((recoveries <= 1).implies(stored >= self.ack_quorum))

    def never_confirms(self, s: ClientsState, bookie: Element, creator: Element, entry: Integer) -> Formula:
        """The bookie has not confirmed the entry to the creator, and being fenced it never will."""
        return s.b_fenced.contains(bookie) & s.add_confirmations[creator][entry][bookie].is_none

    def is_out_of_reach(self, s: ClientsState, creator: Element, entry: Integer) -> Formula:
        """Too few bookies are left of which the creator could get an ack quorum for the entry."""
        never = comprehension(
            b for b in self.ensemble(s, creator) if self.never_confirms(s, b, creator, entry)
        )
        return self.has_quorum_coverage(never, self.write_quorum)

    # What a recovery has read

    @lemma
    def fencing_comes_first(self, s: ClientsState) -> Formula:
        """A recovery fences bookies before it reads, and so has no entry yet."""

        def has_read_nothing(c: Client) -> Formula:
            return (
                (c.status == "IN_RECOVERY") & (c.lap == c.lac) & forall(c.data[e].is_none for e in self.ids)
            )

        return forall(
            has_read_nothing(s.clients[c]) for c in self.clients if s.clients[c].recovery_phase == "FENCING"
        )

    @lemma
    def reads_in_order(self, s: ClientsState) -> Formula:
        """A recovery reads the entry behind those that it has, until one is not there."""

        def in_order(c: Client) -> Formula:
            reads_on = (c.status == "IN_RECOVERY") & c.last_recoverable_entry.is_none
            return (
                c.curr_read_entry.is_some.implies(reads_on)
                & forall(e == c.lap + 1 for e in self.next_ids if c.curr_read_entry == e)
                & forall(e == c.lap + 1 for e in self.next_ids if c.last_recoverable_entry == e - 1)
                & (c.curr_read_entry.is_some | c.last_recoverable_entry.is_some).implies(
                    c.recovery_phase == "READ_WRITE"
                )
            )

        return forall(in_order(s.clients[c]) for c in self.clients)

    @lemma
    def told_lacs_are_known(self, s: ClientsState) -> Formula:
        """A bookie learned its last confirmed entry from an add: the creator or a recovery knows it."""

        def is_told(e: Integer) -> Formula:
            return exists(e <= s.b_lac[b] for b in self.bookies) | exists(
                e <= s.fence_responses[c][b].lac for c in self.clients for b in self.bookies
            )

        return forall(exists(e <= s.clients[c].lac for c in self.clients) for e in self.ids if is_told(e))

    @lemma
    def entries_read_are_readable(self, s: ClientsState) -> Formula:
        """Every entry of a recovery was acknowledged by the creator, or read from the creator's last
        ensemble."""
        return self.for_creator(
            s,
            lambda w: forall(
                self.is_readable(s, s.clients[w].fragments, e)
                for c in self.clients
                for e in self.ids
                if self.is_recovering(s, c) & (e <= s.clients[c].lap)
            ),
        )

    @lemma
    def recovery_keeps_entries(self, s: ClientsState) -> Formula:
        """Every entry that a recovery takes for confirmed was so before it, or an ack quorum confirmed it
        in the fragments that it will close the ledger with."""
        return forall(
            self.is_kept(s, s.clients[c].fragments, e)
            for c in self.clients
            for e in self.ids
            if self.is_recovering(s, c) & (e <= s.clients[c].lac)
        )

    # Where a recovery ends the ledger

    @lemma(
        using=[
            *("creation_comes_first", "one_creator", "status_tells_role", "metadata_tells_stage"),
            *("idle_clients_did_nothing", "creator_knows_fragments", "recovery_reads_last_fragment"),
            *("reads_in_order", "fencing_comes_first"),
        ]
    )
    def ensemble_is_asked(self, s: ClientsState) -> Formula:
        """Only a recovery fences and reads, and it reads from the creator's last ensemble."""

        def is_of_creator(bookie: Element) -> Formula:
            return self.for_creator(s, lambda w: self.ensemble(s, w).contains(bookie))

        return forall(
            s.fence_requests[c][b].is_some.implies(self.is_recovering(s, c))
            & s.read_responses[c][e][b].count.is_some.implies(s.read_requests[c][e][b].is_some)
            & s.read_requests[c][e][b].is_some.implies(self.is_recovering(s, c) & is_of_creator(b))
            for c in self.clients
            for e in self.next_ids
            for b in self.bookies
        )

    @lemma
    def answers_are_final(self, s: ClientsState) -> Formula:
        """A bookie that has the entry keeps it; one that does not is fenced by the read, and will never
        confirm the entry to the creator."""

        def is_final(c: Element, e: Integer, b: Element) -> Formula:
            answer = s.read_responses[c][e][b]
            negative = answer.count.is_some & answer.data.is_none
            return answer.data.is_some.implies(self.is_stored(s, b, e)) & negative.implies(
                self.for_creator(s, lambda w: self.never_confirms(s, b, w, e))
            )

        return forall(self.clients, self.ids, self.bookies, is_final)

    @lemma
    def negative_answers_are_counted(self, s: ClientsState) -> Formula:
        """The bookies that a recovery has counted said that they do not have the entry it reads."""

        def has_said_so(c: Element, b: Element, e: Integer) -> Formula:
            answer = s.read_responses[c][e][b]
            return answer.count.is_some & answer.data.is_none & (s.clients[c].curr_read_entry == e)

        return forall(
            exists(has_said_so(c, b, e) for e in self.next_ids)
            for c in self.clients
            for b in self.bookies
            if s.clients[c].read_responses.contains(b)
        )

    def is_final_end(self, s: ClientsState, last: OptionValue[Integer] | Integer) -> Formula:
        """The creator can acknowledge nothing behind this entry, unless it closed the ledger itself."""
        return self.for_creator(
            s,
            lambda w: forall(
                self.is_out_of_reach(s, w, e)
                for e in self.ids
                if (last == e - 1) & (s.clients[w].status != "CLOSED")
            ),
        )

    @lemma(
        using={
            "client_creates_ledger": ["creation_comes_first"],
            "client_changes_ensemble": ["metadata_tells_stage", "reads_in_order"],
            "client_starts_recovery": ["end_is_out_of_reach"],
            "recovery_client_changes_ensemble": ["status_tells_role"],
            "read_negative": ["ensemble_is_asked", "answers_are_final", "negative_answers_are_counted"],
            **dict.fromkeys(CHANGING_WHO_NEVER_CONFIRMS, ("end_is_out_of_reach",)),
        }
    )
    def end_is_out_of_reach(self, s: ClientsState) -> Formula:
        """Once a recovery ends the ledger, the creator acknowledges nothing any more."""
        return forall(self.is_final_end(s, s.clients[c].last_recoverable_entry) for c in self.clients)

    @lemma(
        using={
            "client_closes_ledger_success": ["one_creator", "status_tells_role"],
            "recovery_client_closes_ledger": ["end_is_out_of_reach", "ensembles_are_full"],
            **dict.fromkeys(CHANGING_WHO_NEVER_CONFIRMS, ("closed_end_is_out_of_reach",)),
        }
    )
    def closed_end_is_out_of_reach(self, s: ClientsState) -> Formula:
        """And so where the ledger was closed there: the others are no ack quorum."""

        def is_unreachable(w: Element, e: Integer) -> Formula:
            others = count(~self.never_confirms(s, b, w, e) for b in self.ensemble(s, w))
            return others <= self.ack_quorum - 1

        return (s.meta_status == "CLOSED").implies(
            self.for_creator(
                s,
                lambda w: forall(
                    is_unreachable(w, e)
                    for e in self.ids
                    if (s.meta_last_entry == e - 1) & (s.clients[w].status != "CLOSED")
                ),
            )
        )

    @lemma(
        using={
            "client_closes_ledger_success": ["one_creator", "status_tells_role"],
            "client_receives_add_confirmed_response": [
                *("confirmed_is_stored", "confirmed_by_ensemble", "closed_end_is_out_of_reach"),
            ],
            "recovery_client_receives_add_confirmed_response": ["status_tells_role"],
            "recovery_client_closes_ledger": [
                *("ensembles_are_full", "recovery_begins_in_last_fragment", "reads_in_order"),
                *("confirmed_is_stored", "acknowledged_by_ack_quorum", "end_is_out_of_reach"),
                "metadata_tells_stage",
            ],
        }
    )
    def closed_ledger_has_all(self, s: ClientsState) -> Formula:
        """A ledger ends with all that was acknowledged."""
        return (s.meta_status == "CLOSED").implies(
            self.for_creator(
                s, lambda w: forall(s.clients[w].lac < e for e in self.ids if s.meta_last_entry == e - 1)
            )
        )

    @lemma
    def closed_ledger_is_whole(self, s: ClientsState) -> Formula:
        """A ledger ends with fragments in which its entries are kept."""
        return (s.meta_status == "CLOSED").implies(
            forall(self.is_kept(s, s.meta_fragments, e) for e in self.ids if e <= s.meta_last_entry)
        )
