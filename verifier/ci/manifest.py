"""The manifest: which runs a project makes, and what it expects of them.

A TOML file. ``[defaults]`` may give ``engine``, ``timeout`` and ``memory`` to all cells. A run is a cell::

    [[cell]]
    id = "kip101"
    spec = "kip101"                 # built in, or a Python or TLA+ file, sought beside the manifest
    # config = "Small.cfg"          # of a TLA+ file; library = ["modules"] and lemmas = ["Inv"] too
    constants = { replicas = 2 }
    engine = "bmc"                  # by default check; bmc where the cell has a depth or options
    depth = 12                      # of bmc and simulate; of explore the most
    options = { steps = "serial" }  # of the engine
    timeout = "2m"
    memory = "2GiB"
    spec_hash = "bc4e23aff18f610c"  # of the spec and constants that the expectations were made for
    # distinct_states = 9045        # of explore, all of them
    seconds = 1.5                   # how long it took, to balance groups by
    [cell.expect]
    TypeOk = { verdict = "holds", depth = 12 }
    WeakIsr = { verdict = "violated", steps = 11 }    # the fewest
    Truncate = "enabled"            # an action
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.expectations import ENABLED
from verifier.runs.engine import Engine, engine_named
from verifier.runs.loaded import TLA, Loaded, ReadingOptions
from verifier.runs.loading import load
from verifier.runs.quantities import DURATION, SIZE, parse_duration, parse_size
from verifier.runs.table import ENGINES
from verifier.runs.toml_file import check_keys, list_of_tables, quantity, read_toml, reading_in, whole
from verifier.specs.built_in import BUILT_IN
from verifier.verdict import VerdictKind

DEFAULT_TIMEOUT = 600.0
"""The default limit of time, in seconds."""
DEFAULT_MEMORY = 4 * 2**30
"""The default limit of memory, in bytes."""

_DEFAULTS = ("engine", "timeout", "memory")
_KEYS = (
    "id",
    "spec",
    "constants",
    "engine",
    "depth",
    "options",
    "timeout",
    "memory",
    "spec_hash",
    "distinct_states",
    "seconds",
    "expect",
    "config",
    "library",
    "lemmas",
)
_SAID_ELSEWHERE = {"properties": "expect", "expect": "expect", "timeout": "timeout", "memory": "memory"}
_VERDICTS = {
    kind.value.lower(): kind
    for kind in VerdictKind
    if kind not in (VerdictKind.INCONCLUSIVE, VerdictKind.ERROR)  # a run without a decision always fails
}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Expected:
    """The expectation of one property."""

    property_name: str
    verdict: VerdictKind
    steps: int | None = None
    """The fewest actions to a violation, or to a reachable state; None: any number."""
    depth: int | None = None
    """The closed depth of a property that holds; None: any."""


@dataclass(frozen=True)
class Cell:
    """One run and its expectations."""

    id: str
    spec: str
    """The spec as written: a built-in name, or a file."""
    place: str
    """The spec; a file by its path from the working directory."""
    constants: Mapping[str, Any]
    engine: str
    options: Mapping[str, Any]
    """The options of the engine, without properties and limits."""
    timeout: float
    """The limit of time, in seconds."""
    memory: int
    """The limit of memory, in bytes."""
    spec_hash: str | None
    """The hash for which the expectations were recorded; None: not recorded yet."""
    expected: tuple[Expected, ...]
    distinct_states: int | None
    seconds: float | None
    enabled: tuple[str, ...] = ()
    """The actions that must be enabled in a state that the run looks at."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """The options for reading a TLA+ module."""

    def load(self) -> Loaded:
        """Load the spec at the cell's constants. Raises UsageError or DefinitionError."""
        return load(self.place, self.constants, reading=self.reading)


