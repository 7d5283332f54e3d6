"""Proofs for the terminal: verdicts, counterexamples, and the invariants found."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from verifier.engines.prove import CheckedProof, ProveOutcome
from verifier.outcomes.run import Run
from verifier.solvers import solver_version
from verifier.text.all_constants import render_for_all
from verifier.text.columns import wrap
from verifier.text.invariant import invariant_lines
from verifier.text.run import (
    DEADLOCKS_NOT_CHECKED,
    deadlocks_checked,
    expectation_remarks,
    render_counterexamples,
    render_verdicts,
    with_constants,
)
from verifier.verdict import VerdictKind

_MOST_LINES = 30


def render_proof(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    if run.assumptions is not None:
        return render_for_all(run, width, full=full)
    proofs = run.outcome.proofs if isinstance(run.outcome, ProveOutcome) else ()
    about = with_constants(run.definition.name, run.definition.constants)
    solvers = ", ".join(f"{name} {solver_version(name)}" for name in run.solvers)
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    lines += [*map(Text, wrap(f"prove by {run.options['engine']}, {solvers}", width)), Text()]
    for proof in proofs:
        lines += [*_invariant(run, proof, width, full), Text()]
    lines += [*render_counterexamples(run, width, full), *render_verdicts(run, width), Text()]
    for style, words in [
        *(("yellow", words) for words in _warnings(run)),
        *(("", r) for r in _remarks(run, proofs)),
    ]:
        lines += [Text(line, style) for line in wrap(words, width, subsequent_indent="  ")]
    return lines


def _invariant(run: Run, proof: CheckedProof, width: int, full: bool) -> list[RenderableType]:
    """The lemmas and clauses that were proved with the property."""
    name = proof.property_name
    if run.model is None:
        return []
    sought = run.model.system.seeks(name)
    subject = f"That no state reaches {name}" if sought else name
    if proof.certificate.k > 1:
        return [
            Text(f"{subject} is {proof.certificate.k}-inductive along paths of different states.", "bold")
        ]
    said = invariant_lines(run.model, proof.certificate.clauses)
    said.sort(key=len)
    clauses = len(proof.certificate.clauses)
    within = proof.uses or _declared(run, proof)
    lines: list[RenderableType] = [Text(line) for words in _given(run, proof) for line in wrap(words, width)]
    if not clauses:
        how = "is inductive with these, or follows from them" if within else "is inductive by itself"
        return [*lines, Text(f"{subject} {how}.", "bold")]
    shown = said if full else said[:_MOST_LINES]
    of = f"{len(said)} line{'s'[: len(said) != 1]} for {clauses} clause{'s'[: clauses != 1]}"
    with_lemmas = " with these" if within else ""
    relates = "excludes" if sought else "implies"
    lines.append(Text(f"An inductive invariant that{with_lemmas} {relates} {name} ({of}):", "bold"))
    for line in shown:
        lines += map(Text, wrap(line, width, initial_indent="  ", subsequent_indent="      "))
    if len(shown) < len(said):
        lines.append(Text(f"  … and {len(said) - len(shown)} longer ones: --full, --certificate FILE", "dim"))
    return lines


def _declared(run: Run, proof: CheckedProof) -> list[str]:
    """The declared lemmas that are part of the invariant."""
    return [lemma.name for lemma in run.definition.lemmas if lemma.name in proof.certificate.lemmas]


def _given(run: Run, proof: CheckedProof) -> list[str]:
    """What the invariant contains of what the protocol declares, and what it does not."""
    kept, dropped = proof.lemmas_not_needed, proof.lemmas_not_inductive
    named = {
        "Properties in the invariant": proof.uses,
        "Lemmas in the invariant": _declared(run, proof),
        "Lemmas not needed": kept or (),
        "Lemmas not inductive": dropped or (),
    }
    return [f"{what}: {', '.join(names)}." for what, names in named.items() if names]


def _warnings(run: Run) -> list[str]:
    never = ", ".join(run.outcome.never_enabled)
    return [f"warning: never enabled in any reachable state: {never} (a guard too strong?)"] if never else []


def _remarks(run: Run, proofs: Sequence[CheckedProof]) -> list[str]:
    remarks = []
    for proof in proofs:
        checked = (
            f"{proof.rechecked_by} checked it again in {proof.recheck_seconds:.1f} s, in a fresh process"
        )
        remarks.append(f"{proof.property_name}: found by {proof.prover}; {checked}.")
    remarks += [f"The proof is in {v.certificate}." for v in run.outcome.verdicts if v.certificate]
    if any(verdict.kind is VerdictKind.PROVED for verdict in run.outcome.verdicts):
        remarks.append("PROVED: no execution of any length violates it, with these constants.")
    if any(verdict.kind is VerdictKind.INCONCLUSIVE for verdict in run.outcome.verdicts):
        remarks.append("INCONCLUSIVE: nothing is known beyond the depth closed.")
    if not deadlocks_checked(run):
        remarks.append(DEADLOCKS_NOT_CHECKED)
    remarks += expectation_remarks(run)
    peak = run.outcome.statistics.get("peak_memory_bytes", 0) / 2**20
    times = f"{run.seconds:.1f} s in all, {run.building_seconds:.1f} s to build"
    remarks.append(f"{times}; peak memory of the provers {peak:.0f} MiB.")
    return remarks
