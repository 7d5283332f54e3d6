"""Expressions evaluated by both semantics, in the same states and with the same values of names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.encodings.evaluator import LaneEvaluator
from verifier.runs.validation.agreement import Disagreement, Disagrees
from verifier.runs.validation.compared_expressions import Lowered, Question
from verifier.runs.validation.lanes import Lane, columns, numbers_of
from verifier.runs.validation.subject import ERRORS, Subject
from verifier.tla import ast
from verifier.tla.facts import AT
from verifier.tla.frames import UNSET, Code, Unit, Waiting
from verifier.tla.said_parts import span
from verifier.tla.text import text_at
from verifier.tla.translate.symbolic import Known
from verifier.tla.value_types import FALSE, TRUE, Value
from verifier.tla.values import materialize, same

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.encodings.layout import Layout
    from verifier.tla.ast import Expression

_MOST_OF_EACH = 24
"""The number of states in which an expression is evaluated: true in as many as false. States that differ only
in parts that it does not read count as one."""
_LONGEST = 300
_Compiled: TypeAlias = tuple[Unit, Callable[[Any], Value], int | None]
"""A unit, the function that evaluates an expression in its frame, and the slot of @."""


@dataclass(frozen=True)
class Difference:
    """An expression on which the two semantics differ in a state."""

    question: Question
    lane: Lane
    interpreter: str
    translation: str
    around: str


class Values:
    """Evaluates questions in some states."""

    def __init__(self, subject: Subject, after: Layout, lanes: Sequence[tuple[Lane, Lane]]) -> None:
        """``lanes``: each state with one that may follow."""
        self.subject, self.lanes = subject, lanes
        self.evaluator = subject.spec.evaluator
        self.mask = (1 << len(lanes)) - 1
        layout = subject.model.layout
        values = dict(columns(layout.bits, [now.bits for now, _ in lanes]))
        values |= dict(columns(after.bits, [following.bits for _, following in lanes]))
        self.evaluate = LaneEvaluator(values, self.mask)
        self._columns: dict[tuple[FNode, ...], tuple[int, ...]] = {}
        self._compiled: dict[tuple[Expression, str, bool], _Compiled] = {}

    def differences(self, question: Question, most: int = _MOST_OF_EACH) -> Iterator[Difference]:
        """Yield the states in which the two semantics have different values."""
        read = self.mask
        valued = [question.result, *question.names.values(), *(question.assigned or {}).values()]
        for one in valued:
            if isinstance(one, Lowered) and read:
                read &= self.evaluate(one.defined)
        if not read:
            return
        seen = set[tuple[Value, ...]]()
        for number in self._choose_states(question, read, most):
            key = self._key(question, number)
            try:
                if key is None or key in seen:
                    continue
                seen.add(key)
            except ERRORS:  # a bound name has a value that cannot be listed
                self.subject.agreement.undefined += 1
                continue
            difference = self._difference(question, number)
            if difference is not None:
                yield difference

    def _choose_states(self, question: Question, read: int, most: int) -> Iterator[int]:
        """Yield the states to evaluate in: alternately where it is true and where it is false."""
        if question.truth is None:
            sides = [numbers_of(read)]
        else:
            holds = self.evaluate(question.truth)
            sides = [numbers_of(read & holds), numbers_of(read & ~holds)]
        for side in sides:
            for _, number in zip(range(4 * most), side, strict=False):
                yield number

    def _key(self, question: Question, number: int) -> tuple[Value, ...] | None:
        """Return the data on which the value of an expression depends; None if they are not known."""
        now, following = self.lanes[number]
        index = self.evaluator.index
        reads = sorted(index[one] for one in question.facts.reads if one in index)
        try:
            names = [self._value(one, number) for one in question.names.values()]
        except ValueError:
            return None
        if question.assigned == {}:
            return (*(now.state[one] for one in reads), *names)
        return (*now.state, *following.state, *names)

    def _difference(self, question: Question, number: int) -> Difference | None:
        lane = self.lanes[number][0]
        try:
            values = {symbol: self._value(one, number) for symbol, one in question.names.items()}
            self._set_states(question, number)
            translation = self._value(question.result, number)
        except ValueError:  # the bits represent no value
            return None
        try:
            interpreter = materialize(self._evaluate(question, values))
            if same(interpreter, materialize(translation)):
                return None
        except ERRORS:
            self.subject.agreement.undefined += 1
            return None
        shown = self.subject.value_text
        around = [f"{'@' if one is AT else one.name} = {shown(value)}" for one, value in values.items()]
        return Difference(
            question, lane, shown(interpreter), shown(materialize(translation)), ", ".join(around)
        )

    def _set_states(self, question: Question, number: int) -> None:
        """Set the states in which the interpreter evaluates."""
        now, following = self.lanes[number]
        if question.assigned is None:
            self.subject.set_state(now.state, following.state)
            return
        after: list[Any] = [UNSET] * len(now.state)
        for variable, one in question.assigned.items():
            after[self.evaluator.index[variable]] = self._value(one, number)
        self.subject.set_state(now.state, tuple(after))
        self.evaluator.read_next[0] = True

    def _value(self, one: Lowered | Known, number: int) -> Value:
        """Return the value in a state. Raises ValueError for bits without a value."""
        if isinstance(one, Known):
            return one.value
        columns_of = self._columns.get(one.bits)
        if columns_of is None:
            columns_of = self._columns[one.bits] = tuple(map(self.evaluate, one.bits))
        bits = [bool(column >> number & 1) for column in columns_of]
        if one.layout is None:
            return TRUE if bits[0] else FALSE
        return self.subject.names.decode(one.layout.decode_state(bits)["value"], one.term.sort)

    def _evaluate(self, question: Question, values: Mapping[ast.Symbol, Value]) -> Value:
        """Return the interpreter's value. Raises one of the errors of evaluation."""
        whole, context = question.note.whole, question.note.context
        key = (whole, context.module, context.primed)
        if key not in self._compiled:
            self._compiled[key] = self._compile(*key, values)
        unit, evaluate, at = self._compiled[key]
        for symbol in values:
            unit.slot(symbol)
        frame = unit.frame()
        for symbol, value in values.items():
            if symbol is AT and at is not None:
                frame[at] = value
            else:
                waits = isinstance(symbol, ast.Definition)
                frame[unit.slot(symbol)] = _waiting(whole, unit, value) if waits else value
        return evaluate(frame)

    def _compile(
        self, whole: Expression, module: str, primed: bool, values: Mapping[ast.Symbol, Value]
    ) -> _Compiled:
        unit, evaluator = Unit(module), self.evaluator
        at = unit.fresh() if AT in values else None
        before, evaluator.at_slots = evaluator.at_slots, [] if at is None else [at]
        try:
            return unit, evaluator.value(whole, unit, primed), at
        finally:
            evaluator.at_slots = before

    # -- words

    def error(self, difference: Difference, within: str = "") -> Disagrees:
        """Return the error for a difference. ``within``: the larger object that differs because of it."""
        place, state = span(difference.question.note.whole), difference.lane.state
        said = text_at(place) or "an expression"
        what = said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"
        shown = self.subject.show(state)
        disagreement = Disagreement(
            what, difference.interpreter, difference.translation, shown, place, difference.around, within
        )
        return Disagrees(disagreement, state, of_expression=True)


def _waiting(whole: Expression, unit: Unit, value: Value) -> Waiting:
    """Make a definition of a LET whose value is known."""
    return Waiting(Code(whole, unit, True, lambda *_: lambda _: value, False, True, [False]), [])


__all__ = ["Difference", "Values"]
