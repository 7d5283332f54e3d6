"""From grids to jobs: names are checked first, then the jobs counted, and only then is anything expanded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from verifier.encodings.concrete import show
from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.former_names import current_name
from verifier.outcomes.row import job_id
from verifier.runs.asking import make_question
from verifier.runs.engine import Engine, engine_named
from verifier.runs.loaded import TLA, Loaded, ReadingOptions
from verifier.runs.loading import load
from verifier.runs.option import list_declared
from verifier.runs.table import ENGINES
from verifier.specs.definition import Definition, PropertyKind
from verifier.specs.names import own_name
from verifier.specs.protocol import AssumptionFailed, constants_of
from verifier.specs.registry import load as load_class
from verifier.sweep.grid import MOST_JOBS, Grid
from verifier.sweep.job import Job
from verifier.version import tool_version

MOST_PARTS = 1024

_SAID_BY_GRID = ("properties", "expect", "timeout", "memory")
"""Options that a grid says in other ways."""


@dataclass(frozen=True)
class LeftOut:
    """Combinations of constants that a spec's assumptions reject."""

    spec: str
    assumption: str
    combinations: int


@dataclass(frozen=True)
class Expansion:
    """The jobs of a sweep, each once, and the omitted ones."""

    jobs: tuple[Job, ...]
    left_out: tuple[LeftOut, ...]
    no_deadlock: str
    """The title of freedom from deadlock, in all specs or at least one."""


@dataclass(frozen=True)
class _SpecInGrid:
    """A spec of a grid, its names checked."""

    spec: str
    properties: tuple[str, ...]
    reachable: tuple[str, ...]
    """Those of them that must be reachable and that the grid does not name."""
    claims: Mapping[str, frozenset[str]]
    """For each engine the properties that it can be asked about."""
    no_deadlock: str
    """The title of freedom from deadlock."""

    def of(self, engine: str) -> tuple[str, ...]:
        """The properties for an engine, not those that it cannot decide."""
        every = engine_named(engine).decides_reachable
        asked = (name for name in self.properties if name in self.claims[engine])
        return tuple(name for name in asked if every or name not in self.reachable)


def expand(grids: Sequence[Grid]) -> Expansion:
    """Return the jobs of the grids. Raises UsageError for errors in them."""
    for grid in grids:
        _check_engines(grid)
    covered = [[_cover(grid, spec) for spec in _specs(grid)] for grid in grids]
    count = 0
    for grid, specs in zip(grids, covered, strict=True):
        _check_options(grid)
        count += sum(len(spec.of(engine)) for spec in specs for engine in grid.engines) * grid.combinations
    if count > MOST_JOBS:
        raise UsageError(f"the grid has {count:,} jobs, and more than {MOST_JOBS:,} are taken for a mistake")
    jobs: dict[str, tuple[str, Job]] = {}
    left_out: Counter[tuple[str, str]] = Counter()
    for grid, specs in zip(grids, covered, strict=True):
        for spec in specs:
            for job in _jobs(grid, spec, left_out):
                jobs.setdefault(job.job_id, (spec.spec, job))
    if not jobs:
        reasons = "; ".join(f"{spec} assumes {meaning}" for spec, meaning in left_out)
        raise UsageError(f"none of the {count:,} jobs of the grid can be run: {reasons}")
    missing = tuple(LeftOut(spec, meaning, number) for (spec, meaning), number in left_out.items())
    titles = sorted(spec.no_deadlock for specs in covered for spec in specs)
    return Expansion(tuple(_tell_apart(list(jobs.values()))), missing, titles[0])


def _tell_apart(jobs: Sequence[tuple[str, Job]]) -> Iterator[Job]:
    """The jobs; where several specs call themselves the same, with their files in their names."""
    specs: dict[str, set[str]] = {}
    for spec, job in jobs:
        specs.setdefault(job.name, set()).add(spec)
    for spec, job in jobs:
        shared = len(specs[job.name]) > 1 and spec != job.name
        yield replace(job, name=f"{job.name} ({spec})") if shared else job


def _specs(grid: Grid) -> tuple[str, ...]:
    if not grid.specs:
        raise UsageError("the grid names no spec: give --spec NAME, or specs = ['NAME'] in the file")
    return grid.specs


