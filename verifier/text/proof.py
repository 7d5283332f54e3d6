"""Proofs for the terminal: verdicts, counterexamples, and the invariants found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from verifier.engines.proofs import CheckedProof, ProveOutcome
from verifier.engines.state_space import Explored
from verifier.outcomes.run import Run
from verifier.printable import join_words, say_count, say_never_enabled
from verifier.solvers import solver_version
from verifier.text.columns import wrap
from verifier.text.run import (
    certificate_remarks,
    expectation_remarks,
    name_those,
    remark_on_deadlocks,
    remark_on_undecided,
    render_counterexamples,
    render_verdicts,
    say_times,
    semantics_remarks,
    with_constants,
)
from verifier.verdict import VerdictKind, say_limits, say_reachable

_MOST_LINES = 30
_SORTS = " (each variable stays within its guessed sort)"


def render_proof(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    if run.assumptions is not None:
        from verifier.text.all_constants import render_for_all

        return render_for_all(run, width, full=full)
    outcome = run.outcome if isinstance(run.outcome, ProveOutcome) else ProveOutcome((), (), {})
    claimed = {described["property"] for described in run.proofs}
    proofs = tuple(proof for proof in outcome.proofs if proof.property_name in claimed)
    explored = {name: one for name, one in outcome.explored.items() if name in claimed}
    about = with_constants(run.definition.name, run.definition.constants)
    solvers = [f"{name} {solver_version(name)}" for name in run.solvers]
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    engine = run.options["engine"]
    how = "prove" if engine == "auto" else f"prove by {engine}"
    lines += [*map(Text, wrap(", ".join([how, *solvers]), width)), Text()]
    shown: dict[tuple[str, ...], str] = {}
    for proof in proofs:
        lines += [*_invariant(run, proof, width, full, shown), Text()]
    if explored:
        lines += [*(Text(line, "bold") for line in wrap(_exploration(run, explored), width)), Text()]
    lines += [*render_counterexamples(run, width, full), *render_verdicts(run, width), Text()]
    for style, words in [
        *(("yellow", words) for words in _warnings(run)),
        *(("", r) for r in _remarks(run, proofs, explored)),
    ]:
        lines += [Text(line, style) for line in wrap(words, width, subsequent_indent="  ")]
    return lines


def _exploration(run: Run, explored: Mapping[str, Explored]) -> str:
    """Describe the exploration."""
    states = max(each.states for each in explored.values())
    seeks = run.model.system.seeks if run.model else lambda name: False
    holds = ", ".join(name for name in explored if not seeks(name))
    never = ", ".join(name for name in explored if seeks(name))
    reachable = f"of the {states:,} reachable states"
    said = [f"{holds} {'holds' if ', ' not in holds else 'hold'} in each {reachable}."] if holds else []
    said += [f"None {reachable} satisfies {never.replace(', ', ' or ')}."] if never else []
    return " ".join(said)


def _invariant(
    run: Run, proof: CheckedProof, width: int, full: bool, shown: dict[tuple[str, ...], str]
) -> list[RenderableType]:
    """The properties, lemmas and clauses that are inductive together. ``shown``: the clauses that were
    printed before, and for which property. Each is printed once."""
    name = proof.property_name
    if run.model is None:
        return []
    sought = run.model.system.seeks(name)
    certificate = proof.certificate
    subject = f"That no state reaches {name}" if sought else name
    if certificate.k > 1:
        return [Text(f"{subject} is {certificate.k}-inductive along paths without repeated states.", "bold")]
    described = next(entry for entry in run.proofs if entry["property"] == name)
    said = sorted(described["invariant"], key=len)
    clauses = len(certificate.clauses)
    declared = [lemma.name for lemma in run.definition.lemmas if lemma.name in certificate.lemmas]
    own = (name,) if name in certificate.lemmas and clauses else ()
    uses = proof.uses if clauses else ()
    beside = (*_explain((*own, *uses), run.definition.titles.sorts), *(declared if clauses else ()))
    given = _list_given(proof, () if clauses else declared)
    lines: list[RenderableType] = [Text(line) for words in given for line in wrap(words, width)]
    if not clauses:
        how = _say_together(proof, declared, run.definition.titles.sorts)
        return [*(Text(line, "bold") for line in wrap(f"{subject} {how}.", width)), *lines]
    implied, noun = "" if own else name, f"clause{'s'[: clauses != 1]}"
    before = shown.setdefault(tuple(said), name)
    if before != name:
        these = f"the same {noun} as for {before}"
        words = _say_inductive(these, clauses, beside, implied, sought=sought)
        return [*lines, *(Text(line, "bold") for line in wrap(f"{words} ({clauses} {noun}).", width))]
    lines_of = say_count(len(said), "line")
    several = f" ({clauses} {noun} in {lines_of}: clauses that differ only in names share a line)"
    of = several if len(said) != clauses else ""
    these = f"{'this' if clauses == 1 else 'these'} {noun}"
    words = _say_inductive(these, clauses, beside, implied, sought=sought)
    lines += [Text(line, "bold") for line in wrap(f"{words}{of}:", width)]
    most = said if full else said[:_MOST_LINES]
    for line in most:
        lines += map(Text, wrap(line, width, initial_indent="  ", subsequent_indent="      "))
    if len(most) < len(said):
        left = say_count(len(said) - len(most), "longer one")
        lines.append(Text(f"  … and {left}: --full, --certificate FILE", "dim"))
    return lines


def _say_inductive(these: str, clauses: int, beside: Sequence[str], name: str, *, sought: bool) -> str:
    """Say that clauses are inductive, ``beside`` the formulas of the invariant, and what they say of a
    property, unless it is one of these formulas and ``name`` is empty."""
    if not beside:
        are = f"{'is' if clauses == 1 else 'are'} inductive and {_relate(clauses, sought=sought)} {name}"
        return f"{these[0].upper()}{these[1:]} {are}"
    implied = f"; they {_relate(2, sought=sought)} {name}" if name else ""
    return f"{join_words([*beside, these])} are inductive together{implied}"


def _relate(clauses: int, *, sought: bool) -> str:
    """Return the verb for what clauses say of a property, or of a state that is ``sought``."""
    singular, plural = ("excludes", "exclude") if sought else ("implies", "imply")
    return singular if clauses == 1 else plural


def _say_together(proof: CheckedProof, declared: Sequence[str], sorts: str) -> str:
    """Say what an invariant without clauses consists of besides the property."""
    if proof.uses:
        return f"is proved by induction together with: {', '.join(_explain(proof.uses, sorts))}"
    return "is proved by induction together with these lemmas" if declared else "is inductive by itself"


def _explain(properties: Sequence[str], sorts: str) -> list[str]:
    """Explain the property that no execution leaves the sorts, whose title is ``sorts``."""
    return [f"{name}{_SORTS * (name == sorts)}" for name in properties]


def _list_given(proof: CheckedProof, declared: Sequence[str]) -> list[str]:
    """List declared lemmas that the invariant contains, and the lemmas that it lacks."""
    kept, dropped = proof.lemmas_not_needed, proof.lemmas_not_inductive
    named = {
        "Lemmas in the invariant": declared,
        "Lemmas not needed": kept or (),
        "Lemmas not inductive": dropped or (),
    }
    return [f"{what}: {', '.join(names)}." for what, names in named.items() if names]


def _warnings(run: Run) -> list[str]:
    never = run.outcome.never_enabled
    return [f"warning: {say_never_enabled(never, ' in any reachable state')}"] if never else []


def _say_up_to_symmetry(run: Run) -> list[str]:
    """Say by what properties are proved that explorations up to SYMMETRY decided."""
    classes = [one for one in run.proofs if one.get("symmetry")]
    if not classes:
        return []
    states = max(one["states"] for one in classes)
    names = ", ".join(one["property"] for one in classes)
    seconds = max(one["recheck_seconds"] for one in classes)
    first = f"{names}: every reachable state was explored, up to SYMMETRY, {states:,} states in all."
    again = "A second exploration, up to the even permutations alone, counted the same states in"
    return [f"{first} {again} {seconds:.1f} s."]


def _remarks(run: Run, proofs: Sequence[CheckedProof], explored: Mapping[str, Explored]) -> list[str]:
    remarks = []
    for proof in proofs:
        took = f"{proof.recheck_seconds:.1f} s, in a fresh process"
        checked = f"{proof.rechecked_by} checked the proof again in {took}"
        remarks.append(f"{proof.property_name}: {proof.prover} found the proof; {checked}.")
    if explored:
        states = say_reachable(run.definition.limits)
        remarks.append(
            f"{', '.join(explored)}: explore visited every {states}. A second exploration, without "
            "symmetry and with another hash, counted the same states in "
            f"{max(each.seconds_again for each in explored.values()):.1f} s. "
            "Exploration gives no inductive invariant. To search for one, add --no-explore or "
            "--certificate FILE."
        )
    remarks += _say_up_to_symmetry(run)
    remarks += certificate_remarks(run)
    if any(verdict.kind is VerdictKind.PROVED for verdict in run.outcome.verdicts):
        within = say_limits(run.definition.limits)
        which = name_those(run, VerdictKind.PROVED)
        remarks.append(f"PROVED: no execution of any length{within} violates {which}, at these constants.")
    remarks += remark_on_undecided(run)
    remarks += remark_on_deadlocks(run)
    remarks += semantics_remarks(run)
    remarks += expectation_remarks(run)
    peak = run.outcome.statistics.get("peak_memory_bytes", 0) / 2**20
    remarks.append(f"{say_times(run)}; peak memory of the provers {peak:.0f} MiB.")
    return remarks
