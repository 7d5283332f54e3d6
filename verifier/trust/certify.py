"""Checks a certificate: its invariant holds initially, every instance keeps it, and it implies the property.

On a way of its own, without the clauses or the relation of the provers: the bits that an instance updates
get a second variable each, tied to the update; clauses are made by other code (``clauses.tseitin``); and
another solver gets them. One instance stands for others only if comparing their terms, and those of the
invariant, shows that a permutation of bits makes it so (``instance_images``). What is shared with the
provers are the terms themselves, and so what lowered them, and the substitution of bits in terms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pysmt.fnode import FNode

from verifier.clauses.tseitin import Definitions
from verifier.encodings.bits import bit, conjunction, disjunction, equivalence, negation, restricted
from verifier.solvers import Answer, open_solver
from verifier.symmetry.instance_images import representatives
from verifier.system.model import Model
from verifier.system.transition_system import Instance, TransitionSystem
from verifier.trust.certificate import Certificate, formulas, literal_term
from verifier.trust.initial_states import require_initial_state


@dataclass(frozen=True)
class Failed:
    """An obligation that does not hold, or (``certain`` false) on which the solver gave up."""

    obligation: str
    certain: bool


@dataclass(frozen=True)
class Checked:
    """What came of a check."""

    obligations: int
    """How many were asked of the solver."""
    failed: tuple[Failed, ...]
    seconds: float
    instances: int
    """How many instances were asked about; the rest was shown to be images of them."""


class _Questions:
    """Terms that hold, and a solver that is asked what is impossible with them."""

    def __init__(self, solver: str, clauses: Definitions | None = None) -> None:
        self.clauses = clauses or Definitions()
        self._solver = open_solver(solver)
        self._given = 0

    def hold(self, terms: Iterable[FNode]) -> None:
        """The terms hold from now on."""
        for term in terms:
            self.clauses.hold(term)

    def refuted(self, terms: Iterable[FNode]) -> bool | None:
        """Whether the terms cannot hold with the rest; None if the solver gives up."""
        assumed = [self.clauses.literal(term) for term in terms]
        self._solver.add_clauses(self.clauses.clauses[self._given :])
        self._given = len(self.clauses.clauses)
        answer = self._solver.solve(assumed)
        return None if answer is Answer.UNKNOWN else answer is Answer.UNSATISFIABLE

    def close(self) -> None:
        """Frees the solver."""
        self._solver.close()


def other_solver(than: str) -> str:
    """A solver to check what that one, or those joined by "+", found."""
    return "cadical" if "z3" in than.split("+") else "z3"


def check(
    model: Model,
    certificate: Certificate,
    solver: str,
    listen: Callable[[str], None] = lambda _: None,
    images: bool = True,
) -> Checked:
    """Checks all obligations, telling which it is about to ask. Without ``images`` every instance is asked.

    Raises Misfit for unknown names, and NoInitialState: then any invariant would do.
    """
    require_initial_state(model)
    return _Check(model, certificate, solver, listen, images).run()


class _Check:
    def __init__(
        self,
        model: Model,
        certificate: Certificate,
        solver: str,
        listen: Callable[[str], None],
        images: bool,
    ) -> None:
        self.images = images
        self.model = model.asking((certificate.property_name,))
        self.certificate = certificate
        self.solver = solver
        self.listen = listen
        self.parts = formulas(model, certificate)
        self.failed: list[Failed] = []
        self.obligations = 0
        self.asked = 0

    def run(self) -> Checked:
        began = time.monotonic()
        goals = self._goals()
        invariant = dict(self.parts)
        if self.certificate.k > 1:
            # What is proved by several steps is no part of what single steps keep.
            invariant = {name: part for name, part in invariant.items() if name not in goals}
            self._several_steps(conjunction(invariant.values()), conjunction(goals.values()))
        else:
            self._safety(invariant, goals)
        self._initiation(invariant)
        self._consecution(invariant)
        return Checked(self.obligations, tuple(self.failed), time.monotonic() - began, self.asked)

    def _goals(self) -> dict[str, FNode]:
        """Instances are disabled where they would leave a sort or read what has no value, so it must be shown
        that none would."""
        system = self.model.system
        goals = (system.property_named(self.certificate.property_name), *system.implied)
        return {prop.name: prop.formula for prop in goals}

    def _ask(self, questions: _Questions, obligation: str, terms: Iterable[FNode]) -> None:
        """The obligation holds if the terms are impossible."""
        self.obligations += 1
        refuted = questions.refuted(terms)
        if not refuted:
            self.failed.append(Failed(obligation, certain=refuted is False))

    def _initiation(self, invariant: dict[str, FNode]) -> None:
        self.listen("initiation")
        questions = _Questions(self.solver)
        questions.hold([self.model.system.init])
        for name, part in invariant.items():
            self._ask(questions, f"{name} holds initially", [negation(part)])
        questions.close()

    def _safety(self, invariant: dict[str, FNode], goals: dict[str, FNode]) -> None:
        self.listen("safety")
        questions = _Questions(self.solver)
        questions.hold(invariant.values())
        for name, goal in goals.items():
            relates = "excludes" if self.model.system.seeks(name) else "implies"
            self._ask(questions, f"the invariant {relates} {name}", [negation(goal)])
        questions.close()

    def _consecution(self, invariant: dict[str, FNode]) -> None:
        holding = Definitions()
        for part in invariant.values():
            holding.hold(part)
        speaks_of = {name: frozenset(part.get_free_variables()) for name, part in invariant.items()}
        clauses = {f"clause {number}": clause for number, clause in enumerate(self.certificate.clauses, 1)}
        everyone = {index: index for index in range(len(self.model.system.instances))}
        stands = representatives(self.model, invariant.values()) if self.images else everyone
        for index, instance in enumerate(self.model.system.instances):
            if stands[index] != index:
                continue
            self.listen(instance.label)
            self.asked += 1
            later = {symbol: bit(f"{symbol.symbol_name()} afterwards") for symbol in instance.updates}
            questions = _Questions(self.solver, holding.copy())
            questions.hold([instance.guard])
            questions.hold(equivalence(later[old], new) for old, new in instance.updates.items())
            for name, part in invariant.items():
                # What speaks of nothing that is updated says the same afterwards.
                if speaks_of[name].isdisjoint(later):
                    continue
                if name in clauses:
                    literals = map(literal_term, clauses[name])
                    failing = [negation(restricted(literal, later)) for literal in literals]
                else:
                    failing = [negation(restricted(part, later))]
                self._ask(questions, f"{instance.label} keeps {name}", failing)
            questions.close()

    # What takes several steps

    def _several_steps(self, invariant: FNode, goal: FNode) -> None:
        """No execution of fewer than k actions violates the goal; and no k different states in a row in
        which it holds, all within the invariant, are followed by yet another in which it does not. A
        shortest execution to a violation passes no state twice, so there is none."""
        k, name = self.certificate.k, self.certificate.property_name
        holds = f"{name} is not reached" if self.model.system.seeks(name) else f"{name} holds"
        path = _Path(self.model.system)
        base, step = _Questions(self.solver), _Questions(self.solver)
        base.hold([self.model.system.init])
        for depth in range(k):
            self.listen(f"base {depth}")
            base.hold([path.at(invariant, depth), *([path.step(depth - 1)] if depth else [])])
            says = f"after {depth} actions from an initial state {holds}"
            self._ask(base, says, [negation(path.at(goal, depth))])
            base.hold([path.at(goal, depth)])
        self.listen("step")
        step.hold(path.at(invariant, depth) for depth in range(k + 1))
        step.hold(path.step(depth) for depth in range(k))
        step.hold(path.at(goal, depth) for depth in range(k))
        step.hold(path.differ(one, other) for other in range(k + 1) for one in range(other))
        says = f"after {k} different states of which that is so {holds}"
        self._ask(step, says, [negation(path.at(goal, k))])
        base.close()
        step.close()


class _Path:
    """States in a row, each with bits of its own."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system

    def at(self, formula: FNode, depth: int) -> FNode:
        """A formula about the state at that depth; of state 0 the bits are the system's own."""
        return formula if depth == 0 else restricted(formula, self._bits(depth))

    def step(self, depth: int) -> FNode:
        """Some instance leads from the state at that depth to the next."""
        return disjunction(self._taken(instance, depth) for instance in self.system.instances)

    def differ(self, one: int, other: int) -> FNode:
        """Two states are not the same."""
        return negation(
            conjunction(
                equivalence(self.at(symbol, one), self.at(symbol, other)) for symbol in self.system.bits
            )
        )

    def _taken(self, instance: Instance, depth: int) -> FNode:
        now = {**self._bits(depth), **_renamed(instance.inputs, depth)}
        following = (
            equivalence(self.at(symbol, depth + 1), restricted(instance.updates.get(symbol, symbol), now))
            for symbol in self.system.bits
        )
        return conjunction((restricted(instance.guard, now), *following))

    def _bits(self, depth: int) -> dict[FNode, FNode]:
        return {} if depth == 0 else _renamed(self.system.bits, depth)


def _renamed(symbols: Sequence[FNode], depth: int) -> dict[FNode, FNode]:
    return {symbol: bit(f"{symbol.symbol_name()} in state {depth}") for symbol in symbols}
