"""``kafka-truncate-hw``: followers cut their logs to their own high watermark."""

from __future__ import annotations

from verifier.encodings.declared import Element, Integer
from verifier.specs.kafka.replication import KafkaReplication
from verifier.specs.kafka.state import KafkaState
from verifier.specs.protocol import Step, action, strong, weak
from verifier.specs.temporal import Fairness


class KafkaTruncateToHighWatermark(KafkaReplication):
    """Kafka before KIP-101: a new follower truncates to its own high watermark.

    Source: hachikuji/kafka-specification, KafkaTruncateToHighWatermark.tla. Differences: those of
    KafkaReplication, none more.
    """

    name = "kafka-truncate-hw"
    next = (
        "controller_elect_leader",
        "controller_shrink_isr",
        "become_leader",
        "leader_expand_isr",
        "leader_shrink_isr",
        "leader_write",
        "leader_inc_high_watermark",
        "become_follower_truncate_to_high_watermark",
        "follower_replicate",
    )

    @action(leader="replicas", follower="replicas", epoch="epochs")
    def become_follower_truncate_to_high_watermark(
        self, s: KafkaState, leader: Element, follower: Element, epoch: Integer
    ) -> Step:
        """A new follower forgets all that it does not know to be committed, committed or not."""
        return self.become_follower_and_truncate_to(s, leader, follower, epoch, s.replica[follower].hw)

    def fairness(self) -> list[Fairness]:
        """As the original states it. It says nothing of fetches."""
        return [
            strong("leader_inc_high_watermark"),
            strong("leader_expand_isr"),
            strong("leader_write"),
            weak("become_follower_truncate_to_high_watermark"),
            weak("become_leader"),
        ]
