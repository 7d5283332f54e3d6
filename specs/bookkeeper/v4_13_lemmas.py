"""Why release 4.13 loses nothing once recovery reads fence: lemmas that every action keeps, and that
imply NoDivergence, AllCommittedEntriesReachAckQuorum, OnlyValidFragments and NoOutOfOrderEntries.

The recovery knows the end of the ledger once a read told it that there is no such entry: its phase is
then WRITE for good. Until then the fragments are as the writer left them, and what the writer knows to
be committed is on an ack quorum. From then on the entry after the last one read is *blocked*: so many
bookies are fenced and lack it that the writer can find no ack quorum for it any more.
"""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Fields, Formula, Integer, field
from verifier.encodings.expressions import some
from verifier.encodings.quantifiers import all_of, comprehension, count, exists, forall, if_
from verifier.encodings.sorts import Range, Record
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.exchange import DELIVERABLE, LOST, PROCESSED
from verifier.specs.bookkeeper.v4_13_clients import Clients413, State413
from verifier.specs.protocol import lemma


class Timeout(Fields):
    """One of the time-outs that there can be of adds of an entry."""

    def __init__(self, ledger: Clients413) -> None:
        self.writer = field(ledger.WRITERS)
        self.bookie = field(ledger.bookies)
        self.entry = field(ledger.ids)
        self.number = field(ledger.ids)


