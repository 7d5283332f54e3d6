"""Exactly-once processing where the outbox is part of the business store and written with it.

Source: exactly-once/model-checking, ``exactly_once.tla``. What is written differently here, state for
state the same:

- The versions in the log are its places: the message that made version 1 stands first.
- An outbox entry carries the id of its own message, so only its version is kept; 0 is an entry whose
  message was sent (EMPTY there), none is no entry.
- A step that may fail is one instance that succeeds and one that does not.

``DeadlockTerminated`` is the safe part of the liveness property Termination.
"""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula
from verifier.encodings.quantifiers import if_
from verifier.specs.exactly_once.atomic_lemmas import AtomicOutboxLemmas
from verifier.specs.exactly_once.atomic_state import SENT, AtomicState, Label, Message
from verifier.specs.protocol import Step, action


class ExactlyOnceAtomic(AtomicOutboxLemmas):
    """Exactly-once message processing with an outbox that is written together with the state."""

    def go_on_or_roll_back(self, s: AtomicState, process: Element, succeeds: Formula, label: Label) -> Step:
        """Go on at ``label``; or fail: begin again, the message back in the queue unless it was tried too
        often."""
        message = s.msg[process].value
        again = message.retry < self.max_retry
        retried = message.updated(retry=message.retry + 1)
        return Step(
            then={
                s.msg[process]: if_(~succeeds & again, retried, message),
                s.input_queue: if_(~succeeds & again, s.input_queue.add(retried), s.input_queue),
                s.pc[process]: if_(succeeds, label, Label.MAIN_LOOP),
            }
        )

    # One handler, label by label

    @action(process="processes")
    def main_loop(self, s: AtomicState, process: Element) -> Step:
        """Begin again."""
        return Step(when=[s.pc[process] == Label.MAIN_LOOP], then={s.pc[process]: Label.LOCK_IN_MSG})

    @action(process="processes", message="messages")
    def lock_in_msg(self, s: AtomicState, process: Element, message: Message) -> Step:
        """Take a message."""
        return Step(
            when=[s.pc[process] == Label.LOCK_IN_MSG, s.input_queue.contains(message)],
            then={
                s.input_queue: s.input_queue.remove(message),
                s.msg[process]: message,
                s.pc[process]: Label.LOAD_STATE,
            },
        )

    @action(process="processes")
    def load_state(self, s: AtomicState, process: Element) -> Step:
        """Load state and outbox, and process the message if the outbox does not know it."""
        new = s.store.outbox[s.msg[process].value.id].is_none
        return Step(
            when=[s.pc[process] == Label.LOAD_STATE],
            then={
                s.snapshot[process]: s.store,
                s.pc[process]: if_(new, Label.PROCESS_AND_COMMIT, Label.SEND_OUT_MSG),
            },
        )

    @action(process="processes", succeeds="outcomes")
    def process_and_commit(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Compute the next state and outbox, and write both if nobody has written since."""
        message, before = s.msg[process].value.id, s.snapshot[process].value
        after = before.updated(
            log=before.log.append(message), outbox=before.outbox.updated(message, before.log.length + 1)
        )
        unchanged = s.store.log.length == before.log.length
        commit = Step(
            when=[s.pc[process] == Label.PROCESS_AND_COMMIT, succeeds.implies(unchanged)],
            then={s.store: if_(succeeds, after, s.store), s.snapshot[process]: after},
        )
        return commit & self.go_on_or_roll_back(s, process, succeeds, Label.SEND_OUT_MSG)

    @action(process="processes", succeeds="outcomes")
    def send_out_msg(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Send what the outbox says, unless it was sent before."""
        message = s.msg[process].value.id
        version = s.snapshot[process].value.outbox[message]
        sent = if_(version == SENT, s.output, s.output.add(self.sent(id=message, ver=version.value)))
        send = Step(
            when=[s.pc[process] == Label.SEND_OUT_MSG, succeeds | (version != SENT)],
            then={s.output: if_(succeeds, sent, s.output)},
        )
        return send & self.go_on_or_roll_back(s, process, succeeds, Label.UPDATE_OUTBOX)

    @action(process="processes", succeeds="outcomes")
    def update_outbox(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Note in the outbox that the message was sent."""
        entry = s.store.outbox[s.msg[process].value.id]
        note = Step(when=[s.pc[process] == Label.UPDATE_OUTBOX], then={entry: if_(succeeds, SENT, entry)})
        return note & self.go_on_or_roll_back(s, process, succeeds, Label.ACK_IN_MSG)

    @action(process="processes", succeeds="outcomes")
    def ack_in_msg(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Acknowledge the message."""
        processed = s.processed.add(s.msg[process].value)
        acknowledge = Step(
            when=[s.pc[process] == Label.ACK_IN_MSG],
            then={s.processed: if_(succeeds, processed, s.processed)},
        )
        return acknowledge & self.go_on_or_roll_back(s, process, succeeds, Label.MAIN_LOOP)
