"""What all tests share."""

from __future__ import annotations

import gc

from hypothesis import settings

from verifier.cli.entry import COLLECTIONS

# The same examples in every run: a rare one with a sort of millions of values took all memory.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Looks for garbage as seldom as a command does, and never among modules and tests: that was a fifth of
    what small tests took."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
