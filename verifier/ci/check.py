"""Comparison of results with expectations: every difference is a surprise, with one line that says why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier.ci.manifest import Cell, Expected
from verifier.ci.work import CellRun, Facts, Refusal
from verifier.errors import among
from verifier.outcomes.expectations import ENABLED, plain_code
from verifier.outcomes.row import Row
from verifier.printable import join_words
from verifier.processes.pool import TaskResult
from verifier.runs.engine import engine_named
from verifier.specs.titles import deadlock_title
from verifier.verdict import ExitCode, VerdictKind, say_limits, steps_words

INTERRUPTED = "interrupted"
SPEC_HASH, EXPECT = "spec_hash", "expect"
"""Subjects of checks of what the manifest says of a cell."""
_RECORD = "Review the change, then run verify ci --update"
_REVIEW_FIRST = "First review the failures of this cell: verify ci --update would expect them from then on"


@dataclass(frozen=True)
class Check:
    """One expectation, and whether it is met."""

    subject: str
    """A property, or another subject of comparison."""
    expected: str | None
    found: str | None
    surprise: str | None
    """The reason why it is not met, on one line; None if it is met."""
    exit_code: int
    row: Row | None = None


@dataclass(frozen=True)
class CellResult:
    """All checks of one cell."""

    cell: Cell
    checks: tuple[Check, ...]
    seconds: float
    ran: CellRun | None = None
    """None if the run did not end by itself."""
    begun: bool = True
    """False if an interrupt came first."""

    @property
    def surprises(self) -> tuple[Check, ...]:
        """Return the checks that are not met."""
        return tuple(check for check in self.checks if check.surprise is not None)


def to_run(cell: Cell, facts: Facts) -> tuple[str, ...]:
    """Return the properties that exist and of which a cell expects something."""
    known = (*facts.properties, *((facts.no_deadlock,) if facts.no_deadlock else ()))
    return tuple(item.property_name for item in cell.expected if item.property_name in known)


def before_running(cell: Cell, facts: Facts | Refusal) -> list[Check]:
    """Check a cell without running it."""
    if isinstance(facts, Refusal):
        return [surprise("spec", facts.reason, ExitCode.WRONG_USAGE)]
    checks = [_hash(cell, facts)]
    if not cell.expected:
        words = "the cell expects no verdict; verify ci --update records the verdicts"
        checks.append(surprise(EXPECT, words))
    running = to_run(cell, facts)
    missing = [item for item in cell.expected if item.property_name not in running]
    checks += [
        surprise(item.property_name, f"{_describe(item)} is expected, but {_no_claim(item, facts)}")
        for item in missing
    ]
    return checks + [
        surprise(name, f"{ENABLED} is expected, but the spec has no such action {among(name, facts.actions)}")
        for name in cell.enabled
        if name not in facts.actions
    ]


def _no_claim(item: Expected, facts: Facts) -> str:
    """Return the reason why an engine cannot check a property."""
    if item.property_name in facts.elsewhere:
        return facts.elsewhere[item.property_name]
    return f"the spec has no such property {among(item.property_name, facts.properties)}"


def find_uncovered(
    cells: Sequence[Cell], known: Mapping[str, Facts | Refusal], *, recording: bool = False
) -> Iterator[tuple[Cell | None, str, Check]]:
    """Yield the properties that ``verify check`` decides by default and of which no cell expects anything.
    Each comes with the first cell of the spec that can check it, if any, its name, and the unmet check.
    ``recording``: a cell without expectations expects all properties that it checks by default."""
    for spec in dict.fromkeys(cell.spec for cell in cells):
        own = [cell for cell in cells if cell.spec == spec]
        if not recording and not all(cell.expected for cell in own):
            continue  # a cell without expectations is a surprise of its own
        facts = [(cell, facts_of) for cell in own if isinstance(facts_of := known[cell.id], Facts)]
        expecting = {cell.id: {item.property_name for item in cell.expected} for cell in own}
        if recording:
            expecting |= {
                cell.id: set(own_facts.by_default) for cell, own_facts in facts if not cell.expected
            }
        required = [name for _, own_facts in facts for name in (*own_facts.by_default, *own_facts.required)]
        temporal = {name for _, own_facts in facts for name in own_facts.temporal}
        for name in dict.fromkeys(required):
            # Other engines decide only the part of a temporal property about single states and steps.
            able = [cell for cell, facts_of in facts if facts_of.decides_temporal or name not in temporal]
            able += [cell for cell in own if isinstance(known[cell.id], Refusal)]  # fails for another reason
            if not any(name in expecting[cell.id] for cell in able):
                checks = {cell.id for cell, facts_of in facts if name in facts_of.by_default}
                first = next((cell for cell in able if cell.id in checks), None)
                yield first, name, surprise(name, _explain_uncovered(name, spec, name in temporal, first))


def _explain_uncovered(name: str, spec: str, is_temporal: bool, first: Cell | None) -> str:
    kind = "a temporal property" if is_temporal else "which is a property"
    words = f"no cell expects a verdict on {name}, {kind} of {spec}"
    if first is not None:
        return words
    live = ', or one with engine = "live"' if is_temporal else ""
    return f"{words}. Add a cell that check decides (no engine, depth or options){live}"


def find_only_violated(cells: Sequence[Cell], known: Mapping[str, Facts | Refusal]) -> Iterator[str]:
    """Say which properties are expected only where they are violated, while cells of the same spec at other
    constants could check them and do not: a broken variant covers what nobody checks of the good one."""
    for spec in dict.fromkeys(cell.spec for cell in cells):
        own = [(cell, {item.property_name: item.verdict for item in cell.expected}) for cell in cells]
        own = [(cell, kinds) for cell, kinds in own if cell.spec == spec]
        for name in dict.fromkeys(name for _, kinds in own for name in kinds):
            if {kinds[name] for _, kinds in own if name in kinds} != {VerdictKind.VIOLATED}:
                continue
            naming = [cell for cell, kinds in own if name in kinds]
            settings = [(cell.constants, cell.reading) for cell in naming]
            silent = [
                cell.id
                for cell, kinds in own
                if name not in kinds and (cell.constants, cell.reading) not in settings
                if isinstance(facts := known[cell.id], Facts) and name in facts.by_default
            ]
            if silent:
                where, others = join_words([cell.id for cell in naming]), join_words(silent)
                expects = "expects" if len(silent) == 1 else "expect"
                yield f"{name} is violated in {where}, and {others} {expects} no verdict on it"


def after_running(cell: Cell, facts: Facts, done: TaskResult) -> list[Check]:
    """Compare a run with the expectations."""
    if done.limit is not None:
        return [surprise("run", f"nothing was decided: {done.limit}", ExitCode.INCONCLUSIVE)]
    if done.failure is not None or not done.reported:
        words = " ".join((done.failure or "it reported nothing").split())
        return [surprise("run", f"it crashed: {words}", ExitCode.INTERNAL_ERROR)]
    (result,) = done.reported
    if isinstance(result, Refusal):
        return [surprise("run", result.reason, ExitCode.WRONG_USAGE)]
    assert isinstance(result, CellRun)
    rows = {row.property_name: row for row in result.rows}
    running, finds_fewest = to_run(cell, facts), engine_named(cell.engine).finds_fewest(cell.options)
    checks = [
        compare(item, rows.pop(item.property_name, None), finds_fewest=finds_fewest)
        for item in cell.expected
        if item.property_name in running
    ]
    for name, row in rows.items():
        words = f"{verdict_line(row)}{limits_of(row)}, and nothing is expected of it"
        checks.append(surprise(name, words, _code(row), row))
    checks += [_compare_enabled(name, result.missing) for name in cell.enabled if name in facts.actions]
    if cell.distinct_states is not None:
        checks.append(_states(cell.distinct_states, result.distinct_states))
    return checks


def order_checks(before: Sequence[Check], after: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks of a cell, the spec hash last. If another check fails, the advice is to review it,
    not to record it with the new hash."""
    others = [*after, *(check for check in before if check.subject != SPEC_HASH)]
    failed = any(check.surprise is not None and check.subject != EXPECT for check in others)
    return (
        *others,
        *(
            replace(check, surprise=f"{check.surprise}. {_REVIEW_FIRST if failed else _RECORD}")
            if check.surprise is not None and check.expected is not None
            else check
            for check in before
            if check.subject == SPEC_HASH
        ),
    )


