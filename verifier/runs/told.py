"""Final verdicts and closed depths that an engine told while it ran. No end of the run takes them back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.outcome import Outcome
from verifier.outcomes.expectations import exit_code
from verifier.runs.news import Known, Remark
from verifier.runs.question import Answer, Question, conclude, make_undecided_verdicts
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen


@dataclass
class ToldVerdicts:
    """The final verdicts of a question, each with the run that told it, and the closed depths."""

    question: Question[Any]
    _runs: dict[str, tuple[Verdict, Run]] = field(default_factory=dict)
    _closed: dict[str, int] = field(default_factory=dict)

    def listening(self, listen: Listen) -> Listen:
        """Return a listener that passes all news on, and keeps what is final: verdicts and closed depths."""

        def hear(news: Any) -> None:
            if isinstance(news, Known):
                told = {one.property_name: (one, news.run) for one in news.run.outcome.verdicts}
                if all(n in self._runs and self._runs[n][0].kind is one.kind for n, (one, _) in told.items()):
                    return  # an exploration found it again at wider sorts
                self._runs |= told
            elif isinstance(news, Remark):
                self._closed |= news.closed
            listen(news)

        return hear

    @property
    def alone(self) -> list[Run]:
        """Return a run with each of the verdicts, as it was told."""
        return [
            replace(run, outcome=replace(run.outcome, verdicts=(verdict,)))
            for verdict, run in self._runs.values()
        ]

    def run_without_answer(self, engine: Engine[Any], reason: str) -> Run:
        """Return the run of an engine that gave no answer. What is not final is INCONCLUSIVE."""
        verdicts = make_undecided_verdicts(self.question.properties, reason)
        answer = Answer(None, 0.0, Outcome(verdicts, (), {}))
        return self.keep_in(conclude(self.question, answer, engine.name))

    def keep_in(self, run: Run) -> Run:
        """Return a run in which these stand where it knows nothing: it may have ended while a translation was
        built once more."""
        run = restore_depths(run, self._closed)
        verdicts = {one.property_name: one for one in run.outcome.verdicts}
        lost = [name for name in self._runs if _is_open(verdicts.get(name))]
        if not lost:
            return run
        from verifier.outcomes.content import write_trace

        kept = {name: _at_own_sorts(*self._runs[name]) for name in lost}
        every = tuple((verdicts | kept).values())
        traces = {name: write_trace(told, one) for name in lost for one, told in [self._runs[name]]}
        return replace(
            run,
            model=None,
            definition=self._definition(run, lost),
            outcome=replace(run.outcome, verdicts=every),
            exit_code=exit_code(every, self.question.expectations, run.outcome.enabled),
            traces={**run.traces, **{name: trace for name, trace in traces.items() if trace is not None}},
        )

    def _definition(self, run: Run, names: Sequence[str]) -> Any:
        return run.definition if run.definition.variables else self._runs[names[0]][1].definition


def restore_depths(run: Run, closed: Mapping[str, int]) -> Run:
    """Return a run whose open verdicts have the depths that were closed before, unless it closed more."""

    def restore(one: Verdict) -> Verdict:
        depth = closed.get(one.property_name, -1)
        known = -1 if one.depth is None else one.depth
        return replace(one, depth=depth) if _is_open(one) and known < depth else one

    return replace(run, outcome=replace(run.outcome, verdicts=tuple(map(restore, run.outcome.verdicts))))


def _is_open(verdict: Verdict | None) -> bool:
    return verdict is None or verdict.kind is VerdictKind.INCONCLUSIVE


def _at_own_sorts(verdict: Verdict, run: Run) -> Verdict:
    """Return a verdict whose execution has the variables of its own run."""
    trace = verdict.trace
    if trace is None or run.model is None or trace.shown or trace.variables:
        return verdict
    return replace(verdict, trace=replace(trace, variables=run.definition.variables))
