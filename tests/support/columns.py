"""Searches by columns beside those of the interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.tla_modules import all_found, specify_module
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.explorer import Explorer

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
TWO = "EXTENDS Integers, Sequences, FiniteSets\nVARIABLES x, y\n"


def find_all(folder: Path, body: str, config: str, by_columns: bool, **limits: Any) -> tuple[Any, bool]:
    """Return all that a search finds, and if it was by columns to its end."""
    made = specify_module(folder, body, config)
    asked = (*made.invariants, *made.properties, *([NO_DEADLOCK] if made.config.check_deadlock else []))
    explorer = Explorer(made, properties=asked, by_columns=by_columns, **limits)
    return all_found(explorer)


def is_alike(folder: Path, body: str, config: str = QUIET, **limits: Any) -> bool:
    """True if a search was by columns to its end, which found what the interpreter finds."""
    naive, never = find_all(folder, body, config, False, **limits)
    found, used = find_all(folder, body, config, True, **limits)
    assert not never
    assert found == naive
    return used
