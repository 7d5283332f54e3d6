"""Text from anywhere made fit to be shown: what steers terminals, or hides or reorders text, is escaped. And
words joined as in a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_BREAKS = "\t\n"
_STEERING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff"
"""Control characters, what reorders text or cannot be seen, and lone surrogates."""
_IN_A_LINE = re.compile(f"[{_BREAKS}{_STEERING}]")
_IN_A_TEXT = re.compile(f"[{_STEERING}]")


def printable(words: str) -> str:
    """Words for one line: ``\\x1b[2J`` stands where a terminal would be cleared, ``\\n`` for a line's end."""
    return _IN_A_LINE.sub(_escape, words)


def printable_text(text: str) -> str:
    """Make text of several lines printable, whose ends and tabs stay."""
    return _IN_A_TEXT.sub(_escape, text)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence: ``a, b and c``. ``last``: the word before the last one."""
    before, end = ", ".join(words[:-1]), "".join(words[-1:])
    return f"{before} {last} {end}" if before else end


def say_count(count: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 state``, ``12 states``. ``several`` is a plural of other form."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def encode(text: str) -> bytes:
    """Text as UTF-8; of a lone surrogate, which UTF-8 does not have, the number, as formats' symbols can have
    it: ``&#55296;``."""
    return text.encode("utf-8", "xmlcharrefreplace")


def json_text(value: Any, indent: int | None = 2, separators: tuple[str, str] | None = None) -> str:
    """A value as JSON in Unicode; what is escaped elsewhere is escaped here as JSON has it."""
    plain = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _IN_A_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def say_never_enabled(actions: Iterable[str], where: str = "") -> str:
    """Say that actions were never enabled. ``where`` limits that to some states, with a space before it."""
    return f"never enabled{where}: {', '.join(actions)} (a guard too strong?)"
