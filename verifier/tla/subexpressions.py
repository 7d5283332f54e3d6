"""Names of parts of a definition: ``Op!2``, ``Op(a)!1!(x)``, ``Op!2!F(x)`` for F in a LET, ``Thm!:``, and
labels, ``Op!P(x)``.

As an argument of an operator, such a name is an operator without arguments: ``Op!@`` instead of
``Op(a)!(x)``.

Source: Lamport, TLA+2: A Preliminary Guide, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tree_sitter import Node

from verifier.errors import nearest
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Parameter, Symbol
from verifier.tla.declarations import pass_parameter_on
from verifier.tla.errors import Place, TlaError, takes_not
from verifier.tla.precedence import canonical
from verifier.tla.renaming import rename_symbols
from verifier.tla.scope import Named, Scope
from verifier.tla.text import Source, text_of

_OPERANDS = {"langle_bracket": (1, 2), "rangle_bracket": (2,)}
"""The numbers of operands for which ``!<<`` names the first, and ``!>>`` the second."""


class OperatorReader(Protocol):
    """The reader of operators, as the names of parts need it."""

    source: Source

    def place(self, node: Node) -> Place:
        """Return the place where a node begins."""

    def argument(self, node: Node, arity: int, scope: Scope) -> Expression:
        """Read an argument; an operator for an operator parameter. Raises TlaError for the wrong one."""

    def instance(self, components: list[Node], scope: Scope) -> tuple[ast.Instance, tuple[Expression, ...]]:
        """Return the instance that names denote, with its arguments."""


def part_of(reader: OperatorReader, node: Node, scope: Scope) -> Expression:
    """Return the part of a definition that a node names. Raises TlaError."""
    path = _Path(reader, scope, reader.place(node), is_operator=False)
    named = path.follow(node)
    return ast.Apply(named, tuple(path.arguments), place=path.place)


def operator_of(
    reader: OperatorReader, node: Node, scope: Scope
) -> tuple[Definition, tuple[Expression, ...]]:
    """Return the part that a node names as an operator, with the arguments of the surrounding instance."""
    path = _Path(reader, scope, reader.place(node), is_operator=True)
    named = path.follow(node)
    return named, tuple(path.arguments)


def names_part(node: Node, scope: Scope) -> bool:
    """True if ``A!B!C``, which looks like an operator of an instance, is a part of a definition."""
    prefix = node.named_children[0].named_children
    names = [one for one in prefix if one.type != "subexpr_tree_nav"]
    return len(names) < len(prefix) or isinstance(_leading(names, scope)[1], Definition)


def has_arguments(node: Node) -> bool:
    """True if a name with ``!``, or a part of it, has arguments."""
    if node.type in ("bound_op", "bound_nonfix_op", "operator_args"):
        return True
    return any(has_arguments(child) for child in node.named_children)


def _leading(components: list[Node], scope: Scope) -> tuple[int, Named | None]:
    """Return the number of names that are instances, and the meaning of the next name."""
    symbol = scope.find(_name(components[0]))
    for index, component in enumerate(components[1:], 1):
        if not isinstance(symbol, ast.Instance):
            return index - 1, symbol
        name = _name(component)
        symbol = symbol.module.instances.get(name) or symbol.module.names.get(name)
    return len(components) - 1, symbol


def _name(component: Node) -> str:
    inner = component.named_children[0] if component.type == "subexpr_component" else component
    return text_of(_find_name_in(inner))


def _find_name_in(inner: Node) -> Node:
    """The node of the name, without arguments."""
    if inner.type == "bound_nonfix_op":
        return inner.named_children[0]
    name = inner.child_by_field_name("name") if inner.type == "bound_op" else inner
    assert name is not None
    return name


def _arguments(component: Node) -> list[Node]:
    inner = component.named_children[0] if component.type == "subexpr_component" else component
    nodes = inner.children_by_field_name("parameter") if inner.type == "bound_op" else []
    if inner.type == "bound_nonfix_op":
        nodes = inner.named_children[1:]
    return [child for child in nodes if child.is_named]


@dataclass
class _Path:
    """The position in a definition that the steps of a name have reached."""

    reader: OperatorReader
    scope: Scope
    place: Place
    is_operator: bool
    parameters: list[Parameter] = field(default_factory=list)
    arguments: list[Expression] = field(default_factory=list)
    names: dict[Symbol, Symbol] = field(default_factory=dict)
    """The names bound on the way, and the parameters for them."""
    lets: list[tuple[Definition, ...]] = field(default_factory=list)
    """The definitions of the LETs on the way: a part may need them."""
    inherited: frozenset[Parameter] = frozenset()
    """The parameters of the instance that contains the definition."""

    def follow(self, node: Node) -> Definition:
        """Return the part that a node names, as a definition of its own."""
        prefix, last = node.named_children
        steps = [*prefix.named_children, last]
        names = [step for step in steps if step.type != "subexpr_tree_nav"]
        if steps[0].type == "subexpr_tree_nav":
            raise TlaError(self.place, "the name of a part begins with that of a definition")
        count, definition = _leading(names, self.scope)
        if not isinstance(definition, Definition):
            words = f"{_name(names[count])} is not a definition, so it has no parts that could be named"
            raise TlaError(self.place, words)
        self._begin(steps[:count], steps[count], definition)
        if definition.body is None:
            raise TlaError(self.place, f"{definition.name} is not defined yet, so it has no parts")
        part = self._steps(definition, steps[count + 1 :])
        for definitions in reversed(self.lets):
            part = ast.Let(definitions, part, place=part.place)
        if self.names or self.lets:
            part = rename_symbols(part, self.names)
        shown = text_of(prefix).replace(" ", "") + (text_of(last) if last.type == "identifier_ref" else "…")
        named = Definition(
            shown, tuple(self.parameters), definition.module, self.place, definition.nested, part
        )
        if definition.nested and self.scope.made is not None:
            self.scope.made.append(named)
        elif definition.nested:
            words = f"a part of {definition.name}, which stands in a LET, is not supported here"
            raise TlaError(self.place, words)
        return named

    def _begin(self, instances: list[Node], component: Node, definition: Definition) -> None:
        """Begin at the definition itself, with its arguments."""
        if instances:
            instance, given = self.reader.instance(instances, self.scope)
            if definition.parameters[: len(given)] == instance.parameters:
                self.arguments = list(given)
        else:
            inherited = [p for p in definition.parameters if p in self.scope.extra]
            self.arguments = [pass_parameter_on(p, self.place) for p in inherited]
        own = definition.parameters[len(self.arguments) :]
        self.inherited = frozenset(definition.parameters[: len(self.arguments)])
        self.parameters = list(definition.parameters[: len(self.arguments)])
        self._take(component, _arguments(component), own, definition.name)

    def _take(self, step: Node, nodes: list[Node], wanted: Sequence[Parameter], name: str) -> None:
        """Read arguments for parameters. There are none where an operator is named."""
        if len(nodes) != (0 if self.is_operator else len(wanted)):
            if self.is_operator:
                words = f"{name} stands for an operator here, so it has no arguments"
            else:
                words = takes_not(name, len(wanted), len(nodes))
            raise TlaError(self.reader.place(step), words)
        self.parameters += wanted
        pairs = zip(nodes, wanted, strict=False)
        self.arguments += [self.reader.argument(n, p.arity, self.scope) for n, p in pairs]

    def _steps(self, definition: Definition, steps: list[Node]) -> Expression:
        """Follow steps from a definition to one of its parts."""
        assert definition.body is not None
        part, labels, name = definition.body, definition.labels, definition.name
        within, named, index = False, True, 0
        while index < len(steps):
            step, index = steps[index], index + 1
            before, named = named, step.type != "subexpr_tree_nav"
            place = self.reader.place(step)
            if step.type != "subexpr_tree_nav" and not within:
                label = self._label(step, name, labels)
                part, labels, name = label.body, label.labels, f"{name}!{_name(step)}"
            elif step.type != "subexpr_tree_nav":
                defined = self._of_let(step, part)
                assert defined.body is not None
                part, labels, name, within = defined.body, defined.labels, defined.name, False
            elif step.named_children[0].type == "colon":
                if not before:
                    raise TlaError(place, ": stands behind the name of a definition or a label only")
                within = True
            elif isinstance(part, ast.Case):
                side = _number(steps[index]) if index < len(steps) else 0
                part, index = _of_case(part, _number(step), side, place), index + 1
            else:
                part = self._within(part, step, definition)
            within = within or step.type == "subexpr_tree_nav"
        return part

    def _label(self, step: Node, name: str, known: dict[str, ast.Label]) -> ast.Label:
        own, place = _name(step), self.reader.place(step)
        label = known.get(own)
        if label is None:
            near = nearest(own, known)
            raise TlaError(place, f"{name} has no label {own}{f'; did you mean {near}?' if near else ''}")
        self.names |= label.names
        self.lets += map(tuple, label.lets)
        self._take(step, _arguments(step), label.parameters, own)
        return label

    def _of_let(self, step: Node, part: Expression) -> Definition:
        """Return a definition of the LET that the part is."""
        inner = step.named_children[0] if step.type == "subexpr_component" else step
        place, name = self.reader.place(step), canonical(self.reader.source.name_of(_find_name_in(inner)))
        known = {one.name: one for one in part.definitions} if isinstance(part, ast.Let) else {}
        definition = known.get(name)
        if definition is None or definition.body is None or not isinstance(part, ast.Let):
            words = f"the name {name} behind the place of a part has to be one that its LET defines"
            raise TlaError(place, words)
        self.lets.append(part.definitions)
        own = [p for p in definition.parameters if p not in self.inherited and p not in self.scope.extra]
        fresh = [Parameter(p.name, p.arity) for p in own]
        self.names |= dict(zip(own, fresh, strict=True))
        self._take(step, _arguments(step), fresh, name)
        return definition

    def _within(self, whole: Expression, step: Node, definition: Definition) -> Expression:
        """Take one step into an expression."""
        kind, place = step.named_children[0], self.reader.place(step)
        if kind.type in ("operator_args", "address"):
            return self._bind_others(whole, step, definition)
        parts = self._parts(whole)
        number = _number(step)
        if kind.type in _OPERANDS and len(parts) not in _OPERANDS[kind.type]:
            words = f"<< and >> name the operands of an operator, and here are {len(parts)} parts"
            raise TlaError(place, words)
        if not 0 < number <= len(parts):
            raise TlaError(place, f"there is no part {number}: it has {len(parts)}")
        if isinstance(whole, ast.Let):
            self.lets.append(whole.definitions)
        part = parts[number - 1]
        if part is None or isinstance(part, ast.OperatorArgument | ast.Lambda):
            words = "this part of a definition cannot be named"
            raise TlaError(place, f"{words}: define it by itself")
        return part

    def _bind_others(self, whole: Expression, step: Node, definition: Definition) -> Expression:
        """Return the body of a quantifier or the like with other values for its names: ``!(a, b)``, or
        ``!@``."""
        place, kind = self.reader.place(step), step.named_children[0]
        bound: list[ast.Bound]
        match whole:
            case ast.Quantifier() | ast.Function() | ast.Image():
                bound = [name for binding in whole.bindings for name in binding.names]
            case ast.Choose() | ast.Filter():
                bound = list(whole.binding.names)
            case ast.Unbounded():
                bound = list(whole.names)
            case _:
                raise TlaError(place, "nothing is bound here that could have another value")
        if self.is_operator is not (kind.type == "address"):
            words = "!(x) stands for an operator here: say !@" if self.is_operator else "say !(x), not !@"
            raise TlaError(place, words)
        fresh = [Parameter(one.name) for one in bound]
        self.names |= dict(zip(bound, fresh, strict=True))
        if isinstance(whole, ast.Function) and whole.itself is not None:
            self.names[whole.itself] = definition
        self._take(step, list(kind.named_children) if kind.type == "operator_args" else [], fresh, "it")
        return whole.body

    def _parts(self, whole: Expression) -> tuple[Expression | None, ...]:  # noqa: C901 -- one case each
        match whole:
            case ast.Junction(infix=True) if len(whole.items) > 2:
                first = ast.Junction(whole.conjunction, whole.items[:-1], infix=True, place=whole.place)
                return (first, whole.items[-1])
            case ast.Junction() | ast.SetOf() | ast.Tuple() | ast.Product() | ast.Temporal():
                return whole.items
            case ast.Apply(operator=Definition() as operator):
                own = [index for index, p in enumerate(operator.parameters) if p not in self.inherited]
                return tuple(whole.arguments[index] for index in own)
            case ast.Apply():
                return whole.arguments
            case ast.If():
                return (whole.condition, whole.then, whole.otherwise)
            case ast.Prime() | ast.Unchanged() | ast.Enabled(own=()) | ast.Let():
                return (whole.body,)
            case ast.Quantifier() | ast.Function() | ast.Image():
                return tuple({id(one.domain): one.domain for one in whole.bindings}.values())
            case ast.Choose() | ast.Filter():
                return (whole.binding.domain,)
            case ast.FunctionSet():
                return (whole.domain, whole.range)
            case ast.Record() | ast.RecordSet():
                return tuple(value for _, value in whole.fields)
            case ast.Except():
                return (whole.function, *[None] * len(whole.updates))
            case ast.FunctionApply():
                return (whole.function, whole.argument)
            case ast.Step():
                return (whole.action, whole.subscript)
            case ast.Fairness():
                return (whole.subscript, whole.action)
        return ()


def _number(step: Node) -> int:
    """Return the number of a part, or 0."""
    kind = step.named_children[0]
    if kind.type == "child_id":
        return int(text_of(kind))
    return {"langle_bracket": 1, "rangle_bracket": 2}.get(kind.type, 0)


def _of_case(whole: ast.Case, arm: int, side: int, place: Place) -> Expression:
    """Return a part of CASE: ``!i!1`` is the condition of an arm, ``!i!2`` its value. OTHER has no
    condition."""
    arms: list[tuple[Expression | None, Expression]] = list(whole.arms)
    if whole.other is not None:
        arms.append((None, whole.other))
    if not 0 < arm <= len(arms) or side not in (1, 2):
        raise TlaError(place, f"a part of CASE is named !i!1 or !i!2, and i is at most {len(arms)}")
    part = arms[arm - 1][side - 1]
    if part is None:
        raise TlaError(place, f"OTHER has no condition: it is named !{arm}!2")
    return part
