"""Runs of the inductive check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.choices import INDUCTION_SOLVER
from verifier.errors import UsageError
from verifier.runs.engine import Engine, Listen, late
from verifier.runs.option import Switch, Whole, Words, option
from verifier.runs.options import SOLVER, Options, ValidationOption, memory_option, properties_option

if TYPE_CHECKING:
    from verifier.engines.induction import Obligation
    from verifier.engines.induction_outcome import InductionOutcome, Inductions
    from verifier.outcomes.run import Run
    from verifier.processes.limits import Limits
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.specs.definition import Definition
    from verifier.system.model import Model
    from verifier.trust.kept_formulas import SharedProofs

_SYMMETRY = "If instances of an action differ only in interchangeable elements, check one of them."
_REACHABLE = (
    "Search for an execution of at most K actions that reaches the first state of the counterexample to "
    "induction."
)
_LEMMA = (
    "TLA+ modules: use this operator as a lemma in proofs; may be repeated. Python protocols: of the "
    "declared lemmas, use only those named. [default: all that are declared]"
)
_HELP = """Prove properties for executions of any length, by the spec's lemmas.

Shows that the lemmas hold initially, that every action keeps them, and that they imply the property.
If they do not imply the property, the property is tried as one more lemma. Another solver checks every
proof again, in a process of its own.

\b
Examples:
  verify induct kip320 --property StrongIsr
  verify induct kip320 --property StrongIsr --lemma Committed
  verify induct kip320 --set replicas=5 --certificate proof.json
  verify induct TwoPhase.tla --property Consistent --lemma Inv
