"""One obligation with two solvers: the first finds sufficient instances, the second checks them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from verifier.parametric.efforts import EFFORTS, Effort
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations, is_about_reads
from verifier.parametric.premises import FACT
from verifier.parametric.results import Open, Result, Shown
from verifier.parametric.smtlib import script
from verifier.parametric.system import ALWAYS
from verifier.solvers import Answer
from verifier.solvers.solver_names import decide_script

FINDER, CHECKER = "z3", "cvc5"
STEPS_PER_SECOND = 2_000_000
"""The approximate speed of Z3 in its own unit of work."""
_ANY = 2**62
"""More steps than any limit."""
_UNLIMITED = 10**9
"""More hypotheses than any effort has."""
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
    largest: int
    """The limit of hypotheses, since it takes longer to read many."""
    most: int
    """The number of efforts that are tried, in their order for the obligation."""


SOON = (Round(0.4, 30_000, _UNLIMITED, 6),)
"""The limits of an attempt that is given up if it does not succeed soon."""
ROUNDS = (Round(0.4, 30_000, 500, 6), Round(math.inf, 150_000, _UNLIMITED, len(EFFORTS)))
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
                query = Query.of(obligations, obligation, effort, each.largest + 1)
                if len(query.hypotheses) > each.largest:
                    continue
                made = _Asked(query, number)
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

    query: Query
    effort: int
    finding: Finding | None = None
    """The proof of the first solver."""
    given_up: int = 0
    """The steps after which the first solver gave up."""
    check_given_up: int = 0
    """The steps after which the second did."""

    def is_like(self, other: _Asked) -> bool:
        """True if the formulas are equal."""
        return self.query.hypotheses == other.query.hypotheses

    def try_effort(self, effort: Effort, limits: Round) -> Shown | str | None:
        """Ask the first solver, and the second if that finds a proof. Return why they did not show it. Return
        None if nobody was asked, since nothing is asked again without more time."""
        steps = int(min(effort.seconds, limits.seconds) * STEPS_PER_SECOND)
        if self.finding is None and self.given_up < steps:
            answer = _decide(self.query, self.effort, steps)
            if not isinstance(answer, Finding):
                self.given_up = _ANY if answer is Answer.SATISFIABLE else steps
                return f"{FINDER} {_REASONS[answer]}"
            self.finding = answer
        # Definitions take cvc5 long, and other instances are no simpler for it.
        return self.check(_CHECKER_STEPS if effort.about_sets else limits.checker_steps)

    def check(self, steps: int) -> Shown | str | None:
        """Ask the second solver about what the first found. Return as ``try_effort`` does."""
        if self.finding is None or self.check_given_up >= steps:
            return None
        checked = _check(self.finding, steps)
        if isinstance(checked, Shown):
            return checked
        self.check_given_up = steps
        return f"{FINDER} shows it, {CHECKER} {_REASONS[checked]}"


@dataclass(frozen=True)
class Finding:
    """The result of one solver."""

    asked: Query
    effort: int
    kept: tuple[int, ...]
    """The hypotheses that it needs."""
    seconds: float


def _decide(asked: Query, number: int, steps: int) -> Finding | Answer:
    began = time.process_time()
    names = [f"h{place}" for place in range(len(asked.hypotheses))]
    result = decide_script(FINDER, asked.script(named=True), names, steps)
    if result.answer is not Answer.UNSATISFIABLE:
        return result.answer
    kept = tuple(sorted(int(name[1:]) for name in result.core))
    return Finding(asked, number, kept, time.process_time() - began)


def _check(finding: Finding, steps: int) -> Shown | Answer:
    """Return the second solver's result for the hypotheses that the first solver needs."""
    text = finding.asked.script(finding.kept)
    began = time.process_time()
    checked = decide_script(CHECKER, text, (), steps)
    if checked.answer is not Answer.UNSATISFIABLE:
        return checked.answer
    uses = tuple(dict.fromkeys(name for name in map(finding.asked.lemma, finding.kept) if name != FACT))
    took = time.process_time() - began
    name, stays = finding.asked.obligation.name, finding.asked.obligations.with_stays
    return Shown(name, finding.effort, stays, finding.kept, uses, text, finding.seconds, took)


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


@dataclass(frozen=True)
class Query:
    """The formulas of an obligation for a solver."""

    obligations: Obligations
    obligation: Obligation
    local: list[tuple[str, Any]]
    """The formulas of the constants, the guard and the goal."""
    hypotheses: list[tuple[str, Any]]
    """Lemmas, or instances of them, each with the lemma's name."""

    @staticmethod
    def of(
        obligations: Obligations, obligation: Obligation, effort: Effort, most: int = _UNLIMITED + 1
    ) -> Query:
        """Return the formulas of an obligation with the hypotheses of an effort, or with the first ``most``
        of these."""
        local = obligations.premises.local(obligation)
        chosen = obligations.premises.choose_hypotheses(obligation, effort)
        return Query(obligations, obligation, local, list(islice(chosen, most)))

    def lemma(self, place: int) -> str:
        """Return the lemma to which a hypothesis belongs."""
        name: str = self.hypotheses[place][0]
        return name

    def script(self, kept: Sequence[int] | None = None, *, named: bool = False) -> str:
        """Return the SMT-LIB text with these hypotheses, or with all. ``named``: each hypothesis has a
        name."""
        places = range(len(self.hypotheses)) if kept is None else kept
        hypotheses = [(f"h{place}", *self.hypotheses[place]) for place in places]
        nodes = [node for _, node in self.local] + [node for _, _, node in hypotheses]
        return script(
            self.local,
            self.obligations.premises.definitions(nodes),
            [(name if named else "", lemma, node) for name, lemma, node in hypotheses],
            self.obligations.premises.printer,
        )
