"""The walk over Init and Next that finds states, as TLC walks.

A walker takes a frame and a continuation, and calls the continuation once for each way in which the formula
can be true; meanwhile the next state has the values assigned on that way. A disjunction and a bounded
quantifier are a branch for each disjunct and element, also where they say nothing of the next state, so that
the same state may be generated several times, as often as TLC generates it. ``x' = e`` assigns where x' has
no value yet, and is a test where it has one; so is ``x' \\in S``. Everything else is evaluated, from the
left.

Init is walked as if all of it were primed: it assigns the next state too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.assignments import Assignments, Continue, Walk, all_true, either, in_turn
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.frames import UNSET, Closure, Frame, Undefined, Unit, Waiting
from verifier.tla.values import LazyFunction, is_member

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


class Walker(Assignments):
    """Makes walkers of one evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.bodies: dict[tuple[Definition, Unit, bool, bool], list[Walk]] = {}
        self.dynamic: dict[tuple[Expression, Unit, bool], Walk] = {}
        self.action: Definition | None = None
        """The definition that is being walked: the innermost above the first conjunction."""

    def walk(self, whole: Expression, unit: Unit, primed: bool, *, top: bool = False) -> Walk:
        """The walker of a formula. ``primed``: it is Init. ``top``: it is a part of Next by itself."""
        match whole:
            case ast.Junction():
                if whole.conjunction:
                    return self._conjunction(whole, unit, primed, top=top)
                walks = [self.walk(item, unit, primed, top=top) for item in whole.items]
                return either(walks)
            case ast.Quantifier():
                return self._quantifier(whole, unit, primed, top=top)
            case ast.If():
                return self._if(whole, unit, primed, top=top)
            case ast.Case():
                return self._case(whole, unit, primed)
            case ast.Let():
                return self._let(whole, unit, primed, top=top)
            case ast.Unchanged() if not primed:
                return self.unchanged(whole.body, unit)
            case ast.Step() if not primed:
                return self._step(whole, unit)
            case ast.Apply():
                return self._apply(whole, unit, primed, top=top)
            case ast.FunctionApply() if self.branches(whole, unit, primed):
                return self._function_apply(whole, unit, primed)
        return self._guard(whole, unit, primed)

    def _guard(self, whole: Expression, unit: Unit, primed: bool) -> Walk:
        test = self.evaluator.truth(whole, unit, primed)

        def guard(e: Frame, follow: Continue) -> None:
            if test(e):
                follow()

        return guard

    def branches(
        self, whole: Expression, unit: Unit, primed: bool, seen: tuple[Definition, ...] = ()
    ) -> bool:
        """Whether a formula must be walked: it may assign, or be true in several ways."""
        match whole:
            case ast.Junction():
                return not whole.conjunction or any(self.branches(i, unit, primed, seen) for i in whole.items)
            case ast.Quantifier():
                return not whole.universal or self.branches(whole.body, unit, primed, seen)
            case ast.If() | ast.Case() | ast.Let():
                if isinstance(whole, ast.If):
                    parts = [whole.then, whole.otherwise]
                elif isinstance(whole, ast.Let):
                    parts = [whole.body]
                else:
                    parts = [value for _, value in whole.arms] + ([whole.other] if whole.other else [])
                return any(self.branches(part, unit, primed, seen) for part in parts)
            case ast.Unchanged() | ast.Step():
                return True
            case ast.FunctionApply():
                return _is_recursive_function(whole.function)
            case ast.Apply():
                return self._application_branches(whole, unit, primed, seen)
        return False

    def _application_branches(
        self, whole: ast.Apply, unit: Unit, primed: bool, seen: tuple[Definition, ...]
    ) -> bool:
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, Builtin):
            if symbol.name in ("=", "\\in"):
                return self.target(whole.arguments[0], unit, primed) is not None
            return symbol.name == "=>" and self.branches(whole.arguments[1], unit, primed, seen)
        if isinstance(symbol, ast.Parameter):
            return True
        if not isinstance(symbol, Definition) or symbol in seen or symbol in self.evaluator.constants:
            return isinstance(symbol, Definition) and symbol in seen
        assert symbol.body is not None
        if (
            not symbol.nested
            and not symbol.parameters
            and self.evaluator.analysis.of_definition(symbol).fixed
        ):
            return False  # TLC has its value before it walks
        inner = unit if symbol.nested else self.evaluator.unit_of(symbol)
        return self.branches(symbol.body, inner, primed, (*seen, symbol))

    # -- connectives

    def _conjunction(self, whole: ast.Junction, unit: Unit, primed: bool, *, top: bool) -> Walk:
        walks: list[Walk] = []
        tests: list[Callable[[Frame], bool]] = []
        alone = len(whole.items) == 1
        for item in whole.items:
            if not self.branches(item, unit, primed):
                tests.append(self.evaluator.truth(item, unit, primed))
                continue
            if tests:
                walks.append(all_true(tests))
                tests = []
            walk = self.walk(item, unit, primed, top=top and alone)
            walks.append(self.settled(walk, item, unit, primed) if walks else walk)
        if tests:
            walks.append(all_true(tests))
        return in_turn(walks)

    def settled(self, walk: Walk, whole: Expression, unit: Unit, primed: bool) -> Walk:
        """The walker of a formula that follows another one.

        As TLC, it only tests the formula once all variables have values, and counts no ways to be true.
        """
        if self._assigns(whole, unit, primed):
            return walk
        following, tests = self.evaluator.next, list[Callable[[Frame], bool]]()

        def walked(e: Frame, follow: Continue) -> None:
            if UNSET in following:
                walk(e, follow)
                return
            if not tests:
                tests.append(self.evaluator.truth(whole, unit, primed))
            if tests[0](self.stretched(e, unit)):
                follow()

        return walked

    def _assigns(self, whole: Expression, unit: Unit, primed: bool) -> bool:
        """Whether a formula is an assignment, which is true in one way where its variable has a value."""
        if isinstance(whole, ast.Unchanged):
            return True
        if not isinstance(whole, ast.Apply):
            return False
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        return isinstance(symbol, Builtin) and symbol.name in ("=", "\\in")

    def _quantifier(self, whole: ast.Quantifier, unit: Unit, primed: bool, *, top: bool) -> Walk:
        evaluator = self.evaluator
        body = self.walk(whole.body, unit, primed, top=top and not whole.universal)
        if not whole.universal:
            inner = [f"{evaluator.emit.bound(body)}(e, follow)"]
            lines = evaluator.loops(whole.bindings, unit, primed, inner, ordered=True)
            found: Walk = evaluator.emit.names[evaluator.emit.define(lines, "e, follow")]
            return found
        slots = [unit.slot(name) for binding in whole.bindings for name in binding.names]
        taken = [f"rows.append(({' '.join(f'e[{slot}],' for slot in slots)}))"]
        lines = evaluator.loops(whole.bindings, unit, primed, taken, ordered=True)
        every_row = evaluator.emit.function(evaluator.emit.statements(["rows = []", *lines, "return rows"]))
        later = self.settled(body, whole.body, unit, primed)

        def every(e: Frame, follow: Continue) -> None:
            rows = every_row(e)

            def at(number: int) -> None:
                if number == len(rows):
                    follow()
                    return
                # The body goes on with this element after the next ones were looked at: it has a frame of
                # its own.
                own = e[:]
                for slot, item in zip(slots, rows[number], strict=True):
                    own[slot] = item
                (later if number else body)(own, lambda: at(number + 1))

            at(0)

        return every if self.branches(whole.body, unit, primed) else self._guard(whole, unit, primed)

    def _if(self, whole: ast.If, unit: Unit, primed: bool, *, top: bool) -> Walk:
        condition = self.evaluator.truth(whole.condition, unit, primed)
        then = self.walk(whole.then, unit, primed, top=top)
        otherwise = self.walk(whole.otherwise, unit, primed, top=top)
        return lambda e, follow: then(e, follow) if condition(e) else otherwise(e, follow)

    def _case(self, whole: ast.Case, unit: Unit, primed: bool) -> Walk:
        arms = [
            (self.evaluator.truth(guard, unit, primed), self.walk(value, unit, primed))
            for guard, value in whole.arms
        ]
        other = self.walk(whole.other, unit, primed) if whole.other is not None else None

        def chosen(e: Frame, follow: Continue) -> None:
            for guard, walk in arms:
                if guard(e):
                    walk(e, follow)
                    return
            if other is None:
                raise Undefined(whole.place, "no case of this CASE is true, and there is no OTHER")
            other(e, follow)

        return chosen

    def _let(self, whole: ast.Let, unit: Unit, primed: bool, *, top: bool) -> Walk:
        entries = self.evaluator.entries(whole, unit, primed)
        body = self.walk(whole.body, unit, primed, top=top)

        def entered(e: Frame, follow: Continue) -> None:
            for slot, code in entries:
                e[slot] = Waiting(code, e)
            body(e, follow)

        return entered if entries else body

    def _step(self, whole: ast.Step, unit: Unit) -> Walk:
        action = self.walk(whole.action, unit, False, top=True)
        if whole.stuttering:
            return either([action, self.unchanged(whole.subscript, unit)])
        here = self.evaluator.value(whole.subscript, unit)
        there = self.evaluator.value(whole.subscript, unit, True)

        def changed(e: Frame, follow: Continue) -> None:
            def different() -> None:
                if here(e) != there(e):
                    follow()

            action(e, different)

        return changed

    # -- operators

    def _function_apply(self, whole: ast.FunctionApply, unit: Unit, primed: bool) -> Walk:
        """A recursive function of truths: its body is walked, as that of an operator."""
        applied = self.evaluator.value(whole.function, unit, primed)
        given = self.evaluator.value(whole.argument, unit, primed)
        test = self.evaluator.truth(whole, unit, primed)

        def walked(e: Frame, follow: Continue) -> None:
            found = applied(e)
            if type(found) is not LazyFunction or found.entered is None:
                if test(e):
                    follow()
                return
            argument = given(e)
            if not is_member(argument, found.domain):
                self.evaluator.outside(whole, found, argument)
            body, target, inner = found.entered(found, argument)
            self.of_waiting(body, target, primed)(self.stretched(inner, target), follow)

        return walked

    def _apply(self, whole: ast.Apply, unit: Unit, primed: bool, *, top: bool) -> Walk:
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, ast.Parameter):
            return self._parameter(symbol, whole, unit, primed)
        if isinstance(symbol, Definition) and symbol not in self.evaluator.constants:
            return self._defined(symbol, whole, unit, primed, top=top)
        if isinstance(symbol, Builtin) and symbol.name in ("=", "\\in"):
            target = self.target(whole.arguments[0], unit, primed)
            if target is not None:
                if symbol.name == "=":
                    return self.assign(target, whole, unit, primed)
                return self.assign_some(target, whole, unit, primed)
        if isinstance(symbol, Builtin) and symbol.name == "=>":
            condition = self.evaluator.truth(whole.arguments[0], unit, primed)
            then = self.walk(whole.arguments[1], unit, primed)
            return lambda e, follow: then(e, follow) if condition(e) else follow()
        return self._guard(whole, unit, primed)

    def body(self, definition: Definition, unit: Unit, primed: bool, *, top: bool) -> list[Walk]:
        """The walker of a definition's body, made once; a list, because it may be needed before it is
        there."""
        key = (definition, unit, primed, top)
        found = self.bodies.get(key)
        if found is None:
            found = self.bodies[key] = []
            assert definition.body is not None
            found.append(self.walk(definition.body, unit, primed, top=top))
        return found

    def _defined(self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool, *, top: bool) -> Walk:
        evaluator = self.evaluator
        if not self.branches(whole, unit, primed) and not top:
            return self._guard(whole, unit, primed)
        target = unit if symbol.nested else evaluator.unit_of(symbol)
        sources = [
            evaluator.operator(argument, unit, primed)
            if parameter.arity
            else evaluator.waiting(argument, unit, primed, acts=True)
            for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True)
        ]
        arguments = [evaluator.emit.function(source) for source in sources]
        slots = [target.slot(parameter) for parameter in symbol.parameters]
        compiled, nested = self.body(symbol, target, primed, top=top), symbol.nested
        name, place = symbol.shown, whole.place

        def walked(e: Frame, follow: Continue) -> None:
            inner = (e[:] if slots else e) if nested else [None] * target.size
            for slot, argument in zip(slots, arguments, strict=True):
                inner[slot] = argument(e)
            if top:
                self.action = symbol
            try:
                compiled[0](inner, follow)
            except Undefined as error:
                # The continuation, which is no part of this definition, may have failed.
                if symbol.place.line <= error.outermost.line <= symbol.last_line:
                    error.within(name, place)
                raise

        return walked

    def _parameter(self, symbol: ast.Parameter, whole: ast.Apply, unit: Unit, primed: bool) -> Walk:
        slot, evaluator = unit.slot(symbol), self.evaluator
        arguments = [
            evaluator.emit.function(evaluator.waiting(argument, unit, primed, acts=True))
            for argument in whole.arguments
        ]
        test = evaluator.truth(whole, unit, primed)

        def walked(e: Frame, follow: Continue) -> None:
            found = e[slot]
            if type(found) is Waiting:
                code = found.code
                self.of_waiting(code.expression, code.unit, primed)(
                    self.stretched(found.env, code.unit), follow
                )
            elif type(found) is Closure and found.walked is not None:
                definition, target, inner, slots = found.walked()
                for place, argument in zip(slots, arguments, strict=True):
                    inner[place] = argument(e)
                assert definition.body is not None
                walk = self.of_waiting(definition.body, target, primed)
                walk(self.stretched(inner, target), follow)
            elif test(e):
                follow()

        return walked

    def of_waiting(self, whole: Expression, unit: Unit, primed: bool) -> Walk:
        """The walker of an argument, made when it is first walked."""
        key = (whole, unit, primed)
        found = self.dynamic.get(key)
        if found is None:
            found = self.dynamic[key] = self.walk(whole, unit, primed)
        return found

    @staticmethod
    def stretched(env: Frame, unit: Unit) -> Frame:
        """A frame with room for what was compiled after it was made."""
        if len(env) < unit.size:
            env += [None] * (unit.size - len(env))
        return env


def _is_recursive_function(whole: Expression) -> bool:
    """Whether an expression may be a function that is defined by itself."""
    if not isinstance(whole, ast.Apply) or whole.arguments:
        return False
    symbol = whole.operator
    if isinstance(symbol, Definition):
        return isinstance(symbol.body, ast.Function) and symbol.body.itself is not None
    return isinstance(symbol, ast.Bound)
