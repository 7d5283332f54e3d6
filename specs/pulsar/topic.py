"""The state of ``pulsar-compaction``: the topic, its compacted ledgers, the compactor and its cursor."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Fields, Formula, Integer, Members, field, member, variable
from verifier.encodings.quantifiers import comprehension, exists, forall, if_
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Sequence, Set
from verifier.encodings.values import OptionValue
from verifier.specs.protocol import (
    BooleanConstant,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Lane,
    Protocol,
    State,
)


class Phase(Members):
    """The next step of the compactor."""

    ONE = member("One")
    TWO_WRITE = member("TwoWrite")
    TWO_UPDATE_CONTEXT = member("TwoUpdateContext")
    TWO_UPDATE_HORIZON = member("TwoUpdateHorizon")
    TWO_PERSIST_CURSOR = member("TwoPersistCursor")
    TWO_DELETE_LEDGER = member("TwoDeleteLedger")


class Message(Fields):
    """A message that the producer sent."""

    def __init__(self, topic: Topic) -> None:
        self.key = field(topic.any_key)
        self.value = field(topic.any_value)


class Cursor(Fields):
    """The durable part of the compactor's progress."""

    def __init__(self, topic: Topic) -> None:
        self.horizon = field(topic.positions)
        self.context = field(topic.ledgers)


class CompactionState(State):
    """The topic, its compacted ledgers, and the compactor."""

    def __init__(self, topic: Topic) -> None:
        self.messages = variable(Sequence(topic.message, topic.message_sent_limit))
        self.compacted_ledgers = variable(Function(topic.ledgers, Option(Set(topic.places))))
        self.cursor = variable(Option(topic.durable))
        self.compactor_state = variable(Enum(Phase))
        self.phase_one_result = variable(Option(topic.positions))
        self.compaction_horizon = variable(Range(0, topic.message_sent_limit))
        self.compacted_topic_context = variable(Range(0, topic.compaction_times_limit))
        self.crash_times = variable(Range(0, topic.max_crash_times))
        self.consume_times = variable(Range(0, topic.consume_times_limit))


class Topic(Protocol, camel_case=True):
    """A topic, and what is compacted of it."""

    message_sent_limit = IntegerConstant(2, "messages the producer sends at most", minimum=1)
    compaction_times_limit = IntegerConstant(3, "compacted ledgers written at most", minimum=1)
    keys = IndexSetConstant(2, "message keys beside the null key", kind="key")
    values = IndexSetConstant(2, "message values beside the null value", kind="value")
    retain_null_key = BooleanConstant(True, "whether compaction keeps messages without key")
    max_crash_times = IntegerConstant(1, "crashes of the broker at most")
    model_producer = BooleanConstant(True, "whether messages are sent one by one or all there at first")
    model_consumer = BooleanConstant(False, "whether the consumer takes part")
    consume_times_limit = IntegerConstant(0, "how often the consumer consumes")
    default_depth = 12
    drawing = Drawing(
        lanes=(
            Lane("producer", ("messages",), ("Producer",)),
            Lane("compactor", ("compactor_state", "phase_one_result"), ("Compactor*",)),
            Lane("ledgers", ("compacted_ledgers",)),
            Lane("cursor", ("cursor",)),
            Lane(
                "broker", ("compaction_horizon", "compacted_topic_context", "crash_times"), ("BrokerCrash",)
            ),
            Lane("consumer", ("consume_times",), ("Consumer",)),
        )
    )

    @property
    def any_key(self) -> Option[Element]:
        """Keys and the null key."""
        return Option(self.keys)

    @property
    def any_value(self) -> Option[Element]:
        """Values and the null value."""
        return Option(self.values)

    @property
    def places(self) -> Range:
        """The places of messages, which are their ids."""
        return Range(0, self.message_sent_limit - 1)

    @property
    def positions(self) -> Range:
        """The numbers of messages that may have been read, once there are some."""
        return Range(1, self.message_sent_limit)

    @property
    def ledgers(self) -> Range:
        """Ids of compacted ledgers."""
        return Range(1, self.compaction_times_limit)

    @property
    def message(self) -> Record[Message]:
        """The messages that the producer sends."""
        return Record(Message(self))

    @property
    def durable(self) -> Record[Cursor]:
        """The possible contents of the cursor."""
        return Record(Cursor(self))

    def state(self) -> CompactionState:
        return CompactionState(self)

    def init(self, s: CompactionState) -> list[Formula]:
        sent = 0 if self.model_producer else self.message_sent_limit
        return [
            s.messages.length == sent,
            forall(s.compacted_ledgers[i].is_none for i in self.ledgers),
            s.cursor.is_none,
            s.compactor_state == Phase.ONE,
            s.phase_one_result.is_none,
            s.compaction_horizon == 0,
            s.compacted_topic_context == 0,
            s.crash_times == 0,
            s.consume_times == 0,
        ]

    def key(self, s: CompactionState, place: Integer) -> OptionValue[Element]:
        """The key of the message at that place."""
        return s.messages[place].key

    def newest_ledger(self, s: CompactionState) -> Integer:
        """The greatest id of a ledger that exists; 0 if there is none."""
        existing = comprehension(i for i in self.ledgers if s.compacted_ledgers[i].is_some)
        return if_(existing.is_empty, 0, existing.maximum)

    def kept_places(self, s: CompactionState, read: Integer) -> SetValue[Integer]:
        """The places that compaction keeps of the first ``read`` messages."""

        def is_overwritten(i: Integer) -> Formula:
            return exists((i < j) & (j < read) & (self.key(s, i) == self.key(s, j)) for j in self.places)

        def is_kept(i: Integer) -> Formula:
            return if_(self.key(s, i).is_none, self.retain_null_key, ~is_overwritten(i))

        return comprehension(i for i in self.places if (i < read) & is_kept(i))

    def covers(self, s: CompactionState, ledger: SetValue[Integer], horizon: Integer) -> Formula:
        """Each of the first ``horizon`` messages is in the ledger, or a later one of its key is, or it has
        no key and need not be kept."""

        def available(i: Integer) -> Formula:
            return exists((i <= j) & (self.key(s, i) == self.key(s, j)) for j in ledger)

        def droppable(i: Integer) -> Formula:
            return self.key(s, i).is_none & (not self.retain_null_key)

        return forall(droppable(i) | available(i) for i in self.places if i < horizon)
