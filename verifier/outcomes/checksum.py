"""A checksum over an execution: it tells if the execution, or its explanation, was altered after the run.

The explanation is in sentences, which nobody can compute again without the spec. It is no signature:
It finds a change by hand, not one by somebody who computes it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

CHECKSUM = "checksum"
"""The name under which ``#meta`` of an execution has it."""


def checksum_of(trace: Mapping[str, Any]) -> str:
    """Return the checksum of all that an execution says."""
    about = {name: value for name, value in trace["#meta"].items() if name != CHECKSUM}
    said = json.dumps({**trace, "#meta": about}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(said.encode("ascii")).hexdigest()[:16]


def with_checksum(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Return an execution with its checksum."""
    return {**trace, "#meta": {**trace["#meta"], CHECKSUM: checksum_of(trace)}}
