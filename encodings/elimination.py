"""Boolean variables that are quantified away.

Whether some values of them satisfy a formula is a formula again, as large as one copy for each choice of the
values if nothing is known of its form. So conjuncts without the variables stay outside, disjuncts are looked
at one by one, and what depends on few variables in all is decided by its truth table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from pysmt.fnode import FNode
from pysmt.operators import AND, IFF, ITE, NOT, OR, SYMBOL

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    choice,
    conjunction,
    disjunction,
    negation,
    restrict_formula,
    restrict_formulas,
)
from verifier.errors import UsageError

_MOST_TABLED = 12
"""Formulas of so many variables are decided by a truth table."""


def exists_over(formula: FNode, variables: Iterable[FNode]) -> FNode:
    """True if some values of the variables satisfy the formula. The variables do not occur in the result."""
    return Elimination(variables).exists(formula)


def possible_choices(formula: FNode, variables: Sequence[FNode]) -> frozenset[tuple[bool, ...]] | None:
    """Values of the variables outside of which the formula is false, by its conjuncts with few variables;
    None if those say nothing, or there are too many variables."""
    if not 0 < len(variables) <= _MOST_TABLED:
        return None
    own = Elimination(variables)
    small: list[FNode] = []
    of: frozenset[FNode] = frozenset(variables)
    for part in _propagate(split_conjunction(formula))[0]:
        few = own.few(part)
        if few is not None and (few & own.variables or part is FALSE) and len(few | of) <= _MOST_TABLED:
            small, of = [*small, part], of | few
    if not small:
        return None
    tables = _Tables(of)
    whole = tables.of(conjunction(small))
    choices = []
    for values in product((False, True), repeat=len(variables)):
        pairs = zip(variables, values, strict=True)
        if whole & tables.of(conjunction(bit if on else negation(bit) for bit, on in pairs)):
            choices.append(values)
    return frozenset(choices)


class Elimination:
    """Quantifies the same variables away in several formulas."""

    def __init__(self, variables: Iterable[FNode]) -> None:
        self._number = {variable: number for number, variable in enumerate(variables)}
        self._variable = list(self._number)
        self._masks: dict[FNode, int] = {}
        self._few: dict[FNode, frozenset[FNode] | None] = {}
        self._found: dict[FNode, FNode] = {}

    @property
    def variables(self) -> frozenset[FNode]:
        """The variables that are quantified away."""
        return frozenset(self._number)

    def few(self, formula: FNode) -> frozenset[FNode] | None:
        """All variables of a formula; None if they are many."""
        self._look_at(formula)
        return self._few[formula]

    def exists(self, formula: FNode) -> FNode:
        """True if some values of the variables satisfy the formula. Raises UsageError for too many."""
        if not self._number:
            return formula
        self._look_at(formula)
        try:
            return self._exists(formula)
        except RecursionError:
            raise self._too_many() from None

    def _too_many(self) -> UsageError:
        names = dict.fromkeys(str(one.symbol_name()).rpartition("#")[0] for one in self._number)
        return UsageError(
            f"the free parameters {', '.join(names)} have too many values ({len(self._number)} bits) to say "
            'when some of them is possible: let actions take each value, as in v="numbers" and not '
            'v=free("numbers")'
        )

    def _look_at(self, root: FNode) -> None:
        """Notes which of the variables each part has, and all of its variables if they are few."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._masks:
                stack.pop()
                continue
            missing = [part for part in node.args() if part not in self._masks]
            if missing:
                stack += missing
                continue
            stack.pop()
            number = self._number.get(node)
            mask = 0 if number is None else 1 << number
            few: frozenset[FNode] | None = frozenset((node,) if node.node_type() == SYMBOL else ())
            for part in node.args():
                mask |= self._masks[part]
                few = _join(few, self._few[part])
            self._masks[node], self._few[node] = mask, few

    def _exists(self, formula: FNode) -> FNode:
        if formula not in self._masks:
            self._look_at(formula)
        if not self._masks[formula]:
            return formula
        quantified = self._found.get(formula)
        if quantified is None:
            quantified = self._found[formula] = self._eliminate(formula)
        return quantified

    def _eliminate(self, formula: FNode) -> FNode:
        parts = _disjuncts(formula)
        if parts is not None:
            return disjunction(self._exists(part) for part in parts)
        if formula.node_type() == ITE:
            condition, then, otherwise = formula.args()
            if not self._masks[condition]:
                return choice(condition, self._exists(then), self._exists(otherwise))
        return self._of_all(split_conjunction(formula))

    def _of_all(self, parts: Sequence[FNode]) -> FNode:
        """Eliminate in a conjunction."""
        parts, decided = _propagate(parts)
        if FALSE in parts:
            return FALSE
        units = [bit if value is TRUE else negation(bit) for bit, value in decided.items()]
        parts = [*parts, *(unit for unit in units if not self._masks_of(unit))]
        for part in parts:
            self._look_at(part)
        kept = [part for part in parts if not self._masks[part]]
        groups: list[tuple[int, list[FNode]]] = []
        for part in parts:
            mask = self._masks[part]
            if not mask:
                continue
            group = [part]
            for other in [one for one in groups if one[0] & mask]:
                groups.remove(other)
                mask, group = mask | other[0], other[1] + group
            groups.append((mask, group))
        for _, group in sorted(groups, key=lambda one: len(one[1])):
            kept.append(self._of_group(group))
            if kept[-1] is FALSE:
                return FALSE
        return conjunction(kept)

    def _of_group(self, parts: list[FNode]) -> FNode:
        """Eliminate in conjuncts that share variables."""
        small = [part for part in parts if self._few[part] is not None]
        of = self._variables(small)
        if of is not None and small:
            table = _Tables(of)
            whole = table.of(conjunction(small))
            if not whole:
                return FALSE
            if len(small) == len(parts):
                return table.formula(table.without(whole, self._number))
        large = [part for part in parts if self._few[part] is None]
        if len(large) == 1:
            either = _disjuncts(large[0])
            if either is not None:
                return self._of_either(small, either)
        return self._of_cases(parts)

    def _of_either(self, rest: list[FNode], either: Sequence[FNode]) -> FNode:
        """Eliminate in conjuncts and one disjunction."""
        plain = [part for part in either if not self._masks_of(part)]
        disjuncts = [conjunction((disjunction(plain), self._of_all(rest)))] if plain else []
        disjuncts += [self._exists(conjunction((*rest, part))) for part in either if self._masks_of(part)]
        return disjunction(disjuncts)

    def _of_cases(self, parts: list[FNode]) -> FNode:
        """One variable decided: the one that occurs in the fewest parts."""
        uses: Counter[int] = Counter()
        for part in parts:
            uses.update(_places(self._masks[part]))
        number = min(uses, key=lambda one: (uses[one], one))
        own, rest = list[FNode](), list[FNode]()
        for part in parts:
            (own if self._masks[part] >> number & 1 else rest).append(part)
        variable = self._variable[number]
        both = conjunction(own)
        sides = (restrict_formula(both, {variable: value}) for value in (FALSE, TRUE))
        if not rest:
            return disjunction(map(self._exists, sides))
        return self._exists(conjunction((*rest, disjunction(sides))))

    def _masks_of(self, part: FNode) -> int:
        self._look_at(part)
        return self._masks[part]

    def _variables(self, parts: Iterable[FNode]) -> frozenset[FNode] | None:
        variables: frozenset[FNode] | None = frozenset()
        for part in parts:
            variables = _join(variables, self._few[part])
        return variables


