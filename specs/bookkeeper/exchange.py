"""Messages between clients and bookies, as far as both BookKeeper protocols have them.

A message is known by its delivery count: none if it was never sent, else lost, processed or deliverable.
A lost message is what a client sees as a time-out; once it has acted upon that, the message counts as
processed, so that it does so once. Messages are delivered in any order, but those that add entries from
one client to one bookie, and the answers to them, are taken in the order of the entries.
"""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Fields, Formula, Integer, field
from verifier.encodings.quantifiers import all_of, comprehension, exists, forall, function, if_, maximum
from verifier.encodings.sorts import Function, Option, Range, Record
from verifier.encodings.values import FunctionValue, OptionValue
from verifier.specs.bookkeeper.ledger import Ensembles, Ledger, LedgerState
from verifier.specs.protocol import Step

LOST, PROCESSED, DELIVERABLE = -1, 0, 1
COUNT = Option(Range(LOST, DELIVERABLE))

Counts: TypeAlias = FunctionValue[Element, OptionValue[Integer]]
"""The delivery counts of the same message to each bookie, or from each."""
Name: TypeAlias = Element | str
"""A client, as an expression or by its name."""


class ReadResponse(Fields):
    """The answer to a read."""

    def __init__(self, ledger: Ledger) -> None:
        self.count = field(COUNT)
        self.data = field(Option(ledger.ids))


class FenceResponse(Fields):
    """The answer to a fencing read: the last add confirmed."""

    def __init__(self, ledger: Ledger) -> None:
        self.count = field(COUNT)
        self.lac = field(ledger.lacs)


class Adder(Fields):
    """The knowledge of a client that adds entries: of both protocols, and so declared by their own
    records."""

    pending_add_ops: Ensembles
    lap: Integer
    lac: Integer
    confirmed: Ensembles


class ExchangeState(LedgerState):
    """The messages that add entries, which the states of both protocols declare."""

    add_requests: FunctionValue[Element, FunctionValue[Integer, FunctionValue[Integer, Counts]]]
    add_confirmations: FunctionValue[Element, FunctionValue[Integer, Counts]]


S = TypeVar("S", bound=ExchangeState)


