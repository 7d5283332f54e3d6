"""Checksums over an execution, and over the question of a run: they tell if these were altered after the run.

An explanation and a question are in sentences, which nobody can compute again without the spec. It is no
signature: It finds a change by hand, not one by somebody who computes it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

CHECKSUM = "checksum"
"""The name under which ``#meta`` of an execution has it, and the object of a run."""
QUESTION = ("asked", "documented", "places")
"""The parts of a run's object that say what was asked: formulas, documentation, and where these stand."""


def checksum_of(trace: Mapping[str, Any]) -> str:
    """Return the checksum of all that an execution says."""
    about = {name: value for name, value in trace["#meta"].items() if name != CHECKSUM}
    return _hash({**trace, "#meta": about})


def checksum_of_question(content: Mapping[str, Any]) -> str:
    """Return the checksum of what the object of a run says about its question."""
    return _hash({name: content.get(name, {}) for name in QUESTION})


def _hash(said: Mapping[str, Any]) -> str:
    words = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(words.encode("ascii")).hexdigest()[:16]


def with_checksum(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Return an execution with its checksum."""
    return {**trace, "#meta": {**trace["#meta"], CHECKSUM: checksum_of(trace)}}
