"""Searches by several processes, beside those of one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.tla_modules import all_found
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.columns import level_choice as columns
from verifier.tla.explorer import Explorer
from verifier.tla.specification import Specification
from verifier.tla.workers import column_levels, level_choice
from verifier.tla.workers.column_pool import ColumnPool


def share_all_levels(monkeypatch: pytest.MonkeyPatch, states: int = 2) -> None:
    """Let workers start at once and share each level, in parts of so many states."""
    monkeypatch.setattr(level_choice, "_BEGIN_SECONDS", -1e9)
    monkeypatch.setattr(level_choice, "_WORTH_SECONDS", -1.0)
    monkeypatch.setattr(level_choice, "_BETWEEN_LOOKS", 0)
    monkeypatch.setattr(level_choice, "_MOST_IN_BLOCK", states)


def share_all_columns(monkeypatch: pytest.MonkeyPatch, states: int = 2) -> list[str]:
    """Let columns begin at once, and workers share each level. Return the names of workers, one for each
    part."""
    monkeypatch.setattr(columns, "_LARGE", 1)
    monkeypatch.setattr(columns.ByColumns, "_pays", lambda *_: True)
    monkeypatch.setattr(column_levels, "_BEGIN_SECONDS", -1.0)
    monkeypatch.setattr(column_levels, "_WORTH_SECONDS", -1.0)
    monkeypatch.setattr(column_levels, "_MOST_IN_PART", states)
    monkeypatch.setattr(column_levels, "_JUDGED_SECONDS", 1e9)
    monkeypatch.setattr(level_choice, "_BEGIN_SECONDS", 1e9)
    given, give = [], ColumnPool.give

    def note(self: ColumnPool, name: str, *part: int) -> None:
        given.append(name)
        give(self, name, *part)

    monkeypatch.setattr(ColumnPool, "give", note)
    return given


def find_with_workers(made: Specification, workers: int, **options: Any) -> tuple[tuple[Any, ...], bool]:
    """Return all that a search finds, and whether workers took part."""
    asked = (*made.invariants, *made.properties, *([NO_DEADLOCK] if made.config.check_deadlock else []))
    made.evaluator.printed.clear()
    explorer = Explorer(made, properties=asked, workers=workers, **options)
    found, _ = all_found(explorer)
    took_part = explorer.workers is not None and explorer.workers.first_level is not None
    return (*found, tuple(made.evaluator.printed)), took_part
