"""Formulas of small constants that name all elements of a set, generalised by a quantifier inside.

"Not all of: n1 lacks k, n2 lacks k" says at two nodes that some node has k. Its parts that differ only in the
element, and name each element once, become ``forall(… for e1 in self.Node)``. If they name each but one that
other parts name, they become a statement about all other elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

Variables = tuple[tuple[str, str], ...]
"""Variables, each with the text of its sort."""
_FEWEST = 2
"""The number of elements from which all of them may stand for any number."""


def cover_elements(
    variables: Variables, parts: Sequence[str], sizes: Mapping[str, int]
) -> Iterator[tuple[Variables, tuple[str, ...]]]:
    """Yield formulas with quantifiers inside: the variables and the parts of a conjunction that is excluded.

    ``sizes``: the number of elements of each sort at the constants of the formula.
    """
    seen = []
    for leaves_one in (False, True):
        covered, number = list(parts), 0
        for sort, size in sizes.items():
            names = [name for name, its in variables if its == sort]
            if len(names) == size >= _FEWEST:
                number += 1
                covered = _cover(covered, names, sort, f"e{number}", leaves_one=leaves_one)
        if covered != list(parts) and covered not in seen:
            seen.append(covered)
            plain = [part for part in covered if _is_said(part)]
            kept = tuple(pair for pair in variables if any(_names(part, pair[0]) for part in plain))
            gone = [name for name, sort in variables if (name, sort) not in kept]
            yield kept, tuple(part for part in covered if not any(_names(part, name) for name in gone))


def _is_said(part: str) -> bool:
    """False for an inequality of variables."""
    return " != " not in part


def _cover(
    parts: Sequence[str], names: Sequence[str], sort: str, bound: str, *, leaves_one: bool
) -> list[str]:
    groups: dict[str, list[str]] = {}
    others: list[str] = []
    for part in parts:
        own = [name for name in names if _names(part, name)]
        if len(own) == 1 and _is_said(part):
            groups.setdefault(_put(part, own[0], bound), []).append(own[0])
        else:
            others.append(part)
    made: list[str] = []
    for pattern, covered in groups.items():
        missing = [name for name in names if name not in covered]
        if not missing:
            made.append(f"forall({pattern} for {bound} in {sort})")
        elif leaves_one and len(missing) == 1 and covered:
            made.append(f"forall(({bound} == {missing[0]}) | {pattern} for {bound} in {sort})")
        else:
            others += [_put(pattern, bound, name) for name in covered]
    return [*others, *made]


def _names(part: str, name: str) -> bool:
    return re.search(rf"(?<!['\w.]){name}(?!['\w])", part) is not None


def _put(part: str, name: str, other: str) -> str:
    return re.sub(rf"(?<!['\w.]){name}(?!['\w])", other, part)
