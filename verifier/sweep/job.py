"""Jobs: one run each, of one property of one spec at one choice of constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.encodings.concrete import show_constants
from verifier.runs.loaded import ReadingOptions


@dataclass(frozen=True)
class Job:
    """A question, in plain values, so that it can be sent to any machine."""

    job_id: str
    """See ``verifier.outcomes.row.job_id``."""
    spec: str
    """A built-in name, or a file."""
    name: str
    """The spec's own name, with its file if others of the sweep have the same name."""
    spec_hash: str
    constants: Mapping[str, Any]
    property_name: str
    engine: str
    options: Mapping[str, Any]
    """The options for the engine, including limits."""
    recorded: Mapping[str, Any]
    """The options for results."""
    cost: float
    """An estimate, only to be compared with that of other jobs."""
    tool_version: str
    parts: int = 1
    """Into how many the search is to be split."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """The options for reading the spec, if it is a TLA+ module."""
    files: tuple[str, ...] = ()
    """The files that executors need to load the spec."""
    part_of: str | None = None
    """The key of the job that this is a part of; None: it is a job of its own."""

    @property
    def timeout(self) -> float | None:
        """Seconds."""
        seconds: float | None = self.options.get("timeout")
        return seconds

    @property
    def memory(self) -> int | None:
        """Bytes."""
        size: int | None = self.options.get("memory")
        return size

    @property
    def label(self) -> str:
        """``kip320 StrongIsr bmc replicas=2, log_size=1``."""
        constants = show_constants(self.constants)
        part = self.options.get("part")
        which = "" if part is None else f" part {part.index + 1}/{2 ** len(part.choices)}"
        return f"{self.name} {self.property_name} {self.engine}{which} {constants}"
