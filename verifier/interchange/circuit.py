"""A transition system as a sequential circuit: latches that hold functions of latches and inputs.

The relation of a protocol becomes functions by inputs: one for each instance, that it is to be taken,
and those of free parameters. The first instance that is to be taken and enabled is taken. Where there is
none the state stays as it is: such a step leads nowhere new, and makes the circuit total.

A latch starts with a constant. Where Init does not fix the state, the first step chooses one by further
inputs, and an execution is one step longer in the circuit than in the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import FALSE, bit, choice, conjunction, disjunction, negation, restricted
from verifier.solvers import Answer, open_solver
from verifier.system.transition_system import TransitionSystem

_SOLVER = "cadical"


@dataclass(frozen=True, eq=False)
class Latch:
    """One bit of memory."""

    symbol: FNode
    reset: bool
    """What it holds in the beginning."""
    following: FNode
    """What it holds next, a function of latches and inputs."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """Boolean functions over the symbols of latches and inputs. The first latches are the state bits."""

    latches: tuple[Latch, ...]
    taking: tuple[FNode, ...]
    """For each instance the input that it is to be taken."""
    free: tuple[FNode, ...]
    """Inputs: the bits of free parameters."""
    starting: tuple[FNode, ...]
    """Inputs: for each state bit its value in the initial state; none if there is only one such state."""
    bad: Mapping[str, FNode]
    """For each property where its formula fails: a violation, or what a reachable property looks for."""
    valid: FNode
    """Holds in all reachable states: that the bits hold a state."""

    @property
    def inputs(self) -> tuple[FNode, ...]:
        """All of them, in order."""
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
    starts = restricted(system.init, chosen)
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
    """For each state bit its value after one step."""
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
