"""Bounded model checking of a module by the interpreter, where few states are reached within the depth.

Exploration is one of the searches of bounded model checking. Of a module it needs no translation, which takes
long, above all where states have many bits. So it comes first, where few states are expected to the depth.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psutil

from verifier.encodings.sorts import SortError
from verifier.engines.bmc import Progress
from verifier.engines.choices import StepsChoice
from verifier.engines.outcome import Outcome
from verifier.engines.search_by_exploring import NAME as EXPLORING
from verifier.processes.limits import Interrupted
from verifier.runs.asking import Remark
from verifier.runs.bmc import BmcOptions
from verifier.runs.question import Answer, conclude
from verifier.runs.tla import enabled_actions
from verifier.runs.tla_interchanging import up_to_names
from verifier.runs.tla_loading import OF_STEPS
from verifier.runs.tla_rounds import (
    ModuleQuestion,
    ended,
    run_translated,
    started,
    within_limits,
)
from verifier.runs.tla_symbolic import with_operators
from verifier.runs.tla_traces import violated
from verifier.runs.tla_verdicts import replayed, temporal_verdicts
from verifier.specs.definition import NO_DEADLOCK
from verifier.system.size import bits_of
from verifier.tla.automorphisms import asymmetry
from verifier.tla.checks import evaluated
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.orbits import Orbits
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.coding import Names
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.translation import add_states
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

_MANY_BITS = 256
"""If the first states have more, the module is translated slowly: states to come have more again, and the
sorts are widened for them."""
_MOST_STATES, _MOST_OF_MANY_BITS = 16_000, 80_000
"""Of states of few bits, the interpreter looks at so many in the time that it takes to translate a module."""
_MOST_BY_COLUMNS, _MOST_EXPECTED = 250_000, 1_000_000
"""Of those that it finds by columns, it looks at so many in that time; at a quarter of them where so many are
expected to the depth, since what is violated may be violated before."""
_MOST_GENERATED = 5
"""So many times as many may be generated: of interchangeable values, many are one state."""
_QUIET_SECONDS, _INTERPRETER = 1.0, "interpreter"
"""For so long nothing is said of depths, and then in this name."""
_STATES_BEFORE = 1_000
"""Before so many states are seen, nothing is expected."""


class _TooMany(Exception):
    """More states than the interpreter looks at."""


def bounded(asked: ModuleQuestion) -> Run:
    """Bounded model checking of a module, by the interpreter or translated; states that differ in the names
    of model values are one, unless how to search is said."""
    options = asked.question.options
    if isinstance(options, BmcOptions) and options.symmetry and _is_open(options):
        return up_to_names(asked, _run)
    return _run(asked)


def _run(asked: ModuleQuestion) -> Run:
    try:
        found = closed(asked)
        if found is not None:
            return found
        made = within_limits(asked, lambda: started(asked))
    except Interrupted as stop:
        return ended(asked, str(stop))
    return run_translated(asked, made)


def closed(asked: ModuleQuestion) -> Run | None:
    """The run, if the interpreter looks at every state to the depth, or finds all that is asked for violated
    before, or is interrupted; else None.

    All steps from the states at the depth are read, too: what has no value there is for the others to say.
    """
    options, spec = asked.question.options, with_operators(asked.module, asked.question.properties)
    if not isinstance(options, BmcOptions) or not _is_open(options):
        return None
    names = _spoken_of(spec, asked.question.properties)
    if names is None:
        return None
    began, reason = time.monotonic(), ""
    plain = replace(spec, symmetry=[], view=None)
    watch = _Watch(asked)
    explorer = Explorer(plain, properties=names, max_depth=options.depth, enforce=watch.look)
    if asked.symmetry is not None:
        explorer.known.orbits = Orbits(asked.symmetry.renamings)
    try:
        within_limits(asked, lambda: _explore(explorer, plain))
    except Interrupted as stop:
        reason = str(stop)
    except (_TooMany, Undefined):
        return None
    try:
        explorer.name_actions()
    except Undefined:
        return None
    states, violations = explorer.count, explorer.found.violations
    if not states or not violations.keys() <= {*asked.question.properties}:
        return None
    if any(name + OF_STEPS in asked.question.properties for name in violations):
        return None  # the states or the steps may violate it
    whole = not reason and not violations.keys() >= set(names)
    looked = f"all {states:,} states within {options.depth} steps" if whole else f"{states:,} states"
    words = f"the interpreter looked at {looked}"
    asked.listen(Remark(words if asked.symmetry is None else f"{words}, up to names of model values"))
    return _run_of(asked, plain, explorer, time.monotonic() - began, reason)


def _explore(explorer: Explorer, spec: Specification) -> None:
    explorer.assume()
    explorer.explore()
    if set(explorer.properties) - explorer.found.violations.keys():
        _read_the_last_steps(explorer, spec)


def _is_open(options: BmcOptions) -> bool:
    """Whether how to search is left open."""
    how = (options.solver, options.part)
    return options.steps == StepsChoice.AUTO and how == (None, None) and not options.writes_question


def _spoken_of(spec: Specification, names: Sequence[str]) -> tuple[str, ...] | None:
    """What the interpreter calls the properties; None if it does not know one, or if something that is
    evaluated rests on chance or on the search."""
    own = tuple(dict.fromkeys(name.removesuffix(OF_STEPS) for name in names))
    if spec.next is None or not {*spec.invariants, *spec.properties, NO_DEADLOCK}.issuperset(own):
        return None
    return own if asymmetry(spec, evaluated(spec), []) is None else None


class _Watch:
    """Ends a search where more states are found or expected than the interpreter looks at."""

    def __init__(self, asked: ModuleQuestion) -> None:
        self.asked, self.symmetry = asked, asked.symmetry
        self.began, self.told = time.monotonic(), -1
        self.most_of_rows: int | None = None
        """How many states it looks at one after the other, once that is known."""

    def look(self, explorer: Explorer) -> None:
        """Says which depth is closed, if that takes a while. Raises _TooMany."""
        self._tell(explorer)
        columns = explorer.columns
        if columns.search is not None:
            later = explorer.count <= _MOST_BY_COLUMNS // 4
            if _exceeded(explorer, _MOST_EXPECTED if later else _MOST_BY_COLUMNS):
                raise _TooMany
        elif _exceeded(explorer, _MOST_STATES) and (columns.left or explorer.count > _MOST_STATES):
            if self.most_of_rows is None:
                many = _bits(explorer, self.symmetry) >= _MANY_BITS
                self.most_of_rows = _MOST_OF_MANY_BITS if many else _MOST_STATES
            if _exceeded(explorer, self.most_of_rows):
                raise _TooMany


    def _tell(self, explorer: Explorer) -> None:
        found, seconds = explorer.found, time.monotonic() - self.began
        if found.closed > self.told and seconds > _QUIET_SECONDS:
            self.told = found.closed
            left = tuple(name for name in self.asked.question.properties if name not in found.violations)
            self.asked.listen(Progress(_INTERPRETER, left, found.closed, seconds))


def _exceeded(explorer: Explorer, most: int) -> bool:
    """Whether more states are found, generated or expected."""
    states, levels = explorer.count, explorer.found.levels
    assert explorer.max_depth is not None
    if states > most or explorer.found.generated > _MOST_GENERATED * most:
        return True
    return states > _STATES_BEFORE and expected(levels, explorer.max_depth, most) > most


def _bits(explorer: Explorer, symmetry: Symmetry | None) -> int:
    """How many bits states have, at sorts that are guessed from some of those that are known; 0 where
    there are no sorts."""
    names = Names(explorer.evaluator.order)
    shapes = {variable.name: Shape() for variable in explorer.specification.variables}
    try:
        add_states(shapes, explorer.columns.some(_STATES_BEFORE))
        for shape in shapes.values():
            if symmetry is not None:
                shape.permute(symmetry.renamings)
            shape.even_out()
        return sum(bits_of(sort_of(shape, names)) for shape in shapes.values())
    except (Untranslated, NoShape, SortError):
        return 0


def expected(levels: Sequence[int], depth: int, most: int) -> float:
    """The states to the depth, if levels go on to grow as the last ones did, or by less and less where the
    last one grew by less than that before. Of more than ``most`` it says only that they are more."""
    growths = [max(later / before, 1.0) for before, later in pairwise(levels[-3:])]
    if not growths:
        return 0.0
    growth, level, count = growths[-1], float(levels[-1]), float(sum(levels))
    slower = min((growth - 1) / (growths[0] - 1), 1.0) if growths[0] > 1 else 1.0
    for _ in range(depth + 1 - len(levels)):
        growth = 1 + (growth - 1) * slower
        level *= growth
        count += level
        if count > most:
            break
    return count


def _read_the_last_steps(explorer: Explorer, spec: Specification) -> None:
    """Evaluates all steps of the states at the depth. Raises Undefined."""
    if explorer.found.complete:
        return
    count = explorer.found.levels[-1]
    if explorer.columns.all_step(explorer.count - count, explorer.count) is not None:
        return
    stepper = Stepper(spec)
    for state in explorer.states[-count:]:
        stepper.successors(state)


def _run_of(
    asked: ModuleQuestion, spec: Specification, explorer: Explorer, seconds: float, reason: str
) -> Run:
    question, found = asked.question, explorer.found
    closed_depth = found.closed if found.closed >= 0 else None
    depth, traces, verdicts = question.options.depth, dict[str, Any](), list[Verdict]()
    for name in question.properties:
        if name in found.violations:
            verdict, traces[name] = violated(spec, question.definition, found.violations[name], seconds)
            verdicts.append(replayed(spec, verdict, found.violations[name].states))
        elif reason:
            verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, closed_depth, seconds, reason))
        else:
            verdicts.append(Verdict(name, VerdictKind.HOLDS, depth, seconds, found_by=EXPLORING))
    if not asked.named:
        verdicts += temporal_verdicts(spec)
    enabled, never = enabled_actions(found, asked.module.definition)
    whole = found.complete or found.closed == depth
    outcome = Outcome(
        tuple(verdicts),
        tuple(sorted(never)) if whole else (),
        {
            "searches": {EXPLORING: {"depth": depth, "seconds": round(seconds, 3)}},
            "peak_memory_bytes": int(psutil.Process().memory_info().rss),
        },
        enabled,
    )
    made = conclude(question, Answer(None, 0.0, outcome), asked.engine.name, depth=depth)
    return replace(made, traces=traces)
