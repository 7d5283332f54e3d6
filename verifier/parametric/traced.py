"""Integers that record the constants from which they were computed.

A protocol is a Python class that is read at given constants, so ``self.log_size - 1`` would be read as 1. In
a reading for all constants, bounds of sorts and literals are traced integers, which record their origin. The
protocol's own code gets stand-ins for them (``read_constants``). A comparison that it makes is an assumption:
the reading is only valid for constants that give the same answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, NoReturn, Self

from verifier.encodings.open_integers import LARGEST, OriginInteger
from verifier.parametric.callers import asker, place_of_frame, running, short_place_of_frame
from verifier.parametric.errors import NotParametric

Monomial = tuple[str, ...]
"""The names of the multiplied constants, in order; empty for the constant term."""
Polynomial = Mapping[Monomial, int]


@dataclass(frozen=True)
class Assumption:
    """A condition on the constants: ``left < right``, ``left == right``, or the negation of either."""

    left: Polynomial = field(hash=False)
    relation: str
    right: Polynomial = field(hash=False)
    holds: bool
    place: str
    """The place of the decision in the protocol, as file and line, or the reason of the assumption."""
    is_declared: bool = False
    """True if the protocol declares it, as a bound of a constant or as its own assumption."""

    @property
    def asked(self) -> str:
        """Return the comparison, whatever its answer."""
        return f"{polynomial_text(self.left)} {self.relation} {polynomial_text(self.right)}"

    @property
    def words(self) -> str:
        """Return the assumption as text."""
        relation = self.relation if self.holds else OPPOSITE[self.relation]
        return f"{polynomial_text(self.left)} {relation} {polynomial_text(self.right)}"

    @property
    def said(self) -> str:
        """Return the assumption and its place."""
        return f"{self.words} ({self.place})" if self.place else self.words


OPPOSITE = {"<": ">=", "<=": ">", "==": "!=", ">": "<=", ">=": "<", "!=": "=="}


@dataclass
class Decisions:
    """The decisions of a protocol's code on its constants while it was read."""

    assumptions: dict[str, Assumption] = field(default_factory=dict)
    refused: list[NotParametric] = field(default_factory=list)
    """Refused operations. They are kept for code that catches errors."""
    is_reading: bool = False
    """True while the protocol's code is running."""
    answers: dict[str, bool] | None = None
    """The answers of comparisons, while other answers are tried."""

    def take(self) -> dict[str, Assumption]:
        """Return the assumptions recorded since the last call."""
        assumptions, self.assumptions = self.assumptions, {}
        return assumptions

    def note(self, left: Polynomial, relation: str, right: Polynomial, holds: bool) -> bool:
        """Record a comparison of the protocol's code that involves a constant. Return its answer. The
        verifier's own code compares bounds only to compute the static bounds of expressions, which the
        parametric reading does not use."""
        difference = subtract(left, right)
        if not any(difference.values()) or set(difference) <= {()}:
            return holds
        frame = asker(_outside(sys._getframe(1)))
        if frame is None:
            return holds
        made = Assumption(left, relation, right, holds, short_place_of_frame(frame))
        if self.answers is not None:
            made = replace(made, holds=self.answers.setdefault(made.asked, holds))
        self.assumptions.setdefault(made.words, made)
        return made.holds


