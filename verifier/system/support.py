"""The leaves of the state on which a term depends."""

from __future__ import annotations

from collections.abc import Iterable

from pysmt.fnode import FNode

from verifier.encodings.layout import Layout


class Support:
    """The leaves that terms read. What was found for a part of a term is kept."""

    def __init__(self, layout: Layout) -> None:
        self._leaf_of = {bit: index for index, leaf in enumerate(layout.leaves) for bit in leaf.bits}
        self._memo: dict[FNode, int] = {bit: 1 << index for bit, index in self._leaf_of.items()}

    def leaves(self, terms: Iterable[FNode]) -> frozenset[int]:
        """The leaves (by index) that occur in any of the terms."""
        mask = 0
        for term in terms:
            mask |= self._mask(term)
        return frozenset(index for index in range(mask.bit_length()) if mask >> index & 1)

    def _mask(self, root: FNode) -> int:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._memo:
                stack.pop()
                continue
            missing = [argument for argument in node.args() if argument not in self._memo]
            if missing:
                stack.extend(missing)
                continue
            mask = 0  # the bits of free parameters are no state
            for argument in node.args():
                mask |= self._memo[argument]
            self._memo[node] = mask
            stack.pop()
        return self._memo[root]
