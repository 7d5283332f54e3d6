"""Values of definitions, remembered by what they rest on: the values of arguments and of variables read.

That is sound for a definition of one state that always answers alike (``Facts``): it has one value for the
values of what it reads. Errors are not remembered, so that each is reported where it occurs. It pays where
states share most of their values, and is given up where they do not.

What has no arguments is asked for many times of one state, above all by a refinement. So its last value is
kept with the very objects that the variables had, which are compared without hashing anything. They are kept
too, so that no other object can be taken for one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.tla.core import Core, Source
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

    __slots__ = ("answered", "calls", "latest", "table")

    def __init__(self) -> None:
        self.table: dict[Any, Any] = {}
        self.latest: dict[bool, list[str]] = {}
        """The names of its last value and of the objects it rests on; in the next state, if True."""
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


def latest(core: Core, memory: Memory, call: Evaluate, reads: list[int], primed: bool) -> Source:
    """The source of a call without arguments, which is not made where the variables are the same objects."""
    emit, of_state = core.emit, "following" if primed else "now"
    if primed not in memory.latest:
        memory.latest[primed] = [emit.fresh("p") for _ in (0, *reads)]
        emit.names.update(dict.fromkeys(memory.latest[primed], object()))
    value, first, *others = memory.latest[primed]
    objects = [f"{of_state}[{index}]" for index in reads]
    lines = [
        f"global {', '.join((value, first, *others))}",
        f"found = {emit.bound(call)}(e)",
        f"if {' and '.join(f'{one} is not UNSET' for one in objects)}:",
        # An exception from elsewhere may arrive between any two of these: the first is set last.
        f" {first} = {emit.bound(object())}",
        f" {value} = found",
        *(f" {name} = {one}" for name, one in zip(others, objects[1:], strict=True)),
        f" {first} = {objects[0]}",
        "return found",
    ]
    seen = zip((first, *others), objects, strict=True)
    alike = " and ".join(f"{one} is {name}" for name, one in seen)
    source = f"({value} if {alike} else {emit.statements(lines)})"
    if not primed:
        return source
    return emit.statements([f"{emit.bound(core.read_next)}[0] = True", f"return {source}"])


def _key(state: list[Any], reads: list[int], force: Callable[[Waiting], Any]) -> Callable[[Frame], Any]:
    """What a value rests on. None where an argument is none that could be compared, or where it or a variable
    has no value, and may not need one."""
    only = reads[0] if len(reads) == 1 else None

    def key(inner: Frame) -> Any:
        for index, value in enumerate(inner):
            if type(value) is Waiting:
                try:
                    inner[index] = force(value)
                except (Undefined, RecursionError):
                    return None
            if type(inner[index]) not in _PLAIN:
                return None
        if only is not None and not inner:
            return None if state[only] is UNSET else state[only]
        found = (*inner, *[state[index] for index in reads])
        for value in found:
            if value is UNSET:
                return None
        return found

    return key
