"""Operators of the module TLCExt that depend on the search, or on TLC's errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.frames import Frame, Undefined
from verifier.tla.primitives import Make, simple, with_evaluator
from verifier.tla.value_types import TRUE, Fn, NoValue, Value, boolean

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

TRACE = "trace"
"""The key under which ``Trace`` of TLCExt asks the search."""
COUNTEREXAMPLE = "counterexample"
"""The key under which ``CounterExample`` of TLCExt asks the search."""


def _trace(evaluator: Evaluator) -> Value:
    answer = evaluator.answers.get(TRACE)
    if answer is None:
        raise NoValue("Trace is known to a search only, as verify explore is one")
    return answer()


_NO_COUNTEREXAMPLE = Fn({"action": frozenset(), "state": frozenset()})


def _counterexample(evaluator: Evaluator) -> Value:
    """Return the graph of a counterexample. TLC fills it only in a POSTCONDITION after a violation; otherwise
    it is empty."""
    if evaluator.answers.get(COUNTEREXAMPLE, lambda: TRUE)() is not TRUE:
        words = "CounterExample is that of TLC's one violation"
        raise NoValue(f"{words}: here each property may have one, which --trace-out FILE writes")
    return _NO_COUNTEREXAMPLE


def _as_trace(value: Value) -> Value:
    if value != _NO_COUNTEREXAMPLE:
        raise NoValue("ToTrace takes CounterExample")
    return ()


def _make_assert_error(evaluator: Evaluator, whole: ast.Apply, arguments: list[str]) -> str:
    """Compile ``AssertError(words, e)``: e has no value, for the reason that TLC gives in these words. TLC's
    words are known for few errors. For others the answer is not known."""
    expected, tested = (evaluator.emit.function(argument) for argument in arguments)

    def compare_error(error: Undefined | NoValue, e: Frame) -> Value:
        if error.tlc is None:
            words = f"AssertError compares TLC's words, which are not known of this error: {error}"
            raise Undefined(whole.place, words)
        return boolean(expected(e) == error.tlc)

    def value(e: Frame) -> Value:
        try:
            tested(e)
        except (Undefined, NoValue) as error:
            return compare_error(error, e)
        return boolean(False)

    return evaluator.emit.call(value)


TLC_EXT: dict[str, Make] = {
    "Trace": with_evaluator(_trace),
    "CounterExample": with_evaluator(_counterexample),
    "ToTrace": simple(_as_trace),
    "AssertError": _make_assert_error,
}
