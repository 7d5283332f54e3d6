"""Coverage: how often executions take each action, and how often each part of its guard is true then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Part:
    """A disjunct of a guard, or a condition with one of its values."""

    action: str
    words: str
    place: str


@dataclass
class Coverage:
    """The counts of some steps: of the executions that one log agrees with, or several, or of near states."""

    actions: dict[str, int]
    """The number of steps of each action. Of a log, one execution counts."""
    parts: dict[Part, int]
    """The number of steps in which a disjunct of a guard was true, or a condition had this value."""
    unread: dict[str, set[str]] = field(default_factory=dict)
    """The fields that no mapping reads, by the name of the event."""

    def count_step(self, action: str, true_parts: Iterable[Part]) -> None:
        """Count a step, and the parts that are true in it."""
        self.actions[action] += 1
        for part in true_parts:
            self.parts[part] = self.parts.get(part, 0) + 1

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
