"""The reason why a formula is false in a state: its smallest false parts, with the names that are bound
there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TYPE_CHECKING, TypeAlias

from verifier.encodings.blame import Blame
from verifier.tla import ast
from verifier.tla.arguments import argument_sources, unit_of
from verifier.tla.ast import Builtin, Definition, Expression, Parameter, Symbol, Variable
from verifier.tla.blaming import Blaming
from verifier.tla.errors import Place, TlaError
from verifier.tla.facts import ACTION, STATE, subexpressions
from verifier.tla.found import State
from verifier.tla.frames import Frame, Undefined, Unit, Waiting
from verifier.tla.lets import extend_frame, let_lines
from verifier.tla.levels import with_instances
from verifier.tla.loops import compile_setter
from verifier.tla.order import text
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.text import text_at
from verifier.tla.unfolding import Texts
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import listed, members

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_MOST_PARTS = 3
_LONGEST, _LONGEST_VALUE = 400, 160
"""The most characters of a part, and of a value: readers need no more."""
_LONGEST_NAME = 60
_RELATIONS = frozenset(
    {"=", "#", "/=", "<", ">", "<=", "=<", "\\leq", ">=", "\\geq", "\\in", "\\notin", "\\subseteq"}
)
_Bound: TypeAlias = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class SaidPart:
    """A part of a formula, as its text says it: a false one of a property, a true one of an action."""

    place: Place
    formula: str
    bound: tuple[tuple[str, str], ...]
    """The values of the names around it."""
    reads: tuple[tuple[str, str], ...]
    """The variables that it reads, with their values."""
    blame: Blame | None = None
    """Of a false part, why it is false."""
    premises: tuple[SaidPart, ...] = ()
    """The left sides of the implications around it."""


@dataclass(frozen=True)
class _Around:
    """The names around a part with their values, and what is true and demands it."""

    bound: _Bound = ()
    premises: tuple[SaidPart, ...] = ()

    def binding(self, names: _Bound) -> _Around:
        return replace(self, bound=(*self.bound, *names))


def false_parts(
    spec: Specification,
    formulas: list[Formula],
    state: State,
    following: State | None = None,
    texts: Texts | None = None,
) -> list[SaidPart]:
    """Return the first parts that are false in a state, or of the step to the next state. None of them if an
    expression on the way has no value. ``texts``: what the text has where names are substituted."""
    found, descent = list[SaidPart](), _descent(spec, state, following, texts)
    try:
        for formula in formulas:
            unit = Unit(formula.module)
            if descent.is_false(formula.body, unit, unit.frame()):
                parts = descent.parts(formula.body, unit, unit.frame(), _Around())
                found += islice(parts, _MOST_PARTS - len(found))
    except (Undefined, NoValue, RecursionError):
        pass
    return found


def whole_part(
    spec: Specification, formula: Formula, state: State, following: State, texts: Texts
) -> SaidPart | None:
    """Return a formula of a state or step with the values that it reads there; None if one has no value."""
    unit = Unit(formula.module)
    with suppress(Undefined, NoValue, RecursionError):
        descent = _descent(spec, state, following, texts)
        is_false = descent.is_false(formula.body, unit, unit.frame())
        part = descent.leaf(formula.body, unit, unit.frame())
        blame = Blaming(descent, unit, unit.frame()).blame(formula.body) if is_false else None
        return replace(part, blame=blame)
    return None


def _descent(
    spec: Specification, state: State, following: State | None = None, texts: Texts | None = None
) -> Descent:
    """Return the descent into formulas in a state, or of the step to the next state."""
    spec.evaluator.now[:] = state
    if following is not None:
        spec.evaluator.next[:] = following
    put = {put.symbol for one in with_instances(spec.module) for put in one.puts}
    return Descent(spec.evaluator, put, texts or Texts())


def demands(
    spec: Specification, action: Definition, parameters: Mapping[str, Value], state: State
) -> list[SaidPart]:
    """Return the parts of an action that speak of the state in which it is taken.

    None where the parameters do not say which way was taken, or where something has no value on the way.
    """
    evaluator, found = spec.evaluator, list[SaidPart]()
    if action.body is None or any(one.arity for one in action.parameters):
        return []
    descent = _descent(spec, state)
    unit = unit_of(evaluator, action)
    e, waiting = unit.frame(), [action.body]
    try:
        for parameter in action.parameters:
            extend_frame(e, unit)[unit.slot(parameter)] = parameters[parameter.name]
        while waiting:
            whole = waiting.pop(0)
            match whole:
                case ast.Junction() if whole.conjunction or len(whole.items) == 1:
                    waiting[:0] = whole.items
                case ast.Quantifier() if not whole.universal and not any(b.is_tuple for b in whole.bindings):
                    for name in (name for binding in whole.bindings for name in binding.names):
                        slot = unit.slot(name)
                        extend_frame(e, unit)[slot] = parameters[name.name]
                    waiting.insert(0, whole.body)
                case _ if evaluator.analysis.of(whole, unit.module).level == STATE:
                    if descent.is_false(whole, unit, e):  # it is another way that was taken
                        return []
                    found.append(descent.leaf(whole, unit, e))
    except (Undefined, NoValue, RecursionError, KeyError, TlaError):
        return []
    return found


class Descent:
    def __init__(self, evaluator: Evaluator, put: Set[Symbol], texts: Texts) -> None:
        self.evaluator = evaluator
        self.put = put
        """Names for which instances have substitutes."""
        self.texts = texts

    def is_false(self, whole: Expression, unit: Unit, e: Frame) -> bool:
        test = self.evaluator.truth(whole, unit)
        return not test(extend_frame(e, unit))

    def parts(self, whole: Expression, unit: Unit, e: Frame, around: _Around) -> Iterator[SaidPart]:
        """Yield the smallest false parts of a formula that is false in a frame."""
        match whole:
            case ast.Junction() if whole.conjunction or len(whole.items) == 1:
                for item in whole.items:
                    if self.is_false(item, unit, e):
                        yield from self.parts(item, unit, e, around)
            case ast.Junction() if any(map(_finds_elements, whole.items)):
                yield from self.parts(next(filter(_finds_elements, whole.items)), unit, e, around)
            case ast.Quantifier() if whole.universal:
                yield from self._element(whole, unit, e, around)
            case ast.Apply(
                operator=Builtin(name="~") as no, arguments=(ast.Quantifier(universal=False) as found,)
            ):
                body = ast.Apply(no, (found.body,), place=span(self.texts.of(found.body)))
                none = ast.Quantifier(True, found.bindings, body, place=whole.place)
                yield from self._element(none, unit, e, around)
            case ast.If():
                held = not self.is_false(whole.condition, unit, e)
                yield from self.parts(whole.then if held else whole.otherwise, unit, e, around)
            case ast.Let():
                entries = let_lines(self.evaluator, whole, unit, False)
                put = self.evaluator.emit.function(self.evaluator.emit.statements([*entries, "return e"]))
                inner = put(extend_frame(e[:], unit))
                yield from self.parts(whole.body, unit, inner, around)
            case ast.Step() if whole.stuttering:
                yield from self.parts(whole.action, unit, e, around)
            case ast.Apply():
                yield from self._apply(whole, unit, e, around)
            case _:
                yield self.false_leaf(whole, unit, e, around)

    def _element(self, whole: ast.Quantifier, unit: Unit, e: Frame, around: _Around) -> Iterator[SaidPart]:
        """Yield the part that is false for the first elements that falsify the body."""
        evaluator, order = self.evaluator, self.evaluator.order
        domains = [evaluator.value(binding.domain, unit) for binding in whole.bindings]
        sets = [domain(extend_frame(e, unit)) for domain in domains]
        put = [compile_setter(evaluator, binding, unit) for binding in whole.bindings]
        names = [name for binding in whole.bindings for name in binding.names]
        holds = evaluator.truth(whole.body, unit)
        for items in product(*(order.sorted(frozenset(members(one))) for one in sets)):
            inner = extend_frame(e[:], unit)  # after compiling, so that it has all slots
            for place, item in zip(put, items, strict=True):
                place(inner, item)
            if not holds(inner):
                here = tuple((name.name, inner[unit.slot(name)]) for name in names)
                yield from self.parts(whole.body, unit, inner, around.binding(here))
                return

    def _apply(self, whole: ast.Apply, unit: Unit, e: Frame, around: _Around) -> Iterator[SaidPart]:
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Builtin) and symbol.name == "=>":
            premise = self.leaf(whole.arguments[0], unit, e, around.bound)
            inside = replace(around, premises=(*around.premises, *([premise] if premise.reads else [])))
            return self.parts(whole.arguments[1], unit, e, inside)
        if isinstance(symbol, Definition) and symbol not in self.evaluator.constants:
            return self._definition(symbol, whole, unit, e, around)
        return iter([self.false_leaf(whole, unit, e, around)])

    def _definition(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, e: Frame, around: _Around
    ) -> Iterator[SaidPart]:
        evaluator, body = self.evaluator, symbol.body
        if body is None or any(parameter.arity for parameter in symbol.parameters):
            return iter([self.false_leaf(whole, unit, e, around)])
        target = unit if symbol.nested else unit_of(evaluator, symbol)
        # Arguments as the evaluator passes them: below a prime they have their values in the next state.
        passed = argument_sources(evaluator, symbol, whole, unit, False)
        values = evaluator.emit.function(f"[{', '.join(passed)}]")(extend_frame(e, unit))
        inner = extend_frame(e[:], unit) if symbol.nested else target.frame()
        named = []
        for parameter, value in zip(symbol.parameters, values, strict=True):
            slot = target.slot(parameter)
            extend_frame(inner, target)[slot] = value
            named.append((parameter.name, value))
        if not self.is_false(body, target, inner):  # it is false because of a part that is skipped here
            return iter([self.false_leaf(whole, unit, e, around)])
        return self.parts(body, target, inner, around.binding(tuple(named)))

    def false_leaf(self, whole: Expression, unit: Unit, e: Frame, around: _Around) -> SaidPart:
        """A false part that is not taken apart any more, with what is to blame."""
        part = self.leaf(whole, unit, e, around.bound)
        return replace(part, blame=Blaming(self, unit, e).blame(whole), premises=around.premises)

    def place_of(self, whole: Expression) -> Place:
        """The place of an expression in the text, where names are substituted too."""
        return span(self.texts.of(whole))

    def leaf(self, whole: Expression, unit: Unit, e: Frame, bound: _Bound = ()) -> SaidPart:
        """A part that is not taken apart any more."""
        around = self._around(bound, _below_primes(whole))
        reads = (
            *self._sides(whole, unit, e),
            *((n, self._shown(v)) for n, v in self._reads(whole, unit, e).items()),
        )
        at = span(self.texts.of(whole))
        return SaidPart(at, _cut(self._said(whole, at), _LONGEST), tuple(around.items()), reads)

    def _said(self, whole: Expression, at: Place) -> str:
        """The text of an expression. A negation that the text does not have is put before it."""
        match whole:
            case ast.Apply(operator=Builtin(name="~"), arguments=(inner,)) if (
                span(self.texts.of(inner)) == at
            ):
                return f"~({text_at(at)})"
        return text_at(at)

    def _reads(self, whole: Expression, unit: Unit, e: Frame) -> dict[str, Value]:
        """Return the variables that an expression reads, in this state and the next, with their values. Names
        with a substitute of an instance follow: ``x = a + b``."""
        evaluator, put = self.evaluator, dict[str, Value]()
        now, later = set[Variable](), set[Variable]()
        for part, primed in _parts_that_read(whole):
            alone = replace(part, arguments=()) if isinstance(part, ast.Apply) else part
            facts = evaluator.analysis.of(alone, unit.module)
            name = self._put_for(part, primed) if facts.reads else None
            if name is not None:
                shown = ast.Prime(part, place=part.place) if primed else part
                with suppress(Undefined, NoValue):  # it may not be needed
                    put[name] = evaluator.value(shown, unit)(extend_frame(e, unit))
                continue
            (later if primed else now).update(facts.reads)
            # ENABLED is about some next state, not about the one that follows.
            later |= facts.reads if facts.level >= ACTION and not isinstance(part, ast.Enabled) else set()
        values = [(one, one.name, evaluator.now) for one in now]
        values += [(one, f"{one.name}'", evaluator.next) for one in later]
        # ENABLED in an instance may have variables of its own.
        own = [(evaluator.index[one], name, state) for one, name, state in values if one in evaluator.index]
        own.sort(key=lambda one: one[:2])
        return {name: state[index] for index, name, state in own} | dict(sorted(put.items()))

    def _sides(self, whole: Expression, unit: Unit, e: Frame) -> Iterator[tuple[str, str]]:
        """Yield the defined operators that a relation compares, with their values: ``V!chosen = {v1}``."""
        operator = whole.operator if isinstance(whole, ast.Apply) else None
        if not isinstance(operator, Builtin) or operator.name not in _RELATIONS:
            return
        assert isinstance(whole, ast.Apply)
        for side in whole.arguments:
            symbol = side.operator if isinstance(side, ast.Apply) else None
            name = text_at(span(self.texts.of(side)))
            is_told = symbol in self.put and name.isidentifier()  # with the substitute of an instance
            is_defined = isinstance(symbol, Definition) and len(name) <= _LONGEST_NAME and not is_told
            if is_defined and self.evaluator.analysis.of(side, unit.module).level == STATE:
                with suppress(Undefined, NoValue):
                    yield name, self._shown(self.evaluator.value(side, unit)(extend_frame(e, unit)))

    def _put_for(self, part: Expression, primed: bool) -> str | None:
        """Return a name with the substitute of an instance; None if it has the module's name."""
        symbol = part.operator if isinstance(part, ast.Apply) else None
        if symbol is None or symbol not in self.put:
            return None
        name, stands = text_at(part.place), symbol.name
        if isinstance(symbol, Definition):
            stands = "" if symbol.body is None else _cut(text_at(span(symbol.body)), _LONGEST_VALUE)
        if not name.isidentifier() or not stands or name == stands:
            return None
        if not primed:
            return f"{name} = {stands}"
        return f"{name}' = {stands}'" if stands.isidentifier() else f"{name}' = ({stands})'"

    def _around(self, bound: _Bound, primed: set[str]) -> dict[str, str]:
        """Return the values of bound names; below a prime, their values in the next state. An argument
        without a value is left out, because nothing needs it."""
        found: dict[str, str] = {}
        for name, value in bound:
            found.pop(f"{name}'", None)
            if not isinstance(value, Waiting):
                found[name] = self._shown(value)
                continue
            with suppress(Undefined, NoValue):
                found[name] = self._shown(value.force())
            with suppress(Undefined, NoValue):
                if name in primed:
                    found[f"{name}'"] = self._shown(value.force_next())
        return found

    def _shown(self, value: Value) -> str:
        return _cut(text(listed(value), self.evaluator.order), _LONGEST_VALUE)


