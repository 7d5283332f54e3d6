"""Find a misspelled operator, or ``=`` for ``==``, in text that the parser could not read."""

from __future__ import annotations

import re

from verifier.errors import nearest
from verifier.tla.errors import Place, TlaError
from verifier.tla.precedence import list_spellings
from verifier.tla.text import Source

_COMMON = ("in", "notin", "cup", "cap", "union", "intersect", "subseteq", "div", "leq", "geq", "land", "lor")
"""The operators that are suggested first, without their backslash."""
_KNOWN = {"forall", "exists", *(name[1:] for name in list_spellings() if re.fullmatch(r"\\[a-z]+", name))}
_OPERATOR = re.compile(r"""(?P<string>"(?:\\.|[^"\\\n])*")|\\(?P<word>[a-z]+)(?!\w)""")
_NUMBER = re.compile(r"(b[01]|o[0-7]|h[0-9a-f])", re.IGNORECASE)
_SINGLE_EQUALS = re.compile(r"(?P<head>[A-Za-z]\w*(?:\([^()]*\)|\[[^\[\]]*\])?[ \t]*)=(?!=)")
_ENDS_UNIT = re.compile(r"[\w)\]}\"']\s*$|-{4,}\s*$")
"""A line after which a definition may begin. After another one, the expression goes on."""


def find_misspelling(source: Source, row: int) -> TlaError | None:
    """Return the error for a word that is the probable cause, or None. The parser gave up in this row,
    counted from 0."""
    return _find_unknown_operator(source, row) or _find_single_equals(source, row)


def _find_unknown_operator(source: Source, row: int) -> TlaError | None:
    r"""Return the error for an operator that TLA+ lacks. ``S \x`` is the difference of S and a known x."""
    begin = sum(len(line) + 1 for line in source.lines[:row])
    for token in _OPERATOR.finditer(source.text, begin):
        word = token["word"]
        if word is None or word in _KNOWN or _NUMBER.match(word):
            continue
        if re.search(rf"(?<![\\\w]){word}(?!\w)", source.text):
            continue
        near = nearest(word, _COMMON) or nearest(word, _KNOWN)
        hint = f"; did you mean \\{near}?" if near else ""
        return TlaError(source.place_at(token.start()), f"unknown operator \\{word}{hint}")
    return None


def _find_single_equals(source: Source, row: int) -> TlaError | None:
    """Return the error for a line that would be a definition with another ``=``."""
    found = _SINGLE_EQUALS.match(source.lines[row])
    before = next((line for line in reversed(source.lines[:row]) if line.strip()), "")
    if found is None or not _ENDS_UNIT.search(before):
        return None
    place = Place(source.file, row + 1, len(found["head"]) + 1)
    return TlaError(place, "syntax error: unexpected `=`; a definition is written with ==")
