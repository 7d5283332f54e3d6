"""The versions of this program and of the packages that it uses."""

from __future__ import annotations

import os
import sys

UNKNOWN = "unknown"
_INSTALLED = ".dist-info"
_KINDS = _INSTALLED, ".egg-info"


def tool_version() -> str:
    """The version installed; UNKNOWN in a checkout that was not installed."""
    return find_version("protoverify") or UNKNOWN


def find_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed.

    Installers name a folder after package and version. To read its name takes half a millisecond, to load
    ``importlib.metadata`` 10 ms. What no such folder says, for instance of a checkout, is read there.
    """
    name = package.replace("-", "_")
    for folder in sys.path:
        own = [one for one in _list_folder(folder) if one.startswith((f"{name}-", f"{name}."))]
        own = [one for one in own if one.endswith(_KINDS)]
        if len(own) == 1 and own[0].endswith(_INSTALLED):
            return own[0].removesuffix(_INSTALLED).removeprefix(f"{name}-")
        if own:
            break
    return read_version(package)


def _list_folder(folder: str) -> list[str]:
    try:
        return os.listdir(folder or ".")
    except OSError:  # an archive, or none
        return []


def read_version(package: str) -> str | None:
    """Return the version that ``importlib.metadata`` reads; None if the package is not installed."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
