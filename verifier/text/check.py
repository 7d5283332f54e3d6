"""A check as text: one table of all properties, then the counterexamples, then what stayed open."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.outcomes.checked import CheckOutcome, is_decided
from verifier.outcomes.content import write_trace
from verifier.outcomes.run import Run
from verifier.outcomes.unbounded import find_unbounded
from verifier.outcomes.undefined_values import remove_state, tells_of_state
from verifier.printable import join_words, say_never_enabled
from verifier.processes.limits import is_about_memory
from verifier.text.columns import wrap
from verifier.text.commands import advise_on_growth, advise_on_loops, name_module, name_spec
from verifier.text.counterexample import render_trace
from verifier.text.exploration import (
    remark_on_coverage,
    remark_on_end,
    render_counts,
    render_formula_counts,
    warn_of_vacuity,
)
from verifier.text.lasso import render_loop
from verifier.text.progress import ProgressText
from verifier.text.run import (
    expectation_remarks,
    find_blocked,
    remark_on_blocked,
    remark_on_deadlocks,
    render_counterexamples,
    say_fewest,
    up_to_view,
    verdict_style,
    with_constants,
)
from verifier.verdict import LEFT_TO_LIVE, LOOPS_OF_VIEW, Verdict, VerdictKind, in_words, say_why_open

_LEAST_EVIDENCE = 24
_GAP = "  "


class CheckText(ProgressText):
    """Lines of all engines, each behind the engine's name."""

    def __init__(self) -> None:
        super().__init__()
        self._latest: dict[str, str] = {}

    def hear(self, news: Any) -> Iterator[str]:
        """Take a line of one engine."""
        if news.stays:
            yield str(news)
        elif news.line:
            self._latest[news.engine] = news.line
        else:
            self._latest.pop(news.engine, None)

    def now(self) -> str:
        """Return the latest line of each engine."""
        return "; ".join(f"{engine}: {line}" for engine, line in self._latest.items())


