"""Theorems and assumptions of a module: their named formulas, and their proofs."""

from __future__ import annotations

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.proofs import Proofs, StatementReader
from verifier.tla.scope import Scope
from verifier.tla.text import text_of


class Statements:
    """Reads the theorems and assumptions of one module."""

    def __init__(self, reader: StatementReader) -> None:
        self.reader, self.made = reader, reader.made
        self.proofs = Proofs(reader)

    def assumption(self, node: Node, scope: Scope) -> None:
        """Read an ASSUME."""
        name = node.child_by_field_name("name")
        if any(child.type == "assume_prove" for child in node.named_children):
            return
        body = self._statement(name, node.named_children[-1], scope)
        self.made.assumptions.append(ast.Assumption(text_of(name) if name is not None else None, body))

    def theorem(self, node: Node, scope: Scope) -> None:
        """Read a theorem, which is a name for its formula."""
        name, statement = node.child_by_field_name("name"), node.child_by_field_name("statement")
        read: Expression | None = None
        if statement is not None and statement.type == "assume_prove":
            self.made.proved |= {text_of(name)} if name is not None else set()
        elif statement is not None:
            read = self._statement(name, statement, scope)
            self.made.theorems.append(read)
        self.proofs.theorem(node, read, scope)

    def _statement(self, name: Node | None, node: Node, scope: Scope) -> Expression:
        """Read the formula of a theorem or an assumption, and define its name."""
        if name is None:
            return self.reader.expressions.read(node, scope)
        body, labels = self.reader.expressions.labels.collect(node, scope)
        made = self.reader.define(text_of(name), (), body, scope, self.reader.source.place(name))
        made.labels, made.statement = labels, True
        return body
