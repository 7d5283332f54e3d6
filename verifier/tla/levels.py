"""Definitions that SANY rejects by their levels: constant, of one state, of two states, temporal.

Parameters count as constants here, so what only an argument makes wrong is found where it is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Module
from verifier.tla.errors import TlaError
from verifier.tla.facts import ACTION, TEMPORAL, Analysis, subexpressions

_MIXED = "what speaks of two states stands beside a temporal formula"


def check_levels(module: Module, analysis: Analysis) -> None:
    """Raises TlaError for a definition of a module, or of those that it extends, which SANY rejects."""
    for symbol in module.names.values():
        if isinstance(symbol, Definition) and symbol.body is not None and not _is_own(symbol):
            for part in _parts(symbol.body):
                _check(part, symbol.module, analysis)


def _is_own(symbol: Definition) -> bool:
    """Whether it is a definition of this program's library, which is known to be right."""
    return symbol.place.file.endswith("(of verify)")


def _parts(whole: Expression) -> Iterator[Expression]:
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, ast.Let):
            waiting += [part.body, *(one.body for one in part.definitions if one.body is not None)]
        else:
            waiting += subexpressions(part)[0]


def _check(whole: Expression, module: str, analysis: Analysis) -> None:
    def level(part: Expression) -> int:
        return analysis.of(part, module).level

    words = ""
    match whole:
        case ast.Prime(body) if level(body) >= ACTION:
            words = "a prime stands below another one: what it primes speaks of two states already"
        case ast.Temporal(kind="[]" | "<>", items=(item,)) if level(item) == ACTION and _is_bare(item):
            form = "[][A]_v" if whole.kind == "[]" else "<><<A>>_v"
            words = f"{whole.kind} of a formula about two states: only {form} is allowed"
        case ast.Temporal(kind="~>" | "-+->", items=items) if ACTION in map(level, items):
            words = f"{whole.kind} takes no formula about two states"
        case ast.Junction(items=items) if {ACTION, TEMPORAL} <= set(map(level, items)):
            words = f"{_MIXED}: is [][A]_v meant?"
        case ast.Apply(operator=Builtin(name="=>" | "<=>"), arguments=items):
            words = _MIXED if {ACTION, TEMPORAL} <= set(map(level, items)) else ""
        case ast.Quantifier(bindings=bindings, body=body):
            bounds = {level(one.domain) for one in bindings}
            if TEMPORAL in bounds or (ACTION in bounds and level(body) == TEMPORAL):
                words = (
                    "the set of a quantifier cannot be a temporal formula, nor that of a temporal one primed"
                )
    if words:
        raise TlaError(whole.place, words)


def _is_bare(item: Expression) -> bool:
    """Whether an action is no step with a subscript, nor a name or a quantifier for such."""
    if isinstance(item, ast.Apply):
        return isinstance(item.operator, Builtin)
    return not isinstance(item, ast.Step | ast.Quantifier | ast.Let)
