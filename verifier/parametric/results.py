"""Results of obligations. Progress reports contain them, so this module imports nothing slow."""

from __future__ import annotations

from dataclasses import dataclass

_OF_FIELD = "Typed:"
"""The prefix of the lemma that a variable keeps within its sort."""
_OF_ACTION = "Stays:"
_OF_LEMMA = "Reads:"


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


def say_claim(claim: str) -> str:
    """Return a claim in words: ``effects in its sort`` for ``Typed:effects``."""
    if claim.startswith(_OF_FIELD):
        return f"{claim.removeprefix(_OF_FIELD)} in its sort"
    if claim.startswith(_OF_ACTION):
        return f"the values that {claim.removeprefix(_OF_ACTION)} reads and assigns"
    if claim.startswith(_OF_LEMMA):
        return f"the values that {claim.removeprefix(_OF_LEMMA)} reads"
    return claim


def place_of(name: str) -> tuple[str, str, int]:
    """Return the action, the claim, and the part from the name of an obligation."""
    at, claim, part = name.rsplit(" ", 2)
    return at, claim, int(part)
