"""Exchanges of words that do not change a system, found by comparing terms.

A definition may name exchanges that are worth trying (``Definition.exchanges``). Each is a guess. Here it
becomes a permutation of state bits, kept only if that leaves the states and Init as they are, and makes of
each instance another one: term by term, up to the order of operands. Where terms differ nothing is claimed.
Since an exchange undoes itself, it then makes of all steps together exactly all steps. Properties need not
stay as they are: in which state one reads what has no value may depend on an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pysmt.fnode import FNode

from verifier.encodings.codes import Code
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.layout import Layout
from verifier.symmetry.forms import Bits, Form, Forms
from verifier.system.model import Model
from verifier.system.transition_system import Instance

Permutation = tuple[int, ...]
"""Entry *i* is the variable that variable *i* becomes; entry 0 is not used."""

Exchange = Mapping[str, str]
"""The new word for each exchanged word; the others stay."""


def exchange_values(value: Concrete, exchange: Exchange) -> Concrete:
    """A value with all values in it exchanged."""
    match value:
        case str():
            return exchange.get(value, value)
        case frozenset():
            return frozenset(exchange_values(item, exchange) for item in value)
        case tuple():
            return tuple(exchange_values(item, exchange) for item in value)
        case FrozenMap():
            return FrozenMap(
                (exchange_values(k, exchange), exchange_values(v, exchange)) for k, v in value.items()
            )
        case Tagged():
            return Tagged(value.tag, exchange_values(value.payload, exchange))
    return value


def move_bits(layout: Layout, exchange: Exchange) -> Permutation | None:
    """The permutation of bits that an exchange of values is; None if it is none."""
    leaves = {leaf.path: leaf for leaf in layout.leaves}
    number = {bit: place for place, bit in enumerate(layout.bits, 1)}
    permutation = [0] * (len(layout.bits) + 1)
    for leaf in layout.leaves:
        image = leaves.get((leaf.path[0], *(exchange_values(step, exchange) for step in leaf.path[1:])))
        if image is None or image.code is not leaf.code:
            return None
        values = tuple(exchange_values(value, exchange) for value in leaf.values)
        if values == image.values:
            moved: Sequence[FNode] = image.bits
        elif leaf.code is Code.ONE_HOT and set(values) == set(image.values):
            moved = [image.bits[image.values.index(value)] for value in values]
        else:
            return None
        for one, other in zip(leaf.bits, moved, strict=True):
            permutation[number[one]] = number[other]
    return tuple(permutation) if len(set(permutation)) == len(permutation) else None


def moves(layout: Layout, permutation: Permutation) -> dict[FNode, FNode] | None:
    """The image of each bit that moves; None if the permutation does not undo itself."""
    if any(permutation[other] != one for one, other in enumerate(permutation)):
        return None
    bits = layout.bits
    return {bits[i - 1]: bits[j - 1] for i, j in enumerate(permutation) if i and i != j}


def find_exchanges(model: Model, kept: Iterable[FNode]) -> Iterator[Permutation]:
    """The permutations of bits, of those that the definition names, that leave the system and some formulas
    as they are."""
    if not model.definition.exchanges:
        return
    images, system = Images(model), model.system
    formulas = (system.valid, system.init, *kept)
    for exchange in model.definition.exchanges:
        permutation = move_bits(model.layout, exchange)
        moved = moves(model.layout, permutation) if permutation is not None else None
        if permutation is None or moved is None:
            continue
        written = images.forms.under(moved)
        if all(written.of(formula) == images.plain.of(formula) for formula in formulas) and all(
            images.image(index, exchange, moved, written) is not None
            for index in range(len(system.instances))
        ):
            yield permutation


class Images:
    """The image of each instance under an exchange, found by comparing terms alone."""

    def __init__(self, model: Model) -> None:
        self.model, self.instances = model, model.system.instances
        self.forms = Forms()
        self.plain = self.forms.under({})
        self._known = {self._key(one, {}, {}, self.plain): n for n, one in enumerate(self.instances)}

    def image(self, index: int, exchange: Exchange, moved: Bits, written: Form) -> int | None:
        """The instance that does what another one does with bits written as others; None if none is found."""
        instance = self.instances[index]
        inputs = self.inputs(instance, exchange)
        if inputs is None:
            return None
        return self._known.get(self._key(instance, moved, inputs, written))

    def inputs(self, instance: Instance, exchange: Exchange) -> dict[FNode, FNode] | None:
        """The image of the free parameters of an instance; None if that is no permutation."""
        if not instance.inputs:
            return {}
        permutation = move_bits(self.model.free_layouts[instance.label], exchange)
        if permutation is None:
            return None
        return {bit: instance.inputs[permutation[place] - 1] for place, bit in enumerate(instance.inputs, 1)}

    def _key(self, instance: Instance, moved: Bits, inputs: Bits, form: Form) -> object:
        """The common form of instances that do the same, up to the names of their free parameters."""
        places = {bit: ("free", place) for place, bit in enumerate(instance.inputs)}
        if places:
            form = self.forms.under({**moved, **{bit: places[inputs.get(bit, bit)] for bit in places}})
        updates = frozenset((moved.get(bit, bit), form.of(new)) for bit, new in instance.updates.items())
        return form.of(instance.guard), updates, len(places)
