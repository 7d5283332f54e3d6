"""Exploration of a translated module, where that is faster than the interpreter and counts the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.processes.watching import Watched
from verifier.runs.asking import Remark
from verifier.runs.building import look_at
from verifier.runs.tla_symbolic import INSTEAD, ModuleQuestion, started, translated_soon
from verifier.specs.definition import DefinitionError
from verifier.system.size import bits_of
from verifier.tla.translate.sampling import MOST_SAMPLED_WIDELY

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.tla.translate.sampling import Sample

_MOST_BITS_EXPLORED = 600
"""States of more bits are explored by the interpreter."""
_PATIENCE = 12.0
"""So many seconds of processor time may building what explores take; then the interpreter explores."""


def explored(asked: ModuleQuestion) -> tuple[Run | None, str]:
    """An exploration of the translated module; or None, and why the interpreter is to explore it."""
    spec = asked.module.specification
    if spec.symmetry or spec.view is not None:
        return None, f"{'SYMMETRY' if spec.symmetry else 'VIEW'} is in the configuration"
    if spec.action_constraints or spec.postcondition is not None:
        return None, "the configuration has an ACTION_CONSTRAINT or a POSTCONDITION"
    most = asked.question.options.max_states
    if most is not None and most <= MOST_SAMPLED_WIDELY and not asked.question.options.graph:
        return None, "few states are asked for"
    try:
        with Watched(look_at(asked.question.limits)):
            made = started(asked)
        if made.translation.sample.complete and not asked.question.options.graph:
            return None, "there are few states"
        if not made.translation.sample.all_initial:
            return None, "in how many ways Init is true is not known: there are too many"
        size = sum(map(bits_of, made.sorts().values()))
        if size > _MOST_BITS_EXPLORED:
            return None, f"a state takes {size} bits"
        found = translated_soon(asked, made, _PATIENCE)
        if found is None:
            return None, "building the translation takes too much time"
        uncounted = made.translation.uncounted
        if uncounted is not None and not _counts_alike(found, made.translation.sample):
            return None, f"{uncounted}: ways to be true are not told apart, and are several"
        if uncounted is not None:
            asked.listen(Remark(f"{uncounted}: ways to be true are not told apart, and are taken for one"))
        return found, ""
    except Interrupted as stop:
        return None, str(stop)
    except (UsageError, DefinitionError) as error:  # the interpreter says itself what is wrong with a module
        return None, str(error).removesuffix(f": {INSTEAD}")


def _counts_alike(found: Run, sample: Sample) -> bool:
    """Whether as many states were generated as by the interpreter, to each depth that both looked at."""
    counted = found.outcome.statistics.get("generated_by_level", [])
    return all(one == other for one, other in zip(counted, sample.generated, strict=False))
