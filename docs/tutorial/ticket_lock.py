"""Clients draw tickets, and whoever has the ticket that is served holds the lock."""

from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Option,
    Protocol,
    Range,
    Set,
    State,
    Step,
    action,
    forall,
    invariant,
    lemma,
)


class TicketLock(Protocol):
    """Clients take turns holding a lock, in the order of their tickets."""

    clients = IndexSetConstant(3, "who wants the lock", kind="client")
    last_ticket = IntegerConstant(3, "the last ticket, the first being 0")

    @property
    def tickets(self):
        return Range(0, self.last_ticket)

    @property
    def counts(self):
        return Range(0, self.last_ticket + 1)

    def state(self):
        return State(
            drawn=self.counts,
            served=self.counts,
            ticket=Function(self.clients, Option(self.tickets)),
            holders=Set(self.clients),
        )

    def init(self, s):
        nobody = forall(s.ticket[c].is_none for c in self.clients)
        return [s.drawn == 0, s.served == 0, nobody, s.holders.is_empty]

    @action(client="clients")
    def draw(self, s, client):
        return Step(
            when=[s.ticket[client].is_none, s.drawn <= self.last_ticket],
            then={s.ticket[client]: s.drawn, s.drawn: s.drawn + 1},
        )

    @action(client="clients")
    def enter(self, s, client):
        return Step(when=[s.ticket[client] == s.served], then={s.holders: s.holders.add(client)})

    @action(client="clients")
    def leave(self, s, client):
        return Step(
            when=[s.holders.contains(client)],
            then={s.holders: s.holders.remove(client), s.ticket[client]: None, s.served: s.served + 1},
        )

    @invariant
    def mutual_exclusion(self, s):
        """At most one client holds the lock."""
        return forall(a == b for a in s.holders for b in s.holders)

    @lemma
    def holder_is_served(self, s):
        """A client enters with the ticket that is served, and the count moves on when it leaves."""
        return forall(s.ticket[c] == s.served for c in s.holders)

    @lemma
    def tickets_differ(self, s):
        """Each ticket is drawn once."""
        return forall(
            (a == b) | s.ticket[a].is_none | (s.ticket[a] != s.ticket[b])
            for a in self.clients
            for b in self.clients
        )

    @lemma
    def tickets_were_drawn(self, s):
        """A ticket is given out when the count passes it."""
        return forall(s.ticket[c] != t for c in self.clients for t in self.tickets if t >= s.drawn)
