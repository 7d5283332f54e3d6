"""The state of ``bookkeeper-4-13``: the ledger, its two writers, and the messages that they exchange."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer, field, variable
from verifier.encodings.expressions import literal, set_of
from verifier.encodings.quantifiers import exists, function, if_
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set
from verifier.specs.bookkeeper.exchange import (
    LOST,
    PROCESSED,
    Adder,
    Counts,
    Exchange,
    ExchangeState,
    FenceResponse,
    Name,
)
from verifier.specs.bookkeeper.ledger import METADATA_LANE
from verifier.specs.protocol import BooleanConstant, Call, Drawing, Lane, Mail, Step

W1_STATUS = Option(Enum("w1 status", ("OPEN", "CLOSED", "INVALID")))
W2_STATUS = Option(Enum("w2 status", ("IN_RECOVERY", "CLOSED", "INVALID")))
PHASE = Enum("recovery phase", ("NOT_STARTED", "FENCING", "READ", "PENDING_READ_RESPONSE", "WRITE"))


class Writer(Adder):
    """The writer's knowledge of the ledger and of its adds."""

    def __init__(self, ledger: Clients413) -> None:
        self.status = field(W1_STATUS)
        self.ensemble = field(ledger.ensembles)
        self.meta_version = field(Option(Range(1, ledger.versions.high)))
        self.pending_add_ops = field(Function(ledger.ids, ledger.ensembles))
        self.lap = field(Range(0, ledger.send_limit))
        self.lac = field(Range(0, ledger.send_limit))
        self.confirmed = field(Function(ledger.ids, ledger.ensembles))


class Recovery(Adder):
    """The knowledge of the client that recovers the ledger."""

    def __init__(self, ledger: Clients413) -> None:
        self.status = field(W2_STATUS)
        self.meta_version = field(Option(Range(1, ledger.versions.high)))
        self.pending_add_ops = field(Function(ledger.ids, ledger.ensembles))
        self.lap = field(Range(0, ledger.send_limit))
        self.lac = field(Range(0, ledger.send_limit))
        self.confirmed = field(Function(ledger.ids, ledger.ensembles))
        self.data = field(Function(ledger.ids, Option(ledger.ids)))
        self.fenced = field(Set(ledger.bookies))
        self.curr_read_entry = field(Option(ledger.ids))
        self.has_entry = field(Set(ledger.bookies))
        self.no_such_entry = field(Set(ledger.bookies))
        self.recovery_phase = field(PHASE)


class State413(ExchangeState):
    """The ledger, its two writers, and the messages between them and the bookies."""

    def __init__(self, ledger: Clients413) -> None:
        super().__init__(ledger)
        to_bookies = ledger.to_bookies
        adds = Function(ledger.ids, Function(ledger.lacs, to_bookies))
        self.w1 = variable(Record(Writer(ledger)))
        self.w2 = variable(Record(Recovery(ledger)))
        self.add_requests = variable(Function(ledger.WRITERS, adds))
        self.add_confirmations = variable(Function(ledger.WRITERS, Function(ledger.ids, to_bookies)))
        self.add_refusals = variable(Function(ledger.ids, to_bookies))
        self.fence_requests = variable(to_bookies)
        self.fence_responses = variable(Function(ledger.bookies, Record(FenceResponse(ledger))))
        self.read_requests = variable(Function(ledger.next_ids, to_bookies))
        self.read_responses = variable(
            Function(ledger.answers, Function(ledger.bookies, ledger.read_response))
        )


