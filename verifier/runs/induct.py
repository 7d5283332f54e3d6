"""Runs of the inductive check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.engines.bmc import Outcome
from verifier.engines.induction import (
    ENGINE,
    InductionOutcome,
    Obligation,
    Progress,
    Request,
    check_names,
    induct,
)
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.children import Limits
from verifier.runs.loading import Loaded
from verifier.runs.options import InductOptions
from verifier.runs.question import Asked, Searched, ask, chosen_properties, finished, searched, undecided
from verifier.specs.definition import Definition, PropertyKind
from verifier.system.model import Model
from verifier.trust.certificate import readable_lemmas
from verifier.verdict import Verdict

Listen = Callable[[str, Progress], None]
"""Hears the property and the news of it."""


@dataclass(frozen=True)
class Inductions(Outcome):
    """The checks of several properties."""

    parts: tuple[InductionOutcome, ...] = ()
    """One for each property."""


def prepare(loaded: Loaded, options: InductOptions) -> Asked[InductOptions]:
    """The run, its names checked. Raises UsageError for what cannot be asked."""
    asked = ask(loaded, options, _properties)
    kinds = {prop.name: prop.kind for prop in loaded.definition.properties}
    known = [lemma.name for lemma in loaded.definition.lemmas]
    for name in asked.properties:
        check_names(name, kinds[name], options.lemmas, known)
    return asked


def _properties(
    definition: Definition, asked: Sequence[str], expected: tuple[str, ...], deadlock: bool
) -> tuple[str, ...]:
    """What to prove; of all, what induction can prove."""
    names = chosen_properties(definition, asked, expected, deadlock)
    if "all" in asked or not asked:
        kinds = {prop.name: prop.kind for prop in definition.properties}
        names = tuple(name for name in names if kinds[name] is not PropertyKind.REACHABLE)
    return names


def search(asked: Asked[InductOptions], listen: Listen = lambda *_: None) -> Searched[Inductions]:
    """Checks one property after the other, until it is done or interrupted.

    Raises UsageError for expectations that an action is enabled: induction looks at no executions.
    """
    if asked.expectations.enabled:
        action = asked.expectations.enabled[0].action
        raise UsageError(
            f"--expect {action}=enabled is for engines that look at executions: bmc, explore, simulate"
        )

    def check(model: Model) -> Inductions:
        parts: list[InductionOutcome] = []
        try:
            for name in asked.properties:
                parts.append(_one(asked, model, name, parts, listen))
        except KeyboardInterrupt as stop:
            rest = asked.properties[len(parts) :]
            parts += [InductionOutcome((verdict,), (), {}) for verdict in undecided(asked, rest, stop)]
        return together(parts)

    def nothing(verdicts: tuple[Verdict, ...]) -> Inductions:
        return together([InductionOutcome((verdict,), (), {}) for verdict in verdicts])

    return searched(asked, check, nothing)


def together(parts: Iterable[InductionOutcome]) -> Inductions:
    """The outcomes of several properties as one."""
    parts = tuple(parts)
    statistics = {
        "properties": {part.verdicts[0].property_name: part.statistics for part in parts},
        "peak_memory_bytes": max((part.statistics.get("peak_memory_bytes", 0) for part in parts), default=0),
    }
    never = tuple(dict.fromkeys(name for part in parts for name in part.never_enabled))
    return Inductions(tuple(part.verdicts[0] for part in parts), never, statistics, parts=parts)


def _one(
    asked: Asked[InductOptions],
    model: Model,
    name: str,
    before: Sequence[InductionOutcome],
    listen: Listen,
) -> InductionOutcome:
    # What a property reads is part of what is proved with it, under the one name UndefinedRead.
    same = all(read.property_name is None for read in model.undefined)
    known = [part.invariant for part in before if part.invariant and same]
    options = asked.options
    request = Request(
        property_name=name,
        lemmas=options.lemmas or None,
        solver=options.solver,
        symmetry=options.symmetry,
        houdini=options.houdini,
        minimise=options.minimise,
        reachable=options.reachable,
        limits=Limits(asked.seconds_left(), options.memory),
        seed=options.seed,
        proved=known[-1] if known else (),
    )
    return induct(model, request, lambda news: listen(name, news))


def recorded(asked: Asked[InductOptions]) -> dict[str, Any]:
    """The options as results name them."""
    options = asked.options
    return {
        "lemmas": list(options.lemmas) or [lemma.name for lemma in asked.definition.lemmas],
        "solver": options.solver,
        "symmetry": options.symmetry,
        "houdini": options.houdini,
        "minimise": options.minimise,
        "reachable": options.reachable,
        "timeout": options.timeout,
        "memory": options.memory,
        "seed": options.seed,
    }


def concluded(asked: Asked[InductOptions], found: Searched[Inductions]) -> Run:
    """The run, ended."""
    return finished(
        asked,
        found,
        engine=ENGINE,
        options=recorded(asked),
        solvers=_solvers(asked.options, found.outcome),
        proofs=tuple(_described(found.model, part) for part in found.outcome.parts if part.obligations),
    )


def run(asked: Asked[InductOptions], listen: Listen = lambda *_: None) -> Run:
    """Searches and concludes."""
    return concluded(asked, search(asked, listen))


def _solvers(options: InductOptions, outcome: Inductions) -> tuple[str, ...]:
    """The one that found proofs, then those that checked them."""
    checked = (part.rechecked.solver for part in outcome.parts if part.rechecked is not None)
    return tuple(dict.fromkeys((options.solver, *checked)))


def _described(model: Model | None, part: InductionOutcome) -> Mapping[str, Any]:
    again = part.rechecked
    return {
        "property": part.verdicts[0].property_name,
        "found_by": ENGINE,
        "rechecked_by": again.solver if again else None,
        "recheck_seconds": round(again.seconds, 3) if again else None,
        "lemmas": list(part.invariant) or None,
        "lemma_texts": [] if model is None else readable_lemmas(model, part.invariant),
        "left_out": [{"lemma": lemma.formula, "fell_at": lemma.fell_at} for lemma in part.left_out],
        "obligations": _table(part.obligations),
    }


def _table(obligations: Iterable[Obligation]) -> list[dict[str, Any]]:
    """The obligations, those of one formula and action as one; it holds if all do."""
    cells: dict[tuple[str, str], list[Obligation]] = {}
    for item in obligations:
        cells.setdefault((item.formula, item.action or item.kind.value), []).append(item)
    return [
        {
            "formula": formula,
            "at": place,
            "kind": items[0].kind.value,
            "holds": None
            if any(i.holds is None for i in items) and all(i.holds is not False for i in items)
            else all(i.holds for i in items),
            "asked": len(items),
            "seconds": round(sum(item.seconds for item in items), 4),
        }
        for (formula, place), items in cells.items()
    ]
