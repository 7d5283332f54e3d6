"""Why KIP-320 loses nothing: lemmas that every action keeps together with WeakIsr, and that imply StrongIsr.

Request *e* is what the controller sent for leader epoch *e*; requests below the next epoch exist. The
final ISR of epoch *e* is the one that the controller found when that epoch ended and sent along with
request *e + 1*, or the quorum's as long as there is no such request.
"""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import Range
from verifier.specs.kafka.replication import KafkaReplication, KafkaState
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

    def reached(self, s: KafkaState, epoch: Integer) -> Formula:
        """The leader of this epoch has learned that it leads, if there is one."""
        return exists(
            self.replicas, lambda r: (s.requests[epoch].leader == r) & (s.replica[r].epoch >= epoch)
        )

    def blocked(self, s: KafkaState, epoch: Integer) -> Formula:
        """The leader of this epoch cannot have committed: a final member never came to the epoch."""
        return exists(
            self.replicas,
            lambda y: self.initial_member(s, epoch + 1, y) & (s.replica[y].epoch < epoch),
        )

    def follows(self, s: KafkaState, follower: Element, leader: Element) -> Formula:
        """Both name the leader as such, in one epoch."""
        one, other = s.replica[follower], s.replica[leader]
        return (one.leader == leader) & (other.leader == leader) & (one.epoch == other.epoch)

    # The controller's requests and what replicas make of them

    @lemma()
    def quorum_is_last_request(self, s: KafkaState) -> Formula:
        """The controller writes the quorum and sends a request in one step; leaders change only the ISR."""
        nothing = (s.next_leader_epoch == 0).implies(s.quorum.leader.is_none)
        return (
            (s.quorum.epoch == s.next_leader_epoch - 1)
            & nothing
            & forall(
                self.epochs,
                lambda e: (e == s.next_leader_epoch - 1).implies(s.quorum.leader == s.requests[e].leader),
            )
        )

    @lemma()
    def epoch_from_request(self, s: KafkaState) -> Formula:
        """A replica gets epoch and leader together, from a request that has a leader."""
        return forall(
            self.replicas, lambda r: (s.replica[r].epoch == -1).implies(s.replica[r].leader.is_none)
        ) & forall(
            self.replicas,
            self.epochs,
            lambda r, e: self.in_epoch(s, r, e).implies(
                self.exists_request(s, e)
                & s.requests[e].leader.is_some
                & (s.replica[r].leader == s.requests[e].leader)
            ),
        )

    @lemma()
    def leader_came_first(self, s: KafkaState) -> Formula:
        """A follower enters an epoch only by a leader that is in it, and epochs only grow."""
        return forall(
            self.replicas, self.epochs, lambda r, e: self.in_epoch(s, r, e).implies(self.reached(s, e))
        )

    @lemma()
    def leaders_are_members(self, s: KafkaState) -> Formula:
        """The controller elects a member of the ISR, and neither it nor the leader removes the leader."""
        return forall(
            self.replicas,
            lambda x: (
                (s.quorum.leader == x).implies(s.quorum.isr.contains(x))
                & forall(
                    self.epochs, lambda e: (s.requests[e].leader == x).implies(s.requests[e].isr.contains(x))
                )
            ),
        )

    @lemma()
    def local_isr_has_leader(self, s: KafkaState) -> Formula:
        """The ISR of a request has its leader, and a leader takes out only others."""
        return forall(
            self.replicas,
            self.replicas,
            lambda r, x: (s.replica[r].leader == x).implies(s.replica[r].isr.contains(x)),
        )

    @lemma()
    def true_leader_agrees(self, s: KafkaState) -> Formula:
        """The true leader changes its ISR and the quorum's in one step; nobody else can in its epoch."""
        return forall(
            self.replicas,
            lambda r: self.is_true_leader(s, r).implies(s.replica[r].isr == s.quorum.isr),
        )

    # How the ISR goes on from epoch to epoch

    @lemma()
    def quorum_untouched(self, s: KafkaState) -> Formula:
        """Until the leader of the last epoch knows of it, nobody can change the quorum's ISR."""
        return forall(
            self.epochs,
            lambda e: ((e == s.next_leader_epoch - 1) & ~self.reached(s, e)).implies(
                s.quorum.isr == s.requests[e].isr
            ),
        )

    @lemma()
    def stale_isr_covers(self, s: KafkaState) -> Formula:
        """A leader whose epoch has ended knows an ISR from which the controller could only take away."""
        return forall(
            self.replicas,
            self.epochs,
            lambda a, k: (
                self.presumes_leadership(s, a) & self.in_epoch(s, a, k) & self.exists_request(s, k + 1)
            ).implies(s.requests[k + 1].isr <= s.replica[a].isr),
        )

    @lemma()
    def unled_epoch_only_shrinks(self, s: KafkaState) -> Formula:
        """In an epoch whose leader never knew of it, only the controller changed the ISR: it took away."""
        return forall(
            self.epochs,
            lambda k: (self.exists_request(s, k + 1) & ~self.reached(s, k)).implies(
                s.requests[k + 1].isr <= s.requests[k].isr
            ),
        )

    @lemma()
    def laggard_was_member(self, s: KafkaState) -> Formula:
        """A leader admits followers of its own epoch, so whoever never came to it was there before."""
        return forall(
            self.replicas,
            self.epochs,
            lambda y, k: (
                self.exists_request(s, k) & self.initial_member(s, k + 1, y) & (s.replica[y].epoch < k)
            ).implies(s.requests[k].isr.contains(y)),
        )

    # Logs

    @lemma()
    def high_watermark_in_log(self, s: KafkaState) -> Formula:
        """A high watermark moves past a record that is there, and truncation takes it along."""
        return forall(self.replicas, lambda r: s.replica[r].hw <= s.log[r].length)

    @lemma()
    def records_are_past(self, s: KafkaState) -> Formula:
        """Records have ids given out before, and epochs that the replica has come to."""
        return forall(
            self.replicas,
            self.offsets,
            lambda r, o: self.has_offset(s, r, o).implies(
                (s.log[r][o].id < s.next_record_id) & (s.log[r][o].epoch <= s.replica[r].epoch)
            ),
        )

    @lemma()
    def follower_has_prefix(self, s: KafkaState) -> Formula:
        """A follower begins an epoch with what it shares with the leader, then copies record by record."""
        return forall(
            self.replicas,
            self.replicas,
            self.offsets,
            lambda f, x, o: (self.follows(s, f, x) & self.has_offset(s, f, o)).implies(
                self.has_same_entry(s, f, x, o)
            ),
        )

    @lemma()
    def follower_ahead_of_leader(self, s: KafkaState) -> Formula:
        """What a follower knows as committed and its leader does not is from earlier epochs."""
        return forall(
            self.replicas,
            self.replicas,
            self.offsets,
            lambda f, x, o: (self.follows(s, f, x) & (s.replica[x].hw <= o) & (o < s.replica[f].hw)).implies(
                s.log[f][o].epoch < s.replica[x].epoch
            ),
        )

    @lemma()
    def log_matching(self, s: KafkaState) -> Formula:
        """Each record is written once, behind one sequence of records, and copied with all before it."""
        return forall(
            self.replicas,
            self.replicas,
            self.offsets,
            self.offsets,
            lambda a, b, o, p: ((p < o) & self.has_same_entry(s, a, b, o)).implies(
                self.has_same_entry(s, a, b, p)
            ),
        )

    @lemma()
    def committed(self, s: KafkaState) -> Formula:
        """A record is committed once all members of an ISR have it; a member of a later ISR lacks it only
        if an epoch in between was one in which something could be committed again."""
        return forall(
            self.replicas,
            self.begun_epochs(),
            self.replicas,
            self.offsets,
            lambda r, j, z, o: (
                self.initial_member(s, j, z)
                & (o < s.replica[r].hw)
                & forall(
                    self.epochs,
                    lambda k: ((j <= k) & (k <= s.replica[r].epoch)).implies(self.blocked(s, k)),
                )
            ).implies(self.has_same_entry(s, r, z, o)),
        )

    # For WeakIsr, which speaks of the ISR that a presumed leader knows of

    def awaited(self, s: KafkaState, leader: Element, member: Element) -> Formula:
        """The leader knows of a member of its ISR that has not come to its epoch."""
        local = s.replica[leader]
        return (
            self.presumes_leadership(s, leader)
            & local.isr.contains(member)
            & (s.replica[member].epoch < local.epoch)
        )

    @lemma()
    def awaited_was_member(self, s: KafkaState) -> Formula:
        """A leader admits followers of its own epoch, so whoever has not come to it was sent along."""
        return forall(
            self.replicas,
            self.replicas,
            self.epochs,
            lambda r, y, e: (self.awaited(s, r, y) & self.in_epoch(s, r, e)).implies(
                s.requests[e].isr.contains(y)
            ),
        )

    @lemma()
    def committed_before(self, s: KafkaState) -> Formula:
        """A leader that still waits for a member has committed nothing in its epoch: what it knows as
        committed is from before, and its own epoch need not be considered."""
        return forall(
            self.replicas,
            self.epochs,
            self.replicas,
            self.offsets,
            lambda r, j, z, o: (
                exists(self.replicas, lambda y: self.awaited(s, r, y))
                & self.initial_member(s, j, z)
                & (j <= s.replica[r].epoch)
                & (o < s.replica[r].hw)
                & forall(
                    self.epochs,
                    lambda k: ((j <= k) & (k < s.replica[r].epoch)).implies(self.blocked(s, k)),
                )
            ).implies(self.has_same_entry(s, r, z, o)),
        )
