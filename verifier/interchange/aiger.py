"""Circuits in AIGER, version 1.0, which every reader supports: http://fmv.jku.at/aiger/.

Each property has an output for its bad states. In this version all latches start with 0. So if a bit is 1
initially, its latch holds the negation, and the latch's symbol says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pysmt import operators as op
from pysmt.fnode import FNode

from verifier.encodings.bits import in_order
from verifier.interchange.circuit import Circuit
from verifier.printable import encode


@dataclass(frozen=True)
class Aiger:
    """A circuit of and-gates over literals: a variable doubled, plus one where it is negated."""

    circuit: Circuit
    literals: dict[FNode, int]
    """The literals of all inputs, of the symbols and functions of all latches, and of the bad states."""
    gates: tuple[tuple[int, int], ...]
    """The inputs of each gate, the greater first. Inputs, latches and gates are numbered in this order."""

    def binary(self, comments: Sequence[str]) -> bytes:
        """The contents of a binary file, ``.aig``."""
        head = [self._header("aig"), *(str(following) for _, following in self._latches())]
        lines = "".join(f"{line}\n" for line in (*head, *map(str, self.outputs())))
        first = 2 * (len(self.circuit.inputs) + len(self.circuit.latches) + 1)
        gates = bytearray()
        for index, (greater, less) in enumerate(self.gates):
            gates += _pack(first + 2 * index - greater) + _pack(greater - less)
        return lines.encode() + bytes(gates) + encode(self._tail(comments))

    def ascii(self, comments: Sequence[str]) -> str:
        """The contents of a readable file, ``.aag``."""
        inputs = (str(self.literals[symbol]) for symbol in self.circuit.inputs)
        latches = (f"{variable} {following}" for variable, following in self._latches())
        first = 2 * (len(self.circuit.inputs) + len(self.circuit.latches) + 1)
        gates = (f"{first + 2 * i} {greater} {less}" for i, (greater, less) in enumerate(self.gates))
        lines = (self._header("aag"), *inputs, *latches, *map(str, self.outputs()), *gates)
        return "".join(f"{line}\n" for line in lines) + self._tail(comments)

    def outputs(self) -> list[int]:
        """Return for each property the literal of its bad states."""
        return [self.literals[formula] for formula in self.circuit.bad.values()]

    def _header(self, kind: str) -> str:
        inputs, latches, gates = len(self.circuit.inputs), len(self.circuit.latches), len(self.gates)
        return f"{kind} {inputs + latches + gates} {inputs} {latches} {len(self.circuit.bad)} {gates}"

    def _latches(self) -> Iterable[tuple[int, int]]:
        """Return for each latch the literal of its variable and the literal of its next value."""
        for latch in self.circuit.latches:
            yield self.literals[latch.symbol] ^ latch.reset, self.literals[latch.following] ^ latch.reset

    def _tail(self, comments: Sequence[str]) -> str:
        """The table of symbols, and comments."""
        circuit = self.circuit
        names = [f"i{index} {symbol.symbol_name()}" for index, symbol in enumerate(circuit.inputs)]
        for index, latch in enumerate(circuit.latches):
            names.append(f"l{index} {'not ' if latch.reset else ''}{latch.symbol.symbol_name()}")
        names += (f"o{index} {name}" for index, name in enumerate(circuit.bad))
        return "".join(f"{' '.join(line.splitlines())}\n" for line in (*names, "c", *comments))


def aiger(circuit: Circuit) -> Aiger:
    """The circuit as and-gates."""
    symbols = (*circuit.inputs, *(latch.symbol for latch in circuit.latches))
    literals = {symbol: 2 * variable for variable, symbol in enumerate(symbols, 1)}
    for latch in circuit.latches:
        literals[latch.symbol] ^= latch.reset
    gates = _Gates(len(symbols) + 1)
    order, _ = in_order([*(latch.following for latch in circuit.latches), *circuit.bad.values()])
    for node in order:
        if node not in literals:
            literals[node] = gates.literal(node, [literals[argument] for argument in node.args()])
    return Aiger(circuit, literals, tuple(gates.known))


class _Gates:
    """And-gates, one for each pair of literals. In AIGER the literal 0 is false and 1 is true."""

    def __init__(self, first: int) -> None:
        self._first = first
        self.known: dict[tuple[int, int], int] = {}

    def literal(self, node: FNode, arguments: Sequence[int]) -> int:
        """The literal of a term, given those of its arguments."""
        kind = node.node_type()
        if kind == op.BOOL_CONSTANT:
            return int(node.constant_value())
        if kind == op.NOT:
            return arguments[0] ^ 1
        if kind == op.AND:
            return self._all(arguments)
        if kind == op.OR:
            return self._any(arguments)
        if kind == op.IMPLIES:
            return self._any((arguments[0] ^ 1, arguments[1]))
        if kind == op.IFF:
            return self._choice(arguments[0], arguments[1], arguments[1] ^ 1)
        if kind == op.ITE:
            return self._choice(*arguments)
        raise TypeError(f"not a boolean term: {node}")

    def _choice(self, condition: int, then: int, otherwise: int) -> int:
        return self._any((self._all((condition, then)), self._all((condition ^ 1, otherwise))))

    def _any(self, literals: Iterable[int]) -> int:
        return self._all(literal ^ 1 for literal in literals) ^ 1

    def _all(self, literals: Iterable[int]) -> int:
        result = 1
        for literal in literals:
            result = self._both(max(result, literal), min(result, literal))
        return result

    def _both(self, greater: int, less: int) -> int:
        if less == 0 or greater == less ^ 1:
            return 0
        if less in (1, greater):
            return greater
        return self.known.setdefault((greater, less), 2 * (self._first + len(self.known)))


def _pack(number: int) -> bytes:
    """Seven bits to a byte, the least significant first. The eighth bit says whether more bytes follow."""
    result = bytearray()
    while number >= 128:
        result.append(number & 127 | 128)
        number >>= 7
    return bytes((*result, number))
