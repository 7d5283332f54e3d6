"""Grids: which specs, constants, properties and engines a sweep covers.

A grid is read, checked and counted before anything is expanded, so that one of a billion jobs is
refused as fast as one of three. In a file (TOML) each ``[[grid]]`` table is a grid::

    [[grid]]
    specs = ["kip279", "kip320"]
    properties = ["WeakIsr", "StrongIsr"]     # default: what each spec checks by default
    engines = ["bmc"]                         # the default
    constants = { replicas = "2..3", log_size = [1, 2], max_records = 2 }
    depth = 12
    timeout = "60s"                           # of each job
    memory = "2GiB"
    options = { steps = "serial" }            # of the engines
    split = 4                                 # parts of the search of each bmc job

Of TLA+ modules, ``specs = ["Paxos.tla"]``, a grid may also say ``config``, ``library`` and ``lemmas``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from verifier.errors import UsageError
from verifier.runs.loaded import ReadingOptions
from verifier.runs.quantities import DURATION, SIZE, parse_duration, parse_size
from verifier.runs.toml_file import (
    check_keys,
    list_of_tables,
    names_in,
    quantity,
    read_toml,
    reading_in,
    whole,
)

MOST_JOBS = 100_000
"""A larger grid is taken for a mistake."""

_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})")
_COMMA = re.compile(r",(?![^{}]*\})")
_KEYS = (
    "specs",
    "properties",
    "engines",
    "constants",
    "depth",
    "timeout",
    "memory",
    "options",
    "split",
    "config",
    "library",
    "lemmas",
)


@dataclass(frozen=True)
class Axis:
    """The values of a constant: single ones, and ranges of integers that are not written out."""

    name: str
    parts: tuple[range | Any, ...]

    @property
    def size(self) -> int:
        """Return the number of values; ``len`` would fail if it does not fit a machine word."""
        return sum(part.stop - part.start if isinstance(part, range) else 1 for part in self.parts)

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts:
            yield from part if isinstance(part, range) else (part,)

    @property
    def ends(self) -> list[Any]:
        """Values that show whether all are allowed: what lies between two integers is."""
        return [value for part in self.parts for value in _ends(part)]


def _ends(part: range | Any) -> tuple[Any, ...]:
    return (part[0], part[-1]) if isinstance(part, range) else (part,)


@dataclass(frozen=True)
class Grid:
    """A grid of jobs: every combination of these fields."""

    specs: tuple[str, ...]
    properties: tuple[str, ...] = ()
    """None: those that each spec checks by default; ``all``: all."""
    engines: tuple[str, ...] = ("bmc",)
    axes: tuple[Axis, ...] = ()
    """Constants that have no axis have their default."""
    depth: int | None = None
    timeout: float | None = None
    """Seconds, of one job."""
    memory: int | None = None
    """Bytes, of one job."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of the engines."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """The options for reading TLA+ modules."""
    split: int = 1
    """Into how many parts the search of a job is split."""

    @property
    def combinations(self) -> int:
        """Return the number of combinations of constants."""
        return math.prod(axis.size for axis in self.axes)


def axis(name: str, value: Any, place: str) -> Axis:
    """An axis from ``2..4``, ``1,2,3``, a list or a single value.

    Raises UsageError, naming ``place``, for an empty one or a range from high to low.
    """
    items = value if isinstance(value, list) else [value]
    words = [word.strip() if isinstance(word, str) else word for item in items for word in _split(item)]
    parts = tuple(_part(word, f"{place}: {name}") for word in words if word != "")
    if not parts:
        raise UsageError(f"{place}: {name} has no values (allowed: a range as in 2..4, a list as in 1,2,3)")
    return Axis(name, parts)


def _split(item: Any) -> Sequence[Any]:
    """The values in a word, apart at the commas that stand in no braces: ``{a, b}`` is one value."""
    return _COMMA.split(item) if isinstance(item, str) else [item]


def _part(word: Any, place: str) -> range | Any:
    if isinstance(word, str) and (match := _RANGE.fullmatch(word)):
        low, high = int(match[1]), int(match[2])
        if low > high:
            raise UsageError(f"{place}={word} is a range without values: did you mean {high}..{low}?")
        return range(low, high + 1)
    if isinstance(word, str | int):
        return word
    raise UsageError(f"{place}={word} is not allowed: a value is an integer, a word, true or false")


def axes_of(words: Sequence[str], settings: Mapping[str, str] = MappingProxyType({})) -> tuple[Axis, ...]:
    """The axes of ``--grid NAME=VALUES``, and those of ``--set``, of one value. Raises UsageError for a
    malformed one, or two of one name."""
    axes: dict[str, Axis] = {}
    for word in words:
        name, equals, values = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise UsageError(
                f"--grid {word} is not allowed: it takes NAME=VALUES, as in --grid replicas=2..4"
            )
        if name in axes:
            raise UsageError(f"--grid gives {name} twice: name all its values in one, as in {name}=1,3..5")
        axes[name] = axis(name, values, "--grid")
    for name, value in settings.items():
        if name in axes:
            raise UsageError(f"--grid and --set both give {name}: say all its values in --grid")
        axes[name] = Axis(name, (value,))
    return tuple(axes.values())


def read_grids(path: Path) -> list[Grid]:
    """Return the grids of a file. Raises UsageError if it cannot be read, or for errors in it."""
    content = read_toml(path, "grid file", ("grid",), listed="grid")
    tables = list_of_tables(content, "grid", path, "do")
    return [_grid(table, f"{path}, grid {number}") for number, table in enumerate(tables, 1)]


def _grid(table: Mapping[str, Any], place: str) -> Grid:
    check_keys(table, _KEYS, place)
    constants, options = table.get("constants", {}), table.get("options", {})
    if not isinstance(constants, dict) or not isinstance(options, dict):
        raise UsageError(f"{place}: constants and options are tables, as in {{ replicas = '2..4' }}")
    return Grid(
        specs=names_in(table, "specs", place),
        properties=names_in(table, "properties", place),
        engines=names_in(table, "engines", place) if "engines" in table else ("bmc",),
        axes=tuple(axis(name, value, place) for name, value in constants.items()),
        depth=whole(table, "depth", place),
        timeout=quantity(table, "timeout", None, parse_duration, DURATION, place),
        memory=quantity(table, "memory", None, parse_size, SIZE, place),
        options=options,
        split=whole(table, "split", place, 1) or 1,
        reading=reading_in(table, place),
    )
