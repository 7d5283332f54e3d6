"""Fixtures and options that all tests share."""

from __future__ import annotations

import ctypes
import gc
import sys
import warnings
from collections.abc import Iterator

import psutil
import pytest
from hypothesis import settings

from tests.support.huge_pages import collapse_memory
from tests.support.tiers import TIERS, Selection
from verifier.cli.entry import COLLECTIONS
from verifier.runs.validation import budget

_RECURSION_LIMIT = sys.getrecursionlimit()
_GARBAGE = 1 << 25
"""Bytes that tests of a file may leave before it is worth looking among them for cycles."""
_MMAP_THRESHOLD, _LARGE = -3, 1 << 22
"""The number of glibc's option (its malloc.h), and the bytes from which memory is given back when freed."""

# The same examples in every run: a rare one with a sort of millions of values took all memory.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
gc.disable()  # nothing is garbage until all tests are collected


def pytest_collection_finish() -> None:
    """Looks for garbage as seldom as a command does, and never among modules and tests: that was a fifth of
    what small tests took."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
    gc.enable()


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Begin each test with Python's limit, as a command does.

    Whatever loads TLA+ raises it: tests, fixtures of a module, and modules that are collected. A Python
    protocol that calls itself without an end would then end the process.
    """
    sys.setrecursionlimit(_RECURSION_LIMIT)
    yield
    sys.setrecursionlimit(_RECURSION_LIMIT)


@pytest.fixture(autouse=True)
def validation_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of other things compare translations for a quarter of the time that users wait for it."""
    if request.node.get_closest_marker("validation") is None:
        monkeypatch.setattr(budget, "LEAST_SECONDS", 0.05)


class Memory:
    """Keeps the process of the tests small.

    Each process that it forks copies a table of all its pages: 3 ms at 100 MiB, 9 ms at 300 MiB, and as
    much again when pages are written and when it ends. A tenth of the tests left 290 MiB behind, of which
    170 MiB were free or garbage.

    Once a test has freed a large block, glibc has no mapping of its own for blocks of that size. Each
    context of Z3 (16 MiB) then left a hole that no other fitted: 1.4 GiB, which the limits of runs counted.
    """

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._trim = getattr(library, "malloc_trim", None)  # of glibc
        self._set = getattr(library, "mallopt", None)
        self._kept = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Put what was collected on huge pages."""
        collapse_memory()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Gives back what is free, at the end of each file."""
        if self._set is not None:
            self._set(_MMAP_THRESHOLD, _LARGE)  # an exploration in this process may have raised it
        if self._trim is None or (nextitem is not None and nextitem.path == item.path):
            return
        self._trim(0)
        if _resident() > self._kept + _GARBAGE:
            gc.collect()
            self._trim(0)
            self._kept = _resident()
            collapse_memory()


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "; ".join(f"{name}: {meaning}" for name, meaning in TIERS.items())
    parser.addoption("--tier", choices=list(TIERS), help=f"Run a part of the tests ({words})")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # pytest-asyncio, which pytest-lsp needs, asks for a setting that pytest refuses without it.
    warnings.filterwarnings("ignore", message="The configuration option .asyncio_default_fixture_loop_scope")
    config.pluginmanager.register(Memory())
    tier = config.getoption("--tier")
    if tier is not None:
        config.pluginmanager.register(Selection(tier))


def _resident() -> int:
    return int(psutil.Process().memory_info().rss)
