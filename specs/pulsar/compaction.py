"""Apache Pulsar's topic compaction, with the broker crashing in between.

Source: thetumbled/pulsar-tlaplus, ``compaction.tla``. What is held differently there and here, state
for state the same:

- A message's id is its place among the messages, so it is not stored. Places count from 0 here; the
  horizon and the read position say how many messages are before them, as they do there.
- Messages never change, so a compacted ledger is the set of the places it kept, and the result of
  phase one is its read position: the latest message of each key follows from the messages before it.
- Keys and values are interchangeable; the null ones are none.

Where the topic context is 0 there is no ledger to look into; the horizon is then 0 as well.
The original states no fairness, so its Termination fails: the system may just stop.
"""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import constantly, count, exists, forall, if_
from verifier.encodings.values import OptionValue
from verifier.specs.protocol import (
    Step,
    action,
    eventually,
    invariant,
    temporal,
    type_invariant,
    weak,
)
from verifier.specs.pulsar.compaction_lemmas import CompactionLemmas
from verifier.specs.pulsar.topic import CompactionState, Phase
from verifier.specs.temporal import Fairness, TemporalFormula


class PulsarCompaction(CompactionLemmas):
    """Pulsar topic compaction: what ledgers and cursor hold when the compactor's broker crashes."""

    @action(key="any_key", value="any_value")
    def producer(self, s: CompactionState, key: OptionValue[Element], value: OptionValue[Element]) -> Step:
        """The producer sends a message."""
        return Step(
            when=[constantly(self.model_producer), s.messages.length < self.message_sent_limit],
            then={s.messages: s.messages.append(self.message(key=key, value=value))},
        )

    @action
    def compactor_phase_one(self, s: CompactionState) -> Step:
        """The compactor reads all messages and notes the latest of each key."""
        return Step(
            when=[s.compactor_state == Phase.ONE, s.phase_one_result.is_none, s.messages.length > 0],
            then={s.phase_one_result: s.messages.length, s.compactor_state: Phase.TWO_WRITE},
        )

    @action
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
                s.compacted_ledgers[new]: self.kept_places(s, s.phase_one_result.value),
                s.compactor_state: Phase.TWO_UPDATE_CONTEXT,
            },
        )

    @action
    def compactor_phase_two_update_context(self, s: CompactionState) -> Step:
        """The topic context turns to the new ledger."""
        return Step(
            when=[s.compactor_state == Phase.TWO_UPDATE_CONTEXT],
            then={
                s.compacted_topic_context: self.newest_ledger(s),
                s.compactor_state: Phase.TWO_UPDATE_HORIZON,
            },
        )

    @action
    def compactor_phase_two_update_horizon(self, s: CompactionState) -> Step:
        """The horizon moves to where phase one had read."""
        return Step(
            when=[s.compactor_state == Phase.TWO_UPDATE_HORIZON],
            then={
                s.compaction_horizon: s.phase_one_result.value,
                s.compactor_state: Phase.TWO_PERSIST_CURSOR,
            },
        )

    @action
    def compactor_phase_two_persist_cursor(self, s: CompactionState) -> Step:
        """Horizon and context become durable."""
        durable = self.durable(horizon=s.compaction_horizon, context=s.compacted_topic_context)
        return Step(
            when=[s.compactor_state == Phase.TWO_PERSIST_CURSOR],
            then={s.cursor: durable, s.compactor_state: Phase.TWO_DELETE_LEDGER},
        )

    @action
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

    @action
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

    @action
    def consumer(self, s: CompactionState) -> Step:
        """The consumer changes nothing."""
        return Step(when=[constantly(self.model_consumer)], then={})

    @action
    def terminating(self, s: CompactionState) -> Step:
        """Nothing is left to do, which is no deadlock."""
        return Step(when=self.all_done(s), then={})

    def all_done(self, s: CompactionState) -> list[Formula]:
        """All messages are sent, and compacted as often as they may be."""
        consumed = s.consume_times == self.consume_times_limit
        return [
            s.messages.length == self.message_sent_limit,
            s.compactor_state == Phase.TWO_WRITE,
            self.newest_ledger(s) == self.compaction_times_limit,
            consumed | (not self.model_consumer),
        ]

    @temporal(name="Termination")
    def termination(self, s: CompactionState) -> TemporalFormula:
        """Some time all messages are sent, and compacted as often as they may be."""
        return eventually(self.all_done(s))

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Every step that stays possible is taken."""
        return {"next": [weak()]}

    @type_invariant(name="TypeSafe")
    def type_safe(self, s: CompactionState) -> Formula:
        """Ledgers hold, and phase one speaks of, messages that were sent; the rest is in the sorts."""
        sent = s.messages.length

        def within(ledger: OptionValue[SetValue[Integer]]) -> Formula:
            return ledger.is_none | forall(place < sent for place in ledger.value)

        return (s.phase_one_result.is_none | (s.phase_one_result.value <= sent)) & forall(
            within(s.compacted_ledgers[i]) for i in self.ledgers
        )

    @invariant(name="CompactedLedgerLeak")
    def compacted_ledger_leak(self, s: CompactionState) -> Formula:
        """There are never more than two ledgers. Known to fail: a ledger left by a crash is never deleted."""
        return count(s.compacted_ledgers[i].is_some for i in self.ledgers) <= 2

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
        twice = exists(self.key(s, i).is_none & (i >= s.compaction_horizon) for i in ledger)
        return ((s.compacted_topic_context != 0) & self.retain_null_key).implies(~twice)
