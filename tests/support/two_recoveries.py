"""Two recoveries of one ledger leave a committed entry on too few bookies: the execution, action by action.

The original (BookKeeperProtocol.tla of Vanlightly/bookkeeper-tlaplus) takes the same 30 steps; see
`tests/support/bookkeeper_tla.py` and docs/bookkeeper-two-recoveries.md.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from verifier.encodings.bits import conjunction, negation
from verifier.encodings.concrete import Concrete, show
from verifier.report.report import Report
from verifier.runs.replaying import Replayed, row_of
from verifier.specs.bookkeeper.bookkeeper import BookKeeper
from verifier.specs.protocol import define
from verifier.system.model import Model, build
from verifier.system.transition_system import Instance
from verifier.trust.replay import Replayer
from verifier.trust.trace import Trace

VIOLATED = "AllCommittedEntriesReachAckQuorum"
CONSTANTS: dict[str, Any] = {"clients": 3, "write_quorum": 2, "send_limit": 2, "inflight_limit": 2}
"""A creator and two recoveries, entries on their way together, and a bookie to replace another."""

ACTIONS = """\
ClientCreatesLedger(client=c1, ensemble={b1, b2})
ClientSendsAddEntryRequests(client=c1, entry=1, lost={b2})
ClientSendsAddEntryRequests(client=c1, entry=2, lost={b2})
BookieSendsAddConfirmedResponse(client=c1, bookie=b1, entry=1, lac=0, lost=false)
BookieSendsAddConfirmedResponse(client=c1, bookie=b1, entry=2, lac=0, lost=false)
ClientStartsRecovery(client=c2, lost={})
BookieSendsFencingReadLacResponse(client=c2, bookie=b1, lost=false)
ClientReceivesFencingReadLacResponse(client=c2, bookie=b1)
ClientSendsRecoveryReadRequests(client=c2, entry=1, lost={b2})
BookieSendsReadResponse(client=c2, bookie=b1, entry=1, lost=false)
ReadPositive(client=c2, bookie=b1, entry=1)
ClientSendsRecoveryReadRequests(client=c2, entry=2, lost={b2})
BookieSendsReadResponse(client=c2, bookie=b1, entry=2, lost=false)
ReadPositive(client=c2, bookie=b1, entry=2)
ClientWritesBackEntry(client=c2, entry=1, lost={b2})
RecoveryClientChangesEnsemble(client=c2, ensemble={b1, b3})
RecoveryClientSendsPendingAddOp(client=c2, entry=1, lost={})
BookieSendsAddConfirmedResponse(client=c2, bookie=b1, entry=1, lac=0, lost=false)
BookieSendsAddConfirmedResponse(client=c2, bookie=b3, entry=1, lac=0, lost=false)
RecoveryClientReceivesAddConfirmedResponse(client=c2, bookie=b1, entry=1)
RecoveryClientReceivesAddConfirmedResponse(client=c2, bookie=b3, entry=1)
ClientWritesBackEntry(client=c2, entry=2, lost={})
BookieSendsAddConfirmedResponse(client=c2, bookie=b1, entry=2, lac=1, lost=false)
ClientStartsRecovery(client=c3, lost={})
BookieSendsFencingReadLacResponse(client=c3, bookie=b1, lost=false)
ClientReceivesFencingReadLacResponse(client=c3, bookie=b1)
ClientSendsRecoveryReadRequests(client=c3, entry=2, lost={b1})
BookieSendsReadResponse(client=c3, bookie=b2, entry=2, lost=false)
ReadNegative(client=c3, bookie=b2, entry=2)
RecoveryClientClosesLedger(client=c3)
""".splitlines()
"""As a trace says them. 1-5: the creator's adds reach b1 only. 6-14: a recovery reads both from b1.
15-21: it writes the first back to b1 and, in place of b2, to b3. 22-23: with the second it tells b1 so.
24-26: another recovery learns it from b1. 27-30: it misses the second on b2, and closes with b1 and b2."""


def _value(values: Any, written: str) -> Concrete:
    """The value that is shown like this."""
    found: Concrete = next(value for value in values if show(value) == written)
    return found


def find_fired(model: Model, line: str) -> tuple[Instance, list[bool]]:
    """The instance that a line of a trace names, and the bits of its free parameters."""
    name, arguments = line.removesuffix(")").split("(", 1)
    written = dict(re.findall(r"(\w+)=(\{.*?\}|[^,]+)", arguments))
    action = next(action for action in model.definition.actions if action.name == name)
    values = {
        p.symbol.name: _value(p.symbol.sort.values(), written[p.symbol.name]) for p in action.parameters
    }
    expanded = [values[p.symbol.name] for p in action.parameters if not p.free]
    instance = model.instance(f"{name}({', '.join(show(value) for value in expanded)})")
    return instance, model.free_bits(instance, values)


@cache
def two_recoveries() -> tuple[Model, Trace]:
    """The protocol and the execution, replayed."""
    model = build(define(BookKeeper(CONSTANTS)))
    initial = model.layout.encode_state({name: sort.default for name, sort in model.layout.sorts.items()})
    firings = [find_fired(model, line) for line in ACTIONS]
    return model, Replayer(model).execute(initial, firings, VIOLATED)


def beginning_after(actions: int) -> Model:
    """Return the protocol from there on: its one initial state is the state after this number of actions."""
    model, trace = two_recoveries()
    state = model.layout.encode_state(trace.states[actions])
    literals = (bit if on else negation(bit) for bit, on in zip(model.system.bits, state, strict=True))
    return replace(model, system=replace(model.system, init=conjunction(literals), symmetries=()))


def two_recoveries_report() -> Report:
    """The report on this execution, which nobody had to find."""
    model, trace = two_recoveries()
    return Report(
        "Two recoveries of one ledger", (row_of(Replayed(model.definition, model, trace, None, 0.0)),)
    )
