"""Apache Pulsar's topic compaction, with the broker crashing in between.

Source: thetumbled/pulsar-tlaplus, ``compaction.tla``. What is held differently there and here, state
for state the same:

- A message's id is its place among the messages, so it is not stored. Places count from 0 here; the
  horizon and the read position say how many messages are before them, as they do there.
- Messages never change, so a compacted ledger is the set of the places it kept, and the result of
  phase one is its read position: the latest message of each key follows from the messages before it.
- Keys and values are interchangeable; the null ones are none.

Where the topic context is 0 there is no ledger to look into; the horizon is then 0 as well. The
liveness property Termination is not here yet.
"""

from __future__ import annotations

from verifier.encodings.declared import Element, Fields, Formula, Integer, Members, field, member, variable
from verifier.encodings.quantifiers import comprehension, constantly, count, exists, forall, if_
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Sequence, Set
from verifier.encodings.values import OptionValue, SetValue
from verifier.specs.protocol import (
    BooleanConstant,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Lane,
    Protocol,
    State,
    Step,
    action,
    invariant,
    type_invariant,
)
from verifier.specs.pulsar.compaction_lemmas import CompactionLemmas


class Phase(Members):
    """What the compactor does next."""

    ONE = member("One")
    TWO_WRITE = member("TwoWrite")
    TWO_UPDATE_CONTEXT = member("TwoUpdateContext")
    TWO_UPDATE_HORIZON = member("TwoUpdateHorizon")
    TWO_PERSIST_CURSOR = member("TwoPersistCursor")
    TWO_DELETE_LEDGER = member("TwoDeleteLedger")


class Message(Fields):
    """A message that the producer sent."""

    def __init__(self, topic: PulsarCompaction) -> None:
        self.key = field(topic.any_key)
        self.value = field(topic.any_value)


class Cursor(Fields):
    """What is durable of the compactor's progress."""

    def __init__(self, topic: PulsarCompaction) -> None:
        self.horizon = field(topic.positions)
        self.context = field(topic.ledgers)


class CompactionState(State):
    """The topic, its compacted ledgers, and the compactor."""

    def __init__(self, topic: PulsarCompaction) -> None:
        self.messages = variable(Sequence(Record(Message(topic)), topic.message_sent_limit))
        self.compacted_ledgers = variable(Function(topic.ledgers, Option(Set(topic.places))))
        self.cursor = variable(Option(Record(Cursor(topic))))
        self.compactor_state = variable(Enum(Phase))
        self.phase_one_result = variable(Option(topic.positions))
        self.compaction_horizon = variable(Range(0, topic.message_sent_limit))
        self.compacted_topic_context = variable(Range(0, topic.compaction_times_limit))
        self.crash_times = variable(Range(0, topic.max_crash_times))
        self.consume_times = variable(Range(0, topic.consume_times_limit))


