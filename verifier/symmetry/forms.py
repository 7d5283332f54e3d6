"""Numbers for terms: equal numbers, equal terms up to the order of operands."""

from __future__ import annotations

from collections.abc import Mapping

from pysmt import operators as op
from pysmt.fnode import FNode

_ANY_ORDER = (op.AND, op.OR, op.IFF)

Bits = Mapping[FNode, FNode]
"""The image of each bit; those not named stay."""


class Forms:
    """Numbers for terms: equal numbers, equal terms up to the order of operands."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}

    def under(self, bits: Bits) -> Form:
        """The numbers of terms whose bits are written as others."""
        return Form(self._numbers, bits)


class Form:
    """The numbers of terms under one writing of bits."""

    def __init__(self, numbers: dict[tuple[object, ...], int], bits: Bits) -> None:
        self._numbers = numbers
        self._bits = bits
        self._known: dict[FNode, int] = {}

    def of(self, term: FNode) -> int:
        """The number of a term."""
        known, stack = self._known, [term]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            missing = [part for part in node.args() if part not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            known[node] = self._numbers.setdefault(self._key(node), len(self._numbers))
        return known[term]

    def _key(self, node: FNode) -> tuple[object, ...]:
        kind = node.node_type()
        if not node.args():
            return (self._bits.get(node, node),)
        parts = [self._known[part] for part in node.args()]
        return (kind, *(sorted(parts) if kind in _ANY_ORDER else parts))
