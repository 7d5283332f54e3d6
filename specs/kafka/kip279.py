"""``kip279``: followers compare their logs with the leader's from the end."""

from __future__ import annotations

from typing import ClassVar

from verifier.encodings.declared import Element, Integer
from verifier.encodings.quantifiers import comprehension, if_
from verifier.specs.kafka.replication import KafkaReplication
from verifier.specs.kafka.state import KafkaState
from verifier.specs.protocol import Step, action, strong, weak
from verifier.specs.temporal import Fairness


class Kip279(KafkaReplication):
    """KIP-279: a new follower truncates to just after the last record that it shares with the leader.

    Source: hachikuji/kafka-specification, Kip279.tla. Differences: those of KafkaReplication; and the
    cases of an empty log of either side are left out, since what they say follows: nothing matches,
    so the offset is 0.
    """

    name = "kip279"
    next: ClassVar[tuple[str, ...]] = (
        "controller_elect_leader",
        "controller_shrink_isr",
        "become_leader",
        "leader_expand_isr",
        "leader_shrink_isr",
        "leader_write",
        "leader_inc_high_watermark",
        "become_follower_truncate_kip279",
        "follower_replicate",
    )

    def first_non_matching_offset_from_tail(
        self, s: KafkaState, leader: Element, follower: Element
    ) -> Integer:
        """The offset after the last one at which both logs have the same record."""
        matching = comprehension(o for o in self.offsets if self.has_same_entry(s, leader, follower, o))
        return if_(matching.is_empty, 0, matching.maximum + 1)

    @action(leader="replicas", follower="replicas", epoch="epochs")
    def become_follower_truncate_kip279(
        self, s: KafkaState, leader: Element, follower: Element, epoch: Integer
    ) -> Step:
        """A new follower cuts its log to what it shares with the leader, whatever the leader's epoch is."""
        offset = self.first_non_matching_offset_from_tail(s, leader, follower)
        return self.become_follower_and_truncate_to(s, leader, follower, epoch, offset)

    def fairness(self) -> list[Fairness]:
        """As the original states it. It says nothing of fetches."""
        return [
            strong("leader_inc_high_watermark"),
            strong("leader_expand_isr"),
            strong("leader_write"),
            weak("become_follower_truncate_kip279"),
            weak("become_leader"),
        ]
