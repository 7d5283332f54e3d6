r"""Conjuncts that are decided once for a whole loop: ``\E b, e \in 1..n : A(i) /\ B(i, b, e)``.

If ``A(i)`` is false, each pass of the loop is false, and no pass evaluates anything else. So ``A(i)`` is
evaluated in the first pass, and if it is false, the loop ends. The meaning stays the same, errors included,
under these conditions:

- The conjunct names none of the loop's own names, has one value as long as the loop runs, and no side effect.
- Each conjunct before it has these properties too, or always has a value: a comparison of integers.
- An error while it is evaluated decides nothing: the loop runs as it is written, and finds the error itself.
- The loop runs over integers ``a..b``, or over a constant that is a set of integers, of strings or of model
  values. No member of such a set has an error of its own.

A conjunct may stand at the begin of a definition that the body applies. Of two nested loops, a conjunct that
names only the outer one's name is decided once for each pass of the outer loop. If ``range`` stands for
``<<b, e>>``, then ``range[1] = n`` names ``b`` only: the tuple has a value for each ``e``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.facts import ACTION, STATE, subexpressions
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.loops import domain_source, is_interval, loop_lines
from verifier.tla.narrowing import find_narrowing
from verifier.tla.value_types import ModelValue, NoValue

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator
    from verifier.tla.pruning import Pruned

_DEEPEST = 6
"""The limit of definitions in definitions that are looked into."""
_COMPARISONS = frozenset(("<", ">", "<=", ">=", "=", "#"))
_SETTLED = frozenset((int, str, ModelValue))
"""Types of members that have no errors of their own."""
Kind: TypeAlias = "bool | tuple[Kind, ...]"
"""Knowledge of a name: True for an integer, False for nothing, or the kinds of a tuple's items."""
_Kinds: TypeAlias = Mapping[Symbol, Kind]
_Shapes: TypeAlias = Mapping[Symbol, tuple[bool, ...]]
"""For a parameter that stands for a tuple, which always has a value: the items that depend on some names."""


def make_guarded_loop(
    ev: Evaluator, whole: ast.Quantifier, unit: Unit, primed: bool, inner: list[str], *, walked: bool
) -> list[str]:
    r"""Return lines that run others for all values of the names of ``\E``, until a guard is false.
    ``walked``: the next state is being built."""
    # Formulas that are counted are evaluated as they are written.
    from verifier.tla.pruning import Pruned, may_prune

    kinds = [
        None if one.is_tuple or whole.universal else _kind_of_members(ev, one.domain, unit)
        for one in whole.bindings
    ]
    guards = _guards(ev, whole, kinds, unit, walked=walked) if ev.counts is None else []
    are_intervals = bool(guards) and all(is_interval(ev, one.domain, unit) for one in whole.bindings)
    prunes = are_intervals and not walked and not primed and may_prune(ev, whole, unit)
    has_tuples = any(one.is_tuple for one in whole.bindings)
    narrow = None if primed or has_tuples else find_narrowing(ev, whole, unit, kinds[-1])
    if not any(guards) and not prunes and narrow is None:
        return loop_lines(ev, whole.bindings, unit, primed, inner, ordered=True)
    guards = guards or [None] * len(kinds)
    sets = [domain_source(ev, one.domain, unit, primed, ordered=True) for one in whole.bindings]
    names, known = [ev.emit.fresh("s") for _ in sets], [ev.emit.fresh("g") for _ in sets]
    tests = [
        f"{ev.emit.bind(_guard_test(ev, guard, unit, primed))}(e)" if guard is not None else None
        for guard in guards
    ]
    lines = []
    for test, name in zip(tests, known, strict=True):
        if test is not None:
            lines += [f"if {name} is None: {name} = {test}", f"if not {name}: break"]
    lines += inner
    rows = [*names[:-1], names[-1] if narrow is None else f"{ev.emit.bind(narrow)}(e, {names[-1]})"]
    for number in reversed(range(len(names))):
        slot = unit.slot(whole.bindings[number].names[0])
        lines = _lines_over(ev, slot, rows[number], lines, draws=walked and not are_intervals)
        decided = [one for one, guard in zip(known[:number], guards[:number], strict=True) if guard]
        lines += [f"if {one} is False: break" for one in decided]
        lines = [f"{known[number]} = None", *lines]
    if prunes:
        lines = [*_pruning_lines(Pruned(ev, whole, unit), names, tests[0]), *lines]
    return [*(f"{name} = {source}" for name, source in zip(names, sets, strict=True)), *lines]


