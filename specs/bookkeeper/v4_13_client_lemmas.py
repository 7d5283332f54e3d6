"""Lemmas of ``bookkeeper-4-13`` about the metadata, and about what writer and recovery send and confirm.

``using`` names the lemmas with which an action keeps one, for proofs at all constants.
"""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import all_of, exists, forall
from verifier.specs.bookkeeper.v4_13_clients import Clients413, State413
from verifier.specs.protocol import lemma


class ClientLemmas413(Clients413):
    """To be mixed into ``bookkeeper-4-13``."""

    # What the lemmas speak of

    def knows_end(self, s: State413) -> Formula:
        """The recovery has come to an entry that is not there."""
        return s.w2.recovery_phase == "WRITE"

    def awaits_answers(self, s: State413) -> Formula:
        """The recovery has asked for the entry after the last one read."""
        return s.w2.recovery_phase == "PENDING_READ_RESPONSE"

    def has_read(self, s: State413) -> Formula:
        """The recovery has sent reads."""
        phase = s.w2.recovery_phase
        return (phase != "NOT_STARTED") & (phase != "FENCING")

    def fragment(self, s: State413, entry: Integer) -> SetValue[Element]:
        """The ensemble that the metadata names for an entry."""
        return self.fragment_of_entry(s.meta_fragments, entry)

    def begins_by(self, s: State413, entry: Integer) -> Formula:
        """No fragment begins after this entry."""
        return self.last_first_entry(s.meta_fragments) <= entry

    # The ledger's metadata

    @lemma
    def creation_comes_first(self, s: State413) -> Formula:
        """Before the ledger is created nobody can do anything."""
        return s.meta_status.is_none.implies(self.init(s))

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w2_completes_read_successfully": ["answers_are_awaited"],
            "w2_completes_read_with_no_such_entry": ["answers_are_awaited"],
            "w2_tries_invalid_ensemble_change": [
                *("recovery_adds_what_it_read", "recovery_is_in_last_fragment"),
            ],
        }
    )
    def statuses_agree(self, s: State413) -> Formula:
        """A client changes its own status and the ledger's in one step, and the phase with them."""
        w1, w2, meta = s.w1.status, s.w2.status, s.meta_status
        return all_of(
            meta.is_none.implies(w1.is_none),
            (meta == "IN_RECOVERY") == (w2 == "IN_RECOVERY"),
            (meta == "CLOSED") == ((w1 == "CLOSED") | (w2 == "CLOSED")),
            (w1 == "CLOSED").implies(w2.is_none),
            (w2 == "CLOSED").implies(self.knows_end(s)),
            w2.is_none | (meta == "IN_RECOVERY") | (meta == "CLOSED"),
            w2.is_none == (s.w2.recovery_phase == "NOT_STARTED"),
        )

    @lemma(
        using={
            "w1_close_ledger_success": ["statuses_agree"],
            "w2_receives_fencing_read_lac_response": ["statuses_agree", "reads_go_in_turn"],
            "w2_completes_read_successfully": ["statuses_agree", "answers_are_awaited"],
            "w2_closes_ledger": ["statuses_agree", "pending_are_unconfirmed"],
        }
    )
    def closed_with_last_confirmed(self, s: State413) -> Formula:
        """Whoever closes the ledger ends it where its own entries are confirmed; the recovery has written
        back all that it read by then."""
        return all_of(
            (s.w1.status == "CLOSED").implies(s.meta_last_entry == s.w1.lac),
            (s.w2.status == "CLOSED").implies(s.meta_last_entry == s.w2.lac),
            (s.w2.status == "CLOSED").implies(s.w2.lac == s.w2.lap),
        )

    def is_whole(self, ensemble: SetValue[Element]) -> Formula:
        """It has as many bookies as an entry is sent to."""
        return ensemble.cardinality == self.write_quorum

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["ensembles_are_whole"],
            "w2_changes_ensemble": ["ensembles_are_whole"],
        }
    )
    def ensembles_are_whole(self, s: State413) -> Formula:
        """The first fragment comes with the ledger, and bookies are only replaced, one for one."""
        fragments = s.meta_fragments
        return (fragments[1].is_empty == s.meta_status.is_none) & forall(
            fragments[f].is_empty | self.is_whole(fragments[f]) for f in self.next_ids
        )

    @lemma(using={"w1_changes_ensemble": ["writers_ensemble_is_whole"]})
    def writers_ensemble_is_whole(self, s: State413) -> Formula:
        """The writer has the ensembles that it creates."""
        ensemble = s.w1.ensemble
        return (ensemble.is_empty == s.meta_status.is_none) & (
            ensemble.is_empty | self.is_whole(ensemble)
        )

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["ensembles_are_whole"],
            "w2_place_in_recovery": ["statuses_agree"],
            "w2_sends_read_requests": ["fragments_are_the_writers"],
            "w2_changes_ensemble": ["recovery_adds_what_it_read"],
            "w2_completes_read_successfully": ["answers_are_awaited"],
        }
    )
    def fragments_are_the_writers(self, s: State413) -> Formula:
        """The writer begins a fragment with its first unconfirmed entry; the recovery changes none before
        it writes back."""
        return self.knows_end(s) | (
            self.begins_by(s, s.w1.lac + 1)
            & forall(self.fragment(s, e) == s.w1.ensemble for e in self.next_ids if self.begins_by(s, e))
        )

    @lemma(
        using={
            "w2_receives_non_final_read": ["answers_are_awaited", "statuses_agree"],
            "w2_completes_read_successfully": ["answers_are_awaited", "statuses_agree"],
            "w2_completes_read_with_no_such_entry": ["answers_are_awaited", "statuses_agree"],
        }
    )
    def recovery_fences(self, s: State413) -> Formula:
        """It is the recovery that has bookies fenced."""
        requests, responses = s.fence_requests, s.fence_responses
        sent = exists(requests[b].is_some | responses[b].count.is_some for b in self.bookies)
        return s.w2.status.is_some | (~sent & s.w2.fenced.is_empty)

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["statuses_agree", "recovery_fences"],
            "w2_place_in_recovery": ["statuses_agree", "ensembles_are_whole", "recovery_fences"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_sends_read_requests": ["recovery_is_in_last_fragment"],
            "w2_changes_ensemble": ["recovery_adds_what_it_read"],
            "w2_receives_non_final_read": ["answers_are_awaited"],
            "w2_completes_read_successfully": ["answers_are_awaited"],
            "w2_completes_read_with_no_such_entry": ["answers_are_awaited"],
        }
    )
    def recovery_is_in_last_fragment(self, s: State413) -> Formula:
        """The first fenced response takes the recovery to the last fragment, and it reads only then."""
        unfenced = self.last_fragment(s.meta_fragments) - s.w2.fenced
        may_read = (s.w2.recovery_phase == "FENCING") & (unfenced.cardinality < self.ack_quorum)
        return (~s.w2.fenced.is_empty | self.has_read(s) | may_read).implies(
            self.begins_by(s, s.w2.lac + 1)
        )

    # Adds, the same for writer and recovery

    def both(self, body: Callable[[str], Formula]) -> Formula:
        """Facts about the writer and the recovery."""
        return all_of(body("w1"), body("w2"))

    @lemma(
        using={
            "w1_sends_add_entry_requests": ["statuses_agree", "writers_ensemble_is_whole"],
            "w1_receives_add_confirmed_response": ["confirmed_is_stored"],
            "w1_sends_pending_add_op": ["statuses_agree", "writers_ensemble_is_whole"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_completes_read_successfully": [
                *("answers_are_awaited", "statuses_agree", "ensembles_are_whole"),
            ],
            "w2_receives_add_confirmed_response": ["confirmed_is_stored"],
            "w2_sends_pending_add_op": ["statuses_agree", "ensembles_are_whole"],
        }
    )
    def pending_are_unconfirmed(self, s: State413) -> Formula:
        """An add is pending from when the entry is sent, or read, until all up to it are confirmed."""

        def is_so(writer: str) -> Formula:
            w = self.adder(s, writer)
            return (w.lac <= w.lap) & forall(
                ~w.pending_add_ops[e].is_empty == ((w.lac < e) & (e <= w.lap)) for e in self.ids
            )

        return self.both(is_so)

    @lemma(
        using={
            "w1_sends_add_entry_requests": ["pending_are_unconfirmed"],
            "w1_sends_pending_add_op": ["pending_are_unconfirmed"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_writes_back_entry": ["pending_are_unconfirmed"],
            "w2_sends_pending_add_op": ["pending_are_unconfirmed"],
        }
    )
    def adds_are_of_pending(self, s: State413) -> Formula:
        """A client sends an entry while it is unconfirmed, with what it knows to be confirmed then."""
        return self.both(
            lambda writer: forall(
                (e <= self.adder(s, writer).lap) & (lac < e) & (lac <= self.adder(s, writer).lac)
                for e in self.ids
                for lac in self.lacs
                for b in self.bookies
                if s.add_requests[writer][e][lac][b].is_some
            )
        )

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["statuses_agree", "reads_go_in_turn", "pending_are_unconfirmed"],
            "w2_place_in_recovery": ["statuses_agree"],
            "w2_completes_read_successfully": ["answers_are_awaited", "entries_are_what_was_sent"],
            "w2_writes_back_entry": ["recovery_adds_what_it_read"],
            "w2_changes_ensemble": ["recovery_adds_what_it_read"],
            "w2_sends_pending_add_op": ["recovery_adds_what_it_read"],
        }
    )
    def recovery_adds_what_it_read(self, s: State413) -> Formula:
        """The recovery writes back what it has read, and only once it knows the end: until then all of it
        waits for the ensemble that there is."""
        adds, current = s.add_requests["w2"], self.ensemble(s, "w2")

        def is_sent(entry: Integer) -> Formula:
            return exists(adds[entry][lac][b].is_some for lac in self.lacs for b in self.bookies)

        def is_waiting(entry: Integer) -> Formula:
            pending = s.w2.pending_add_ops[entry]
            confirmed = exists(s.add_confirmations["w2"][entry][b].is_some for b in self.bookies)
            return ~is_sent(entry) & ~confirmed & (pending.is_empty | (pending == current))

        return forall(
            (self.knows_end(s) | is_waiting(e))
            & (is_sent(e) | ~s.w2.pending_add_ops[e].is_empty).implies(s.w2.data[e] == e)
            for e in self.ids
        )

    @lemma(
        using={
            "bookie_sends_add_confirmed_response": ["adds_are_of_pending", "recovery_adds_what_it_read"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
        }
    )
    def confirmed_is_stored(self, s: State413) -> Formula:
        """A bookie stores an entry sent to it before it confirms that, and never loses it."""
        return self.both(
            lambda writer: forall(
                self.is_stored(s, b, e) & (e <= self.adder(s, writer).lap)
                for b in self.bookies
                for e in self.ids
                if s.add_confirmations[writer][e][b].is_some | self.adder(s, writer).confirmed[e].contains(b)
            )
        )

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["statuses_agree", "reads_go_in_turn", "confirmed_is_stored"],
            "w2_changes_ensemble": [
                *("recovery_adds_what_it_read", "recovery_is_in_last_fragment"),
            ],
        }
    )
    def confirmed_in_ensemble(self, s: State413) -> Formula:
        """A client listens to its ensemble, and forgets a bookie that it replaces."""
        return self.both(
            lambda writer: forall(
                self.adder(s, writer).confirmed[e] <= self.ensemble(s, writer)
                for e in self.ids
                if e > self.adder(s, writer).lac
            )
        )
