r"""Conjuncts of formulas of a step, each with its last value for the same values of what it reads.

A property ``[][Next]_v`` looks at each action in each step, and a step leaves most variables unchanged. So a
costly conjunct such as ``commitIndex' = [commitIndex EXCEPT ![i] = Agreed(i)]`` is mostly asked what it was
asked before. It has the same value under these conditions:

- The variables that it reads in either state are the same value objects. They are compared by identity, and
  are kept alive, so that no new object can have the same identity.
- The names from outside that it needs have equal values: integers, strings or model values, already known.
  None of them stands below a prime, where it might mean another value.
- It always has the same value for these, and no side effect. Errors are not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Bound, Definition, Expression, Parameter, Symbol, Variable
from verifier.tla.emitting import Source
from verifier.tla.facts import ACTION, AT, STATE, Facts, subexpressions
from verifier.tla.frames import Unit
from verifier.tla.value_types import ModelValue

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_MOST_NAMES = 3
_MOST = 1_000
"""The limit of combinations of names for which a value is kept."""
_TRIED = 1_000
_WORTH_IT = 0.3
"""The share of questions whose answers must be known."""
Reads: TypeAlias = tuple[set[int], set[int]]
"""The places of the variables that are read in the first and in the next state."""
_OTHERS = (
    ast.Step, ast.Temporal, ast.Fairness, ast.Enabled, ast.OperatorArgument, ast.Lambda,
)  # fmt: skip
_SIMPLE = frozenset((int, str, ModelValue))


class Kept:
    """The last values of one conjunct, by the values of the names that it needs."""

    __slots__ = ("known", "missed", "pays", "table")

    def __init__(self) -> None:
        self.table: dict[Any, tuple[Any, ...]] = {}
        self.known = self.missed = 0
        self.pays = True

    def keep(self, key: Any, entry: tuple[Any, ...]) -> None:
        """Keep a value with the objects for which it was found."""
        self.missed += 1
        if self.missed > _TRIED and self.known < self.missed * _WORTH_IT:
            self.pays = False
            self.table.clear()
            return
        if len(self.table) >= _MOST:
            self.table.clear()
        self.table[key] = entry


def may_be_kept(ev: Evaluator, whole: Expression, unit: Unit, level: int) -> list[Symbol]:
    """Return the names from outside that a formula needs, if its value may be kept for their values; else
    nothing."""
    facts = ev.analysis.of(whole, unit.module)
    return _check_names(ev, facts, list(facts.free), level)


def _check_names(ev: Evaluator, facts: Facts, names: list[Symbol], level: int) -> list[Symbol]:
    # Formulas that are counted are evaluated as they are written.
    if ev.counts is not None or facts.level != level or not facts.costly or facts.changing or facts.enabled:
        return []
    plain = all(
        (isinstance(one, Bound) and one is not AT) or (isinstance(one, Parameter) and not one.arity)
        for one in names
    )
    return names if plain and len(names) <= _MOST_NAMES else []


def find_kept_names(ev: Evaluator, whole: Expression, unit: Unit, level: int) -> list[Symbol]:
    """Return what ``may_be_kept`` returns. Definitions of a LET around the formula do not count: the names
    that they need are among those of the formula."""
    facts = ev.analysis.of(whole, unit.module)
    return _check_names(ev, facts, [one for one in facts.free if not isinstance(one, Definition)], level)


def begin_lines(
    ev: Evaluator, kept: Kept, names: list[Symbol], unit: Unit, test: Source
) -> tuple[Source, list[str], dict[Symbol, Source]]:
    """Return the source of the memory, lines that find what is kept for the values of names, and the sources
    of these values."""
    emit = ev.emit
    memory, simple, table = emit.bind(kept), emit.bind(_SIMPLE), emit.bind(kept.table)
    values = {name: emit.fresh("n") for name in names}
    lines = [f"if not {memory}.pays: return {test}"]
    for name, value in values.items():
        lines += [
            f"{value} = e[{unit.slot(name)}]",
            f"if type({value}) is Waiting: {value} = {value}.value",
            f"if type({value}) not in {simple}: return {test}",
        ]
    return memory, [*lines, f"key = {', '.join(values.values())}", f"found = {table}.get(key)"], values


def keep_conjunct(ev: Evaluator, whole: Expression, unit: Unit, test: Source) -> Source:
    """Return the source of a conjunct that keeps its value, if that is sound and pays; else the given one."""
    names = may_be_kept(ev, whole, unit, ACTION)
    both = find_reads(ev, whole, unit.module) if names else None
    if both is None:
        return test
    kept, emit = Kept(), ev.emit
    objects = [f"now[{place}]" for place in sorted(both[0])]
    objects += [f"following[{place}]" for place in sorted(both[1])]
    memory, lines, _ = begin_lines(ev, kept, names, unit, test)
    same = " and ".join(f"{one} is found[{number}]" for number, one in enumerate(objects, 1))
    lines += [
        f"if found is not None and {same}:",
        f" {memory}.known += 1",
        *([f" {emit.bind(ev.read_next)}[0] = True"] if both[1] else []),
        " return found[0]",
        f"entry = ({', '.join(objects)},)",
        f"truth = {test}",
        f"if {' and '.join(f'{one} is not UNSET' for one in objects)}: {memory}.keep(key, (truth, *entry))",
        "return truth",
    ]
    return emit.statements(lines)


def find_reads(ev: Evaluator, whole: Expression, module: str) -> Reads | None:
    """Return the variables that a formula reads in the first and in the next state. None if a name from
    outside stands below a prime, or the formula is of another kind."""
    place = whole, module
    if place not in ev.step_reads:
        ev.step_reads[place] = _find_reads(ev, whole, module)
    return ev.step_reads[place]


def _find_reads(ev: Evaluator, whole: Expression, module: str) -> Reads | None:
    facts = ev.analysis.of(whole, module)
    reads = {ev.index[one] for one in facts.reads if one in ev.index}
    if len(reads) < len(facts.reads):
        return None
    if facts.level <= STATE:
        return reads, set()
    if isinstance(whole, ast.Prime | ast.Unchanged):
        if any(not isinstance(one, Bound) for one in facts.free):
            return None
        return (set() if isinstance(whole, ast.Prime) else reads), reads
    parts = _parts(ev, whole, module)
    if parts is None:
        return None
    found = [find_reads(ev, part, inside) for part, inside in parts]
    now, later = set[int](), set[int]()
    for both in found:
        if both is None:
            return None
        now |= both[0]
        later |= both[1]
    return now, later


def _parts(ev: Evaluator, whole: Expression, module: str) -> list[tuple[Expression, str]] | None:
    """Return the formulas that a formula of a step consists of, with their modules; None for other kinds."""
    if isinstance(whole, _OTHERS):
        return None
    if isinstance(whole, ast.Let):
        return [(whole.body, module)]
    parts = [(part, module) for part in subexpressions(whole)[0]]
    if not isinstance(whole, ast.Apply):
        return parts
    symbol = ev.resolve(whole.operator, module) or whole.operator
    if isinstance(symbol, Definition):
        if symbol.recursive or symbol.body is None or any(one.arity for one in symbol.parameters):
            return None
        return [*parts, (symbol.body, symbol.module)]
    return parts if isinstance(symbol, ast.Builtin | Bound | Parameter | Variable) else None
