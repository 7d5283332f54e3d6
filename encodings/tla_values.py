"""Values of a TLA+ module as TLA+ writes them.

In the sorts of a module, a string, a model value and a listed value are words. The words of an execution say
what each means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged

Words = Mapping[str, str]
"""For words of an execution the text of what they mean: ``"a"`` for a string, ``a`` for a model value."""


@dataclass(frozen=True)
class TlaWriter:
    """Writes values as TLA+ does."""

    write_word: Callable[[str], str]
    """Returns the text of a word, which is a string or a model value."""
    is_model_value: Callable[[Any], bool]

    def write(self, value: Concrete) -> str:
        """Return a value as text."""
        match value:
            case bool():
                return "TRUE" if value else "FALSE"
            case str():
                return self.write_word(value)
            case Tagged():
                return self.write(value.payload)
            case tuple() | frozenset() | FrozenMap():
                opening, members, closing = self.unfold(value)
                return f"{opening}{(' @@ ' if opening == '(' else ', ').join(members)}{closing}"
        return str(value)

    def unfold(self, value: tuple[Any, ...] | frozenset[Any] | FrozenMap) -> tuple[str, list[str], str]:
        """Return what opens a value, the texts of its members, and what closes it."""
        match value:
            case frozenset():
                items = sorted(value, key=lambda one: place_by_text(one, self.write))
                return "{", [self.write(item) for item in items], "}"
            case tuple():
                return "<<", [self.write(item) for item in value], ">>"
        if list(value) == list(range(1, len(value) + 1)):
            return self.unfold(tuple(value.values()))
        if self._is_record(value):
            return "[", [f"{name} |-> {self.write(item)}" for name, item in value.items()], "]"
        return "(", [f"{self.write(key)} :> {self.write(item)}" for key, item in value.items()], ")"

    def _is_record(self, value: FrozenMap) -> bool:
        return has_field_names(value) and not all(map(self.is_model_value, value))


def has_field_names(value: FrozenMap) -> bool:
    """True if the keys of a mapping may be fields of a record."""
    return all(isinstance(key, str) and key.isidentifier() for key in value)


def place_by_text(value: Concrete, write: Callable[[Concrete], str]) -> tuple[int, Any]:
    """Return a key that sorts numbers by size, and all else by its text, numbers in it by size too."""
    if isinstance(value, int) and not isinstance(value, bool):
        return 0, value
    words = re.split(r"(\d+)", write(value))
    return 1, [(int(word), "") if word.isdigit() else (-1, word) for word in words]


def show_tla(value: Concrete, words: Words) -> str:
    """Return a value as TLA+ writes it. A word without a meaning is a text already."""
    return TlaWriter(lambda one: words.get(one, one), lambda one: words.get(one) == one).write(value)


def show_record(fields: Iterable[tuple[str, str]]) -> str:
    """Return a record of fields, whose values are texts, as TLA+ writes it."""
    return f"[{', '.join(f'{name} |-> {text}' for name, text in fields)}]"


def list_words(value: Concrete) -> Iterator[str]:
    """Yield the words in a value."""
    match value:
        case str():
            yield value
        case Tagged():
            yield from list_words(value.payload)
        case tuple() | frozenset():
            for item in value:
                yield from list_words(item)
        case FrozenMap():
            for key, item in value.items():
                yield from list_words(key)
                yield from list_words(item)
