"""Choices of a module's constants at which it is compared with what is read of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from verifier.encodings.open_integers import LARGEST
from verifier.tla.first_order.constants import Constants
from verifier.tla.first_order.families import Family, all_families
from verifier.tla.first_order.protocol_classes import USUAL_LARGEST

_FEW = 2
"""The number of elements up to which all families of parts are tried."""
_MOST_FAMILIES = 20
"""The limit of families that are tried at one choice of the other constants."""
_DRAWN_FAMILIES = 3
"""The number of families that are drawn of greater sets, beside that of all majorities."""

Parts = tuple[frozenset[int], ...]
"""The sets of a family, of elements by their places."""


@dataclass(frozen=True)
class Choice:
    """Values of all constants, up to the names of elements."""

    sizes: dict[str, int]
    """The number of elements of each set, and of sets of each family, and the values of the integers."""
    families: dict[str, Parts] = field(default_factory=dict)
    is_own: bool = False
    """True for the constants of the configuration."""

    def settings(self, constants: Constants) -> dict[str, str]:
        """Return the texts of the constants. Elements of sets are model values with new names."""
        settings = {}
        for name, size in self.sizes.items():
            if name == LARGEST:  # no constant of the module
                continue
            if name in self.families:
                base = constants.families[name].base
                parts = (self._set(base, sorted(part)) for part in self.families[name])
                settings[name] = f"{{{', '.join(parts)}}}"
            else:
                settings[name] = self._set(name, range(size)) if name in constants.sets else str(size)
        return settings

    @staticmethod
    def _set(name: str, places: Any) -> str:
        return f"{{{', '.join(f'{name}element{place + 1}' for place in places)}}}"

    @property
    def shown(self) -> str:
        """Return the constants for messages."""
        words = [f"{name}={size}" for name, size in self.sizes.items() if name not in self.families]
        for name, parts in self.families.items():
            sets = (f"{{{', '.join(str(place + 1) for place in sorted(part))}}}" for part in parts)
            words.append(f"{name}={{{', '.join(sets)}}}")
        return ", ".join(words)


def choices_of(constants: Constants, chance: Random) -> Iterator[Choice]:
    """Yield choices, each once: that of the configuration, far greater integers, small, and greater ones.

    Two sums of constants may be ordered otherwise at great integers.
    """
    plain = {name: len(values) for name, values in constants.sets.items() if name not in constants.families}
    numbers = {**constants.numbers, **({LARGEST: USUAL_LARGEST} if constants.has_unbounded else {})}
    own = {**plain, **numbers}
    given = {name: _places(one, constants) for name, one in constants.families.items()}
    yield Choice({**own, **{name: len(parts) for name, parts in given.items()}}, given, is_own=True)
    seen = [] if given else [own]
    far = {name: 3 * size + 7 if name in numbers else size for name, size in own.items()}
    greater = [far] if numbers else []  # else it is the configuration's, with other families
    sizes = [*greater, *(dict.fromkeys(own, size) for size in (1, 2, 3))]
    sizes += [{**own, name: own[name] + more} for name in own for more in (1, -1)]
    for one in sizes:
        if one not in seen and all(size >= (name in plain or name == LARGEST) for name, size in one.items()):
            seen.append(one)
            yield from with_families(one, constants, chance)


def _places(family: Family, constants: Constants) -> Parts:
    elements = constants.sets[family.base]
    return tuple(frozenset(elements.index(one) for one in part) for part in family.given)


def with_families(sizes: dict[str, int], constants: Constants, chance: Random) -> Iterator[Choice]:
    """Yield a choice with each of some families."""
    known = constants.families
    each = [list(_families(one, sizes[one.base], chance)) for one in known.values()]
    for _, parts in zip(range(_MOST_FAMILIES), product(*each), strict=False):
        given: Mapping[str, Parts] = dict(zip(known, parts, strict=True))
        yield Choice({**sizes, **{name: len(one) for name, one in given.items()}}, dict(given))


def _families(family: Family, size: int, chance: Random) -> Iterator[Parts]:
    """Yield families of parts of a set, which meet if that is assumed: all of a small set."""
    if size <= _FEW:
        yield from filter(lambda parts: _fits(family, parts), all_families(size))
        return
    elements = range(size)
    masks = [frozenset(e for e in elements if mask >> e & 1) for mask in range(1 << min(size, 6))]
    yield tuple(part for part in masks if len(part) * 2 > size)
    number = 0
    for _ in range(50 * _DRAWN_FAMILIES):
        parts = tuple(chance.sample(masks, chance.randint(1, min(4, len(masks)))))
        if number < _DRAWN_FAMILIES and _fits(family, parts):
            number += 1
            yield parts


def _fits(family: Family, parts: Parts) -> bool:
    return not family.meets or all(one & other for one in parts for other in parts)
