"""A module and its translation, as their comparison sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from verifier.specs.temporal import Fairness, TemporalFormula

if TYPE_CHECKING:
    from verifier.tla.splitting import Formula
    from verifier.tla.translate.translation import Translation


@dataclass(frozen=True)
class Claimed:
    """The temporal parts of a specification and some properties, with their translations."""

    properties: Mapping[str, Sequence[Formula]]
    translated: Mapping[str, TemporalFormula]
    """The translation of each property, under the assumptions of the specification."""
    fairness: tuple[Fairness, ...]
    assumed: tuple[TemporalFormula, ...]
    """The assumptions of the specification besides fairness of its actions."""


class TranslatedModule(Protocol):
    """A module that is translated, at the current sorts."""

    @property
    def translation(self) -> Translation:
        """The module's parts, its names and its sorts."""

    @property
    def claimed(self) -> Claimed | None:
        """The translated temporal parts, if there are any."""
