"""Comparison of a module with the protocol that is read from it for all constants.

Both are run at several sizes of the constants: the interpreter on the module, a plain evaluator on the terms
of the protocol. In each reached state they must have the same successors, and each property and lemma the
same truth. So they have the same states, level by level. In drawn states, of which most are unreachable, both
must agree on Init, steps, properties and lemmas too: a formula that is always true shows only there. The
explorer of the protocol must count the same states.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from random import Random
from typing import Any

from verifier.encodings.plain_terms import Environment, Reader, Undefined, plain, values_of
from verifier.encodings.random_values import draw_value
from verifier.encodings.terms import Term
from verifier.engines.explore import Request, explore
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted, Limits
from verifier.runs.building import build_model
from verifier.runs.loaded import Differs
from verifier.runs.modules.constant_choices import Choice, choices_of
from verifier.runs.modules.encoded_states import EncodedStates
from verifier.runs.modules.fixed_constants import SpecifyAt, make_specifications
from verifier.runs.modules.loading import no_initial_state
from verifier.runs.modules.met_violations import Met, meet
from verifier.runs.modules.type_violations import LeavesSorts
from verifier.specs.definition import Action, Definition
from verifier.specs.plain_steps import happening
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.first_order.constants import classify
from verifier.tla.first_order.protocol_classes import ModuleProtocol, formula_of, operator_of
from verifier.tla.frames import Undefined as NoValue
from verifier.tla.specification import Specification, without_traces
from verifier.tla.splitting import Formula
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import INCOMPARABLE

_MOST_STATES = 3000
"""The limit of reached states that are compared at one choice of constants."""
_DRAWN = 300
"""The number of drawn states at one choice of constants."""
_MOST_INSTANCES = 20_000
"""The limit of the values of an action's parameters."""
_LEAST_SIZES = 4
"""The number of choices of constants that are compared in any case."""
_MOST_SIZES = 12
"""The number of choices that are compared, beyond that time too, until all states of one were compared."""
_MOST_TIMES = 3
"""The processor time of all comparisons, as a multiple of that at the configuration's constants."""
_SMALL = 2
"""The size of constants up to which the explorer counts states. It also counts at the configuration's."""
_MOST_EXPLORED = 200_000
"""The limit of states that the explorer of the protocol counts."""


@dataclass
class Compared:
    """The extent of a comparison that found no difference."""

    states: int = 0
    """Reached and drawn states."""
    steps: int = 0
    drawn: int = 0
    undefined: int = 0
    """Comparisons in drawn states that were skipped: one of the two has no value there."""
    sizes: list[dict[str, int]] = field(default_factory=list)
    """The constants at which all reachable states were compared."""
    partly: list[dict[str, int]] = field(default_factory=list)
    """The constants at which only some states were compared."""
    seconds: float = 0.0
    watched: Sequence[str] = ()
    """Invariants without a reading. Only the interpreter evaluates them."""
    violated: dict[str, Met] = field(default_factory=dict)
    """The invariants that are false in a reached state."""
    without_value: dict[str, str] = field(default_factory=dict)
    """The invariants that have no value in a reached state, each with the reason."""

    def figures(self) -> dict[str, Any]:
        """Return the counts for the JSON output."""
        names = ("states", "steps", "drawn", "undefined", "sizes", "partly")
        return {**{name: getattr(self, name) for name in names}, "seconds": round(self.seconds, 3)}


def compare(
    protocol: ModuleProtocol,
    specify_at: SpecifyAt,
    seconds: float,
    limits: Limits,
    watched: Sequence[str] = (),
    seed: int = 0,
) -> Compared:
    """Compare at the constants of the configuration, and at smaller and larger ones within about this
    processor time for each. Raises Differs at the first difference, and LeavesSorts."""
    compared, began = Compared(watched=watched), time.process_time()
    for number, choice in enumerate(choices_of(protocol.constants, Random(seed))):
        beyond = time.process_time() - began > _MOST_TIMES * seconds
        if number >= _LEAST_SIZES and beyond and (compared.sizes or number >= _MOST_SIZES):
            break
        pair = make_specifications(protocol, specify_at, choice)
        if pair is not None:
            is_first = choice.is_own or not compared.sizes  # one choice must be compared completely
            own_seconds = seconds if is_first else seconds / 3
            _Comparison(protocol, *pair, choice, compared, Random(seed + number), limits).run(own_seconds)
    if not compared.sizes and not compared.partly:
        raise UsageError("no constants that were tried satisfy the ASSUMEs: do they contradict each other?")
    if not compared.sizes:
        words = "at no constants are all reachable states few enough to compare the protocol with its module"
        raise UsageError(f"{words}: give smaller constants in the configuration")
    compared.seconds = time.process_time() - began
    return compared


