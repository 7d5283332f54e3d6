"""Values of definitions, remembered by what they rest on: the values of arguments and of variables read.

That is sound for a definition of one state that always answers alike (``Facts``): it has one value for the
values of what it reads. Errors are not remembered, so that each is reported where it occurs. It pays where
states share most of their values, and is given up where they do not.

What has no arguments is asked for many times of one state, above all by a refinement. So its last value is
kept with the very objects that the variables had, which are compared without hashing anything. They are kept
too, so that no other object can be taken for one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

from collections.abc import Callable
from typing import Any

from verifier.tla.emitting import Source
from verifier.tla.facts import STATE, Facts
from verifier.tla.frames import PLAIN, UNSET, Evaluate, Frame, Undefined, Unit, Waiting
from verifier.tla.values import LazySet

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

    __slots__ = ("answered", "calls", "latest", "pays", "table")

    def __init__(self) -> None:
        self.table: dict[Any, Any] = {}
        self.latest: dict[bool, list[str]] = {}
        """The names of its last value and of the objects it rests on; in the next state, if True."""
        self.calls = self.answered = 0
        self.pays = True
        """Whether enough calls are known already; once they are not, nothing is looked up any more."""

    def keep(self, key: Any, value: Any) -> None:
        """Remembers a value that was not known."""
        self.calls += 1
        if self.calls > _TRIED and self.answered < self.calls * _WORTH_IT:
            self.pays = False
            self.table.clear()
            return
        if len(self.table) >= (_MOST_SETS if isinstance(value, LazySet) else _MOST):
            self.table.clear()
        self.table[key] = value


def remembered(
    ev: Evaluator,
    memory: Memory,
    body: Callable[[Frame], Any],
    given: Evaluate,
    unit: Unit,
    reads: list[int],
    primed: bool,
) -> Callable[[Frame], Any]:
    """A call of a definition; ``body`` takes a frame that begins with what ``given`` has."""
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
        found = table.get(key)
        if found is not None:
            memory.calls += 1
            memory.answered += 1
            return found
        found = body(inner + room)
        memory.keep(key, found)
        return found

    return call


def remembered_alone(
    ev: Evaluator, memory: Memory, body: Callable[[Frame], Any], unit: Unit, reads: list[int], primed: bool
) -> Callable[[Frame], Any]:
    """The same of a definition without arguments, which reads variables."""
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
        found = table.get(key)
        if found is not None:
            memory.calls += 1
            memory.answered += 1
            return found
        found = body(room[:])
        memory.keep(key, found)
        return found

    return call


def latest(ev: Evaluator, memory: Memory, call: Evaluate, reads: list[int], primed: bool) -> Source:
    """The source of a call without arguments, which is not made where the variables are the same objects."""
    emit, of_state = ev.emit, "following" if primed else "now"
    if not memory.latest:
        for next_state in (False, True):
            memory.latest[next_state] = [emit.fresh("p") for _ in (0, *reads)]
            emit.names.update(dict.fromkeys(memory.latest[next_state], object()))
    value, first, *others = memory.latest[primed]
    objects = [f"{of_state}[{index}]" for index in reads]

    def alike(names: list[str]) -> str:
        return " and ".join(f"{one} is {name}" for name, one in zip(names, objects, strict=True))

    # A step leaves most variables as they are, so that the other state's value is often known.
    other, *of_other = memory.latest[not primed]
    lines = [
        f"global {', '.join((value, first, *others))}",
        f"found = {other} if {alike(of_other)} else {emit.bound(call)}(e)",
        f"if {' and '.join(f'{one} is not UNSET' for one in objects)}:",
        # An exception from elsewhere may arrive between any two of these: the first is set last.
        f" {first} = {emit.bound(object())}",
        f" {value} = found",
        *(f" {name} = {one}" for name, one in zip(others, objects[1:], strict=True)),
        f" {first} = {objects[0]}",
        "return found",
    ]
    known, missed = alike([first, *others]), emit.statements(lines)
    if not primed:
        return f"({value} if {known} else {missed})"
    read_next = emit.bound(ev.read_next)
    read = emit.statements([f"{read_next}[0] = True", f"return ({value} if {known} else {missed})"])
    return f"({value} if {read_next}[0] and {known} else {read})"


def _key_alone(state: list[Any], reads: list[int]) -> Callable[[], Any]:
    """What a value without arguments rests on. None where a variable has no value, and may not need one."""
    only = reads[0]

    def one() -> Any:
        found = state[only]
        return None if found is UNSET else found

    def several() -> Any:
        found = tuple([state[index] for index in reads])
        for value in found:
            if value is UNSET:
                return None
        return found

    return one if len(reads) == 1 else several


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
            if type(inner[index]) not in PLAIN:  # it is not told apart without listing it
                return None
        found = (*inner, *[state[index] for index in reads])
        for value in found:
            if value is UNSET:
                return None
        return found

    return key
