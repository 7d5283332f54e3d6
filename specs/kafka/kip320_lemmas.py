"""Why KIP-320 loses nothing: lemmas that every action keeps together with WeakIsr, and that imply StrongIsr.

Request *e* is what the controller sent for leader epoch *e*; requests below the next epoch exist. The
final ISR of epoch *e* is the one that the controller found when that epoch ended and sent along with
request *e + 1*, or the quorum's as long as there is no such request.
"""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import Range
from verifier.specs.kafka.replication import KafkaReplication
from verifier.specs.kafka.state import KafkaState
from verifier.specs.protocol import lemma


class Kip320Lemmas(KafkaReplication):
    """To be mixed into a member of the Kafka family."""

    # What the lemmas speak of

    def begun_epochs(self) -> Range:
        """The leader epochs, and the one that no request can carry any more."""
        return Range(0, self.max_leader_epoch + 1)

    def exists_request(self, s: KafkaState, epoch: Integer) -> Formula:
        """The controller has opened this epoch."""
        return epoch < s.next_leader_epoch

    def initial_member(self, s: KafkaState, epoch: Integer, replica: Element) -> Formula:
        """The replica is in the ISR with which this epoch began, or, for the next epoch, would begin."""
        sent = self.exists_request(s, epoch) & s.requests[epoch].isr.contains(replica)
        return sent | ((epoch == s.next_leader_epoch) & s.quorum.isr.contains(replica))

    def in_epoch(self, s: KafkaState, replica: Element, epoch: Integer) -> Formula:
        """The replica is in this epoch, as leader or follower."""
        return s.replica[replica].epoch == epoch

    def is_reached(self, s: KafkaState, epoch: Integer) -> Formula:
        """The leader of this epoch has learned that it leads, if there is one."""
        return exists(self.is_reached_by(s, epoch, r) for r in self.replicas)

    def is_reached_by(self, s: KafkaState, epoch: Integer, leader: Element) -> Formula:
        """The replica is the leader of this epoch and has learned that it leads."""
        return (s.requests[epoch].leader == leader) & (s.replica[leader].epoch >= epoch)

    def member_led(self, s: KafkaState, isr: SetValue[Element], first: Integer, end: Integer) -> Formula:
        """A replica of the ISR has learned that it leads one of the epochs from ``first`` up to ``end``."""
        return exists(
            self.is_reached_by(s, i, x) & isr.contains(x)
            for i in self.epochs
            for x in self.replicas
            if (first <= i) & (i < end)
        )

    def is_blocked(self, s: KafkaState, epoch: Integer) -> Formula:
        """The leader of this epoch cannot have committed: a final member never came to the epoch."""
        return exists(
            self.initial_member(s, epoch + 1, y) & (s.replica[y].epoch < epoch) for y in self.replicas
        )

    def follows(self, s: KafkaState, follower: Element, leader: Element) -> Formula:
        """Both name the leader as such, in one epoch."""
        one, other = s.replica[follower], s.replica[leader]
        return (one.leader == leader) & (other.leader == leader) & (one.epoch == other.epoch)

    # The controller's requests and what replicas make of them

    @lemma
    def quorum_is_last_request(self, s: KafkaState) -> Formula:
        """The controller writes the quorum and sends a request in one step; leaders change only the ISR."""
        nothing = (s.next_leader_epoch == 0).implies(s.quorum.leader.is_none)
        return (
            (s.quorum.epoch == s.next_leader_epoch - 1)
            & nothing
            & forall(
                s.quorum.leader == s.requests[e].leader for e in self.epochs if e == s.next_leader_epoch - 1
            )
        )

    @lemma
    def epoch_from_request(self, s: KafkaState) -> Formula:
        """A replica gets epoch and leader together, from a request that has a leader."""
        return forall(
            s.replica[r].leader.is_none for r in self.replicas if s.replica[r].epoch == -1
        ) & forall(
            self.exists_request(s, e)
            & s.requests[e].leader.is_some
            & (s.replica[r].leader == s.requests[e].leader)
            for r in self.replicas
            for e in self.epochs
            if self.in_epoch(s, r, e)
        )

    @lemma
    def leader_came_first(self, s: KafkaState) -> Formula:
        """A follower enters an epoch only by a leader that is in it, and epochs only grow."""
        return forall(
            self.is_reached(s, e) for r in self.replicas for e in self.epochs if self.in_epoch(s, r, e)
        )

    @lemma
    def leaders_are_members(self, s: KafkaState) -> Formula:
        """The controller elects a member of the ISR, and neither it nor the leader removes the leader."""
        return forall(
            (s.quorum.leader == x).implies(s.quorum.isr.contains(x))
            & forall(s.requests[e].isr.contains(x) for e in self.epochs if s.requests[e].leader == x)
            for x in self.replicas
        )

    @lemma
    def local_isr_has_leader(self, s: KafkaState) -> Formula:
        """The ISR of a request has its leader, and a leader takes out only others."""
        return forall(
            s.replica[r].isr.contains(x)
            for r in self.replicas
            for x in self.replicas
            if s.replica[r].leader == x
        )

    @lemma
    def true_leader_agrees(self, s: KafkaState) -> Formula:
        """The true leader changes its ISR and the quorum's in one step; nobody else can in its epoch."""
        return forall(s.replica[r].isr == s.quorum.isr for r in self.replicas if self.is_true_leader(s, r))

    # How the ISR goes on from epoch to epoch

    @lemma
    def quorum_untouched(self, s: KafkaState) -> Formula:
        """Until the leader of the last epoch knows of it, nobody can change the quorum's ISR."""
        return forall(
            s.quorum.isr == s.requests[e].isr
            for e in self.epochs
            if (e == s.next_leader_epoch - 1) & ~self.is_reached(s, e)
        )

    @lemma
    def stale_isr_covers(self, s: KafkaState) -> Formula:
        """While nobody of the ISR of a leader leads a later epoch, the controller can only take away from
        what that leader knows."""
        return forall(
            s.replica[a].isr.contains(y) | self.member_led(s, s.replica[a].isr, s.replica[a].epoch + 1, j)
            for a in self.replicas
            for j in self.begun_epochs()
            for y in self.replicas
            if self.presumes_leadership(s, a) & (s.replica[a].epoch < j) & self.initial_member(s, j, y)
        )

    @lemma
    def unled_epoch_only_shrinks(self, s: KafkaState) -> Formula:
        """Members come in only by a leader that knows of its epoch and was a member itself: in epochs
        without one the controller alone changed the ISR, and it took away."""
        return forall(
            self.initial_member(s, k, y)
            | exists(
                self.is_reached_by(s, i, x) & self.initial_member(s, k, x)
                for i in self.epochs
                for x in self.replicas
                if (k <= i) & (i < j)
            )
            for k in self.epochs
            for j in self.begun_epochs()
            for y in self.replicas
            if (k < j) & self.initial_member(s, j, y)
        )

    @lemma
    def laggard_was_member(self, s: KafkaState) -> Formula:
        """A leader admits followers of its own epoch, so whoever never came to it was there before."""
        return forall(
            self.initial_member(s, k, y)
            for y in self.replicas
            for k in self.epochs
            for j in self.begun_epochs()
            if (k < j) & self.initial_member(s, j, y) & (s.replica[y].epoch < k)
        )

    # Logs

    @lemma
    def high_watermark_in_log(self, s: KafkaState) -> Formula:
        """A high watermark moves past a record that is there, and truncation takes it along."""
        return forall(s.replica[r].hw <= s.log[r].length for r in self.replicas)

    @lemma
    def records_are_past(self, s: KafkaState) -> Formula:
        """Records have ids given out before, and epochs that the replica has come to."""
        return forall(
            (s.log[r][o].id < s.next_record_id) & (s.log[r][o].epoch <= s.replica[r].epoch)
            for r in self.replicas
            for o in self.offsets
            if self.has_offset(s, r, o)
        )

    @lemma
    def follower_has_prefix(self, s: KafkaState) -> Formula:
        """A follower begins an epoch with what it shares with the leader, then copies record by record."""
        return forall(
            self.has_same_entry(s, f, x, o)
            for f in self.replicas
            for x in self.replicas
            for o in self.offsets
            if self.follows(s, f, x) & self.has_offset(s, f, o)
        )

    @lemma
    def follower_ahead_of_leader(self, s: KafkaState) -> Formula:
        """Entries that a follower knows as committed and its leader does not are from earlier epochs."""
        return forall(
            s.log[f][o].epoch < s.replica[x].epoch
            for f in self.replicas
            for x in self.replicas
            for o in self.offsets
            if self.follows(s, f, x) & (s.replica[x].hw <= o) & (o < s.replica[f].hw)
        )

    @lemma
    def log_matching(self, s: KafkaState) -> Formula:
        """Each record is written once, behind one sequence of records, and copied with all before it."""
        return forall(
            self.has_same_entry(s, a, b, p)
            for a in self.replicas
            for b in self.replicas
            for o in self.offsets
            for p in self.offsets
            if (p < o) & self.has_same_entry(s, a, b, o)
        )

    @lemma
    def committed(self, s: KafkaState) -> Formula:
        """A record is committed once all members of an ISR have it; a member of a later ISR lacks it only
        if an epoch in between was one in which something could be committed again."""
        return forall(
            self.has_same_entry(s, r, z, o)
            for r in self.replicas
            for j in self.begun_epochs()
            for z in self.replicas
            for o in self.offsets
            if self.initial_member(s, j, z)
            & (o < s.replica[r].hw)
            & forall(self.is_blocked(s, k) for k in self.epochs if (j <= k) & (k <= s.replica[r].epoch))
        )

    # For WeakIsr, which speaks of the ISR that a presumed leader knows of

    def is_awaited(self, s: KafkaState, leader: Element, member: Element) -> Formula:
        """The leader knows of a member of its ISR that has not come to its epoch."""
        local = s.replica[leader]
        return (
            self.presumes_leadership(s, leader)
            & local.isr.contains(member)
            & (s.replica[member].epoch < local.epoch)
        )

    @lemma
    def awaited_was_member(self, s: KafkaState) -> Formula:
        """A leader admits only followers in its own epoch. So its request named all older members."""
        return forall(
            s.requests[e].isr.contains(y)
            for r in self.replicas
            for y in self.replicas
            for e in self.epochs
            if self.is_awaited(s, r, y) & self.in_epoch(s, r, e)
        )

    @lemma
    def committed_before(self, s: KafkaState) -> Formula:
        """A leader that still waits for a member has committed nothing in its epoch: what it knows as
        committed is from before, and its own epoch need not be considered."""
        return forall(
            self.has_same_entry(s, r, z, o)
            for r in self.replicas
            for j in self.epochs
            for z in self.replicas
            for o in self.offsets
            if exists(self.is_awaited(s, r, y) for y in self.replicas)
            & self.initial_member(s, j, z)
            & (j <= s.replica[r].epoch)
            & (o < s.replica[r].hw)
            & forall(self.is_blocked(s, k) for k in self.epochs if (j <= k) & (k < s.replica[r].epoch))
        )