class Clients413(Exchange[State413]):
    """A ledger with one writer and one client that recovers it."""

    recovery_reads_fence = BooleanConstant(False, "whether a recovery read fences the bookie")

    WRITERS = Enum("writer", ("w1", "w2"))

    drawing = Drawing(
        lanes=(
            METADATA_LANE,
            Lane("w1", ("w1",), ("W1*",)),
            "bookies",
            Lane("w2", ("w2",), ("W2*",)),
        ),
        messages=(
            Call(("W1CreatesLedger", "W1ChangesEnsemble", "W1CloseLedger*"), "w1", "metadata"),
            Call(("W2PlaceInRecovery", "W2ChangesEnsemble", "W2ClosesLedger"), "w2", "metadata"),
            Mail("add_requests[writer][entry][lac][bookie]", "writer", "bookie", "add {entry}"),
            Mail("add_confirmations[writer][entry][bookie]", "bookie", "writer", "has {entry}"),
            Mail("add_refusals[entry][bookie]", "bookie", "w1", "fenced"),
            Mail("fence_requests[bookie]", "w2", "bookie", "fence"),
            Mail("fence_responses[bookie].count", "bookie", "w2", "is fenced"),
            Mail("read_requests[entry][bookie]", "w2", "bookie", "read {entry}"),
            Mail("read_responses[entry][bookie].count", "bookie", "w2", "entry {entry}"),
        ),
    )

    @property
    def answers(self) -> Option[Integer]:
        """The possible answers to a read: an entry, or none."""
        return Option(self.ids)

    @property
    def versions(self) -> Range:
        """Creating, recovering, closing, and changes of ensemble, each of which costs a message lost; there
        are none where an ensemble has all bookies."""
        lost = self.bookies.size * self.send_limit * (self.send_limit + 1)
        return Range(0, 3 + lost * (self.bookies.size - self.write_quorum))

    def state(self) -> State413:
        return State413(self)

    def is_any_lost(self, s: State413) -> Formula:
        return exists(
            exists(self.has_write_timeout(s, w, b) for w in self.WRITERS)
            | (s.fence_requests[b] == LOST)
            | (s.fence_responses[b].count == LOST)
            | self.has_read_timeout(s, b)
            for b in self.bookies
        )

    # What writers know

    def adder(self, s: State413, client: Name) -> Writer | Recovery:
        """The writer's knowledge."""
        return s.w1 if client == "w1" else s.w2

    def ensemble(self, s: State413, client: Name) -> SetValue[Element]:
        """The ensemble of the writer's current fragment; that of the recovery is the last one there is."""
        return s.w1.ensemble if client == "w1" else self.last_fragment(s.meta_fragments)

    def as_writer(self, client: Name) -> Element:
        """The writer of that name."""
        return literal(self.WRITERS, client) if isinstance(client, str) else client

    def is_refused(self, s: State413, client: Name, entry: Integer, bookie: Element, count: int) -> Formula:
        """There is a fenced response with this count; only w1 gets any."""
        return (self.as_writer(client) == "w1") & (s.add_refusals[entry][bookie] == count)

    def has_read_timeout(self, s: State413, bookie: Element) -> Formula:
        """A read of the bookie, or the answer to one, is lost."""
        return exists(s.read_requests[e][bookie] == LOST for e in self.next_ids) | exists(
            s.read_responses[e][bookie].count == LOST for e in self.answers
        )

    # Changes of ensemble

    def can_change_ensemble(self, s: State413, writer: str, bookie: Element, status: str) -> Step:
        """All pending adds were sent to the current ensemble, and a bookie of it failed."""
        w, current = self.adder(s, writer), self.ensemble(s, writer)
        return Step(
            when=[
                w.status == status,
                s.meta_status == status,
                self.no_pending_resends(s, writer),
                w.meta_version == s.meta_version,
                current.contains(bookie),
                self.has_write_timeout(s, writer, bookie),
            ]
        )

    def replacing(
        self, s: State413, writer: str, bookie: Element
    ) -> tuple[SetValue[Element], SetValue[Element]]:
        """The bookies that an ensemble without this one must and must not have."""
        return self.ensemble(s, writer).remove(bookie), set_of(self.bookies, bookie)

    def is_valid_next_fragment(self, s: State413, first_entry: Integer) -> Formula:
        """No fragment begins later."""
        return ~exists((f > first_entry) & ~s.meta_fragments[f].is_empty for f in self.next_ids)

    def change_ensemble(
        self, s: State413, writer: str, bookie: Element, ensemble: SetValue[Element], status: str
    ) -> Step:
        """A writer replaces a bookie that timed out, in the metadata at once, the recovery too.

        The new fragment begins with the first entry that is not committed, and takes the place of one that
        begins there. The bookie no longer counts for such entries, which can so lose their ack quorum.
        """
        w = self.adder(s, writer)
        replaces = Step(
            when=[
                self.is_valid_next_fragment(s, w.lac + 1),
                self.selects_ensemble(s, ensemble, *self.replacing(s, writer, bookie)),
            ],
            then={
                s.meta_fragments[w.lac + 1]: ensemble,
                s.meta_version: s.meta_version + 1,
                w.meta_version: s.meta_version + 1,
                w.confirmed: function(
                    if_(e > w.lac, w.confirmed[e].remove(bookie), w.confirmed[e]) for e in self.ids
                ),
            },
        )
        keeps = Step(then={s.w1.ensemble: ensemble} if writer == "w1" else {})
        possible = self.can_change_ensemble(s, writer, bookie, status)
        return possible & replaces & self.clear_write_timeouts(s, writer, bookie) & keeps

    def clear_write_timeouts(self, s: State413, writer: str, bookie: Element) -> Step:
        """Forget the writer's lost adds to the bookie: they were acted upon."""

        def clear(counts: Counts) -> Counts:
            return counts.updated(bookie, if_(counts[bookie] == LOST, PROCESSED, counts[bookie]))

        requests, confirmations = s.add_requests[writer], s.add_confirmations[writer]
        refusals = {s.add_refusals: function(clear(s.add_refusals[e]) for e in self.ids)}
        return Step(
            then={
                requests: function(function(clear(requests[e][lac]) for lac in self.lacs) for e in self.ids),
                confirmations: function(clear(confirmations[e]) for e in self.ids),
                **(refusals if writer == "w1" else {}),
            }
        )

    def invalid_ensemble_change(
        self, s: State413, writer: str, bookie: Element, ensemble: SetValue[Element], status: str
    ) -> Step:
        """A change of ensemble that would put a fragment before another."""
        w = self.adder(s, writer)
        is_invalid = Step(
            when=[
                ~self.is_valid_next_fragment(s, w.lac + 1),
                self.is_valid_ensemble(s, ensemble, *self.replacing(s, writer, bookie)),
            ],
            then={w.status: "INVALID"},
        )
        return self.can_change_ensemble(s, writer, bookie, status) & is_invalid
