"""Tables: dictionaries that are asked with expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from verifier.encodings.expressions import Value, coerce, describe_value, some, term_of, wrap
from verifier.encodings.open_integers import OpenInteger
from verifier.encodings.operations import body_term, if_
from verifier.encodings.python_use import take
from verifier.encodings.sorts import Boolean, Sort, SortError
from verifier.encodings.terms import Operator
from verifier.encodings.type_variables import V


class Table(Generic[V]):
    """The result of ``table``."""

    __slots__ = ("_entries",)

    def __init__(self, entries: list[tuple[Any, Value]]) -> None:
        self._entries = entries

    def __getitem__(self, key: Any) -> V:
        """The entry of a key; undefined if the table has none."""
        entry: Any = None
        for at, value in reversed(self._entries):
            entry = if_(_equal(key, at), some(value), entry)
        result: V = entry.value
        return result

    def get(self, key: Any, default: Any) -> V:
        """The entry of a key, or ``default`` if the table has none."""
        entry: Any = default
        for at, value in reversed(self._entries):
            entry = if_(_equal(key, at), value, entry)
        result: V = entry
        return result

    def __iter__(self) -> Any:
        raise SortError("a table has no elements: loop over the dictionary that it is made of")


def table(entries: Mapping[Any, Any], result: Sort[V] | None = None) -> Table[V]:
    """A dictionary to ask with values of the state: ``table({0: 1, 1: 2})[s.x]``, ``.get(s.x, 0)``.

    The keys are plain values: integers, booleans, names of members. The entries are integers, booleans and
    expressions, or any Python values of the sort ``result``.
    """
    given: Any = entries
    if not isinstance(given, Mapping) or not given:
        raise SortError(f"table(…) takes a dictionary with entries, not {describe_value(given)}")
    rows = [(_key(key), _entry(value, result)) for key, value in take(given).items()]
    _require_different([key for key, _ in rows])
    return Table(rows)


def _key(key: Any) -> Any:
    if isinstance(key, Value) and term_of(key).operator is not Operator.LITERAL:
        raise SortError(
            f"a key of a table is a plain value, as in table({{0: 1}}), not {describe_value(key)}"
        )
    return key


def _entry(value: Any, result: Sort | None) -> Value:
    if result is not None:
        return coerce(value, result)
    if isinstance(value, Value | bool | int | OpenInteger):
        made: Value = wrap(body_term(value))
        return made
    raise SortError(f"the entry {value!r} of a table needs a sort: write table({{…}}, sort)")


def _require_different(keys: list[Any]) -> None:
    """Refuses two members that are the same: Python keeps both, since it cannot compare them."""
    literals = [term_of(key) for key in keys if isinstance(key, Value)]
    for place, one in enumerate(literals):
        if any(one.data == other.data and one.sort == other.sort for other in literals[:place]):
            raise SortError(f"the table has the key {one.data} twice: leave one entry")


def _equal(key: Any, at: Any) -> Any:
    if not isinstance(key, Value):
        raise SortError(f"a table is asked with a value of the state, not with {key!r}: ask a dictionary")
    if isinstance(at, bool) != isinstance(term_of(key).sort, Boolean) and not isinstance(at, Value):
        raise SortError(f"the table has the key {at!r}, and is asked with {describe_value(key)}")
    return key == at
