"""Instances that are images of others under a permutation of state bits, found by comparing terms.

Let p permute the bits, and with them states. If the guard and the updates of an instance J are those of
an instance I with every bit b written as p(b), then J does to p(s) what I does to s; and if an invariant
is, as a set of conjuncts, what it becomes with every b written as p(b), then J keeps it if I does. Both
are compared here, term by term, up to the order of operands. Where they differ nothing is claimed. Which
permutations and pairs to try is taken from the declared symmetry, which need not be right.

An instance may be its own image under p. If the hypotheses stay as they are too, it keeps a conjunct c
written with p(b) for b if it keeps c. So it is asked about one conjunct of each orbit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pysmt.fnode import FNode

from verifier.encodings.bits import conjunction
from verifier.encodings.concrete import Concrete
from verifier.encodings.renaming import Renaming, rename_value
from verifier.symmetry.bit_permutations import is_exact, permutation_of
from verifier.symmetry.exchanges import Exchange, Images, move_bits, moves
from verifier.symmetry.forms import Bits, Form, Forms
from verifier.system.model import Model
from verifier.system.transition_system import Instance


def find_representatives(model: Model, invariant: Iterable[FNode]) -> dict[int, int]:
    """Return for each instance (by index) the one that stands for it: itself, or one of which it is an image
    under permutations that leave the invariant as it is."""
    return InstanceImages(model, tuple(invariant)).find_representatives()


class InstanceImages:
    """The exchanges of two elements that leave an invariant as it is, and what they make of instances."""

    def __init__(self, model: Model, invariant: tuple[FNode, ...], alone: Iterable[FNode] = ()) -> None:
        """``alone``: terms that may be hypotheses without the rest of the invariant."""
        self.model = model
        self.forms = Forms()
        self.plain = self.forms.under({})
        self.invariant = invariant
        self.place = {
            (instance.action, tuple(instance.parameters.values())): index
            for index, instance in enumerate(model.system.instances)
        }
        exchanges = (self._exchange(renaming) for renaming in self._exchanges())
        self.exchanges = [exchange for exchange in exchanges if exchange is not None]
        terms = tuple(alone)
        self._for_conjuncts = [exchange for exchange in self.exchanges if exchange.leaves_each(terms)]

    def choose_conjuncts(self, index: int, part: FNode) -> FNode:
        """Return some conjuncts of a part of the invariant. If the instance keeps these, it keeps all: the
        others are images of them under exchanges that leave the instance and the hypotheses as they are."""
        conjuncts = list_conjuncts(part)
        chosen = self.orbits_of(conjuncts).choose(index)
        return part if len(chosen) == len(conjuncts) else conjunction(conjuncts[place] for place in chosen)

    def orbits_of(self, conjuncts: Sequence[FNode]) -> ConjunctOrbits:
        """Return what chooses among conjuncts of the invariant, for each instance."""
        return ConjunctOrbits(conjuncts, self.plain, self._for_conjuncts)

    def find_representatives(self) -> dict[int, int]:
        """Go from instance to image along permutations that exchange two elements."""
        exchanges: list[_Exchange | _WordExchange] = [*self.exchanges, *self._word_exchanges()]
        stands: dict[int, int] = {}
        for first in range(len(self.model.system.instances)):
            if first in stands:
                continue
            stands[first] = first
            waiting = [first]
            while waiting:
                here = waiting.pop()
                for exchange in exchanges:
                    image = exchange.image(here)
                    if image is not None and image not in stands and exchange.leads(here, image):
                        stands[image] = first
                        waiting.append(image)
        return stands

    def _exchanges(self) -> Iterator[Renaming]:
        for symmetry in self.model.system.symmetries:
            for one, other in pairwise(symmetry.movable):
                yield {symmetry.sort: {one: other, other: one}}

    def _word_exchanges(self) -> list[_WordExchange]:
        """Exchanges that the definition names, those that leave the invariant as it is."""
        named = self.model.definition.exchanges
        word_exchanges = []
        search = Images(self.model) if named else None
        for exchange in named:
            permutation = move_bits(self.model.layout, exchange)
            moved = moves(self.model.layout, permutation) if permutation is not None else None
            if search is None or moved is None:
                continue
            written = search.forms.under(moved)
            plain, invariant = search.plain, self.invariant
            if set(map(plain.of, invariant)) == set(map(written.of, invariant)):
                word_exchanges.append(_WordExchange(search, exchange, moved, written))
        return word_exchanges

    def _exchange(self, renaming: Renaming) -> _Exchange | None:
        """The permutation of bits, if it is one that leaves the invariant as it is."""
        layout = self.model.layout
        if not is_exact(layout, renaming):
            return None
        bits = layout.bits
        moved = {
            bits[i - 1]: bits[j - 1] for i, j in enumerate(permutation_of(layout, renaming)) if i and i != j
        }
        if set(moved) != set(moved.values()):
            return None
        written = self.forms.under(moved)
        if {self.plain.of(part) for part in self.invariant} != {written.of(part) for part in self.invariant}:
            return None
        return _Exchange(self, renaming, moved, written)


class ConjunctOrbits:
    """Conjuncts of an invariant, of which one of each orbit is asked about."""

    def __init__(self, conjuncts: Sequence[FNode], plain: Form, exchanges: Sequence[_Exchange]) -> None:
        """The exchanges must leave all hypotheses as they are."""
        self._conjuncts = conjuncts
        self._plain = plain
        self._exchanges = exchanges
        self._images: dict[int, list[int | None]] = {}
        self._chosen: dict[tuple[int, ...], list[int]] = {}

    def choose(self, index: int) -> Sequence[int]:
        """Return the places of some conjuncts. If the instance keeps these, it keeps all: the others are
        images of them under exchanges that leave the instance as it is."""
        if len(self._conjuncts) == 1:
            return [0]
        own = tuple(
            number for number, exchange in enumerate(self._exchanges) if exchange.leaves_instance(index)
        )
        if own not in self._chosen:
            self._chosen[own] = self._choose([self._images_under(number) for number in own])
        return self._chosen[own]

    def _choose(self, images: Sequence[Sequence[int | None]]) -> list[int]:
        """Return the first place of each orbit under these images."""
        seen, chosen = set[int](), list[int]()
        for first in range(len(self._conjuncts)):
            if first in seen:
                continue
            chosen.append(first)
            seen.add(first)
            waiting = [first]
            while waiting:
                here = waiting.pop()
                for image in (under[here] for under in images):
                    if image is not None and image not in seen:
                        seen.add(image)
                        waiting.append(image)
        return chosen

    def _images_under(self, number: int) -> Sequence[int | None]:
        """Return for each conjunct the place of its image; None if that is no conjunct."""
        if number not in self._images:
            place = {self._plain.of(one): where for where, one in enumerate(self._conjuncts)}
            exchange = self._exchanges[number]
            self._images[number] = [place.get(exchange.form_of(one)) for one in self._conjuncts]
        return self._images[number]


def list_conjuncts(term: FNode) -> list[FNode]:
    """List the conjuncts of a term, and of conjunctions inside, each once."""
    conjuncts, waiting = dict[FNode, None](), [term]
    while waiting:
        one = waiting.pop()
        if one.is_and():
            waiting += reversed(one.args())
        else:
            conjuncts[one] = None
    return list(conjuncts)


@dataclass(frozen=True)
class _WordExchange:
    """Images under an exchange of words: each is looked for by its terms."""

    search: Images
    exchange: Exchange
    moved: Bits
    written: Form

    def image(self, index: int) -> int | None:
        """The instance that is the image of another; None if there is none."""
        return self.search.image(index, self.exchange, self.moved, self.written)

    def leads(self, one: int, other: int) -> bool:
        """True if the other instance is the image of the one: it was found as that."""
        return True


class _Exchange:
    """A permutation under which the invariant stays as it is."""

    def __init__(self, search: InstanceImages, renaming: Renaming, moved: Bits, written: Form) -> None:
        self._search = search
        self._renaming = renaming
        self._moved = moved
        self._written = written
        actions = search.model.definition.actions
        self._sorts = {action.name: action.sorts for action in actions}

    def image(self, index: int) -> int | None:
        """The instance that should be the image of another; None if there is none."""
        instance = self._search.model.system.instances[index]
        sorts = self._sorts[instance.action]
        values: list[Concrete] = [
            rename_value(sorts[name], value, self._renaming) for name, value in instance.parameters.items()
        ]
        return self._search.place.get((instance.action, tuple(values)))

    def form_of(self, term: FNode) -> int:
        """Return the number of the image of a term."""
        return self._written.of(term)

    def leaves_each(self, terms: Iterable[FNode]) -> bool:
        """True if each of the terms is its own image."""
        return all(self._written.of(term) == self._search.plain.of(term) for term in terms)

    def leaves_instance(self, index: int) -> bool:
        """True if the instance is its own image."""
        return self.image(index) == index and self.leads(index, index)

    def leads(self, one: int, other: int) -> bool:
        """True if the other instance is the image of the one, by their terms."""
        instances = self._search.model.system.instances
        source, target = instances[one], instances[other]
        inputs = self._inputs(source, target)
        if inputs is None:
            return False
        plain, written, moved = self._search.plain, self._written, self._moved
        if inputs:
            written = self._search.forms.under({**moved, **inputs})
        return (
            written.of(source.guard) == plain.of(target.guard)
            and {moved.get(bit, bit) for bit in source.updates} == set(target.updates)
            and all(
                written.of(new) == plain.of(target.updates[moved.get(bit, bit)])
                for bit, new in source.updates.items()
            )
        )

    def _inputs(self, source: Instance, target: Instance) -> Bits | None:
        """Return the input of the other instance for each input of the one: any pairing would do."""
        if len(source.inputs) != len(target.inputs):
            return None
        if not source.inputs:
            return {}
        layout = self._search.model.free_layouts[source.label]
        if not is_exact(layout, self._renaming):
            return None
        places = permutation_of(layout, self._renaming)[1:]
        paired = {bit: target.inputs[place - 1] for bit, place in zip(source.inputs, places, strict=True)}
        return paired if len(set(paired.values())) == len(paired) else None
