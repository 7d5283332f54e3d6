"""Loading of a spec: a protocol in Python, or a TLA+ module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.errors import UsageError
from verifier.runs.loaded import TLA, Loaded, ReadingOptions
from verifier.specs.built_in import BUILT_IN


def load(
    spec: str,
    settings: Mapping[str, Any],
    began: float | None = None,
    reading: ReadingOptions | None = None,
    *,
    empty: bool = False,
    claimed: str | None = None,
) -> Loaded:
    """Load the protocol and its definition. Raises UsageError or DefinitionError. ``empty``: accept a
    variable that cannot have a value at these constants; such a protocol is never built. ``claimed``: the
    protocol's name in a trace or certificate, which gives the constants."""
    from verifier.runs.protocol_loading import load_protocol

    if spec.endswith(TLA):
        from verifier.runs.modules.source import load_tla

        return load_tla(spec, settings, began, reading or ReadingOptions())
    if reading not in (None, ReadingOptions()):
        raise only_of_modules(spec)
    return load_protocol(spec, settings, began, empty=empty, claimed=claimed)


def only_of_modules(spec: str) -> UsageError:
    """Return the error for options that only TLA+ modules have."""
    return UsageError(f"a configuration, a library and lemmas are for TLA+ modules, and {spec} is not one")


def choose_trusted_spec(named: str, given: str | None, what: str) -> str:
    """Return the spec to load for a file that names one. ``given`` is the user's own choice, ``what`` the
    file. A file may come from anyone, so it never decides alone that foreign code runs. Raises UsageError if
    it names a spec that is not built in and the user gave none."""
    if given is not None:
        return given
    if named not in BUILT_IN:
        raise UsageError(
            f"{what} is of {named!r}, which is not built in: name its file with --spec FILE.py, if you trust "
            "its code, or --spec FILE.tla"
        )
    return named


def require_same_constants(
    made_with: Mapping[str, Any], own: Mapping[str, Any], file: str, by: str, use: str
) -> None:
    """Raise UsageError if the user gives a constant another value than a file has, as ``--config`` does.

    ``own``: the constants that the user gives ``by`` an option. ``use`` says what to do instead.
    """
    for name, value in made_with.items():
        if name in own and own[name] != value:
            raise UsageError(f"{file} was made with {name}={value}, and {by} gives {name}={own[name]}: {use}")
