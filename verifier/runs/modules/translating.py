"""TLA+ modules as protocols for engines: translated at guessed sorts, which are widened by states that leave
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.encodings.sorts import Sort, SortError
from verifier.errors import TooLargeError, UsageError
from verifier.outcomes.unbounded import seems_unbounded
from verifier.printable import join_words, say_count
from verifier.runs.modules.constraint_bounds import is_constrained
from verifier.runs.modules.loading import (
    TlaDefinition,
    TlaLoaded,
    formula_named,
    no_initial_state,
    temporal_named,
)
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.undefined_places import whereabouts
from verifier.runs.unbounded import Widened
from verifier.runs.validation.translated_module import Claimed
from verifier.specs.definition import Property, PropertyKind
from verifier.specs.temporal import SPEC_FAIRNESS, FairnessVariant, TemporalProperty
from verifier.system.size import bits_of
from verifier.tla.checks import checks
from verifier.tla.exploration_result import State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.exchanges import exchanges, generators
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.terms import TRUTH, literal
from verifier.tla.translate.translation import Looked, Translation
from verifier.tla.translate.translation import start_translation as sorted_by_states
from verifier.trust.trace import Trace
from verifier.verdict import OF_STEPS, Verdict

if TYPE_CHECKING:
    from verifier.tla.specification import Specification
    from verifier.tla.symmetry import Symmetry
    from verifier.tla.translate.definition import Maker

PropertyT = TypeVar("PropertyT", Property, TemporalProperty)
INSTEAD = "verify explore looks at every state by the interpreter"


class NotTranslated(UsageError):
    """Raised if a part of a module cannot be translated; the interpreter may still support it."""


@dataclass
class Symbolic:
    """A module that is translated."""

    loaded: TlaLoaded
    translation: Translation
    beyond: list[State] = field(default_factory=list)
    """States by which the sorts were widened."""
    each_way: bool = False
    """True if steps are counted as in TLC."""
    open: dict[str, str] = field(default_factory=dict)
    """Actions for fairness that may add steps, with the condition that needs each."""
    claimed: Claimed | None = None
    """The translated temporal parts, if there are any."""

    def sorts(self) -> dict[str, Sort]:
        """Return the sort of each variable, as far as it is known."""
        made = self.translation
        return {name: sort_of(shape, made.names) for name, shape in made.shapes.items()}

    def widen(self, states: Iterable[State]) -> bool:
        """Widen the sorts for states. Return True if they were too narrow."""
        sorts, before = self.sorts(), len(self.beyond)
        for state in states:
            if not self._fits(state, sorts):
                for shape, value in zip(self.translation.shapes.values(), state, strict=True):
                    shape.add(value)
                    shape.even_out()
                self.translation.permute()
                self.beyond.append(state)
                sorts = self.sorts()
        return len(self.beyond) > before

    def _fits(self, state: State, sorts: Mapping[str, Sort]) -> bool:
        try:
            for value, sort in zip(state, sorts.values(), strict=True):
                self.translation.names.encode(value, sort)
        except NotInSort:
            return False
        return True

    def definition(self, temporal: Sequence[str] = ()) -> TlaDefinition:
        """Return the module as a protocol, at the current sorts. Raises NotTranslated. ``temporal``: include
        its fairness and these temporal properties."""
        from verifier.tla.translate.definition import translate

        made, spec = self.translation, self.translation.specification
        lemmas = {one.name: formula_named(spec, one.name, []) for one in self.loaded.definition.lemmas}
        try:
            maker = translate(made, lemmas, each_way=self.each_way)
            definition = self._translate()
            return self._lasting(maker, definition, temporal) if temporal else definition
        except Undefined as error:  # raised by initial states
            raise UsageError(str(error)) from None
        except TooLargeError as error:  # sorts are guessed, not chosen by the user
            raise NotTranslated(f"{error.words}: {INSTEAD}") from None
        except (Untranslated, SortError) as error:
            raise NotTranslated(str(error) if temporal else f"{error}: {INSTEAD}") from None

    def _lasting(self, maker: Maker, made: TlaDefinition, names: Sequence[str]) -> TlaDefinition:
        from verifier.tla.translate.temporal import Temporal

        spec = maker.spec
        known = {name: one for name, one in spec.properties.items() if one.liveness}
        own = {name: known.get(name) or temporal_named(spec, name, list(known)) for name in names}
        translator = Temporal(maker, made)
        specification = translator.specification()
        temporal = translator.properties({name: one.parts for name, one in own.items()})
        self.open = dict(specification.open)
        parts = {name: one.parts for name, one in own.items()}
        claims = {one.name: one.formula for one in temporal}
        self.claimed = Claimed(parts, claims, tuple(specification.fairness), tuple(specification.assumed))
        return replace(
            made,
            actions=(*made.actions, *specification.actions),
            temporal=tuple(map(self._with_comment, temporal)),
            fairness=(FairnessVariant(SPEC_FAIRNESS, tuple(specification.fairness)),),
        )

    def _translate(self) -> TlaDefinition:
        made = self.translation
        return replace(
            self.loaded.definition,
            variables=made.variables if made.excluded is None else (*made.variables, made.excluded),
            init=made.init,
            actions=made.actions,
            properties=tuple(map(self._with_comment, (*made.properties, *self._initial()))),
            constraint=made.constraint,
            lemmas=made.lemmas,
            successor=made.successor,
            exchanges=tuple(exchanges(made.names, made.names.companions)),
            permutations=() if made.symmetry is None else tuple(generators(made.names, made.symmetry)),
        )

    def _with_comment(self, prop: PropertyT) -> PropertyT:
        """Return a property with the comment above its definition, if the configuration names it."""
        own = self.loaded.definition
        comments = {one.name: one.description for one in own.properties}
        comments |= {one.name: one.description for one in own.temporal}
        return replace(prop, description=comments.get(prop.name, ""))

    def _initial(self) -> Iterable[Property]:
        """Return properties about initial states only, which the translation has decided."""
        made = self.translation
        known = {prop.name for prop in made.properties} | set(made.refused)
        for name, safety in made.specification.properties.items():
            if safety.initially and not safety.always and not safety.steps and name not in known:
                yield Property(name, PropertyKind.INVARIANT, literal(TRUTH, True), True, "")


def with_operators(loaded: TlaLoaded, properties: Iterable[str]) -> Specification:
    """Return the specification with properties that are operators, which the configuration does not name."""
    spec, titles = loaded.specification, loaded.definition.titles
    lasting = {prop.name for prop in loaded.definition.temporal}
    known = {*loaded.definition.property_names, titles.no_deadlock, *titles.of_the_translation} | lasting
    own = {name: formula_named(spec, name, []) for name in properties if name not in known}
    return replace(spec, invariants=spec.invariants | own)


def translate_module(
    loaded: TlaLoaded,
    properties: Iterable[str] = (),
    *,
    widely: bool = False,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
    looked: Looked = lambda sample, sorts: None,
) -> Symbolic:
    """Return the module with operators as properties and its first states sampled. ``widely``: sample more
    states. ``depth``: no longer executions matter. ``symmetry``: its permutations apply to states. ``looked``
    gets the first states and sorts. Raises UsageError if an expression has no value, NotTranslated."""
    spec = loaded.specification
    if spec.next is None:
        raise NotTranslated(f"{spec.module.name} has no Next: there is nothing to search")
    own_too = with_operators(loaded, properties)
    by_states = partial(sorted_by_states, widely=widely, depth=depth, symmetry=symmetry, looked=looked)
    try:
        made = Symbolic(loaded, by_states(own_too))
        if not made.translation.sample.initial:
            raise no_initial_state(spec)
        return made
    except Undefined as error:
        raise UsageError(str(error)) from None
    except Untranslated as error:
        raise NotTranslated(f"{error}: {INSTEAD}") from None


def widen_after(made: Symbolic, leaving: Verdict, widened: Widened, asked: Sequence[str] = ()) -> str:
    """Widen the sorts by the successors of a state, and return a message. For repeated widenings of a
    variable, it says what that most likely means. Raises UsageError if no successor needs wider sorts, or if
    a property that is ``asked`` has no value there."""
    assert leaving.trace is not None
    before = made.sorts()
    state = made.translation.decode(dict(leaving.trace.states[-1]))
    if not made.widen(_following(made, state, leaving.trace, asked)):
        if made.translation.keeps_sorts:
            made.translation.keeps_sorts = False
            return "an intermediate value of an assignment is outside the guessed sorts: it gets its own sort"
        raise NotTranslated(_explain_no_value(made, state, leaving.trace, asked))
    sorts = made.sorts()
    wider = [name for name in sorts if sorts[name] != before[name]]
    constrained = is_constrained(made.translation.specification)  # it may bound what is widened
    again = [] if constrained else [name for name in wider if name in widened.times]
    widened.add(wider)
    how = ", ".join(
        f"{name} widened from {bits_of(before[name])} to {bits_of(sorts[name])} bits" for name in wider
    )
    beyond = f"the guessed range{'s'[: len(wider) != 1]} of {join_words(wider)}"
    steps = f"{leaving.trace.steps} step{'s'[: leaving.trace.steps != 1]}"
    words = f"an execution of {steps} goes beyond {beyond}: starting again with {how}"
    return f"{words}; {seems_unbounded(again)}" if again else words


def _explain_no_value(made: Symbolic, state: State, trace: Trace, asked: Sequence[str]) -> str:
    """Return the reason why the translation does not go on after a state. The interpreter has evaluated there
    all that is asked, except temporal formulas."""
    name = made.loaded.definition.name
    if {prop.name for prop in made.loaded.definition.temporal}.isdisjoint(asked):
        words = "a step or a property has no value as translated in a reachable state"
        return f"{name}: {words}, and has one to the interpreter: {INSTEAD}"
    place = whereabouts(made.translation.specification, state, _list_steps(made, trace))
    words = f"as translated, a step or a temporal formula has no value{place}"
    return f"{name}: {words}: --by interpreter evaluates it"


def _list_steps(made: Symbolic, trace: Trace) -> list[str]:
    named = made.translation.named
    return [str(replace(one, name=named.get(one.name, one.name))) for one in trace.actions]


def _following(made: Symbolic, state: State, trace: Trace, asked: Sequence[str]) -> list[State]:
    """Return successors of a state. Raises UsageError if an expression has no value in the interpreter
    either."""
    spec = made.translation.specification
    try:
        _check_state(made, state)
        stepper = Stepper(spec)
        seen = stepper.successors(state)
        _check_steps(spec, asked, state, seen)
        return seen + (stepper.strolls(seen, POLICY.walks_beyond, POLICY.steps_beyond) if seen else [])
    except Undefined as error:
        raise UsageError(f"{error}{whereabouts(spec, state, _list_steps(made, trace))}") from None


def _check_state(made: Symbolic, state: State) -> None:
    spec = made.translation.specification
    spec.evaluator.now[:] = state
    for formula in (*spec.invariants.values(), *spec.constraints):
        spec.evaluator.compile_truth(formula.body, formula.module)()


def _check_steps(spec: Specification, asked: Sequence[str], state: State, following: Iterable[State]) -> None:
    """Evaluate the properties of steps, and what else is said of states. Raises Undefined."""
    evaluator, checked = spec.evaluator, checks(spec, {name.removesuffix(OF_STEPS) for name in asked})
    evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
    for _, test in checked.invariants:
        test()
    for one in following:
        evaluator.now[:], evaluator.next[:] = state, one
        for each in (*checked.action_constraints, *(test for _, test in checked.steps)):
            each()


# -- show


def description(loaded: TlaLoaded) -> dict[str, Any]:
    """Return the sorts of the variables, the actions, and the parts that only the interpreter supports, for
    ``verify show``."""
    try:
        symbols = translate_module(loaded)
        made = symbols.translation
        sorts = symbols.sorts()
        about: dict[str, Any] = {
            "sorts": {
                name: f"{sort} (about {say_count(bits_of(sort), 'bit')})" for name, sort in sorts.items()
            },
            "sorts_found_in": say_count(len(made.sample.states), "state")
            + (", all" if made.sample.complete else ""),
        }
    except UsageError as error:
        return {"only_explicit": [f"everything: {error}"]}
    try:
        symbols.definition()
    except NotTranslated as error:
        return {**about, "only_explicit": [f"everything: {error}"]}
    about["instances"] = _instances(made)
    about["only_explicit"] = [f"{name}: {error}" for name, error in made.refused.items()]
    return about


def _instances(made: Translation) -> dict[str, str]:
    """Return each action with its parameters, and its number of instances."""
    instances: dict[str, list[str]] = {}
    for action in made.actions:
        instances.setdefault(action.name, []).append(", ".join(action.sorts))
    return {f"{name}({rows[0]})": str(len(rows)) for name, rows in instances.items()}
