"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run: a rare one with a sort of millions of values took all memory.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
