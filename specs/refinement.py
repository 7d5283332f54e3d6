"""Refinement: every execution of a protocol is one of an abstract protocol, under a mapping of its states.

It is two properties of the concrete protocol, made of the terms of the abstract one. Each variable of the
abstract protocol has a term over the concrete state in its place.

- An invariant: a state in which an execution may begin is mapped to one in which the abstract protocol may.
- A step invariant: a step is mapped to a step of the abstract protocol, or to none (it changes no variable of
  the abstract protocol). A step of the abstract protocol is one of an instance of an action: its guard holds,
  what it assigns has the new value, and the rest is unchanged.

So every engine decides refinement as it decides other properties. The constraint of the abstract protocol
says what a search looks at, not what may happen, and is not asked.

If the abstract protocol states fairness, a temporal property says that each execution is mapped to a fair
one: where a step of the abstract protocol is possible again and again, or from some time on always, some step
is mapped to such a one again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any

from verifier.encodings.expressions import BOOLEAN, literal, record, some, sort_of, term_of, wrap
from verifier.encodings.listed_sort import range_of
from verifier.encodings.printing import text
from verifier.encodings.quantifiers import choose, exists, function, if_
from verifier.encodings.sorts import Function, Option, Record, Sort, SortError, join
from verifier.encodings.substitution import substitute
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import OptionValue, RecordValue
from verifier.specs.definition import Action, Definition, DefinitionError
from verifier.specs.targets import find_assigned_variable
from verifier.specs.temporal import Fairness, Strength, TemporalFormula, TemporalOperator

Meaning = Mapping[Symbol, Term]
"""A term for each variable of the abstract protocol."""


def begins(init: Term, abstract: Definition, meaning: Meaning) -> Term:
    """That a state in which ``init`` holds is mapped to an initial one of the abstract protocol."""
    return Term(Operator.IMPLIES, BOOLEAN, (init, substitute(abstract.init, meaning)))


def steps(abstract: Definition, before: Meaning, after: Meaning) -> Term:
    """That a step is mapped to a step of the abstract protocol or to none."""
    unchanged = _all([_equal(after[symbol], before[symbol]) for symbol in abstract.variables])
    taken = (_step(action, abstract, before, after) for action in abstract.actions)
    return Term(Operator.OR, BOOLEAN, (unchanged, *taken))


def fairness(
    abstract: Definition, conditions: Iterable[Fairness], before: Meaning, after: Meaning
) -> TemporalFormula | None:
    """That an execution is mapped to one that meets the conditions; None if there are none."""
    found = [
        _fair(condition.strength, actions, given, abstract, before, after)
        for condition in conditions
        for actions, given in _families(abstract, condition)
    ]
    return TemporalFormula(TemporalOperator.AND, parts=tuple(found)) if found else None


def _families(abstract: Definition, condition: Fairness) -> Iterator[tuple[list[Action], dict[str, Term]]]:
    """The actions of each condition of a family, with the parameters that have one value."""
    wanted = condition.actions or tuple(action.name for action in abstract.actions)
    actions = [action for action in abstract.actions if action.name in wanted]
    sorts = [actions[0].sorts[name] for name in condition.each] if actions else []
    fixed = {name: _literal(actions[0].sorts[name], value) for name, value in condition.given}
    for values in product(*(tuple(sort.each()) for sort in sorts)):
        own = (_literal(sort, value) for sort, value in zip(sorts, values, strict=True))
        yield actions, fixed | dict(zip(condition.each, own, strict=True))


def _literal(sort: Sort, value: Any) -> Term:
    return term_of(literal(sort, value))


def _fair(
    strength: Strength,
    actions: Sequence[Action],
    given: Mapping[str, Term],
    abstract: Definition,
    before: Meaning,
    after: Meaning,
) -> TemporalFormula:
    """That a step of the actions that changes the state is taken again and again, or is not possible."""
    possible = _any([_step(action, abstract, before, None, given) for action in actions])
    moves = _not(_all([_equal(after[symbol], before[symbol]) for symbol in abstract.variables]))
    taken = _any([_step(action, abstract, before, after, given) for action in actions])
    step = TemporalFormula(TemporalOperator.STEP, (_all([moves, taken]),))
    lazy = (
        TemporalOperator.ALWAYS_EVENTUALLY
        if strength is Strength.WEAK
        else TemporalOperator.EVENTUALLY_ALWAYS
    )
    again = TemporalFormula(TemporalOperator.ALWAYS_EVENTUALLY, parts=(step,))
    return TemporalFormula(lazy, (_not(possible),)) | again


def _step(
    action: Action,
    abstract: Definition,
    before: Meaning,
    after: Meaning | None,
    given: Mapping[str, Term] = MappingProxyType({}),
) -> Term:
    """That the action, with some values of its parameters, leads from the one state to the other. Without the
    other state, that it leads to some other state."""
    lines = [substitute(line, before) for line in action.when]
    changed = {symbol: wrap(before[symbol]) for symbol in abstract.variables}
    roots = [find_assigned_variable(target) for target, _ in action.then]
    for root, (target, value) in zip(roots, action.then, strict=True):
        new = wrap(substitute(value, before))
        if roots.count(root) > 1 or after is None:
            # Another assignment may replace the value, so that nothing else shows that it is in its sort.
            place = f"action {action.name} of {abstract.name} assigns {text(target)}"
            lines += _within(new, target.sort, place)
        changed[root] = _put(changed[root], _path(target), new, before)
    if after is None:
        lines.append(_not(_all([_equal(before[symbol], term_of(new)) for symbol, new in changed.items()])))
    else:
        lines += [_equal(after[symbol], term_of(value)) for symbol, value in changed.items()]
    result = _all(lines)
    for parameter in reversed(action.parameters):
        if parameter.symbol.name in given:
            result = substitute(result, {parameter.symbol: given[parameter.symbol.name]})
        else:
            result = Term(Operator.EXISTS, BOOLEAN, (result,), binds=parameter.symbol)
    return result


def _any(lines: Sequence[Term]) -> Term:
    return Term(Operator.OR, BOOLEAN, tuple(lines))


def _not(line: Term) -> Term:
    return Term(Operator.NOT, BOOLEAN, (line,))


def _all(lines: Sequence[Term]) -> Term:
    return Term(Operator.AND, BOOLEAN, tuple(lines))


def _equal(one: Term, other: Term) -> Term:
    return term_of(wrap(one) == wrap(other))


def _path(target: Term) -> list[Term]:
    """The applications and fields that lead from the variable to the target."""
    if target.operator is Operator.VARIABLE:
        return []
    return [*_path(target.arguments[0]), target]


def _put(whole: Any, path: Sequence[Term], value: Any, before: Meaning) -> Any:
    """The value with another one at the end of a path. Keys are read in the old state."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if step.operator is Operator.FIELD and isinstance(whole, RecordValue):
        name = str(step.data)
        return RecordValue.updated(whole, **{name: _put(getattr(whole, name), rest, value, before)})
    place = step.data if step.operator is Operator.FIELD else wrap(substitute(step.arguments[1], before))
    return whole.updated(place, _put(whole[place], rest, value, before) if rest else value)


