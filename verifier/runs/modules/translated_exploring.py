"""Exploration of a translated module, if that is faster than the interpreter and counts the same."""

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
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion, run_within_limits
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.refining import (
    guess_sorts,
    remark_on_configuration,
    run_from_sample,
    run_within_budget,
)
from verifier.runs.modules.translating import INSTEAD, NotTranslated, Symbolic
from verifier.runs.news import Remark
from verifier.specs.definition import DefinitionError
from verifier.system.size import bits_of
from verifier.tla.column_suitability import explain_unsuitability
from verifier.tla.errors import TlaError
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.symmetry import Asymmetric
from verifier.tla.translate.said import is_true_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.encodings.sorts import Sort
    from verifier.outcomes.run import Run
    from verifier.runs.modules.loading import TlaDefinition
    from verifier.system.model import Model
    from verifier.tla.errors import Place
    from verifier.tla.translate.sampling import Sample
    from verifier.tla.translate.translation import Looked, Translation


@dataclass
class Exploration:
    """The result of an attempt to explore a translated module."""

    run: Run | None = None
    why: str = ""
    """The reason why the interpreter should explore the module."""
    sample: Sample | None = None
    """The first states."""


def explore_translation(asked: ModuleQuestion) -> Exploration:
    """Explore the translated module, or return the reason why the interpreter should."""
    exploration = Exploration()

    def keep_sample(sample: Sample, sorts: Sequence[Sort]) -> None:
        exploration.sample = sample
        _check_states(asked, sample, sorts)

    exploration.run, exploration.why = _explore_if_faster(asked, keep_sample)
    return exploration


def explore_only_translation(asked: ModuleQuestion) -> Run:
    """Explore the translated module, whatever is faster. Raises UsageError with the place of an expression
    that cannot be translated, Interrupted if it could not begin."""
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
        permuted, why = _add_permutations(asked, math.inf)
    if why:
        asked.say(f"all states are looked at: {why}")
    remark_on_configuration(asked)
    for question in (permuted, asked):
        try:
            made = run_within_limits(question, partial(guess_sorts, question))
            run = run_from_sample(question, made)
        except Asymmetric as reason:
            asked.say(f"all states are looked at: SYMMETRY changes more than names: {reason}")
            spec.evaluator.symmetry = None
            continue
        uncounted = made.translation.uncounted
        if uncounted is not None:
            asked.say(_say_counted_once(uncounted))
        return run
    raise AssertionError("without permutations nothing is asymmetric")


def _explore_if_faster(asked: ModuleQuestion, looked: Looked) -> tuple[Run | None, str]:
    why = _reason_by_configuration(asked)
    if why:
        return None, why
    try:
        with Watched(look_at(asked.question.limits)):
            asked, why = _add_permutations(asked)
            if why:
                return None, why
            remark_on_configuration(asked)
            made = guess_sorts(asked, looked)
            why = _reason_by_size(asked, made.translation.sample, tuple(made.sorts().values()))
            why = why or _reason_by_violations(asked, made.translation)
        if why:
            return None, why
        seconds = _choose_seconds(asked, made.translation.sample)
        try:
            sample = made.translation.sample
            own = replace(
                asked,
                built=lambda model: _check_size(asked, model),
                translated=lambda definition: _check_terms(asked, sample, definition),
            )
            run = run_within_budget(own, made, seconds, translating=POLICY.share_of_translating)
        except BudgetExceeded as reason:
            if made.translation.sample.complete:
                return None, "there are few states"
            late = f"building the translation takes too much time: more than {seconds:.1f} s"
            return None, str(reason) or late
        return _check_counts(asked, made, run)
    except (BudgetExceeded, Interrupted) as reason:
        return None, str(reason)
    except Asymmetric as reason:
        return None, f"SYMMETRY changes more than names: {reason}"
    except (UsageError, DefinitionError) as error:
        if isinstance(error.__context__, Undefined):  # the interpreter reports the errors of a module itself
            return None, ""
        return None, str(error).removesuffix(f": {INSTEAD}")


def _check_size(asked: ModuleQuestion, model: Model) -> None:
    """Check a model once it is built. Raises BudgetExceeded if its formulas are too large."""
    system = model.system
    steps = chain.from_iterable((one.guard, *one.updates.values()) for one in system.instances)
    parts = subterms((*(prop.formula for prop in system.properties), *steps))
    if next(islice(parts, POLICY.formula_parts, None), None) is not None:
        raise BudgetExceeded(f"the formulas of the translation have more than {POLICY.formula_parts:,} parts")
    asked.built(model)


def _reason_by_configuration(asked: ModuleQuestion) -> str:
    """Return the reason in the question why the interpreter should explore; empty if there is none."""
    spec, options = asked.module.specification, asked.question.options
    if spec.view is not None:
        return "VIEW is in the configuration"
    if spec.action_constraints or spec.postconditions:
        return "the configuration has an ACTION_CONSTRAINT or a POSTCONDITION"
    if spec.possible or spec.periodic is not None:
        return f"{'_POSSIBLE' if spec.possible else '_PERIODIC'} is in the configuration"
    few = options.max_states is not None and options.max_states <= POLICY.sampling.states_of_explore
    return "few states are asked for" if few and not options.graph else ""


