"""What evaluation runs on: frames of slots, arguments that wait to be evaluated, operators as values,
errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from verifier.tla.ast import Expression, Symbol
from verifier.tla.errors import Place
from verifier.tla.values import Boolean, Fn, ModelValue, listed

Frame: TypeAlias = list[Any]
"""The values of bound names and parameters, by slot."""
Truth: TypeAlias = Callable[[Frame], bool]
Evaluate: TypeAlias = Callable[[Frame], Any]
"""An expression, compiled."""

MOST_FRAMES_SHOWN = 12


class _Unset:
    """No value yet."""

    def __repr__(self) -> str:
        return "unset"


UNSET: Any = _Unset()


class Undefined(Exception):
    """An expression that has no value was evaluated: where, why, and in which operators."""

    def __init__(self, place: Place, words: str, tlc: str | None = None) -> None:
        """``tlc``: what TLC says of it, where that is known."""
        super().__init__(words)
        self.place, self.words, self.tlc = place, words, tlc
        self.stack: list[tuple[str, Place]] = []

    @property
    def outermost(self) -> Place:
        """Where the outermost operator that is known so far was called."""
        return self.stack[-1][1] if self.stack else self.place

    def within(self, name: str, place: Place) -> None:
        """Adds an operator that was being evaluated."""
        self.stack.append((name, place))

    def __str__(self) -> str:
        shown = self.stack[:MOST_FRAMES_SHOWN]
        stack = "".join(f", in {name} ({place.line}:{place.column})" for name, place in shown)
        more = f", and {len(self.stack) - len(shown)} more" if len(self.stack) > len(shown) else ""
        return f"{self.place}: {self.words}{stack}{more}"


@dataclass(eq=False)
class Unit:
    """What shares a frame: the body of a definition with all that is nested in it."""

    module: str
    slots: dict[Symbol, int] = field(default_factory=dict)
    size: int = 0
    room: list[None] = field(default_factory=list)
    """What a frame has after the parameters."""

    def slot(self, symbol: Symbol) -> int:
        """The slot of a symbol; a new one if it has none. No two symbols share one."""
        found = self.slots.get(symbol)
        if found is None:
            found = self.slots[symbol] = self.fresh()
        return found

    def fresh(self) -> int:
        """A slot that belongs to no symbol."""
        self.size += 1
        self.room.append(None)
        return self.size - 1

    def frame(self) -> Frame:
        """A frame without values."""
        return [None] * self.size


class Waiting:
    """An argument or a definition without parameters: evaluated when it is needed, and then kept.

    It is not kept where it reads the next state, which changes while successors are looked for.
    """

    __slots__ = ("code", "env", "next_value", "value")

    def __init__(self, code: Code, env: Frame) -> None:
        self.code, self.env, self.value, self.next_value = code, env, UNSET, UNSET

    def force(self) -> Any:
        """The value."""
        if self.value is not UNSET:
            return self.value
        code = self.code
        if not code.passes:
            found = code._here(self.env)
            if code.kept:
                self.value = found
            return found
        # What it is given may read the next state.
        read = code.read_next
        before, read[0] = read[0], False
        found = code._here(self.env)
        if code.kept and not read[0]:
            self.value = found
        read[0] = read[0] or before
        return found

    def force_next(self) -> Any:
        """The value in the next state."""
        code = self.code
        if not code.constant:
            return code.evaluate_next(self.env)
        if self.next_value is not UNSET:
            return self.next_value
        # It reads no variable itself, but an argument or a name in it may.
        read = code.read_next
        before, read[0] = read[0], False
        found = code.evaluate_next(self.env)
        if not read[0] and is_settled(found):
            self.next_value = found
        read[0] = read[0] or before
        return found


@dataclass(eq=False)
class Code:
    """An expression that waits, compiled for the state where it stands, and if need be for the next."""

    expression: Expression
    unit: Unit
    kept: bool
    compile: Callable[[Expression, Unit, bool], Evaluate]
    primed: bool
    constant: bool
    """Whether it names no variable and always answers alike."""
    read_next: list[bool]
    """One entry, which becomes true where a variable is read in the next state."""
    passes: bool = False
    """Whether it names a parameter or a definition of a LET, which may stand for the next state."""
    _here: Evaluate = field(init=False)
    _next: Evaluate | None = None

    def __post_init__(self) -> None:
        self._here = self.compile(self.expression, self.unit, self.primed)

    def evaluate(self, env: Frame) -> Any:
        """The value in the state it stands in."""
        return self._here(env)

    def evaluate_next(self, env: Frame) -> Any:
        """The value in the next state. Compiled when it is first needed, so that the frame may be too
        short."""
        if self._next is None:
            self._next = self.compile(self.expression, self.unit, True)
        if len(env) < self.unit.size:
            env += [None] * (self.unit.size - len(env))
        return self._next(env)


def is_settled(value: Any) -> bool:
    """Whether nothing in a value is still to be computed."""
    kind = type(value)
    if kind is tuple:
        return all(map(is_settled, value))
    if kind is Fn:
        return all(map(is_settled, value.values()))
    return kind in SETTLED


def settled(value: Any) -> Any:
    """A value with all that is still to be computed in it."""
    value = listed(value)
    if is_settled(value):
        return value
    if type(value) is tuple:
        return tuple(map(settled, value))
    return Fn({key: settled(one) for key, one in value.items()}) if type(value) is Fn else value


SETTLED = frozenset((int, str, Boolean, ModelValue, frozenset))
"""Kinds of values in which nothing is still to be computed."""
PLAIN = SETTLED | {tuple, Fn}
"""The same, but for what is inside of a tuple or a function."""


class Closure:
    """An operator that is a value: a parameter stands for it."""

    __slots__ = ("call", "call_next", "walked")

    def __init__(
        self,
        call: Callable[..., Any],
        call_next: Callable[..., Any],
        walked: Callable[..., Any] | None = None,
    ) -> None:
        self.call, self.call_next, self.walked = call, call_next, walked