def _lines_over(ev: Evaluator, slot: int, row: str, inner: list[str], *, draws: bool) -> list[str]:
    """Return lines that run others for the members of a row. ``draws``: a search may ask for some of them."""
    if not draws:
        return [f"for e[{slot}] in {row}:", *(f" {line}" for line in inner)]
    draw, mark, left = ev.emit.bind(ev.draw), ev.emit.fresh("m"), ev.emit.fresh("n")
    return [
        f"{mark}, {left} = {draw}.taken, {draw}.most",
        f"for e[{slot}] in ({draw}.mix({row}) if {left} else {row}):",
        *(f" {line}" for line in inner),
        f" if {left} and {draw}.taken > {mark}:",
        f"  {mark}, {left} = {draw}.taken, {left} - 1",
        f"  if not {left}: break",
    ]


def _pruning_lines(pruned: Pruned, names: list[str], test: str | None) -> list[str]:
    """Return lines that return the value of a quantifier with many values, if it can be decided."""
    from verifier.tla.pruning import FEWEST

    emit = pruned.ev.emit
    return [
        f"if {' * '.join(f'len({name})' for name in names)} > {FEWEST}:",
        *([f" if not {test}: return False"] if test is not None else []),
        f" found = {emit.bind(pruned.decide)}(e, {', '.join(names)})",
        " if found is not None: return found",
    ]


def _guard_test(ev: Evaluator, guard: Expression, unit: Unit, primed: bool) -> Callable[[Frame], bool]:
    """Return a test that is false if a guard is. It is compiled when it is first needed."""
    tests: list[Callable[[Frame], bool]] = []

    def run_test(e: Frame) -> bool:
        try:
            if not tests:
                tests.append(ev.truth(guard, unit, primed))
            return tests[0](extend_frame(e, unit))
        except (Undefined, NoValue, RecursionError):
            return True

    return run_test


def _guards(
    ev: Evaluator, whole: ast.Quantifier, types: Sequence[type | None], unit: Unit, *, walked: bool
) -> list[Expression | None]:
    """Return for each loop, the outermost first, what is decided in its first pass; None for nothing."""
    if whole.universal or None in types:
        return []
    kinds: dict[Symbol, Kind] = {
        one.names[0]: kind is int for one, kind in zip(whole.bindings, types, strict=True)
    }
    names = list(kinds)
    search, before, guards = _Search(ev, STATE if walked else ACTION), 0, list[Expression | None]()
    for number in range(len(names)):
        search.count = 0
        conjuncts, _ = search.leading(whole.body, unit.module, frozenset(names[number:]), kinds, _DEEPEST)
        guards.append(_conjunction(conjuncts) if search.count > before else None)
        before = search.count
    return guards


def _kind_of_members(ev: Evaluator, whole: Expression, unit: Unit) -> type | None:
    """Return the type of a set's members, if they always have a value: integers, strings or model values."""
    if is_interval(ev, whole, unit):
        return int
    if not isinstance(whole, ast.Apply) or whole.arguments or not ev.is_fixed(whole, unit):
        return None
    try:
        found = ev.compile_value(whole, unit.module)()
    except (Undefined, NoValue, RecursionError):
        return None
    kinds = set(map(type, found)) if type(found) is frozenset else set[type]()
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if kind in _SETTLED else None


def _conjunction(conjuncts: list[Expression]) -> Expression:
    return (
        conjuncts[0]
        if len(conjuncts) == 1
        else ast.Junction(True, tuple(conjuncts), place=conjuncts[0].place)
    )


