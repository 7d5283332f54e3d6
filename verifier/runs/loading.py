"""The protocol that a spec names, at its constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.errors import UsageError
from verifier.specs.definition import Definition
from verifier.specs.presentation import vocabulary
from verifier.specs.protocol import DefinitionError, Protocol, define
from verifier.specs.reading.explaining import explained
from verifier.specs.reading.places import raised_at
from verifier.specs.registry import BUILT_IN
from verifier.specs.registry import load as load_class


@dataclass(frozen=True)
class Loaded:
    """A protocol at its constants, and its definition."""

    spec: str
    """As it was named: a built-in name, or a file."""
    definition: Definition
    vocabulary: Mapping[str, Any]
    """What a formula given as text may name beside the variables."""
    began: float | None = None
    """When the command began that asks, on the monotonic clock; None: its time begins with the question."""


def load(spec: str, settings: Mapping[str, Any], began: float | None = None) -> Loaded:
    """The protocol and its definition. Raises UsageError or DefinitionError for what is wrong with them."""
    found = load_class(spec)
    try:
        return load_class_at(found, settings, spec, began)
    except (UsageError, DefinitionError):
        raise
    except Exception as error:  # a user's own code may raise anything
        if spec in BUILT_IN:
            raise
        path = spec if Path(spec).suffix == ".py" else spec.rpartition(":")[0]
        raise UsageError(f"{raised_at(error) or path}: {explained(error)}") from error


def load_class_at(
    kind: type[Protocol], settings: Mapping[str, Any], spec: str = "", began: float | None = None
) -> Loaded:
    """The same of a class; ``spec`` is how it was named. Passes on what the class's own code raises."""
    protocol = kind(dict(settings))
    return Loaded(spec or kind.spec_name(), define(protocol), vocabulary(protocol), began)


def trusted_spec(named: str, given: str | None, what: str) -> str:
    """The spec to load for a file that names one; ``given`` is the user's own choice, ``what`` the file.

    A file never decides by itself that other code than ours is run: it may come from anyone. Raises
    UsageError if it names a spec that is not built in and the user gave none.
    """
    if given is not None:
        return given
    if named not in BUILT_IN:
        raise UsageError(
            f"{what} is of {named!r}, which is not built in: name its file with --spec FILE.py, if you trust "
            "its code"
        )
    return named
