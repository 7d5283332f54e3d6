"""States that are evaluated at once: each bit of an integer belongs to one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.encodings.evaluator import LaneEvaluator
from verifier.runs.validation.subject import Subject

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.tla.exploration_result import State


@dataclass(frozen=True)
class Lane:
    """A state, and its bits."""

    state: State
    bits: int
    reachable: bool
    within: bool = False
    """True if the state is reached within the given depth."""


class Lanes:
    """States, with the value of each formula in all of them."""

    def __init__(self, subject: Subject, lanes: Sequence[Lane]) -> None:
        self.subject, self.lanes = subject, lanes
        self.mask = (1 << len(lanes)) - 1
        self.reachable = sum(1 << number for number, lane in enumerate(lanes) if lane.reachable)
        system = subject.model.system
        values = dict(columns(system.bits, [lane.bits for lane in lanes]))
        inputs = [symbol for instance in system.instances for symbol in instance.inputs]
        self.evaluate = LaneEvaluator(values, self.mask, inputs)

    def __iter__(self) -> Iterator[tuple[int, Lane]]:
        return iter(enumerate(self.lanes))


def columns(symbols: Sequence[FNode], rows: Sequence[int]) -> Iterator[tuple[FNode, int]]:
    """Yield for each symbol its values in all rows. The bits of a row are those of the symbols."""
    for place, symbol in enumerate(symbols):
        yield symbol, sum(1 << lane for lane, bits in enumerate(rows) if bits >> place & 1)


def numbers_of(mask: int) -> Iterator[int]:
    """Yield the lanes in a mask, from the first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


__all__ = ["Lane", "Lanes", "columns", "numbers_of"]
