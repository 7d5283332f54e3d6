"""Questions to engines, for protocols in Python and in TLA+."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.outcomes.expectations import ENABLED
from verifier.runs.answering_source import answering_source
from verifier.runs.engine import engine_named
from verifier.runs.semantics import check_no_semantics
from verifier.runs.told import ToldVerdicts
from verifier.specs.names import own_name

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.loaded import Loaded
    from verifier.runs.options import Options
    from verifier.runs.question import Question
    from verifier.specs.definition import Definition
    from verifier.system.model import Model


def make_question(engine: Engine[Any], loaded: Loaded, options: Any) -> Question[Any]:
    """Return the question that the options ask. Raises UsageError for one that cannot be asked."""
    source = answering_source(loaded)
    if source is not None and not engine.asks:
        return source.prepare(engine, loaded, options)
    if source is None:
        check_no_semantics(options, loaded.definition.name)
        if getattr(options, "validate", None) is not None:
            words = f"--validate is for TLA+ modules, which are translated, and {loaded.spec} is not one"
            raise UsageError(words)
        options = with_own_names(options, loaded.definition)
    return engine.prepare(loaded, options)


def with_own_names(options: Any, definition: Definition) -> Any:
    """Return the options with the protocol's own names: `no_lost_write` for `NoLostWrite`, and the
    action `Write` for its method `write`."""
    own = [claim.name for claim in definition.properties] + [claim.name for claim in definition.temporal]
    actions = [action.name for action in definition.actions]
    expect = (word.rpartition("=") for word in options.expect)
    changes: dict[str, Any] = {}
    if hasattr(options, "count_action"):
        changes["count_action"] = tuple(own_name(name, actions) for name in options.count_action)
    return replace(
        options,
        properties=tuple(own_name(name, own) for name in options.properties),
        expect=tuple(
            f"{_subject(name, verdict, own, actions)}{equals}{verdict}" for name, equals, verdict in expect
        ),
        **changes,
    )


def _subject(name: str, verdict: str, claims: Sequence[str], actions: Sequence[str]) -> str:
    """Return the protocol's name of the property or action of an expectation."""
    return own_name(name, actions if verdict.lower() == ENABLED else claims)


def answer_question(
    engine: Engine[Any],
    question: Question[Any],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    """Run the engine until it is done, out of time, or interrupted."""
    told = ToldVerdicts(question)
    listen = told.listening(listen)
    source = answering_source(question.loaded)
    if source is not None and not engine.asks:
        return told.keep_in(source.answer(engine, question, listen, built))
    return told.keep_in(validate_verdicts(question, engine.run(question, listen, built)))


def validate_verdicts(question: Question[Any], run: Run) -> Run:
    """Return the run with its verdicts compared with the protocol, if that is a Python class."""
    if question.loaded.protocol is None or run.model is None:
        return run
    from verifier.runs.protocol_validation import validate_run

    return validate_run(question, run)


def execute(engine: str, loaded: Loaded, options: Options) -> Run:
    """Run the engine. Raises UsageError for a question that it cannot be asked."""
    declared = engine_named(engine)
    return answer_question(declared, make_question(declared, loaded, options))
