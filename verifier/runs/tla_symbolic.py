"""Engines on TLA+ files: the module is translated; the interpreter checks what an engine finds.

The sorts of the variables are guessed. Where an execution leaves them, the interpreter says what follows: the
sort is widened by it and the engine starts again, unless the interpreter finds an expression without a value
there, which is an error of the specification. Every counterexample is an execution to the interpreter too.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import SortError
from verifier.errors import UsageError
from verifier.outcomes.expectations import exit_code, expectations_of
from verifier.runs.engine import Engine, Listen
from verifier.runs.loading import Loaded
from verifier.runs.tla import NOT_CHECKED, TlaDefinition, TlaLoaded, formula_named
from verifier.specs.definition import NO_DEADLOCK, UNDEFINED_READ, Definition, DefinitionError, Presentation
from verifier.system.size import bits_of
from verifier.tla.explorer import State
from verifier.tla.frames import Undefined
from verifier.tla.itf import shown_state
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.specification import SORTS, Translation, started, translate
from verifier.tla.translate.symbolic import Untranslated
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.system.model import Model

_LOG = logging.getLogger(__name__)
_MOST_BITS_EXPLORED = 600
"""States of more bits are explored by the interpreter."""
_MOST_ROUNDS = 60
_WALKS_BEYOND, _STEPS_BEYOND = 20, 40
"""Random walks beyond a state that left its sorts, before the engine starts again."""
_INSTEAD = "verify explore looks at every state by the interpreter"


class NotTranslated(UsageError):
    """Something of a module cannot be translated; the interpreter may do it all the same."""


@dataclass
class Symbolic:
    """A module that is translated."""

    loaded: TlaLoaded
    translation: Translation
    lemmas: dict[str, Any]
    asked: tuple[str, ...] = ()
    """The properties that were named."""

    def question(self) -> Loaded:
        """The module as engines take a protocol, at the sorts that are known now. Raises Untranslated."""
        translate(self.translation, self.lemmas)
        made, source = self.translation, self.loaded.definition
        definition = TlaDefinition(
            source.name,
            source.constants,
            made.variables,
            made.init,
            made.actions,
            made.properties,
            made.constraint,
            made.lemmas,
            made.successor,
            presentation=Presentation(source=str(self.loaded.path)),
            source_hash=source.source_hash,
        )
        return Loaded(str(self.loaded.path), definition, {}, self.loaded.began)


def symbolic(loaded: TlaLoaded, properties: tuple[str, ...] = (), lemmas: tuple[str, ...] = ()) -> Symbolic:
    """The module, its first states looked at. Raises UsageError for an expression without a value."""
    spec = loaded.specification
    if spec.next is None:
        raise NotTranslated(f"{spec.module.name} has no Next: there is nothing to search")
    for name in properties:
        if name not in (*spec.invariants, *spec.properties, NO_DEADLOCK, SORTS, UNDEFINED_READ, "all"):
            spec.invariants[name] = formula_named(spec, name, [*spec.invariants, *spec.properties])
    named = {name: formula_named(spec, name, []) for name in lemmas}
    try:
        return Symbolic(loaded, started(spec), named, properties)
    except Undefined as error:
        raise UsageError(str(error)) from None
    except Untranslated as error:
        raise NotTranslated(f"{error}: {_INSTEAD}") from None


def run(
    engine: Engine[Any],
    asked: Symbolic,
    options: Any,
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    """Runs an engine, at wider sorts where those that were guessed do not do."""
    for _ in range(_MOST_ROUNDS):
        try:
            question = engine.prepare(asked.question(), _options(asked, options))
            found = engine.run(question, listen, built)
        except (Untranslated, SortError) as error:
            raise NotTranslated(f"{error}: {_INSTEAD}") from None
        leaving = _leaving(found)
        if leaving is None:
            return _checked(asked, found, _options(asked, options))
        if _decided(found, leaving):
            return _checked(asked, found, _options(asked, options))
        _widen(asked, leaving)
    raise NotTranslated(
        f"the sorts of the variables were widened {_MOST_ROUNDS} times, and do not do: {_INSTEAD}"
    )


def _decided(found: Run, leaving: Verdict) -> bool:
    """Whether all that was asked is violated, and not later than the sorts were left."""
    others = [
        v for v in found.outcome.verdicts if v.property_name not in (SORTS, UNDEFINED_READ, NO_DEADLOCK)
    ]
    return bool(others) and all(
        v.kind is VerdictKind.VIOLATED
        and v.trace is not None
        and leaving.trace is not None
        and v.trace.steps <= leaving.trace.steps
        for v in others
    )


def explored(
    engine: Engine[Any], loaded: TlaLoaded, options: Any, listen: Listen = lambda _: None
) -> tuple[Run | None, str]:
    """An exploration of the translated module; or None, and why the interpreter is to explore it."""
    spec = loaded.specification
    if spec.symmetry or spec.view is not None:
        return None, f"{'SYMMETRY' if spec.symmetry else 'VIEW'} is in the configuration"
    if spec.action_constraints or spec.postcondition is not None:
        return None, "the configuration has an ACTION_CONSTRAINT or a POSTCONDITION"
    try:
        asked = symbolic(loaded, options.properties)
        if asked.translation.sample.complete:
            return None, "there are few states"
        size = sum(
            bits_of(shape.sort(asked.translation.names)) for shape in asked.translation.shapes.values()
        )
        if size > _MOST_BITS_EXPLORED:
            return None, f"a state takes {size} bits"
        return run(engine, asked, options, listen), ""
    except NotTranslated as error:
        return None, str(error).removesuffix(f": {_INSTEAD}")
    except DefinitionError as error:
        return None, str(error)


def description(loaded: TlaLoaded) -> dict[str, Any]:
    """The sorts of the variables, the actions, and what is only explicit, as ``verify show`` tells them."""
    try:
        made = symbolic(loaded).translation
        sorts = {name: shape.sort(made.names) for name, shape in made.shapes.items()}
        about: dict[str, Any] = {
            "sorts": {name: f"{sort} ({bits_of(sort)} bits)" for name, sort in sorts.items()},
            "sorts_found_in": f"{len(made.sample.states)} states" + (", all" if made.sample.complete else ""),
        }
        translate(made)
    except Untranslated as error:
        return {**about, "only_explicit": [f"everything: {error}"]}
    except UsageError as error:
        return {"only_explicit": [f"everything: {error}"]}
    about["instances"] = _instances(made)
    about["only_explicit"] = [f"{name}: {error}" for name, error in made.refused.items()]
    return about


def _instances(made: Translation) -> dict[str, str]:
    """Each action with its parameters, and how many instances it has."""
    found: dict[str, list[str]] = {}
    for action in made.actions:
        found.setdefault(action.name, []).append(", ".join(action.sorts))
    return {f"{name}({rows[0]})": str(len(rows)) for name, rows in found.items()}


def _options(asked: Symbolic, options: Any) -> Any:
    """The options with what a configuration asks: its properties, and freedom from deadlock."""
    refused = asked.translation.refused
    names = [p.name for p in asked.translation.properties if p.name != SORTS]
    known = options.properties or tuple(names)
    if "all" in known:
        known = tuple(names)
    for name in known:
        if name in refused:
            raise NotTranslated(f"{refused[name]}, so {name} cannot be asked of this engine: {_INSTEAD}")
    if not options.properties and refused:
        first = next(iter(refused))
        words = f"name others with --property, or {_INSTEAD.removeprefix('verify ')}"
        raise NotTranslated(f"{refused[first]}, so {first} cannot be asked of this engine: {words}")
    changes: dict[str, Any] = {"properties": tuple(dict.fromkeys((*known, SORTS)))}
    if hasattr(options, "deadlock") and not options.properties:
        changes["deadlock"] = options.deadlock or asked.loaded.specification.config.check_deadlock
    return replace(options, **changes)


def _leaving(found: Run) -> Verdict | None:
    for verdict in found.outcome.verdicts:
        leaves = verdict.property_name in (SORTS, UNDEFINED_READ)
        if leaves and verdict.kind is VerdictKind.VIOLATED and verdict.trace is not None:
            return verdict
    return None


def _widen(asked: Symbolic, leaving: Verdict) -> None:
    """Widens the sorts by what follows a state. Raises UsageError if nothing follows that needs it."""
    made, spec = asked.translation, asked.loaded.specification
    assert leaving.trace is not None
    state = made.decode(dict(leaving.trace.states[-1]))
    names = [one.name for one in spec.variables]
    try:
        _check_state(asked, state)
        stepper = Stepper(spec)
        seen = stepper.successors(state)
        seen += stepper.strolls(seen, _WALKS_BEYOND, _STEPS_BEYOND) if seen else []
    except Undefined as error:
        shown = shown_state(names, state, spec.evaluator.order)
        words = " /\\ ".join(f"{name} = {value}" for name, value in shown.items())
        raise UsageError(f"{error} (after {leaving.trace.steps} steps, in the state {words[:600]})") from None
    if not made.widen(seen):
        raise NotTranslated(
            f"{asked.loaded.definition.name}: a step from a reachable state has no value as translated, and "
            f"has one to the interpreter: {_INSTEAD}"
        )
    _LOG.info("the sorts are widened by what follows a state after %d steps", leaving.trace.steps)


def _check_state(asked: Symbolic, state: State) -> None:
    spec = asked.loaded.specification
    spec.evaluator.now[:] = state
    for formula in (*spec.invariants.values(), *spec.constraints):
        spec.evaluator.compiled_truth(formula.body, formula.module)()


# -- counterexamples


def _checked(asked: Symbolic, found: Run, options: Any) -> Run:
    """The run, counterexamples replayed by the interpreter, without what only concerns the translation."""
    verdicts = tuple(
        _replayed(asked, verdict)
        for verdict in found.outcome.verdicts
        if verdict.property_name not in (SORTS, UNDEFINED_READ)
        or verdict.kind not in (VerdictKind.HOLDS, VerdictKind.PROVED, VerdictKind.VIOLATED)
    )
    if not asked.asked:
        verdicts += tuple(_temporal(asked))
    expectations = expectations_of(
        options.expect, found.definition, deadlock=getattr(options, "deadlock", False)
    )
    outcome = replace(found.outcome, verdicts=verdicts)
    code = exit_code(verdicts, expectations, outcome.enabled)
    return replace(found, outcome=outcome, exit_code=code)


def _temporal(asked: Symbolic) -> Iterator[Verdict]:
    """The verdicts of properties that say more than this engine was asked."""
    for name, safety in asked.loaded.specification.properties.items():
        if safety.liveness:
            shown = (
                f"{name} (temporal part)"
                if any(p.name == name for p in asked.translation.properties)
                else name
            )
            yield Verdict(shown, VerdictKind.INCONCLUSIVE, None, 0.0, NOT_CHECKED)


def _replayed(asked: Symbolic, verdict: Verdict) -> Verdict:
    if verdict.kind is not VerdictKind.VIOLATED or verdict.trace is None:
        return verdict
    made = asked.translation
    states = [made.decode(dict(state)) for state in verdict.trace.states]
    wrong = disagreement(asked, states, verdict.property_name)
    if wrong is None:
        return verdict
    return replace(verdict, kind=VerdictKind.ERROR, reason=f"the interpreter does not agree: {wrong}")


def disagreement(asked: Symbolic, states: list[State], name: str) -> str | None:
    """What makes these states no counterexample to the interpreter; None if they are one."""
    spec = asked.loaded.specification
    evaluator = spec.evaluator

    def true(formula: Any, state: State, following: State | None = None) -> bool:
        evaluator.now[:] = state
        if following is not None:
            evaluator.next[:] = following
        return bool(evaluator.compiled_truth(formula.body, formula.module)())

    stepper = Stepper(spec)
    try:
        if not all(true(formula, states[0]) for formula in spec.init):
            return "the first state is not initial"
        for number, (one, other) in enumerate(itertools.pairwise(states)):
            if other not in stepper.successors(one):
                return f"step {number + 1} is no step of Next"
        last = states[-1]
        if name == NO_DEADLOCK:
            return None if not stepper.successors(last) else "the last state has a successor"
        if name in spec.invariants:
            return f"{name} holds in the last state" if true(spec.invariants[name], last) else None
        base = name.removesuffix("!step")
        safety = spec.properties[base]
        if all(true(formula, last) for formula in safety.always):
            before = states[-2] if len(states) > 1 else last
            if all(true(formula, before, last) for formula in safety.steps):
                return f"{name} holds in the last state"
    except Undefined as error:
        return str(error)
    return None


__all__ = ["Definition", "Symbolic", "disagreement", "run", "symbolic"]
