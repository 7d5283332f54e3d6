"""Why each message has its effects once, with an outbox that is staged, committed after the state, and
whose commit any handler can redo.

The store's transaction is the one whose outbox may not be committed yet. A handler has the store that it
loaded, or that it wants to write; a store with the same version is the same store.
"""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.declared import Element, Formula
from verifier.encodings.quantifiers import count, exists, forall, if_
from verifier.specs.exactly_once.staged_state import Message, StagedOutbox, StagedState, Store
from verifier.specs.protocol import lemma

REDOES = ("RedoOutboxCommit", "RedoStateCommit")
WANTS_TO_WRITE = ("StageOutbox", "StateCommit")
HAS_WRITTEN = ("OutboxCommit", "StateCleanup")
HAS_LOADED = (*REDOES, "Process")
HAS_NOT_STAGED = (*HAS_LOADED, "StageOutbox")
IN_TRANSACTION = (*WANTS_TO_WRITE, *HAS_WRITTEN)
KNOWS_UNFINISHED = (*REDOES, *HAS_WRITTEN)
"""Places of handlers, by what they have: the store loaded or written has a transaction to finish."""


class StagedOutboxLemmas(StagedOutbox):
    """To be mixed into the protocol with a staged outbox."""

    # What the lemmas speak of

    def each_handler(
        self, s: StagedState, labels: tuple[str, ...], holds: Callable[[Element, Store], Formula]
    ) -> Formula:
        """It holds of every handler at one of these labels, and of the store that it has."""

        def of_handler(process: Element) -> Formula:
            return self.handler(s, process, labels).implies(holds(process, s.snapshot[process].value))

        return forall(self.processes, of_handler)

    def is_in(self, store: Store, message_id: Element) -> Formula:
        """The message has changed the state."""
        return exists(self.has_made(store, message_id, v) for v in self.versions)

    def is_unfinished(self, s: StagedState, store: Store) -> Formula:
        """The store has a transaction, which made its version and staged just that."""
        staged = s.outbox_staging[store.tx.value] == store.ver
        return store.tx.is_some & staged & self.has_made(s.store, store.tx.value.id, store.ver)

    # Messages and transactions

    @lemma
    def taken_by_one_handler(self, s: StagedState) -> Formula:
        """A copy is taken from the queue once, and never put back."""
        return forall(
            ~s.input_queue.contains(m) & forall(p == q for q in self.processes if s.msg[q] == m)
            for p in self.processes
            for m in self.messages
            if s.msg[p] == m
        )

    @lemma
    def staged_once(self, s: StagedState) -> Formula:
        """A copy is the id of one transaction: its handler stages once, and then goes on."""

        def is_before(process: Element, message: Message) -> Formula:
            return (s.msg[process] == message) & self.handler(s, process, HAS_NOT_STAGED)

        return forall(
            ~s.input_queue.contains(m) & ~exists(is_before(p, m) for p in self.processes)
            for m in self.messages
            if s.outbox_staging[m].is_some
        )

    @lemma
    def transaction_is_of_message(self, s: StagedState) -> Formula:
        """A handler writes its own message into the store as the transaction."""

        def is_own(process: Element, store: Store) -> Formula:
            message = s.msg[process]
            return message.is_some & (s.tx_id[process] == message) & (store.tx == message)

        return self.each_handler(s, IN_TRANSACTION, is_own) & self.each_handler(
            s, (*HAS_LOADED, "SendAndAck"), lambda p, _: s.msg[p].is_some
        )

    # The store and the outbox

    @lemma
    def changes_state_once(self, s: StagedState) -> Formula:
        """A handler writes the next version only of a store that its message has not changed."""
        return forall(
            v == w
            for i in self.ids
            for v in self.versions
            for w in self.versions
            if self.has_made(s.store, i, v) & self.has_made(s.store, i, w)
        )

    @lemma
    def two_versions_for_each_message(self, s: StagedState) -> Formula:
        """The commit of a message's state makes a version, and so does finishing its transaction."""
        finished_next = if_(s.store.tx.is_some, s.store.ver + 1, s.store.ver)
        processed = count(self.is_in(s.store, i) for i in self.ids)
        return finished_next == processed + processed

    @lemma
    def transaction_is_staged(self, s: StagedState) -> Formula:
        """A handler stages before it commits the state; what it has staged says the version it makes."""
        return (s.store.tx.is_some.implies(self.is_unfinished(s, s.store))) & self.each_handler(
            s, ("StateCommit",), lambda p, own: s.outbox_staging[s.tx_id[p].value] == own.ver
        )

    @lemma
    def committed_entry_is_version_made(self, s: StagedState) -> Formula:
        """The outbox is committed after the state, with the version that the state was given."""
        return forall(
            self.has_made(s.store, i, v) for i in self.ids for v in self.versions if s.outbox[i] == v
        )

    @lemma
    def only_transaction_lacks_entry(self, s: StagedState) -> Formula:
        """A transaction is finished only once its outbox is committed."""
        return forall(
            s.store.tx.is_some & (s.store.tx.value.id == i)
            for i in self.ids
            if self.is_in(s.store, i) & s.outbox[i].is_none
        )

    # What handlers have

    @lemma
    def same_version_same_store(self, s: StagedState) -> Formula:
        """Every write makes a new version; so a handler whose version is the store's has the store."""

        def is_earlier(_: Element, loaded: Store) -> Formula:
            return (loaded.ver <= s.store.ver) & (loaded.ver == s.store.ver).implies(loaded == s.store)

        return self.each_handler(s, (*HAS_LOADED, *HAS_WRITTEN), is_earlier)

    @lemma
    def known_transaction_is_staged(self, s: StagedState) -> Formula:
        """A handler that is to finish a transaction finds in the staged outbox what was committed."""
        return self.each_handler(s, KNOWS_UNFINISHED, lambda _, store: self.is_unfinished(s, store))

    @lemma
    def outbox_committed_before_finish(self, s: StagedState) -> Formula:
        """Whoever finishes a transaction has committed its outbox before."""
        return self.each_handler(
            s, ("RedoStateCommit", "StateCleanup"), lambda _, store: s.outbox[store.tx.value.id].is_some
        )

    @lemma
    def transaction_left_is_past(self, s: StagedState) -> Formula:
        """A handler turns to its message when the transaction that it found, if any, is finished."""
        return self.each_handler(
            s, ("Process",), lambda _, loaded: loaded.tx.is_some.implies(loaded.ver < s.store.ver)
        )

    @lemma
    def next_version_adds_message(self, s: StagedState) -> Formula:
        """A handler can still write the store with its message, which the outbox did not know
        when there was no transaction to finish."""

        def is_next(process: Element, own: Store) -> Formula:
            message = s.msg[process].value.id
            history = s.store.history.add(self.versioned(id=message, ver=own.ver))
            return s.store.tx.is_none & ~self.is_in(s.store, message) & (own.history == history)

        return self.each_handler(
            s,
            WANTS_TO_WRITE,
            lambda p, own: (
                (own.ver <= s.store.ver + 1) & (own.ver == s.store.ver + 1).implies(is_next(p, own))
            ),
        )

    # What is sent

    @lemma
    def sent_is_committed_entry(self, s: StagedState) -> Formula:
        """Only what the outbox says is sent, and entries do not change."""
        return forall(s.outbox[sent.id] == sent.ver for sent in s.output)

    @lemma
    def acknowledged_once_sent(self, s: StagedState) -> Formula:
        """A message is sent and acknowledged in one step."""
        return forall(exists(self.has_sent(s, m.id, v) for v in self.versions) for m in s.processed)
