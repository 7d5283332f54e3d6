"""Fixtures of the tests of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.mapped_counter import write_mapped_counter


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """A folder with the counter and the mapping for its logs."""
    write_mapped_counter(tmp_path)
    return tmp_path
