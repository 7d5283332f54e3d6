"""Why a recovery loses nothing that was acknowledged: lemmas that every action of ``bookkeeper`` keeps.

The creator of a ledger is the client that writes to it; all others can only recover it.
"""

from __future__ import annotations

from typing import Any

from verifier.encodings.quantifiers import all_of, count, exists, forall
from verifier.encodings.sorts import Range, Record
from verifier.specs.bookkeeper.ledger import LOST, PROCESSED, untouched
from verifier.specs.protocol import lemma

MESSAGES = (
    "add_requests",
    "add_confirmations",
    "add_refusals",
    "fence_requests",
    "fence_responses",
    "read_requests",
    "read_responses",
)


class BookKeeperLemmas:
    """To be mixed into ``bookkeeper``."""

    # What the lemmas speak of

    def is_creator(self: Any, s: Any, client: Any) -> Any:
        """The client created the ledger."""
        return s.clients[client].status.is_some & ~self.is_recovering(s, client)

    def for_creator(self: Any, s: Any, body: Any) -> Any:
        """What holds of the client that created the ledger, if there is one."""
        return forall(self.clients, lambda w: self.is_creator(s, w).implies(body(w)))

    def has_learned(self: Any, s: Any, client: Any) -> Any:
        """A bookie has answered the recovery's fencing."""
        c = s.clients[client]
        return (c.recovery_phase == "READ_WRITE") | ~c.fenced.is_empty

    def is_readable(self: Any, s: Any, fragments: Any, entry: Any) -> Any:
        """A bookie of the entry's ensemble has it."""
        return exists(self.fragment_of_entry(fragments, entry), lambda b: self.is_stored(s, b, entry))

    def never_confirms(self: Any, s: Any, bookie: Any, creator: Any, entry: Any) -> Any:
        """The bookie has not confirmed the entry to the creator, and being fenced it never will."""
        return s.b_fenced.contains(bookie) & s.add_confirmations[creator][entry][bookie].is_none

    def is_out_of_reach(self: Any, s: Any, creator: Any, entry: Any) -> Any:
        """Too few bookies are left of which the creator could get an ack quorum for the entry."""
        never = count(self.ensemble(s, creator), lambda b: self.never_confirms(s, b, creator, entry))
        return never >= self.write_quorum - self.ack_quorum + 1

    # Who does what

    @lemma()
    def creation_comes_first(self: Any, s: Any) -> Any:
        """A client creates the ledger before anybody else can do anything, and remains its creator."""
        creator = exists(self.clients, lambda w: self.is_creator(s, w))
        return s.meta_status.is_none.implies(self.init(s)) & s.meta_status.is_some.implies(creator)

    @lemma()
    def one_creator(self: Any, s: Any) -> Any:
        """A ledger is created only where there is none."""
        return self.for_creator(s, lambda w: self.for_creator(s, lambda x: w == x))

    @lemma()
    def idle_clients_did_nothing(self: Any, s: Any) -> Any:
        """Creating the ledger or recovering it is the first thing that a client does."""

        def is_untouched(value: Any) -> Any:
            return value == untouched(value.sort)

        def did_nothing(c: Any) -> Any:
            messages = [is_untouched(getattr(s, name)[c]) for name in MESSAGES]
            return all_of(is_untouched(s.clients[c]), *messages)

        return forall(self.clients, lambda c: s.clients[c].status.is_none.implies(did_nothing(c)))

    @lemma()
    def status_tells_role(self: Any, s: Any) -> Any:
        """The creator is open or withdraws, a recovery goes on or is aborted; either may close."""

        def agrees(c: Any) -> Any:
            writes = (c.status == "OPEN") | (c.status == "WITHDRAWN")
            recovers = (c.status == "IN_RECOVERY") | (c.status == "ABORTED")
            started = c.recovery_phase != "NOT_STARTED"
            return writes.implies(~started) & recovers.implies(started)

        return forall(self.clients, lambda c: agrees(s.clients[c]))

    @lemma()
    def metadata_tells_stage(self: Any, s: Any) -> Any:
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
    def creator_knows_fragments(self: Any, s: Any) -> Any:
        """Until the ledger is closed only its creator changes the fragments, here and there in one step."""
        return self.for_creator(
            s, lambda w: (s.meta_status != "CLOSED").implies(s.clients[w].fragments == s.meta_fragments)
        )

    @lemma()
    def ensembles_are_full(self: Any, s: Any) -> Any:
        """Every ensemble is chosen with as many bookies as an entry is sent to."""

        def is_full(fragments: Any) -> Any:
            return self.last_fragment(fragments).cardinality == self.write_quorum

        return s.meta_status.is_some.implies(is_full(s.meta_fragments)) & forall(
            self.clients, lambda c: s.clients[c].status.is_some.implies(is_full(s.clients[c].fragments))
        )

    @lemma()
    def fragments_begin_unconfirmed(self: Any, s: Any) -> Any:
        """A fragment begins at the first unconfirmed entry; a recovery learns that much when fencing."""
        return forall(
            self.clients,
            lambda c: (self.is_creator(s, c) | self.has_learned(s, c)).implies(
                self.last_first_entry(s.clients[c].fragments) <= s.clients[c].lac + 1
            ),
        )

    @lemma()
    def recovery_knows_last_fragment(self: Any, s: Any) -> Any:
        """A recovery begins with the creator's fragments, which change no more, and reads from the last."""

        def knows(c: Any, w: Any) -> Any:
            one, other = s.clients[c], s.clients[w]
            reads = (one.status == "IN_RECOVERY") & one.last_recoverable_entry.is_none
            return (
                (one.recovery_phase == "FENCING").implies(one.fragments == other.fragments)
                & reads.implies(one.recovery_ensemble == self.ensemble(s, w))
                & self.has_learned(s, c).implies(self.last_first_entry(other.fragments) <= one.lap + 1)
            )

        return self.for_creator(
            s, lambda w: forall(self.clients, lambda c: self.is_recovering(s, c).implies(knows(c, w)))
        )

    # What a client has sent and knows to be stored

    @lemma()
    def fencing_comes_first(self: Any, s: Any) -> Any:
        """A recovery reads only once enough bookies are fenced, and has no entry before."""

        def has_read_nothing(c: Any) -> Any:
            return (
                (c.status == "IN_RECOVERY")
                & (c.lap == c.lac)
                & forall(self.ids, lambda e: c.data[e].is_none)
            )

        return forall(
            self.clients,
            lambda c: (s.clients[c].recovery_phase == "FENCING").implies(has_read_nothing(s.clients[c])),
        )

    @lemma()
    def reads_in_order(self: Any, s: Any) -> Any:
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
    def adds_have_content(self: Any, s: Any) -> Any:
        """A client sends adds of entries that it was given or has read."""

        def has_content(c: Any, e: Any) -> Any:
            entry = s.clients[c]
            sent = exists(
                self.bookies,
                lambda b: (
                    s.add_confirmations[c][e][b].is_some
                    | s.add_refusals[c][e][b].is_some
                    | exists(self.lacs, lambda lac: s.add_requests[c][e][lac][b].is_some)
                ),
            )
            return (sent | ~entry.pending_add_ops[e].is_empty).implies(
                entry.data[e].is_some
            ) & entry.data[e].is_some.implies(e <= entry.lap)

        return forall(self.clients, self.ids, has_content)

    @lemma()
    def adds_are_pending_until_confirmed(self: Any, s: Any) -> Any:
        """An entry that a client has is pending exactly as long as it lies behind the last confirmed."""

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
    def confirmed_is_stored(self: Any, s: Any) -> Any:
        """A bookie confirms what it has stored, and keeps it."""
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
    def confirmed_by_ensemble(self: Any, s: Any) -> Any:
        """Confirmations count from bookies of the ensemble, and those replaced are struck out."""
        return forall(
            self.clients,
            self.ids,
            lambda c, e: (s.clients[c].lac < e).implies(s.clients[c].confirmed[e] <= self.ensemble(s, c)),
        )

    @lemma()
    def acknowledged_by_ack_quorum(self: Any, s: Any) -> Any:
        """The creator acknowledges an entry that an ack quorum of the entry's ensemble confirmed."""

        def is_acknowledged(w: Any, e: Any) -> Any:
            ensemble = self.fragment_of_entry(s.clients[w].fragments, e)
            return count(ensemble, lambda b: s.clients[w].confirmed[e].contains(b)) >= self.ack_quorum

        return self.for_creator(
            s, lambda w: forall(self.ids, lambda e: (e <= s.clients[w].lac).implies(is_acknowledged(w, e)))
        )

    @lemma()
    def known_entries_are_readable(self: Any, s: Any) -> Any:
        """What bookies and recoveries take for confirmed was acknowledged by the creator, or read by a
        recovery, from a bookie of the creator's last ensemble."""

        def is_known(e: Any) -> Any:
            return (
                exists(self.bookies, lambda b: e <= s.b_lac[b])
                | exists(self.clients, self.bookies, lambda c, b: e <= s.fence_responses[c][b].lac)
                | exists(self.clients, lambda c: self.is_recovering(s, c) & (e <= s.clients[c].lap))
            )

        def is_safe(w: Any, e: Any) -> Any:
            recovered = (s.meta_status != "OPEN") & self.is_readable(s, s.clients[w].fragments, e)
            return (e <= s.clients[w].lac) | recovered

        return self.for_creator(
            s, lambda w: forall(self.ids, lambda e: is_known(e).implies(is_safe(w, e)))
        )

    @lemma()
    def adds_tell_known_lac(self: Any, s: Any) -> Any:
        """An add carries what its client knew as last confirmed when it sent it."""
        return forall(
            self.clients,
            self.ids,
            self.lacs,
            self.bookies,
            lambda c, e, lac, b: s.add_requests[c][e][lac][b].is_some.implies(lac <= s.clients[c].lac),
        )

    @lemma()
    def recovery_keeps_entries_readable(self: Any, s: Any) -> Any:
        """A recovery moves on once the entry is read or written in the fragments that it will close with."""
        return forall(
            self.clients,
            self.ids,
            lambda c, e: (self.is_recovering(s, c) & (e <= s.clients[c].lac)).implies(
                self.is_readable(s, s.clients[c].fragments, e)
            ),
        )

    # What a recovery that reads knows of the creator

    @lemma()
    def ensemble_is_asked(self: Any, s: Any) -> Any:
        """A recovery reads from the creator's last ensemble."""
        return forall(
            self.clients,
            self.next_ids,
            self.bookies,
            lambda c, e, b: (
                s.fence_requests[c][b].is_some.implies(self.is_recovering(s, c))
                & s.read_responses[c][e][b].count.is_some.implies(s.read_requests[c][e][b].is_some)
                & s.read_requests[c][e][b].is_some.implies(
                    self.is_recovering(s, c)
                    & self.for_creator(s, lambda w: self.ensemble(s, w).contains(b))
                )
            ),
        )

    @lemma()
    def answers_are_final(self: Any, s: Any) -> Any:
        """A bookie that has the entry keeps it; one that does not is fenced by the read, and will never
        confirm the entry to the creator."""

        def is_final(c: Any, e: Any, b: Any) -> Any:
            answer = s.read_responses[c][e][b]
            negative = answer.count.is_some & answer.data.is_none
            return answer.data.is_some.implies(self.is_stored(s, b, e)) & negative.implies(
                self.for_creator(s, lambda w: self.never_confirms(s, b, w, e))
            )

        return forall(self.clients, self.ids, self.bookies, is_final)

    @lemma()
    def negative_answers_are_counted(self: Any, s: Any) -> Any:
        """The bookies that a recovery has counted said that they do not have the entry it reads."""

        def said_so(c: Any, b: Any, e: Any) -> Any:
            answer = s.read_responses[c][e][b]
            return answer.count.is_some & answer.data.is_none & (s.clients[c].curr_read_entry == e)

        return forall(
            self.clients,
            self.bookies,
            lambda c, b: s.clients[c].read_responses.contains(b).implies(
                exists(self.next_ids, lambda e: said_so(c, b, e))
            ),
        )

    @lemma()
    def end_is_out_of_reach(self: Any, s: Any) -> Any:
        """Where a recovery ends the ledger, the creator can acknowledge nothing any more."""

        def is_end(last: Any, e: Any) -> Any:
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
    def closed_ledger_is_whole(self: Any, s: Any) -> Any:
        """A ledger ends with all that was acknowledged, and its fragments are those in which it is readable."""
        return (s.meta_status == "CLOSED").implies(
            self.for_creator(s, lambda w: s.clients[w].lac <= s.meta_last_entry)
            & forall(
                self.ids,
                lambda e: (e <= s.meta_last_entry).implies(self.is_readable(s, s.meta_fragments, e)),
            )
        )

    @lemma()
    def fenced_bookies_refuse(self: Any, s: Any) -> Any:
        """A bookie refuses an add only when it is fenced, and remains so."""
        return forall(
            self.clients,
            self.ids,
            self.bookies,
            lambda c, e, b: s.add_refusals[c][e][b].is_some.implies(s.b_fenced.contains(b)),
        )

    # How often the metadata can change

    @lemma()
    def adds_in_flight_are_limited(self: Any, s: Any) -> Any:
        """The creator adds no entry too far behind the last confirmed, so few adds of it can differ."""

        def is_limited(w: Any, e: Any, lac: Any) -> Any:
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
    def changes_of_ensemble_settle_losses(self: Any, s: Any) -> Any:
        """Each change of ensemble settles the loss of an add or of a confirmation, which happens once."""
        behind = Range(1, min(self.inflight_limit, self.send_limit))
        adds = Record(entry=self.ids, behind=behind, bookie=self.bookies)
        confirmations = Record(entry=self.ids, bookie=self.bookies)

        def is_accounted_for(w: Any) -> Any:
            requests = s.add_requests[w]
            settled = count(
                adds, lambda m: requests[m.entry][m.entry - m.behind][m.bookie] == PROCESSED
            )
            lost = count(confirmations, lambda m: s.add_confirmations[w][m.entry][m.bookie] == LOST)
            can_change = self.write_quorum < self.bookies.size
            return (s.meta_version + lost <= 1 + settled) if can_change else (s.meta_version == 1)

        return (s.meta_status == "OPEN").implies(
            self.for_creator(s, is_accounted_for) & s.b_fenced.is_empty
        )

    @lemma()
    def versions_suffice(self: Any, s: Any) -> Any:
        """Then each recovery changes the metadata once, and closing does."""
        recoveries = count(self.clients, lambda c: self.is_recovering(s, c))
        rest = self.clients.size - recoveries
        return (s.meta_status != "CLOSED").implies(s.meta_version + rest <= self.versions.high)
