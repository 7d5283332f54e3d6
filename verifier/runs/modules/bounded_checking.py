"""Bounded model checking of a module by the interpreter, if few states are reachable within the depth.

Exploration is one of the searches of bounded model checking. It needs no translation, which takes long, most
of all if states have many bits. So it comes first if few states are expected to the depth.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.encodings.sorts import SortError
from verifier.engines.bmc import Progress
from verifier.engines.choices import StepsChoice
from verifier.engines.growth import StateBudget
from verifier.errors import UsageError
from verifier.printable import join_words
from verifier.processes.limits import Interrupted
from verifier.runs.bmc import BmcOptions
from verifier.runs.modules.checkpoints import SearchCheckpoint, make_checkpoint, make_checkpoint_if_named
from verifier.runs.modules.exploring import check_begins
from verifier.runs.modules.interchanging import up_to_names
from verifier.runs.modules.loading import evaluate_or_refuse as valued
from verifier.runs.modules.loading import split_properties
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion, run_within_limits
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.refining import end_run, run_translation, run_with_fallback
from verifier.runs.modules.translating import with_operators
from verifier.runs.modules.undefined_places import locate_undefined_value
from verifier.runs.news import Remark
from verifier.system.size import bits_of
from verifier.tla.automorphisms import asymmetry
from verifier.tla.checks import list_evaluated_formulas
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.coding import Names
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.translation import add_states
from verifier.verdict import ENDED_FIRST, OF_STEPS

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

_INTERPRETER = "interpreter"
"""The name under which depths are reported."""


class _TooMany(Exception):
    """Raised if there are more states than the interpreter should explore."""


def run_bounded(asked: ModuleQuestion) -> Run:
    """Check a module to a depth, by the interpreter or translated. States that differ only in the names of
    model values are one, unless the options choose a search."""
    options = asked.question.options
    if isinstance(options, BmcOptions) and options.symmetry and leaves_search_open(options):
        return up_to_names(asked, _run)
    return _run(asked)


def _run(asked: ModuleQuestion) -> Run:
    """Use the interpreter if few states are expected, else the translation. If the translation takes long or
    is impossible, the interpreter continues."""
    run = None
    try:
        run = search_by_interpreter(asked)
        if run is not None and not run.leaves_off:
            return run.run()
        if not leaves_search_open(asked.question.options):
            return run_translation(asked)
        rest, settled = (asked, None) if run is None else (run.rest, run.settled)
        return run_with_fallback(rest, lambda: _continue_interpreter(asked, run), settled)
    except Interrupted as stop:
        return end_run(asked, str(stop)) if run is None else run.run(str(stop))


def _continue_interpreter(asked: ModuleQuestion, before: SearchCheckpoint | None) -> Run | None:
    """Return the interpreter's run, if it ends in the time that it gets now."""
    run = search_by_interpreter(asked, time.process_time() + POLICY.interpreter_seconds)
    if run is None or run.leaves_off:
        return None
    if before is not None and before.closed > run.closed:  # interrupted
        return before.run(run.reason)
    return run.run()


def search_by_interpreter(asked: ModuleQuestion, until: float | None = None) -> SearchCheckpoint | None:
    """Return the interpreter's results; None if it is not asked, or cannot report them. All steps from the
    states at the depth are evaluated too: other engines would report undefined values there. ``until``: the
    limit of processor time of this process; without it, few states must be expected."""
    from verifier.tla.orbits import Orbits

    options, spec = asked.question.options, with_operators(asked.module, asked.question.properties)
    if not isinstance(options, BmcOptions) or not leaves_search_open(options):
        return None
    names = interpreter_properties(spec, asked.question.properties)
    if names is None:
        return None
    began, reason, leaves_off = time.monotonic(), "", False
    plain = replace(spec, symmetry=[], view=None)
    watch = _Watch(asked)
    explorer = Explorer(
        plain,
        properties=names,
        first=options.first,
        max_depth=options.depth,
        enforce=watch.look if until is None else watch.tell,
    )
    if asked.symmetry is not None:
        explorer.known.orbits = Orbits(asked.symmetry.renamings)
    try:
        run_within_limits(asked, lambda: _explore(explorer, plain), until)
    except Interrupted as stop:
        reason = str(stop)
    except (_TooMany, BudgetExceeded):
        leaves_off = True
    except Undefined as error:
        asked.listen(Remark(f"verify explore, as TLC, ends here with an error: {error}"))
        leaves_off = True
    if _has_ended_first(explorer):
        reason, leaves_off = reason or ENDED_FIRST, False
    try:
        explorer.name_actions()
    except Undefined:
        return None
    run = make_checkpoint_if_named(explorer, plain, asked, began, reason=reason, leaves_off=leaves_off)
    if run is not None:
        asked.listen(Remark(run.words))
    return run


def _has_ended_first(explorer: Explorer) -> bool:
    """True if the search ended at a violation, as asked, before all states to the depth were explored."""
    result = explorer.result
    is_closed = result.complete or result.closed == explorer.max_depth
    return explorer.first and bool(result.violations) and not is_closed


def _explore(explorer: Explorer, spec: Specification) -> None:
    explorer.assume()
    explorer.explore()
    if set(explorer.properties) - explorer.result.violations.keys():
        _read_the_last_steps(explorer, spec)


def leaves_search_open(options: BmcOptions) -> bool:
    """True if the options do not choose a search."""
    how = (options.solver, options.part)
    return options.steps == StepsChoice.AUTO and how == (None, None) and not options.writes_question


