"""The targets that an action assigns. No two entries of ``then`` may share a target."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from verifier.encodings.expressions import Value, coerce, sort_of, term_of
from verifier.encodings.printing import text
from verifier.encodings.sorts import Sort, SortError
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import DefinitionError

_PATH = (Operator.APPLY, Operator.FIELD)


def assignments(then: Any, variables: Collection[Symbol]) -> tuple[tuple[Term, Term], ...]:
    """The entries of ``then`` as terms. ``variables`` are those of the state.

    Raises DefinitionError if an entry is no target, or if two targets overlap.
    """
    if not isinstance(then, Mapping):
        raise DefinitionError(f"then is a dictionary of what is assigned, {{s.x: …}}, not {then!r}")
    for target in then:
        if not isinstance(target, Value):
            raise DefinitionError(target_words(target))
    entries = tuple((term_of(target), _assign(target, value, variables)) for target, value in then.items())
    _refuse_overlaps([target for target, _ in entries])
    return entries


def find_assigned_variable(target: Term) -> Symbol:
    """The variable that an assignment changes."""
    variable = _steps(target)[0].data
    assert isinstance(variable, Symbol)
    return variable


def _assign(target: Value, value: Any, variables: Collection[Symbol]) -> Term:
    """The value assigned to a target. An error names the target, since an action has many."""
    sort = _find_assigned_sort(target, variables)
    try:
        return term_of(coerce(value, sort))
    except SortError as error:
        raise SortError(f"then assigns {text(term_of(target))}: {error}") from error


def target_words(target: Any) -> str:
    """The message about something that is no target."""
    words = f"then assigns {target!r}, which is no state variable"
    if isinstance(target, str) and target.isidentifier():
        return f"{words}: write s.{target} or a path below it"
    return f"{words}, nor a path below one: write s.x with the name of a variable"


def _find_assigned_sort(target: Value, variables: Collection[Symbol]) -> Sort:
    if _steps(term_of(target))[0].data not in variables:
        raise DefinitionError("an action assigns state variables, or applications and fields of them")
    return sort_of(target)


def _steps(term: Term) -> list[Term]:
    """The terms along a target's path, beginning with the variable."""
    steps = [term]
    while steps[0].operator in _PATH:
        steps.insert(0, steps[0].arguments[0])
    return steps


def _refuse_overlaps(targets: list[Term]) -> None:
    """Refuses two targets if they are the same or one is a part of the other.

    Two keys that are different terms may be equal in some states. There the later entry counts, as in
    TLA+'s EXCEPT.
    """
    for place, second in enumerate(targets):
        for first in targets[:place]:
            if not overlaps(first, second):
                continue
            if same_term(first, second):
                raise DefinitionError(f"then assigns {text(first)} twice: leave one entry")
            raise DefinitionError(
                f"then assigns {text(first)} and {text(second)}, of which one is a part of the other: "
                "assign the whole once, with .updated(…) for the part, or only parts"
            )


def overlaps(first: Term, second: Term) -> bool:
    """True if two targets are the same, or one is a part of the other."""
    short, long = sorted((_steps(first), _steps(second)), key=len)
    return all(_same_step(*pair) for pair in zip(short, long, strict=False))


def _same_step(one: Term, other: Term) -> bool:
    if one.operator is not other.operator:
        return False
    match one.operator:
        case Operator.FIELD:
            return one.data == other.data
        case Operator.APPLY:
            return same_term(one.arguments[1], other.arguments[1])
    return one.data is other.data


def same_term(one: Term, other: Term, bound: Mapping[Symbol, Symbol] | None = None) -> bool:
    """True if two terms are the same up to the names of their bound variables."""
    bound = bound or {}
    if one is other and not bound:
        return True
    if one.operator is not other.operator or len(one.arguments) != len(other.arguments):
        return False
    if isinstance(one.data, Symbol):
        return bound.get(one.data, one.data) is other.data
    if isinstance(other.data, Symbol) or (type(one.data), one.data) != (type(other.data), other.data):
        return False
    if (one.binds is None) != (other.binds is None):
        return False
    if one.binds is not None and other.binds is not None:
        if one.binds.sort != other.binds.sort:
            return False
        bound = {**bound, one.binds: other.binds}
    return all(same_term(a, b, bound) for a, b in zip(one.arguments, other.arguments, strict=True))
