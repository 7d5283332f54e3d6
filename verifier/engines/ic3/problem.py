"""What IC3 gets to know of a system: clauses over numbered variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pysmt import operators as op
from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.clauses.structural_invariants import structural_invariants
from verifier.clauses.unrolling import Clauses, Frames, Steps, frames
from verifier.system.transition_system import SafetyProperty, TransitionSystem

_MOST_CLAUSES = 64


@dataclass(frozen=True)
class Step:
    """An instance as functions of the state: literals over the variables of ``Problem.gates``."""

    guard: int
    updates: dict[int, int]
    """For each state bit that it may change, the literal of its new value."""
    inputs: tuple[int, ...]
    """The variables of its free parameters."""


@dataclass(frozen=True)
class Problem:
    """A system and one property of it."""

    frames: Frames
    holds: int
    """The literal, in ``frames``, that the property holds."""
    known: Sequence[int]
    """Literals, in ``frames``, of formulas that are inductive together: lemmas that were checked."""
    seeds: Clauses
    """Clauses over the state bits, inductive together, that every reachable state satisfies."""
    type_clauses: Clauses
    """Those of the seeds that say which bits hold a state at all."""
    gates: Clauses
    """Definitions of guards and updates as functions; variables of their own beside the state bits."""
    steps: Sequence[Step]
    gate_holds: int
    """The literal, in ``gates``, that the property holds."""

    @property
    def bits(self) -> int:
        """How many state bits there are."""
        return self.frames.bits


def problem(
    system: TransitionSystem,
    name: str,
    solver: str = "cadical",
    known: Sequence[FNode] = (),
    found: Callable[[Clauses], None] = lambda _: None,
    structural: bool = True,
) -> Problem:
    """What IC3 needs to know to prove or refute a property; ``known`` are inductive together, and
    ``found`` is told the structural invariants, which are looked for if ``structural``."""
    prop = system.property_named(name)
    assumed = [SafetyProperty(f"known {i}", prop.kind, formula, False) for i, formula in enumerate(known)]
    # Other properties' gates would only be carried along: each model gives them values.
    unrolled = frames(replace(system, properties=(prop, *assumed)), Steps.SERIAL, symmetry=False)
    types = type_clauses(system)
    invariants = structural_invariants(system, unrolled, solver) if structural else []
    found(invariants)
    cnf = Clausifier()
    place = {symbol: cnf.declare(symbol) for symbol in system.bits}
    steps = [
        Step(
            cnf.literal(instance.guard),
            {place[symbol]: cnf.literal(term) for symbol, term in instance.updates.items()},
            tuple(cnf.declare(symbol) for symbol in instance.inputs),
        )
        for instance in system.instances
    ]
    holds = cnf.literal(prop.formula)
    return Problem(
        frames=unrolled,
        holds=unrolled.properties[name],
        known=[unrolled.properties[item.name] for item in assumed],
        seeds=_distinct([*types, *invariants]),
        type_clauses=types,
        gates=cnf.clauses,
        steps=steps,
        gate_holds=holds,
    )


def type_clauses(system: TransitionSystem) -> Clauses:
    """The clauses of ``system.valid``, over the state bits alone.

    A conjunct that would need many clauses is left out, which only makes the rest harder to prove.
    """
    place = {symbol: number for number, symbol in enumerate(system.bits, 1)}
    found: Clauses = []
    for conjunct in system.valid.args() if system.valid.is_and() else (system.valid,):
        found += clauses_of(conjunct, place) or []
    return _distinct(found)


def clauses_of(formula: FNode, place: dict[FNode, int], positive: bool = True) -> Clauses | None:
    """A formula as clauses by distribution; None if there would be many."""
    kind = formula.node_type()
    if kind == op.SYMBOL:
        return [[place[formula] if positive else -place[formula]]]
    if kind == op.BOOL_CONSTANT:
        return [] if formula.constant_value() == positive else [[]]
    if kind == op.NOT:
        return clauses_of(formula.arg(0), place, not positive)
    if kind not in (op.AND, op.OR):
        return None
    parts: list[Clauses] = []
    for argument in formula.args():
        part = clauses_of(argument, place, positive)
        if part is None:
            return None
        parts.append(part)
    if (kind == op.AND) == positive:
        return [clause for part in parts for clause in part]
    product: Clauses = [[]]
    for part in parts:
        product = [[*one, *other] for one in product for other in part]
        if len(product) > _MOST_CLAUSES:
            return None
    return product


def _distinct(clauses: Iterable[Sequence[int]]) -> Clauses:
    """Each clause once, sorted, without those that are always true."""
    kept: dict[tuple[int, ...], None] = {}
    for clause in clauses:
        literals = set(clause)
        if not any(-literal in literals for literal in literals):
            kept[tuple(sorted(literals, key=abs))] = None
    return [list(clause) for clause in kept]
