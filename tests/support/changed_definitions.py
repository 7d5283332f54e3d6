"""Random definitions, and every change of one node, name or flag in them.

They need not make sense as protocols: the hash covers the structure, whatever its meaning.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.specs.definition import Action, Definition, Lemma, Parameter, Property, PropertyKind

LEAVES = (Operator.LITERAL, Operator.VARIABLE)
NAMED = (
    Operator.FIELD,
    Operator.RECORD_UPDATE,
    Operator.VARIANT,
    Operator.HAS_TAG,
    Operator.PAYLOAD,
)
BINDERS = (
    Operator.FUNCTION,
    Operator.COMPREHENSION,
    Operator.IMAGE,
    Operator.CHOOSE,
    Operator.FORALL,
    Operator.EXISTS,
    Operator.COUNT,
    Operator.FILTER,
    Operator.PARTIAL_FUNCTION,
    Operator.MAP,
    Operator.UNION_OF,
    Operator.SUM_OF,
)
PLAIN = tuple(op for op in Operator if op not in (*LEAVES, *NAMED, *BINDERS))

Change = tuple[str, Any]
"""The changed part, and its new value."""


@dataclass
class Generator:
    """Random parts of definitions, the same for the same seed in every process."""

    rng: random.Random

    def sort(self, depth: int = 2) -> Sort:
        simple: list[Callable[[], Sort]] = [
            Boolean,
            lambda: Range(self.rng.randrange(3), self.rng.randrange(3, 6)),
            lambda: Enum(self.rng.choice("EF"), ("idle", "busy", "1")[: self.rng.randrange(1, 4)]),
            lambda: Listed(*("a", (1, 2), 7)[: self.rng.randrange(1, 4)]),
            lambda: IndexSet(self.rng.choice(("node", "client")), self.rng.randrange(1, 4), self.chance()),
        ]
        if depth == 0:
            return self.rng.choice(simple)()
        inner = self.sort(depth - 1)
        nested: list[Callable[[], Sort]] = [
            lambda: inner if isinstance(inner, Option) else Option(inner),
            lambda: Record(left=inner, right=self.sort(depth - 1)),
            lambda: Function(self.sort(0), inner),
            lambda: Set(inner),
            lambda: Sequence(inner, self.rng.randrange(1, 4)),
            lambda: Bag(inner, self.rng.randrange(1, 4)),
            lambda: Tuple(inner, self.sort(depth - 1)),
            lambda: Variant(left=inner, right=None),
            lambda: PartialFunction(self.sort(0), inner),
        ]
        return self.rng.choice(simple + nested)()

    def chance(self) -> bool:
        return self.rng.random() < 0.5

    def value(self, depth: int = 2) -> Concrete:
        simple = (
            None,
            self.chance(),
            self.rng.randrange(3),
            self.rng.choice(("", "r1", "1", "true", "none")),
        )
        if depth == 0 or self.chance():
            return self.rng.choice(simple)
        items = [self.value(depth - 1) for _ in range(self.rng.randrange(4))]
        return self.rng.choice((tuple(items), frozenset(items), FrozenMap(zip("abc", items, strict=False))))

    def term(self, scope: tuple[Symbol, ...], depth: int) -> Term:
        kind = self.rng.choice(LEAVES) if depth == 0 else self.rng.choice(tuple(Operator))
        if kind is Operator.VARIABLE:
            symbol = self.rng.choice(scope)
            return Term(kind, symbol.sort, (), symbol)
        if kind is Operator.LITERAL:
            return Term(kind, self.sort(), (), self.value())
        binds = Symbol(self.rng.choice("xyz"), self.sort(1)) if kind in BINDERS else None
        inner = scope if binds is None else (*scope, binds)
        count = self.rng.randrange(1, 4)
        arguments = tuple(self.term(inner, depth - 1) for _ in range(count))
        if count > 1 and self.rng.random() < 0.2:
            arguments = (*arguments[:-1], arguments[0])  # terms are shared
        data = self.rng.choice(("left", "right")) if kind in NAMED else None
        return Term(kind, self.sort(1), arguments, data, binds)

    def definition(self) -> Definition:
        state = tuple(Symbol(name, self.sort()) for name in ("s", "t", "u"))
        kinds = tuple(PropertyKind)
        return Definition(
            name="random",
            constants={"nodes": self.rng.randrange(3), "fast": self.chance(), "how": "1"},
            variables=state,
            init=self.term(state, 2),
            actions=tuple(self.action(name, state) for name in ("Send", "Receive")),
            properties=tuple(
                Property(name, self.rng.choice(kinds), self.term(state, 3), self.chance(), "Words.")
                for name in ("Safe", "Sound")
            ),
            constraint=self.term(state, 2) if self.chance() else None,
            lemmas=(Lemma("Helps", self.term(state, 2), "Words."),),
            drawing={"lanes": "nodes"},
        )

    def action(self, name: str, state: tuple[Symbol, ...]) -> Action:
        parameters = tuple(Parameter(Symbol(name, self.sort(1)), self.chance()) for name in ("p", "q"))
        scope = (*state, *(parameter.symbol for parameter in parameters))
        when = tuple(self.term(scope, 2) for _ in range(2))
        then = tuple((self.term(scope, 1), self.term(scope, 2)) for _ in range(2))
        return Action(name, parameters, when, then, "Words.")


def definition(seed: int) -> Definition:
    """The random definition of that seed."""
    return Generator(random.Random(seed)).definition()


# Whether two terms are one but for the names of bound variables: said here once more, by comparing.


def alike(one: Term, other: Term, pairs: Mapping[Symbol, Symbol] | None = None) -> bool:
    """True if the terms differ in names of bound variables at most."""
    pairs = pairs or {}
    if (one.operator, len(one.arguments)) != (other.operator, len(other.arguments)):
        return False
    if not exactly(one.sort, other.sort) or (one.binds is None) != (other.binds is None):
        return False
    if isinstance(one.data, Symbol):
        if pairs.get(one.data, one.data) is not other.data:
            return False
    elif not exactly(one.data, other.data):
        return False
    if one.binds is not None and other.binds is not None:
        if not exactly(one.binds.sort, other.binds.sort):
            return False
        pairs = {**pairs, one.binds: other.binds}
    return all(alike(a, b, pairs) for a, b in zip(one.arguments, other.arguments, strict=True))


def exactly(one: Any, other: Any) -> bool:
    """True if two sorts or values are the same, types included."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return len(one) == len(other) and all(any(exactly(a, b) for b in other) for a in one)
    if isinstance(one, FrozenMap) and isinstance(other, FrozenMap):
        return set(one) == set(other) and all(exactly(one[key], other[key]) for key in one)
    return repr(one) == repr(other)


