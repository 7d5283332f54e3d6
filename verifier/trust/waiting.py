"""The reason why a state of a protocol is a deadlock: what each action waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import conjuncts
from verifier.specs.definition import Action, Definition
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.explain import Explainer
from verifier.trust.trace import FailingPart

_MOST, _MOST_CHOICES = 8, 64
"""The most parts that are told, and the most choices of parameters that are tried for an action."""


def find_waiting(definition: Definition, state: Mapping[str, Concrete]) -> list[FailingPart]:
    """Return for each action and choice of its parameters the first conjunct that is false in a state."""
    explainer = Explainer(ConcreteReading(state), definition.presentation.first_index)
    return list(islice((part for one in definition.actions for part in _waits(explainer, one)), _MOST))


def _waits(explainer: Explainer, action: Action) -> Iterator[FailingPart]:
    reading = explainer.reading
    symbols = [parameter.symbol for parameter in action.parameters]
    choices = (tuple(islice(symbol.sort.values(), _MOST_CHOICES)) for symbol in symbols)
    for values in islice(product(*choices), _MOST_CHOICES):
        bindings = dict(zip(symbols, values, strict=True))
        named = tuple((symbol.name, show(value)) for symbol, value in zip(symbols, values, strict=True))
        parts = (part for line in action.when for part in conjuncts(line))
        first = next(
            (one for one in parts if isinstance(one.sort, Boolean) and not reading.holds(one, bindings)), None
        )
        if first is not None:
            yield replace(explainer.explain_false(first, bindings), witnesses=named, action=action.name)
