"""The state of ``bookkeeper``, what its clients know of messages, and its bookies."""

from __future__ import annotations

from typing import Any

from verifier.encodings.declared import Element, Fields, Formula, Integer, field, variable
from verifier.encodings.quantifiers import exists
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set, Sort
from verifier.encodings.type_variables import V
from verifier.encodings.values import SetValue
from verifier.specs.bookkeeper.ledger import (
    DELIVERABLE,
    LOST,
    METADATA_LANE,
    PROCESSED,
    FenceResponse,
    Ledger,
    LedgerState,
)
from verifier.specs.protocol import (
    BooleanConstant,
    Call,
    ChoiceConstant,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Mail,
    Step,
    action,
    free,
)

CLIENT_STATUS = Option(Enum("client status", ("OPEN", "IN_RECOVERY", "CLOSED", "WITHDRAWN", "ABORTED")))
PHASE = Enum("recovery phase", ("NOT_STARTED", "FENCING", "READ_WRITE"))


class Client(Fields):
    """What a client knows of the ledger, and of the messages that it has sent."""

    def __init__(self, ledger: Storing) -> None:
        self.meta_version = field(Option(Range(1, ledger.versions.high)))
        self.status = field(CLIENT_STATUS)
        self.fragments = field(ledger.fragments)
        self.pending_add_ops = field(Function(ledger.ids, ledger.ensembles))
        self.data = field(Function(ledger.ids, Option(ledger.ids)))
        self.lap = field(Range(0, ledger.send_limit))
        self.lac = field(Range(0, ledger.send_limit))
        self.confirmed = field(Function(ledger.ids, ledger.ensembles))
        self.fenced = field(Set(ledger.bookies))
        self.recovery_ensemble = field(ledger.ensembles)
        self.curr_read_entry = field(Option(ledger.next_ids))
        self.read_responses = field(Set(ledger.bookies))
        self.recovery_phase = field(PHASE)
        self.last_recoverable_entry = field(Option(Range(0, ledger.send_limit)))


class StoringState(LedgerState):
    """The ledger, its clients, and the messages between clients and bookies."""

    def __init__(self, ledger: Storing) -> None:
        super().__init__(ledger)
        of_client, to_bookies = ledger.from_client, ledger.to_bookies
        answers = Function(ledger.bookies, ledger.read_response)
        self.clients = variable(of_client(Record(Client(ledger))))
        self.add_requests = variable(of_client(Function(ledger.ids, Function(ledger.lacs, to_bookies))))
        self.add_confirmations = variable(of_client(Function(ledger.ids, to_bookies)))
        self.add_refusals = variable(of_client(Function(ledger.ids, to_bookies)))
        self.fence_requests = variable(of_client(to_bookies))
        self.fence_responses = variable(of_client(Function(ledger.bookies, Record(FenceResponse(ledger)))))
        self.read_requests = variable(of_client(Function(ledger.next_ids, to_bookies)))
        self.read_responses = variable(of_client(Function(ledger.next_ids, answers)))


