"""The check of an inductive invariant: decides its obligations, and drops lemmas that are not inductive."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from pysmt.fnode import FNode

from verifier.engines.inductive_encoding import InductiveEncoding
from verifier.engines.inductive_question import (
    Candidate,
    Conclusion,
    DroppedLemma,
    Kind,
    ObligationResult,
    Question,
    Report,
)
from verifier.system.transition_system import TransitionSystem
from verifier.trust.kept_formulas import KeptName


@dataclass(frozen=True)
class InductiveSet:
    """Formulas whose conjunction is inductive."""

    names: tuple[str, ...]
    needs: Mapping[str, frozenset[str]]
    """For each of them those that the proofs that it is kept use."""

    def around(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """The formulas that are wanted and those that keeping them needs, which are inductive together."""
        included: set[str] = set()
        waiting = list(wanted)
        while waiting:
            name = waiting.pop()
            if name not in included:
                included.add(name)
                waiting += self.needs[name]
        return tuple(name for name in self.names if name in included)


def largest_inductive(
    system: TransitionSystem,
    formulas: Mapping[str, FNode],
    instances: Sequence[int],
    solver: str,
    goals: Collection[str],
    wanted: Collection[str] = (),
) -> InductiveSet:
    """The largest set of the formulas whose conjunction is inductive. Where the goals keep each other, they
    need nothing else. ``wanted``: a set with none of these is as good as none, so they are asked first."""
    names = tuple(formulas)
    question = Question(formulas, names, (), names[0], tuple(instances), solver, houdini=True)
    return _ObligationCheck(system, question, lambda _: None).largest(names, goals, frozenset(wanted))


def failing(
    system: TransitionSystem,
    question: Question,
    assumed: Sequence[str],
    claims: Sequence[str],
    always: str | None,
) -> Iterator[ObligationResult]:
    """Yield counterexamples to three claims. A claim holds initially. Actions preserve it if all assumed
    formulas hold; there is one counterexample for each action and claim. The assumed formulas imply one
    formula, ``always``."""
    encoded, refuted = InductiveEncoding(system, question), set[tuple[str, str]]()
    answers = [encoded.ask(Kind.INITIATION, name, None, ()) for name in claims]
    if always is not None:
        lemmas = [name for name in assumed if name != always]
        answers.append(encoded.ask(Kind.SAFETY, always, None, lemmas))
    yield from (answer for answer in answers if answer.holds is False)
    for index, name in product(question.instances, claims):
        place = system.instances[index].action, name
        if place not in refuted and not encoded.is_unchanged(name, index):
            answer = encoded.ask(Kind.CONSECUTION, name, index, assumed)
            if answer.holds is False:
                refuted.add(place)
                yield answer


def check_obligations(system: TransitionSystem, question: Question, report: Report) -> None:
    """Decides all obligations, and reports each result as it comes."""
    _ObligationCheck(system, question, report).run()


class _ObligationCheck:
    def __init__(self, system: TransitionSystem, question: Question, report: Report) -> None:
        self.question = question
        self.report = report
        self.encoded = InductiveEncoding(system, question)
        self.reasons: dict[tuple[str, int], frozenset[str]] = {}
        """For each obligation of consecution that holds, the formulas that its proof uses."""
        self.hypotheses: frozenset[FNode] = frozenset()
        self.failed_initially = False

    def run(self) -> None:
        question = self.question
        goal, choosing = question.property_name, question.houdini or question.minimise
        if question.proved and not choosing and self._follows(question.proved):
            self.report(Conclusion(question.proved))
            return
        candidates = [*question.needed, *question.lemmas]
        candidates = [name for name in candidates if self._initially(name) or not choosing]
        # A property that does not follow from the lemmas may still be inductive relative to them.
        if goal not in candidates and (choosing or not self._follows(candidates)):
            candidates.append(goal)
            if not self._initially(goal):
                self.report(Conclusion(()))
                return
        if choosing:
            self._choose(candidates)
            return
        if not self.failed_initially:
            self.report(Candidate(tuple(candidates)))
        if question.split is None:
            self.encoded.hold_always(candidates)
        else:
            self.encoded.hold_terms(question.split.list_shared(candidates))
            self.hypotheses = frozenset(question.split.list_all(candidates))
        kept = [self._all_kept(index, candidates) for index in question.instances]
        self.report(Conclusion(tuple(candidates) if all(kept) and not self.failed_initially else ()))

    def largest(
        self, names: Sequence[str], goals: Collection[str], wanted: frozenset[str] = frozenset()
    ) -> InductiveSet:
        """Return the largest inductive subset; the empty set if it contains nothing wanted."""
        first = sorted(names, key=lambda name: name not in wanted)
        alive = self._largest([name for name in first if self._initially(name)], self.report, wanted)
        kept = tuple(name for name in names if name in alive)
        # A core is not the smallest: it may name any formula that was assumed. So the goals are asked alone.
        self._largest([name for name in kept if name in goals], self.report)
        by = {name: [self.reasons[name, index] for index in self.question.instances] for name in kept}
        return InductiveSet(kept, {name: frozenset().union(*reasons) for name, reasons in by.items()})

    def _choose(self, candidates: Sequence[str]) -> None:
        """Finds the largest inductive set of lemmas, and if wanted drops the lemmas that are not needed."""
        question = self.question
        alive = self._largest(candidates, self.report)
        required = {*question.needed, question.property_name}
        if not required <= set(alive):
            self.report(Conclusion(()))
            return
        if question.minimise:
            alive = self._smaller(alive)
        without = [name for name in alive if name != question.property_name]
        if question.property_name not in question.needed and self._follows(without):
            alive = without
        self.report(Conclusion(tuple(alive)))

    def _initially(self, name: str) -> bool:
        answer = self.encoded.ask(Kind.INITIATION, name, None, ())
        self.report(answer)
        if answer.holds:
            return True
        self.failed_initially = True
        if (self.question.houdini or self.question.minimise) and name in self.question.lemmas:
            self.report(DroppedLemma(name, answer))
        return False

    def _follows(self, names: Sequence[str]) -> bool:
        """True if the property follows. That it does not follow is no failure yet, and is not reported."""
        answer = self.encoded.ask(Kind.SAFETY, self.question.property_name, None, names)
        if answer.holds:
            self.report(answer)
        return answer.holds is True

    def _all_kept(self, index: int, names: Sequence[str]) -> bool:
        check = self._check_kept if self.question.split is None else self._check_open_parts
        answers = [check(name, index, names) for name in names]
        for answer in answers:
            self.report(answer)
        return all(answer.holds for answer in answers)

    def _check_kept(self, name: str, index: int, assumed: Sequence[str]) -> ObligationResult:
        if self.encoded.is_unchanged(name, index):
            self.reasons[name, index] = frozenset([name])
            return ObligationResult(Kind.CONSECUTION, name, index, True, 0.0)
        answer = self.encoded.ask(Kind.CONSECUTION, name, index, assumed)
        if answer.holds:
            self.reasons[name, index] = self.encoded.assumptions_used()
        return answer

    def _check_open_parts(self, name: str, index: int, assumed: Sequence[str]) -> ObligationResult:
        """Ask for those parts of the formula that the instance is not known to keep."""
        split, known = self.question.split, self.question.kept
        assert split is not None
        result = ObligationResult(Kind.CONSECUTION, name, index, True, 0.0)
        for number, part in enumerate(split.parts[name]):
            unchanged = self.encoded.is_unchanged(name, index, number)
            if unchanged or known.is_kept(part, index, self.hypotheses):
                continue
            answer = self.encoded.ask(Kind.CONSECUTION, name, index, assumed, number)
            seconds = result.seconds + answer.seconds
            if not answer.holds:
                return replace(answer, seconds=seconds)
            own = tuple(split.own & self.encoded.assumptions_used())
            result = replace(result, seconds=seconds, kept=(*result.kept, KeptName(name, number, index, own)))
        return result

    def _largest(
        self, candidates: Sequence[str], report: Report, wanted: frozenset[str] = frozenset()
    ) -> list[str]:
        """The largest subset that every instance keeps (Houdini: Flanagan and Leino 2001,
        doi:10.1007/3-540-45251-6_29). An obligation is asked again only if its proof used a formula that was
        dropped since. Ends with none once nothing is left that is ``wanted``."""
        alive = list(candidates)
        dropping = True
        while dropping:
            dropping = False
            for name, index in self._open(alive, wanted):
                if wanted and wanted.isdisjoint(alive):
                    return []
                if name not in alive:
                    continue
                answer = self._check_kept(name, index, alive)
                if answer.holds:
                    report(answer)
                    continue
                for other in self.encoded.failing_after(alive, index) if answer.state else [name]:
                    alive.remove(other)
                    fell = replace(answer, formula=other)
                    report(fell)
                    report(DroppedLemma(other, fell))
                dropping = True
        return [] if wanted and wanted.isdisjoint(alive) else alive

    def _open(self, alive: Sequence[str], first: frozenset[str]) -> Iterator[tuple[str, int]]:
        """The obligations for which no proof from ``alive`` is known; those of some formulas come first."""
        names, instances = frozenset(alive), self.question.instances
        parts = ([one for one in alive if (one in first) is early] for early in (True, False))
        for part, index in product(list(parts), instances):
            for name in part:
                by = self.reasons.get((name, index))
                if by is None or not by <= names:
                    yield name, index

    def _smaller(self, alive: Sequence[str]) -> list[str]:
        """A subset that implies the property and of which no single lemma can be dropped."""
        current = list(alive)
        required = {*self.question.needed, self.question.property_name}
        for name in reversed(self.question.lemmas):
            if name not in current:
                continue
            tried = self._largest([other for other in current if other != name], lambda _: None)
            if required <= set(tried):
                for gone in current:
                    if gone not in tried:
                        self.report(DroppedLemma(gone, None))
                current = tried
        return current
