"""Methods that change something while a protocol is read are refused; what only keeps results is not."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from verifier.encodings.sorts import Range
from verifier.specs.definition import DefinitionError
from verifier.specs.members import action, invariant
from verifier.specs.protocol import Protocol, define
from verifier.specs.state import State
from verifier.specs.steps import Step

SEEN: list[Any] = []
RUNS = 0
IDS = itertools.count()
KINDS: Counter[str] = Counter()
OWN_NUMBERS = random.Random(1)


class Holder:
    """A helper with a field."""

    def __init__(self) -> None:
        self.inner = {"runs": [0]}


HOLDER = Holder()


class _Counting(Protocol):
    """Its invariant calls ``effect``, which each case gives."""

    log: list[int] = []  # noqa: RUF012 - what authors write

    def state(self) -> State:
        return State(x=Range(0, 3))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < 3], then={s.x: s.x + 1})

    @invariant()
    def small(self, s: Any) -> Any:
        self.effect(s)
        return s.x < 9

    def effect(self, s: Any) -> None:
        raise NotImplementedError


def _bumping() -> Callable[[], int]:
    runs = 0

    def bump() -> int:
        nonlocal runs
        runs += 1
        return runs

    return bump


BUMP = _bumping()


class ClassList(_Counting):
    def effect(self, s: Any) -> None:
        self.log.append(1)


class InstanceAttribute(_Counting):
    def effect(self, s: Any) -> None:
        self.runs = 1


class GlobalList(_Counting):
    def effect(self, s: Any) -> None:
        SEEN.append(s.x)


class GlobalNumber(_Counting):
    def effect(self, s: Any) -> None:
        global RUNS  # noqa: PLW0603 - what is refused
        RUNS += 1


class Closure(_Counting):
    def effect(self, s: Any) -> None:
        BUMP()


class Iterator(_Counting):
    def effect(self, s: Any) -> None:
        next(IDS)


class Counted(_Counting):
    def effect(self, s: Any) -> None:
        KINDS["small"] += 1


class Default(_Counting):
    def effect(self, s: Any, seen: list[int] = []) -> None:  # noqa: B006 - what is refused
        seen.append(1)


class OfHelper(_Counting):
    def effect(self, s: Any) -> None:
        HOLDER.inner["runs"][0] += 1


class RandomNumber(_Counting):
    def effect(self, s: Any) -> None:
        random.random()


class OwnRandomNumber(_Counting):
    def effect(self, s: Any) -> None:
        OWN_NUMBERS.random()


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        (ClassList, "the attribute log"),
        (InstanceAttribute, "the attribute runs of an instance"),
        (GlobalList, "the global name SEEN"),
        (GlobalNumber, "the global name RUNS"),
        (Closure, "runs around _bumping"),
        (Iterator, "the global name IDS"),
        (Counted, "the global name KINDS"),
        (Default, "the default 1 of Default.effect"),
        (OfHelper, "the global name HOLDER"),
        (RandomNumber, "the state of Python's random numbers"),
        (OwnRandomNumber, "the global name OWN_NUMBERS"),
    ],
)
def test_a_method_that_changes_something_is_refused(kind: type[Protocol], named: str) -> None:
    with pytest.raises(DefinitionError, match=rf"a method changes {named}.* while {kind.__name__} is read"):
        define(kind())


LOOP: list[Any] = [1]
LOOP.append(LOOP)


class ChangesLoop(_Counting):
    def effect(self, s: Any) -> None:
        LOOP[0] += 1


class ReadsLoop(_Counting):
    def effect(self, s: Any) -> None:
        assert LOOP[1] is LOOP


def test_a_list_may_contain_itself() -> None:
    assert [prop.name for prop in define(ReadsLoop()).properties] == ["small", "TypeInvariant"]
    with pytest.raises(DefinitionError, match="a method changes the global name LOOP"):
        define(ChangesLoop())


@functools.cache
def _limit(of: int) -> int:
    return of + 6


class Caching(_Counting):
    @functools.cached_property
    def limit(self) -> int:
        return _limit(3)

    def effect(self, s: Any) -> None:
        local = [self.limit]
        local.append(len(KINDS))
        assert local[0] == 9


def test_results_may_be_kept() -> None:
    assert define(Caching()).name == define(Caching()).name