# Changes


def change_value(value: Concrete) -> Iterator[Change]:
    """Values that are others, some of them alike to the eye."""
    others: tuple[Concrete, ...] = (None, True, False, 0, 1, "", "1", "true", "none")
    for other in (*others, (), frozenset(), FrozenMap(), (value,)):
        if not exactly(value, other):
            yield f"{value!r} became {other!r}", other
    yield "it is in a set", frozenset((value,))
    if isinstance(value, tuple) and value and not exactly(value, value[::-1]):
        yield "a sequence backwards", value[::-1]
    if isinstance(value, tuple | frozenset) and value:
        items = tuple(value)
        yield "the other kind of collection", frozenset(items) if isinstance(value, tuple) else items
        yield "an item less", type(value)(items[1:])
    if isinstance(value, FrozenMap) and value:
        key = next(iter(value))
        yield "another key", FrozenMap({((key, key) if k == key else k): v for k, v in value.items()})
        for words, item in change_value(value[key]):
            yield f"at {key}: {words}", value.updated(key, item)


def change_sort(sort: Sort) -> Iterator[Change]:
    """The sort with one thing in it changed: a number, a name, an order, a flag, or a part."""
    if isinstance(sort, Record):
        yield from _change_record(sort)
    elif isinstance(sort, Tuple | Variant | Listed):
        yield from _change_compound(sort)
    else:
        for field in fields(sort):  # type: ignore[arg-type]
            for words, content in _change_content(getattr(sort, field.name)):
                if not (isinstance(sort, Option) and isinstance(content, Option)):
                    yield f"{field.name}: {words}", replace(sort, **{field.name: content})  # type: ignore[type-var]
    yield "a set of it", Set(sort)
    if not isinstance(sort, Option):
        yield "an option of it", Option(sort)
    for part in sort.parts():
        yield "its part", part


def _change_record(sort: Record) -> Iterator[Change]:
    parts = sort.field_sorts
    (first, kept), *rest = parts.items()
    yield "field names", Record(**{f"{first}_": kept, **dict(rest)})
    yield "field order", Record(**dict(reversed(parts.items())))
    yield "a field more", Record(**parts, more=Boolean())
    for name, part in parts.items():
        for words, other in change_sort(part):
            yield f"{name}: {words}", Record(**{**parts, name: other})


