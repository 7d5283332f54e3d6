"""Names and operators with arguments: rows of operators by precedence, instances, subexpressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Expression, Parameter, Symbol
from verifier.tla.declarations import pass_parameter_on
from verifier.tla.errors import Place, TlaError, takes_not
from verifier.tla.operator_rows import ROWS, fields_of, flatten_chain, flatten_row
from verifier.tla.precedence import Conflict, Operator, build, canonical
from verifier.tla.scope import Apart, Scope
from verifier.tla.subexpressions import has_arguments, names_part, operator_of, part_of
from verifier.tla.text import Source, text_of

_OPERATOR_SYMBOLS = ("prefix_op_symbol", "infix_op_symbol", "postfix_op_symbol")
_FORMS = {
    "'": 1, "[]": 1, "<>": 1, "ENABLED": 1, "UNCHANGED": 1, "~>": 2, "-+->": 2, "/\\": 2, "\\/": 2, "\\X": 2,
}  # fmt: skip
"""Operators with a form of their own in the syntax, and the number of their arguments."""


class Operators:
    """Reads names, operators and their arguments."""

    source: Source

    @abstractmethod
    def place(self, node: Node) -> Place:
        """Return the place where a node begins."""

    @abstractmethod
    def read(self, node: Node, scope: Scope) -> Expression:
        """Read the expression of a node."""

    @abstractmethod
    def apart(self, scope: Scope, place: Place) -> Apart | None:
        """Return the own reading for ENABLED in an instance that substitutes expressions for variables."""

    @abstractmethod
    def note_plain(self, named: ast.Definition) -> None:
        """Record that the text mentions a definition without the name of an instance."""

    def operator_forms(self) -> dict[str, Callable[[Node, Scope], Expression]]:
        """Return the readers of this class, by the type of node."""
        plain = ("identifier_ref", "string_set", "boolean_set", "nat_number_set", "int_number_set", "boolean")
        return {
            **dict.fromkeys(plain, self._name),
            "real_number_set": self._name,
            **dict.fromkeys(ROWS, self._row),
            "bound_op": self._read_bound_operator,
            "bound_nonfix_op": self._nonfix,
            "prefixed_op": self._read_prefix,
            "subexpression": self._subexpression,
            "lambda": self._lambda,
            **dict.fromkeys(_OPERATOR_SYMBOLS, self._symbol_alone),
        }

    def _symbol_alone(self, node: Node, scope: Scope) -> Expression:
        raise TlaError(self.place(node), f"the operator {text_of(node)} stands here without its arguments")

    # -- names

    def lookup(self, name: str, scope: Scope, place: Place) -> Symbol:
        """Return the symbol of an operator's name. Raises TlaError."""
        symbol = scope.find(name)
        if symbol is None:
            raise scope.unknown(name, place)
        if isinstance(symbol, ast.Instance):
            raise TlaError(place, f"{name} is an instance of a module: write {name}!Operator")
        if isinstance(symbol, ast.Definition):
            self.note_plain(symbol)
        return symbol

    def apply(
        self, symbol: Symbol, arguments: tuple[Expression, ...], scope: Scope, place: Place
    ) -> Expression:
        """Apply an operator to its arguments, after those of the instance that contains it."""
        extra = _find_inherited(symbol, scope)
        given = (*(pass_parameter_on(parameter, place) for parameter in extra), *arguments)
        wanted = _arity(symbol)
        if len(given) != wanted:
            raise TlaError(place, takes_not(_show(symbol), wanted - len(extra), len(arguments)))
        return _apply_to(symbol, given, place)

    def _name(self, node: Node, scope: Scope) -> Expression:
        place = self.place(node)
        return self.apply(self.lookup(text_of(node), scope, place), (), scope, place)

    # -- arguments

    def _read_bound_operator(self, node: Node, scope: Scope) -> Expression:
        place, name = self.place(node), text_of(fields_of(node, "name")[0])
        symbol = self.lookup(name, scope, place)
        return self._with_arguments(symbol, (), fields_of(node, "parameter"), scope, place)

    def _nonfix(self, node: Node, scope: Scope) -> Expression:
        symbol_node, *arguments = node.named_children
        place = self.place(node)
        name = self._operator_name(symbol_node, len(arguments))
        return self._apply(name, tuple(self.read(a, scope) for a in arguments), scope, place)

    def _operator_name(self, node: Node, arity: int) -> str:
        name = canonical(self.source.name_of(node))
        return "-." if name == "-" and arity == 1 else name

    def _with_arguments(
        self, symbol: Symbol, before: tuple[Expression, ...], nodes: list[Node], scope: Scope, place: Place
    ) -> Expression:
        wanted = _parameters(symbol)
        skip = len(before) + len(_find_inherited(symbol, scope) if not before else ())
        arguments = []
        for index, node in enumerate(nodes):
            arity = wanted[skip + index] if skip + index < len(wanted) else 0
            arguments.append(self.argument(node, arity, scope))
        if before:
            return self._exactly(symbol, (*before, *arguments), place, len(before))
        return self.apply(symbol, tuple(arguments), scope, place)

    def _exactly(
        self, symbol: Symbol, given: tuple[Expression, ...], place: Place, before: int = 0
    ) -> Expression:
        if len(given) != _arity(symbol):
            own, have = _arity(symbol) - before, len(given) - before
            raise TlaError(place, takes_not(_show(symbol), own, have))
        return _apply_to(symbol, given, place)

    def argument(self, node: Node, arity: int, scope: Scope) -> Expression:
        """Read an argument; an operator for an operator parameter. Raises TlaError for the wrong one."""
        place = self.place(node)
        if arity == 0 and node.type == "lambda":
            raise TlaError(place, "an expression is expected here, no operator: LAMBDA has no value")
        if arity == 0:
            return self.read(node, scope)
        if node.type == "lambda":
            made = self._lambda(node, scope)
            assert isinstance(made, ast.Lambda)
            if len(made.parameters) != arity:
                raise TlaError(place, f"an operator of {arity} arguments is expected here")
            return made
        if names_form(node) == arity:
            return self.form_as_operator(node, scope)
        before: tuple[Expression, ...] = ()
        symbol: Symbol
        if node.type == "subexpression" or (node.type == "prefixed_op" and names_part(node, scope)):
            symbol, before = operator_of(self, node, scope)
        elif node.type == "prefixed_op":
            symbol, before = self._in_instance(node, scope)
        elif node.type in ("identifier_ref", *_OPERATOR_SYMBOLS):
            symbol = self.lookup(self._operator_name(node, arity), scope, place)
            before = tuple(
                pass_parameter_on(parameter, place) for parameter in _find_inherited(symbol, scope)
            )
        else:
            raise TlaError(place, f"an operator of {arity} arguments is expected here, by its name or LAMBDA")
        if any(_parameters(symbol)[len(before) :]):
            words = f"{_show(symbol)} takes an operator itself: one that takes values is expected here"
            raise TlaError(place, words)
        if _arity(symbol) - len(before) != arity:
            raise TlaError(place, f"{_show(symbol)} does not take {arity} arguments, as expected here")
        if not before:
            return ast.OperatorArgument(symbol, place=place)
        own = tuple(Parameter(f"p{number}") for number in range(arity))
        given = (*before, *(ast.Apply(parameter, place=place) for parameter in own))
        return ast.Lambda(own, ast.Apply(symbol, given, place=place), place=place)

    def arity_of_name(self, node: Node, scope: Scope) -> int:
        """Return the number of arguments of an operator that is named with ``!``; 0 for any expression."""
        if node.type not in ("subexpression", "prefixed_op"):
            return 0
        if node.type == "subexpression" or names_part(node, scope):
            if has_arguments(node):
                return 0
            symbol, before = operator_of(self, node, scope)
            return symbol.arity - len(before)
        operator, given = self._in_instance(node, scope)
        return 0 if has_arguments(fields_of(node, "op")[0]) else _arity(operator) - len(given)

    def form_as_operator(self, node: Node, scope: Scope) -> ast.Lambda:
        r"""Return ``[]``, ``/\`` or the like as an operator argument."""
        name, place = canonical(text_of(node)), self.place(node)
        own = tuple(Parameter(f"p{number}") for number in range(_FORMS[name]))
        given = tuple(ast.Apply(parameter, place=place) for parameter in own)
        if name != "ENABLED":
            return ast.Lambda(own, self._apply(name, given, scope, place), place=place)
        if self.apart(scope, place) is not None:
            words = "ENABLED as an argument, in an instance that puts expressions for variables"
            raise TlaError(place, f"{words}, is not supported: write LAMBDA a : ENABLED a outside of it")
        return ast.Lambda(own, ast.Enabled(given[0], place=place), place=place)

    def _lambda(self, node: Node, scope: Scope) -> Expression:
        inner = scope.inner()
        names = [child for child in node.named_children if child.type == "identifier"]
        parameters = tuple(Parameter(text_of(name)) for name in names)
        for name, parameter in zip(names, parameters, strict=True):
            inner.declare(parameter.name, parameter, self.place(name))
        body = self.read(node.named_children[-1], inner)
        return ast.Lambda(parameters, body, place=self.place(node))

    # -- instances

    def _read_prefix(self, node: Node, scope: Scope) -> Expression:
        if names_part(node, scope):
            return part_of(self, node, scope)
        op = fields_of(node, "op")[0]
        place = self.place(node)
        symbol, before = self._in_instance(node, scope)
        nodes: list[Node] = []
        if op.type == "bound_op":
            nodes = fields_of(op, "parameter")
        elif op.type == "bound_nonfix_op":
            nodes = op.named_children[1:]
        if not before:
            skipped = _parameters(symbol)
            arguments = tuple(
                self.argument(n, skipped[i] if i < len(skipped) else 0, scope) for i, n in enumerate(nodes)
            )
            return self._exactly(symbol, arguments, place)
        return self._with_arguments(symbol, before, nodes, scope, place)

    def _in_instance(self, node: Node, scope: Scope) -> tuple[Symbol, tuple[Expression, ...]]:
        """Return the operator of ``I!J(x)!Op``, and the arguments of the instances."""
        prefix = fields_of(node, "prefix")[0]
        op = fields_of(node, "op")[0]
        name = op.named_children[0] if op.type in ("bound_op", "bound_nonfix_op") else op
        components = [child for child in prefix.named_children if child.type == "subexpr_component"]
        if not components:
            raise TlaError(self.place(node), "a part of a step of a proof is not supported here")
        instance, before = self.instance(components, scope)
        spelled = self._operator_name(name, len(op.named_children) - 1)
        symbol = instance.module.names.get(spelled)
        # A declared name is known in the module itself, but not in its instances.
        unknown = spelled in instance.module.hidden or spelled in instance.module.given
        if symbol is None or unknown or isinstance(symbol, ast.Instance):
            shown = f"{text_of(prefix)}{spelled}"
            raise TlaError(self.place(op), f"unknown operator {shown}: {instance.module.name} has none")
        if isinstance(symbol, ast.Definition) and symbol.nested and symbol.plain:
            symbol = _as_prefixed(symbol, scope)
        own = isinstance(symbol, ast.Definition) and symbol.parameters[: len(before)] == instance.parameters
        return symbol, before if own else ()

    def instance(self, components: list[Node], scope: Scope) -> tuple[ast.Instance, tuple[Expression, ...]]:
        instance: ast.Instance | None = None
        given: tuple[Expression, ...] = ()
        for component in components:
            inner = component.named_children[0]
            name = text_of(fields_of(inner, "name")[0]) if inner.type == "bound_op" else text_of(inner)
            named = scope.find(name) if instance is None else instance.module.instances.get(name)
            if named is None and instance is None:
                raise scope.unknown(name, self.place(component), "instance or operator")
            if not isinstance(named, ast.Instance):
                raise TlaError(self.place(component), f"{name} is not an instance of a module")
            if instance is None:
                leading = [p for p in named.parameters if p in scope.extra]
                given = tuple(pass_parameter_on(p, self.place(component)) for p in leading)
            arguments = fields_of(inner, "parameter") if inner.type == "bound_op" else []
            wanted = named.parameters[len(given) :]
            if len(arguments) != len(wanted):
                words = takes_not(f"the instance {name}", len(wanted), len(arguments))
                raise TlaError(self.place(component), words)
            pairs = zip(arguments, wanted, strict=True)
            given = (*given, *(self.argument(node, p.arity, scope) for node, p in pairs))
            instance = named
        assert instance is not None
        return instance, given

    def _subexpression(self, node: Node, scope: Scope) -> Expression:
        return part_of(self, node, scope)

    # -- rows of operators

    def _row(self, node: Node, scope: Scope) -> Expression:
        row: list[object] = []
        flatten_row(node, row)

        def combine(operator: Operator[Node], operands: list[object]) -> object:
            return operator, operands

        try:
            tree = build(row, combine)
        except Conflict as conflict:
            left, right = conflict.left.name.rstrip("."), conflict.right.name
            at = conflict.right.node
            assert isinstance(at, Node)
            words = f"{left} and {right} have conflicting precedences here: put parentheses"
            raise TlaError(self.place(at), words) from None
        return self._build(tree, scope)

    def _build(self, tree: object, scope: Scope) -> Expression:
        if isinstance(tree, Node):
            return self.read(tree, scope)
        assert isinstance(tree, tuple)
        operator, operands = tree
        place = self.place(operator.node)
        if operator.name == "ENABLED":
            own = self.apart(scope, place)
            inner = own.scope if own is not None else scope
            return ast.Enabled(self._build(operands[0], inner), own.values if own else (), place=place)
        if operator.name in ("/\\", "\\/", "\\X"):
            operands = flatten_chain(operator.name, tree)
        return self._apply(operator.name, tuple(self._build(item, scope) for item in operands), scope, place)

    def _apply(self, name: str, given: tuple[Expression, ...], scope: Scope, place: Place) -> Expression:
        match name:
            case "/\\" | "\\/":
                return ast.Junction(name == "/\\", given, infix=True, place=place)
            case "\\X":
                return ast.Product(given, place=place)
            case "'":
                return ast.Prime(given[0], place=place)
            case "UNCHANGED":
                return ast.Unchanged(given[0], place=place)
            case "[]" | "<>" | "~>" | "-+->":
                return ast.Temporal(name, given, place=place)
        return self.apply(self.lookup(name, scope, place), given, scope, place)