@dataclass(frozen=True)
class Manifest:
    """The cells, in the order of the file."""

    path: Path
    cells: tuple[Cell, ...]

    def choose_cells(self, names: Sequence[str]) -> tuple[Cell, ...]:
        """Return the cells of these names, in the order of the file; all if no name is given. Raises
        UsageError."""
        known = [cell.id for cell in self.cells]
        for name in names:
            if name not in known:
                raise UsageError(f"{self.path}: {make_unknown_name_error('cell', name, known)}")
        return tuple(cell for cell in self.cells if not names or cell.id in names)


def read_manifest(path: Path) -> Manifest:
    """Read a manifest. Raises UsageError if it cannot be read, or for an error in it."""
    content = read_toml(path, "manifest", ("cell", "defaults"), listed="cell")
    defaults = _table(content, "defaults", str(path))
    check_keys(defaults, _DEFAULTS, f"{path}, defaults")
    tables = list_of_tables(content, "cell", path, "check")
    cells = [
        _cell({**defaults, **table}, path, f"{path}, {_name_cell(table, number)}")
        for number, table in enumerate(tables, 1)
    ]
    for number, cell in enumerate(cells):
        if any(other.id == cell.id for other in cells[:number]):
            raise UsageError(f"{path} has two cells with id {cell.id!r}: every cell needs an id of its own")
    return Manifest(path, tuple(cells))


def _name_cell(table: Mapping[str, Any], number: int) -> str:
    return f"cell {table['id'] if isinstance(table.get('id'), str) else number}"


def _cell(table: Mapping[str, Any], path: Path, place: str) -> Cell:
    check_keys(table, _KEYS, place)
    name, engine = _text(table, "id", place), _text(table, "engine", place, _default_engine(table))
    if not _ID.fullmatch(name):
        raise UsageError(f"{place}: id = {name!r} is not allowed: it takes letters, digits and . _ -")
    if engine not in ENGINES:
        raise UsageError(f"{place}: {make_unknown_name_error('engine', engine, ENGINES)}")
    declared = engine_named(engine)
    options = _options(table, declared, place)
    expectations = _table(table, "expect", place)
    enabled = tuple(name for name, value in expectations.items() if value in (ENABLED, {"verdict": ENABLED}))
    expected = tuple(
        _make_expected(name, value, declared, options, place)
        for name, value in expectations.items()
        if name not in enabled
    )
    states = whole(table, "distinct_states", place)
    if states is not None and not declared.counts_states:
        counting = " and ".join(name for name in ENGINES if engine_named(name).counts_states)
        raise UsageError(f"{place}: distinct_states = {states} is for engine {counting}, not {engine}")
    return Cell(
        id=name,
        spec=_text(table, "spec", place),
        place=_locate(_text(table, "spec", place), path, place),
        constants=_table(table, "constants", place),
        engine=engine,
        options=options,
        timeout=quantity(table, "timeout", DEFAULT_TIMEOUT, parse_duration, DURATION, place),
        memory=quantity(table, "memory", DEFAULT_MEMORY, parse_size, SIZE, place),
        spec_hash=_text(table, "spec_hash", place) if "spec_hash" in table else None,
        expected=expected,
        distinct_states=states,
        seconds=_seconds(table, place),
        enabled=enabled,
        reading=_reading(table, path, place),
    )


def _default_engine(table: Mapping[str, Any]) -> str:
    """Return the default engine: check decides all properties of a spec; a depth and options need bmc."""
    return "bmc" if "depth" in table or "options" in table else "check"


def _reading(table: Mapping[str, Any], path: Path, place: str) -> ReadingOptions:
    """Return the options for a TLA+ module. Its files and folders are sought beside the manifest."""
    reading = reading_in(table, place)
    if reading != ReadingOptions() and not str(table["spec"]).endswith(TLA):
        raise UsageError(f"{place}: config, library and lemmas are for TLA+ modules, FILE.tla")
    return reading.beside(path.parent)


