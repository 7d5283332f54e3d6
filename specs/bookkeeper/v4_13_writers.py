"""The state of ``bookkeeper-4-13``, its bookies, and what both of its writers do."""

from __future__ import annotations

from typing import Any

from verifier.encodings.declared import Element, Fields, Formula, Integer, field, variable
from verifier.encodings.quantifiers import exists, forall, function, if_, maximum
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set
from verifier.encodings.values import SetValue, literal, set_of, some
from verifier.specs.bookkeeper.ledger import (
    DELIVERABLE,
    LOST,
    METADATA_LANE,
    PROCESSED,
    Counts,
    FenceResponse,
    Ledger,
    LedgerState,
)
from verifier.specs.protocol import BooleanConstant, Call, Drawing, Lane, Mail, Step, action, free

W1_STATUS = Option(Enum("w1 status", ("OPEN", "CLOSED", "INVALID")))
W2_STATUS = Option(Enum("w2 status", ("IN_RECOVERY", "CLOSED", "INVALID")))
PHASE = Enum("recovery phase", ("NOT_STARTED", "FENCING", "READ", "PENDING_READ_RESPONSE", "WRITE"))


class Writer(Fields):
    """What the writer knows of the ledger, and of the adds that it has sent."""

    def __init__(self, ledger: Writers413) -> None:
        self.status = field(W1_STATUS)
        self.ensemble = field(ledger.ensembles)
        self.meta_version = field(Option(Range(1, ledger.versions.high)))
        self.pending_add_ops = field(Function(ledger.ids, ledger.ensembles))
        self.lap = field(Range(0, ledger.send_limit))
        self.lac = field(Range(0, ledger.send_limit))
        self.confirmed = field(Function(ledger.ids, ledger.ensembles))


class Recovery(Fields):
    """What the client knows that recovers the ledger."""

    def __init__(self, ledger: Writers413) -> None:
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


class State413(LedgerState):
    """The ledger, its two writers, and the messages between them and the bookies."""

    def __init__(self, ledger: Writers413) -> None:
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


