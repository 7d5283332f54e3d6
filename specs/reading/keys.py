"""Watches what Python does with expressions as keys and as text while a protocol is read.

``then={s.x: …}`` needs a hash of ``s.x``. So a display or an assignment of an item may hash an expression,
and then the language must take the dictionary or set that it went into. All other hashes are lookups, which
Python would answer by the identity of the expression: they are refused where they happen.
"""

from __future__ import annotations

import dis
from collections import Counter
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn

from verifier.encodings.expressions import Value
from verifier.encodings.printing import text
from verifier.encodings.sorts import SortError
from verifier.specs.reading.places import is_engine, is_generated, is_standard_library, place

_INSERTING = frozenset(
    dis.opmap[name]
    for name in (
        "BUILD_MAP", "BUILD_SET", "MAP_ADD", "SET_ADD", "STORE_SUBSCR", "SET_UPDATE", "DICT_UPDATE"
    )
)  # fmt: skip
"""Instructions that put a key into a dictionary or set, and do not ask it for one."""
_TEXTS = ("__repr__", "__str__", "__format__")
_DEBUGGERS = ("pdb", "bdb")
_INSTEAD = (
    "write table({…})[x] or table({…}).get(x, default) for a lookup, set_of(…) for a set, == to compare, and "
    "{s.x: …} only where then of a Step takes it"
)


@dataclass
class Keys:
    """What was hashed, by the identity of the expression, and what the language took."""

    refused: list[str] = field(default_factory=list)
    """What was refused, also where the protocol's own code caught the error."""
    inserted: dict[int, list[str]] = field(default_factory=dict)
    """For each expression that was put into a dictionary or set, the places."""
    used: Counter[int] = field(default_factory=Counter)
    """How many dictionaries and sets with this expression the language took."""
    _kept: dict[int, Any] = field(default_factory=dict)
    """The objects whose identity is noted: no others get it while they are kept."""

    def hashed(self, value: Any, frame: FrameType) -> None:
        """Notes an insertion, and refuses all else."""
        where = _asker(frame)
        if frame.f_code.co_code[frame.f_lasti] not in _INSERTING:
            self._refuse(
                where, f"Python looks for {_shown(value)} as a key, or hashes it, {_WHEN}: {_INSTEAD}"
            )
        self._kept[id(value)] = value
        self.inserted.setdefault(id(value), []).append(_placed(where))

    def shown(self, value: Any, frame: FrameType) -> None:
        """Refuses a text of which the protocol's code would get hold."""
        where = _asker(frame)
        if where is not None:
            self._refuse(where, f"{_shown(value)} has no text for Python {_WHEN}: compare it with ==")

    def taken(self, container: Any) -> None:
        """Notes the keys of a dictionary or set."""
        if id(container) in self._kept:
            return
        self._kept[id(container)] = container
        self.used.update(id(key) for key in container if isinstance(key, Value))

    def left(self) -> list[str]:
        """A message for each expression that was put into what the language did not take."""
        return [
            f"{places[-1]}{_shown(self._kept[key])} is a key of a dictionary or in a set of Python, "
            f"which compares it by its identity {_WHEN}: {_INSTEAD}"
            for key, places in self.inserted.items()
            if len(places) > self.used[key]
        ]

    def _refuse(self, where: FrameType | None, words: str) -> NoReturn:
        self.refused.append(f"{_placed(where)}{words}")
        raise SortError(words)


_WHEN = "while it reads the protocol, not in each state"


def _shown(value: Any) -> str:
    term = getattr(value, "_term", None)
    return "the expression" if term is None else text(term, longest=60)


def _placed(frame: FrameType | None) -> str:
    return "" if frame is None else f"{place(frame.f_code.co_filename, frame.f_lineno)}: "


def _asker(frame: FrameType | None) -> FrameType | None:
    """The frame of the protocol that asks, also through Python's library and the text of a step; None if the
    verifier or a debugger asks."""
    while frame is not None:
        name, module = frame.f_code.co_name, str(frame.f_globals.get("__name__", ""))
        if module in _DEBUGGERS:
            return None
        if is_engine(module) and name not in _TEXTS:
            return None
        is_library = is_standard_library(frame.f_code.co_filename) or is_generated(frame.f_code)
        if not is_engine(module) and not is_library:
            return frame
        frame = frame.f_back
    return None
