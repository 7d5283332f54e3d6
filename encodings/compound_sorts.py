"""Further sorts with parts: tuples, variants, and functions whose domain varies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Generic

from verifier.encodings import counting
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.counting import cap_count, power
from verifier.encodings.scalar_sorts import Enum, Sort, SortError, require_sort
from verifier.encodings.type_variables import K, V
from verifier.errors import among

if TYPE_CHECKING:
    from verifier.encodings.compound_values import (  # noqa: F401 -- in quotes below
        PartialFunctionValue,
        TupleValue,
        VariantValue,
    )


@dataclass(frozen=True, init=False)
class Tuple(Sort["TupleValue"]):
    """Values of several sorts in a fixed order: ``Tuple(Range(0, 3), nodes)``; ``t[0]`` is the first."""

    items: tuple[Sort, ...]

    def __init__(self, *items: Sort) -> None:
        for place, sort in enumerate(items):
            require_sort(f"item {place} of a Tuple", sort)
        object.__setattr__(self, "items", items)

    def values(self) -> Iterator[Concrete]:
        return product(*(sort.each() for sort in self.items))

    @property
    def size(self) -> int:
        return counting.product(sort.size for sort in self.items)

    def _contains(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.items)
            and all(sort.contains(item) for sort, item in zip(self.items, value, strict=True))
        )

    @property
    def default(self) -> Concrete:
        return tuple(sort.default for sort in self.items)

    def parts(self) -> PythonSequence[Sort]:
        return self.items

    @property
    def lacking(self) -> Sort | None:
        return next((part for sort in self.items if (part := sort.lacking)), None)

    def __str__(self) -> str:
        return f"Tuple({', '.join(map(str, self.items))})"


class NoTag(SortError, AttributeError):
    """A variant was asked for a tag that it does not have."""


UNIT = Tuple()
"""The sort with one value, the empty tuple: what a tag without payload holds."""


@dataclass(frozen=True, init=False)
class Variant(Sort["VariantValue"]):
    """Values of several shapes, told apart by a tag: ``Variant(vote=Record(voter=nodes), stop=None)``.

    ``sort.vote(voter=n)`` makes a value. ``m.is_vote`` asks for the tag, and ``m.vote`` is what it holds; it
    has no value if the tag is another. A tag with ``None`` holds nothing: ``sort.stop()``. ``sort.make``,
    ``m.is_`` and ``m.payload`` do the same with the tag as a word. The tags order the values.
    """

    alternatives: tuple[tuple[str, Sort], ...]

    def __init__(self, **alternatives: Sort | None) -> None:
        if not alternatives:
            raise SortError("a Variant has a tag at least, as in Variant(vote=Record(…), stop=None)")
        for tag, sort in alternatives.items():
            if tag in _NOT_TAGS or tag.startswith(("_", "is_")) or not tag.isidentifier():
                raise SortError(f"a Variant cannot have the tag {tag!r}: its expressions use that name")
            if sort is not None:
                require_sort(f"what the tag {tag} of a Variant holds", sort)
        given = tuple((tag, UNIT if sort is None else sort) for tag, sort in alternatives.items())
        object.__setattr__(self, "alternatives", given)

    @property
    def payloads(self) -> dict[str, Sort]:
        """The payload sort of each tag."""
        return dict(self.alternatives)

    @property
    def tags(self) -> Enum:
        """The tags."""
        return Enum("tag", tuple(self.payloads))

    def payload(self, tag: str) -> Sort:
        """The payload sort of a tag. Raises SortError for another word, with the tags."""
        sort = self.payloads.get(tag)
        if sort is None:
            raise SortError(f"the variant has no tag {tag!r} {among(tag, self.payloads)}")
        return sort

    def make(self, tag: str, *payload: Any, **fields: Any) -> Any:
        """A value with this tag. A record is given by its fields, anything else as it is."""
        from verifier.encodings.compound_values import variant  # it needs the sorts

        return variant(self, tag, *payload, **fields)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or "alternatives" not in self.__dict__:  # it is being copied
            raise AttributeError(name)
        if name not in self.payloads:
            raise NoTag(f"the variant has no tag {name!r} {among(name, self.payloads)}")
        return lambda *payload, **fields: self.make(name, *payload, **fields)

    def values(self) -> Iterator[Concrete]:
        for tag, sort in self.alternatives:
            for value in sort.values():
                yield Tagged(tag, value)

    @property
    def size(self) -> int:
        return cap_count(sum(sort.size for _, sort in self.alternatives))

    def _contains(self, value: Any) -> bool:
        return (
            isinstance(value, Tagged)
            and value.tag in self.payloads
            and self.payloads[value.tag].contains(value.payload)
        )

    @property
    def default(self) -> Concrete:
        tag, sort = next((each for each in self.alternatives if each[1].size), self.alternatives[0])
        return Tagged(tag, sort.default)

    def parts(self) -> PythonSequence[Sort]:
        return tuple(sort for _, sort in self.alternatives)

    @property
    def lacking(self) -> Sort | None:
        """Unused payloads need a value, too."""
        return next((part for _, sort in self.alternatives if (part := sort.lacking)), None)

    def __str__(self) -> str:
        shown = (tag if sort == UNIT else f"{tag}: {sort}" for tag, sort in self.alternatives)
        return f"Variant({', '.join(shown)})"


_NOT_TAGS = frozenset(
    {"alternatives", "contains", "default", "each", "is_scalar", "lacking", "make", "parts", "payload"}
    | {"payloads", "size", "tag", "tags", "values"}
    | {"None", "Some"}
)
"""Names that variants and their expressions use themselves, and the tags of options in files."""


@dataclass(frozen=True)
class PartialFunction(Sort["PartialFunctionValue[K, V]"], Generic[K, V]):
    """Functions from some values of ``domain`` to ``range``: which ones, varies.

    ``PartialFunction(message, Range(0, n))`` is a bag that tells a count of 0 from absence, as messages of
    TLA+ specifications do. Two are equal if they are equal as sets of pairs. Smaller domains come first;
    domains of the same size are ordered as sets are, and functions with the same domain by their values.
    """

    domain: Sort[K]
    range: Sort[V]

    def __post_init__(self) -> None:
        require_sort("the domain of a PartialFunction", self.domain)
        require_sort("the range of a PartialFunction", self.range)

    @property
    def lacking(self) -> Sort | None:
        """The payload of an absent key needs a value, too."""
        return self.range.lacking if self.domain.size else None

    def values(self) -> Iterator[Concrete]:
        yield FrozenMap()
        keys = tuple(self.domain.each())
        values = tuple(self.range.each())
        for count in range(1, len(keys) + 1):
            for chosen in combinations(keys, count):
                for choice in product(values, repeat=count):
                    yield FrozenMap(zip(chosen, choice, strict=True))

    @property
    def size(self) -> int:
        return power(cap_count(1 + self.range.size), self.domain.size)

    def _contains(self, value: Any) -> bool:
        return isinstance(value, FrozenMap) and all(
            self.domain.contains(key) and self.range.contains(item) for key, item in value.items()
        )

    @property
    def default(self) -> Concrete:
        return FrozenMap()

    def parts(self) -> PythonSequence[Sort]:
        return (self.domain, self.range)

    def __str__(self) -> str:
        return f"[{self.domain} ⇸ {self.range}]"
