r"""``\E x \in S : guard(x) /\ rest``: the members that satisfy the guard, found once for the columns that it
reads.

Rows are made for these members alone. This is sound because the sets and the leading conjuncts assign nothing
and name no step. So their ways to be true, and the order of these, are a function of the columns that they
read. If most rows read other values, the set is enumerated as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from verifier.tla.columns.batches import Batch, ColumnReference
from verifier.tla.columns.leaves import Members
from verifier.tla.columns.lists import Lists
from verifier.tla.columns.numbers import Classes, Packed
from verifier.tla.columns.truths import Chosen, Joined, Kept, Negated, Quantified, Tested, Truth, Unchanged
from verifier.tla.columns.walks import (
    Branches,
    Either,
    Exists,
    Guard,
    Named,
    Sequenced,
    Walk,
    mark_rows,
    new_mark,
)

_TRIED_ROWS = 5_000
"""The number of rows after which the share of repeated reads is judged."""


def make_lookup_walk(sets: Sequence[tuple[Members, Sequence[ColumnReference]]], body: Walk) -> Walk:
    r"""Return the walk of ``\E``."""
    plain = Exists(sets, body)
    first, rest = _split_leading_guards(body)
    if not first:
        return plain
    names = [of for _, own in sets for of in own]
    reads = _read_by([Exists(sets, Sequenced(first))])
    ordered = sorted(reads, key=lambda of: (of.name, of.primed))
    return LookUp(plain, Sequenced(first), rest, names, _Ways(ordered, len(names)))


def _split_leading_guards(body: Walk) -> tuple[list[Walk], Walk]:
    """Return the leading conjuncts that assign nothing, and the rest."""
    match body:
        case Named():
            first, rest = _split_leading_guards(body.body)
            return first, replace(body, body=rest)
        case Sequenced():
            count = next((n for n, item in enumerate(body.items) if not _only_tests(item)), len(body.items))
            return list(body.items[:count]), Sequenced(body.items[count:])
    return ([body], Sequenced(())) if _only_tests(body) else ([], body)


def _only_tests(walk: Walk) -> bool:
    match walk:
        case Guard():
            return True
        case Sequenced() | Branches():
            return all(map(_only_tests, walk.items))
        case Either():
            return _only_tests(walk.then) and _only_tests(walk.otherwise)
        case Exists():
            return _only_tests(walk.body)
        case LookUp():
            return _only_tests(walk.plain)
    return False


def _read_by(walks: Iterable[Walk]) -> set[ColumnReference]:
    """Return the variables and names from outside that walks read."""
    references: set[ColumnReference] = set()
    for walk in walks:
        match walk:
            case Guard():
                references |= _find_tested_columns([walk.test])
            case Sequenced() | Branches():
                references |= _read_by(walk.items)
            case Either():
                references |= _find_tested_columns([walk.condition]) | _read_by([walk.then, walk.otherwise])
            case Exists():
                names = {of for _, own in walk.sets for of in own}
                references |= _read_by([walk.body]) - names
                references |= _find_base_columns(of for members, _ in walk.sets for of in members.reads)
            case LookUp():
                references |= _read_by([walk.plain])
            case _:
                raise TypeError(type(walk).__name__)
    return references


def _find_tested_columns(truths: Iterable[Truth]) -> set[ColumnReference]:
    references: set[ColumnReference] = set()
    for truth in truths:
        match truth:
            case Tested():
                references |= _find_base_columns(truth.leaf.reads)
            case Joined():
                references |= _find_tested_columns(truth.items)
            case Negated():
                references |= _find_tested_columns([truth.item])
            case Chosen():
                references |= _find_tested_columns([truth.condition, truth.then, truth.otherwise])
            case Quantified():
                references |= _find_tested_columns([truth.body]) - set(truth.names) | _find_base_columns(
                    truth.members.reads
                )
            case Kept():
                references |= _find_base_columns([truth.now, truth.next])
            case Unchanged():
                references |= _find_base_columns([*truth.now.reads, *truth.next.reads])
            case _:
                raise TypeError(type(truth).__name__)
    return references


def _find_base_columns(columns: Iterable[ColumnReference]) -> set[ColumnReference]:
    """Return the columns with derived columns replaced by those that they read."""
    references: set[ColumnReference] = set()
    for of in columns:
        references |= {of} if of.derived is None else _find_base_columns(of.derived.reads)
    return references


class _Ways:
    """The lists of members that satisfy the leading conjuncts, by the columns read."""

    def __init__(self, reads: Sequence[ColumnReference], names: int) -> None:
        self.names, self.reads, self.packed = names, reads, Packed([of.numbers for of in reads])
        self.asked = self.made = 0
        self.forget()

    def forget(self) -> None:
        """Forget all lists: keys have changed their meaning, or some of them have no list."""
        self.classes, self.lists = Classes(), Lists(self.names)

    @property
    def pays(self) -> bool:
        """True if enough rows read the same values."""
        return self.asked < _TRIED_ROWS or self.made * 2 < self.asked


@dataclass(frozen=True)
class LookUp(Walk):
    r"""``\E`` with a list of members for each key of the columns that its set and leading conjuncts read."""

    plain: Exists
    first: Walk
    rest: Walk
    names: Sequence[ColumnReference]
    ways: _Ways
    mark: ColumnReference = field(default_factory=new_mark)

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch) or not self.ways.pays:
            return self.plain.rows(batch)
        known = self.ways
        if known.packed.outgrown():
            known.forget()
        keys = known.packed.keys([batch.column(of) for of in known.reads], len(batch))
        numbers, new = known.classes.find(keys)
        known.asked, known.made = known.asked + len(batch), known.made + len(new)
        try:
            if len(new):
                self._list(batch.take(new))
        except BaseException:
            known.forget()
            raise
        return self.rest.rows(known.lists.expand(batch, numbers, self.names)).without(self.names)

    def _list(self, batch: Batch) -> None:
        """List the members for rows that are not known."""
        lists = self.ways.lists
        made = self.first.rows(self.plain.expand(mark_rows(batch, self.mark)))
        sizes = np.bincount(made.column(self.mark), minlength=len(batch)) if len(made) else [0] * len(batch)
        ends = len(lists.flat[0]) + np.cumsum(sizes)
        lists.starts.extend((ends - sizes).tolist())
        lists.sizes.extend(np.asarray(sizes).tolist())
        for flat, of in zip(lists.flat, self.names, strict=True):
            flat.extend(made.column(of).tolist() if len(made) else [])
