"""Engines on TLA+ files: the module is translated, and the interpreter checks the results.

The sorts of the variables are guessed. If an execution leaves them, the interpreter computes the successors.
They widen the sorts and the engine starts again. If an expression there has no value, the specification has
an error. The interpreter replays every counterexample.

Source: Clarke, Grumberg, Jha, Lu and Veith 2000, doi:10.1007/10722167_15, refine abstractions in such a
loop.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import SortError
from verifier.errors import TooLargeError, UsageError
from verifier.outcomes.unbounded import add_growth
from verifier.printable import say_count
from verifier.processes.limits import Interrupted
from verifier.runs.modules.beyond_depth import (
    count_beyond_depth,
    count_within_depth,
    has_rounds_left,
    is_beyond_depth,
)
from verifier.runs.modules.constraint_bounds import is_constrained
from verifier.runs.modules.endless import is_limit, name_all_growing
from verifier.runs.modules.loading import TlaDefinition, explain_left_to_live
from verifier.runs.modules.module_question import (
    BudgetExceeded,
    BuildBudget,
    ModuleQuestion,
    run_within_limits,
)
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translated_checks import check_choices, check_fairness, check_translated
from verifier.runs.modules.translating import INSTEAD, NotTranslated, Symbolic, translate_module, widen_after
from verifier.runs.news import Remark
from verifier.runs.told import restore_depths
from verifier.runs.unbounded import Widened, explain_no_end
from verifier.system.size import check_bits
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.translation import Looked, widen
from verifier.verdict import ENDED_FIRST, ENDED_OTHERS, LEFT_TO_LIVE, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.encodings.sorts import Sort
    from verifier.outcomes.run import Run
    from verifier.runs.modules.verdicts import ClosedDepths, SettledVerdicts
    from verifier.runs.question import Question
    from verifier.system.model import Model
    from verifier.tla.translate.sampling import Sample


def run_translation(asked: ModuleQuestion, settled: SettledVerdicts | None = None) -> Run:
    """Run an engine on the translated module. ``settled``: properties that are decided. Raises Interrupted if
    it could not begin."""
    return run_from_sample(asked, run_within_limits(asked, lambda: guess_sorts(asked)), settled)


def run_with_fallback(
    asked: ModuleQuestion, look_on: Callable[[], Run | None], settled: SettledVerdicts | None = None
) -> Run:
    """Run an engine on the translated module. If building takes long or is impossible, return the
    interpreter's run, if that decides everything. Raises Interrupted."""
    own = replace(asked, patience=BuildBudget(POLICY.building_seconds, math.inf))
    try:
        made = run_within_limits(own, lambda: guess_sorts(own))
        if made.translation.sample.complete:  # the interpreter has explored all states, so it is fast
            own = replace(own, patience=BuildBudget(POLICY.building_seconds_if_explored, math.inf))
        return run_from_sample(own, made, settled)
    except (BudgetExceeded, NotTranslated) as refusal:
        asked.say(f"the interpreter continues: {str(refusal) or 'translating takes long'}")
        run = look_on()
        if run is not None:
            return run
        if isinstance(refusal, NotTranslated):
            raise
    return run_translation(asked, settled)


def end_run(asked: ModuleQuestion, reason: str) -> Run:
    """Return the run of an engine that could not begin."""
    from verifier.runs.modules.verdicts import temporal_verdicts

    run = asked.engine.run(replace(asked.question, ended=reason), asked.listen, asked.built)
    if asked.engine.decides_temporal:
        return run
    more = tuple(temporal_verdicts(asked.module.specification, asked.named))
    return replace(run, outcome=replace(run.outcome, verdicts=(*run.outcome.verdicts, *more)))


def _stop_run(asked: ModuleQuestion, reason: str, figures: Mapping[str, Any] | None = None) -> Run:
    """Return the run of an engine that cannot continue. ``figures``: its counts."""
    run = end_run(asked, reason)
    verdicts = tuple(
        verdict if verdict.reason == LEFT_TO_LIVE else replace(verdict, reason=reason)
        for verdict in run.outcome.verdicts
    )
    counted = {**run.outcome.statistics, **(figures or {})}
    return replace(run, outcome=replace(run.outcome, verdicts=verdicts, statistics=counted))


