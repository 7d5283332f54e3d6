"""Checks of a translated module before an engine runs on it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from verifier.runs.building import as_built
from verifier.runs.modules.loading import TlaDefinition
from verifier.runs.modules.translating import INSTEAD, NotTranslated, Symbolic

if TYPE_CHECKING:
    from verifier.system.model import Model


def check_choices(definition: TlaDefinition) -> None:
    """Raise NotTranslated if free parameters have more values than exploration tries."""
    from verifier.explicit.moves import MOST_MOVES

    for action in as_built(definition, free=False).actions:
        free = [p.symbol.sort.size for p in action.parameters if p.free]
        if prod(free) > MOST_MOVES:
            raise NotTranslated(f"{action.name} is chosen too freely to enumerate: {INSTEAD}")


def check_fairness(model: Model, made: Symbolic) -> None:
    """Raise NotTranslated if an action for fairness adds a step."""
    from verifier.engines.contained import with_steps_beyond

    beyond = with_steps_beyond(model, made.open) if made.open else None
    if beyond is not None:
        words = "a step of it may be no step of Next: such fairness is not supported"
        raise NotTranslated(f"{made.open[beyond]}: {words}")


def check_translated(made: Symbolic, names: Sequence[str], named: Sequence[str]) -> None:
    refused = made.translation.refused
    for name in names:
        if name in refused:
            other = INSTEAD if named else f"name others with --property, or else {INSTEAD}"
            words = f"{refused[name]}, so {name} cannot be asked of this engine"
            raise NotTranslated(f"{words}: {other}")
