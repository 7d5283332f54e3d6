"""The parts of the state that an expression reads, as far as they decide its value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from verifier.encodings.blame import Culprit
from verifier.tla import ast
from verifier.tla.ast import Builtin, Expression, Symbol
from verifier.tla.facts import ACTION, subexpressions
from verifier.tla.frames import Frame, Undefined
from verifier.tla.lets import extend_frame
from verifier.tla.loops import compile_setter
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import LazySet, has_at_most, is_member, materialize, same

if TYPE_CHECKING:
    from verifier.tla.blaming import Blaming

_CHOOSING = (ast.Function, ast.Image, ast.Filter, ast.Quantifier)
_MOST_CHOICES = 24
"""The most choices of names for each of which the parts that are read count."""
_MOST_MEMBERS = 200
"""The most members of a set that are looked at one by one."""
_DEEPEST = 30
"""Definitions further down are not opened."""
_DEEPEST_CALLS = 8
"""Operators with arguments further down are not opened: they may call themselves twice."""


class PartFinder:
    """Finds what an expression reads in a frame."""

    def __init__(
        self, blaming: Blaming, depth: int = 0, *, primed: bool = False, is_next: bool = False
    ) -> None:
        self.blaming = blaming
        self.depth = depth
        self.primed = primed
        """True below a prime or ENABLED: no value of this state decides anything there."""
        self.is_next = is_next
        """True below a prime: what is read is of the next state."""

    @property
    def is_some_next(self) -> bool:
        """True below ENABLED: what has a prime there is of some next state, and not of this execution."""
        return self.primed and not self.is_next

    def culprits(self, whole: Expression, outer: Set[Symbol] = frozenset()) -> Iterator[Culprit]:
        """Yield the parts of the state that an expression reads. ``outer``: names that are bound and have no
        value."""
        inner, waiting = {*outer, *find_bound_names(whole)}, [whole]
        inner = {name for name in inner if not isinstance(name, ast.Definition)}
        inner |= set(self.blaming.descent.evaluator.index) if self.primed else set()
        while waiting:
            part = waiting.pop(0)
            path = self.blaming.path_of(part, inner)
            if path is None:
                found, left = self._read(part, inner)
                yield from found
                waiting += left
                continue
            if not (self.is_some_next and add_prime(path) == path):
                yield Culprit(add_prime(path) if self.is_next else path)
            while isinstance(part, ast.FunctionApply):  # what is read to find the place
                waiting.append(part.argument)
                part = part.function

    def _read(self, part: Expression, inner: Set[Symbol]) -> tuple[Iterable[Culprit], Sequence[Expression]]:
        """Return what an expression reads that is no part of the state, and its parts that are left to read.
        ``inner``: names that are bound and have no value."""
        if isinstance(part, ast.Prime | ast.Unchanged | ast.Enabled) and not self.primed:
            next_state = PartFinder(self.blaming, self.depth, primed=True, is_next=True)
            this_state = PartFinder(self.blaming, self.depth, primed=True)
            if isinstance(part, ast.Unchanged):
                return [*this_state.culprits(part.body, inner), *next_state.culprits(part.body, inner)], ()
            return (next_state if isinstance(part, ast.Prime) else this_state).culprits(part.body, inner), ()
        if isinstance(part, ast.Prime | ast.Unchanged) and self.is_some_next:
            return (), ()
        if isinstance(part, ast.Let):  # a definition counts where it is applied
            return (), (part.body,)
        given = self._read_given(part)
        if given is not None:
            return given, ()
        is_open = self.primed or not inner.isdisjoint(free_names(part))
        if not is_open:
            for chosen in (self._read_each(part), self._read_choice(part)):
                if chosen is not None:
                    return chosen, ()
            applied = self._read_application(part)
            if applied is not None:
                assert isinstance(part, ast.FunctionApply)
                return applied, (part.argument,)
        return self._read_operator(part, inner, is_open=is_open)

    def _read_operator(
        self, part: Expression, inner: Set[Symbol], *, is_open: bool
    ) -> tuple[Iterable[Culprit], Sequence[Expression]]:
        """Return what the body of a definition reads; of anything else, the parts that decide."""
        opened = self.blaming.open_definition(part) if self.depth < _DEEPEST else None
        if opened is not None:
            blaming, body = opened
            own = inner if blaming.unit is self.blaming.unit else frozenset[Symbol]()
            return self._follow(blaming).culprits(body, own), ()
        called = None if is_open or self.depth >= _DEEPEST_CALLS else self.blaming.apply_operator(part)
        if called is not None:  # an argument counts where the body reads it
            return PartFinder(called[0], self.depth + 1).culprits(called[1]), ()
        left = subexpressions(part)[0] if is_open else self._deciding(part)
        local = self._open_local(part) if self.depth < _DEEPEST_CALLS else None
        if local is not None:
            assert local.body is not None
            own = {*inner, *local.parameters}
            return self._follow(self.blaming).culprits(local.body, own), left
        if not isinstance(part, ast.Apply):
            return (), left
        alone = ast.Apply(part.operator, place=part.place)
        analysis = self.blaming.descent.evaluator.analysis
        reads = sorted(one.name for one in analysis.of(alone, self.blaming.unit.module).reads)
        return (Culprit(add_prime(one) if self.is_next else one) for one in reads), left

    def _follow(self, blaming: Blaming) -> PartFinder:
        """Return a finder for what stands behind a name."""
        return PartFinder(blaming, self.depth + 1, primed=self.primed, is_next=self.is_next)

    def _read_given(self, part: Expression) -> Iterable[Culprit] | None:
        """Return what is read by the argument for a parameter of the operator around; None of others."""
        given = self.blaming.given_for(part)
        if given is None:
            return None
        finder = PartFinder(given[0], self.depth, primed=self.primed, is_next=self.is_next)
        if self.primed:
            return finder.culprits(given[1])
        assert isinstance(part, ast.Apply)
        argument = self.blaming.given[part.operator]
        if argument.reads is None:  # a body may read it many times
            argument.reads = tuple(finder.culprits(given[1]))
        return argument.reads

    def _open_local(self, whole: Expression) -> ast.Definition | None:
        """Return the definition of LET that an expression applies; None if it applies none."""
        if not isinstance(whole, ast.Apply) or not isinstance(whole.operator, ast.Definition):
            return None
        symbol = whole.operator
        return symbol if symbol.nested and symbol.body is not None and whole.arguments else None

    def _read_each(self, whole: Expression) -> list[Culprit] | None:
        """Return what a function, set or quantifier reads for each choice of its names. None if these are
        many."""
        if not isinstance(whole, _CHOOSING) or self.depth >= _DEEPEST_CALLS:
            return None
        bindings = (whole.binding,) if isinstance(whole, ast.Filter) else whole.bindings
        if isinstance(whole, ast.Function) and whole.itself is not None:
            return None
        with suppress(Undefined, NoValue):
            found = [culprit for one in bindings for culprit in self.culprits(one.domain)]
            readings = [self._at_frame(one) for one in self._choose(bindings)]
            some = whole.universal if isinstance(whole, ast.Quantifier) and self.is_state(whole) else None
            if some is not None and self._is_true(whole) != some:  # exceptions or examples decide
                readings = [one for one in readings if one._is_true(whole.body) != some]
            for reading in readings:
                found += reading.culprits(whole.body)
            return list(dict.fromkeys(found))
        return None

    def _read_choice(self, whole: Expression) -> list[Culprit] | None:
        """Return of CHOOSE what makes the chosen element one of the set, and what its condition reads of it.
        The other elements only lost the choice. None if its set is large, or if nothing of this is read."""
        if not isinstance(whole, ast.Choose) or self.depth >= _DEEPEST_CALLS or not self.is_state(whole):
            return None
        binding, blaming = whole.binding, self.blaming
        with suppress(Undefined, NoValue):
            domain = blaming.value(binding.domain)
            if isinstance(domain, LazySet) and not has_at_most(domain, _MOST_MEMBERS):
                return None
            chosen = materialize(blaming.value(whole))
            frame = extend_frame(blaming.frame[:], blaming.unit)
            compile_setter(blaming.descent.evaluator, binding, blaming.unit)(frame, chosen)
            found = [*self.of_member(binding.domain, chosen)]
            found += self._at_frame(frame)._read_condition(whole.body, self.open(binding.domain)[1])
            return list(dict.fromkeys(found)) or None
        return None

    def _read_condition(self, whole: Expression, domain: Expression) -> list[Culprit]:
        """Return what a true condition on a chosen element reads. Of a comparison with all others, such as
        ``\\A y \\in S : y <= x``, what it reads of them counts only if it reads nothing else. ``domain``: the
        set from which the element is chosen."""
        finder, part = self.open(whole)
        if isinstance(part, ast.Junction) and part.conjunction:
            return [one for item in part.items for one in finder._read_condition(item, domain)]
        if not isinstance(part, ast.Quantifier) or not part.universal or not finder.is_state(part):
            return list(finder.culprits(part))
        names = {name for one in part.bindings for name in one.names}
        own = list(finder._read_apart(part.body, names))
        if own:
            return own
        others = [one.domain for one in part.bindings if not is_same_set(finder.open(one.domain)[1], domain)]
        found = [one for other in others for one in finder.culprits(other)]
        for frame in finder._choose(part.bindings):
            found += finder._at_frame(frame).culprits(part.body)
        return found

    def _read_apart(self, whole: Expression, names: Set[Symbol]) -> Iterator[Culprit]:
        """Yield what the parts read that depend on none of these names."""
        if names.isdisjoint(names_in(whole)):
            yield from self.culprits(whole)
            return
        parts = list(subexpressions(whole)[0])
        if isinstance(whole, ast.FunctionApply):  # a function at a place that depends on a name
            parts = [whole.argument]
            while isinstance(whole.function, ast.FunctionApply):
                whole = whole.function
                parts.append(whole.argument)
        for part in parts:
            yield from self._read_apart(part, names)

    def of_member(self, domain: Expression, member: Value) -> list[Culprit]:
        """Return what makes a value an element of a set."""
        finder, whole = self.open(domain)
        blaming = finder.blaming
        path = blaming.path_of(whole, set())
        if path is not None:
            shown = (blaming.text(member),)
            found = finder.culprits(whole)
            return [replace(one, members=shown) if one.path == path else one for one in found]
        with suppress(Undefined, NoValue):
            match whole:
                case ast.Filter(binding=binding):
                    frame = extend_frame(blaming.frame[:], blaming.unit)
                    compile_setter(blaming.descent.evaluator, binding, blaming.unit)(frame, member)
                    own = finder._at_frame(frame).culprits(whole.body)
                    return [*finder.of_member(binding.domain, member), *own]
                case ast.Image():
                    return list(finder._of_image(whole, member))
                case ast.SetOf(items=items):
                    same_items = (one for one in items if same(blaming.value(one), member))
                    return [culprit for one in same_items for culprit in finder.culprits(one)]
                case ast.If():
                    branch = whole.then if finder._is_true(whole.condition) else whole.otherwise
                    return [*finder.culprits(whole.condition), *finder.of_member(branch, member)]
                case ast.Apply(operator=Builtin(name="\\cup" | "\\union"), arguments=sides):
                    holding = [one for one in sides if is_member(member, blaming.value(one))]
                    return [culprit for one in holding for culprit in finder.of_member(one, member)]
                case ast.Apply(operator=Builtin(name="\\cap" | "\\intersect"), arguments=sides):
                    return [culprit for one in sides for culprit in finder.of_member(one, member)]
                case ast.Apply(operator=Builtin(name="\\"), arguments=(left, right)):
                    return [*finder.of_member(left, member), *finder.culprits(right)]
        return list(finder.culprits(whole))

    def _of_image(self, whole: ast.Image, member: Value) -> Iterator[Culprit]:
        """Yield what makes a value one of ``{e : x \\in S}``: the choices of names that give it."""
        for frame in self._choose(whole.bindings, _MOST_MEMBERS):
            inner = self._at_frame(frame)
            if same(inner.blaming.value(whole.body), member):
                yield from inner.culprits(whole.body)
                for one in (one for one in whole.bindings if not one.is_tuple):
                    for name in one.names:
                        yield from self.of_member(one.domain, frame[self.blaming.unit.slot(name)])

    def _at_frame(self, frame: Frame) -> PartFinder:
        return PartFinder(self.blaming.at(frame), self.depth + 1)

    def _choose(self, bindings: Sequence[ast.Binding], most: int = _MOST_CHOICES) -> Iterator[Frame]:
        """Yield a frame for each choice of the names of bindings. Raises NoValue if these are many."""
        blaming = self.blaming
        sets = [materialize(blaming.value(one.domain)) for one in bindings for _ in _each_name(one)]
        if not all(isinstance(one, frozenset) for one in sets) or prod(map(len, sets)) > most:
            raise NoValue("many choices")
        for items in product(*map(blaming.sort, sets)):
            frame = extend_frame(blaming.frame[:], blaming.unit)
            left = iter(items)
            for one in bindings:
                if one.is_tuple:
                    compile_setter(blaming.descent.evaluator, one, blaming.unit)(frame, next(left))
                    continue
                for name in one.names:
                    frame[blaming.unit.slot(name)] = next(left)
            yield frame

    def _deciding(self, whole: Expression) -> list[Expression]:
        """The parts of an expression that decide its value: of IF the branch taken, of a true disjunction
        the true parts, of a false conjunction the false ones."""
        parts = list(subexpressions(whole)[0])
        with suppress(Undefined, NoValue):
            match whole:
                case ast.If():
                    held = self._is_true(whole.condition)
                    return [whole.condition, whole.then if held else whole.otherwise]
                case ast.Case():
                    return list(self._find_arm(whole))
                case ast.Junction() if self.is_state(whole):
                    truths = [self._is_true(item) for item in whole.items]
                    if all(truths) == whole.conjunction == any(truths):
                        return parts
                    return [
                        part
                        for part, truth in zip(whole.items, truths, strict=True)
                        if truth != whole.conjunction
                    ]
        return parts

    def _find_arm(self, whole: ast.Case) -> Iterator[Expression]:
        """Yield the conditions of a CASE up to the one that is true, and what it leads to."""
        for condition, body in whole.arms:
            yield condition
            if self._is_true(condition):
                yield body
                return
        if whole.other is not None:
            yield whole.other

    def _is_true(self, whole: Expression) -> bool:
        blaming = self.blaming
        return not blaming.descent.is_false(whole, blaming.unit, blaming.frame)

    def is_state(self, whole: Expression) -> bool:
        module = self.blaming.unit.module
        return self.blaming.descent.evaluator.analysis.of(whole, module).level <= ACTION

    def _read_application(self, whole: Expression) -> list[Culprit] | None:
        """Return what a definition of a function reads at an argument; None if it is none, or not known."""
        if not isinstance(whole, ast.FunctionApply):
            return None
        finder, function = self.open(whole.function)
        with suppress(Undefined, NoValue):
            path = finder.blaming.path_of(function, set()) if function is not whole.function else None
            if path is not None and not isinstance(whole.argument, ast.String):
                return [Culprit(f"{path}[{self.blaming.text(self.blaming.value(whole.argument))}]")]
            if not isinstance(function, ast.Function):
                return None
            return finder.at_key(function, self.blaming.value(whole.argument))
        return None

    def open(self, whole: Expression) -> tuple[PartFinder, Expression]:
        """Return what stands behind names of definitions and of parameters, and the finder for it."""
        blaming = self.blaming
        for _ in range(_DEEPEST):
            opened = blaming.given_for(whole) or blaming.open_definition(whole)
            if opened is None:
                break
            blaming, whole = opened
        return PartFinder(blaming, self.depth + 1), whole

    def at_key(self, function: ast.Function, key: Value) -> list[Culprit] | None:
        """Return what the body of a function reads for an element; None if it has several names."""
        binding, blaming = function.bindings[0], self.blaming
        if len(function.bindings) > 1 or function.itself is not None:
            return None
        if len(binding.names) > 1 and not binding.is_tuple:
            return None
        put = compile_setter(blaming.descent.evaluator, binding, blaming.unit)
        frame = extend_frame(blaming.frame[:], blaming.unit)
        put(frame, key)
        return list(self._at_frame(frame).culprits(function.body))


def is_same_set(one: Expression, other: Expression) -> bool:
    """True if two expressions are the same name, or the same part of the text."""
    names = [part.operator for part in (one, other) if isinstance(part, ast.Apply) and not part.arguments]
    return one is other or (len(names) == 2 and names[0] is names[1])


def _each_name(binding: ast.Binding) -> Sequence[Symbol]:
    """The names that are bound one by one; a tuple of names is bound at once."""
    return binding.names[:1] if binding.is_tuple else binding.names


def find_bound_names(whole: Expression) -> Iterator[Symbol]:
    """The names that are bound inside of an expression."""
    waiting = [whole]
    while waiting:
        parts, names = subexpressions(waiting.pop())
        yield from names
        waiting += parts


def add_prime(path: str) -> str:
    """Return the path of the same part of the next state: ``pc'[2]``."""
    return re.sub(r"^\w+(?!['\w])", r"\g<0>'", path, count=1)


def free_names(whole: Expression) -> set[Symbol]:
    """The operators that are applied in an expression, without the names that it binds itself."""
    return set(names_in(whole)).difference(find_bound_names(whole))


def names_in(whole: Expression) -> Iterator[Symbol]:
    """The operators that are applied in an expression."""
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Apply):
            yield part.operator
        waiting += subexpressions(part)[0]
