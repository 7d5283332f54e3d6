"""The obligations of an inductive invariant, asked of one incremental solver under assumptions.

The clauses define every formula in a state, and in the next state after each instance. A query assumes some
formulas, that one instance is enabled, and that one formula fails after it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, product

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import restrict_formulas
from verifier.solvers import Answer, open_solver
from verifier.system.transition_system import TransitionSystem
from verifier.trust.kept_formulas import KeptFormulas, KeptName, SplitFormulas


class Kind(StrEnum):
    """The three obligations of an inductive invariant."""

    INITIATION = "initiation"
    CONSECUTION = "consecution"
    SAFETY = "safety"


@dataclass(frozen=True)
class ObligationResult:
    """True if one obligation holds, and a counterexample if it does not."""

    kind: Kind
    formula: str
    instance: int | None
    holds: bool | None
    """None: the solver gave up."""
    seconds: float
    state: tuple[bool, ...] | None = None
    """The counterexample: a state in which the formula fails; of a consecution, the state before."""
    inputs: tuple[bool, ...] = ()
    """The values of the instance's free parameters in the counterexample."""
    assumed: tuple[str, ...] = ()
    """Formulas that hold in ``state``."""
    kept: tuple[KeptName, ...] = ()
    """The parts of the formula that the instance was shown to keep, if other properties may ask for them."""


@dataclass(frozen=True)
class DroppedLemma:
    """A lemma that is not part of the invariant."""

    formula: str
    fell_at: ObligationResult | None
    """The obligation that does not hold; None: the lemma is not needed."""


@dataclass(frozen=True)
class Conclusion:
    """The end of the check: the formulas of an inductive invariant that implies the property."""

    invariant: tuple[str, ...]
    """Empty: there is no such invariant."""


@dataclass(frozen=True)
class Question:
    """The question of the check, and how to decide it."""

    formulas: Mapping[str, FNode]
    """The candidates and the property, by name."""
    lemmas: tuple[str, ...]
    """Candidates that the invariant may lack."""
    needed: tuple[str, ...]
    """Candidates that the invariant must contain."""
    property_name: str
    instances: tuple[int, ...]
    solver: str
    houdini: bool = False
    """Drop lemmas until the rest is inductive."""
    minimise: bool = False
    """Then drop the lemmas that are not needed."""
    seed: int = 0
    proved: tuple[str, ...] = ()
    """Formulas whose conjunction is known to be inductive."""
    split: SplitFormulas | None = None
    """The parts of the formulas, if obligations are shared with other properties."""
    kept: KeptFormulas = field(default_factory=KeptFormulas)
    """The parts that instances are known to keep."""


@dataclass(frozen=True)
class Candidate:
    """The invariant that is being checked, before the obligations of its actions are asked."""

    invariant: tuple[str, ...]


Report = Callable[[ObligationResult | DroppedLemma | Conclusion | Candidate], None]