class Exchange(Ledger, Generic[S]):
    """A ledger whose clients add entries and whose bookies answer them."""

    @property
    def to_bookies(self) -> Function[Element, OptionValue[Integer]]:
        """The count of the same message to each bookie, or from each."""
        return Function(self.bookies, COUNT)

    @property
    def read_response(self) -> Record[ReadResponse]:
        """The answer to a read: the entry's content, none where the bookie does not have it."""
        return Record(ReadResponse(self))

    # What each protocol says in its own way

    def adder(self, s: S, client: Name) -> Adder:
        """The client's knowledge of its adds."""
        raise NotImplementedError

    def ensemble(self, s: S, client: Name) -> SetValue[Element]:
        """The ensemble of the client's current fragment."""
        raise NotImplementedError

    def is_refused(self, s: S, client: Name, entry: Integer, bookie: Element, count: int) -> Formula:
        """There is a fenced response to an add of the client's, with this count."""
        raise NotImplementedError

    def is_any_lost(self, s: S) -> Formula:
        """True if some message is lost and its time-out not acted upon."""
        raise NotImplementedError

    # Sending and receiving

    def sent_count(self, lost: Formula) -> Integer:
        """The count of a message just sent."""
        return if_(lost, LOST, DELIVERABLE)

    def may_lose(self, s: S, number: Integer) -> Formula:
        """True if so many messages may be lost in this step."""
        if self.losses == "any":
            return all_of()
        if self.losses == "none":
            return number == 0
        return (number == 0) | ((number == 1) & ~self.is_any_lost(s))

    def send_to_ensemble(
        self, s: S, requests: Counts, ensemble: SetValue[Element], lost: SetValue[Element]
    ) -> Step:
        """A message goes to each bookie of the ensemble, none of which was sent it before; some are lost."""
        return Step(
            when=[
                forall(requests[b].is_none for b in ensemble),
                lost <= ensemble,
                self.may_lose(s, lost.cardinality),
            ],
            then={
                requests: function(
                    if_(ensemble.contains(b), self.sent_count(lost.contains(b)), requests[b])
                    for b in self.bookies
                )
            },
        )

    def process_and_send(
        self, s: S, request: OptionValue[Integer], response: OptionValue[Integer], lost: Formula
    ) -> Step:
        """A message is processed, and another is sent that was never sent before; it may be lost."""
        return Step(
            when=[request == DELIVERABLE, response.is_none, self.may_lose(s, if_(lost, 1, 0))],
            then={request: PROCESSED, response: self.sent_count(lost)},
        )

    # Adds and the answers to them

    def is_add_lost(self, s: S, client: Name, entry: Integer, bookie: Element) -> Formula:
        """An add of this entry, or the response to one, is lost."""
        return (
            exists(s.add_requests[client][entry][lac][bookie] == LOST for lac in self.lacs)
            | (s.add_confirmations[client][entry][bookie] == LOST)
            | self.is_refused(s, client, entry, bookie, LOST)
        )

    def has_write_timeout(self, s: S, client: Name, bookie: Element) -> Formula:
        """An add of the client's to the bookie, or the response to one, is lost."""
        return exists(self.is_add_lost(s, client, e, bookie) for e in self.ids)

    def is_earliest_request(self, s: S, client: Name, bookie: Element, entry: Integer) -> Formula:
        """No add of an earlier entry is on its way from the client to the bookie."""
        requests = s.add_requests[client]
        return ~exists(
            (e < entry) & (requests[e][lac][bookie] == DELIVERABLE) for e in self.ids for lac in self.lacs
        )

    def is_earliest_response(self, s: S, client: Name, bookie: Element, entry: Integer) -> Formula:
        """No response to an add of an earlier entry is on its way from the bookie to the client."""

        def is_answered(e: Integer) -> Formula:
            confirmed = s.add_confirmations[client][e][bookie] == DELIVERABLE
            return confirmed | self.is_refused(s, client, e, bookie, DELIVERABLE)

        return ~exists((e < entry) & is_answered(e) for e in self.ids)

    def send_add_entry_requests(
        self, s: S, client: Name, entry: Integer, receivers: SetValue[Element], lost: SetValue[Element]
    ) -> Step:
        """Adds of the entry, each with the client's last add confirmed, which the bookie keeps with it."""
        requests = s.add_requests[client][entry][self.adder(s, client).lac]
        return self.send_to_ensemble(s, requests, receivers, lost)

    def receive_add_confirmed_response(self, s: S, client: Name, bookie: Element, entry: Integer) -> Step:
        """A client learns that a bookie of its ensemble has an entry.

        The last add confirmed moves to the last entry that has reached the ack quorum with all before it: so
        far entries are acknowledged to the caller, and no longer pending.
        """
        c, response = self.adder(s, client), s.add_confirmations[client][entry][bookie]
        confirmed = c.confirmed.updated(entry, c.confirmed[entry].add(bookie))
        lac = self.max_contiguous_confirmed_entry(confirmed)
        return Step(
            when=[
                response == DELIVERABLE,
                self.is_earliest_response(s, client, bookie, entry),
                self.ensemble(s, client).contains(bookie),
            ],
            then={
                c.confirmed: confirmed,
                c.lac: maximum(c.lac, lac),
                c.pending_add_ops: self.still_pending(c.pending_add_ops, confirmed, lac),
                response: PROCESSED,
            },
        )

    def max_contiguous_confirmed_entry(self, confirmed: Ensembles) -> Integer:
        """The last entry up to which all have reached the ack quorum."""

        def is_reached(entry: Integer) -> Formula:
            return forall(confirmed[e].cardinality >= self.ack_quorum for e in self.ids if e <= entry)

        return comprehension(entry for entry in Range(0, self.send_limit) if is_reached(entry)).maximum

    def still_pending(self, pending: Ensembles, confirmed: Ensembles, lac: Integer) -> Ensembles:
        """The pending adds without those committed."""
        return function(
            if_((confirmed[e].cardinality < self.ack_quorum) | (e > lac), pending[e], self.nobody)
            for e in self.ids
        )

    # Adds that a change of ensemble leaves pending

    def no_pending_resends(self, s: S, client: Name) -> Formula:
        """Every pending add was sent to the current ensemble, so another change of it may begin."""
        pending, current = self.adder(s, client).pending_add_ops, self.ensemble(s, client)
        return forall(pending[e].is_empty | (pending[e] == current) for e in self.ids)

    def resend_pending_add_op(self, s: S, client: Name, entry: Integer, lost: SetValue[Element]) -> Step:
        """A pending add goes to the bookies that are new in the ensemble, the first entry first."""
        pending, current = self.adder(s, client).pending_add_ops, self.ensemble(s, client)
        last_sent = pending[entry]
        needs_resend = Step(
            when=[
                ~last_sent.is_empty & (last_sent != current),
                ~exists((e < entry) & (pending[e] == last_sent) for e in self.ids),
            ],
            then={last_sent: current},
        )
        return needs_resend & self.send_add_entry_requests(s, client, entry, current - last_sent, lost)

    def not_sent_write(self, s: S, client: Name, entry: Integer) -> Formula:
        """A recovery is to write the entry back, and has sent no add of it."""
        is_unsent = forall(
            s.add_requests[client][entry][lac][b].is_none for lac in self.lacs for b in self.bookies
        )
        return ~self.adder(s, client).pending_add_ops[entry].is_empty & is_unsent

    def write_back_entry(self, s: S, client: Name, entry: Integer, lost: SetValue[Element]) -> Step:
        """A recovery writes the first entry that it read and did not write yet, to its current ensemble: not
        to that which it read from, as bookies can time out here, too."""
        is_first = Step(
            when=[
                self.not_sent_write(s, client, entry),
                ~exists((e < entry) & self.not_sent_write(s, client, e) for e in self.ids),
            ]
        )
        return is_first & self.send_add_entry_requests(s, client, entry, self.ensemble(s, client), lost)

    # What bookies answer

    def confirm_add(
        self,
        s: S,
        client: Name,
        bookie: Element,
        entry: Integer,
        lac: Integer,
        data: OptionValue[Integer] | Integer,
        lost: Formula,
    ) -> Step:
        """A bookie stores an entry with the last add confirmed that came with it, and says so."""
        stores = Step(
            when=[self.is_earliest_request(s, client, bookie, entry)],
            then={s.b_entries[bookie][entry]: data, s.b_lac[bookie]: lac},
        )
        request = s.add_requests[client][entry][lac][bookie]
        return stores & self.process_and_send(s, request, s.add_confirmations[client][entry][bookie], lost)

    def answer_fencing_read(
        self, s: S, bookie: Element, request: OptionValue[Integer], response: FenceResponse, lost: Formula
    ) -> Step:
        """A bookie fences the ledger, whether it has seen it or not, and tells its last add confirmed: it may
        be in the ensemble and yet to get its first add, which must not be confirmed then."""
        fences = Step(then={s.b_fenced: s.b_fenced.add(bookie), response.lac: s.b_lac[bookie]})
        return fences & self.process_and_send(s, request, response.count, lost)

    def answer_read(
        self,
        s: S,
        bookie: Element,
        request: OptionValue[Integer],
        response: ReadResponse,
        data: OptionValue[Integer],
        fences: bool,
        lost: Formula,
    ) -> Step:
        """A bookie answers a read with the entry or that it has none, and may fence the ledger by that."""
        fenced = s.b_fenced.add(bookie) if fences else s.b_fenced
        tells = Step(then={s.b_fenced: fenced, response.data: data})
        return tells & self.process_and_send(s, request, response.count, lost)
