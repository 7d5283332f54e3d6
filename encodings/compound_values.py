"""Expressions of tuples, variants, and functions whose domain varies, and what makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic

from verifier.encodings.collection_values import SetValue
from verifier.encodings.compound_sorts import UNIT
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.expressions import (
    BOOLEAN,
    Plain,
    Value,
    coerce,
    constant,
    describe_value,
    integer,
    literal,
    record,
    sort_of,
    term_of,
    wrap,
)
from verifier.encodings.listed_sort import freeze
from verifier.encodings.python_use import take
from verifier.encodings.sorts import (
    Function,
    Listed,
    PartialFunction,
    Record,
    Set,
    Sort,
    SortError,
    Tuple,
    Variant,
    join,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.type_variables import K, V
from verifier.encodings.values import AtomValue, BooleanValue, FunctionValue, IntegerValue
from verifier.errors import among


class TupleValue(Value):
    """A tuple; ``t[0]`` is its first item."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        raise SortError("a tuple is not unpacked, nor looped over: write t[0], t[1]")

    def __getitem__(self, place: int) -> Any:
        assert isinstance(self.sort, Tuple)
        items = self.sort.items
        if isinstance(place, bool) or not isinstance(place, int):
            raise SortError(
                f"an item of a tuple is at a fixed place, as in t[0], not at {describe_value(place)}"
            )
        if not 0 <= place < len(items):
            raise SortError(f"the tuple has {len(items)} items, counted from 0, so none at {place}")
        return wrap(Term(Operator.FIELD, items[place], (self.term,), place))

    def updated(self, place: int, value: Any) -> TupleValue:
        """The tuple with another item at a place."""
        assert isinstance(self.sort, Tuple)
        changed = coerce(value, sort_of(self[place]))
        items = [changed if index == place else self[index] for index in range(len(self.sort.items))]
        return tuple_of(*items)


def tuple_of(*items: Any) -> TupleValue:
    """The tuple of these items: values of the state, booleans, integers."""
    terms = tuple(term_of(_value(item)) for item in items)
    return TupleValue(Term(Operator.TUPLE, Tuple(*(term.sort for term in terms)), terms))


def _value(item: Any) -> Value:
    if isinstance(item, Value):
        return item
    return coerce(item, BOOLEAN) if isinstance(item, bool) else integer(item)


class VariantValue(Value):
    """A value of one of several shapes. ``m.is_vote`` asks which; ``m.vote`` is what the tag holds."""

    __slots__ = ()

    @property
    def _sort(self) -> Variant:
        sort = self._term.sort
        assert isinstance(sort, Variant)
        return sort

    def is_(self, tag: str) -> BooleanValue:
        """True if this is the tag."""
        self._sort.payload(tag)
        return BooleanValue(Term(Operator.HAS_TAG, BOOLEAN, (self._term,), tag))

    def payload(self, tag: str) -> Any:
        """The payload of the tag; undefined if the value has another tag."""
        return wrap(Term(Operator.PAYLOAD, self._sort.payload(tag), (self._term,), tag))

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        tags = self._sort.payloads
        if name in tags:
            return self.payload(name)
        if name.removeprefix("is_") in tags:
            return self.is_(name.removeprefix("is_"))
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            tag = name.removeprefix("is_")
            raise AttributeError(f"the variant has no tag {tag!r} {among(tag, tags)}") from None


def variant(sort: Variant, tag: str, *payload: Any, **fields: Any) -> VariantValue:
    """A value of ``sort`` with this tag. A record is given by its fields, anything else as it is."""
    part = sort.payload(tag)
    if isinstance(part, Record) and not payload:
        held = term_of(record(part, **fields))
    elif part == UNIT and payload in ((), ((),)) and not fields:
        held = tuple_of().term
    elif part != UNIT and len(payload) == 1 and not fields:
        held = term_of(coerce(payload[0], part))
    else:
        wanted = (
            "nothing" if part == UNIT else "its fields by name" if isinstance(part, Record) else f"one {part}"
        )
        raise SortError(f"the tag {tag!r} is given {wanted}, not {_describe_given(payload, fields)}")
    made = Variant(**{name: held.sort if name == tag else other for name, other in sort.alternatives})
    return VariantValue(Term(Operator.VARIANT, made, (held,), tag))


