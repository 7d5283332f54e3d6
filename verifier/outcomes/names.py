"""Names in results of earlier versions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FORMER_NAMES: Mapping[str, str] = MappingProxyType({"induction": "induct"})
"""What results of earlier versions call engines. Keys of jobs keep these names: old rows are found again."""
