"""What follows in a walk: the lines that go on, written in one place, or called in several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from verifier.tla.emitting import Emitter

Lines: TypeAlias = list[str]


def indented(lines: Sequence[str]) -> Lines:
    """The same lines, a step further to the right."""
    return [f" {line}" for line in lines]


@dataclass(frozen=True)
class Rest:
    """What is done for each way in which a formula can be true."""

    emit: Emitter
    name: str | None
    """The function without arguments that does it; None if it is written in place."""
    written: Callable[[int], Lines]
    """Its lines, that far to the right. To be written once only."""

    def lines(self, depth: int) -> Lines:
        """What does it, in one place."""
        return self.written(depth)

    def called(self, depth: int, use: Callable[[Rest], Lines]) -> Lines:
        """Lines that do it in several places."""
        if self.name is not None:
            return use(self)
        name = self.emit.fresh("c")
        own = [f"def {name}():", *indented(self.written(depth + 1))]
        return [*own, *use(following(self.emit, name))]


def following(emit: Emitter, name: str) -> Rest:
    """A call of a function that goes on."""
    return Rest(emit, name, lambda depth: [f"{name}()"])


def then(rest: Rest, written: Callable[[int], Lines]) -> Rest:
    """Something before the rest: its lines hold those of the rest."""
    return Rest(rest.emit, None, written)
