"""Classes of states of which one is explored.

They are made by interchangeable elements of index sets (``orbits``), or by the permutations of words that a
definition names. All of the latter are tried: the least image of a state represents its class. Permutations
of words are seldom permutations of bits, because words have a binary code. So each generator of the group is
compiled, and the others are made by applying generators one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.concrete import Concrete
from verifier.encodings.renaming import rename_bits
from verifier.encodings.sorts import Listed, sorts_in
from verifier.explicit.compiled import Compiled, Program
from verifier.explicit.orbits import Orbits, octets, where_different, where_less
from verifier.explicit.packing import Rows, Slices, to_rows, to_slices
from verifier.specs.definition import DefinitionError
from verifier.system.model import Model

_AT_ONCE = 1 << 16
"""States that are permuted at once."""
_MOST_PERMUTATIONS = 1_000


class Classes(Protocol):
    """The representative of each state, and the number of states that it represents."""

    size: int
    """The number of permutations."""

    def representatives(self, rows: Rows) -> Rows:
        """Return for each state the state that represents its class."""

    def sizes(self, rows: Rows) -> NDArray[np.int64]:
        """Return for each state the size of its class."""


def classes_of(model: Model, *, symmetry: bool) -> Classes | None:
    """Return the classes by the definition's permutations, or, with ``symmetry``, by the interchangeable
    elements. None if each state is a class of its own."""
    if model.definition.permutations:
        return PermutedWords(model)
    return Orbits(model) if symmetry and model.system.symmetries else None


@dataclass(frozen=True)
class _Branch:
    """An element of the group: the one above, and then a generator."""

    generator: int
    further: tuple[_Branch, ...]


class PermutedWords:
    """Classes by permutations of words. It can be pickled."""

    def __init__(self, model: Model) -> None:
        generators = model.definition.permutations
        self._bits = len(model.system.bits)
        self._generators = tuple(_compile(model, generator) for generator in generators)
        self._tree, self.size = _tree(generators)

    def representatives(self, rows: Rows) -> Rows:
        """Return for each state the state that represents its class."""
        return np.concatenate([rows[:0], *(self._canonical(some) for some in _parts(rows))])

    def sizes(self, rows: Rows) -> NDArray[np.int64]:
        """Return for each state the size of its class."""
        fixed = [self._count_fixing_permutations(some) for some in _parts(rows)]
        return self.size // np.concatenate([np.empty(0, np.int64), *fixed])

    def _canonical(self, rows: Rows) -> Rows:
        """The representative of each state."""
        start = to_slices(rows, max(1, self._bits))
        best = start.copy()
        for image in self._images(start, self._tree):
            less = where_less(image, best)
            if less.any():
                best ^= (image ^ best) & less
        return to_rows(best, len(rows))

    def _count_fixing_permutations(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of permutations that leave each state unchanged."""
        start, fixed = to_slices(rows, max(1, self._bits)), np.ones(len(rows), np.int64)
        for image in self._images(start, self._tree):
            fixed += 1 - octets(where_different(image, start), len(rows))
        return fixed

    def _images(self, slices: Slices, branches: Sequence[_Branch]) -> Iterator[Slices]:
        for branch in branches:
            image = np.array(self._generators[branch.generator](list(slices)))
            yield image
            yield from self._images(image, branch.further)


def _parts(rows: Rows) -> Iterator[Rows]:
    return (rows[first : first + _AT_ONCE] for first in range(0, len(rows), _AT_ONCE))


def _compile(model: Model, words: Mapping[str, str]) -> Compiled:
    """Compile the image of a state under a permutation of words. Raises DefinitionError where it leads
    out of a sort."""
    renaming: dict[Listed, Mapping[Concrete, Concrete]] = {}
    parts = chain.from_iterable(map(sorts_in, model.layout.sorts.values()))
    for sort in dict.fromkeys(part for part in parts if isinstance(part, Listed)):
        image = {one: words.get(one, one) if isinstance(one, str) else one for one in sort.members}
        if set(image.values()) != set(sort.members):
            raise DefinitionError(f"a permutation of words leads out of the sort {sort}")
        renaming[sort] = image
    program = Program(model.system.bits)
    for term in rename_bits(model.layout, renaming):
        program.output(program.number(term))
    return program.compile()


def _tree(generators: Sequence[Mapping[str, str]]) -> tuple[tuple[_Branch, ...], int]:
    """All permutations that some generate but for the identity, each once, as a tree that is not deep; and
    how many there are with the identity. Raises DefinitionError where they are too many."""
    words = list(dict.fromkeys(word for generator in generators for word in generator))
    identity = tuple(words)
    level = [identity]
    below: dict[tuple[str, ...], list[tuple[int, tuple[str, ...]]]] = {identity: []}
    while level:
        following = []
        for element in level:
            for number, generator in enumerate(generators):
                made = tuple([generator.get(word, word) for word in element])
                if made not in below:
                    below[made] = []
                    below[element].append((number, made))
                    following.append(made)
        if len(below) > _MOST_PERMUTATIONS:
            raise DefinitionError(f"more than {_MOST_PERMUTATIONS:,} permutations are too many to try all")
        level = following

    def branches(element: tuple[str, ...]) -> tuple[_Branch, ...]:
        return tuple(_Branch(number, branches(made)) for number, made in below[element])

    return branches(identity), len(below)
