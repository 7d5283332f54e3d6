"""The clauses of an invariant as text, in the protocol's words. All images of a clause are one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

from verifier.encodings.concrete import Concrete, show
from verifier.encodings.scalars import Code
from verifier.encodings.sorts import IndexSet
from verifier.system.model import Model
from verifier.trust.certificate import Literal

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Clause = frozenset[str]
"""A clause as the texts of its literals, each after its sign."""


def invariant_lines(model: Model, clauses: Iterable[tuple[Literal, ...]]) -> list[str]:
    """The lines of an invariant, one per clause.

    If all images of a clause under renamings of interchangeable elements are there, they share one line.
    """
    words = _Words(model)
    texts = [frozenset(words.literal(literal) for literal in clause) for clause in clauses]
    return [words.line(orbit, size) for orbit, size in _merged(words, texts)]


def _merged(words: _Words, clauses: Iterable[Clause]) -> Iterable[tuple[Clause, int]]:
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


class _Words:
    def __init__(self, model: Model) -> None:
        self._meaning: dict[Literal, str] = {}
        for leaf in model.layout.leaves:
            for index, symbol in enumerate(leaf.bits):
                name = symbol.symbol_name()
                said = _meaning(leaf.name, leaf.code, leaf.values, index)
                self._meaning[name, True], self._meaning[name, False] = f"+{said}", f"-{said}"
        self._sorts = {s.sort: [str(element) for element in s.movable] for s in model.system.symmetries}
        names = [element for movable in self._sorts.values() for element in movable]
        if len(set(names)) < len(names):  # two kinds have the same letter
            self._sorts = {}
        self._sort_of = {element: sort for sort, movable in self._sorts.items() for element in movable}
        alternatives = "|".join(sorted(map(re.escape, self._sort_of), key=len, reverse=True))
        self._element = re.compile(rf"\b({alternatives})\b" if alternatives else r"(?!)")

    def literal(self, literal: Literal) -> str:
        """A literal's text: ``+quorum.leader = r1``."""
        return self._meaning[literal]

    def images(self, clause: Clause) -> frozenset[Clause]:
        """The clause under all permutations of the elements that it names."""
        found = {clause}
        for sort, movable in self._sorts.items():
            found = {moved for image in found for moved in self._moved(image, sort, movable)}
        return frozenset(found)

    def _moved(self, clause: Clause, sort: IndexSet, movable: list[str]) -> Iterator[Clause]:
        named = [element for element in self._named(clause) if self._sort_of[element] == sort]
        for chosen in permutations(movable, len(named)):
            yield self._renamed(clause, dict(zip(named, chosen, strict=True)))

    def _named(self, clause: Clause) -> list[str]:
        supposed_first = sorted(clause, key=lambda literal: (literal[0] == "+", literal))
        return list(dict.fromkeys(e for literal in supposed_first for e in self._element.findall(literal)))

    def _renamed(self, clause: Clause, renaming: Mapping[str, str]) -> Clause:
        return frozenset(
            self._element.sub(lambda found: renaming.get(found[1], found[1]), literal) for literal in clause
        )

    def line(self, clause: Clause, size: int) -> str:
        """``for all different replicas a, b: log[a].length ≥ 1 ⇒ …``."""
        if size == 1:
            return self._implication(clause)
        letters = iter(letter for letter in _LETTERS if letter not in self._sort_of)
        renaming: dict[str, str] = {}
        quantifiers = []
        for sort in self._sorts:
            named = [element for element in self._named(clause) if self._sort_of[element] == sort]
            fresh = [next(letters) for _ in named]
            renaming |= dict(zip(named, fresh, strict=True))
            if named:
                different = "different " if len(fresh) > 1 else ""
                quantifiers.append(f"{different}{sort.name}s {', '.join(fresh)}")
        return f"for all {' and '.join(quantifiers)}: {self._implication(self._renamed(clause, renaming))}"

    def _implication(self, clause: Clause) -> str:
        """The clause as an implication from its negative literals to its positive literals."""
        supposed = sorted(literal[1:] for literal in clause if literal[0] == "-")
        follows = sorted(literal[1:] for literal in clause if literal[0] == "+")
        if not supposed:
            return " ∨ ".join(follows) or "false"
        if len(clause) == 1:
            return self._negated(supposed[0])
        if not follows:
            *supposed, last = supposed
            follows = [self._negated(last)]
        return f"{' ∧ '.join(supposed)} ⇒ {' ∨ '.join(follows)}"

    @staticmethod
    def _negated(text: str) -> str:
        if " ≥ " in text:
            return text.replace(" ≥ ", " < ")
        return text.replace(" = ", " ≠ ") if " = " in text else f"¬{text}"


def _meaning(name: str, code: Code | None, values: tuple[Concrete, ...], index: int) -> str:
    """The meaning of a bit that is set."""
    if code is None:
        return name
    if code is Code.THERMOMETER:
        return f"{name} ≥ {show(values[index + 1])}"
    return f"{name} = {show(values[index])}"
