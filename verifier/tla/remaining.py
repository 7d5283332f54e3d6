r"""``\E i \in S : G(i) /\ A(i)`` of two known states: a loop over the members for which ``G`` is true.

``G`` is what the body says of the first state before anything else. If it is false, the body is false, and
nothing else is evaluated. A step leaves most variables unchanged. So the members for which ``G`` is true are
kept, and found again only if a variable that ``G`` or ``S`` reads has another value object. Objects are
compared by identity, and are kept alive, so that no new object can have the same identity.

The meaning stays the same, errors included, under these conditions:

- ``G`` and ``S`` are about one state, always have the same value for the same values of the variables that
  they read, and name no name from outside of the loop.
- ``G`` has a value for each member. Otherwise the loop runs as it is written, and finds the error itself.
- The members that remain keep their order. For them, the whole body is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.facts import ACTION, STATE
from verifier.tla.frames import UNSET, Frame, Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.loops import loop_lines
from verifier.tla.value_types import NoValue

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_DEEPEST = 8
"""The limit of definitions in definitions that are looked into."""
_MOST = 1_000
"""The limit of members that remain: a loop with more of them runs as it is written."""
_MOST_TRIED = 20_000
"""The limit of members for which the first conjuncts are evaluated. With more of them, the loop always runs
as it is written: it ends at the first member that decides, and has guards of its own."""
_ASKED = 500
_WORTH_IT = 0.3
"""The share of loops whose remaining members must be known."""
_Rows: TypeAlias = "list[tuple[Any, ...]]"


def remaining_lines(ev: Evaluator, whole: ast.Quantifier, unit: Unit, decides: str) -> list[str]:
    """Return lines that return the value of a quantifier if its remaining members are known; none if no
    conjunct speaks of the first state alone. ``decides``: the source of the body."""
    if ev.counts is not None or whole.universal or any(one.is_tuple for one in whole.bindings):
        return []
    facts = ev.analysis.of(whole.body, unit.module)
    if facts.level != ACTION or facts.changing or facts.enabled:
        return []
    first = find_first(ev, whole.body, unit.module)
    if first is None:
        return []
    names: list[Symbol] = [one.names[0] for one in whole.bindings]
    parts = [ev.analysis.of(one.domain, unit.module) for one in whole.bindings]
    of_first = ev.analysis.of(first, unit.module)
    alone = not of_first.free.difference(names) and not any(one.free for one in parts)
    if not alone or any(one.level > STATE or one.changing or one.enabled for one in (of_first, *parts)):
        return []
    reads = of_first.reads.union(*(one.reads for one in parts))
    if not reads <= ev.index.keys():
        return []
    kept = Remaining(ev, whole, unit, first, sorted(ev.index[one] for one in reads))
    row, slots = ev.emit.fresh("r"), ", ".join(f"e[{unit.slot(name)}]" for name in names)
    return [
        f"{row} = {ev.emit.bind(kept.find)}(e)",
        f"if {row} is not None:",
        f" for {slots}{',' if len(names) == 1 else ''} in {row}:",
        f"  if {decides}: return True",
        " return False",
    ]


class Remaining:
    """The members of a quantifier's sets for which the first conjuncts of its body are true."""

    def __init__(
        self, ev: Evaluator, whole: ast.Quantifier, unit: Unit, first: Expression, reads: list[int]
    ) -> None:
        self.ev, self.whole, self.unit, self.first, self.reads = ev, whole, unit, first, reads
        self.asked = self.known = 0
        self._kept: tuple[list[Any], _Rows | None] | None = None
        """The value objects, and the rows for them. It is set at once: a signal may interrupt."""
        self._collect: Callable[[Frame], _Rows | None] | None = None
        self._too_many = False

    def find(self, e: Frame) -> _Rows | None:
        """Return the members that remain, each as the values of all names; None if the loop must run."""
        if self._too_many or (self.asked > _ASKED and self.known < self.asked * _WORTH_IT):
            return None
        now = self.ev.now
        self.asked += 1
        if self._kept is not None:
            objects, rows = self._kept
            for place, value in zip(self.reads, objects, strict=True):
                if now[place] is not value:
                    break
            else:
                self.known += 1
                return rows
        objects = [now[place] for place in self.reads]
        if UNSET in objects:
            return None
        rows = self._find_rows(e)
        self._kept = objects, rows
        return rows

    def _find_rows(self, e: Frame) -> _Rows | None:
        if self._collect is None:
            self._collect = self._compile()
        try:
            rows = self._collect(extend_frame(e, self.unit))
        except (Undefined, NoValue, RecursionError):
            return None
        if rows is None:
            self._too_many = True
            return None
        return rows if len(rows) <= _MOST else None

    def _compile(self) -> Callable[[Frame], _Rows | None]:
        ev, unit = self.ev, self.unit
        slots = "".join(f"e[{unit.slot(one.names[0])}], " for one in self.whole.bindings)
        inner = [
            "tried += 1",
            f"if tried > {_MOST_TRIED}: return None",
            f"if {ev.truth_source(self.first, unit)}:",
            f" rows.append(({slots}))",
            f" if len(rows) > {_MOST}: return rows",
        ]
        lines = loop_lines(ev, self.whole.bindings, unit, False, inner, ordered=True)
        name = ev.emit.define(["rows, tried = [], 0", *lines, "return rows"])
        made: Callable[[Frame], _Rows | None] = ev.emit.names[name]
        return made


