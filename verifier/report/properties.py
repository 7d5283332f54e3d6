"""The property on a verdict's page: its formula, and what its author wrote about it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifier.outcomes.row import ASKED, LEMMA, Row
from verifier.verdict import VerdictKind

_LOGIC = re.compile(
    r"/\\|\\/|=>|<=>|~|\\[AE]|\\(?:land|lor|lnot|neg|equiv)|\[\]|<>|[∧∨⇒¬∀∃:]|\b(?:IF|LET|CASE|CHOOSE)\b"
)
"""Signs beside which a comparison is only a part of the formula."""
_NEGATED = {
    "#": "=", "/=": "=", "≠": "=", "\\notin": "\\in", "∉": "∈",
}  # fmt: skip
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<<", ">>"))
_COMPARISON = re.compile(r"(?P<left>.+?) (?P<sign>#|/=|≠|\\notin|∉) (?P<right>.+)", re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """The property of a verdict."""

    kind: str
    says: str
    """Its formula."""
    never: str
    """Of an invariant that forbids one thing, such as a goal in place of its negation: that thing."""
    description: str
    """The documentation that a protocol gives it."""
    comment: str
    """The comment above its definition in a module, which may be about anything."""


def asked_of(row: Row) -> Asked | None:
    """Return the property of a row, or the lemma that fails in its place; None if it says nothing of it."""
    asked = row.statistics.get(LEMMA) or row.statistics.get(ASKED)
    if not asked:
        return None
    kind, says, words = (str(asked.get(key, "")) for key in ("kind", "says", "description"))
    is_comment = "module" in row.statistics and bool(says)
    forbids = row.verdict is VerdictKind.VIOLATED and kind == "invariant"
    return Asked(
        kind,
        says,
        find_forbidden(says) if forbids else "",
        "" if is_comment else words,
        words if is_comment else "",
    )


def find_forbidden(formula: str) -> str:
    """Return the one comparison that a formula negates, as ``big = 4`` of ``big # 4``; else nothing."""
    found = _COMPARISON.fullmatch(formula.strip())
    if found is None or _LOGIC.search(formula) or _COMPARISON.search(found["right"]):
        return ""
    sides = found.group("left", "right")
    if any(side.count(opening) != side.count(closing) for side in sides for opening, closing in _PAIRS):
        return ""  # the comparison stands in brackets
    return f"{found['left']} {_NEGATED[found['sign']]} {found['right']}"
