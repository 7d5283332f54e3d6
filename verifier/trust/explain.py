"""Explains why a formula fails in a concrete state: the part that fails, and the witnesses that show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from types import MappingProxyType

from verifier.encodings.blame import Blame, Culprit, join_blames
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.lowering import Bindings
from verifier.encodings.printing import text
from verifier.encodings.scalar_sorts import IndexSet
from verifier.encodings.sorts import sorts_in
from verifier.encodings.terms import Operator, Symbol, Term, conjuncts
from verifier.specs.definition import Definition, Property, PropertyKind, Refinement
from verifier.system.model import Leaving, Model
from verifier.system.partial_reads import PartialRead
from verifier.trust.blame import Blaming
from verifier.trust.concrete_reading import ConcreteReading
from verifier.trust.mentions import Mentions
from verifier.trust.trace import ActionTaken, FailingPart, Trace

_MAXIMUM_REASONS = 3
_MOST_CHOICES = 4096
"""The most values of free parameters to try in the search for an undefined read."""

_NO_VALUE = "has no value: it is outside the sorts, or the spec has an error there"

LONGEST_REASON = 1_000
"""The most characters of a formula that explains something: nobody reads more."""


@dataclass(frozen=True)
class Reason:
    """A false part of a formula, the values of its bound variables, and the values that it mentions."""

    witnesses: tuple[tuple[str, Concrete], ...]
    formula: str
    values: tuple[tuple[str, Concrete], ...]
    blame: Blame | None = None
    premises: tuple[FailingPart, ...] = ()

    @property
    def part(self) -> FailingPart:
        """It in words."""
        witnesses = tuple((name, show(value)) for name, value in self.witnesses)
        where = tuple((name, show(value)) for name, value in self.values)
        return FailingPart(self.formula, witnesses, where, self.blame, self.premises)

    def __str__(self) -> str:
        at = ", ".join(f"{name} = {show(value)}" for name, value in self.witnesses)
        where = ", ".join(f"{name} = {show(value)}" for name, value in self.values)
        result = f"with {at}: {self.formula}" if at else self.formula
        return f"{result} is false" + (f" ({where})" if where else "")


class Explainer:
    """Explains formulas in one concrete state. In words, places of sequences and tuples are counted from
    ``first_index``."""

    def __init__(self, reading: ConcreteReading, first_index: int = 0) -> None:
        self.reading = reading
        self._first_index = first_index
        self._mentions = Mentions(reading, reading.variables, first_index)

    def failures(self, term: Term, bindings: Bindings = MappingProxyType({})) -> list[Reason]:
        """The reasons for which a false formula fails: up to three of its parts, with the bound values."""
        failures = []
        witnesses = tuple((symbol.name, value) for symbol, value in bindings.items())
        for reason in self._failures(term, bindings, witnesses, ()):
            failures.append(reason)
            if len(failures) == _MAXIMUM_REASONS:
                break
        return failures

    def part(self, term: Term, bindings: Bindings) -> FailingPart:
        """A formula in words, with the values that it mentions."""
        shown = text(term, bindings, self._first_index, LONGEST_REASON)
        return Reason((), shown, tuple(self._mentions.values(term, bindings))).part

    def explain_false(self, term: Term, bindings: Bindings) -> FailingPart:
        """A false formula as a whole, with what is to blame for it."""
        return replace(self.part(term, bindings), blame=self._blame(term, bindings, ()))

    def find_demands(self, line: Term, bindings: Bindings) -> Iterator[FailingPart]:
        """Yield what a true formula of an action demands: its conjuncts, of a choice those of its branch."""
        for part in conjuncts(line):
            if part.operator is Operator.IF:
                condition, then, otherwise = part.arguments
                held = self.reading.holds(condition, bindings)
                yield self.branch(condition, held, bindings)
                yield from self.find_demands(then if held else otherwise, bindings)
            elif part.free:
                yield self.part(part, bindings)

    def branch(self, condition: Term, held: bool, bindings: Bindings) -> FailingPart:
        """Say which branch of a choice applies, and why."""
        part = self.part(condition, bindings)
        words = "then applies, since {}" if held else "else applies, since {} is false"
        return replace(part, formula=words.format(part.formula), is_branch=True)

    def _failures(
        self,
        term: Term,
        bindings: Mapping[Symbol, Concrete],
        witnesses: tuple[tuple[str, Concrete], ...],
        premises: tuple[FailingPart, ...],
    ) -> Iterator[Reason]:
        """Descends to the smallest false parts of a false formula."""
        match term.operator:
            case Operator.AND:
                is_read = True  # up to the first false part; what has no value beyond it is not false
                for part in term.arguments:
                    if not self.reading.holds(part, bindings):
                        if is_read or self.reading.is_defined(part, bindings):
                            yield from self._failures(part, bindings, witnesses, premises)
                        is_read = False
            case Operator.FORALL:
                assert term.binds is not None
                body = term.arguments[0]
                each = ({**bindings, term.binds: value} for value in term.binds.sort.each())
                inner = next(one for one in each if not self.reading.holds(body, one))
                chosen = (*witnesses, (term.binds.name, inner[term.binds]))
                yield from self._failures(body, inner, chosen, premises)
            case Operator.NOT if term.arguments[0].operator is Operator.EXISTS:
                some = term.arguments[0]
                none = Term(Operator.NOT, term.sort, some.arguments)
                every = Term(Operator.FORALL, term.sort, (none,), binds=some.binds)
                yield from self._failures(every, bindings, witnesses, premises)
            case Operator.IMPLIES if term.arguments[1].free:  # a conclusion without any is no explanation
                premise, conclusion = term.arguments
                given = (self.part(premise, bindings),) if premise.free - bindings.keys() else ()
                yield from self._failures(conclusion, bindings, witnesses, (*premises, *given))
            case Operator.IF:
                condition, then, otherwise = term.arguments
                held = self.reading.holds(condition, bindings)
                given = (self.branch(condition, held, bindings),) if condition.free - bindings.keys() else ()
                inside = (*premises, *given)
                yield from self._failures(then if held else otherwise, bindings, witnesses, inside)
            case Operator.OR if any(self._descends(part) for part in term.arguments):
                deeper = next(part for part in term.arguments if self._descends(part))
                others = [self._blame(part, bindings, ()) for part in term.arguments if part is not deeper]
                for reason in self._failures(deeper, bindings, witnesses, premises):
                    own = [] if reason.blame is None else [reason.blame]
                    yield replace(reason, blame=join_blames([*own, *others]))
            case _:
                shown = text(term, bindings, self._first_index, LONGEST_REASON)
                values = tuple(self._mentions.values(term, bindings))
                yield Reason(witnesses, shown, values, self._blame(term, bindings, premises), premises)

    def _blame(self, term: Term, bindings: Bindings, premises: Iterable[FailingPart]) -> Blame:
        def show_part(part: Term, inner: Bindings) -> str:
            return mentions.name(part, inner, LONGEST_REASON)

        mentions = self._mentions
        blame = Blaming(self.reading, show_part, mentions.values, mentions.sources).blame(term, bindings)
        if blame.culprits:
            return blame
        decided = dict.fromkeys(path for one in premises for path, _ in one.where)  # it reads no state
        return replace(blame, culprits=tuple(map(Culprit, decided)))

    def _descends(self, term: Term) -> bool:
        """True if a disjunct has a quantifier, so that witnesses can be found in it."""
        return term.operator is Operator.FORALL or (
            term.operator in (Operator.AND, Operator.OR, Operator.IMPLIES)
            and any(self._descends(part) for part in term.arguments)
        )


def reasons(model: Model, trace: Trace) -> list[Reason]:
    """The reasons for which the property's formula is false in the last state, or of the last step.

    The list is empty if the formula is true there, or if the protocol does not state the property (freedom
    from deadlock), or if it is one of a refinement: ``breaches`` has the abstract states instead.
    """
    if _refinement(model, trace) is not None:
        return []
    about_steps = model.system.about_steps(str(trace.violates))
    states = trace.states[-2:] if about_steps else trace.states[-1:]
    after = states[1] if about_steps else None
    reading = ConcreteReading(states[0], after)
    formulas = {lemma.name: lemma.formula for lemma in model.definition.lemmas}
    formulas |= {prop.name: prop.formula for prop in model.definition.properties}
    formula = formulas.get(str(trace.violates))
    if formula is not None and not reading.holds(formula, {}):
        return Explainer(reading, model.definition.presentation.first_index).failures(formula)
    return []


def guards(definition: Definition, state: Mapping[str, Concrete], taken: ActionTaken) -> list[FailingPart]:
    """Return the formulas that an action demands of the state in which it is taken, with the values there."""
    action = next((one for one in definition.actions if one.name == taken.name), None)
    if action is None:
        return []
    explainer = Explainer(ConcreteReading(state), definition.presentation.first_index)
    bindings = {p.symbol: taken.parameters[p.symbol.name] for p in action.parameters}
    return [one for line in action.when for one in explainer.find_demands(line, bindings)]


def breaks(prop: Property, before: Mapping[str, Concrete], after: Mapping[str, Concrete]) -> bool:
    """True if a step does not satisfy a step invariant. A step that changes nothing does."""
    reading = ConcreteReading(before, after)
    return (
        dict(before) != dict(after)
        and reading.is_defined(prop.formula, {})
        and not reading.holds(prop.formula, {})
    )


def breaches(model: Model, trace: Trace) -> list[str]:
    """Describe the events in the last state that a property excludes besides its formula.

    A type invariant excludes assignments that would leave a sort. ``UndefinedRead`` excludes reads of what
    has no value. A refinement excludes steps that the abstract protocol does not take. For other properties
    the list is empty.
    """
    refinement = _refinement(model, trace)
    if refinement is not None:
        return [_not_abstract(refinement, trace)]
    kinds = {prop.name: prop.kind for prop in model.system.properties}
    kind = kinds.get(str(trace.violates))
    bits = model.layout.encode_state(trace.states[-1])
    if kind is PropertyKind.TYPE_INVARIANT:
        values = Evaluator(model.system.bits, [leaving.when for leaving in model.leaving]).single(bits)
        return [_would_leave(leaving) for leaving, would in zip(model.leaving, values, strict=True) if would]
    if kind is PropertyKind.UNDEFINED_READ:
        return list_undefined(model, model.undefined, trace.states[-1])
    return []


def list_undefined(model: Model, reads: Sequence[PartialRead], state: Mapping[str, Concrete]) -> list[str]:
    """Describe those of the reads that have no value in the state."""
    bits = model.layout.encode_state(state)
    values = Evaluator(model.system.bits, [read.when for read in reads]).single(bits)
    reading = ConcreteReading(state)
    return [_reads(reading, read) for read, would in zip(reads, values, strict=True) if would]


def _refinement(model: Model, trace: Trace) -> Refinement | None:
    """The refinement of which one property is violated."""
    refinements = model.definition.refinements
    return next((one for one in refinements if trace.violates in (one.steps, one.beginnings)), None)


def _not_abstract(refinement: Refinement, trace: Trace) -> str:
    """The states of the abstract protocol between which there is no step, or in which it does not begin."""
    if trace.violates == refinement.beginnings:
        return f"{refinement.abstract} does not begin with {_map_state(refinement, trace.states[-1])}"
    before, after = (_map_state(refinement, state) for state in trace.states[-2:])
    return f"{refinement.abstract} has no step from {before} to {after}"


def _map_state(refinement: Refinement, state: Mapping[str, Concrete]) -> str:
    """A state of the abstract protocol in words."""
    reading = ConcreteReading(state)
    return ", ".join(
        f"{symbol.name} = " + (show(reading.value(term, {})) if reading.is_defined(term, {}) else "no value")
        for symbol, term in refinement.mapping
    )


def _would_leave(leaving: Leaving) -> str:
    outside, sizes = str(leaving.sort), list[str]()
    for one in dict.fromkeys(one for one in sorts_in(leaving.sort) if isinstance(one, IndexSet)):
        outside = outside.replace(str(one), one.name)
        sizes.append(f"{one.name} with {one.count} element{'s'[: one.count != 1]}")
    words = f"{leaving.instance} is enabled and would give {leaving.target} a value outside {outside}"
    return f"{words}, {' and '.join(sizes)}" if sizes else words


def _reads(reading: ConcreteReading, read: PartialRead) -> str:
    """The read that has no value, with the first values of free parameters for which it has none."""
    choices = (tuple(islice(symbol.sort.values(), _MOST_CHOICES)) for symbol in read.free)
    for values in islice(product(*choices), _MOST_CHOICES):
        chosen = dict(zip(read.free, values, strict=True))
        undefined_read = reading.find_undefined_read(read.lines, {**read.bindings, **chosen})
        if undefined_read is not None:
            term, bindings = undefined_read
            bound = {s: v for s, v in bindings.items() if s not in read.bindings and s in term.free}
            where = ", ".join(f"{symbol.name} = {show(value)}" for symbol, value in bound.items())
            own = {symbol: value for symbol, value in bindings.items() if symbol in read.bindings}
            found = f"reads {text(term, own)}, which has no value"
            if (
                term.operator in (Operator.GET, Operator.CHOOSE)
                and term.arguments[0].operator is Operator.LITERAL
            ):
                found = _NO_VALUE  # the term of a translated module that has a value nowhere
            return f"{read.place} {found}" + (f" for {where}" if where else "")
    return f"{read.place} reads what has no value"
