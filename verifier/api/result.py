"""Results of engines, as frozen objects of plain Python values."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from verifier.api.python_values import of_itf, plain
from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.content import as_object
from verifier.outcomes.row import rows_of
from verifier.outcomes.run import Run
from verifier.printable import json_text
from verifier.runs.engine import engine_named
from verifier.specs.names import own_name
from verifier.trust.certificate import dump
from verifier.trust.trace import Trace
from verifier.verdict import ExitCode, Verdict, VerdictKind, in_words

if TYPE_CHECKING:
    import pandas

_FRAME_HEIGHT = 640
"""Pixels of the explorer in a notebook."""


@dataclass(frozen=True)
class Action:
    """An action taken, with the values of its parameters."""

    name: str
    parameters: Mapping[str, Any]
    text: str
    """``Write(client=c1)``."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Execution:
    """A counterexample or witness, replayed: ``states[i + 1]`` follows from ``states[i]`` by ``actions[i]``.

    Values are Python's: integers, truth values, words for elements and members, None, frozenset, tuple, and
    dict for records, functions and bags.
    """

    states: tuple[Mapping[str, Any], ...]
    actions: tuple[Action, ...]

    @property
    def steps(self) -> int:
        """The number of actions."""
        return len(self.actions)

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.states)

    def __getitem__(self, number: int) -> Mapping[str, Any]:
        return self.states[number]

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each state: its number, the action that led to it (None for the first), and a column for
        each variable. Raises UsageError if pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise UsageError("a data frame needs pandas: pip install 'protoverify[notebook]'") from None
        names = [None, *map(str, self.actions)]
        rows = [
            {"step": step, "action": action, **state}
            for step, (action, state) in enumerate(zip(names, self.states, strict=True))
        ]
        return pandas.DataFrame(rows, dtype=object)


@dataclass(frozen=True)
class PropertyResult:
    """The verdict on one property."""

    name: str
    verdict: VerdictKind
    depth: int | None
    """The depth closed, or searched."""
    steps: int | None
    """Actions of the counterexample or witness."""
    fewest: bool
    """True if none has fewer."""
    reason: str | None
    trace: Execution | None
    certificate: str | None
    """Of a proof: what ``--certificate`` writes, for ``verify certify``."""

    @property
    def ok(self) -> bool:
        """True if it holds, is proved, or is reached."""
        return self.verdict.exit_code is ExitCode.SUCCESS

    def __str__(self) -> str:
        return f"{self.name}  {in_words(self.verdict, self.depth, self.steps, self.reason)}"


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a run: ``result["StrongIsr"]`` is the verdict on that property."""

    run: Run

    @cached_property
    def results(self) -> tuple[PropertyResult, ...]:
        """One for each property."""
        return tuple(self._result(verdict) for verdict in self.run.outcome.verdicts)

    def __getitem__(self, name: str) -> PropertyResult:
        own = own_name(name, [result.name for result in self.results])
        for result in self.results:
            if result.name == own:
                return result
        raise make_unknown_name_error(
            "property of this result", name, [result.name for result in self.results]
        )

    def __iter__(self) -> Iterator[PropertyResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __contains__(self, name: object) -> bool:
        return any(result.name == name for result in self.results)

    @property
    def engine(self) -> str:
        """The engine's name."""
        return self.run.engine

    @property
    def ok(self) -> bool:
        """True if all is as it should be, or as was expected."""
        return self.run.exit_code == ExitCode.SUCCESS

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command."""
        return ExitCode.worst([self.run.exit_code])

    @property
    def statistics(self) -> Mapping[str, Any]:
        """Figures of the run, as the command's JSON has them."""
        statistics: Mapping[str, Any] = self.to_dict()["statistics"]
        return statistics

    def to_dict(self) -> dict[str, Any]:
        """The command's JSON object."""
        return as_object(self.run)

    def to_json(self) -> str:
        """The command's JSON, as text."""
        return json_text(self.to_dict())

    def to_text(self, width: int = 100, *, full: bool = False) -> str:
        """The output of the command. ``full``: whole states instead of what changed."""
        from rich.console import Console

        console = Console(width=width, no_color=True, highlight=False, markup=False, emoji=False)
        with console.capture() as capture:
            for line in engine_named(self.engine).render(self.run, width, full=full):
                console.print(line, soft_wrap=True)
        return capture.get()

    def to_html(self) -> str:
        """The report with the counterexample explorer, as one page."""
        import json

        from verifier.report.page import as_html
        from verifier.report.report import Report

        title = f"verify {self.engine}: {self.run.definition.name}"
        return as_html(Report(title, rows_of(json.loads(json.dumps(self.to_dict())))))

    def _repr_html_(self) -> str:
        """Return the report for a notebook, in a frame of its own so that neither styles nor scripts mix."""
        page = html.escape(self.to_html(), quote=True)
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{page}" '
            f'style="width: 100%; height: {_FRAME_HEIGHT}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return "\n".join(map(str, self.results))

    def _result(self, verdict: Verdict) -> PropertyResult:
        run, trace = self.run, verdict.trace
        certificate = run.certificates.get(verdict.property_name)
        written = None if certificate is None or run.model is None else dump(run.model, certificate)
        return PropertyResult(
            name=verdict.property_name,
            verdict=verdict.kind,
            depth=verdict.depth,
            steps=verdict.steps,
            fewest=verdict.fewest,
            reason=verdict.reason,
            trace=None if trace is None else _execution(trace, run.traces.get(verdict.property_name)),
            certificate=written,
        )


def _execution(trace: Trace, written: Mapping[str, Any] | None) -> Execution:
    """An execution; of a TLA+ module as it is ``written``, with the values that the module has."""
    if written is None:
        states = tuple({name: plain(value) for name, value in state.items()} for state in trace.states)
    else:
        names = written["vars"]
        states = tuple({name: of_itf(state[name]) for name in names} for state in written["states"])
    return Execution(
        states=states,
        actions=tuple(
            Action(taken.name, {n: plain(v) for n, v in taken.parameters.items()}, str(taken))
            for taken in trace.actions
        ),
    )
