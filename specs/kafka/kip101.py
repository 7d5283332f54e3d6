"""``kip101``: followers ask the leader where their last epoch ended."""

from __future__ import annotations

from verifier.encodings.declared import Element, Integer
from verifier.encodings.quantifiers import comprehension, if_
from verifier.specs.kafka.replication import KafkaReplication
from verifier.specs.kafka.state import KafkaState
from verifier.specs.protocol import Step, action, strong, weak
from verifier.specs.temporal import Fairness


class Kip101(KafkaReplication):
    """KIP-101: a new follower truncates to where the leader's log leaves the follower's last epoch.

    Source: hachikuji/kafka-specification, Kip101.tla. Differences: those of KafkaReplication; and the
    cases of an empty and of a non-empty log, which exclude each other, are one conditional here.
    """

    name = "kip101"
    next = (
        "controller_elect_leader",
        "controller_shrink_isr",
        "become_leader",
        "leader_expand_isr",
        "leader_shrink_isr",
        "leader_write",
        "leader_inc_high_watermark",
        "become_follower_truncate_kip101",
        "follower_replicate",
    )

    def lookup_offset_for_epoch(
        self, s: KafkaState, leader: Element, follower: Element, epoch: Integer
    ) -> Integer:
        """The offset where the leader's log goes on after ``epoch``; the follower's high watermark if it
        cannot tell."""
        log, hw = s.log[leader], s.replica[follower].hw
        later = comprehension(o for o in self.offsets if (o < log.length) & (log[o].epoch > epoch))
        beyond = if_(later.is_empty, hw, later.minimum)
        return if_(log.is_empty, hw, if_(log.last.epoch == epoch, log.length, beyond))

    @action(leader="replicas", follower="replicas", epoch="epochs")
    def become_follower_truncate_kip101(
        self, s: KafkaState, leader: Element, follower: Element, epoch: Integer
    ) -> Step:
        """A new follower cuts its log to the offset that the leader names for its last record's epoch."""
        own = s.log[follower]
        offset = if_(own.is_empty, 0, self.lookup_offset_for_epoch(s, leader, follower, own.last.epoch))
        return self.become_follower_and_truncate_to(s, leader, follower, epoch, offset)

    def fairness(self) -> list[Fairness]:
        """As the original states it. It says nothing of fetches."""
        return [
            strong("leader_inc_high_watermark"),
            strong("leader_expand_isr"),
            strong("leader_write"),
            weak("become_follower_truncate_kip101"),
            weak("become_leader"),
        ]