"""


@dataclass(frozen=True)
class InductOptions(ValidationOption, Options):
    """The options of the inductive check."""

    properties: tuple[str, ...] = properties_option("What to prove")
    lemmas: tuple[str, ...] = option((), Words(), _LEMMA, flag="--lemma")
    solver: str = option(INDUCTION_SOLVER, SOLVER, "The solver.")
    symmetry: bool = option(True, Switch(), _SYMMETRY)
    houdini: bool = option(
        False, Switch(), "Drop lemmas until the rest is inductive, and say where each failed."
    )
    minimise: bool = option(False, Switch(), "Drop every lemma that is not needed (implies --houdini).")
    reachable: int | None = option(None, Whole(), _REACHABLE, metavar="K")
    memory: int | None = memory_option()
    seed: int = option(0, Whole(), "Vary the search.")


def _prepare(loaded: Loaded, options: InductOptions) -> Question[InductOptions]:
    from verifier.engines.induction import check_names
    from verifier.runs.question import ask

    definition = loaded.definition
    known = [lemma.name for lemma in definition.lemmas]
    question = ask(loaded, options, _properties)
    kinds = {prop.name: prop.kind for prop in definition.properties}
    for name in question.properties:
        check_names(name, kinds[name], options.lemmas, known)
    if question.expectations.enabled:
        action = question.expectations.enabled[0].action
        raise UsageError(
            f"--expect {action}=enabled is for engines that look at executions: bmc, explore, simulate"
        )
    return replace(question, options=replace(options, lemmas=options.lemmas or tuple(known)))


def _properties(
    definition: Definition, named: Sequence[str], expected: Sequence[str], deadlock: bool
) -> tuple[str, ...]:
    """Return the properties to prove; for "all", those that induction can prove."""
    from verifier.runs.question import choose_properties
    from verifier.specs.definition import PropertyKind

    names = choose_properties(definition, named, expected, deadlock)
    if "all" in named or not named:
        kinds = {prop.name: prop.kind for prop in definition.properties}
        names = tuple(name for name in names if kinds[name] is not PropertyKind.REACHABLE)
    return names


def _run(
    question: Question[InductOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.induction_outcome import InductionOutcome, Inductions, combine_inductions
    from verifier.processes.limits import INTERRUPTED
    from verifier.runs.question import answer, conclude, make_undecided_verdicts
    from verifier.trust.kept_formulas import SharedProofs

    def search(model: Model) -> Inductions:
        parts: list[InductionOutcome] = []
        shared = SharedProofs()
        try:
            for place, name in enumerate(question.properties):
                limits = question.limits.share(len(question.properties) - place)
                parts.append(_one(question, model, name, parts, shared, limits, listen))
                if parts[-1].interrupted:
                    break
        except KeyboardInterrupt:
            pass  # the rest concerns the properties that are left
        rest = make_undecided_verdicts(question.properties[len(parts) :], INTERRUPTED)
        parts += [InductionOutcome((verdict,), (), {}) for verdict in rest]
        return combine_inductions(parts)

    run = answer(question, search, built, {"properties": {}, "peak_memory_bytes": 0})
    parts = run.outcome.parts if isinstance(run.outcome, Inductions) else ()
    proved = {part.verdicts[0].property_name: part.rechecked for part in parts}
    return conclude(
        question,
        run,
        ENGINE.name,
        solvers=_solvers(question.options, parts),
        proofs=tuple(_describe(run.model, part) for part in parts if part.obligations),
        certificates={name: again.certificate for name, again in proved.items() if again is not None},
    )


def _one(
    question: Question[InductOptions],
    model: Model,
    name: str,
    before: Sequence[InductionOutcome],
    shared: SharedProofs,
    limits: Limits,
    listen: Listen,
) -> InductionOutcome:
    from verifier.engines.induction import PropertyProgress, Request, induct

    # The reads of a property are proved with it, all under the name UndefinedRead.
    same = all(read.property_name is None for read in model.undefined)
    known = [part.invariant for part in before if part.invariant and same]
    options = question.options
    request = Request(
        property_name=name,
        lemmas=options.lemmas,
        solver=options.solver,
        symmetry=options.symmetry,
        houdini=options.houdini,
        minimise=options.minimise,
        reachable=options.reachable,
        limits=limits,
        seed=options.seed,
        proved=known[-1] if known else (),
        shared=shared if len(question.properties) > 1 else None,
    )
    return induct(model, request, lambda news: listen(PropertyProgress(name, news)))


def _solvers(options: InductOptions, parts: Iterable[InductionOutcome]) -> tuple[str, ...]:
    """Return the solver that found proofs, then those that checked them."""
    checked = (part.rechecked.solver for part in parts if part.rechecked is not None)
    return tuple(dict.fromkeys((options.solver, *checked)))


def _describe(model: Model | None, part: InductionOutcome) -> Mapping[str, Any]:
    from verifier.trust.certificate import readable_lemmas

    again = part.rechecked
    return {
        "property": part.verdicts[0].property_name,
        "found_by": ENGINE.name,
        "rechecked_by": again.solver if again else None,
        "recheck_seconds": round(again.seconds, 3) if again else None,
        "lemmas": list(part.invariant) or None,
        "lemma_texts": [] if model is None else readable_lemmas(model, part.invariant),
        "left_out": [{"lemma": lemma.formula, "fell_at": lemma.fell_at} for lemma in part.left_out],
        "obligations": _table(part.obligations),
    }


def _table(obligations: Iterable[Obligation]) -> list[dict[str, Any]]:
    """Return the obligations, with those of one formula and action merged: it holds if all do."""
    from verifier.engines.obligations import group_obligations

    return [
        {
            "formula": group.formula,
            "at": group.action or group.kind.value,
            "kind": group.kind.value,
            "holds": group.holds,
            "asked": len(group.obligations),
            "seconds": round(group.seconds, 4),
        }
        for group in group_obligations(obligations)
    ]


ENGINE = Engine(
    name="induct",
    help=_HELP,
    options=InductOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"{', '.join(asked.properties)} by induction",
    render=late("verifier.text.induction", "render_induction"),
    progress=late("verifier.text.progress", "ObligationsText"),
    writes_traces=False,
    writes_certificates=True,
    relative_cost=0.5,
    decides_reachable=False,
)
