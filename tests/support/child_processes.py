"""The child processes of the tests' own process."""

from __future__ import annotations

import psutil


def list_children() -> list[psutil.Process]:
    """List the child processes but the browser's driver, which one worker keeps for all its tests."""
    return [child for child in psutil.Process().children() if child.name() != "chromedriver"]
