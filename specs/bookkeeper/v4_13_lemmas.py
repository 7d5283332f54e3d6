"""Why release 4.13 loses nothing once recovery reads fence: lemmas that every action keeps, and that
imply NoDivergence, AllCommittedEntriesReachAckQuorum, OnlyValidFragments and NoOutOfOrderEntries.

The recovery knows the end of the ledger once a read told it that there is no such entry: its phase is
then WRITE for good. Until then the fragments are as the writer left them, and what the writer knows to
be committed is on an ack quorum. From then on the entry after the last one read is *blocked*: so many
bookies are fenced and lack it that the writer can find no ack quorum for it any more. What it needs to
know of metadata and adds is in ``v4_13_client_lemmas``.
"""

from __future__ import annotations

from itertools import combinations

from verifier.encodings.declared import Element, Fields, Formula, Integer, field
from verifier.encodings.expressions import some
from verifier.encodings.quantifiers import all_of, count, exists, forall, if_
from verifier.encodings.sorts import Range, Record
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.exchange import DELIVERABLE, LOST, PROCESSED
from verifier.specs.bookkeeper.v4_13_client_lemmas import ClientLemmas413
from verifier.specs.bookkeeper.v4_13_clients import Clients413, State413
from verifier.specs.protocol import lemma


class Timeout(Fields):
    """One of the time-outs that there can be of adds of an entry."""

    def __init__(self, ledger: Clients413) -> None:
        self.writer = field(ledger.WRITERS)
        self.bookie = field(ledger.bookies)
        self.entry = field(ledger.ids)
        self.number = field(ledger.ids)


