"""The premises of a module's properties: a property is vacuous if a premise of it is never true."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.specification import Specification


def list_premises(spec: Specification, asked: Collection[str]) -> Mapping[Expression, tuple[str, ...]]:
    """Return the premises of the asked properties, each with the properties that have it."""
    premises: dict[Expression, tuple[str, ...]] = {}
    bodies = [(name, one.body) for name, one in spec.invariants.items() if name in asked]
    for name, parts in spec.properties.items():
        if name in asked:
            bodies += [(name, one.body) for one in (*parts.initially, *parts.always, *parts.steps)]
    for name, body in bodies:
        for premise in _find_premises(body, set()):
            known = premises.get(premise, ())
            premises[premise] = known if name in known else (*known, name)
    return premises


def _find_premises(whole: Expression, seen: set[Definition]) -> Iterator[Expression]:
    """Yield the premises that decide alone: those below conjunctions and universal quantifiers."""
    match whole:
        case ast.Junction(conjunction=True, items=items):
            for item in items:
                yield from _find_premises(item, seen)
        case ast.Quantifier(universal=True, body=body) | ast.Let(body=body) | ast.Step(action=body):
            yield from _find_premises(body, seen)
        case ast.Apply(operator=Builtin(name="=>"), arguments=(premise, rest)):
            yield premise
            yield from _find_premises(rest, seen)
        case ast.Apply(operator=Definition() as called) if called.body is not None and called not in seen:
            seen.add(called)
            yield from _find_premises(called.body, seen)
