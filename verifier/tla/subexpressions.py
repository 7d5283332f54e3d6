"""Names of parts of a definition: ``Op!2``, ``Op(a)!1!3``, ``Thm!:``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.errors import Place, TlaError
from verifier.tla.scope import Scope
from verifier.tla.text import text_of

if TYPE_CHECKING:
    from verifier.tla.operators import Operators


def navigate(reader: Operators, node: Node, scope: Scope) -> Expression:
    """The part of a definition that a node names. Raises TlaError."""
    place = reader.place(node)
    prefix, last = node.named_children
    steps = [*prefix.named_children, last]
    components = [step for step in steps if step.type == "subexpr_component"]
    definition, arguments = _definition(reader, components, scope, place)
    part = definition.body
    for step in steps[len(components) :]:
        if part is None:
            raise TlaError(place, f"{definition.name} is not defined yet, so it has no parts")
        part = _part(part, step, reader.place(step))
    assert part is not None
    named = Definition(
        f"{definition.name}!…", definition.parameters, definition.module, place, definition.nested, part
    )
    if definition.nested and scope.made is not None:
        scope.made.append(named)
    elif definition.nested:
        raise TlaError(place, f"a part of {definition.name}, which stands in a LET, is not supported here")
    return ast.Apply(named, arguments, place=place)


def _definition(
    reader: Operators, components: list[Node], scope: Scope, place: Place
) -> tuple[Definition, tuple[Expression, ...]]:
    """The definition that the first names of a path are, and its arguments."""
    *instances, last = components
    inner = last.named_children[0]
    bound = inner.type == "bound_op"
    name_node = inner.child_by_field_name("name") if bound else inner
    assert name_node is not None
    name = text_of(name_node)
    if instances:
        instance, before = reader.instance(instances, scope)
        found = instance.module.names.get(name)
    else:
        found, before = scope.find(name), ()
    if not isinstance(found, Definition):
        raise TlaError(place, f"{name} is no definition, so it has no parts that could be named")
    if not before:
        before = tuple(ast.Apply(p, place=place) for p in found.parameters if p in scope.extra)
    nodes = [child for child in inner.children_by_field_name("parameter") if child.is_named] if bound else []
    own = found.parameters[len(before) :]
    if len(own) != len(nodes):
        raise TlaError(place, f"{name} takes {len(own)} arguments, {len(nodes)} are given")
    pairs = zip(nodes, own, strict=True)
    return found, (*before, *(reader.argument(child, parameter.arity, scope) for child, parameter in pairs))


def _part(whole: Expression, step: Node, place: Place) -> Expression:
    """One step into an expression."""
    kind = step.named_children[0]
    if kind.type == "colon":
        return whole
    number = {"langle_bracket": 1, "rangle_bracket": 2}.get(kind.type, 0)
    if kind.type == "child_id":
        number = int(text_of(kind))
    parts = _parts(whole)
    if not number or parts is None:
        raise TlaError(place, "this way to name a part of a definition is not supported: define it by itself")
    if number > len(parts):
        raise TlaError(place, f"there is no part {number}: it has {len(parts)}")
    return parts[number - 1]


def _parts(whole: Expression) -> tuple[Expression, ...] | None:
    match whole:
        case ast.Junction() | ast.SetOf() | ast.Tuple() | ast.Product() | ast.Temporal():
            return whole.items
        case ast.Apply():
            return whole.arguments
        case ast.If():
            return (whole.condition, whole.then, whole.otherwise)
        case ast.Prime() | ast.Unchanged() | ast.Enabled():
            return (whole.body,)
        case ast.FunctionApply():
            return (whole.function, whole.argument)
        case ast.Step():
            return (whole.action, whole.subscript)
        case ast.Let():
            return _parts(whole.body)
    return None
