"""Labelled parts of definitions: elsewhere, ``Op!P(x)`` refers to ``P(x):: e``.

Source: Lamport, TLA+2: A Preliminary Guide, section 3.
"""

from __future__ import annotations

from typing import Protocol

from tree_sitter import Node

from verifier.tla.ast import Bound, Definition, Expression, Label, Parameter, Symbol
from verifier.tla.errors import Place, TlaError
from verifier.tla.scope import Scope
from verifier.tla.text import field_of, text_of


class ExpressionReader(Protocol):
    """The reader of expressions, as labels need it."""

    updating: int
    """The number of EXCEPTs around the text that define @."""

    def place(self, node: Node) -> Place:
        """Return the place where a node begins."""

    def read(self, node: Node, scope: Scope) -> Expression:
        """Read the expression of a node."""


class Labels:
    """Reads labels, and collects those of the current definition."""

    def __init__(self, expressions: ExpressionReader) -> None:
        self.expressions = expressions
        self._outer: Scope | None = None
        self._found: dict[str, Label] = {}

    def collect(
        self, node: Node, scope: Scope, outer: Scope | None = None
    ) -> tuple[Expression, dict[str, Label]]:
        """Read an expression. Return it with its labels that are in no other label. The labels name what is
        bound within ``outer``, by default within the scope."""
        before = self._outer, self._found
        self._outer, self._found = outer or scope, {}
        try:
            return self.expressions.read(node, scope), self._found
        finally:
            self._outer, self._found = before

    def read(self, node: Node, scope: Scope) -> Expression:
        """Read a labelled expression. Raises TlaError unless the label names exactly what is bound around
        it."""
        place, outer = self.expressions.place(node), self._outer
        if outer is None:
            raise TlaError(place, "a label stands in a definition, a named theorem or a named assumption")
        if self.expressions.updating:
            raise TlaError(place, "a label cannot stand in what EXCEPT assigns: define that by itself")
        body = field_of(node, "expression")
        name = text_of(field_of(node, "name"))
        own = [text_of(child) for child in node.children_by_field_name("parameter") if child.is_named]
        bound, lets = _between(scope, outer)
        if sorted(own) != sorted(bound):
            shown = f"{name}({', '.join(sorted(bound))})" if bound else name
            raise TlaError(place, f"a label names all that is bound around it, and nothing else: {shown}::")
        if name in self._found:
            raise TlaError(place, f"the label {name} stands here twice")
        part, labels = self.collect(body, scope)
        parameters = tuple(Parameter(one) for one in own)
        names: dict[Symbol, Symbol] = {bound[one.name]: one for one in parameters}
        self._found[name] = Label(parameters, names, part, labels, lets)
        return part


def _between(scope: Scope, outer: Scope) -> tuple[dict[str, Bound | Parameter], tuple[list[Definition], ...]]:
    """Return the names bound between a scope and one inside it, and the definitions of the LETs there. The
    outermost LET comes first."""
    bound: dict[str, Bound | Parameter] = {}
    lets: list[list[Definition]] = []
    one: Scope | None = scope
    while one is not None and one is not outer:
        bound |= {name: made for name, made in one.names.items() if isinstance(made, Bound | Parameter)}
        if one.made is not None and one.made is not outer.made and all(one.made is not let for let in lets):
            lets.append(one.made)
        one = one.around
    return bound, tuple(reversed(lets))
