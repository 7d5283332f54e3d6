"""The comparison of counts of formulas with those that TLC lists."""

from __future__ import annotations

from results.generators.coverage_table import compare_counts, read_listing

LISTING = r"""
The coverage statistics at 10:00
  line 7, col 6 to line 7, col 10 of module M: 99
The coverage statistics at 11:00
<Up line 6, col 1 to line 6, col 5 of module M>: 3:6
  line 7, col 6 to line 7, col 10 of module M: 9
  |line 7, col 6 to line 7, col 6 of module M: 6
  line 8, col 6 to line 9, col 8 of module M: 6
<Down line 16, col 1 to line 16, col 5 of module M>: 3:6
  line 7, col 6 to line 7, col 10 of module M: 4
<Inv line 20, col 1 to line 20, col 3 of module M>
  line 20, col 8 to line 20, col 27 of module M: 5
  |line 20, col 23 to line 20, col 27 of module M: 1,008
"""


def count(formula: str, line: int, column: int, evaluated: int) -> dict[str, object]:
    """Return a count of verify."""
    return {"formula": formula, "place": f"/a/M.tla:{line}:{column}", "evaluated": evaluated}


def test_operands_stand_for_a_guard_and_actions_are_added_up() -> None:
    listed = read_listing(LISTING)
    counted = [
        count("x < y", 7, 6, 10),
        count(r"\A k \in 1..2: x < k", 20, 8, 5),
        count("x < k", 20, 23, 1008),
        count("x = 1", 30, 1, 7),
    ]
    assert [len(one["formula"]) for one in counted][1] == 20  # type: ignore[arg-type]
    found = compare_counts("M", 3, counted, listed)
    assert (found.equal, found.more, found.fewer) == (3, [], [])
    assert found.view() == "| M | 3 | 4 | 3 | 3 | 0 | 0 |"


def test_another_count_is_shown() -> None:
    counted = [count("x < y", 7, 6, 9), count("x < k", 20, 23, 2000)]
    found = compare_counts("M", 3, counted, read_listing(LISTING))
    assert found.more == ["`x < y` (M.tla:7): 9, TLC 10"]
    assert found.fewer == ["`x < k` (M.tla:20): 2,000, TLC 1,008"]
