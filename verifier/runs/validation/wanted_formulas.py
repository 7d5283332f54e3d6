"""Formulas that should be true in some of the states from a solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from verifier.encodings.bits import bit, conjunction, disjunction, negation
from verifier.encodings.random_values import draw_value
from verifier.encodings.sorts import SortError
from verifier.runs.validation.budget import OutOfTime
from verifier.runs.validation.compared_expressions import Expressions, Lowered, Question
from verifier.runs.validation.subject import Subject

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.specs.definition import Action
    from verifier.trust.certificate import Certificate

_OF_EACH_LINE, _OF_EACH_FORMULA, _OF_PROOFS = 2, 1, 12
"""The number of states for each kind of target. The kinds are: all lines of a guard but one are true; a
formula is true, or false; a proof's invariant is true."""
_OF_GUARDS, _LEAST_OF_EACH, _MOST_OF_EACH = 60, 3, 12
"""The number of states in which guards are true, and the least and most for each guard."""
_MOST_DRAWN = 3
"""The number of values that are tried for an action's parameters."""


@dataclass(frozen=True)
class Target:
    """A formula that should be true in a number of states."""

    formula: FNode
    wanted: int
    of_state: bool
    """True if it is about a state only."""


def targets(
    subject: Subject,
    certificates: Iterable[Certificate],
    made: Expressions | None,
    questions: Sequence[Question],
    chance: Random,
) -> list[Target]:
    """Return all targets, the most important ones first."""
    of_state = _OfState(subject.model.layout.bits)
    targets = [(one, _OF_PROOFS) for one in map(_invariant, certificates) if of_state(one)]
    instances = subject.model.system.instances
    of_each = max(_LEAST_OF_EACH, min(_MOST_OF_EACH, _OF_GUARDS // max(1, len(instances))))
    guards = [(instance.guard, of_each) for instance in instances]
    lines = [] if made is None else list(_all_but_one(subject, made, chance))
    formulas = list(_both_ways(questions))
    for several in (guards, lines, formulas):
        chance.shuffle(several)
        targets += several
    every = (Target(formula, wanted, of_state(formula)) for formula, wanted in targets)
    return [target for target in every if not target.formula.is_false()]


def _both_ways(questions: Iterable[Question]) -> Iterator[tuple[FNode, int]]:
    """Yield each formula, and its negation, where it is defined."""
    for one in questions:
        if one.truth is not None and isinstance(one.result, Lowered):
            for formula in (one.truth, negation(one.truth)):
                yield conjunction((one.result.defined, formula)), _OF_EACH_FORMULA


def _all_but_one(subject: Subject, made: Expressions, chance: Random) -> Iterator[tuple[FNode, int]]:
    """Yield the lines of each guard without one of them, so that each is tested where only it decides. This
    detects a guard that is wrongly never true."""
    with suppress(OutOfTime, SortError):
        for action in subject.model.definition.actions:
            yield from _of_action(action, made, chance)


def _of_action(action: Action, made: Expressions, chance: Random) -> Iterator[tuple[FNode, int]]:
    symbols = [parameter.symbol for parameter in action.parameters]
    if not all(symbol.sort.size for symbol in symbols):
        return  # a parameter without values: the action has no instance
    for _ in range(_MOST_DRAWN if symbols else 1):
        bindings = {symbol: draw_value(symbol.sort, chance) for symbol in symbols}
        lines = [made.lowering.formula(line, bindings) for line in action.when]
        for place in range(len(lines)):
            yield conjunction((*lines[:place], *lines[place + 1 :])), _OF_EACH_LINE


def _invariant(certificate: Certificate) -> FNode:
    """Return the conjunction of a proof's clauses."""
    return conjunction(
        disjunction(bit(name) if value else negation(bit(name)) for name, value in clause)
        for clause in certificate.clauses
    )


class _OfState:
    """Decides whether formulas mention state bits only."""

    def __init__(self, bits: Iterable[FNode]) -> None:
        self._known = dict.fromkeys(bits, True)

    def __call__(self, formula: FNode) -> bool:
        known, stack = self._known, [formula]
        while stack:
            node = stack[-1]
            missing = [part for part in node.args() if part not in known]
            if missing and node not in known:
                stack += missing
                continue
            stack.pop()
            known.setdefault(node, not node.is_symbol() and all(known[part] for part in node.args()))
        return known[formula]


__all__ = ["Target", "targets"]
