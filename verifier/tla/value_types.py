"""The types of TLA+ values in the interpreter.

Integers are ``int``, strings ``str``, finite sets ``frozenset``, sequences and tuples ``tuple``, all other
functions and records ``Fn``. Booleans are ``TRUE`` and ``FALSE``, objects of their own, since Python's
``True`` equals 1. Equal values are equal in Python, have the same hash, and are interchangeable everywhere.
"""

from __future__ import annotations

from typing import Any, TypeAlias, final

Value: TypeAlias = Any
"""A value as above."""


class NoValue(Exception):
    """Raised if a value has no part, or an operation has no value: in words. The evaluator adds the place."""

    tlc: str | None = None
    """TLC's words for the error, if they are known."""


class TooLarge(NoValue):
    """Raised if a set has too many elements to be counted."""

    def __init__(self, words: str) -> None:
        super().__init__(f"{words} is too large to be counted")


@final
class Boolean:
    """TRUE or FALSE."""

    __slots__ = ("name", "truth")

    def __init__(self, truth: bool) -> None:
        self.truth = truth
        self.name = "TRUE" if truth else "FALSE"

    def __bool__(self) -> bool:
        return self.truth

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return boolean, (self.truth,)


TRUE, FALSE = Boolean(True), Boolean(False)


BOOLEANS = frozenset((TRUE, FALSE))


def boolean(truth: object) -> Boolean:
    """Return a Python truth value as a value."""
    return TRUE if truth else FALSE


INCOMPARABLE = "values of different kinds are compared"
"""The words of the error for values that TLC does not compare."""


@final
class ModelValue:
    """A model value: it is equal only to itself."""

    __slots__ = ("name", "type")

    def __init__(self, name: str) -> None:
        self.name = name
        self.type = name[0] if name[1:2] == "_" and len(name) > 2 else ""
        """TLC compares ``p_1`` only with values of the type ``p`` and with those without a type."""

    def __repr__(self) -> str:
        return self.name


@final
class ForeignValue:
    """A value of a file that TLA+ has no value for: a number with a fraction, or a null.

    It may stand where nobody reads it, and be printed. It equals itself only, and no other comparison has an
    answer. A reader keeps one object for equal texts.
    """

    __slots__ = ("words", "written")

    def __init__(self, written: str, words: str) -> None:
        """``words``: the reason why it has no value."""
        self.written, self.words = written, words

    def __repr__(self) -> str:
        return self.written

    def __hash__(self) -> int:
        return hash(self.written)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise NoValue(self.words)


COMPARED_ALONE = frozenset((ModelValue, ForeignValue))
"""Types of values for which each comparison must be asked, not only one of the kind."""


class Fn(dict[Value, Value]):
    """A function that is no sequence. It must not be changed once it is a value."""

    __slots__ = ("_domain", "_hash")
    _domain: frozenset[Value]
    _hash: int

    @property
    def domain(self) -> frozenset[Value]:
        """Return the domain. It is made once, because each member would be hashed again."""
        try:
            return self._domain
        except AttributeError:
            self._domain = keys = frozenset(self)
            return keys

    def __hash__(self) -> int:  # type: ignore[override]
        number: int | None = getattr(self, "_hash", None)
        if number is None:  # a caught exception would take longer than everything else here
            self._hash = number = hash(frozenset(self.items()))
        return number


def function(pairs: dict[Value, Value]) -> Value:
    """Return the function with these pairs: a sequence if its domain is ``1..n``."""
    count = len(pairs)
    if not count:
        return ()
    if 1 in pairs and (count == 1 or all(number in pairs for number in range(2, count + 1))):
        return tuple([pairs[number] for number in range(1, count + 1)])
    return Fn(pairs)
