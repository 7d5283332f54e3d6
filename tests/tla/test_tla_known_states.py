"""States by the numbers of their values, against states as they are; what a search may leave out of that."""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.tla_modules import explore_module
from verifier.tla.exploration_result import State
from verifier.tla.known_states import KnownStates
from verifier.tla.value_types import FALSE, TRUE, Fn, Value

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"


def _value(chance: random.Random) -> Value:
    """A value among few, made again each time, with those that Python's own values would mix up."""
    number = chance.randrange(3)
    return chance.choice(
        [number, TRUE, FALSE, str(number), Fn({"a": number}), frozenset((number,)), (number, (number,))]
    )


def test_states_are_told_apart_as_they_are() -> None:
    chance = random.Random(7)
    known, naive = KnownStates(None, None), dict[State, int]()
    before: State = (0, 0, 0)
    known.add(before, -1, None)
    naive[before] = 0
    for _ in range(3000):
        state = tuple(one if chance.random() < 0.5 else _value(chance) for one in before)
        row = known.row(state)
        assert known.with_row(row) == known.find(state)[1] == naive.get(state)
        if state not in naive:
            naive[state] = known.add(state, naive[before], row)
        before = known.states[naive[state]]
        assert before == state
    assert [naive[state] for state in known.states] == list(range(len(naive)))


def test_a_constraint_that_changes_is_asked_again_of_a_known_state(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x' \\in {0, 1}\n"
        'Early == TLCGet("level") < 3'
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nCONSTRAINT Early").result
    assert (found.distinct, found.generated, found.beyond) == (2, 5, 2)


def test_a_step_is_looked_at_where_its_state_is_known(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x \\in 0..3\nNext == x' = (x + 1) % 4\nUp == [][x' > x]_x"
    found = explore_module(tmp_path, body, f"{QUIET}\nPROPERTY Up").result
    assert found.violations["Up"].states == [(3,), (0,)]


def test_steps_to_new_and_known_states_are_not_mixed_up(tmp_path: Path) -> None:
    """The values of a new state may be the numbers of a known state's values."""
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x \\in {7, 9}\nNext == x = 7 /\\ x' \\in {0, 1, 9}\n"
        "Known == [][x' # 9]_x"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nPROPERTY Known").result
    assert found.violations["Known"].states == [(7,), (9,)]


def test_a_value_of_the_next_state_is_not_the_one_of_this_state(tmp_path: Path) -> None:
    """A remembered value of this state holds for the next one only if no variable that it reads changed."""
    body = (
        "EXTENDS Naturals, FiniteSets\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == \\/ x' = x /\\ y < 3 /\\ y' = y + 1\n        \\/ y' = y /\\ x < 3 /\\ x' = x + 1\n"
        "Below == {i \\in 0..9 : i < x + y}\nSize == Cardinality(Below)\n"
        "Grows == [][Size' = Size + 1]_<<x, y>>\nStays == [][Size' = Size]_<<x, y>>"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nPROPERTIES Grows Stays").result
    assert found.violations.keys() == {"Stays"}
    assert found.distinct == 16
