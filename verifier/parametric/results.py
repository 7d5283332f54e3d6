"""What came of an obligation. Progress is told in these, so this module imports nothing that takes time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """An obligation that both solvers agreed on."""

    name: str
    effort: int
    with_stays: bool
    """True if the hypotheses say of each action that it stays within sorts and what has a value."""
    kept: tuple[int, ...]
    """Which of the hypotheses of that effort suffice, by their place."""
    uses: tuple[str, ...]
    """The lemmas that these are instances of."""
    smt2: str
    """What the second solver was asked."""
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
    """That an action keeps a lemma, or the like, is false at some constants: nothing shows it for all."""

    at: str
    claim: str
    where: str
    """The constants."""


def name_of(at: str, claim: str, part: int) -> str:
    """The name of an obligation."""
    return f"{at} {claim} {part}"


def place_of(name: str) -> tuple[str, str, int]:
    """What the name of an obligation says: the action, the claim, and the part of it."""
    at, claim, part = name.rsplit(" ", 2)
    return at, claim, int(part)
