"""What is known of the levels of an expression, and of an operator that is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verifier.tla.ast import Parameter, Symbol
from verifier.tla.facts import CONSTANT, TEMPORAL


@dataclass
class Summary:
    """What is known of an expression, or of an operator's body."""

    level: int = CONSTANT
    counting: frozenset[Symbol] = frozenset()
    """The parameters whose level counts for it."""
    limits: dict[Symbol, int] = field(default_factory=dict)
    """The highest level that a parameter may have, where that is not any."""
    needs: dict[tuple[Symbol, int], int] = field(default_factory=dict)
    """Of parameters that are operators: the level that an argument of it has."""
    passed: frozenset[tuple[Symbol, int, Symbol]] = frozenset()
    """``(F, 0, a)``: the parameter a stands in the first argument of the parameter F."""
    named: frozenset[Symbol] = frozenset()
    """The parameters that stand in it."""
    opaque: frozenset[Symbol] = frozenset()
    """Those of them for which equals are not put for equals: below a prime, say."""
    valued: frozenset[Symbol] = frozenset()
    """Those that an operator gets which is an argument, and puts no equals for equals."""

    def join(self, other: Summary) -> None:
        """Adds what is known of a part whose level counts."""
        self.level = max(self.level, other.level)
        self.counting |= other.counting
        self.ask(other)

    def ask(self, other: Summary) -> None:
        """Adds what a part asks of parameters, but not its level."""
        for symbol, level in other.limits.items():
            self.limit(symbol, level)
        for key, level in other.needs.items():
            self.needs[key] = max(level, self.needs.get(key, CONSTANT))
        self.passed |= other.passed

    def see(self, other: Summary, *, opaque: bool) -> None:
        """Adds which parameters stand in a part."""
        self.named |= other.named
        self.opaque |= other.opaque | other.named if opaque else other.opaque
        self.valued |= other.valued

    def limit(self, symbol: Symbol, level: int) -> None:
        """A parameter may have no higher level."""
        if level < TEMPORAL:
            self.limits[symbol] = min(level, self.limits.get(symbol, TEMPORAL))

    def give(self, function: Symbol, index: int, argument: Summary) -> None:
        """A parameter that is an operator gets an argument."""
        self.needs[function, index] = max(argument.level, self.needs.get((function, index), CONSTANT))
        self.passed |= {(function, index, one) for one in argument.counting}

    def without(self, own: Sequence[Symbol]) -> Summary:
        """What it says of other parameters than its own."""
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
    """An operator that is an argument."""

    body: Summary
    """Without its own parameters."""
    limits: tuple[int, ...] = ()
    limit: int = TEMPORAL
    """The highest level of each of its arguments, and of those further on."""
    opaque: tuple[bool, ...] = ()
    """For which of its arguments equals are not put for equals."""

    def is_opaque(self, index: int) -> bool:
        """Whether it puts no equals for equals in an argument."""
        return index < len(self.opaque) and self.opaque[index]

    def allows(self, index: int) -> int:
        """The highest level of an argument."""
        return self.limits[index] if index < len(self.limits) else self.limit


def seen_from_outside(body: Summary, own: Sequence[Parameter]) -> Operator:
    """An operator by its body and its parameters."""
    limits = tuple(body.limits.get(one, TEMPORAL) for one in own)
    return Operator(body.without(own), limits, opaque=tuple(one in body.opaque for one in own))


def copy_of(summary: Summary) -> Summary:
    """The same, to be added to."""
    return replace(summary, limits=dict(summary.limits), needs=dict(summary.needs))
