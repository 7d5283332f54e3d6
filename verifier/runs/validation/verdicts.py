"""The effect of a comparison on a run's verdicts."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from verifier.runs.validation.agreement import Disagrees, WrongModule
from verifier.runs.validation.budget import default_seconds
from verifier.runs.validation.concluding import report_agreement, report_disagreement
from verifier.runs.validation.subject import Subject
from verifier.runs.validation.validating import Validation
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.validation.translated_module import TranslatedModule
    from verifier.system.model import Model
    from verifier.trust.certificate import Certificate

_COUNTS = ("distinct_states", "walks")
"""The statistics of a run that are counts of states or walks."""


def validate_translation(
    made: TranslatedModule, run: Run, seconds: float | None = None, *, seed: int = 0
) -> Run:
    """Return the run, if its translation agrees with the module; else each verdict that depends on it is an
    ERROR. ``seconds``: the duration, with as many states as it allows."""
    claims = _claims_of(run, run.definition.titles.of_the_translation)
    if run.model is None or not claims or not _is_of_the_module(made, run.model):
        return run
    proved = any(verdict.kind is VerdictKind.PROVED for verdict in claims)
    asked = frozenset(run.options["properties"])
    bounded = run.engine == "bmc" or (run.engine == "live" and not proved)
    subject = Subject(made, run.model, asked, proved, run.depth if bounded else None)
    validation = Validation(subject, run.certificates, seed)
    try:
        agreement = validation.run(
            default_seconds(run.seconds) if seconds is None else seconds, thorough=seconds is not None
        )
    except Disagrees as difference:
        return report_disagreement(run, claims, str(difference))
    except WrongModule as error:
        if not any(verdict.kind is VerdictKind.VIOLATED for verdict in run.outcome.verdicts):
            raise
        return report_disagreement(run, claims, str(error))
    return report_agreement(run, agreement.figures())


def compare_again(
    made: TranslatedModule, model: Model, certificate: Certificate, seconds: float, seed: int
) -> Mapping[str, Any]:
    """Return the extent to which a module agrees with the model of a certificate. Raises Disagrees."""
    name = certificate.property_name
    subject = Subject(made, model, frozenset([name]), proved=True)
    return Validation(subject, {name: certificate}, seed).run(seconds).figures()


def _claims_of(run: Run, beside: Container[str]) -> list[Verdict]:
    """Return the verdicts that depend on the translation. They are about all executions, perhaps to a depth,
    or appear beside counts of states or walks. If there are none, the verdicts ``beside`` on the type
    invariant represent the whole search."""
    counts = any(name in run.outcome.statistics for name in _COUNTS)

    def claims(one: Verdict) -> bool:
        is_open = one.kind is VerdictKind.INCONCLUSIVE and (one.depth is not None or counts)
        return is_open or one.kind in (VerdictKind.HOLDS, VerdictKind.PROVED)

    every = [one for one in run.outcome.verdicts if claims(one)]
    own = [one for one in every if one.property_name not in beside]
    return own or every


def _is_of_the_module(made: TranslatedModule, model: Model) -> bool:
    """True if the state of a model consists of exactly the module's variables."""
    excluded = made.translation.excluded
    names = [symbol.name for symbol in made.translation.variables]
    return list(model.layout.sorts) == [*names, *([] if excluded is None else [excluded.name])]


__all__ = ["compare_again", "validate_translation"]