class Lemmas413(ClientLemmas413):
    """To be mixed into ``bookkeeper-4-13``."""

    # What is committed

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_receives_add_confirmed_response": ["fragments_are_the_writers", "confirmed_in_ensemble"],
            "w1_changes_ensemble": ["fragments_are_the_writers"],
            "w2_place_in_recovery": ["statuses_agree"],
            "w2_completes_read_successfully": ["answers_are_awaited"],
            "w2_changes_ensemble": ["recovery_adds_what_it_read"],
        }
    )
    def writer_commits_on_ack_quorum(self, s: State413) -> Formula:
        """The writer counts an ack quorum of the last fragment, and later fragments begin later, until the
        recovery writes back."""
        return self.knows_end(s) | forall(
            (s.w1.confirmed[e] & self.fragment(s, e)).cardinality >= self.ack_quorum
            for e in self.ids
            if e <= s.w1.lac
        )

    @lemma
    def recovery_begins_with_committed(self, s: State413) -> Formula:
        """Until entries are written back, every last add confirmed that is told is one of the writer's."""

        def is_the_writers(lac: Integer) -> Formula:
            return lac <= s.w1.lac

        return (~self.knows_end(s)).implies(
            is_the_writers(s.w2.lac)
            & forall(
                is_the_writers(s.b_lac[b]) & is_the_writers(s.fence_responses[b].lac) for b in self.bookies
            )
        )

    @lemma
    def recovery_commits_on_ack_quorum(self, s: State413) -> Formula:
        """Each entry that the recovery knows as committed was committed by the writer or an ack quorum."""
        return forall(
            count(self.is_stored(s, b, e) for b in self.fragment(s, e)) >= self.ack_quorum
            for e in self.ids
            if e <= s.w2.lac
        )

    # Reads

    def is_unsettled(self, message: OptionValue[Integer]) -> Formula:
        """The message is on its way, or lost and its time-out not acted upon."""
        return (message == DELIVERABLE) | (message == LOST)

    def is_asked(self, s: State413, bookie: Element) -> Formula:
        """A read is on its way to the bookie, or lost."""
        return exists(self.is_unsettled(s.read_requests[e][bookie]) for e in self.next_ids)

    def gives_entry(self, s: State413, bookie: Element) -> Formula:
        """An answer with an entry is on its way from the bookie, or lost."""
        return exists(self.is_unsettled(s.read_responses[some(e)][bookie].count) for e in self.ids)

    def gives_none(self, s: State413, bookie: Element) -> Formula:
        """The answer that there is no such entry is on its way from the bookie, or lost."""
        return self.is_unsettled(s.read_responses[None][bookie].count)

    def stages(self, s: State413, bookie: Element) -> tuple[Formula, ...]:
        """The stages of the read of a bookie: asked, answered in one of two ways, and that answer counted."""
        return (
            self.is_asked(s, bookie),
            self.gives_entry(s, bookie),
            self.gives_none(s, bookie),
            s.w2.has_entry.contains(bookie),
            s.w2.no_such_entry.contains(bookie),
        )

    @lemma(
        using={
            "w2_place_in_recovery": ["statuses_agree"],
            "w2_sends_read_requests": ["statuses_agree", "ensembles_are_whole"],
            "w2_completes_read_successfully": ["answers_are_awaited"],
            "w2_completes_read_with_no_such_entry": ["answers_are_awaited"],
            "w2_receives_add_confirmed_response": ["recovery_adds_what_it_read"],
        }
    )
    def reads_go_in_turn(self, s: State413) -> Formula:
        """The recovery begins after the last entry that is known to be confirmed. It asks for an entry once
        it has read the one before, and for none once it knows the end."""
        return all_of(
            self.has_read(s) | (s.w2.lap == s.w2.lac),
            exists(s.read_requests[e][b].is_some for e in self.next_ids for b in self.bookies)
            == self.has_read(s),
            forall(
                (e <= s.w2.lap) | ((e == s.w2.lap + 1) & (self.awaits_answers(s) | self.knows_end(s)))
                for e in self.next_ids
                for b in self.bookies
                if s.read_requests[e][b].is_some
            ),
        )

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["statuses_agree"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_sends_read_requests": [
                *("fragments_are_the_writers", "recovery_is_in_last_fragment", "pending_are_unconfirmed"),
            ],
            "w2_changes_ensemble": ["recovery_adds_what_it_read"],
        }
    )
    def recovery_reads_last_fragment(self, s: State413) -> Formula:
        """The recovery reads from the writer's ensemble, which changes no more."""
        return self.awaits_answers(s).implies(
            (self.fragment(s, s.w2.lap + 1) == s.w1.ensemble)
            & forall(
                self.fragment_of_entry(s.meta_fragments, e.value) == s.w1.ensemble
                for e in self.answers
                if e == s.w2.lap + 1
            )
        )

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_changes_ensemble": ["statuses_agree"],
            "w2_place_in_recovery": ["statuses_agree"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_sends_read_requests": [
                *("fragments_are_the_writers", "recovery_is_in_last_fragment", "pending_are_unconfirmed"),
            ],
            "w2_completes_read_successfully": [
                *("recovery_reads_last_fragment", "bookies_answer_once", "writers_ensemble_is_whole"),
            ],
            "w2_completes_read_with_no_such_entry": [
                *("recovery_reads_last_fragment", "bookies_answer_once", "writers_ensemble_is_whole"),
            ],
        }
    )
    def answers_are_awaited(self, s: State413) -> Formula:
        """A read ends once every bookie has answered or timed out, and time-outs are then forgotten."""

        requests, responses, awaited = s.read_requests, s.read_responses, s.w2.lap + 1

        def only_then(b: Element) -> Formula:
            then = self.awaits_answers(s) & s.w1.ensemble.contains(b)
            return all_of(
                *(stage.implies(then) for stage in self.stages(s, b)),
                forall(e == awaited for e in self.next_ids if self.is_unsettled(requests[e][b])),
                forall(e == awaited for e in self.ids if self.is_unsettled(responses[some(e)][b].count)),
            )

        return forall(only_then(b) for b in self.bookies)

    @lemma(using=["answers_are_awaited"])
    def bookies_answer_once(self, s: State413) -> Formula:
        """An answer takes the place of the read, and what it says the place of the answer."""

        def is_once(b: Element) -> Formula:
            return all_of(*(~(one & other) for one, other in combinations(self.stages(s, b), 2)))

        return forall(is_once(b) for b in self.bookies)

    @lemma(
        using={
            "bookie_sends_add_confirmed_response": ["recovery_adds_what_it_read"],
            "w2_receives_fencing_read_lac_response": ["answers_are_awaited", "reads_go_in_turn"],
            "w2_receives_non_final_read": ["answers_are_awaited"],
        }
    )
    def entries_are_what_was_sent(self, s: State413) -> Formula:
        """Nobody makes up the content of an entry: bookies store what is sent, and it is that one read."""
        return all_of(
            self.no_out_of_order_entries(s),
            forall(
                s.read_responses[some(e)][b].data == e
                for e in self.ids
                for b in self.bookies
                if s.read_responses[some(e)][b].count.is_some
            ),
            s.w2.has_entry.is_empty | (s.w2.curr_read_entry == s.w2.lap + 1),
        )

    # The point of fencing

    def is_blocked(self, s: State413, bookie: Element, entry: Integer) -> Formula:
        """The bookie lacks the entry, and will not take it from the writer."""
        return s.b_fenced.contains(bookie) & ~self.is_stored(s, bookie, entry)

    @lemma(
        using={
            "bookie_sends_add_confirmed_response": ["adds_are_of_pending"],
            "bookie_sends_read_response": ["answers_are_awaited"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_sends_read_requests": ["answers_are_awaited"],
        }
    )
    def no_such_entry_is_final(self, s: State413) -> Formula:
        """A bookie that is asked for an entry is fenced by that: if it lacks the entry, it always will."""
        return self.awaits_answers(s).implies(
            forall(
                self.is_blocked(s, b, s.w2.lap + 1)
                for b in self.bookies
                if self.gives_none(s, b) | s.w2.no_such_entry.contains(b)
            )
        )

    @lemma(
        using={
            "w1_creates_ledger": ["creation_comes_first"],
            "w1_receives_add_confirmed_response": [
                *("confirmed_in_ensemble", "confirmed_is_stored"),
            ],
            "w1_changes_ensemble": ["statuses_agree"],
            "bookie_sends_add_confirmed_response": ["adds_are_of_pending"],
            "bookie_sends_fencing_read_lac_response": ["end_is_final"],
            "bookie_sends_read_response": ["end_is_final"],
            "w2_receives_fencing_read_lac_response": ["reads_go_in_turn"],
            "w2_completes_read_with_no_such_entry": [
                *("answers_are_awaited", "recovery_reads_last_fragment", "no_such_entry_is_final"),
                *("writer_commits_on_ack_quorum", "confirmed_is_stored", "writers_ensemble_is_whole"),
            ],
        }
    )
    def end_is_final(self, s: State413) -> Formula:
        """The writer finds no ack quorum for the entry that the recovery took to be missing."""

        def is_out_of_reach(entry: Integer) -> Formula:
            others = count(~self.is_blocked(s, b, entry) for b in s.w1.ensemble)
            return (s.w1.lac < entry) & (others <= self.ack_quorum - 1)

        return self.knows_end(s).implies(
            forall(is_out_of_reach(e) for e in self.ids if e == s.w2.lap + 1)
        )

    # How often the metadata can change

    def number(self, formula: Formula) -> Integer:
        """One where the formula holds, else zero."""
        return if_(formula, 1, 0)

    def possible_timeouts(
        self, s: State413, writer: Element | str, bookie: Element, entry: Integer
    ) -> Integer:
        """The number of adds of the entry that can still time out at the bookie: those that can still be
        sent, one for each last add confirmed, that are on their way or lost, and answers on their way or
        lost."""

        requests = s.add_requests[writer][entry]
        refusal = (self.as_writer(writer) == "w1") & self.is_unsettled(s.add_refusals[entry][bookie])
        return (
            count((lac < entry) & (requests[lac][bookie] != PROCESSED) for lac in self.lacs)
            + self.number(self.is_unsettled(s.add_confirmations[writer][entry][bookie]))
            + self.number(refusal)
        )

    @lemma
    def timeouts_cost_messages(self, s: State413) -> Formula:
        """An answer takes the place of the add, and a time-out acted upon is forgotten."""
        return forall(
            self.possible_timeouts(s, w, b, e) <= e
            for w in self.WRITERS
            for b in self.bookies
            for e in self.ids
        )

    @lemma
    def changes_cost_timeouts(self, s: State413) -> Formula:
        """The metadata changes when the ledger is created, put in recovery and closed, and otherwise only
        for a time-out, which is then forgotten; without another bookie to take, not even then."""

        def is_past(t: Timeout) -> Formula:
            possible = self.possible_timeouts(s, t.writer, t.bookie, t.entry)
            return (t.number <= t.entry) & (t.number > possible)

        moves = (s.meta_status.is_some, s.w2.status.is_some, s.meta_status == "CLOSED")
        made = sum(self.number(move) for move in moves)
        changes = (self.bookies.size - self.write_quorum) * count(is_past(t) for t in Record(Timeout(self)))
        return forall(s.meta_version <= changes + number for number in Range(0, len(moves)) if made == number)