class _Comparison:
    """The comparison at one choice of constants."""

    def __init__(
        self,
        protocol: ModuleProtocol,
        specification: Specification,
        definition: Definition,
        choice: Choice,
        compared: Compared,
        chance: Random,
        limits: Limits,
    ) -> None:
        self.specification, self.definition, self.choice = specification, definition, choice
        self.compared, self.chance, self.limits = compared, chance, limits
        self.read = Reader()
        self.constants = classify(specification, protocol.constants)
        self.encoded = EncodedStates(protocol, specification, definition, choice, self.constants)
        self.fixed, self.variables = self.encoded.fixed, self.encoded.variables
        self.stepper = Stepper(specification)
        terms = {one.name: one.formula for one in definition.properties}
        terms |= {one.name: one.formula for one in definition.lemmas}
        self.claims = [
            (name, terms[name], self._test(formula_of(specification, operator_of(name))))
            for name in protocol.claims
        ]
        self.watched = [(name, self._test(formula_of(specification, name))) for name in compared.watched]
        self.initial = [self._test(one) for one in specification.init]
        self.properties = {one.name for one in definition.properties}
        self.type_invariant = protocol.type_invariant
        self.deadline = 0.0
        self.all_initial = False
        self.levels: list[int] = []

    def _test(self, formula: Formula) -> Callable[[], bool]:
        return self.specification.evaluator.compile_truth(formula.body, formula.module)

    def run(self, seconds: float) -> None:
        """Compare for about this processor time. Raises Differs."""
        self.deadline = time.process_time() + seconds
        if any(self._instances(action) > _MOST_INSTANCES for action in self.definition.actions):
            if self.choice.is_own:
                words = "an action has too many instances to compare the protocol with its module"
                raise UsageError(f"{words} with {self.choice.shown}: give smaller constants")
            return
        with without_traces(self.specification):
            states, is_complete = self._reach()
            if not states and not self.choice.is_own:
                return  # nothing can happen at these constants
            if not states:
                raise no_initial_state(self.specification)
            self._draw(states, seconds)
        compared = self.compared.sizes if is_complete else self.compared.partly
        if self.choice.sizes not in compared:  # with another family
            compared.append(self.choice.sizes)
        is_small = self.choice.is_own or max(self.choice.sizes.values(), default=0) <= _SMALL
        if is_complete and is_small and not self.fixed:  # the explorer would start with all families
            self._count(states)

    @staticmethod
    def _instances(action: Action) -> int:
        return prod(parameter.symbol.sort.size for parameter in action.parameters)

    # -- reached states

    def _reach(self) -> tuple[list[State], bool]:
        """Compare reached states, breadth first. Return them; True if they are all."""
        starts = self._initial_states()
        known, states, level = set(starts), list(starts), list(starts)
        self.levels = [len(starts)]
        while level:
            following: list[State] = []
            for state in level:
                if len(states) > _MOST_STATES or time.process_time() > self.deadline:
                    return states, False
                for reached in self._compare_reached(state):
                    if reached not in known:
                        known.add(reached)
                        following.append(reached)
                        states.append(reached)
            level = following
            if level:
                self.levels.append(len(level))
        return states, self.all_initial

    def _initial_states(self) -> list[State]:
        whole = replace(self.specification, symmetry=[], view=None, constraints=[], action_constraints=[])
        explorer = Explorer(whole, properties=(), keep_going=True, max_states=_MOST_STATES)
        with suppress(Interrupted):  # too many: the first ones are compared
            explorer.explore_initial()
            self.all_initial = True
        states = [one for one in dict.fromkeys(explorer.states) if not self.encoded.is_beyond(one)]
        for state in states:
            if self.encoded.leaves_bounds(state):
                raise self._violates_types("Init gives a variable a value that its sort lacks", state)
            if not self._holds(self.definition.init, self.encoded.encode(state)):
                raise self._differs("Init", state, "true", "false")
        return states

    def _compare_reached(self, state: State) -> list[State]:
        """Compare a state and its successors. Return these."""
        environment = self.encoded.encode(state)
        self._compare_claims(state, environment, reached=True)
        self.specification.evaluator.now[:] = state
        for name, test in self.watched:
            with suppress(NoValue):
                if not test():
                    self._record_violation(name)
        try:
            theirs = list(dict.fromkeys(self.stepper.successors(state)))
        except NoValue as error:
            raise UsageError(f"with {self.choice.shown}, a step has no value: {error}") from None
        inside = self._compare_steps(state, environment, theirs, reached=True)
        self.compared.states += 1
        return inside

    def _holds(self, term: Term, environment: Environment) -> bool:
        try:
            return bool(self.read(term)(environment))
        except Undefined:
            return False

    def _compare_claims(self, state: State, environment: Environment, *, reached: bool) -> None:
        for name, term, test in self.claims:
            if name not in self.compared.without_value:
                self._compare_formula(name, term, test, state, environment, reached=reached)

    def _compare_formula(
        self,
        name: str,
        term: Term,
        test: Callable[[], bool],
        state: State,
        environment: Environment,
        *,
        reached: bool,
    ) -> None:
        self.specification.evaluator.now[:] = state
        mine: bool | None
        try:
            mine = bool(self.read(term)(environment))
        except Undefined:
            mine = None
        try:
            theirs: bool | None = bool(test())
        except NoValue as error:
            if reached and mine is True and self._is_about_kinds_alone(name, error):
                return
            if reached:
                self._record_no_value(name, error)
                return
            theirs = None
        if mine is theirs:
            if reached and mine is False:
                if name == self.type_invariant:
                    raise self._violates_types("a variable has a value that its sort lacks", state)
                self._record_violation(name)
            return
        if not reached and (mine is None or theirs is None):
            self.compared.undefined += 1
            return
        raise self._differs(name, state, _say(theirs), _say(mine))

    def _record_violation(self, name: str) -> None:
        """Record that a claim is false in a reached state. A lemma may be so: then it proves nothing."""
        violated = self.compared.violated
        violated[name] = meet(violated.get(name), self.specification, self.choice, self.constants)

    def _record_no_value(self, name: str, error: NoValue) -> None:
        """Record that a property has no value in a reached state. Raises UsageError for a lemma."""
        reason = f"with {self.choice.shown}, {name} has no value in a reachable state: {error}"
        if name not in self.properties:
            raise UsageError(reason) from None
        self.compared.without_value[name] = reason

    def _is_about_kinds_alone(self, name: str, error: NoValue) -> bool:
        """True if the type invariant has no value because it seeks -1, say, among records. In TLA+ it is true
        if -1 is in another part of the union. Each value of the state is of its kind: it could not be encoded
        otherwise. An asked property must have a value."""
        is_types = name == self.type_invariant and name not in self.properties
        return is_types and error.words == INCOMPARABLE

    def _compare_steps(
        self, state: State, environment: Environment, theirs: Sequence[State], *, reached: bool
    ) -> list[State]:
        """Compare the steps from a state. Return the successors that are not beyond the bounds taken here."""
        mine: dict[State, str] = {}
        inside = [one for one in theirs if not self.encoded.is_beyond(one)]
        is_cut = len(inside) < len(theirs)
        for action in self.definition.actions:
            symbols = [parameter.symbol for parameter in action.parameters]
            for given in product(*(list(values_of(symbol.sort)) for symbol in symbols)):
                parameters = dict(zip(symbols, given, strict=True))
                after = happening(self.read, action.when, action.then, environment, parameters)
                if after.leaves and not after.undefined and is_cut:
                    continue
                if after.undefined or after.leaves:
                    if reached:
                        raise self._leaves(action.name, state, undefined=after.undefined)
                    self.compared.undefined += 1
                    return inside
                if after.after is not None:
                    mine.setdefault(self.encoded.decode(after.after), action.name)
        for reached_state in inside:
            if reached_state not in mine:
                if self.encoded.leaves_bounds(reached_state):
                    if reached:
                        raise self._leaves("a step", state, undefined=False)
                    self.compared.undefined += 1
                    return inside
                words = f"a step to {self.encoded.show(reached_state)}"
                raise self._differs("the steps", state, words, "none")
        if len(mine) > len(set(inside)):
            other = next(one for one in mine if one not in set(inside))
            words = f"{mine[other]} to {self.encoded.show(other)}"
            raise self._differs("the steps", state, "no such step", words)
        self.compared.steps += len(mine)
        return inside

    def _leaves(self, name: str, state: State, *, undefined: bool) -> UsageError | LeavesSorts:
        """Return the error for a reachable step that the type invariant does not allow."""
        if undefined:
            what = "reads a function or record where it has no value"
            return UsageError(
                f"with {self.choice.shown}, {name} {what}, in the state {self.encoded.show(state)}"
            )
        return self._violates_types(f"{name} gives a variable a value that its sort lacks", state)

    def _violates_types(self, what: str, state: State) -> LeavesSorts:
        words = f"with {self.choice.shown}, {what}, so that the type invariant is violated"
        return LeavesSorts(
            f"{words}, in the state {self.encoded.show(state)}", self.specification, self.choice.shown
        )

    # -- drawn states

    def _draw(self, states: Sequence[State], seconds: float) -> None:
        """Compare drawn states: of all variables, or of some in reached states."""
        deadline = time.process_time() + seconds
        for number in range(_DRAWN):
            if time.process_time() > deadline:
                return
            environment = self._draw_environment(states if number % 2 else ())
            state = self.encoded.decode(environment)
            if self.encoded.encode(state) != environment:
                raise Differs(f"the state {self.encoded.show(state)} has two encodings")
            self._compare_claims(state, environment, reached=False)
            self._compare_formula(
                "Init", self.definition.init, self._is_initial, state, environment, reached=False
            )
            try:
                theirs = self.stepper.successors(state)
            except NoValue:
                self.compared.undefined += 1
            else:
                self._compare_steps(state, environment, theirs, reached=False)
            self.compared.states += 1
            self.compared.drawn += 1

    def _is_initial(self) -> bool:
        return all(test() for test in self.initial)

    def _draw_environment(self, states: Sequence[State]) -> Environment:
        drawn = {symbol: plain(draw_value(symbol.sort, self.chance)) for symbol in self.variables}
        if not states:
            return {**self.fixed, **drawn}
        reached = self.encoded.encode(self.chance.choice(states))
        changed = self.chance.sample(list(drawn), min(len(drawn), self.chance.choice((1, 1, 2))))
        return {**reached, **{symbol: drawn[symbol] for symbol in changed}}

    # -- counts

    def _count(self, states: Sequence[State]) -> None:
        """Compare the numbers of states with those of the protocol's explorer. Raises Differs."""
        model = build_model(self.definition, self.limits)
        outcome = explore(model, Request((), _MOST_EXPLORED, keep_going=True, limits=self.limits))
        figures = outcome.statistics
        if not figures.get("complete", True):
            return
        theirs = (self.levels[0], len(states), len(self.levels) - 1)
        mine = (figures["initial_states"], figures["distinct_states"], figures["depth"])
        if mine != theirs:
            words = "initial states, states and depth: the module has {}, {}, {}, the protocol {}, {}, {}"
            raise Differs(f"with {self.choice.shown}, {words.format(*theirs, *mine)}")

    # -- words

    def _differs(self, what: str, state: State, theirs: str, mine: str) -> Differs:
        return Differs(
            f"the protocol read for all constants differs from the module on {what} with "
            f"{self.choice.shown}: the interpreter says {theirs}, the protocol {mine}, in the state "
            f"{self.encoded.show(state)}"
        )


def _say(truth: bool | None) -> str:
    return "that it has no value" if truth is None else str(truth).lower()
