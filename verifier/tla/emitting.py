"""Python source that evaluates expressions, and the functions that it is compiled to.

The source of an expression is a Python expression of the frame ``e``. What it needs besides (values, other
functions, errors) has a name in one namespace. An expression that needs statements becomes a function of the
frame, and its source calls that. So most of an expression is evaluated by one function of Python, where
closures would need one call for each part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla.comparing import COMPOUND
from verifier.tla.frames import UNSET, Evaluate, Undefined, Unit, Waiting
from verifier.tla.values import FALSE, TRUE, Boolean, Fn, ModelValue, NoValue, function

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

Source: TypeAlias = str
"""An expression as Python; of a formula, its value is Python's ``bool``."""
Compile: TypeAlias = "Callable[[Evaluator, Any, Unit, bool], Source]"
"""Compiles an expression of one form, in a unit, for the state or (True) for the next state."""

_SHORT = re.compile(r"(e|now)\[\d+\]|[kb]\d+|\d+|TRUE|FALSE|'[A-Za-z0-9_]*'")
"""What can be evaluated again at no cost, has no error, and does not change meanwhile."""
_LONGEST = 900
"""Longer source becomes a function: Python does not read parentheses that are nested too deep."""
_WORDS: dict[str, Any] = {
    thing.__name__: thing
    for thing in (Fn, Waiting, Undefined, NoValue, ModelValue, Boolean, function)
} | {"UNSET": UNSET, "TRUE": TRUE, "FALSE": FALSE, "COMPOUND": COMPOUND}  # fmt: skip


class Emitter:
    """Makes functions of source, with names for what the source needs."""

    def __init__(self, now: list[Any], following: list[Any]) -> None:
        self.names: dict[str, Any] = {**_WORDS, "now": now, "following": following}
        self.count = 0
        self.functions: dict[str, Evaluate] = {}
        self.bodies: dict[str, str] = {}
        """The source of functions that evaluate the body of a definition, to stand where it is entered."""
        self.returned: dict[str, str] = {}
        """What functions return that have no other statement."""
        self.integers: set[str] = set()
        """Sources whose value is an integer, if they have one."""

    def fresh(self, letter: str) -> str:
        """A name that nothing has."""
        self.count += 1
        return f"{letter}{self.count}"

    def bound(self, thing: Any) -> str:
        """A name for a value or a function."""
        name = self.fresh("k")
        self.names[name] = thing
        return name

    def call(self, evaluate: Evaluate) -> str:
        """The source that calls a function of the frame."""
        return f"{self.bound(evaluate)}(e)"

    def literal(self, value: Any) -> str:
        """The source of an integer or a string."""
        return f"({value})" if type(value) is int and value < 0 else repr(value)

    def define(self, lines: Sequence[str], parameters: str = "e", name: str | None = None) -> str:
        """A function with these lines; its name."""
        name = name or self.fresh("f")
        body = "\n".join(f" {line}" for line in lines)
        exec(f"def {name}({parameters}):\n{body}", self.names)
        if len(lines) == 1 and parameters == "e" and lines[0].startswith("return "):
            self.returned[name] = lines[0].removeprefix("return ")
        return name

    def unfolded(self, source: str) -> str:
        """The same, where it is only a call of a function that returns a source: that source."""
        called = re.fullmatch(r"(\w+)\(e\)", source)
        return self.returned.get(called[1], source) if called else source

    def statements(self, lines: Sequence[str]) -> str:
        """The source of what needs statements, the last of which returns."""
        return f"{self.define(lines)}(e)"

    def function(self, source: str) -> Evaluate:
        """A function of the frame."""
        found = self.functions.get(source)
        if found is None:
            called = re.fullmatch(r"(\w+)\(e\)", source)
            name = called[1] if called and called[1] in self.names else self.define([f"return {source}"])
            found = self.functions[source] = self.names[name]
        return found

    def later(self, source: str) -> Evaluate:
        """The same, made when it is first called."""

        made: list[Evaluate] = []

        def evaluate(e: Any) -> Any:
            if not made:
                made.append(self.function(source))
            return made[0](e)

        return evaluate

    def shortened(self, source: str) -> str:
        """Source that is not too long."""
        if len(source) < _LONGEST:
            return source
        found = self.statements([f"return {source}"])
        return self.integer(found) if source in self.integers else found

    def integer(self, source: str) -> str:
        """Source whose value is an integer."""
        self.integers.add(source)
        return source

    def are_integers(self, sources: Sequence[str], names: Sequence[str]) -> str:
        """The condition, followed by ``and``, that the values of sources, which have names, are integers."""
        unknown = [
            n for s, n in zip(sources, names, strict=True) if s not in self.integers and not s.isdigit()
        ]
        return f"{' is '.join(f'type({name})' for name in unknown)} is int and " if unknown else ""

    def let(self, sources: Sequence[str], body: Callable[..., str]) -> str:
        """An expression in which others stand, each evaluated once, in this order and before all else."""
        given, names = [], []
        for source in sources:
            short = _SHORT.fullmatch(source)
            name = source if short else self.fresh("t")
            if not short:
                given.append(f"{name} := {source}")
            names.append(name)
        made = body(*names)
        if not given:
            return self.shortened(made)
        return self.shortened(f"({made} if ({', '.join(f'({one})' for one in given)},) else 0)")

    def once(self, source: str) -> str:
        """What has one value, evaluated when it is first needed."""
        name, evaluate = self.fresh("o"), self.later(source)
        self.names[name] = UNSET

        def first(e: Any) -> Any:
            found = self.names[name] = evaluate(e)
            return found

        return f"({name} if {name} is not UNSET else {self.call(first)})"
