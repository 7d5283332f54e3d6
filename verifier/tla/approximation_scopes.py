"""The names of an approximate evaluation, with what is known of expressions in which they stand.

Scopes of equal values are one object, so that what was found in one step is found again in the next: a step
leaves most variables unchanged. A result is kept with the value objects of what it reads: variables, or their
parts (``verifier.tla.part_reads``). They are compared by identity, and are kept alive, so that no new object
can have the same identity.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verifier.tla.approximation import Approximate
from verifier.tla.ast import Expression, Symbol
from verifier.tla.frames import UNSET
from verifier.tla.part_reads import Read, read_part

_MOST_PARTS = 16
"""The most narrower scopes that a scope keeps."""


class Known:
    """A result, and the step or the value objects for which it was found."""

    __slots__ = ("objects", "reads", "result", "step")

    def __init__(self, step: int, reads: Iterable[Read] | None, now: list[Any], result: Any) -> None:
        """``reads``: the parts of variables on which the result depends; None if it depends on two states."""
        self.step, self.result = step, result
        self.reads = None if reads is None else tuple(reads)
        self.objects = [read_part(now, one) for one in self.reads or ()]
        if UNSET in self.objects:
            self.reads = None  # a part of another value than a listed function

    def holds(self, step: int, now: list[Any]) -> bool:
        """True if the result was found for this step, or for the same values of what it reads."""
        if self.step == step:
            return True
        if self.reads is None:
            return False
        for read, known in zip(self.reads, self.objects, strict=True):
            if read_part(now, read) is not known:
                return False
        self.step = step
        return True


class Scope:
    """The values of names, in a scope and those around it."""

    __slots__ = ("around", "names", "parts", "split", "values")

    def __init__(self, names: dict[Symbol, Approximate], around: Scope | None = None) -> None:
        self.names, self.around = names, around
        self.values: dict[Expression | Symbol, Known] = {}
        """By expression, and by definition of a LET."""
        self.split: Known | None = None
        """The split of the whole formula for these values."""
        self.parts: dict[Any, Scope] = {}

    def find(self, symbol: Symbol) -> Approximate | None:
        """Return the value of a name; None for an unknown one."""
        scope: Scope | None = self
        while scope is not None:
            value = scope.names.get(symbol)
            if value is not None:
                return value
            scope = scope.around
        return None

    def part(self, key: Any, names: dict[Symbol, Approximate]) -> Scope:
        """Return a scope inside this one; the same one for the same key."""
        part = self.parts.get(key)
        if part is None:
            if len(self.parts) >= _MOST_PARTS:
                self.parts.clear()
            part = self.parts[key] = Scope(names, self)
        return part