class Traced(OriginInteger):
    """An integer with the polynomial over the constants from which it was computed."""

    polynomial: Polynomial
    decisions: Decisions

    def __new__(cls, value: int, polynomial: Polynomial, decisions: Decisions) -> Self:
        made = super().__new__(cls, value)
        made.polynomial = polynomial
        made.decisions = decisions
        return made

    def _make_number(self, value: int, polynomial: Polynomial) -> Traced:
        return Traced(value, {m: c for m, c in polynomial.items() if c}, self.decisions)

    def compute(self, value: int, how: str, numbers: Sequence[int]) -> int:
        """Return a number that is known only by its name: it stands for any number. The least and the
        greatest of equal numbers are each of them."""
        known = dict.fromkeys(polynomial_text(polynomial_of(number)) for number in numbers)
        if len(known) == 1 and all(value == int(number) for number in numbers):
            return self
        return self._make_number(int(value), {(f"{how} of {', '.join(known)}",): 1})

    def refuse(self, what: str) -> NoReturn:
        """Raise NotParametric, with the place of the protocol's code that is running."""
        frame = running(_outside(sys._getframe(1)))
        self._refuse_at(frame, what)

    def __add__(self, other: int) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        return self._make_number(int(self) + int(other), add_sums(self.polynomial, polynomial_of(other)))

    __radd__ = __add__

    def __neg__(self) -> Traced:
        return self._make_number(-int(self), {m: -c for m, c in self.polynomial.items()})

    def __pos__(self) -> Traced:
        return self

    def __sub__(self, other: int) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        return self._make_number(int(self) - int(other), subtract(self.polynomial, polynomial_of(other)))

    def __rsub__(self, other: int) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        return self._make_number(int(other) - int(self), subtract(polynomial_of(other), self.polynomial))

    def __mul__(self, other: int) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        product: dict[Monomial, int] = {}
        for one, a in self.polynomial.items():
            for two, b in polynomial_of(other).items():
                key = tuple(sorted((*one, *two)))
                product[key] = product.get(key, 0) + a * b
        return self._make_number(int(self) * int(other), product)

    __rmul__ = __mul__

    def __lt__(self, other: int) -> Any:
        return self._compare("<", other, int.__lt__)

    def __le__(self, other: int) -> Any:
        return self._compare("<=", other, int.__le__)

    def __gt__(self, other: int) -> Any:
        return self._compare(">", other, int.__gt__)

    def __ge__(self, other: int) -> Any:
        return self._compare(">=", other, int.__ge__)

    def __eq__(self, other: object) -> Any:
        return self._compare("==", other, int.__eq__)

    def __ne__(self, other: object) -> Any:
        return self._compare("!=", other, int.__ne__)

    def __bool__(self) -> bool:
        return self.decisions.note(self.polynomial, "!=", {}, int(self) != 0)

    def __hash__(self) -> int:
        if (frame := asker(_outside(sys._getframe(1)))) is not None:
            self._refuse_at(frame, "in a sort that is a key, in a set or remembered")
        return hash(int(self))

    def __str__(self) -> str:
        frame = running(_outside(sys._getframe(1))) if self.decisions.is_reading else None
        if frame is not None:
            self._refuse_at(frame, "in what is made text")
        return str(int(self))

    __repr__ = __str__

    def __format__(self, _: str) -> str:
        return str(self)

    def _refuse_at(self, frame: FrameType | None, what: str) -> NoReturn:
        where = f"{place_of_frame(frame)}: " if frame is not None else ""
        error = NotParametric(
            f"{where}{polynomial_text(self.polynomial)} is {what}, which has no reading for all constants"
        )
        self.decisions.refused.append(error)
        raise error

    def _compare(self, relation: str, other: Any, decide: Callable[[int, int], bool]) -> Any:
        """Return the result of a comparison. A comparison with an expression is a formula, which the
        expression makes."""
        if not isinstance(other, int):
            return NotImplemented
        return self.decisions.note(
            self.polynomial, relation, polynomial_of(other), decide(int(self), int(other))
        )


def _outside(frame: FrameType | None) -> FrameType | None:
    """Return the frame that called into the modules of traced integers."""
    while frame is not None and frame.f_globals.get("__name__") in _OWN:
        frame = frame.f_back
    return frame


_OWN = (__name__, "verifier.parametric.read_constants", "verifier.parametric.guarding")


def polynomial_of(value: int) -> Polynomial:
    """Return the polynomial from which an integer was computed; for a plain one, itself."""
    return value.polynomial if isinstance(value, Traced) else constant_polynomial(value)


def constant_polynomial(value: int) -> Polynomial:
    """Return a plain integer as a polynomial."""
    return {(): int(value)} if value else {}


def is_unbounded(bound: int) -> bool:
    """True for a bound that stands for none."""
    return any(LARGEST in name for monomial in polynomial_of(bound) for name in monomial)


def add_sums(left: Polynomial, right: Polynomial) -> dict[Monomial, int]:
    """Return the sum."""
    return {m: left.get(m, 0) + right.get(m, 0) for m in {**left, **right}}


def subtract(left: Polynomial, right: Polynomial) -> dict[Monomial, int]:
    """Return the difference."""
    return {m: left.get(m, 0) - right.get(m, 0) for m in {**left, **right}}


def polynomial_text(polynomial: Polynomial) -> str:
    """Return a polynomial as text, such as ``log_size - 1``."""
    text = ""
    for monomial in sorted(polynomial, key=lambda m: (not m, m)):
        factor = polynomial[monomial]
        if not factor:
            continue
        names = " * ".join(monomial)
        size = str(abs(factor))
        shown = size if not monomial else names if size == "1" else f"{size} * {names}"
        sign = "-" if factor < 0 else "+"
        text += f" {sign} {shown}" if text else f"-{shown}" if factor < 0 else shown
    return text or "0"
