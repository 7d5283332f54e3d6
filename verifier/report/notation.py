"""The notation of a trace's values: that of TLA+ for a module, else that of protocols.

The trace is JSON (ITF), in which a string of a module looks like a model value. A trace of a module names its
model values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, show
from verifier.report.itf_values import value_of

_SHORT = 40
"""The limit of characters of a value that is not unfolded."""


@dataclass(frozen=True)
class Notation:
    """Reads values from JSON, and writes them."""

    is_tla: bool = False
    model_values: frozenset[str] = frozenset()
    """Words that a module writes without quotes."""

    @classmethod
    def of(cls, trace: Mapping[str, Any]) -> Notation:
        """The notation of what a trace is an execution of."""
        about = trace.get("#meta", {})
        names = about.get("model_values", ())
        return cls("module" in about, frozenset(name for name in names if isinstance(name, str)))

    def read(self, data: Any) -> Concrete:
        """The value that JSON stands for. TLA+ has no options and no variants."""
        return value_of(data, tagged=not self.is_tla)

    def text(self, value: Concrete) -> str:
        """The value as text."""
        return self._tla(value) if self.is_tla else show(value)

    def show(self, data: Any) -> str:
        """The value that JSON stands for, as text."""
        return self.text(self.read(data))

    def membership(self, held: bool) -> Concrete:
        """True if something is a member of a set that lanes share: *yes* or *no*, as a value."""
        return held if self.is_tla else "yes" if held else "no"

    def parts(self, value: Concrete) -> tuple[str, ...]:
        """A long value with members as what opens it, its members, and what closes it; else nothing."""
        whole = self.text(value)
        if len(whole) <= _SHORT or not isinstance(value, frozenset | tuple | FrozenMap) or len(value) < 2:
            return ()
        opening, closing = self._brackets(value)
        return (opening, *self._members(value), closing)

    def _brackets(self, value: Concrete) -> tuple[str, str]:
        match value:
            case frozenset():
                return "{", "}"
            case tuple():
                return ("<<", ">>") if self.is_tla else ("⟨", "⟩")
        return ("[", "]") if self.is_tla and self.is_record(value) else ("(", ")")

    def _members(self, value: Concrete) -> Iterator[str]:
        match value:
            case frozenset():
                yield from (self.text(item) for item in sorted(value, key=self._place))
            case tuple():
                yield from map(self.text, value)
            case FrozenMap() if not self.is_tla:
                apart = " " if self.is_record(value) else ": "
                yield from (f"{show(key)}{apart}{show(item)}" for key, item in value.items())
            case FrozenMap() if self.is_record(value):
                yield from (f"{key} |-> {self._tla(item)}" for key, item in value.items())
            case FrozenMap():
                yield from (f"{self._tla(key)} :> {self._tla(item)}" for key, item in value.items())

    def is_record(self, value: Concrete) -> bool:
        """True if a mapping has fields, and not keys."""
        if not isinstance(value, FrozenMap):
            return False
        names = all(isinstance(key, str) and key.isidentifier() for key in value)
        return names and not (self.is_tla and (not value or self.model_values.issuperset(value)))

    def _tla(self, value: Concrete) -> str:
        match value:
            case bool():
                return "TRUE" if value else "FALSE"
            case str():
                if value in self.model_values:
                    return value
                escaped = value.replace("\\", "\\\\").replace('"', '\\"')
                return f'"{escaped}"'
            case FrozenMap() if not value:
                return "<<>>"
            case frozenset() | tuple() | FrozenMap():
                opening, closing = self._brackets(value)
                joint = " @@ " if opening == "(" else ", "
                return f"{opening}{joint.join(self._members(value))}{closing}"
        return str(value)

    def _place(self, value: Concrete) -> tuple[int, Any]:
        """A key that sorts numbers by size, and all else by its text, numbers in it by size too."""
        if isinstance(value, int) and not isinstance(value, bool):
            return 0, value
        words = re.split(r"(\d+)", self.text(value))
        return 1, [(int(word), "") if word.isdigit() else (-1, word) for word in words]