def _within(value: Any, sort: Sort, place: str) -> Iterator[Term]:
    """That the value is in the sort; nothing if it always is."""
    own = sort_of(value)
    if _always_within(own, sort):
        return
    if range_of(own) is None:
        words = f"{place}, among others of this variable, and it may be outside its sort {sort}"
        raise DefinitionError(f"{words}: such an action cannot be refined, assign the variable once")
    yield term_of(exists(sort, lambda v: v == value))


def _always_within(own: Sort, sort: Sort) -> bool:
    try:
        return join(own, sort) == sort
    except SortError:
        return False


def exactly(value: Any, sort: Sort) -> Any:
    """The value as one of this sort, and not of a wider or narrower one. An integer outside has no value.

    Raises SortError for other values whose sort may not be widened or narrowed.
    """
    own, whole, made = sort_of(value), value, None
    if own == sort:
        return value
    if range_of(sort) is not None and range_of(own) is not None:
        made = choose(sort, lambda v: v == whole)
    elif isinstance(sort, Option) and isinstance(whole, OptionValue):
        made = if_(whole.is_none, literal(sort, None), some(exactly(whole.value, sort.inner)))
    elif isinstance(sort, Record) and isinstance(whole, RecordValue):
        made = record(sort, **{name: exactly(getattr(whole, name), part) for name, part in sort.fields})
    elif isinstance(sort, Function) and isinstance(own, Function) and own.domain == sort.domain:
        made = function(sort.domain, lambda key: exactly(whole[key], sort.range))
    if made is None:
        raise SortError(f"its sort is {own}, and not {sort}")
    return made
