"""An inductive check as text: the counterexample to induction, and a table of lemmas by actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rich.console import RenderableType
from rich.text import Text

from verifier.engines.induction_outcome import InductionOutcome, Inductions
from verifier.engines.inductive_question import Kind
from verifier.engines.obligations import ObligationGroup, group_obligations
from verifier.outcomes.run import Run
from verifier.printable import say_count
from verifier.solvers import solver_version
from verifier.text.columns import wrap
from verifier.text.counterexample import render_trace
from verifier.text.failure import render_failure
from verifier.text.run import (
    expectation_remarks,
    render_verdicts,
    say_times,
    semantics_remarks,
    with_constants,
)
from verifier.verdict import Verdict, VerdictKind

_UNREACHABLE = (
    "The first state satisfies the lemmas and the property, but it may be unreachable. If it is unreachable, "
    "the protocol is not at fault: a lemma is missing"
)
_LOOK = " (--reachable K looks for an execution to that state)"
_CELL = 6


def render_induction(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """Return the whole run, on lines of at most ``width`` characters unless names are longer."""
    outcomes = run.outcome.parts if isinstance(run.outcome, Inductions) else ()
    about = with_constants(run.definition.name, run.definition.constants)
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    solvers = ", ".join(f"{name} {solver_version(name)}" for name in run.solvers)
    lines += [*map(Text, wrap(f"{run.engine}, {solvers}", width)), Text()]
    explained = {verdict.property_name: verdict for verdict in run.outcome.verdicts}  # a module's own words
    for outcome in outcomes:
        verdict = explained.get(outcome.verdicts[0].property_name, outcome.verdicts[0])
        inductive = verdict.kind is VerdictKind.NOT_INDUCTIVE
        remark = _LOOK if run.options.get("reachable") is None else ""  # else the verdict says what was found
        lines += render_step(run, verdict, width, full=full, inductive=inductive, remark=remark)
        lines += [*_table(run, outcome, width), Text()]
    lines += [*render_verdicts(run, width), Text()]
    instances = 0 if run.model is None else len(run.model.system.instances)
    for outcome in outcomes:
        for remark in _remarks(run, outcome, instances):
            lines += map(Text, wrap(remark, width, subsequent_indent="  "))
    for remark in (*semantics_remarks(run), *expectation_remarks(run), f"{say_times(run)}."):
        lines += map(Text, wrap(remark, width, subsequent_indent="  "))
    return lines


def render_step(
    run: Run,
    verdict: Verdict,
    width: int,
    *,
    full: bool,
    inductive: bool = True,
    remark: str = "",
    called: Mapping[str, str] = MappingProxyType({}),
) -> list[RenderableType]:
    """A counterexample to induction, which is a state and its successor, with a remark on where such states
    come from. Or, not ``inductive``, an execution. ``called``: other names of properties."""
    if verdict.trace is None or run.model is None:
        return []
    title = "counterexample to induction" if inductive else "counterexample"
    lines: list[RenderableType] = [Text(f"{verdict.property_name}: {title}", "bold yellow"), Text()]
    start = "initially"
    if inductive and verdict.trace.steps:
        start = "some state" if run.options.get("reachable") else "some state (may be unreachable)"
    lines += render_trace(run.definition, verdict.trace, width, full=full, start=start)
    stuck = run.definition.titles.no_deadlock
    lines += [Text(), *render_failure(run.model, verdict.trace, width, stuck, called)]
    if start != "initially":
        lines += map(Text, wrap(f"{_UNREACHABLE}{remark}.", width))
    return [*lines, Text()]


def _table(run: Run, outcome: InductionOutcome, width: int) -> list[Text]:
    """A table: a line per lemma, a column per action. A cell has the seconds, or says that it fails. Actions
    of a translation that share a name have a column for each instance. Columns that do not fit into the width
    stand in further tables below."""
    if not outcome.obligations:
        return []
    actions = [action.name for action in run.definition.actions]
    repeated = {name for name, count in Counter(actions).items() if count > 1}
    obligations = [
        replace(item, action=item.instance) if item.action in repeated else item
        for item in outcome.obligations
    ]
    cells = {(group.formula, group.action or group.kind): group for group in group_obligations(obligations)}
    formulas = list(dict.fromkeys(item.formula for item in obligations))
    asked = dict.fromkeys(item.action for item in obligations if item.action is not None)
    names = asked if repeated else [name for name in actions if name in asked]
    columns = [Kind.INITIATION, *names, Kind.SAFETY]
    heads = ["init", *(str(number) for number in range(1, len(columns) - 1)), "safety"]
    margin = max(map(len, (*formulas, "safety")))
    at_once, lines = max((width - margin) // (_CELL + 2), 1), list[Text]()
    for first in range(0, len(columns), at_once):
        shown = slice(first, first + at_once)
        lines += [Text()] if lines else []
        lines.append(Text(" " * margin + "".join(f"{head:>{_CELL + 2}}" for head in heads[shown]), "bold"))
        for formula in formulas:
            line = Text(f"{formula:<{margin}}")
            for cell in (_cell(cells.get((formula, column))) for column in columns[shown]):
                line.append(f"{cell:>{_CELL + 2}}", "bold red" if cell == "fails" else "")
            lines.append(line)
    legend = [f"{head:>{margin}}  {name}" for head, name in zip(heads[1:-1], columns[1:-1], strict=True)]
    legend += [f"{name:>{margin}}  {words}" for name, words in _explain(run, formulas)]
    return [*lines, *(Text(line, "dim") for line in legend)]


def _explain(run: Run, formulas: Sequence[str]) -> list[tuple[str, str]]:
    """Explain the cells, and the row and the columns that the spec does not name."""
    typed = (run.definition.titles.typed, "each variable has a value of its sort")
    others = [
        ("init", "each initial state satisfies the formula"),
        ("safety", "the lemmas imply the property"),
        ("0.00", "proved, in so many seconds (·: nothing to prove)"),
    ]
    return [typed, *others] if typed[0] in formulas else others


def _cell(group: ObligationGroup | None) -> str:
    match group:
        case None:
            return "·"
        case ObligationGroup(holds=False):
            return "fails"
    return "?" if group.holds is None else f"{group.seconds:.2f}"


def count_instances(count: int) -> str:
    """``5 action instances``."""
    return f"{count} action instance{'s'[: count != 1]}"


def _remarks(run: Run, outcome: InductionOutcome, instances: int) -> list[str]:
    verdict = outcome.verdicts[0]
    name = verdict.property_name
    remarks = []
    steps = [item for item in outcome.obligations if item.kind is Kind.CONSECUTION]
    if steps:
        covering = f"{outcome.asked} of {instances} action instances; the others are the same up to renaming"
        if outcome.asked == instances:
            covering = "the only action instance" if instances == 1 else f"all {instances} action instances"
        remarks.append(f"{name}: {say_count(len(outcome.obligations), 'obligation')}, covering {covering}.")
    fell = [f"{item.formula} (at {item.fell_at})" for item in outcome.left_out if item.fell_at is not None]
    unneeded = [item.formula for item in outcome.left_out if item.fell_at is None]
    if fell:
        remarks.append(f"{name}: not kept, and left out: {', '.join(fell)}.")
    if unneeded:
        remarks.append(f"{name}: not needed: {', '.join(unneeded)}.")
    if verdict.kind is VerdictKind.PROVED:
        remarks.append(f"{name}: inductive together: {', '.join(outcome.invariant)}.")
    if outcome.rechecked is not None:
        again = outcome.rechecked
        by = f"{again.solver} {solver_version(again.solver)}"
        took = f"{again.seconds:.1f} s, in a fresh process"
        count = say_count(again.obligations, "obligation")
        how = f"The check divides the proof differently: {count} for {count_instances(again.instances)}"
        if again.reused:
            how += f", and {again.reused:,} that it had checked for other properties"
        remarks.append(f"{name}: {by} checked the proof again in {took}. {how}.")
    files = {v.property_name: v.certificate for v in run.outcome.verdicts}
    if files.get(name) is not None:
        remarks.append(f"{name}: the certificate is in {files[name]}.")
    return remarks
