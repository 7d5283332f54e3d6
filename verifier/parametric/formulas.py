"""Formulas as they are for all constants: ``0..log_size - 1`` in the place of ``0..1``."""

from __future__ import annotations

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.printing import Words, text
from verifier.encodings.sorts import IndexSet, Range, Sort
from verifier.parametric.protocol_readings import ParametricReading
from verifier.parametric.traced import Traced, polynomial_of, polynomial_text

_LONGEST = 600


def say_formulas(reading: ParametricReading) -> dict[str, str]:
    """Return the formulas of the properties, in which constants have their names."""
    words = Words(_of_sort, _of_value)
    return {
        prop.name: text(prop.formula, longest=_LONGEST, words=words) for prop in reading.definition.properties
    }


def _of_sort(sort: Sort) -> str:
    match sort:
        case Range():
            return f"{_number(sort.low)}..{_number(sort.high)}"
        case IndexSet():
            return sort.name
    return str(sort)


def _of_value(value: Concrete) -> str:
    return _number(value) if isinstance(value, Traced) else show(value)


def _number(value: int) -> str:
    return polynomial_text(polynomial_of(value))
