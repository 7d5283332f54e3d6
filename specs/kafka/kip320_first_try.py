"""``kip320-first-try``: fetches carry the epoch of the last record, and truncation waits for an error."""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import forall, minimum
from verifier.specs.kafka.kip279 import Kip279
from verifier.specs.kafka.state import KafkaState
from verifier.specs.protocol import Step, action, strong, weak
from verifier.specs.temporal import Fairness


class Kip320FirstTry(Kip279):
    """KIP-320, first try: followers truncate when a fetch finds a wrong epoch; it loses committed data.

    Source: hachikuji/kafka-specification, Kip320FirstTry.tla. Differences: those of KafkaReplication;
    and where the original asks for a record of the leader and for one of the follower with its epoch,
    the two are compared where both logs have one.
    """

    name = "kip320-first-try"
    next = (
        "controller_elect_leader",
        "controller_shrink_isr",
        "become_leader",
        "leader_expand_isr_better_fencing",
        "leader_shrink_isr_better_fencing",
        "leader_write",
        "improved_leader_inc_high_watermark",
        "become_follower",
        "follower_fetch",
        "follower_truncate",
    )

    def is_follower_caught_up_to_leader_epoch(
        self, s: KafkaState, leader: Element, follower: Element, end_offset: Integer
    ) -> Formula:
        """Both agree on who leads, and their records just below this offset are of the same epoch."""
        last = end_offset - 1
        both = self.has_offset(s, leader, last) & self.has_offset(s, follower, last)
        return (
            self.presumes_leadership(s, leader)
            & self.is_following(s, follower, leader)
            & ((end_offset == 0) | (both & (s.log[leader][last].epoch == s.log[follower][last].epoch)))
        )

    def follower_needs_truncation(self, s: KafkaState, follower: Element, leader: Element) -> Formula:
        """The follower's log is longer, or its last record is of another epoch than the leader's there."""
        own, last = s.log[follower], s.log[follower].length - 1
        differs = self.has_offset(s, leader, last) & (s.log[leader][last].epoch != own.last.epoch)
        return (own.length > s.log[leader].length) | (~own.is_empty & differs)

    @action(leader="replicas", follower="replicas")
    def follower_truncate(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """A follower that finds its log to differ cuts it to what it shares with the leader."""
        offset = self.first_non_matching_offset_from_tail(s, leader, follower)
        return Step(
            when=[
                self.presumes_leadership(s, leader),
                self.is_following(s, follower, leader),
                self.follower_needs_truncation(s, follower, leader),
            ],
            then={
                s.log[follower]: s.log[follower].truncate(offset),
                s.replica[follower].hw: minimum(offset, s.replica[follower].hw),
            },
        )

    @action(leader="replicas")
    def improved_leader_inc_high_watermark(self, s: KafkaState, leader: Element) -> Step:
        """A presumed leader commits the next record once its ISR has one of the same epoch there."""
        hw, isr = s.replica[leader].hw, s.replica[leader].isr
        return Step(
            when=[
                self.presumes_leadership(s, leader),
                self.has_offset(s, leader, hw),
                forall(self.is_follower_caught_up_to_leader_epoch(s, leader, r, hw + 1) for r in isr),
            ],
            then={s.replica[leader].hw: hw + 1},
        )

    @action(follower="replicas", leader="replicas")
    def follower_fetch(self, s: KafkaState, follower: Element, leader: Element) -> Step:
        """A follower fetches the next record if its last one is of the epoch that the leader has there."""
        end_offset = s.log[follower].length
        caught_up = Step(when=[self.is_follower_caught_up_to_leader_epoch(s, leader, follower, end_offset)])
        return caught_up & self.replicate_to(s, leader, follower)

    @action(leader="replicas", follower="replicas")
    def leader_shrink_isr_better_fencing(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader drops a member of its ISR whose log does not end as its own does, by epoch."""
        isr, end_offset = s.replica[leader].isr, s.log[leader].length
        differs = Step(
            when=[
                isr.contains(follower),
                follower != leader,
                ~self.is_follower_caught_up_to_leader_epoch(s, leader, follower, end_offset),
            ]
        )
        return differs & self.quorum_update_leader_and_isr(s, leader, isr.remove(follower))

    @action(leader="replicas", follower="replicas")
    def leader_expand_isr_better_fencing(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader admits a follower at its high watermark, once that has reached its own epoch."""
        isr, hw = s.replica[leader].isr, s.replica[leader].hw
        caught_up = Step(
            when=[
                ~isr.contains(follower),
                self.is_follower_caught_up_to_leader_epoch(s, leader, follower, hw),
                self.has_high_watermark_reached_current_epoch(s, leader),
            ]
        )
        return caught_up & self.quorum_update_leader_and_isr(s, leader, isr.add(follower))

    @action(leader="replicas", follower="replicas", epoch="epochs")
    def become_follower(self, s: KafkaState, leader: Element, follower: Element, epoch: Integer) -> Step:
        """A replica follows a request's leader and leaves its log as it is."""
        request, local = s.requests[epoch], s.replica[follower]
        return Step(
            when=[follower != leader, request.leader == leader, epoch > local.epoch],
            then={s.replica[follower]: local.updated(epoch=epoch, leader=leader, isr=request.isr)},
        )

    def fairness(self) -> list[Fairness]:
        """As the original states it, which says nothing of fetches and of truncation.

        It names LeaderExpandIsr, which is no action of this member; the action that is meant stands here.
        """
        return [
            strong("improved_leader_inc_high_watermark"),
            strong("leader_expand_isr_better_fencing"),
            strong("leader_write"),
            weak("become_follower"),
            weak("become_leader"),
        ]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """The original's conditions, and followers that fetch and truncate where they can."""
        fetch = [*self.fairness(), weak("follower_fetch")]
        return {"fetch": fetch, "truncate": [*fetch, weak("follower_truncate")]}
