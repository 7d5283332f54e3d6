"""Parallel steps: which order of instances lets most of them fire in one step.

The exists-step semantics of planning as satisfiability (Rintanen, Heljanko, Niemelä 2006,
doi:10.1016/j.artint.2006.08.002): instances may fire together if, in one fixed order of all of them,
none writes what a later one reads or writes. Consumers of a value should therefore stand before its
producers; the order is the greedy one for a small feedback arc set (Eades, Lin, Smyth 1993,
doi:10.1016/0020-0190(93)90079-O).
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.system.transition_system import Instance


def firing_order(instances: Sequence[Instance]) -> list[int]:
    """The instances' indices in the order in which those of one step fire."""
    before = _wanted_before(instances)
    after: list[set[int]] = [set() for _ in instances]
    for index, successors in enumerate(before):
        for other in successors:
            after[other].add(index)
    remaining = set(range(len(instances)))
    first: list[int] = []
    last: list[int] = []
    while remaining:
        # A sink may stand last and a source first at no cost; otherwise take the least harmful.
        sinks = [index for index in remaining if not before[index]]
        sources = [index for index in remaining if not after[index]]
        if sinks:
            chosen = max(sinks)
            last.append(chosen)
        elif sources:
            chosen = min(sources)
            first.append(chosen)
        else:
            chosen = max(remaining, key=lambda index: (len(before[index]) - len(after[index]), -index))
            first.append(chosen)
        remaining.remove(chosen)
        for other in before[chosen]:
            after[other].discard(chosen)
        for other in after[chosen]:
            before[other].discard(chosen)
    return first + last[::-1]


def _wanted_before(instances: Sequence[Instance]) -> list[set[int]]:
    """For each instance the others that should stand after it: those that write what it reads."""
    writers: dict[int, set[int]] = {}
    for index, instance in enumerate(instances):
        for leaf in instance.writes:
            writers.setdefault(leaf, set()).add(index)
    wanted = []
    for index, instance in enumerate(instances):
        # Two that write the same leaf never fire together, whatever their order.
        rivals = set().union(*(writers[leaf] for leaf in instance.writes))
        producers = set().union(*(writers.get(leaf, set()) for leaf in instance.reads))
        wanted.append(producers - rivals - {index})
    for index, others in enumerate(wanted):  # where each reads what the other writes, no order helps
        for other in [other for other in others if index in wanted[other]]:
            others.discard(other)
            wanted[other].discard(index)
    return wanted