def _seconds(table: Mapping[str, Any], place: str) -> float | None:
    value = table.get("seconds")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise UsageError(f"{place}: seconds = {value} is not allowed: it takes a number, at least 0")
    return float(value)


def _locate(spec: str, path: Path, place: str) -> str:
    """Return the path of a spec. A file is sought beside the manifest, whatever the working directory."""
    if spec in BUILT_IN:
        return spec
    if not spec.endswith((".py", TLA)) and ".py:" not in spec:
        error = make_unknown_name_error("spec", spec, BUILT_IN)
        files = f"{spec}.py or {spec}.tla"
        raise UsageError(f"{place}: {error}; a protocol of your own is named by its file, as in {files}")
    file = spec.rpartition(":")[0] if ".py:" in spec else spec
    if not os.path.isfile(path.parent / file):  # this includes an empty path
        raise UsageError(f"{place}: spec = {spec!r}: there is no file {path.parent / file}")
    return str(path.parent / spec)


def _options(table: Mapping[str, Any], engine: Engine[Any], place: str) -> Mapping[str, Any]:
    options = dict(_table(table, "options", place))
    for name, instead in _SAID_ELSEWHERE.items():
        if name in options:
            raise UsageError(f"{place}: options has {name}: the cell's own key {instead} says it")
    depth = whole(table, "depth", place)
    if depth is not None:
        if not engine.has_depth:
            deep = ", ".join(name for name in ENGINES if engine_named(name).has_depth)
            raise UsageError(f"{place}: depth = {depth} is for {deep}: {engine.name} has no depth")
        options["depth"] = depth
    try:
        parsed = engine.parse_options(options)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from error
    return {**engine.manifest_defaults(parsed), **parsed}


def _explain_fewest(engine: str) -> str:
    """Return why a run of an engine may not find the fewest steps."""
    if engine == "bmc":
        return 'bmc finds them only without shortest = false and without steps = "parallel"'
    if engine == "live":
        return 'live finds them only with options = { engine = "bmc" }'
    return f'{engine} does not look for them: leave out steps, or set engine = "explore" or "bmc"'


def _make_expected(
    name: str, value: Any, engine: Engine[Any], options: Mapping[str, Any], place: str
) -> Expected:
    place = f"{place}, expect {name}"
    table = {"verdict": value} if isinstance(value, str) else value
    if not isinstance(table, dict):
        raise UsageError(f"{place} = {value} is not allowed: it takes a table as in {{ verdict = 'holds' }}")
    known = [field.name for field in fields(Expected) if field.name != "property_name"]
    check_keys(table, known, place)
    word = _text(table, "verdict", place)
    if word not in _VERDICTS:
        raise UsageError(f"{place}: {make_unknown_name_error('verdict', word, [*_VERDICTS, ENABLED])}")
    steps, depth, verdict = whole(table, "steps", place), whole(table, "depth", place), _VERDICTS[word]
    if steps is not None and verdict not in (VerdictKind.VIOLATED, VerdictKind.REACHED):
        raise UsageError(f"{place}: steps = {steps} is for violated and reached: {word} has no steps")
    if steps is not None and not (engine.finds_fewest(options) or engine.may_find_fewest):
        why = _explain_fewest(engine.name)
        raise UsageError(f"{place}: steps = {steps} means the fewest steps, but {why}")
    if depth is not None and verdict is not VerdictKind.HOLDS:
        raise UsageError(f"{place}: depth = {depth} is for holds: {word} has no depth")
    return Expected(name, verdict, steps, depth)


def _table(table: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise UsageError(f"{place}: {key} = {value} is not allowed: it takes a table, as in {{ name = 2 }}")
    return value


def _text(table: Mapping[str, Any], key: str, place: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if value is None:
        raise UsageError(f"{place} has no {key}")
    if not isinstance(value, str) or not value:
        raise UsageError(f"{place}: {key} = {value!r} is not allowed: it takes a word in quotes")
    return value