def not_run() -> Check:
    """Return the check of a cell that was not done when the run was interrupted."""
    return surprise("run", f"nothing was decided: {INTERRUPTED}", ExitCode.INCONCLUSIVE)


def compare(item: Expected, row: Row | None, *, finds_fewest: bool = True) -> Check:
    """Compare the verdict of one property. ``finds_fewest``: each run of the engine finds the fewest
    actions."""
    name, wanted = item.property_name, _describe(item)
    if row is None:
        return Check(name, wanted, None, "the run gave no verdict", ExitCode.NOT_AS_EXPECTED)
    line, code = verdict_line(row), _code(row)
    if row.verdict is VerdictKind.INCONCLUSIVE:
        words = f"nothing was decided: {line}; expected {wanted}"
        return Check(name, wanted, line, words, code, row)
    different = (
        row.verdict is not item.verdict
        or _has_other_length(item.steps, row, finds_fewest)
        or (item.depth is not None and row.depth != item.depth)
    )
    if different:
        return Check(name, wanted, line, f"{line}{limits_of(row)}; expected {wanted}", code, row)
    return Check(name, wanted, line, None, 0, row)


def _has_other_length(fewest: int | None, row: Row, finds_fewest: bool) -> bool:
    """True if a counterexample contradicts the fewest actions that are expected. One that may not have the
    fewest contradicts them only if it is shorter, or if each run should have found the fewest."""
    if fewest is None:
        return False
    if row.steps is None or row.fewest or finds_fewest:
        return row.steps != fewest or not row.fewest
    return row.steps < fewest


