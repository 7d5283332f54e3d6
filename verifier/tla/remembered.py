"""Remembered values of definitions, by the values of their arguments and of the variables that they read.

This is sound for a definition of one state that always has the same value for the same inputs (``Facts``).
Errors are not remembered, so each is reported at its place. Remembering pays if states share most of their
values; otherwise it stops.

A definition without arguments is needed often in one state, most of all by a refinement. So its last value is
kept together with the variables' value objects, which are compared by identity, without a hash. The objects
are kept alive, so that no new object can have the same identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.tla.memories import Memory

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

from collections.abc import Callable
from typing import Any

from verifier.tla.emitting import Source
from verifier.tla.facts import STATE, Facts
from verifier.tla.frames import PLAIN, UNSET, Evaluate, Frame, Undefined, Unit, Waiting


def is_worth_remembering(facts: Facts) -> bool:
    """True if the value of a definition may be remembered, and costs more than the lookup."""
    return facts.costly and facts.level <= STATE and not (facts.free or facts.changing or facts.enabled)


def remember_results(
    ev: Evaluator,
    memory: Memory,
    body: Callable[[Frame], Any],
    given: Evaluate,
    unit: Unit,
    reads: list[int],
    primed: bool,
) -> Callable[[Frame], Any]:
    """Return a function that calls a definition. ``body`` takes a frame that begins with the result of
    ``given``."""
    room, state, read_next = unit.room, ev.next if primed else ev.now, ev.read_next
    key_of = _key(state, reads, Waiting.force_next if primed else Waiting.force)
    table, marks = memory.table, primed and bool(reads)

    def call(e: Frame) -> Any:
        inner = given(e)
        if not memory.pays:
            return body(inner + room)
        if marks:
            read_next[0] = True
        key = key_of(inner)
        if key is None:
            return body(inner + room)
        value = table.get(key)
        if value is not None:
            memory.calls += 1
            memory.answered += 1
            return value
        value = body(inner + room)
        memory.keep(key, value)
        return value

    return call


def remember_without_arguments(
    ev: Evaluator, memory: Memory, body: Callable[[Frame], Any], unit: Unit, reads: list[int], primed: bool
) -> Callable[[Frame], Any]:
    """Return a function that calls a definition without arguments that reads variables."""
    room, state, read_next = unit.room, ev.next if primed else ev.now, ev.read_next
    table, key_of = memory.table, _key_alone(state, reads)

    def call(e: Frame) -> Any:
        if not memory.pays:
            return body(room[:])
        if primed:
            read_next[0] = True
        key = key_of()
        if key is None:
            return body(room[:])
        value = table.get(key)
        if value is not None:
            memory.calls += 1
            memory.answered += 1
            return value
        value = body(room[:])
        memory.keep(key, value)
        return value

    return call


def latest(ev: Evaluator, memory: Memory, call: Evaluate, reads: list[int], primed: bool) -> Source:
    """Return the source of a call without arguments. It reuses the value if the variables are the same
    objects."""
    emit, of_state = ev.emit, "following" if primed else "now"
    if not memory.latest:
        for next_state in (False, True):
            memory.latest[next_state] = [emit.fresh("p") for _ in (0, *reads)]
            emit.names.update(dict.fromkeys(memory.latest[next_state], object()))
    value, first, *others = memory.latest[primed]
    objects = [f"{of_state}[{index}]" for index in reads]

    def alike(names: list[str]) -> str:
        return " and ".join(f"{one} is {name}" for name, one in zip(names, objects, strict=True))

    # A step leaves most variables unchanged, so the other state's value is often known.
    other, *of_other = memory.latest[not primed]
    lines = [
        f"global {', '.join((value, first, *others))}",
        f"found = {other} if {alike(of_other)} else {emit.bind(call)}(e)",
        f"if {' and '.join(f'{one} is not UNSET' for one in objects)}:",
        # A signal may interrupt between any two of these lines, so the first object is set last.
        f" {first} = {emit.bind(object())}",
        f" {value} = found",
        *(f" {name} = {one}" for name, one in zip(others, objects[1:], strict=True)),
        f" {first} = {objects[0]}",
        "return found",
    ]
    known, missed = alike([first, *others]), emit.statements(lines)
    if not primed:
        return f"({value} if {known} else {missed})"
    read_next = emit.bind(ev.read_next)
    read = emit.statements([f"{read_next}[0] = True", f"return ({value} if {known} else {missed})"])
    return f"({value} if {read_next}[0] and {known} else {read})"


def _key_alone(state: list[Any], reads: list[int]) -> Callable[[], Any]:
    """Return a function for the key of a value without arguments. The key is None if a variable has no value:
    it may not be needed."""
    only = reads[0]

    def one() -> Any:
        value = state[only]
        return None if value is UNSET else value

    def several() -> Any:
        values = tuple([state[index] for index in reads])
        for value in values:
            if value is UNSET:
                return None
        return values

    return one if len(reads) == 1 else several


def _key(state: list[Any], reads: list[int], force: Callable[[Waiting], Any]) -> Callable[[Frame], Any]:
    """Return a function for the key of a value. The key is None if an argument cannot be compared, or if it
    or a variable has no value: it may not be needed."""

    def key(inner: Frame) -> Any:
        for index, value in enumerate(inner):
            if type(value) is Waiting:
                try:
                    inner[index] = force(value)
                except (Undefined, RecursionError):
                    return None
            if type(inner[index]) not in PLAIN:  # comparing it would require a list of its members
                return None
        result = (*inner, *[state[index] for index in reads])
        for value in result:
            if value is UNSET:
                return None
        return result

    return key
