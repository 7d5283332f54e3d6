"""Engines on TLA+ files: the module is translated; the interpreter checks what an engine finds.

The sorts of the variables are guessed. Where an execution leaves them, the interpreter says what follows: the
sort is widened by it and the engine starts again, unless the interpreter finds an expression without a value
there, which is an error of the specification. Every counterexample is an execution to the interpreter too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.encodings.sorts import Sort, SortError
from verifier.errors import UsageError
from verifier.processes.limits import INTERRUPTED, Interrupted
from verifier.processes.watching import Watched
from verifier.runs.asking import Remark
from verifier.runs.building import as_built, look_at
from verifier.runs.tla_loading import (
    TlaDefinition,
    TlaLoaded,
    formula_named,
    left_to_others,
    temporal_named,
)
from verifier.specs.definition import NO_DEADLOCK, UNDEFINED_READ, Property, PropertyKind
from verifier.specs.temporal import SPEC_FAIRNESS, FairnessVariant
from verifier.system.size import bits_of
from verifier.tla.found import State
from verifier.tla.frames import Undefined
from verifier.tla.itf import shown_state
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.exchanges import exchanges, generators
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.specification import SORTS, Maker, Translation, translate
from verifier.tla.translate.specification import started as sorted_by_states
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.temporal import Temporal
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.question import Question
    from verifier.system.model import Model
    from verifier.tla.symmetry import Symmetry

T = TypeVar("T")
_MOST_ROUNDS = 60
_WALKS_BEYOND, _STEPS_BEYOND = 20, 40
"""Random walks beyond a state that left its sorts, before the engine starts again."""
INSTEAD = "verify explore looks at every state by the interpreter"
_MOST_SHOWN = 600


class NotTranslated(UsageError):
    """Something of a module cannot be translated; the interpreter may do it all the same."""


@dataclass
class Symbolic:
    """A module that is translated."""

    loaded: TlaLoaded
    translation: Translation
    beyond: list[State] = field(default_factory=list)
    """States that the sorts were widened by."""
    each_way: bool = False
    """Whether steps are counted as TLC does."""
    open: dict[str, str] = field(default_factory=dict)
    """Actions for the sake of fairness that may add steps, and what each is for."""

    def sorts(self) -> dict[str, Sort]:
        """The sort of each variable, as far as is known."""
        made = self.translation
        return {name: shape.sort(made.names) for name, shape in made.shapes.items()}

    def widen(self, states: Iterable[State]) -> bool:
        """Makes the sorts wide enough for states. Whether they were not before."""
        sorts, before = self.sorts(), len(self.beyond)
        for state in states:
            if not self._fits(state, sorts):
                for shape, value in zip(self.translation.shapes.values(), state, strict=True):
                    shape.add(value)
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
        """The module as engines take a protocol, at the sorts that are known now. Raises NotTranslated.

        ``temporal``: also with its fairness and these temporal properties.
        """
        made, spec = self.translation, self.translation.specification
        lemmas = {one.name: formula_named(spec, one.name, []) for one in self.loaded.definition.lemmas}
        try:
            maker = translate(made, lemmas, each_way=self.each_way)
            found = self._translated()
            return self._lasting(maker, found, temporal) if temporal else found
        except Undefined as error:  # of initial states
            raise UsageError(str(error)) from None
        except (Untranslated, SortError) as error:
            raise NotTranslated(str(error) if temporal else f"{error}: {INSTEAD}") from None

    def _lasting(self, maker: Maker, made: TlaDefinition, names: Sequence[str]) -> TlaDefinition:
        spec = maker.spec
        known = {name: one for name, one in spec.properties.items() if one.liveness}
        own = {name: known.get(name) or temporal_named(spec, name, list(known)) for name in names}
        translator = Temporal(maker, made)
        found = translator.specification()
        temporal = translator.properties({name: one.parts for name, one in own.items()})
        self.open = dict(found.open)
        return replace(
            made,
            actions=(*made.actions, *found.actions),
            temporal=tuple(temporal),
            fairness=(FairnessVariant(SPEC_FAIRNESS, tuple(found.fairness)),),
        )

    def _translated(self) -> TlaDefinition:
        made = self.translation
        return replace(
            self.loaded.definition,
            variables=made.variables if made.excluded is None else (*made.variables, made.excluded),
            init=made.init,
            actions=made.actions,
            properties=(*made.properties, *self._initial()),
            constraint=made.constraint,
            lemmas=made.lemmas,
            successor=made.successor,
            exchanges=tuple(exchanges(made.names, made.names.companions)),
            permutations=() if made.symmetry is None else tuple(generators(made.names, made.symmetry)),
        )

    def _initial(self) -> Iterable[Property]:
        """Properties that speak of initial states only, which the translation has looked at."""
        made = self.translation
        known = {prop.name for prop in made.properties} | set(made.refused)
        for name, safety in made.specification.properties.items():
            if safety.initially and not safety.always and not safety.steps and name not in known:
                yield Property(name, PropertyKind.INVARIANT, self.loaded.definition.init, True, "")


def symbolic(
    loaded: TlaLoaded,
    properties: Iterable[str] = (),
    *,
    widely: bool = False,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
) -> Symbolic:
    """The module with operators as properties, its first states looked at; ``widely``: more of them;
    ``depth``: no longer executions matter; ``symmetry``: states are to be permuted. Raises UsageError where
    something has no value, NotTranslated."""
    spec = loaded.specification
    if spec.next is None:
        raise NotTranslated(f"{spec.module.name} has no Next: there is nothing to search")
    lasting = {prop.name for prop in loaded.definition.temporal}
    known = {*loaded.definition.property_names, SORTS, NO_DEADLOCK, UNDEFINED_READ} | lasting
    own = {name: formula_named(spec, name, []) for name in properties if name not in known}
    try:
        own_too = replace(spec, invariants=spec.invariants | own)
        made = Symbolic(loaded, sorted_by_states(own_too, widely=widely, depth=depth, symmetry=symmetry))
        if not made.translation.sample.initial:
            raise UsageError(f"{spec.module.name}: no state satisfies Init, so that nothing can happen")
        return made
    except Undefined as error:
        raise UsageError(str(error)) from None
    except Untranslated as error:
        raise NotTranslated(f"{error}: {INSTEAD}") from None


class GivenUp(Exception):
    """Building a translation takes longer than it may."""


@dataclass(frozen=True)
class Patience:
    """How long building may take, in seconds of the processor time of this process."""

    seconds: float
    """In a round, that is until sorts are widened."""
    last: float
    """When no round begins any more."""
    translating: float = 1.0
    """The share of a round in which the module is to be translated."""

    def until(self) -> tuple[float, float]:
        """When a round that begins now is given up: while the module is translated, and later. Raises
        GivenUp."""
        now = time.process_time()
        if now > self.last:
            raise GivenUp
        return now + self.translating * self.seconds, now + self.seconds


@dataclass(frozen=True)
class ModuleQuestion:
    """A question about a module."""

    engine: Engine[Any]
    module: TlaLoaded
    question: Question[Any]
    named: tuple[str, ...]
    """The properties that were named by who asks."""
    listen: Listen
    built: Callable[[Model], None]
    patience: Patience | None = None
    """When building is given up."""
    symmetry: Symmetry | None = None
    """The permutations of which one state of each class is to be looked at, while they are watched."""


def run(asked: ModuleQuestion) -> Run:
    """Runs an engine, at wider sorts where those that were guessed do not do."""
    from verifier.runs.tla_bounded import by_the_interpreter

    try:
        made = within_limits(asked, lambda: started(asked))
        found = by_the_interpreter(asked, made) if asked.engine.name == "bmc" else None
    except Interrupted as stop:
        return _ended(asked, str(stop))
    return run_translated(asked, made) if found is None else found


def within_limits(asked: ModuleQuestion, work: Callable[[], T], until: float | None = None) -> T:
    """What work gives that does not look at limits itself. Raises Interrupted: they or the user end it.
    ``until``: raises GivenUp later than this, by the processor time of this process."""
    try:
        with Watched(look_at(asked.question.limits, until)):
            return work()
    except KeyboardInterrupt:
        raise Interrupted(INTERRUPTED) from None
    except Interrupted:
        if until is not None and time.process_time() > until:
            raise GivenUp from None
        raise


def _ended(asked: ModuleQuestion, reason: str) -> Run:
    """The run of an engine that could not begin."""
    return asked.engine.run(replace(asked.question, ended=reason), asked.listen, asked.built)


def _stopped(asked: ModuleQuestion, reason: str) -> Run:
    """The run of an engine that cannot go on."""
    found = _ended(asked, reason)
    verdicts = tuple(replace(verdict, reason=reason) for verdict in found.outcome.verdicts)
    return replace(found, outcome=replace(found.outcome, verdicts=verdicts))


def started(asked: ModuleQuestion) -> Symbolic:
    """The module, its first states looked at."""
    left = [name for name, one in asked.module.specification.properties.items() if not one.liveness]
    if asked.engine.decides_temporal and left and not asked.named:
        asked.listen(Remark(left_to_others(*left)))
    if asked.module.specification.postcondition is not None:
        asked.listen(Remark("the POSTCONDITION is not evaluated here: verify explore does"))
    asked.listen(Remark("looking at the first states, to guess the sorts of the variables"))
    own = () if asked.engine.decides_temporal else asked.question.properties
    depth = getattr(asked.question.options, "depth", None) if asked.engine.name == "bmc" else None
    widely, symmetry = asked.engine.counts_states, asked.symmetry
    made = symbolic(asked.module, own, widely=widely, depth=depth, symmetry=symmetry)
    sample = made.translation.sample
    every = ", which are all" if sample.complete else ""
    asked.listen(Remark(f"sorts are guessed from {len(sample.states):,} states{every}"))
    return made


def translated_soon(
    asked: ModuleQuestion, made: Symbolic, seconds: float, *, translating: float = 1.0
) -> Run | None:
    """The same as ``run_translated``; None if building takes more seconds of processor time in a round, or if
    another one would begin later than that. ``translating``: the share of these seconds in which the module
    is to be translated."""
    patience = Patience(seconds, time.process_time() + seconds, translating)
    try:
        return run_translated(replace(asked, patience=patience), made)
    except GivenUp:
        return None


def run_translated(asked: ModuleQuestion, made: Symbolic) -> Run:
    """The same of a module whose first states were looked at."""
    from verifier.runs.tla_verdicts import Settled, checked

    made.each_way = asked.engine.counts_states
    settled = Settled()
    for _ in range(_MOST_ROUNDS):
        translated, built = (None, None) if asked.patience is None else asked.patience.until()
        try:
            definition = within_limits(asked, lambda: _definition(asked, made), translated)
        except Interrupted as stop:
            return settled.added_to(made, _ended(asked, str(stop)), asked)
        found = _round(asked, made, definition, tuple(settled.verdicts), built)
        if built is not None and found.model is None and time.process_time() > built:
            raise GivenUp
        leaving = _leaving(found)
        if leaving is None or _decided(found, leaving):
            return settled.added_to(made, checked(made, found, asked), asked)
        if not (asked.engine.counts_states or asked.engine.decides_temporal):
            settled = settled.and_of(made, found, leaving, asked)
        try:
            asked.listen(Remark(_widen(made, leaving)))
        except UsageError as error:
            if not settled.verdicts:
                raise
            return settled.added_to(made, _stopped(asked, str(error)), asked)
    words = f"the sorts of the variables were widened {_MOST_ROUNDS} times, and do not do"
    raise NotTranslated(f"{words}: {INSTEAD}")


def _definition(asked: ModuleQuestion, made: Symbolic) -> TlaDefinition:
    """The module at the sorts that are known."""
    names = asked.question.properties
    if asked.engine.decides_temporal:
        return made.definition(names)
    definition = made.definition()
    _check_translated(made, names, asked.named)
    if asked.engine.counts_states:
        _check_choices(definition)
    return definition


def _check_choices(definition: TlaDefinition) -> None:
    """Raises NotTranslated where free parameters have more values than exploration tries."""
    from verifier.explicit.moves import MOST_MOVES

    for action in as_built(definition, free=False).actions:
        free = [p.symbol.sort.size for p in action.parameters if p.free]
        if prod(free) > MOST_MOVES:
            raise NotTranslated(f"{action.name} is chosen too freely to enumerate: {INSTEAD}")


def _round(
    asked: ModuleQuestion,
    made: Symbolic,
    definition: TlaDefinition,
    settled: tuple[str, ...],
    until: float | None,
) -> Run:
    """One run, at the sorts that are known, of the properties that are not settled; building is to end
    before."""
    question = asked.question
    names = tuple(name for name in question.properties if name not in settled)
    if not asked.engine.decides_temporal and not (names and asked.engine.writes_certificates):
        names = tuple(dict.fromkeys((*names, SORTS)))  # a proof of another property is one of this, too
    loaded = replace(question.loaded, definition=definition, began=question.limits.since, source=None)
    options = replace(question.options, properties=names, ending=(SORTS, UNDEFINED_READ))
    if settled:  # what is expected is compared with all verdicts, in the end
        options = replace(options, expect=())
    if NO_DEADLOCK in settled:
        options = replace(options, deadlock=False)

    def built(model: Model) -> None:
        _check_fairness(model, made)
        asked.built(model)

    try:
        own = replace(asked.engine.prepare(loaded, options), patience=until)
        return asked.engine.run(own, asked.listen, built)
    except (Untranslated, SortError) as error:
        raise NotTranslated(f"{error}: {INSTEAD}") from None


def _check_fairness(model: Model, made: Symbolic) -> None:
    """Raises NotTranslated if an action for the sake of fairness adds a step."""
    from verifier.engines.contained import with_steps_beyond

    beyond = with_steps_beyond(model, made.open) if made.open else None
    if beyond is not None:
        words = "a step of it may be no step of Next: such fairness is not supported"
        raise NotTranslated(f"{made.open[beyond]}: {words}")


def _check_translated(made: Symbolic, names: Sequence[str], named: Sequence[str]) -> None:
    refused = made.translation.refused
    for name in names:
        if name in refused:
            other = INSTEAD if named else f"name others with --property, or else {INSTEAD}"
            words = f"{refused[name]}, so {name} cannot be asked of this engine"
            raise NotTranslated(f"{words}: {other}")


def _leaving(found: Run) -> Verdict | None:
    """The verdict that the sorts were left, or that something has no value."""
    for verdict in found.outcome.verdicts:
        leaves = verdict.property_name in (SORTS, UNDEFINED_READ)
        if leaves and verdict.kind is VerdictKind.VIOLATED and verdict.trace is not None:
            return verdict
    return None


def _decided(found: Run, leaving: Verdict) -> bool:
    """Whether all that was asked is violated, and not later than the sorts were left."""
    beside = (SORTS, UNDEFINED_READ, NO_DEADLOCK)
    others = [verdict for verdict in found.outcome.verdicts if verdict.property_name not in beside]
    return bool(others) and all(
        verdict.kind is VerdictKind.VIOLATED
        and verdict.trace is not None
        and leaving.trace is not None
        and verdict.trace.steps <= leaving.trace.steps
        for verdict in others
    )


def _widen(made: Symbolic, leaving: Verdict) -> str:
    """Widens the sorts by what follows a state, and says how. Raises UsageError if nothing follows that needs
    it."""
    assert leaving.trace is not None
    before = made.sorts()
    state = made.translation.decode(dict(leaving.trace.states[-1]))
    if not made.widen(_following(made, state, leaving.trace.steps)):
        if made.translation.keeps_sorts:
            made.translation.keeps_sorts = False
            return "a value on the way to what is assigned leaves the sorts: it has a sort of its own"
        raise NotTranslated(
            f"{made.loaded.definition.name}: a step from a reachable state has no value as translated, and "
            f"has one to the interpreter: {INSTEAD}"
        )
    wider = [
        f"{name} from {bits_of(before[name])} to {bits_of(sort)} bits"
        for name, sort in made.sorts().items()
        if sort != before[name]
    ]
    return f"an execution of {leaving.trace.steps} steps leaves the sorts: widened {', '.join(wider)}"


def _following(made: Symbolic, state: State, steps: int) -> list[State]:
    """States that follow one. Raises UsageError if something there has no value to the interpreter either."""
    spec = made.translation.specification
    try:
        _check_state(made, state)
        stepper = Stepper(spec)
        seen = stepper.successors(state)
        return seen + (stepper.strolls(seen, _WALKS_BEYOND, _STEPS_BEYOND) if seen else [])
    except Undefined as error:
        names = [one.name for one in spec.variables]
        shown = shown_state(names, state, spec.evaluator.order)
        words = " /\\ ".join(f"{name} = {value}" for name, value in shown.items())
        raise UsageError(f"{error} (after {steps} steps, in the state {words[:_MOST_SHOWN]})") from None


def _check_state(made: Symbolic, state: State) -> None:
    spec = made.translation.specification
    spec.evaluator.now[:] = state
    for formula in (*spec.invariants.values(), *spec.constraints):
        spec.evaluator.compiled_truth(formula.body, formula.module)()


# -- show


def description(loaded: TlaLoaded) -> dict[str, Any]:
    """The sorts of the variables, the actions, and what is only explicit, as ``verify show`` tells them."""
    try:
        symbols = symbolic(loaded)
        made = symbols.translation
        sorts = symbols.sorts()
        about: dict[str, Any] = {
            "sorts": {name: f"{sort} ({bits_of(sort)} bits)" for name, sort in sorts.items()},
            "sorts_found_in": f"{len(made.sample.states)} states" + (", all" if made.sample.complete else ""),
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
    """Each action with its parameters, and how many instances it has."""
    found: dict[str, list[str]] = {}
    for action in made.actions:
        found.setdefault(action.name, []).append(", ".join(action.sorts))
    return {f"{name}({rows[0]})": str(len(rows)) for name, rows in found.items()}
