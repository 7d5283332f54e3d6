"""Counts of the parts of guards and properties in explored states.

The conjuncts of a guard are evaluated in order: one is evaluated if those before it are true. They count once
for each state within the constraint and each value of the action's parameters. A free parameter does not
multiply them: a conjunct is true if it is, with those before it, for some value. The premise of an
implication in an invariant counts for each value of the names around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from pysmt.fnode import FNode

from verifier.encodings.bits import conjunction
from verifier.encodings.definedness import Definedness
from verifier.encodings.elimination import Elimination
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.printing import text
from verifier.encodings.terms import Operator, Term, conjuncts
from verifier.explicit.compiled import Program
from verifier.explicit.packing import Rows, lanes, to_slices
from verifier.specs.definition import Action, Property, PropertyKind
from verifier.specs.formula_count import FormulaCount, as_statistics, list_vacuous
from verifier.specs.reading.code_places import list_methods_at
from verifier.system.model import Model

_LONGEST = 100
"""The characters of a formula that its text shows."""
_OF_STATES = (PropertyKind.INVARIANT, PropertyKind.TYPE_INVARIANT)
_Key: TypeAlias = tuple[str, str, str]
"""The owner, the text and the place of a counted formula."""


class GuardCounts:
    """Counts formulas of a model in states, which are given once each."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._bits = max(1, len(model.system.bits))
        variables = {one: model.layout.lowered[one.name] for one in model.definition.variables}
        self._lowering = Lowering(variables)
        self._program = Program(model.system.bits)
        self._keys: dict[_Key, list[tuple[int, int]]] = {}
        """For each formula its instances: the outputs that say where it is evaluated, and is true."""
        self._counts: dict[_Key, list[int]] = {}
        self._outputs: dict[int, int] = {}
        """The place among the outputs for each number of the program."""
        for action in model.definition.actions:
            for parameters in self._list_parameters(action):
                self._add_guard(action, parameters)
        for prop in model.definition.properties:
            if prop.kind in _OF_STATES:
                self._add_premises(prop, prop.formula, {}, conjunction(()))
        self._compiled = self._program.compile()

    def count(self, rows: Rows) -> None:
        """Count the formulas in these states."""
        real = lanes(len(rows))
        values = self._compiled(list(to_slices(rows, self._bits)))
        sizes = [int(np.bitwise_count(value & real).sum()) for value in values]
        for key, instances in self._keys.items():
            total = self._counts.setdefault(key, [0, 0])
            total[0] += sum(sizes[evaluated] for evaluated, _ in instances)
            total[1] += sum(sizes[true] for _, true in instances)

    def list_counts(self) -> Iterator[FormulaCount]:
        """Yield the counts, in the order of the protocol."""
        for owner, formula, place in self._keys:
            evaluated, true = self._counts.get((owner, formula, place), (0, 0))
            yield FormulaCount(formula, place, evaluated, true, owner)

    def as_statistics(self) -> dict[str, Any]:
        """Return the counts, the vacuous properties and the methods counted, as figures of a run."""
        counts, claims = list(self.list_counts()), {one.name for one in self._model.definition.properties}
        premises = ((one, [one.owner] if one.owner in claims else []) for one in counts)
        methods = list_methods_at(one.place for one in counts)
        return as_statistics(counts, list_vacuous(premises), methods)

    def _list_parameters(self, action: Action) -> Iterator[Bindings]:
        expanded = [one.symbol for one in action.parameters if not one.free]
        for values in product(*(tuple(symbol.sort.each()) for symbol in expanded)):
            yield dict(zip(expanded, values, strict=True))

    def _add_guard(self, action: Action, parameters: Bindings) -> None:
        free = {one.symbol.name: one.symbol for one in action.parameters if one.free}
        lowering, some, reached = self._lowering, Elimination(()), self._model.system.constraint
        if free:
            layout = Layout({name: symbol.sort for name, symbol in free.items()})
            lowering = lowering.extend({symbol: layout.lowered[name] for name, symbol in free.items()})
            some, reached = Elimination(layout.bits), conjunction((reached, layout.valid()))
        definedness = Definedness(lowering)
        for term in (part for line in action.when for part in conjuncts(line)):
            holds = (definedness.of(term, parameters), lowering.formula(term, parameters))
            true = conjunction((reached, *holds))
            self._add(
                (action.name, text(term, {}, 0, _LONGEST), action.place),
                some.exists(reached),
                some.exists(true),
            )
            reached = true

    def _add_premises(self, prop: Property, term: Term, bindings: Bindings, reached: FNode) -> None:
        """Add the premises of a formula in which they decide alone: below conjunctions and universal
        quantifiers."""
        if term.operator is Operator.AND:
            for part in term.arguments:
                self._add_premises(prop, part, bindings, reached)
        elif term.operator is Operator.FORALL:
            for _, inner in self._lowering.expand(term, bindings):
                self._add_premises(prop, term.arguments[-1], inner, reached)
        elif term.operator is Operator.IMPLIES:
            premise, rest = term.arguments
            defined = Definedness(self._lowering).of(premise, bindings)
            true = conjunction((reached, defined, self._lowering.formula(premise, bindings)))
            self._add((prop.name, text(premise, {}, 0, _LONGEST), prop.place), reached, true)
            self._add_premises(prop, rest, bindings, true)

    def _add(self, key: _Key, evaluated: FNode, true: FNode) -> None:
        outputs = (self._output(evaluated), self._output(true))
        self._keys.setdefault(key, []).append(outputs)

    def _output(self, term: FNode) -> int:
        number = self._program.number(term)
        if number not in self._outputs:
            self._outputs[number] = self._program.output(number)
        return self._outputs[number]
