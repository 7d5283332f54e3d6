"""Translation validation: a translated module is compared with the interpreter on states and steps.

A proof speaks of the formula. So with each verdict that rests on the translation, both semantics are asked:
is a state initial, which states follow it, do the constraint and each property hold of it? The states are
reached by walks of the interpreter, or drawn from the final sorts, reachable or not. Each reachable one also
has to satisfy the invariant of every proof.

Source: A. Pnueli, M. Siegel, E. Singerman, "Translation validation", 1998, doi:10.1007/BFb0054170.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from verifier.encodings.evaluator import LaneEvaluator
from verifier.encodings.random_values import draw_value
from verifier.runs.tla_loading import OF_STEPS
from verifier.specs.definition import PropertyKind
from verifier.tla.frames import Undefined
from verifier.tla.order import text
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.sampling import Stepper, without_traces
from verifier.tla.values import NoValue
from verifier.verdict import VerdictKind

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.outcomes.run import Run
    from verifier.runs.tla_symbolic import Symbolic
    from verifier.system.model import Model
    from verifier.system.transition_system import Instance, SafetyProperty
    from verifier.tla.found import State
    from verifier.tla.splitting import Formula
    from verifier.trust.certificate import Certificate

_LEAST_SECONDS, _SHARE = 0.2, 0.05
"""Validation takes this long, or this share of the run, whichever is more."""
_MOST_WALKED, _MOST_DRAWN, _MOST_SUCCESSORS = 150, 100, 3_000
"""Bounds of the default budget, so that the same seed gives the same states where there is time."""
_MOST_STEPS_OF_A_WALK = 60
_MOST_CHOICES = 64
"""Values of free parameters that are tried for an instance: all of them where there are no more."""
_BATCH = 25
_CLAIMS = (VerdictKind.HOLDS, VerdictKind.PROVED)
_ERRORS = (Undefined, NoValue, RecursionError)


@dataclass(frozen=True)
class Disagreement:
    """A state of which the interpreter and the formula say different things."""

    what: str
    """The thing that was compared: a property, Init, the constraint, a step."""
    interpreter: str
    translation: str
    state: str

    def __str__(self) -> str:
        return (
            f"the translation does not agree with the module on {self.what}: the interpreter says "
            f"{self.interpreter}, the formula {self.translation}, in the state {self.state}"
        )


@dataclass
class Agreement:
    """The extent of a comparison that found no difference."""

    states: int = 0
    steps: int = 0
    undefined: int = 0
    """Comparisons left out, since the interpreter has no value in a state that may be unreachable."""
    seed: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"translation agrees with the module on {self.states:,} states, {self.steps:,} steps"

    def figures(self) -> dict[str, Any]:
        """The counts for the JSON output."""
        return {
            "states": self.states,
            "steps": self.steps,
            "undefined": self.undefined,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
        }


class Disagrees(Exception):
    """The translation and the module differ."""

    def __init__(self, found: Disagreement) -> None:
        super().__init__(str(found))
        self.found = found


@dataclass
class Validation:
    """A comparison of one module with its translation, at the sorts that a run ended with."""

    made: Symbolic
    model: Model
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    keeps_sorts: bool = False
    """Whether a verdict claims that no execution leaves the sorts."""
    seed: int = 0

    def __post_init__(self) -> None:
        self.spec = self.made.translation.specification
        self.chance = Random(self.seed)
        self.stepper = Stepper(self.spec)
        self.variables = self.made.translation.variables
        self.excluded = self.made.translation.excluded
        self.found = Agreement(seed=self.seed)
        self.known: dict[State, int | None] = {}
        self.deadline = 0.0

    def run(self, seconds: float, *, thorough: bool = False) -> Agreement:
        """Compares for at most so many seconds. Raises Disagrees at the first difference."""
        began = time.monotonic()
        self.deadline = began + seconds
        with without_traces(self.spec):
            rounds = 0
            while True:
                walked = self._walk(None if thorough else _MOST_WALKED)
                self._compare(walked, reachable=True)
                self._compare(self._draw(walked), reachable=False)
                rounds += 1
                if not thorough or time.monotonic() > self.deadline:
                    break
        self.found.seconds = time.monotonic() - began
        return self.found

    # -- states

    def _walk(self, most: int | None) -> list[State]:
        """Reachable states: of the sample, and of random walks that prefer values not seen yet."""
        sample = self.made.translation.sample
        if not sample.initial:
            return []
        found = dict.fromkeys(self.chance.sample(sample.states, min(len(sample.states), 60)))
        most = most or 4 * _MOST_WALKED
        seen = {(place, value) for state in sample.states for place, value in enumerate(state)}
        generated = 0
        while len(found) < most and generated < _MOST_SUCCESSORS and time.monotonic() < self.deadline:
            before = len(found)
            state = self.chance.choice(sample.initial)
            for _ in range(_MOST_STEPS_OF_A_WALK):
                following = self._followers(state)
                generated += 1 + len(following)
                if not following:
                    break
                new = [s for s in following if any((p, v) not in seen for p, v in enumerate(s))]
                state = self.chance.choice(new or following)
                seen.update(enumerate(state))
                found[state] = None
            if len(found) == before and generated > 20 * _MOST_STEPS_OF_A_WALK:
                break
        return list(found)[:most]

    def _followers(self, state: State) -> list[State]:
        try:
            if not self.stepper.within(state):
                return []
            return [s for s in self.stepper.successors(state) if self.stepper.goes_on(state, s)]
        except _ERRORS:
            return []

    def _draw(self, walked: Sequence[State]) -> list[State]:
        """States of the sorts: walked ones with some values exchanged or drawn, and some drawn altogether."""
        if not walked or not all(symbol.sort.size for symbol in self.variables):
            return []
        found: dict[State, None] = {}
        for number in range(_MOST_DRAWN):
            state = list(self.chance.choice(walked))
            for place, symbol in enumerate(self.variables):
                if number % 10 == 9 or self.chance.random() < 1.5 / len(self.variables):
                    if self.chance.random() < 0.4:
                        state[place] = self.chance.choice(walked)[place]
                    else:
                        drawn = draw_value(symbol.sort, self.chance)
                        state[place] = self.made.translation.names.decode(drawn, symbol.sort)
            found[tuple(state)] = None
        return list(found)

    def _encoded(self, state: State) -> int | None:
        """The bits of a state, bit *j* being that of the layout's bit *j*; None outside of the sorts."""
        if state not in self.known:
            self.known[state] = self._bits(state)
        return self.known[state]

    def _bits(self, state: State, excluded: bool = False) -> int | None:
        names = self.made.translation.names
        try:
            values = {s.name: names.encode(v, s.sort) for s, v in zip(self.variables, state, strict=True)}
        except NotInSort:
            return None
        if self.made.translation.decode(values) != state:
            raise Disagrees(
                self._differ("its values", "these", "others once it is encoded and decoded", state)
            )
        if self.excluded is not None:
            values[self.excluded.name] = excluded
        return sum(1 << place for place, bit in enumerate(self.model.layout.encode_state(values)) if bit)

    # -- comparison

    def _compare(self, states: Sequence[State], *, reachable: bool) -> None:
        for first in range(0, len(states), _BATCH):
            if first and time.monotonic() > self.deadline:
                return
            batch = []
            for state in states[first : first + _BATCH]:
                bits = self._encoded(state)
                if bits is not None:
                    batch.append((state, bits))
                elif reachable and self.keeps_sorts:
                    raise Disagrees(self._differ("its sorts", "it is reachable", "it is outside", state))
            if batch:
                _Batch(self, batch, reachable).compare()

    def _differ(self, what: str, interpreter: object, translation: object, state: State) -> Disagreement:
        order = self.spec.evaluator.order
        names = [one.name for one in self.spec.variables]
        shown = ", ".join(f"{n} = {text(v, order)}" for n, v in zip(names, state, strict=True))
        return Disagreement(what, str(interpreter), str(translation), shown)

    def true(self, formula: Formula, state: State, following: State | None = None) -> bool:
        """The interpreter's value of a formula. Raises one of the errors of evaluation."""
        evaluator = self.spec.evaluator
        evaluator.now[:] = state
        if following is not None:
            evaluator.next[:] = following
        return bool(evaluator.compiled_truth(formula.body, formula.module)())


