"""Continuations of a walk: lines that are written in one place, or called from several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from verifier.tla.emitting import Emitter

Lines: TypeAlias = list[str]


def indent_lines(lines: Sequence[str]) -> Lines:
    """Indent lines by one step."""
    return [f" {line}" for line in lines]


@dataclass(frozen=True)
class Continuation:
    """The continuation for each way in which a formula can be true."""

    emit: Emitter
    name: str | None
    """The function without arguments that runs it; None if it is written in place."""
    written: Callable[[int], Lines]
    """Returns its lines at an indentation. To be called once only."""

    def lines(self, depth: int) -> Lines:
        """Return the lines of the continuation, for one place."""
        return self.written(depth)

    def make_call_lines(self, depth: int, use: Callable[[Continuation], Lines]) -> Lines:
        """Return lines that run the continuation from several places."""
        if self.name is not None:
            return use(self)
        name = self.emit.fresh("c")
        own = [f"def {name}():", *indent_lines(self.written(depth + 1))]
        return [*own, *use(following(self.emit, name))]


def following(emit: Emitter, name: str) -> Continuation:
    """Return the continuation that calls a function."""
    return Continuation(emit, name, lambda depth: [f"{name}()"])


def then(rest: Continuation, written: Callable[[int], Lines]) -> Continuation:
    """Return a continuation whose lines contain those of another one."""
    return Continuation(rest.emit, None, written)
