"""Exactly-once processing where the outbox is part of the business store and written with it.

Source: exactly-once/model-checking, ``exactly_once.tla``. What is written differently here, state for
state the same:

- The versions in the log are its places: the message that made version 1 stands first.
- An outbox entry carries the id of its own message, so only its version is kept; 0 is an entry whose
  message was sent (EMPTY there), none is no entry.
- A step that may fail is one instance that succeeds and one that does not.

The liveness property Termination is not here yet; ``DeadlockTerminated`` is its safe part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verifier.encodings.declared import Element, Fields, Formula, Integer, Members, field, member, variable
from verifier.encodings.quantifiers import choose, constantly, count, exists, forall, if_
from verifier.encodings.sorts import Boolean, Enum, Function, IndexSet, Option, Range, Record, Sequence, Set
from verifier.specs.exactly_once.atomic_lemmas import AtomicOutboxLemmas
from verifier.specs.protocol import (
    Call,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Lane,
    Protocol,
    State,
    Step,
    action,
    deadlock_invariant,
    invariant,
    type_invariant,
)

SENT = 0


class Label(Members):
    """What a handler does next."""

    MAIN_LOOP = member("MainLoop")
    LOCK_IN_MSG = member("LockInMsg")
    LOAD_STATE = member("LoadState")
    PROCESS_AND_COMMIT = member("ProcessAndCommit")
    SEND_OUT_MSG = member("SendOutMsg")
    UPDATE_OUTBOX = member("UpdateOutbox")
    ACK_IN_MSG = member("AckInMsg")


class Message(Fields):
    """A message at some try."""

    def __init__(self, once: ExactlyOnceAtomic) -> None:
        self.id = field(once.ids)
        self.retry = field(Range(0, once.max_retry))


class Store(Fields):
    """The state, as the log of the messages that made it, and the outbox."""

    def __init__(self, once: ExactlyOnceAtomic) -> None:
        self.log = field(Sequence(once.ids, once.ids.size))
        self.outbox = field(Function(once.ids, Option(once.versions)))


class Sent(Fields):
    """A message sent, and the version of the state that it tells."""

    def __init__(self, once: ExactlyOnceAtomic) -> None:
        self.id = field(once.ids)
        self.ver = field(once.versions)


class AtomicState(State):
    """The queue, the store, what was sent, and the handlers."""

    def __init__(self, once: ExactlyOnceAtomic) -> None:
        self.input_queue = variable(Set(once.messages))
        self.store = variable(Record(Store(once)))
        self.output = variable(Set(Record(Sent(once))))
        self.processed = variable(Set(once.messages))
        self.pc = variable(Function(once.processes, Enum(Label)))
        self.msg = variable(Function(once.processes, Option(once.messages)))
        self.snapshot = variable(Function(once.processes, Option(Record(Store(once)))))


class ExactlyOnceAtomic(AtomicOutboxLemmas, Protocol):
    """Exactly-once message processing with an outbox that is written together with the state."""

    max_queue = IndexSetConstant(2, "messages to process", kind="message")
    max_retry = IntegerConstant(1, "how often a message is tried again")
    processes = IndexSetConstant(2, "handlers that process messages", kind="process")
    lanes = "processes"
    drawing = Drawing(
        lanes=(
            Lane("queue", ("input_queue", "processed")),
            "processes",
            Lane("store", ("store",)),
            Lane("output", ("output",)),
        ),
        messages=(
            Call(("LockInMsg",), "queue", "process", "{message}"),
            Call(("LoadState",), "store", "process", "state"),
            Call(("ProcessAndCommit", "UpdateOutbox"), "process", "store", "write"),
            Call(("SendOutMsg",), "process", "output", "send"),
            Call(("AckInMsg",), "process", "queue", "ack"),
        ),
    )
    default_depth = 20
    outcomes = Boolean()

    @property
    def ids(self) -> IndexSet:
        """The ids of messages."""
        return self.max_queue

    @property
    def messages(self) -> Record[Message]:
        """What is received: messages at some try."""
        return Record(Message(self))

    @property
    def versions(self) -> Range:
        """The versions of the state; 0 is the first, before any message."""
        return Range(0, self.ids.size)

    def state(self) -> AtomicState:
        return AtomicState(self)

    def init(self, s: AtomicState) -> Formula:
        return (
            forall(self.messages, lambda m: s.input_queue.contains(m) == (m.retry == 0))
            & s.store.log.is_empty
            & forall(self.ids, lambda i: s.store.outbox[i].is_none)
            & s.output.is_empty
            & s.processed.is_empty
            & forall(self.processes, lambda p: s.msg[p].is_none & s.snapshot[p].is_none)
            & forall(self.processes, lambda p: s.pc[p] == Label.MAIN_LOOP)
        )

    def attempt(
        self,
        s: AtomicState,
        process: Element,
        succeeds: Formula,
        when: list[Formula],
        then: Mapping[Any, Any],
        label: Label,
    ) -> Step:
        """Do ``then`` and go on at ``label``; or fail: begin anew, the message back in the queue unless
        it was tried too often."""
        message = s.msg[process].value
        again = message.retry < self.max_retry
        retried = message.updated(retry=message.retry + 1)
        done = {target: if_(succeeds, value, target) for target, value in then.items()}
        return Step(
            when=when,
            then={
                **done,
                s.msg[process]: if_(~succeeds & again, retried, message),
                s.input_queue: if_(~succeeds & again, s.input_queue.add(retried), s.input_queue),
                s.pc[process]: if_(succeeds, label, Label.MAIN_LOOP),
            },
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
        when = [s.pc[process] == Label.PROCESS_AND_COMMIT, succeeds.implies(unchanged)]
        step = self.attempt(s, process, succeeds, when, {s.store: after}, Label.SEND_OUT_MSG)
        return Step(when=step.when, then={**step.then, s.snapshot[process]: after})

    @action(process="processes", succeeds="outcomes")
    def send_out_msg(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Send what the outbox says, unless it was sent before."""
        message = s.msg[process].value.id
        version = s.snapshot[process].value.outbox[message]
        sent = if_(version == SENT, s.output, s.output.add({"id": message, "ver": version.value}))
        when = [s.pc[process] == Label.SEND_OUT_MSG, succeeds | (version != SENT)]
        return self.attempt(s, process, succeeds, when, {s.output: sent}, Label.UPDATE_OUTBOX)

    @action(process="processes", succeeds="outcomes")
    def update_outbox(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Note in the outbox that the message was sent."""
        when = [s.pc[process] == Label.UPDATE_OUTBOX]
        then = {s.store.outbox[s.msg[process].value.id]: SENT}
        return self.attempt(s, process, succeeds, when, then, Label.ACK_IN_MSG)

    @action(process="processes", succeeds="outcomes")
    def ack_in_msg(self, s: AtomicState, process: Element, succeeds: Formula) -> Step:
        """Acknowledge the message."""
        when = [s.pc[process] == Label.ACK_IN_MSG]
        then = {s.processed: s.processed.add(s.msg[process].value)}
        return self.attempt(s, process, succeeds, when, then, Label.MAIN_LOOP)

    # Properties

    def has_made(self, store: Store, message: Element, version: Integer) -> Formula:
        """The message made this version of the state; version 0 is none's."""
        log = store.log
        return (version >= 1) & (version <= log.length) & (log[version - 1] == message)

    def is_changed_once(self, s: AtomicState) -> Formula:
        """No message is in the log twice."""
        return forall(self.ids, lambda i: count(self.versions, lambda v: self.has_made(s.store, i, v)) <= 1)

    def is_sent_once(self, s: AtomicState) -> Formula:
        """No message was sent under two versions."""
        return forall(
            self.ids, lambda i: count(self.versions, lambda v: s.output.contains({"id": i, "ver": v})) <= 1
        )

    def is_consistent(self, s: AtomicState) -> Formula:
        """A message acknowledged has made a version, and was sent with it."""

        def made(message: Element, version: Integer) -> Formula:
            return self.has_made(s.store, message, version)

        def sent(message: Element, version: Integer) -> Formula:
            return s.output.contains({"id": message, "ver": version})

        def some(which: Callable[[Element, Integer], Formula], message: Element) -> Formula:
            return exists(self.versions, lambda v: which(message, v))

        def version(which: Callable[[Element, Integer], Formula], message: Element) -> Integer:
            return choose(self.versions, lambda v: which(message, v))

        def same(message: Element) -> Formula:
            there = some(made, message) & some(sent, message)
            return there & (version(made, message) == version(sent, message))

        return forall(s.processed, lambda m: same(m.id))

    @type_invariant(name="TypeInvariant")
    def types(self, s: AtomicState) -> Formula:
        """All of it is in the sorts."""
        return constantly(True)

    @invariant(name="AtMostOneStateChange")
    def at_most_one_state_change(self, s: AtomicState) -> Formula:
        """No message has changed the state twice."""
        return self.is_changed_once(s)

    @invariant(name="AtMostOneOutputMsg")
    def at_most_one_output_msg(self, s: AtomicState) -> Formula:
        """No message has led to two different messages sent."""
        return self.is_sent_once(s)

    @invariant(name="ConsistentStateAndOutput")
    def consistent_state_and_output(self, s: AtomicState) -> Formula:
        """For a message acknowledged, what was sent belongs to the state that was committed."""
        return self.is_consistent(s)

    @invariant(name="Safety")
    def safety(self, s: AtomicState) -> Formula:
        """Each message has its effects once."""
        return self.is_changed_once(s) & self.is_sent_once(s) & self.is_consistent(s)

    @deadlock_invariant(name="DeadlockTerminated")
    def deadlock_terminated(self, s: AtomicState) -> Formula:
        """Where nothing can happen, all messages are taken and all handlers wait for more."""
        return s.input_queue.is_empty & forall(self.processes, lambda p: s.pc[p] == Label.LOCK_IN_MSG)
