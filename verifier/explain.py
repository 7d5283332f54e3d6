"""Why a formula fails in a concrete state: the failing part, with the witnesses that show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifier.encodings.bits import TRUE
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.lowered import cases, known
from verifier.encodings.lowering import Bindings, Lowering
from verifier.encodings.printing import text
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.model import Leaving, Model
from verifier.specs.definition import PropertyKind
from verifier.trace import Trace

_MAXIMUM_REASONS = 3


@dataclass(frozen=True)
class Reason:
    """A part of a formula that is false, the values that make it so, and what it speaks of."""

    witnesses: tuple[tuple[str, Concrete], ...]
    formula: str
    values: tuple[tuple[str, Concrete], ...]

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {show(value)}" for name, value in self.witnesses)
        where = ", ".join(f"{name} = {show(value)}" for name, value in self.values)
        result = f"with {at}: {self.formula}" if at else self.formula
        return f"{result} is false" + (f" (there {where})" if where else "")


class ConcreteReading:
    """Evaluates terms in one concrete state, by lowering them over constants."""

    def __init__(self, state: Mapping[str, Concrete]) -> None:
        self._state = state
        self._lowerings: dict[frozenset[Symbol], Lowering] = {}

    def _lowering(self, term: Term, bindings: Bindings) -> Lowering:
        variables = frozenset(symbol for symbol in term.free if symbol not in bindings)
        if variables not in self._lowerings:
            meaning = {symbol: known(symbol.sort, self._state[symbol.name]) for symbol in variables}
            self._lowerings[variables] = Lowering(meaning)
        return self._lowerings[variables]

    def holds(self, term: Term, bindings: Bindings) -> bool:
        """Whether a formula holds."""
        return self._lowering(term, bindings).formula(term, bindings) is TRUE

    def value(self, term: Term, bindings: Bindings) -> Concrete | None:
        """The value of a term; None also where it is undefined."""
        possible = cases(term.sort, self._lowering(term, bindings).lower(term, bindings))
        return possible[0][0] if possible else None

    def failures(self, term: Term) -> list[Reason]:
        """Why a formula that does not hold fails: up to three parts of it."""
        found = []
        for reason in self._failures(term, {}, ()):
            found.append(reason)
            if len(found) == _MAXIMUM_REASONS:
                break
        return found

    def _failures(
        self, term: Term, bindings: Mapping[Symbol, Concrete], witnesses: tuple[tuple[str, Concrete], ...]
    ) -> Iterator[Reason]:
        """Descends to the smallest false parts of a false formula."""
        match term.operator:
            case Operator.AND:
                for part in term.arguments:
                    if not self.holds(part, bindings):
                        yield from self._failures(part, bindings, witnesses)
            case Operator.FORALL:
                assert term.binds is not None
                for value in term.binds.sort.values():
                    inner = {**bindings, term.binds: value}
                    if not self.holds(term.arguments[0], inner):
                        yield from self._failures(
                            term.arguments[0], inner, (*witnesses, (term.binds.name, value))
                        )
                        break
            case Operator.IMPLIES:
                yield from self._failures(term.arguments[1], bindings, witnesses)
            case Operator.OR if any(self._descends(part) for part in term.arguments):
                deeper = next(part for part in term.arguments if self._descends(part))
                yield from self._failures(deeper, bindings, witnesses)
            case _:
                yield Reason(witnesses, text(term, bindings), tuple(self._spoken_of(term, bindings)))

    def _descends(self, term: Term) -> bool:
        """Whether a disjunct has a quantifier to find witnesses in."""
        return term.operator is Operator.FORALL or (
            term.operator in (Operator.AND, Operator.OR, Operator.IMPLIES)
            and any(self._descends(part) for part in term.arguments)
        )

    def _spoken_of(self, term: Term, bindings: Bindings) -> Iterator[tuple[str, Concrete]]:
        """The values of the state's parts that the formula mentions, without further quantifiers."""
        seen: set[str] = set()
        stack = [term]
        while stack:
            part = stack.pop()
            closed = all(symbol in bindings or symbol.name in self._state for symbol in part.free)
            is_path = part.operator in (
                Operator.APPLY,
                Operator.FIELD,
                Operator.AT,
                Operator.LENGTH,
                Operator.VARIABLE,
            )
            if is_path and closed and part.free - bindings.keys() and not isinstance(part.sort, Boolean):
                name = text(part, bindings)
                if name not in seen:
                    seen.add(name)
                    yield name, self.value(part, bindings)
            else:
                stack.extend(reversed(part.arguments))


def reasons(model: Model, trace: Trace) -> list[Reason]:
    """Why the property's formula is false in the last state.

    Empty if it is not false there, or if the property is not the protocol's (freedom from deadlock).
    """
    reading = ConcreteReading(trace.states[-1])
    formulas = {lemma.name: lemma.formula for lemma in model.definition.lemmas}
    formulas |= {prop.name: prop.formula for prop in model.definition.properties}
    formula = formulas.get(str(trace.violates))
    if formula is not None and not reading.holds(formula, {}):
        return reading.failures(formula)
    return []


def leaving_in_last_state(model: Model, trace: Trace) -> list[Leaving]:
    """The assignments that would leave a sort there: what a type invariant excludes beside its formula."""
    kinds = {prop.name: prop.kind for prop in model.system.properties}
    if kinds.get(str(trace.violates)) is not PropertyKind.TYPE_INVARIANT:
        return []
    bits = model.layout.encode_state(trace.states[-1])
    evaluator = Evaluator(model.system.bits, [leaving.when for leaving in model.leaving])
    found = zip(model.leaving, evaluator.single(bits), strict=True)
    return [leaving for leaving, would in found if would]


def would_leave(leaving: Leaving) -> str:
    """In words, which assignment would leave which sort."""
    return f"{leaving.instance} is enabled and would give {leaving.target} a value outside {leaving.sort}"
