"""Python source for expressions, compiled to functions.

The source of an expression is a Python expression of the frame ``e``. Values, other functions and errors that
it needs have names in one namespace. An expression that needs statements becomes a function of the frame, and
its source calls that function. So one Python function evaluates most of an expression, where closures would
need one call for each part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from verifier.tla.comparing import COMPOUND
from verifier.tla.frames import UNSET, Evaluate, Undefined, Waiting
from verifier.tla.value_types import FALSE, TRUE, Boolean, Fn, ModelValue, NoValue, function

Source: TypeAlias = str
"""An expression as Python source. A formula has a Python ``bool`` as its value."""

_SHORT = re.compile(r"(e|now)\[\d+\]|[kb]\d+|\d+|TRUE|FALSE|'[A-Za-z0-9_]*'")
"""Source that costs nothing to evaluate twice, raises no error, and does not change meanwhile."""
_LONGEST = 900
"""Longer source becomes a function: Python limits the nesting of parentheses."""
_WORDS: dict[str, Any] = {
    thing.__name__: thing
    for thing in (Fn, Waiting, Undefined, NoValue, ModelValue, Boolean, function)
} | {"UNSET": UNSET, "TRUE": TRUE, "FALSE": FALSE, "COMPOUND": COMPOUND}  # fmt: skip


class Emitter:
    """Compiles source to functions, and names the objects that the source needs."""

    def __init__(self, now: list[Any], following: list[Any]) -> None:
        self.names: dict[str, Any] = {**_WORDS, "now": now, "following": following}
        self.count = 0
        self.functions: dict[str, Evaluate] = {}
        self.bodies: dict[str, str] = {}
        """The source of functions that evaluate the body of a definition. It is inlined at calls."""
        self.returned: dict[str, str] = {}
        """The returned source of functions that have no other statement."""
        self.integers: set[str] = set()
        """Sources whose value is an integer, if they have one."""

    def fresh(self, letter: str) -> str:
        """Return an unused name."""
        self.count += 1
        return f"{letter}{self.count}"

    def bind(self, thing: Any) -> str:
        """Name a value or a function."""
        name = self.fresh("k")
        self.names[name] = thing
        return name

    def call(self, evaluate: Evaluate) -> str:
        """Return the source that calls a function of the frame."""
        return f"{self.bind(evaluate)}(e)"

    def literal(self, value: Any) -> str:
        """Return the source of an integer or a string."""
        return f"({value})" if type(value) is int and value < 0 else repr(value)

    def define(self, lines: Sequence[str], parameters: str = "e", name: str | None = None) -> str:
        """Define a function with these lines. Return its name."""
        name = name or self.fresh("f")
        body = "\n".join(f" {line}" for line in lines)
        exec(f"def {name}({parameters}):\n{body}", self.names)
        if len(lines) == 1 and parameters == "e" and lines[0].startswith("return "):
            self.returned[name] = lines[0].removeprefix("return ")
        return name

    def unfold(self, source: str) -> str:
        """Return the source that a function returns, if the given source only calls that function; else the
        given source."""
        called = re.fullmatch(r"(\w+)\(e\)", source)
        return self.returned.get(called[1], source) if called else source

    def statements(self, lines: Sequence[str]) -> str:
        """Return the source of a call of statements, the last of which returns."""
        return f"{self.define(lines)}(e)"

    def function(self, source: str) -> Evaluate:
        """Return a source as a function of the frame."""
        function = self.functions.get(source)
        if function is None:
            called = re.fullmatch(r"(\w+)\(e\)", source)
            name = called[1] if called and called[1] in self.names else self.define([f"return {source}"])
            function = self.functions[source] = self.names[name]
        return function

    def later(self, source: str) -> Evaluate:
        """Return a source as a function of the frame that is compiled at its first call."""

        made: list[Evaluate] = []

        def evaluate(e: Any) -> Any:
            if not made:
                made.append(self.function(source))
            return made[0](e)

        return evaluate

    def define_later(self, make: Callable[[], Sequence[str]]) -> Evaluate:
        """Return a function of the frame whose statements are made and compiled at its first call."""
        made: list[Evaluate] = []

        def evaluate(e: Any) -> Any:
            if not made:
                made.append(self.names[self.define(make())])
            return made[0](e)

        return evaluate

    def shorten(self, source: str) -> str:
        """Return source that is not too long: a call of a function if necessary."""
        if len(source) < _LONGEST:
            return source
        short = self.statements([f"return {source}"])
        return self.integer(short) if source in self.integers else short

    def integer(self, source: str) -> str:
        """Record that the value of a source is an integer."""
        self.integers.add(source)
        return source

    def are_integers(self, sources: Sequence[str], names: Sequence[str]) -> str:
        """Return the condition, followed by ``and``, that the values of named sources are integers."""
        unknown = [
            n for s, n in zip(sources, names, strict=True) if s not in self.integers and not s.isdigit()
        ]
        return f"{' is '.join(f'type({name})' for name in unknown)} is int and " if unknown else ""

    def let(self, sources: Sequence[str], body: Callable[..., str]) -> str:
        """Return an expression that uses other sources. Each is evaluated once, in this order, before all
        else."""
        given, names = [], []
        for source in sources:
            short = _SHORT.fullmatch(source)
            name = source if short else self.fresh("t")
            if not short:
                given.append(f"{name} := {source}")
            names.append(name)
        made = body(*names)
        if not given:
            return self.shorten(made)
        return self.shorten(f"({made} if ({', '.join(f'({one})' for one in given)},) else 0)")

    def once(self, source: str) -> str:
        """Return the source of an expression that has one value, evaluated when it is first needed."""
        name, evaluate = self.fresh("o"), self.later(source)
        self.names[name] = UNSET

        def first(e: Any) -> Any:
            value = self.names[name] = evaluate(e)
            return value

        return f"({name} if {name} is not UNSET else {self.call(first)})"
