"""What ``verify prove`` does once its options are parsed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from verifier.cli.output import say, write
from verifier.cli.proof_progress import ProofReporter
from verifier.cli.running import Shown, announce, beside, check_targets, show, terminable
from verifier.engines.prove import ProveOutcome
from verifier.runs import prove
from verifier.runs.loading import load
from verifier.runs.options import ProveOptions
from verifier.system.model import Model
from verifier.text.proof import render_proof
from verifier.trust import certificate as certificates


def run(
    spec: str, settings: dict[str, str], options: ProveOptions, shown: Shown, certificate: Path | None
) -> int:
    """Proves, prints, and returns the exit code."""
    asked = prove.prepare(load(spec, settings), options)
    check_targets(shown, {"--certificate": certificate}, asked.properties)
    announce(asked.definition, f"{', '.join(asked.properties)} for all depths")
    with terminable(), ProofReporter() as reporter:
        found = prove.search(asked, reporter)
    if found.model is not None and certificate is not None:
        found = replace(found, outcome=_written(found.model, found.outcome, certificate))
    finished = prove.concluded(asked, found)
    return show(finished, shown, partial(render_proof, proofs=found.outcome.proofs))


def _written(model: Model, outcome: ProveOutcome, path: Path) -> ProveOutcome:
    """The outcome, each proof that can be written in a file that its verdict names."""
    files: dict[str, str] = {}
    for proof in outcome.proofs:
        name = proof.property_name
        target = beside(path, name) if files else path
        write("--certificate", target, certificates.dump(model, proof.certificate))
        files[name] = str(target)
    if not files:
        say(f"no proof, so {path} is not written", err=True)
    verdicts = (replace(v, certificate=files.get(v.property_name)) for v in outcome.verdicts)
    return replace(outcome, verdicts=tuple(verdicts))