class Writers413(Ledger):
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
        """What a read can return: an entry, or none."""
        return Option(self.ids)

    @property
    def versions(self) -> Range:
        """Creating, recovering, closing, and changes of ensemble, each of which costs a message lost."""
        changes = self.bookies.size * self.send_limit * (self.send_limit + 1)
        possible = self.write_quorum < self.constants["bookies"]
        return Range(0, 3 + (changes if possible else 0))

    def state(self) -> State413:
        return State413(self)

    def is_any_lost(self, s: State413) -> Formula:
        return exists(
            self.bookies,
            lambda b: (
                exists(self.WRITERS, lambda w: self.has_write_timeout(s, w, b))
                | (s.fence_requests[b] == LOST)
                | (s.fence_responses[b].count == LOST)
                | self.has_read_timeout(s, b)
            ),
        )

    # Messages

    def has_write_timeout(self, s: State413, writer: Element | str, bookie: Element) -> Formula:
        """An add of the writer's to the bookie, or the response to one, is lost."""
        return exists(
            self.ids,
            lambda e: (
                exists(self.lacs, lambda lac: s.add_requests[writer][e][lac][bookie] == LOST)
                | (s.add_confirmations[writer][e][bookie] == LOST)
                | self.is_refused(s, writer, e, bookie, LOST)
            ),
        )

    def has_read_timeout(self, s: State413, bookie: Element) -> Formula:
        """A read of the bookie, or the answer to one, is lost."""
        return exists(self.next_ids, lambda e: s.read_requests[e][bookie] == LOST) | exists(
            self.answers, lambda e: s.read_responses[e][bookie].count == LOST
        )

    def is_refused(
        self, s: State413, writer: Element | str, entry: Integer, bookie: Element, count: int
    ) -> Formula:
        """There is a fenced response with this count; only w1 gets any."""
        return (self.as_writer(writer) == "w1") & (s.add_refusals[entry][bookie] == count)

    def as_writer(self, writer: Element | str) -> Element:
        return literal(self.WRITERS, writer) if isinstance(writer, str) else writer

    def is_earliest_request(
        self, s: State413, writer: Element | str, bookie: Element, entry: Integer
    ) -> Formula:
        """No add of an earlier entry is on its way from the writer to the bookie."""
        return ~exists(
            self.ids,
            self.lacs,
            lambda e, lac: (e < entry) & (s.add_requests[writer][e][lac][bookie] == DELIVERABLE),
        )

    def is_earliest_response(
        self, s: State413, writer: Element | str, bookie: Element, entry: Integer
    ) -> Formula:
        """No response to an add of an earlier entry is on its way from the bookie to the writer."""
        return ~exists(
            self.ids,
            lambda e: (
                (e < entry)
                & (
                    (s.add_confirmations[writer][e][bookie] == DELIVERABLE)
                    | self.is_refused(s, writer, e, bookie, DELIVERABLE)
                )
            ),
        )

    def ensemble(self, s: State413, writer: str) -> SetValue[Element]:
        """The ensemble of the writer's current fragment; that of the recovery is the last one there is."""
        return s.w1.ensemble if writer == "w1" else self.last_fragment(s.meta_fragments)

    def can_send_add(
        self, s: State413, writer: str, entry: Integer, receivers: SetValue[Element], lost: SetValue[Element]
    ) -> list[Formula]:
        lac = getattr(s, writer).lac
        return self.can_send(s, s.add_requests[writer][entry][lac], receivers, lost)

    def send_add(
        self, s: State413, writer: str, entry: Integer, receivers: SetValue[Element], lost: SetValue[Element]
    ) -> dict[Any, Any]:
        """Adds of the entry, with the writer's last add confirmed."""
        requests = s.add_requests[writer][entry][getattr(s, writer).lac]
        return {requests: self.sent_to_ensemble(requests, receivers, lost)}

    # Bookies

    @action(writer="WRITERS", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_confirmed_response(
        self, s: State413, writer: Element | str, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A bookie that is not fenced, or is asked to by the recovery, stores an entry and confirms it."""
        request = s.add_requests[writer][entry][lac][bookie]
        response = s.add_confirmations[writer][entry][bookie]
        return Step(
            when=[
                request == DELIVERABLE,
                self.is_earliest_request(s, writer, bookie, entry),
                ~s.b_fenced.contains(bookie) | (writer == "w2"),
                *self.can_reply(s, response, lost),
            ],
            then={
                s.b_entries[bookie][entry]: if_(writer == "w1", entry, s.w2.data[entry]),
                s.b_lac[bookie]: lac,
                request: PROCESSED,
                response: self.sent(lost),
            },
        )

    @action(bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_fenced_response(
        self, s: State413, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A fenced bookie refuses an add of w1's."""
        request, response = s.add_requests["w1"][entry][lac][bookie], s.add_refusals[entry][bookie]
        return Step(
            when=[
                request == DELIVERABLE,
                s.b_fenced.contains(bookie),
                self.is_earliest_request(s, "w1", bookie, entry),
                *self.can_reply(s, response, lost),
            ],
            then={request: PROCESSED, response: self.sent(lost)},
        )

    @action(bookie="bookies", lost=free("LOSS"))
    def bookie_sends_fencing_read_lac_response(self, s: State413, bookie: Element, lost: Formula) -> Step:
        """A bookie fences the ledger and tells its last add confirmed."""
        request, response = s.fence_requests[bookie], s.fence_responses[bookie]
        return Step(
            when=[request == DELIVERABLE, *self.can_reply(s, response.count, lost)],
            then={
                s.b_fenced: s.b_fenced.add(bookie),
                request: PROCESSED,
                response.count: self.sent(lost),
                response.lac: s.b_lac[bookie],
            },
        )

    @action(bookie="bookies", entry="next_ids", lost=free("LOSS"))
    def bookie_sends_read_response(self, s: State413, bookie: Element, entry: Integer, lost: Formula) -> Step:
        """A bookie answers a read with the entry or that it has none; it says the latter only once."""
        data = self.stored(s, bookie, entry)
        answer = if_(data.is_some, some(entry), None)
        request, response = s.read_requests[entry][bookie], s.read_responses[answer][bookie]
        fenced = s.b_fenced.add(bookie) if self.recovery_reads_fence else s.b_fenced
        return Step(
            when=[request == DELIVERABLE, *self.can_reply(s, response.count, lost)],
            then={
                s.b_fenced: fenced,
                request: PROCESSED,
                response.count: self.sent(lost),
                response.data: data,
            },
        )

    # What both writers do

    def receive_add_confirmed(
        self, s: State413, writer: str, bookie: Element, entry: Integer, status: str
    ) -> Step:
        w, response = getattr(s, writer), s.add_confirmations[writer][entry][bookie]
        confirmed = w.confirmed.updated(entry, w.confirmed[entry].add(bookie))
        lac = self.last_confirmed(confirmed)
        return Step(
            when=[
                w.status == status,
                response == DELIVERABLE,
                self.is_earliest_response(s, writer, bookie, entry),
                self.ensemble(s, writer).contains(bookie),
            ],
            then={
                w.confirmed: confirmed,
                w.lac: maximum(w.lac, lac),
                w.pending_add_ops: self.still_pending(w.pending_add_ops, confirmed, lac),
                response: PROCESSED,
            },
        )

    def can_change_ensemble(self, s: State413, writer: str, bookie: Element) -> list[Formula]:
        """All pending adds were sent to the current ensemble, a bookie of it failed and can be replaced."""
        w, current = getattr(s, writer), self.ensemble(s, writer)
        others = current.remove(bookie)
        return [
            forall(self.ids, lambda e: w.pending_add_ops[e].is_empty | (w.pending_add_ops[e] == current)),
            w.meta_version == s.meta_version,
            current.contains(bookie),
            self.has_write_timeout(s, writer, bookie),
            self.is_ensemble_available(s, others, set_of(self.bookies, bookie)),
        ]

    def is_valid_next_fragment(self, s: State413, first_entry: Integer) -> Formula:
        """No fragment begins later."""
        return ~exists(self.next_ids, lambda f: (f > first_entry) & ~s.meta_fragments[f].is_empty)

    def change_ensemble(
        self, s: State413, writer: str, bookie: Element, ensemble: SetValue[Element], status: str
    ) -> Step:
        """A fragment from the first unconfirmed entry on, which may replace the current one."""
        w = getattr(s, writer)
        others = self.ensemble(s, writer).remove(bookie)

        def cleared(counts: Counts) -> Counts:
            return counts.updated(bookie, if_(counts[bookie] == LOST, PROCESSED, counts[bookie]))

        requests, confirmations = s.add_requests[writer], s.add_confirmations[writer]
        then = {
            s.meta_fragments[w.lac + 1]: ensemble,
            s.meta_version: s.meta_version + 1,
            w.meta_version: s.meta_version + 1,
            w.confirmed: function(
                self.ids, lambda e: if_(e > w.lac, w.confirmed[e].remove(bookie), w.confirmed[e])
            ),
            requests: function(
                self.ids, lambda e: function(self.lacs, lambda lac: cleared(requests[e][lac]))
            ),
            confirmations: function(self.ids, lambda e: cleared(confirmations[e])),
        }
        if writer == "w1":
            then[w.ensemble] = ensemble
            then[s.add_refusals] = function(self.ids, lambda e: cleared(s.add_refusals[e]))
        return Step(
            when=[
                w.status == status,
                s.meta_status == status,
                *self.can_change_ensemble(s, writer, bookie),
                self.is_valid_next_fragment(s, w.lac + 1),
                self.selects_ensemble(s, ensemble, others, set_of(self.bookies, bookie)),
            ],
            then=then,
        )

    def try_invalid_ensemble_change(self, s: State413, writer: str, bookie: Element, status: str) -> Step:
        """A change of ensemble that would put a fragment before another."""
        w = getattr(s, writer)
        return Step(
            when=[
                w.status == status,
                s.meta_status == status,
                *self.can_change_ensemble(s, writer, bookie),
                ~self.is_valid_next_fragment(s, w.lac + 1),
            ],
            then={w.status: "INVALID"},
        )

    def send_pending_add_op(
        self, s: State413, writer: str, entry: Integer, lost: SetValue[Element], status: str
    ) -> Step:
        """A pending add goes to the bookies that are new in the ensemble."""
        w, current = getattr(s, writer), self.ensemble(s, writer)
        last_sent = w.pending_add_ops[entry]
        newcomers = current - last_sent
        return Step(
            when=[
                w.status == status,
                ~last_sent.is_empty & (last_sent != current),
                ~exists(self.ids, lambda e: (e < entry) & (w.pending_add_ops[e] == last_sent)),
                *self.can_send_add(s, writer, entry, newcomers, lost),
            ],
            then={last_sent: current, **self.send_add(s, writer, entry, newcomers, lost)},
        )