def _cover(grid: Grid, spec: str) -> _SpecInGrid:
    definition = _any_definition(grid, spec) if spec.endswith(TLA) else _check_definition(grid, spec)
    reachable = [prop.name for prop in definition.properties if prop.kind is PropertyKind.REACHABLE]
    known = _claims(grid, definition)
    named = tuple(own_name(name, known) for name in grid.properties)
    properties = _properties(spec, known, named)
    unnamed = tuple(name for name in reachable if name not in named)
    claims = {engine: frozenset(engine_named(engine).claims(definition)) for engine in grid.engines}
    return _SpecInGrid(spec, properties, unnamed, claims, definition.titles.no_deadlock)


def _check_definition(grid: Grid, spec: str) -> Definition:
    """Return the definition of a Python class, after a check of all values of its constants."""
    known = constants_of(load_class(spec))
    for axis in grid.axes:
        if axis.name not in known:
            raise make_unknown_name_error(f"constant of {spec}", axis.name, known)
        for value in axis.ends:
            _check_value(spec, axis.name, known[axis.name], value)
    return _any_definition(grid, spec)


def _check_value(spec: str, name: str, constant: Any, value: Any) -> None:
    try:
        constant.parse(value)
    except ValueError:
        raise UsageError(
            f"constant {name}={show(value)} of {spec} is not allowed: {name} is {constant.allowed}"
        ) from None


def _any_definition(grid: Grid, spec: str) -> Definition:
    """The definition at some constants: its properties have the same names at all others."""
    ends = {axis.name: axis.ends[0] for axis in grid.axes}
    if spec.endswith(TLA):  # its configuration may leave constants to the grid
        return load(spec, ends, reading=grid.reading).definition
    try:
        return load(spec, {}, empty=True).definition
    except AssumptionFailed:
        return load(spec, ends, empty=True).definition


def _claims(grid: Grid, definition: Definition) -> dict[str, bool]:
    """The properties that the engines of the grid take; True if one is asked by default."""
    claims: dict[str, bool] = {}
    for engine in grid.engines:
        for name, by_default in engine_named(engine).claims(definition).items():
            claims[name] = by_default or claims.get(name, False)
    return claims


def _properties(spec: str, claims: Mapping[str, bool], named: tuple[str, ...]) -> tuple[str, ...]:
    known = list(claims)
    for name in named:
        if name not in (*known, "all"):
            raise make_unknown_name_error(f"property of {spec}", name, [*known, "all"])
    if "all" in named:
        return tuple(known)
    chosen = named or tuple(name for name, by_default in claims.items() if by_default)
    if not chosen:
        raise UsageError(f"{spec} checks no property by default: name one of {', '.join(known)}")
    return chosen


def _check_engines(grid: Grid) -> None:
    deciding = [name for name in ENGINES if engine_named(name).decides]
    for engine in grid.engines:
        if current_name(engine) not in deciding:
            raise make_unknown_name_error("engine", engine, deciding)


def _check_options(grid: Grid) -> None:
    known = dict.fromkeys(name for engine in grid.engines for name in _option_names(engine))
    given = {**grid.options, **({} if grid.depth is None else {"depth": grid.depth})}
    for name, value in given.items():
        if name not in known:
            raise make_unknown_name_error(f"option of {' and '.join(grid.engines)}", name, known)
        for engine in grid.engines:
            if name in _option_names(engine):
                engine_named(engine).parse_options({name: value})
    if grid.split > 1:
        if any(spec.endswith(TLA) for spec in grid.specs):
            raise UsageError("split is not for TLA+ modules: their sorts, and so the bits, may become wider")
        if not any(engine_named(engine).has_parts for engine in grid.engines):
            with_parts = " and ".join(name for name in ENGINES if engine_named(name).has_parts)
            raise UsageError(f"split = {grid.split} is for the engine {with_parts}, and the grid has none")
        if grid.options.get("steps") == "parallel" or grid.options.get("shortest"):
            raise UsageError(
                "split does not go with steps = parallel or shortest: its parts take serial steps"
            )
        if grid.split & (grid.split - 1) or grid.split > MOST_PARTS:
            allowed = f"it takes a power of two up to {MOST_PARTS}"
            raise UsageError(f"split = {grid.split} is not allowed: {allowed}")


