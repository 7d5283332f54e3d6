"""Why a compacted topic keeps every key: lemmas that every action keeps, and that a crash cannot break.

The compactor's steps follow each other: it has read, written, and then turns the context, the horizon
and the cursor to what it wrote. A crash throws it back to the start and takes context and horizon from
the cursor.
"""

from __future__ import annotations

from verifier.encodings.declared import Formula
from verifier.encodings.quantifiers import any_of, exists, forall
from verifier.specs.protocol import lemma
from verifier.specs.pulsar.topic import CompactionState, Topic

HAS_SET_CONTEXT = ("TwoUpdateHorizon", "TwoPersistCursor", "TwoDeleteLedger")
HAS_WRITTEN = ("TwoUpdateContext", *HAS_SET_CONTEXT)
HAS_READ = ("TwoWrite", *HAS_WRITTEN)
"""The states of the compactor that come after these steps, in one round."""


class CompactionLemmas(Topic):
    """To be mixed into the protocol of topic compaction."""

    def compactor(self, s: CompactionState, states: tuple[str, ...]) -> Formula:
        """The compactor is in one of these states."""
        return any_of(*(s.compactor_state == state for state in states))

    @lemma
    def horizon_was_read(self, s: CompactionState) -> Formula:
        """A round reads all messages there are, so it reads at least as far as the rounds before it."""
        return (s.compaction_horizon <= s.messages.length) & (
            s.phase_one_result.is_some.implies(s.compaction_horizon <= s.phase_one_result.value)
        )

    @lemma
    def each_key_has_a_latest_message(self, s: CompactionState) -> Formula:
        """Among the messages read, one of each key is the last: a message comes behind all others."""
        return forall(
            exists(
                (i <= j)
                & (j < read)
                & (self.key(s, i) == self.key(s, j))
                & ~exists(
                    (j < k) & (k < read) & (self.key(s, i) == self.key(s, k)) for k in self.places
                )
                for j in self.places
            )
            for i in self.places
            for read in self.positions
            if (i < read) & (read <= s.messages.length)
        )

    @lemma
    def newest_ledger_covers_what_was_read(self, s: CompactionState) -> Formula:
        """The ledger just written keeps the latest message of each key read, and only the one before it
        is ever deleted."""
        newest = self.newest_ledger(s)
        covers = self.covers(s, s.compacted_ledgers[newest].value, s.phase_one_result.value)
        return self.compactor(s, HAS_WRITTEN).implies((newest > 0) & covers)

    @lemma
    def context_is_newest_ledger(self, s: CompactionState) -> Formula:
        """The context turns to the newest ledger, and no other is written in the same round."""
        return self.compactor(s, HAS_SET_CONTEXT).implies(s.compacted_topic_context == self.newest_ledger(s))

    @lemma
    def cursor_is_newest_before_deletion(self, s: CompactionState) -> Formula:
        """A ledger is deleted only once the cursor has turned to its successor."""
        return (s.compactor_state == "TwoDeleteLedger").implies(
            s.cursor.is_some & (s.cursor.value.context == self.newest_ledger(s))
        )

    @lemma
    def durable_ledger_covers_durable_horizon(self, s: CompactionState) -> Formula:
        """The cursor takes context and horizon together, when both speak of the newest ledger; so a crash
        finds a ledger that fits the horizon."""
        durable = s.cursor.value
        covers = self.covers(s, s.compacted_ledgers[durable.context].value, durable.horizon)
        return s.cursor.is_some.implies((durable.horizon <= s.messages.length) & covers)
