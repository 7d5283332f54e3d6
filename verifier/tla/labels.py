"""Labelled parts of definitions: ``P(x):: e`` is named by ``Op!P(x)`` elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from verifier.tla.ast import Expression, Label, Parameter
from verifier.tla.errors import TlaError
from verifier.tla.scope import Scope
from verifier.tla.text import field_of, text_of

if TYPE_CHECKING:
    from verifier.tla.expressions import Expressions


class Labels:
    """Reads labels, and collects those of the definition that is being read."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self._outer: Scope | None = None
        self._found: dict[str, Label] = {}

    def collected(self, node: Node, scope: Scope) -> tuple[Expression, dict[str, Label]]:
        """An expression with the labels in it that stand in no other label."""
        before = self._outer, self._found
        self._outer, self._found = scope, {}
        try:
            return self.expressions.read(node, scope), self._found
        finally:
            self._outer, self._found = before

    def read(self, node: Node, scope: Scope) -> Expression:
        """The expression that has a label. Raises TlaError unless the label names what is bound around it."""
        body = field_of(node, "expression")
        if self._outer is None:
            return self.expressions.read(body, scope)
        name = text_of(field_of(node, "name"))
        own = [text_of(child) for child in node.children_by_field_name("parameter") if child.is_named]
        bound = scope.bound_since(self._outer)
        place = self.expressions.place(node)
        if sorted(own) != sorted(bound):
            shown = f"{name}({', '.join(sorted(bound))})" if bound else name
            raise TlaError(place, f"a label names all that is bound around it, and nothing else: {shown}::")
        if name in self._found:
            raise TlaError(place, f"the label {name} stands here twice")
        inner, parameters = scope.inner(), tuple(Parameter(one) for one in own)
        inner.names |= {one.name: one for one in parameters}
        part, labels = self.collected(body, inner)
        self._found[name] = Label(parameters, part, labels, scope.made is not self._outer.made)
        # Elsewhere what is bound is a parameter, so the part is read twice.
        return self.collected(body, scope)[0] if own else part
