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

from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.runs.asking import Known
from verifier.runs.options import INTERPRETER, TRANSLATION
from verifier.runs.semantics import answered_by, semantics_asked
from verifier.runs.tla import explore
from verifier.runs.tla_bounded import bounded, interpreted, is_open
from verifier.runs.tla_exploring import explored, explored_as_translated
from verifier.runs.tla_live import check_explores, explores, lived
from verifier.runs.tla_proving import looked_ahead, looks_on, proved
from verifier.runs.tla_rounds import (
    BUILDING_SECONDS,
    PATIENT_SECONDS,
    GivenUp,
    ModuleQuestion,
    Patience,
    ended,
    remark,
    translated,
    translated_unless_slow,
)
from verifier.runs.tla_symbolic import INSTEAD, NotTranslated
from verifier.runs.tla_traces import without_whereabouts
from verifier.runs.tla_verdicts import Settled
from verifier.runs.tla_walks import check_walks, walked

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Listen
    from verifier.tla.begun import Begun


def answer(asked: ModuleQuestion) -> Run:
    """Run the engine, and record which semantics answered. The interpreter records it itself."""
    name = asked.engine.name
    try:
        match semantics_asked(asked.question.options):
            case by if by == INTERPRETER:
                return _BY_INTERPRETER[name](asked)
            case by if by == TRANSLATION:
                return answered_by(TRANSLATION, _as_translated(asked))
        return answered_by(TRANSLATION, _AS_IS_FASTER.get(name, _translated)(asked))
    except Interrupted as stop:
        return ended(asked, str(stop))


def _as_translated(asked: ModuleQuestion) -> Run:
    if asked.engine.name == "explore":
        return explored_as_translated(asked)
    return _translated(asked)


def _translated(asked: ModuleQuestion) -> Run:
    remark(asked)
    return translated(asked)


# -- explore


def _explored(asked: ModuleQuestion) -> Run:
    """Explore by the interpreter if that is as good or the only way."""
    found = explored(asked)
    if found.run is not None:
        asked.say("explored as translated")
        return found.run
    options = asked.question.options
    alone = ", in one process" if options.workers or options.master else ""
    asked.say(f"explored by the interpreter{alone}: {without_whereabouts(found.why)}")
    return _by_interpreter(asked, found.sample.begun if found.sample is not None else None)


def _by_interpreter(asked: ModuleQuestion, begun: Begun | None = None) -> Run:
    began, options = asked.question.limits.since, asked.question.options
    module = replace(asked.module, began=time.monotonic() if began is None else began)
    options = options if asked.named else replace(options, properties=())
    return answered_by(INTERPRETER, explore(module, options, asked.listen, begun))


def _only_by_interpreter(asked: ModuleQuestion) -> Run:
    options = asked.question.options
    if options.graph:
        raise UsageError("--graph is not allowed with --by interpreter: the graph is that of the translation")
    if options.workers or options.master:
        asked.say("explored by the interpreter, in one process")
    return _by_interpreter(asked)


# -- other engines


def _bounded(asked: ModuleQuestion) -> Run:
    remark(asked)
    try:
        return bounded(asked)
    except NotTranslated as refusal:
        if not is_open(asked.question.options):
            raise
        asked.say(f"answered by the interpreter: {_why(refusal)}")
        return interpreted(asked)


def _why(refusal: UsageError) -> str:
    return without_whereabouts(str(refusal)).removesuffix(f": {INSTEAD}")


def _proved(asked: ModuleQuestion) -> Run:
    remark(asked)
    if looks_on(asked):
        found = looked_ahead(asked)
        if not isinstance(found, Settled):
            return found
        own = replace(asked, listen=_not_told_again(asked.listen, found.verdicts))
        return translated_unless_slow(own, lambda: proved(own))
    return translated(asked)


def _not_told_again(listen: Listen, told: Collection[str]) -> Listen:
    """Return a listener for all news but violations that were reported before."""

    def hear(news: Any) -> None:
        if not isinstance(news, Known) or any(
            one.property_name not in told for one in news.run.outcome.verdicts
        ):
            listen(news)

    return hear


def _only_proved(asked: ModuleQuestion) -> Run:
    remark(asked)
    if not looks_on(asked):
        words = "--by interpreter looks at every state twice"
        raise UsageError(f"{words}, so it does not go with --engine, --solver, --certificate, --no-explore")
    found = proved(asked, math.inf)
    if found is None:
        words = "what is evaluated rests on chance or on the search, or has no value somewhere"
        raise UsageError(f"the interpreter proves nothing here: {words}: verify explore says what it finds")
    return found


def _or_interpreted(asked: ModuleQuestion, look_on: Callable[[ModuleQuestion, float], Run | None]) -> Run:
    """Run the translation. The interpreter runs instead if translation is refused, or if building takes long
    and the interpreter is fast."""
    remark(asked)
    try:
        return translated(replace(asked, patience=Patience(BUILDING_SECONDS, math.inf)))
    except GivenUp as reason:
        asked.say(f"the interpreter goes on: {str(reason) or 'translating takes long'}")
        found = look_on(asked, time.process_time() + PATIENT_SECONDS)
    except UsageError as refusal:
        asked.say(f"answered by the interpreter: {_why(refusal)}")
        found = look_on(asked, math.inf)
    if found is not None:
        return found
    asked.say("the interpreter does not come to an end soon: the module is translated")
    return translated(asked)


def _lived(asked: ModuleQuestion) -> Run:
    return _or_interpreted(asked, lived) if explores(asked.question.options) else _translated(asked)


def _only_lived(asked: ModuleQuestion) -> Run:
    check_explores(asked.question.options)
    remark(asked)
    found = lived(asked, math.inf)
    assert found is not None
    return found


def _walked(asked: ModuleQuestion) -> Run:
    return _translated(asked) if asked.question.options.histogram else _or_interpreted(asked, walked)


def _only_walked(asked: ModuleQuestion) -> Run:
    check_walks(asked.question.options)
    remark(asked)
    found = walked(asked, math.inf)
    assert found is not None
    return found


def _only_bounded(asked: ModuleQuestion) -> Run:
    remark(asked)
    return interpreted(asked)


_BY_INTERPRETER: Mapping[str, Callable[[ModuleQuestion], Run]] = {
    "bmc": _only_bounded,
    "explore": _only_by_interpreter,
    "live": _only_lived,
    "prove": _only_proved,
    "simulate": _only_walked,
}
_AS_IS_FASTER: Mapping[str, Callable[[ModuleQuestion], Run]] = {
    "bmc": _bounded,
    "explore": _explored,
    "live": _lived,
    "prove": _proved,
    "simulate": _walked,
}