class _Encoding:
    """The clauses of all obligations, in one solver.

    The next state has no variables. A formula in the next state is the formula with its bits replaced by the
    updates of one instance. So a term that the instance does not update is the same literal before and after.
    """

    def __init__(self, system: TransitionSystem, question: Question) -> None:
        self.system = system
        self.formulas = question.formulas
        split = {} if question.split is None else question.split.parts
        self.parts = {name: split.get(name, (term,)) for name, term in self.formulas.items()}
        self._terms = tuple(dict.fromkeys((*self.formulas.values(), *chain(*self.parts.values()))))
        self._cnf = cnf = Clausifier()
        for symbol in system.bits:
            cnf.declare(symbol)
        self.now = {name: cnf.literal(term) for name, term in question.formulas.items()}
        cnf.assert_term(system.valid)
        self.initial = cnf.literal(system.init)
        self.assume = {name: cnf.fresh() for name in question.formulas}
        cnf.clauses += [[-self.assume[name], literal] for name, literal in self.now.items()]
        self._name_of = {literal: name for name, literal in self.assume.items()}
        self._taken: dict[int, int] = {}
        self._next: dict[tuple[FNode, int], int] = {}
        self._solver = open_solver(question.solver, question.seed)
        self._given = 0
        self._support = {term: _variables(term) for term in self._terms}
        self._kept = question.kept

    def _take(self, index: int) -> int:
        """The literal that an instance is enabled. Defines every formula in the state after it, too."""
        if index not in self._taken:
            instance = self.system.instances[index]
            for symbol in instance.inputs:
                self._cnf.declare(symbol)
            if not self._kept.has_any(index):  # else few are asked for, and each is defined when it is
                self._define_after(self._terms, index)
            self._taken[index] = self._cnf.literal(instance.guard)
        return self._taken[index]

    def _define_after(self, terms: tuple[FNode, ...], index: int) -> None:
        later = restrict_formulas(terms, self.system.instances[index].updates)
        for term, after in zip(terms, later, strict=True):
            self._next[term, index] = self._cnf.literal(after)

    def _literal_after(self, term: FNode, index: int) -> int:
        if (term, index) not in self._next:
            self._define_after((term,), index)
        return self._next[term, index]

    def is_unchanged(self, name: str, index: int, part: int | None = None) -> bool:
        """True if the instance updates no bit of the formula, or of a part of it."""
        term = self.formulas[name] if part is None else self.parts[name][part]
        return self._support[term].isdisjoint(self.system.instances[index].updates)

    def ask(
        self, kind: Kind, name: str, index: int | None, assumed: Sequence[str], part: int | None = None
    ) -> ObligationResult:
        """Decides an obligation, or one about a part of the formula. The formulas ``assumed`` hold in the
        state before."""
        began = time.monotonic()
        assumptions = [self.assume[other] for other in assumed]
        if index is None:
            assumptions += [self.initial] if kind is Kind.INITIATION else []
            assumptions.append(-self.now[name])
        else:
            term = self.formulas[name] if part is None else self.parts[name][part]
            assumptions += [self._take(index), -self._literal_after(term, index)]
        self._solver.add_clauses(self._cnf.clauses[self._given :])
        self._given = len(self._cnf.clauses)
        answer = self._solver.solve(assumptions)
        seconds = time.monotonic() - began
        if answer is not Answer.SATISFIABLE:
            holds = True if answer is Answer.UNSATISFIABLE else None
            return ObligationResult(kind, name, index, holds, seconds)
        state = tuple(self._solver.value(variable) for variable in range(1, len(self.system.bits) + 1))
        inputs = () if index is None else self.system.instances[index].inputs
        chosen = tuple(self._solver.value(self._cnf.declare(symbol)) for symbol in inputs)
        return ObligationResult(kind, name, index, False, seconds, state, chosen, tuple(assumed))

    def hold_always(self, names: Iterable[str]) -> None:
        """From now on formulas hold in the state before, whatever is assumed: the solver simplifies by them.
        Only for what every later obligation assumes."""
        self._cnf.clauses += [[self.assume[name]] for name in names]

    def hold_terms(self, terms: Iterable[FNode]) -> None:
        """From now on terms hold in the state before, as formulas do by ``hold_always``."""
        for term in terms:
            self._cnf.assert_term(term)

    def assumptions_used(self) -> frozenset[str]:
        """The assumed formulas that the proof of the last obligation uses."""
        core = self._solver.failed_assumptions()
        return frozenset(self._name_of[literal] for literal in core if literal in self._name_of)

    def failing_after(self, names: Iterable[str], index: int) -> list[str]:
        """The formulas that fail after that instance in the last counterexample."""
        found = {name: self._next[self.formulas[name], index] for name in names}
        return [name for name, after in found.items() if self._solver.value(abs(after)) != (after > 0)]


def _variables(term: FNode) -> frozenset[FNode]:
    found: frozenset[FNode] = term.get_free_variables()
    return found


@dataclass(frozen=True)
class InductiveSet:
    """Formulas whose conjunction is inductive."""

    names: tuple[str, ...]
    needs: Mapping[str, frozenset[str]]
    """For each of them those that the proofs that it is kept use."""

    def around(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """The formulas that are wanted and those that keeping them needs, which are inductive together."""
        found: set[str] = set()
        waiting = list(wanted)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.needs[name]
        return tuple(name for name in self.names if name in found)


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
    encoded, found = _Encoding(system, question), set[tuple[str, str]]()
    answers = [encoded.ask(Kind.INITIATION, name, None, ()) for name in claims]
    if always is not None:
        lemmas = [name for name in assumed if name != always]
        answers.append(encoded.ask(Kind.SAFETY, always, None, lemmas))
    yield from (answer for answer in answers if answer.holds is False)
    for index, name in product(question.instances, claims):
        place = system.instances[index].action, name
        if place not in found and not encoded.is_unchanged(name, index):
            answer = encoded.ask(Kind.CONSECUTION, name, index, assumed)
            if answer.holds is False:
                found.add(place)
                yield answer


def check_obligations(system: TransitionSystem, question: Question, report: Report) -> None:
    """Decides all obligations, and reports each result as it comes."""
    _ObligationCheck(system, question, report).run()


class _ObligationCheck:
    def __init__(self, system: TransitionSystem, question: Question, report: Report) -> None:
        self.question = question
        self.report = report
        self.encoded = _Encoding(system, question)
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