def render_check(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    outcome = run.outcome
    assert isinstance(outcome, CheckOutcome)
    about = with_constants(run.definition.name, run.definition.constants)
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    lines += [Text(), *_table(outcome, width), Text()]
    for verdict in outcome.verdicts:
        lines += _execution(run, outcome, verdict, width, full)
    if "distinct_states" in outcome.statistics:
        lines += render_counts(outcome.statistics)
        lines += [*render_formula_counts(outcome.statistics, width), Text()]
    for style, words in [
        *(("yellow", w) for w in _warnings(run)),
        *(("", w) for w in _remarks(run, outcome)),
    ]:
        lines += [Text(line, style) for line in wrap(words, width, subsequent_indent="  ")]
    return lines


def _table(outcome: CheckOutcome, width: int) -> Iterator[Text]:
    """Yield a line for each property; evidence that does not fit continues below."""
    rows = [("property", "verdict", "by", "seconds", "evidence")]
    rows += [_row(outcome, verdict) for verdict in outcome.verdicts]
    styles = ["bold", *(verdict_style(verdict.kind) for verdict in outcome.verdicts)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    left = width - sum(widths) - len(_GAP) * 4
    for row, style in zip(rows, styles, strict=True):
        cells = [cell.ljust(size) for cell, size in zip(row[:3], widths[:3], strict=True)]
        start = _GAP.join([*cells, row[3].rjust(widths[3])])
        if left >= _LEAST_EVIDENCE:
            first, *more = wrap(row[4], left) or [""]
            yield Text(f"{start}{_GAP}{first}".rstrip(), style)
            yield from (Text(" " * (width - left) + line, style) for line in more)
        else:
            yield Text(start.rstrip(), style)
            yield from (
                Text(line, style)
                for line in wrap(row[4], width, initial_indent="    ", subsequent_indent="    ")
            )


def _row(outcome: CheckOutcome, verdict: Verdict) -> tuple[str, str, str, str, str]:
    name = verdict.property_name
    decided = is_decided(verdict)
    words = (
        str(verdict.kind)
        if not decided or verdict.steps is None
        else in_words(verdict.kind, None, verdict.steps, None)
    )
    by, seconds = outcome.by.get(name, ""), f"{verdict.seconds:.1f}"
    if decided:
        return name, words, by, seconds, outcome.evidence.get(name, verdict.reason or "")
    if verdict.reason == LEFT_TO_LIVE:
        return name, words, by, seconds, verdict.reason
    reason = verdict.reason or ""
    return name, words, by, seconds, say_why_open(_shorten_error(reason) or None, verdict.depth)


def _shorten_error(reason: str) -> str:
    """Return a reason without the state in which an expression has no value: it is told below the table."""
    return remove_state(reason) if tells_of_state(reason) else reason


def _execution(
    run: Run, outcome: CheckOutcome, verdict: Verdict, width: int, full: bool
) -> list[RenderableType]:
    """The counterexample or witness of one property."""
    trace = verdict.trace
    if trace is None:
        return []
    definition = outcome.definitions.get(outcome.by.get(verdict.property_name, ""), run.definition)
    if trace.loop is not None:
        words = f"{in_words(verdict.kind, None, verdict.steps, None)} ({say_fewest(verdict)})"
        heading = Text(f"{verdict.property_name}: {words}", verdict_style(verdict.kind))
        lines: list[RenderableType] = [heading, Text()]
        lines += [*render_trace(definition, trace, width, full=full), Text()]
        return [*lines, *render_loop(trace, write_trace(run, verdict), width), Text()]
    alone = replace(run, definition=definition, outcome=replace(outcome, verdicts=(verdict,)))
    return render_counterexamples(alone, width, full)


def _warnings(run: Run) -> list[str]:
    never = run.outcome.never_enabled
    warnings = [f"warning: {say_never_enabled(never, up_to_view(run))}"] if never else []
    if run.options.get("coverage") and "coverage" not in run.outcome.statistics:
        warnings.append("warning: no formula was counted, since exploration has no result")
    return [*warnings, *warn_of_vacuity(run)]


def _remarks(run: Run, outcome: CheckOutcome) -> Iterator[str]:
    undecided = [verdict for verdict in outcome.verdicts if not is_decided(verdict)]
    open_ones = [one for one in undecided if one.kind is VerdictKind.INCONCLUSIVE]
    yield from _explain_errors(open_ones)
    yield from _next_commands(
        run, outcome, [one for one in open_ones if not tells_of_state(one.reason or "")]
    )
    for name, words in outcome.statistics.get("tried", {}).items():
        if undecided:
            yield f"{name} tried {words}."
    told = {_shorten_error(one.reason or "") for one in open_ones if tells_of_state(one.reason or "")}
    refusals = {
        name: words for name, words in _list_refusals(outcome).items() if _shorten_error(words) not in told
    }
    for name, words in refusals.items():
        # The translation is asked after the interpreter, whose words are about the module's own text.
        if undecided and name.partition(",")[0] not in refusals.keys() - {name}:
            names = join_words([one.property_name for one in undecided], "or")
            yield f"The engine {name} cannot decide {names}: {words}"
    constants = run.definition.constants
    if constants and any(verdict.kind is VerdictKind.PROVED for verdict in outcome.verdicts):
        yield (
            "PROVED is about these constants only. --set takes larger ones. prove --all-constants is about "
            "all constants, and may need lemmas."
        )
    if "deadlocks" in outcome.statistics:
        yield from remark_on_deadlocks(run)
    yield from remark_on_end(run)
    yield from remark_on_coverage(outcome.statistics)
    yield from expectation_remarks(run)
    yield f"{run.seconds:.1f} s in all."


def _explain_errors(undecided: Sequence[Verdict]) -> Iterator[str]:
    """Yield each error of the module once, with the state, and the properties that it leaves open."""
    errors: dict[str, list[Verdict]] = {}
    for one in undecided:
        if tells_of_state(one.reason or ""):
            errors.setdefault(_shorten_error(one.reason or ""), []).append(one)
    for same in errors.values():
        names = [one.property_name for one in same]
        are = "is" if len(names) == 1 else "are"
        yield f"{join_words(names)} {are} open, because of an error in the module: {same[0].reason}"
        yield "Correct the module, and run the check again."


def _list_refusals(outcome: CheckOutcome) -> dict[str, str]:
    engines = outcome.statistics.get("engines", {})
    return {name: figures["refused"] for name, figures in engines.items() if "refused" in figures}


def _next_commands(run: Run, outcome: CheckOutcome, undecided: Sequence[Verdict]) -> Iterator[str]:
    """Yield the command that continues with each open property."""
    spec = [name_spec(outcome.spec), *name_module(run.definition)[1:]]
    lasting = {prop.name for prop in run.definition.temporal}
    yield from advise_on_growth(run, [one for one in undecided if one.property_name not in lasting])
    yield from remark_on_blocked(undecided)
    blocked = {name for names in find_blocked(undecided).values() for name in names}
    growing = next(filter(None, (find_unbounded(one.reason) for one in outcome.verdicts)), "")
    names = [one.property_name for one in undecided if one.property_name in lasting - blocked]
    endless = names if growing else []
    if endless:
        yield from advise_on_loops(run.definition, endless, growing, spec)
    refusals = tuple(_list_refusals(outcome).values())
    for verdict in undecided:
        name, reason = verdict.property_name, verdict.reason or ""
        is_refused = bool(reason) and any(words.startswith(reason) for words in refusals)
        if is_refused or name in blocked or name in endless or find_unbounded(reason):
            continue
        engine = "live" if name in lasting or verdict.reason == LEFT_TO_LIVE else "prove"
        more = ["--max-states", "1000000"] if reason.endswith(LOOPS_OF_VIEW) else []
        lemmas = run.definition.presentation.named_lemmas if engine == "prove" else ()
        more += [word for lemma in lemmas for word in ("--lemma", shlex.quote(lemma))]
        words = " ".join(["verify", engine, *spec, "--property", shlex.quote(name), *more])
        what = "memory" if is_about_memory(reason) else "time"
        yield f"{name} is open. To continue, with more {what}, run: {words}"
