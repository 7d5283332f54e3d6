"""The child processes of the tests' own process."""

from __future__ import annotations

import psutil

_KEPT = ("chromedriver", "java")
"""The browser and Spark, which tests of one process share."""


def list_children() -> list[psutil.Process]:
    """List the child processes but those that one worker keeps for all its tests."""
    return [child for child in psutil.Process().children() if child.name() not in _KEPT]
