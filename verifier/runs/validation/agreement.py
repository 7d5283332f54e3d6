"""The result of a comparison: the extent to which two semantics agree, or their difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.tla.errors import Place

if TYPE_CHECKING:
    from verifier.tla.exploration_result import State


@dataclass(frozen=True)
class Disagreement:
    """A state in which the interpreter and the formula differ."""

    what: str
    """The compared object: a property, Init, the constraint, a step, an expression."""
    interpreter: str
    translation: str
    state: str
    place: Place | None = None
    """Its place in the module."""
    around: str = ""
    """The values of the names around an expression."""
    within: str = ""
    """The larger object that differs because of it."""
    kind: str = "state"
    """``state`` or ``execution``."""

    def __str__(self) -> str:
        at = "" if self.place is None else f"{self.place}: "
        where = f", with {self.around}" if self.around else ""
        also = "" if not self.within else f", and so on {self.within}"
        return (
            f"{at}the translation does not agree with the module on {self.what}{also}: the interpreter says "
            f"{self.interpreter}, the formula {self.translation}, in the {self.kind} {self.state}{where}"
        )


class Disagrees(Exception):
    """The translation and the module differ."""

    def __init__(self, disagreement: Disagreement, state: State, *, of_expression: bool = False) -> None:
        super().__init__(str(disagreement))
        self.disagreement, self.state, self.of_expression = disagreement, state, of_expression


class WrongModule(UsageError):
    """Raised for a reachable state in which a read has no value, which the translation does not notice."""


@dataclass
class Agreement:
    """The extent of a comparison that found no difference."""

    states: int = 0
    steps: int = 0
    expressions: int = 0
    """The number of translations of expressions whose values were compared."""
    executions: int = 0
    """The number of infinite executions on which temporal formulas were compared."""
    undefined: int = 0
    """The number of skipped comparisons: one semantics has no value in a state that may be unreachable."""
    given: int = 0
    """The number of states from a solver."""
    seed: int = 0
    seconds: float = 0.0

    def figures(self) -> dict[str, Any]:
        """Return the counts for the JSON output."""
        return {**vars(self), "seconds": round(self.seconds, 3)}


__all__ = ["Agreement", "Disagreement", "Disagrees", "WrongModule"]
