"""One obligation with two solvers: the first finds sufficient instances, the second checks them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from verifier.parametric.efforts import EFFORTS, Effort
from verifier.parametric.guided_search import GuidedSearch
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations, is_about_reads
from verifier.parametric.premises import FACT
from verifier.parametric.query import Query
from verifier.parametric.results import Open, Result, Shown
from verifier.parametric.system import ALWAYS
from verifier.solvers import Answer
from verifier.solvers.solver_names import decide_script

FINDER, CHECKER = "z3", "cvc5"
STEPS_PER_SECOND = 2_000_000
"""The approximate speed of Z3 in its own unit of work."""
_ANY = 2**62
"""More steps than any limit."""
_SMALL = 4
"""The number of efforts that take little time."""


@dataclass(frozen=True)
class Round:
    """The limits of the solvers while all efforts are tried once."""

    seconds: float
    """The limit for the first solver, if that of an effort is not lower. Most proofs take a fraction of the
    time of an effort that finds none, so all efforts get a short time first."""
    checker_steps: int
    """The limit of cvc5's own unit of work: 1,500,000 take some ten seconds. It mostly needs a hundredth of
    that. If it exceeds the limit, hypotheses from more instances are mostly simpler for it."""
    most: int
    """The number of efforts that are tried, in their order for the obligation."""
    completing: float
    """The seconds for a model that satisfies all quantifiers, if no chosen instance is violated. Few proofs
    need it."""


SOON = (Round(1.0, 30_000, 6, 1.0),)
"""The limits of an attempt that is given up if it does not succeed soon. They exceed those of a first round,
since the proof is larger without it."""
ROUNDS = (
    Round(0.4, 30_000, 6, 0.0),
    Round(math.inf, 150_000, len(EFFORTS), 0.5),
    Round(2.0, 150_000, len(EFFORTS), 2.0),
)
"""The limits of a whole attempt."""
_CHECKER_STEPS = 1_500_000
"""The limit of cvc5's work if no effort gives hypotheses that are simpler for it."""


def decide(
    obligations: Obligations,
    obligation: Obligation,
    efforts: Sequence[Effort] = EFFORTS,
    rounds: Sequence[Round] = ROUNDS,
) -> Result:
    """Ask the solvers with more and more instances. ``efforts``: the first of them all, or all."""
    asked: dict[int, _Asked] = {}
    reason = "both solvers gave up"
    for each in rounds:
        for number, effort in islice(_in_turn(obligations, obligation, efforts), each.most):
            if number not in asked:
                made = _Asked(GuidedSearch(Query.of(obligations, obligation, effort)), number)
                # Efforts with the same formulas share what is known of them.
                asked[number] = next((one for one in asked.values() if one.is_like(made)), made)
            answer = asked[number].try_effort(effort, each)
            if isinstance(answer, Shown):
                return answer
            reason = answer or reason
    for one in asked.values():
        answer = one.check(_CHECKER_STEPS)
        if isinstance(answer, Shown):
            return answer
        reason = answer or reason
    return Open(obligation.name, reason)


@dataclass
class _Asked:
    """The formulas of an effort, and the answers of the solvers."""

    search: GuidedSearch
    effort: int
    seconds: float | None = None
    """The time in which the first solver found a proof, once it has one."""
    given_up: int = 0
    """The steps after which the first solver gave up."""
    completed: float = -1
    """The seconds for a model of all quantifiers, after which it gave up."""
    check_given_up: int = 0
    """The steps after which the second did."""

    def is_like(self, other: _Asked) -> bool:
        """True if the formulas are equal."""
        return self.search.query.families == other.search.query.families

    def try_effort(self, effort: Effort, limits: Round) -> Shown | str | None:
        """Ask the first solver, and the second if that finds a proof. Return why they did not show it. Return
        None if nobody was asked, since nothing is asked again without more time."""
        steps = int(min(effort.seconds, limits.seconds) * STEPS_PER_SECOND)
        if self.seconds is None and (self.given_up < steps or limits.completing > self.completed):
            began = time.process_time()
            answer = self.search.decide(steps, int(limits.completing * STEPS_PER_SECOND))
            if answer is not Answer.UNSATISFIABLE:
                is_final = answer is Answer.SATISFIABLE
                self.given_up, self.completed = (_ANY, math.inf) if is_final else (steps, limits.completing)
                return f"{FINDER} {_REASONS[answer]}"
            self.seconds = time.process_time() - began
        # Definitions take cvc5 long, and other instances are no simpler for it.
        return self.check(_CHECKER_STEPS if effort.about_sets else limits.checker_steps)

    def check(self, steps: int) -> Shown | str | None:
        """Ask the second solver about what the first found. Return as ``try_effort`` does."""
        if self.seconds is None or self.check_given_up >= steps:
            return None
        query, kept = self.search.query, self.search.kept
        text = query.script(kept)
        began = time.process_time()
        checked = decide_script(CHECKER, text, (), steps)
        if checked.answer is not Answer.UNSATISFIABLE:
            self.check_given_up = steps
            return f"{FINDER} shows it, {CHECKER} {_REASONS[checked.answer]}"
        uses = tuple(dict.fromkeys(name for name in map(query.lemma, kept) if name != FACT))
        took = time.process_time() - began
        name, stays = query.obligation.name, query.obligations.with_stays
        return Shown(name, self.effort, stays, kept, uses, text, self.seconds, took)


def _in_turn(
    obligations: Obligations, obligation: Obligation, efforts: Sequence[Effort]
) -> Iterator[tuple[int, Effort]]:
    """Yield the applicable efforts with their numbers. Efforts with the lemma itself come first. Then, if an
    author names the needed lemmas, come those with these lemmas only."""
    numbered = list(enumerate(EFFORTS))
    if obligations.premises.has_sets_in_states:
        yield from ((number, effort) for number, effort in numbered if effort.about_sets)
    if is_about_reads(obligation.claim):
        yield from ((number, effort) for number, effort in numbered if effort.own and not effort.tiers)
    elif obligation.inductive and obligation.at != ALWAYS:
        yield from ((number, effort) for number, effort in numbered if effort.own and effort.tiers)
    if obligations.premises.is_hinted(obligation):
        yield from ((number, effort) for number, effort in numbered if effort.hinted)
    began = 0
    if obligation.inductive and obligations.premises.has_elements_with_fields:
        # The efforts with several rounds of matching take long, so the others come first.
        began = min(_SMALL, len(efforts))
        once = [(number, effort) for number, effort in numbered if effort.matched == 1]
        rounds = [(number, effort) for number, effort in numbered if effort.matched > 1]
        plain = [(n, effort) for n, effort in numbered if effort.about_fields and not effort.matched]
        yield from (*once, *numbered[:began], *plain, *rounds)
    for number, effort in (one for one in numbered[began : len(efforts)] if not one[1].about_sets):
        if not (effort.hinted or effort.own or effort.matched or effort.about_fields) and (
            obligations.premises.has_counts or not effort.meeting
        ):
            yield number, effort


_REASONS = {
    Answer.SATISFIABLE: "found no proof from the lemmas",
    Answer.UNKNOWN: "gave up",
}