class _Search:
    """Finds the conjuncts of a body that may be evaluated before the others."""

    def __init__(self, ev: Evaluator, most_level: int) -> None:
        self.ev, self.most_level = ev, most_level
        self.count = 0
        """The number of conjuncts that were found."""

    def leading(
        self,
        whole: Expression,
        module: str,
        names: frozenset[Symbol],
        kinds: _Kinds,
        depth: int,
        shapes: _Shapes = MappingProxyType({}),
    ) -> tuple[list[Expression], bool]:
        """Return the conjuncts that do not depend on some names. False: what follows the formula may not be
        evaluated before it."""
        facts = self.ev.analysis.of(whole, module)
        if not self._depends(whole, module, names, shapes):
            if facts.changing or facts.level > self.most_level:
                return [], False
            self.count += 1
            return [whole], True
        match whole:
            case ast.Junction() if whole.conjunction:
                expressions: list[Expression] = []
                for item in whole.items:
                    more, complete = self.leading(item, module, names, kinds, depth, shapes)
                    expressions += more
                    if not complete:
                        return expressions, False
                return expressions, True
            case ast.Apply():
                return self._apply(whole, module, names, kinds, depth)
        return [], False

    def _apply(
        self, whole: ast.Apply, module: str, names: frozenset[Symbol], kinds: _Kinds, depth: int
    ) -> tuple[list[Expression], bool]:
        symbol = self.ev.resolve(whole.operator, module) or whole.operator
        if isinstance(symbol, Builtin):
            pair = whole.arguments
            is_total = symbol.name in _COMPARISONS and all(_kind(one, kinds) is True for one in pair)
            return [], is_total
        if not isinstance(symbol, Definition) or symbol.body is None or symbol.nested or symbol.recursive:
            return [], False
        if not depth or symbol in self.ev.constants or any(one.arity for one in symbol.parameters):
            return [], False
        given = dict(zip(symbol.parameters, whole.arguments, strict=True))
        dependent = {one for one, part in given.items() if self.ev.analysis.of(part, module).free & names}
        inner: dict[Symbol, Kind] = {one: _kind(part, kinds) for one, part in given.items()}
        shapes: dict[Symbol, tuple[bool, ...]] = {
            one: self._shape(given[one], module, names, kinds) for one in dependent
        }
        guards, complete = self.leading(
            symbol.body, symbol.module, frozenset(dependent), inner, depth - 1, shapes
        )
        if not guards:
            return [], complete
        used = frozenset[Symbol]().union(*(self.ev.analysis.of(one, symbol.module).free for one in guards))
        parameters = tuple(one for one in symbol.parameters if one in used)
        part = replace(symbol, parameters=parameters, body=_conjunction(guards))
        arguments = tuple(given[one] for one in parameters)
        return [ast.Apply(part, arguments, place=whole.place)], complete

    def _shape(
        self, whole: Expression, module: str, names: frozenset[Symbol], kinds: _Kinds
    ) -> tuple[bool, ...]:
        """Return for each item of a tuple if it depends on some names; nothing for another expression."""
        if not isinstance(whole, ast.Tuple) or not all(_kind(item, kinds) is True for item in whole.items):
            return ()
        return tuple(bool(self.ev.analysis.of(item, module).free & names) for item in whole.items)

    def _depends(self, whole: Expression, module: str, names: frozenset[Symbol], shapes: _Shapes) -> bool:
        """True if an expression depends on some names."""
        used = self.ev.analysis.of(whole, module).free & names
        if not used:
            return False
        if not all(shapes.get(one) for one in used):
            return True
        match whole:
            case ast.FunctionApply(
                function=ast.Apply(operator=name, arguments=()), argument=ast.Number(value=number)
            ) if name in shapes:
                shape = shapes[name]
                return not 0 < number <= len(shape) or shape[number - 1]
            case ast.Apply(operator=Builtin()) | ast.Junction() | ast.If() | ast.FunctionApply():
                parts = subexpressions(whole)[0]
                return not parts or any(self._depends(one, module, names, shapes) for one in parts)
        return True


def _kind(whole: Expression, kinds: _Kinds) -> Kind:
    """Return what is known of the value of an expression that always has one; False for nothing."""
    match whole:
        case ast.Number():
            return True
        case ast.Tuple():
            # An argument is evaluated as a whole: one item without a value leaves the others without one.
            items = tuple(_kind(item, kinds) for item in whole.items)
            return False if any(item is False for item in items) else items
        case ast.Apply() if not whole.arguments:
            return kinds.get(whole.operator, False)
        case ast.FunctionApply(argument=ast.Number(value=number)):
            kind = _kind(whole.function, kinds)
            return kind[number - 1] if isinstance(kind, tuple) and 0 < number <= len(kind) else False
    return False
