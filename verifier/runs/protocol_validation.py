"""Validation of a Python protocol: its functions run again with the values of single states.

A proof is about formulas, which were made by running the functions once. So is a counterexample, which is
replayed by formulas. So for each verdict of either kind the functions run again (``specs.in_states``) and are
compared with the formulas, first in the states of counterexamples. The comparison
covers Init, the constraint, each action (guard and target), properties, lemmas, and undefined reads. The
states are reached by random walks from initial ones, or drawn from the sorts. Each reachable state must also
satisfy the invariant of every proof.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from verifier.encodings.bits import negation
from verifier.encodings.random_values import draw_value
from verifier.outcomes.expectations import exit_code
from verifier.runs.protocol_comparison import Batch, Bits, Differs, Lane
from verifier.runs.validation.agreement import Agreement
from verifier.runs.validation.budget import LEAST_SECONDS, default_seconds
from verifier.runs.validation.concluding import report_agreement, report_disagreement
from verifier.specs.in_states import InStates
from verifier.specs.reading.again import OutOfTime
from verifier.trust.initial_states import solution
from verifier.verdict import VerdictKind

if TYPE_CHECKING:
    from verifier.encodings.concrete import Concrete
    from verifier.outcomes.run import Run
    from verifier.runs.question import Question
    from verifier.system.model import Model
    from verifier.trust.certificate import Certificate

_CLAIMS = (VerdictKind.HOLDS, VerdictKind.PROVED)
_SHOWN = (VerdictKind.VIOLATED, VerdictKind.REACHED)
"""Verdicts with an execution: it is one of the formulas, so these are compared in its states."""
_ENGINES = ("bmc", "explore", "induct", "prove")
_WITH_LEMMAS = ("induct", "prove")
_BATCHES, _WALKS, _DRAWN = 7, 5, 4
"""The number of batches in the least time, and the states of each: on walks, and drawn. So the same seed
gives the same states if there is time, and more time gives more of them."""
_RECENT = 30
_MOST_STARTS = 4
_RANDOM_BITS = 4
_SHARE_DRAWN = 1.5
"""The mean number of variables in which a drawn state differs from a reached one."""


class Validation:
    """A comparison of a protocol with the formulas of its model."""

    def __init__(self, question: Question[Any], model: Model, lemmas: bool, seed: int = 0) -> None:
        protocol = question.loaded.protocol
        assert protocol is not None
        constants = model.definition.constants
        if constants != question.loaded.definition.constants:  # of a step against a proof for all constants
            protocol = type(protocol)(constants)
        self.model = model
        self.chance = Random(seed)
        self.agreement = Agreement(seed=seed)
        self.deadline = 0.0
        self.meaning = InStates(protocol, question.loaded.targets, self._tick)
        asked = {*question.properties, *(prop.name for prop in model.system.implied)}
        self.names = frozenset(asked | {lemma.name for lemma in model.system.lemmas if lemmas})
        self.compared: set[Bits] = set()
        self.waiting: dict[Bits, None] = {}
        """Reachable states that are not compared yet."""
        self.reached: list[Lane] = []

    def run(
        self,
        seconds: float,
        certificates: Mapping[str, Certificate],
        shown: Sequence[Mapping[str, Concrete]] = (),
        *,
        walks: bool = True,
    ) -> Agreement:
        """Compare for at most this number of seconds. ``shown``: the states of counterexamples, which come
        first. ``walks``: others follow. Raises Differs at the first difference."""
        began = time.process_time()  # processor time: other work on the machine changes nothing
        self.deadline = began + seconds
        try:
            self._compare(self._lanes_of(shown), certificates)
            if walks:
                self._walk(round(_BATCHES * max(1.0, seconds / LEAST_SECONDS)), certificates)
        except OutOfTime:
            pass
        self.agreement.seconds = time.process_time() - began
        return self.agreement

    def _walk(self, batches: int, certificates: Mapping[str, Certificate]) -> None:
        """Compare in states on walks, and in drawn ones. Raises Differs and OutOfTime."""
        self._wait(self._starts())
        for _ in range(batches):
            lanes = self._lanes()
            if not lanes:
                return
            self._compare(lanes, certificates)

    def _compare(self, lanes: Sequence[Lane], certificates: Mapping[str, Certificate]) -> None:
        if lanes:
            batch = Batch(self.model, self.meaning, lanes, self.names, self.chance, self.agreement)
            self._wait(batch.compare(certificates))
            self.agreement.states += len(lanes)

    def _lanes_of(self, shown: Sequence[Mapping[str, Concrete]]) -> list[Lane]:
        """Return the states of counterexamples, each once."""
        encode = self.model.layout.encode_state
        lanes = {bits: Lane(bits, state, True) for state in shown for bits in [tuple(encode(state))]}
        self.compared.update(lanes)
        self.reached += lanes.values()
        return list(lanes.values())

    def _tick(self) -> None:
        if time.process_time() > self.deadline:
            raise OutOfTime

    def _starts(self) -> list[Bits]:
        """Return some initial states, as bits: one, and others with some random bits."""
        system = self.model.system
        starts: dict[Bits, None] = {}
        for number in range(_MOST_STARTS):
            self._tick()
            chosen = self.chance.sample(system.bits, min(_RANDOM_BITS, len(system.bits))) if number else []
            wanted = [bit if self.chance.random() < 0.5 else negation(bit) for bit in chosen]
            true = solution([system.init, system.constraint, *wanted])
            if true is not None:
                starts[tuple(bit in true for bit in system.bits)] = None
        return list(starts)

    def _wait(self, reached: Iterable[Bits]) -> None:
        """Record reachable states that are to be compared."""
        self.waiting.update(dict.fromkeys(bits for bits in reached if bits not in self.compared))

    def _lanes(self) -> list[Lane]:
        """Return the states to compare next. Some are waiting states, the latest first, so that walks lead
        far. Others are drawn near those that were reached."""
        decode = self.model.layout.decode_state
        last = list(self.waiting)[-_RECENT:]
        walked = self.chance.sample(last, min(_WALKS, len(last)))
        self.reached += [Lane(bits, decode(bits), True) for bits in walked]
        lanes = {lane.bits: lane for lane in self.reached[-len(walked) :] if walked}
        for number in range(_DRAWN if self.reached else 0):
            state = dict(self.chance.choice(self.reached).state)
            for symbol in self.model.definition.variables:
                often = _SHARE_DRAWN / len(self.model.definition.variables)
                if not number or self.chance.random() < often:
                    state[symbol.name] = draw_value(symbol.sort, self.chance)
            bits = tuple(self.model.layout.encode_state(state))
            lanes.setdefault(bits, Lane(bits, state, False))
        new = [lane for bits, lane in lanes.items() if bits not in self.compared]
        self.compared.update(lane.bits for lane in new)
        for bits in walked:
            del self.waiting[bits]
        return new


def validate_run(question: Question[Any], run: Run) -> Run:
    """Return the run, if its formulas agree with the protocol; else each verdict that depends on them is an
    ERROR."""
    verdicts = run.outcome.verdicts
    claims = [one for one in verdicts if one.kind in _CLAIMS]
    shown = [one for one in verdicts if one.kind in _SHOWN and one.trace is not None]
    model = run.model
    if model is None or not (claims or shown) or run.engine not in _ENGINES or not _is_of_the_protocol(model):
        return run
    seconds = default_seconds(run.seconds)
    if question.limits.seconds_left is not None:
        seconds = min(seconds, question.limits.seconds_left)
    try:
        validation = Validation(question, model, run.engine in _WITH_LEMMAS)
        states = [state for one in shown if one.trace is not None for state in one.trace.states]
        agreement = validation.run(seconds, run.certificates, states, walks=bool(claims))
    except Differs as difference:
        wrong = report_disagreement(run, [*claims, *shown], str(difference))
        code = exit_code(wrong.outcome.verdicts, question.expectations, wrong.outcome.enabled)
        return replace(wrong, exit_code=code)
    except KeyboardInterrupt:  # the answer stands, without a claim of comparison
        return run
    of_module = question.loaded.of_module is not None  # whose comparison covered more, and has its figures
    return report_agreement(run, agreement.figures()) if claims and not of_module else run


def _is_of_the_protocol(model: Model) -> bool:
    """True if the state of a model consists of exactly the protocol's variables."""
    return list(model.layout.sorts) == [symbol.name for symbol in model.definition.variables]