class Storing(Ledger):
    """Bookies that store entries and answer clients."""

    clients = IndexSetConstant(2, "clients, one to write, the others to recover", kind="client")
    inflight_limit = IntegerConstant(1, "entries sent and not yet confirmed", minimum=1)
    fence_recovery_reads = BooleanConstant(True, "whether a recovery read fences the bookie")
    late_reads = ChoiceConstant(
        "as-written",
        "whether a read concludes only when no other of its messages is on its way, or drops those",
        choices=("as-written", "intended"),
    )

    drawing = Drawing(
        lanes=(METADATA_LANE, "clients", "bookies"),
        messages=(
            Call(("ClientCreatesLedger", "ClientStartsRecovery"), "client", "metadata"),
            Call(("ClientChangesEnsemble", "*ClientClosesLedger*"), "client", "metadata"),
            Mail("add_requests[client][entry][lac][bookie]", "client", "bookie", "add {entry}"),
            Mail("add_confirmations[client][entry][bookie]", "bookie", "client", "has {entry}"),
            Mail("add_refusals[client][entry][bookie]", "bookie", "client", "fenced"),
            Mail("fence_requests[client][bookie]", "client", "bookie", "fence"),
            Mail("fence_responses[client][bookie].count", "bookie", "client", "is fenced"),
            Mail("read_requests[client][entry][bookie]", "client", "bookie", "read {entry}"),
            Mail("read_responses[client][entry][bookie].count", "bookie", "client", "entry {entry}"),
        ),
    )

    @property
    def versions(self) -> Range:
        """Creating, recovering, closing, and changes of ensemble, each of which costs a message lost."""
        times_sent = min(self.inflight_limit, self.send_limit)
        changes = self.bookies.size * self.send_limit * times_sent
        possible = self.write_quorum < self.bookies.size
        return Range(0, 1 + self.clients.size + (changes if possible else 0))

    def state(self) -> StoringState:
        return StoringState(self)

    def from_client(self, messages: Sort[V]) -> Function[Element, V]:
        """These messages of each client's, to it or from it."""
        return Function(self.clients, messages)

    def is_any_lost(self, s: StoringState) -> Formula:
        return exists(
            self.clients,
            self.bookies,
            lambda c, b: (
                exists(self.ids, lambda e: self.is_add_lost(s, c, e, b))
                | (s.fence_requests[c][b] == LOST)
                | (s.fence_responses[c][b].count == LOST)
                | self.has_read_timeout(s, c, b)
            ),
        )

    # What clients know

    def is_recovering(self, s: StoringState, client: Element) -> Formula:
        """The client has begun recovery, so its adds are recovery adds."""
        return s.clients[client].recovery_phase != "NOT_STARTED"

    def ensemble(self, s: StoringState, client: Element) -> SetValue[Element]:
        """The ensemble of the client's current fragment."""
        return self.last_fragment(s.clients[client].fragments)

    # Messages

    def is_add_lost(self, s: StoringState, client: Element, entry: Integer, bookie: Element) -> Formula:
        """An add of this entry, or the response to one, is lost."""
        return (
            exists(self.lacs, lambda lac: s.add_requests[client][entry][lac][bookie] == LOST)
            | (s.add_confirmations[client][entry][bookie] == LOST)
            | (s.add_refusals[client][entry][bookie] == LOST)
        )

    def has_write_timeout(self, s: StoringState, client: Element, bookie: Element) -> Formula:
        return exists(self.ids, lambda e: self.is_add_lost(s, client, e, bookie))

    def has_read_timeout(self, s: StoringState, client: Element, bookie: Element) -> Formula:
        return exists(
            self.next_ids,
            lambda e: (
                (s.read_requests[client][e][bookie] == LOST)
                | (s.read_responses[client][e][bookie].count == LOST)
            ),
        )

    def is_earliest_request(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> Formula:
        """No add of an earlier entry is on its way from the client to the bookie."""
        return ~exists(
            self.ids,
            self.lacs,
            lambda e, lac: (e < entry) & (s.add_requests[client][e][lac][bookie] == DELIVERABLE),
        )

    def is_earliest_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer
    ) -> Formula:
        """No response to an add of an earlier entry is on its way from the bookie to the client."""
        return ~exists(
            self.ids,
            lambda e: (
                (e < entry)
                & (
                    (s.add_confirmations[client][e][bookie] == DELIVERABLE)
                    | (s.add_refusals[client][e][bookie] == DELIVERABLE)
                )
            ),
        )

    def can_send_add(
        self,
        s: StoringState,
        client: Element,
        entry: Integer,
        receivers: SetValue[Element],
        lost: SetValue[Element],
    ) -> list[Formula]:
        c = s.clients[client]
        return self.can_send(s, s.add_requests[client][entry][c.lac], receivers, lost)

    def send_add(
        self,
        s: StoringState,
        client: Element,
        entry: Integer,
        receivers: SetValue[Element],
        lost: SetValue[Element],
    ) -> dict[Any, Any]:
        """Adds of the entry, with the client's last add confirmed."""
        requests = s.add_requests[client][entry][s.clients[client].lac]
        return {requests: self.sent_to_ensemble(requests, receivers, lost)}

    # Bookies

    @action(client="clients", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_confirmed_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A bookie that is not fenced, or is asked to by a recovery, stores an entry and confirms it."""
        request = s.add_requests[client][entry][lac][bookie]
        response = s.add_confirmations[client][entry][bookie]
        return Step(
            when=[
                request == DELIVERABLE,
                self.is_earliest_request(s, client, bookie, entry),
                ~s.b_fenced.contains(bookie) | self.is_recovering(s, client),
                *self.can_reply(s, response, lost),
            ],
            then={
                s.b_entries[bookie][entry]: s.clients[client].data[entry],
                s.b_lac[bookie]: lac,
                request: PROCESSED,
                response: self.sent(lost),
            },
        )

    @action(client="clients", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_fenced_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer, lac: Integer, lost: Formula
    ) -> Step:
        """A fenced bookie refuses an add that is no recovery's."""
        request = s.add_requests[client][entry][lac][bookie]
        response = s.add_refusals[client][entry][bookie]
        return Step(
            when=[
                request == DELIVERABLE,
                ~self.is_recovering(s, client),
                s.b_fenced.contains(bookie),
                self.is_earliest_request(s, client, bookie, entry),
                *self.can_reply(s, response, lost),
            ],
            then={request: PROCESSED, response: self.sent(lost)},
        )

    @action(client="clients", bookie="bookies", lost=free("LOSS"))
    def bookie_sends_fencing_read_lac_response(
        self, s: StoringState, client: Element, bookie: Element, lost: Formula
    ) -> Step:
        """A bookie fences the ledger, whether it knows it or not, and tells its last add confirmed."""
        request, response = s.fence_requests[client][bookie], s.fence_responses[client][bookie]
        return Step(
            when=[request == DELIVERABLE, *self.can_reply(s, response.count, lost)],
            then={
                s.b_fenced: s.b_fenced.add(bookie),
                request: PROCESSED,
                response.count: self.sent(lost),
                response.lac: s.b_lac[bookie],
            },
        )

    @action(client="clients", bookie="bookies", entry="next_ids", lost=free("LOSS"))
    def bookie_sends_read_response(
        self, s: StoringState, client: Element, bookie: Element, entry: Integer, lost: Formula
    ) -> Step:
        """A bookie answers a recovery read with the entry or that it has none, and fences the ledger."""
        request, response = s.read_requests[client][entry][bookie], s.read_responses[client][entry][bookie]
        fenced = s.b_fenced.add(bookie) if self.fence_recovery_reads else s.b_fenced
        return Step(
            when=[request == DELIVERABLE, *self.can_reply(s, response.count, lost)],
            then={
                s.b_fenced: fenced,
                request: PROCESSED,
                response.count: self.sent(lost),
                response.data: self.stored(s, bookie, entry),
            },
        )
