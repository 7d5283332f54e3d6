"""A module with its configuration, and what the user asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from verifier.encodings.concrete import show_constants
from verifier.runs.modules.loading import TlaLoaded, evaluate_or_refuse
from verifier.specs.constants import AssumptionFailed
from verifier.tla.errors import TlaError
from verifier.tla.explorer import Explorer


@dataclass(frozen=True)
class ConfiguredModule:
    """A module at its constants, and the properties that the user named."""

    module: TlaLoaded
    named: tuple[str, ...] = ()
    libraries: tuple[Path, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    """The constants that the user set, as texts."""

    def check_assumptions(self) -> None:
        """Raise AssumptionFailed for an ASSUME that is false."""
        definition = self.module.definition
        explorer = Explorer(self.module.specification, properties=())
        try:
            evaluate_or_refuse(explorer.assume)
        except TlaError as error:
            constants = show_constants(definition.constants)
            raise AssumptionFailed(definition.name, str(error), constants) from None
