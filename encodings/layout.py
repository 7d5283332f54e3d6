"""Layout: the bits of each scalar field of the state, and conversion between bits and concrete values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import codes
from verifier.encodings.bits import TRUE, bit, conjunction, disjunction
from verifier.encodings.codes import Code
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged, show
from verifier.encodings.lowered import (
    Lowered,
    LoweredOption,
    LoweredSequence,
    LoweredVariant,
    Slot,
    children,
    equal,
    holds,
    lower_constant,
)
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
    Tuple,
    Variant,
)


@dataclass(frozen=True)
class Part:
    """A step of a path to a part with a name. The other steps are keys."""

    name: str


Path = tuple[Concrete, ...]
"""A variable's name, then the keys and named parts that lead to one scalar."""


class Relation(StrEnum):
    """The relation between a state bit and its field."""

    IS_TRUE = "is true"
    EQUALS = "="
    AT_LEAST = "≥"
    IN = "∈"


_OPPOSITE = {Relation.EQUALS: "≠", Relation.AT_LEAST: "<", Relation.IN: "∉"}


@dataclass(frozen=True)
class BitMeaning:
    """The meaning of a set state bit: the field at ``path`` has this relation to ``value``."""

    path: Path
    relation: Relation
    value: Concrete
    """Of IS_TRUE it is True."""
    is_of_set: bool = False
    """True if the field says that a set has a member: the last step of the path."""

    def text(self, is_set: bool) -> str:
        """Describe the set or the clear bit: ``log[r2][1].epoch ≥ 2``, ``up[r1]``, ``r1 ∈ isr``."""
        if self.is_of_set:
            return f"{show(self.path[-1])} {'∈' if is_set else '∉'} {path_text(self.path[:-1])}"
        name = path_text(self.path)
        if self.relation is Relation.IS_TRUE:
            return name if is_set else f"¬{name}"
        return f"{name} {self.relation if is_set else _OPPOSITE[self.relation]} {show(self.value)}"


class Place(int):
    """A step of a path to a place of a sequence or tuple, counted from 0. Other integers are keys."""


_PRESENT = Part("is some")
"""The step to the condition that an option holds a value. No field can have this name."""
_HELD = Part("is there")
"""The step to the condition that a partial function has a key. What it has for the key may be an option."""
_LENGTH = Part("length")
_TAG = Part("tag")
"""The step to the tag of a variant. No tag can have this name."""


@dataclass(frozen=True)
class Leaf:
    """One scalar field of the state: its path, its values in order, and the bits that hold it."""

    path: Path
    values: tuple[Concrete, ...]
    code: Code | None
    """None for a single boolean."""
    bits: tuple[FNode, ...]
    is_of_set: bool = False
    """True if it says that a set has a member."""

    @property
    def name(self) -> str:
        """The path as text: ``log[r2][1].epoch``."""
        return path_text(self.path)

    def meaning(self, index: int) -> BitMeaning:
        """The meaning of the bit with this index in ``bits``."""
        if self.code is None:
            return BitMeaning(self.path, Relation.IS_TRUE, True, self.is_of_set)
        if self.code is Code.THERMOMETER:
            return BitMeaning(self.path, Relation.AT_LEAST, self.values[index + 1])
        if self.code is Code.BINARY:
            held = (value for place, value in enumerate(self.values) if place >> index & 1)
            return BitMeaning(self.path, Relation.IN, frozenset(held))
        return BitMeaning(self.path, Relation.EQUALS, self.values[index])

    def decode(self, bits: PythonSequence[bool]) -> Concrete:
        """The value that concrete bits hold. Raises ValueError if they hold none."""
        return bits[0] if self.code is None else codes.decode_concrete(self.code, self.values, bits)

    def encode(self, value: Any) -> list[bool]:
        """The concrete bits that hold ``value``."""
        return [value] if self.code is None else codes.encode_concrete(self.code, self.values, value)


def path_text(path: Path) -> str:
    """A path as text."""
    text = str(path[0])
    for step in path[1:]:
        text += f".{step.name}" if isinstance(step, Part) else f"[{show(step)}]"
    return text


def _count_places(path: Path, first_index: int) -> Path:
    """The path, with places counted from a number."""
    return tuple(Place(step + first_index) if isinstance(step, Place) else step for step in path)


