"""Conversion between values of the interpreter and values of a sort."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.tla.order import Order, OrderOfKinds, text
from verifier.tla.value_types import FALSE, TRUE, Fn, ModelValue, NoValue, Value, boolean, function
from verifier.tla.value_types import Boolean as Truth
from verifier.tla.values import materialize


class NotInSort(Exception):
    """Raised for a value that does not belong to a sort."""


class Names:
    """The names that strings, model values and listed values of a module have in sorts."""

    def __init__(
        self, order: Order, model_values: Iterable[ModelValue] = (), *, compact: bool = False
    ) -> None:
        """Model values keep their names from the module; a string with the same letters is quoted.
        ``compact``: states should be small."""
        self.order, self.compact = order, compact
        self.companions: list[list[Value]] = []
        """Sets of model values. Where one member of a set was seen, all others are expected too."""
        self.words: dict[Value, str] = {}
        self.meant: dict[Concrete, Value] = {}
        self._lists: dict[Sort, bool] = {}
        self._listed: dict[Sort, dict[Value, Concrete]] = {}
        for value in model_values:
            self.word(value)

    def word(self, value: Value) -> str:
        """Return the member of an enumeration for a string, a model value, or a value that is listed."""
        word = self.words.get(value)
        if word is None:
            word = value.name if isinstance(value, ModelValue) else value or "(empty)"
            if not isinstance(word, str):
                word = text(value, self.order)
            if word in self.meant and isinstance(value, str):
                word = f'"{word}"'
            while word in self.meant:
                word += "'"
            self.words[value], self.meant[word] = word, value
        return word

    def lists(self, sort: Sort) -> bool:
        """True if a sort lists values that have parts."""
        if not isinstance(sort, Listed):
            return False
        lists = self._lists.get(sort)
        if lists is None:
            meant = (self.meant.get(one) for one in sort.members)
            lists = self._lists[sort] = any(isinstance(one, tuple | Fn | frozenset) for one in meant)
        return lists

    def listing(self, sort: Sort) -> dict[Value, Concrete]:
        """Map each value that a sort stands for to its value in the sort. The order is TLC's where TLC has
        one."""
        listing = self._listed.get(sort)
        if listing is None:
            meant = {self.decode(one, sort): one for one in sort.values()}
            try:
                order = self.order.sort(frozenset(meant))
            except NoValue:
                order = OrderOfKinds(self.order).sort(frozenset(meant))
            listing = self._listed[sort] = {one: meant[one] for one in order}
        return listing

    # -- values to sorts

    def encode(self, value: Value, sort: Sort) -> Concrete:
        """Return the value of a sort for a value of the interpreter. Raises NotInSort, also for a set that is
        too large to be listed."""
        try:
            value = materialize(value)
        except NoValue:
            raise NotInSort from None
        code = self._encode(value, sort)
        if not isinstance(sort, Variant) and not _quickly(sort, code):
            raise NotInSort
        return code

    def _encode(self, value: Value, sort: Sort) -> Concrete:
        match sort, value:
            case Boolean(), Truth():
                return bool(value)
            case ((Range() | Listed()), int()):
                return value
            case (Listed(), str()) | (Listed(), ModelValue()):
                return self.word(value)
            case Listed(), (tuple() | Fn() | frozenset()) if value in self.words:
                return self.words[value]
            case Set(), frozenset():
                return frozenset(self.encode(item, sort.element) for item in value)
            case Tuple(), tuple() if len(value) == len(sort.items):
                return tuple(self.encode(v, s) for v, s in zip(value, sort.items, strict=True))
            case Sequence(), tuple() if len(value) <= sort.capacity:
                return tuple(self.encode(item, sort.element) for item in value)
            case Record(), Fn() if value.keys() == sort.field_sorts.keys():
                return FrozenMap((name, self.encode(value[name], s)) for name, s in sort.fields)
            case ((Function() | PartialFunction()), (Fn() | tuple())):
                return self._function(value, sort)
            case Variant(), _:
                return self._tag(value, sort)
        raise NotInSort

    def _tag(self, value: Value, sort: Variant) -> Concrete:
        for tag, part in sort.alternatives:
            try:
                return Tagged(tag, self.encode(value, part))
            except NotInSort:
                continue
        raise NotInSort

    def _function(self, value: Value, sort: Function | PartialFunction) -> Concrete:
        pairs = dict(enumerate(value, 1)) if isinstance(value, tuple) else value
        values = {self.encode(k, sort.domain): self.encode(v, sort.range) for k, v in pairs.items()}
        if isinstance(sort, Function):
            keys = tuple(sort.domain.each())
            if len(keys) != len(values) or any(key not in values for key in keys):
                raise NotInSort
            return FrozenMap((key, values[key]) for key in keys)
        return FrozenMap(values)

    # -- and back

    def decode(self, value: Concrete, sort: Sort) -> Value:
        """Return the value of the interpreter for a value of a sort."""
        match sort, value:
            case Boolean(), bool():
                return TRUE if value else FALSE
            case Variant(), Tagged():
                return self.decode(value.payload, sort.payload(value.tag))
            case Set(), frozenset():
                return frozenset(self.decode(item, sort.element) for item in value)
            case Tuple(), tuple():
                return tuple(self.decode(v, s) for v, s in zip(value, sort.items, strict=True))
            case Sequence(), tuple():
                return tuple(self.decode(item, sort.element) for item in value)
            case Record(), FrozenMap():
                sorts = sort.field_sorts
                return function({name: self.decode(part, sorts[name]) for name, part in value.items()})
            case ((Function() | PartialFunction()), FrozenMap()):
                return function(
                    {self.decode(k, sort.domain): self.decode(v, sort.range) for k, v in value.items()}
                )
        if isinstance(value, int):
            return value
        return self.meant[value]


def _quickly(sort: Sort, value: Concrete) -> bool:
    """True if a scalar is in its sort. Other values pass: their parts are checked already."""
    match sort:
        case Range() | Listed() | Boolean():
            return sort.contains(value)
    return True


__all__ = ["Names", "NotInSort", "boolean"]
