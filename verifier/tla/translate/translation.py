"""What is made of a specification, and the sorts of its variables, from the first states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.specs.definition import Action, Lemma, Property
from verifier.tla.automorphisms import companions
from verifier.tla.errors import Place
from verifier.tla.found import State
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.coding import Names
from verifier.tla.translate.said import bounds_of_init, bounds_of_types, is_bounded, is_true_once
from verifier.tla.translate.sampling import (
    MOST_GENERATED_WIDELY,
    MOST_INITIAL,
    MOST_INITIAL_SAID,
    MOST_INITIAL_WIDELY,
    MOST_SAMPLED_WIDELY,
    Sample,
    Stepper,
    sample,
    without_traces,
)
from verifier.tla.translate.scouting import Scout
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import Shape
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.terms import TRUTH, literal
from verifier.tla.values import NoValue

if TYPE_CHECKING:
    from verifier.tla.translate.notes import Notes

_LONGEST_WALK = 60
_TIMES_IDLE = 5
"""After so many times that few walks were taken no more are, if all these add nothing."""
Looked: TypeAlias = Callable[[Sample, Sequence[Sort]], None]
"""Looks at the first states, and at the sorts that they need so far; none are known at first."""


@dataclass
class Translation:
    """What was made of a specification."""

    specification: Specification
    names: Names
    shapes: dict[str, Shape]
    sample: Sample
    keeps_sorts: bool = True
    """Whether what is assigned may be left without a value outside of its variable's sort."""
    variables: tuple[Symbol, ...] = ()
    init: Term = field(default_factory=lambda: literal(TRUTH, True))
    actions: tuple[Action, ...] = ()
    properties: tuple[Property, ...] = ()
    excluded: Symbol | None = None
    """Whether a step led here that an ACTION_CONSTRAINT excludes."""
    constraint: Term | None = None
    lemmas: tuple[Lemma, ...] = ()
    successor: tuple[Symbol, ...] = ()
    named: dict[str, str] = field(default_factory=dict)
    """What the module calls each action: it is there once for each way to take it."""
    refused: dict[str, Untranslated] = field(default_factory=dict)
    """Properties that cannot be translated."""
    symmetry: Symmetry | None = None
    """The permutations of model values that change nothing but names; the sorts are kept under them."""
    uncounted: Place | None = None
    """The first formula whose ways to be true are not told apart, where each way is to be an action."""
    notes: Notes | None = None
    """What expressions were translated to when this was made."""

    def decode(self, state: dict[str, object]) -> State:
        """A state of the definition as the interpreter has it."""
        return tuple(self.names.decode(state[s.name], s.sort) for s in self.variables)

    def permute(self) -> None:
        """Adds to the shapes what the permutations make of them."""
        if self.symmetry is not None:
            for shape in self.shapes.values():
                shape.permute(self.symmetry.renamings)


def started(
    specification: Specification,
    *,
    widely: bool = False,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
    looked: Looked = lambda found, sorts: None,
) -> Translation:
    """The sorts, from the first states; ``widely``: from more of them, and for small states; ``depth``: no
    execution that matters has more steps; ``symmetry``: what permutations make of a value of a sort is to be
    one; ``looked`` gets the first states before anything is made of them, and what sorts they need before
    walks are taken, and after each time that some are. Raises Undefined, or Untranslated."""
    if widely:
        found = _sampled_widely(specification, symmetry)
    else:
        found = sample(specification, depth=depth, symmetry=symmetry)
    looked(found, ())
    evaluator = specification.evaluator
    names = Names(evaluator.order, evaluator.model_values.values(), compact=widely)
    names.companions = companions(specification)
    shapes = {one.name: Shape() for one in specification.variables}
    add_states(shapes, found.states)
    if not found.complete:
        bounds_of_types(specification, shapes)
    if not found.all_initial:
        bounds_of_init(specification, shapes)
    if widely:
        with without_traces(specification):
            _walk_on(shapes, found, names, looked)
    made = Translation(specification, names, shapes, found, symmetry=symmetry)
    if not (widely or found.complete):
        if found.initial and specification.next is not None:
            scout = Scout(Stepper(specification), names, found.initial)
            with without_traces(specification):
                scout.widen(shapes.values(), _LONGEST_WALK if depth is None else depth)
        for shape in shapes.values():
            shape.even_out()
    made.permute()
    return made


def add_states(shapes: dict[str, Shape], states: list[State]) -> None:
    """Adds the values of the variables in states to their shapes. Raises Untranslated."""
    for (name, shape), values in zip(shapes.items(), zip(*states, strict=True), strict=False):
        try:
            for value in dict.fromkeys(values):
                shape.add(value)
        except NoValue as error:
            raise Untranslated(None, f"{name} has no finite sort: {error}") from None


def widened_by(made: Translation, states: list[State]) -> bool:
    """Makes the sorts wide enough for states. Whether they were not before. Raises Untranslated."""
    before = [sort_of(shape, made.names) for shape in made.shapes.values()]
    add_states(made.shapes, states)
    made.permute()
    return before != [sort_of(shape, made.names) for shape in made.shapes.values()]


def _walk_on(shapes: dict[str, Shape], found: Sample, names: Names, looked: Looked) -> None:
    """Adds states on random walks, until many add nothing. A walk takes less time than to translate
    and explore anew where sorts turn out to be too narrow."""
    before = sorts = [sort_of(shape, names) for shape in shapes.values()]
    looked(found, sorts)
    for number, states in enumerate(found.further, 1):
        found.states += states
        add_states(shapes, states)
        sorts = [sort_of(shape, names) for shape in shapes.values()]
        looked(found, sorts)
        if number % _TIMES_IDLE == 0:
            if sorts == before:
                return
            before = sorts


def _sampled_widely(specification: Specification, symmetry: Symmetry | None) -> Sample:
    """The first states: fewer where each stands for a class, which takes longer. Many initial states are only
    looked at where what they are, and in how many ways, is not said by Init itself, or a property speaks of
    them."""
    wide = (MOST_SAMPLED_WIDELY, MOST_GENERATED_WIDELY)
    if symmetry is not None:
        wide = (MOST_SAMPLED_WIDELY // 4, MOST_GENERATED_WIDELY // 2)
    if is_true_once(specification) and is_bounded(specification):
        spoken_of = any(safety.initially for safety in specification.properties.values())
        most_initial = MOST_INITIAL if spoken_of else MOST_INITIAL_SAID
        return sample(specification, *wide, most_initial, symmetry=symmetry, walks=False)
    found = sample(specification, *wide, MOST_INITIAL, symmetry=symmetry, walks=False)
    if found.all_initial:
        return found
    return sample(specification, *wide, MOST_INITIAL_WIDELY, symmetry=symmetry, walks=False)
