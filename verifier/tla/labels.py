"""Labelled parts of definitions: ``P(x):: e`` is named by ``Op!P(x)`` elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from verifier.tla.ast import Bound, Definition, Expression, Label, Parameter, Symbol
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

    def collected(
        self, node: Node, scope: Scope, outer: Scope | None = None
    ) -> tuple[Expression, dict[str, Label]]:
        """An expression with the labels in it that stand in no other label. They name what is bound within
        ``outer``, which is the scope if nothing is said."""
        before = self._outer, self._found
        self._outer, self._found = outer or scope, {}
        try:
            return self.expressions.read(node, scope), self._found
        finally:
            self._outer, self._found = before

    def read(self, node: Node, scope: Scope) -> Expression:
        """The expression that has a label. Raises TlaError unless the label names what is bound around it."""
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
        part, labels = self.collected(body, scope)
        parameters = tuple(Parameter(one) for one in own)
        names: dict[Symbol, Symbol] = {bound[one.name]: one for one in parameters}
        self._found[name] = Label(parameters, names, part, labels, lets)
        return part


def _between(scope: Scope, outer: Scope) -> tuple[dict[str, Bound | Parameter], tuple[list[Definition], ...]]:
    """What is bound between a scope and one inside of it, by its name, and the definitions of the LETs there,
    the outermost first."""
    bound: dict[str, Bound | Parameter] = {}
    lets: list[list[Definition]] = []
    one: Scope | None = scope
    while one is not None and one is not outer:
        bound |= {name: made for name, made in one.names.items() if isinstance(made, Bound | Parameter)}
        if one.made is not None and one.made is not outer.made and all(one.made is not let for let in lets):
            lets.append(one.made)
        one = one.around
    return bound, tuple(reversed(lets))
