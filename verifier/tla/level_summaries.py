"""Summaries of the levels of an expression, and of an operator argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verifier.tla.ast import Parameter, Symbol
from verifier.tla.facts import CONSTANT, TEMPORAL


@dataclass
class Summary:
    """The levels of an expression, or of an operator's body."""

    level: int = CONSTANT
    counting: frozenset[Symbol] = frozenset()
    """The parameters whose level counts for the expression."""
    limits: dict[Symbol, int] = field(default_factory=dict)
    """The highest level that a parameter may have, if it is bounded."""
    needs: dict[tuple[Symbol, int], int] = field(default_factory=dict)
    """For parameters that are operators: the level of each argument that they get."""
    passed: frozenset[tuple[Symbol, int, Symbol]] = frozenset()
    """``(F, 0, a)``: the parameter a occurs in the first argument of the parameter F."""
    named: frozenset[Symbol] = frozenset()
    """The parameters that occur in it."""
    opaque: frozenset[Symbol] = frozenset()
    """The parameters that may not be replaced by equals: below a prime, for example."""
    valued: frozenset[Symbol] = frozenset()
    """The parameters that are passed to an operator argument that distinguishes equals."""

    def join(self, other: Summary) -> None:
        """Add the summary of a part whose level counts."""
        self.level = max(self.level, other.level)
        self.counting |= other.counting
        self.ask(other)

    def ask(self, other: Summary) -> None:
        """Add the requirements of a part on parameters, but not its level."""
        for symbol, level in other.limits.items():
            self.limit(symbol, level)
        for key, level in other.needs.items():
            self.needs[key] = max(level, self.needs.get(key, CONSTANT))
        self.passed |= other.passed

    def see(self, other: Summary, *, opaque: bool) -> None:
        """Add the parameters that occur in a part."""
        self.named |= other.named
        self.opaque |= other.opaque | other.named if opaque else other.opaque
        self.valued |= other.valued

    def limit(self, symbol: Symbol, level: int) -> None:
        """Bound the level of a parameter."""
        if level < TEMPORAL:
            self.limits[symbol] = min(level, self.limits.get(symbol, TEMPORAL))

    def give(self, function: Symbol, index: int, argument: Summary) -> None:
        """Record that a parameter that is an operator gets an argument."""
        self.needs[function, index] = max(argument.level, self.needs.get((function, index), CONSTANT))
        self.passed |= {(function, index, one) for one in argument.counting}

    def without(self, own: Sequence[Symbol]) -> Summary:
        """Return the summary without its own parameters."""
        if not own or not (self.named or self.counting or self.limits or self.needs or self.passed):
            return self
        return Summary(
            self.level,
            self.counting.difference(own),
            {one: level for one, level in self.limits.items() if one not in own},
            {key: level for key, level in self.needs.items() if key[0] not in own},
            frozenset(one for one in self.passed if one[0] not in own and one[2] not in own),
            self.named.difference(own),
            self.opaque.difference(own),
            self.valued.difference(own),
        )


@dataclass(frozen=True)
class Operator:
    """The levels of an operator argument."""

    body: Summary
    """The summary of its body, without its own parameters."""
    limits: tuple[int, ...] = ()
    limit: int = TEMPORAL
    """The highest level of each of its arguments beyond those in ``limits``."""
    opaque: tuple[bool, ...] = ()
    """For each argument: True if it may not be replaced by equals."""

    def is_opaque(self, index: int) -> bool:
        """True if the operator distinguishes equal values of an argument."""
        return index < len(self.opaque) and self.opaque[index]

    def allows(self, index: int) -> int:
        """Return the highest level of an argument."""
        return self.limits[index] if index < len(self.limits) else self.limit


def summarize_operator(body: Summary, own: Sequence[Parameter]) -> Operator:
    """Return the levels of an operator from its body and its parameters."""
    limits = tuple(body.limits.get(one, TEMPORAL) for one in own)
    return Operator(body.without(own), limits, opaque=tuple(one in body.opaque for one in own))


def copy_of(summary: Summary) -> Summary:
    """Return a copy of a summary, to which others may be added."""
    return replace(summary, limits=dict(summary.limits), needs=dict(summary.needs))
