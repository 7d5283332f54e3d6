"""The notation of values in the text of an execution: that of protocols, or that of TLA+."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.tla_values import show_record, show_tla
from verifier.trust.trace import Trace

Show: TypeAlias = Callable[[Concrete], str]
"""Returns a value as text."""


@dataclass(frozen=True)
class Notation:
    """Writes values, and records whose fields are texts already."""

    show: Show
    show_record: Callable[[Iterable[tuple[str, str]]], str]


def notation_of(trace: Trace) -> Notation:
    """Return the notation for the values of an execution."""
    if trace.words is None:
        return PLAIN
    return Notation(partial(show_tla, words=trace.words), show_record)


def _show_plain_record(fields: Iterable[tuple[str, str]]) -> str:
    return f"({', '.join(f'{name} {text}' for name, text in fields)})"


PLAIN = Notation(show, _show_plain_record)
"""The notation of protocols."""
