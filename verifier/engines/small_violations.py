"""Executions at small constants that violate properties for which a proof at all constants is sought.

Proofs can take all the time of a run, so a search in a process of its own begins with them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeAlias

from verifier.encodings.open_integers import LARGEST
from verifier.engines import bmc
from verifier.engines.choices import StepsChoice
from verifier.errors import UsageError
from verifier.processes.children import Children, Message
from verifier.processes.limits import Interrupted, Limits
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.verdict import Verdict, VerdictKind

Choices: TypeAlias = Sequence[Callable[[], Model | None]]
"""Make the models at small constants; None where these are not allowed together."""
Violations: TypeAlias = Mapping[str, Verdict]

DEPTH = 12
"""The actions of an execution that violates an open property, which is searched at small constants."""
SEARCHED = (PropertyKind.INVARIANT, PropertyKind.STEP_INVARIANT)
"""The kinds of properties for which it is searched. A deadlock may come from the bounds of small sorts."""
_SECONDS = 10.0
"""The limit of the search at one choice of constants, after the proofs."""
_SECONDS_BESIDE = 6.0
"""The limit of the whole search beside the proofs. It takes a core from them, and what is easily violated is
violated in the first second."""
_SHARE = 2
"""The part of the remaining time that the search beside the proofs may take at most."""
_BESIDE = "executions at small constants"


class EarlyViolations:
    """A search beside proofs, at one choice of constants after the other. Use as a context: leaving it ends
    the search."""

    def __init__(
        self, choices: Choices, names: Sequence[str], limits: Limits, known: Collection[str] = ()
    ) -> None:
        """``known``: properties that are violated at other constants."""
        self._known = known
        self.found: dict[int, dict[str, Verdict]] = {}
        """The violations, by the place among the choices."""
        left = limits.begin().seconds_left
        seconds = _SECONDS_BESIDE if left is None else min(_SECONDS_BESIDE, left / _SHARE)
        own = Limits(seconds=seconds, memory=limits.memory).begin()
        self._children = Children(own, nested=True)
        if names and choices and seconds > 0:
            self._children.start(_BESIDE, lambda report, _: _search(choices, tuple(names), own, report))

    def __enter__(self) -> EarlyViolations:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._children.kill(_BESIDE)

    def knows(self, name: str) -> bool:
        """True if an execution violates the property, as far as is known now."""
        if name in self._known:
            return True
        self._hear()
        return any(name in violated for violated in self.found.values())

    def find_best(self, names: Sequence[str]) -> tuple[int | None, Violations]:
        """Return the first choice at which most of the properties are violated, with these."""
        best: tuple[int | None, Violations] = (None, {})
        for place, violated in sorted(self.found.items()):
            own = {name: one for name, one in violated.items() if name in names}
            if len(own) > len(best[1]):
                best = place, own
        return best

    def _hear(self) -> None:
        if not self._children.running:
            return
        try:
            for event in self._children.poll(0):
                if isinstance(event, Message):
                    place, violated = event.content
                    self.found.setdefault(place, {}).update(violated)
        except Interrupted:  # its own time is over
            self._children.kill(_BESIDE)


def _search(choices: Choices, names: tuple[str, ...], limits: Limits, report: Callable[[Any], None]) -> None:
    """Report violations as they are found, with the place of the choice. The rest of the time is shared
    equally by the choices that remain."""
    for place, made in enumerate(choices):
        share = limits.share(len(choices) - place)
        left, model = names, made()
        while model is not None and left:
            violated = find_violations(model, left, share, first=True)
            if not violated:
                break
            report((place, violated))
            left = tuple(name for name in left if name not in violated)
        if model is not None and not left:
            return


def search_violations(
    choices: Choices, names: Sequence[str], limits: Limits, early: EarlyViolations
) -> tuple[int | None, Violations]:
    """Return the place of the first choice at which most of the properties are violated, with the violations.
    Those that were found early count. Each choice is searched for a short time."""
    best = early.find_best(names)
    for place, made in enumerate(choices):
        left = limits.begin().seconds_left
        if len(best[1]) == len(names) or (left is not None and left <= 0) or (model := made()) is None:
            continue
        known = {name: one for name, one in early.found.get(place, {}).items() if name in names}
        seconds = _SECONDS if left is None else min(left, _SECONDS)
        own = Limits(seconds=seconds, memory=limits.memory).begin()
        open_ = tuple(name for name in names if name not in known)
        violated = {**known, **find_violations(model, open_, own)} if open_ else known
        if len(violated) > len(best[1]):
            best = place, violated
    return best


def find_violations(
    model: Model, names: tuple[str, ...], limits: Limits, *, first: bool = False
) -> dict[str, Verdict]:
    """Return the violations at one choice of constants. ``first``: end with the first one, and search in one
    process instead of three. Bounded checking replays them before it answers."""
    steps = StepsChoice.PARALLEL if first else StepsChoice.AUTO
    try:
        limits.check_time()
        verdicts = bmc.check(model, bmc.Request(names, DEPTH, steps, limits=limits, first=first)).verdicts
    except (UsageError, Interrupted):
        return {}  # no state is initial there, or the time is over
    return {
        one.property_name: one
        for one in verdicts
        if one.kind is VerdictKind.VIOLATED
        and one.property_name in names
        and not is_about_bounds(model, one.property_name)
    }


def is_about_bounds(model: Model, claim: str | None) -> bool:
    """True for the type invariant if integers have bounds here alone: leaving these violates nothing. The
    comparison with the module finds values beyond the module's own bounds."""
    types = [one.name for one in model.definition.properties if one.kind is PropertyKind.TYPE_INVARIANT]
    return LARGEST in model.definition.constants and claim in types