def find_first(ev: Evaluator, whole: Expression, module: str, depth: int = _DEEPEST) -> Expression | None:
    """Return a formula of the first state that is evaluated before all else. If it is false, so is the whole.
    None if there is none."""
    facts = ev.analysis.of(whole, module)
    if facts.level <= STATE:
        return None if facts.changing or facts.enabled else whole
    match whole:
        case ast.Junction(conjunction=True):
            return _first_of_conjunction(ev, whole, module, depth)
        case ast.Junction():
            parts = [find_first(ev, item, module, depth) for item in whole.items]
            given = tuple(one for one in parts if one is not None)
            return replace(whole, items=given) if len(given) == len(parts) else None
        case ast.Quantifier(universal=False) | ast.Let():
            body = find_first(ev, whole.body, module, depth)
            if body is None:
                return None
            made = replace(whole, body=body)
            if isinstance(made, ast.Quantifier):
                ev.parts_of_steps.add(made)
            return _about_first(ev, made, module)
        case ast.Apply():
            return _first_of_definition(ev, whole, module, depth)
    return None


def _about_first(ev: Evaluator, whole: Expression, module: str) -> Expression | None:
    """Return a formula if it speaks of the first state only: a set or an argument in it may not."""
    facts = ev.analysis.of(whole, module)
    return whole if facts.level <= STATE and not facts.changing and not facts.enabled else None


def _first_of_conjunction(ev: Evaluator, whole: ast.Junction, module: str, depth: int) -> Expression | None:
    found: list[Expression] = []
    for item in whole.items:
        one = find_first(ev, item, module, depth)
        if one is not None:
            found.append(one)
        if one is not item:  # what follows may be evaluated after a part that speaks of the next state
            break
    return replace(whole, items=tuple(found)) if found else None


def _first_of_definition(ev: Evaluator, whole: ast.Apply, module: str, depth: int) -> Expression | None:
    symbol = ev.resolve(whole.operator, module) or whole.operator
    if not isinstance(symbol, Definition) or symbol.body is None or symbol.nested or symbol.recursive:
        return None
    if not depth or symbol in ev.constants or any(one.arity for one in symbol.parameters):
        return None
    body = find_first(ev, symbol.body, symbol.module, depth - 1)
    if body is None:
        return None
    used = ev.analysis.of(body, symbol.module).free
    given = [pair for pair in zip(symbol.parameters, whole.arguments, strict=True) if pair[0] in used]
    part = replace(symbol, parameters=tuple(one for one, _ in given), body=body)
    made = ast.Apply(part, tuple(argument for _, argument in given), place=whole.place)
    return _about_first(ev, made, module)
