"""Values of sorts as nodes: a scalar is one node; a set or function is a Python function to nodes, never an
array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from verifier.encodings.concrete import Element, FrozenMap, Tagged
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
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.sorts import Sequence as SequenceSort
from verifier.parametric.assumed import polynomial_node
from verifier.parametric.errors import NotParametric
from verifier.parametric.first_order_values import (
    Copies,
    Elements,
    Fields,
    Items,
    Mapped,
    Members,
    OptionOf,
    Partly,
    Quantified,
    Tags,
    Value,
    fields_of,
)
from verifier.parametric.logic import Logic
from verifier.parametric.named_sets import NamedSets
from verifier.parametric.nodes import BOOL, INT, Node
from verifier.parametric.traced import Polynomial, is_unbounded, polynomial_of


class Values:
    """Makes, compares and joins values."""

    def __init__(self, logic: Logic, axioms: dict[str, tuple[Node, ...]]) -> None:
        """``axioms``: of the symbols that are defined. Those of sets are added."""
        self.logic = logic
        self.sets = NamedSets(self, axioms)
        self.has_named_sets = False
        """True if the elements of a set have sets in them."""
        self.has_sets_in_states = False
        """True if the sets in variables are values themselves, too."""
        self.index_sets: dict[str, Polynomial] = {}
        self.sequences: dict[str, Elements] = {}
        """The sequences in a state whose items are elements of index sets, by the symbol of their length."""

    # Sorts

    def index_sort(self, sort: IndexSet) -> str:
        """Return the uninterpreted sort of an index set. Two of one name must have the same size."""
        count = polynomial_of(sort.count)
        name = f"sort {sort.name}"
        if dict(self.index_sets.setdefault(name, count)) != dict(count):
            raise NotParametric(f"two index sets are called {sort.name!r} and differ in their elements")
        return name

    def number(self, value: int) -> Node:
        """Return a Python integer as a node, with the constants from which it was computed."""
        return polynomial_node(self.logic, polynomial_of(value))

    def within(self, sort: Range, value: Node) -> Node:
        """Return the formula that the value is in the range. A range may be without a bound."""
        said = []
        if not is_unbounded(sort.low):
            said.append(self.logic.less_equal(self.number(sort.low), value))
        if not is_unbounded(sort.high):
            said.append(self.logic.less_equal(value, self.number(sort.high)))
        return self.logic.conj(said)

    def quantify(self, sort: Sort) -> Quantified:
        """Return all values of a sort that a quantifier can range over. Raises NotParametric for other
        sorts."""
        logic = self.logic
        match sort:
            case Boolean():
                variable = logic.variable(BOOL)
                return Quantified((variable,), variable, logic.true)
            case Range() | Enum() | Listed():
                variable = logic.variable(INT)
                return Quantified((variable,), variable, self.make_typing_formula(sort, variable))
            case IndexSet():
                variable = logic.variable(self.index_sort(sort))
                return Quantified((variable,), variable, logic.true)
            case Option():
                absent, inner = logic.variable(BOOL), self.quantify(sort.inner)
                within, distinct = logic.disj((absent, inner.within)), None
                if self.has_named_sets:
                    distinct = logic.ite(absent, self._is_unused(inner), inner.distinct or logic.true)
                    within = logic.conj((within, distinct))
                value = OptionOf(absent, inner.value, self.has_named_sets)
                return Quantified((absent, *inner.variables), value, within, distinct)
            case Record() | Tuple():
                parts = {name: self.quantify(part) for name, part in fields_of(sort)}
                return Quantified(
                    tuple(chain.from_iterable(part.variables for part in parts.values())),
                    Fields({name: part.value for name, part in parts.items()}),
                    logic.conj(part.within for part in parts.values()),
                    logic.conj(part.distinct for part in parts.values() if part.distinct is not None),
                )
            case Set():
                variable = logic.variable(self.sets.find_sort(sort))
                members = self.sets.make(sort, variable)
                return Quantified((variable,), members, self.make_typing_formula(sort, members))
        raise NotParametric(f"a quantifier goes over the values of {sort}, which are not first-order")

    # Values

    def _make_unused(self, sort: str) -> Node:
        if sort == BOOL:
            return self.logic.false
        return self.logic.integer(0) if sort == INT else self.logic.app(f"unused {sort}", sort)

    def make_unused(self, sort: Sort) -> Value:
        """Return the value of slots without meaning."""
        match sort:
            case IndexSet():
                return self._make_unused(self.index_sort(sort))
            case Option():
                return OptionOf(self.logic.true, self.make_unused(sort.inner))
            case Record() | Tuple():
                return Fields({name: self.make_unused(part) for name, part in fields_of(sort)})
            case Function():
                return Mapped(lambda _: self.make_unused(sort.range))
            case Set():
                return Members(lambda _: self.logic.false)
            case SequenceSort():
                return Items(self._make_unused(INT), lambda _: self.make_unused(sort.element))
            case Bag():
                return Copies(lambda _: self._make_unused(INT))
            case Variant():
                return Tags(
                    self._make_unused(INT), {tag: self.make_unused(part) for tag, part in sort.alternatives}
                )
            case PartialFunction():
                return Partly(lambda _: self.logic.false, lambda _: self.make_unused(sort.range))
        return self._make_unused(BOOL if isinstance(sort, Boolean) else INT)

    def _is_unused(self, one: Quantified) -> Node:
        """Return the formula that a value is that of unused slots."""
        return self.logic.conj(self.logic.equal(held, self._make_unused(held.sort)) for held in one.variables)

    def flat(self, sort: Sort, value: Value) -> tuple[Node, ...]:
        """Return a key as nodes: equal keys have equal nodes."""
        match sort, value:
            case (Option(), OptionOf()):
                inner = self.flat(sort.inner, value.value)
                if value.is_plain:
                    return (value.absent, *inner)
                unused = (self._make_unused(node.sort) for node in inner)
                held = (
                    self.logic.ite(value.absent, no, node) for no, node in zip(unused, inner, strict=True)
                )
                return (value.absent, *held)
            case (Record() | Tuple(), Fields()):
                return tuple(chain.from_iterable(self.flat(part, value.of[f]) for f, part in fields_of(sort)))
            case Set(), Members():
                return (self.sets.name(sort, value),)
            case _, Node() if not value.quantified:
                return (value,)
            case _, Node():
                raise NotParametric("a formula with quantifiers is a key, which has no first-order reading")
        raise NotParametric(f"values of {sort} are keys or elements, which has no first-order reading")

    def make_typing_formula(self, sort: Sort, value: Value) -> Node:
        """Return the formula that the value belongs to the sort."""
        logic = self.logic
        match sort, value:
            case Range(), Node():
                return self.within(sort, value)
            case Enum(), Node():
                return self.within(Range(0, len(sort.members) - 1), value)
            case Listed(), Node():
                return logic.disj(logic.equal(value, self.literal(sort, item)) for item in sort.members)  # type: ignore[arg-type]
            case Option(), OptionOf():
                return logic.disj((value.absent, self.make_typing_formula(sort.inner, value.value)))
            case ((Record() | Tuple()), Fields()):
                return logic.conj(self.make_typing_formula(part, value.of[f]) for f, part in fields_of(sort))
            case Function(), Mapped():
                return self.each(sort.domain, lambda key: self.make_typing_formula(sort.range, value.at(key)))
            case PartialFunction(), Partly():
                return self.each_any(
                    sort.domain,
                    lambda key, ok: logic.implies(
                        value.has(key), logic.conj((ok, self.make_typing_formula(sort.range, value.at(key))))
                    ),
                )
            case Set(), Members():
                return self.each_any(sort.element, lambda item, ok: logic.implies(value.contains(item), ok))
            case Bag(), Copies():
                most = Range(0, sort.maximum)
                return self.each_any(
                    sort.element,
                    lambda item, ok: logic.conj(
                        (self.within(most, value.of(item)), logic.disj((ok, self._zero(value.of(item)))))
                    ),
                )
            case SequenceSort(), Items():
                place = logic.variable(INT)
                inside = self.place_within(value, place)
                each = logic.implies(inside, self.make_typing_formula(sort.element, value.at(place)))
                bounded = self.within(Range(0, sort.capacity), value.length)
                return logic.conj((bounded, logic.forall((place,), each)))
            case Variant(), Tags():
                tags = sort.tags.members
                held = (
                    logic.implies(
                        logic.equal(value.tag, logic.integer(number)),
                        self.make_typing_formula(sort.payloads[str(tag)], value.payloads[str(tag)]),
                    )
                    for number, tag in enumerate(tags)
                )
                return logic.conj((self.within(Range(0, len(tags) - 1), value.tag), *held))
        return logic.true

    def make_typed_parts(self, sort: Sort, value: Value, name: str) -> Iterator[tuple[str, Node]]:
        """Yield the parts of `make_typing_formula` by name: one for each field, also in functions."""
        match sort, value:
            case ((Record() | Tuple()), Fields()):
                for field, part in fields_of(sort):
                    yield from self.make_typed_parts(part, value.of[field], f"{name}.{field}")
            case Function(), Mapped():
                one = self.quantify(sort.domain)
                for part_name, said in self.make_typed_parts(sort.range, value.at(one.value), name):
                    every = self.logic.implies(one.within, said)
                    yield part_name, self.logic.forall(one.variables, every)
            case _:
                yield name, self.make_typing_formula(sort, value)

    def _zero(self, node: Node) -> Node:
        return self.logic.equal(node, self.logic.integer(0))

    def place_within(self, value: Items, place: Node) -> Node:
        """Return the formula that the place is within the sequence."""
        logic = self.logic
        return logic.conj((logic.less_equal(logic.integer(0), place), logic.less(place, value.length)))

    def each(self, sort: Sort, says: Callable[[Value], Node]) -> Node:
        """Return the formula that a claim holds for all values of a sort."""
        one = self.quantify(sort)
        return self.logic.forall(one.variables, self.logic.implies(one.within, says(one.value)))

    def each_any(self, sort: Sort, says: Callable[[Value, Node], Node]) -> Node:
        """Return the formula that a claim holds for all values of a sort and those outside its bounds."""
        one = self.quantify(sort)
        said = says(one.value, one.within)
        return self.logic.forall(one.variables, self.logic.implies(one.distinct or self.logic.true, said))

    def equal(self, sort: Sort, one: Value, other: Value) -> Node:
        """Return the equality of two values of the sort."""
        logic = self.logic
        match sort, one, other:
            case _, Node(), Node():
                return logic.equal(one, other)
            case Option(), OptionOf(), OptionOf():
                both = logic.conj((one.absent, other.absent))
                same = self.equal(sort.inner, one.value, other.value)
                neither = (logic.neg(one.absent), logic.neg(other.absent))
                return logic.disj((both, logic.conj((*neither, same))))
            case ((Record() | Tuple()), Fields(), Fields()):
                return logic.conj(self.equal(part, one.of[f], other.of[f]) for f, part in fields_of(sort))
            case Function(), Mapped(), Mapped():
                return self.each(sort.domain, lambda key: self.equal(sort.range, one.at(key), other.at(key)))
            case Set(), Members(node=Node() as first), Members(node=Node() as second):
                return logic.equal(first, second)
            case Set(), Members(), Members():
                return self.each_any(
                    sort.element, lambda item, _: logic.iff(one.contains(item), other.contains(item))
                )
            case Bag(), Copies(), Copies():
                return self.each_any(sort.element, lambda item, _: logic.equal(one.of(item), other.of(item)))
            case SequenceSort(), Items(), Items():
                place = logic.variable(INT)
                same = self.equal(sort.element, one.at(place), other.at(place))
                each = logic.forall((place,), logic.implies(self.place_within(one, place), same))
                return logic.conj((logic.equal(one.length, other.length), each))
            case PartialFunction(), Partly(), Partly():
                return self.each_any(
                    sort.domain,
                    lambda key, _: logic.conj(
                        (
                            logic.iff(one.has(key), other.has(key)),
                            logic.implies(one.has(key), self.equal(sort.range, one.at(key), other.at(key))),
                        )
                    ),
                )
            case Variant(), Tags(), Tags():
                held = (
                    logic.implies(
                        logic.equal(one.tag, logic.integer(number)),
                        self.equal(part, one.payloads[tag], other.payloads[tag]),
                    )
                    for number, (tag, part) in enumerate(sort.alternatives)
                )
                return logic.conj((logic.equal(one.tag, other.tag), *held))
        raise NotParametric(f"values of {sort} are compared, which has no parametric reading")

    def choice(self, condition: Node, one: Any, other: Any) -> Any:
        """Return one value if the condition holds, else the other."""
        logic = self.logic
        if condition is logic.true or condition is logic.false:
            return one if condition is logic.true else other
        match one, other:
            case Node(), Node():
                return logic.ite(condition, one, other)
            case OptionOf(), OptionOf():
                if one.absent is logic.true or other.absent is logic.true:  # the value has no meaning there
                    value = other.value if one.absent is logic.true else one.value
                else:
                    value = self.choice(condition, one.value, other.value)
                return OptionOf(logic.ite(condition, one.absent, other.absent), value)
            case Fields(), Fields():
                return Fields({f: self.choice(condition, part, other.of[f]) for f, part in one.of.items()})
            case Mapped(), Mapped():
                return Mapped(lambda key: self.choice(condition, one.at(key), other.at(key)))
            case Members(), Members():
                return self.sets.choose(condition, one, other, as_value=self.has_sets_in_states)
            case Items(), Items():
                return Items(
                    logic.ite(condition, one.length, other.length),
                    lambda place: self.choice(condition, one.at(place), other.at(place)),
                )
            case Copies(), Copies():
                return Copies(lambda item: logic.ite(condition, one.of(item), other.of(item)))
            case Tags(), Tags():
                pairs = {tag: (part, other.payloads[tag]) for tag, part in one.payloads.items()}
                held = {tag: self.choice(condition, *pair) for tag, pair in pairs.items()}
                return Tags(logic.ite(condition, one.tag, other.tag), held)
            case Partly(), Partly():
                return Partly(
                    lambda key: logic.ite(condition, one.has(key), other.has(key)),
                    lambda key: self.choice(condition, one.at(key), other.at(key)),
                )
        raise NotParametric("values of different shapes are joined")

    def literal(self, sort: Sort, value: Any) -> Value:  # noqa: C901 -- one case each
        """Return a concrete value of the sort."""
        logic = self.logic
        match sort, value:
            case Boolean(), bool():
                return logic.truth(value)
            case Range(), int():
                return self.number(value)
            case Listed(), int():
                return self.number(value)
            case Enum(), _:
                return logic.integer(sort.members.index(value))
            case IndexSet(), Element():
                return logic.app(f"element {sort.name}: {value.name}", self.index_sort(sort))
            case Option(), None:
                return OptionOf(logic.true, self.make_unused(sort.inner))
            case Option(), _:
                return OptionOf(logic.false, self.literal(sort.inner, value))
            case Record(), FrozenMap():
                return Fields({f: self.literal(part, value[f]) for f, part in sort.fields})
            case Tuple(), tuple():
                pairs = zip(fields_of(sort), value, strict=True)
                return Fields({f: self.literal(part, item) for (f, part), item in pairs})
            case Set(), frozenset():
                items = [self.literal(sort.element, item) for item in value]
                return Members(lambda item: logic.disj(self.equal(sort.element, item, one) for one in items))
            case SequenceSort(), tuple():
                return self.make_sequence(sort.element, [self.literal(sort.element, item) for item in value])
            case Bag(), FrozenMap() if not value:
                return Copies(lambda _: logic.integer(0))
            case PartialFunction(), FrozenMap() if not value:
                return Partly(lambda _: logic.false, lambda _: self.make_unused(sort.range))
            case Variant(), Tagged():
                return self.make_variant(
                    sort, value.tag, self.literal(sort.payloads[value.tag], value.payload)
                )
        raise NotParametric(f"a literal of {sort} has no parametric reading: no element has a name there")

    def make_sequence(self, sort: Sort, items: Sequence[Value]) -> Items:
        """Return the sequence of these items."""
        logic = self.logic

        def at(place: Node) -> Value:
            value = items[-1] if items else self.make_unused(sort)
            for number, item in reversed(list(enumerate(items[:-1]))):
                value = self.choice(logic.equal(place, logic.integer(number)), item, value)
            return value

        return Items(logic.integer(len(items)), at)

    def make_variant(self, sort: Variant, tag: str, payload: Value) -> Tags:
        """Return a value of a variant."""
        number = [name for name, _ in sort.alternatives].index(tag)
        held = {t: payload if t == tag else self.make_unused(p) for t, p in sort.alternatives}
        return Tags(self.logic.integer(number), held)
