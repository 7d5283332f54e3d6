"""Proofs for all constants, for the terminal."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.encodings.concrete import show_constants
from verifier.engines.all_constants import ELSEWHERE, AllConstantsOutcome
from verifier.outcomes.run import Run
from verifier.parametric.deciding import CHECKER, FINDER
from verifier.parametric.proving import Attempt
from verifier.parametric.results import SIZES, Open, Shown, place_of, say_obligation
from verifier.printable import join_words, say_count
from verifier.solvers import solver_version
from verifier.specs.names import TYPE_INVARIANT
from verifier.specs.titles import AS_LEMMA, TYPED
from verifier.text.columns import wrap
from verifier.text.commands import name_module, name_spec
from verifier.text.induction import render_step
from verifier.text.run import (
    certificate_remarks,
    expectation_remarks,
    name_those,
    render_counterexamples,
    render_verdicts,
)
from verifier.verdict import LEFT_TO_LIVE, Verdict, VerdictKind

_MOST_PLACES = 12
_NO_OBLIGATION = "no obligation is left for a solver"


def render_for_all(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    outcome = run.outcome
    assert isinstance(outcome, AllConstantsOutcome)
    lines: list[RenderableType] = [Text(f"{run.definition.name} with all constants", "bold")]
    solvers = ", ".join(f"{name} {solver_version(name)}" for name in run.solvers)
    lines += [Text(f"prove by induction, {solvers}"), Text()]
    known = describe_assumptions(outcome.assumptions, run.beyond_declared) if outcome.was_read else []
    if ignored := outcome.statistics.get("ignored"):
        known.append(f"warning: {ignored} of the configuration is ignored: a proof covers more states.")
    for words in known:
        lines += map(Text, wrap(words, width, subsequent_indent="  "))
    lines.append(Text())
    if run.traces:  # executions of a module, before a proof began
        lines += render_counterexamples(run, width, full)
    for verdict in run.outcome.verdicts:
        lines += _counterexample(run, verdict, width, full)
    lines += [*render_verdicts(run, width), Text()]
    violated = {one.property_name for one in run.outcome.verdicts if one.kind is VerdictKind.VIOLATED}
    for attempt in outcome.attempts:
        if attempt.property_name in violated:  # nothing that is open matters
            continue
        for words in [*_proof(attempt), *_open(attempt, full)]:
            lines += map(Text, wrap(words, width, subsequent_indent="  "))
    lines += map(Text, _suggest(run))
    for words in _remarks(run):
        lines += map(Text, wrap(words, width, subsequent_indent="  "))
    return lines


def _counterexample(run: Run, verdict: Verdict, width: int, full: bool) -> list[RenderableType]:
    """A step at small constants."""
    if run.model is None or verdict.property_name in run.traces:
        return []
    small = run.model.definition  # its constants are not those that the protocol has by default
    remark, inductive = "", verdict.kind is not VerdictKind.VIOLATED
    if small.constants:
        sizes = f" {SIZES}" * small.presentation.source.endswith(".tla")
        remark = f". Its constants{sizes}: {show_constants(small.constants)}"
    shown = replace(run, definition=small)
    called = run.outcome.statistics.get("type_invariant")
    own = {TYPE_INVARIANT: called} if called else {}
    return render_step(shown, verdict, width, full=full, inductive=inductive, remark=remark, called=own)


def _proof(attempt: Attempt) -> list[str]:
    shown = [one for one in attempt.results.values() if isinstance(one, Shown)]
    seconds, checked = sum(one.seconds for one in shown), sum(one.check_seconds for one in shown)
    how = "is inductive together with" if attempt.kept else "follows from"
    own_lemma = f"{attempt.property_name}{AS_LEMMA}"
    needed = [one for one in attempt.needed if one not in (attempt.property_name, own_lemma)]
    lemmas = ", ".join(f"{one} (every variable in its sort)" if one == TYPED else one for one in needed)
    name = attempt.property_name
    if not attempt.results:
        return [f"{name} holds by the form of Init and of each action: {_NO_OBLIGATION}."] * attempt.proved
    count = f"{len(shown)} of {say_count(len(attempt.results), 'obligation')} proved"
    took = f"{FINDER}: {seconds:.1f} s, {CHECKER}: {checked:.1f} s"
    words = [f"{name}: {count} ({took})."]
    if attempt.proved and own_lemma in attempt.needed:
        proved = f"was proved together with {lemmas}" if lemmas else "is inductive by itself"
        words.append(f"{name} is itself one of the lemmas; it {proved}.")
    elif attempt.proved:
        words.append(f"{name} {how} {lemmas}." if lemmas else f"{name} is inductive by itself.")
    return words


def _open(attempt: Attempt, full: bool) -> list[str]:
    left = [one for one in attempt.results.values() if isinstance(one, Open)]
    said = [(place_of(one.name), one.reason) for one in left]
    lines = Counter(f"{say_obligation(at, claim)}: {reason}" for (at, claim, _), reason in said)
    shown = list(lines.items() if full else islice(lines.items(), _MOST_PLACES))
    words = [f"  open: {line}" + f" ({say_count(many, 'obligation')})" * (many > 1) for line, many in shown]
    more = len(left) - sum(many for _, many in shown)
    return [*words, *([f"  and {more} more: --full"] if more else [])]


def _suggest(run: Run) -> list[str]:
    """Lemmas to paste into the protocol, the module of the lemmas, or that none were found."""
    suggested: Mapping[str, Sequence[str]] = run.outcome.statistics.get("suggested", {})
    ended = run.outcome.statistics.get("suggesting_ended")
    lines = [
        f"{name}: no lemma that was found at small constants helps."
        for name, texts in suggested.items()
        if not texts
    ]
    if ended is not None:
        lines = [f"The search for lemmas was ended ({ended}), so there may be some that help."]
        lines += ["A greater --timeout may find them."] if "timeout" in ended else []
    helped = {name: texts for name, texts in suggested.items() if texts}
    modules = {texts[0] for texts in helped.values() if texts[0].startswith("---- MODULE")}
    for module in modules:
        lines += [f"{_proofs_need(helped)} the module that follows:", ""]
        lines += [*module.splitlines(), ""]
        lines += _certify_module(run, module.split()[2])
    if helped and not modules:  # properties share lemmas: a class takes each once
        which = "it" if len(helped) == 1 else "them"
        how = f"Paste them into the class and run the command again to prove {which}"
        lines += [f"{_proofs_need(helped)} the following lemmas. {how}:", ""]
        texts = dict.fromkeys(chain.from_iterable(helped.values()))
        lines += [line for text in texts for line in (*text.splitlines(), "")]
    return lines


def _proofs_need(names: Collection[str]) -> str:
    proofs, need = ("proof", "needs") if len(names) == 1 else ("proofs", "need")
    return f"The {proofs} of {join_words(list(names))} {need}"


def _certify_module(run: Run, module: str) -> list[str]:
    """Say how certificates about a module of lemmas are checked."""
    files = dict.fromkeys(one.certificate for one in run.outcome.verdicts if one.certificate)
    folder = Path(run.definition.presentation.source).parent
    file, config = folder / f"{module}.tla", run.definition.presentation.config
    lines = []
    for certificate in files:
        given = (str(certificate), "--spec", str(file), "--config", config)
        lines.append(f"Write it to {file}. This checks the certificate: verify certify {shlex.join(given)}")
    return lines


def count_obligations(count: int) -> str:
    """``12 obligations``, or that there is none."""
    return f"{count} obligation{'s'[: count != 1]}" if count else _NO_OBLIGATION


def describe_assumptions(assumptions: Sequence[str], beyond: Sequence[str]) -> list[str]:
    """Describe the assumptions about constants, and those that the protocol does not declare."""
    declared = [one for one in assumptions if one not in beyond]
    said = [f"Assumptions about the constants: {', '.join(declared) or 'none'}."]
    if beyond:
        words = f"the proof {'also ' * bool(declared)}assumes the following, which the spec does not declare"
        said = [*(said if declared else ()), f"warning: {words}: {', '.join(beyond)}."]
    return said


def _remarks(run: Run) -> list[str]:
    remarks = [*certificate_remarks(run), *_describe_comparison(run)]
    type_invariant = run.outcome.statistics.get("type_invariant")
    if type_invariant in run.traces:
        words = "Correct the actions, or the sets of the type invariant, and prove again"
        remarks.append(f"An execution violates the type invariant, so nothing can be proved. {words}.")
    kinds = {verdict.kind for verdict in run.outcome.verdicts}
    if VerdictKind.PROVED in kinds:
        which = "all constants" + " that satisfy the assumptions" * bool(run.assumptions)
        what = name_those(run, VerdictKind.PROVED)
        remarks.append(f"PROVED: no execution of any length violates {what}, for {which}.")
    remarks += _list_undecided(run)
    remarks += expectation_remarks(run)
    reading = "to read the spec" + " and to compare it" * (_figures(run) is not None)
    remarks.append(f"{run.seconds:.1f} s in all, {run.building_seconds:.1f} s of that {reading}.")
    return remarks


def _figures(run: Run) -> Mapping[str, Any] | None:
    """Return the figures of the comparison with a TLA+ module, if there was one."""
    figures: Mapping[str, Any] | None = run.outcome.statistics.get("validation")
    return figures if figures is not None and "sizes" in figures else None


def _describe_comparison(run: Run) -> list[str]:
    """Say on what a protocol that was read from a TLA+ module agrees with the module."""
    figures = _figures(run)
    if figures is None:
        return []
    states = f"{say_count(figures['states'], 'state')} ({figures['drawn']:,} of them random)"
    words = [f"The formulas agree with the module on {states} and {say_count(figures['steps'], 'step')}."]
    whole = f"All reachable states were compared for these constants {SIZES}"
    for key, which in (("sizes", whole), ("partly", "Some states were compared for")):
        shown = "; ".join(", ".join(f"{n}={size}" for n, size in one.items()) for one in figures[key])
        words += [f"{which}: {shown}."] if shown else []
    return words


def _list_undecided(run: Run) -> list[str]:
    """Return for each open property whether its proof was tried, and the commands that continue. Proofs of
    other properties say nothing about it."""
    assert isinstance(run.outcome, AllConstantsOutcome)
    tried = {attempt.property_name: attempt for attempt in run.outcome.attempts if attempt.results}
    open_ = [one for one in run.outcome.verdicts if one.kind is VerdictKind.INCONCLUSIVE]
    elsewhere = {one.property_name for one in open_ if one.reason == ELSEWHERE}
    beyond = {one.property_name for one in run.outcome.attempts if one.violated} - elsewhere
    remarks = []
    for verdict in open_:
        name = verdict.property_name
        if name in elsewhere:
            remarks.append(f"{name} is violated, too, but its execution is not shown: {verdict.reason}.")
            continue
        if name in beyond:
            remarks.append(f"{name} is neither proved nor refuted: {verdict.reason}.")
            continue
        if name not in tried:
            remarks.append(f"The proof of {name} was not tried, so nothing is known ({verdict.reason}).")
            continue
        results = tried[name].results.values()
        left = len(tried[name].open)
        are = "is" if left == 1 else "are"
        obligations = say_count(len(results), "obligation")
        words = f"{left} of its {obligations} {are} open" if left else str(verdict.reason)
        remarks.append(f"{name} is neither proved nor refuted: {words}.")
    left_open = [one for one in open_ if one.reason != LEFT_TO_LIVE and one.property_name not in elsewhere]
    return [*remarks, *_name_commands(run, left_open, tried)]


def _name_commands(run: Run, open_: Sequence[Verdict], tried: Collection[str]) -> list[str]:
    """Name the commands that may decide open properties."""
    if not open_:
        return []
    source, name = run.definition.presentation.source, run.definition.name
    named = name_spec(source if source.endswith((".py", ".tla")) else name)
    spec = " ".join((named, *name_module(run.definition)[1:]))

    def ask(names: Iterable[str]) -> str:
        return f"verify prove {spec} " + " ".join(f"--property {shlex.quote(one)}" for one in names)

    names = [one.property_name for one in open_]
    helped = [one for one in names if one in tried]
    remarks = []
    if helped and not run.options.get("suggest"):
        remarks.append(f"Lemmas may help. To search for some, run: {ask(helped)} --all-constants --suggest")
    if helped:
        asked = " ".join(f"--property {shlex.quote(one)}" for one in helped)
        words = "A property may be false at larger constants only. To search there, add --set to"
        remarks.append(f"{words}: verify check {spec} {asked} --find-bugs")
    return [
        *remarks,
        f"To prove {join_words(names)} for fixed constants (--set), run: {ask(names)}",
    ]
