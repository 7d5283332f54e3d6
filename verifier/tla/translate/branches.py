"""Ways to take an action, and their guards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from verifier.encodings.terms import Symbol, Term
from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.translate.cases import Case
from verifier.tla.translate.connectives import and_, if_, truth_of
from verifier.tla.translate.strict_reading import surely_read
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Sym, Untranslated
from verifier.tla.translate.terms import never_true
from verifier.tla.translate.translator import Translator

MOST_BRANCHES = 20_000
Parameter = tuple[str, Sym, Symbol | None]
"""The name and the value of a parameter of an action, and its symbol where it is free."""


@dataclass(frozen=True, eq=False)
class Branch:
    """One way to take an action: the guards and assignments that are found so far."""

    name: str = "Next"
    guards: tuple[Sym, ...] = ()
    assigned: dict[ast.Variable, Sym] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    dead: bool = False
    """True if the branch evaluates an expression without a value, so that nothing follows it."""


def merge_sides(t: Translator, decides: Sym, sides: list[list[Branch]], branch: Branch) -> Branch | None:
    """Return both sides of an IF as one branch. None unless each side is one branch and both assign the same
    variables."""
    if any(len(side) != 1 or side[0].dead for side in sides):
        return None
    one, other = sides[0][0], sides[1][0]
    same = one.assigned.keys() == other.assigned.keys() and one.name == other.name
    if not same or one.parameters != branch.parameters or other.parameters != branch.parameters:
        return None
    try:
        assigned = {
            v: branch.assigned[v]
            if v in branch.assigned
            else if_(t, decides, one.assigned[v], other.assigned[v])
            for v in one.assigned
        }
    except Untranslated:
        return None
    guard = if_(t, decides, and_(t, one.guards), and_(t, other.guards))
    guards = branch.guards if guard is YES else (*branch.guards, guard)
    return replace(one, guards=guards, assigned=assigned)


class Guarding:
    """Adds guards to branches."""

    def __init__(self, translator: Translator, *, each_way: bool = False) -> None:
        self.t = translator
        self.each_way = each_way
        self.count = 0

    def _add_guard(self, test: Sym, branch: Branch) -> Iterator[Branch]:
        test = truth_of(self.t, test)
        if test is NO or (isinstance(test, Known) and not test.value.truth):
            yield from self._stop(branch)
            return
        if isinstance(test, Known):
            yield branch
            return
        made = replace(branch, guards=(*branch.guards, test), dead=isinstance(test, Nothing))
        if isinstance(test, Term) and never_true(test):
            yield from self._stop(made)
            return
        yield made

    def _guard_all(self, cases: list[Case], branch: Branch) -> Iterator[Branch]:
        guards, dead = list(branch.guards), False
        for case in cases:
            if case.condition is YES:
                continue
            if case.condition is NO:
                yield from self._stop(branch)
                return
            guards.append(case.condition)
            dead = dead or isinstance(case.condition, Nothing)
        yield replace(branch, guards=tuple(guards), dead=dead)

    def _stop(self, branch: Branch) -> Iterator[Branch]:
        """Yield a branch that is never taken, if one of its guards may have no value."""
        if not surely_read(self.t, branch.guards):
            yield replace(branch, guards=(*branch.guards, NO), dead=True)

    def _count(self, whole: Expression) -> None:
        self.count += 1
        if self.count > MOST_BRANCHES:
            raise Untranslated(whole.place, f"Next has more than {MOST_BRANCHES} branches")
