"""The common part of the Kafka family: the replicas of one partition, the controller, and what ISR means.

Source: hachikuji/kafka-specification, KafkaReplication.tla with FiniteReplicatedLog.tla, IdSequence.tla
and Util.tla. What is written differently here, and why no verdict changes:

- A log is a sequence, so its end offset is its length and no slot beyond it has content of its own.
- Every request of the controller opens a leader epoch, so the set of requests is a map from epoch to
  leader and ISR. A request exists exactly when its epoch is below the next one; the others are empty.
- An action's parameters determine its successor. The original finds offsets, ids and records by
  quantifying over all of them, of which at most one fits.
- A follower's leader is always a replica there, so requests without a leader are followed by nobody.
"""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.expressions import set_of
from verifier.encodings.quantifiers import comprehension, exists, forall, if_, minimum
from verifier.encodings.values import OptionValue
from verifier.specs.kafka.state import KafkaConstants, KafkaState
from verifier.specs.protocol import (
    Call,
    Drawing,
    Lane,
    Step,
    action,
    eventually_always,
    for_each,
    invariant,
    temporal,
    type_invariant,
    weak,
)
from verifier.specs.temporal import Fairness, TemporalFormula


class KafkaReplication(KafkaConstants, camel_case=True):
    """Replication of one Kafka partition: what the members of the family have in common."""

    default_depth = 12

    drawing = Drawing(
        lanes=(
            Lane("controller", ("quorum", "requests", "next_leader_epoch"), ("Controller*",)),
            "replicas",
            Lane("producer", ("next_record_id",)),
        ),
        messages=(
            Call(("LeaderWrite",), "producer", "leader", "record"),
            Call(("BecomeLeader",), "controller", "leader", "lead, epoch {epoch}", sent="requests[epoch]"),
            Call(
                ("BecomeFollower*", "FencedBecomeFollower*"),
                "controller",
                "follower",
                "follow {leader}, epoch {epoch}",
                sent="requests[epoch]",
            ),
            Call(("BecomeFollowerTruncateKip*", "FencedBecomeFollower*"), "leader", "follower", "epochs"),
            Call(("*FollowerFetch", "FollowerReplicate"), "leader", "follower", "record"),
            Call(("*FollowerTruncate",), "leader", "follower", "epochs"),
            Call(("*LeaderShrinkIsr*",), "leader", "controller", "without {follower}"),
            Call(("*LeaderExpandIsr*",), "leader", "controller", "with {follower}"),
        ),
    )

    def state(self) -> KafkaState:
        return KafkaState(self)

    def init(self, s: KafkaState) -> list[Formula]:
        local = self.local(hw=0, epoch=-1, leader=None, isr=set_of(self.replicas))
        everyone = comprehension(r for r in self.replicas)
        return [
            forall(s.log[r].is_empty for r in self.replicas),
            forall(s.replica[r] == local for r in self.replicas),
            s.next_record_id == 0,
            s.next_leader_epoch == 0,
            forall(self.is_unused(s, e) for e in self.epochs),
            s.quorum == self.quorum(epoch=-1, leader=None, isr=everyone),
        ]

    # What replicas and logs are like

    def is_unused(self, s: KafkaState, epoch: Integer) -> Formula:
        """There is no request with this epoch yet."""
        return s.requests[epoch].leader.is_none & s.requests[epoch].isr.is_empty

    def presumes_leadership(self, s: KafkaState, replica: Element) -> Formula:
        """The replica takes itself for the leader, rightly or not."""
        return s.replica[replica].leader == replica

    def is_following(self, s: KafkaState, follower: Element, leader: Element) -> Formula:
        """The follower takes this replica for the leader, in whatever epoch."""
        return s.replica[follower].leader == leader

    def is_true_leader(self, s: KafkaState, leader: Element) -> Formula:
        """The quorum agrees with a presumed leader, on the epoch too."""
        return (
            (s.quorum.leader == leader)
            & self.presumes_leadership(s, leader)
            & (s.replica[leader].epoch == s.quorum.epoch)
        )

    def has_offset(self, s: KafkaState, replica: Element, offset: Integer) -> Formula:
        """The replica's log has a record at this offset."""
        return offset < s.log[replica].length

    def has_same_entry(self, s: KafkaState, one: Element, other: Element, offset: Integer) -> Formula:
        """Both logs have a record at this offset, and it is the same."""
        return (
            self.has_offset(s, one, offset)
            & self.has_offset(s, other, offset)
            & (s.log[one][offset] == s.log[other][offset])
        )

    def is_follower_caught_up(
        self, s: KafkaState, leader: Element, follower: Element, end_offset: Integer
    ) -> Formula:
        """The follower has as much as the leader has below this offset, whatever the records are."""
        last = end_offset - 1
        reached = self.has_offset(s, leader, last) & self.has_offset(s, follower, last)
        return self.is_following(s, follower, leader) & ((end_offset == 0) | reached)

    def has_high_watermark_reached_current_epoch(self, s: KafkaState, leader: Element) -> Formula:
        """Nothing of earlier epochs is left for this leader to commit."""
        log, local = s.log[leader], s.replica[leader]
        has_next = self.has_offset(s, leader, local.hw)
        return (local.hw == log.length) | (has_next & (log[local.hw].epoch == local.epoch))

    # The controller

    def controller_update_isr(
        self, s: KafkaState, leader: OptionValue[Element] | Element, isr: SetValue[Element]
    ) -> Step:
        """Every decision of the controller opens an epoch, changes the quorum and sends a request."""
        epoch = s.next_leader_epoch
        return Step(
            when=[epoch <= self.max_leader_epoch],
            then={
                s.next_leader_epoch: epoch + 1,
                s.quorum: self.quorum(epoch=epoch, leader=leader, isr=isr),
                s.requests[epoch]: self.request(leader=leader, isr=isr),
            },
        )

    @action(leader="replicas")
    def controller_elect_leader(self, s: KafkaState, leader: Element) -> Step:
        """The controller makes another member of the ISR the leader, for whatever reason."""
        is_other_member = Step(when=[s.quorum.isr.contains(leader), s.quorum.leader != leader])
        return is_other_member & self.controller_update_isr(s, leader, s.quorum.isr)

    @action(replica="replicas")
    def controller_shrink_isr(self, s: KafkaState, replica: Element) -> Step:
        """The controller takes a replica for failed. The last leader standing stays in the ISR."""
        isr, leads = s.quorum.isr, s.quorum.leader == replica
        alone = isr == set_of(self.replicas, replica)
        return Step(when=[leads | isr.contains(replica)]) & self.controller_update_isr(
            s,
            leader=if_(leads, None, s.quorum.leader),
            isr=if_(leads & alone, isr, isr.remove(replica)),
        )

    # Leaders

    @action(leader="replicas", epoch="epochs")
    def become_leader(self, s: KafkaState, leader: Element, epoch: Integer) -> Step:
        """A replica learns from a request that it leads; it keeps its log and high watermark."""
        request = s.requests[epoch]
        return Step(
            when=[request.leader == leader, epoch > s.replica[leader].epoch],
            then={s.replica[leader]: s.replica[leader].updated(epoch=epoch, leader=leader, isr=request.isr)},
        )

    @action(leader="replicas")
    def leader_write(self, s: KafkaState, leader: Element) -> Step:
        """A presumed leader appends a producer's record."""
        entry = self.entry(id=s.next_record_id, epoch=s.replica[leader].epoch)
        return Step(
            when=[
                self.presumes_leadership(s, leader),
                s.next_record_id < self.max_records,
                s.log[leader].length < self.log_size,
            ],
            then={s.log[leader]: s.log[leader].append(entry), s.next_record_id: s.next_record_id + 1},
        )

    def quorum_update_leader_and_isr(self, s: KafkaState, leader: Element, isr: SetValue[Element]) -> Step:
        """The true leader writes its ISR to the quorum, which turns everyone else away."""
        return Step(
            when=[self.is_true_leader(s, leader)],
            then={s.quorum.isr: isr, s.replica[leader].isr: isr},
        )

    @action(leader="replicas", follower="replicas")
    def leader_shrink_isr(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader drops a member of its ISR that has not reached the end of its log."""
        isr, end_offset = s.replica[leader].isr, s.log[leader].length
        lags = Step(
            when=[
                isr.contains(follower),
                follower != leader,
                ~self.is_follower_caught_up(s, leader, follower, end_offset),
            ]
        )
        return lags & self.quorum_update_leader_and_isr(s, leader, isr.remove(follower))

    @action(leader="replicas", follower="replicas")
    def leader_expand_isr(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader takes a follower that has reached its high watermark into the ISR."""
        isr, hw = s.replica[leader].isr, s.replica[leader].hw
        caught_up = Step(when=[~isr.contains(follower), self.is_follower_caught_up(s, leader, follower, hw)])
        return caught_up & self.quorum_update_leader_and_isr(s, leader, isr.add(follower))

    @action(leader="replicas")
    def leader_inc_high_watermark(self, s: KafkaState, leader: Element) -> Step:
        """A presumed leader commits the next record once its ISR has something at that offset."""
        hw, isr = s.replica[leader].hw, s.replica[leader].isr
        return Step(
            when=[
                self.presumes_leadership(s, leader),
                hw < self.log_size,
                forall(self.is_following(s, r, leader) & self.has_offset(s, r, hw) for r in isr),
            ],
            then={s.replica[leader].hw: hw + 1},
        )

    # Followers

    def become_follower_and_truncate_to(
        self, s: KafkaState, leader: Element, follower: Element, epoch: Integer, offset: Integer | int
    ) -> Step:
        """A replica follows a request's leader and cuts its log to ``offset``, if it reaches that far."""
        request, local = s.requests[epoch], s.replica[follower]
        return Step(
            when=[
                follower != leader,
                request.leader == leader,
                epoch > local.epoch,
                offset <= s.log[follower].length,
            ],
            then={
                s.log[follower]: s.log[follower].truncate(offset),
                s.replica[follower]: self.local(
                    hw=minimum(offset, local.hw), epoch=epoch, leader=leader, isr=request.isr
                ),
            },
        )

    def replicate_to(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The follower appends the leader's next record and learns the leader's high watermark."""
        end_offset = s.log[follower].length
        return Step(
            when=[self.has_offset(s, leader, end_offset)],
            then={
                s.log[follower]: s.log[follower].append(s.log[leader][end_offset]),
                s.replica[follower].hw: minimum(s.replica[leader].hw, end_offset + 1),
            },
        )

    @action(follower="replicas", leader="replicas")
    def follower_replicate(self, s: KafkaState, follower: Element, leader: Element) -> Step:
        """A follower fetches from whom it takes for the leader; neither looks at epochs."""
        agrees = Step(when=[self.presumes_leadership(s, leader), self.is_following(s, follower, leader)])
        return agrees & self.replicate_to(s, leader, follower)

    # Properties

    def is_committed_on(self, s: KafkaState, leader: Element, isr: SetValue[Element]) -> Formula:
        """Each replica of ``isr`` has the leader's records below the leader's high watermark."""
        return forall(
            self.has_same_entry(s, leader, member, offset)
            for member in isr
            for offset in self.offsets
            if offset < s.replica[leader].hw
        )

    @type_invariant(name="TypeOk")
    def type_ok(self, s: KafkaState) -> Formula:
        """Every value is of its sort, and requests from the next epoch on do not exist yet."""
        return forall(self.is_unused(s, e) for e in self.epochs if e >= s.next_leader_epoch)

    @invariant
    def weak_isr(self, s: KafkaState) -> Formula:
        """Each entry that a presumed leader has committed is in the logs of the ISR that it knows of."""
        return forall(
            self.is_committed_on(s, leader, s.replica[leader].isr)
            for leader in self.replicas
            if self.presumes_leadership(s, leader)
        )

    @invariant
    def strong_isr(self, s: KafkaState) -> Formula:
        """Each entry that a presumed leader has committed is in the logs of the quorum's ISR: no
        election loses it."""
        return forall(
            self.is_committed_on(s, leader, s.quorum.isr)
            for leader in self.replicas
            if self.presumes_leadership(s, leader)
        )

    @temporal
    def stable_leader_commits(self, s: KafkaState) -> TemporalFormula:
        """A leader that is the true one forever, from some time on, has committed all of its log forever,
        from some time on. Nothing need be said of writes: there are no more than ``max_records``."""

        def commits(r: Element) -> TemporalFormula:
            is_stable = eventually_always(self.is_true_leader(s, r))
            return is_stable.implies(eventually_always(s.replica[r].hw == s.log[r].length))

        return for_each(self.replicas, commits)

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """The original's conditions, and followers that fetch where they can."""
        return {"fetch": [*self.fairness(), weak("follower_replicate")]}

    @invariant(default=False)
    def leader_in_isr(self, s: KafkaState) -> Formula:
        """The quorum's leader is in the ISR: as the original states it, and so false without a leader."""
        return exists(s.quorum.leader == r for r in s.quorum.isr)

    @invariant(default=False)
    def leader_in_isr_once_elected(self, s: KafkaState) -> Formula:
        """The quorum's leader, when there is one, is in the ISR: what LeaderInIsr means to say."""
        return s.quorum.leader.is_some.implies(self.leader_in_isr(s))
