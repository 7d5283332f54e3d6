"""The version of this program."""

from __future__ import annotations

from importlib import metadata

UNKNOWN = "unknown"


def tool_version() -> str:
    """The version installed; UNKNOWN in a checkout that was not installed."""
    try:
        return metadata.version("protoverify")
    except metadata.PackageNotFoundError:
        return UNKNOWN
