"""A finished run of an engine: what the terminal, the JSON output and rows are made from."""

from __future__ import annotations

import platform
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from verifier.engines.outcome import Outcome
from verifier.specs.definition import Definition
from verifier.system.model import Model
from verifier.version import tool_version

if TYPE_CHECKING:
    from verifier.trust.certificate import Certificate


@dataclass(frozen=True)
class Origin:
    """The place, time and program version of a run."""

    run_id: str
    tool_version: str
    host: str
    started_at: str
    """ISO 8601, UTC."""


def origin() -> Origin:
    """The origin of a run that starts now."""
    return Origin(uuid.uuid4().hex[:12], tool_version(), platform.node(), datetime.now(UTC).isoformat())


@dataclass(frozen=True)
class Run:
    """A question, its outcome, and the exit code that follows."""

    engine: str
    definition: Definition
    model: Model | None
    """None if the run ended before the model was built."""
    options: Mapping[str, Any]
    depth: int
    solvers: tuple[str, ...]
    """The solvers that took part, each once."""
    outcome: Outcome
    seconds: float
    """The time of the whole run, with building."""
    building_seconds: float
    exit_code: int
    expected: tuple[str, ...] = ()
    """The expectations as they were given."""
    missing: tuple[str, ...] = ()
    """Actions that were expected to be enabled, and were not."""
    proofs: tuple[Mapping[str, Any], ...] = ()
    """The origin and check of each proof, as the JSON output has it."""
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    """The certificate of each proved property, if it can be written down."""
    origin: Origin = field(default_factory=origin)
    traces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """ITF of the executions by property, where the model does not write them: of TLA+ modules."""

    assumptions: tuple[str, ...] | None = None
    """The assumptions on constants of a run about all constants. None: the run is about the constants of the
    definition."""
    beyond_declared: tuple[str, ...] = ()
    """The part that the protocol declares neither with its constants nor as its own assumptions."""
    certificate_texts: Mapping[str, str] = field(default_factory=dict)
    """For each property that is proved for all constants, the text of the certificate's file."""

    def with_files(self, files: Mapping[str, str]) -> Run:
        """The run, each verdict with the file that its certificate was written to."""
        verdicts = (replace(v, certificate=files.get(v.property_name)) for v in self.outcome.verdicts)
        return replace(self, outcome=replace(self.outcome, verdicts=tuple(verdicts)))