def _change_compound(sort: Tuple | Variant | Listed) -> Iterator[Change]:
    match sort:
        case Listed():
            yield "a value more", Listed(*sort.members, "more")
            yield "another value", Listed(*sort.members[:-1], "other")
        case Tuple():
            yield "an item more", Tuple(*sort.items, Boolean())
            for place, part in enumerate(sort.items):
                for words, other in change_sort(part):
                    yield f"{place}: {words}", Tuple(*sort.items[:place], other, *sort.items[place + 1 :])
        case Variant():
            yield "a tag more", Variant(**sort.payloads, more=None)
            yield "order of tags", Variant(**dict(reversed(sort.alternatives)))
            for tag, part in sort.alternatives:
                for words, other in change_sort(part):
                    yield f"{tag}: {words}", Variant(**{**sort.payloads, tag: other})


def _change_content(content: Any) -> Iterator[Change]:
    if isinstance(content, Sort):
        yield from change_sort(content)
    elif isinstance(content, bool):
        yield "flag", not content
    elif isinstance(content, int):
        yield "number", content + 1
    elif isinstance(content, str):
        yield "name", content + "x"
    elif isinstance(content, tuple):
        yield "a member more", (*content, "more")
        yield "another member", (*content[:-1], content[-1] + "x")
        if len(content) > 1:
            yield "order of members", content[::-1]
    else:
        raise AssertionError(content)


def change_term(term: Term, scope: tuple[Symbol, ...]) -> Iterator[Change]:
    """The term with one node of it changed."""
    yield from change_node(term, scope)
    inner = scope if term.binds is None else (*scope, term.binds)
    for place, argument in enumerate(term.arguments):
        for words, other in change_term(argument, inner):
            before, after = term.arguments[:place], term.arguments[place + 1 :]
            yield f"{term.operator} {place}, {words}", replace(term, arguments=(*before, other, *after))


def change_node(term: Term, scope: tuple[Symbol, ...]) -> Iterator[Change]:
    """The term with its topmost node changed."""
    kinds = BINDERS if term.binds is not None else NAMED if term.operator in NAMED else PLAIN
    if term.operator not in LEAVES:
        yield from (
            (f"operator {kind}", replace(term, operator=kind)) for kind in kinds if kind != term.operator
        )
    yield from ((f"sort, {words}", replace(term, sort=sort)) for words, sort in change_sort(term.sort))
    if isinstance(term.data, Symbol):
        others = (symbol for symbol in scope if symbol is not term.data)
        yield from ((f"variable {symbol}", replace(term, data=symbol)) for symbol in others)
    elif term.operator is Operator.LITERAL:
        yield from ((words, replace(term, data=value)) for words, value in change_value(term.data))
    elif term.operator in NAMED:
        yield "field", replace(term, data="other")
    if term.binds is not None:
        for words, sort in change_sort(term.binds.sort):
            symbol = Symbol(term.binds.name, sort)
            yield (
                f"sort of the bound variable, {words}",
                substitute_symbols(term, {term.binds: symbol}, binders=True),
            )
    for kind in (Operator.NOT, Operator.SOME, Operator.GET, Operator.AND):
        yield f"{kind} around it", Term(kind, term.sort, (term,))
    arguments = term.arguments
    for one, other in combinations(range(len(arguments)), 2):
        if not alike(arguments[one], arguments[other]):
            swapped = list(arguments)
            swapped[one], swapped[other] = arguments[other], arguments[one]
            yield f"arguments {one} and {other}", replace(term, arguments=tuple(swapped))
    if arguments:
        yield "an argument less", replace(term, arguments=arguments[:-1])
        yield "an argument twice", replace(term, arguments=(*arguments, arguments[-1]))


def substitute_symbols(term: Term, new: Mapping[Symbol, Symbol], *, binders: bool = False) -> Term:
    """The term with other symbols in the place of some; ``binders``: where they are bound, too."""
    data = new.get(term.data, term.data) if isinstance(term.data, Symbol) else term.data
    binds = new.get(term.binds, term.binds) if binders and term.binds is not None else term.binds
    arguments = tuple(substitute_symbols(argument, new, binders=binders) for argument in term.arguments)
    return replace(term, data=data, binds=binds, arguments=arguments)


def rename_bound(term: Term) -> Term:
    """The term with every bound variable renamed, all to one name."""
    new = {inner.binds: Symbol("renamed", inner.binds.sort) for inner in term.walk() if inner.binds}
    return substitute_symbols(term, new, binders=True)


def everywhere(definition: Definition, change: Callable[[Term], Term]) -> Definition:
    """The definition with all its terms changed."""
    return replace(
        definition,
        init=change(definition.init),
        actions=tuple(
            replace(
                action,
                when=tuple(map(change, action.when)),
                then=tuple((change(target), change(value)) for target, value in action.then),
            )
            for action in definition.actions
        ),
        properties=tuple(replace(p, formula=change(p.formula)) for p in definition.properties),
        constraint=None if definition.constraint is None else change(definition.constraint),
        lemmas=tuple(replace(lemma, formula=change(lemma.formula)) for lemma in definition.lemmas),
    )