def _code(row: Row) -> int:
    """Return the exit code of a verdict that was not expected."""
    title = deadlock_title(row.statistics)
    return plain_code(row.property_name, row.verdict, title) or ExitCode.NOT_AS_EXPECTED


def verdict_line(row: Row) -> str:
    """Return a verdict on one line."""
    words = " ".join(row.words.split())
    return words if row.steps is None or row.fewest else f"{words} (maybe not the fewest)"


def limits_of(row: Row | None) -> str:
    """Say within which constraints a verdict is about all executions, with a space before the words; nothing
    without constraints, and where an execution itself is the verdict."""
    if row is None or row.trace is not None:
        return ""
    return say_limits(row.statistics.get("constraints", ()))


def _describe(item: Expected) -> str:
    if item.steps is not None:
        return f"{item.verdict} in {steps_words(item.steps)}"
    return f"{item.verdict}{'' if item.depth is None else f'({item.depth})'}"


def _hash(cell: Cell, facts: Facts) -> Check:
    expected, actual = cell.spec_hash, facts.spec_hash
    if expected is None:
        words = f"no spec hash is recorded; the current one is {actual}; verify ci --update records it"
        return Check(SPEC_HASH, None, actual, words, ExitCode.NOT_AS_EXPECTED)
    if expected != actual:
        words = (
            f"the spec or its constants changed: its hash is {actual}, and the expectations were made for "
            f"{expected}"
        )
        return Check(SPEC_HASH, expected, actual, words, ExitCode.NOT_AS_EXPECTED)
    return Check(SPEC_HASH, expected, actual, None, 0)


def _compare_enabled(action: str, missing: Sequence[str]) -> Check:
    if action in missing:
        words = f"never {ENABLED}; expected {ENABLED} (a guard too strong?)"
        return Check(action, ENABLED, f"never {ENABLED}", words, ExitCode.NOT_AS_EXPECTED)
    return Check(action, ENABLED, ENABLED, None, 0)


def _states(expected: int, count: int | None) -> Check:
    if count is None:
        words = f"not all states were looked at; expected {expected} distinct states"
        return Check("distinct_states", str(expected), None, words, ExitCode.INCONCLUSIVE)
    if count != expected:
        words = f"{count} distinct states; expected {expected}"
        return Check("distinct_states", str(expected), str(count), words, ExitCode.NOT_AS_EXPECTED)
    return Check("distinct_states", str(expected), str(count), None, 0)


def surprise(subject: str, words: str, code: int = ExitCode.NOT_AS_EXPECTED, row: Row | None = None) -> Check:
    """Return a check that is not met."""
    return Check(subject, None, None, " ".join(words.split()), code, row)
