"""States of ``bookkeeper`` in the terms of BookKeeperProtocol.tla, and modules that make TLC follow a trace.

What our protocol leaves out because other variables determine it (see `specs/bookkeeper/bookkeeper.py`) is
written out again here: fragments as records, pending adds, and messages as records with their counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from verifier.trust.trace import ActionTaken, Trace

STATUS = {
    None: "Nil",
    "OPEN": "STATUS_OPEN",
    "IN_RECOVERY": "STATUS_IN_RECOVERY",
    "CLOSED": "STATUS_CLOSED",
    "WITHDRAWN": "CLIENT_WITHDRAWN",
    "ABORTED": "RECOVERY_ABORTED",
}
PHASE = {"NOT_STARTED": "NotStarted", "FENCING": "FencingPhase", "READ_WRITE": "ReadWritePhase"}
MODEL_VALUES = (
    *("AddEntryRequestMessage", "AddEntryResponseMessage", "FenceRequestMessage", "FenceResponseMessage"),
    *("ReadRequestMessage", "ReadResponseMessage", "NeedMoreResponses", "NoSuchEntry", "Unknown", "OK"),
    *STATUS.values(),
)
NUMBERS = {"WriteQuorum": "write_quorum", "AckQuorum": "ack_quorum", "SendLimit": "send_limit"}
READS = ("ReadPositive", "ReadNegative", "ReadUnknown", "NotEnoughReadResponses")
"""Our actions in place of the original's ClientReceivesRecoveryReadResponse."""


def _set(items: Iterable[Any]) -> str:
    return "{" + ", ".join(sorted(str(item) for item in items)) + "}"


def _sequence(items: Iterable[Any]) -> str:
    return "<<" + ", ".join(str(item) for item in items) + ">>"


def _record(**fields: Any) -> str:
    return "[" + ", ".join(f"{name} |-> {value}" for name, value in fields.items()) + "]"


def _function(items: Iterable[tuple[Any, Any]]) -> str:
    return " @@ ".join(f"({key} :> {value})" for key, value in items) or "[nothing \\in {} |-> 0]"


def _truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _or_nil(value: Any) -> str:
    return "Nil" if value is None else str(value)


def _entry(number: int, data: Any) -> str:
    return _record(id=number, data=_or_nil(data))


def _fragments(fragments: Mapping[int, Any]) -> list[str]:
    begun = [(first, ensemble) for first, ensemble in sorted(fragments.items()) if ensemble]
    return [
        _record(id=number, ensemble=_set(ensemble), first_entry_id=first)
        for number, (first, ensemble) in enumerate(begun, 1)
    ]


class _Writer:
    """Writes one state of a trace. Which fragment a pending add belongs to is known from those before it."""

    def __init__(self, trace: Trace, index: int) -> None:
        self.before = trace.states[: index + 1]
        self.state: Mapping[str, Any] = trace.states[index]

    def text(self) -> str:
        """The value of the original's ``vars``."""
        s = self.state
        bookies = list(s["b_entries"])
        entries = {
            b: _set(_entry(e, data) for e, data in s["b_entries"][b].items() if data is not None)
            for b in bookies
        }
        fenced = _function((b, _truth(b in s["b_fenced"])) for b in bookies)
        of_bookies = (fenced, _function(entries.items()), _function(s["b_lac"].items()))
        fragments = _sequence(_fragments(s["meta_fragments"]))
        of_metadata = (STATUS[s["meta_status"]], fragments, s["meta_last_entry"], s["meta_version"])
        clients = _function((client, self._client(client)) for client in s["clients"])
        parts = (_sequence(of_bookies), clients, _sequence(of_metadata), _function(self._messages()))
        return "<<" + ",\n     ".join(parts) + ">>"

    def _client(self, client: Any) -> str:
        c = self.state["clients"][client]
        fragments = _fragments(c["fragments"])
        read = c["curr_read_entry"]
        return _record(
            id=client,
            meta_version=_or_nil(c["meta_version"]),
            status=STATUS[c["status"]],
            fragments=_sequence(fragments),
            curr_fragment=fragments[-1] if fragments else "Nil",
            pending_add_ops=_set(self._pending(client)),
            lap=c["lap"],
            lac=c["lac"],
            confirmed=_sequence(_set(bookies) for _, bookies in sorted(c["confirmed"].items())),
            fenced=_set(c["fenced"]),
            recovery_ensemble=_set(c["recovery_ensemble"]),
            curr_read_entry=_or_nil(read),
            read_responses=_set(self._read_response(client, read, b, None) for b in c["read_responses"]),
            recovery_phase=PHASE[c["recovery_phase"]],
            last_recoverable_entry=_or_nil(c["last_recoverable_entry"]),
        )

    def _pending(self, client: Any) -> Iterator[str]:
        c = self.state["clients"][client]
        for number, ensemble in c["pending_add_ops"].items():
            if ensemble:
                yield _record(
                    entry=_entry(number, c["data"][number]),
                    fragment_id=self._fragment_of_pending(client, number, ensemble),
                    ensemble=_set(ensemble),
                )

    def _fragment_of_pending(self, client: Any, number: int, ensemble: Any) -> int:
        """The client's last fragment when the add was given this ensemble."""
        found = 0
        for state in reversed(self.before):
            c = state["clients"][client]  # type: ignore[index]
            if c["pending_add_ops"][number] != ensemble:
                break
            found = len(_fragments(c["fragments"]))
        return found

    def _read_response(self, client: Any, number: int, bookie: Any, data: Any) -> str:
        code = "NoSuchEntry" if data is None else "OK"
        about = {"bookie": bookie, "cid": client, "entry": _entry(number, data), "fence": "TRUE"}
        return _record(type="ReadResponseMessage", **about, code=code)

    def _messages(self) -> Iterator[tuple[str, int]]:
        """Every message that was sent, with its delivery count."""
        for client in self.state["clients"]:
            yield from self._adds(client)
            for found, count in (*self._fencing(client), *self._reads(client)):
                if count is not None:
                    yield found, count

    def _adds(self, client: Any) -> Iterator[tuple[str, int]]:
        s, c = self.state, self.state["clients"][client]
        recovery = _truth(c["recovery_phase"] != "NOT_STARTED")
        answers = (("add_confirmations", "TRUE"), ("add_refusals", "FALSE"))
        for number, data in c["data"].items():
            common = {"cid": client, "entry": _entry(number, data), "recovery": recovery}
            for lac, counts in s["add_requests"][client][number].items():
                for bookie, count in counts.items():
                    if count is not None:
                        yield _record(type="AddEntryRequestMessage", bookie=bookie, lac=lac, **common), count
            for variable, success in answers:
                for bookie, count in s[variable][client][number].items():
                    if count is not None:
                        about = {"bookie": bookie, "success": success, **common}
                        yield _record(type="AddEntryResponseMessage", **about), count

    def _fencing(self, client: Any) -> Iterator[tuple[str, int | None]]:
        for bookie, count in self.state["fence_requests"][client].items():
            yield _record(type="FenceRequestMessage", bookie=bookie, cid=client), count
        for bookie, answer in self.state["fence_responses"][client].items():
            about = {"bookie": bookie, "cid": client, "lac": answer["lac"]}
            yield _record(type="FenceResponseMessage", **about), answer["count"]

    def _reads(self, client: Any) -> Iterator[tuple[str, int | None]]:
        for number, counts in self.state["read_requests"][client].items():
            for bookie, count in counts.items():
                about = {"bookie": bookie, "cid": client, "entry_id": number, "fence": "TRUE"}
                yield _record(type="ReadRequestMessage", **about), count
        for number, answers in self.state["read_responses"][client].items():
            for bookie, answer in answers.items():
                yield self._read_response(client, number, bookie, answer["data"]), answer["count"]


