"""The translation of a specification, and the first sorts of its variables, from sampled states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Symbol, Term
from verifier.specs.definition import Action, Lemma, Property
from verifier.tla.automorphisms import companions
from verifier.tla.errors import Place
from verifier.tla.exploration_result import State
from verifier.tla.specification import Specification, without_traces
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.coding import Names
from verifier.tla.translate.said import bounds_of_init, bounds_of_types, is_bounded, is_true_once
from verifier.tla.translate.sampling import Sample, Stepper, sample
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.scouting import Scout
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.terms import TRUTH, literal
from verifier.tla.value_types import NoValue

if TYPE_CHECKING:
    from verifier.tla.translate.notes import Notes

Looked: TypeAlias = Callable[[Sample, Sequence[Sort]], None]
"""A callback with the first states and the sorts that they need so far; the first call has no sorts."""


@dataclass
class Translation:
    """The result of translating a specification."""

    specification: Specification
    names: Names
    shapes: dict[str, Shape]
    sample: Sample
    keeps_sorts: bool = True
    """True if assigned values outside of their variable's sort may have no value."""
    variables: tuple[Symbol, ...] = ()
    init: Term = field(default_factory=lambda: literal(TRUTH, True))
    actions: tuple[Action, ...] = ()
    properties: tuple[Property, ...] = ()
    excluded: Symbol | None = None
    """The variable that is true if an ACTION_CONSTRAINT excludes the step that led here."""
    constraint: Term | None = None
    lemmas: tuple[Lemma, ...] = ()
    successor: tuple[Symbol, ...] = ()
    named: dict[str, str] = field(default_factory=dict)
    """The module's name of each action. There is one action for each way to take it."""
    refused: dict[str, Untranslated] = field(default_factory=dict)
    """Properties that cannot be translated, with the reason."""
    symmetry: Symmetry | None = None
    """The permutations of model values that change only names. The sorts are closed under them."""
    uncounted: Place | None = None
    """The first formula whose ways to be true are not told apart, if each way should be an action."""
    notes: Notes | None = None
    """The translations of expressions, kept from the making of this one."""

    def decode(self, state: dict[str, object]) -> State:
        """Return a state of the definition as a state of the interpreter."""
        return tuple(self.names.decode(state[s.name], s.sort) for s in self.variables)

    def permute(self) -> None:
        """Add the images under the permutations to the shapes."""
        if self.symmetry is not None:
            for shape in self.shapes.values():
                shape.permute(self.symmetry.renamings)


def start_translation(
    specification: Specification,
    *,
    widely: bool = False,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
    looked: Looked = lambda sampled, sorts: None,
) -> Translation:
    """Begin a translation with the sorts that the first states need. ``widely``: sample more states, and keep
    states small. ``depth``: no execution that matters has more steps. ``symmetry``: the sorts are closed
    under its permutations. ``looked`` is called with the first states, then with the sorts before walks or
    scouting, and after each batch of walks. Raises Undefined or Untranslated."""
    if widely:
        sampled = _sample_widely(specification, symmetry)
    else:
        sampled = sample(specification, depth=depth, symmetry=symmetry)
    looked(sampled, ())
    evaluator = specification.evaluator
    names = Names(evaluator.order, evaluator.model_values.values(), compact=widely)
    names.companions = companions(specification)
    shapes = {one.name: Shape() for one in specification.variables}
    add_states(shapes, sampled.checked)
    if not sampled.complete:
        bounds_of_types(specification, shapes)
    if not sampled.all_initial:
        bounds_of_init(specification, shapes)
    if widely:
        with without_traces(specification):
            _sample_walks(shapes, sampled, names, looked)
    made = Translation(specification, names, shapes, sampled, symmetry=symmetry)
    if not (widely or sampled.complete):
        looked(sampled, [sort_of(shape, names) for shape in shapes.values()])
        if sampled.initial and specification.next is not None and not sampled.closed:
            scout = Scout(Stepper(specification), names, sampled.initial)
            with without_traces(specification):
                scout.widen(shapes.values(), SAMPLING.scouting_steps if depth is None else depth)
        for shape in shapes.values():
            shape.even_out()
    made.permute()
    return made


def add_states(shapes: dict[str, Shape], states: Sequence[State]) -> None:
    """Add the variables' values in states to their shapes. Raises Untranslated."""
    for (name, shape), values in zip(shapes.items(), zip(*states, strict=True), strict=False):
        try:
            for value in dict.fromkeys(values):
                shape.add(value)
        except (NoShape, NoValue) as error:
            raise Untranslated(None, f"{name} has no finite sort: {error}") from None


def widen(made: Translation, states: list[State]) -> bool:
    """Widen the sorts for states. Return True if they were too narrow. Raises Untranslated."""
    before = [sort_of(shape, made.names) for shape in made.shapes.values()]
    add_states(made.shapes, states)
    made.permute()
    return before != [sort_of(shape, made.names) for shape in made.shapes.values()]


def _sample_walks(shapes: dict[str, Shape], sampled: Sample, names: Names, looked: Looked) -> None:
    """Add states on random walks until many batches add nothing. Walks take less time than another
    translation and exploration with wider sorts."""
    before = sorts = [sort_of(shape, names) for shape in shapes.values()]
    looked(sampled, sorts)
    for number, states in enumerate(sampled.further, 1):
        sampled.states += states
        add_states(shapes, states)
        sorts = [sort_of(shape, names) for shape in shapes.values()]
        looked(sampled, sorts)
        if number % SAMPLING.idle_batches == 0:
            if sorts == before:
                return
            before = sorts


def _sample_widely(specification: Specification, symmetry: Symmetry | None) -> Sample:
    """Sample the first states, fewer under symmetry, where each takes longer. Init may state the initial
    states and their number of ways. Then many initial states are enumerated only if a property mentions
    them."""
    wide = (SAMPLING.states_of_explore, SAMPLING.generated_of_explore)
    if symmetry is not None:
        wide = (SAMPLING.states_of_explore // 4, SAMPLING.generated_of_explore // 2)
    if is_true_once(specification) and is_bounded(specification):
        spoken_of = any(safety.initially for safety in specification.properties.values())
        most_initial = SAMPLING.initial if spoken_of else SAMPLING.initial_told_by_init
        return sample(specification, *wide, most_initial, symmetry=symmetry, walks=False)
    sampled = sample(specification, *wide, SAMPLING.initial, symmetry=symmetry, walks=False)
    if sampled.all_initial:
        return sampled
    return sample(specification, *wide, SAMPLING.initial_of_explore, symmetry=symmetry, walks=False)