class _Batch:
    """Some states, compared at once."""

    def __init__(self, own: Validation, states: Sequence[tuple[State, int]], reachable: bool) -> None:
        self.own, self.states, self.reachable = own, states, reachable
        self.model, self.system = own.model, own.model.system
        self.mask = (1 << len(states)) - 1
        values = {
            symbol: sum(1 << lane for lane, (_, bits) in enumerate(states) if bits >> place & 1)
            for place, symbol in enumerate(self.model.layout.bits)
        }
        inputs = [symbol for instance in self.system.instances for symbol in instance.inputs]
        self.evaluate = LaneEvaluator(values, self.mask, inputs)
        self.place = {symbol: number for number, symbol in enumerate(self.model.layout.bits)}

    def compare(self) -> None:
        """Raises Disagrees at the first difference."""
        self._compare_formula(
            "Init",
            self.system.init,
            lambda state: all(self.own.true(one, state) for one in self.own.spec.init),
            self.model.init_is_read,
        )
        self._compare_formula("the constraint", self.system.constraint, self.own.stepper.within, None)
        following = self._compare_steps()
        for prop in self.system.properties:
            self._compare_property(prop, following)
        if self.reachable:
            self._compare_proofs()
        self.own.found.states += len(self.states)

    def _compare_formula(self, what: str, formula: FNode, ask: Any, read: FNode | None) -> None:
        holds = self.evaluate(formula)
        unread = 0 if read is None else self.evaluate(read) ^ self.mask
        for lane, (state, _) in enumerate(self.states):
            if unread >> lane & 1:
                continue
            try:
                said = ask(state)
            except _ERRORS:
                self.own.found.undefined += 1
                continue
            if said != bool(holds >> lane & 1):
                raise Disagrees(self.own._differ(what, said, not said, state))

    def _compare_property(self, prop: SafetyProperty, following: Mapping[int, Sequence[State]]) -> None:
        spec, name = self.own.spec, prop.name
        safety = spec.properties.get(name.removesuffix(OF_STEPS))
        formulas: Iterable[Formula]
        if prop.kind is PropertyKind.STEP_INVARIANT and safety is not None:
            self._compare_step_invariant(prop, safety.steps, following)
            return
        if name in spec.invariants:
            formulas = (spec.invariants[name],)
        elif (
            prop.kind is PropertyKind.INVARIANT
            and safety is not None
            and safety.always
            and not safety.initially
        ):
            formulas = safety.always
        else:
            return
        unread = 0
        for one in self.model.undefined:
            if one.property_name == name:
                unread |= self.evaluate(one.when)
        holds = self.evaluate(prop.formula)
        for lane, (state, _) in enumerate(self.states):
            if unread >> lane & 1:
                continue
            try:
                said = all(self.own.true(one, state) for one in formulas)
            except _ERRORS:
                self.own.found.undefined += 1
                continue
            if said != bool(holds >> lane & 1):
                raise Disagrees(self.own._differ(name, said, not said, state))

    def _compare_step_invariant(
        self, prop: SafetyProperty, formulas: Sequence[Formula], following: Mapping[int, Sequence[State]]
    ) -> None:
        holds = self.evaluate(prop.formula)
        for lane, found in following.items():
            state = self.states[lane][0]
            try:
                said = all(self.own.true(one, state, other) for other in found for one in formulas)
            except _ERRORS:
                self.own.found.undefined += 1
                continue
            if said != bool(holds >> lane & 1):
                raise Disagrees(self.own._differ(f"the steps of {prop.name}", said, not said, state))

    # -- steps

    def _compare_steps(self) -> dict[int, list[State]]:
        """Compares the successors. Gives those of the states of which all were compared, by lane."""
        reached, every = self._successors()
        excused = 0  # such states violate Sorts or UndefinedRead, which every verdict rests on
        for one in self.model.leaving:
            excused |= self.evaluate(one.when)
        for read in self.model.undefined:
            if read.property_name is None:
                excused |= self.evaluate(read.when)
        compared: dict[int, list[State]] = {}
        for lane, (state, _) in enumerate(self.states):
            try:
                if not self.own.stepper.within(state):
                    continue
                found = self.own.stepper.successors(state)
                steps = {self._after(state, other): other for other in found}
            except _ERRORS:
                self.own.found.undefined += 1
                continue
            self._compare_followers(lane, steps, reached[lane], every, bool(excused >> lane & 1))
            self.own.found.steps += len(steps)
            if every and not excused >> lane & 1:
                compared[lane] = found
        return compared

    def _after(self, state: State, other: State) -> int | None:
        if self.own.excluded is None:
            return self.own._encoded(other)
        return self.own._bits(other, not self.own.stepper.goes_on(state, other))

    def _compare_followers(
        self, lane: int, steps: Mapping[int | None, State], reached: set[int], every: bool, excused: bool
    ) -> None:
        state = self.states[lane][0]
        differ = self.own._differ
        more = reached - steps.keys()
        if more:
            extra = more.pop()
            decoded = self.model.layout.decode_state([bool(extra >> n & 1) for n in range(len(self.place))])
            order = self.own.spec.evaluator.order
            values = self.own.made.translation.decode(dict(decoded))
            shown = ", ".join(text(value, order) for value in values)
            raise Disagrees(differ(f"a step to ({shown})", "there is none", "there is one", state))
        if excused or not every:
            return
        for bits, other in steps.items():
            if bits is None:
                where = "it leaves the sorts"
                raise Disagrees(
                    differ(f"a step to {self._shown(other)}", where, "no step leaves them", state)
                )
            if bits not in reached:
                raise Disagrees(
                    differ(f"a step to {self._shown(other)}", "there is one", "there is none", state)
                )

    def _shown(self, state: State) -> str:
        return f"({', '.join(text(value, self.own.spec.evaluator.order) for value in state)})"

    def _successors(self) -> tuple[list[set[int]], bool]:
        """The successors by the formulas, by lane; and whether these are all."""
        reached: list[set[int]] = [set() for _ in self.states]
        every = True
        for instance in self.system.instances:
            choices, all_of_them = self._choices(instance)
            every = every and all_of_them
            targets = list(instance.updates)
            terms = [instance.guard, *instance.updates.values()]
            for chosen in choices:
                guard, *new = self._values(instance, terms, chosen)
                for lane, (_, bits) in enumerate(self.states) if guard else ():
                    if guard >> lane & 1:
                        after = bits
                        for target, value in zip(targets, new, strict=True):
                            place = self.place[target]
                            after = after & ~(1 << place) | (value >> lane & 1) << place
                        reached[lane].add(after)
        return reached, every

    def _values(self, instance: Instance, terms: Sequence[FNode], chosen: Sequence[bool]) -> list[int]:
        if not instance.inputs:
            guard = self.evaluate(terms[0])
            return [guard, *(map(self.evaluate, terms[1:]) if guard else [0] * (len(terms) - 1))]
        return self.evaluate.under(dict(zip(instance.inputs, chosen, strict=True)), terms)

    def _choices(self, instance: Instance) -> tuple[Iterator[list[bool]], bool]:
        """Values of the free parameters as bits, and whether these are all."""
        if not instance.inputs:
            return iter([[]]), True
        layout = self.model.free_layouts[instance.label]
        if prod(sort.size for sort in layout.sorts.values()) <= _MOST_CHOICES:
            combined = product(*(tuple(sort.each()) for sort in layout.sorts.values()))
            return (layout.encode_state(dict(zip(layout.sorts, one, strict=True))) for one in combined), True
        drawn = (
            {name: draw_value(sort, self.own.chance) for name, sort in layout.sorts.items()}
            for _ in range(_MOST_CHOICES)
        )
        return map(layout.encode_state, drawn), False

    def _compare_proofs(self) -> None:
        """Each reachable state has to satisfy the clauses of every proof's invariant."""
        named = {symbol.symbol_name(): place for symbol, place in self.place.items()}
        for name, certificate in self.own.certificates.items():
            for clause in certificate.clauses:
                if not all(bit in named for bit, _ in clause):
                    return  # an invariant of another model, as of loops
                for state, bits in self.states:
                    if not any(bool(bits >> named[bit] & 1) is value for bit, value in clause):
                        what = f"the invariant of the proof of {name}"
                        raise Disagrees(self.own._differ(what, "it is reachable", "it is excluded", state))