def guess_sorts(asked: ModuleQuestion, looked: Looked | None = None) -> Symbolic:
    """Return the module with its first states sampled. ``looked`` gets these, and the sorts that they need.
    Without it, NotTranslated is raised as soon as these sorts make states too large: sorts only widen."""

    def refuse_large_states(_: Sample, sorts: Sequence[Sort]) -> None:
        try:
            check_bits(asked.module.definition, sorts)
        except TooLargeError as error:
            raise NotTranslated(f"{error.words}: {INSTEAD}") from None

    looked = looked or refuse_large_states
    asked.listen(Remark("looking at the first states, to guess the sorts of the variables"))
    own = () if asked.engine.decides_temporal else asked.question.properties
    depth = getattr(asked.question.options, "depth", None) if asked.engine.name == "bmc" else None
    widely, symmetry = asked.engine.counts_states, asked.symmetry
    made = translate_module(asked.module, own, widely=widely, depth=depth, symmetry=symmetry, looked=looked)
    sample = made.translation.sample
    asked.listen(Remark(f"sorts are guessed from {_count_states(len(sample.states), sample.complete)}"))
    return made


def _count_states(count: int, complete: bool) -> str:
    """Say how many states there are to look at, and whether these are all."""
    if not complete:
        return say_count(count, "state")
    return "the only reachable state" if count == 1 else f"all {count:,} reachable states"


def remark_on_configuration(asked: ModuleQuestion) -> None:
    """Report parts of the configuration that this engine ignores or handles unexpectedly."""
    for words in _list_remarks(asked):
        asked.listen(Remark(words))


def _list_remarks(asked: ModuleQuestion) -> Iterator[str]:
    specification, engine = asked.module.specification, asked.engine
    left = [name for name, one in specification.properties.items() if not one.liveness]
    if engine.decides_temporal and left and not asked.named:
        yield explain_left_to_live(*left)
    for name, one in specification.properties.items():
        if name in asked.question.properties and one.initially == one.parts:
            words = f"the PROPERTY {name} is about one state, so only about initial states, as for TLC"
            yield f"{words}: name it under INVARIANT to ask it of all"
    if specification.postconditions:
        yield "the POSTCONDITION is not evaluated here: verify explore does"
    if specification.possible:
        yield "_POSSIBLE is not looked at here: verify explore does"
    if specification.periodic is not None:
        yield "_PERIODIC is not evaluated here: verify explore does"
    if specification.view is not None and not engine.counts_states:
        yield "the VIEW is not used here: states are told apart by all variables"


def run_within_budget(
    asked: ModuleQuestion, made: Symbolic, seconds: float, *, translating: float = 1.0
) -> Run:
    """Run a sampled module, as `run_from_sample` does, within a time. ``translating``: the share of these
    seconds for translation. Raises BudgetExceeded if building takes more processor seconds in a round, or if
    another round would begin later."""
    patience = BuildBudget(seconds, time.process_time() + seconds, translating)
    return run_from_sample(replace(asked, patience=patience), made)


def run_from_sample(asked: ModuleQuestion, made: Symbolic, settled: SettledVerdicts | None = None) -> Run:
    """Run an engine on a module whose first states were sampled. ``settled``: properties that are decided."""
    from verifier.runs.modules.verdicts import ClosedDepths, SettledVerdicts

    closed = ClosedDepths(asked.question.properties)
    asked = count_beyond_depth(asked, made)
    run = _refine_until_decided(asked, made, settled or SettledVerdicts(), closed)
    return restore_depths(run, closed.depths)


def _refine_until_decided(
    asked: ModuleQuestion, made: Symbolic, settled: SettledVerdicts, closed: ClosedDepths
) -> Run:
    from verifier.runs.modules.verdicts import check_run
    from verifier.runs.validation.verdicts import validate_translation

    made.each_way, widened, told = asked.engine.counts_states, Widened(), settled
    for number in range(POLICY.rounds):
        translated, built = (None, None) if asked.patience is None else asked.patience.until()
        try:
            began = time.process_time()
            definition = run_within_limits(asked, partial(_make_definition, asked, made), translated)
            seconds = time.process_time() - began
            looks = not number and seconds > POLICY.long_translation_seconds and asked.engine.counts_states
            if looks and _widen_by_more_states(asked, made, seconds):
                continue
        except Interrupted as stop:
            return settled.add_to(made, end_run(asked, str(stop)), asked)
        run = _run_once(asked, made, definition, tuple(settled.verdicts), built)
        if built is not None and run.model is None and time.process_time() > built:
            raise BudgetExceeded
        leaving = _find_leaving(run)
        if leaving is None or _is_decided(run, leaving):
            run = validate_translation(made, run, _validation_seconds(asked))
            checked = _explain_open(check_run(made, run, asked), asked, widened)
            return settled.add_to(made, checked, asked)
        if asked.engine.counts_states:  # it counts again, and may end before it finds a violation
            told = told.add_violations(made, run, leaving, asked)
        elif not asked.engine.decides_temporal:
            settled = settled.add_violations(made, run, leaving, asked)
            if settled.verdicts and asked.question.options.first:
                return settled.add_to(made, _stop_run(asked, ENDED_FIRST), asked)
            closed.add(run, leaving)
            asked = _add_closed_depths(asked, closed)
        following = _prepare_next_round(asked, made, run, leaving, settled, widened, closed, number)
        if not isinstance(following, ModuleQuestion):
            return following
        asked = following
    words = f"the sorts of the variables were widened {POLICY.rounds} times, and do not do"
    raise NotTranslated(f"{words}: {INSTEAD}")


