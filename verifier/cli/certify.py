"""``verify certify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.output import format_option, note, print_json, say
from verifier.cli.parameters import DURATION, one_of
from verifier.cli.paths import FileToRead, SpecName
from verifier.cli.specs import SPEC_HELP, reading_of, reading_options
from verifier.solvers.names import SOLVER_NAMES

if TYPE_CHECKING:
    from verifier.runs.certifying import Certified, Claim

_SPEC_HELP = f"{SPEC_HELP} [default: the one the file names, if it is built in]"
_SOLVER_HELP = "What checks; not the solver that found the proof. [default: z3, or cadical if z3 found it]"
_SHOWN = 5


@click.command("certify")
@click.argument("path", metavar="FILE", type=FileToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", help=_SPEC_HELP)
@click.option("--solver", type=one_of("solver", SOLVER_NAMES), help=_SOLVER_HELP)
@click.option("--timeout", type=DURATION, help="End the check after this time: 90, 90s, 2m, 1h.")
@reading_options
@format_option
def command(
    path: Path, spec: str | None, solver: str | None, timeout: float | None, output_format: str
) -> int:
    """Check a proof again, from its file, with another solver than the one that found it.

    The file must be of this version of the protocol and say what its lemmas say here; then the invariant
    must hold initially, be kept by every instance of every action, and imply the property.

    The file may come from a stranger: of a protocol that is not built in, you say with --spec whose code is
    run.

    \b
    Examples:
      verify certify proof.json
      verify certify proof.json --spec my_protocol.py
      verify certify proof.json --spec TwoPhase.tla --config Small.cfg
    """
    from verifier.outcomes.content import as_object
    from verifier.parametric.certificate import is_one
    from verifier.processes.interrupts import terminable
    from verifier.runs.certifying import certify, read_claim, run_of

    if is_one(path):
        return _for_all(path, spec, solver, timeout, output_format)
    claim = read_claim(path, spec, solver, timeout, reading_of(spec))
    _announce(claim)
    with terminable():
        certified = certify(claim)
    if output_format == "json":
        print_json(as_object(run_of(certified)))
    else:
        _show(certified)
    return certified.verdict.kind.exit_code


def _for_all(
    path: Path, spec: str | None, solver: str | None, timeout: float | None, output_format: str
) -> int:
    """Checks a certificate for all constants."""
    from verifier.outcomes.content import as_object
    from verifier.processes.interrupts import terminable
    from verifier.runs.certifying_all import certify, read_claim, run_of
    from verifier.solvers import solver_version
    from verifier.text.all_constants import said_of_constants
    from verifier.text.run import verdict_text

    claim = read_claim(path, spec, solver, timeout)
    checker = f"{claim.solver} {solver_version(claim.solver)}"
    note(f"{claim.content['spec']} with all constants: {claim.content['property']}, checked by {checker}")
    with terminable():
        certified = certify(claim)
    if output_format == "json":
        print_json(as_object(run_of(certified)))
        return certified.verdict.kind.exit_code
    say(f"{claim.content['property']}  {verdict_text(certified.verdict)}")
    for words in said_of_constants(claim.reading.said, claim.reading.beyond_declared):
        say(words)
    if certified.checked is not None:
        count, seconds = certified.checked.obligations, certified.verdict.seconds
        say(f"Checked by {checker}: {count} obligations, {seconds:.1f} s.")
        for name in certified.checked.failed[:_SHOWN]:
            say(f"  undecided: {name}")
    return certified.verdict.kind.exit_code


def _announce(claim: Claim) -> None:
    from verifier.solvers import solver_version
    from verifier.text.run import with_constants

    proof, solver = claim.certificate, claim.solver
    about = with_constants(proof.spec, proof.constants)
    note(f"{about}: {proof.property_name}, checked by {solver} {solver_version(solver)}")


def _show(certified: Certified) -> None:
    from verifier.solvers import solver_version
    from verifier.text.run import verdict_text

    claim, checked, proof = certified.claim, certified.checked, certified.claim.certificate
    found = f"{proof.found_by.engine}, {proof.found_by.solver} {proof.found_by.version}"
    size = f"{len(proof.lemmas)} lemmas, {len(proof.clauses)} clauses"
    size += f", {proof.k}-inductive along paths of different states" if proof.k > 1 else ""
    say(f"{proof.property_name}  {verdict_text(certified.verdict)}")
    say(f"Found by {found}: {size}.")
    if checked is not None:
        rest = len(claim.model.system.instances) - checked.instances
        how = f"{checked.obligations} obligations about {checked.instances} instances"
        how += f" ({rest} more are images of them)" if rest else ""
        say(f"Checked by {claim.solver} {solver_version(claim.solver)}: {how}, {checked.seconds:.1f} s.")
        for item in checked.failed[:_SHOWN]:
            say(f"  not so: {item.obligation}" if item.certain else f"  undecided: {item.obligation}")
        if len(checked.failed) > _SHOWN:
            say(f"  and {len(checked.failed) - _SHOWN} more")