class Layout:
    """The bits of named variables. ``lowered`` gives each variable's symbolic value."""

    def __init__(self, sorts: Mapping[str, Sort]) -> None:
        self.sorts = dict(sorts)
        leaves: list[Leaf] = []
        self.lowered: dict[str, Lowered] = {}
        self._leaves_of: dict[str, list[Leaf]] = {}
        for name, sort in sorts.items():
            first = len(leaves)
            self.lowered[name] = _declare(sort, (name,), leaves)
            self._leaves_of[name] = leaves[first:]
        self.leaves = tuple(leaves)
        self.bits: tuple[FNode, ...] = tuple(bit for leaf in leaves for bit in leaf.bits)
        # Solvers, certificates and exported files identify bits by their names.
        assert len(set(self.bits)) == len(self.bits), "two bits have one name"

    def meanings(self, first_index: int = 0) -> dict[str, BitMeaning]:
        """Describe each bit, by the bit's name. Places of sequences and tuples are counted from a number."""
        return {
            symbol.symbol_name(): replace(leaf.meaning(index), path=_count_places(leaf.path, first_index))
            for leaf in self.leaves
            for index, symbol in enumerate(leaf.bits)
        }

    def valid(self) -> FNode:
        """True if the bits hold a state: codes stand for values, and unused slots hold their defaults."""
        held = [codes.valid(leaf.code, len(leaf.values), leaf.bits) for leaf in self.leaves if leaf.code]
        canonical = [_canonical(sort, self.lowered[name]) for name, sort in self.sorts.items()]
        return conjunction((*held, *canonical))

    def encode(self, values: Mapping[str, Lowered]) -> list[FNode]:
        """The bits of new symbolic values, in the order of ``bits``."""
        result: list[FNode] = []
        for name, sort in self.sorts.items():
            leaves = self._leaves_of[name]
            if values[name] is self.lowered[name]:
                result.extend(bit for leaf in leaves for bit in leaf.bits)
            else:
                _encode(sort, values[name], iter(leaves), result)
        return result

    def encode_state(self, state: Mapping[str, Any]) -> list[bool]:
        """The bits of a concrete state, in the order of ``bits``."""
        parts = [part for name, sort in self.sorts.items() for part in _flatten(sort, state[name])]
        return [bit for leaf, part in zip(self.leaves, parts, strict=True) for bit in leaf.encode(part)]

    def decode_state(self, bits: PythonSequence[bool]) -> dict[str, Concrete]:
        """The concrete state that the values of ``self.bits`` hold. Raises ValueError if they hold none."""
        position, parts = 0, []
        for leaf in self.leaves:
            parts.append(leaf.decode(bits[position : position + len(leaf.bits)]))
            position += len(leaf.bits)
        values = iter(parts)
        state = {name: _assemble(sort, values) for name, sort in self.sorts.items()}
        if self.encode_state(state) != list(bits):
            raise ValueError("the bits hold no state: an unused slot is not at its default")
        return state


def _declare(sort: Sort, path: Path, leaves: list[Leaf]) -> Any:
    if sort.is_scalar:
        code, values = codes.code_of(sort), tuple(sort.each())
        if not values:
            raise SortError(f"{path_text(path)} cannot have a value: {sort} is empty")
        name = path_text(path)
        bits = tuple(bit(f"{name}#{index}") for index in range(codes.bit_count(code, len(values))))
        leaves.append(Leaf(path, values, code, bits))
        return codes.decode(code, values, bits)
    match sort:
        case Boolean():
            return _declare_boolean(path, leaves)
        case Option():
            step = _HELD if isinstance(sort, Slot) else _PRESENT
            present = _declare(Boolean(), (*path, step), leaves)
            return LoweredOption(present, _declare(sort.inner, path, leaves))
        case Sequence():
            length = _declare(Range(0, sort.capacity), (*path, _LENGTH), leaves)
            places = map(Place, range(sort.capacity))
            slots = tuple(_declare(sort.element, (*path, place), leaves) for place in places)
            return LoweredSequence(length, slots)
        case Variant():
            tag = _declare(sort.tags, (*path, _TAG), leaves)
            payloads = {name: _declare(part, (*path, Part(name)), leaves) for name, part in sort.alternatives}
            return LoweredVariant(tag, payloads)
        case Record():
            return {name: _declare(part, (*path, Part(name)), leaves) for name, part in sort.fields}
        case Tuple():
            return {key: _declare(part, (*path, Place(key)), leaves) for key, part in enumerate(sort.items)}
        case Set():
            return {key: _declare_boolean((*path, key), leaves, is_of_set=True) for key, _ in children(sort)}
    return {key: _declare(part, (*path, key), leaves) for key, part in children(sort)}


def _declare_boolean(path: Path, leaves: list[Leaf], *, is_of_set: bool = False) -> FNode:
    variable = bit(path_text(path))
    leaves.append(Leaf(path, (False, True), None, (variable,), is_of_set))
    return variable


