"""Runs of the provers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.engines.choices import EngineChoice
from verifier.errors import UsageError, make_unknown_name_error
from verifier.runs.engine import Engine, Listen, late
from verifier.runs.options import check_ends
from verifier.runs.prove_options import ProveOptions

if TYPE_CHECKING:
    from verifier.engines.prove import CheckedProof
    from verifier.engines.state_space import Explored
    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.system.model import Model

_HELP = """Prove properties for all depths, or find executions that violate them.

Once a property is proved, the proofs of the others may use it. Progress goes to standard error,
the result to standard output.

\b
Examples:
  verify prove kip320 --property StrongIsr --certificate strong_isr.json
  verify prove kip320 --property StrongIsr --engine ic3 --no-lemmas
  verify prove kip320-first-try --property StrongIsr
  verify prove my_protocol.py --engine kind --timeout 5m
  verify prove kip320 --property StrongIsr --all-constants
  verify prove TwoPhase.tla --property Consistent
"""


def _prepare(loaded: Loaded, options: ProveOptions) -> Question[ProveOptions]:
    from verifier.runs.question import ask

    check_ends(options)
    question = ask(loaded, options)
    _check_lemmas(options, [lemma.name for lemma in loaded.definition.lemmas])
    if options.all_constants:
        from verifier.runs import all_constants

        _refuse_other_provers(options)
        return all_constants.prepare(question)
    if options.suggest:
        raise UsageError("--suggest belongs to proofs for all constants: give --all-constants too")
    return question


def _run(
    question: Question[ProveOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.engines.prove import ProveOutcome, Request, check
    from verifier.runs.question import answer, conclude

    options = question.options
    if options.all_constants:
        from verifier.runs import all_constants

        return all_constants.run(question, listen)

    def search(model: Model) -> ProveOutcome:
        engine, witnesses = EngineChoice(options.engine), bool(question.expectations.enabled)
        request = Request(
            question.properties,
            engine,
            options.solver,
            question.limits,
            options.lemmas,
            options.explore,
            options.first,
            witnesses,
        )
        return check(_choose_lemmas(model, options.chosen_lemmas), request, listen)

    run = answer(question, search, built, {"peak_memory_bytes": 0})
    outcome = run.outcome if isinstance(run.outcome, ProveOutcome) else ProveOutcome((), (), {})
    proofs = outcome.proofs
    return conclude(
        question,
        run,
        ENGINE.name,
        solvers=_solvers(options, proofs),
        proofs=(
            *(describe_proof(run.model, proof) for proof in proofs),
            *(describe_exploration(name, explored) for name, explored in outcome.explored.items()),
        ),
        certificates={proof.property_name: proof.certificate for proof in proofs},
    )


def _refuse_other_provers(options: ProveOptions) -> None:
    """Raise UsageError for options that choose a prover at given constants."""
    plain = ProveOptions()
    chosen = [name for name in ("engine", "solver", "by") if getattr(options, name) != getattr(plain, name)]
    if chosen:
        words = f"--{chosen[0]} {getattr(options, chosen[0])} does not go with --all-constants"
        raise UsageError(f"{words}, whose proofs are by induction: z3 finds them, and cvc5 checks them")


def _check_lemmas(options: ProveOptions, known: Sequence[str]) -> None:
    """Raise UsageError for unknown lemmas, and for options that use no chosen ones."""
    for name in options.chosen_lemmas:
        if name not in known:
            raise make_unknown_name_error("lemma", name, known)
    if options.chosen_lemmas and options.all_constants:
        raise UsageError("--lemma with --all-constants is for TLA+ modules: a protocol's own lemmas are used")
    if options.chosen_lemmas and not options.lemmas:
        raise UsageError("--lemma does not go with --no-lemmas")


def _choose_lemmas(model: Model, names: Sequence[str]) -> Model:
    """Return the model with these lemmas only; with all if there are no names."""
    if not names:
        return model
    lemmas = tuple(lemma for lemma in model.system.lemmas if lemma.name in names)
    return replace(model, system=replace(model.system, lemmas=lemmas))


def describe_proof(model: Model | None, proof: CheckedProof) -> Mapping[str, Any]:
    """Return the origin and check of a proof, for the JSON output."""
    from verifier.text.invariant import invariant_lines
    from verifier.trust.certificate import readable_lemmas

    certificate = proof.certificate
    lines = None if model is None else invariant_lines(model, certificate.clauses)
    lasting = certificate.fairness is not None
    texts = [] if model is None else readable_lemmas(model, certificate.lemmas, lasting=lasting)
    return {
        "property": proof.property_name,
        "found_by": proof.prover,
        "k": certificate.k,
        "rechecked_by": proof.rechecked_by,
        "recheck_seconds": round(proof.recheck_seconds, 3),
        "uses": list(proof.uses),
        "lemmas": list(certificate.lemmas),
        "lemmas_not_needed": _list_names(proof.lemmas_not_needed),
        "lemmas_not_inductive": _list_names(proof.lemmas_not_inductive),
        "lemma_texts": texts,
        "clauses": len(certificate.clauses),
        "invariant": lines,
    }


def describe_exploration(name: str, explored: Explored) -> Mapping[str, Any]:
    """Return the proof of a property by exploration, for the JSON output."""
    return {
        "property": name,
        "found_by": "explore",
        "rechecked_by": "explore",
        "recheck_seconds": round(explored.seconds_again, 3),
        "states": explored.states,
    }


def _list_names(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)


def _solvers(options: ProveOptions, proofs: tuple[CheckedProof, ...]) -> tuple[str, ...]:
    """Return the solvers of the provers that ran, then those that checked proofs."""
    from verifier.engines.property_proof import BMC_SOLVER, KIND_SOLVER
    from verifier.solvers.minisat_backend import MinisatSolver

    names = []
    if options.engine in ("auto", "ic3"):
        names.append(MinisatSolver.NAME)
    if options.engine in ("auto", "kind"):
        names.append(options.solver or KIND_SOLVER)
    if options.engine == "auto":
        names.append(options.solver or BMC_SOLVER)
    return tuple(dict.fromkeys([*names, *(proof.rechecked_by for proof in proofs)]))


ENGINE = Engine(
    name="prove",
    help=_HELP,
    options=ProveOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"{', '.join(asked.properties)} for all depths",
    for_all=lambda asked: asked.options.all_constants,
    render=late("verifier.text.proof", "render_proof"),
    progress=late("verifier.text.progress", "ProversText"),
    writes_certificates=True,
    certifying={"explore": False},
    relative_cost=2.0,
)
