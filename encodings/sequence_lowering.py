"""The finite reading of sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.encodings import sequences
from verifier.encodings.lowered import LoweredSequence, make_definedness, restrict_value
from verifier.encodings.lowering_rules import of_all, of_sort
from verifier.encodings.readings import Bindings
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Sequence, Sort
from verifier.encodings.term_lowering import Rule, TermLowering
from verifier.encodings.terms import Operator, Term


def _sequence(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    slots = (lowering.convert(term.sort.element, item, bindings) for item in term.arguments)
    return LoweredSequence(Scalar.make_constant(len(term.arguments)), tuple(slots))


def _append(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    sequence, item = term.arguments
    left = lowering.convert(_with_element(sequence.sort, term.sort.element), sequence, bindings)
    right = sequences.single(lowering.convert(term.sort.element, item, bindings))
    return sequences.concatenate(term.sort, left, right)


def _concatenate(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    element = term.sort.element
    left, right = (
        lowering.convert(_with_element(part.sort, element), part, bindings) for part in term.arguments
    )
    return sequences.concatenate(term.sort, left, right)


def _truncate(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    return sequences.truncate(term.sort.element, *lowering.arguments(term, bindings))


def _filter(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    sequence = lowering.lower(term.arguments[0], bindings)
    kept = sequences.keep(term.sort, sequence, lowering.instances(term, bindings))
    return restrict_value(term.sort, make_definedness(sequence), kept)


def _map(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    sequence, body = term.arguments
    assert term.binds is not None
    symbol = term.binds
    return sequences.map_sequence(
        symbol.sort,
        term.sort.element,
        lowering.lower(sequence, bindings),
        lambda value: lowering.lower(body, {**bindings, symbol: value}),
    )


def _sequence_update(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Sequence)
    sequence, index, item = term.arguments
    return sequences.update(
        lowering.convert(term.sort, sequence, bindings),
        lowering.lower(index, bindings),
        lowering.convert(term.sort.element, item, bindings),
    )


def _with_element(sort: Sort, element: Sort) -> Sequence:
    assert isinstance(sort, Sequence)
    return Sequence(element, sort.capacity)


SEQUENCE_RULES: Mapping[Operator, Rule] = {
    Operator.SEQUENCE: _sequence,
    Operator.LENGTH: lambda lowering, term, bindings: lowering.argument(term, bindings).length,
    Operator.AT: of_sort(sequences.at),
    Operator.APPEND: _append,
    Operator.TRUNCATE: _truncate,
    Operator.FILTER: _filter,
    Operator.CONCATENATE: _concatenate,
    Operator.BETWEEN: of_sort(sequences.between),
    Operator.REVERSE: of_sort(sequences.reverse),
    Operator.MAP: _map,
    Operator.SEQUENCE_UPDATE: _sequence_update,
    Operator.OCCURS: of_all(sequences.occurs),
    Operator.ELEMENTS: of_sort(sequences.elements),
    Operator.SUM: of_sort(sequences.total),
}
