"""The constants and state of all Kafka members: the replicas of one partition, their logs, the controller.

Source: hachikuji/kafka-specification, KafkaReplication.tla with FiniteReplicatedLog.tla; what is written
differently here is told in ``replication``.
"""

from __future__ import annotations

from verifier.encodings.declared import Fields, field, variable
from verifier.encodings.sorts import Function, Option, Range, Record, Sequence, Set
from verifier.specs.protocol import IndexSetConstant, IntegerConstant, Protocol, State


class KafkaConstants(Protocol):
    """The constants of the Kafka family, and the sorts that they give."""

    replicas = IndexSetConstant(3, "brokers with a copy of the partition", kind="replica", minimum=2)
    log_size = IntegerConstant(2, "how many records a log holds", minimum=1)
    max_records = IntegerConstant(2, "how many records producers write in all", minimum=1)
    max_leader_epoch = IntegerConstant(2, "the last leader epoch, the first being 0", minimum=0)

    @property
    def epochs(self) -> Range:
        """The leader epochs that a request can carry."""
        return Range(0, self.max_leader_epoch)

    @property
    def offsets(self) -> Range:
        """The places in a log."""
        return Range(0, self.log_size - 1)

    @property
    def known_epochs(self) -> Range:
        """The leader epochs, and the one before the first."""
        return Range(-1, self.max_leader_epoch)

    @property
    def entry(self) -> Record[Entry]:
        """The records in a log."""
        return Record(Entry(self))

    @property
    def local(self) -> Record[Local]:
        """The replicas' knowledge."""
        return Record(Local(self))

    @property
    def request(self) -> Record[Request]:
        """The controller's request."""
        return Record(Request(self))

    @property
    def quorum(self) -> Record[Quorum]:
        """The quorum's state."""
        return Record(Quorum(self))


class Entry(Fields):
    """A record in a log."""

    def __init__(self, kafka: KafkaConstants) -> None:
        self.id = field(Range(0, kafka.max_records - 1))
        self.epoch = field(kafka.epochs)


class Local(Fields):
    """A replica's knowledge."""

    def __init__(self, kafka: KafkaConstants) -> None:
        self.hw = field(Range(0, kafka.log_size))
        self.epoch = field(kafka.known_epochs)
        self.leader = field(Option(kafka.replicas))
        self.isr = field(Set(kafka.replicas))


class Request(Fields):
    """The controller's request for an epoch."""

    def __init__(self, kafka: KafkaConstants) -> None:
        self.leader = field(Option(kafka.replicas))
        self.isr = field(Set(kafka.replicas))


class Quorum(Fields):
    """The controller's last decision, and the true leader since."""

    def __init__(self, kafka: KafkaConstants) -> None:
        self.epoch = field(kafka.known_epochs)
        self.leader = field(Option(kafka.replicas))
        self.isr = field(Set(kafka.replicas))


class KafkaState(State):
    """The replicas, with their logs, and the controller."""

    def __init__(self, kafka: KafkaConstants) -> None:
        self.log = variable(Function(kafka.replicas, Sequence(kafka.entry, kafka.log_size)))
        self.replica = variable(Function(kafka.replicas, kafka.local))
        self.next_record_id = variable(Range(0, kafka.max_records))
        self.next_leader_epoch = variable(Range(0, kafka.max_leader_epoch + 1))
        self.requests = variable(Function(kafka.epochs, kafka.request))
        self.quorum = variable(kafka.quorum)
