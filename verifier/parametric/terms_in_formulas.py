"""The terms in formulas: Skolem functions, predicates of definitions, the ends of intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from verifier.parametric.clausal import Clause
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node, walk


def collect_skolem_functions(clauses: Iterable[Clause], leads: Mapping[str, object]) -> list[Node]:
    """Return applications of Skolem functions, and of predicates of definitions, to variables."""
    applications: dict[Node, None] = {}

    def see(node: Node) -> None:
        if node.kind == "app" and ("!" in node.data or node.data in leads):
            applications[node] = None

    for clause in clauses:
        walk(clause.body, see)
    return list(applications)


def list_compared_terms(logic: Logic, body: Node, variable: Node) -> list[Node]:
    """Return the ground terms with which a variable is compared, without constants of the protocol and
    numbers. ``k - 1 <= n`` compares k with n + 1."""
    terms: dict[Node, None] = {}

    def see(node: Node) -> None:
        for one, other in (node.args, node.args[::-1]) if node.kind == "<=" else ():
            distance = logic.minus(one, variable)
            if distance.kind == "sum" and not distance.args:
                ends = (end for end in _alternatives(other) if not end.free and end.kind == "app")
                terms.update(dict.fromkeys(logic.minus(end, distance) for end in ends))

    walk(body, see)
    return list(terms)


def _alternatives(node: Node) -> Iterator[Node]:
    """Yield the alternatives of a conditional value."""
    if node.kind == "ite":
        for arg in node.args[1:]:
            yield from _alternatives(arg)
    else:
        yield node


def collect_predicates(nodes: Iterable[Node], names: Mapping[str, object]) -> list[Node]:
    """Return applications of these symbols to terms without variables."""
    applications: dict[Node, None] = {}

    def see(node: Node) -> None:
        if node.kind == "app" and node.data in names and not node.free:
            applications[node] = None

    for one in nodes:
        walk(one, see)
    return list(applications)


def unfold(logic: Logic, axiom: Node, applied: Node) -> Node | None:
    """Return the axiom at an application; None if it has other variables."""
    if axiom.kind != "forall" or len(axiom.data.variables) != len(applied.args):
        return None
    heads = _heads(axiom.args[0], applied.data)
    if not heads or set(heads[0].args) != set(axiom.data.variables):
        return None
    return logic.substitute(axiom.args[0], dict(zip(heads[0].args, applied.args, strict=True)))


def unfold_partly(logic: Logic, axiom: Node, applied: Node) -> Clause | None:
    """Return the axiom at an application, for all values of its other variables; None if it does not
    apply."""
    if axiom.kind != "forall":
        return None
    variables, body = axiom.data.variables, axiom.args[0]
    heads = [head for head in _heads(body, applied.data) if all(arg.kind == "var" for arg in head.args)]
    if len(heads) != 1 or len(set(heads[0].args)) == len(variables):
        return None
    values = dict(zip(heads[0].args, applied.args, strict=True))
    rest = tuple(variable for variable in variables if variable not in values)
    return Clause(rest, logic.substitute(body, values))


def _heads(body: Node, name: str) -> list[Node]:
    heads: list[Node] = []
    walk(body, lambda node: heads.append(node) if node.kind == "app" and node.data == name else None)
    return heads


def count_symbols(node: Node) -> int:
    """Return the number of symbols."""
    return 1 + sum(map(count_symbols, node.args))
