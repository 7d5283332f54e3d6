"""Why each message has its effects once, with an outbox that is written together with the state.

A handler works on the state and outbox that it loaded, or has written: both, the store's and the
handler's, are sound in the same sense, and what the handler has is an earlier state of the store.
"""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.collection_values import SequenceValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import all_of, count, exists, forall
from verifier.encodings.values import OptionValue
from verifier.specs.exactly_once.atomic_state import AtomicOutbox, AtomicState, Store
from verifier.specs.protocol import lemma

NOT_SENT = ("LoadState", "ProcessAndCommit", "SendOutMsg")
HAS_SENT = ("UpdateOutbox", "AckInMsg")


class AtomicOutboxLemmas(AtomicOutbox):
    """To be mixed into the protocol with an atomic outbox."""

    # What the lemmas speak of

    def every_store(self, s: AtomicState, holds: Callable[[Store], Formula]) -> Formula:
        """It holds of the store, and of what handlers have loaded and still use."""

        def of_snapshot(process: Element) -> Formula:
            used = self.handler(s, process, ("ProcessAndCommit", "SendOutMsg"))
            return used.implies(holds(s.snapshot[process].value))

        return holds(s.store) & forall(self.processes, of_snapshot)

    def is_sent(self, s: AtomicState, message: Element) -> Formula:
        """Something was sent for the message."""
        return exists(self.has_sent(s, message, v) for v in self.versions)

    # The lemmas

    @lemma
    def outbox_knows_log(self, s: AtomicState) -> Formula:
        """State and outbox are written in one step, and an entry is never taken back."""

        def is_sound(store: Store) -> Formula:
            return forall(
                store.outbox[i].is_some == exists(self.has_made(store, i, v) for v in self.versions)
                for i in self.ids
            )

        return self.every_store(s, is_sound)

    @lemma
    def entry_is_version_made(self, s: AtomicState) -> Formula:
        """The result to be sent for a message was computed with the state, and is of its version."""

        def is_sound(store: Store) -> Formula:
            return forall(
                self.has_made(store, i, v)
                for i in self.ids
                for v in self.versions
                if (store.outbox[i] == v) & (v > 0)
            )

        return self.every_store(s, is_sound)

    @lemma
    def entry_emptied_once_sent(self, s: AtomicState) -> Formula:
        """A handler empties an entry only after it has sent what the entry said."""

        def is_sound(store: Store) -> Formula:
            return forall(self.is_sent(s, i) for i in self.ids if store.outbox[i] == 0)

        return self.every_store(s, is_sound)

    @lemma
    def logged_once(self, s: AtomicState) -> Formula:
        """A message is processed only if the outbox does not know it."""
        return forall(
            ~self.has_made(s.store, i, w)
            for i in self.ids
            for v in self.versions
            for w in self.versions
            if (v < w) & self.has_made(s.store, i, v)
        )

    @lemma
    def one_version_for_each_message(self, s: AtomicState) -> Formula:
        """Each version was made by another message, so the log is never longer than there are messages."""
        logged = count(exists(self.has_made(s.store, i, v) for v in self.versions) for i in self.ids)
        return s.store.log.length == logged

    @lemma
    def loaded_log_is_prefix(self, s: AtomicState) -> Formula:
        """The log only grows, and by a handler that has loaded all of it."""

        def is_prefix(log: SequenceValue[Element]) -> Formula:
            same = forall(log[v] == s.store.log[v] for v in self.versions if v < log.length)
            return (log.length <= s.store.log.length) & same

        return forall(
            is_prefix(s.snapshot[p].value.log)
            for p in self.processes
            if self.handler(s, p, ("ProcessAndCommit", "SendOutMsg"))
        )

    @lemma
    def processed_unless_known(self, s: AtomicState) -> Formula:
        """A handler processes the message that its outbox does not know, and sends for one that it does."""

        def entry(process: Element) -> OptionValue[Integer]:
            return s.snapshot[process].value.outbox[s.msg[process].value.id]

        return forall(
            all_of(
                (s.pc[p] == "ProcessAndCommit").implies(entry(p).is_none),
                (s.pc[p] == "SendOutMsg").implies(entry(p).is_some),
            )
            for p in self.processes
        )

    @lemma
    def sent_is_version_made(self, s: AtomicState) -> Formula:
        """After the commit, the result sent is the one in the outbox: the version that the message made."""
        return forall(self.has_made(s.store, sent.id, sent.ver) for sent in s.output)

    @lemma
    def acknowledged_once_sent(self, s: AtomicState) -> Formula:
        """A handler notes in the outbox, and acknowledges, only after it has sent."""
        return forall(self.is_sent(s, m.id) for m in s.processed) & forall(
            self.is_sent(s, s.msg[p].value.id) for p in self.processes if self.handler(s, p, HAS_SENT)
        )
