"""``bookkeeper``: the bookies, which store entries, answer clients, and are fenced by a recovery."""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, Integer
from verifier.specs.bookkeeper.clients import Clients, ClientsState
from verifier.specs.protocol import Step, action, free


class Bookies(Clients):
    """Bookies that store entries and answer clients."""

    @action(client="clients", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_confirmed_response(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A bookie stores an entry and confirms it, unless it is fenced; adds of a recovery it takes even
        then, since the recovery must write back what it has read."""
        takes = Step(when=[~s.b_fenced.contains(bookie) | self.is_recovering(s, client)])
        data = s.clients[client].data[entry]
        return takes & self.confirm_add(s, client, bookie, entry, lac, data, lost)

    @action(client="clients", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_fenced_response(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A fenced bookie refuses an add that is no recovery's."""
        refuses = Step(
            when=[
                ~self.is_recovering(s, client),
                s.b_fenced.contains(bookie),
                self.is_earliest_request(s, client, bookie, entry),
            ]
        )
        request = s.add_requests[client][entry][lac][bookie]
        return refuses & self.process_and_send(s, request, s.add_refusals[client][entry][bookie], lost)

    @action(client="clients", bookie="bookies", lost=free("LOSS"))
    def bookie_sends_fencing_read_lac_response(
        self, s: ClientsState, client: Element, bookie: Element, lost: Formula
    ) -> Step:
        """A bookie fences the ledger, whether it knows it or not, and tells its last add confirmed."""
        request, response = s.fence_requests[client][bookie], s.fence_responses[client][bookie]
        return self.answer_fencing_read(s, bookie, request, response, lost)

    @action(client="clients", bookie="bookies", entry="next_ids", lost=free("LOSS"))
    def bookie_sends_read_response(
        self, s: ClientsState, client: Element, bookie: Element, entry: Integer, lost: Formula
    ) -> Step:
        """A bookie answers a recovery read with the entry or that it has none, and fences the ledger: else an
        add that is on its way could still be confirmed after the bookie said that it has no such entry."""
        request, response = s.read_requests[client][entry][bookie], s.read_responses[client][entry][bookie]
        data = self.stored_value(s, bookie, entry)
        return self.answer_read(s, bookie, request, response, data, self.fence_recovery_reads, lost)
