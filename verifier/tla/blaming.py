"""Blames false parts of formulas of a module on the parts of the state that decide them, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from verifier.encodings.blame import Blame, Culprit, Side, blame_comparison, cut, join_blames
from verifier.tla import ast
from verifier.tla.arguments import unit_of
from verifier.tla.ast import Builtin, Expression, Symbol, Variable
from verifier.tla.deciding_parts import Comparison
from verifier.tla.errors import Place, TlaError
from verifier.tla.facts import ACTION
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.loops import compile_setter
from verifier.tla.order import text
from verifier.tla.reading_parts import PartFinder, add_prime, find_bound_names, free_names
from verifier.tla.said_parts import Argument, Around, Given
from verifier.tla.text import text_at
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import LazySet, has_at_most, materialize

if TYPE_CHECKING:
    from verifier.tla.descent import Descent

_RELATIONS = {
    "=": "=", "#": "≠", "/=": "≠", "<": "<", ">": ">", "<=": "≤", "=<": "≤", "\\leq": "≤", ">=": "≥",
    "\\geq": "≥", "\\in": "∈", "\\notin": "∉", "\\subseteq": "⊆",
}  # fmt: skip
_DENIED = {"=": "≠", "≠": "=", "∈": "∉", "∉": "∈", "<": "≥", "≤": ">", ">": "≤", "≥": "<"}
_MOST_TOLD, _LONGEST_TOLD = 3, 110
"""The most elements of which each is told what is wrong with it, and the most characters for each."""
_MOST_MEMBERS = 200
"""The most members of a set that are compared one by one."""


@dataclass(frozen=True)
class Membership:
    """The parts of the state that make a value an element of a set."""

    culprits: tuple[Culprit, ...]
    bound: tuple[tuple[str, str], ...] = ()
    """The names that the set binds, with their values for this element."""


@dataclass(frozen=True)
class Blaming:
    """Blames parts that are false in a frame."""

    descent: Descent
    unit: Unit
    frame: Frame
    given: Given = field(default_factory=dict)
    """The arguments for the parameters of the operators around."""

    def blame(self, whole: Expression) -> Blame | None:
        """Say why a formula is false; None if an expression has no value."""
        with suppress(Undefined, NoValue, RecursionError, TlaError):
            return self._blame(whole)
        return None

    def _blame(self, whole: Expression) -> Blame:
        match whole:
            case ast.Junction(conjunction=False):
                return join_blames([self.blame_alternative(item) for item in whole.items])
            case ast.Apply(operator=Builtin(name="~"), arguments=(inner,)):
                relation = _DENIED.get(_relation(inner))
                return (
                    self._plain(inner, "true, and must not be")
                    if relation is None
                    else self._blame_comparison(inner, relation)
                )
            case ast.Apply(operator=Builtin(name="<=>" | "\\equiv"), arguments=(left, right)):
                truths = [not self._is_false(one) for one in (left, right)]
                words = [
                    f"{self._words(one)} is {str(true).lower()}"
                    for one, true in zip((left, right), truths, strict=True)
                ]
                return Blame(" and ".join(words), tuple(self.culprits(whole)))
            case ast.Apply() if _relation(whole):
                return self._blame_comparison(whole, _relation(whole))
            case ast.Quantifier(universal=False, bindings=(ast.Binding(names=(name,)),)):
                return self._blame_missing(whole, name.name)
        return self._plain(whole, "false")

    def _blame_missing(self, whole: ast.Quantifier, name: str) -> Blame:
        """Say that no element has a property; of a few that have what it forbids, what each of them has."""
        body, domain = text_at(self._span(whole.body)), self._side(whole.bindings[0].domain)
        among = "" if domain.is_fixed else f" in {domain.named},"
        culprits = tuple(self.culprits(whole))
        elements = materialize(self.value(whole.bindings[0].domain))
        if not isinstance(elements, frozenset) or len(elements) > _MOST_MEMBERS:
            return Blame(f"no {name}{among} has {body}", culprits)
        blames = dict(self._blame_elements(whole, self.sort(elements)))
        paths = list(self.culprits(whole.bindings[0].domain))
        paths += [culprit for blame in blames.values() for culprit in blame.culprits]
        is_told = _forbids(whole.body) and 0 < len(blames) <= _MOST_TOLD
        told = [f"for {name} = {item}, {cut(of.says, _LONGEST_TOLD)}" for item, of in blames.items()]
        says = f"will do: {'; '.join(told)}" if is_told else f"has {body}"
        return Blame(f"no {name}{among} {says}", tuple(dict.fromkeys(paths)))

    def _blame_elements(
        self, whole: ast.Quantifier, elements: Iterable[Value]
    ) -> Iterator[tuple[str, Blame]]:
        """For each of elements that lack a property: why it is false of it."""
        put = compile_setter(self.descent.evaluator, whole.bindings[0], self.unit)
        for item in elements:
            frame = extend_frame(self.frame[:], self.unit)
            put(frame, item)
            inner = self.at(frame)
            yield self.text(item), inner.blame(whole.body) or inner._plain(whole.body, "false")

    def blame_alternative(self, whole: Expression) -> Blame:
        """Say why a disjunct is false: by its first smallest part, if nothing else would make it true."""
        plain = Blame(f"{cut(self._words(whole))} is false", tuple(self.culprits(whole)))
        with suppress(Undefined, NoValue, RecursionError, TlaError):
            part = next(self.descent.parts(whole, self.unit, self.frame, Around(given=self.given)))
            if part.blame is not None and part.blame.culprits:
                if part.premises:  # it would do that one of them is false
                    return replace(plain, culprits=part.blame.culprits)
                says = part.blame.says
                named = [f"{name} = {cut(value)}" for name, value in part.bound if _has_name(says, name)]
                return replace(part.blame, says=f"for {', '.join(named)}: {says}" if named else says)
        return plain

    def _plain(self, whole: Expression, truth: str) -> Blame:
        return Blame(f"{self._words(whole)} is {truth}", tuple(self.culprits(whole)))

    def _blame_comparison(self, whole: Expression, relation: str) -> Blame:
        assert isinstance(whole, ast.Apply)
        left, right = (self._side(side) for side in whole.arguments)
        blame = blame_comparison(relation, left, right)
        decisive = Comparison(PartFinder(self)).decisive(relation, *whole.arguments)
        return blame if decisive is None else replace(blame, culprits=decisive)

    def deciding(self, whole: Expression) -> tuple[Culprit, ...]:
        """Return the parts of the state that decide that a formula is true, or that it is false."""
        with suppress(Undefined, NoValue, RecursionError, TlaError):
            is_false = self._is_false(whole)
            match whole:
                case ast.Junction(items=items):
                    alone = is_false == whole.conjunction  # one item is enough
                    own = [one for one in items if not alone or self._is_false(one) == is_false]
                    return tuple(dict.fromkeys(part for one in own for part in self.deciding(one)))
                case ast.Apply(operator=Builtin(name="~"), arguments=(inner,)):
                    return self.deciding(inner)
                case ast.Apply() if _relation(whole) and (is_false or _relation(whole) in _DENIED):
                    relation = _relation(whole)
                    return self._blame_comparison(whole, relation if is_false else _DENIED[relation]).culprits
        return tuple(self.culprits(whole))

    def _is_false(self, whole: Expression) -> bool:
        return self.descent.is_false(whole, self.unit, self.frame)

    def _side(self, side: Expression) -> Side:
        own = tuple(self.culprits(side))
        paths, words = tuple(dict.fromkeys(one.path for one in own)), self._words(side)
        try:
            value = self.value(side)
            if isinstance(value, LazySet) and not has_at_most(value, _MOST_MEMBERS):
                return Side(words, words, None, paths, own=own)  # such as Nat, or all functions
            value = materialize(value)
        except (Undefined, NoValue):
            return Side(words, words, None, paths, own=own)
        is_listed = isinstance(value, frozenset) and len(value) <= _MOST_MEMBERS
        members = tuple(map(self.text, self.sort(value))) if is_listed else None
        sources = self._sources(side, value) if is_listed else {}
        return Side(words, self.text(value), members, paths, sources, own)

    def _sources(self, side: Expression, value: Value) -> dict[str, tuple[Culprit, ...]]:
        """For each element of a set that is made from others, by its text: what makes it one."""
        made = {one: part.culprits for one, part in self.memberships(side).items()}
        if made or self.path_of(side, set()) is not None or not isinstance(value, frozenset):
            return made
        finder = PartFinder(self)
        return {self.text(one): tuple(dict.fromkeys(finder.of_member(side, one))) for one in value}

    def of_member(self, domain: Expression, member: Value) -> Membership | None:
        """Say what makes a value an element of a set; None if that does not depend on the state."""
        if not any(self.culprits(domain)):
            return None
        found = self.memberships(domain).get(self.text(member))
        return found or Membership(tuple(dict.fromkeys(PartFinder(self).of_member(domain, member))))

    def memberships(self, whole: Expression) -> dict[str, Membership]:
        """Of a set that is made from others, what decides about each element, by its text.

        For ``{p \\in P : f(p)}`` these are all elements of ``P``, for ``{f(p) : p \\in P}`` the values.
        """
        match whole:
            case ast.Apply(arguments=()):
                opened = self.given_for(whole) or self.open_definition(whole)
                return {} if opened is None else opened[0].memberships(opened[1])
            case ast.Filter():
                return self._each((whole.binding,), whole.body, None)
            case ast.Image():
                return self._each(whole.bindings, whole.body, whole.body)
        return {}

    def _each(
        self, bindings: tuple[ast.Binding, ...], read: Expression, value: Expression | None
    ) -> dict[str, Membership]:
        """For each choice of elements, what is read then. The value is the element if there is no other."""
        members: dict[str, Membership] = {}
        sets = [materialize(self.value(binding.domain)) for binding in bindings]
        if not all(isinstance(one, frozenset) for one in sets) or prod(map(len, sets)) > _MOST_MEMBERS:
            return {}
        put = [compile_setter(self.descent.evaluator, binding, self.unit) for binding in bindings]
        names = [name for binding in bindings for name in binding.names]
        for items in product(*map(self.sort, sets)):
            frame = extend_frame(self.frame[:], self.unit)
            for place, item in zip(put, items, strict=True):
                place(frame, item)
            inner = self.at(frame)
            shown = self.text(items[0] if value is None else materialize(inner.value(value)))
            culprits = list(inner.culprits(read))
            for binding, item in zip(bindings, items, strict=True):
                member = self.of_member(binding.domain, item)
                culprits += () if member is None else member.culprits
            bound = tuple((name.name, self.text(frame[self.unit.slot(name)])) for name in names)
            known = members.get(shown, Membership((), bound))
            both = tuple(dict.fromkeys([*known.culprits, *culprits]))
            members[shown] = Membership(both, known.bound)
        return members

    def culprits(self, whole: Expression) -> Iterator[Culprit]:
        """Yield the parts of the state that an expression reads: ``pc[2]``, ``log["a"].epoch``.

        Definitions are opened. Of what does not depend on names bound inside, only what decides counts.
        """
        yield from dict.fromkeys(PartFinder(self).culprits(whole))

    def at(self, frame: Frame) -> Blaming:
        """It in another frame."""
        return replace(self, frame=frame)

    def given_for(self, whole: Expression) -> tuple[Blaming, Expression] | None:
        """Return what is given for a parameter, and where that stands; None of anything else."""
        if not isinstance(whole, ast.Apply) or whole.arguments or whole.operator not in self.given:
            return None
        argument = self.given[whole.operator]
        return Blaming(self.descent, argument.unit, argument.frame, argument.given), argument.whole

    def path_of(self, whole: Expression, inner: Set[Symbol]) -> str | None:
        """The path of a variable, or of a part of it whose place depends on no name in ``inner``. Of the next
        state it has a prime: ``pc'[2]``."""
        match whole:
            case ast.Prime(body=body):  # a key that reads the state has its value in the next one
                path = self.path_of(body, {*inner, *self.descent.evaluator.index})
                return None if path is None else add_prime(path)
            case ast.Apply(operator=operator, arguments=()) as whole:
                given = self.given_for(whole)
                if given is not None:  # below a prime, its keys too have their values in the next state
                    return given[0].path_of(given[1], inner & self.descent.evaluator.index.keys())
                symbol = self.descent.evaluator.resolve(operator, self.unit.module) or operator
                if isinstance(symbol, ast.Definition) and symbol in self.descent.put:
                    opened = self.open_definition(whole)
                    return None if opened is None else opened[0].path_of(opened[1], inner)
                return symbol.name if isinstance(symbol, Variable) else None
            case ast.FunctionApply(function=function, argument=argument):
                path = self.path_of(function, inner)
                if path is None or any(not inner.isdisjoint(free_names(key)) for key in _keys_of(whole)):
                    return path
                if isinstance(argument, ast.String):
                    is_record = argument.value.isidentifier() and not text_at(self._span(whole)).endswith("]")
                    return f"{path}.{argument.value}" if is_record else f'{path}["{argument.value}"]'
                with suppress(Undefined, NoValue):
                    return f"{path}[{self.text(self.value(argument))}]"
                return path
        return None

    def open_definition(self, whole: Expression) -> tuple[Blaming, Expression] | None:
        """The body of a definition without parameters; None if an expression is none."""
        if not isinstance(whole, ast.Apply) or whole.arguments:
            return None
        evaluator = self.descent.evaluator
        symbol = evaluator.resolve(whole.operator, self.unit.module) or whole.operator
        if not isinstance(symbol, ast.Definition) or symbol.body is None or symbol.parameters:
            return None
        if symbol in evaluator.constants:
            return None
        if symbol.nested:
            return self, symbol.body
        unit = unit_of(evaluator, symbol)
        return Blaming(self.descent, unit, unit.frame()), symbol.body

    def apply_operator(self, whole: Expression) -> tuple[Blaming, Expression] | None:
        """The body of an operator with the values of its arguments; None if an expression applies none."""
        if not isinstance(whole, ast.Apply) or not whole.arguments:
            return None
        evaluator = self.descent.evaluator
        symbol = evaluator.resolve(whole.operator, self.unit.module) or whole.operator
        if not isinstance(symbol, ast.Definition) or symbol.body is None or symbol in evaluator.constants:
            return None
        if any(parameter.arity for parameter in symbol.parameters):
            return None
        with suppress(Undefined, NoValue, TlaError):
            unit, frame = self.descent.enter(symbol, whole, self.unit, self.frame)
            given = self.descent.give(symbol, whole, Argument(whole, self.unit, self.frame, self.given))
            return Blaming(self.descent, unit, frame, given), symbol.body
        return None

    def _words(self, whole: Expression) -> str:
        """A part of a state by its path, all else as the module has it."""
        part = whole.body if isinstance(whole, ast.Prime) else whole
        is_part = isinstance(part, ast.FunctionApply) or self.given_for(part) is not None
        path = self.path_of(whole, set(find_bound_names(part))) if is_part else None
        return self.descent.outer_text(whole, text_at(self._span(whole))) if path is None else path

    def value(self, whole: Expression) -> Value:
        if self.descent.evaluator.analysis.of(whole, self.unit.module).level > ACTION:
            raise NoValue("it is about an execution")
        return self.descent.evaluator.value(whole, self.unit)(extend_frame(self.frame, self.unit))

    def sort(self, value: Value) -> list[Value]:
        return list(self.descent.evaluator.order.sort(value))

    def text(self, value: Value) -> str:
        return text(value, self.descent.evaluator.order)

    def _span(self, whole: Expression) -> Place:
        return self.descent.place_of(whole)


def _forbids(whole: Expression) -> bool:
    """True of a negation: that no element has it is read more easily from what each element has."""
    operator = whole.operator if isinstance(whole, ast.Apply) else None
    is_negation = isinstance(operator, Builtin) and operator.name == "~"
    return is_negation or _relation(whole) in ("∉", "≠")


def _has_name(words: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", words) is not None


def _keys_of(whole: Expression) -> Iterator[Expression]:
    """Yield the keys at which a function is applied, the last first."""
    while isinstance(whole, ast.FunctionApply):
        yield whole.argument
        whole = whole.function


def _relation(whole: Expression) -> str:
    if not isinstance(whole, ast.Apply) or not isinstance(whole.operator, Builtin):
        return ""
    return _RELATIONS.get(whole.operator.name, "") if len(whole.arguments) == 2 else ""
