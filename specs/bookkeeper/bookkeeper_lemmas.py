"""Why a recovery loses nothing that was acknowledged: lemmas that every action of ``bookkeeper`` keeps.

A recovery ends the ledger at an entry that so many bookies of the creator's last ensemble do not have
that the rest is no ack quorum. The reads that told it so have fenced them, so that the creator can never
have that entry acknowledged (``answers_are_final``, ``end_is_out_of_reach``). All before it the recovery
has read, or took for confirmed; and it closes the ledger with fragments in which that is stored
(``recovery_keeps_entries``). What it needs to know of clients is in ``bookkeeper_client_lemmas``.
"""

from __future__ import annotations

from typing import Any

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import comprehension, count, exists, forall
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.bookkeeper_client_lemmas import BookKeeperClientLemmas
from verifier.specs.bookkeeper.ledger import Ensembles
from verifier.specs.bookkeeper.storing import StoringState
from verifier.specs.protocol import lemma


class BookKeeperLemmas(BookKeeperClientLemmas):
    """To be mixed into ``bookkeeper``."""

    # What the lemmas speak of

    def is_readable(self: Any, s: StoringState, fragments: Ensembles, entry: Integer) -> Formula:
        """A bookie of the entry's ensemble has it."""
        return exists(self.fragment_of_entry(fragments, entry), lambda b: self.is_stored(s, b, entry))

    def is_kept(self: Any, s: StoringState, fragments: Ensembles, entry: Integer) -> Formula:
        """The entry is readable, and on an ack quorum unless there were several recoveries: the second
        can learn from a bookie what is confirmed by fragments that only the first knows."""
        stored = count(self.fragment_of_entry(fragments, entry), lambda b: self.is_stored(s, b, entry))
        recoveries = count(self.clients, lambda c: self.is_recovering(s, c))
        return (stored >= 1) & ((recoveries <= 1).implies(stored >= self.ack_quorum))

    def never_confirms(
        self: Any, s: StoringState, bookie: Element, creator: Element, entry: Integer
    ) -> Formula:
        """The bookie has not confirmed the entry to the creator, and being fenced it never will."""
        return s.b_fenced.contains(bookie) & s.add_confirmations[creator][entry][bookie].is_none

    def is_out_of_reach(self: Any, s: StoringState, creator: Element, entry: Integer) -> Any:
        """Too few bookies are left of which the creator could get an ack quorum for the entry."""
        never = comprehension(self.ensemble(s, creator), lambda b: self.never_confirms(s, b, creator, entry))
        return self.has_quorum_coverage(never, self.write_quorum)

    # What a recovery has read

    @lemma()
    def fencing_comes_first(self: Any, s: StoringState) -> Formula:
        """A recovery fences bookies before it reads, and so has no entry yet."""

        def has_read_nothing(c: Any) -> Any:
            return (
                (c.status == "IN_RECOVERY") & (c.lap == c.lac) & forall(self.ids, lambda e: c.data[e].is_none)
            )

        return forall(
            self.clients,
            lambda c: (s.clients[c].recovery_phase == "FENCING").implies(has_read_nothing(s.clients[c])),
        )

    @lemma()
    def reads_in_order(self: Any, s: StoringState) -> Formula:
        """A recovery reads the entry behind those that it has, until one is not there."""

        def in_order(c: Any) -> Any:
            reads_on = (c.status == "IN_RECOVERY") & c.last_recoverable_entry.is_none
            return (
                c.curr_read_entry.is_some.implies(reads_on)
                & forall(self.next_ids, lambda e: (c.curr_read_entry == e).implies(e == c.lap + 1))
                & forall(self.next_ids, lambda e: (c.last_recoverable_entry == e - 1).implies(e == c.lap + 1))
                & (c.curr_read_entry.is_some | c.last_recoverable_entry.is_some).implies(
                    c.recovery_phase == "READ_WRITE"
                )
            )

        return forall(self.clients, lambda c: in_order(s.clients[c]))

    @lemma()
    def told_lacs_are_known(self: Any, s: StoringState) -> Formula:
        """What a bookie takes for confirmed an add has told it: the creator or a recovery knows it."""

        def is_told(e: Any) -> Formula:
            return exists(self.bookies, lambda b: e <= s.b_lac[b]) | exists(
                self.clients, self.bookies, lambda c, b: e <= s.fence_responses[c][b].lac
            )

        return forall(
            self.ids,
            lambda e: is_told(e).implies(exists(self.clients, lambda c: e <= s.clients[c].lac)),
        )

    @lemma()
    def entries_read_are_readable(self: Any, s: StoringState) -> Any:
        """What a recovery has was acknowledged by the creator, or read from the creator's last ensemble."""
        return self.for_creator(
            s,
            lambda w: forall(
                self.clients,
                self.ids,
                lambda c, e: (self.is_recovering(s, c) & (e <= s.clients[c].lap)).implies(
                    self.is_readable(s, s.clients[w].fragments, e)
                ),
            ),
        )

    @lemma()
    def recovery_keeps_entries(self: Any, s: StoringState) -> Formula:
        """What a recovery takes for confirmed was so before it, or an ack quorum confirmed it in the
        fragments that it will close the ledger with."""
        return forall(
            self.clients,
            self.ids,
            lambda c, e: (self.is_recovering(s, c) & (e <= s.clients[c].lac)).implies(
                self.is_kept(s, s.clients[c].fragments, e)
            ),
        )

    # Where a recovery ends the ledger

    @lemma()
    def ensemble_is_asked(self: Any, s: StoringState) -> Formula:
        """Only a recovery fences and reads, and it reads from the creator's last ensemble."""
        return forall(
            self.clients,
            self.next_ids,
            self.bookies,
            lambda c, e, b: (
                s.fence_requests[c][b].is_some.implies(self.is_recovering(s, c))
                & s.read_responses[c][e][b].count.is_some.implies(s.read_requests[c][e][b].is_some)
                & s.read_requests[c][e][b].is_some.implies(
                    self.is_recovering(s, c) & self.for_creator(s, lambda w: self.ensemble(s, w).contains(b))
                )
            ),
        )

    @lemma()
    def answers_are_final(self: Any, s: StoringState) -> Formula:
        """A bookie that has the entry keeps it; one that does not is fenced by the read, and will never
        confirm the entry to the creator."""

        def is_final(c: Any, e: Any, b: Element) -> Formula:
            answer = s.read_responses[c][e][b]
            negative = answer.count.is_some & answer.data.is_none
            return answer.data.is_some.implies(self.is_stored(s, b, e)) & negative.implies(
                self.for_creator(s, lambda w: self.never_confirms(s, b, w, e))
            )

        return forall(self.clients, self.ids, self.bookies, is_final)

    @lemma()
    def negative_answers_are_counted(self: Any, s: StoringState) -> Formula:
        """The bookies that a recovery has counted said that they do not have the entry it reads."""

        def said_so(c: Any, b: Element, e: Any) -> Any:
            answer = s.read_responses[c][e][b]
            return answer.count.is_some & answer.data.is_none & (s.clients[c].curr_read_entry == e)

        return forall(
            self.clients,
            self.bookies,
            lambda c, b: (
                s.clients[c]
                .read_responses.contains(b)
                .implies(exists(self.next_ids, lambda e: said_so(c, b, e)))
            ),
        )

    @lemma()
    def end_is_out_of_reach(self: Any, s: StoringState) -> Any:
        """Where a recovery ends the ledger, the creator can acknowledge nothing any more."""

        def is_end(last: OptionValue[Integer], e: Any) -> Formula:
            ends = exists(self.clients, lambda c: s.clients[c].last_recoverable_entry == last)
            return ends | ((s.meta_status == "CLOSED") & (s.meta_last_entry == last))

        return self.for_creator(
            s,
            lambda w: forall(
                self.ids,
                lambda e: (is_end(e - 1, e) & (s.clients[w].status != "CLOSED")).implies(
                    self.is_out_of_reach(s, w, e)
                ),
            ),
        )

    @lemma()
    def closed_ledger_is_whole(self: Any, s: StoringState) -> Formula:
        """A ledger ends with all that was acknowledged, and with fragments in which that is kept."""
        return (s.meta_status == "CLOSED").implies(
            self.for_creator(s, lambda w: s.clients[w].lac <= s.meta_last_entry)
            & forall(
                self.ids, lambda e: (e <= s.meta_last_entry).implies(self.is_kept(s, s.meta_fragments, e))
            )
        )
