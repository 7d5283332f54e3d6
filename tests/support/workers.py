"""Searches by several processes, beside those of one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.tla_modules import all_found
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.explorer import Explorer
from verifier.tla.specification import Specification
from verifier.tla.workers import level_choice


def share_all_levels(monkeypatch: pytest.MonkeyPatch, states: int = 2) -> None:
    """Let workers start at once and share each level, in parts of so many states."""
    monkeypatch.setattr(level_choice, "_BEGIN_SECONDS", -1e9)
    monkeypatch.setattr(level_choice, "_WORTH_SECONDS", -1.0)
    monkeypatch.setattr(level_choice, "_BETWEEN_LOOKS", 0)
    monkeypatch.setattr(level_choice, "_MOST_IN_BLOCK", states)


def find_with_workers(made: Specification, workers: int, **options: Any) -> tuple[tuple[Any, ...], bool]:
    """Return all that a search finds, and whether workers took part."""
    asked = (*made.invariants, *made.properties, *([NO_DEADLOCK] if made.config.check_deadlock else []))
    made.evaluator.printed.clear()
    explorer = Explorer(made, properties=asked, workers=workers, **options)
    found, _ = all_found(explorer)
    took_part = explorer.workers is not None and explorer.workers.first_level is not None
    return (*found, tuple(made.evaluator.printed)), took_part