def _prepare_next_round(
    asked: ModuleQuestion,
    made: Symbolic,
    run: Run,
    leaving: Verdict,
    settled: SettledVerdicts,
    widened: Widened,
    closed: ClosedDepths,
    number: int,
) -> ModuleQuestion | Run:
    """Widen the sorts for an execution that leaves them. Return the question of the next round, or the run if
    there is none. Raises UsageError if an expression has no value in the module."""
    from verifier.runs.modules.verdicts import check_run

    try:
        if not has_rounds_left(asked, leaving, number):
            return count_within_depth(asked)
        names = asked.question.properties
        words = run_within_limits(asked, partial(widen_after, made, leaving, widened, names))
        asked.listen(Remark(words, dict(closed.depths)))
        _check_growth(asked, settled, widened)
        return asked
    except Interrupted as stop:
        return settled.add_to(made, _stop_run(asked, str(stop)), asked)
    except UsageError as error:
        if is_beyond_depth(asked, leaving):  # nobody asked about values there
            return count_within_depth(asked)
        settled = settled.add_violations(made, run, leaving, asked)
        if not settled.verdicts:
            raise
        figures = dict[str, Any]()
        if asked.engine.counts_states:  # the steps of a state without a value for them are unknown
            figures = {**check_run(made, run, asked).outcome.statistics, "complete": False}
        return settled.add_to(made, _stop_run(asked, str(error), figures), asked)


def _check_growth(asked: ModuleQuestion, settled: SettledVerdicts, widened: Widened) -> None:
    """Raise Interrupted if a property is violated and a proof of the others has no end in sight."""
    options, growing = asked.question.options, widened.at_least(POLICY.widenings_without_end)
    if explain_no_end(options, settled.verdicts, growing):
        growing = name_all_growing(asked.module.specification, growing)
        widened.bounded = not growing
        if stop := explain_no_end(options, settled.verdicts, growing):
            raise Interrupted(stop)


def _validation_seconds(asked: ModuleQuestion) -> float | None:
    """Return the time for comparing the translation with the module; None: the default, or no time is
    left."""
    wanted = getattr(asked.question.options, "validate", None)
    left = asked.question.limits.seconds_left
    if wanted is None or (left is not None and left <= 0):
        return None
    seconds: float = wanted if left is None else min(wanted, left)
    asked.listen(Remark(f"comparing the translation with the module for {seconds:.3g} s"))
    return seconds


def _add_closed_depths(asked: ModuleQuestion, closed: ClosedDepths) -> ModuleQuestion:
    """Return the question with the depths that need not be closed again."""
    from verifier.runs.bmc import BmcOptions

    options = asked.question.options
    if not isinstance(options, BmcOptions):
        return asked
    options = replace(options, closed={**(options.closed or {}), **closed.depths})
    return replace(asked, question=replace(asked.question, options=options))


def _widen_by_more_states(asked: ModuleQuestion, made: Symbolic, seconds: float) -> bool:
    """True if the sorts are too narrow for states found in this number of seconds, the time of translation.
    Everything else takes several times as long, in vain if the sorts are too narrow. Raises BudgetExceeded if
    the sample turns out to be complete and the interpreter may answer from it."""
    sample = made.translation.sample
    if sample.complete:
        return False
    outcome = run_within_limits(asked, lambda: sample.look_on(seconds))
    interpreter_follows = asked.patience is not None
    if interpreter_follows and made.translation.sample.complete and not asked.question.options.graph:
        raise BudgetExceeded
    return bool(outcome) and widen(made.translation, outcome)


def _make_definition(asked: ModuleQuestion, made: Symbolic) -> TlaDefinition:
    """Return the module at the current sorts."""
    names = asked.question.properties
    if asked.engine.decides_temporal:
        return made.definition(names)
    definition = made.definition()
    check_translated(made, names, asked.named)
    if asked.engine.counts_states:
        check_choices(definition)
    asked.translated(definition)
    return definition


