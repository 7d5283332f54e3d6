"""Run files whose parts contradict each other without an execution that could tell."""

from __future__ import annotations

import json
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import LOCK, verify
from verifier.errors import UsageError
from verifier.outcomes.consistency import check_consistency


@cache
def run_text() -> str:
    return verify("explore", LOCK, "--property", "HolderWaitsNoMore", "--format", "json").stdout


def alter(*changes: tuple[tuple[str | int, ...], Any]) -> dict[str, Any]:
    content: Any = json.loads(run_text())
    for (*outer, last), value in changes:
        reduce(lambda found, key: found[key], outer, content)[last] = value
    assert isinstance(content, dict)
    return content


RESULT = ("results", 0)
FIGURES = ("statistics",)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([((*RESULT, "verdict"), "VIOLATED")], "says VIOLATED, and has neither a trace nor a reason"),
        ([((*RESULT, "verdict"), "REACHED")], "REACHED, and HolderWaitsNoMore is of the kind “invariant”"),
        ([((*RESULT, "verdict"), "PROVED")], "PROVED, which explore never answers"),
        ([((*RESULT, "verdict"), "INCONCLUSIVE"), (("exit_code",), 12)],
         "INCONCLUSIVE, and its reason is “complete: every reachable state was checked”"),
        ([((*RESULT, "verdict"), "INCONCLUSIVE"), ((*RESULT, "reason"), "timeout of 60 s")],
         "exit_code is 0, and the results give 12"),
        ([(("exit_code",), 10)], "exit_code is 10, and the results give 0"),
        ([((*RESULT, "depth"), 9)], "depth 9, and statistics.depth is 4"),
        ([(("options", "depth"), 2)], "depth 4 where depth 2 was asked for"),
        ([((*FIGURES, "depth"), 7), ((*RESULT, "depth"), 7)],
         "statistics.depth is 7, and statistics.levels has 5 levels"),
        ([((*FIGURES, "decided_by"), "l2s"), ((*FIGURES, "depth"), 7)],
         "at depth 4, and statistics.depth is 7"),
        ([((*FIGURES, "distinct_states"), 21)], "distinct_states is 21, and statistics.levels sum to 20"),
        ([((*FIGURES, "generated_states"), 19)], "generated_states is 19, and distinct_states 20"),
        ([((*FIGURES, "initial_states"), 2)], "initial_states is 2, and the first of statistics.levels 1"),
        ([((*FIGURES, "complete"), False)], "and statistics.complete is false"),
        ([((*FIGURES, "waiting_states"), 3)], "statistics.complete is true, and 3 states are waiting"),
        ([((*FIGURES, "evidence"), {"HolderWaitsNoMore": "every state"})], "which only check has"),
        ([((*FIGURES, "evidence"), {"HolderWaitsNoMore": "complete: 3 states"}), (("engine",), "check")],
         "and statistics.evidence.HolderWaitsNoMore is “complete: 3 states”"),
        ([((*FIGURES, "evidence"), {"HolderWaitsNoMore": "fewest"}), (("engine",), "check"),
          ((*RESULT, "fewest"), False)], "fewest is false, and statistics.evidence"),
        ([((*FIGURES, "view"), True)], "and statistics.view is true"),
        ([((*RESULT, "depth"), 3)], "at depth 3, and statistics.depth is 4"),
        ([((*FIGURES, "deadlocks"), 21)], "deadlocks is 21, and distinct_states 20"),
        ([((*FIGURES, "actions", "Ask", "taken"), 8_000)], "steps, and generated_states is"),
        ([(("seconds",), -5)], "seconds is -5"),
        ([((*RESULT, "seconds"), -0.1)], "results[0].seconds is -0.1"),
        ([((*RESULT, "verdict"), "PROVED"), (("engine",), "check"), ((*RESULT, "found_by"), "simulate")],
         "PROVED, which simulate never answers"),
        ([((*RESULT, "verdict"), "PROVED"), (("engine",), "check"),
          ((*FIGURES, "decided_by"), {"HolderWaitsNoMore": "bmc"})], "PROVED, which bmc never answers"),
        ([((*RESULT, "verdict"), "PROVED"), (("engine",), "check"),
          ((*RESULT, "reason"), "for all constants")],
         "“for all constants”, and the run has constants"),
        ([((*FIGURES, "never_enabled"), ["Ask"])], "never_enabled names Ask, and statistics.actions counts"),
        ([(("asked", "HolderWaitsNoMore", "says"), "TRUE")], "the formulas or their documentation"),
        ([(("asked", "HolderWaitsNoMore", "description"), "No holder waits.")], "were altered after the run"),
        ([(("documented", "Ask"), "Nothing happens.")], "were altered after the run"),
        ([(("places", "Ask"), "Lock.tla:1")], "were altered after the run"),
        ([(("checksum",), "")], "were altered after the run"),
        ([(("asked",), {}), (("documented", "Ask"), "Nothing happens.")], "were altered after the run"),
    ],
)  # fmt: skip
def test_a_run_that_contradicts_itself_is_refused(
    changes: list[tuple[tuple[str | int, ...], Any]], words: str
) -> None:
    check_consistency(alter())
    with pytest.raises(UsageError) as refused:
        check_consistency(alter(*changes))
    assert words in str(refused.value)


def test_a_run_without_an_exit_code_is_refused(tmp_path: Path) -> None:
    content = alter()
    del content["exit_code"]
    run = tmp_path / "run.json"
    run.write_text(json.dumps(content))
    done = verify("report", str(run))
    assert done.exit_code == 2
    assert "exit_code is missing" in done.stderr


def test_a_page_says_whose_word_it_takes(tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    run.write_text(run_text())
    page = verify("report", str(run), "--format", "html").stdout
    assert "run.json says: No reachable state violates it: all 20 were looked at." in page
    for name in ("text", "markdown"):
        text = verify("report", str(run), "--format", name).stdout
        assert "Taken from run.json; nothing was checked again." in text


def test_a_page_of_the_run_itself_takes_nobodys_word(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    verify("explore", LOCK, "--property", "HolderWaitsNoMore", "--html", str(page))
    assert "No reachable state violates it" in page.read_text()
    assert " says: " not in page.read_text()


def test_an_expected_verdict_explains_the_exit_code() -> None:
    run = verify("explore", LOCK, "--property", "NotAllAsk", "--expect", "violated", "--format", "json")
    content = json.loads(run.stdout)
    assert content["exit_code"] == 0
    check_consistency(content)
    with pytest.raises(UsageError, match="exit_code is 0, and the results give 10"):
        check_consistency({**content, "expected": []})
