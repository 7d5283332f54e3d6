"""One obligation with two solvers: the first finds sufficient instances, the second checks them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
_CHECKER_STEPS = 1_500_000
"""The limit of cvc5's own unit of work: some ten seconds. It mostly needs a hundredth of that."""
_SMALL = 4
"""The number of efforts that take little time."""
_FIRST_CHECKER_STEPS = 150_000
"""The limit at first. If cvc5 exceeds it, hypotheses from more instances are mostly simpler for it."""


def decide(obligations: Obligations, obligation: Obligation, efforts: Sequence[Effort] = EFFORTS) -> Result:
    """Ask the solvers with more and more instances. ``efforts``: the first of them all, or all."""
    reason = "both solvers gave up"
    last: list[Any] | None = None
    findings: list[Finding] = []
    for number, effort in _in_turn(obligations, obligation, efforts):
        asked = Query.of(obligations, obligation, effort)
        if asked.hypotheses == last:
            continue
        last = asked.hypotheses
        answer = _decide(asked, number, effort)
        if isinstance(answer, Answer):
            reason = f"{FINDER} " + _REASONS[answer]
            continue
        findings.append(answer)
        # Definitions take cvc5 long, and other instances are no simpler for it.
        steps = _CHECKER_STEPS if effort.about_sets else _FIRST_CHECKER_STEPS
        checked = _check(obligations, obligation, answer, steps)
        if isinstance(checked, Shown):
            return checked
    for one in findings:
        checked = _check(obligations, obligation, one, _CHECKER_STEPS)
        if isinstance(checked, Shown):
            return checked
        reason = f"{FINDER} shows it, {CHECKER} {_REASONS[checked]}"
    return Open(obligation.name, reason)


@dataclass(frozen=True)
class Finding:
    """The result of one solver."""

    asked: Query
    effort: int
    kept: tuple[int, ...]
    """The hypotheses that it needs."""
    seconds: float


def _decide(asked: Query, number: int, effort: Effort) -> Finding | Answer:
    began = time.process_time()
    names = [f"h{place}" for place in range(len(asked.hypotheses))]
    steps = int(effort.seconds * STEPS_PER_SECOND)
    result = decide_script(FINDER, asked.script(named=True), names, steps)
    if result.answer is not Answer.UNSATISFIABLE:
        return result.answer
    kept = tuple(sorted(int(name[1:]) for name in result.core))
    return Finding(asked, number, kept, time.process_time() - began)


def _check(obligations: Obligations, obligation: Obligation, finding: Finding, steps: int) -> Shown | Answer:
    """Return the second solver's result for the hypotheses that the first solver needs."""
    text = finding.asked.script(finding.kept)
    began = time.process_time()
    checked = decide_script(CHECKER, text, (), steps)
    if checked.answer is not Answer.UNSATISFIABLE:
        return checked.answer
    uses = tuple(dict.fromkeys(name for name in map(finding.asked.lemma, finding.kept) if name != FACT))
    took = time.process_time() - began
    stays = obligations.with_stays
    return Shown(obligation.name, finding.effort, stays, finding.kept, uses, text, finding.seconds, took)


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
    began = 0
    if obligation.inductive and obligations.premises.has_elements_with_fields:
        # The efforts with several rounds of matching take long, so the others come first.
        began = min(_SMALL, len(efforts))
        once = [(number, effort) for number, effort in numbered if effort.matched == 1]
        rounds = [(number, effort) for number, effort in numbered if effort.matched > 1]
        plain = [(n, effort) for n, effort in numbered if effort.about_fields and not effort.matched]
        yield from (*once, *numbered[:began], *plain, *rounds)
    if obligations.premises.is_hinted(obligation):
        yield from ((number, effort) for number, effort in numbered if effort.hinted)
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
    local: list[tuple[str, Any]]
    """The formulas of the constants, the guard and the goal."""
    hypotheses: list[tuple[str, Any]]
    """Lemmas, or instances of them, each with the lemma's name."""

    @staticmethod
    def of(obligations: Obligations, obligation: Obligation, effort: Effort) -> Query:
        """Return the formulas of an obligation with the hypotheses of an effort."""
        local = obligations.premises.local(obligation)
        return Query(obligations, local, obligations.premises.choose_hypotheses(obligation, effort))

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
