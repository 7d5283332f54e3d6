"""The commands of lenses, and the answers that lenses tell: last verdicts, and counts of actions."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHECK, PROVE, FIND = "verify.check", "verify.prove", "verify.findViolation"
WHY, COVER = "verify.whyDisabled", "verify.coverage"
ENGINES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    CHECK: ("check", {}),
    PROVE: ("prove", {}),
    FIND: ("check", {"find_bugs": True}),
}
"""The engine of each command, with its options."""


@dataclass(frozen=True)
class Told:
    """A verdict, when it was told, and of which text."""

    words: str
    at: float
    spec_hash: str

    def age(self, now: float) -> str:
        """Return how old it is: ``3 min``."""
        seconds = int(now - self.at)
        for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
            if seconds >= size:
                return f"{seconds // size} {unit}"
        return f"{seconds} s"


@dataclass
class Verdicts:
    """The last verdict on each property of each file."""

    known: dict[tuple[Path, str], Told] = field(default_factory=dict)

    def note(self, file: Path, content: Mapping[str, Any]) -> None:
        """Keep the verdicts of a run."""
        for one in content["results"]:
            words = str(one["verdict"])
            if one["verdict"] == "VIOLATED" and one["steps"] is not None:
                words = f"VIOLATED in {one['steps']} steps"
            elif one["verdict"] == "HOLDS" and one["depth"] is not None:
                words = f"HOLDS({one['depth']})"
            self.known[file, one["property"]] = Told(words, time.time(), content["spec_hash"])

    def title(self, file: Path, name: str, *, changed: bool) -> str | None:
        """Return the last verdict with its age; None if there is none."""
        told = self.known.get((file, name))
        if told is None:
            return None
        old = ", of an earlier text" if changed else ""
        return f"{told.words} ({told.age(time.time())} ago{old})"


def describe_coverage(content: Mapping[str, Any]) -> dict[str, str]:
    """Return in words how often each action is taken."""
    states = f"{content['states']} {'states' if content['all_states'] else 'nearest states'}"
    found: dict[str, str] = {}
    for one in content["actions"]:
        if one["steps"]:
            unused = [part["formula"] for part in one["parts"] if part["steps"] == 0]
            more = f"; never true: {', '.join(unused)}" if unused else ""
            found[one["action"]] = f"taken {one['steps']} times in {states}{more}"
        else:
            why = f": {one['nearest']['formula']} {one['nearest']['says']}" if "nearest" in one else ""
            found[one["action"]] = f"never enabled in {states}{why}"
    return found
