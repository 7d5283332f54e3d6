"""Fixtures of the tests of exploration in files."""

from __future__ import annotations

import pytest

from tests.support.level_search import build_small
from verifier.system.model import Model


@pytest.fixture(scope="module")
def kafka() -> Model:
    return build_small("kafka-truncate-hw")
