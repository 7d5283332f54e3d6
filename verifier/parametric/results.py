"""Results of obligations. Progress reports contain them, so this module imports nothing slow."""

from __future__ import annotations

from dataclasses import dataclass

_OF_FIELD = "Typed:"
"""The prefix of the lemma that a variable keeps within its sort."""
_OF_ACTION = "Stays:"
_OF_LEMMA = "Reads:"
SIZES = "(for a set: the number of elements)"
"""The explanation of small constants of a TLA+ module."""
_OF_STATES = {"initially": "in the initial states", "always": "from the lemmas"}
"""The places of obligations that are about states, and not about an action."""


@dataclass(frozen=True)
class Shown:
    """An obligation that both solvers agreed on."""

    name: str
    effort: int
    with_stays: bool
    """True if hypotheses say of each action that it keeps within sorts and reads defined values."""
    kept: tuple[int, ...]
    """The positions of the sufficient hypotheses in that effort."""
    uses: tuple[str, ...]
    """The lemmas that these instantiate."""
    smt2: str
    """The second solver's query."""
    seconds: float
    check_seconds: float


@dataclass(frozen=True)
class Open:
    """An obligation that was not shown."""

    name: str
    reason: str


Result = Shown | Open


@dataclass(frozen=True)
class Refuted:
    """An obligation that is false at some constants, so that no proof shows it for all."""

    at: str
    claim: str
    where: str
    """The constants."""


def name_of(at: str, claim: str, part: int) -> str:
    """Return the name of an obligation."""
    return f"{at} {claim} {part}"


def say_obligation(at: str, claim: str) -> str:
    """Return an obligation in words: ``Finish keeps the variable effects within its sort``."""
    if claim.startswith(_OF_FIELD):
        variable = f"the variable {claim.removeprefix(_OF_FIELD)}"
        return (
            f"Init puts {variable} into its sort"
            if at in _OF_STATES
            else f"{at} keeps {variable} within its sort"
        )
    after = _OF_STATES.get(at, f"after {at}")
    if claim.startswith(_OF_ACTION):
        read = f"everything that {claim.removeprefix(_OF_ACTION)} reads and assigns"
        return f"{after}, {read} has a value in its sort"
    if claim.startswith(_OF_LEMMA):
        return f"{after}, everything that {claim.removeprefix(_OF_LEMMA)} reads has a value"
    return f"{claim} {_OF_STATES[at]}" if at in _OF_STATES else f"{at} keeps {claim}"


def place_of(name: str) -> tuple[str, str, int]:
    """Return the action, the claim, and the part from the name of an obligation."""
    at, claim, part = name.rsplit(" ", 2)
    return at, claim, int(part)
