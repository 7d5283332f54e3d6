"""The notation of a trace's values: that of TLA+ for a module, else that of protocols.

The trace is JSON (ITF), in which a string of a module looks like a model value. A trace of a module names its
model values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, show
from verifier.encodings.tla_values import TlaWriter, has_field_names, place_by_text
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

    @cached_property
    def _tla(self) -> TlaWriter:
        return TlaWriter(self._write_word, self.model_values.__contains__)

    def _write_word(self, word: str) -> str:
        if word in self.model_values:
            return word
        escaped = word.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'

    def text(self, value: Concrete) -> str:
        """The value as text."""
        return self._tla.write(value) if self.is_tla else show(value)

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
        opening, members, closing = self._tla.unfold(value) if self.is_tla else _unfold(value)
        return (opening, *members, closing)


def _unfold(value: tuple[Any, ...] | frozenset[Any] | FrozenMap) -> tuple[str, list[str], str]:
    """Return what opens a value of a protocol, the texts of its members, and what closes it."""
    match value:
        case frozenset():
            return "{", [show(item) for item in sorted(value, key=lambda one: place_by_text(one, show))], "}"
        case tuple():
            return "⟨", [show(item) for item in value], "⟩"
    apart = " " if has_field_names(value) else ": "
    return "(", [f"{show(key)}{apart}{show(item)}" for key, item in value.items()], ")"
