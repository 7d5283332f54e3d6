r"""Formulas about parts of variables, ``\A i, j \in S : P(log[i], log[j])``, each with its last value.

A step changes the part of one process, and leaves the others' parts the same value objects. So ``P`` is
evaluated again only for pairs with a new part. It has the same value under these conditions:

- Each variable that it reads stands in ``v[i]``, where ``i`` is one of at most three names from outside. The
  names have equal values: integers, strings or model values, already known.
- The parts are the same value objects. They are compared by identity, and are kept alive, so that no new
  object can have the same identity.
- It always has the same value for these, and no side effect. Errors are not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Expression, Symbol, Variable
from verifier.tla.emitting import Source
from verifier.tla.facts import STATE, subexpressions
from verifier.tla.frames import Unit
from verifier.tla.kept_conjuncts import Kept, begin_lines, may_be_kept

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_Parts: TypeAlias = set[tuple[int, Symbol]]
"""Variables, by their places, each with the name of the part that is read."""


def keep_parts(ev: Evaluator, whole: Expression, unit: Unit, test: Source) -> Source:
    """Return the source of a formula that keeps its value, if that is sound and pays; else the given one."""
    names = may_be_kept(ev, whole, unit, STATE)
    parts = find_parts(ev, whole, unit.module, names) if names else None
    if not parts:
        return test
    kept, emit = Kept(), ev.emit
    memory, lines, values = begin_lines(ev, kept, names, unit, test)
    objects = [emit.fresh("q") for _ in parts]
    pairs = sorted(parts, key=lambda part: (part[0], names.index(part[1])))
    for one, (place, name) in zip(objects, pairs, strict=True):
        lines += [
            f"{one} = now[{place}].get({values[name]}) if type(now[{place}]) is Fn else None",
            f"if {one} is None: return {test}",
        ]
    same = " and ".join(f"{one} is found[{number}]" for number, one in enumerate(objects, 1))
    lines += [
        f"if found is not None and {same}:",
        f" {memory}.known += 1",
        " return found[0]",
        f"truth = {test}",
        f"{memory}.keep(key, (truth, {', '.join(objects)}))",
        "return truth",
    ]
    return emit.statements(lines)


def find_parts(ev: Evaluator, whole: Expression, module: str, names: list[Symbol]) -> _Parts | None:
    """Return the parts of variables that a formula reads for these names. None if it may read another part or
    a whole variable."""
    if not ev.analysis.of(whole, module).reads:
        return set()
    match whole:
        case ast.FunctionApply(
            function=ast.Apply(operator=Variable() as variable, arguments=()),
            argument=ast.Apply(operator=name, arguments=()),
        ) if variable in ev.index and name in names:
            return {(ev.index[variable], name)}
        case ast.Let() | ast.Prime() | ast.Enabled():
            return None
        case ast.Apply() if not isinstance(ev.resolve(whole.operator, module) or whole.operator, ast.Builtin):
            return None
    found: _Parts = set()
    for part in subexpressions(whole)[0]:
        one = find_parts(ev, part, module, names)
        if one is None:
            return None
        found |= one
    return found
