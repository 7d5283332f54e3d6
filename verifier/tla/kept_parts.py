r"""Formulas about parts of variables, ``\A i, j \in S : P(log[i], log[j])``, each with its last value.

A step changes the part of one process, and leaves the others' parts the same value objects. So ``P`` is
evaluated again only for pairs with a new part. It has the same value under these conditions:

- Each variable that it reads stands in ``v[i]`` (``verifier.tla.part_reads``), where ``i`` is one of at most
  three names from outside. The names have equal values: integers, strings or model values, already known.
- The parts are the same value objects. They are compared by identity, and are kept alive, so that no new
  object can have the same identity.
- It always has the same value for these, and no side effect. Errors are not kept.

Definitions of a LET are kept likewise, if their values are simple: others may hold something that is delayed,
which belongs to one state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.tla.ast import Expression, Symbol
from verifier.tla.emitting import Source
from verifier.tla.facts import STATE
from verifier.tla.frames import Evaluate, Unit
from verifier.tla.kept_conjuncts import Kept, begin_lines, find_kept_names
from verifier.tla.part_reads import find_part_reads
from verifier.tla.value_types import Boolean, ModelValue

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_SIMPLE = frozenset((int, str, Boolean, ModelValue))


def keep_parts(
    ev: Evaluator, whole: Expression, unit: Unit, source: Source, *, is_value: bool = False
) -> Source:
    """Return the source of an expression that keeps its value, if that is sound and pays; else the given one.
    ``is_value``: it is no formula, so only a simple value is kept."""
    names = find_kept_names(ev, whole, unit, STATE)
    parts = find_named_parts(ev, whole, unit.module, names) if names else []
    if not parts:
        return source
    kept, emit = Kept(), ev.emit
    memory, lines, values = begin_lines(ev, kept, names, unit, source)
    objects = [emit.fresh("q") for _ in parts]
    pairs = sorted(parts, key=lambda part: (part[0], names.index(part[1])))
    for one, (place, name) in zip(objects, pairs, strict=True):
        lines += [
            f"{one} = now[{place}].get({values[name]}) if type(now[{place}]) is Fn else None",
            f"if {one} is None: return {source}",
        ]
    same = " and ".join(f"{one} is found[{number}]" for number, one in enumerate(objects, 1))
    simple = f"if type(value) in {emit.bind(_SIMPLE)}: " if is_value else ""
    lines += [
        f"if found is not None and {same}:",
        f" {memory}.known += 1",
        " return found[0]",
        f"value = {source}",
        f"{simple}{memory}.keep(key, (value, {', '.join(objects)}))",
        "return value",
    ]
    return emit.statements(lines)


def compile_kept(ev: Evaluator, whole: Expression, unit: Unit, primed: bool) -> Evaluate:
    """Compile the body of a definition of a LET, which keeps its value if that is sound and pays."""
    source = ev.value_source(whole, unit, primed)
    return ev.emit.function(source if primed else keep_parts(ev, whole, unit, source, is_value=True))


def find_named_parts(
    ev: Evaluator, whole: Expression, module: str, names: list[Symbol]
) -> list[tuple[int, Symbol]]:
    """Return the parts of variables that a formula reads for these names. None of them if it may read another
    part or a whole variable."""
    found = find_part_reads(ev, whole, module)
    named = [(place, name) for place, name in found if name is not None and name in names]
    return named if len(named) == len(found) else []
