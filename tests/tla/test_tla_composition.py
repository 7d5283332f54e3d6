r"""Composed actions, ``A \cdot B``, by the interpreter: what TLC's own tests expect, and what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module
from verifier.tla.frames import Undefined

CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
# The steps of TLC's own ActionComposition, written again.
COMPOSED = r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
A == (x = 0 /\ x' \in {1, 2, 3}) \/ (x = 4 /\ x' = 5)
B == (x \in {1, 2} /\ x' \in {2, 4}) \/ (x = 5 /\ x' = 6)
Next == A \cdot B
Spec == Init /\ [][Next]_x
Inv == x < 3 \/ ENABLED Next
Never == [][~(B \cdot A)]_x
Same == [][Next]_x
"""


def test_tlcs_test_has_its_counts_and_its_violation(tmp_path: Path) -> None:
    config = "SPECIFICATION Spec\nINVARIANT Inv\nPROPERTY Never Same\nCHECK_DEADLOCK FALSE"
    found = explore_module(tmp_path, COMPOSED, config).result
    assert (found.generated, found.distinct) == (10, 4)
    assert {name: one.states for name, one in found.violations.items()} == {"Inv": [(0,), (4,), (6,)]}


CHAINED = r"""EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
A(S) == \E n \in S : x' = x + n
"""


@pytest.mark.parametrize(
    "next_is", [r"A({1,2}) \cdot A({3,4}) \cdot A({5})", r"A({1,2}) \cdot (A({3,4}) \cdot A({5}))"]
)
def test_chains_are_composed(next_is: str, tmp_path: Path) -> None:
    found = explore_module(tmp_path, f"{CHAINED}Next == x = 0 /\\ {next_is}", CONFIG)
    assert sorted(found.states) == [(0,), (9,), (10,), (11,)]
    if next_is.startswith(r"A({1,2}) \cdot A"):
        assert found.result.generated == 9  # TLC's count


def test_a_composed_relation_is_the_product_of_both(tmp_path: Path) -> None:
    """On all pairs of states, as a test and as a step."""
    body = r"""EXTENDS Naturals
VARIABLES x, y
Init == x \in 0..3 /\ y = 0
A == x' = (x + 1) % 4 /\ y' \in {x, 2}
B == x' = y /\ y' \in {0, x} /\ x # 1
Next == A \cdot B
Is == [][(x' = 3 /\ y' = 3) => A \cdot B]_<<x, y>>
None == [][~(A \cdot B)]_<<x, y>>
"""
    config = f"{CONFIG}PROPERTY Is None"
    explorer = explore_module(tmp_path, body, config)

    def following(x: int) -> set[tuple[int, int]]:
        between = [((x + 1) % 4, y) for y in {x, 2}]
        return {(y, last) for x, y in between if x != 1 for last in (0, x)}

    reached, waiting = set[tuple[int, int]](), [(x, 0) for x in range(4)]
    while waiting:
        state = waiting.pop()
        if state not in reached:
            reached.add(state)
            waiting += following(state[0])
    assert set(explorer.states) == reached
    assert set(explorer.result.violations) == {"None"}


REFUSED = {
    r"Next == (x' = x + 1) \cdot (x' = y /\ y' = x)": "leaves y open, which the second one reads",
    r"F(a) == (x' = 1 /\ y' = 1) \cdot (x' = a /\ y' = a) Next == F(x)": r"a stands around \\cdot",
    r"Next == LET a == x IN (x' = 1 /\ y' = 1) \cdot (x' = a /\ y' = a)": r"a stands around \\cdot",
    r"F(G(_)) == (x' = 1 /\ y' = 1) \cdot (x' = G(1) /\ y' = 1) Next == F(LAMBDA k : k)": r"G stands around",
}


@pytest.mark.parametrize("next_is", REFUSED)
def test_what_would_speak_of_another_state_is_refused(next_is: str, tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
    with pytest.raises(Undefined, match=REFUSED[next_is]):
        explore_module(tmp_path, body + next_is, CONFIG)


ALLOWED = {
    r"F(a) == (x' = a /\ y' = x) \cdot (x' = a + y /\ y' = a) Next == F(2)": {(0, 0), (2, 2), (4, 2)},
    r"Next == \E a \in {1, x + 1} : (x' = x /\ y' = 1) \cdot (x' = a /\ y' = y) /\ x < 2": {
        (0, 0),
        (1, 1),
        (2, 1),
    },
    r"Next == LET a == 2 B == x' = x + a /\ y' = y IN x = 0 /\ (x' = 1 /\ y' = 1) \cdot B": {(0, 0), (3, 1)},
    # What the second action makes is of the state between, also where it is computed late.
    r"Next == x = 0 /\ (x' = 1 /\ y' = 1) \cdot (y' = [i \in {1} |-> x][1] /\ x' = 5)": {(0, 0), (5, 1)},
    r"Next == y' = [i \in {1} |-> x][1] + 7 /\ x = 0 /\ (x' = 1) \cdot (x' = x + 1)": {(0, 0), (2, 7)},
}


@pytest.mark.parametrize("next_is", ALLOWED)
def test_what_is_the_same_in_all_states_may_stand_around(next_is: str, tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
    config = f"{CONFIG}CONSTRAINT Small"
    assert (
        set(explore_module(tmp_path, f"{body}{next_is}\nSmall == x < 6 /\\ y < 8", config).states)
        == ALLOWED[next_is]
    )


@pytest.mark.parametrize(
    ("command", "by"), list(product(["bmc --depth 3", "prove", "explore"], ["translation", "auto"]))
)
def test_the_translation_refuses_what_it_has_no_rule_for(command: str, by: str, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{COMPOSED}Low == x < 7\n====\n")
    (tmp_path / "M.cfg").write_text(f"{CONFIG}INVARIANT Low\n")
    done = verify(*command.split(), "--by", by, "--spec", str(tmp_path / "M.tla"))
    assert done.exit_code == (2 if by == "translation" else 0), done.output
    if by == "translation":
        assert "\\cdot" in done.stderr