def _places(mask: int) -> Iterator[int]:
    """The places of the ones in a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _join(one: frozenset[FNode] | None, other: frozenset[FNode] | None) -> frozenset[FNode] | None:
    both = None if one is None or other is None else one | other
    return both if both is not None and len(both) <= _MOST_TABLED else None


def _disjuncts(formula: FNode) -> Sequence[FNode] | None:
    """The parts of a disjunction; None of another formula."""
    if formula.node_type() == OR:
        return list(formula.args())
    if formula.node_type() == NOT and formula.arg(0).node_type() == AND:
        return [negation(part) for part in formula.arg(0).args()]
    return None


def split_conjunction(formula: FNode) -> Sequence[FNode]:
    if formula.node_type() == AND:
        return [inner for part in formula.args() for inner in split_conjunction(part)]
    if formula.node_type() == NOT and formula.arg(0).node_type() == OR:
        return [inner for part in formula.arg(0).args() for inner in split_conjunction(negation(part))]
    return (formula,)


def _propagate(parts: Sequence[FNode]) -> tuple[list[FNode], dict[FNode, FNode]]:
    """Conjuncts without those that are variables or negated variables, which are decided in the others."""
    decided: dict[FNode, FNode] = {}
    rest = list(parts)
    while True:
        new: dict[FNode, FNode] = {}
        kept: list[FNode] = []
        for part in rest:
            positive = part.node_type() == SYMBOL
            if positive or (part.node_type() == NOT and part.arg(0).node_type() == SYMBOL):
                bit = part if positive else part.arg(0)
                if new.setdefault(bit, TRUE if positive else FALSE) is not (TRUE if positive else FALSE):
                    return [FALSE], decided
            else:
                kept.append(part)
        if not new:
            return kept, decided
        decided.update(new)
        rest = [inner for part in restrict_formulas(kept, new) for inner in split_conjunction(part)]
        if FALSE in rest:
            return [FALSE], decided
        rest = list(dict.fromkeys(part for part in rest if part is not TRUE))


class _Tables:
    """Truth tables over some variables: a bit for each choice of their values."""

    def __init__(self, variables: Iterable[FNode]) -> None:
        self._variables = tuple(sorted(variables, key=lambda one: str(one.symbol_name())))
        self._full = (1 << (1 << len(self._variables))) - 1
        self._known: dict[FNode, int] = {TRUE: self._full, FALSE: 0}
        for number, variable in enumerate(self._variables):
            half = 1 << number
            ones = ((1 << half) - 1) << half
            for width in range(number + 1, len(self._variables)):
                ones |= ones << (1 << width)
            self._known[variable] = ones

    def of(self, root: FNode) -> int:
        """The table of a formula."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._known:
                stack.pop()
                continue
            missing = [part for part in node.args() if part not in self._known]
            if missing:
                stack += missing
                continue
            stack.pop()
            self._known[node] = self._make(node.node_type(), [self._known[part] for part in node.args()])
        return self._known[root]

    def _make(self, kind: int, parts: list[int]) -> int:
        if kind == AND:
            literals = self._full
            for part in parts:
                literals &= part
            return literals
        if kind == OR:
            literals = 0
            for part in parts:
                literals |= part
            return literals
        if kind == NOT:
            return self._full & ~parts[0]
        if kind == IFF:
            return self._full & ~(parts[0] ^ parts[1])
        if kind == ITE:
            return (parts[0] & parts[1]) | (~parts[0] & parts[2])
        raise ValueError(f"no truth table of a formula of kind {kind}")

    def without(self, table: int, variables: Iterable[FNode]) -> int:
        """The table of whether some values of variables satisfy one; it is the same for all their values."""
        for variable in variables:
            if variable in self._variables:
                half, ones = 1 << self._variables.index(variable), self._known[variable]
                high, low = table & ones, table & ~ones
                table = high | low | high >> half | (low << half & self._full)
        return table

    def formula(self, table: int) -> FNode:
        """A formula with a table."""
        made: dict[tuple[int, int], FNode] = {}

        def of(part: int, depth: int) -> FNode:
            full = (1 << (1 << depth)) - 1
            if part in (0, full):
                return TRUE if part else FALSE
            made_before = made.get((part, depth))
            if made_before is None:
                half = 1 << (depth - 1)
                low, high = part & ((1 << half) - 1), part >> half
                sides = of(low, depth - 1), of(high, depth - 1)
                made_before = made[part, depth] = choice(self._variables[depth - 1], sides[1], sides[0])
            return made_before

        return of(table, len(self._variables))


__all__ = ["Elimination", "exists_over"]