def interpreter_properties(spec: Specification, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the interpreter's names of the properties. None if it does not know one, or if an evaluated
    formula depends on chance or on the search."""
    own = tuple(dict.fromkeys(name.removesuffix(OF_STEPS) for name in names))
    if spec.next is None or not {*spec.invariants, *spec.properties, spec.titles.no_deadlock}.issuperset(own):
        return None
    return own if asymmetry(spec, list_evaluated_formulas(spec), []) is None else None


# -- by the interpreter alone


def _refuse_options_of_solvers(options: BmcOptions) -> str:
    """Return the message that names the given options that only a search by a solver has."""
    given = {
        "--steps": options.steps != StepsChoice.AUTO,
        "--solver": options.solver is not None,
        "--dump-smt2": options.writes_question,
    }
    flags = join_words([flag for flag, is_given in given.items() if is_given])
    return f"{flags} cannot be combined with --by interpreter, which uses no solver"


def run_interpreter(asked: ModuleQuestion) -> Run:
    """Run the interpreter alone, however many states there are. Raises UsageError for an expression without a
    value, and for options that choose another search."""
    options = asked.question.options
    if not leaves_search_open(options):
        raise UsageError(_refuse_options_of_solvers(options))
    spec = replace(with_operators(asked.module, asked.question.properties), symmetry=[], view=None)
    sorts = asked.module.definition.titles.sorts
    names = tuple(name for name in asked.question.properties if name != sorts)
    watch, began, reason = _Watch(asked), time.monotonic(), ""
    own = split_properties(spec)
    explorer = Explorer(
        own, properties=names, first=options.first, max_depth=options.depth, enforce=watch.tell
    )
    try:
        run_within_limits(asked, lambda: _explore(explorer, own))
    except Interrupted as stop:
        reason = str(stop)
    except Undefined as error:
        reason = str(error)
        if not explorer.result.violations:
            raise UsageError(f"{error}{locate_undefined_value(explorer)}") from None
    if _has_ended_first(explorer):
        reason = reason or ENDED_FIRST
    if explorer.result.complete and not explorer.result.violations:
        check_begins(spec, explorer.result)
    valued(explorer.name_actions)
    return make_checkpoint(explorer, spec, asked, began, reason=reason).run()


class _Watch:
    """Ends a search if more states are found or expected than the interpreter should explore."""

    def __init__(self, asked: ModuleQuestion) -> None:
        self.asked, self.symmetry = asked, asked.symmetry
        self.began, self.told = time.monotonic(), -1
        self.most_of_rows: int | None = None
        """The limit of states that are explored one by one, once it is known."""

    def look(self, explorer: Explorer) -> None:
        """Report the closed depth, and raise _TooMany if there are too many states."""
        self.tell(explorer)
        columns = explorer.columns
        if columns.search is not None:
            later = explorer.count <= POLICY.states_by_columns // 4
            if _exceeds(explorer, POLICY.expected_by_columns if later else POLICY.states_by_columns):
                raise _TooMany
        elif _exceeds(explorer, POLICY.states_of_few_bits) and (
            columns.left or explorer.count > POLICY.states_of_few_bits
        ):
            if self.most_of_rows is None:
                many = _count_bits(explorer, self.symmetry) >= POLICY.many_bits
                self.most_of_rows = POLICY.states_of_many_bits if many else POLICY.states_of_few_bits
            if _exceeds(explorer, self.most_of_rows):
                raise _TooMany

    def tell(self, explorer: Explorer) -> None:
        """Report the closed depth, if the search takes a while."""
        result, seconds = explorer.result, time.monotonic() - self.began
        if result.closed > self.told and seconds > POLICY.quiet_seconds:
            self.told = result.closed
            left = tuple(name for name in self.asked.question.properties if name not in result.violations)
            self.asked.listen(Progress(_INTERPRETER, left, result.closed, seconds))


def _exceeds(explorer: Explorer, most: int) -> bool:
    """True if more states are found, generated or expected."""
    states, levels = explorer.count, explorer.result.levels
    assert explorer.max_depth is not None
    if states > most or explorer.result.generated > POLICY.generated_per_state * most:
        return True
    before = (
        POLICY.states_before_expecting
        if explorer.columns.search is None
        else POLICY.states_before_expecting_by_columns
    )
    return StateBudget(before, most).is_exceeded(states, levels, explorer.max_depth)


def _count_bits(explorer: Explorer, symmetry: Symmetry | None) -> int:
    """Return the number of bits of a state, at sorts guessed from some known states; 0 if there are no
    sorts."""
    names = Names(explorer.evaluator.order)
    shapes = {variable.name: Shape() for variable in explorer.specification.variables}
    try:
        add_states(shapes, explorer.columns.some(POLICY.states_before_expecting))
        for shape in shapes.values():
            if symmetry is not None:
                shape.permute(symmetry.renamings)
            shape.even_out()
        return sum(bits_of(sort_of(shape, names)) for shape in shapes.values())
    except (Untranslated, NoShape, SortError):
        return 0


def _read_the_last_steps(explorer: Explorer, spec: Specification) -> None:
    """Evaluate all steps of the states at the depth. Raises Undefined."""
    result = explorer.result
    if result.complete:
        return
    count = result.levels[-1]
    names = explorer.columns.actions(explorer.count - count, explorer.count)
    if names is None:
        stepper = Stepper(spec)
        names = set().union(*map(stepper.find_enabled, explorer.states[-count:]))
    result.at_the_end |= names
