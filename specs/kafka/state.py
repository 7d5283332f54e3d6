"""The state of all Kafka members: the replicas of one partition with their logs, and the controller.

Source: hachikuji/kafka-specification, KafkaReplication.tla with FiniteReplicatedLog.tla; what is written
differently here is told in ``replication``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.encodings.declared import Fields, field, variable
from verifier.encodings.sorts import Function, Option, Range, Sequence, Set
from verifier.specs.protocol import State

if TYPE_CHECKING:
    from verifier.specs.kafka.replication import KafkaReplication


class Entry(Fields):
    """A record in a log."""

    def __init__(self, kafka: KafkaReplication) -> None:
        self.id = field(Range(0, kafka.max_records - 1))
        self.epoch = field(kafka.epochs)


class Local(Fields):
    """A replica's knowledge."""

    def __init__(self, kafka: KafkaReplication) -> None:
        self.hw = field(Range(0, kafka.log_size))
        self.epoch = field(kafka.known_epochs)
        self.leader = field(Option(kafka.replicas))
        self.isr = field(Set(kafka.replicas))


class Request(Fields):
    """The controller's request for an epoch."""

    def __init__(self, kafka: KafkaReplication) -> None:
        self.leader = field(Option(kafka.replicas))
        self.isr = field(Set(kafka.replicas))


class Quorum(Fields):
    """The controller's last decision, and the true leader since."""

    def __init__(self, kafka: KafkaReplication) -> None:
        self.epoch = field(kafka.known_epochs)
        self.leader = field(Option(kafka.replicas))
        self.isr = field(Set(kafka.replicas))


class KafkaState(State):
    """The replicas, with their logs, and the controller."""

    def __init__(self, kafka: KafkaReplication) -> None:
        self.log = variable(Function(kafka.replicas, Sequence(kafka.entry, kafka.log_size)))
        self.replica = variable(Function(kafka.replicas, kafka.local))
        self.next_record_id = variable(Range(0, kafka.max_records))
        self.next_leader_epoch = variable(Range(0, kafka.max_leader_epoch + 1))
        self.requests = variable(Function(kafka.epochs, kafka.request))
        self.quorum = variable(kafka.quorum)
