"""The same, with a store that refuses tokens older than the newest it has seen."""

from __future__ import annotations

from verifier import (
    Element,
    Formula,
    Function,
    IndexSetConstant,
    Integer,
    IntegerConstant,
    Option,
    OptionValue,
    Protocol,
    Range,
    State,
    Step,
    action,
    forall,
    if_,
    invariant,
    reachable,
    variable,
)


class LockState(State):
    """What the service and the store know, and the lease that each client believes in."""

    def __init__(self, lock: LeaseLock) -> None:
        token = Range(0, lock.last_token)
        self.holder = variable(Option(lock.clients))
        self.next_token = variable(Range(0, lock.last_token + 1))
        self.lease = variable(Function(lock.clients, Option(token)))
        self.stored = variable(Option(token))
        self.newest = variable(Option(token))


class LeaseLock(Protocol):
    """Clients write to a store under a lease, which can run out while they pause."""

    clients = IndexSetConstant(2, "who wants to write", kind="client", minimum=2)
    last_token = IntegerConstant(2, "the last token that the service hands out", minimum=1)

    def state(self) -> LockState:
        return LockState(self)

    def init(self, s: LockState) -> Formula:
        return (
            s.holder.is_none
            & (s.next_token == 0)
            & forall(self.clients, lambda client: s.lease[client].is_none)
            & s.stored.is_none
            & s.newest.is_none
        )

    @action(client="clients")
    def acquire(self, s: LockState, client: Element) -> Step:
        """The service gives the free lock to a client, with the next token."""
        return Step(
            when=[s.holder.is_none, s.next_token <= self.last_token],
            then={s.holder: client, s.lease[client]: s.next_token, s.next_token: s.next_token + 1},
        )

    @action()
    def expire(self, s: LockState) -> Step:
        """The lease runs out. Its holder does not notice: it may be paused."""
        return Step(when=[s.holder.is_some], then={s.holder: None})

    @action(client="clients")
    def write(self, s: LockState, client: Element) -> Step:
        """A client that believes in its lease writes; the store remembers whose write it holds."""
        token = s.lease[client]
        return Step(
            when=[token.is_some, s.stored.is_none | (token.value >= s.stored.value)],
            then={s.stored: token, s.newest: self.newer(s.newest, token)},
        )

    def newer(self, one: OptionValue[Integer], other: OptionValue[Integer]) -> OptionValue[Integer]:
        """The newer of two tokens. A missing token counts as older than every token."""
        return if_(one.is_none | (other.value > one.value), other, one)

    @invariant()
    def no_lost_write(self, s: LockState) -> Formula:
        """The store holds the newest write: no older one came after it."""
        return s.stored == s.newest

    @reachable()
    def later_write(self, s: LockState) -> Formula:
        """Some write succeeds under a lease that is not the first."""
        return s.stored.is_some & (s.stored.value > 0)