def _check_states(asked: ModuleQuestion, sample: Sample, sorts: Sequence[Sort]) -> None:
    """Raise BudgetExceeded if the first states and their sorts call for the interpreter."""
    if sample.complete and not asked.question.options.graph:
        raise BudgetExceeded("there are few states")
    small = len(sample.initial) <= POLICY.few_initial and sum(map(bits_of, sorts)) <= POLICY.small_bits
    if not small and _suits_columns(asked, sample):
        _leave_to_columns(asked)
    # Walks only widen sorts, so a state that takes too many bits before them does so after them.
    if sorts and (why := _reason_by_size(asked, sample, sorts)):
        raise BudgetExceeded(why)


def _check_terms(asked: ModuleQuestion, sample: Sample, made: TlaDefinition) -> None:
    """Raise BudgetExceeded if the terms of the translation call for the interpreter."""
    if _suits_columns(asked, sample):
        terms = distinct(term for _, term in made.terms())
        if next(islice(terms, POLICY.small_terms, None), None) is not None:
            _leave_to_columns(asked)


def _reason_by_size(asked: ModuleQuestion, sample: Sample, sorts: Sequence[Sort]) -> str:
    """Return the reason in the initial states and sorts why the interpreter should explore."""
    once = asked.symmetry is None and is_true_once(asked.module.specification)
    if not sample.all_initial and not once:
        return "in how many ways Init is true is not known: there are too many"
    size = sum(map(bits_of, sorts))
    is_large = size > POLICY.bits_explored
    return f"the translation would need {size:,} bits per state" if is_large else ""


def _leave_to_columns(asked: ModuleQuestion) -> None:
    """Raise BudgetExceeded if columns can explore it."""
    if _explores_by_columns(asked):
        raise BudgetExceeded("each variable has few values in the first states")


def _explores_by_columns(asked: ModuleQuestion) -> bool:
    return not explain_unsuitability(asked.module.specification, asked.question.properties)


def _suits_columns(asked: ModuleQuestion, sample: Sample) -> bool:
    """True if the variables have few values compared with the number of states. By columns, the interpreter
    evaluates formulas once for these values, and nothing has to be built. False if most states may be
    initial: these are listed one by one."""
    options = asked.question.options
    in_parts = options.graph or options.master or options.work
    return not in_parts and sample.all_initial and _has_few_values(sample)


def _has_few_values(sample: Sample) -> bool:
    near = sample.states[: sample.nearest]
    if len(near) < POLICY.states_of_few_values:
        return False
    return all(
        len(set(values)) <= POLICY.share_of_few_values * len(near) for values in zip(*near, strict=True)
    )


def _reason_by_violations(asked: ModuleQuestion, made: Translation) -> str:
    """Return the reason for the interpreter if the first states violate all asked properties, or one if the
    first violation ends the run: it ends there too."""
    invariants, options = made.specification.invariants, asked.question.options
    names = [name for name in asked.question.properties if name != asked.module.definition.titles.sorts]
    if options.keep_going or options.graph or not names:
        return ""
    if not options.first and not all(name in invariants for name in names):
        return ""
    evaluator, nearest = made.specification.evaluator, made.sample.states[: made.sample.nearest]

    def is_false(name: str) -> bool:
        formula = invariants[name]
        test = evaluator.compile_truth(formula.body, formula.module)
        for state in nearest:
            evaluator.now[:] = state
            if not test():
                return True
        return False

    try:
        if options.first:
            violated = next((name for name in names if name in invariants and is_false(name)), None)
            return "" if violated is None else f"the first states violate {violated}"
        return "the first states violate all that is asked for" if all(map(is_false, names)) else ""
    except Undefined:  # the interpreter may never reach this state
        return ""


def _choose_seconds(asked: ModuleQuestion, sample: Sample) -> float:
    """Return the time for building: as long as the interpreter is expected to take, within bounds. Columns
    take less time than that where variables have few values."""
    if sample.seconds_per_state is None:
        return POLICY.most_building_seconds
    if _has_few_values(sample) and _explores_by_columns(asked):
        return POLICY.least_building_seconds
    return min(
        max(POLICY.expected_states * sample.seconds_per_state, POLICY.least_building_seconds),
        POLICY.most_building_seconds,
    )


def _check_counts(asked: ModuleQuestion, made: Symbolic, run: Run) -> tuple[Run | None, str]:
    """Return the run, if it counts the ways to take steps as the interpreter does; or None, and the
    reason."""
    uncounted = made.translation.uncounted
    if uncounted is None:
        return run, ""
    if not _counts_alike(run, made.translation.sample):
        why = "TLC counts a step for each way to make this formula true, and the translation counts one"
        return None, f"{uncounted}: {why}"
    asked.listen(Remark(_say_counted_once(uncounted)))
    return run, ""


def _say_counted_once(place: Place) -> str:
    """Return a remark on a formula that several ways of taking a step make true."""
    return f"{place}: TLC may count more generated states: a step for each way to make this formula true"


def _add_permutations(asked: ModuleQuestion, most: float = POLICY.permutations) -> tuple[ModuleQuestion, str]:
    """Return the question with the permutations of the configuration, which are checked from now on. The
    second result is the reason why they cannot be used, such as ``most`` or more of them. TLC's counts
    require one orbit for each state found."""
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


def _counts_alike(run: Run, sample: Sample) -> bool:
    """True if as many states were generated as by the interpreter, to each depth that both explored."""
    counted = run.outcome.statistics.get("generated_by_level", [])
    return all(one == other for one, other in zip(counted, sample.generated, strict=False))
