"""Boolean terms compiled to straight-line NumPy code, common subterms shared.

It runs on slices (arrays of 64-bit words, a bit per state) as well as on arrays of booleans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pysmt.fnode import FNode
from pysmt.operators import AND, BOOL_CONSTANT, IFF, ITE, NOT, OR, SYMBOL

Array: TypeAlias = NDArray[Any]

_FALSE, _TRUE = 0, 1
"""The numbers of the constants; inputs follow from 2."""


class Program:
    """Collects terms to evaluate; ``compile`` makes the function that evaluates all of them.

    A caller adds a term together with values for some of its variables, namely the bits of free parameters.
    So one term can give several outputs. Structurally equal terms are evaluated once.
    """

    def __init__(self, inputs: Sequence[FNode]) -> None:
        self._inputs = len(inputs)
        self._operations: list[tuple[str, tuple[int, ...]]] = []
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        self._shared: dict[FNode, int] = {symbol: 2 + index for index, symbol in enumerate(inputs)}
        self._outputs: list[int] = []

    @staticmethod
    def decided(known: Mapping[FNode, bool]) -> dict[FNode, int]:
        """The numbers of variables whose values are known, to which ``number`` adds what depends on them."""
        return {symbol: _TRUE if value else _FALSE for symbol, value in known.items()}

    def number(self, term: FNode, local: dict[FNode, int] | None = None) -> int:
        """The number of a term's value, where some variables are ``decided``. Terms with the same number have
        the same value."""
        local = {} if local is None else local
        stack = [term]
        while stack:
            node = stack[-1]
            if node in local or node in self._shared:
                stack.pop()
                continue
            missing = [part for part in node.args() if part not in local and part not in self._shared]
            if missing:
                stack.extend(missing)
                continue
            parts = [local[part] if part in local else self._shared[part] for part in node.args()]
            target = local if any(part in local for part in node.args()) else self._shared
            target[node] = self._fold(node, parts)
            stack.pop()
        return local[term] if term in local else self._shared[term]

    def constant(self, number: int) -> bool | None:
        """The value, if the number stands for a constant; otherwise None."""
        return {_FALSE: False, _TRUE: True}.get(number)

    def output(self, number: int) -> int:
        """Adds an output and returns its place among them."""
        self._outputs.append(number)
        return len(self._outputs) - 1

    def compile(self) -> Compiled:
        """The function that evaluates the outputs added so far."""
        return Compiled(_source(self._inputs, self._operations, self._outputs), len(self._outputs))

    def _fold(self, node: FNode, parts: list[int]) -> int:
        kind = node.node_type()
        if kind == AND:
            return self._junction("&", parts, unit=_TRUE, zero=_FALSE)
        if kind == OR:
            return self._junction("|", parts, unit=_FALSE, zero=_TRUE)
        if kind == NOT:
            return self._not(parts[0])
        if kind == IFF:
            return self._same(parts[0], parts[1])
        if kind == ITE:
            return self._choice(*parts)
        if kind == BOOL_CONSTANT:
            return _TRUE if node.constant_value() else _FALSE
        if kind == SYMBOL:
            raise ValueError(f"the variable {node.symbol_name()} is not among the inputs")
        raise ValueError(f"not a boolean term of this project: {node}")

    def _operation(self, name: str, parts: tuple[int, ...]) -> int:
        key = (name, parts)
        if key not in self._numbers:
            self._numbers[key] = 2 + self._inputs + len(self._operations)
            self._operations.append(key)
        return self._numbers[key]

    def _junction(self, name: str, parts: Iterable[int], unit: int, zero: int) -> int:
        kept = tuple(sorted({part for part in parts if part != unit}))
        if zero in kept:
            return zero
        if len(kept) < 2:
            return kept[0] if kept else unit
        return self._operation(name, kept)

    def _not(self, part: int) -> int:
        if part in (_FALSE, _TRUE):
            return _TRUE - part
        name, parts = self._operations[part - 2 - self._inputs] if part >= 2 + self._inputs else ("", ())
        return parts[0] if name == "~" else self._operation("~", (part,))

    def _same(self, one: int, other: int) -> int:
        one, other = sorted((one, other))
        if one == other:
            return _TRUE
        if one == _TRUE:
            return other
        return self._not(other) if one == _FALSE else self._not(self._operation("^", (one, other)))

    def _choice(self, condition: int, then: int, otherwise: int) -> int:
        if then == otherwise or condition == _TRUE:
            return then
        if condition == _FALSE:
            return otherwise
        if then in (_FALSE, condition) or otherwise in (_FALSE, _TRUE, condition) or then == _TRUE:
            yes = self._junction("&", (condition, then), _TRUE, _FALSE)
            no = self._junction("&", (self._not(condition), otherwise), _TRUE, _FALSE)
            return self._junction("|", (yes, no), _FALSE, _TRUE)
        return self._operation("?", (condition, then, otherwise))


class Compiled:
    """Evaluates the outputs of a program. It is pickled as its source, and compiled again elsewhere."""

    def __init__(self, source: str, outputs: int) -> None:
        self.source = source
        self.outputs = outputs
        scope: dict[str, Any] = {}
        exec(compile(source, "<compiled terms>", "exec"), scope)
        self._run = scope["run"]

    def __reduce__(self) -> tuple[type[Compiled], tuple[str, int]]:
        return Compiled, (self.source, self.outputs)

    def __call__(self, values: Sequence[Array]) -> list[Array]:
        """The outputs for the inputs' values, as arrays of the same kind and shape.

        Two outputs may be the same array.
        """
        zeros = np.zeros_like(values[0])
        result: list[Array] = self._run(values, zeros, ~zeros)
        return result


def _source(
    inputs: int, operations: Sequence[tuple[str, tuple[int, ...]]], outputs: Sequence[int]
) -> str:
    """Python source: a few statements per operation. A register is used again when its value is no longer
    needed."""
    first = 2 + inputs
    needed = _needed(first, operations, outputs)
    last_use: dict[int, int] = {}
    for number in needed:
        last_use.update(dict.fromkeys(operations[number - first][1], number))
    last_use.update(dict.fromkeys(outputs, first + len(operations)))
    register = {_FALSE: "z", _TRUE: "o"} | {2 + index: f"v[{index}]" for index in range(inputs)}
    free: list[str] = []
    lines: list[str] = []
    for number in needed:
        name, parts = operations[number - first]
        own = free.pop() if free else f"r{len(lines)}"
        lines.append(_statement(own, name, [register[part] for part in parts]))
        register[number] = own
        free += [register[part] for part in set(parts) if part >= first and last_use[part] == number]
    body = "".join(f" {line}\n" for line in lines)
    return f"def run(v, z, o):\n{body} return [{', '.join(register[number] for number in outputs)}]\n"


def _needed(
    first: int, operations: Sequence[tuple[str, tuple[int, ...]]], outputs: Sequence[int]
) -> list[int]:
    wanted = set(outputs)
    for number in range(first + len(operations) - 1, first - 1, -1):
        if number in wanted:
            wanted.update(operations[number - first][1])
    return sorted(number for number in wanted if number >= first)


def _statement(own: str, name: str, parts: Sequence[str]) -> str:
    if name == "~":
        return f"{own} = ~{parts[0]}"
    if name == "?":
        condition, then, otherwise = parts
        return f"{own} = {then} ^ {otherwise}; {own} &= {condition}; {own} ^= {otherwise}"
    rest = "".join(f"; {own} {name}= {part}" for part in parts[2:])
    return f"{own} = {parts[0]} {name} {parts[1]}{rest}"
