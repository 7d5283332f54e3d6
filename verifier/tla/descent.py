"""The descent through a false formula to its smallest false parts."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from verifier.encodings.blame import join_blames
from verifier.tla import ast
from verifier.tla.arguments import argument_sources, unit_of
from verifier.tla.ast import Builtin, Definition, Expression, Symbol, Variable
from verifier.tla.blaming import Blaming
from verifier.tla.errors import Place
from verifier.tla.facts import ACTION, STATE
from verifier.tla.frames import Frame, Undefined, Unit, Waiting
from verifier.tla.lets import extend_frame, let_lines
from verifier.tla.loops import compile_setter
from verifier.tla.order import text
from verifier.tla.said_parts import (
    Argument,
    Around,
    Bound,
    Given,
    SaidPart,
    below_primes,
    cut,
    finds_elements,
    parts_that_read,
    span,
    substitute_of,
    with_substitutes,
)
from verifier.tla.text import text_at
from verifier.tla.unfolding import Texts
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import materialize, members

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


_LONGEST, _LONGEST_VALUE = 400, 160
"""The most characters of a part, and of a value: readers need no more."""
_LONGEST_NAME = 60
_RELATIONS = frozenset(
    {"=", "#", "/=", "<", ">", "<=", "=<", "\\leq", ">=", "\\geq", "\\in", "\\notin", "\\subseteq"}
)


class Descent:
    """Finds the smallest false parts of a formula in a frame."""

    def __init__(self, evaluator: Evaluator, put: Set[Symbol], texts: Texts) -> None:
        self.evaluator = evaluator
        self.put = put
        """Names for which instances have substitutes."""
        self.texts = texts

    def is_false(self, whole: Expression, unit: Unit, e: Frame) -> bool:
        test = self.evaluator.truth(whole, unit)
        return not test(extend_frame(e, unit))

    def parts(self, whole: Expression, unit: Unit, e: Frame, around: Around) -> Iterator[SaidPart]:
        """Yield the smallest false parts of a formula that is false in a frame."""
        match whole:
            case ast.Junction() if whole.conjunction or len(whole.items) == 1:
                for item in whole.items:
                    if self.is_false(item, unit, e):
                        yield from self.parts(item, unit, e, around)
            case ast.Junction() if any(map(finds_elements, whole.items)):
                yield from self._disjuncts(whole, unit, e, around)
            case ast.Quantifier() if whole.universal:
                yield from self._element(whole, unit, e, around)
            case ast.Apply(
                operator=Builtin(name="~") as no, arguments=(ast.Quantifier(universal=False) as existence,)
            ):
                body = ast.Apply(no, (existence.body,), place=span(self.texts.of(existence.body)))
                none = ast.Quantifier(True, existence.bindings, body, place=whole.place)
                yield from self._element(none, unit, e, around)
            case ast.If():
                held = not self.is_false(whole.condition, unit, e)
                inside = self._add_condition(
                    self.branch(whole.condition, held, unit, e, around.bound),
                    whole.condition,
                    unit,
                    e,
                    around,
                )
                yield from self.parts(whole.then if held else whole.otherwise, unit, e, inside)
            case ast.Case():
                yield from self._case(whole, unit, e, around)
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

    def _disjuncts(self, whole: ast.Junction, unit: Unit, e: Frame, around: Around) -> Iterator[SaidPart]:
        """Yield the parts of the first disjunct that finds elements, and blame all others too."""
        deeper = next(filter(finds_elements, whole.items))
        blaming = Blaming(self, unit, e, around.given)
        others = [blaming.blame_alternative(item) for item in whole.items if item is not deeper]
        for part in self.parts(deeper, unit, e, around):
            yield part if part.blame is None else replace(part, blame=join_blames([part.blame, *others]))

    def branch(self, condition: Expression, held: bool, unit: Unit, e: Frame, bound: Bound = ()) -> SaidPart:
        """Say which branch of an IF applies, and why."""
        part = self.leaf(condition, unit, e, bound)
        words = (
            f"THEN applies, since {part.formula}" if held else f"ELSE applies, since {part.formula} is false"
        )
        return replace(part, formula=words, is_branch=True)

    def _case(self, whole: ast.Case, unit: Unit, e: Frame, around: Around) -> Iterator[SaidPart]:
        """Yield what is false in the first case whose condition is true."""
        for condition, body in whole.arms:
            if not self.is_false(condition, unit, e):
                part = self.leaf(condition, unit, e, around.bound)
                part = replace(part, formula=f"the case applies in which {part.formula}", is_branch=True)
                yield from self.parts(body, unit, e, self._add_condition(part, condition, unit, e, around))
                return
        yield from [] if whole.other is None else self.parts(whole.other, unit, e, around)

    def _add_condition(
        self, premise: SaidPart, condition: Expression, unit: Unit, e: Frame, around: Around
    ) -> Around:
        premise = replace(premise, formula=self.outer_text(condition, premise.formula))
        return around.add_premise(premise, Blaming(self, unit, e, around.given).deciding(condition))

    def _element(self, whole: ast.Quantifier, unit: Unit, e: Frame, around: Around) -> Iterator[SaidPart]:
        """Yield the part that is false for the first elements that falsify the body."""
        evaluator, order = self.evaluator, self.evaluator.order
        domains = [evaluator.value(binding.domain, unit) for binding in whole.bindings]
        sets = [domain(extend_frame(e, unit)) for domain in domains]
        put = [compile_setter(evaluator, binding, unit) for binding in whole.bindings]
        names = [name for binding in whole.bindings for name in binding.names]
        holds = evaluator.truth(whole.body, unit)
        for items in product(*(order.sort(frozenset(members(one))) for one in sets)):
            inner = extend_frame(e[:], unit)  # after compiling, so that it has all slots
            for place, item in zip(put, items, strict=True):
                place(inner, item)
            if not holds(inner):
                here = tuple((name.name, inner[unit.slot(name)]) for name in names)
                around = around.binding(here)
                for binding, item in zip(whole.bindings, items, strict=True):
                    around = self._member(binding, item, unit, e, around)
                yield from self.parts(whole.body, unit, inner, around)
                return

    def _member(self, binding: ast.Binding, item: Value, unit: Unit, e: Frame, around: Around) -> Around:
        """Add that an element is in a set, where that depends on the state."""
        blaming = Blaming(self, unit, e, around.given)
        member = blaming.of_member(binding.domain, item)
        if member is None:
            return around
        part = self.leaf(binding.domain, unit, e, around.bound)
        names = ", ".join(name.name for name in binding.names)
        names = f"<<{names}>>" if binding.is_tuple else names
        bound = tuple(dict([*member.bound, *part.bound]).items())
        domain = self.outer_text(binding.domain, part.formula)
        part = replace(part, formula=f"{names} \\in {domain}", bound=bound)
        return around.add_premise(part, member.culprits)

    def _apply(self, whole: ast.Apply, unit: Unit, e: Frame, around: Around) -> Iterator[SaidPart]:
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Builtin) and symbol.name == "=>":
            premise = self.leaf(whole.arguments[0], unit, e, around.bound)
            inside = self._add_condition(premise, whole.arguments[0], unit, e, around)
            return self.parts(whole.arguments[1], unit, e, inside)
        if isinstance(symbol, Definition) and symbol not in self.evaluator.constants:
            return self._definition(symbol, whole, unit, e, around)
        return iter([self.false_leaf(whole, unit, e, around)])

    def _definition(
        self, symbol: Definition, whole: ast.Apply, unit: Unit, e: Frame, around: Around
    ) -> Iterator[SaidPart]:
        body = symbol.body
        if body is None or any(parameter.arity for parameter in symbol.parameters):
            return iter([self.false_leaf(whole, unit, e, around)])
        target, inner = self.enter(symbol, whole, unit, e)
        if not self.is_false(body, target, inner):  # it is false because of a part that is skipped here
            return iter([self.false_leaf(whole, unit, e, around)])
        named = tuple((one.name, inner[target.slot(one)]) for one in symbol.parameters)
        given = self.give(symbol, whole, Argument(whole, unit, e, around.given))
        return self.parts(body, target, inner, around.binding(named, given))

    def give(self, symbol: Definition, whole: ast.Apply, at: Argument) -> Given:
        """Return what an application of an operator gives for its parameters. ``at``: where it stands."""
        given: dict[Symbol, Argument] = dict(at.given) if symbol.nested else {}
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
            given[parameter] = Argument(argument, at.unit, at.frame, at.given)
        return given

    def enter(self, symbol: Definition, whole: ast.Apply, unit: Unit, e: Frame) -> tuple[Unit, Frame]:
        """Return the unit of an operator and a frame with the values of its arguments."""
        evaluator = self.evaluator
        target = unit if symbol.nested else unit_of(evaluator, symbol)
        # Arguments as the evaluator passes them: below a prime they have their values in the next state.
        passed = argument_sources(evaluator, symbol, whole, unit, False)
        values = evaluator.emit.function(f"[{', '.join(passed)}]")(extend_frame(e, unit))
        inner = extend_frame(e[:], unit) if symbol.nested else target.frame()
        for parameter, value in zip(symbol.parameters, values, strict=True):
            slot = target.slot(parameter)
            extend_frame(inner, target)[slot] = value
        return target, inner

    def false_leaf(self, whole: Expression, unit: Unit, e: Frame, around: Around) -> SaidPart:
        """A false part that is not taken apart any more, with what is to blame."""
        part = self.leaf(whole, unit, e, around.bound)
        blame = Blaming(self, unit, e, around.given).blame(whole)
        if blame is not None and not blame.culprits:  # it reads no state
            blame = replace(blame, culprits=around.culprits)
        return replace(part, blame=blame, premises=around.premises)

    def place_of(self, whole: Expression) -> Place:
        """The place of an expression in the text, where names are substituted too."""
        return span(self.texts.of(whole))

    def outer_text(self, whole: Expression, said: str) -> str:
        """A text with the substitutes of an instance in the place of the names of its module."""
        stands = {
            part.operator.name: substitute_of(part.operator)
            for part, _ in parts_that_read(whole)
            if isinstance(part, ast.Apply) and part.operator in self.put
        }
        return with_substitutes(said, {name: text for name, text in stands.items() if text})

    def leaf(self, whole: Expression, unit: Unit, e: Frame, bound: Bound = ()) -> SaidPart:
        """A part that is not taken apart any more."""
        around = self._around(bound, below_primes(whole))
        reads = (
            *self._sides(whole, unit, e),
            *((n, self._show(v)) for n, v in self._reads(whole, unit, e).items()),
        )
        at = span(self.texts.of(whole))
        return SaidPart(at, cut(self._say(whole, at), _LONGEST), tuple(around.items()), reads)

    def _say(self, whole: Expression, at: Place) -> str:
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
        for part, primed in parts_that_read(whole):
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
                    yield name, self._show(self.evaluator.value(side, unit)(extend_frame(e, unit)))

    def _put_for(self, part: Expression, primed: bool) -> str | None:
        """Return a name with the substitute of an instance; None if it has the module's name."""
        symbol = part.operator if isinstance(part, ast.Apply) else None
        if symbol is None or symbol not in self.put:
            return None
        name, stands = text_at(part.place), cut(substitute_of(symbol), _LONGEST_VALUE)
        if not name.isidentifier() or not stands or name == stands:
            return None
        if not primed:
            return f"{name} = {stands}"
        return f"{name}' = {stands}'" if stands.isidentifier() else f"{name}' = ({stands})'"

    def _around(self, bound: Bound, primed: set[str]) -> dict[str, str]:
        """Return the values of bound names; below a prime, their values in the next state. An argument
        without a value is left out, because nothing needs it."""
        around: dict[str, str] = {}
        for name, value in bound:
            around.pop(f"{name}'", None)
            if not isinstance(value, Waiting):
                around[name] = self._show(value)
                continue
            with suppress(Undefined, NoValue):
                around[name] = self._show(value.force())
            with suppress(Undefined, NoValue):
                if name in primed:
                    around[f"{name}'"] = self._show(value.force_next())
        return around

    def _show(self, value: Value) -> str:
        return cut(text(materialize(value), self.evaluator.order), _LONGEST_VALUE)
