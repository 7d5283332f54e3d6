"""Parallel steps: which order of instances lets most of them fire in one step.

This is the exists-step semantics of planning as satisfiability (Rintanen, Heljanko, Niemelä 2006,
doi:10.1016/j.artint.2006.08.002). All instances have one fixed order. Several instances may fire in one step
if none of them writes a field that a later one reads or writes. So an instance that reads a field should
stand before those that write it. The order is the greedy one for a small feedback arc set (Eades, Lin, Smyth
1993, doi:10.1016/0020-0190(93)90079-O).
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.system.transition_system import Instance


def firing_order(instances: Sequence[Instance]) -> list[int]:
    """The instances' indices in the order in which those of one step fire."""
    before = _list_followers(instances)
    after: list[set[int]] = [set() for _ in instances]
    for index, successors in enumerate(before):
        for other in successors:
            after[other].add(index)
    remaining = set(range(len(instances)))
    first: list[int] = []
    last: list[int] = []
    while remaining:
        # A sink may stand last and a source first at no cost. Otherwise the least harmful choice is taken.
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


def _list_followers(instances: Sequence[Instance]) -> list[set[int]]:
    """Return for each instance the others that should come after it, because they write fields that it
    reads."""
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
    for index, others in enumerate(wanted):  # if each reads what the other writes, no order helps
        for other in [other for other in others if index in wanted[other]]:
            others.discard(other)
            wanted[other].discard(index)
    return wanted
