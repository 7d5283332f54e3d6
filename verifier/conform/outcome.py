"""The verdict on a log: allowed by the specification or not, at which line, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from verifier.conform.coverage import Coverage
from verifier.verdict import ExitCode

if TYPE_CHECKING:
    from verifier.tla.blocked import Blocked


class Conformance(StrEnum):
    """The kinds of verdicts on a log."""

    ACCEPTED = "ACCEPTED"
    """Some execution of the specification agrees with the whole log."""
    REJECTED = "REJECTED"
    """No execution does."""
    UNDECIDED = "UNDECIDED"
    """Neither is known; ``reason`` says why."""
    ERROR = "ERROR"
    """The log cannot be judged; ``reason`` says why."""


_EXIT_CODES = {
    Conformance.ACCEPTED: ExitCode.SUCCESS,
    Conformance.REJECTED: ExitCode.VIOLATED,
    Conformance.UNDECIDED: ExitCode.INCONCLUSIVE,
    Conformance.ERROR: ExitCode.WRONG_USAGE,
}


RULED_OUT = "has no parameters with the values of the log"
"""The words of an obstacle if no choice of parameters fits."""


@dataclass(frozen=True)
class Obstacle:
    """A candidate for the step at the failing line, and the first of its conjuncts that is false."""

    action: str
    passed: int
    """The number of conjuncts before it that hold."""
    formula: str
    place: str
    values: tuple[tuple[str, str], ...]
    """The values of names and variables in the formula."""
    words: str = ""
    """The words in place of ``is false``."""
    possible: bool = False
    """True if the step exists, and only a value in the log contradicts it."""


@dataclass(frozen=True)
class PathState:
    """A state of an execution, and the step that leads to it."""

    line: int | None
    """The line of the log that the step explains; None if it explains none, as of the initial state."""
    action: str
    """The action of the step; empty for the initial state."""
    state: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class LogVerdict:
    """The verdict on a log."""

    log: str
    verdict: Conformance
    lines: int
    """The number of events in the log."""
    explained: int
    """The number of events, from the first, that some execution agrees with."""
    line: int | None = None
    """The line of the file at which the log is rejected, or the search ends."""
    text: str = ""
    """The text of that line."""
    reason: str = ""
    states: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Some states that agree with the log before that line."""
    frontier: int = 0
    """The number of these states."""
    obstacles: tuple[Obstacle, ...] = ()
    """The candidates for the step at that line. The nearest is the first."""
    path: tuple[PathState, ...] = ()
    """An execution that agrees with the log before that line. Its last state is the first of ``states``."""
    events: tuple[tuple[int, str], ...] = ()
    """All events of a log that is not accepted: the lines of the file, and their texts."""
    seconds: float = 0.0
    coverage: Coverage | None = None
    """The coverage of one execution, of an accepted log, if it is asked for."""
    by_solver: bool = False
    """True if a solver found it, which knows one of the states that agree with the log."""
    skipped: tuple[int, ...] = ()
    """The lines of events that the mapping ignores."""
    violated: tuple[str, ...] = ()
    """The invariants that are false in each execution that agrees with the log, which all is explained;
    ``line`` is the first line after which they are, and ``obstacles`` say why."""

    def as_object(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        made = asdict(replace(self, coverage=None))
        made["coverage"] = self.coverage.as_object() if self.coverage is not None else None
        made["verdict"] = str(self.verdict)
        made["seconds"] = round(self.seconds, 3)
        made["states"] = [dict(state) for state in self.states]
        made["path"] = [{**asdict(one), "state": dict(one.state)} for one in self.path]
        made["events"] = [{"line": line, "text": text} for line, text in self.events]
        for one in made["obstacles"]:
            one["values"] = dict(one["values"])
        return made


def exit_code(verdicts: Iterable[LogVerdict]) -> ExitCode:
    """Return the exit code: that of the worst verdict."""
    return ExitCode.worst(_EXIT_CODES[one.verdict] for one in verdicts)


def as_obstacle(one: Blocked) -> Obstacle:
    """Return the reason why a way through Next is no step."""
    values = dict((*one.bound, *one.reads))
    words = f"has no value: {one.error}" if one.error else RULED_OUT if one.is_ruled_out else ""
    return Obstacle(one.action, one.passed, one.formula, str(one.place), tuple(values.items()), words)
