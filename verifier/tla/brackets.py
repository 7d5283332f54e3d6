"""Find the bracket of a module that is not closed, for the error about unreadable text."""

from __future__ import annotations

import re

_CLOSING = {"(": ")", "[": "]", "{": "}", "<<": ">>"}
_TOKEN = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\\n])*")|(?P<begin>-{4,}[ \t]*MODULE\b)|(?P<end>={4,})"""
    r"""|(?P<open><<|[(\[{])|(?P<close>>>|[)\]}])"""
)


def find_wrong_bracket(text: str) -> tuple[int, str] | None:
    """Return the first bracket without a counterpart: its offset in a text without comments, and the mistake.
    Text outside of modules has no brackets."""
    modules, unclosed = 0, list[tuple[int, str]]()
    for token in _TOKEN.finditer(text):
        word = token[0]
        if token["begin"]:
            modules += 1
        elif not modules or token["string"]:
            continue
        elif token["end"]:
            modules -= 1
            if unclosed:
                break
        elif token["open"]:
            unclosed.append((token.start(), word))
        elif not unclosed:
            return token.start(), f"this {word} closes no bracket"
        elif _CLOSING[unclosed[-1][1]] == word:
            unclosed.pop()
        else:
            break
    return _name_unclosed(*unclosed[-1]) if unclosed else None


def _name_unclosed(offset: int, word: str) -> tuple[int, str]:
    return offset, f"this {word} is not closed"
