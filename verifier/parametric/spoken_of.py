"""The parts of instances that speak of some symbols, without making the instances.

A clause with five variables has thousands of instances, but its parts about one count have few variables, and
so few instances. These tell of which counts, extreme elements and definitions all instances speak, but for
those in the terms that variables get.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from verifier.parametric.clausal import Clause
from verifier.parametric.instances import Family, instantiate
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, Node, walk


def say_parts(logic: Logic, families: Iterable[Family], names: Container[object]) -> list[Node]:
    """Return the instances of those parts of families that speak of these symbols, each once. A part that is
    true or false in a clause is there twice, once negated."""
    said: dict[Node, None] = {}
    done: set[tuple[Node, tuple[tuple[Node, ...], ...]]] = set()
    for family in families:
        choices = dict(zip(family.clause.variables, family.choices, strict=True))
        for part in dict.fromkeys(_list_parts(logic, family.clause.body, 1)):
            if not _speaks_of(part, names):
                continue
            variables = tuple(variable for variable in family.clause.variables if variable in part.free)
            terms = tuple(choices[variable] for variable in variables)
            if (part, terms) in done:
                continue
            done.add((part, terms))
            said |= dict.fromkeys(body for _, body in instantiate(logic, Clause(variables, part), terms))
    return list(said)


def _list_parts(logic: Logic, node: Node, sign: int) -> Iterator[Node]:
    """Yield the atoms of a formula that is true (1), false (-1) or either (0)."""
    match node.kind:
        case "not":
            yield from _list_parts(logic, node.args[0], -sign)
        case "and" | "or":
            for arg in node.args:
                yield from _list_parts(logic, arg, sign)
        case "ite" | "=" if node.args[1].sort == BOOL:
            for arg in node.args:
                yield from _list_parts(logic, arg, 0)
        case _:
            if sign >= 0:
                yield node
            if sign <= 0:
                yield logic.neg(node)


def _speaks_of(node: Node, names: Container[object]) -> bool:
    found: list[Node] = []
    walk(node, lambda one: found.append(one) if one.kind == "app" and one.data in names else None)
    return bool(found)
