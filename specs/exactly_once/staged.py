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
staged version is what a later handler would commit, too. The liveness property Termination is not here
yet; ``DeadlockTerminated`` is its safe part.
"""

from __future__ import annotations

from typing import Any

from verifier.encodings.quantifiers import choose, constantly, count, exists, forall, if_
from verifier.encodings.sorts import Boolean, Enum, Function, IndexSet, Option, Range, Record, Set
from verifier.encodings.values import literal
from verifier.specs.exactly_once.staged_lemmas import StagedOutboxLemmas
from verifier.specs.protocol import (
    Call,
    ChoiceConstant,
    Drawing,
    IndexSetConstant,
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
    (
        "MainLoop",
        "LockInMsg",
        "RedoOutboxCommit",
        "RedoStateCommit",
        "Process",
        "StageOutbox",
        "StateCommit",
        "OutboxCommit",
        "StateCleanup",
        "SendAndAck",
    ),
)


class ExactlyOnce(StagedOutboxLemmas, Protocol):
    """Exactly-once message processing with an outbox that is not written together with the state."""

    message_count = IndexSetConstant(2, "logical messages", kind="message")
    dup_count = IndexSetConstant(2, "copies of each message that are received", kind="duplicate")
    processes = IndexSetConstant(2, "handlers that process messages", kind="process")
    variant = ChoiceConstant(
        "as-written",
        "known-bad variants: commits ignore the version, or come in another order",
        choices=("as-written", "no-version-check", "outbox-first", "output-first"),
    )
    lanes = "processes"
    drawing = Drawing(
        lanes=(
            Lane("queue", ("input_queue", "processed")),
            "processes",
            Lane("store", ("store",)),
            Lane("outbox", ("outbox", "outbox_staging")),
            Lane("output", ("output",)),
        ),
        messages=(
            Call(("LockInMsg",), "queue", "process", "{message}"),
            Call(("LockInMsg",), "store", "process", "state"),
            Call(("StateCommit", "StateCleanup", "RedoStateCommit"), "process", "store", "write"),
            Call(("StageOutbox", "OutboxCommit", "RedoOutboxCommit"), "process", "outbox", "write"),
            Call(("SendAndAck",), "process", "output", "send"),
            Call(("SendAndAck",), "process", "queue", "ack"),
        ),
    )
    default_depth = 15
    outcomes = Boolean()

    @property
    def ids(self) -> IndexSet:
        """The ids of messages."""
        return self.message_count

    @property
    def messages(self) -> Record:
        """What is received: each message as often as it has duplicates."""
        return Record(id=self.ids, dup=self.dup_count)

    @property
    def versions(self) -> Range:
        """Each message takes a version to commit its state and one to clean up."""
        return Range(0, 2 * self.ids.size)

    def state(self) -> State:
        versioned = Set(Record(id=self.ids, ver=self.versions))
        store = Record(history=versioned, ver=self.versions, tx=Option(self.messages))
        entry, message = Option(self.versions), Option(self.messages)
        return State(
            input_queue=Set(self.messages),
            store=store,
            outbox=Function(self.ids, entry),
            outbox_staging=Function(self.messages, entry),
            output=versioned,
            processed=Set(self.messages),
            pc=Function(self.processes, LABELS),
            tx_id=Function(self.processes, message),
            msg=Function(self.processes, message),
            snapshot=Function(self.processes, Option(store)),
        )

    def init(self, s: Any) -> Any:
        return (
            forall(self.messages, lambda m: s.input_queue.contains(m) & s.outbox_staging[m].is_none)
            & s.store.history.is_empty
            & (s.store.ver == 0)
            & s.store.tx.is_none
            & forall(self.ids, lambda i: s.outbox[i].is_none)
            & s.output.is_empty
            & s.processed.is_empty
            & forall(self.processes, lambda p: s.tx_id[p].is_none & s.msg[p].is_none & s.snapshot[p].is_none)
            & forall(self.processes, lambda p: s.pc[p] == "MainLoop")
        )

    # One handler, label by label

    @action(process="processes")
    def main_loop(self, s: Any, process: Any) -> Step:
        """Begin anew."""
        return Step(when=[s.pc[process] == "MainLoop"], then={s.pc[process]: "LockInMsg"})

    @action(process="processes", message="messages")
    def lock_in_msg(self, s: Any, process: Any, message: Any) -> Step:
        """Take a message and load the state, which may be of a transaction that is not finished."""
        redo = literal(LABELS, "RedoOutboxCommit")
        return Step(
            when=[s.pc[process] == "LockInMsg", s.input_queue.contains(message)],
            then={
                s.input_queue: s.input_queue.remove(message),
                s.msg[process]: message,
                s.snapshot[process]: s.store,
                s.pc[process]: if_(s.store.tx.is_some, redo, "Process"),
            },
        )

    @action(process="processes")
    def redo_outbox_commit(self, s: Any, process: Any) -> Step:
        """Commit the outbox of the unfinished transaction."""
        tx = s.snapshot[process].value.tx.value
        return Step(
            when=[s.pc[process] == "RedoOutboxCommit"],
            then={s.outbox[tx.id]: s.outbox_staging[tx].value, s.pc[process]: "RedoStateCommit"},
        )

    @action(process="processes", succeeds="outcomes")
    def redo_state_commit(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Finish the unfinished transaction, then turn to the message."""
        return self.cleanup(s, process, succeeds, "RedoStateCommit", "Process")

    @action(process="processes")
    def process(self, s: Any, process: Any) -> Step:
        """Compute the next state, unless the outbox shows that the message has been processed."""
        message, before = s.msg[process].value, s.snapshot[process].value
        version = before.ver + 1
        after = before.updated(
            history=before.history.add({"id": message.id, "ver": version}), ver=version, tx=message
        )
        known = s.outbox[message.id].is_some
        return Step(
            when=[s.pc[process] == "Process"],
            then={
                s.tx_id[process]: if_(known, s.tx_id[process], message),
                s.snapshot[process]: if_(known, before, after),
                s.pc[process]: if_(known, literal(LABELS, "SendAndAck"), "StageOutbox"),
            },
        )

    @action(process="processes")
    def stage_outbox(self, s: Any, process: Any) -> Step:
        """Note what is to be sent, under the transaction's id."""
        tx, version = s.tx_id[process].value, s.snapshot[process].value.ver
        sent = s.output.add({"id": tx.id, "ver": version})
        return Step(
            when=[s.pc[process] == "StageOutbox"],
            then={
                s.outbox_staging[tx]: version,
                s.output: sent if self.variant == "output-first" else s.output,
                s.pc[process]: "OutboxCommit" if self.variant == "outbox-first" else "StateCommit",
            },
        )

    @action(process="processes", succeeds="outcomes")
    def state_commit(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Write the next state if nobody has written since it was loaded; the write may fail."""
        own = s.snapshot[process].value
        unchecked = self.variant == "no-version-check"
        then = "StateCleanup" if self.variant == "outbox-first" else "OutboxCommit"
        return Step(
            when=[s.pc[process] == "StateCommit", succeeds.implies((s.store.ver + 1 == own.ver) | unchecked)],
            then={
                s.store: if_(succeeds, own, s.store),
                s.pc[process]: if_(succeeds, literal(LABELS, then), "MainLoop"),
            },
        )

    @action(process="processes")
    def outbox_commit(self, s: Any, process: Any) -> Step:
        """Commit what was staged."""
        tx = s.tx_id[process].value
        return Step(
            when=[s.pc[process] == "OutboxCommit"],
            then={
                s.outbox[tx.id]: s.outbox_staging[tx].value,
                s.pc[process]: "StateCommit" if self.variant == "outbox-first" else "StateCleanup",
            },
        )

    @action(process="processes", succeeds="outcomes")
    def state_cleanup(self, s: Any, process: Any, succeeds: Any) -> Step:
        """Finish the transaction."""
        return self.cleanup(s, process, succeeds, "StateCleanup", "SendAndAck")

    @action(process="processes")
    def send_and_ack(self, s: Any, process: Any) -> Step:
        """Send what the outbox says, and acknowledge the message."""
        message = s.msg[process].value
        return Step(
            when=[s.pc[process] == "SendAndAck"],
            then={
                s.output: s.output.add({"id": message.id, "ver": s.outbox[message.id].value}),
                s.processed: s.processed.add(message),
                s.pc[process]: "MainLoop",
            },
        )

    def cleanup(self, s: Any, process: Any, succeeds: Any, label: str, then: str) -> Step:
        """Mark the transaction finished if the store is as the handler knows it; the write may fail."""
        finished = s.store.updated(tx=None, ver=s.store.ver + 1)
        return Step(
            when=[s.pc[process] == label, succeeds.implies(s.store.ver == s.snapshot[process].value.ver)],
            then={
                s.store: if_(succeeds, finished, s.store),
                s.pc[process]: if_(succeeds, literal(LABELS, then), "MainLoop"),
            },
        )

    # Properties

    def occurs(self, versioned: Any, message_id: Any) -> Any:
        """The message occurs under some version."""
        return exists(self.versions, lambda v: versioned.contains({"id": message_id, "ver": v}))

    def version_of(self, versioned: Any, message_id: Any) -> Any:
        """A version under which the message occurs; no value if it does not."""
        return choose(self.versions, lambda v: versioned.contains({"id": message_id, "ver": v}))

    def occurs_at_most_once(self, versioned: Any) -> Any:
        """No message occurs under two versions."""
        return forall(
            self.ids,
            lambda i: count(self.versions, lambda v: versioned.contains({"id": i, "ver": v})) <= 1,
        )

    def is_consistent(self, s: Any) -> Any:
        """For every message acknowledged, a version was committed and sent, and it is the same."""
        made, sent = s.store.history, s.output
        return forall(
            s.processed,
            lambda m: self.occurs(made, m.id)
            & self.occurs(sent, m.id)
            & (self.version_of(made, m.id) == self.version_of(sent, m.id)),
        )

    @type_invariant(name="TypeInvariant")
    def types(self, s: Any) -> Any:
        """All of it is in the sorts."""
        return constantly(True)

    @invariant(name="AtMostOneStateChange")
    def at_most_one_state_change(self, s: Any) -> Any:
        """No message has changed the state twice."""
        return self.occurs_at_most_once(s.store.history)

    @invariant(name="AtMostOneOutputMsg")
    def at_most_one_output_msg(self, s: Any) -> Any:
        """No message has led to two different messages sent."""
        return self.occurs_at_most_once(s.output)

    @invariant(name="ConsistentStateAndOutput")
    def consistent_state_and_output(self, s: Any) -> Any:
        """For a message acknowledged, what was sent belongs to the state that was committed."""
        return self.is_consistent(s)

    @invariant(name="Safety")
    def safety(self, s: Any) -> Any:
        """Each message has its effects once."""
        once = self.occurs_at_most_once(s.store.history) & self.occurs_at_most_once(s.output)
        return once & self.is_consistent(s)

    @deadlock_invariant(name="DeadlockTerminated")
    def deadlock_terminated(self, s: Any) -> Any:
        """Where nothing can happen, all messages are taken and all handlers wait for more."""
        return s.input_queue.is_empty & forall(self.processes, lambda p: s.pc[p] == "LockInMsg")
