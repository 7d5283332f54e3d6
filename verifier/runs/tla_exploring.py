"""Exploration of a translated module, where that is faster than the interpreter and counts the same."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from verifier.encodings.bits import subterms
from verifier.encodings.terms import distinct
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.processes.watching import Watched, look_at
from verifier.runs.asking import Remark
from verifier.runs.tla_rounds import (
    GivenUp,
    ModuleQuestion,
    remark,
    run_translated,
    started,
    translated_soon,
    within_limits,
)
from verifier.runs.tla_symbolic import INSTEAD, NotTranslated, Symbolic
from verifier.specs.definition import DefinitionError
from verifier.system.size import bits_of
from verifier.tla.columns.search import unsuited
from verifier.tla.errors import TlaError
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.symmetry import Asymmetric
from verifier.tla.translate.said import is_true_once
from verifier.tla.translate.sampling import MOST_SAMPLED_WIDELY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.encodings.sorts import Sort
    from verifier.outcomes.run import Run
    from verifier.runs.tla_loading import TlaDefinition
    from verifier.system.model import Model
    from verifier.tla.translate.sampling import Sample
    from verifier.tla.translate.translation import Looked, Translation

_MOST_BITS_EXPLORED = 600
"""States of more bits are explored by the interpreter."""
_MOST_PARTS = 100_000
"""Larger formulas are left to the interpreter: each level would evaluate all of them, however few states it
has, and to compile them takes as long as to build them."""
_MOST_PERMUTATIONS = 48
"""Of more permutations classes are large and few, and the first of them take the interpreter long; it would
have to look at them twice."""
_LEAST_PATIENCE, _MOST_PATIENCE = 2.0, 12.0
"""So many seconds of processor time may building take in a round; then the interpreter explores."""
_FEW_STATES, _FEW_VALUES = 1_000, 0.2
"""Of so many states, each variable has few values if it has at most this share of them."""
_SMALL_BITS, _SMALL_TERMS, _FEW_INITIAL = 256, 5_000, 1_000
"""Where each variable has few values, a translation is faster than columns if a state has no more bits and
the translation no more terms: what it does for a state grows with both. Initial states are listed in it."""
_EXPECTED = 20 * MOST_SAMPLED_WIDELY
"""So many states are expected, where these are not all. Building may take as long as the interpreter takes
for their successors."""
_TRANSLATING = 0.4
"""The share of that time for translating alone; terms that take longer are too large to be lowered soon."""


@dataclass
class Exploration:
    """What became of an exploration of a translated module."""

    run: Run | None = None
    why: str = ""
    """Why the interpreter is to explore the module."""
    sample: Sample | None = None
    """The first states."""


def explored(asked: ModuleQuestion) -> Exploration:
    """An exploration of the translated module; or why the interpreter is to explore it."""
    found = Exploration()

    def looked(sample: Sample, sorts: Sequence[Sort]) -> None:
        found.sample = sample
        _left_by_states(asked, sample, sorts)

    found.run, found.why = _explored(asked, looked)
    return found


def explored_as_translated(asked: ModuleQuestion) -> Run:
    """An exploration of the translated module, whatever is faster. Raises UsageError with the place of what
    cannot be translated, Interrupted where it could not begin."""
    spec = asked.module.specification
    for what, formulas in (
        ("a VIEW", [] if spec.view is None else [spec.view]),
        ("an ACTION_CONSTRAINT", spec.action_constraints),
        ("a POSTCONDITION", list(spec.postconditions.values())),
        ("_POSSIBLE", list(spec.possible.values())),
        ("_PERIODIC", [] if spec.periodic is None else [spec.periodic]),
    ):
        for formula in formulas:
            words = f"{what} is not translated, --by interpreter looks at it"
            raise NotTranslated(f"{formula.body.place}: {words}")
    with Watched(look_at(asked.question.limits)):
        permuted, why = _permuted(asked, math.inf)
    if why:
        asked.say(f"all states are looked at: {why}")
    remark(asked)
    for question in (permuted, asked):
        try:
            made = within_limits(question, partial(started, question))
            found = run_translated(question, made)
        except Asymmetric as reason:
            asked.say(f"all states are looked at: SYMMETRY changes more than names: {reason}")
            spec.evaluator.symmetry = None
            continue
        uncounted = made.translation.uncounted
        if uncounted is not None:
            asked.say(f"{uncounted}: ways to be true are not told apart: TLC may count more generated states")
        return found
    raise AssertionError("without permutations nothing is asymmetric")


def _explored(asked: ModuleQuestion, looked: Looked) -> tuple[Run | None, str]:
    why = _left_to_the_interpreter(asked)
    if why:
        return None, why
    try:
        with Watched(look_at(asked.question.limits)):
            asked, why = _permuted(asked)
            if why:
                return None, why
            remark(asked)
            made = started(asked, looked)
            why = _too_large(asked, made) or _decided_by(asked, made.translation)
        if why:
            return None, why
        seconds = _patience(made.translation.sample)
        try:
            sample = made.translation.sample
            own = replace(
                asked,
                built=lambda model: _built(asked, model),
                translated=lambda definition: _left_by_terms(asked, sample, definition),
            )
            found = translated_soon(own, made, seconds, translating=_TRANSLATING)
        except GivenUp as reason:
            if made.translation.sample.complete:
                return None, "there are few states"
            late = f"building the translation takes too much time: more than {seconds:.1f} s"
            return None, str(reason) or late
        return _counted(asked, made, found)
    except (GivenUp, Interrupted) as reason:
        return None, str(reason)
    except Asymmetric as reason:
        return None, f"SYMMETRY changes more than names: {reason}"
    except (UsageError, DefinitionError) as error:  # the interpreter says itself what is wrong with a module
        return None, str(error).removesuffix(f": {INSTEAD}")


def _built(asked: ModuleQuestion, model: Model) -> None:
    """What is done once a model is built. Raises GivenUp if its formulas are too large."""
    system = model.system
    steps = chain.from_iterable((one.guard, *one.updates.values()) for one in system.instances)
    parts = subterms((*(prop.formula for prop in system.properties), *steps))
    if next(islice(parts, _MOST_PARTS, None), None) is not None:
        raise GivenUp(f"the formulas of the translation have more than {_MOST_PARTS:,} parts")
    asked.built(model)


def _left_to_the_interpreter(asked: ModuleQuestion) -> str:
    """Why the interpreter is to explore, by what is asked."""
    spec, options = asked.module.specification, asked.question.options
    if spec.view is not None:
        return "VIEW is in the configuration"
    if spec.action_constraints or spec.postconditions:
        return "the configuration has an ACTION_CONSTRAINT or a POSTCONDITION"
    if spec.possible or spec.periodic is not None:
        return f"{'_POSSIBLE' if spec.possible else '_PERIODIC'} is in the configuration"
    few = options.max_states is not None and options.max_states <= MOST_SAMPLED_WIDELY
    return "few states are asked for" if few and not options.graph else ""


def _left_by_states(asked: ModuleQuestion, sample: Sample, sorts: Sequence[Sort]) -> None:
    """Raises GivenUp if the interpreter is to explore it, by the first states and the sorts they need."""
    if sample.complete and not asked.question.options.graph:
        raise GivenUp("there are few states")
    small = len(sample.initial) <= _FEW_INITIAL and sum(map(bits_of, sorts)) <= _SMALL_BITS
    if not small and _suits_columns(asked, sample):
        _left_to_columns(asked)


def _left_by_terms(asked: ModuleQuestion, sample: Sample, made: TlaDefinition) -> None:
    """Raises GivenUp if the interpreter is to explore it, by what the translation is."""
    if _suits_columns(asked, sample):
        terms = distinct(term for _, term in made.terms())
        if next(islice(terms, _SMALL_TERMS, None), None) is not None:
            _left_to_columns(asked)


def _too_large(asked: ModuleQuestion, made: Symbolic) -> str:
    """Why the interpreter is to explore it, by what its initial states and its sorts are."""
    sample = made.translation.sample
    once = asked.symmetry is None and is_true_once(asked.module.specification)
    if not sample.all_initial and not once:
        return "in how many ways Init is true is not known: there are too many"
    size = sum(map(bits_of, made.sorts().values()))
    return f"a state takes {size} bits" if size > _MOST_BITS_EXPLORED else ""


def _left_to_columns(asked: ModuleQuestion) -> None:
    """Raises GivenUp if columns can explore it."""
    if not unsuited(asked.module.specification, asked.question.properties):
        raise GivenUp("each variable has few values")


def _suits_columns(asked: ModuleQuestion, sample: Sample) -> bool:
    """True if the variables have few values beside the states: by columns the interpreter evaluates formulas
    once for these, and nothing has to be built. Not where most states may be initial ones: these it lists one
    by one."""
    options = asked.question.options
    in_parts = options.graph or options.workers or options.master or options.work
    return not in_parts and sample.all_initial and _has_few_values(sample)


def _has_few_values(sample: Sample) -> bool:
    near = sample.states[: sample.nearest]
    if len(near) < _FEW_STATES:
        return False
    return all(len(set(values)) <= _FEW_VALUES * len(near) for values in zip(*near, strict=True))


def _decided_by(asked: ModuleQuestion, made: Translation) -> str:
    """Why the interpreter is to explore it, if the first states violate all that is asked for: it ends there,
    too."""
    invariants, options = made.specification.invariants, asked.question.options
    names = [name for name in asked.question.properties if name != asked.module.definition.titles.sorts]
    if options.keep_going or options.graph or not names or not all(name in invariants for name in names):
        return ""
    evaluator, nearest = made.specification.evaluator, made.sample.states[: made.sample.nearest]

    def is_false(name: str) -> bool:
        formula = invariants[name]
        test = evaluator.compiled_truth(formula.body, formula.module)
        for state in nearest:
            evaluator.now[:] = state
            if not test():
                return True
        return False

    try:
        return "the first states violate all that is asked for" if all(map(is_false, names)) else ""
    except Undefined:  # somewhere the interpreter may never come to
        return ""


def _patience(sample: Sample) -> float:
    """How long building may take: as long as the interpreter is expected to take, within bounds."""
    if sample.seconds_per_state is None:
        return _MOST_PATIENCE
    if _has_few_values(sample):
        return _LEAST_PATIENCE
    return min(max(_EXPECTED * sample.seconds_per_state, _LEAST_PATIENCE), _MOST_PATIENCE)


def _counted(asked: ModuleQuestion, made: Symbolic, found: Run) -> tuple[Run | None, str]:
    """The run, if it counts the ways in which steps are taken as the interpreter does; or None, and why."""
    uncounted = made.translation.uncounted
    if uncounted is None:
        return found, ""
    words = f"{uncounted}: ways to be true are not told apart"
    if not _counts_alike(found, made.translation.sample):
        return None, f"{words}, and are several"
    asked.listen(Remark(f"{words}, and are taken for one"))
    return found, ""


def _permuted(
    asked: ModuleQuestion, most: float = _MOST_PERMUTATIONS
) -> tuple[ModuleQuestion, str]:
    """The same with the permutations of the configuration, which are watched from now on; and why they cannot
    be used, if so, as where they are not fewer than ``most``. Without a class for each state that is found,
    TLC's counts would be others."""
    spec = asked.module.specification
    if not spec.symmetry:
        return asked, ""
    names = (*spec.invariants, *spec.properties, *asked.question.properties)
    explorer = Explorer(spec, properties=names)
    try:
        symmetry = explorer.permute()
    except TlaError as error:
        return asked, str(error)
    if explorer.asymmetric is not None:
        return asked, f"SYMMETRY changes more than names: {explorer.asymmetric}"
    if symmetry is not None and len(symmetry.renamings) >= most:
        return asked, f"SYMMETRY makes {len(symmetry.renamings) + 1:,} permutations"
    return replace(asked, symmetry=symmetry), ""


def _counts_alike(found: Run, sample: Sample) -> bool:
    """True if as many states were generated as by the interpreter, to each depth that both looked at."""
    counted = found.outcome.statistics.get("generated_by_level", [])
    return all(one == other for one, other in zip(counted, sample.generated, strict=False))
