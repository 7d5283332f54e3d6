"""A transition system as a sequential circuit: latches whose next values are functions of latches and inputs.

A circuit has functions where a protocol has a relation. So inputs make the choices: each instance has an
input that asks for it, and each bit of a free parameter is an input. A step takes the first instance that
is asked for and enabled. If there is none, the state stays as it is. Such a step reaches no new state, and it
makes the circuit total.

A latch starts with a constant. If Init allows several states, the first step chooses one of them by further
inputs. Then an execution has one more step in the circuit than in the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import FALSE, bit, choice, conjunction, disjunction, negation, restrict_formula
from verifier.solvers import Answer, open_solver
from verifier.system.transition_system import TransitionSystem

_SOLVER = "cadical"


@dataclass(frozen=True, eq=False)
class Latch:
    """One bit of memory."""

    symbol: FNode
    reset: bool
    """Its first value."""
    following: FNode
    """Its next value, a function of latches and inputs."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """Boolean functions over the symbols of latches and inputs. The first latches are the state bits."""

    latches: tuple[Latch, ...]
    taking: tuple[FNode, ...]
    """For each instance the input that asks for it."""
    free: tuple[FNode, ...]
    """The inputs for the bits of free parameters."""
    starting: tuple[FNode, ...]
    """The inputs for the bits of the initial state; empty if there is only one initial state."""
    bad: Mapping[str, FNode]
    """For each property the states in which its formula fails.

    For an invariant these are violations; for a reachable property they are the states that it seeks."""
    valid: FNode
    """Says that the bits hold a state. It is true in all reachable states."""

    @property
    def inputs(self) -> tuple[FNode, ...]:
        """All inputs, in order."""
        return (*self.taking, *self.free, *self.starting)


def circuit(system: TransitionSystem, properties: Sequence[str]) -> Circuit:
    """The circuit of a system and some of its properties."""
    taking = tuple(bit(f"take {instance.label}") for instance in system.instances)
    following = _following(system, taking)
    bad = {name: negation(system.property_named(name).formula) for name in properties}
    free = tuple(symbol for instance in system.instances for symbol in instance.inputs)
    initial = only_initial_state(system)
    if initial is not None:
        latches = (Latch(symbol, on, following[symbol]) for symbol, on in initial.items())
        return Circuit(tuple(latches), taking, free, (), bad, system.valid)
    # No variable's name has a blank in it.
    started = bit("execution started")
    chosen = {symbol: bit(f"initially {symbol.symbol_name()}") for symbol in system.bits}
    starts = restrict_formula(system.init, chosen)
    latches = (
        Latch(symbol, False, choice(started, following[symbol], conjunction((starts, chosen[symbol]))))
        for symbol in system.bits
    )
    return Circuit(
        latches=(*latches, Latch(started, False, disjunction((started, starts)))),
        taking=taking,
        free=free,
        starting=tuple(chosen.values()),
        bad={name: conjunction((started, formula)) for name, formula in bad.items()},
        valid=disjunction((negation(started), system.valid)),
    )


def _following(system: TransitionSystem, taking: Sequence[FNode]) -> dict[FNode, FNode]:
    """Return for each state bit its value after one step."""
    writers: dict[FNode, list[tuple[FNode, FNode]]] = {symbol: [] for symbol in system.bits}
    earlier = FALSE
    for instance, asked in zip(system.instances, taking, strict=True):
        possible = conjunction((asked, instance.guard))
        taken = conjunction((possible, negation(earlier)))
        earlier = disjunction((earlier, possible))
        for symbol, term in instance.updates.items():
            writers[symbol].append((taken, term))
    return {
        symbol: disjunction(
            (
                *(conjunction((taken, term)) for taken, term in of),
                conjunction((symbol, *(negation(taken) for taken, _ in of))),
            )
        )
        for symbol, of in writers.items()
    }


def only_initial_state(system: TransitionSystem) -> dict[FNode, bool] | None:
    """The value of each bit in the initial state; None unless there is exactly one such state."""
    cnf = Clausifier()
    numbers = {symbol: cnf.declare(symbol) for symbol in system.bits}
    cnf.assert_term(system.init)
    solver = open_solver(_SOLVER)
    try:
        solver.add_clauses(cnf.clauses)
        if solver.solve() is not Answer.SATISFIABLE:
            return None
        state = {symbol: solver.value(number) for symbol, number in numbers.items()}
        solver.add_clauses([[-numbers[symbol] if on else numbers[symbol] for symbol, on in state.items()]])
        return state if solver.solve() is Answer.UNSATISFIABLE else None
    finally:
        solver.close()
