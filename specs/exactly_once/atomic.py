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

from collections.abc import Mapping
from typing import Any

from verifier.encodings.quantifiers import choose, constantly, count, exists, forall, if_
from verifier.encodings.sorts import Boolean, Enum, Function, IndexSet, Option, Range, Record, Sequence, Set
from verifier.encodings.values import literal
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

LABELS = Enum(
    "Label",
    ("MainLoop", "LockInMsg", "LoadState", "ProcessAndCommit", "SendOutMsg", "UpdateOutbox", "AckInMsg"),
)
SENT = 0


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
    def messages(self) -> Record:
        """What is received: messages at some try."""
        return Record(id=self.ids, retry=Range(0, self.max_retry))

    @property
    def versions(self) -> Range:
        """The versions of the state; 0 is the first, before any message."""
        return Range(0, self.ids.size)

    def state(self) -> State:
        outbox = Function(self.ids, Option(self.versions))
        store = Record(log=Sequence(self.ids, self.ids.size), outbox=outbox)
        return State(
            input_queue=Set(self.messages),
            store=store,
            output=Set(Record(id=self.ids, ver=self.versions)),
            processed=Set(self.messages),
            pc=Function(self.processes, LABELS),
            msg=Function(self.processes, Option(self.messages)),
            snapshot=Function(self.processes, Option(store)),
        )

    def init(self, s: Any) -> Any:
        return (
            forall(self.messages, lambda m: s.input_queue.contains(m) == (m.retry == 0))
            & s.store.log.is_empty
            & forall(self.ids, lambda i: s.store.outbox[i].is_none)
            & s.output.is_empty
            & s.processed.is_empty
            & forall(self.processes, lambda p: s.msg[p].is_none & s.snapshot[p].is_none)
            & forall(self.processes, lambda p: s.pc[p] == "MainLoop")
        )

    def attempt(
        self, s: Any, process: Any, succeeds: Any, when: list[Any], then: Mapping[Any, Any], label: str
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
                s.pc[process]: if_(succeeds, literal(LABELS, label), "MainLoop"),
            },
        )

    # One handler, label by label

    @action(process="processes")
    def main_loop(self, s: Any, process: Any) -> Step:
        """Begin anew."""
        return Step(when=[s.pc[process] == "MainLoop"], then={s.pc[process]: "LockInMsg"})

    @action(process="processes", message="messages")
    def lock_in_msg(self, s: Any, process: Any, message: Any) -> Step:
        """Take a message."""
        return Step(
            when=[s.pc[process] == "LockInMsg", s.input_queue.contains(message)],
            then={
                s.input_queue: s.input_queue.remove(message),
                s.msg[process]: message,
                s.pc[process]: "LoadState",
            },
        )

    @action(process="processes")
    def load_state(self, s: Any, process: Any) -> Step:
        """Load state and outbox, and process the message if the outbox does not know it."""
        new = s.store.outbox[s.msg[process].value.id].is_none
        return Step(
            when=[s.pc[process] == "LoadState"],
            then={
                s.snapshot[process]: s.store,
                s.pc[process]: if_(new, literal(LABELS, "ProcessAndCommit"), "SendOutMsg"),
            },
        )

    @action(process="processes", succeeds="outcomes")
    def process_and_commit(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Compute the next state and outbox, and write both if nobody has written since."""
        message, before = s.msg[process].value.id, s.snapshot[process].value
        after = before.updated(
            log=before.log.append(message), outbox=before.outbox.updated(message, before.log.length + 1)
        )
        unchanged = s.store.log.length == before.log.length
        when = [s.pc[process] == "ProcessAndCommit", succeeds.implies(unchanged)]
        step = self.attempt(s, process, succeeds, when, {s.store: after}, "SendOutMsg")
        return Step(when=step.when, then={**step.then, s.snapshot[process]: after})

    @action(process="processes", succeeds="outcomes")
    def send_out_msg(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Send what the outbox says, unless it was sent before."""
        message = s.msg[process].value.id
        version = s.snapshot[process].value.outbox[message]
        sent = if_(version == SENT, s.output, s.output.add({"id": message, "ver": version.value}))
        when = [s.pc[process] == "SendOutMsg", succeeds | (version != SENT)]
        return self.attempt(s, process, succeeds, when, {s.output: sent}, "UpdateOutbox")

    @action(process="processes", succeeds="outcomes")
    def update_outbox(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Note in the outbox that the message was sent."""
        when = [s.pc[process] == "UpdateOutbox"]
        then = {s.store.outbox[s.msg[process].value.id]: SENT}
        return self.attempt(s, process, succeeds, when, then, "AckInMsg")

    @action(process="processes", succeeds="outcomes")
    def ack_in_msg(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Acknowledge the message."""
        when = [s.pc[process] == "AckInMsg"]
        then = {s.processed: s.processed.add(s.msg[process].value)}
        return self.attempt(s, process, succeeds, when, then, "MainLoop")

    # Properties

    def has_made(self, store: Any, message: Any, version: Any) -> Any:
        """The message made this version of the state; version 0 is none's."""
        log = store.log
        return (version >= 1) & (version <= log.length) & (log[version - 1] == message)

    def is_changed_once(self, s: Any) -> Any:
        """No message is in the log twice."""
        return forall(self.ids, lambda i: count(self.versions, lambda v: self.has_made(s.store, i, v)) <= 1)

    def is_sent_once(self, s: Any) -> Any:
        """No message was sent under two versions."""
        return forall(
            self.ids, lambda i: count(self.versions, lambda v: s.output.contains({"id": i, "ver": v})) <= 1
        )

    def is_consistent(self, s: Any) -> Any:
        """A message acknowledged has made a version, and was sent with it."""

        def made(message: Any, version: Any) -> Any:
            return self.has_made(s.store, message, version)

        def sent(message: Any, version: Any) -> Any:
            return s.output.contains({"id": message, "ver": version})

        def some(which: Any, message: Any) -> Any:
            return exists(self.versions, lambda v: which(message, v))

        def version(which: Any, message: Any) -> Any:
            return choose(self.versions, lambda v: which(message, v))

        def same(message: Any) -> Any:
            there = some(made, message) & some(sent, message)
            return there & (version(made, message) == version(sent, message))

        return forall(s.processed, lambda m: same(m.id))

    @type_invariant(name="TypeInvariant")
    def types(self, s: Any) -> Any:
        """All of it is in the sorts."""
        return constantly(True)

    @invariant(name="AtMostOneStateChange")
    def at_most_one_state_change(self, s: Any) -> Any:
        """No message has changed the state twice."""
        return self.is_changed_once(s)

    @invariant(name="AtMostOneOutputMsg")
    def at_most_one_output_msg(self, s: Any) -> Any:
        """No message has led to two different messages sent."""
        return self.is_sent_once(s)

    @invariant(name="ConsistentStateAndOutput")
    def consistent_state_and_output(self, s: Any) -> Any:
        """For a message acknowledged, what was sent belongs to the state that was committed."""
        return self.is_consistent(s)

    @invariant(name="Safety")
    def safety(self, s: Any) -> Any:
        """Each message has its effects once."""
        return self.is_changed_once(s) & self.is_sent_once(s) & self.is_consistent(s)

    @deadlock_invariant(name="DeadlockTerminated")
    def deadlock_terminated(self, s: Any) -> Any:
        """Where nothing can happen, all messages are taken and all handlers wait for more."""
        return s.input_queue.is_empty & forall(self.processes, lambda p: s.pc[p] == "LockInMsg")
