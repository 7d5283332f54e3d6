"""What ``verify induct`` does once its options are parsed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from verifier.cli.obligations_progress import ObligationsReporter
from verifier.cli.output import say, write
from verifier.cli.running import Shown, announce, beside, check_targets, show, terminable
from verifier.engines.induction import InductionOutcome
from verifier.runs import induct
from verifier.runs.loading import load
from verifier.runs.options import InductOptions
from verifier.system.model import Model
from verifier.text.induction import render_induction
from verifier.trust import certificate as certificates


def run(
    spec: str, settings: dict[str, str], options: InductOptions, shown: Shown, certificate: Path | None
) -> int:
    """Proves, prints, and returns the exit code."""
    asked = induct.prepare(load(spec, settings), options)
    check_targets(shown, {"--certificate": certificate}, asked.properties)
    announce(asked.definition, f"{', '.join(asked.properties)} by induction")
    with terminable(), ObligationsReporter() as reporter:
        found = induct.search(asked, reporter)
    if found.model is not None and certificate is not None:
        parts = _written(found.model, found.outcome.parts, certificate)
        found = replace(found, outcome=induct.together(parts))
    finished = induct.concluded(asked, found)
    return show(finished, shown, partial(render_induction, outcomes=found.outcome.parts))


def _written(model: Model, outcomes: tuple[InductionOutcome, ...], path: Path) -> list[InductionOutcome]:
    """The outcomes, each proof in a file that its verdict names."""
    result: list[InductionOutcome] = []
    for outcome in outcomes:
        if outcome.rechecked is None:
            result.append(outcome)
            continue
        verdict = outcome.verdicts[0]
        target = beside(path, verdict.property_name) if any(o.rechecked for o in result) else path
        write("--certificate", target, certificates.dump(model, outcome.rechecked.certificate))
        result.append(replace(outcome, verdicts=(replace(verdict, certificate=str(target)),)))
    if not any(outcome.rechecked for outcome in result):
        say(f"no proof, so {path} is not written", err=True)
    return result
