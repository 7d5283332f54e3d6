"""Values of a TLA+ module as TLA+ writes them.

In the sorts of a module, a string, a model value and a listed value are words. The words of an execution say
what each means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged

Words = Mapping[str, str]
"""For words of an execution the text of what they mean: ``"a"`` for a string, ``a`` for a model value."""


def show_tla(value: Concrete, words: Words) -> str:
    """Return a value as TLA+ writes it. A word without a meaning is a text already."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return words.get(value, value)
        case Tagged():
            return show_tla(value.payload, words)
        case tuple():
            return f"<<{', '.join(show_tla(item, words) for item in value)}>>"
        case frozenset():
            return f"{{{', '.join(show_tla(item, words) for item in sorted(value, key=_place))}}}"
        case FrozenMap():
            return _show_function(value, words)
    return str(value)


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


def _show_function(value: FrozenMap, words: Words) -> str:
    keys = list(value)
    if keys == list(range(1, len(keys) + 1)):
        return show_tla(tuple(value.values()), words)
    is_record = all(isinstance(key, str) and key.isidentifier() for key in keys)
    if is_record and not all(words.get(key) == key for key in keys):  # those are model values
        return show_record((key, show_tla(item, words)) for key, item in value.items())
    pairs = (f"{show_tla(key, words)} :> {show_tla(item, words)}" for key, item in value.items())
    return f"({' @@ '.join(pairs)})"


def _place(value: Concrete) -> tuple[int, int, str]:
    return (0, value, "") if isinstance(value, int) else (1, 0, str(value))
