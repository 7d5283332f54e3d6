"""Parts of formulas in words, with the names around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from verifier.encodings.blame import Blame, Culprit
from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Parameter, Symbol
from verifier.tla.errors import Place
from verifier.tla.facts import subexpressions
from verifier.tla.frames import Frame, Unit
from verifier.tla.text import text_at
from verifier.tla.value_types import Value

_NAME = re.compile(r'"[^"]*"|(?<![\w.!])(?P<name>\w+)(?!\w|!|\s*\|->)')
_SIMPLE = re.compile(r"[\w!]+(\[.*\])?")
_LONGEST_NAME = 60
"""The most characters of an action without a name that names it."""
Bound: TypeAlias = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class SaidPart:
    """A part of a formula, as its text says it: a false one of a property, a true one of an action."""

    place: Place
    formula: str
    bound: tuple[tuple[str, str], ...]
    """The values of the names around it."""
    reads: tuple[tuple[str, str], ...]
    """The variables that it reads, with their values."""
    blame: Blame | None = None
    """Of a false part, why it is false; of a premise, the parts of the state that decide it."""
    premises: tuple[SaidPart, ...] = ()
    """The demands on it: left sides of implications, conditions of IF and CASE, membership in sets."""
    is_branch: bool = False
    """True of a sentence that says which branch of an IF or CASE applies, and why."""


@dataclass(eq=False)
class Argument:
    """An argument for a parameter of an operator, and the meaning of its names where it stands."""

    whole: Expression
    unit: Unit
    frame: Frame
    given: Given
    """The arguments for the parameters around it."""
    reads: tuple[Culprit, ...] | None = None
    """The parts of the state that it reads; None before that is known."""


Given: TypeAlias = Mapping[Symbol, Argument]


@dataclass(frozen=True)
class Around:
    """The names around a part with their values, and what is true and demands it."""

    bound: Bound = ()
    premises: tuple[SaidPart, ...] = ()
    culprits: tuple[Culprit, ...] = ()
    """The parts of the state that decide the premises, to blame where the part itself reads no state."""
    given: Given = field(default_factory=dict)
    """The arguments for the parameters of the operators around it."""

    def binding(self, names: Bound, given: Given | None = None) -> Around:
        """Return the surroundings with more names, and with what is given for the parameters among them."""
        return replace(self, bound=(*self.bound, *names), given=self.given if given is None else given)

    def add_premise(self, premise: SaidPart, culprits: Iterable[Culprit]) -> Around:
        """Return the surroundings with one more premise. One that reads no state explains nothing, unless
        it speaks of elements of a set that depends on the state."""
        own = tuple(dict.fromkeys(culprits))
        if not premise.reads and not own and not (premise.bound and self.premises):
            return self
        both = tuple(dict.fromkeys([*self.culprits, *own]))
        premise = replace(premise, blame=Blame("", own))
        return replace(self, premises=(*self.premises, premise), culprits=both)


def parts_that_read(whole: Expression) -> Iterator[tuple[Expression, bool]]:
    """Yield names, operators and ENABLED, which may read variables, and whether they are below a prime."""
    waiting = [(whole, False)]
    while waiting:
        part, primed = waiting.pop()
        if isinstance(part, ast.Apply | ast.Enabled):
            yield part, primed
        if isinstance(part, ast.Unchanged):  # it reads both states
            waiting.append((part.body, False))
        if not isinstance(part, ast.Enabled):
            below = primed or isinstance(part, ast.Prime | ast.Unchanged)
            waiting += [(one, below) for one in subexpressions(part)[0]]


def below_primes(whole: Expression) -> set[str]:
    """Return the names of the parameters that are below a prime."""
    names, waiting = set[str](), [(whole, False)]
    while waiting:
        part, primed = waiting.pop()
        if isinstance(part, ast.Enabled):
            continue
        if primed and isinstance(part, ast.Apply) and isinstance(part.operator, Parameter):
            names.add(part.operator.name)
        below = primed or isinstance(part, ast.Prime | ast.Unchanged)
        waiting += [(one, below) for one in subexpressions(part)[0]]
    return names


def span(whole: Expression) -> Place:
    """Return the place of a whole expression: an infix operator has the place of its symbol."""
    begin, end, waiting = whole.place, whole.place.end, [whole]
    while waiting:
        part = waiting.pop()
        if (part.place.line, part.place.column) < (begin.line, begin.column):
            begin = part.place
        end = max(end, part.place.end)
        waiting += subexpressions(part)[0]
    return replace(begin, end=end)


def name_action(action: Expression) -> str:
    """Return the name of the action of a fairness condition. One without a name is named by its text, or by
    its line if the text is long."""
    if isinstance(action, ast.Apply) and not isinstance(action.operator, Builtin):
        return action.operator.name
    own = text_at(span(action))
    return own if 0 < len(own) <= _LONGEST_NAME else f"the action in line {action.place.line}"


def finds_elements(whole: Expression) -> bool:
    """True if a disjunct contains a quantifier that has elements for which it is false."""
    match whole:
        case ast.Quantifier():
            return whole.universal
        case ast.Junction():
            return any(map(finds_elements, whole.items))
        case ast.Let():
            return finds_elements(whole.body)
        case ast.Apply():
            implies = isinstance(whole.operator, Builtin) and whole.operator.name == "=>"
            return implies and finds_elements(whole.arguments[1])
    return False


def cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[:most]} …"


def with_substitutes(said: str, stands: Mapping[str, str]) -> str:
    """A text with others in the place of names; those of fields and in strings stay."""

    def substitute_match(match: re.Match[str]) -> str:
        other = stands.get(match["name"] or "")
        if other is None or other == match["name"]:
            return match[0]
        is_whole = match[0] == said or _SIMPLE.fullmatch(other)
        return other if is_whole else f"({other})"

    return _NAME.sub(substitute_match, said) if stands else said


def substitute_of(symbol: Symbol) -> str:
    """The text that an instance puts for a name; empty if there is none."""
    if not isinstance(symbol, Definition):
        return symbol.name
    return "" if symbol.body is None else text_at(span(symbol.body))
