"""`pytest --tier TIER`: which tests run.

Marks say which tests are `thorough` or `slow`; the rest are quick. tests/tiers.toml says which of these
`check` and `test` run, and how many cases of a test `quick` runs. A case counts in the order of the file.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FILE = TESTS / "tiers.toml"
TIERS = {
    "check": "about a hundred tests, which touch every room",
    "test": "the quick tests that tell whether the tool works",
    "quick": "all quick tests, as continuous integration runs them",
    "thorough": "all but the slow tests and those of the tier `test`",
    "slow": "the slow tests",
}
SLOW, THOROUGH = "slow", "thorough"
_QUICK, _PARTS = "quick", ("test", "check")


@dataclass(frozen=True)
class Tiers:
    """The content of the file."""

    left_out: frozenset[str]
    """The files of which `test` runs only what `check` runs."""
    checked: frozenset[tuple[str, str]]
    """The tests of which `check` runs the first case."""
    cases: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of cases of a test that `quick` runs; all if it is not named."""

    @classmethod
    def read(cls, file: Path = FILE) -> Tiers:
        """Read the file."""
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(
            frozenset(content["test"]["left_out"]),
            frozenset((path, name) for path, names in content["check"].items() for name in names),
            {
                (path, name): count
                for path, tests in content["quick"].items()
                for name, count in tests.items()
            },
        )

    def runs(self, tier: str, marks: set[str], test: tuple[str, str], place: int) -> bool:
        """True if the tier runs a case. ``place`` counts the cases without a mark of the test before it."""
        quick = not marks & {SLOW, THOROUGH} and place < self.cases.get(test, place + 1)
        in_check = quick and place == 0 and test in self.checked
        in_test = in_check or (quick and test[0] not in self.left_out)
        match tier:
            case "check":
                return in_check
            case "test":
                return in_test
            case "quick":
                return quick
            case "thorough":
                return SLOW not in marks and not in_test
        return SLOW in marks

    def may_run(self, tier: str, marks: set[str], test: tuple[str, str]) -> bool:
        """True if the tier may run some case of a test, whose cases are not known yet."""
        if tier not in (_QUICK, *_PARTS):
            return True
        if marks & {SLOW, THOROUGH} or self.cases.get(test) == 0:
            return False
        return test in self.checked or tier == _QUICK or (tier == "test" and test[0] not in self.left_out)

    def choose(self, tier: str, items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, bool]]:
        """Each item, and whether the tier runs it."""
        before: Counter[tuple[str, str]] = Counter()
        for item in items:
            marks = {mark.name for mark in item.iter_markers()}
            test = place_of_test(item)
            yield item, self.runs(tier, marks, test, before[test])
            before[test] += not marks & {SLOW, THOROUGH}


def place_of_test(item: pytest.Item) -> tuple[str, str]:
    """The file of a test below tests/, and its function."""
    name = item.originalname if isinstance(item, pytest.Function) else item.name
    return item.path.relative_to(TESTS).as_posix(), name


class Selection:
    """The plugin that leaves out what a tier does not run."""

    def __init__(self, tier: str) -> None:
        self._tier, self._tiers = tier, Tiers.read()
        self._files = {TESTS / path for path, _ in self._tiers.checked}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over files without tests of `check`: reading all of them takes longer than it runs."""
        passed = self._tier == "check" and collection_path.is_file() and collection_path not in self._files
        return True if passed else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(
        self, collector: pytest.Module | pytest.Class, name: str, obj: object
    ) -> list[pytest.Item] | None:
        """Make no cases of tests that the tier leaves out.

        Making all of them takes a quarter of the time before the first test. They would stay in memory, and
        each process that a test forks would copy their pages.
        """
        if not name.startswith("test") or not callable(obj):
            return None
        marks = {mark.name for mark in (*collector.iter_markers(), *getattr(obj, "pytestmark", ()))}
        test = collector.path.relative_to(TESTS).as_posix(), name
        return None if self._tiers.may_run(self._tier, marks, test) else []

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests of other tiers."""
        chosen = list(self._tiers.choose(self._tier, items))
        items[:] = [item for item, runs in chosen if runs]
        config.hook.pytest_deselected(items=[item for item, runs in chosen if not runs])