def _option_names(engine: str) -> list[str]:
    return [name for name in list_declared(engine_named(engine).options) if name not in _SAID_BY_GRID]


def _jobs(grid: Grid, covered: _SpecInGrid, left_out: Counter[tuple[str, str]]) -> list[Job]:
    jobs = []
    for values in product(*grid.axes):
        settings = {axis.name: value for axis, value in zip(grid.axes, values, strict=True)}
        try:
            loaded = _load(grid, covered.spec, settings)
        except AssumptionFailed as failed:
            left_out[covered.spec, failed.assumption] += 1
            continue
        jobs += [
            _job(grid, covered, loaded, engine, name)
            for engine in grid.engines
            for name in covered.of(engine)
        ]
    return jobs


def _load(grid: Grid, spec: str, settings: Mapping[str, Any]) -> Loaded:
    """The spec at constants. Raises AssumptionFailed if it assumes that there are others."""
    reading = grid.reading if spec.endswith(TLA) else None
    loaded = load(spec, settings, reading=reading, empty=True)  # its job will say it, in a row
    if loaded.source is not None:
        loaded.source.check_assumptions()
    return loaded


def _job(grid: Grid, covered: _SpecInGrid, loaded: Loaded, engine: str, property_name: str) -> Job:
    names = _option_names(engine)
    given = {name: value for name, value in grid.options.items() if name in names}
    declared = engine_named(engine)
    if grid.depth is not None and "depth" in names and declared.is_bounded(given):
        given["depth"] = grid.depth
    options = {**given, "timeout": grid.timeout, "memory": grid.memory}
    recorded = record_options(declared, loaded, options, property_name)
    definition = loaded.definition
    version, constants = tool_version(), definition.constants
    identity = (definition.spec_hash, constants, property_name, declared.name, recorded, version)
    file = Path(covered.spec.rpartition(":")[0] or covered.spec)
    read = () if not file.is_file() else (file,) if loaded.source is None else loaded.source.files
    return Job(
        job_id=job_id(*identity),
        spec=covered.spec.replace(str(file), str(file.resolve()), 1) if file.is_file() else covered.spec,
        name=definition.name,
        spec_hash=definition.spec_hash,
        constants=dict(definition.constants),
        property_name=property_name,
        engine=engine,
        options=options,
        recorded=recorded,
        cost=declared.relative_cost * _cost(definition.constants, recorded),
        tool_version=version,
        parts=grid.split if declared.has_parts else 1,
        reading=grid.reading.beside(Path.cwd()) if loaded.source is not None else ReadingOptions(),
        files=tuple(str(path.resolve()) for path in read),
    )


def record_options(
    engine: Engine[Any], loaded: Loaded, options: Mapping[str, Any], property_name: str
) -> dict[str, Any]:
    """The options of a job as results will name them. Raises UsageError for what cannot be asked."""
    return make_question(engine, loaded, engine.options_for([property_name], options)).recorded


def _cost(constants: Mapping[str, Any], recorded: Mapping[str, Any]) -> float:
    """Return the product of all numbers among the constants, each plus one, and of the depth. This is crude,
    but larger jobs come first. Seconds of earlier runs are better (``expensive_first``)."""
    numbers: list[int] = [abs(n) + 1 for n in constants.values() if not isinstance(n, bool | str)]
    depth: int = recorded.get("depth") or 10
    return math.prod(numbers) * max(depth, 1) ** 2


def expensive_first(jobs: Sequence[Job], seconds: Mapping[str, float]) -> list[Job]:
    """The jobs in the order to start them. ``seconds`` are those that jobs took before, by job id; they
    give the other jobs' estimates their scale."""
    estimated = sum(job.cost for job in jobs if job.job_id in seconds)
    scale = (
        sum(seconds[job.job_id] for job in jobs if job.job_id in seconds) / estimated if estimated else 1.0
    )
    costed = [replace(job, cost=seconds.get(job.job_id, job.cost * scale)) for job in jobs]
    return sorted(costed, key=lambda job: -job.cost)
