"""Unrollings with fewer gates, for engines that ask many small queries.

A solver that finds a model gives every variable a value. Of a small query that is most of the work, so it
pays to eliminate the gates that can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from verifier.clauses.unrolling import Clauses, Unrolling
from verifier.solvers.elimination import eliminate


def with_fewer_gates(unrolling: Unrolling, within: Iterable[Sequence[int]] = ()) -> Unrolling:
    """The unrolling, for single steps. It has the same state bits, properties, instances and inputs, and
    other numbers for them. ``relation`` implies ``state``.

    ``within`` are clauses that all states of interest satisfy. They become part of ``state`` and
    ``relation``, which are simpler for it.
    """
    bits, stride = unrolling.bits, unrolling.stride
    of_states = {
        *range(1, bits + 1),
        *(abs(literal) for literal in unrolling.properties.values()),
        *(abs(literal) for clause in unrolling.start for literal in clause),
    }
    of_steps = {
        *of_states,
        *unrolling.firing,
        *(variable for group in unrolling.inputs for variable in group),
    }
    following = range(stride + 1, stride + bits + 1)
    states = [*unrolling.state, *within]
    state = eliminate(states, of_states)
    relation = eliminate([*states, *unrolling.relation], {*of_steps, *following})
    used = dict.fromkeys((*sorted(of_steps), *_variables(state), *_variables(relation)))
    number = {old: new for new, old in enumerate((v for v in used if v not in following), 1)}
    fewer = len(number)
    number |= {old: fewer + place for place, old in enumerate(following, 1)}

    def literal(old: int) -> int:
        return number[old] if old > 0 else -number[-old]

    def renumber(clauses: Iterable[Sequence[int]]) -> Clauses:
        return [[literal(old) for old in clause] for clause in clauses]

    return replace(
        unrolling,
        stride=fewer,
        start=renumber(unrolling.start),
        state=renumber(state),
        relation=renumber(relation),
        succession=[],
        properties={name: literal(old) for name, old in unrolling.properties.items()},
        enabled={},
        firing=[literal(old) for old in unrolling.firing],
        inputs=[tuple(map(literal, group)) for group in unrolling.inputs],
    )


def _variables(clauses: Clauses) -> list[int]:
    return sorted({abs(literal) for clause in clauses for literal in clause})
