"""The state of ``bookkeeper``, what its clients know of messages, and its bookies."""

from __future__ import annotations

from typing import Any

from verifier.encodings.quantifiers import exists
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set
from verifier.specs.bookkeeper.ledger import (
    COUNT,
    DELIVERABLE,
    LEDGER_STATUS,
    LOST,
    METADATA_LANE,
    PROCESSED,
    Ledger,
)
from verifier.specs.protocol import (
    BooleanConstant,
    Call,
    ChoiceConstant,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Mail,
    State,
    Step,
    action,
    free,
)

CLIENT_STATUS = Option(Enum("client status", ("OPEN", "IN_RECOVERY", "CLOSED", "WITHDRAWN", "ABORTED")))
PHASE = Enum("recovery phase", ("NOT_STARTED", "FENCING", "READ_WRITE"))


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

    def state(self) -> State:
        client = Record(
            meta_version=Option(Range(1, self.versions.high)),
            status=CLIENT_STATUS,
            fragments=self.fragments,
            pending_add_ops=Function(self.ids, self.ensembles),
            data=Function(self.ids, Option(self.ids)),
            lap=Range(0, self.send_limit),
            lac=Range(0, self.send_limit),
            confirmed=Function(self.ids, self.ensembles),
            fenced=Set(self.bookies),
            recovery_ensemble=self.ensembles,
            curr_read_entry=Option(self.next_ids),
            read_responses=Set(self.bookies),
            recovery_phase=PHASE,
            last_recoverable_entry=Option(Range(0, self.send_limit)),
        )
        fence_response = Record(count=COUNT, lac=self.lacs)
        return State(
            meta_status=LEDGER_STATUS,
            meta_fragments=self.fragments,
            meta_last_entry=Range(0, self.send_limit),
            meta_version=self.versions,
            b_entries=Function(self.bookies, Function(self.ids, Option(self.ids))),
            b_fenced=Set(self.bookies),
            b_lac=Function(self.bookies, self.lacs),
            clients=Function(self.clients, client),
            add_requests=self.from_client(Function(self.ids, Function(self.lacs, self.to_bookies))),
            add_confirmations=self.from_client(Function(self.ids, self.to_bookies)),
            add_refusals=self.from_client(Function(self.ids, self.to_bookies)),
            fence_requests=self.from_client(self.to_bookies),
            fence_responses=self.from_client(Function(self.bookies, fence_response)),
            read_requests=self.from_client(Function(self.next_ids, self.to_bookies)),
            read_responses=self.from_client(
                Function(self.next_ids, Function(self.bookies, self.read_response))
            ),
        )

    def from_client(self, messages: Function) -> Function:
        """These messages of each client's, to it or from it."""
        return Function(self.clients, messages)

    def is_any_lost(self, s: Any) -> Any:
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

    def is_recovering(self, s: Any, client: Any) -> Any:
        """The client has begun recovery, so its adds are recovery adds."""
        return s.clients[client].recovery_phase != "NOT_STARTED"

    def ensemble(self, s: Any, client: Any) -> Any:
        """The ensemble of the client's current fragment."""
        return self.last_fragment(s.clients[client].fragments)

    # Messages

    def is_add_lost(self, s: Any, client: Any, entry: Any, bookie: Any) -> Any:
        """An add of this entry, or the response to one, is lost."""
        return (
            exists(self.lacs, lambda lac: s.add_requests[client][entry][lac][bookie] == LOST)
            | (s.add_confirmations[client][entry][bookie] == LOST)
            | (s.add_refusals[client][entry][bookie] == LOST)
        )

    def has_write_timeout(self, s: Any, client: Any, bookie: Any) -> Any:
        return exists(self.ids, lambda e: self.is_add_lost(s, client, e, bookie))

    def has_read_timeout(self, s: Any, client: Any, bookie: Any) -> Any:
        return exists(
            self.next_ids,
            lambda e: (
                (s.read_requests[client][e][bookie] == LOST)
                | (s.read_responses[client][e][bookie].count == LOST)
            ),
        )

    def is_earliest_request(self, s: Any, client: Any, bookie: Any, entry: Any) -> Any:
        """No add of an earlier entry is on its way from the client to the bookie."""
        return ~exists(
            self.ids,
            self.lacs,
            lambda e, lac: (e < entry) & (s.add_requests[client][e][lac][bookie] == DELIVERABLE),
        )

    def is_earliest_response(self, s: Any, client: Any, bookie: Any, entry: Any) -> Any:
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

    def can_send_add(self, s: Any, client: Any, entry: Any, receivers: Any, lost: Any) -> list[Any]:
        c = s.clients[client]
        return self.can_send(s, s.add_requests[client][entry][c.lac], receivers, lost)

    def send_add(self, s: Any, client: Any, entry: Any, receivers: Any, lost: Any) -> dict[Any, Any]:
        """Adds of the entry, with the client's last add confirmed."""
        requests = s.add_requests[client][entry][s.clients[client].lac]
        return {requests: self.sent_to_ensemble(requests, receivers, lost)}

    # Bookies

    @action(client="clients", bookie="bookies", entry="ids", lac="lacs", lost=free("LOSS"))
    def bookie_sends_add_confirmed_response(
        self, s: Any, client: Any, bookie: Any, entry: Any, lac: Any, lost: Any
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
        self, s: Any, client: Any, bookie: Any, entry: Any, lac: Any, lost: Any
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
    def bookie_sends_fencing_read_lac_response(self, s: Any, client: Any, bookie: Any, lost: Any) -> Step:
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
    def bookie_sends_read_response(self, s: Any, client: Any, bookie: Any, entry: Any, lost: Any) -> Step:
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
