"""Expressions translated to terms. What has the same value in all states is evaluated by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from verifier.encodings.sorts import Function as FunctionSort
from verifier.encodings.sorts import PartialFunction, Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.frames import Undefined, Unit
from verifier.tla.translate.builtins import Builtins
from verifier.tla.translate.coding import Names
from verifier.tla.translate.making import TRUTH, known_table, variable
from verifier.tla.translate.sets import Case
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Functions,
    Known,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Row,
    Span,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.values import NoValue, is_infinite, is_set

_DEEPEST = 40
"""Recursion goes no deeper where the state decides when it ends."""


@dataclass(frozen=True, eq=False)
class Context:
    """Where an expression stands."""

    env: dict[ast.Symbol, Any]
    module: str
    primed: bool = False
    at: Sym | None = None

    def bound(self, more: dict[ast.Symbol, Any]) -> Context:
        """The same with further names."""
        return replace(self, env={**self.env, **more})


class Thunk:
    """An argument or a definition of a LET, translated when it is needed."""

    def __init__(self, translator: Translator, body: Expression, context: Context) -> None:
        self.translator, self.body, self.context = translator, body, context
        self.found: Sym | None = None
        facts = translator.evaluator.analysis.of(body, context.module)
        self.acts = facts.level >= ACTION
        self.kept = not self.acts and not facts.changing and not context.primed

    def force(self, primed: bool) -> Sym:
        """What it stands for."""
        if primed and not self.context.primed:
            return self.translator.value(self.body, replace(self.context, primed=True))
        if self.found is not None:
            return self.found
        found = self.translator.value(self.body, self.context)
        if self.kept:
            self.found = found
        return found


class Translator(Builtins):
    """Translates the expressions of one module."""

    def __init__(
        self,
        evaluator: Evaluator,
        names: Names,
        variables: dict[ast.Variable, Symbol],
        successor: dict[ast.Variable, Symbol],
    ) -> None:
        super().__init__(names)
        self.evaluator = evaluator
        self.variables, self.successor = variables, successor
        self.assigned: dict[ast.Variable, Sym] | None = None
        """What variables are in the next state; None: the symbols of the state after a step."""
        self.depths: dict[Definition, int] = {}
        self.defined: dict[Definition, Sym] = {}
        self.compiled: dict[tuple[Expression, str], tuple[Unit, Any]] = {}
        self.known: dict[tuple[Expression, str], Sym] = {}
        self.forms: dict[type, Callable[[Any, Context], Sym]] = {
            ast.Number: lambda e, c: Known(e.value),
            ast.String: lambda e, c: Known(e.value),
            ast.Apply: self._apply,
            ast.Junction: self._junction,
            ast.If: self._if,
            ast.Case: self._case,
            ast.Let: lambda e, c: self.value(e.body, self.let(e, c)),
            ast.Quantifier: self._quantifier,
            ast.Choose: self._choose,
            ast.SetOf: lambda e, c: self._set_of([self.value(i, c) for i in e.items]),
            ast.Filter: self._filter,
            ast.Image: self._image,
            ast.Function: self._function,
            ast.FunctionSet: lambda e, c: self._strict(
                Functions, self.value(e.domain, c), self.value(e.range, c)
            ),
            ast.Record: lambda e, c: self._tabled({n: self.value(v, c) for n, v in e.fields}),
            ast.RecordSet: lambda e, c: Records({n: self.value(v, c) for n, v in e.fields}),
            ast.Tuple: lambda e, c: self._tabled({n: self.value(v, c) for n, v in enumerate(e.items, 1)}),
            ast.Product: lambda e, c: Products(tuple(self.value(i, c) for i in e.items)),
            ast.At: lambda e, c: c.at if c.at is not None else Nothing("@ stands outside of EXCEPT"),
            ast.Except: self._except,
            ast.FunctionApply: lambda e, c: self.apply(self.value(e.function, c), self.value(e.argument, c)),
            ast.Prime: lambda e, c: self.value(e.body, replace(c, primed=True)),
            ast.Unchanged: lambda e, c: self.equal(
                self.value(e.body, c), self.value(e.body, replace(c, primed=True))
            ),
            ast.Step: self._step,
        }

    # -- values

    def value(self, whole: Expression, context: Context) -> Sym:
        """What an expression is translated to."""
        form = self.forms.get(type(whole))
        if not isinstance(whole, ast.Number | ast.String):
            found = self._constant(whole, context)
            if found is not None:
                return found
        if form is None:
            raise Untranslated(whole.place, f"{type(whole).__name__.upper()} is not translated")
        try:
            return form(whole, context)
        except Untranslated as error:
            if error.place is None:
                error.place = whole.place
            raise
        except NoValue as error:
            return Nothing(str(error))
        except RecursionError:
            raise Untranslated(whole.place, "an operator calls itself too deep") from None

    def _constant(self, whole: Expression, context: Context) -> Sym | None:
        """The value of an expression that does not depend on the state; None if it does."""
        facts = self.evaluator.analysis.of(whole, context.module)
        if facts.level != CONSTANT or facts.changing:
            return None
        key = (whole, context.module)
        if not facts.free:
            if key not in self.known:
                self.known[key] = self._evaluated(whole, context, {})
            return self.known[key]
        bound: dict[ast.Symbol, Any] = {}
        for symbol in facts.free:
            found = self._peek(symbol, context)
            if found is None:
                return None
            bound[symbol] = found.value
        return self._evaluated(whole, context, bound)

    def _peek(self, symbol: ast.Symbol, context: Context) -> Known | None:
        if isinstance(symbol, Definition):
            return None
        found = context.env.get(symbol)
        if isinstance(found, Thunk):
            if found.found is None:
                facts = self.evaluator.analysis.of(found.body, found.context.module)
                if facts.level != CONSTANT or any(self._peek(s, found.context) is None for s in facts.free):
                    return None
            found = found.force(False)
        return found if isinstance(found, Known) else None

    def _evaluated(self, whole: Expression, context: Context, bound: dict[ast.Symbol, Any]) -> Sym:
        key = (whole, context.module)
        if key not in self.compiled:
            unit = Unit(context.module)
            self.compiled[key] = unit, self.evaluator.value(whole, unit)
        unit, evaluate = self.compiled[key]
        for symbol in bound:
            unit.slot(symbol)
        frame = unit.frame()
        for symbol, value in bound.items():
            frame[unit.slot(symbol)] = value
        try:
            return Known(evaluate(frame))
        except Undefined as error:
            return Nothing(str(error))
        except NoValue as error:
            return Nothing(str(error))

    def _strict(self, make: Callable[..., Sym], *parts: Sym) -> Sym:
        for part in parts:
            if isinstance(part, Nothing):
                return part
        return make(*parts)

    def _tabled(self, rows: dict[Any, Sym]) -> Sym:
        for item in rows.values():
            if isinstance(item, Nothing):
                return item
        return known_table(Table(rows))

    # -- names and operators

    def _apply(self, whole: ast.Apply, context: Context) -> Sym:
        symbol = self.evaluator.resolve(whole.operator, context.module) or whole.operator
        if symbol in self.evaluator.constants and not whole.arguments:
            return Known(self.evaluator.constants[symbol])
        match symbol:
            case ast.Variable():
                return self._variable(symbol, context)
            case ast.Bound():
                return self.named(symbol, context)
            case ast.Parameter():
                if symbol.arity:
                    operator = context.env[symbol]
                    return operator.call(*(self.value(a, context) for a in whole.arguments))  # type: ignore[no-any-return]
                return self.named(symbol, context)
            case Definition():
                return self.call(symbol, whole, context)
            case Builtin():
                return self._builtin(symbol, whole, context)
        raise Untranslated(whole.place, f"the constant {symbol.name} has no value")

    def named(self, symbol: ast.Symbol, context: Context) -> Sym:
        """What a bound name, a parameter, or a definition of a LET stands for."""
        found = context.env.get(symbol)
        if found is None:
            raise Untranslated(None, f"{symbol.name} is not known here")
        return found.force(context.primed) if isinstance(found, Thunk) else found

    def _variable(self, symbol: ast.Variable, context: Context) -> Sym:
        if not context.primed:
            return variable(self.variables[symbol])
        if self.assigned is None:
            return variable(self.successor[symbol])
        found = self.assigned.get(symbol)
        if found is None:
            return Nothing(f"{symbol.name} has no value in the next state yet")
        return found

    def call(self, symbol: Definition, whole: ast.Apply, context: Context) -> Sym:
        """A defined operator, by its body."""
        if symbol.nested and not symbol.parameters:
            return self.named(symbol, context)
        plain = not symbol.parameters and not context.primed
        if plain and symbol in self.defined:
            return self.defined[symbol]
        depth = self.depths.get(symbol, 0)
        if depth >= _DEEPEST:
            return Nothing(f"{symbol.name} calls itself deeper than {_DEEPEST} times")
        self.depths[symbol] = depth + 1
        try:
            assert symbol.body is not None
            found = self.value(symbol.body, self.entered(symbol, whole, context))
        finally:
            self.depths[symbol] = depth
        if plain and self.evaluator.analysis.of(whole, context.module).level < ACTION:
            self.defined[symbol] = found
        return found

    def entered(self, symbol: Definition, whole: ast.Apply, context: Context) -> Context:
        """The context of a definition's body."""
        env = dict(context.env) if symbol.nested else {}
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
            env[parameter] = self.argument(parameter, argument, context)
        module = context.module if symbol.nested else symbol.module
        return Context(env, module, context.primed, context.at if symbol.nested else None)

    def argument(self, parameter: ast.Parameter, argument: Expression, context: Context) -> Any:
        """An argument: an operator, or something to translate when it is needed."""
        if parameter.arity:
            return self.operator(argument, context)
        if isinstance(argument, ast.Apply) and not argument.arguments:
            symbol = self.evaluator.resolve(argument.operator, context.module) or argument.operator
            if isinstance(symbol, ast.Bound | ast.Parameter) and symbol in context.env:
                return context.env[symbol]
        return Thunk(self, argument, context)

    def operator(self, whole: Expression, context: Context) -> Op:
        """An operator that is an argument."""
        if isinstance(whole, ast.Lambda):
            lambda_ = whole

            def call(*given: Sym) -> Sym:
                return self.value(
                    lambda_.body, context.bound(dict(zip(lambda_.parameters, given, strict=True)))
                )

            return Op(call)
        assert isinstance(whole, ast.OperatorArgument)
        symbol = self.evaluator.resolve(whole.operator, context.module) or whole.operator
        if isinstance(symbol, ast.Parameter):
            found: Op = context.env[symbol]
            return found
        if isinstance(symbol, Definition):
            return Op(lambda *given: self._call_with(symbol, given, context))
        if isinstance(symbol, Builtin):
            return Op(lambda *given: self.builtin(symbol.name, list(given), whole))
        raise Untranslated(whole.place, f"the operator {symbol.name} has no value")

    def _call_with(self, symbol: Definition, given: tuple[Sym, ...], context: Context) -> Sym:
        env = dict(context.env) if symbol.nested else {}
        env.update(zip(symbol.parameters, given, strict=True))
        assert symbol.body is not None
        module = context.module if symbol.nested else symbol.module
        depth = self.depths.get(symbol, 0)
        if depth >= _DEEPEST:
            return Nothing(f"{symbol.name} calls itself deeper than {_DEEPEST} times")
        self.depths[symbol] = depth + 1
        try:
            return self.value(symbol.body, Context(env, module, context.primed))
        finally:
            self.depths[symbol] = depth

    def _builtin(self, symbol: Builtin, whole: ast.Apply, context: Context) -> Sym:
        if symbol.name == "=>":
            return self.implies(
                self.value(whole.arguments[0], context), lambda: self.value(whole.arguments[1], context)
            )
        given: list[Sym] = []
        for argument in whole.arguments:
            if isinstance(argument, ast.OperatorArgument | ast.Lambda):
                given.append(self.operator(argument, context))
                continue
            found = self.value(argument, context)
            if isinstance(found, Nothing):
                return found
            given.append(found)
        return self.builtin(symbol.name, given, whole)

    # -- logic

    def _junction(self, whole: ast.Junction, context: Context) -> Sym:
        parts = (self.value(item, context) for item in whole.items)
        return self.and_(parts) if whole.conjunction else self.or_(parts)

    def _if(self, whole: ast.If, context: Context) -> Sym:
        condition = self.truth(self.value(whole.condition, context))
        if isinstance(condition, Nothing):
            return condition
        if isinstance(condition, Known):
            return self.value(whole.then if condition.value.truth else whole.otherwise, context)
        return self.if_(condition, self.value(whole.then, context), self.value(whole.otherwise, context))

    def _case(self, whole: ast.Case, context: Context) -> Sym:
        found: Sym = Nothing("no case of this CASE is true")
        if whole.other is not None:
            found = self.value(whole.other, context)
        for guard, value in reversed(whole.arms):
            condition = self.value(guard, context)
            found = (
                found
                if self.truth(condition) is NO
                else self.if_(condition, self.value(value, context), found)
            )
        return found

    def let(self, whole: ast.Let, context: Context) -> Context:
        """The context of what stands below a LET."""
        inner = context.bound({})
        for definition in whole.definitions:
            if not definition.parameters and definition.body is not None:
                inner.env[definition] = Thunk(self, definition.body, inner)
        return inner

    def _step(self, whole: ast.Step, context: Context) -> Sym:
        unchanged = self.equal(
            self.value(whole.subscript, context), self.value(whole.subscript, replace(context, primed=True))
        )
        action = (self.value(whole.action, context),)
        if whole.stuttering:
            return self.or_([unchanged, *action])
        return self.and_([self.not_(unchanged), *action])

    # -- what binds names

    def bound_cases(
        self, bindings: tuple[ast.Binding, ...], context: Context
    ) -> Iterator[tuple[list[Case], Context]]:
        """All ways in which names are bound: the cases of their sets, from the left, and the context."""
        domains = [(binding, self.value(binding.domain, context)) for binding in bindings]
        pairs = [(b, name) for b, _ in domains for name in (b.names if not b.is_tuple else (None,))]
        sets = {id(b): domain for b, domain in domains}

        def level(number: int, done: list[Case], inner: Context) -> Iterator[tuple[list[Case], Context]]:
            if number == len(pairs):
                yield done, inner
                return
            binding, name = pairs[number]
            domain = sets[id(binding)]
            if isinstance(domain, Nothing):
                yield [*done, Case(domain, NO)], inner
                return
            for case in self.spread(domain):
                if case.condition is not NO:
                    yield from level(number + 1, [*done, case], self._put(binding, name, case.item, inner))

        return level(0, [], context)

    def _put(self, binding: ast.Binding, name: ast.Bound | None, item: Sym, context: Context) -> Context:
        if name is not None:
            return context.bound({name: item})
        return context.bound({one: self.apply(item, Known(n)) for n, one in enumerate(binding.names, 1)})

    def _quantifier(self, whole: ast.Quantifier, context: Context) -> Sym:
        def parts() -> Iterator[Sym]:
            for cases, inner in self.bound_cases(whole.bindings, context):
                if any(isinstance(case.condition, Nothing) for case in cases):
                    yield Nothing("a set is expected")
                    return
                body = self.truth(self.value(whole.body, inner))
                for case in reversed(cases):
                    body = self.for_all(case, body) if whole.universal else self.exists(case, body)
                yield body

        return self.and_(parts()) if whole.universal else self.or_(parts())

    def _choose(self, whole: ast.Choose, context: Context) -> Sym:
        domain = self.value(whole.binding.domain, context)
        if isinstance(domain, Nothing):
            return domain
        cases = self.spread(domain)
        if not isinstance(domain, Known):
            cases = self.least_first(cases)
        name = None if whole.binding.is_tuple else whole.binding.names[0]

        def body(item: Sym) -> Sym:
            return self.value(whole.body, self._put(whole.binding, name, item, context))

        return self.chosen(cases, body)

    def _set_of(self, items: list[Sym]) -> Sym:
        for item in items:
            if isinstance(item, Nothing):
                return item
        return Members(tuple((YES, item) for item in items))

    def _filter(self, whole: ast.Filter, context: Context) -> Sym:
        domain = self.value(whole.binding.domain, context)
        if isinstance(domain, Nothing):
            return domain
        name = None if whole.binding.is_tuple else whole.binding.names[0]

        def test(item: Sym) -> Sym:
            return self.truth(self.value(whole.body, self._put(whole.binding, name, item, context)))

        if isinstance(domain, Known) and is_set(domain.value) and is_infinite(domain.value):
            return Part(domain, test)
        if isinstance(domain, Term | Members | Span | Known) and not isinstance(domain, Known):
            pass
        found: list[tuple[Sym, Sym]] = []
        for case in self.spread(domain):
            if case.symbol is not None:
                return Part(domain, test)
            condition = self.and_([case.condition, test(case.item)])
            if isinstance(condition, Nothing):
                return condition
            if condition is not NO:
                found.append((condition, case.item))
        return Members(tuple(found))

    def _image(self, whole: ast.Image, context: Context) -> Sym:
        members: list[tuple[Sym, Sym]] = []
        pieces: list[Term] = []
        for cases, inner in self.bound_cases(whole.bindings, context):
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                if any(case.condition is not YES for case in cases):
                    item = Term(Operator.CHOOSE, TRUTH, (self.formula(NO),), binds=Symbol("x", TRUTH))
                else:
                    return item
            condition = self.and_([case.condition for case in cases])
            symbols = [case.symbol for case in cases if case.symbol is not None]
            if not symbols:
                members.append((condition, item))
                continue
            made = self.term(item)
            if len(symbols) == 1:
                formula = self.formula(condition)
                pieces.append(Term(Operator.IMAGE, Set(made.sort), (formula, made), binds=symbols[0]))
                continue
            pieces.append(self._image_of_several(symbols, condition, made))
        found: Sym = Members(tuple(members))
        for piece in pieces:
            found = piece if isinstance(found, Members) and not found.items else self.united(found, piece)
        return found

    def _image_of_several(self, symbols: list[Symbol], condition: Sym, made: Term) -> Term:
        own = self.fresh("v", made.sort)
        body = self.formula(self.and_([condition, Term(Operator.EQUAL, TRUTH, (variable(own), made))]))
        for symbol in reversed(symbols):
            body = Term(Operator.EXISTS, TRUTH, (body,), binds=symbol)
        return Term(Operator.COMPREHENSION, Set(made.sort), (body,), binds=own)

    def _function(self, whole: ast.Function, context: Context) -> Sym:
        if whole.itself is not None:
            return self._recursive(whole, context)
        several = sum(len(b.names) if not b.is_tuple else 1 for b in whole.bindings) > 1
        rows: dict[Any, Sym] = {}
        if not several:
            domain = self.value(whole.bindings[0].domain, context)
            if isinstance(domain, Span) and isinstance(domain.low, Known) and domain.low.value == 1:
                return self._by_slots(whole, domain, context)
        for cases, inner in self.bound_cases(whole.bindings, context):
            keys = [case.item for case in cases]
            if any(isinstance(case.condition, Nothing) for case in cases):
                return Nothing("a set is expected")
            fixed = all(isinstance(k, Known) for k in keys) and all(c.condition is YES for c in cases)
            if not fixed:
                if several:
                    raise Untranslated(
                        whole.place, "a function of several arguments over sets that the state decides"
                    )
                return self._partial(whole, context)
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                return item
            key = tuple(k.value for k in keys) if several else keys[0].value  # type: ignore[union-attr]
            rows[key] = item
        return known_table(Table(rows))

    def _by_slots(self, whole: ast.Function, domain: Span, context: Context) -> Sym:
        slots: list[Sym] = []
        for case in self.spread(domain):
            assert isinstance(case.item, Known)
            if case.item.value < 1:
                continue
            inner = self._put(whole.bindings[0], whole.bindings[0].names[0], case.item, context)
            item = self.value(whole.body, inner)
            if isinstance(item, Nothing):
                break
            slots.append(item)
        return Row(tuple(slots), domain.high)

    def _partial(self, whole: ast.Function, context: Context) -> Sym:
        domain = self.term(self.value(whole.bindings[0].domain, context))
        assert isinstance(domain.sort, Set)
        symbol = self.fresh(whole.bindings[0].names[0].name, domain.sort.element)
        name = None if whole.bindings[0].is_tuple else whole.bindings[0].names[0]
        body = self.value(whole.body, self._put(whole.bindings[0], name, variable(symbol), context))
        inside = Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol)))
        made = self.term(body)
        sort = PartialFunction(symbol.sort, made.sort)
        return Term(Operator.PARTIAL_FUNCTION, sort, (inside, made), binds=symbol)

    def _recursive(self, whole: ast.Function, context: Context) -> Sym:
        assert whole.itself is not None
        known: dict[Any, Sym] = {}
        name = None if whole.bindings[0].is_tuple else whole.bindings[0].names[0]

        def at(key: Sym) -> Sym:
            if not isinstance(key, Known):
                raise Untranslated(whole.place, "a recursive function, applied to what the state decides")
            if key.value not in known:
                inner = self._put(whole.bindings[0], name, key, context).bound({whole.itself: Op(at)})  # type: ignore[dict-item]
                known[key.value] = self.value(whole.body, inner)
            return known[key.value]

        domain = self.value(whole.bindings[0].domain, context)
        if isinstance(domain, Known) and is_set(domain.value) and not is_infinite(domain.value):
            return self._tabled({case.item.value: at(case.item) for case in self.spread(domain)})  # type: ignore[union-attr]
        return Op(at)

    def _except(self, whole: ast.Except, context: Context) -> Sym:
        found = self.value(whole.function, context)
        for update in whole.updates:
            path = [self.value(part, context) for part in update.path]

            def make(old: Sym, update: ast.Update = update) -> Sym:
                return self.value(update.value, replace(context, at=old))

            found = self.updated(found, path, make)
        return found


__all__ = ["Context", "FunctionSort", "Thunk", "Translator"]
