"""An operation without a value: false as a formula, not to be assigned, harmless where it is not read."""

from __future__ import annotations

from typing import Any

from tests.support.lowered_terms import evaluate_closed, layout_of, lower_over, variables
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import BOOLEAN, coerce, literal, record, set_of, some
from verifier.encodings.fitting import outside
from verifier.encodings.quantifiers import comprehension, count, filtered, forall, function, if_, image
from verifier.encodings.sorts import Bag, Option, Range, Record, Sequence, Sort


def test_a_boolean_without_value_is_false() -> None:
    symbols, (option,) = variables([Option(BOOLEAN)])
    nothing = {"x0": None}
    flag = option.value
    for value, expected in [
        (flag & True, False),
        (flag | True, True),
        (flag | False, False),
        (~flag, True),
        (flag == False, False),  # noqa: E712
        (flag.implies(False), True),
        (literal(BOOLEAN, True).implies(flag), False),
        (if_(flag, 1, 2), 2),
        (count(Range(0, 1), lambda x: flag), 0),
        (forall(Range(0, 1), lambda x: flag), False),
        (comprehension(Range(0, 1), lambda x: flag).is_empty, True),
    ]:
        assert evaluate_closed(value, nothing, symbols) == expected


def test_what_holds_a_part_without_value_cannot_be_assigned() -> None:
    numbers = Range(0, 3)
    sorts: list[Sort] = [Option(numbers), Option(Record(only=numbers)), Option(Bag(Range(0, 1), 1))]
    symbols, (number, whole, bag) = variables(sorts)
    layout = layout_of(symbols)
    zero: Any = coerce([0], Sequence(numbers, 1))
    longer = zero.append(number.value)
    for value in (
        longer,
        record(Record(only=numbers), only=number.value),
        some(record(Record(only=numbers), only=number.value)),
        set_of(longer.sort, longer),
        filtered(longer, lambda x: x == 0),
        whole.value.updated(only=0),
        bag.value.copies(5),
        bag.value.add(0),
        function(Range(0, 1), lambda key: if_(key == 0, key, number.value)).updated(1, 0),
    ):
        lowered = lower_over(layout, symbols, value.term)
        evaluate = Evaluator(layout.bits, [outside(value.sort, lowered)])
        assert evaluate.single(layout.encode_state(dict.fromkeys(layout.sorts))) == [True]


def test_a_branch_not_taken_needs_no_value() -> None:
    symbols, (option,) = variables([Option(Range(0, 3))])
    guarded = if_(option.is_none, -1, option.value)
    each = function(Range(0, 1), lambda key: if_(key == 0, 3, option.value))
    some_of = image(Range(0, 1), lambda key: if_(key == 0, 3, option.value))
    for value, expected in [
        (guarded, -1),
        (each[0], 3),
        (each[1] == 3, False),
        (each == each, False),
        (image(comprehension(Range(0, 1), lambda key: key == 0), lambda key: each[key]).cardinality, 1),
        (some_of.contains(3), False),
    ]:
        assert evaluate_closed(value, {"x0": None}, symbols) == expected
