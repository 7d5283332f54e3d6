"""``bookkeeper``: how writer and recovery replace bookies that time out."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Integer
from verifier.encodings.quantifiers import comprehension, function, if_
from verifier.encodings.values import OptionValue
from verifier.specs.bookkeeper.clients import Clients, ClientsState
from verifier.specs.bookkeeper.exchange import LOST, PROCESSED, Counts
from verifier.specs.protocol import Step


class EnsembleChanges(Clients):
    """Replacement of bookies that time out, by writer and recovery."""

    def change_ensemble(self, s: ClientsState, client: Element, ensemble: SetValue[Element]) -> Step:
        """A client replaces the bookies of its ensemble that timed out on its adds.

        The new fragment begins with the first entry that is not committed, and takes the place of one that
        begins there. Bookies replaced no longer count for such entries, which can so lose their ack quorum.
        All pending adds were sent to the current ensemble: those of an earlier change go first, which only
        makes for fewer states.
        """
        c, current = s.clients[client], self.ensemble(s, client)
        failed = comprehension(b for b in current if self.has_write_timeout(s, client, b))
        selects = Step(
            when=[
                self.no_pending_resends(s, client),
                ~failed.is_empty,
                self.selects_ensemble(s, ensemble, current - failed, failed),
            ],
            then={
                c.fragments: c.fragments.updated(c.lac + 1, ensemble),
                c.confirmed: function(
                    if_(e > c.lac, c.confirmed[e] - failed, c.confirmed[e]) for e in self.ids
                ),
            },
        )
        return selects & self.clear_write_timeouts(s, client, failed)

    def clear_write_timeouts(self, s: ClientsState, client: Element, failed: SetValue[Element]) -> Step:
        """Forget the lost adds to these bookies: they were acted upon."""

        def clear(count: OptionValue[Integer], bookie: Element) -> OptionValue[Integer]:
            return if_(failed.contains(bookie) & (count == LOST), PROCESSED, count)

        def all_cleared(counts: Counts) -> Counts:
            return function(clear(counts[b], b) for b in self.bookies)

        requests = s.add_requests[client]
        confirmations, refusals = s.add_confirmations[client], s.add_refusals[client]
        return Step(
            then={
                requests: function(
                    function(all_cleared(requests[e][lac]) for lac in self.lacs) for e in self.ids
                ),
                confirmations: function(all_cleared(confirmations[e]) for e in self.ids),
                refusals: function(all_cleared(refusals[e]) for e in self.ids),
            }
        )
