"""The state of ``exactly-once``: the queue, the store and the outbox, what was sent, and the handlers."""

from __future__ import annotations

from verifier.encodings.declared import Element, Fields, Formula, Integer, Members, field, member, variable
from verifier.encodings.quantifiers import forall
from verifier.encodings.sorts import Enum, Function, IndexSet, Option, Range, Record, Set
from verifier.specs.exactly_once.handlers import Handlers, HandlersState
from verifier.specs.protocol import Call, ChoiceConstant, Drawing, IndexSetConstant, Lane


class Label(Members):
    """The next step of a handler."""

    MAIN_LOOP = member("MainLoop")
    LOCK_IN_MSG = member("LockInMsg")
    REDO_OUTBOX_COMMIT = member("RedoOutboxCommit")
    REDO_STATE_COMMIT = member("RedoStateCommit")
    PROCESS = member("Process")
    STAGE_OUTBOX = member("StageOutbox")
    STATE_COMMIT = member("StateCommit")
    OUTBOX_COMMIT = member("OutboxCommit")
    STATE_CLEANUP = member("StateCleanup")
    SEND_AND_ACK = member("SendAndAck")


class Message(Fields):
    """A copy of a message that is received."""

    def __init__(self, once: StagedOutbox) -> None:
        self.id = field(once.ids)
        self.dup = field(once.dup_count)


class Versioned(Fields):
    """A message, and the version that it made."""

    def __init__(self, once: StagedOutbox) -> None:
        self.id = field(once.ids)
        self.ver = field(once.versions)


class Store(Fields):
    """The state, as the versions that messages made, and the transaction that is not finished."""

    def __init__(self, once: StagedOutbox) -> None:
        self.history = field(Set(once.versioned))
        self.ver = field(once.versions)
        self.tx = field(Option(once.messages))


class StagedState(HandlersState):
    """The queue, the store, the outbox, what was sent, and the handlers."""

    def __init__(self, once: StagedOutbox) -> None:
        self.input_queue = variable(Set(once.messages))
        self.store = variable(Record(Store(once)))
        self.outbox = variable(Function(once.ids, Option(once.versions)))
        self.outbox_staging = variable(Function(once.messages, Option(once.versions)))
        self.output = variable(Set(once.versioned))
        self.processed = variable(Set(once.messages))
        self.pc = variable(Function(once.processes, Enum(Label)))
        self.tx_id = variable(Function(once.processes, Option(once.messages)))
        self.msg = variable(Function(once.processes, Option(once.messages)))
        self.snapshot = variable(Function(once.processes, Option(Record(Store(once)))))


class StagedOutbox(Handlers[StagedState]):
    """Handlers, and what they work on."""

    message_count = IndexSetConstant(2, "logical messages", kind="message")
    dup_count = IndexSetConstant(2, "copies of each message that are received", kind="duplicate")
    processes = IndexSetConstant(2, "handlers that process messages", kind="process")
    variant = ChoiceConstant(
        "as-written",
        "known-bad variants: commits ignore the version, or come in another order",
        choices=("as-written", "no-version-check", "outbox-first", "output-first"),
    )
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

    @property
    def ids(self) -> IndexSet:
        """The ids of messages."""
        return self.message_count

    @property
    def messages(self) -> Record[Message]:
        """The input: each message as often as it has duplicates."""
        return Record(Message(self))

    @property
    def versions(self) -> Range:
        """Each message takes a version to commit its state and one to clean up."""
        return Range(0, 2 * self.ids.size)

    @property
    def versioned(self) -> Record[Versioned]:
        """A message, and the version that it made."""
        return Record(Versioned(self))

    def state(self) -> StagedState:
        return StagedState(self)

    def init(self, s: StagedState) -> list[Formula]:
        return [
            forall(s.input_queue.contains(m) & s.outbox_staging[m].is_none for m in self.messages),
            s.store.history.is_empty,
            s.store.ver == 0,
            s.store.tx.is_none,
            forall(s.outbox[i].is_none for i in self.ids),
            s.output.is_empty,
            s.processed.is_empty,
            forall(s.tx_id[p].is_none & s.msg[p].is_none & s.snapshot[p].is_none for p in self.processes),
            forall(s.pc[p] == Label.MAIN_LOOP for p in self.processes),
        ]

    def has_made(self, store: Store, message_id: Element, version: Integer) -> Formula:
        """The message made this version of the state."""
        return store.history.contains(self.versioned(id=message_id, ver=version))

    def has_changed(self, s: StagedState, message: Element, version: Integer) -> Formula:
        return self.has_made(s.store, message, version)

    def has_sent(self, s: StagedState, message: Element, version: Integer) -> Formula:
        return s.output.contains(self.versioned(id=message, ver=version))
