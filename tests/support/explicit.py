"""A breadth-first explorer of all states, for comparing with other checkers. No solver in it.

One evaluation covers a whole level: bit *j* of each integer belongs to the level's state *j*. A state
itself is one integer, whose bits are the system's in order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import compress, product

from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, restrict_formula
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.lowering import Lowering
from verifier.system.model import Model

_WIDTH = 20_000


@dataclass(frozen=True)
class Exploration:
    """The results of an exploration. States outside the constraint are checked, but neither counted nor
    expanded."""

    distinct_states: int
    depth: int
    """Actions on the longest shortest path to a state."""
    steps: Mapping[str, int]
    """For each violated property, the fewest actions to a violation."""
    taken: Mapping[str, int]
    """For each action, in how many of the states expanded its instances were enabled."""
    complete: bool
    """True if no bound or violation ended the exploration."""


def explore(model: Model, *, until: Collection[str] = (), max_states: int | None = None) -> Exploration:
    """All reachable states; ends early once every property of ``until``, if any, is violated."""
    reader = _Reader(model)
    level = initial_states(model)
    seen = set(level)
    counted = depth = distance = 0
    steps: dict[str, int] = {}
    taken = dict.fromkeys((instance.action for instance in model.system.instances), 0)
    complete = True
    while level:
        successors: set[int] = set()
        for start in range(0, len(level), _WIDTH):
            part = level[start : start + _WIDTH]
            columns, mask = reader.columns(part), (1 << len(part)) - 1
            for name in reader.find_violated(columns, mask):
                steps.setdefault(name, distance)
            within = reader.within(columns, mask)
            counted += within.bit_count()
            depth = distance if within else depth
            for action, states in reader.successors(part, columns, mask):
                taken[action] += len(states)
                successors.update(states)
        if (until and steps.keys() >= set(until)) or (max_states is not None and counted > max_states):
            complete = False
            break
        level = sorted(successors - seen)
        seen.update(level)
        distance += 1
    return Exploration(counted, depth, steps, taken, complete)


def initial_states(model: Model) -> list[int]:
    """The initial states, chosen field by field; each conjunct of Init is tried as soon as it can be."""
    fixed = _find_fixed_bits(model.system.init)
    waiting = [(conjunct, conjunct.get_free_variables()) for conjunct in _conjuncts(model.system.init)]
    bits: list[FNode] = []
    partial: list[list[bool]] = [[]]
    for leaf in model.system.leaves:
        bits.extend(leaf.bits)
        ready = [conjunct for conjunct, support in waiting if support <= set(bits)]
        waiting = [(conjunct, support) for conjunct, support in waiting if not support <= set(bits)]
        holds = Evaluator(bits, ready)
        codes = [
            code
            for code in (leaf.encode(value) for value in leaf.values)
            if all(fixed.get(bit, on) == on for bit, on in zip(leaf.bits, code, strict=True))
        ]
        longer = ([*chosen, *code] for chosen in partial for code in codes)
        partial = [chosen for chosen in longer if all(holds.single(chosen))]
    return sorted(sum(on << place for place, on in enumerate(chosen)) for chosen in partial)


def _conjuncts(formula: FNode) -> tuple[FNode, ...]:
    return formula.args() if formula.is_and() else (formula,)


def _find_fixed_bits(init: FNode) -> dict[FNode, bool]:
    """Return the bits that some conjunct fixes, after those already fixed are substituted."""
    fixed: dict[FNode, bool] = {}
    while True:
        rest = restrict_formula(init, {bit: TRUE if on else FALSE for bit, on in fixed.items()})
        news = {part.arg(0) if part.is_not() else part: not part.is_not() for part in _conjuncts(rest)}
        news = {bit: on for bit, on in news.items() if bit.is_symbol()}
        if not news:
            return fixed
        fixed |= news


class _Reader:
    """Reads properties and successors off many states at once."""

    def __init__(self, model: Model) -> None:
        self.system = model.system
        self.place = {bit: index for index, bit in enumerate(self.system.bits)}
        bound = model.definition.constraint
        variables = {symbol: model.layout.lowered[symbol.name] for symbol in model.definition.variables}
        constraint = TRUE if bound is None else Lowering(variables).formula(bound)
        self._check = Evaluator(self.system.bits, [constraint, *(p.formula for p in self.system.properties)])
        self._steps: list[tuple[str, int, list[int], tuple[FNode, ...], Evaluator]] = []
        for instance in self.system.instances:
            changed = sorted(self.place[bit] for bit in instance.updates)
            updates = [instance.updates[self.system.bits[place]] for place in changed]
            run = Evaluator((*self.system.bits, *instance.inputs), [instance.guard, *updates])
            kept = ~sum(1 << place for place in changed)
            self._steps.append((instance.action, kept, changed, instance.inputs, run))

    def columns(self, states: list[int]) -> list[int]:
        """For each bit of the system, its values in these states."""
        width = len(self.system.bits)
        rows = [format(state, f"0{width}b") for state in reversed(states)]
        return [int("".join(column), 2) for column in reversed(list(zip(*rows, strict=True)))]

    def find_violated(self, columns: list[int], mask: int) -> list[str]:
        """The properties that fail in some state."""
        _, *holds = self._check(columns, mask)
        return [p.name for p, where in zip(self.system.properties, holds, strict=True) if where != mask]

    def within(self, columns: list[int], mask: int) -> int:
        """The states within the constraint."""
        return self._check(columns, mask)[0]

    def successors(self, states: list[int], columns: list[int], mask: int) -> Iterator[tuple[str, list[int]]]:
        """Yield for each instance (and each value of its free parameters) its successors."""
        backwards = states[::-1]
        for action, kept, changed, inputs, run in self._steps:
            for choice in product((0, mask), repeat=len(inputs)):
                enabled, *values = run((*columns, *choice), mask)
                if enabled:
                    chosen = [digit == "1" for digit in format(enabled, f"0{len(states)}b")]
                    sources = compress(backwards, chosen)
                    digits = [compress(format(value, f"0{len(states)}b"), chosen) for value in values]
                    yield action, list(_move_sources(sources, digits, kept, changed))


def _move_sources(
    sources: Iterator[int], digits: list[compress[str]], kept: int, changed: list[int]
) -> Iterator[int]:
    """Yield each source with its changed bits replaced by those of the digits."""
    if not changed:
        yield from sources
        return
    weights: dict[tuple[str, ...], int] = {}
    for source, row in zip(sources, zip(*digits, strict=True), strict=True):
        new = weights.get(row)
        if new is None:
            ones = (1 << place for place, digit in zip(changed, row, strict=True) if digit == "1")
            new = weights[row] = sum(ones)
        yield source & kept | new
