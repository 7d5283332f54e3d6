"""Checks a certificate: its invariant holds initially, every instance keeps it, and it implies the property.

The check uses neither the clauses nor the relation of the provers. Each bit that an instance updates gets a
second variable, which equals the update. Other code makes the clauses (``clauses.tseitin``), and another
solver decides them. One instance is checked for several only if a permutation of bits turns its terms into
theirs and leaves the invariant unchanged (``instance_images``). If a permutation leaves the instance
unchanged, too, one clause is checked for its images. The check shares with the provers the terms
themselves, hence their lowering, and the substitution of bits in terms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pysmt.fnode import FNode

from verifier.clauses.tseitin import Definitions
from verifier.encodings.bits import bit, conjunction, disjunction, equivalence, negation, restrict_formula
from verifier.printable import say_count
from verifier.solvers import Answer, open_solver
from verifier.symmetry.instance_images import InstanceImages
from verifier.system.model import Model
from verifier.system.transition_system import Instance, TransitionSystem
from verifier.trust.certificate import Certificate, Literal, clause_name, formulas, literal_term
from verifier.trust.initial_states import require_initial_state
from verifier.trust.kept_formulas import KeptFormulas, KeptName, SplitFormulas, add_kept, split_formulas


@dataclass(frozen=True)
class FailedObligation:
    """An obligation that does not hold, or that the solver could not decide (``certain`` is false)."""

    obligation: str
    certain: bool


@dataclass(frozen=True)
class CheckReport:
    """The result of a check."""

    obligations: int
    """The number of obligations that the solver decided."""
    failed: tuple[FailedObligation, ...]
    seconds: float
    instances: int
    """The number of instances that were checked. The others are images of them."""
    kept: tuple[KeptName, ...] = ()
    """Proofs that checks of other certificates of the model may reuse, if that was asked for."""
    reused: int = 0
    """The number of obligations that were known from checks of other certificates."""


class _Refutation:
    """A solver that refutes terms under the terms that hold."""

    def __init__(self, solver: str, clauses: Definitions | None = None) -> None:
        self.clauses = clauses or Definitions()
        self._solver = open_solver(solver)
        self._given = 0

    def hold(self, terms: Iterable[FNode]) -> None:
        """Asserts the terms."""
        for term in terms:
            self.clauses.hold(term)

    def literal(self, term: FNode) -> int:
        """A literal for the term."""
        return self.clauses.literal(term)

    def refute(self, assumed: Sequence[int]) -> bool | None:
        """True if the literals contradict the asserted terms; None if the solver gives up."""
        self._solver.add_clauses(self.clauses.clauses[self._given :])
        self._given = len(self.clauses.clauses)
        answer = self._solver.solve(assumed)
        return None if answer is Answer.UNKNOWN else answer is Answer.UNSATISFIABLE

    def assumptions_used(self) -> frozenset[int]:
        """The assumed literals that the last refutation rests on."""
        return frozenset(self._solver.failed_assumptions())

    def close(self) -> None:
        """Frees the solver."""
        self._solver.close()


def other_solver(than: str) -> str:
    """A solver that checks what another one found. Several names are joined by "+"."""
    return "cadical" if "z3" in than.split("+") else "z3"


def check(
    model: Model,
    certificate: Certificate,
    solver: str,
    listen: Callable[[str], None] = lambda _: None,
    images: bool = True,
    known: KeptFormulas | None = None,
) -> CheckReport:
    """Checks all obligations. ``listen`` is called with each one before it is checked.

    Without ``images``, every instance is checked. ``known``: what this solver checked for other certificates
    of the model; it is not checked again.

    Raises Misfit for unknown names, and NoInitialState if there is none: any formula would be an invariant.
    """
    require_initial_state(model)
    return _CertificateCheck(model, certificate, solver, listen, images, known).run()


def add_checked(model: Model, certificate: Certificate, report: CheckReport, known: KeptFormulas) -> None:
    """Add what a check of the certificate found in another process."""
    name = certificate.property_name
    invariant = formulas(model, certificate)
    add_kept(known, split_formulas(model.asking((name,)), invariant, name), invariant, report.kept)


class _CertificateCheck:
    def __init__(
        self,
        model: Model,
        certificate: Certificate,
        solver: str,
        listen: Callable[[str], None],
        images: bool,
        known: KeptFormulas | None,
    ) -> None:
        self.images = images
        self.known = known
        self.kept: list[KeptName] = []
        self.model = model.asking((certificate.property_name,))
        self.certificate = certificate
        self.solver = solver
        self.listen = listen
        self.parts = formulas(model, certificate)
        self.clauses = {clause_name(number): one for number, one in enumerate(certificate.clauses, 1)}
        self.failed: list[FailedObligation] = []
        self.obligations = 0
        self.asked = 0
        self.reused = 0

    def run(self) -> CheckReport:
        began = time.monotonic()
        goals = self._goals()
        invariant = dict(self.parts)
        if self.certificate.k > 1:
            # A goal that is proved by several steps need not be kept by single steps.
            several = goals.keys() - set(self.certificate.single_steps)
            invariant = {name: part for name, part in invariant.items() if name not in several}
            self._several_steps(conjunction(invariant.values()), conjunction(goals.values()))
        else:
            self._safety(invariant, goals)
        self._initiation(invariant)
        self._consecution(invariant)
        return CheckReport(
            self.obligations,
            tuple(self.failed),
            time.monotonic() - began,
            self.asked,
            tuple(self.kept),
            self.reused,
        )

    def _goals(self) -> dict[str, FNode]:
        """The property and the implied properties. An instance is disabled where it would assign a value
        outside a sort or read what has no value, so it must be shown that no instance would."""
        system = self.model.system
        goals = (system.property_named(self.certificate.property_name), *system.implied)
        return {prop.name: prop.formula for prop in goals}

    def _ask(self, questions: _Refutation, obligation: str, term: FNode) -> None:
        """The obligation holds if the term is refuted."""
        self._ask_of(questions, obligation, [questions.literal(term)])

    def _ask_of(self, questions: _Refutation, obligation: str, literals: Sequence[int]) -> bool:
        """The obligation holds if the literals are refuted together."""
        self.obligations += 1
        refuted = questions.refute(literals)
        if not refuted:
            self.failed.append(FailedObligation(obligation, certain=refuted is False))
        return refuted is True

    def _initiation(self, invariant: dict[str, FNode]) -> None:
        self.listen("initiation")
        questions = _Refutation(self.solver)
        questions.hold([self.model.system.init])
        for name, part in invariant.items():
            literals = [negation(part)]
            if name in self.clauses:
                literals = [negation(literal_term(literal)) for literal in self.clauses[name]]
            self._ask_of(questions, f"{name} holds initially", [questions.literal(one) for one in literals])
        questions.close()

    def _safety(self, invariant: dict[str, FNode], goals: dict[str, FNode]) -> None:
        self.listen("safety")
        questions = _Refutation(self.solver)
        questions.hold(invariant.values())
        for name, goal in goals.items():
            relates = "excludes" if self.model.system.seeks(name) else "implies"
            for part in goal.args() if goal.is_and() else (goal,):
                self._ask(questions, f"the invariant {relates} {name}", negation(part))
        questions.close()

    def _consecution(self, invariant: dict[str, FNode]) -> None:
        indices = range(len(self.model.system.instances))
        split = None if self.known is None else self._split(invariant)
        alone = () if split is None else split.list_all(invariant)
        images = InstanceImages(self.model, tuple(invariant.values()), alone) if self.images else None
        stands = {index: index for index in indices} if images is None else images.find_representatives()
        asked = [index for index in indices if stands[index] == index]
        self.asked += len(asked)
        if self.known is None or split is None:
            self._keep_all(invariant, asked, images)
        else:
            self._keep_unknown(invariant, asked, images, split, self.known)

    def _split(self, invariant: Mapping[str, FNode]) -> SplitFormulas:
        return split_formulas(self.model, invariant, self.certificate.property_name)

    def _keep_all(
        self, invariant: dict[str, FNode], asked: Iterable[int], images: InstanceImages | None
    ) -> None:
        """Check that instances keep every part of the invariant."""
        holding = Definitions()
        for part in invariant.values():
            holding.hold(part)
        clauses = tuple((name, self.clauses[name]) for name in invariant if name in self.clauses)
        formulas = {
            name: (part, _bits_of(part)) for name, part in invariant.items() if name not in self.clauses
        }
        # By name: to hash names is faster than to hash terms.
        reads = [frozenset(bit for bit, _ in clause) for _, clause in clauses]
        orbits = None if images is None else images.orbits_of([invariant[name] for name, _ in clauses])
        for index in asked:
            instance = self.model.system.instances[index]
            label = instance.label
            self.listen(label)
            questions, later = self._step(instance, holding)
            updated = {symbol.symbol_name() for symbol in later}
            for name, (part, bits) in formulas.items():
                # A formula without updated bits has the same value in the next state.
                if bits.isdisjoint(updated):
                    continue
                asked_of = part if images is None else images.choose_conjuncts(index, part)
                self._ask(questions, f"{label} keeps {name}", negation(restrict_formula(asked_of, later)))
            false_later: dict[Literal, int] = {}
            for place in range(len(clauses)) if orbits is None else orbits.choose(index):
                if reads[place].isdisjoint(updated):
                    continue
                name, clause = clauses[place]
                for literal in clause:
                    if literal not in false_later:
                        false = negation(restrict_formula(literal_term(literal), later))
                        false_later[literal] = questions.literal(false)
                self._ask_of(questions, f"{label} keeps {name}", [false_later[one] for one in clause])
            questions.close()

    def _step(self, instance: Instance, holding: Definitions) -> tuple[_Refutation, dict[FNode, FNode]]:
        """Return a solver that knows a step of the instance, and the variables of the updated bits."""
        later = {symbol: bit(f"{symbol.symbol_name()} afterwards") for symbol in instance.updates}
        questions = _Refutation(self.solver, holding.copy())
        questions.hold([instance.guard])
        questions.hold(equivalence(later[old], new) for old, new in instance.updates.items())
        return questions, later

    def _keep_unknown(
        self,
        invariant: dict[str, FNode],
        asked: Iterable[int],
        images: InstanceImages | None,
        split: SplitFormulas,
        known: KeptFormulas,
    ) -> None:
        """Check that instances keep the parts of the invariant of which it is not known. Formulas that other
        properties do not assume hold only under literals, so that the solver says who needs them."""
        holding, assumed = Definitions(), dict[str, int]()
        for part in split.list_shared(invariant):
            holding.hold(part)
        for name in sorted(split.own):
            is_assumed = bit(f"{name} is assumed")
            holding.hold(disjunction((negation(is_assumed), conjunction(split.parts[name]))))
            assumed[name] = holding.literal(is_assumed)
        hypotheses = frozenset(split.list_all(invariant))
        parts = [(name, *one, _bits_of(one[1])) for name in invariant for one in enumerate(split.parts[name])]
        for index in asked:
            instance = self.model.system.instances[index]
            self.listen(instance.label)
            updated = {symbol.symbol_name() for symbol in instance.updates}
            changing = [(name, number, part) for name, number, part, bits in parts if bits & updated]
            left = [one for one in changing if not known.is_kept(one[2], index, hypotheses)]
            self.reused += len(changing) - len(left)
            if not left:
                continue
            questions, later = self._step(instance, holding)
            for name, number, part in left:
                asked_of = part if images is None else images.choose_conjuncts(index, part)
                fails_later = questions.literal(negation(restrict_formula(asked_of, later)))
                if self._ask_of(
                    questions, f"{instance.label} keeps {name}", [fails_later, *assumed.values()]
                ):
                    used = questions.assumptions_used()
                    own = tuple(name for name, literal in assumed.items() if literal in used)
                    self.kept.append(KeptName(name, number, index, own))
            questions.close()

    # What takes several steps

    def _several_steps(self, invariant: FNode, goal: FNode) -> None:
        """Checks k-induction. Base case: no execution of fewer than k actions violates the goal. Step case:
        no path of k different states that satisfy invariant and goal leads to a further state that violates
        the goal. A shortest execution to a violation contains no state twice, so these cases exclude it."""
        k, name = self.certificate.k, self.certificate.property_name
        holds = f"{name} is not reached" if self.model.system.seeks(name) else f"{name} holds"
        path = _Path(self.model.system)
        base, step = _Refutation(self.solver), _Refutation(self.solver)
        base.hold([self.model.system.init])
        for depth in range(k):
            self.listen(f"base {depth}")
            base.hold([path.at(invariant, depth), *([path.step(depth - 1)] if depth else [])])
            says = f"after {say_count(depth, 'action')} from an initial state {holds}"
            self._ask(base, says, negation(path.at(goal, depth)))
            base.hold([path.at(goal, depth)])
        self.listen("step")
        step.hold(path.at(invariant, depth) for depth in range(k + 1))
        step.hold(path.step(depth) for depth in range(k))
        step.hold(path.at(goal, depth) for depth in range(k))
        step.hold(path.differ(one, other) for other in range(k + 1) for one in range(other))
        says = f"after {k} different states of which that is so {holds}"
        self._ask(step, says, negation(path.at(goal, k)))
        base.close()
        step.close()


def _bits_of(term: FNode) -> frozenset[str]:
    return frozenset(symbol.symbol_name() for symbol in term.get_free_variables())


class _Path:
    """A path of states, each with bits of its own."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system

    def at(self, formula: FNode, depth: int) -> FNode:
        """The formula in the state at that depth. State 0 has the system's own bits."""
        return formula if depth == 0 else restrict_formula(formula, self._bits(depth))

    def step(self, depth: int) -> FNode:
        """Return the formula that some instance leads from the state at that depth to the next."""
        return disjunction(self._find_taken(instance, depth) for instance in self.system.instances)

    def differ(self, one: int, other: int) -> FNode:
        """Return the formula that two states are different."""
        return negation(
            conjunction(
                equivalence(self.at(symbol, one), self.at(symbol, other)) for symbol in self.system.bits
            )
        )

    def _find_taken(self, instance: Instance, depth: int) -> FNode:
        now = {**self._bits(depth), **_rename_bits(instance.inputs, depth)}
        following = (
            equivalence(
                self.at(symbol, depth + 1), restrict_formula(instance.updates.get(symbol, symbol), now)
            )
            for symbol in self.system.bits
        )
        return conjunction((restrict_formula(instance.guard, now), *following))

    def _bits(self, depth: int) -> dict[FNode, FNode]:
        return {} if depth == 0 else _rename_bits(self.system.bits, depth)


def _rename_bits(symbols: Sequence[FNode], depth: int) -> dict[FNode, FNode]:
    return {symbol: bit(f"{symbol.symbol_name()} in state {depth}") for symbol in symbols}
