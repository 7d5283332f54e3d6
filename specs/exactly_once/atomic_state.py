"""The state of ``exactly-once-atomic``: the queue, the store with its outbox, what was sent, the handlers."""

from __future__ import annotations

from verifier.encodings.declared import Element, Fields, Formula, Integer, Members, field, member, variable
from verifier.encodings.quantifiers import forall
from verifier.encodings.sorts import Enum, Function, IndexSet, Option, Range, Record, Sequence, Set
from verifier.specs.exactly_once.handlers import Handlers, HandlersState
from verifier.specs.protocol import Call, Drawing, IndexSetConstant, IntegerConstant, Lane

SENT = 0


class Label(Members):
    """The next step of a handler."""

    MAIN_LOOP = member("MainLoop")
    LOCK_IN_MSG = member("LockInMsg")
    LOAD_STATE = member("LoadState")
    PROCESS_AND_COMMIT = member("ProcessAndCommit")
    SEND_OUT_MSG = member("SendOutMsg")
    UPDATE_OUTBOX = member("UpdateOutbox")
    ACK_IN_MSG = member("AckInMsg")


class Message(Fields):
    """A message at some try."""

    def __init__(self, once: AtomicOutbox) -> None:
        self.id = field(once.ids)
        self.retry = field(Range(0, once.max_retry))


class Store(Fields):
    """The state, as the log of the messages that made it, and the outbox."""

    def __init__(self, once: AtomicOutbox) -> None:
        self.log = field(Sequence(once.ids, once.ids.size))
        self.outbox = field(Function(once.ids, Option(once.versions)))


class Sent(Fields):
    """A message sent, and the version of the state that it tells."""

    def __init__(self, once: AtomicOutbox) -> None:
        self.id = field(once.ids)
        self.ver = field(once.versions)


class AtomicState(HandlersState):
    """The queue, the store, what was sent, and the handlers."""

    def __init__(self, once: AtomicOutbox) -> None:
        self.input_queue = variable(Set(once.messages))
        self.store = variable(Record(Store(once)))
        self.output = variable(Set(once.sent))
        self.processed = variable(Set(once.messages))
        self.pc = variable(Function(once.processes, Enum(Label)))
        self.msg = variable(Function(once.processes, Option(once.messages)))
        self.snapshot = variable(Function(once.processes, Option(Record(Store(once)))))


class AtomicOutbox(Handlers[AtomicState]):
    """Handlers, and what they work on."""

    max_queue = IndexSetConstant(2, "messages to process", kind="message")
    max_retry = IntegerConstant(1, "how often a message is tried again")
    processes = IndexSetConstant(2, "handlers that process messages", kind="process")
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

    @property
    def ids(self) -> IndexSet:
        """The ids of messages."""
        return self.max_queue

    @property
    def messages(self) -> Record[Message]:
        """The input: messages at some try."""
        return Record(Message(self))

    @property
    def versions(self) -> Range:
        """The versions of the state; 0 is the first, before any message."""
        return Range(0, self.ids.size)

    @property
    def sent(self) -> Record[Sent]:
        """A message sent, and the version that it tells."""
        return Record(Sent(self))

    def state(self) -> AtomicState:
        return AtomicState(self)

    def init(self, s: AtomicState) -> list[Formula]:
        return [
            forall(s.input_queue.contains(m) == (m.retry == 0) for m in self.messages),
            s.store.log.is_empty,
            forall(s.store.outbox[i].is_none for i in self.ids),
            s.output.is_empty,
            s.processed.is_empty,
            forall(s.msg[p].is_none & s.snapshot[p].is_none for p in self.processes),
            forall(s.pc[p] == Label.MAIN_LOOP for p in self.processes),
        ]

    def has_made(self, store: Store, message: Element, version: Integer) -> Formula:
        """The message made this version of the state; version 0 is none's."""
        log = store.log
        return (version >= 1) & (version <= log.length) & (log[version - 1] == message)

    def has_changed(self, s: AtomicState, message: Element, version: Integer) -> Formula:
        return self.has_made(s.store, message, version)

    def has_sent(self, s: AtomicState, message: Element, version: Integer) -> Formula:
        return s.output.contains(self.sent(id=message, ver=version))
