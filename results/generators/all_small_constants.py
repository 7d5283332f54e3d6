"""The naive check of a proof for all constants: a property explored at all small constants.

Each set has one to four elements, and each integer is 0 to 3. A set of sets, such as quorums, has all values
over two elements, and some over more: all majorities, and drawn ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import verifier
from verifier.errors import UsageError
from verifier.runs.modules.constant_choices import Choice, with_families
from verifier.runs.modules.loading import load
from verifier.tla.explorer import Explorer
from verifier.tla.first_order.constants import Constants, classify
from verifier.tla.specification import Specification, without_traces
from verifier.verdict import VerdictKind

_MOST_ELEMENTS = 4
_MOST_STATES = 200_000
_SECONDS = 10.0
"""The limit of seconds at one choice of constants."""
_ALL_SECONDS = 30.0
"""The limit of processor seconds for a property."""


@dataclass
class Explored:
    """The extent of the exploration of a property."""

    complete: int = 0
    """The number of choices at which all states were explored."""
    partly: int = 0
    """The choices with too many states, and those that have more elements than such a choice."""
    states: int = 0
    violated: str = ""
    """The constants of a violation."""

    def __str__(self) -> str:
        if self.violated:
            return f"**VIOLATED with {self.violated}**"
        more = f", not at {self.partly}" if self.partly else ""
        return f"{self.complete} choices, {self.states:,} states{more}"


def explore_at_all(module: Path, property_name: str) -> Explored:
    """Explore a property at all small constants, the smallest first, until it is violated."""
    specification = load(str(module), {}, module.with_suffix(".cfg"), ()).specification
    found, began, too_large = Explored(), time.process_time(), list[Choice]()
    for choice in _choices(classify(specification)):
        beyond = time.process_time() - began > _ALL_SECONDS
        if beyond or any(_is_within(one, choice) for one in too_large):
            found.partly += 1
            continue
        at = choice.settings(classify(specification))
        if not _is_assumed(load(str(module), at, module.with_suffix(".cfg"), ()).specification):
            continue
        run = verifier.load(module, **at).explore(property_name, max_states=_MOST_STATES, timeout=_SECONDS)
        verdict = run.results[0].verdict
        found.states += run.statistics.get("distinct_states", 0)
        if verdict is VerdictKind.VIOLATED:
            found.violated = choice.shown
            return found
        if verdict is VerdictKind.HOLDS:
            found.complete += 1
        else:
            found.partly += 1
            too_large.append(choice)
    return found


def _is_assumed(specification: Specification) -> bool:
    """True if all ASSUMEs of the module are true."""
    try:
        with without_traces(specification):
            Explorer(specification, properties=()).assume()
    except UsageError:
        return False
    return True


def _choices(constants: Constants) -> Iterator[Choice]:
    sets = [name for name in constants.sets if name not in constants.families]
    names = [*sets, *constants.numbers]
    values = [range(1, _MOST_ELEMENTS + 1)] * len(sets) + [range(_MOST_ELEMENTS)] * len(constants.numbers)
    for sizes in sorted(product(*values), key=sum):
        yield from with_families(dict(zip(names, sizes, strict=True)), constants, Random(0))


def _is_within(one: Choice, other: Choice) -> bool:
    """True if the other choice has at least as many elements of each set. Families do not count: their number
    of sets says little about the number of states."""
    names = one.sizes.keys() - one.families.keys()
    return all(one.sizes[name] <= other.sizes[name] for name in names)