def _canonical(sort: Sort, value: Any) -> FNode:
    match value:
        case LoweredOption():
            assert isinstance(sort, Option)
            default = equal(value.payload, lower_constant(sort.inner, sort.inner.default))
            inner = _canonical(sort.inner, value.payload)
            return conjunction((inner, disjunction((value.present, default))))
        case LoweredSequence():
            assert isinstance(sort, Sequence)
            filler = lower_constant(sort.element, sort.element.default)
            slots = []
            for index, slot in enumerate(value.slots):
                unused = disjunction((value.length.at_least(index + 1), equal(slot, filler)))
                slots.append(conjunction((_canonical(sort.element, slot), unused)))
            return conjunction(slots)
        case LoweredVariant():
            assert isinstance(sort, Variant)
            payloads = []
            for held, tag, payload in value.iterate_payloads():
                part = sort.payload(tag)
                unused = disjunction((held, equal(payload, lower_constant(part, part.default))))
                payloads.append(conjunction((_canonical(part, payload), unused)))
            return conjunction(payloads)
        case dict():
            sorts = dict(children(sort))
            return conjunction(_canonical(sorts[key], part) for key, part in value.items())
    return TRUE


def _encode(sort: Sort, value: Any, leaves: Iterator[Leaf], result: list[FNode]) -> None:
    match sort:
        case _ if sort.is_scalar:
            leaf = next(leaves)
            assert leaf.code is not None
            result.extend(codes.encode(leaf.code, leaf.values, value))
        case Boolean():
            next(leaves)
            result.append(holds(value))
        case Option():
            next(leaves)
            result.append(value.present)
            _encode(sort.inner, value.payload, leaves, result)
        case Sequence():
            _encode(Range(0, sort.capacity), value.length, leaves, result)
            for slot in value.slots:
                _encode(sort.element, slot, leaves, result)
        case Variant():
            _encode(sort.tags, value.tag, leaves, result)
            for tag, part in sort.alternatives:
                _encode(part, value.payloads[tag], leaves, result)
        case Set() | Bag():
            for key, part in children(sort):
                held = value[key] if key in value else lower_constant(part, part.default)
                _encode(part, held, leaves, result)
        case _:
            for key, part in children(sort):
                _encode(part, value[key], leaves, result)


def _flatten(sort: Sort, value: Any) -> Iterator[Concrete]:
    match sort:
        case _ if sort.is_scalar or isinstance(sort, Boolean):
            yield value
        case Option():
            yield value is not None
            yield from _flatten(sort.inner, sort.inner.default if value is None else value)
        case Sequence():
            yield len(value)
            for item in (*value, *[sort.element.default] * (sort.capacity - len(value))):
                yield from _flatten(sort.element, item)
        case Set():
            yield from (item in value for item in sort.element.each())
        case Bag():
            yield from (value.get(item, 0) for item in sort.element.each())
        case Variant():
            yield value.tag
            for tag, part in sort.alternatives:
                yield from _flatten(part, value.payload if tag == value.tag else part.default)
        case PartialFunction():
            for key in sort.domain.each():
                yield key in value
                yield from _flatten(sort.range, value.get(key, sort.range.default))
        case _:
            for key, part in children(sort):
                yield from _flatten(part, value[key])


def _assemble(sort: Sort, parts: Iterator[Concrete]) -> Any:
    match sort:
        case _ if sort.is_scalar or isinstance(sort, Boolean):
            return next(parts)
        case Option():
            present = next(parts)
            payload = _assemble(sort.inner, parts)
            return payload if present else None
        case Sequence():
            length = next(parts)
            assert isinstance(length, int)
            return tuple([_assemble(sort.element, parts) for _ in range(sort.capacity)][:length])
        case Set():
            return frozenset([item for item in sort.element.each() if next(parts)])
        case Bag():
            counts = [(item, next(parts)) for item in sort.element.each()]
            return FrozenMap((item, count) for item, count in counts if count)
        case Tuple():
            return tuple([_assemble(part, parts) for part in sort.items])
        case Variant():
            tag = next(parts)
            assert isinstance(tag, str)
            return Tagged(tag, {name: _assemble(part, parts) for name, part in sort.alternatives}[tag])
        case PartialFunction():
            entries = [(key, next(parts), _assemble(sort.range, parts)) for key in sort.domain.each()]
            return FrozenMap((key, value) for key, present, value in entries if present)
        case _:
            return FrozenMap([(key, _assemble(part, parts)) for key, part in children(sort)])
