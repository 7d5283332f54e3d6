r"""The walk over Init and Next that finds states, as TLC walks, compiled to Python.

A walker takes a frame and a continuation. It calls the continuation once for each way in which the formula
can be true. During the call, the next state has the values that were assigned on that way. A disjunction or a
bounded quantifier branches for each disjunct or element, even if these do not mention the next state. So a
state may be generated several times, as often as TLC generates it. ``x' = e`` assigns if x' has no value yet,
and is a test otherwise; the same holds for ``x' \in S``. Everything else is evaluated from the left.

Init is walked as if all of it were primed: it assigns the next state too.

Source: Specifying Systems (Lamport, 2002), section 14.2.6; in tlaplus/tlaplus, ``tlc2.tool.impl.Tool``,
getInitStates and getNextStates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.arguments import argument_sources, frame_source, unit_of, waiting_source
from verifier.tla.ast import Definition, Expression
from verifier.tla.composition import Composing
from verifier.tla.evaluator import Continue, Walk
from verifier.tla.flows import Continuation, Lines, following, indent_lines
from verifier.tla.frames import Closure, Frame, Undefined, Unit, Waiting
from verifier.tla.hoisting import make_guarded_loop
from verifier.tla.lets import extend_frame, let_lines
from verifier.tla.loops import loop_lines

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_DEEPEST = 12
"""The limit of nested loops in one function: Python nests at most 20 loops, and 100 levels of indentation."""


class Walker(Composing):
    """Compiles walkers for one evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.bodies: dict[tuple[Definition, Unit, bool, bool], str] = {}
        self.dynamic: dict[tuple[Expression, Unit, bool], Walk] = {}
        self.action: Definition | None = None
        """The definition that is being walked: the innermost above the first conjunction."""
        self.frame: Frame = []
        """The frame of the action."""
        self.units: dict[Definition, Unit] = {}
        """The unit of each action's frame."""

    def walk(self, whole: Expression, unit: Unit, primed: bool, *, top: bool = False) -> Walk:
        """Return the walker of a formula. ``primed``: the formula is Init. ``top``: it is a part of Next by
        itself."""
        return self.make_walk(lambda rest: self.flow(whole, unit, primed, rest, 1, top=top))

    def make_walk(self, lines: Callable[[Continuation], Lines], name: str | None = None) -> Walk:
        """Compile lines to a walker."""
        emit = self.evaluator.emit
        walk: Walk = emit.names[emit.define(lines(following(emit, "follow")), "e, follow", name)]
        return walk

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
        if depth > _DEEPEST:
            return self.apart(self.walk(whole, unit, primed, top=top), rest, depth)
        form = self.form_of(whole, unit)
        match form:
            case forms.Conjunction(items):
                return self._conjunction(items, unit, primed, rest, depth, top=top)
            case forms.Disjunction(items):
                return self._disjunction(items, unit, primed, rest, depth, top=top)
            case forms.Choice(quantifier):
                return self._choice(quantifier, unit, primed, rest, depth, top=top)
            case forms.Each(quantifier) if self.branches(quantifier.body, unit, primed):
                return self.apart(self._every(quantifier, unit, primed), rest, depth)
            case forms.Condition() as condition:
                return self._condition(condition, unit, primed, rest, depth, top=top)
            case forms.Cases(case):
                return self._case(case, unit, primed, rest, depth)
            case forms.Binding(let):
                put = let_lines(self.evaluator, let, unit, primed, walked=True)
                return [*put, *self.flow(let.body, unit, primed, rest, depth, top=top)]
        return self._flow_part(form, whole, unit, primed, rest, depth, top=top)

    def _flow_part(
        self,
        form: forms.ActionForm,
        whole: Expression,
        unit: Unit,
        primed: bool,
        rest: Continuation,
        depth: int,
        *,
        top: bool,
    ) -> Lines:
        match form:
            case forms.Stay(body) if not primed:
                return self.make_unchanged_lines(body, unit, rest, depth)
            case forms.Boxed(step) if not primed:
                return self._step(step, unit, rest, depth)
            case forms.Assignment() as assignment:
                return self._assignment(assignment, whole, unit, primed, rest, depth)
            case forms.Call(definition, call):
                return self._walk_definition(definition, call, unit, primed, rest, depth, top=top)
            case forms.Argument(parameter, call):
                return self.apart(self._parameter(parameter, call, unit, primed), rest, depth)
            case forms.Composition(composed):
                return self.apart(self.compose(composed, unit, primed), rest, depth)
            case forms.Guard(ast.FunctionApply() as applied) if self.branches(applied, unit, primed):
                return self.apart(self.function_apply(applied, unit, primed), rest, depth)
        return self._guard(whole, unit, primed, rest, depth)

    def _guard(self, whole: Expression, unit: Unit, primed: bool, rest: Continuation, depth: int) -> Lines:
        test = self.evaluator.truth_source(whole, unit, primed)
        return [f"if {test}:", *indent_lines(rest.lines(depth + 1))]

    def apart(self, walk: Walk, rest: Continuation, depth: int) -> Lines:
        """Return lines that call a walk as a function of its own."""
        name = self.evaluator.emit.bind(walk)
        return rest.make_call_lines(depth, lambda after: [f"{name}(e, {after.name})"])

    def _assignment(
        self,
        form: forms.Assignment,
        whole: Expression,
        unit: Unit,
        primed: bool,
        rest: Continuation,
        depth: int,
    ) -> Lines:
        target = self.target(form.left, unit, primed)
        if target is None:
            return self._guard(whole, unit, primed, rest, depth)
        assign = self.assign if form.is_equation else self.assign_some
        return assign(target, form.whole, unit, primed, rest, depth)

    # -- connectives

    def _disjunction(
        self,
        items: Sequence[Expression],
        unit: Unit,
        primed: bool,
        rest: Continuation,
        depth: int,
        *,
        top: bool,
    ) -> Lines:
        return rest.make_call_lines(
            depth,
            lambda after: [
                line for item in items for line in self.flow(item, unit, primed, after, depth, top=top)
            ],
        )

    def _conjunction(
        self,
        items: Sequence[Expression],
        unit: Unit,
        primed: bool,
        rest: Continuation,
        depth: int,
        *,
        top: bool = False,
        begun: bool = False,
    ) -> Lines:
        """Walk the conjuncts from the left. ``begun``: others stand before them."""
        if not items:
            return rest.lines(depth)
        if depth > _DEEPEST:
            walk = self.make_walk(
                lambda end: self._conjunction(items, unit, primed, end, 1, top=top, begun=begun)
            )
            return self.apart(walk, rest, depth)
        tests = list(takewhile(lambda item: not self.branches(item, unit, primed), items))
        if tests:
            sources = [self.evaluator.truth_source(item, unit, primed) for item in tests]
            later = self._conjunction(items[len(tests) :], unit, primed, rest, depth + 1, begun=True)
            return [f"if {' and '.join(sources)}:", *indent_lines(later)]
        first, others = items[0], items[1:]
        after = Continuation(
            rest.emit,
            rest.name if not others else None,
            lambda deep: self._conjunction(others, unit, primed, rest, deep, begun=True),
        )
        if begun and not self.assigns(first, unit, primed):
            walk = self.walk(first, unit, primed)
            return self._settle(walk, first, unit, primed, after, depth)
        return self.flow(first, unit, primed, after, depth, top=top and not others and not begun)

    def settle_walk(self, walk: Walk, whole: Expression, unit: Unit, primed: bool) -> Walk:
        """Return the walker of a formula that follows another one. As in TLC, once all variables have values,
        it only tests the formula and counts no ways to be true."""
        if self.assigns(whole, unit, primed):
            return walk
        return self.make_walk(lambda rest: self._settle(walk, whole, unit, primed, rest, 1))

    def _settle(
        self, walk: Walk, whole: Expression, unit: Unit, primed: bool, rest: Continuation, depth: int
    ) -> Lines:
        emit, evaluator, tests = rest.emit, self.evaluator, list[Callable[[Frame], bool]]()

        def run_test(e: Frame) -> bool:
            if not tests:
                tests.append(evaluator.truth(whole, unit, primed))
            return tests[0](extend_frame(e, unit))

        walked, test = emit.bind(walk), emit.bind(run_test)
        unset = " or ".join(f"following[{index}] is UNSET" for index in range(len(evaluator.next)))
        return rest.make_call_lines(
            depth,
            lambda after: [
                f"if {unset or False}: {walked}(e, {after.name})",
                f"elif {test}(e): {after.name}()",
            ],
        )

    def _choice(
        self, whole: ast.Quantifier, unit: Unit, primed: bool, rest: Continuation, depth: int, *, top: bool
    ) -> Lines:
        inner = self.flow(whole.body, unit, primed, rest, depth + len(whole.bindings), top=top)
        taken = [f"e[{unit.slot(name)}] = None" for binding in whole.bindings for name in binding.names]
        return [*make_guarded_loop(self.evaluator, whole, unit, primed, inner, walked=True), *taken]

    def _every(self, whole: ast.Quantifier, unit: Unit, primed: bool) -> Walk:
        evaluator, body = self.evaluator, self.walk(whole.body, unit, primed)
        slots = [unit.slot(name) for binding in whole.bindings for name in binding.names]
        taken = [f"rows.append(({' '.join(f'e[{slot}],' for slot in slots)}))"]
        lines = loop_lines(evaluator, whole.bindings, unit, primed, taken, ordered=True)
        every_row = evaluator.emit.function(evaluator.emit.statements(["rows = []", *lines, "return rows"]))
        later = self.settle_walk(body, whole.body, unit, primed)

        def every(e: Frame, follow: Continue) -> None:
            rows = every_row(e)

            def at(number: int) -> None:
                if number == len(rows):
                    follow()
                    return
                # The body may read this element after the loop has moved on, so it has a frame of its own.
                own = e[:]
                for slot, item in zip(slots, rows[number], strict=True):
                    own[slot] = item
                (later if number else body)(own, lambda: at(number + 1))

            at(0)

        return every

    def _condition(
        self, form: forms.Condition, unit: Unit, primed: bool, rest: Continuation, depth: int, *, top: bool
    ) -> Lines:
        condition, otherwise = self.evaluator.truth_source(form.condition, unit, primed), form.otherwise
        top = top and otherwise is not None  # an implication names no action

        def either(after: Continuation) -> Lines:
            then = self.flow(form.then, unit, primed, after, depth + 1, top=top)
            if otherwise is None:
                other = after.lines(depth + 1)
            else:
                other = self.flow(otherwise, unit, primed, after, depth + 1, top=top)
            return [f"if {condition}:", *indent_lines(then), "else:", *indent_lines(other)]

        return rest.make_call_lines(depth, either)

    def _case(self, whole: ast.Case, unit: Unit, primed: bool, rest: Continuation, depth: int) -> Lines:
        def choose_arm(after: Continuation) -> Lines:
            lines: Lines = []
            for guard, value in whole.arms:
                test = self.evaluator.truth_source(guard, unit, primed)
                inner = self.flow(value, unit, primed, after, depth + 1)
                lines += [f"{'elif' if lines else 'if'} {test}:", *indent_lines(inner)]
            if whole.other is not None:
                other = self.flow(whole.other, unit, primed, after, depth + 1)
            else:
                other = [self.evaluator.make_refusal(whole.place, whole.missing)]
            return [*lines, "else:", *indent_lines(other)]

        return rest.make_call_lines(depth, choose_arm)

    def _step(self, whole: ast.Step, unit: Unit, rest: Continuation, depth: int) -> Lines:
        if whole.stuttering:
            return rest.make_call_lines(
                depth,
                lambda after: [
                    *self.flow(whole.action, unit, False, after, depth, top=True),
                    *self.make_unchanged_lines(whole.subscript, unit, after, depth),
                ],
            )
        here = self.evaluator.value_source(whole.subscript, unit)
        there = self.evaluator.value_source(whole.subscript, unit, True)
        different = Continuation(
            rest.emit, None, lambda deep: [f"if {here} != {there}:", *indent_lines(rest.lines(deep + 1))]
        )
        return self.flow(whole.action, unit, False, different, depth, top=True)

    # -- operators

    def body(self, definition: Definition, unit: Unit, primed: bool, *, top: bool) -> str:
        """Return the name of the walker of a definition's body. It is compiled once, perhaps after the name
        is used."""
        key = (definition, unit, primed, top)
        name = self.bodies.get(key)
        if name is None:
            name = self.bodies[key] = self.evaluator.emit.fresh("w")
            body = definition.body
            assert body is not None
            try:
                self.make_walk(lambda rest: self.flow(body, unit, primed, rest, 1, top=top), name)
            except Undefined:  # the next caller gets the same error
                del self.bodies[key]
                raise
        return name

    def _walk_definition(
        self,
        symbol: Definition,
        whole: ast.Apply,
        unit: Unit,
        primed: bool,
        rest: Continuation,
        depth: int,
        *,
        top: bool,
    ) -> Lines:
        evaluator = self.evaluator
        if not self.branches(whole, unit, primed) and not top:
            return self._guard(whole, unit, primed, rest, depth)
        target = unit if symbol.nested else unit_of(evaluator, symbol)
        arguments = argument_sources(evaluator, symbol, whole, unit, primed, walked=True)
        slots = [target.slot(parameter) for parameter in symbol.parameters]
        inner = evaluator.emit.fresh("e")
        if symbol.nested:
            given = zip(slots, arguments, strict=True)
            lines = [f"{inner} = e[:]" if slots else f"{inner} = e"]
            lines += [f"{inner}[{slot}] = {argument}" for slot, argument in given]
        else:
            lines = [f"{inner} = {frame_source(evaluator, target, arguments)}"]
        body = self.body(symbol, target, primed, top=top)
        ended: Lines = []
        if top:
            self.units[symbol] = target
            walker, before = evaluator.emit.bind(self), evaluator.emit.fresh("a")
            walked = f"{walker}.action, {walker}.frame"
            lines += [f"{before} = {walked}", f"{walked} = {evaluator.emit.bind(symbol)}, {inner}"]
            ended = [f"{walked} = {before}"]  # the next disjunct around the action is not part of it

        def within(error: Undefined) -> None:
            # The error may come from the continuation, which is not part of this definition.
            if symbol.place.line <= error.outermost.line <= symbol.last_line:
                error.within(symbol.shown, whole.place, symbol.place)

        failed = evaluator.emit.bind(within)
        return rest.make_call_lines(
            depth,
            lambda after: [
                *lines,
                "try:",
                f" {body}({inner}, {after.name})",
                "except Undefined as error:",
                f" {failed}(error)",
                " raise",
                *ended,
            ],
        )

    def _parameter(self, symbol: ast.Parameter, whole: ast.Apply, unit: Unit, primed: bool) -> Walk:
        slot, evaluator = unit.slot(symbol), self.evaluator
        arguments = [
            evaluator.emit.function(waiting_source(evaluator, argument, unit, primed, acts=True))
            for argument in whole.arguments
        ]
        test = evaluator.truth(whole, unit, primed)

        def walk_parameter(e: Frame, follow: Continue) -> None:
            value = e[slot]
            if type(value) is Waiting:
                code = value.code
                self.of_waiting(code.expression, code.unit, primed)(
                    extend_frame(value.env, code.unit), follow
                )
            elif type(value) is Closure and value.walked is not None:
                definition, target, inner, slots = value.walked()
                for place, argument in zip(slots, arguments, strict=True):
                    inner[place] = argument(e)
                assert definition.body is not None
                walk = self.of_waiting(definition.body, target, primed)
                walk(extend_frame(inner, target), follow)
            elif test(e):
                follow()

        return walk_parameter

    def of_waiting(self, whole: Expression, unit: Unit, primed: bool) -> Walk:
        """Return the walker of an argument. It is compiled when it is first walked."""
        key = (whole, unit, primed)
        walk = self.dynamic.get(key)
        if walk is None:
            walk = self.dynamic[key] = self.walk(whole, unit, primed)
        return walk