def names_form(node: Node) -> int:
    """Return the arity of ``[]`` or the like that stands without arguments; 0 for other nodes."""
    return _FORMS.get(canonical(text_of(node)), 0) if node.type in _OPERATOR_SYMBOLS else 0


def _apply_to(symbol: Symbol, given: tuple[Expression, ...], place: Place) -> Expression:
    """Apply an operator. Apalache's annotations are skipped, so that actions keep their names."""
    if isinstance(symbol, ast.Definition) and symbol.module == "Apalache" and len(given) == 1:
        body = symbol.body
        if isinstance(body, ast.Apply) and body.operator is symbol.parameters[0]:
            return given[0]
    return ast.Apply(symbol, given, place=place)


def _find_inherited(symbol: Symbol, scope: Scope) -> tuple[Parameter, ...]:
    """Return the parameters of the surrounding instance that an operator has before its own."""
    if not isinstance(symbol, ast.Definition) or not scope.extra:
        return ()
    return tuple(parameter for parameter in symbol.parameters if parameter in scope.extra)


def _parameters(symbol: Symbol) -> list[int]:
    """Return the arity of each parameter."""
    if isinstance(symbol, ast.Definition):
        return [parameter.arity for parameter in symbol.parameters]
    if isinstance(symbol, ast.Builtin):
        return list(symbol.takes) if symbol.takes else [0] * symbol.arity
    return [0] * _arity(symbol)


def _arity(symbol: Symbol) -> int:
    return 0 if isinstance(symbol, ast.Variable | ast.Bound) else symbol.arity


def _as_prefixed(symbol: ast.Definition, scope: Scope) -> ast.Definition:
    """Return the definition of ``I!Op``, where the LET that defines I is read as text of the module around.
    It is separate from the definition that the instance's texts name without I, which a configuration may
    replace."""
    if symbol.prefixed is None:
        symbol.prefixed = replace(symbol, plain={})
        made = next((one.made for one in scope.outward() if one.made and symbol in one.made), None)
        if made is not None:
            made.insert(made.index(symbol) + 1, symbol.prefixed)
    return symbol.prefixed


def _show(symbol: Symbol) -> str:
    return symbol.shown if isinstance(symbol, ast.Definition) else symbol.name.rstrip(".")
