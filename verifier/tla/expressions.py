"""Expressions: from the parser's tree to the abstract syntax, with every name resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.errors import Place, TlaError, integer, takes_not
from verifier.tla.fairness import meaning_of_fairness
from verifier.tla.labels import Labels
from verifier.tla.operators import Operators
from verifier.tla.scope import Apart, Scope
from verifier.tla.text import Source, field_of, text_of

_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\f": "\f", "\\r": "\r", '\\"': '"', "\\\\": "\\"}


class DefinitionReader(Protocol):
    """The reader of the module around expressions, as they need it."""

    source: Source
    made: ast.Module

    def apart(self) -> ast.Module | None:
        """Return the module of an instance with variables of its own, if that makes a difference."""

    def definitions(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Read definitions into a scope."""

    def note_plain(self, named: ast.Definition) -> None:
        """Record that the text mentions a definition without the name of an instance."""


class Expressions(Operators):
    """Reads the expressions of one file."""

    def __init__(self, reader: DefinitionReader) -> None:
        self.reader = reader
        self.source = reader.source
        self.labels = Labels(self)
        self.updating = 0
        """The number of EXCEPTs around the text that define @."""
        self.forms: dict[str, Callable[[Node, Scope], Expression]] = {
            "nat_number": lambda n, s: self._number(text_of(n), n, 10),
            "binary_number": lambda n, s: self._number(text_of(n)[2:], n, 2),
            "octal_number": lambda n, s: self._number(text_of(n)[2:], n, 8),
            "hex_number": lambda n, s: self._number(text_of(n)[2:], n, 16),
            "real_number": self._real_number,
            "string": self._string,
            "parentheses": lambda n, s: self.read(n.named_children[0], s),
            "label": self.labels.read,
            "bounded_quantification": self._quantifier,
            "unbounded_quantification": self._read_unbounded,
            "choose": self._choose,
            "finite_set_literal": lambda n, s: ast.SetOf(self._all(n.named_children, s), place=self.place(n)),
            "set_filter": self._filter,
            "set_map": self._image,
            "function_evaluation": self._function_apply,
            "function_literal": self._function,
            "set_of_functions": self._function_set,
            "record_literal": lambda n, s: ast.Record(self._fields(n, s), place=self.place(n)),
            "set_of_records": lambda n, s: ast.RecordSet(self._fields(n, s), place=self.place(n)),
            "record_value": self._field_of,
            "except": self._except,
            "prev_func_val": lambda n, s: self._at(n),
            "tuple_literal": lambda n, s: ast.Tuple(
                self._all(n.named_children[1:-1], s), place=self.place(n)
            ),
            "step_expr_or_stutter": self._step,
            "step_expr_no_stutter": self._step,
            "fairness": self._fairness,
            "if_then_else": self._if,
            "case": self._case,
            "let_in": self._let,
            "conj_list": self._junction,
            "disj_list": self._junction,
            **self.operator_forms(),
        }

    def place(self, node: Node) -> Place:
        """Return the place where a node begins."""
        return self.source.place(node)

    def note_plain(self, named: ast.Definition) -> None:
        """Record that the text mentions a definition without the name of an instance."""
        self.reader.note_plain(named)

    def _number(self, digits: str, node: Node, base: int) -> Expression:
        place = self.place(node)
        return ast.Number(integer(digits, place, base), place=place)

    def _real_number(self, node: Node, scope: Scope) -> Expression:
        raise TlaError(self.place(node), f"{text_of(node)} is not an integer, and TLC has no other numbers")

    def read(self, node: Node, scope: Scope) -> Expression:
        """Read the expression of a node."""
        form = self.forms.get(node.type)
        if form is None:
            raise TlaError(self.place(node), f"this {node.type.replace('_', ' ')} is not supported")
        return form(node, scope)

    def _all(self, nodes: list[Node], scope: Scope) -> tuple[Expression, ...]:
        return tuple(self.read(node, scope) for node in nodes)

    def _string(self, node: Node, scope: Scope) -> Expression:
        inside = text_of(node)[1:-1]
        pieces, position = [], 0
        while position < len(inside):
            taken = inside[position : position + 2] if inside[position] == "\\" else inside[position]
            if len(taken) == 2 and taken not in _ESCAPES:
                raise TlaError(self.place(node), f"{taken} is nothing in a string: for \\ say \\\\")
            pieces.append(_ESCAPES.get(taken, taken))
            position += len(taken)
        return ast.String("".join(pieces), place=self.place(node))

    def bindings(
        self, nodes: list[Node], scope: Scope, around: Scope | None = None
    ) -> tuple[tuple[ast.Binding, ...], Scope]:
        """Read the bounds of a quantifier. Return them with the scope of their names, inside ``around``.
        Their sets are read outside this scope."""
        inner, bindings = (around or scope).inner(), []
        sets = [self.read(field_of(node, "set"), scope) for node in nodes]
        for node, domain in zip(nodes, sets, strict=True):
            intro = [child for child in node.children_by_field_name("intro") if child.is_named]
            if intro[0].type == "tuple_of_identifiers":
                names = [child for child in intro[0].named_children if child.type == "identifier"]
                bindings.append(ast.Binding(self._read_bound_names(names, inner), True, domain))
            else:
                bindings += [
                    ast.Binding(self._read_bound_names([name], inner), False, domain) for name in intro
                ]
        return tuple(bindings), inner

    def _read_bound_names(self, names: list[Node], scope: Scope) -> tuple[ast.Bound, ...]:
        made = tuple(ast.Bound(text_of(name)) for name in names)
        for name, bound in zip(names, made, strict=True):
            scope.declare(bound.name, bound, self.place(name))
        return made

    def _quantifier(self, node: Node, scope: Scope) -> Expression:
        nodes = [child for child in node.children_by_field_name("bound") if child.is_named]
        bindings, inner = self.bindings(nodes, scope)
        universal = field_of(node, "quantifier").type == "forall"
        body = self.read(field_of(node, "expression"), inner)
        return ast.Quantifier(universal, bindings, body, place=self.place(node))

    def _read_unbounded(self, node: Node, scope: Scope) -> Expression:
        kinds = {"forall": "\\A", "exists": "\\E", "temporal_forall": "\\AA", "temporal_exists": "\\EE"}
        inner = scope.inner()
        names = [child for child in node.children_by_field_name("intro") if child.type == "identifier"]
        bound = self._read_bound_names(names, inner)
        body = self.read(field_of(node, "expression"), inner)
        kind = kinds[field_of(node, "quantifier").type]
        return ast.Unbounded(kind, bound, body, place=self.place(node))

    def _choose(self, node: Node, scope: Scope) -> Expression:
        intro, domain = field_of(node, "intro"), node.child_by_field_name("set")
        inner = scope.inner()
        read = self.read(domain, scope) if domain is not None else None
        is_tuple = intro.type == "tuple_of_identifiers"
        names = [n for n in intro.named_children if n.type == "identifier"] if is_tuple else [intro]
        bound = self._read_bound_names(names, inner)
        body = self.read(field_of(node, "expression"), inner)
        if read is None:
            return ast.Unbounded("CHOOSE", bound, body, place=self.place(node))
        return ast.Choose(ast.Binding(bound, is_tuple, read), body, place=self.place(node))

    def _filter(self, node: Node, scope: Scope) -> Expression:
        (binding,), inner = self.bindings([field_of(node, "generator")], scope)
        return ast.Filter(binding, self.read(field_of(node, "filter"), inner), place=self.place(node))

    def _image(self, node: Node, scope: Scope) -> Expression:
        nodes = [child for child in node.children_by_field_name("generator") if child.is_named]
        bindings, inner = self.bindings(nodes, scope)
        return ast.Image(self.read(field_of(node, "map"), inner), bindings, place=self.place(node))

    def _function_apply(self, node: Node, scope: Scope) -> Expression:
        function, *arguments = self._all(node.named_children, scope)
        defined = function.operator if isinstance(function, ast.Apply) else None
        wanted = defined.takes if isinstance(defined, ast.Definition) else None
        if wanted is not None and len(arguments) not in (1, wanted):
            words = takes_not(f"the function {text_of(node.named_children[0])}", wanted, len(arguments))
            raise TlaError(self.place(node), words)
        return ast.FunctionApply(function, self.one(arguments, node), place=self.place(node))

    def one(self, arguments: list[Expression], node: Node) -> Expression:
        """Return the argument of a function: several arguments are a tuple."""
        return arguments[0] if len(arguments) == 1 else ast.Tuple(tuple(arguments), place=self.place(node))

    def _function(self, node: Node, scope: Scope) -> Expression:
        nodes = [child for child in node.named_children if child.type == "quantifier_bound"]
        bindings, inner = self.bindings(nodes, scope)
        return ast.Function(bindings, self.read(node.named_children[-1], inner), place=self.place(node))

    def _function_set(self, node: Node, scope: Scope) -> Expression:
        domain, _, image = node.named_children
        return ast.FunctionSet(self.read(domain, scope), self.read(image, scope), place=self.place(node))

    def _fields(self, node: Node, scope: Scope) -> tuple[tuple[str, Expression], ...]:
        parts = [child for child in node.named_children if child.type != "all_map_to"]
        names = [self.source.name_of(part) for part in parts[::2]]
        for name, part in zip(names, parts[::2], strict=True):
            if names.count(name) > 1:
                raise TlaError(self.place(part), f"the field {name} stands here twice")
        return tuple(zip(names, self._all(parts[1::2], scope), strict=True))

    def _field_of(self, node: Node, scope: Scope) -> Expression:
        record, name = node.named_children
        field = ast.String(self.source.name_of(name), place=self.place(name))
        return ast.FunctionApply(self.read(record, scope), field, place=self.place(node))

    def _except(self, node: Node, scope: Scope) -> Expression:
        function = self.read(field_of(node, "expr_to_update"), scope)
        updates = []
        for child in node.named_children:
            if child.type != "except_update":
                continue
            path = [
                self._step_of_path(step, scope)
                for specifier in child.children_by_field_name("update_specifier")
                for step in specifier.named_children
            ]
            self.updating += 1
            updates.append(ast.Update(tuple(path), self.read(field_of(child, "new_val"), scope)))
            self.updating -= 1
        return ast.Except(function, tuple(updates), place=self.place(node))

    def _at(self, node: Node) -> Expression:
        if not self.updating:
            raise TlaError(self.place(node), "@ has a meaning only in what EXCEPT assigns")
        return ast.At(place=self.place(node))

    def _step_of_path(self, node: Node, scope: Scope) -> Expression:
        if node.type == "except_update_record_field":
            return ast.String(self.source.name_of(node.named_children[0]), place=self.place(node))
        return self.one(list(self._all(node.named_children, scope)), node)

    def _step(self, node: Node, scope: Scope) -> Expression:
        parts = [n for n in node.named_children if not n.type.endswith(("bracket", "bracket_sub"))]
        action, subscript = self._all(parts, scope)
        return ast.Step(action, subscript, node.type == "step_expr_or_stutter", place=self.place(node))

    def _fairness(self, node: Node, scope: Scope) -> Expression:
        subscript, action = self._all(node.named_children, scope)
        place, strong = self.place(node), text_of(node).startswith("SF")
        own = self.apart(scope, place)
        if own is None:
            return ast.Fairness(strong, subscript, action, place=place)
        its_subscript, its_action = self._all(node.named_children, own.scope)
        its_step = ast.Step(its_action, its_subscript, False, place=place)
        step = ast.Step(action, subscript, False, place=place)
        return meaning_of_fairness(strong, ast.Enabled(its_step, own.values, place=place), step)

    def apart(self, scope: Scope, place: Place) -> Apart | None:
        """Return the own reading for ENABLED in an instance that substitutes expressions for variables."""
        module = self.reader.apart()
        if module is None:
            return None
        put = self.reader.made.put
        values = tuple(
            (one, self.apply(self.lookup(one.name, scope, place), (), scope, place))
            for one in module.variables
            if one.name in put
        )
        return Apart(self._move(scope, module, place), values)

    def _move(self, scope: Scope, module: ast.Module, place: Place) -> Scope:
        """Return the scope with the names of another reading of the module."""
        if scope.names is self.reader.made.names:
            return replace(scope, names=module.names)
        if any(isinstance(one, ast.Definition) for one in scope.names.values()):
            words = "ENABLED and fairness below a LET, in an instance that puts expressions for variables"
            raise TlaError(place, f"{words}, are not supported: define the action outside of it")
        assert scope.around is not None
        return replace(scope, around=self._move(scope.around, module, place))

    def _if(self, node: Node, scope: Scope) -> Expression:
        parts = (self.read(field_of(node, name), scope) for name in ("if", "then", "else"))
        return ast.If(*parts, place=self.place(node))

    def _case(self, node: Node, scope: Scope) -> Expression:
        arms, other = [], None
        for child in node.named_children:
            if child.type == "case_arm":
                guard, _, value = child.named_children
                arms.append((self.read(guard, scope), self.read(value, scope)))
            elif child.type == "other_arm":
                other = self.read(child.named_children[-1], scope)
        return ast.Case(tuple(arms), other, place=self.place(node))

    def _let(self, node: Node, scope: Scope) -> Expression:
        inner = scope.inner()
        inner.nested, inner.made = True, []
        self.reader.definitions(node.children_by_field_name("definitions"), inner)
        missing = [one for one in inner.made if one.body is None]
        if missing:
            words = f"{missing[0].name} is declared RECURSIVE and never defined"
            raise TlaError(missing[0].place, words)
        body = self.read(field_of(node, "expression"), inner)
        return ast.Let(tuple(inner.made), body, place=self.place(node))

    def _junction(self, node: Node, scope: Scope) -> Expression:
        for item in node.named_children:
            self._check_indented(item)
        items = self._all([item.named_children[-1] for item in node.named_children], scope)
        return ast.Junction(node.type == "conj_list", items, place=self.place(node))

    def _check_indented(self, item: Node) -> None:
        """Check that all lines of a list's item are to the right of the item's symbol."""
        symbol, last = self.place(item), item
        # The grammar ends a list where the next word begins, with words of no length.
        while written := [child for child in last.children if child.end_byte > child.start_byte]:
            last = written[-1]
        for row in range(item.start_point.row + 1, last.end_point.row + 1):
            line = self.source.lines[row]
            column = len(line) - len(line.lstrip()) + 1
            if line.strip() and column <= symbol.column:
                place = replace(symbol, line=row + 1, column=column)
                words = (
                    f"this belongs to the item that begins in line {symbol.line}, so it has to stand right of"
                )
                raise TlaError(place, f"{words} column {symbol.column}: indent it, or put parentheses")
