"""Fixtures of the tests of TLA+ by columns."""

from __future__ import annotations

import pytest

from verifier.tla.columns import level_choice as levels


@pytest.fixture
def columns_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns take small levels, too, and however long it takes."""
    monkeypatch.setattr(levels, "_LARGE", 1)
    monkeypatch.setattr(levels, "_TRIED_SECONDS", 1e9)
