"""The steps from states, compared both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from random import Random
from typing import TYPE_CHECKING

from verifier.encodings.random_values import draw_value
from verifier.runs.validation.agreement import Disagrees
from verifier.runs.validation.lanes import Lane, Lanes
from verifier.runs.validation.subject import ERRORS

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.system.transition_system import Instance
    from verifier.tla.exploration_result import State

_MOST_CHOICES = 64
"""The values of free parameters that are tried for an instance: all if there are no more."""


class Steps:
    """The successors of some states, by the formulas and by the interpreter."""

    def __init__(self, lanes: Lanes, chance: Random) -> None:
        self.lanes, self.subject, self.chance = lanes, lanes.subject, chance
        self.model = self.subject.model
        self.place = {symbol: number for number, symbol in enumerate(self.model.layout.bits)}
        self.every = True
        """True if all successors by the formulas are known."""
        self.by_formula: list[dict[int, str]] = [{} for _ in lanes.lanes]
        """For each lane: the bits of its successors, and the instance of a step to each."""

    def select_compared(self) -> dict[int, list[State]]:
        """Return the interpreter's successors of the states whose successors were all compared, by lane.
        Raises Disagrees at the first difference."""
        self._follow()
        evaluate, model = self.lanes.evaluate, self.model
        leaves = undefined = 0  # such states violate Sorts or UndefinedRead, on which every verdict depends
        for one in model.leaving:
            leaves |= evaluate(one.when)
        for read in model.undefined:
            if read.property_name is None:
                undefined |= evaluate(read.when)
        states: dict[int, list[State]] = {}
        for number, lane in self.lanes:
            excused = bool((leaves | undefined) >> number & 1)
            try:
                if not self.subject.stepper.within(lane.state):
                    continue
                following = self.subject.stepper.successors(lane.state)
                steps = {self.subject.encode_after(lane.state, other): other for other in following}
            except ERRORS as error:
                self._handle_undefined(lane, excused, error)
                continue
            self._compare(lane, steps, self.by_formula[number], excused)
            self.subject.agreement.steps += len(steps)
            if self.every and not excused:
                states[number] = following
            if excused and lane.reachable and self.subject.proved:
                formula = "a value that leaves its sort" if leaves >> number & 1 else "a read without a value"
                raise self.subject.differ("the steps from here", "that each has a value", formula, lane.state)
        return states

    def _handle_undefined(self, lane: Lane, excused: bool, error: BaseException) -> None:
        """Handle a state whose successors the interpreter cannot compute."""
        if lane.within and not excused:
            raise self.subject.without_value(error, lane.state)
        self.subject.agreement.undefined += 1

    def _compare(
        self, lane: Lane, steps: Mapping[int | None, State], by_formula: Mapping[int, str], excused: bool
    ) -> None:
        for bits, label in by_formula.items():
            if bits not in steps:
                raise self._extra(lane, bits, label)
        if excused or not self.every:
            return
        for known, other in steps.items():
            what = f"a step to ({self.subject.show(other)})"
            if known is None:
                raise self.subject.differ(what, "that it leaves the sorts", "that none does", lane.state)
            if known not in by_formula:
                raise self.subject.differ(what, "there is one", "there is none", lane.state)

    def _extra(self, lane: Lane, bits: int, label: str) -> Disagrees:
        try:
            where = f"({self.subject.show(self.subject.decode(bits))})"
        except ValueError:
            where = "bits that stand for no state"
        what = f"a step to {where}"
        return self.subject.differ(what, "there is none", f"there is one, by {label}", lane.state)

    # -- by the formulas

    def _follow(self) -> None:
        for instance in self.model.system.instances:
            choices, all_of_them = self._choices(instance)
            self.every = self.every and all_of_them
            targets = list(instance.updates)
            terms = [instance.guard, *instance.updates.values()]
            for chosen in choices:
                guard, *new = self._values(instance, terms, chosen)
                for number, lane in self.lanes if guard else ():
                    if guard >> number & 1:
                        after = lane.bits
                        for target, value in zip(targets, new, strict=True):
                            place = self.place[target]
                            after = after & ~(1 << place) | (value >> number & 1) << place
                        self.by_formula[number].setdefault(after, instance.label)

    def _values(self, instance: Instance, terms: Sequence[FNode], chosen: Sequence[bool]) -> list[int]:
        evaluate = self.lanes.evaluate
        if not instance.inputs:
            guard = evaluate(terms[0])
            return [guard, *(map(evaluate, terms[1:]) if guard else [0] * (len(terms) - 1))]
        return evaluate.under(dict(zip(instance.inputs, chosen, strict=True)), terms)

    def _choices(self, instance: Instance) -> tuple[Iterator[list[bool]], bool]:
        """Return values of the free parameters as bits, and whether these are all."""
        if not instance.inputs:
            return iter([[]]), True
        layout = self.model.free_layouts[instance.label]
        if prod(sort.size for sort in layout.sorts.values()) <= _MOST_CHOICES:
            combined = product(*(tuple(sort.each()) for sort in layout.sorts.values()))
            return (layout.encode_state(dict(zip(layout.sorts, one, strict=True))) for one in combined), True
        drawn = (
            {name: draw_value(sort, self.chance) for name, sort in layout.sorts.items()}
            for _ in range(_MOST_CHOICES)
        )
        return map(layout.encode_state, drawn), False


__all__ = ["Steps"]
