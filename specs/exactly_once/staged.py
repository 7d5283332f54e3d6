"""Exactly-once processing where the outbox and the business store are written one after the other.

Source: exactly-once/model-checking, ``exactly_once_none_atomic.tla`` at commit 15b007f, which is what
the article "Model checking exactly-once" describes. What is written differently here, state for state
the same:

- A transaction id numbers the message and its duplicate; here it is that message.
- An outbox entry, staged or committed, carries the id of its own message, so only its version is kept.
- Versions fall along a history, newest first, so its entries are a set.
- The local variable ``nextState`` is never used. The other locals keep their last value.
- A write that may fail is one instance that succeeds and one that does not.

``variant`` takes out one of the three ideas that the design rests on. ``output-first`` sends while the
outbox is only staged. Sending between the commits of state and outbox would do no harm: by then the
staged version is what a later handler would commit, too. ``DeadlockTerminated``
is the safe part of the liveness property Termination.
"""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula
from verifier.encodings.quantifiers import if_
from verifier.specs.exactly_once.staged_lemmas import StagedOutboxLemmas
from verifier.specs.exactly_once.staged_state import Label, Message, StagedState
from verifier.specs.protocol import Step, action


class ExactlyOnce(StagedOutboxLemmas):
    """Exactly-once message processing with an outbox that is not written together with the state."""

    # One handler, label by label

    @action(process="processes")
    def main_loop(self, s: StagedState, process: Element) -> Step:
        """Begin again."""
        return Step(when=[s.pc[process] == Label.MAIN_LOOP], then={s.pc[process]: Label.LOCK_IN_MSG})

    @action(process="processes", message="messages")
    def lock_in_msg(self, s: StagedState, process: Element, message: Message) -> Step:
        """Take a message and load the state, which may be of a transaction that is not finished."""
        redo = Label.REDO_OUTBOX_COMMIT
        return Step(
            when=[s.pc[process] == Label.LOCK_IN_MSG, s.input_queue.contains(message)],
            then={
                s.input_queue: s.input_queue.remove(message),
                s.msg[process]: message,
                s.snapshot[process]: s.store,
                s.pc[process]: if_(s.store.tx.is_some, redo, Label.PROCESS),
            },
        )

    @action(process="processes")
    def redo_outbox_commit(self, s: StagedState, process: Element) -> Step:
        """Commit the outbox of the unfinished transaction."""
        tx = s.snapshot[process].value.tx.value
        return Step(
            when=[s.pc[process] == Label.REDO_OUTBOX_COMMIT],
            then={s.outbox[tx.id]: s.outbox_staging[tx].value, s.pc[process]: Label.REDO_STATE_COMMIT},
        )

    @action(process="processes", succeeds="outcomes")
    def redo_state_commit(self, s: StagedState, process: Element, succeeds: Formula) -> Step:
        """Finish the unfinished transaction, then turn to the message."""
        return self.cleanup(s, process, succeeds, Label.REDO_STATE_COMMIT, Label.PROCESS)

    @action(process="processes")
    def process(self, s: StagedState, process: Element) -> Step:
        """Compute the next state, unless the outbox shows that the message has been processed."""
        message, before = s.msg[process].value, s.snapshot[process].value
        version = before.ver + 1
        after = before.updated(
            history=before.history.add(self.versioned(id=message.id, ver=version)), ver=version, tx=message
        )
        known = s.outbox[message.id].is_some
        return Step(
            when=[s.pc[process] == Label.PROCESS],
            then={
                s.tx_id[process]: if_(known, s.tx_id[process], message),
                s.snapshot[process]: if_(known, before, after),
                s.pc[process]: if_(known, Label.SEND_AND_ACK, Label.STAGE_OUTBOX),
            },
        )

    @action(process="processes")
    def stage_outbox(self, s: StagedState, process: Element) -> Step:
        """Note what is to be sent, under the transaction's id."""
        tx, version = s.tx_id[process].value, s.snapshot[process].value.ver
        sent = s.output.add(self.versioned(id=tx.id, ver=version))
        return Step(
            when=[s.pc[process] == Label.STAGE_OUTBOX],
            then={
                s.outbox_staging[tx]: version,
                s.output: sent if self.variant == "output-first" else s.output,
                s.pc[process]: Label.OUTBOX_COMMIT if self.variant == "outbox-first" else Label.STATE_COMMIT,
            },
        )

    @action(process="processes", succeeds="outcomes")
    def state_commit(self, s: StagedState, process: Element, succeeds: Formula) -> Step:
        """Write the next state if nobody has written since it was loaded; the write may fail."""
        own = s.snapshot[process].value
        unchecked = self.variant == "no-version-check"
        then = Label.STATE_CLEANUP if self.variant == "outbox-first" else Label.OUTBOX_COMMIT
        return Step(
            when=[
                s.pc[process] == Label.STATE_COMMIT,
                succeeds.implies((s.store.ver + 1 == own.ver) | unchecked),
            ],
            then={
                s.store: if_(succeeds, own, s.store),
                s.pc[process]: if_(succeeds, then, Label.MAIN_LOOP),
            },
        )

    @action(process="processes")
    def outbox_commit(self, s: StagedState, process: Element) -> Step:
        """Commit what was staged."""
        tx = s.tx_id[process].value
        return Step(
            when=[s.pc[process] == Label.OUTBOX_COMMIT],
            then={
                s.outbox[tx.id]: s.outbox_staging[tx].value,
                s.pc[process]: Label.STATE_COMMIT if self.variant == "outbox-first" else Label.STATE_CLEANUP,
            },
        )

    @action(process="processes", succeeds="outcomes")
    def state_cleanup(self, s: StagedState, process: Element, succeeds: Formula) -> Step:
        """Finish the transaction."""
        return self.cleanup(s, process, succeeds, Label.STATE_CLEANUP, Label.SEND_AND_ACK)

    @action(process="processes")
    def send_and_ack(self, s: StagedState, process: Element) -> Step:
        """Send what the outbox says, and acknowledge the message."""
        message = s.msg[process].value
        return Step(
            when=[s.pc[process] == Label.SEND_AND_ACK],
            then={
                s.output: s.output.add(self.versioned(id=message.id, ver=s.outbox[message.id].value)),
                s.processed: s.processed.add(message),
                s.pc[process]: Label.MAIN_LOOP,
            },
        )

    def cleanup(self, s: StagedState, process: Element, succeeds: Formula, label: Label, then: Label) -> Step:
        """Mark the transaction finished if the store is as the handler knows it; the write may fail."""
        finished = s.store.updated(tx=None, ver=s.store.ver + 1)
        return Step(
            when=[s.pc[process] == label, succeeds.implies(s.store.ver == s.snapshot[process].value.ver)],
            then={
                s.store: if_(succeeds, finished, s.store),
                s.pc[process]: if_(succeeds, then, Label.MAIN_LOOP),
            },
        )
