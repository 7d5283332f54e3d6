"""A lock service with leases in front of a store."""

from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Option,
    Protocol,
    Range,
    State,
    Step,
    action,
    forall,
    if_,
    invariant,
    reachable,
)


class LeaseLock(Protocol):
    """Clients write to a store under a lease, which can run out while they pause."""

    clients = IndexSetConstant(2, "who wants to write", kind="client", minimum=2)
    last_token = IntegerConstant(2, "the last token that the service hands out", minimum=1)

    def state(self):
        token = Range(0, self.last_token)
        return State(
            holder=Option(self.clients),
            next_token=Range(0, self.last_token + 1),
            lease=Function(self.clients, Option(token)),
            stored=Option(token),
            newest=Option(token),
        )

    def init(self, s):
        return (
            s.holder.is_none
            & (s.next_token == 0)
            & forall(self.clients, lambda client: s.lease[client].is_none)
            & s.stored.is_none
            & s.newest.is_none
        )

    @action(client="clients")
    def acquire(self, s, client):
        """The service gives the free lock to a client, with the next token."""
        return Step(
            when=[s.holder.is_none, s.next_token <= self.last_token],
            then={s.holder: client, s.lease[client]: s.next_token, s.next_token: s.next_token + 1},
        )

    @action()
    def expire(self, s):
        """The lease runs out. Its holder does not notice: it may be paused."""
        return Step(when=[s.holder.is_some], then={s.holder: None})

    @action(client="clients")
    def write(self, s, client):
        """A client that believes in its lease writes; the store remembers whose write it holds."""
        token = s.lease[client]
        return Step(
            when=[token.is_some],
            then={s.stored: token, s.newest: self.newer(s.newest, token)},
        )

    def newer(self, one, other):
        """The newer of two tokens, none being older than all."""
        return if_(one.is_none | (other.value > one.value), other, one)

    @invariant()
    def no_lost_write(self, s):
        """The store holds the newest write: no older one came after it."""
        return s.stored == s.newest

    @reachable()
    def later_write(self, s):
        """A write under a later lease than the first gets through."""
        return s.stored.is_some & (s.stored.value > 0)
