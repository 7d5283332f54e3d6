"""Requests of a session: their parameters, as clients see them, and the check of what clients send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.errors import UsageError, among, cut
from verifier.server.calls import Call
from verifier.server.session import Session

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a request."""

    kind: str
    """Its type in JSON Schema. An array is one of strings."""
    words: str
    required: bool = False
    least: int | None = None

    @property
    def schema(self) -> dict[str, Any]:
        """Return it as JSON Schema."""
        items = {"items": {"type": "string"}} if self.kind == "array" else {}
        minimum = {} if self.least is None else {"minimum": self.least}
        return {"type": self.kind, **items, **minimum, "description": self.words}

    def check(self, name: str, value: Any) -> None:
        """Raise UsageError for a value of another type."""
        fits = isinstance(value, _KINDS[self.kind]) and isinstance(value, bool) == (self.kind == "boolean")
        if fits and self.kind == "array":
            fits = all(isinstance(item, str) for item in value)
        if not fits:
            kind = "array of strings" if self.kind == "array" else self.kind
            raise UsageError(f"parameter {name}={cut(value)} is not allowed: it takes {_article(kind)}")
        if self.least is not None and value < self.least:
            raise UsageError(f"parameter {name}={value} is not allowed: the least is {self.least}")


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aio' else 'a'} {kind}"


@dataclass(frozen=True)
class Request:
    """A request that clients can make."""

    name: str
    words: str
    """Its description, for clients and their users."""
    answer: Callable[..., dict[str, Any]]
    """Takes the session, the call, and the arguments by name."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    is_long: bool = False
    """True if it may take long: others are answered meanwhile."""

    @property
    def schema(self) -> dict[str, Any]:
        """Return the parameters as JSON Schema."""
        return {
            "type": "object",
            "properties": {name: one.schema for name, one in self.parameters.items()},
            "required": [name for name, one in self.parameters.items() if one.required],
            "additionalProperties": False,
        }

    def run(self, session: Session, call: Call, given: Mapping[str, Any]) -> dict[str, Any]:
        """Answer. Raises UsageError for parameters that are not allowed."""
        values = {name: value for name, value in given.items() if value is not None}
        for name, value in values.items():
            if name not in self.parameters:
                raise UsageError(
                    f"unknown parameter {cut(name)!r} of {self.name} {among(name, self.parameters)}"
                )
            self.parameters[name].check(name, value)
        for name, one in self.parameters.items():
            if one.required and name not in values:
                raise UsageError(f"{self.name} needs the parameter {name}: {one.words}")
        return self.answer(session, call, **values)
