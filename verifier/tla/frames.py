"""The runtime data of evaluation: frames of slots, delayed arguments, operators as values, and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from verifier.tla.ast import Expression, Symbol
from verifier.tla.errors import Place
from verifier.tla.value_types import Boolean, Fn, ModelValue
from verifier.tla.values import materialize

Frame: TypeAlias = list[Any]
"""The values of bound names and parameters, by slot."""
Truth: TypeAlias = Callable[[Frame], bool]
Evaluate: TypeAlias = Callable[[Frame], Any]
"""A compiled expression."""

MOST_FRAMES_SHOWN = 12


class _Unset:
    """The mark of a missing value."""

    def __repr__(self) -> str:
        return "unset"


UNSET: Any = _Unset()


class Undefined(Exception):
    """Raised when an expression without a value is evaluated: where, why, and in which operators."""

    def __init__(self, place: Place, words: str, tlc: str | None = None) -> None:
        """``tlc``: TLC's words for the error, if they are known."""
        super().__init__(words)
        self.place, self.words, self.tlc = place, words, tlc
        self.stack: list[tuple[str, Place, bool]] = []
        self.state = ""
        """The words for the state in which the expression was evaluated, if they are known."""

    @property
    def outermost(self) -> Place:
        """Return the place where the outermost operator known so far was called."""
        return self.stack[-1][1] if self.stack else self.place

    def within(self, name: str, place: Place, own: Place) -> None:
        """Add an operator that was being evaluated. It is used at a place, which is its own if no text uses
        it: the configuration names it."""
        self.stack.append((name, place, place != own))

    def _say_use(self, place: Place) -> str:
        file = "" if place.file == self.place.file else f" of {place.file}"
        return f" (used at line {place.line}, column {place.column}{file})"

    def __str__(self) -> str:
        shown = self.stack[:MOST_FRAMES_SHOWN]
        stack = "".join(f", in {name}{self._say_use(place) if used else ''}" for name, place, used in shown)
        more = f", and {len(self.stack) - len(shown)} more" if len(self.stack) > len(shown) else ""
        return f"{self.place}: {self.words}{stack}{more}{self.state}"


@dataclass(eq=False)
class Unit:
    """The code that shares a frame: the body of a definition with everything nested in it."""

    module: str
    slots: dict[Symbol, int] = field(default_factory=dict)
    size: int = 0
    room: list[None] = field(default_factory=list)
    """The empty slots of a frame after the parameters."""

    def slot(self, symbol: Symbol) -> int:
        """Return the slot of a symbol, a new one if it has none. No two symbols share a slot."""
        slot = self.slots.get(symbol)
        if slot is None:
            slot = self.slots[symbol] = self.fresh()
        return slot

    def fresh(self) -> int:
        """Return a slot that belongs to no symbol."""
        self.size += 1
        self.room.append(None)
        return self.size - 1

    def frame(self) -> Frame:
        """Return a frame without values."""
        return [None] * self.size


class Waiting:
    """A delayed argument or definition without parameters: evaluated when it is needed, and then kept.

    It is not kept if it reads the next state, which changes while successors are generated.
    """

    __slots__ = ("code", "env", "next_value", "value")

    def __init__(self, code: Code, env: Frame) -> None:
        self.code, self.env, self.value, self.next_value = code, env, UNSET, UNSET

    def force(self) -> Any:
        """Return the value."""
        if self.value is not UNSET:
            return self.value
        code = self.code
        if not code.passes:
            value = code._here(self.env)
            if code.kept:
                self.value = value
            return value
        # Its arguments may read the next state.
        read = code.read_next
        before, read[0] = read[0], False
        value = code._here(self.env)
        if code.kept and not read[0]:
            self.value = value
        read[0] = read[0] or before
        return value

    def force_next(self) -> Any:
        """Return the value in the next state."""
        code = self.code
        if not code.constant:
            return code.evaluate_next(self.env)
        if self.next_value is not UNSET:
            return self.next_value
        # It reads no variable directly, but one of its arguments or names may.
        read = code.read_next
        before, read[0] = read[0], False
        value = code.evaluate_next(self.env)
        if not read[0] and is_settled(value):
            self.next_value = value
        read[0] = read[0] or before
        return value


@dataclass(eq=False)
class Code:
    """A delayed expression, compiled for its own state and, if necessary, for the next state."""

    expression: Expression
    unit: Unit
    kept: bool
    compile: Callable[[Expression, Unit, bool], Evaluate]
    primed: bool
    constant: bool
    """True if it names no variable and always has the same value."""
    read_next: list[bool]
    """One entry, which becomes True when a variable is read in the next state."""
    passes: bool = False
    """True if it names a parameter or a definition of a LET, which may refer to the next state."""
    _here: Evaluate = field(init=False)
    _next: Evaluate | None = None

    def __post_init__(self) -> None:
        self._here = self.compile(self.expression, self.unit, self.primed)

    def evaluate(self, env: Frame) -> Any:
        """Return the value in its own state."""
        return self._here(env)

    def evaluate_next(self, env: Frame) -> Any:
        """Return the value in the next state. It is compiled when it is first needed, so the frame may be too
        short and is extended."""
        if self._next is None:
            self._next = self.compile(self.expression, self.unit, True)
        if len(env) < self.unit.size:
            env += [None] * (self.unit.size - len(env))
        return self._next(env)


def is_settled(value: Any) -> bool:
    """True if no part of a value is delayed."""
    kind = type(value)
    if kind is tuple:
        return all(map(is_settled, value))
    if kind is Fn:
        return all(map(is_settled, value.values()))
    return kind in SETTLED


def force_delayed(value: Any) -> Any:
    """Return a value with all delayed parts computed."""
    value = materialize(value)
    if is_settled(value):
        return value
    if type(value) is tuple:
        return tuple(map(force_delayed, value))
    return Fn({key: force_delayed(one) for key, one in value.items()}) if type(value) is Fn else value


SETTLED = frozenset((int, str, Boolean, ModelValue, frozenset))
"""Types of values that have no delayed parts."""
PLAIN = SETTLED | {tuple, Fn}
"""The types in SETTLED, and those whose items may have delayed parts: tuples and functions."""


class Closure:
    """An operator as a value, for an operator parameter."""

    __slots__ = ("call", "call_next", "walked")

    def __init__(
        self,
        call: Callable[..., Any],
        call_next: Callable[..., Any],
        walked: Callable[..., Any] | None = None,
    ) -> None:
        self.call, self.call_next, self.walked = call, call_next, walked
