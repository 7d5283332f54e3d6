"""IC3's input: a transition system and one property as clauses over numbered variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pysmt.fnode import FNode
from pysmt.shortcuts import get_free_variables

from verifier.clauses.cnf import Clausifier
from verifier.clauses.structural_invariants import structural_invariants
from verifier.clauses.type_clauses import normalise, type_clauses
from verifier.clauses.unrolling import Clauses, Steps, Unrolling, unroll
from verifier.symmetry.bit_permutations import Permutation
from verifier.system.transition_system import SafetyProperty, TransitionSystem


@dataclass(frozen=True)
class Step:
    """An instance as functions of the state: literals over the variables of ``Problem.gates``."""

    guard: int
    updates: dict[int, int]
    """For each state bit that it may change, the literal of its new value."""
    inputs: tuple[int, ...]
    """The variables of its free parameters."""
    guard_reads: frozenset[int]
    """The state bits in its guard."""
    update_reads: dict[int, frozenset[int]]
    """For each state bit that it may change, the state bits in its new value."""


@dataclass(frozen=True)
class Problem:
    """A system and one property of it."""

    unrolling: Unrolling
    """The unrolling of single steps."""
    name: str
    """The property, as ``unrolling`` calls it."""
    lemma_names: Sequence[str]
    """The names in ``unrolling`` of formulas whose conjunction was checked to be inductive."""
    seeds: Clauses
    """Clauses over the state bits whose conjunction is inductive. Every reachable state satisfies them."""
    type_clauses: Clauses
    """The seeds that say which bits hold a state at all."""
    gates: Clauses
    """Definitions of guards and updates as functions, over the state bits and variables of their own."""
    gates_first_free: int
    """The first variable that ``gates`` does not use."""
    steps: Sequence[Step]
    gate_holds: int
    """The literal, in ``gates``, that the property holds."""

    @property
    def bits(self) -> int:
        """Return the number of state bits."""
        return self.unrolling.bits

    @property
    def holds(self) -> int:
        """The literal that the property holds."""
        return self.unrolling.properties[self.name]

    @property
    def lemmas(self) -> list[int]:
        """The literals that the lemmas hold."""
        return [self.unrolling.properties[name] for name in self.lemma_names]

    @property
    def first_free(self) -> int:
        """The first variable that neither a state, nor a step, nor the next state has."""
        return self.unrolling.stride + self.unrolling.bits + 1

    def after(self, literals: Iterable[int]) -> list[int]:
        """The literals of the next state."""
        stride = self.unrolling.stride
        return [literal + stride if literal > 0 else literal - stride for literal in literals]


def problem(
    system: TransitionSystem,
    name: str,
    lemmas: Sequence[FNode] = (),
    report_invariants: Callable[[Clauses], None] = lambda _: None,
    structural: bool = True,
    permutations: Sequence[Permutation] = (),
) -> Problem:
    """The problem of proving or refuting a property by IC3. The conjunction of ``lemmas`` is inductive.

    With ``structural``, structural invariants are looked for, by orbits under ``permutations``, and
    ``report_invariants`` is called with them.
    """
    prop = system.property_named(name)
    assumed = [SafetyProperty(f"lemma {i}", prop.kind, formula, False) for i, formula in enumerate(lemmas)]
    # The gates of other properties would be useless: every model would have to give them values.
    unrolling = unroll(replace(system, properties=(prop, *assumed)), Steps.SERIAL, symmetry=False)
    types = type_clauses(system)
    invariants = structural_invariants(system, unrolling, permutations) if structural else []
    report_invariants(invariants)
    cnf = Clausifier()
    variables = {symbol: cnf.declare(symbol) for symbol in system.bits}

    def reads(formula: FNode) -> frozenset[int]:
        return frozenset(variables[symbol] for symbol in get_free_variables(formula) if symbol in variables)

    steps = [
        Step(
            cnf.literal(instance.guard),
            {variables[symbol]: cnf.literal(term) for symbol, term in instance.updates.items()},
            tuple(cnf.declare(symbol) for symbol in instance.inputs),
            reads(instance.guard),
            {variables[symbol]: reads(term) for symbol, term in instance.updates.items()},
        )
        for instance in system.instances
    ]
    holds = cnf.literal(prop.formula)
    return Problem(
        unrolling=unrolling,
        name=name,
        lemma_names=[item.name for item in assumed],
        seeds=normalise([*types, *invariants]),
        type_clauses=types,
        gates=cnf.clauses,
        gates_first_free=cnf.next_variable,
        steps=steps,
        gate_holds=holds,
    )
