"""Names of parts of a definition: ``Op!2``, ``Op(a)!1!3``, ``Thm!:``, and by labels, ``Op!P(x)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from verifier.errors import nearest
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Parameter
from verifier.tla.declarations import passed_on
from verifier.tla.errors import Place, TlaError
from verifier.tla.scope import Named, Scope
from verifier.tla.text import text_of

if TYPE_CHECKING:
    from verifier.tla.operators import Operators


def navigate(reader: Operators, node: Node, scope: Scope) -> Expression:
    """The part of a definition that a node names. Raises TlaError."""
    place = reader.place(node)
    prefix, last = node.named_children
    steps = [*prefix.named_children, last]
    names = [step for step in steps if step.type != "subexpr_tree_nav"]
    if steps[: len(names)] != names:
        raise TlaError(place, "behind the place of a part, its parts have places, and no labels")
    definition, labels, arguments = _named(reader, names, scope, place)
    part = labels[-1].body if labels else definition.body
    for step in steps[len(names) :]:
        if part is None:
            raise TlaError(place, f"{definition.name} is not defined yet, so it has no parts")
        part = _part(part, step, reader.place(step))
    assert part is not None
    shown = f"{definition.name}!{'!'.join(map(_name, names[len(names) - len(labels) :])) or '…'}"
    parameters = (*definition.parameters, *(one for label in labels for one in label.parameters))
    named = Definition(shown, parameters, definition.module, place, definition.nested, part)
    if definition.nested and scope.made is not None:
        scope.made.append(named)
    elif definition.nested:
        raise TlaError(place, f"a part of {definition.name}, which stands in a LET, is not supported here")
    return ast.Apply(named, arguments, place=place)


def names_label(node: Node, scope: Scope) -> bool:
    """Whether ``A!B!C``, which looks like an operator of an instance, is a labelled part of a definition."""
    return isinstance(_leading(node.named_children[0].named_children, scope)[1], Definition)


def _leading(components: list[Node], scope: Scope) -> tuple[int, Named | None]:
    """How many of the names are instances, and what the next one is."""
    found = scope.find(_name(components[0]))
    for index, component in enumerate(components[1:], 1):
        if not isinstance(found, ast.Instance):
            return index - 1, found
        name = _name(component)
        found = found.module.instances.get(name) or found.module.names.get(name)
    return len(components) - 1, found


def _name(component: Node) -> str:
    inner = component.named_children[0] if component.type == "subexpr_component" else component
    name = inner.child_by_field_name("name") if inner.type == "bound_op" else inner
    assert name is not None
    return text_of(name)


def _arguments(component: Node) -> list[Node]:
    inner = component.named_children[0] if component.type == "subexpr_component" else component
    nodes = inner.children_by_field_name("parameter") if inner.type == "bound_op" else []
    return [child for child in nodes if child.is_named]


def _named(
    reader: Operators, components: list[Node], scope: Scope, place: Place
) -> tuple[Definition, list[ast.Label], tuple[Expression, ...]]:
    """The definition and the labels that the names of a path are, and their arguments."""
    count, found = _leading(components, scope)
    name = _name(components[count])
    if not isinstance(found, Definition):
        raise TlaError(place, f"{name} is no definition, so it has no parts that could be named")
    given: tuple[Expression, ...] = ()
    if count:
        given = reader.instance(components[:count], scope)[1]
    if not given:
        given = tuple(passed_on(p, place) for p in found.parameters if p in scope.extra)
    given += _read(reader, components[count], name, found.parameters[len(given) :], scope)
    labels: list[ast.Label] = []
    known = found.labels
    for component in components[count + 1 :]:
        own = _name(component)
        label = known.get(own)
        if label is None:
            near = nearest(own, known)
            hint = f"; did you mean {near}?" if near else ""
            raise TlaError(reader.place(component), f"{name} has no label {own}{hint}")
        if label.in_let:
            raise TlaError(place, f"the label {own} stands in a LET: define what it names by itself")
        given += _read(reader, component, own, label.parameters, scope)
        labels.append(label)
        name, known = f"{name}!{own}", label.labels
    return found, labels, given


def _read(
    reader: Operators, component: Node, name: str, wanted: tuple[Parameter, ...], scope: Scope
) -> tuple[Expression, ...]:
    """The arguments that one name of a path has."""
    nodes = _arguments(component)
    if len(nodes) != len(wanted):
        many = f"{len(wanted) or 'no'} argument{'' if len(wanted) == 1 else 's'}"
        raise TlaError(reader.place(component), f"{name} takes {many}, {len(nodes)} are given")
    return tuple(reader.argument(n, p.arity, scope) for n, p in zip(nodes, wanted, strict=True))


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
