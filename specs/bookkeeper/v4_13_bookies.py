"""``bookkeeper-4-13``: the bookies, which store entries, answer writers, and are fenced by the recovery."""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.expressions import some
from verifier.encodings.quantifiers import if_
from verifier.specs.bookkeeper.v4_13_clients import Clients413, State413
from verifier.specs.protocol import Step, action, free


class Bookies413(Clients413):
    """Bookies that store entries and answer both writers."""

    @action(writer="WRITERS", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_confirmed_response(
        self, s: State413, writer: Element, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A bookie stores an entry and confirms it, unless it is fenced; adds of the recovery it takes even
        then, since the recovery must write back what it has read."""
        takes = Step(when=[~s.b_fenced.contains(bookie) | (writer == "w2")])
        data = if_(writer == "w1", entry, s.w2.data[entry])
        return takes & self.confirm_add(s, writer, bookie, entry, lac, data, lost)

    @action(bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_fenced_response(
        self, s: State413, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A fenced bookie refuses an add of w1's."""
        refuses = Step(when=[s.b_fenced.contains(bookie), self.is_earliest_request(s, "w1", bookie, entry)])
        request = s.add_requests["w1"][entry][lac][bookie]
        return refuses & self.process_and_send(s, request, s.add_refusals[entry][bookie], lost)

    @action(bookie="bookies", lost=free("LOSS"))
    def bookie_sends_fencing_read_lac_response(self, s: State413, bookie: Element, lost: Formula) -> Step:
        """A bookie fences the ledger and tells its last add confirmed."""
        return self.answer_fencing_read(s, bookie, s.fence_requests[bookie], s.fence_responses[bookie], lost)

    @action(bookie="bookies", entry="next_ids", lost=free("LOSS"))
    def bookie_sends_read_response(self, s: State413, bookie: Element, entry: Integer, lost: Formula) -> Step:
        """A bookie answers a read with the entry or that it has none; it says the latter only once. Where it
        is not fenced by the read, it can still take and confirm the entry that it said not to have."""
        data = self.stored_value(s, bookie, entry)
        answer = if_(data.is_some, some(entry), None)
        request, response = s.read_requests[entry][bookie], s.read_responses[answer][bookie]
        return self.answer_read(s, bookie, request, response, data, self.recovery_reads_fence, lost)
