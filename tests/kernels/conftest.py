"""The compiled library, and explorations that use it from the first level on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.kernels import building, choosing
from verifier.kernels.library import Library
from verifier.kernels.query_functions import QueryFunctions


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def own_cache(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tests share a folder of libraries, which is not the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_folder))
    for load in (building.load_library, building.load_queries):
        load.cache_clear()
    yield
    for load in (building.load_library, building.load_queries):
        load.cache_clear()


@pytest.fixture
def library(own_cache: None) -> Library:
    found = building.load_library()
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture
def queries(own_cache: None) -> QueryFunctions:
    found = building.load_queries()
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture
def at_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small explorations use the library, too."""
    monkeypatch.setattr(choosing, "MANY", 0)
    monkeypatch.setattr(choosing, "VERY_MANY", 0)
