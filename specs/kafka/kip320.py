"""``kip320``: fetches and truncation are fenced by the leader's epoch."""

from __future__ import annotations

from typing import ClassVar

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import forall
from verifier.specs.kafka.kip279 import Kip279
from verifier.specs.kafka.kip320_lemmas import Kip320Lemmas
from verifier.specs.kafka.state import KafkaState
from verifier.specs.protocol import Step, action, step_invariant, strong, weak
from verifier.specs.temporal import Fairness


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

    def is_following_leader_epoch(self, s: KafkaState, leader: Element, follower: Element) -> Formula:
        """Both agree on who leads, in the same epoch."""
        return (
            self.presumes_leadership(s, leader)
            & self.is_following(s, follower, leader)
            & (s.replica[follower].epoch == s.replica[leader].epoch)
        )

    def has_follower_reached_high_watermark(
        self, s: KafkaState, leader: Element, follower: Element
    ) -> Formula:
        """The follower's log goes at least as far as the leader's high watermark."""
        return s.replica[leader].hw <= s.log[follower].length

    @action(follower="replicas", leader="replicas")
    def fenced_follower_fetch(self, s: KafkaState, follower: Element, leader: Element) -> Step:
        """A follower fetches the next record from the leader of its own epoch."""
        in_epoch = Step(when=[self.is_following_leader_epoch(s, leader, follower)])
        return in_epoch & self.replicate_to(s, leader, follower)

    @action(leader="replicas")
    def fenced_leader_inc_high_watermark(self, s: KafkaState, leader: Element) -> Step:
        """A leader commits the next record once its ISR, all of its epoch, has it."""
        hw, isr = s.replica[leader].hw, s.replica[leader].isr
        return Step(
            when=[
                self.has_offset(s, leader, hw),
                forall(self.is_following_leader_epoch(s, leader, r) & self.has_offset(s, r, hw) for r in isr),
            ],
            then={s.replica[leader].hw: hw + 1},
        )

    @action(leader="replicas", follower="replicas")
    def fenced_leader_shrink_isr(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader drops a member of its ISR that lags or is not of its epoch."""
        isr = s.replica[leader].isr
        lags = s.log[follower].length < s.log[leader].length
        falls_out = Step(
            when=[
                isr.contains(follower),
                follower != leader,
                ~self.is_following_leader_epoch(s, leader, follower) | lags,
            ]
        )
        return falls_out & self.quorum_update_leader_and_isr(s, leader, isr.remove(follower))

    @action(leader="replicas", follower="replicas")
    def fenced_leader_expand_isr(self, s: KafkaState, leader: Element, follower: Element) -> Step:
        """The leader admits a follower of its epoch at its high watermark, once that is in its epoch."""
        isr = s.replica[leader].isr
        caught_up = Step(
            when=[
                ~isr.contains(follower),
                self.is_following_leader_epoch(s, leader, follower),
                self.has_follower_reached_high_watermark(s, leader, follower),
                self.has_high_watermark_reached_current_epoch(s, leader),
            ]
        )
        return caught_up & self.quorum_update_leader_and_isr(s, leader, isr.add(follower))

    @action(leader="replicas", follower="replicas", epoch="epochs")
    def fenced_become_follower_and_truncate(
        self, s: KafkaState, leader: Element, follower: Element, epoch: Integer
    ) -> Step:
        """A replica follows a leader that has reached the epoch, and cuts its log to what they share."""
        offset = self.first_non_matching_offset_from_tail(s, leader, follower)
        leads = Step(when=[self.presumes_leadership(s, leader), s.replica[leader].epoch == epoch])
        return leads & self.become_follower_and_truncate_to(s, leader, follower, epoch, offset)

    @step_invariant(default=False)
    def epochs_never_fall(self, s: KafkaState, after: KafkaState) -> Formula:
        """The epoch of the quorum never falls, nor one that a replica knows, so an old one can be fenced."""
        return (s.quorum.epoch <= after.quorum.epoch) & forall(
            s.replica[r].epoch <= after.replica[r].epoch for r in self.replicas
        )

    def fairness(self) -> list[Fairness]:
        """As the original states it. It says nothing of fetches."""
        return [
            strong("fenced_leader_inc_high_watermark"),
            strong("fenced_leader_expand_isr"),
            strong("leader_write"),
            weak("fenced_become_follower_and_truncate"),
            weak("become_leader"),
        ]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """The original's conditions, and followers that fetch where they can."""
        return {"fetch": [*self.fairness(), weak("fenced_follower_fetch")]}