def _parts_that_read(whole: Expression) -> Iterator[tuple[Expression, bool]]:
    """Yield names, operators and ENABLED, which may read variables, and whether they are below a prime."""
    waiting = [(whole, False)]
    while waiting:
        part, primed = waiting.pop()
        if isinstance(part, ast.Apply | ast.Enabled):
            yield part, primed
        if isinstance(part, ast.Unchanged):  # it reads both states
            waiting.append((part.body, False))
        if not isinstance(part, ast.Enabled):
            below = primed or isinstance(part, ast.Prime | ast.Unchanged)
            waiting += [(one, below) for one in subexpressions(part)[0]]


def _below_primes(whole: Expression) -> set[str]:
    """Return the names of the parameters that are below a prime."""
    found, waiting = set[str](), [(whole, False)]
    while waiting:
        part, primed = waiting.pop()
        if isinstance(part, ast.Enabled):
            continue
        if primed and isinstance(part, ast.Apply) and isinstance(part.operator, Parameter):
            found.add(part.operator.name)
        below = primed or isinstance(part, ast.Prime | ast.Unchanged)
        waiting += [(one, below) for one in subexpressions(part)[0]]
    return found


def span(whole: Expression) -> Place:
    """Return the place of a whole expression: an infix operator has the place of its symbol."""
    begin, end, waiting = whole.place, whole.place.end, [whole]
    while waiting:
        part = waiting.pop()
        if (part.place.line, part.place.column) < (begin.line, begin.column):
            begin = part.place
        end = max(end, part.place.end)
        waiting += subexpressions(part)[0]
    return replace(begin, end=end)


def _finds_elements(whole: Expression) -> bool:
    """True if a disjunct contains a quantifier that has elements for which it is false."""
    match whole:
        case ast.Quantifier():
            return whole.universal
        case ast.Junction():
            return any(map(_finds_elements, whole.items))
        case ast.Let():
            return _finds_elements(whole.body)
        case ast.Apply():
            implies = isinstance(whole.operator, Builtin) and whole.operator.name == "=>"
            return implies and _finds_elements(whole.arguments[1])
    return False


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[:most]} …"
