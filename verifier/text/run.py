"""A run as text: the counterexamples, then the verdicts with remarks and warnings."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.encodings.concrete import Concrete, show_constants
from verifier.outcomes.expectations import list_unmet
from verifier.outcomes.run import Run
from verifier.printable import join_words, say_count, say_never_enabled
from verifier.solvers import solver_version
from verifier.specs.definition import PropertyKind
from verifier.text.columns import align_rows, wrap
from verifier.text.commands import advise_on_growth, name_module, to_go_on
from verifier.text.failure import render_failure
from verifier.verdict import (
    ALL_CONSTANTS,
    IS_VIOLATED,
    LEFT_TO_LIVE,
    TEMPORAL_PART,
    ExitCode,
    Verdict,
    VerdictKind,
    in_words,
    steps_words,
)

_LEAST_DEPTH_TO_WARN = 2
"""To a smaller depth, actions that depend on others cannot be enabled, whatever their guards are."""
_VALIDATED = (VerdictKind.HOLDS, VerdictKind.PROVED)
"""Verdicts that depend on the translation of a TLA+ module, if there is one."""
_STYLES = {
    VerdictKind.HOLDS: "bold green",
    VerdictKind.PROVED: "bold green",
    VerdictKind.REACHED: "bold green",
    VerdictKind.VIOLATED: "bold red",
    VerdictKind.NOT_INDUCTIVE: "bold yellow",
    VerdictKind.INCONCLUSIVE: "bold yellow",
    VerdictKind.ERROR: "bold red",
}


def with_constants(name: str, constants: Mapping[str, Concrete]) -> str:
    """``kip320 with replicas=3, log_size=2``."""
    return f"{name} with {show_constants(constants)}" if constants else name


def verdict_text(verdict: Verdict, *, shortest: bool = False) -> str:
    """A verdict in words: ``HOLDS(12)``, ``VIOLATED in 12 steps (fewest)``.

    ``shortest`` says that the run asked for the fewest steps.
    """
    searches = verdict.found_by != ALL_CONSTANTS
    words = in_words(verdict.kind, verdict.depth, verdict.steps, verdict.reason, searches_depths=searches)
    if verdict.steps is None or verdict.kind not in (VerdictKind.VIOLATED, VerdictKind.REACHED):
        return words  # what is shown of anything else is no execution, or judged to be none
    return f"{words} ({say_fewest(verdict, shortest=shortest)})"


def say_fewest(verdict: Verdict, *, shortest: bool = True) -> str:
    """Say if an execution is known to be a shortest one. ``shortest``: --shortest would not help."""
    if verdict.fewest:
        return "fewest"
    return "maybe not the fewest" if shortest else "maybe not the fewest: --shortest"


def verdict_style(kind: VerdictKind) -> str:
    """The colour of a verdict."""
    return _STYLES[kind]


def render_run(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    return [
        *_header(run, width),
        *render_counterexamples(run, width, full),
        *render_verdicts(run, width),
        *_notes(run, width),
    ]


def _header(run: Run, width: int) -> list[RenderableType]:
    about = with_constants(run.definition.name, run.definition.constants)
    steps = run.options.get("steps", "auto")
    chosen = () if steps == "auto" else (f"{steps} steps",)
    solvers = (f"{name} {solver_version(name)}" for name in run.solvers)
    how = ", ".join((f"{run.engine} to depth {run.depth}", *chosen, *solvers))
    return [*(Text(line, "bold") for line in wrap(about, width)), *map(Text, wrap(how, width)), Text()]


def render_counterexamples(run: Run, width: int, full: bool) -> list[RenderableType]:
    """Return each execution that violates a property, with the failing part, or that reaches a property."""
    from verifier.text.counterexample import render_trace

    lines: list[RenderableType] = []
    shown: list[Verdict] = []
    for verdict in run.outcome.verdicts:
        trace = verdict.trace
        if trace is None or (run.model is None and not (trace.shown or trace.variables)):
            continue
        lines.append(Text(f"{verdict.property_name}: {_text(run, verdict)}", _STYLES[verdict.kind]))
        same = [other for other in shown if _same_execution(other, verdict)]
        if same:
            other = f"{_does(same[0])} {same[0].property_name}"
            lines.append(Text(f"The execution that {other} {_does(verdict)} it too."))
        else:
            shown.append(verdict)
            lines += [Text(), *render_trace(run.definition, trace, width, full=full)]
        lines.append(Text())
        if verdict.kind is not VerdictKind.REACHED and (run.model is not None or trace.variables):
            stuck = run.definition.titles.no_deadlock
            lines += [*render_failure(run.model, trace, width, stuck), Text()]
    return lines


def _does(verdict: Verdict) -> str:
    return "reaches" if verdict.kind is VerdictKind.REACHED else "violates"


def _same_execution(one: Verdict, other: Verdict) -> bool:
    assert one.trace is not None
    assert other.trace is not None
    return one.trace.states == other.trace.states and one.trace.actions == other.trace.actions


def _text(run: Run, verdict: Verdict) -> str:
    words = verdict_text(verdict, shortest=bool(run.options.get("shortest", True)))
    if verdict.kind not in _VALIDATED and not (verdict.kind is VerdictKind.INCONCLUSIVE and verdict.depth):
        return words
    if run.definition.presentation.config == "":
        return words  # of a protocol that is a Python class a remark says it
    return with_agreement(words, run.outcome.statistics.get("validation"))


def render_verdicts(run: Run, width: int) -> list[RenderableType]:
    """The table of verdicts."""
    verdicts = run.outcome.verdicts
    rows = [("property", "verdict"), *((name_subject(run, one), _text(run, one)) for one in verdicts)]
    styles = ["bold", *(_STYLES[verdict.kind] for verdict in verdicts)]
    return [
        Text(line, style)
        for lines, style in zip(align_rows(rows, width), styles, strict=True)
        for line in lines
    ]


def _notes(run: Run, width: int) -> list[RenderableType]:
    notes: list[RenderableType] = [Text()]
    styled = [*(("yellow", words) for words in _warnings(run)), *(("", words) for words in _remarks(run))]
    for style, words in styled:
        notes += [Text(line, style) for line in wrap(words, width, subsequent_indent="  ")]
    return notes


def _warnings(run: Run) -> list[str]:
    warnings = []
    never = run.outcome.never_enabled
    if never and _has_searched_enough(run):
        warnings.append(f"warning: {say_never_enabled(never, f' within depth {run.depth}')}")
    longer = [verdict for verdict in run.outcome.verdicts if (verdict.steps or 0) > run.depth]
    if longer:
        lengths = [f"{verdict.property_name} ({steps_words(verdict.steps or 0)})" for verdict in longer]
        shown = "execution shown" if len(longer) == 1 else "executions shown"
        warnings.append(
            f"note: The {shown} for {join_words(lengths)} {'is' if len(longer) == 1 else 'are'} longer than "
            f"--depth {run.depth}, because bmc also searches by parallel steps. One parallel step takes "
            "several actions. --steps serial stops at the depth."
        )
    return warnings


def _has_searched_enough(run: Run) -> bool:
    """True if the search went so far that an action should have been enabled."""
    return run.depth >= _LEAST_DEPTH_TO_WARN and _is_closed_throughout(run.outcome.verdicts, run.depth)


def _is_closed_throughout(verdicts: Sequence[Verdict], depth: int) -> bool:
    """True if a property was checked to the full depth. Then all states up to this depth were searched."""
    not_found = (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE)
    return any(verdict.kind in not_found and verdict.depth == depth for verdict in verdicts)


def up_to_view(run: Run) -> str:
    """Return the words for what was found of states that a VIEW takes for one, with a space before them."""
    return " up to the VIEW" if run.outcome.statistics.get("view") else ""


def has_checked_deadlocks(run: Run) -> bool:
    """True if the run checked a property of states in which no action is enabled."""
    names = {verdict.property_name for verdict in run.outcome.verdicts}
    kinds = (prop.kind for prop in run.definition.properties if prop.name in names)
    return run.definition.titles.no_deadlock in names or PropertyKind.DEADLOCK_INVARIANT in kinds


def name_those(run: Run, kind: VerdictKind) -> str:
    """Name the properties with this verdict; ``these properties`` if all of several have it."""
    names = [name_subject(run, one) for one in run.outcome.verdicts if one.kind is kind]
    if len(names) > 1 and len(names) == len(run.outcome.verdicts):
        return "these properties"
    return join_words(names, "or")


def name_subject(run: Run, verdict: Verdict) -> str:
    """Name what a verdict is about: the property, or its part about states and steps if its temporal part has
    a verdict of its own. A violation of the part violates the property."""
    name = verdict.property_name
    names = {one.property_name for one in run.outcome.verdicts}
    is_part = f"{name}{TEMPORAL_PART}" in names and verdict.kind is not VerdictKind.VIOLATED
    return f"{name} (safety part)" if is_part else name


def remark_on_deadlocks(run: Run) -> list[str]:
    """Return a remark that deadlocks count as no violations, if the run checked no property of them."""
    if has_checked_deadlocks(run):
        return _advise_on_termination(run)
    count = run.outcome.statistics.get("deadlocks")
    if count is None:
        return ["Deadlocks were not checked. To check for them, add --deadlock."]
    if not count:
        return []
    states = "1 state has" if count == 1 else f"{count:,} states have"
    if run.definition.presentation.config and not run.definition.checks_deadlock:
        why = f"since {Path(run.definition.presentation.config).name} says CHECK_DEADLOCK FALSE"
        words = "With --deadlock it would be a violation"
        return [f"{states} no enabled action. This is not a violation, {why}. {words}."]
    return [f"{states} no enabled action. Deadlocks count as violations only with --deadlock."]


def _advise_on_termination(run: Run) -> list[str]:
    """Say how a module allows executions to end, if one that does was found."""
    stuck, config = run.definition.titles.no_deadlock, run.definition.presentation.config
    kinds = {verdict.property_name: verdict.kind for verdict in run.outcome.verdicts}
    if not config or kinds.get(stuck) is not VerdictKind.VIOLATED:
        return []
    ways = [f"put CHECK_DEADLOCK FALSE in {Path(config).name}"] if run.definition.checks_deadlock else []
    ways.append("add an action that leaves the last state unchanged")
    return [f"If executions are allowed to end this way, {', or '.join(ways)}."]


def remark_on_undecided(run: Run) -> list[str]:
    """Return remarks on undecided properties: the known facts, and the command that decides each."""
    undecided = [verdict for verdict in run.outcome.verdicts if verdict.kind is VerdictKind.INCONCLUSIVE]
    left = [verdict for verdict in undecided if verdict.reason == LEFT_TO_LIVE]
    remarks = remark_on_blocked(undecided)
    blocked = {name for names in find_blocked(undecided).values() for name in names}
    others = [verdict for verdict in undecided if verdict not in left]
    if any(verdict.property_name not in blocked for verdict in others):
        remarks.append("INCONCLUSIVE: nothing is known about executions that were not searched.")
    remarks += to_go_on(run.definition, undecided)
    remarks += advise_on_growth(run, undecided)
    if left:
        remarks.append(_find_command_for_live(run, [verdict.property_name for verdict in left]))
    return remarks


def find_blocked(undecided: Sequence[Verdict]) -> dict[str, list[str]]:
    """Return the properties that are open since another one is violated, by the name of that one."""
    blocked = dict[str, list[str]]()
    for verdict in undecided:
        breach = (verdict.reason or "").removesuffix(IS_VIOLATED)
        if breach != verdict.reason:
            blocked.setdefault(breach, []).append(verdict.property_name)
    return blocked


def remark_on_blocked(undecided: Sequence[Verdict]) -> list[str]:
    """Say which violation must be fixed before other properties can be decided."""
    remarks = []
    for breach, names in find_blocked(undecided).items():
        are = "is" if len(names) == 1 else "are"
        words = f"{join_words(names)} {are} open as long as {breach} is violated"
        remarks.append(f"{words}. Fix that first, then check again.")
    return remarks


def _find_command_for_live(run: Run, names: Sequence[str]) -> str:
    """Return the command that decides temporal properties, and why the run does not end with 0."""
    words = ["verify live", *name_module(run.definition)]
    asked = [f"--property {shlex.quote(name.removesuffix(TEMPORAL_PART))}" for name in names]
    are = "is" if len(names) == 1 else "are"
    listed = ", ".join(names)
    remark = f"Not checked here: {listed}, which {are} about whole executions"
    if run.exit_code == ExitCode.INCONCLUSIVE and _are_others_decided(run, names):
        remark += f". To avoid exit code {ExitCode.INCONCLUSIVE}, name the other properties with --property"
    # The command stands last: nothing that follows is copied with it.
    return f"{remark}. To decide {listed}, run: {' '.join((*words, *asked))}"


def _are_others_decided(run: Run, names: Sequence[str]) -> bool:
    """True if a run decided all other properties, and a property of the module is among them."""
    others = [verdict for verdict in run.outcome.verdicts if verdict.property_name not in names]
    titles = run.definition.titles
    parts = (name.removesuffix(TEMPORAL_PART) for name in names)
    own = (titles.no_deadlock, *titles.of_the_translation, *parts)
    named = any(verdict.property_name not in own for verdict in others)
    return named and all(verdict.kind is not VerdictKind.INCONCLUSIVE for verdict in others)


def certificate_remarks(run: Run) -> list[str]:
    """Return the file with the proof of each property."""
    return [
        f"The proof of {verdict.property_name} is in {verdict.certificate}."
        for verdict in run.outcome.verdicts
        if verdict.certificate
    ]


_SEMANTICS = {
    "interpreter": "The interpreter computed the result; nothing was translated.",
    "translation": "The result was computed with the translation.",
}


def semantics_remarks(run: Run) -> list[str]:
    """Say which semantics answered a question about a TLA+ module; how far a protocol that is a Python class
    agrees with its formulas."""
    said = _SEMANTICS.get(run.outcome.statistics.get("semantics", ""))
    figures = run.outcome.statistics.get("validation")
    if figures is None or run.definition.presentation.config:
        return [] if said is None else [said]
    return [f"The translation agrees with the protocol on {_say_compared(figures)}."]


def say_times(run: Run) -> str:
    """Say how long a run took, and how much of that passed before its search."""
    interpreted = run.outcome.statistics.get("semantics") == "interpreter"
    before = "to read the module" if interpreted else "to translate the spec"
    return f"{run.seconds:.1f} s in all, {run.building_seconds:.1f} s of that {before}"


def _say_compared(figures: Mapping[str, Any]) -> str:
    """Say on how much two semantics were compared."""
    return f"{say_count(figures['states'], 'state')}, {say_count(figures['steps'], 'step')}"


def with_agreement(words: str, figures: Mapping[str, Any] | None) -> str:
    """Add to the text on a TLA+ module the extent to which its translation was compared with it."""
    if figures is None:
        return words
    return f"{words} (translation agrees with the module on {_say_compared(figures)})"


def _name_surprises(run: Run) -> str:
    """Name the properties that are open or violated, and of which the expectations say nothing."""
    said = {word.partition("=")[0] for word in run.expected if "=" in word}
    kinds = {VerdictKind.INCONCLUSIVE: "left open", VerdictKind.VIOLATED: "violated"}
    parts = []
    for kind, words in kinds.items():
        of_kind = [one.property_name for one in run.outcome.verdicts if one.kind is kind]
        names = [name for name in of_kind if name not in said and (kind is not VerdictKind.VIOLATED or said)]
        parts += [f"{', '.join(names)} {words}"] if names else []
    return f": {', and '.join(parts)}, which no --expect covers" if parts else ""


def expectation_remarks(run: Run) -> list[str]:
    """Remarks on expectations: whether all came true, and which actions were missing."""
    remarks = [f"{name} was never enabled in what was searched." for name in run.missing]
    if run.expected:
        unmet = list_unmet(run.expected, run.outcome.verdicts, run.missing)
        met, s = "not met" if unmet else "met", "s"[: len(unmet or run.expected) != 1]
        surprises = "" if run.exit_code == 0 else _name_surprises(run)
        words = f"Expectation{s} {met}: {', '.join(unmet or run.expected)}"
        remarks.append(f"{words} (exit code {run.exit_code}{surprises}).")
    return remarks


def _remarks(run: Run) -> list[str]:
    remarks = []
    if any(verdict.kind is VerdictKind.HOLDS for verdict in run.outcome.verdicts):
        which = name_those(run, VerdictKind.HOLDS)
        actions = say_count(run.depth, "action")
        remarks.append(f"HOLDS({run.depth}): no execution of at most {actions} violates {which}.")
    remarks += remark_on_undecided(run)
    never = ", ".join(run.outcome.never_enabled)
    verdicts = run.outcome.verdicts
    searched = any(verdict.depth is not None for verdict in verdicts)
    if never and searched and not _has_searched_enough(run):
        remarks.append(f"Not enabled in any state searched so far: {never}.")
    remarks += remark_on_deadlocks(run)
    remarks += semantics_remarks(run)
    remarks += expectation_remarks(run)
    peak = run.outcome.statistics.get("peak_memory_bytes", 0) / 2**20
    remarks.append(f"{say_times(run)}; peak memory of the searches {peak:.0f} MiB.")
    return remarks
