"""Assignments to the next state, as they are walked: the ``relations`` and UNCHANGED."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.action_forms import ActionForm, Assignment, Stay, action_form
from verifier.tla.arguments import unit_of
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.comparing import equals
from verifier.tla.errors import Place
from verifier.tla.excepting import DIFFERENT, except_source, may_be_beside
from verifier.tla.flows import Continuation, Lines, indent_lines
from verifier.tla.frames import UNSET, Frame, Undefined, Unit, Waiting
from verifier.tla.lets import extend_frame
from verifier.tla.loops import domain_source
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import is_member, materialize

if TYPE_CHECKING:
    from verifier.tla.evaluator import Continue, Evaluator, Walk

Target: TypeAlias = "int | Callable[[Frame], int | None] | None"
"""The variable on the left side of an assignment: its index, a function that finds it in a walk, or None."""

_EQUAL = Builtin("=", 2)


class Assignments:
    """Compiles the walkers of assignments."""

    evaluator: Evaluator

    @abstractmethod
    def flow(
        self,
        whole: Expression,
        unit: Unit,
        primed: bool,
        rest: Continuation,
        depth: int,
        *,
        top: bool = False,
    ) -> Lines:
        """Return lines that walk over a formula and run the rest for each way in which it can be true."""

    @abstractmethod
    def of_waiting(self, whole: Expression, unit: Unit, primed: bool) -> Walk:
        """Return the walker of an argument. It is compiled when it is first walked."""

    @abstractmethod
    def apart(self, walk: Walk, rest: Continuation, depth: int) -> Lines:
        """Return lines that call a walk as a function of its own."""

    def form_of(self, whole: Expression, unit: Unit) -> ActionForm:
        """Return the form of a formula."""
        return action_form(self.evaluator, whole, unit.module)

    def target(self, whole: Expression, unit: Unit, primed: bool) -> Target:
        """Return the variable that is assigned, if the left side of ``=`` is a variable in the next state."""
        if isinstance(whole, ast.Prime) and not primed:
            return self._variable(whole.body, unit)
        if isinstance(whole, ast.Let):
            return self.target(whole.body, unit, primed)
        if isinstance(whole, ast.Apply):
            symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
            if primed:
                return self._variable(whole, unit)
            if isinstance(symbol, ast.Parameter) and not symbol.arity:
                return self._of_parameter(symbol, unit, primed=False)
            if isinstance(symbol, Definition) and not symbol.arity and symbol.body is not None:
                return self.target(symbol.body, self._around(symbol, unit), primed)
        return None

    def _variable(self, whole: Expression, unit: Unit) -> Target:
        if not isinstance(whole, ast.Apply) or whole.arguments:
            return None
        symbol = self.evaluator.resolve(whole.operator, unit.module) or whole.operator
        if isinstance(symbol, ast.Variable):
            return self.evaluator.index[symbol]
        if isinstance(symbol, ast.Parameter):
            return self._of_parameter(symbol, unit, primed=True)
        if isinstance(symbol, Definition) and symbol.body is not None:
            return self._variable(symbol.body, self._around(symbol, unit))
        return None

    def _around(self, symbol: Definition, unit: Unit) -> Unit:
        """Return the unit of a definition without parameters. One of a LET shares the frame around it."""
        return unit if symbol.nested else unit_of(self.evaluator, symbol)

    def _of_parameter(self, symbol: ast.Parameter, unit: Unit, *, primed: bool) -> Target:
        """Return the variable that an argument is: ``Op(y) == y = e`` with ``Op(x')``, or ``y' = e`` with
        ``Op(x)``."""
        slot = unit.slot(symbol)

        def of(e: Frame) -> int | None:
            argument = e[slot]
            if type(argument) is not Waiting:
                return None
            code = argument.code
            find = self._variable if primed else lambda w, u: self.target(w, u, False)
            target = find(code.expression, code.unit)
            return target(argument.env) if callable(target) else target

        return of

    def assigns(self, whole: Expression, unit: Unit, primed: bool) -> bool:
        """True if a formula is an assignment, which is true in one way once its variable has a value."""
        return isinstance(self.form_of(whole, unit), Assignment | Stay)

    def assign(
        self, target: Target, whole: ast.Apply, unit: Unit, primed: bool, rest: Continuation, depth: int
    ) -> Lines:
        """Return lines that walk over ``x' = e``."""
        if callable(target):
            return self.apart(self._assign_if(target, whole, unit, primed), rest, depth)
        place, emit = whole.place, self.evaluator.emit
        equal = emit.bind(lambda one, other: self._equal(one, other, place))
        name, before, right = emit.fresh("t"), emit.fresh("t"), whole.arguments[1]
        test = f"{before} is UNSET or {equal}({before}, {name})"
        if may_be_beside(right):
            assert isinstance(right, ast.Except)
            known = f"{emit.bind(self.evaluator.next)}[{target}]"
            source = except_source(self.evaluator, right, unit, primed, known)
            test = f"{name} is not {emit.bind(DIFFERENT)} and ({test})"
        else:
            source = self.evaluator.value_source(right, unit, primed)
        return [
            f"{name} = {source}",
            f"{before} = following[{target}]",
            f"if {test}:",
            f" if {before} is UNSET: following[{target}] = {name}",
            *indent_lines(rest.lines(depth + 1)),
            f" following[{target}] = {before}",
        ]

    def _assign_if(
        self, target: Callable[[Frame], int | None], whole: ast.Apply, unit: Unit, primed: bool
    ) -> Walk:
        value, test = (
            self.evaluator.value(whole.arguments[1], unit, primed),
            self.evaluator.truth(whole, unit, primed),
        )
        place = whole.place

        def assign_if(e: Frame, follow: Continue) -> None:
            index = target(e)
            if index is None:
                if test(e):
                    follow()
            else:
                self._put(index, materialize(value(e)), place, follow)

        return assign_if

    def _put(self, index: int, value: Value, place: Place, follow: Continue) -> None:
        following = self.evaluator.next
        if following[index] is UNSET:
            following[index] = value
            follow()
            following[index] = UNSET
        elif self._equal(following[index], value, place):
            follow()

    def _equal(self, one: Value, other: Value, place: Place) -> bool:
        try:
            return equals(one, other)
        except NoValue as error:
            shown = f"{self.evaluator.show(one)} and {self.evaluator.show(other)}"
            raise Undefined(place, f"{error}: {shown}") from None

    def assign_some(
        self, target: Target, whole: ast.Apply, unit: Unit, primed: bool, rest: Continuation, depth: int
    ) -> Lines:
        r"""Return lines that walk over ``x' \in S``."""
        evaluator, right, place = self.evaluator, whole.arguments[1], whole.place
        domain = domain_source(evaluator, right, unit, primed, ordered=True)
        container = evaluator.value_source(right, unit, primed)

        def inside(value: Value, container: Value) -> bool:
            try:
                return is_member(value, container)
            except NoValue as error:
                raise evaluator.fault(place, error) from None

        held, index = evaluator.emit.bind(inside), str(target)
        test = evaluator.truth_source(whole, unit, primed) if callable(target) else ""
        if callable(target):
            index = evaluator.emit.fresh("t")

        def make_lines(after: Continuation) -> Lines:
            go_on = f"{after.name}()"
            return [
                *([f"{index} = {evaluator.emit.bind(target)}(e)"] if callable(target) else []),
                *([f"if {index} is None:", f" if {test}: {go_on}"] if callable(target) else []),
                f"{'elif' if callable(target) else 'if'} following[{index}] is not UNSET:",
                f" if {held}(following[{index}], {container}): {go_on}",
                "else:",
                f" for following[{index}] in {domain}:",
                f"  {go_on}",
                f"  following[{index}] = UNSET",
            ]

        return rest.make_call_lines(depth, make_lines)

    def make_unchanged_lines(self, body: Expression, unit: Unit, rest: Continuation, depth: int) -> Lines:
        """Return lines that walk over ``UNCHANGED e``. If e is a tuple of variables, these keep their
        values."""
        indices = self.variables_of(body, unit)
        if indices is None:
            if isinstance(body, ast.Tuple):
                return self._walk_unchanged_parts(body.items, unit, rest, depth)
            if isinstance(body, ast.Apply) and isinstance(body.operator, ast.Parameter):
                return self.apart(self._walk_unchanged_argument(body.operator, body, unit), rest, depth)
            return self.flow(_make_unchanged_equation(body), unit, False, rest, depth)
        put, index = self.evaluator.emit.fresh("t"), self.evaluator.emit.fresh("t")
        return [
            f"{put} = {self._keeps(indices)}()",
            f"if {put} is not None:",
            *indent_lines(rest.lines(depth + 1)),
            f" for {index} in {put}: following[{index}] = UNSET",
        ]

    def _walk_unchanged_argument(self, symbol: ast.Parameter, body: Expression, unit: Unit) -> Walk:
        """Return the walker of ``UNCHANGED v`` for a parameter v: in ``Keep(<<x, y>>)``, x and y keep their
        values."""
        slot, other = unit.slot(symbol), self.of_waiting(_make_unchanged_equation(body), unit, False)

        def walk_argument(e: Frame, follow: Continue) -> None:
            argument = e[slot]
            if type(argument) is not Waiting:
                other(e, follow)
                return
            code = argument.code
            walk = self.of_waiting(ast.Unchanged(code.expression, place=body.place), code.unit, False)
            walk(extend_frame(argument.env, code.unit), follow)

        return walk_argument

    def _keeps(self, indices: list[int]) -> str:
        """Return the name of a function that keeps the values of variables. The function returns the
        variables that had no next value before; None if one has another next value."""
        emit, now, following = self.evaluator.emit, self.evaluator.now, self.evaluator.next

        def slowly() -> list[int] | None:
            put = []
            for index in indices:
                value = following[index]
                if value is UNSET:
                    following[index] = now[index]
                    put.append(index)
                elif value is not now[index] and value != now[index]:
                    break
            else:
                return put
            for index in put:
                following[index] = UNSET
            return None

        if not indices or len(set(indices)) < len(indices):
            return emit.bind(slowly)
        return emit.define(
            [
                f"if {' is '.join(f'following[{index}]' for index in indices)} is UNSET:",
                *(f" following[{index}] = now[{index}]" for index in indices),
                f" return {emit.bind(tuple(indices))}",
                f"return {emit.bind(slowly)}()",
            ],
            "",
        )

    def _walk_unchanged_parts(
        self, items: Sequence[Expression], unit: Unit, rest: Continuation, depth: int
    ) -> Lines:
        if not items:
            return rest.lines(depth)
        after = Continuation(
            rest.emit, None, lambda deep: self._walk_unchanged_parts(items[1:], unit, rest, deep)
        )
        return self.make_unchanged_lines(items[0], unit, after if len(items) > 1 else rest, depth)

    def variables_of(self, body: Expression, unit: Unit) -> list[int] | None:
        if isinstance(body, ast.Tuple):
            parts = [self.variables_of(item, unit) for item in body.items]
            return None if None in parts else [index for part in parts if part for index in part]
        if not isinstance(body, ast.Apply) or body.arguments:
            return None
        symbol = self.evaluator.resolve(body.operator, unit.module) or body.operator
        if isinstance(symbol, ast.Variable):
            return [self.evaluator.index[symbol]]
        if isinstance(symbol, Definition) and symbol.body is not None:
            return self.variables_of(symbol.body, self._around(symbol, unit))
        return None


def _make_unchanged_equation(body: Expression) -> ast.Apply:
    """Return ``e' = e``."""
    return ast.Apply(_EQUAL, (ast.Prime(body, place=body.place), body), place=body.place)
