"""``kip320``: fetches and truncation are fenced by the leader's epoch."""

from __future__ import annotations

from typing import ClassVar

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import forall
from verifier.specs.kafka.kip279 import Kip279
from verifier.specs.kafka.kip320_lemmas import Kip320Lemmas
from verifier.specs.kafka.replication import KafkaState
from verifier.specs.protocol import Step, action, step_invariant


class Kip320(Kip320Lemmas, Kip279):
    """KIP-320: leader and follower deal with each other only within one epoch.

    Source: hachikuji/kafka-specification, Kip320.tla. Differences: those of KafkaReplication; and the
    branch for requests without a leader is left out, which the original never takes.
    """

    name = "kip320"
    next: ClassVar[tuple[str, ...]] = (
        "controller_elect_leader",
        "controller_shrink_isr",
        "become_leader",
        "fenced_leader_expand_isr",
        "fenced_leader_shrink_isr",
        "leader_write",
        "fenced_leader_inc_high_watermark",
        "fenced_become_follower_and_truncate",
        "fenced_follower_fetch",
    )

    def is_following_epoch(self, s: KafkaState, follower: Element, leader: Element) -> Formula:
        """Both agree on who leads, in the same epoch."""
        return (
            self.presumes_leadership(s, leader)
            & self.is_following(s, follower, leader)
            & (s.replica[follower].epoch == s.replica[leader].epoch)
        )

    def high_watermark_reached_epoch(self, s: KafkaState, leader: Element) -> Formula:
        """Nothing of earlier epochs is left for this leader to commit."""
        log, local = s.log[leader], s.replica[leader]
        has_next = self.has_offset(s, leader, local.hw)
        return (local.hw == log.length) | (has_next & (log[local.hw].epoch == local.epoch))

    def reached_high_watermark(self, s: KafkaState, follower: Element, leader: Element) -> Formula:
        """The follower's log goes at least as far as the leader's high watermark."""
        return s.replica[leader].hw <= s.log[follower].length

    @action(follower="replicas", leader="replicas")
    def fenced_follower_fetch(self, s: KafkaState, follower: Element, leader: Element) -> Step:
        """A follower fetches the next record from the leader of its own epoch."""
        return self.replicate(s, [self.is_following_epoch(s, follower, leader)], follower, leader)

    @action(leader="replicas")
    def fenced_leader_inc_high_watermark(self, s: KafkaState, leader: Element) -> Step:
        """A leader commits the next record once its ISR, all of its epoch, has it."""
        hw, isr = s.replica[leader].hw, s.replica[leader].isr
        return Step(
            when=[
                self.has_offset(s, leader, hw),
                forall(isr, lambda r: self.is_following_epoch(s, r, leader) & self.has_offset(s, r, hw)),
            ],
            then={s.replica[leader].hw: hw + 1},
        )

    @action(leader="replicas", follower="replicas")
    def fenced_leader_shrink_isr(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader drops a member of its ISR that lags or is not of its epoch."""
        isr = s.replica[leader].isr
        lags = s.log[follower].length < s.log[leader].length
        return self.quorum_update_leader_and_isr(
            s,
            [
                isr.contains(follower),
                follower != leader,
                ~self.is_following_epoch(s, follower, leader) | lags,
            ],
            leader,
            isr.remove(follower),
        )

    @action(leader="replicas", follower="replicas")
    def fenced_leader_expand_isr(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader admits a follower of its epoch at its high watermark, once that is in its epoch."""
        isr = s.replica[leader].isr
        return self.quorum_update_leader_and_isr(
            s,
            [
                ~isr.contains(follower),
                self.is_following_epoch(s, follower, leader),
                self.reached_high_watermark(s, follower, leader),
                self.high_watermark_reached_epoch(s, leader),
            ],
            leader,
            isr.add(follower),
        )

    @action(follower="replicas", leader="replicas", epoch="epochs")
    def fenced_become_follower_and_truncate(
        self, s: KafkaState, follower: Element, leader: Element, epoch: Integer
    ) -> Step:
        """A replica follows a leader that has reached the epoch, and cuts its log to what they share."""
        offset = self.first_non_matching_offset_from_tail(s, leader, follower)
        step = self.become_follower_and_truncate_to(s, offset, follower, leader, epoch)
        in_epoch = s.replica[leader].epoch == epoch
        return Step(when=[self.presumes_leadership(s, leader), in_epoch, *step.when], then=step.then)

    @step_invariant(default=False)
    def epochs_never_fall(self, s: KafkaState, after: KafkaState) -> Formula:
        """The epoch of the quorum never falls, nor one that a replica knows, so an old one can be fenced."""
        return (s.quorum.epoch <= after.quorum.epoch) & forall(
            self.replicas, lambda r: s.replica[r].epoch <= after.replica[r].epoch
        )
