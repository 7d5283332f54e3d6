"""The clauses of an invariant as text: bits in the protocol's words, images of one clause on one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, permutations

from verifier.encodings.concrete import Concrete, Element, elements_of, with_elements
from verifier.encodings.layout import BitMeaning
from verifier.encodings.sorts import IndexSet
from verifier.system.model import Model
from verifier.trust.certificate import Literal

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Clause = frozenset[tuple[BitMeaning, bool]]
"""The meaning of each literal's bit, and whether the bit is set."""


def invariant_lines(model: Model, clauses: Iterable[tuple[Literal, ...]]) -> list[str]:
    """The lines of an invariant, one per clause.

    If all images of a clause under renamings of interchangeable elements are there, they share one line.
    """
    meanings = model.layout.meanings(model.definition.presentation.first_index)
    words = _Words({s.sort: tuple(map(_element, s.movable)) for s in model.system.symmetries})
    read = [frozenset((meanings[bit], is_set) for bit, is_set in clause) for clause in clauses]
    return [words.line(clause, size) for clause, size in _merge(words, read)]


def _merge(words: _Words, clauses: Iterable[Clause]) -> Iterable[tuple[Clause, int]]:
    """The clauses that have a line, each with the number of clauses for which its line stands."""
    waiting = dict.fromkeys(clauses)
    everything = frozenset(waiting)
    said: set[Clause] = set()
    for clause in waiting:
        if clause in said:
            continue
        images = words.images(clause)
        if images <= everything:
            said |= images
            yield clause, len(images)
        else:
            said.add(clause)
            yield clause, 1


@dataclass(frozen=True)
class _Letter:
    """A letter that stands for any element."""

    name: str

    def __str__(self) -> str:
        return self.name


class _Words:
    def __init__(self, movable: Mapping[IndexSet, tuple[Element, ...]]) -> None:
        self._movable = movable
        self._sort_of = {element: sort for sort, elements in movable.items() for element in elements}
        self._names = {element.name for element in self._sort_of}
        self._moved_bits: dict[tuple[tuple[Element, Concrete], ...], dict[BitMeaning, BitMeaning]] = {}
        """The bits that were renamed already: many clauses have the same few bits."""

    def images(self, clause: Clause) -> frozenset[Clause]:
        """The clause under all permutations of the elements that it names."""
        images = {clause}
        for sort, movable in self._movable.items():
            images = {moved for image in images for moved in self._move(image, sort, movable)}
        return frozenset(images)

    def _move(self, clause: Clause, sort: IndexSet, movable: tuple[Element, ...]) -> Iterator[Clause]:
        named = self._find_named_elements(clause, sort)
        for chosen in permutations(movable, len(named)):
            yield self._rename(clause, dict(zip(named, chosen, strict=True)))

    def _rename(self, clause: Clause, renaming: Mapping[Element, Concrete]) -> Clause:
        moved = self._moved_bits.setdefault(tuple(renaming.items()), {})
        for meaning, _ in clause:
            if meaning not in moved:
                path = tuple(with_elements(step, renaming) for step in meaning.path)
                moved[meaning] = replace(meaning, path=path, value=with_elements(meaning.value, renaming))
        return frozenset((moved[meaning], is_set) for meaning, is_set in clause)

    def _find_named_elements(self, clause: Clause, sort: IndexSet) -> list[Element]:
        """The movable elements in the clause, first those of the bits that are not set."""
        literals = sorted(clause, key=lambda literal: (literal[1], literal[0].text(True)))
        elements = (e for meaning, _ in literals for e in elements_of((*meaning.path, meaning.value)))
        return list(dict.fromkeys(element for element in elements if self._sort_of.get(element) == sort))

    def _fresh(self) -> Iterator[str]:
        """Names that no element has, letters first."""
        yield from (letter for letter in _LETTERS if letter not in self._names)
        yield from (name for number in count(1) if (name := f"e{number}") not in self._names)

    def line(self, clause: Clause, size: int) -> str:
        """``for all different replicas a, b: log[a].length ≥ 1 ⇒ …``."""
        if size == 1:
            return _implication(clause)
        letters = map(_Letter, self._fresh())
        renaming: dict[Element, Concrete] = {}
        quantifiers = []
        for sort in self._movable:
            named = self._find_named_elements(clause, sort)
            fresh = [next(letters) for _ in named]
            renaming |= dict(zip(named, fresh, strict=True))
            if named:
                different = "different " if len(fresh) > 1 else ""
                quantifiers.append(f"{different}{sort.name}s {', '.join(map(str, fresh))}")
        return f"for all {' and '.join(quantifiers)}: {_implication(self._rename(clause, renaming))}"


def _element(value: Concrete) -> Element:
    assert isinstance(value, Element)
    return value


def _implication(clause: Clause) -> str:
    """The clause as an implication from its negative literals to its positive literals."""
    supposed = sorted((meaning for meaning, is_set in clause if not is_set), key=lambda m: m.text(True))
    follows = sorted(meaning.text(True) for meaning, is_set in clause if is_set)
    if not clause:
        return "false"
    if not follows:
        *supposed, last = supposed
        follows = [last.text(False)]
    conclusion = " ∨ ".join(follows)
    if not supposed:
        return conclusion
    return f"{' ∧ '.join(meaning.text(True) for meaning in supposed)} ⇒ {conclusion}"
