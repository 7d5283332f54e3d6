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

from collections.abc import Callable

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import choose, constantly, count, exists, forall, if_
from verifier.specs.exactly_once.atomic_lemmas import AtomicOutboxLemmas
from verifier.specs.exactly_once.atomic_state import SENT, AtomicState, Label, Message
from verifier.specs.protocol import (
    Step,
    action,
    deadlock_invariant,
    eventually,
    invariant,
    temporal,
    type_invariant,
    weak,
)
from verifier.specs.temporal import Fairness, TemporalFormula


class ExactlyOnceAtomic(AtomicOutboxLemmas):
    """Exactly-once message processing with an outbox that is written together with the state."""

    def go_on_or_roll_back(self, s: AtomicState, process: Element, succeeds: Formula, label: Label) -> Step:
        """Go on at ``label``; or fail: begin anew, the message back in the queue unless it was tried too
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
        """Begin anew."""
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

    # Properties

    @type_invariant(name="TypeInvariant")
    def types(self, s: AtomicState) -> Formula:
        """All of it is in the sorts."""
        return constantly(True)

    @invariant(name="AtMostOneStateChange")
    def at_most_one_state_change(self, s: AtomicState) -> Formula:
        """No message has changed the state twice."""
        return forall(count(self.has_made(s.store, i, v) for v in self.versions) <= 1 for i in self.ids)

    @invariant(name="AtMostOneOutputMsg")
    def at_most_one_output_msg(self, s: AtomicState) -> Formula:
        """No message has led to two different messages sent."""
        return forall(
            count(s.output.contains(self.sent(id=i, ver=v)) for v in self.versions) <= 1 for i in self.ids
        )

    @invariant(name="ConsistentStateAndOutput")
    def consistent_state_and_output(self, s: AtomicState) -> Formula:
        """For a message acknowledged, what was sent belongs to the state that was committed."""

        def made(message: Element, version: Integer) -> Formula:
            return self.has_made(s.store, message, version)

        def sent(message: Element, version: Integer) -> Formula:
            return s.output.contains(self.sent(id=message, ver=version))

        def some(which: Callable[[Element, Integer], Formula], message: Element) -> Formula:
            return exists(which(message, v) for v in self.versions)

        def version(which: Callable[[Element, Integer], Formula], message: Element) -> Integer:
            return choose(v for v in self.versions if which(message, v))

        def same(message: Element) -> Formula:
            there = some(made, message) & some(sent, message)
            return there & (version(made, message) == version(sent, message))

        return forall(same(m.id) for m in s.processed)

    @invariant(name="Safety")
    def safety(self, s: AtomicState) -> list[Formula]:
        """Each message has its effects once."""
        return [
            self.at_most_one_state_change(s),
            self.at_most_one_output_msg(s),
            self.consistent_state_and_output(s),
        ]

    @deadlock_invariant(name="DeadlockTerminated")
    def deadlock_terminated(self, s: AtomicState) -> Formula:
        """Where nothing can happen, all messages are taken and all handlers wait for more."""
        return self.is_terminated(s)

    def is_terminated(self, s: AtomicState) -> Formula:
        """All messages are taken, and all handlers wait for more."""
        return s.input_queue.is_empty & forall(s.pc[p] == Label.LOCK_IN_MSG for p in self.processes)

    @temporal(name="Termination")
    def termination(self, s: AtomicState) -> TemporalFormula:
        """Some time all messages are taken, and all handlers wait for more."""
        return eventually(self.is_terminated(s))

    def fairness(self) -> list[Fairness]:
        """Each handler goes on where it can."""
        return [weak(each=("process",))]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Only the first handler must go on; or some handler, whichever."""
        first = list(self.processes.values())[:1]
        return {"first-process": [weak(given={"process": one}) for one in first], "next": [weak()]}
