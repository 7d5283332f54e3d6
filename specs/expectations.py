"""The verdicts of an independent checker on the built-in protocols.

``expectations.toml`` in a family's folder has one table per spec and constants::

    [[configuration]]
    spec = "kip101"
    constants = { replicas = 2, log_size = 2, max_records = 2, max_leader_epoch = 2 }
    distinct_states = 9045            # of the complete graph, where known
    depth = 17                        # actions on its longest shortest path, where known
    holds = ["TypeOk"]
    violated = { WeakIsr = 11 }       # the fewest actions to a violation
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from verifier.specs.built_in import BUILT_IN


@dataclass(frozen=True)
class Expectation:
    """The verdict on one property at given constants."""

    spec: str
    constants: Mapping[str, int | bool | str]
    property_name: str
    verdict: str
    """``holds`` or ``violated``."""
    steps: int | None
    """The fewest actions to a violation."""
    depth: int | None
    """Actions on the longest shortest path of the complete graph, where known."""
    distinct_states: int | None
    """States of the complete graph, where known."""


def expectations(spec: str) -> list[Expectation]:
    """The expectations of a built-in protocol. For other protocols there are none."""
    if spec not in BUILT_IN:
        return []
    family = BUILT_IN[spec].place.partition(":")[0].rpartition(".")[0]
    file = files(family) / "expectations.toml"
    if not file.is_file():
        return []
    tables = tomllib.loads(file.read_text(encoding="utf-8"))["configuration"]
    expectations = []
    for table in tables:
        if table["spec"] == spec:
            common = {"spec": spec, "constants": table["constants"]}
            size = {"depth": table.get("depth"), "distinct_states": table.get("distinct_states")}
            verdicts = [(name, "holds", None) for name in table.get("holds", [])]
            verdicts += [(name, "violated", steps) for name, steps in table.get("violated", {}).items()]
            for name, verdict, steps in verdicts:
                expectations.append(
                    Expectation(**common, **size, property_name=name, verdict=verdict, steps=steps)
                )
    return expectations
