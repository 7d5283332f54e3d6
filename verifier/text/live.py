"""Answers about temporal properties for the terminal: lassos, with the reasons for which they are fair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.engines import exploration_progress
from verifier.outcomes.content import write_trace
from verifier.outcomes.run import Run
from verifier.outcomes.unbounded import find_unbounded
from verifier.printable import say_count, say_never_enabled
from verifier.solvers import solver_version
from verifier.text.columns import wrap
from verifier.text.commands import advise_on_loops, to_go_on
from verifier.text.counterexample import render_trace
from verifier.text.failure import render_failure
from verifier.text.lasso import render_loop
from verifier.text.progress import DepthsText, ProgressText, ProversText, StatesText
from verifier.text.run import (
    expectation_remarks,
    render_verdicts,
    say_fewest,
    say_times,
    semantics_remarks,
    verdict_style,
    with_constants,
)
from verifier.verdict import VerdictKind, in_words


class LiveText(ProgressText):
    """News of exploration, of bounded search, and of the provers."""

    def __init__(self) -> None:
        super().__init__()
        self._states = StatesText()
        self._depths, self._provers = DepthsText(of_loops=True), ProversText(of_loops=True)
        self._latest: ProgressText = self._states

    def hear(self, news: Any) -> Iterator[str]:
        """Takes a piece of news."""
        if isinstance(news, exploration_progress.Progress):
            self._latest = self._states
            yield from self._latest.hear(news)
            return
        from verifier.engines import bmc, ranking  # who sends other news has loaded them

        if isinstance(news, ranking.Progress):
            if news.shown == 0:
                yield f"ranking: {say_count(news.claims, 'claim')}"
            return
        self._latest = self._depths if isinstance(news, bmc.Progress) else self._provers
        yield from self._latest.hear(news)

    def now(self) -> str:
        """The current work."""
        return self._latest.now()


def render_live(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    about = with_constants(run.definition.name, run.definition.constants)
    solvers = "".join(f", {name} {solver_version(name)}" for name in run.solvers)
    engine = "" if run.options["engine"] == "auto" else f", engine {run.options['engine']}"
    how = f"live{engine}, fairness {run.options['fairness']}{solvers}"
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    lines += [*map(Text, wrap(how, width)), Text()]
    for verdict in run.outcome.verdicts:
        trace = verdict.trace
        if trace is None or (run.model is None and not (trace.shown or trace.variables)):
            continue
        words = f"{in_words(verdict.kind, None, verdict.steps, None)} ({say_fewest(verdict)})"
        lines += [Text(f"{verdict.property_name}: {words}", verdict_style(verdict.kind)), Text()]
        lines += [*render_trace(run.definition, trace, width, full=full), Text()]
        if trace.loop is not None:
            lines += [*render_loop(trace, write_trace(run, verdict), width), Text()]
        else:
            lines += [*render_failure(run.model, trace, width), Text()]
    lines += [*render_verdicts(run, width), Text()]
    return [*lines, *(Text(line) for words in _remarks(run) for line in wrap(words, width))]


def _side_by_side(name: str, figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield which engine decided; if none did, the result of each, and the failures with their reasons."""
    for engine, figure in figures.get("engines", {}).items():
        if "failure" in figure:
            yield f"{name}: {engine} was left out: {figure['failure']}"
    if "decided_by" in figures:
        yield f"{name}: decided by the engine {figures['decided_by']}."
        return
    for engine, figure in figures.get("engines", {}).items():
        if "states" in figure:
            yield f"{name}: {engine} looked at {say_count(figure['states'], 'state')}."
        if "claims" in figure:
            yield f"{name}: {engine} showed {figure['shown']} of {say_count(figure['claims'], 'claim')}."
        if "depth" in figure:
            yield f"{name}: {engine} found no lasso of at most {say_count(figure['depth'], 'state')}."


def _by_orbits(run: Run) -> bool:
    figures = run.outcome.statistics.get("properties", {}).values()
    return any(figure.get("symmetry") for figure in figures)


def _remarks(run: Run) -> Iterator[str]:
    for verdict in run.outcome.verdicts:
        if verdict.reason is not None and verdict.kind in (VerdictKind.PROVED, VerdictKind.HOLDS):
            why = verdict.reason.removeprefix("complete: ")
            yield f"{verdict.property_name} {verdict.kind}: {why}."
        if run.options["engine"] in ("l2s", "prove") and verdict.found_by is not None:
            yield f"{verdict.property_name}: decided by the engine {verdict.found_by}."
    for name, figures in run.outcome.statistics.get("properties", {}).items():
        yield from _side_by_side(name, figures)
    endless = [one for one in run.outcome.verdicts if find_unbounded(one.reason)]
    yield from to_go_on(run.definition, [one for one in run.outcome.verdicts if one not in endless])
    if endless:
        names = [one.property_name for one in endless]
        yield from advise_on_loops(run.definition, names, find_unbounded(endless[0].reason))
    yield from semantics_remarks(run)
    if run.outcome.never_enabled:
        bound = f" within {say_count(run.depth, 'state')}" if run.options["engine"] == "bmc" else ""
        yield f"warning: {say_never_enabled(run.outcome.never_enabled, bound)}"
    interchangeable = run.model is not None and run.model.system.symmetries
    if interchangeable and run.options["engine"] not in ("orbits", "ranking") and not _by_orbits(run):
        words = "fairness and temporal properties may tell interchangeable elements apart"
        yield f"Symmetry is not used: {words}."
    yield from expectation_remarks(run)
    yield f"{say_times(run)}."
