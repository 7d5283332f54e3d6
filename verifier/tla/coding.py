"""Values as bytes. Equal values have equal bytes, in each process of a search.

So the process that keeps the states compares values of other processes without making them. A part of a value
has its bytes once, since states share most of their values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from verifier.tla.value_types import FALSE, TRUE, Boolean, Fn, ModelValue, NoValue, Value
from verifier.tla.values import LazyFunction, LazySet, materialize

Code: TypeAlias = bytes
_MOST = 200_000
"""The default limit of values whose bytes are kept."""
_TUPLE, _SET, _FUNCTION = b"(", b"{", b"["
_NUMBER, _TEXT, _MODEL, _TRUE, _FALSE = b"i", b"s", b"m", b"T", b"F"


class Uncodable(Exception):
    """Raised for a value that has no bytes: an infinite set."""


class Coding:
    """The bytes of values, and the values of bytes."""

    def __init__(
        self, find_model_value: Callable[[str], ModelValue], most: int = _MOST, most_bytes: int | None = None
    ) -> None:
        """``most``: the limit of values whose bytes are kept. ``most_bytes``: the limit of these bytes."""
        self.find_model_value, self._most, self._most_bytes = find_model_value, most, most_bytes
        self._bytes = 0
        self._codes: dict[Value, Code] = {}
        self._values: dict[Code, Value] = {}

    def encode(self, value: Value) -> Code:
        """Return the bytes of a value. Raises Uncodable."""
        kind = type(value)
        if kind is int:
            return b"i%d;" % value
        if kind is Boolean:
            return _TRUE if value.truth else _FALSE
        if kind is str or kind is ModelValue:
            word = (value if kind is str else value.name).encode()
            return b"%c%d:%b" % (_TEXT if kind is str else _MODEL, len(word), word)
        if kind not in (tuple, frozenset, Fn):
            return self.encode(_list_value(value))
        code = self._codes.get(value)
        if code is None:
            code = self._encode_parts(value)
            self._keep(value, code)
        return code

    def _keep(self, value: Value, code: Code) -> None:
        """Keep a value with its bytes. Formulas keep results for the same objects, so equal parts of states
        should be one object, whether they were found here or are made of bytes."""
        self._bytes += len(code)
        too_large = self._most_bytes is not None and self._bytes > self._most_bytes
        if too_large or len(self._codes) >= self._most:
            self._codes.clear()
            self._values.clear()
            self._bytes = len(code)
        self._codes[value] = code
        self._values[code] = value

    def _encode_parts(self, value: Value) -> Code:
        encode = self.encode
        match value:
            case tuple():
                tag, parts = _TUPLE, [encode(part) for part in value]
            case frozenset():
                tag, parts = _SET, sorted([encode(part) for part in value])
            case _:
                tag, parts = _FUNCTION, sorted([encode(key) + encode(part) for key, part in value.items()])
        body = b"".join(parts)
        return b"%b%d:%b" % (tag, len(body), body)

    def decode(self, code: Code) -> Value:
        """Return the value that has these bytes."""
        return self._decode(code, 0)[0]

    def decode_several(self, codes: Code, count: int) -> list[Value]:
        """Return the values whose bytes stand one after the other. Raises ValueError for other bytes."""
        start, values = 0, list[Value]()
        for _ in range(count):
            value, start = self._decode(codes, start)
            values.append(value)
        return values

    def _decode(self, code: Code, start: int) -> tuple[Value, int]:
        """Return the value whose bytes begin at a place, and the place after them."""
        tag = code[start : start + 1]
        if tag == _NUMBER:
            end = code.index(b";", start)
            return int(code[start + 1 : end]), end + 1
        if tag in (_TRUE, _FALSE):
            return (TRUE if tag == _TRUE else FALSE), start + 1
        colon = code.index(b":", start)
        end = colon + 1 + int(code[start + 1 : colon])
        if tag in (_TEXT, _MODEL):
            word = code[colon + 1 : end].decode()
            return (word if tag == _TEXT else self.find_model_value(word)), end
        own = code[start:end]
        value = self._values.get(own)
        if value is None:
            value = self._decode_parts(tag, code, colon + 1, end)
            self._keep(value, own)
        return value, end

    def _decode_parts(self, tag: bytes, code: Code, start: int, end: int) -> Value:
        parts: list[Value] = []
        while start < end:
            part, start = self._decode(code, start)
            parts.append(part)
        if tag == _TUPLE:
            return tuple(parts)
        return frozenset(parts) if tag == _SET else Fn(zip(parts[::2], parts[1::2], strict=True))


def _list_value(value: Value) -> Value:
    """Return the value that is equal to a lazy one. Raises Uncodable."""
    if not isinstance(value, LazySet | LazyFunction):
        raise Uncodable(f"a value of {type(value).__name__}")
    try:
        return materialize(value)
    except NoValue as error:
        raise Uncodable(str(error)) from None
