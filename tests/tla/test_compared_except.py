"""``x' = [f EXCEPT ![i] = e]`` where ``x'`` is known: not made if it plainly differs, and never told apart
wrongly."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier.tla import excepting
from verifier.tla.comparing import differs_plainly, equals
from verifier.tla.errors import Place
from verifier.tla.excepting import DIFFERENT, put_at
from verifier.tla.value_types import FALSE, TRUE, Fn, NoValue, Value, function

SCALARS: list[Value] = [0, 1, 2, "a", "b", TRUE, FALSE]
NOWHERE: Any = partial(Place, "M", 1, 1)


def make_function(chance: Random, depth: int) -> Value:
    """Return a random function, record or tuple of tuples and scalars of several kinds."""
    keys: list[Value] = chance.choice([[1, 2], [1, 2, 3], ["f", "g"]])
    pairs: dict[Value, Value] = {
        key: make_function(chance, depth - 1) if depth and chance.random() < 0.7 else chance.choice(SCALARS)
        for key in keys
    }
    return function(pairs) if 1 in keys else Fn(pairs)


def change(value: Value, chance: Random) -> Value:
    """Return a value that is nearly the same."""
    if type(value) is tuple:
        at = chance.randrange(len(value))
        return (*value[:at], change(value[at], chance), *value[at + 1 :])
    if type(value) is Fn:
        made, key = Fn(value), chance.choice(list(value))
        made[key] = change(value[key], chance)
        return made
    return chance.choice(SCALARS)


def give(item: Value, _: object) -> Value:
    return item


def find_wrong(count: int) -> tuple[int, list[tuple[Value, ...]]]:
    """Return how many were told apart before they were made, and those that are equal or not compared."""
    chance, wrong, apart = Random(7), list[tuple[Value, ...]](), 0
    for _ in range(count):
        whole = make_function(chance, 2)
        known, path, inner = change(change(whole, chance), chance), list[Value](), whole
        while type(inner) in (Fn, tuple) and (not path or chance.random() < 0.7):
            keys: list[Value] = list(inner) if type(inner) is Fn else list(range(1, len(inner) + 1))
            path.append(chance.choice(keys))
            inner = inner[path[-1]] if type(inner) is Fn else inner[path[-1] - 1]
        item = chance.choice(SCALARS)
        nobody: Any = None
        put = partial(put_at, nobody, NOWHERE, whole, path, partial(give, item), [None], 0)
        if put(known) is DIFFERENT:
            apart += 1
            try:
                if equals(known, put()):
                    wrong.append((known, whole, item))
            except NoValue:
                wrong.append((known, whole, item))
    return apart, wrong


def test_what_is_told_apart_is_compared_and_not_equal() -> None:
    apart, wrong = find_wrong(4_000)
    assert apart > 200
    assert not wrong


def test_without_the_look_at_earlier_items_of_a_tuple_it_would_be_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def look_at_the_end(known: Any, parts: list[Any], path: list[Any], item: Value) -> bool:
        for argument in path:
            if type(known) not in (Fn, tuple):
                return False
            known = known[argument] if type(known) is Fn else known[argument - 1]
        return differs_plainly(item, known)

    monkeypatch.setattr(excepting, "_differs_at", look_at_the_end)
    assert find_wrong(4_000)[1]


def test_a_step_is_refused_or_taken_as_before(tmp_path: Path) -> None:
    text = r"""---- MODULE Beside ----
EXTENDS Naturals
VARIABLES x, n
Init == x = [k \in {"a", "b"} |-> <<0, 0>>] /\ n = 0
Next == /\ n < 2 /\ n' = n + 1
        /\ x' \in [{"a", "b"} -> {<<0, 0>>, <<0, 1>>, <<1, 1>>}]
        /\ \E k \in {"a", "b"}, i \in 1..2, v \in 0..1 : x' = [x EXCEPT ![k][i] = v]
Spec == Init /\ [][Next]_<<x, n>>
Same == [][\E k \in {"a", "b"}, i \in 1..2, v \in 0..1 : x' = [x EXCEPT ![k][i] = v]]_x
Other == [][\A k \in {"a", "b"}, i \in 1..2, v \in 0..1 : x' # [x EXCEPT ![k][i] = v]]_x
====
"""
    (tmp_path / "Beside.tla").write_text(text)
    (tmp_path / "Beside.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Same Other\nCHECK_DEADLOCK FALSE\n")
    found = verify("explore", str(tmp_path / "Beside.tla"), "--property", "all")
    lines = [line.split() for line in found.stdout.splitlines()]
    assert ["Same", "HOLDS(2)"] in [line[:2] for line in lines]
    assert ["Other", "VIOLATED"] in [line[:2] for line in lines]
    assert any(line[:3] == ["distinct", "states", "10"] for line in lines), found.stdout
