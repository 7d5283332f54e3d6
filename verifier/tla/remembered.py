"""Values of definitions, remembered by what they rest on: the values of arguments and of variables read.

That is sound for a definition of one state that always answers alike (``Facts``): it has one value for the
values of what it reads. Errors are not remembered, so that each is reported where it occurs. It pays where
states share most of their values, and is given up where they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla.core import Core
from verifier.tla.facts import STATE, Facts
from verifier.tla.frames import UNSET, Evaluate, Frame, Undefined, Unit, Waiting
from verifier.tla.values import Boolean, Fn, LazySet, ModelValue

_PLAIN = frozenset((int, str, Boolean, ModelValue, frozenset, tuple, Fn))
"""Kinds of values that are told apart without listing anything."""
_MOST = 20_000
_MOST_SETS = 500
"""The same of sets that are not listed, each of which may remember its members."""
_TRIED = 1_000
_WORTH_IT = 0.3
"""The share of calls that must be known already."""


def is_worth_remembering(facts: Facts) -> bool:
    """Whether the value of a definition may be remembered, and costs more than that."""
    return facts.costly and facts.level <= STATE and not (facts.free or facts.changing or facts.enabled)


class Memory:
    """What is known of one definition, for all places where it is called."""

    __slots__ = ("answered", "calls", "table")

    def __init__(self) -> None:
        self.table: dict[Any, Any] = {}
        self.calls = self.answered = 0


def remembered(
    core: Core,
    memory: Memory,
    body: Callable[[Frame], Any],
    given: Evaluate,
    unit: Unit,
    reads: list[int],
    primed: bool,
) -> Callable[[Frame], Any]:
    """A call of a definition; ``body`` takes a frame that begins with what ``given`` has."""
    room, state, read_next = unit.room, core.next if primed else core.now, core.read_next
    key_of = _key(state, reads, Waiting.force_next if primed else Waiting.force)

    def call(e: Frame) -> Any:
        inner = given(e)
        key = None
        if memory.calls <= _TRIED or memory.answered >= memory.calls * _WORTH_IT:
            if primed and reads:
                read_next[0] = True
            key = key_of(inner)
        if key is None:
            return body(inner + room)
        memory.calls += 1
        table = memory.table
        found = table.get(key)
        if found is not None:
            memory.answered += 1
            return found
        found = body(inner + room)
        if len(table) >= (_MOST_SETS if isinstance(found, LazySet) else _MOST):
            table.clear()
        table[key] = found
        return found

    return call


def _key(state: list[Any], reads: list[int], force: Callable[[Waiting], Any]) -> Callable[[Frame], Any]:
    """What a value rests on. None where an argument is none that could be compared, or where it or a variable
    has no value, and may not need one."""

    def key(inner: Frame) -> Any:
        for index, value in enumerate(inner):
            if type(value) is Waiting:
                try:
                    inner[index] = force(value)
                except (Undefined, RecursionError):
                    return None
            if type(inner[index]) not in _PLAIN:
                return None
        found = (*inner, *[state[index] for index in reads])
        for value in found:
            if value is UNSET:
                return None
        return found

    return key
