"""The finite reading of tuples, variants and partial functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.bits import TRUE, conjunction
from verifier.encodings.cases import cases
from verifier.encodings.concrete import Concrete
from verifier.encodings.lowered import (
    LoweredOption,
    Slot,
    either,
    lower_constant,
    make_definedness,
    restrict_value,
    select,
    tag_value,
)
from verifier.encodings.readings import Bindings
from verifier.encodings.sorts import PartialFunction, Sort, Variant
from verifier.encodings.term_lowering import Rule, TermLowering
from verifier.encodings.terms import Operator, Term


def apply_partial(
    sort: Sort, slots: Mapping[Concrete, LoweredOption], keys: Iterable[tuple[Concrete, FNode]]
) -> Any:
    """The value of a partial function at a key; undefined where it lacks the key."""
    held = [(conjunction((when, slots[key].present)), slots[key].payload) for key, when in keys]
    return select(sort, held, exhaustive=False)


def _tuple(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return dict(enumerate(lowering.arguments(term, bindings)))


def _variant(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Variant)
    payload = lowering.argument(term, bindings)
    return restrict_value(term.sort, make_definedness(payload), tag_value(term.sort, str(term.data), payload))


def _has_tag(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return lowering.argument(term, bindings).tag.equals(term.data)


def _payload(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    variant, tag = lowering.argument(term, bindings), str(term.data)
    return restrict_value(term.sort, variant.tag.equals(tag), variant.payloads[tag])


def _partial_function(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, PartialFunction)
    condition, body = term.arguments
    nothing = lower_constant(Slot(term.sort.range), None)
    slots = {}
    for key, inner in lowering.expand(term, bindings):
        held = LoweredOption(TRUE, lowering.convert(term.sort.range, body, inner))
        slots[key] = either(lowering.formula(condition, inner), held, nothing)
    return slots


def _domain(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    function = lowering.argument(term, bindings)
    keys = {key: slot.present for key, slot in function.items()}
    return restrict_value(term.sort, make_definedness(function), keys)


def _extend(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, PartialFunction)
    function, key, value = term.arguments
    held = LoweredOption(TRUE, lowering.convert(term.sort.range, value, bindings))
    return _change(lowering, term, bindings, lowering.convert(term.sort, function, bindings), key, held)


def _without(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, PartialFunction)
    function, key = term.arguments
    nothing = lower_constant(Slot(term.sort.range), None)
    return _change(lowering, term, bindings, lowering.lower(function, bindings), key, nothing)


def _change(
    lowering: TermLowering,
    term: Term,
    bindings: Bindings,
    slots: dict[Concrete, LoweredOption],
    key: Term,
    slot: LoweredOption,
) -> Any:
    assert isinstance(term.sort, PartialFunction)
    at, sort = lowering.lower(key, bindings), Slot(term.sort.range)
    changed = {
        value: either(when, restrict_value(sort, make_definedness(slots[value]), slot), slots[value])
        for value, when in cases(key.sort, at)
        if value in slots
    }
    return restrict_value(term.sort, make_definedness(at), {**slots, **changed})


COMPOUND_RULES: Mapping[Operator, Rule] = {
    Operator.TUPLE: _tuple,
    Operator.VARIANT: _variant,
    Operator.HAS_TAG: _has_tag,
    Operator.PAYLOAD: _payload,
    Operator.PARTIAL_FUNCTION: _partial_function,
    Operator.DOMAIN: _domain,
    Operator.EXTEND: _extend,
    Operator.WITHOUT: _without,
}