def _describe_given(payload: tuple[Any, ...], fields: Mapping[str, Any]) -> str:
    words = [
        *map(describe_value, payload),
        *(f"{name}={describe_value(value)}" for name, value in fields.items()),
    ]
    return ", ".join(words) or "nothing"


class PartialFunctionValue(Value, Generic[K, V]):
    """A function whose domain varies. ``f[key]`` is undefined outside the domain.

    As the target of an assignment ``f[key]`` adds the key; a place below it needs the key to be there.
    """

    __slots__ = ()

    @property
    def _sort(self) -> PartialFunction:
        assert isinstance(self.sort, PartialFunction)
        return self.sort

    def __getitem__(self, key: K | Plain) -> V:
        at = term_of(coerce(key, self._sort.domain))
        result: V = wrap(Term(Operator.APPLY, self._sort.range, (self.term, at)))
        return result

    @property
    def domain(self) -> SetValue[K]:
        """The keys, as a set (TLA+ ``DOMAIN``)."""
        return SetValue(Term(Operator.DOMAIN, Set(self._sort.domain), (self.term,)))

    def contains(self, key: K | Plain) -> BooleanValue:
        """True if the key is in the domain."""
        return self.domain.contains(key)

    @property
    def is_empty(self) -> BooleanValue:
        """True if there is no key."""
        return self.domain.is_empty

    def updated(self, key: K | Plain, value: V | Plain) -> PartialFunctionValue[K, V]:
        """The function with ``key``, new or not, mapped to ``value`` (TLA+ ``(key :> value) @@ f``)."""
        at, to = term_of(coerce(key, self._sort.domain)), term_of(coerce(value, self._sort.range))
        sort = PartialFunction(join(self._sort.domain, at.sort), join(self._sort.range, to.sort))
        return PartialFunctionValue(Term(Operator.EXTEND, sort, (self.term, at, to)))

    def without(self, key: K | Plain) -> PartialFunctionValue[K, V]:
        """The function without the key, or the same function if it does not have the key."""
        at = term_of(coerce(key, self._sort.domain))
        return PartialFunctionValue(Term(Operator.WITHOUT, self.sort, (self.term, at)))


def wrapper(sort: Sort) -> type[Value]:
    """The class of a sort's expressions."""
    if isinstance(sort, Listed):
        return AtomValue if sort.bounds is None else IntegerValue
    return {Tuple: TupleValue, Variant: VariantValue, PartialFunction: PartialFunctionValue}[type(sort)]


def coerce_to_sorts(value: Any, sort: Sort) -> Value:
    """A Python value, which may have expressions in it, for a place that requires one of these sorts."""
    match sort, value:
        case Listed(), int() if sort.bounds is not None and not isinstance(value, bool):
            return integer(value)
        case Tuple(), tuple() | list() if len(value) == len(sort.items):
            return tuple_of(*map(coerce, value, sort.items))
        case Variant(), Tagged():
            return variant(sort, value.tag, value.payload)
        case PartialFunction(), Mapping():
            made: PartialFunctionValue = literal(sort, FrozenMap())
            for key, item in take(value).items():
                made = made.updated(key, item)
            return made
        case PartialFunction(), FunctionValue():
            return _partial(value)
    result: Value = literal(sort, value)
    return result


def concrete(sort: Sort, value: Any) -> Concrete:
    """A Python value as the concrete value of one of these sorts; None if it is none."""
    match sort, value:
        case Tuple(), tuple() | list() if len(value) == len(sort.items):
            return tuple(map(constant, sort.items, value))
        case Variant(), Tagged() if value.tag in sort.payloads:
            return Tagged(value.tag, constant(sort.payload(value.tag), value.payload))
        case PartialFunction(), Mapping():
            return FrozenMap(
                (constant(sort.domain, key), constant(sort.range, item)) for key, item in value.items()
            )
        case Listed(), _:
            return freeze(value)
    return None


def _partial(total: FunctionValue) -> PartialFunctionValue:
    """A total function as one whose domain is known not to vary."""
    assert isinstance(total.sort, Function)
    symbol = Symbol("key", total.sort.domain)
    applied = term_of(total[wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol))])
    always = coerce(True, BOOLEAN)
    sort = PartialFunction(total.sort.domain, applied.sort)
    terms = (always.term, applied)
    return PartialFunctionValue(Term(Operator.PARTIAL_FUNCTION, sort, terms, binds=symbol))
