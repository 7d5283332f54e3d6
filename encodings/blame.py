"""The parts of a state to blame for a false formula, and why it is false, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_LONGEST = 90
"""The most characters of a value in a sentence."""
_MOST = 4
"""The most members that a sentence names."""
_MIRRORED = {"<": ">", "≤": "≥", ">": "<", "≥": "≤"}
_MUST = {
    "<": "must be less than",
    ">": "must be more than",
    "≤": "must be at most",
    "≥": "must be at least",
}


@dataclass(frozen=True)
class Culprit:
    """A part of the state that decides that a formula is false."""

    path: str
    """A path, or an expression over the state."""
    members: tuple[str, ...] = ()
    """The members of its value that are too many; empty if it is the whole value."""

    @property
    def as_json(self) -> dict[str, Any]:
        """It as a trace file has it."""
        return {"path": self.path, **({"members": list(self.members)} if self.members else {})}


@dataclass(frozen=True)
class Blame:
    """Why a formula is false, and the parts of the state to blame; of a true one, those that decide it."""

    says: str
    """Empty for a true formula."""
    culprits: tuple[Culprit, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Of a disjunction, why each part is false."""
    context: tuple[str, ...] = ()
    """Of a count, the parts of the state that speak for the elements that nearly count."""

    @property
    def as_json(self) -> dict[str, Any]:
        """It as a trace file has it."""
        context = {"context": list(self.context)} if self.context else {}
        says = {"says": self.says} if self.says else {}
        return {**says, "culprits": [one.as_json for one in self.culprits], **context}


@dataclass(frozen=True)
class Side:
    """A side of a comparison."""

    words: str
    value: str
    members: tuple[str, ...] | None
    """Of a set, its members."""
    paths: tuple[str, ...]
    """The parts of the state that it mentions."""
    sources: Mapping[str, tuple[Culprit, ...]] = field(default_factory=dict)
    """Of a set that is made from others, the parts of the state that decide about each element."""
    own: tuple[Culprit, ...] = ()
    """The parts that it mentions, with their members where these are known; empty if none are known."""

    @property
    def is_fixed(self) -> bool:
        """True if it does not depend on the state."""
        return not self.paths

    @property
    def named(self) -> str:
        """Its words with its value, where these differ."""
        return (
            self.value
            if self.is_fixed or self.words == self.value
            else f"{self.words}, which is {self.shown}"
        )

    @property
    def shown(self) -> str:
        """Its value, in short if it is long."""
        return cut(self.value)

    def culprits(self, members: tuple[str, ...] = ()) -> list[Culprit]:
        """The parts of the state that it mentions, to blame for some members."""
        if members and all(one in self.sources for one in members):
            return list(dict.fromkeys(part for one in members for part in self.sources[one]))
        own = self.own or map(Culprit, self.paths)
        return [Culprit(one.path, members) if members and one.path == self.words else one for one in own]


def blame_comparison(relation: str, left: Side, right: Side) -> Blame:
    """Say why ``left relation right`` is false. The relation is one of ``= ≠ < ≤ > ≥ ⊆ ∈ ∉``."""
    both = tuple(dict.fromkeys([*left.culprits(), *right.culprits()]))
    match relation:
        case "∈":
            return Blame(f"{_item(left)} is not in {right.named}", both)
        case "∉":
            own = [*left.culprits(), *right.culprits((left.value,))]
            return Blame(f"{_item(left)} is in {right.words}, and must not be", tuple(own))
        case "⊆" if left.members is not None and right.members is not None:
            extra = tuple(one for one in left.members if one not in right.members)
            words = f"{left.words} has {list_names(extra)}, not in {right.named}"
            is_known = all(one in right.sources for one in extra)
            lacking = right.culprits(extra if is_known else ())
            return Blame(words, tuple(dict.fromkeys((*left.culprits(extra), *lacking))))
        case "=" if left.members is not None and right.members is not None:
            return _unequal_sets(left, right)
    if left.is_fixed and not right.is_fixed:
        left, right, relation = right, left, _MIRRORED.get(relation, relation)
    match relation:
        case "=":
            words = f"{left.words} is {left.shown}, and must be {right.named}"
        case "≠" if right.is_fixed and not (left.is_fixed and right.words != right.value):
            words = f"{left.words} is {left.shown}, and must not be"
        case "≠":
            words = f"{left.words} and {right.words} are both {left.shown}"
        case _:
            must = _MUST.get(relation, f"must be {relation}")
            words = f"{left.words} is {left.shown}, and {must} {right.named}"
    return Blame(words, both)


def _unequal_sets(left: Side, right: Side) -> Blame:
    """Name the members that one set has and the other lacks."""
    assert left.members is not None
    assert right.members is not None
    if left.is_fixed:
        left, right = right, left
    extra = tuple(one for one in left.members or () if one not in (right.members or ()))
    absent = tuple(one for one in right.members or () if one not in (left.members or ()))
    if not right.members:
        words = f"{left.words} must be empty, and has {list_names(extra)}"
    else:
        has = [f"has {list_names(extra)}, which is too many"] if extra else []
        has += [f"lacks {list_names(absent)}"] if absent else []
        words = f"{left.words} {' and '.join(has)}: it must be {right.named}"
    return Blame(words, (*left.culprits(extra), *right.culprits(absent)))


def _item(side: Side) -> str:
    return side.shown if side.is_fixed or side.words == side.value else f"{side.shown} ({side.words})"


def join_blames(parts: Sequence[Blame]) -> Blame:
    """Say why a disjunction is false: because of all its parts, and each of them would do."""
    culprits = dict.fromkeys(one for part in parts for one in part.culprits)
    told = [says for part in parts for says in part.alternatives or (part.says,)]
    says = tuple(dict.fromkeys(told))
    if len(says) == 1:
        return Blame(says[0], tuple(culprits))
    more = f"; and {len(says) - _MOST} more" if len(says) > _MOST else ""
    # Behind "and must be" an "or" would be read as a choice of what must be.
    parts_told = [one.replace(", and must be ", ", not ") for one in says[:_MOST]]
    which = "neither" if len(says) == 2 else "no"
    return Blame(f"{which} alternative holds: {'; and '.join(parts_told)}{more}", tuple(culprits), says)


def list_names(names: Sequence[str]) -> str:
    """Names with commas, the first of many."""
    rest = len(names) - _MOST
    return ", ".join([*map(cut, names[:_MOST]), *([f"{rest} more"] if rest > 0 else [])])


def cut(words: str, most: int = _LONGEST) -> str:
    """A long value in short."""
    return words if len(words) <= most else f"{words[: most - 1]}…"
