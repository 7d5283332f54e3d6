"""The choice of the semantics for a question about a module: interpreter, translation, or the faster one.

The interpreter supports the whole language, so it answers whatever the translation refuses. If one semantics
is asked for, the other never answers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.cluster.master import is_local
from verifier.errors import UsageError
from verifier.outcomes.undefined_values import remove_state
from verifier.printable import join_words
from verifier.processes.limits import Interrupted
from verifier.runs.beyond import say_nothing_to_resume
from verifier.runs.modules.exploring import explore
from verifier.runs.modules.module_question import BudgetExceeded, BuildBudget, ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.refining import (
    end_run,
    remark_on_configuration,
    run_translation,
    run_with_fallback,
)
from verifier.runs.modules.translated_exploring import explore_only_translation, explore_translation
from verifier.runs.modules.translating import INSTEAD, NotTranslated
from verifier.runs.news import Known
from verifier.runs.options import INTERPRETER, TRANSLATION, counts_formulas
from verifier.runs.semantics import name_semantics, name_semantics_asked

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Listen
    from verifier.tla.begun import Begun


def answer_question(asked: ModuleQuestion) -> Run:
    """Run the engine, and record which semantics answered. The interpreter records it itself."""
    name = asked.engine.name
    try:
        match name_semantics_asked(asked.question.options):
            case by if by == INTERPRETER:
                return _BY_INTERPRETER[name](asked)
            case by if by == TRANSLATION:
                return name_semantics(TRANSLATION, _run_only_translation(asked))
        return name_semantics(TRANSLATION, _AS_IS_FASTER.get(name, _run_translation)(asked))
    except Interrupted as stop:
        return end_run(asked, str(stop))


def _run_only_translation(asked: ModuleQuestion) -> Run:
    if counts_formulas(asked.question.options):
        raise UsageError("--coverage counts what the interpreter evaluates: it goes with --by interpreter")
    if asked.engine.name == "explore":
        return explore_only_translation(asked)
    return _run_translation(asked)


def _run_translation(asked: ModuleQuestion) -> Run:
    remark_on_configuration(asked)
    try:
        return run_translation(asked)
    except UsageError as refusal:
        if not asked.engine.decides_temporal or len(asked.question.properties) < 2:
            raise
        return _run_without_refused(asked, refusal)


def _run_without_refused(asked: ModuleQuestion, refusal: UsageError) -> Run:
    """Run the temporal properties that are not refused. The others are INCONCLUSIVE, each with its reason.
    Raises the refusal if none is left."""
    from verifier.runs.modules.verdicts import add_undecided

    refused: dict[str, str] = {}
    for name in asked.question.properties:
        try:
            run_translation(asked.asking((name,)))
        except UsageError as error:
            refused[name] = _describe_refusal(error)
    left = tuple(name for name in asked.question.properties if name not in refused)
    if not left or not refused:
        raise refusal
    for reason in dict.fromkeys(refused.values()):
        names = [name for name, own in refused.items() if own == reason]
        asked.say(f"{join_words(names)} {'is' if len(names) == 1 else 'are'} left open: {reason}")
    return add_undecided(asked, run_translation(asked.asking(left)), refused)


# -- explore


def _explore(asked: ModuleQuestion) -> Run:
    """Explore by the interpreter if that is as good or the only way."""
    options = asked.question.options
    if options.work is not None:
        asked.say("explored by the interpreter: --work keeps its states")
    elsewhere = options.master is not None and not is_local(options.master)
    if elsewhere and options.work is None:
        asked.say("explored by the interpreter: a translation's states need a folder that executors see")
    if options.graph or options.work is not None or elsewhere or counts_formulas(options):
        return _explore_only_by_interpreter(asked)
    attempt = explore_translation(asked)
    if attempt.run is not None:
        asked.say("explored using the translation")
        return attempt.run
    why = f": {remove_state(attempt.why)}" if attempt.why else ""
    asked.say(f"explored by the interpreter{why}")
    return _explore_by_interpreter(asked, attempt.sample.begun if attempt.sample is not None else None)


def _explore_by_interpreter(asked: ModuleQuestion, begun: Begun | None = None) -> Run:
    began, options = asked.question.limits.since, asked.question.options
    module = replace(asked.module, began=time.monotonic() if began is None else began)
    options = options if asked.named else replace(options, properties=())
    return name_semantics(INTERPRETER, explore(module, options, asked.listen, begun))


def _explore_only_by_interpreter(asked: ModuleQuestion) -> Run:
    if (words := say_nothing_to_resume(asked.question.options)) is not None:
        asked.say(words)
    return _explore_by_interpreter(asked)


# -- other engines


def _run_bounded(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.bounded_checking import leaves_search_open, run_bounded, run_interpreter

    remark_on_configuration(asked)
    try:
        return run_bounded(asked)
    except NotTranslated as refusal:
        if not leaves_search_open(asked.question.options):
            raise
        asked.say(f"answered by the interpreter: {_describe_refusal(refusal)}")
        return run_interpreter(asked)


def _describe_refusal(refusal: UsageError) -> str:
    return remove_state(str(refusal)).removesuffix(f": {INSTEAD}")


def _prove(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.endless import name_growing_variables

    return name_growing_variables(asked, _prove_or_explore(asked))


def _prove_or_explore(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.proving import look_ahead, may_explore
    from verifier.runs.modules.verdicts import SettledVerdicts

    remark_on_configuration(asked)
    if may_explore(asked):
        ahead = look_ahead(asked)
        if not isinstance(ahead, SettledVerdicts):
            return ahead
        own = replace(asked, listen=_hide_known(asked.listen, ahead.verdicts))
        if asked.module.specification.symmetry:
            from verifier.runs.modules.symmetric_proving import prove_beside_symmetry

            return prove_beside_symmetry(own, _run_provers)
        return _run_provers(own)
    return run_translation(asked)


def _run_provers(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.proving import prove_by_exploring

    return run_with_fallback(asked, lambda: prove_by_exploring(asked))


def _hide_known(listen: Listen, told: Collection[str]) -> Listen:
    """Return a listener for all news but violations that were reported before."""

    def hear(news: Any) -> None:
        if not isinstance(news, Known) or any(
            one.property_name not in told for one in news.run.outcome.verdicts
        ):
            listen(news)

    return hear


def _prove_only_by_interpreter(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.proving import may_explore, prove_by_exploring

    remark_on_configuration(asked)
    if not may_explore(asked):
        words = "--by interpreter looks at every state twice"
        raise UsageError(f"{words}, so it does not go with --engine, --solver, --certificate, --no-explore")
    run = prove_by_exploring(asked, math.inf)
    if run is None:
        words = "what is evaluated rests on chance or on the search, or has no value somewhere"
        raise UsageError(f"the interpreter proves nothing here: {words}: verify explore says what it finds")
    return run


def _run_or_interpret(asked: ModuleQuestion, look_on: Callable[[ModuleQuestion, float], Run | None]) -> Run:
    """Run the translation. The interpreter runs instead if translation is refused, or if building takes long
    and the interpreter is fast."""
    remark_on_configuration(asked)
    try:
        return run_translation(replace(asked, patience=BuildBudget(POLICY.building_seconds, math.inf)))
    except BudgetExceeded as reason:
        asked.say(f"the interpreter continues: {str(reason) or 'translating takes long'}")
        run = look_on(asked, time.process_time() + POLICY.interpreter_seconds)
    except UsageError as refusal:
        asked.say(f"answered by the interpreter: {_describe_refusal(refusal)}")
        run = look_on(asked, math.inf)
    if run is not None:
        return run
    asked.say("the interpreter does not come to an end soon: the module is translated")
    return run_translation(asked)


def _check_liveness(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.endless import name_growing_variables
    from verifier.runs.modules.liveness import check_liveness, explores  # other commands start without it

    run = (
        _run_or_interpret(asked, check_liveness)
        if explores(asked.question.options)
        else _run_translation(asked)
    )
    return name_growing_variables(asked, run)


def _check_liveness_by_interpreter(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.endless import name_growing_variables
    from verifier.runs.modules.liveness import check_explores, check_liveness

    check_explores(asked.question.options)
    remark_on_configuration(asked)
    run = check_liveness(asked, math.inf)
    assert run is not None
    return name_growing_variables(asked, run)


def _simulate(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.simulating import simulate_module

    if counts_formulas(asked.question.options):
        return _simulate_by_interpreter(asked)
    return (
        _run_translation(asked)
        if asked.question.options.histogram
        else _run_or_interpret(asked, simulate_module)
    )


def _simulate_by_interpreter(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.simulating import check_walks, simulate_module

    check_walks(asked.question.options)
    remark_on_configuration(asked)
    run = simulate_module(asked, math.inf)
    assert run is not None
    return run


def _run_bounded_by_interpreter(asked: ModuleQuestion) -> Run:
    from verifier.runs.modules.bounded_checking import run_interpreter

    remark_on_configuration(asked)
    return run_interpreter(asked)


_BY_INTERPRETER: Mapping[str, Callable[[ModuleQuestion], Run]] = {
    "bmc": _run_bounded_by_interpreter,
    "explore": _explore_only_by_interpreter,
    "live": _check_liveness_by_interpreter,
    "prove": _prove_only_by_interpreter,
    "simulate": _simulate_by_interpreter,
}
_AS_IS_FASTER: Mapping[str, Callable[[ModuleQuestion], Run]] = {
    "bmc": _run_bounded,
    "explore": _explore,
    "live": _check_liveness,
    "prove": _prove,
    "simulate": _simulate,
}
