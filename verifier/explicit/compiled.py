"""Boolean terms compiled to straight-line NumPy code, common subterms shared.

It runs on slices (arrays of 64-bit words, a bit per state) as well as on arrays of booleans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pysmt.fnode import FNode
from pysmt.operators import AND, BOOL_CONSTANT, IFF, ITE, NOT, OR, SYMBOL

Array: TypeAlias = NDArray[Any]
"""The values of one bit: a slice of uint64, or an array of bool. All inputs have one shape."""

_FALSE, _TRUE = 0, 1
"""The numbers of the constants; inputs follow from 2."""
Operation: TypeAlias = tuple[str, tuple[int, ...]]
"""Its name, and the numbers of its parts."""
Statement: TypeAlias = tuple[int, str, tuple[int, ...]]
"""The register of the result, the name of the operation, and the registers of its parts."""


class Program:
    """Collects terms to evaluate; ``compile`` makes the function that evaluates all of them.

    A caller adds a term together with values for some of its variables, namely the bits of free parameters.
    So one term can give several outputs. Structurally equal terms are evaluated once.
    """

    def __init__(self, inputs: Sequence[FNode]) -> None:
        self._inputs = len(inputs)
        self._operations: list[Operation] = []
        self._numbers: dict[Operation, int] = {}
        self._shared: dict[FNode, int] = {symbol: 2 + index for index, symbol in enumerate(inputs)}
        self._outputs: list[int] = []

    @staticmethod
    def number_known_variables(known: Mapping[FNode, bool]) -> dict[FNode, int]:
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
        return Compiled(_allocate(self._inputs, self._operations, self._outputs))

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


@dataclass(frozen=True)
class Code:
    """Statements, one after the other. The registers are numbered: the constants, the inputs, and then those
    that are used again when their value is no longer needed."""

    inputs: int
    statements: tuple[Statement, ...]
    outputs: tuple[int, ...]
    """Registers."""

    @property
    def registers(self) -> int:
        """Return how many there are."""
        return 1 + max((target for target, _, _ in self.statements), default=1 + self.inputs)

    def as_source(self) -> str:
        """Return the statements as a function in Python."""
        first = 2 + self.inputs
        names = ["z", "o", *(f"v[{index}]" for index in range(self.inputs))]
        names += [f"r{number}" for number in range(first, self.registers)]
        lines = [
            _statement(names[target], name, [names[part] for part in parts])
            for target, name, parts in self.statements
        ]
        body = "".join(f" {line}\n" for line in lines)
        return f"def run(v, z, o):\n{body} return [{', '.join(names[number] for number in self.outputs)}]\n"


class Compiled:
    """Evaluates the outputs of a program. It is pickled as its code, and compiled again elsewhere."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.source = code.as_source()
        self.outputs = len(code.outputs)
        scope: dict[str, Any] = {}
        exec(compile(self.source, "<compiled terms>", "exec"), scope)
        self._run = scope["run"]

    def __reduce__(self) -> tuple[type[Compiled], tuple[Code]]:
        return Compiled, (self.code,)

    def __call__(self, values: Sequence[Array]) -> list[Array]:
        """The outputs for the inputs' values, as arrays of the same kind and shape.

        Two outputs may be the same array.
        """
        zeros = np.zeros_like(values[0])
        result: list[Array] = self._run(values, zeros, ~zeros)
        return result


def _allocate(inputs: int, operations: Sequence[Operation], outputs: Sequence[int]) -> Code:
    """A statement per operation. A register is used again when its value is no longer needed."""
    first = 2 + inputs
    operations, outputs = _in_pairs(first, operations, outputs)
    last_use: dict[int, int] = {}
    for number, (_, parts) in enumerate(operations, first):
        last_use.update(dict.fromkeys(parts, number))
    last_use.update(dict.fromkeys(outputs, first + len(operations)))
    register = list(range(first))
    free: list[int] = []
    used = first
    statements: list[Statement] = []
    for number, (name, parts) in enumerate(operations, first):
        done = [part for part in dict.fromkeys(parts) if part >= first and last_use[part] == number]
        if name in "&|^" and done:  # the register of a part that is needed no more takes the result
            own, other = done[0], parts[parts[0] == done[0]]
            statements.append((register[own], name, (register[own], register[other])))
            register.append(register[own])
            done = done[1:]
        else:
            target = free.pop() if free else used
            used = max(used, target + 1)
            statements.append((target, name, tuple([register[part] for part in parts])))
            register.append(target)
        free += [register[part] for part in done]
    return Code(inputs, tuple(statements), tuple([register[number] for number in outputs]))


def _in_pairs(
    first: int, operations: Sequence[Operation], outputs: Sequence[int]
) -> tuple[list[Operation], list[int]]:
    """The nodes that the outputs need, with junctions of two parts, and the numbers of the outputs.

    A junction joins those parts first that most others of its kind have, and junctions that begin with the
    same parts share what these make. In which order parts are joined and how they are grouped changes no
    value."""
    needed = _list_needed(first, operations, outputs)
    uses: dict[str, Counter[int]] = {"&": Counter(), "|": Counter()}
    for number in needed:
        name, parts = operations[number - first]
        if name in uses:
            uses[name].update(parts)
    made: dict[Operation, int] = {}
    new = {number: number for number in range(first)}
    for number in needed:
        name, parts = operations[number - first]
        if name in uses:
            common = uses[name]
            whole, *others = [new[part] for part in sorted(parts, key=lambda part: (-common[part], part))]
            for other in others:
                if other != whole:
                    whole = made.setdefault((name, (whole, other)), first + len(made))
            new[number] = whole
        else:
            operation = (name, tuple([new[part] for part in parts]))
            new[number] = made.setdefault(operation, first + len(made))
    return list(made), [new[number] for number in outputs]


def _list_needed(first: int, operations: Sequence[Operation], outputs: Sequence[int]) -> list[int]:
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
    return f"{own} {name}= {parts[1]}" if own == parts[0] else f"{own} = {parts[0]} {name} {parts[1]}"
