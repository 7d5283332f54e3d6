"""The version of this program."""

from __future__ import annotations

UNKNOWN = "unknown"


def tool_version() -> str:
    """The version installed; UNKNOWN in a checkout that was not installed."""
    from importlib import metadata  # takes 10 ms, and most runs have no use for it

    try:
        return metadata.version("protoverify")
    except metadata.PackageNotFoundError:
        return UNKNOWN
