"""The stand-ins that a protocol's code gets as constants when it is read for all constants.

A stand-in is no integer. Its sums, differences and products are stand-ins, and comparisons are recorded as
assumptions. Any other operation that would reveal its value to Python is refused, with the place. Refusals
are also kept, for code that catches errors.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from numbers import Number
from typing import Any

from verifier.encodings.open_integers import OpenInteger, number_of
from verifier.encodings.scalar_sorts import Expression
from verifier.parametric.callers import asker, place_of_frame, running
from verifier.parametric.errors import NotParametric
from verifier.parametric.traced import Traced, polynomial_text


def _make_calculation(calculate: Callable[[Any, Any], Any]) -> Callable[[ReadConstant, Any], Any]:
    def method(self: ReadConstant, other: Any) -> Any:
        known = number_of(other)
        return ReadConstant(calculate(self.number, known)) if isinstance(known, int) else NotImplemented

    return method


def _make_comparison(compare: Callable[[Any, Any], Any]) -> Callable[[ReadConstant, Any], Any]:
    def method(self: ReadConstant, other: Any) -> Any:
        known = number_of(other)
        if isinstance(known, int):
            return compare(self.number, known)
        return self._refuse("compared with a fraction") if isinstance(known, Number) else NotImplemented

    return method


def _make_refusal(what: str) -> Callable[..., Any]:
    def method(self: ReadConstant, *others: Any) -> Any:
        if any(isinstance(other, Expression) for other in others):
            return NotImplemented
        return self._refuse(what)

    return method


class ReadConstant(OpenInteger):
    """The stand-in of a traced integer."""

    __slots__ = ()
    number: Traced

    def _refuse(self, what: str) -> Any:
        frame = running(sys._getframe(1))
        where = f"{place_of_frame(frame)}: " if frame is not None else ""
        error = NotParametric(
            f"{where}{polynomial_text(self.number.polynomial)} is {what}, which has no reading for all "
            "constants: sums, differences, products and comparisons have one, and quantifiers over sorts"
        )
        self.number.decisions.refused.append(error)
        raise error

    __add__ = __radd__ = _make_calculation(operator.add)
    __sub__ = _make_calculation(operator.sub)
    __rsub__ = _make_calculation(lambda one, other: other - one)
    __mul__ = __rmul__ = _make_calculation(operator.mul)

    def __neg__(self) -> ReadConstant:
        return ReadConstant(-self.number)

    def __pos__(self) -> ReadConstant:
        return self

    def __copy__(self) -> ReadConstant:
        return self

    def __deepcopy__(self, _: Any) -> ReadConstant:
        return self

    __lt__ = _make_comparison(operator.lt)
    __le__ = _make_comparison(operator.le)
    __gt__ = _make_comparison(operator.gt)
    __ge__ = _make_comparison(operator.ge)
    __eq__ = _make_comparison(operator.eq)
    __ne__ = _make_comparison(operator.ne)

    def __bool__(self) -> bool:
        return bool(self.number != 0)

    def __hash__(self) -> int:
        return self._text_or_key("a key, in a set or remembered", hash)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._text_or_key("made text", str)  # type: ignore[no-any-return]

    __repr__ = __str__

    def __format__(self, _: str) -> str:
        return str(self)

    def _text_or_key(self, what: str, made: Callable[[int], Any]) -> Any:
        """Return the text or hash for the verifier itself, as in an error message. Refuse it to the
        protocol."""
        is_asked = self.number.decisions.is_reading and running(sys._getframe(1)) is not None
        return self._refuse(what) if is_asked else made(int(self.number))

    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = _make_refusal("divided")
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _make_refusal("divided")
    __pow__ = __rpow__ = _make_refusal("raised to a power")
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _make_refusal(
        "taken bit by bit"
    )
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _make_refusal("taken bit by bit")
    __index__ = __int__ = _make_refusal("made a plain integer, as int(…), range(…) and indices do")
    __float__ = __complex__ = __round__ = _make_refusal("made a number of another kind")
    __trunc__ = __floor__ = __ceil__ = _make_refusal("rounded")
    __abs__ = _make_refusal("taken without its sign")
    __reduce__ = __reduce_ex__ = _make_refusal("written to a file")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        if asker(sys._getframe(1)) is not None:
            self._refuse("asked for its type")
        return ReadConstant

    def __getattr__(self, name: str) -> Any:
        if asker(sys._getframe(1)) is not None:
            self._refuse(f"asked for {name}")
        raise AttributeError(name)
