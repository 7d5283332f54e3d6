"""The result that every engine returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verifier.verdict import Verdict


@dataclass(frozen=True)
class Outcome:
    """The verdicts, in the order of the properties asked for, and figures of the run."""

    verdicts: tuple[Verdict, ...]
    never_enabled: tuple[str, ...]
    """Actions that were enabled in no state searched."""
    statistics: dict[str, Any]
    enabled: tuple[str, ...] = ()
    """Actions that were enabled in a state searched; none if no state was."""
