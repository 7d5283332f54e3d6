"""Mutual exclusion without a server: processes order their requests by logical clocks.

Source: Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, CACM 21(7), 1978,
doi:10.1145/359545.359563; tlaplus/Examples, ``specifications/lamport_mutex/LamportMutex.tla``, and for the
lemmas ``LamportMutex_proofs.tla``. The constraint bounds clocks, as there. That no channel holds more than
three messages is part of the type invariant here.
"""

from __future__ import annotations

from typing import TypeAlias

from verifier import (
    BooleanConstant,
    Enum,
    Fairness,
    Fields,
    Formula,
    Function,
    FunctionValue,
    Integer,
    IntegerConstant,
    Members,
    Protocol,
    Range,
    Record,
    Sequence,
    SequenceValue,
    Set,
    State,
    Step,
    TemporalFormula,
    action,
    exists,
    field,
    for_each,
    forall,
    function,
    if_,
    invariant,
    leads_to,
    lemma,
    maximum,
    member,
    step_invariant,
    temporal,
    variable,
    weak,
)


class Kind(Members):
    """The types of messages."""

    REQ = member("req")
    ACK = member("ack")
    REL = member("rel")


class Message(Fields):
    """A message; only a request has a clock, others have 0."""

    def __init__(self, p: LamportMutex) -> None:
        self.type = field(Enum(Kind))
        self.clock = field(p.clock_or_none)


Channels: TypeAlias = FunctionValue[Integer, SequenceValue[Message]]


class MutexState(State):
    """What processes know, and the channels."""

    def __init__(self, p: LamportMutex) -> None:
        self.clock = variable(Function(p.proc, Range(1, p.max_clock + 1)))
        self.req = variable(Function(p.proc, Function(p.proc, p.clock_or_none)))
        self.ack = variable(Function(p.proc, Set(p.proc)))
        self.network = variable(Function(p.proc, Function(p.proc, Sequence(Record(Message(p)), 3))))
        self.crit = variable(Set(p.proc))


