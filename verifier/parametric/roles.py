"""The counts that formulas bound."""

from __future__ import annotations

from collections.abc import Container

from verifier.parametric.nodes import BOOL, INT, Node


class Roles:
    """The numbers with a lower bound, and those with an upper bound."""

    def __init__(self, counts: Container[object]) -> None:
        self._counts = counts
        self._seen = set[tuple[Node, int]]()
        self.low: dict[Node, None] = {}
        self.high: dict[Node, None] = {}

    @property
    def all(self) -> dict[Node, None]:
        """Return both."""
        return self.low | self.high

    def learn(self, node: Node, sign: int = 1) -> None:
        """Learn from a formula that is true (1), false (-1) or either (0)."""
        if (node, sign) in self._seen:
            return
        self._seen.add((node, sign))
        match node.kind:
            case "not":
                self.learn(node.args[0], -sign)
            case "<=":
                self._count(node.args[0], -sign)
                self._count(node.args[1], sign)
            case "=" if node.args[0].sort == INT:
                for arg in node.args:
                    self._count(arg, 0)
            case "ite" | "=":
                for arg in node.args:
                    self.learn(arg, 0)
            case "forall" | "exists":
                pass
            case "app":
                for arg in node.args:
                    self._count(arg, 0)
            case _:
                for arg in node.args:
                    self.learn(arg, sign)

    def _count(self, node: Node, sign: int) -> None:
        """Learn from an integer with a lower bound (1), an upper bound (-1) or either (0)."""
        if node.free or node.quantified:
            return
        if node.kind == "sum":
            for factor, arg in zip(node.data[0], node.args, strict=True):
                self._count(arg, sign if factor > 0 else -sign)
        elif node.kind == "app" and node.data in self._counts:
            if sign >= 0:
                self.low.setdefault(node)
            if sign <= 0:
                self.high.setdefault(node)
        else:
            for arg in node.args:
                self.learn(arg, 0) if arg.sort == BOOL else self._count(arg, 0)