def _run_once(
    asked: ModuleQuestion,
    made: Symbolic,
    definition: TlaDefinition,
    settled: tuple[str, ...],
    until: float | None,
) -> Run:
    """Run once, at the current sorts, for the properties that are not settled. Building must end before the
    given time."""
    from verifier.runs.modules.telling import Telling, hide_own_properties

    question, titles = asked.question, definition.titles
    names = tuple(name for name in question.properties if name not in settled)
    if not asked.engine.decides_temporal and not (names and asked.engine.writes_certificates):
        # A proof of another property also proves this one.
        names = tuple(dict.fromkeys((*names, titles.sorts)))
    loaded = replace(question.loaded, definition=definition, began=question.limits.since, source=None)
    options = replace(question.options, properties=names, ending=titles.of_the_translation)
    # Expectations are compared at the end with all verdicts and all actions of the module.
    options = replace(options, expect=() if settled else _list_expectations(question, definition))
    if titles.no_deadlock in settled:
        options = replace(options, deadlock=False)

    listen = hide_own_properties(asked.listen, titles.of_the_translation)
    telling = Telling(asked, made, listen)

    def prepare_telling(model: Model) -> None:
        check_fairness(model, made)
        telling.model = model
        asked.built(model)

    try:
        own = replace(asked.engine.prepare(loaded, options), patience=until)
        return asked.engine.run(own, telling if asked.engine.counts_states else listen, prepare_telling)
    except (Untranslated, SortError) as error:
        raise NotTranslated(f"{error}: {INSTEAD}") from None
    except TooLargeError as error:  # sorts are guessed, not chosen by the user
        raise NotTranslated(f"{error.words}: {INSTEAD}") from None


def _list_expectations(question: Question[Any], definition: TlaDefinition) -> tuple[str, ...]:
    """Return the expectations, without those of actions that have no step in the translation."""
    there = {action.name for action in definition.actions}
    gone = {one.action for one in question.expectations.enabled} - there
    return tuple(word for word in question.options.expect if word.rpartition("=")[0] not in gone)


def _find_leaving(run: Run) -> Verdict | None:
    """Return the verdict that the sorts were left, or that an expression has no value."""
    for verdict in run.outcome.verdicts:
        leaves = verdict.property_name in run.definition.titles.of_the_translation
        if leaves and verdict.kind is VerdictKind.VIOLATED and verdict.trace is not None:
            return verdict
    return None


def _explain_open(run: Run, asked: ModuleQuestion, widened: Widened) -> Run:
    """Return the run; what is open because the sorts were left does not say that it was asked to end. What a
    limit left open names the variables whose sorts were widened again and again."""
    first = getattr(asked.question.options, "first", False)
    growing = widened.at_least(POLICY.widenings_without_end)
    reasons = [one.reason or "" for one in run.outcome.verdicts if one.kind is VerdictKind.INCONCLUSIVE]
    is_new = is_constrained(asked.module.specification) or any(map(is_limit, reasons))
    if growing and {*reasons} - {LEFT_TO_LIVE} and is_new:
        growing = name_all_growing(asked.module.specification, growing)

    def explain(one: Verdict) -> Verdict:
        if one.kind is not VerdictKind.INCONCLUSIVE or one.reason == LEFT_TO_LIVE:
            return one
        if one.reason == ENDED_FIRST and not first:
            return replace(one, reason=ENDED_OTHERS)
        return replace(one, reason=add_growth(one.reason or "", growing) or None)

    verdicts = tuple(map(explain, run.outcome.verdicts))
    return replace(run, outcome=replace(run.outcome, verdicts=verdicts))


def _is_deadlock_open(run: Run) -> bool:
    """True if deadlocks were searched for, and the search did not decide whether there are any."""
    title = run.definition.titles.no_deadlock
    verdicts = run.outcome.verdicts
    return any(one.property_name == title and one.kind is VerdictKind.INCONCLUSIVE for one in verdicts)


def _is_decided(run: Run, leaving: Verdict) -> bool:
    """True if all asked properties are violated, and not later than the sorts were left. Deadlocks do not
    count, unless they are open because an expression has no value: only the interpreter knows its place."""
    titles = run.definition.titles
    if leaving.property_name == titles.undefined_read and _is_deadlock_open(run):
        return False
    beside = (*titles.of_the_translation, titles.no_deadlock)
    others = [verdict for verdict in run.outcome.verdicts if verdict.property_name not in beside]
    return bool(others) and all(
        verdict.kind is VerdictKind.VIOLATED
        and verdict.trace is not None
        and leaving.trace is not None
        and verdict.trace.steps <= leaving.trace.steps
        for verdict in others
    )
