"""Coverage of logs: the actions and the parts of guards that accepted logs have seen, or never saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from verifier.conform.machine import Machine, Part
from verifier.conform.outcome import LogVerdict


@dataclass
class Coverage:
    """The coverage of one log, or of several."""

    actions: dict[str, int]
    """The number of steps of each action, in one execution for each log."""
    parts: dict[Part, int]
    """The number of steps in which a disjunct of a guard was true, or a condition had this value."""
    unread: dict[str, set[str]] = field(default_factory=dict)
    """The fields that no mapping reads, by the name of the event."""

    def add(self, other: Coverage) -> None:
        """Add the coverage of another log."""
        for name, count in other.actions.items():
            self.actions[name] += count
        for part, count in other.parts.items():
            self.parts[part] += count
        for name, fields in other.unread.items():
            self.unread[name] = self.unread.get(name, set()) | fields

    def as_object(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        parts = [
            {"action": one.action, "formula": one.words, "place": one.place, "count": count}
            for one, count in self.parts.items()
        ]
        unread = {name: sorted(fields) for name, fields in self.unread.items() if fields}
        return {"actions": dict(self.actions), "parts": parts, "unread_fields": unread}

    def render(self, logs: int) -> Iterator[str]:
        """Yield the lines of a report."""
        yield f"coverage by {logs} accepted log{'' if logs == 1 else 's'}, one execution for each:"
        width = max(map(len, self.actions), default=0)
        for name, count in self.actions.items():
            yield f"  {name:<{width}}  {f'{count:,} steps' if count != 1 else '1 step'}"
        never = [name for name, count in self.actions.items() if not count]
        if never:
            yield f"  actions never seen: {', '.join(never)}"
        dark = [one for one, count in self.parts.items() if not count]
        if dark:
            yield "  parts of guards never seen:"
            yield from (f"    {one.action}: {one.words}  ({one.place})" for one in dark)
        for name, fields in self.unread.items():
            if fields:
                yield f"  fields of {name} that nothing reads: {', '.join(sorted(fields))}"


def empty_coverage(machine: Machine) -> Coverage:
    """Return the coverage of no log."""
    parts = (part for action in machine.actions for part in machine.parts(action))
    return Coverage(dict.fromkeys(machine.actions, 0), dict.fromkeys(parts, 0))


def cover_steps(machine: Machine, steps: Iterable[tuple[Any, str, Any]]) -> Coverage:
    """Return the coverage of an execution: each step with the state before, its action and parameters."""
    found, seen = empty_coverage(machine), Counter[Part]()
    for state, action, given in steps:
        found.actions[action] += 1
        seen.update(machine.true_parts(state, action, given))
    found.parts.update(seen)
    return found


def join_coverage(verdicts: Iterable[LogVerdict]) -> Coverage | None:
    """Return the coverage of all accepted logs; None if there is none."""
    found: Coverage | None = None
    for one in verdicts:
        if one.coverage is not None:
            found = found or Coverage(
                dict.fromkeys(one.coverage.actions, 0), dict.fromkeys(one.coverage.parts, 0)
            )
            found.add(one.coverage)
    return found
