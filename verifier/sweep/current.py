"""The current rows of a sweep's folder, which keeps the rows of all its sweeps."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from verifier.outcomes.row import Row

_Place = tuple[str, str]
"""A spec and its constants. The hash of a spec depends on the constants, so only here hashes are compared."""
_Version = tuple[str, str]
"""The hash of a spec, and the version of this program."""


@dataclass(frozen=True)
class Standing:
    """The rows of a folder, in the order recorded."""

    current: tuple[Row, ...]
    superseded: tuple[Row, ...]
    """Rows of another version of the spec, or of this program, than the current rows at the same
    constants."""
    unasked: tuple[Row, ...]
    """Rows of constants that the last sweep did not ask about, although it asked about the spec: their
    version is unknown."""


def sort_by_standing(rows: Sequence[Row], asked: Collection[str]) -> Standing:
    """Return the current rows. ``rows``: in the order recorded. ``asked``: the keys of the last sweep's jobs.
    If the last sweep asked about a spec at some constants, its version is current there, even for properties
    and engines that it did not ask about. For other specs, the version recorded last is current."""
    versions: dict[_Place, set[_Version]] = {}
    for row in rows:
        if row.job_id in asked:
            versions.setdefault(_place(row), set()).add(_version(row))
    specs = {spec for spec, _ in versions}
    versions |= {_place(row): {_version(row)} for row in rows if row.spec not in specs}
    kinds: dict[str, list[Row]] = {"current": [], "superseded": [], "unasked": []}
    for row in rows:
        of_place = versions.get(_place(row))
        if of_place is None:
            kinds["unasked"].append(row)
        else:
            kinds["current" if _version(row) in of_place else "superseded"].append(row)
    return Standing(**{name: tuple(of_kind) for name, of_kind in kinds.items()})


def _place(row: Row) -> _Place:
    return row.spec, json.dumps(dict(row.constants), sort_keys=True)


def _version(row: Row) -> _Version:
    return row.spec_hash, row.tool_version
