"""Candidates for lemmas from a protocol's own text: that which an action brings about implies its guard.

If ``Decide(p, Q)`` puts p into ``leader`` where Q is a quorum of votes for p, then a leader has a quorum: for
each p in leader there is such a Q. This has the alternation of quantifiers that clauses of small instances
lack. Each line of the guard makes a candidate. So does each other thing that the action brings about, with
the guard. Many candidates are false, so all are checked like other suggestions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from verifier.encodings.expressions import BOOLEAN
from verifier.encodings.sorts import Boolean, Enum, IndexSet, Range, Sort, Tuple
from verifier.encodings.substitution import substitute
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.specs.action_members import actions_of
from verifier.specs.definition import Action
from verifier.specs.protocol import Protocol, define, members_of
from verifier.specs.state import State

Formula = Callable[[Any, State], BooleanValue]
"""The method of a lemma."""
_MOST = 100
"""The limit of candidates of a protocol."""


def guard_lemmas(kind: type[Protocol]) -> list[Formula]:
    """Return the candidates of a protocol, as methods of lemmas."""
    source = _Source(kind)
    number = len(list(_candidates(define(kind()).actions)))
    return [source.method(place) for place in range(min(number, _MOST))]


class _Source:
    """The candidates in each state in which they are asked for, in one order."""

    def __init__(self, kind: type[Protocol]) -> None:
        self._members = dict(members_of(kind))
        self._state: State | None = None
        self._known: list[Term] = []

    def method(self, place: int) -> Formula:
        """Return the method of a candidate."""

        def lemma(protocol: Any, s: State) -> BooleanValue:
            """Suggested: the guard of an action that brings this about."""
            return BooleanValue(self._all(protocol, s)[place])

        return lemma

    def _all(self, protocol: Any, state: State) -> list[Term]:
        if self._state is not state:
            actions = [action for _, action in actions_of(protocol, state, self._members)]
            self._known, self._state = list(_candidates(actions)), state
        return self._known


def _candidates(actions: Sequence[Action]) -> Iterator[Term]:
    for action in actions:
        lines = list(_lines(action))
        atoms = [atom for target, value in action.then for atom in _find_established(target, value)]
        for atom in atoms:
            yield from _find_implied(action, atom, lines)
            for other in atoms:
                if other is not atom:
                    yield from _find_implied_atoms(action, atom, other, lines)


def _lines(action: Action) -> Iterator[Term]:
    """Yield the parts of a guard. A parameter that one of them defines is replaced in the others."""
    parts = [part for line in action.when for part in _conjuncts(line)]
    for symbol in (parameter.symbol for parameter in action.parameters):
        for place, part in enumerate(parts):
            meaning = _definition(part, symbol)
            if meaning is not None:
                rest = [*parts[:place], *parts[place + 1 :]]
                parts = [substitute(one, {symbol: meaning}) for one in rest]
                break
    yield from parts


def _conjuncts(term: Term) -> Iterator[Term]:
    if term.operator is Operator.AND:
        for part in term.arguments:
            yield from _conjuncts(part)
    else:
        yield term


def _definition(part: Term, symbol: Symbol) -> Term | None:
    if part.operator is not Operator.EQUAL:
        return None
    for one, other in (part.arguments, part.arguments[::-1]):
        if one.operator is Operator.VARIABLE and one.data is symbol and symbol not in other.free:
            return other
    return None


def _find_established(target: Term, value: Term) -> Iterator[Term]:
    """Yield what holds of a target once it has the value, without other variables of the state."""
    match value.operator:
        case Operator.FUNCTION_UPDATE if _is_same(value.arguments[0], target):
            _, key, own = value.arguments
            yield from _find_established(Term(Operator.APPLY, own.sort, (target, key)), own)
        case Operator.UNION if _is_same(value.arguments[0], target):
            yield from (_contains(target, one) for one in _members_of(value.arguments[1]))
        case Operator.DIFFERENCE if _is_same(value.arguments[0], target):
            yield from (_not(_contains(target, one)) for one in _members_of(value.arguments[1]))
        case Operator.SET:
            yield from (_contains(target, one) for one in value.arguments)
        case Operator.LITERAL if isinstance(value.sort, Boolean):
            yield target if value.data else _not(target)
        case Operator.LITERAL | Operator.SOME | Operator.VARIABLE:
            yield Term(Operator.EQUAL, BOOLEAN, (target, value))


def _members_of(term: Term) -> tuple[Term, ...]:
    return term.arguments if term.operator is Operator.SET else ()


def _contains(members: Term, item: Term) -> Term:
    return Term(Operator.CONTAINS, BOOLEAN, (members, item))


def _not(term: Term) -> Term:
    return Term(Operator.NOT, BOOLEAN, (term,))


def _is_same(one: Term, other: Term) -> bool:
    """True for equal texts."""
    same = one.operator is other.operator and one.data == other.data and one.binds is other.binds
    return same and all(map(_is_same, one.arguments, other.arguments))


def _find_implied(action: Action, atom: Term, lines: Sequence[Term]) -> Iterator[Term]:
    """Yield formulas which say that an atom implies lines of the guard, alone and with all others on the same
    parameters."""
    own = [parameter.symbol for parameter in action.parameters]
    fixed = [symbol for symbol in own if symbol in atom.free]
    seen = []
    for line in lines:
        others = {symbol for symbol in own if symbol in line.free and symbol not in fixed}
        together = [one for one in lines if others & one.free] if others else [line]
        for parts in ([line], together) if len(together) > 1 else ([line],):
            if parts not in seen:
                seen.append(parts)
                made = _make_existence([one for one in own if one not in fixed], parts)
                if made is not None and not _is_same(made, atom):
                    yield _for_all(fixed, Term(Operator.IMPLIES, BOOLEAN, (atom, made)))


def _find_implied_atoms(action: Action, atom: Term, other: Term, lines: Sequence[Term]) -> Iterator[Term]:
    """Yield formulas which say that an atom implies another one of the action, with the guard on the
    parameters of that one."""
    own = [parameter.symbol for parameter in action.parameters]
    fixed = [symbol for symbol in own if symbol in atom.free]
    more = {symbol for symbol in own if symbol in other.free and symbol not in fixed}
    if more:
        beside = [line for line in lines if more & line.free]
        made = _make_existence([one for one in own if one not in fixed], [*beside, other])
        if made is not None:
            yield _for_all(fixed, Term(Operator.IMPLIES, BOOLEAN, (atom, made)))


def _make_existence(symbols: Sequence[Symbol], parts: Sequence[Term]) -> Term | None:
    """Return the formula that some values satisfy all parts; None if a set is sought that is no comparison of
    sizes."""
    parts = list(parts)
    free = {symbol for part in parts for symbol in part.free}
    for symbol in symbols:
        if symbol in free and not _is_first_order(symbol.sort):
            reduced = _greatest(symbol, parts)
            if reduced is None:
                return None
            parts = reduced
    body = parts[0] if len(parts) == 1 else Term(Operator.AND, BOOLEAN, tuple(parts))
    for symbol in reversed(symbols):
        if symbol in body.free:
            body = Term(Operator.EXISTS, BOOLEAN, (body,), binds=symbol)
    return body


def _greatest(symbol: Symbol, parts: Sequence[Term]) -> list[Term] | None:
    """Return parts without a parameter that is a set: with the greatest set that those about its elements
    allow, in place of it."""
    about = [part for part in parts if symbol in part.free]
    each = [part for part in about if _of_elements(part, symbol) is not None]
    if len(each) != 1 or len(about) < 2:
        return None
    bound, condition = _of_elements(each[0], symbol) or (symbol, each[0])
    greatest = Term(Operator.COMPREHENSION, symbol.sort, (condition,), binds=bound)
    rest = [part for part in parts if part is not each[0]]
    return [substitute(part, {symbol: greatest}) for part in rest]


def _of_elements(part: Term, symbol: Symbol) -> tuple[Symbol, Term] | None:
    """Return the bound variable and the condition of a part that says this of all elements of a set."""
    if part.operator is not Operator.FORALL or part.binds is None:
        return None
    body = part.arguments[0]
    if body.operator is not Operator.IMPLIES or symbol in body.arguments[1].free:
        return None
    within = body.arguments[0]
    is_member = within.operator is Operator.CONTAINS and _is_variable(within.arguments[0], symbol)
    if not is_member or not _is_variable(within.arguments[1], part.binds):
        return None
    return part.binds, body.arguments[1]


def _is_variable(term: Term, symbol: Symbol) -> bool:
    return term.operator is Operator.VARIABLE and term.data is symbol


def _is_first_order(sort: Sort[Any]) -> bool:
    if isinstance(sort, Tuple):
        return all(map(_is_first_order, sort.items))
    return isinstance(sort, IndexSet | Range | Boolean | Enum)


def _for_all(symbols: Sequence[Symbol], body: Term) -> Term:
    for symbol in reversed(symbols):
        body = Term(Operator.FORALL, BOOLEAN, (body,), binds=symbol)
    return body
