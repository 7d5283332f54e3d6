"""Violations that random walks met: replayed, shortened, replayed again."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.trust.replay import Bits, Replayer, ReplayFailure
from verifier.trust.shorten import condense, shorten
from verifier.verdict import Verdict, VerdictKind


def confirm(
    model: Model, name: str, initial: Bits, firings: Sequence[tuple[Instance, Bits]], seconds: float
) -> Verdict:
    """Return the verdict of an execution that violates a property, or is a witness of a reachable one. It is
    an ERROR if the execution does not replay."""
    replayer = Replayer(model)
    try:
        replayer.execute(initial, firings, name)
        shorter = shorten(replayer, initial, condense(replayer, initial, firings, name), name)
        trace = replayer.execute(initial, shorter, name)
    except ReplayFailure as failure:
        reason = f"a violation does not replay: {failure}"
        return Verdict(name, VerdictKind.ERROR, None, seconds, reason)
    kind = VerdictKind.REACHED if model.system.seeks(name) else VerdictKind.VIOLATED
    return Verdict(name, kind, trace.steps, seconds, trace=trace, found_by="simulate")
