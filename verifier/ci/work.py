"""The child process of a cell, which loads the spec and runs the engine."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from verifier.ci.manifest import Cell
from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.expectations import ENABLED
from verifier.outcomes.row import Row, rows_of
from verifier.processes.children import Work
from verifier.processes.limits import Limits
from verifier.processes.pool import Task, TaskResult, Watch, run_tasks
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.runs.question import elsewhere
from verifier.specs.definition import Definition, PropertyKind
from verifier.specs.protocol import DefinitionError
from verifier.verdict import TEMPORAL_PART, VerdictKind


@dataclass(frozen=True)
class Facts:
    """Facts about a cell's spec at the cell's constants."""

    spec_hash: str
    properties: tuple[str, ...]
    actions: tuple[str, ...]
    elsewhere: Mapping[str, str]
    """The commands that check expected properties which this engine does not check."""
    by_default: tuple[str, ...]
    """The properties that this cell checks by default."""
    required: tuple[str, ...]
    """The properties that ``verify check`` decides by default: some cell must expect a verdict on each."""
    temporal: tuple[str, ...]
    """Those of them that are temporal."""
    decides_temporal: bool
    """True if the engine decides the temporal properties."""
    no_deadlock: str | None
    """The title of freedom from deadlock, if the engine can be asked for it."""


@dataclass(frozen=True)
class Refusal:
    """The reason, on one line, why the spec, its constants or its properties are refused."""

    reason: str


@dataclass(frozen=True)
class CellRun:
    """The rows of a run, the number of states if it counted all, and the actions that are never enabled."""

    rows: tuple[Row, ...]
    distinct_states: int | None
    never_enabled: tuple[str, ...] = ()
    """Empty if the run neither visited every state nor proved every property: a longer one may see more."""
    missing: tuple[str, ...] = ()
    """The actions that should have been enabled and were not."""


def survey(
    cells: Iterable[Cell], at_once: int, watch: Watch = lambda _: None
) -> Mapping[str, Facts | Refusal]:
    """Facts about each cell's spec, by the cell's id."""
    tasks = [Task(cell.id, _surveying(cell), _limits(cell)) for cell in cells]
    return {done.name: _survey(done) for done in run_tasks(tasks, at_once, watch)}


def run(
    cells: Sequence[tuple[Cell, tuple[str, ...]]], at_once: int, watch: Watch = lambda _: None
) -> Iterator[TaskResult]:
    """Run cells, each for the properties beside it. A run reports a CellRun or a Refusal."""
    tasks = [Task(cell.id, _running(cell, names), _limits(cell)) for cell, names in cells]
    return run_tasks(tasks, at_once, watch)


def _limits(cell: Cell) -> Limits:
    return Limits(cell.timeout, cell.memory, with_grace=True)


def _survey(done: TaskResult) -> Facts | Refusal:
    if done.limit is not None:
        return Refusal(f"the spec could not be loaded: {done.limit}")
    if done.failure is not None:
        return Refusal(f"the spec could not be loaded: {done.failure}")
    (survey,) = done.reported
    assert isinstance(survey, Facts | Refusal)
    return survey


def _decides_temporal(cell: Cell) -> bool:
    engine = engine_named(cell.engine)
    return engine.decides_temporal or bool(engine.asks)


def _list_own_rows(content: Mapping[str, Any], left: Container[str]) -> Iterator[Row]:
    """Yield the rows of a run without those of temporal properties that are ``left`` to other engines. The
    check of the manifest names those that no cell decides."""
    for row in rows_of(content):
        is_left = row.property_name.removesuffix(TEMPORAL_PART) in left
        if not (is_left and row.verdict is VerdictKind.INCONCLUSIVE):
            yield row


def _guard(find: Callable[[], Any]) -> Work:
    def work(report: Callable[[Any], None], _: Connection) -> None:
        try:
            report(find())
        except (UsageError, DefinitionError) as error:
            report(Refusal(str(error)))

    return work


def _surveying(cell: Cell) -> Work:
    def find() -> Facts:
        definition = cell.load().definition
        engine, temporal = engine_named(cell.engine), _decides_temporal(cell)
        claims = engine.claims(definition)
        return Facts(
            spec_hash=definition.spec_hash,
            properties=tuple(claims),
            actions=tuple(action.name for action in definition.actions),
            elsewhere={
                name: words
                for name in (item.property_name for item in cell.expected)
                if name not in claims
                and (words := elsewhere(definition, name, temporal=temporal)) is not None
            },
            by_default=_list_defaults(cell, definition, claims),
            required=tuple(name for name, d in engine_named("check").claims(definition).items() if d),
            temporal=tuple(prop.name for prop in definition.temporal if prop.default),
            decides_temporal=temporal,
            no_deadlock=definition.titles.no_deadlock if engine.looks_for_deadlocks else None,
        )

    return _guard(find)


def _list_defaults(cell: Cell, definition: Definition, claims: Mapping[str, bool]) -> tuple[str, ...]:
    """Return the properties that a cell checks by default. Of a module, only invariants are proved for all
    constants."""
    names = [name for name, by_default in claims.items() if by_default]
    if cell.options.get("all_constants") and definition.presentation.config:
        invariants = {one.name for one in definition.properties if one.kind is PropertyKind.INVARIANT}
        names = [name for name in names if name in invariants]
    return tuple(names)


def _running(cell: Cell, properties: tuple[str, ...]) -> Work:
    def find() -> CellRun:
        loaded = cell.load()
        actions = [action.name for action in loaded.definition.actions]
        expect = tuple(f"{name}={ENABLED}" for name in cell.enabled if name in actions)
        given = {**cell.options, "timeout": cell.timeout, "memory": cell.memory, "expect": expect}
        options = engine_named(cell.engine).options_for(properties, given)
        content = as_object(execute(cell.engine, loaded, options))
        statistics = content["statistics"]
        left = set() if _decides_temporal(cell) else {prop.name for prop in loaded.definition.temporal}
        rows, complete = tuple(_list_own_rows(content, left)), bool(statistics.get("complete"))
        counted = complete and engine_named(cell.engine).counts_states
        is_sure = complete or all(row.verdict is VerdictKind.PROVED for row in rows)
        never_enabled = tuple(statistics.get("never_enabled", ())) if is_sure else ()
        states, missing = statistics.get("distinct_states"), tuple(content["expected_but_never_enabled"])
        return CellRun(rows, states if counted else None, never_enabled, missing)

    return _guard(find)