def state_text(trace: Trace, index: int) -> str:
    """A state of the trace as the value of the original's ``vars``."""
    return _Writer(trace, index).text()


def action_text(action: ActionTaken) -> str:
    """The original's action; those of bookies have no parameters there."""
    if action.name.startswith("Bookie"):
        return action.name
    name = "ClientReceivesRecoveryReadResponse" if action.name in READS else action.name
    return f"{name}({action.parameters['client']})"


def make_guided_module(trace: Trace) -> str:
    """A module in which TLC can only follow the trace: each step is one of the original's Next, is the
    action that the trace names, and gives the state that the trace has there."""
    states = ",\n\n  ".join(state_text(trace, index) for index in range(len(trace.states)))
    actions = "\n    [] ".join(f"n = {n} -> {action_text(a)}" for n, a in enumerate(trace.actions, 1))
    return f"""---- MODULE Guided ----
EXTENDS BookKeeperProtocol
CONSTANTS {", ".join(_names(trace))}
VARIABLE step

Execution == <<
  {states} >>

Action(n) ==
    CASE {actions}

GuidedInit == Init /\\ step = 0 /\\ vars = Execution[1]

GuidedNext ==
    /\\ step < Len(Execution) - 1
    /\\ Next
    /\\ vars' = Execution[step + 2]
    /\\ Action(step + 1)
    /\\ step' = step + 1
====
"""


def onward(trace: Trace, index: int) -> str:
    """Return a module that begins in a state of the trace and continues as the original does."""
    return f"""---- MODULE Onward ----
EXTENDS BookKeeperProtocol
CONSTANTS {", ".join(_names(trace))}

Reached == {state_text(trace, index)}

OnwardInit ==
    /\\ b_fenced = Reached[1][1] /\\ b_entries = Reached[1][2] /\\ b_lac = Reached[1][3]
    /\\ clients = Reached[2]
    /\\ meta_status = Reached[3][1] /\\ meta_fragments = Reached[3][2]
    /\\ meta_last_entry = Reached[3][3] /\\ meta_version = Reached[3][4]
    /\\ messages = Reached[4]
====
"""


def configuration(trace: Trace, module: str, invariants: Iterable[str]) -> str:
    """The .cfg file of one of these modules, with the trace's constants."""
    constants: Mapping[str, Any] = trace.constants
    bookies, clients = _elements(trace)
    values = [*dict.fromkeys(MODEL_VALUES), *bookies, *clients]
    lines = [f"  {name} = {name}" for name in values]
    lines += [f"  Bookies = {_set(bookies)}", f"  Clients = {_set(clients)}"]
    lines += [f"  {name} = {constants[ours]}" for name, ours in NUMBERS.items()]
    lines.append(f"  InflightLimit = {constants['inflight_limit']}")
    following = f"{module}Next" if module == "Guided" else "Next"
    return "\n".join(
        ["CONSTANTS", *lines, f"INIT {module}Init", f"NEXT {following}", "INVARIANTS", *invariants, ""]
    )


def _elements(trace: Trace) -> tuple[list[str], list[str]]:
    state: Mapping[str, Any] = trace.states[0]
    return [str(b) for b in state["b_entries"]], [str(c) for c in state["clients"]]


def _names(trace: Trace) -> list[str]:
    bookies, clients = _elements(trace)
    return [*bookies, *clients]
