"""Watches what Python does with expressions as keys and as text while a protocol is read.

``then={s.x: …}`` needs a hash of ``s.x``. So an instruction that puts keys into a dictionary or set may hash
an expression. The language must then take the dictionary or set; only what has variables of the state or
their parts as keys, which a step can assign, may remain unused under a name. All other hashes are lookups,
which Python would answer by the identity of the expression: they are refused where they happen.
"""

from __future__ import annotations

import dis
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NoReturn, TypeAlias

from verifier.encodings.expressions import Value
from verifier.encodings.printing import text
from verifier.encodings.sorts import SortError
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.reading.code_places import is_engine, is_generated, is_standard_library, place
from verifier.specs.reading.kept import is_kept

_INTO_A_MAP = frozenset(dis.opmap[name] for name in ("BUILD_MAP", "MAP_ADD", "STORE_SUBSCR", "DICT_UPDATE"))
"""Instructions that put a key into a dictionary, and do not ask it for one."""
_INTO_A_SET = frozenset(dis.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE"))
_PATH = (Operator.APPLY, Operator.FIELD)
_TEXTS = ("__repr__", "__str__", "__format__")
_DEBUGGERS = ("pdb", "bdb")
_INSTEAD = (
    "write table({…})[x] or table({…}).get(x, default) for a lookup, set_of(…) for a set, == to compare, and "
    "{s.x: …} only where then of a Step takes it"
)


Site: TypeAlias = tuple[CodeType, int]
"""An instruction: the code that it is part of, and its offset."""


@dataclass(frozen=True)
class Insertion:
    """An expression was put into a dictionary or set."""

    key: Any
    at: str
    """The place of the code, for an error to name."""
    site: Site
    into_map: bool


@dataclass
class Keys:
    """The expressions that were hashed, by identity, and those that the language took."""

    refused: list[str] = field(default_factory=list)
    """The refused uses, also where the protocol's own code caught the error."""
    variables: Collection[Symbol] = ()
    """The variables of the state, once they are known."""
    _inserted: dict[int, list[Insertion]] = field(default_factory=dict)
    """By the identity of the expression, which is kept, so that no other gets it."""
    _taken: dict[int, Any] = field(default_factory=dict)
    """The dictionaries and sets that the language took."""
    _used: Counter[int] = field(default_factory=Counter)
    """The number of those with an expression among their keys."""

    def hash_expression(self, value: Any, frame: FrameType) -> int:
        """The hash for an insertion, which is noted. Refuses all else."""
        where = asker(frame)
        instruction = frame.f_code.co_code[frame.f_lasti]
        if instruction not in _INTO_A_MAP | _INTO_A_SET:
            words = f"Python looks for {_show(value)} as a key, or hashes it, {_WHEN}: {_INSTEAD}"
            self._refuse(where, words)
        site = frame.f_code, frame.f_lasti
        inserted = Insertion(value, _say_place(where), site, instruction in _INTO_A_MAP)
        self._inserted.setdefault(id(value), []).append(inserted)
        return id(value)

    def show_expression(self, value: Any, frame: FrameType) -> None:
        """Refuses a text of which the protocol's code would get hold."""
        where = asker(frame)
        if where is not None:
            self._refuse(where, f"{_show(value)} has no text for Python {_WHEN}: compare it with ==")

    def take_collection(self, container: Any) -> None:
        """Notes the keys of a dictionary or set."""
        if id(container) not in self._taken:
            self._taken[id(container)] = container
            self._used.update(id(key) for key in container if isinstance(key, Value))

    def truth(self, value: Any) -> None:
        """An expression has no truth value for Python."""

    def body(self, symbols: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """The body with its variables left open."""
        return call()

    def list_messages(self) -> list[str]:
        """A message for each expression that was put into what the language did not take."""
        messages = []
        for key, insertions in self._inserted.items():
            if len(insertions) <= self._used[key]:
                continue
            asked = [one for one in insertions if not (self._is_target(one) and is_kept(*one.site))]
            if len(asked) > self._used[key]:
                messages.append(
                    f"{asked[-1].at}{_show(asked[-1].key)} is a key of a dictionary or in a set of Python, "
                    f"which compares it by its identity {_WHEN}: {_INSTEAD}"
                )
        return messages

    def places(self) -> frozenset[Site]:
        """The instructions that put places into dictionaries that steps took."""
        return frozenset(
            one.site
            for key, insertions in self._inserted.items()
            for one in insertions
            if self._used[key] and self._is_target(one)
        )

    def _is_target(self, inserted: Insertion) -> bool:
        """True if a dictionary got a variable of the state as its key, or a part of one."""
        term: Term = inserted.key._term
        while term.operator in _PATH:
            term = term.arguments[0]
        is_place = term.operator is Operator.VARIABLE and term.data in self.variables
        return inserted.into_map and is_place

    def _refuse(self, where: FrameType | None, words: str) -> NoReturn:
        self.refused.append(f"{_say_place(where)}{words}")
        raise SortError(words)


_WHEN = "while it reads the protocol, not in each state"


def _show(value: Any) -> str:
    term = getattr(value, "_term", None)
    return "the expression" if term is None else text(term, longest=60)


def _say_place(frame: FrameType | None) -> str:
    return "" if frame is None else f"{place(frame.f_code.co_filename, frame.f_lineno)}: "


def asker(frame: FrameType | None) -> FrameType | None:
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
