"""Proofs by exploration up to the SYMMETRY of the configuration, for modules that the provers leave open.

Each state stands for all states to which the permutations map it. That they change only names is checked
(``automorphisms``). All states are explored twice, side by side: up to all permutations, and up to the even
ones. The classes differ, but they must have equally many states in all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.search_by_exploring import NAME as EXPLORING
from verifier.engines.state_space import Explored
from verifier.outcomes.expectations import exit_code
from verifier.processes.children import Children, Message, Work
from verifier.processes.limits import Interrupted
from verifier.runs.modules.bounded_checking import interpreter_properties
from verifier.runs.modules.interchanging import watch_permutations
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translating import with_operators
from verifier.runs.news import Remark
from verifier.runs.options import INTERPRETER
from verifier.runs.prove import describe_exploration
from verifier.runs.semantics import name_semantics
from verifier.tla.automorphisms import permutations
from verifier.tla.errors import TlaError
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Asymmetric, Permutation
from verifier.tla.value_types import Value
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

UP_TO_SYMMETRY = "every reachable state was explored, up to SYMMETRY"
"""By what such a property is proved."""


@dataclass(frozen=True)
class _Classes:
    """The result of an exploration up to some permutations."""

    states: int
    """All states, not only one of each class."""
    classes: int
    depth: int
    violated: tuple[str, ...]
    seconds: float


def prove_beside_symmetry(asked: ModuleQuestion, run_provers: Callable[[ModuleQuestion], Run]) -> Run:
    """Return the run of the provers. If they leave properties open after a share of the time, explore all
    states up to SYMMETRY; if that decides nothing, the provers get the rest of the time."""
    limits = asked.question.limits.begin()
    left = limits.seconds_left
    share = POLICY.seconds_before_symmetry if left is None else min(POLICY.seconds_before_symmetry, left / 4)
    first: Run | None = None
    # The translation is asked with the same options, so its time has to be among them.
    spent = share if limits.since is None else time.monotonic() - limits.since + share
    options = replace(asked.question.options, timeout=spent)
    question = replace(asked.question, options=options, limits=replace(limits, seconds=spent))
    own = replace(asked, question=question)
    try:
        first = run_provers(own)
    except Interrupted:
        limits.check_time()
    open_ = _list_open(asked, first)
    if first is not None and not open_:
        return first
    try:
        limits.check_time()
        explored = _explore_twice(asked.asking(open_))
    except Interrupted:
        if first is None:
            raise
        return first
    if explored is None:
        return run_provers(asked)
    if first is None:  # the engine says of all properties that it could not begin
        first = asked.engine.run(replace(asked.question, ended=UP_TO_SYMMETRY), asked.listen, asked.built)
    return _add_proofs(asked, first, open_, explored)


def _list_open(asked: ModuleQuestion, run: Run | None) -> tuple[str, ...]:
    if run is None:
        return asked.question.properties
    kinds = {one.property_name: one.kind for one in run.outcome.verdicts}
    names = asked.question.properties
    return tuple(name for name in names if kinds.get(name) is VerdictKind.INCONCLUSIVE)


def _explore_twice(asked: ModuleQuestion) -> Explored | None:
    """Return the result of two explorations that agree and find no violation; None for any other. Raises
    Interrupted."""
    spec = with_operators(asked.module, asked.question.properties)
    names = interpreter_properties(spec, asked.question.properties)
    if names is None or spec.action_constraints:
        return None
    try:
        group = permutations(spec)
        unfit = Explorer(spec, properties=names)
        unfit.permute()
    except TlaError:
        return None
    even = [one for one in group if _is_even(one)]
    if unfit.asymmetric is not None or not group:
        return None
    words = f"exploring all states up to SYMMETRY, {len(group) + 1:,} permutations, twice"
    asked.listen(Remark(words))
    plain = replace(spec, symmetry=[], view=None)
    limits = asked.question.limits
    children = Children(limits)
    found: dict[str, _Classes] = {}

    def follow() -> None:
        for title, own in (("all", group), ("even", even)):
            children.start(title, _work(asked, plain, names, own))
        for event in children.events():
            if isinstance(event, Message) and isinstance(event.content, _Classes):
                found[event.child] = event.content
            if event.child not in found or found[event.child].violated:
                return  # one of them does not come to an end, or shows that nothing is proved

    if reason := children.supervise(follow):
        raise Interrupted(reason)
    return _agree(asked, found)


def _agree(asked: ModuleQuestion, found: dict[str, _Classes]) -> Explored | None:
    if len(found) < 2 or any(one.violated for one in found.values()):
        return None
    one, other = found["all"], found["even"]
    if (one.states, one.depth) != (other.states, other.depth):
        asked.say(f"two explorations up to SYMMETRY differ, so they prove nothing: {one}, {other}")
        return None
    shown = f"{one.classes:,} classes of states, which have {one.states:,} states"
    asked.listen(Remark(f"the interpreter looked at {shown}; again at {other.classes:,} smaller classes"))
    return Explored((), one.states, one.depth, (), (), one.seconds, other.seconds)


def _work(
    asked: ModuleQuestion, spec: Specification, names: tuple[str, ...], group: list[Permutation]
) -> Work:
    """The work of a process that explores all states up to permutations, and reports the classes, or the
    reason why it cannot."""

    def work(report: Callable[[Any], None], _: object) -> None:
        own = watch_permutations(asked, spec, group) if group else asked
        plain = replace(spec, evaluator=own.module.specification.evaluator)
        explorer = Explorer(plain, properties=names, keep_going=True, first=True)
        if own.symmetry is not None:
            from verifier.tla.orbits import Orbits  # few modules have symmetry

            explorer.known.orbits = Orbits(own.symmetry.renamings)
        began = time.monotonic()
        try:
            explorer.assume()
            explorer.explore()
        except (Interrupted, Undefined, Asymmetric) as reason:
            report(str(reason))
            return
        result, orbits = explorer.result, explorer.known.orbits
        states = explorer.count if orbits is None else explorer.in_orbits or 0
        seconds, violated = time.monotonic() - began, tuple(result.violations)
        report(_Classes(states, explorer.count, max(result.depth, 0), violated, seconds))

    return work


def _is_even(permutation: Permutation) -> bool:
    """True if an even number of exchanges of two values makes the permutation."""
    waiting: set[Value] = set(permutation)
    exchanges = 0
    while waiting:
        value = waiting.pop()
        following = permutation[value]
        while following in waiting:
            waiting.remove(following)
            following = permutation[following]
            exchanges += 1
    return exchanges % 2 == 0


def _add_proofs(asked: ModuleQuestion, run: Run, names: tuple[str, ...], explored: Explored) -> Run:
    """Return the run with properties that are proved by exploration."""
    verdicts = tuple(
        Verdict(
            one.property_name, VerdictKind.PROVED, None, explored.seconds, UP_TO_SYMMETRY, found_by=EXPLORING
        )
        if one.property_name in names
        else one
        for one in run.outcome.verdicts
    )
    figures = {
        "states": explored.states,
        "depth": explored.depth,
        "seconds": round(explored.seconds, 3),
        "symmetry": True,
    }
    provers = {**run.outcome.statistics.get("provers", {})}
    for name in names:
        provers[name] = {**provers.get(name, {}), EXPLORING: figures}
    outcome = replace(
        run.outcome, verdicts=verdicts, statistics={**run.outcome.statistics, "provers": provers}
    )
    began = asked.question.limits.since
    if {*names} == {*asked.question.properties}:  # nothing rests on the translation
        outcome = name_semantics(INTERPRETER, replace(run, outcome=outcome)).outcome
    return replace(
        run,
        outcome=outcome,
        proofs=(*run.proofs, *({**describe_exploration(name, explored), "symmetry": True} for name in names)),
        exit_code=exit_code(verdicts, asked.question.expectations, outcome.enabled),
        seconds=run.seconds if began is None else time.monotonic() - began,
    )