class PulsarCompaction(CompactionLemmas, Protocol):
    """Pulsar topic compaction: what ledgers and cursor hold when the compactor's broker crashes."""

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
        """How many messages may have been read, once there are some."""
        return Range(1, self.message_sent_limit)

    @property
    def ledgers(self) -> Range:
        """Ids of compacted ledgers."""
        return Range(1, self.compaction_times_limit)

    def state(self) -> CompactionState:
        return CompactionState(self)

    def init(self, s: CompactionState) -> Formula:
        sent = 0 if self.model_producer else self.message_sent_limit
        return (
            (s.messages.length == sent)
            & forall(self.ledgers, lambda i: s.compacted_ledgers[i].is_none)
            & s.cursor.is_none
            & (s.compactor_state == Phase.ONE)
            & s.phase_one_result.is_none
            & (s.compaction_horizon == 0)
            & (s.compacted_topic_context == 0)
            & (s.crash_times == 0)
            & (s.consume_times == 0)
        )

    def key(self, s: CompactionState, place: Integer) -> OptionValue[Element]:
        """The key of the message at that place."""
        return s.messages[place].key

    def newest_ledger(self, s: CompactionState) -> Integer:
        """The greatest id of a ledger that exists; 0 if there is none."""
        existing = comprehension(self.ledgers, lambda i: s.compacted_ledgers[i].is_some)
        return if_(existing.is_empty, 0, existing.maximum)

    def compacted(self, s: CompactionState, read: Integer) -> SetValue[Integer]:
        """The places that compaction keeps of the first ``read`` messages."""

        def overwritten(i: Integer) -> Formula:
            return exists(self.places, lambda j: (i < j) & (j < read) & (self.key(s, i) == self.key(s, j)))

        def kept(i: Integer) -> Formula:
            return if_(self.key(s, i).is_none, self.retain_null_key, ~overwritten(i))

        return comprehension(self.places, lambda i: (i < read) & kept(i))

    def covers(self, s: CompactionState, ledger: SetValue[Integer], horizon: Integer) -> Formula:
        """Each of the first ``horizon`` messages is in the ledger, or a later one of its key is, or it has
        no key and need not be kept."""

        def available(i: Integer) -> Formula:
            return exists(ledger, lambda j: (i <= j) & (self.key(s, i) == self.key(s, j)))

        def droppable(i: Integer) -> Formula:
            return self.key(s, i).is_none & (not self.retain_null_key)

        return forall(self.places, lambda i: (i < horizon).implies(droppable(i) | available(i)))

    @action(key="any_key", value="any_value")
    def producer(self, s: CompactionState, key: OptionValue[Element], value: OptionValue[Element]) -> Step:
        """The producer sends a message."""
        return Step(
            when=[constantly(self.model_producer), s.messages.length < self.message_sent_limit],
            then={s.messages: s.messages.append({"key": key, "value": value})},
        )

    @action()
    def compactor_phase_one(self, s: CompactionState) -> Step:
        """The compactor reads all messages and notes the latest of each key."""
        return Step(
            when=[s.compactor_state == Phase.ONE, s.phase_one_result.is_none, s.messages.length > 0],
            then={s.phase_one_result: s.messages.length, s.compactor_state: Phase.TWO_WRITE},
        )

    @action()
    def compactor_phase_two_write(self, s: CompactionState) -> Step:
        """It writes what it keeps to a new ledger."""
        new = self.newest_ledger(s) + 1
        return Step(
            when=[
                s.phase_one_result.is_some,
                s.compactor_state == Phase.TWO_WRITE,
                new <= self.compaction_times_limit,
            ],
            then={
                s.compacted_ledgers[new]: self.compacted(s, s.phase_one_result.value),
                s.compactor_state: Phase.TWO_UPDATE_CONTEXT,
            },
        )

    @action()
    def compactor_phase_two_update_context(self, s: CompactionState) -> Step:
        """The topic context turns to the new ledger."""
        return Step(
            when=[s.compactor_state == Phase.TWO_UPDATE_CONTEXT],
            then={
                s.compacted_topic_context: self.newest_ledger(s),
                s.compactor_state: Phase.TWO_UPDATE_HORIZON,
            },
        )

    @action()
    def compactor_phase_two_update_horizon(self, s: CompactionState) -> Step:
        """The horizon moves to where phase one had read."""
        return Step(
            when=[s.compactor_state == Phase.TWO_UPDATE_HORIZON],
            then={
                s.compaction_horizon: s.phase_one_result.value,
                s.compactor_state: Phase.TWO_PERSIST_CURSOR,
            },
        )

    @action()
    def compactor_phase_two_persist_cursor(self, s: CompactionState) -> Step:
        """Horizon and context become durable."""
        durable = {"horizon": s.compaction_horizon, "context": s.compacted_topic_context}
        return Step(
            when=[s.compactor_state == Phase.TWO_PERSIST_CURSOR],
            then={s.cursor: durable, s.compactor_state: Phase.TWO_DELETE_LEDGER},
        )

    @action()
    def compactor_phase_two_delete_ledger(self, s: CompactionState) -> Step:
        """The ledger before the newest one is deleted, if there is one."""
        previous = self.newest_ledger(s) - 1
        ledgers = s.compacted_ledgers
        return Step(
            when=[s.compactor_state == Phase.TWO_DELETE_LEDGER],
            then={
                ledgers: if_(previous < 1, ledgers, ledgers.updated(previous, None)),
                s.phase_one_result: None,
                s.compactor_state: Phase.ONE,
            },
        )

    @action()
    def broker_crash(self, s: CompactionState) -> Step:
        """The broker crashes: the compactor starts over, horizon and context are what was durable."""
        return Step(
            when=[s.crash_times < self.max_crash_times],
            then={
                s.crash_times: s.crash_times + 1,
                s.compactor_state: Phase.ONE,
                s.phase_one_result: None,
                s.compaction_horizon: if_(s.cursor.is_none, 0, s.cursor.value.horizon),
                s.compacted_topic_context: if_(s.cursor.is_none, 0, s.cursor.value.context),
            },
        )

    @action()
    def consumer(self, s: CompactionState) -> Step:
        """The consumer changes nothing."""
        return Step(when=[constantly(self.model_consumer)], then={})

    @action()
    def terminating(self, s: CompactionState) -> Step:
        """Nothing is left to do, which is no deadlock."""
        consumed = s.consume_times == self.consume_times_limit
        return Step(
            when=[
                s.messages.length == self.message_sent_limit,
                s.compactor_state == Phase.TWO_WRITE,
                self.newest_ledger(s) == self.compaction_times_limit,
                consumed | (not self.model_consumer),
            ],
            then={},
        )

    @type_invariant(name="TypeSafe")
    def type_safe(self, s: CompactionState) -> Formula:
        """Ledgers hold, and phase one speaks of, messages that were sent; the rest is in the sorts."""
        sent = s.messages.length

        def within(ledger: OptionValue[SetValue[Integer]]) -> Formula:
            return ledger.is_none | forall(ledger.value, lambda place: place < sent)

        return (s.phase_one_result.is_none | (s.phase_one_result.value <= sent)) & forall(
            self.ledgers, lambda i: within(s.compacted_ledgers[i])
        )

    @invariant(name="CompactedLedgerLeak")
    def compacted_ledger_leak(self, s: CompactionState) -> Formula:
        """There are never more than two ledgers. Known to fail: a ledger left by a crash is never deleted."""
        return count(self.ledgers, lambda i: s.compacted_ledgers[i].is_some) <= 2

    @invariant(name="CompactionHorizonCorrectness")
    def compaction_horizon_correctness(self, s: CompactionState) -> Formula:
        """Every key before the horizon is in the current ledger with its message or a later one."""
        ledger = s.compacted_ledgers[s.compacted_topic_context].value
        return self.covers(s, ledger, s.compaction_horizon)

    @invariant(name="DuplicateNullKeyMessage")
    def duplicate_null_key_message(self, s: CompactionState) -> Formula:
        """No message without key is both in the current ledger and after the horizon, where a consumer
        would meet it twice. Known to fail: context and horizon are not updated together."""
        ledger = s.compacted_ledgers[s.compacted_topic_context].value
        twice = exists(ledger, lambda i: self.key(s, i).is_none & (i >= s.compaction_horizon))
        return ((s.compacted_topic_context != 0) & self.retain_null_key).implies(~twice)
