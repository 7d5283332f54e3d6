"""``verify certify``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import console, format_option, note, print_json, say
from verifier.cli.parameters import DURATION, one_of
from verifier.cli.paths import FileToRead, SpecName
from verifier.cli.specs import SPEC_HELP, reading_of, reading_options
from verifier.printable import join_words, say_count
from verifier.solvers.solver_names import COMPILED, SOLVER_NAMES

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.processes.limits import Limits
    from verifier.runs.certifying import Certified, Claim

_SPEC_HELP = f"{SPEC_HELP} [default: the one the file names, if it is built in]"
_SOLVER_HELP = (
    "The solver to check with, not the one that found the proof. [default: z3, or cadical if z3 found it]"
)
_SHOWN = 5
_OWN_SOLVER = "verify's own compiled solver"


@click.command("certify", cls=GroupedCommand)
@click.argument("path", metavar="FILE", type=FileToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", help=_SPEC_HELP)
@click.option("--solver", type=one_of(SOLVER_NAMES), help=_SOLVER_HELP)
@click.option("--timeout", type=DURATION, help="End the check after this time: 90, 90s, 2m, 1h.")
@reading_options
@format_option
def command(
    path: Path, spec: str | None, solver: str | None, timeout: float | None, output_format: str
) -> int:
    """Check a proof again, from its file, with another solver than the one that found it.

    The file must belong to this version of the protocol, and its lemmas must be the same as in your copy of
    the protocol. The check then shows three things: the invariant holds initially, every instance of every
    action keeps the invariant, and the invariant implies the property.

    A file may have proofs of several properties. Each is checked, and the other properties of that run are
    listed. The file also says which engine found a proof; nothing checks this, and no verdict depends on it.

    The file may come from an untrusted source. If its protocol is not built in, --spec says whose code runs.

    \b
    Examples:
      verify certify proof.json
      verify certify proof.json --spec my_protocol.py
      verify certify proof.json --spec TwoPhase.tla --config Small.cfg
    """
    from verifier.errors import UsageError
    from verifier.outcomes.content import as_object
    from verifier.processes.interrupts import terminable
    from verifier.processes.limits import Limits
    from verifier.text.columns import wrap
    from verifier.trust.certificate_file import Misfit, read_file

    limits = Limits(timeout).begin()
    file = read_file(path)
    try:
        with terminable():
            checks = [_check(path, content, spec, solver, limits) for content in file.contents]
    except Misfit as misfit:
        raise UsageError(f"{path}: {misfit}" if str(path) not in str(misfit) else str(misfit)) from None
    run = _of_all([one.run for one in checks], file.not_proved)
    if output_format == "json":
        print_json(as_object(run))
        return run.exit_code
    width = console().width
    for one in checks:
        for words in one.lines:
            for line in wrap(words, width, subsequent_indent="  "):
                say(line)
    if len(checks) > 1 or file.not_proved:
        say(f"The file covers {', '.join(v.property_name for v in run.outcome.verdicts)}.")
    for name, words in file.not_proved.items():
        say(f"It does not cover {name}, which the run did not prove: {words}")
    return run.exit_code


@dataclass(frozen=True)
class _Checked:
    """The outcome for one certificate, and its text."""

    run: Run
    lines: list[str]


def _of_all(runs: Sequence[Run], not_proved: Mapping[str, str]) -> Run:
    """One run of all certificates in a file."""
    from verifier.outcomes.expectations import Expectations, exit_code

    first, verdicts = runs[0], tuple(verdict for run in runs for verdict in run.outcome.verdicts)
    figures = dict(first.outcome.statistics)
    if len(runs) > 1:
        every = {run.outcome.verdicts[0].property_name: dict(run.outcome.statistics) for run in runs}
        figures = {"certificates": every}
    if not_proved:
        figures["not_proved"] = dict(not_proved)
    return replace(
        first,
        outcome=replace(first.outcome, verdicts=verdicts, statistics=figures),
        seconds=sum(run.seconds for run in runs),
        exit_code=exit_code(verdicts, Expectations()),
        solvers=tuple(dict.fromkeys(solver for run in runs for solver in run.solvers)),
    )


def _check(
    path: Path, content: Mapping[str, Any], spec: str | None, solver: str | None, limits: Limits
) -> _Checked:
    from verifier.parametric.certificate import is_one
    from verifier.runs.certifying import certify, read_claim, run_of

    if is_one(content):
        return _for_all(path, content, spec, solver, limits)
    claim = read_claim(path, spec, solver, limits, reading_of(spec), content)
    _announce(claim)
    certified = certify(claim)
    return _Checked(run_of(certified), list(_describe(certified)))


def _for_all(
    path: Path, content: Mapping[str, Any], spec: str | None, solver: str | None, limits: Limits
) -> _Checked:
    """Checks a certificate for all constants."""
    from verifier.runs.certifying_all import certify, read_claim, run_of
    from verifier.solvers import solver_version
    from verifier.text.all_constants import count_obligations, describe_assumptions
    from verifier.text.run import verdict_text

    claim = read_claim(path, spec, solver, limits, content, reading_of(spec))
    checker = f"{claim.solver} {solver_version(claim.solver)}"
    note(f"{claim.content['spec']} with all constants: {claim.content['property']}, checked by {checker}")
    certified = certify(claim)
    lines = [f"{claim.content['property']}  {verdict_text(certified.verdict)}"]
    lines += describe_assumptions(claim.reading.said, claim.reading.beyond_declared)
    if certified.checked is not None:
        count, seconds = certified.checked.obligations, certified.verdict.seconds
        lines.append(f"Checked by {checker}: {count_obligations(count)}, {seconds:.1f} s.")
        lines += [f"  undecided: {name}" for name in certified.checked.failed[:_SHOWN]]
    return _Checked(run_of(certified), lines)


def _announce(claim: Claim) -> None:
    from verifier.solvers import solver_version
    from verifier.text.run import with_constants

    proof, solver = claim.certificate, claim.solver
    about = with_constants(proof.spec, proof.constants)
    note(f"{about}: {proof.property_name}, checked by {solver} {solver_version(solver)}")


def _pair_versions(solver: str, version: str) -> str:
    """Return ``minisat 2.2 and z3 5.4`` for ``minisat+z3`` and ``2.2+5.4``."""
    solvers, versions = solver.split("+"), version.split("+")
    if len(solvers) != len(versions):
        return f"{solver} {version}"
    named = (_OWN_SOLVER if one == COMPILED else one for one in solvers)
    return join_words(list(map(" ".join, zip(named, versions, strict=True))))


def _describe(certified: Certified) -> Iterator[str]:
    from verifier.solvers import solver_version
    from verifier.text.induction import count_instances
    from verifier.text.run import verdict_text, with_agreement, with_constants

    claim, checked, proof = certified.claim, certified.checked, certified.claim.certificate
    found = proof.found_by
    finder = f"the engine {found.engine} found the proof with {_pair_versions(found.solver, found.version)}"
    parts = {"formula": len(proof.lemmas), "clause": len(proof.clauses)}
    counted = [f"{number} {what}{'s'[: number != 1]}" for what, number in parts.items() if number]
    size = f"an invariant of {' and '.join(counted) or 'the sorts alone'}"
    size += f", {proof.k}-inductive along paths without repeated states" if proof.k > 1 else ""
    verdict = with_agreement(verdict_text(certified.verdict), certified.validation)
    yield f"{proof.property_name}  {verdict}"
    subject = with_constants(proof.spec, proof.constants)
    yield f"The claim: {subject}, {size}. According to the file, {finder}."
    if checked is not None:
        rest = len(claim.model.system.instances) - checked.instances
        how = f"{say_count(checked.obligations, 'obligation')}, covering {count_instances(checked.instances)}"
        how += f" ({rest} more {'is' if rest == 1 else 'are'} the same up to renaming)" if rest else ""
        yield f"Checked by {claim.solver} {solver_version(claim.solver)}: {how}, {checked.seconds:.1f} s."
        for item in checked.failed[:_SHOWN]:
            yield f"  not so: {item.obligation}" if item.certain else f"  undecided: {item.obligation}"
        if len(checked.failed) > _SHOWN:
            yield f"  and {len(checked.failed) - _SHOWN} more"
