"""All initial states, without a solver: bits that Init fixes are propagated, other fields are enumerated.

The enumeration takes one field after the other and extends all partial states by its values. A conjunct of
Init filters the partial states as soon as they have all of its fields. The next field is one of the conjunct
that lacks the fewest bits.

A conjunct that lists states, or large parts of them, would filter late. So there is one enumeration for each
state that it lists: these are all states of a disjunction, whatever its parts are.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, restrict_formula
from verifier.encodings.layout import Leaf
from verifier.errors import UsageError
from verifier.explicit.compiled import Program
from verifier.explicit.packing import Rows, pack_columns
from verifier.system.transition_system import TransitionSystem

MOST = 4_000_000
"""The most states, complete or partial, that an enumeration may have."""

_MANY_BITS, _MOST_LISTED = 16, 256
"""Limits for splitting a conjunct that lists states: it mentions more bits than the first, and lists no more
states than the second."""

Column = NDArray[np.bool_]
"""One bit of each candidate: shape (candidates,)."""


class TooManyInitialStates(UsageError):
    """The initial states are too many to enumerate, so exploration cannot begin."""


def initial_states(system: TransitionSystem) -> Rows:
    """The states that satisfy Init, in a fixed order. Raises UsageError if they are too many."""
    whole = _Enumeration(system)
    whole.propagate([system.init])
    parts = whole.parts()
    if parts is None:
        return whole.run()
    rows: Rows = np.unique(np.concatenate([part.run() for part in parts]), axis=0)
    return rows


class _Enumeration:
    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.columns: dict[FNode, Column] = {}
        self.count = 1
        self.fixed: dict[FNode, bool] = {}
        self.waiting: list[tuple[FNode, frozenset[FNode]]] = []

    def parts(self) -> list[_Enumeration] | None:
        """Return the enumerations of the states that a conjunct lists; None if there is none. Among conjuncts
        that mention many bits, it takes the one that mentions the most."""
        listings = [pair for pair in self.waiting if len(pair[1]) > _MANY_BITS and _may_list(pair[0])]
        for listing, _ in sorted(listings, key=lambda pair: -len(pair[1])):
            parts = [(listed, self.within(listing, listed)) for listed in listing.args()]
            if all(part.is_fixed_by(listed) for listed, part in parts):
                return [part for _, part in parts]
        return None

    def is_fixed_by(self, listed: FNode) -> bool:
        """True if most bits of which a part of a conjunct speaks are fixed once it holds, or most of its
        conjuncts are literals."""
        support = listed.get_free_variables()
        return 2 * len(support & self.fixed.keys()) > len(support) or not self.count or _fixes_bits(listed)

    def within(self, listing: FNode, listed: FNode) -> _Enumeration:
        """The enumeration of the states of one part of a conjunct that lists."""
        part = _Enumeration(self.system)
        part.count, part.fixed = self.count, dict(self.fixed)
        part.waiting = [(conjunct, support) for conjunct, support in self.waiting if conjunct is not listing]
        part.propagate([listed])
        return part

    def propagate(self, formulas: Iterable[FNode]) -> None:
        """Takes the bits that conjuncts fix, and simplifies other conjuncts until they fix no more."""
        pending = [part for formula in formulas for part in _conjuncts(formula)]
        while pending:
            news: dict[FNode, FNode] = {}
            for part in pending:
                symbol = part.arg(0) if part.is_not() else part
                if part.is_false() or self.fixed.get(symbol, not part.is_not()) is part.is_not():
                    self.count = 0
                elif symbol.is_symbol() and symbol not in self.fixed:
                    self.fixed[symbol] = not part.is_not()
                    news[symbol] = FALSE if part.is_not() else TRUE
                elif not symbol.is_symbol():
                    self.waiting.append((part, frozenset(part.get_free_variables())))
            touched = [part for part, support in self.waiting if not support.isdisjoint(news)]
            self.waiting = [(part, support) for part, support in self.waiting if support.isdisjoint(news)]
            known = {symbol: FALSE if not on else TRUE for symbol, on in self.fixed.items()}
            pending = [new for part in touched for new in _conjuncts(restrict_formula(part, known))]

    def run(self) -> Rows:
        leaves = list(self.system.leaves)
        while leaves:
            leaf = self._next(leaves)
            leaves.remove(leaf)
            self._choose(leaf)
            self._filter()
        columns = [self.columns[bit] for bit in self.system.bits]
        matrix = np.array(columns, np.bool_).reshape(len(columns), self.count)  # there may be no bits
        return pack_columns(np.ascontiguousarray(matrix.T))

    def _values(self, leaf: Leaf) -> list[list[bool]]:
        """The codes of the leaf's values that no fixed bit excludes."""
        codes = (leaf.encode(value) for value in leaf.values)
        return [
            code
            for code in codes
            if all(self.fixed.get(bit, on) == on for bit, on in zip(leaf.bits, code, strict=True))
        ]

    def _next(self, leaves: list[Leaf]) -> Leaf:
        """A leaf with at most one value; if there is none, one of the conjunct that lacks the fewest bits."""
        for leaf in leaves:
            if len(self._values(leaf)) < 2:
                return leaf
        missing = (support - self.columns.keys() for _, support in self.waiting)
        lacking = min(missing, key=len, default=frozenset[FNode]())
        return next((leaf for leaf in leaves if lacking.intersection(leaf.bits)), leaves[0])

    def _choose(self, leaf: Leaf) -> None:
        values = self._values(leaf)
        if self.count * len(values) > MOST:
            raise TooManyInitialStates(
                f"there are too many initial states to enumerate (more than {MOST:,} at {leaf.name}): "
                "give fewer, or use verify bmc, which does not enumerate them"
            )
        for bit, column in self.columns.items():
            self.columns[bit] = np.repeat(column, len(values))
        codes = np.array(values, np.bool_).reshape(len(values), len(leaf.bits))
        for index, bit in enumerate(leaf.bits):
            self.columns[bit] = np.tile(codes[:, index], self.count)
        self.count *= len(values)

    def _filter(self) -> None:
        ready = [conjunct for conjunct, support in self.waiting if support <= self.columns.keys()]
        if not ready or not self.count:
            return
        self.waiting = [(c, support) for c, support in self.waiting if not support <= self.columns.keys()]
        program = Program(list(self.columns))
        for conjunct in ready:
            program.output(program.number(conjunct))
        kept = np.logical_and.reduce(program.compile()(list(self.columns.values())))
        for bit, column in self.columns.items():
            self.columns[bit] = column[kept]
        self.count = int(kept.sum())


def _may_list(formula: FNode) -> bool:
    """True if a formula is a disjunction of few parts."""
    return bool(formula.is_or()) and len(formula.args()) <= _MOST_LISTED


def _fixes_bits(formula: FNode) -> bool:
    """Most of its conjuncts are literals. Of a listed state, others say what fields without meaning hold."""
    parts = list(_conjuncts(formula))
    fixed = [part for part in parts if (part.arg(0) if part.is_not() else part).is_symbol()]
    return 2 * len(fixed) > len(parts)


def _conjuncts(formula: FNode) -> Iterable[FNode]:
    if formula.is_and():
        for part in formula.args():
            yield from _conjuncts(part)
    elif not formula.is_true():
        yield formula