class LamportMutex(Protocol, camel_case=True):
    """At most one process is in the critical section."""

    n = IntegerConstant(2, "how many processes there are", minimum=2)
    max_clock = IntegerConstant(3, "the last clock", minimum=1)
    breaks_ties = BooleanConstant(True, "of requests with the same clock that of the lower process is first")

    @property
    def proc(self) -> Range:
        """The processes."""
        return Range(1, self.n)

    @property
    def clock_or_none(self) -> Range:
        """The clocks of requests, and 0 for none."""
        return Range(0, self.max_clock)

    def state(self) -> MutexState:
        return MutexState(self)

    def init(self, s: MutexState) -> list[Formula]:
        return [
            forall((s.clock[p] == 1) & s.ack[p].is_empty for p in self.proc),
            forall((s.req[p][q] == 0) & s.network[p][q].is_empty for p in self.proc for q in self.proc),
            s.crit.is_empty,
        ]

    def constraint(self, s: MutexState) -> Formula:
        return forall(s.clock[p] <= self.max_clock for p in self.proc)

    def beats(self, s: MutexState, p: Integer, q: Integer) -> Formula:
        """The first process believes that its request comes before that of the second."""
        mine, other = s.req[p][p], s.req[p][q]
        return (other == 0) | (mine < other) | ((mine == other) & ((p < q) | (not self.breaks_ties)))

    def broadcast(self, s: MutexState, p: Integer, kind: Kind, clock: Integer | int) -> Channels:
        """The channels from a process, with a message in all but its own."""
        m = {"type": kind, "clock": clock}
        return function(if_(r == p, s.network[p][r], s.network[p][r].append(m)) for r in self.proc)

    @action(p="proc")
    def request(self, s: MutexState, p: Integer) -> Step:
        """A process asks all others for access."""
        return Step(
            when=s.req[p][p] == 0,
            then={
                s.req[p][p]: s.clock[p],
                s.network[p]: self.broadcast(s, p, Kind.REQ, s.clock[p]),
                s.ack[p]: {p},
            },
        )

    @action(p="proc", q="proc")
    def receive_request(self, s: MutexState, p: Integer, q: Integer) -> Step:
        """A process receives a request and acknowledges it."""
        m = s.network[q][p].head
        return Step(
            when=[p != q, ~s.network[q][p].is_empty, m.type == Kind.REQ],
            then={
                s.req[p][q]: m.clock,
                s.clock[p]: maximum(m.clock, s.clock[p]) + 1,
                s.network[q][p]: s.network[q][p].tail,
                s.network[p][q]: s.network[p][q].append({"type": Kind.ACK, "clock": 0}),
            },
        )

    @action(p="proc", q="proc")
    def receive_ack(self, s: MutexState, p: Integer, q: Integer) -> Step:
        """A process receives an acknowledgement."""
        return Step(
            when=[p != q, ~s.network[q][p].is_empty, s.network[q][p].head.type == Kind.ACK],
            then={s.ack[p]: s.ack[p].add(q), s.network[q][p]: s.network[q][p].tail},
        )

    @action(p="proc")
    def enter(self, s: MutexState, p: Integer) -> Step:
        """A process enters the critical section: all have acknowledged, and its request is the first."""
        return Step(
            when=[s.ack[p] == self.proc, forall(self.beats(s, p, q) for q in self.proc if q != p)],
            then={s.crit: s.crit.add(p)},
        )

    @action(p="proc")
    def exit(self, s: MutexState, p: Integer) -> Step:
        """A process leaves the critical section, and tells all others."""
        return Step(
            when=s.crit.contains(p),
            then={
                s.crit: s.crit.remove(p),
                s.network[p]: self.broadcast(s, p, Kind.REL, 0),
                s.req[p][p]: 0,
                s.ack[p]: set(),
            },
        )

    @action(p="proc", q="proc")
    def receive_release(self, s: MutexState, p: Integer, q: Integer) -> Step:
        """A process learns that another has left the critical section."""
        return Step(
            when=[p != q, ~s.network[q][p].is_empty, s.network[q][p].head.type == Kind.REL],
            then={s.req[p][q]: 0, s.network[q][p]: s.network[q][p].tail},
        )

    @invariant
    def mutex(self, s: MutexState) -> Formula:
        """At most one process is in the critical section."""
        return forall(p == q for p in s.crit for q in s.crit)

    @step_invariant
    def clocks_never_fall(self, s: MutexState, after: MutexState) -> Formula:
        """No clock goes back."""
        return forall(s.clock[p] <= after.clock[p] for p in self.proc)

    @temporal
    def granted(self, s: MutexState) -> TemporalFormula:
        """Who requests enters the critical section some time."""
        return for_each(self.proc, lambda p: leads_to(s.req[p][p] > 0, s.crit.contains(p)))

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Each channel delivers, and each process enters and leaves where it can; none need request."""
        channels = ("receive_request", "receive_ack", "receive_release")
        deliver = [weak(name, each=("p", "q")) for name in channels]
        enter = weak("enter", each="p")
        leave = weak("exit", each="p")
        return {"deliver-enter-leave": [*deliver, enter, leave], "deliver-enter": [*deliver, enter]}

    # Why at most one process is in the critical section

    @property
    def place(self) -> Range:
        """The places in a channel."""
        return Range(0, 2)

    def holds(self, channel: SequenceValue[Message], kind: Kind) -> Formula:
        """The channel has a message of this type."""
        return exists(m.type == kind for m in channel.elements)

    def precedes(self, channel: SequenceValue[Message], one: Kind, other: Kind) -> Formula:
        """In the channel messages of one type come before those of another."""
        return forall(
            ((channel[i].type == one) & (channel[j].type == other)).implies(i < j)
            for i in self.place
            if i < channel.length
            for j in self.place
            if j < channel.length
        )

    @lemma
    def network_inv(self, s: MutexState) -> Formula:
        """A channel has at most one message of each type, and none from a process to itself."""
        return forall(
            s.network[p][p].is_empty
            & forall(
                (s.network[p][q][i].type == s.network[p][q][j].type).implies(i == j)
                for i in self.place
                if i < s.network[p][q].length
                for j in self.place
                if j < s.network[p][q].length
            )
            for p in self.proc
            for q in self.proc
        )

    @lemma
    def comm_inv(self, s: MutexState) -> Formula:
        """A request is on its way, or its acknowledgement is, or it is acknowledged."""

        def idle(p: Integer) -> Formula:
            free = (s.req[p][p] == 0) & s.ack[p].is_empty & ~s.crit.contains(p)
            return free & forall(
                ~self.holds(s.network[p][q], Kind.REQ) & ~self.holds(s.network[q][p], Kind.ACK)
                for q in self.proc
            )

        def asks(p: Integer, q: Integer) -> Formula:
            pq, qp = s.network[p][q], s.network[q][p]
            received = ~self.holds(pq, Kind.REQ) & ~self.holds(pq, Kind.REL)
            return if_(
                s.ack[p].contains(q),
                received & ~self.holds(qp, Kind.ACK),
                (received & self.holds(qp, Kind.ACK))
                | (
                    self.holds(pq, Kind.REQ)
                    & ~self.holds(qp, Kind.ACK)
                    & self.precedes(pq, Kind.REL, Kind.REQ)
                ),
            )

        return forall(
            idle(p)
            | (
                (s.req[p][p] > 0)
                & s.ack[p].contains(p)
                & (s.crit.contains(p).implies(s.ack[p] == self.proc))
                & forall(asks(p, q) for q in self.proc)
            )
            for p in self.proc
        )

    @lemma
    def clock_inv(self, s: MutexState) -> Formula:
        """Who acknowledged a request knows its clock, is later, and what it asks for itself is later."""

        def later(p: Integer, q: Integer) -> Formula:
            qp, mine = s.network[q][p], s.req[p][p]
            asks_later = forall(m.clock > mine for m in qp.elements if m.type == Kind.REQ)
            return (
                (s.req[q][p] == mine)
                & (s.clock[q] > mine)
                & self.precedes(qp, Kind.ACK, Kind.REQ).implies(asks_later)
            )

        return forall(
            forall(m.clock == s.req[p][p] for m in s.network[p][q].elements if m.type == Kind.REQ)
            & (self.holds(s.network[q][p], Kind.ACK) | s.ack[p].contains(q)).implies(later(p, q))
            & s.crit.contains(p).implies(self.beats(s, p, q))
            for p in self.proc
            for q in self.proc
            if q != p
        )