class Lemmas413(Clients413):
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

    def is_unsettled(self, message: OptionValue[Integer]) -> Formula:
        """The message is on its way, or lost and its time-out not acted upon."""
        return (message == DELIVERABLE) | (message == LOST)

    def number(self, formula: Formula) -> Integer:
        """One where the formula holds, else zero."""
        return if_(formula, 1, 0)

    def fragment(self, s: State413, entry: Integer) -> SetValue[Element]:
        """The ensemble that the metadata names for an entry."""
        return self.fragment_of_entry(s.meta_fragments, entry)

    def begins_by(self, s: State413, entry: Integer) -> Formula:
        """No fragment begins after this entry."""
        return forall(s.meta_fragments[f].is_empty for f in self.next_ids if f > entry)

    # The ledger's metadata

    @lemma
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

    @lemma
    def closed_with_last_confirmed(self, s: State413) -> Formula:
        """Whoever closes the ledger ends it where its own entries are confirmed; the recovery has written
        back all that it read by then."""
        return all_of(
            (s.w1.status == "CLOSED").implies(s.meta_last_entry == s.w1.lac),
            (s.w2.status == "CLOSED").implies(s.meta_last_entry == s.w2.lac),
            (s.w2.status == "CLOSED").implies(s.w2.lac == s.w2.lap),
        )

    @lemma
    def ensembles_are_whole(self, s: State413) -> Formula:
        """The first fragment comes with the ledger, and bookies are only replaced, one for one."""

        def is_whole(ensemble: SetValue[Element]) -> Formula:
            return ensemble.cardinality == self.write_quorum

        return all_of(
            s.meta_fragments[1].is_empty == s.meta_status.is_none,
            s.w1.ensemble.is_empty == s.meta_status.is_none,
            forall(s.meta_fragments[f].is_empty | is_whole(s.meta_fragments[f]) for f in self.next_ids),
            s.w1.ensemble.is_empty | is_whole(s.w1.ensemble),
        )

    @lemma
    def fragments_are_the_writers(self, s: State413) -> Formula:
        """The writer begins a fragment with its first unconfirmed entry; the recovery changes none before
        it writes back."""
        is_last = s.w1.ensemble == self.last_fragment(s.meta_fragments)
        return (~self.knows_end(s)).implies(is_last & self.begins_by(s, s.w1.lac + 1))

    @lemma
    def recovery_fences(self, s: State413) -> Formula:
        """It is the recovery that has bookies fenced."""
        requests, responses = s.fence_requests, s.fence_responses
        sent = exists(requests[b].is_some | responses[b].count.is_some for b in self.bookies)
        return s.w2.status.is_some | (~sent & s.w2.fenced.is_empty)

    @lemma
    def recovery_is_in_last_fragment(self, s: State413) -> Formula:
        """The first fenced response takes the recovery to the last fragment, and it reads only then."""
        return (~s.w2.fenced.is_empty | self.has_read(s)).implies(self.begins_by(s, s.w2.lac + 1))

    # Adds, the same for writer and recovery

    def both(self, body: Callable[[str], Formula]) -> Formula:
        """What holds of the writer and of the recovery."""
        return all_of(body("w1"), body("w2"))

    @lemma
    def pending_are_unconfirmed(self, s: State413) -> Formula:
        """An add is pending from when the entry is sent, or read, until all up to it are confirmed."""

        def is_so(writer: str) -> Formula:
            w = self.adder(s, writer)
            return (w.lac <= w.lap) & forall(
                ~w.pending_add_ops[e].is_empty == ((w.lac < e) & (e <= w.lap)) for e in self.ids
            )

        return self.both(is_so)

    @lemma
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

    @lemma
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

    @lemma
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

    @lemma
    def confirmed_in_ensemble(self, s: State413) -> Formula:
        """A client listens to its ensemble, and forgets a bookie that it replaces."""
        return self.both(
            lambda writer: forall(
                self.adder(s, writer).confirmed[e] <= self.ensemble(s, writer)
                for e in self.ids
                if e > self.adder(s, writer).lac
            )
        )

    # What is committed

    @lemma
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
        """What the recovery knows to be committed the writer committed, or an ack quorum has confirmed."""
        return forall(
            count(self.is_stored(s, b, e) for b in self.fragment(s, e)) >= self.ack_quorum
            for e in self.ids
            if e <= s.w2.lac
        )

    # Reads

    def is_asked(self, s: State413, bookie: Element) -> Formula:
        """A read is on its way to the bookie, or lost."""
        return exists(self.is_unsettled(s.read_requests[e][bookie]) for e in self.next_ids)

    def gives_entry(self, s: State413, bookie: Element) -> Formula:
        """An answer with an entry is on its way from the bookie, or lost."""
        return exists(self.is_unsettled(s.read_responses[some(e)][bookie].count) for e in self.ids)

    def gives_none(self, s: State413, bookie: Element) -> Formula:
        """The answer that there is no such entry is on its way from the bookie, or lost."""
        return self.is_unsettled(s.read_responses[None][bookie].count)

    @lemma
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

    @lemma
    def answers_are_awaited(self, s: State413) -> Formula:
        """A read ends once every bookie has answered or timed out, and time-outs are then forgotten."""
        asked = self.fragment(s, s.w2.lap + 1)

        def is_awaited(e: Integer, b: Element) -> Formula:
            answer = s.read_responses[some(e)][b].count
            return self.is_unsettled(s.read_requests[e][b]) | self.is_unsettled(answer)

        return forall(
            (
                self.is_asked(s, b)
                | self.gives_entry(s, b)
                | self.gives_none(s, b)
                | s.w2.has_entry.contains(b)
                | s.w2.no_such_entry.contains(b)
            ).implies(self.awaits_answers(s) & asked.contains(b))
            & forall(e == s.w2.lap + 1 for e in self.ids if is_awaited(e, b))
            for b in self.bookies
        )

    @lemma
    def bookies_answer_once(self, s: State413) -> Formula:
        """An answer takes the place of the read, and what it says the place of the answer."""

        return forall(
            self.number(self.is_asked(s, b))
            + self.number(self.gives_entry(s, b))
            + self.number(self.gives_none(s, b))
            + self.number(s.w2.has_entry.contains(b))
            + self.number(s.w2.no_such_entry.contains(b))
            <= 1
            for b in self.bookies
        )

    @lemma
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

    def is_blocked(self, s: State413, bookie: Element) -> Formula:
        """The bookie lacks the entry after the last one read, and will not take it from the writer."""
        return s.b_fenced.contains(bookie) & ~self.is_stored(s, bookie, s.w2.lap + 1)

    @lemma
    def no_such_entry_is_final(self, s: State413) -> Formula:
        """A bookie that is asked for an entry is fenced by that: if it lacks the entry, it always will."""
        return forall(
            self.is_blocked(s, b)
            for b in self.bookies
            if self.gives_none(s, b) | s.w2.no_such_entry.contains(b)
        )

    @lemma
    def end_is_final(self, s: State413) -> Formula:
        """The writer finds no ack quorum for the entry that the recovery took to be missing."""
        blocked = comprehension(b for b in s.w1.ensemble if self.is_blocked(s, b))
        return self.knows_end(s).implies(
            (s.w1.lac <= s.w2.lap) & self.has_quorum_coverage(blocked, self.write_quorum)
        )

    # How often the metadata can change

    def possible_timeouts(
        self, s: State413, writer: Element | str, bookie: Element, entry: Integer
    ) -> Integer:
        """How many adds of the entry can still time out at the bookie: those that can still be sent, one
        for each last add confirmed, that are on their way or lost, and answers on their way or lost."""

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
