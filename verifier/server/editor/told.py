"""The commands of lenses, and the answers that lenses tell: last verdicts, and counts of actions."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from verifier.verdict import VerdictKind, in_words

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

    def describe_time(self, now: float) -> str:
        """Return the time of day, after the day if that is not today's: ``28 Nov 14:05``.

        An age would be wrong soon: an editor shows a lens until it asks again.
        """
        told, today = datetime.fromtimestamp(self.at), datetime.fromtimestamp(now)
        return told.strftime("%H:%M" if told.date() == today.date() else "%d %b %H:%M")


@dataclass
class Verdicts:
    """The last verdict on each property of each file."""

    known: dict[tuple[Path, str], Told] = field(default_factory=dict)

    def note(self, file: Path, content: Mapping[str, Any]) -> None:
        """Keep the verdicts of a run."""
        for one in content["results"]:
            words = in_words(VerdictKind(one["verdict"]), one["depth"], one["steps"], one["reason"])
            self.known[file, one["property"]] = Told(words, time.time(), content["spec_hash"])

    def title(self, file: Path, name: str, *, changed: bool) -> str | None:
        """Return the last verdict with its time; None if there is none."""
        told = self.known.get((file, name))
        if told is None:
            return None
        old = ", of an earlier text" if changed else ""
        return f"{told.words} ({told.describe_time(time.time())}{old})"


def describe_coverage(content: Mapping[str, Any]) -> dict[str, str]:
    """Say how often each action is taken."""
    states = f"{content['states']} {'states' if content['all_states'] else 'nearest states'}"
    by_action: dict[str, str] = {}
    for one in content["actions"]:
        if one["steps"]:
            unused = [part["formula"] for part in one["parts"] if part["steps"] == 0]
            more = f"; never true: {', '.join(unused)}" if unused else ""
            by_action[one["action"]] = f"taken {one['steps']} times in {states}{more}"
        else:
            why = f": {one['nearest']['formula']} {one['nearest']['says']}" if "nearest" in one else ""
            by_action[one["action"]] = f"never enabled in {states}{why}"
    return by_action
