"""The state of ``bookkeeper``: the ledger, what its clients know, and the messages that they exchange."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer, field, variable
from verifier.encodings.quantifiers import exists
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set, Sort
from verifier.encodings.type_variables import V
from verifier.specs.bookkeeper.exchange import LOST, Adder, Exchange, ExchangeState, FenceResponse, Name
from verifier.specs.bookkeeper.ledger import METADATA_LANE
from verifier.specs.protocol import (
    BooleanConstant,
    Call,
    ChoiceConstant,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Mail,
)

CLIENT_STATUS = Option(Enum("client status", ("OPEN", "IN_RECOVERY", "CLOSED", "WITHDRAWN", "ABORTED")))
PHASE = Enum("recovery phase", ("NOT_STARTED", "FENCING", "READ_WRITE"))


class Client(Adder):
    """A client's knowledge of the ledger and of its messages."""

    def __init__(self, ledger: Clients) -> None:
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


class ClientsState(ExchangeState):
    """The ledger, its clients, and the messages between clients and bookies."""

    def __init__(self, ledger: Clients) -> None:
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


class Clients(Exchange[ClientsState]):
    """Clients of a ledger, each of which can write to it, or recover it."""

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
        """Creating, recovering, closing, and changes of ensemble, each of which costs a message lost; there
        are none where an ensemble has all bookies."""
        lost = self.bookies.size * self.send_limit * self.inflight_limit
        return Range(0, 1 + self.clients.size + lost * (self.bookies.size - self.write_quorum))

    def state(self) -> ClientsState:
        return ClientsState(self)

    def from_client(self, messages: Sort[V]) -> Function[Element, V]:
        """These messages of each client's, to it or from it."""
        return Function(self.clients, messages)

    def is_any_lost(self, s: ClientsState) -> Formula:
        return exists(
            exists(self.is_add_lost(s, c, e, b) for e in self.ids)
            | (s.fence_requests[c][b] == LOST)
            | (s.fence_responses[c][b].count == LOST)
            | self.has_read_timeout(s, c, b)
            for c in self.clients
            for b in self.bookies
        )

    # What clients know

    def adder(self, s: ClientsState, client: Name) -> Client:
        """The client's knowledge."""
        return s.clients[client]

    def ensemble(self, s: ClientsState, client: Name) -> SetValue[Element]:
        """The ensemble of the client's current fragment."""
        return self.last_fragment(s.clients[client].fragments)

    def is_refused(
        self, s: ClientsState, client: Name, entry: Integer, bookie: Element, count: int
    ) -> Formula:
        """There is a fenced response to an add of the client's, with this count."""
        return s.add_refusals[client][entry][bookie] == count

    def is_recovering(self, s: ClientsState, client: Element) -> Formula:
        """The client has begun recovery, so its adds are recovery adds."""
        return s.clients[client].recovery_phase != "NOT_STARTED"

    def has_read_timeout(self, s: ClientsState, client: Element, bookie: Element) -> Formula:
        """A read of the client's from the bookie, or the answer to one, is lost."""
        requests, responses = s.read_requests[client], s.read_responses[client]
        return exists(
            (requests[e][bookie] == LOST) | (responses[e][bookie].count == LOST) for e in self.next_ids
        )