def validate_run(made: Symbolic, found: Run, *, seed: int = 0) -> Run:
    """The run, if its translation agrees with the module; else each verdict that rests on it is an ERROR."""
    beside = made.loaded.definition.titles.of_the_translation
    claims = [
        verdict
        for verdict in found.outcome.verdicts
        if verdict.kind in _CLAIMS and verdict.property_name not in beside
    ]
    if found.model is None or not claims or not _is_of_the_module(made, found.model):
        return found
    every = any(verdict.kind is VerdictKind.PROVED for verdict in claims)
    validation = Validation(made, found.model, found.certificates, every, seed)
    try:
        agreement = validation.run(max(_LEAST_SECONDS, _SHARE * found.seconds))
    except Disagrees as difference:
        reason = str(difference)
        verdicts = tuple(
            replace(one, kind=VerdictKind.ERROR, reason=reason, depth=None) if one in claims else one
            for one in found.outcome.verdicts
        )
        outcome = replace(found.outcome, verdicts=verdicts)
        return replace(found, outcome=outcome, proofs=(), certificates={})
    statistics = {**found.outcome.statistics, "validation": agreement.figures()}
    return replace(found, outcome=replace(found.outcome, statistics=statistics))


def _is_of_the_module(made: Symbolic, model: Model) -> bool:
    """Whether a model has the module's variables as its state, and nothing else."""
    excluded = made.translation.excluded
    names = [symbol.name for symbol in made.translation.variables]
    return list(model.layout.sorts) == [*names, *([] if excluded is None else [excluded.name])]


__all__ = ["Agreement", "Disagreement", "Disagrees", "Validation", "validate_run"]
