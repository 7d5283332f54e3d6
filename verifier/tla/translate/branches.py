"""Ways to take an action."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from verifier.encodings.terms import Symbol
from verifier.tla import ast
from verifier.tla.translate.expressions import Translator
from verifier.tla.translate.symbolic import YES, Sym, Untranslated

MOST_BRANCHES = 20_000


@dataclass(frozen=True, eq=False)
class Branch:
    """One way in which an action can be taken, as far as it is known."""

    name: str = "Next"
    guards: tuple[Sym, ...] = ()
    assigned: dict[ast.Variable, Sym] = field(default_factory=dict)
    parameters: tuple[tuple[str, Sym, Symbol | None], ...] = ()
    dead: bool = False
    """Whether something without a value is evaluated, so that nothing follows."""


def merged_sides(t: Translator, decides: Sym, sides: list[list[Branch]], branch: Branch) -> Branch | None:
    """Both sides of an IF as one branch, where each is one and assigns the same variables."""
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
            else t.if_(decides, one.assigned[v], other.assigned[v])
            for v in one.assigned
        }
    except Untranslated:
        return None
    guard = t.if_(decides, t.and_(one.guards), t.and_(other.guards))
    guards = branch.guards if guard is YES else (*branch.guards, guard)
    return replace(one, guards=guards, assigned=assigned)
