"""Bounded model checking by the interpreter: it says what the searches of the translated module say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.sampling import rest_slow
from tests.support.tla_modules import few, question_of, translate_body, write_module
from tests.support.tla_random import ran
from tests.support.tla_random_texts import module
from verifier.engines.growth import expect_states
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.limits import INTERRUPTED, Interrupted
from verifier.runs.modules import bounded_checking, refining
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.refining import run_from_sample
from verifier.runs.modules.strategy import answer_question
from verifier.runs.modules.translating import NotTranslated, Symbolic
from verifier.runs.modules.verdicts import SettledVerdicts
from verifier.runs.news import Remark
from verifier.specs.titles import UNDEFINED_READ
from verifier.tla.columns import level_choice as levels
from verifier.tla.explorer import Explorer
from verifier.tla.translate import membership, rules, translation
from verifier.tla.translate.scouting import Scout

CONFIG = "\nINIT Init\nNEXT Next\nINVARIANT Inv\n"


def _change_policy(monkeypatch: pytest.MonkeyPatch, **budgets: Any) -> None:
    monkeypatch.setattr(bounded_checking, "POLICY", replace(POLICY, **budgets))


def _close_depths(made: Symbolic, **options: Any) -> Run | None:
    found = bounded_checking.search_by_interpreter(question_of(made, "bmc", **options))
    return None if found is None or found.leaves_off else found.run()


def _kinds(run: Run) -> dict[str, tuple[str, int | None]]:
    return {v.property_name: (v.kind.value, v.depth) for v in run.outcome.verdicts}


def test_states_in_which_nothing_happens_and_reads_without_a_value_at_the_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are found by columns as by the interpreter, of which one looks at the last level."""
    body = "\nEXTENDS Integers, Sequences\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nInv == TRUE\n"
    body += "Next == \\E n \\in 1..3 : x + n < 9 /\\ x' = x + n /\\ y' = (y + n) % 4"
    reads = " /\\ (x < 7 \\/ y # 3 \\/ Head(<<>>) = 1)"
    asked: dict[str, Any] = {"properties": ("Inv", "NoDeadlock")}
    for large in (1, 1_000):
        monkeypatch.setattr(levels, "_LARGE", large)
        at = [_close_depths(translate_body(tmp_path, body, CONFIG), depth=depth, **asked) for depth in (2, 3)]
        assert [one and _kinds(one)["NoDeadlock"] for one in at] == [("HOLDS", 2), ("VIOLATED", 3)]
        asked_less = {"properties": ("Inv",), "depth": 3}
        assert _close_depths(translate_body(tmp_path, body, CONFIG), **asked_less) is not None
        assert _close_depths(translate_body(tmp_path, body + reads, CONFIG), **asked_less) is None


def _compare(folder: Path, seeds: range) -> Counter[str]:
    answered: Counter[str] = Counter()
    for seed in seeds:
        body = module(Random(seed))
        for depth in (0, 1, 3):
            asked: dict[str, Any] = {"properties": ("Inv", "NoDeadlock"), "depth": depth, "shortest": True}
            try:
                made = translate_body(folder, f"\n{body}", f"{CONFIG}CONSTRAINT Small\n")
                own = _close_depths(made, **asked)
                theirs = _kinds(ran("bmc", made, **asked))
            except (UsageError, NotTranslated):
                continue
            if own is not None:
                assert _kinds(own) == theirs, f"seed {seed}, depth {depth}"
                answered.update(kind for kind, _ in theirs.values())
            else:
                unread = any(kind == "INCONCLUSIVE" for kind, _ in theirs.values())
                assert unread or UNDEFINED_READ in theirs, f"seed {seed}"
    return answered


@pytest.mark.thorough
def test_random_modules_have_the_verdicts_of_the_searches(tmp_path: Path) -> None:
    answered = _compare(tmp_path, range(6))
    assert answered["HOLDS"]
    assert answered["VIOLATED"]


@pytest.mark.parametrize("first", rest_slow(range(6, 106, 5), 1))
def test_more_random_modules(tmp_path: Path, first: int) -> None:
    assert _compare(tmp_path, range(first, first + 5)).total()


HOLDS = {"Inv": ("HOLDS", 3), "NoDeadlock": ("HOLDS", 3)}
COUNTER = """
EXTENDS Integers, Sequences, TLC, Randomization
VARIABLE x
Init == x = 0
Next == x < 5 /\\ x' = x + 1
Inv == TRUE
Grows == [][x' = x + 1]_x
"""


@pytest.mark.parametrize(
    ("change", "options", "answer"),
    [
        ({}, {}, HOLDS),
        ({"Inv == TRUE": "Inv == x < 3"}, {}, {"Inv": ("VIOLATED", 3), "NoDeadlock": ("HOLDS", 3)}),
        ({"Inv == TRUE": "Inv == x < 4"}, {}, HOLDS),
        ({}, {"depth": 5}, {"Inv": ("HOLDS", 5), "NoDeadlock": ("VIOLATED", 5)}),
        ({}, {"depth": 5, "properties": ("Inv",)}, {"Inv": ("HOLDS", 5)}),
        (
            {"Inv == TRUE": "Inv == x < 2"},
            {"depth": 9},
            {"Inv": ("VIOLATED", 2), "NoDeadlock": ("VIOLATED", 5)},
        ),
        ({"x' = x + 1": "(x' = x + 1 \\/ (x = 3 /\\ Head(<<>>) /\\ x' = x))"}, {}, None),
        ({"x' = x + 1": "(x' = x + 1 \\/ (x = 4 /\\ Head(<<>>) /\\ x' = x))"}, {}, HOLDS),
        ({"x + 1": "RandomElement({x + 1, x})"}, {}, None),
        ({"Inv == TRUE": 'Inv == TLCGet("level") < 9'}, {}, None),
        ({"x' = x + 1": "x' \\in 0..30000"}, {}, None),  # so many states within the depth
        ({}, {"properties": ("Grows",)}, {"Grows": ("HOLDS", 3)}),
        ({"[x' = x + 1]": "[x' # 3]"}, {"properties": ("Grows",)}, {"Grows": ("VIOLATED", 3)}),
        ({"[x' = x + 1]": "[x' # 4]"}, {"properties": ("Grows",)}, {"Grows": ("HOLDS", 3)}),
        ({}, {"solver": "z3"}, None),
        ({}, {"steps": "serial"}, None),
        ({}, {"writes_question": True}, None),
    ],
)
@pytest.mark.parametrize("large", [1, 1_000])
def test_when_the_interpreter_answers(
    change: dict[str, str],
    options: dict[str, Any],
    answer: dict[str, tuple[str, int]] | None,
    large: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where all levels are expanded by columns, and the steps from the last one are read so."""
    monkeypatch.setattr(levels, "_LARGE", large)
    body = COUNTER
    for old, new in change.items():
        assert old in body
        body = body.replace(old, new)
    given = {"properties": ("Inv", "NoDeadlock"), "depth": 3, **options}
    found = _close_depths(translate_body(tmp_path, body, f"{CONFIG}PROPERTY Grows\n"), **given)
    assert (found and _kinds(found)) == answer
    if found is not None:
        assert found.outcome.enabled == ("Next",)
        assert not found.outcome.never_enabled


def _run(made: Symbolic, **options: Any) -> Run:
    return answer_question(question_of(made, "bmc", **options))


def test_the_interpreter_comes_first_unless_it_is_said_how_to_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(**options: Any) -> tuple[str, ...]:
        found = _run(translate_body(tmp_path, COUNTER, CONFIG), **options)
        assert set(_kinds(found).values()) == {("HOLDS", 3)}
        return tuple(found.outcome.statistics["searches"])

    assert search(depth=3) == ("explore",)
    assert len(search(depth=3, steps="serial")) == 1
    _change_policy(monkeypatch, states_of_few_bits=-1)
    assert len(search(depth=3)) == 3
    _change_policy(monkeypatch, states_of_few_bits=-1, many_bits=0)  # as if states had many
    assert search(depth=3) == ("explore",)


DEEP = """
EXTENDS Integers
VARIABLE x
RECURSIVE Up(_)
Up(n) == IF n = 0 THEN 0 ELSE Up(n - 1) + 1
Init == x = 0
Next == x < 50 /\\ x' = x + 1
Inv == Up(x) < 49
"""


@pytest.mark.thorough
def test_the_interpreter_goes_on_where_translating_is_not_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _change_policy(monkeypatch, states_of_few_bits=-1)  # as if many states were expected
    assert _kinds(_run(translate_body(tmp_path, DEEP, CONFIG), depth=49))["Inv"] == ("VIOLATED", 49)
    with pytest.raises(NotTranslated, match="no value as translated"):
        _run(translate_body(tmp_path, DEEP, CONFIG), depth=49, by="translation")
    # The interpreter gives up at first.
    monkeypatch.setattr(bounded_checking, "_continue_interpreter", lambda asked, before: None)
    assert _kinds(_run(translate_body(tmp_path, DEEP, CONFIG), depth=49))["Inv"] == ("VIOLATED", 49)


def test_the_interpreter_goes_on_where_translating_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def searches() -> set[str]:
        return {*_run(translate_body(tmp_path, COUNTER, CONFIG), depth=3).outcome.statistics["searches"]}

    def slow(asked: ModuleQuestion, made: Symbolic, settled: SettledVerdicts | None) -> Run:
        if asked.patience is not None:
            raise BudgetExceeded
        return run_from_sample(asked, made, settled)

    _change_policy(monkeypatch, states_of_few_bits=-1)
    monkeypatch.setattr(refining, "run_from_sample", slow)
    assert searches() == {"explore"}
    # The interpreter gives up, too.
    monkeypatch.setattr(bounded_checking, "_continue_interpreter", lambda asked, before: None)
    assert searches() == {"explore", "parallel", "serial"}


def test_states_are_expected_by_how_levels_grow() -> None:
    seen = [1, 2, 34, 256, 1136, 3728, 9288, 17728, 27100]
    for known in (6, 7, 8):  # grows by less and less
        assert sum(seen) / 2 < expect_states(seen[:known], 8, 10**6) < 2 * sum(seen)
    assert expect_states([1, 3, 9], 4, 10**6) == 1 + 3 + 9 + 27 + 81
    assert expect_states([1, 2, 8], 4, 10**6) == 1 + 2 + 8 + 32 + 128  # never by more and more
    assert expect_states([9, 3], 9, 10**6) == 9 + 3 + 8 * 3
    assert expect_states([1, 10], 100, 10**6) > 10**6
    assert expect_states([1], 5, 10) == 0


def test_an_end_in_the_midst_keeps_the_depth_and_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a limit and by the user."""
    body = COUNTER.replace("Inv == TRUE", "Inv == x < 2")
    given: dict[str, Any] = {"properties": ("Inv", "Grows"), "depth": 9}
    for stop, reason in ((Interrupted("time is over"), "time is over"), (KeyboardInterrupt(), INTERRUPTED)):

        def look(watch: object, explorer: Explorer, stop: BaseException = stop) -> None:
            if explorer.result.closed == 3:
                raise stop

        monkeypatch.setattr("verifier.tla.expanding.BETWEEN_CHECKS", 1)
        monkeypatch.setattr(bounded_checking._Watch, "look", look)
        found = _close_depths(translate_body(tmp_path, body, f"{CONFIG}PROPERTY Grows\n"), **given)
        assert found is not None
        assert _kinds(found) == {"Inv": ("VIOLATED", 2), "Grows": ("INCONCLUSIVE", 3)}
        assert [verdict.reason for verdict in found.outcome.verdicts] == [None, reason]
        assert len(found.traces["Inv"]["states"]) == 3


FAN = """
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\E n \\in 1..9 : x' = x + n /\\ y' = (y + 1) % 7
Inv == y < 3
Other == x < 26
Grows == [][x' # 40]_x
"""
FAN_CONFIG = f"{CONFIG}INVARIANT Other\nPROPERTY Grows\nCHECK_DEADLOCK FALSE\n"


def _handing_over(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """The interpreter looks at so many states and few more, and leaves the rest to translated modules."""
    monkeypatch.setattr("verifier.tla.expanding.BETWEEN_CHECKS", 1)
    _change_policy(monkeypatch, states_of_few_bits=most, states_of_many_bits=most)


@pytest.mark.thorough
def test_what_the_interpreter_found_is_kept_where_it_leaves_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the end comes while the module is looked at or translated."""
    _handing_over(monkeypatch, 60)
    names = ("Inv", "Other", "Grows")
    asked: dict[str, Any] = {"properties": names, "depth": 5, "shortest": True}
    found = _run(translate_body(tmp_path, FAN, FAN_CONFIG), **asked)
    assert _kinds(found) == {"Inv": ("VIOLATED", 3), "Other": ("VIOLATED", 3), "Grows": ("VIOLATED", 5)}
    assert found.outcome.statistics["searches"].keys() > {"serial"}
    kept = {"Inv": ("VIOLATED", 3), "Other": ("VIOLATED", 3), "Grows": ("INCONCLUSIVE", 2)}
    for name in ("guess_sorts", "_make_definition"):
        with monkeypatch.context() as changed:
            changed.setattr(refining, name, _interrupt)
            run = _run(translate_body(tmp_path, FAN, FAN_CONFIG), **asked)
            assert _kinds(run) == kept
            assert len(run.traces["Inv"]["states"]) == 4


def _interrupt(*_: object) -> Any:
    raise Interrupted("time is over")


def test_depths_are_kept_where_sorts_are_widened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a search closed at sorts that do not do."""
    body = "\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 30\nInv == x < 30"
    monkeypatch.setattr(translation, "sample", few)
    monkeypatch.setattr(Scout, "widen", lambda *_: None)
    asked: dict[str, Any] = {"depth": 20, "steps": "serial", "properties": ("Inv",)}
    assert _kinds(_run(translate_body(tmp_path, body, CONFIG), **asked)) == {"Inv": ("HOLDS", 20)}
    monkeypatch.setattr(refining, "widen_after", _interrupt)
    found = _kinds(_run(translate_body(tmp_path, body, CONFIG), **asked))
    assert found == {"Inv": ("INCONCLUSIVE", 1)}, "x = 0..2 were seen, so a step from x = 2 leaves the sorts"


def test_closed_depths_are_told_where_sorts_are_widened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So they stand if an interrupt ends the next search: that one may close more than the sorts allow."""
    body = "\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 30\nInv == x < 30"
    monkeypatch.setattr(translation, "sample", few)
    monkeypatch.setattr(Scout, "widen", lambda *_: None)
    asked: dict[str, Any] = {"depth": 20, "steps": "serial", "properties": ("Inv",)}
    question, news = question_of(translate_body(tmp_path, body, CONFIG), "bmc", **asked), list[Any]()
    answer_question(replace(question, listen=news.append))
    told = [one.closed for one in news if isinstance(one, Remark) and one.closed]
    assert told[0] == {"Inv": 1}
    assert all(one["Inv"] <= other["Inv"] < 20 for one, other in pairwise(told))


def _compare_handed_over(folder: Path, seeds: range, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        body = module(Random(seed))
        asked: dict[str, Any] = {"properties": ("Inv", "NoDeadlock"), "depth": 4, "shortest": True}
        config, answers = f"{CONFIG}CONSTRAINT Small\n", []
        for most in (2, 9, 10**6):
            with monkeypatch.context() as changed:
                _handing_over(changed, most)
                try:
                    answers.append(_kinds(_run(translate_body(folder, f"\n{body}", config), **asked)))
                except (UsageError, NotTranslated):
                    answers.append({})
        if all(answers):
            assert all(one == answers[0] for one in answers), f"seed {seed}: {answers}"
            seen.update(kind for kind, _ in answers[0].values())
    return seen


@pytest.mark.thorough
def test_random_modules_are_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _compare_handed_over(tmp_path, range(4), monkeypatch)
    assert seen["HOLDS"]
    assert seen["VIOLATED"]


@pytest.mark.parametrize("first", rest_slow(range(4, 104, 5), 1))
def test_more_random_modules_are_handed_over(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _compare_handed_over(tmp_path, range(first, first + 5), monkeypatch).total()


def test_an_error_of_the_interpreter_that_the_translation_does_not_have_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a translation that does not see that values of different kinds are compared."""
    wrong = replace(rules.ALL_RULES, member_of=membership.contains)
    monkeypatch.setattr(rules, "ALL_RULES", wrong)
    body = (
        "EXTENDS Naturals\nVARIABLE f\nInit == f = [i \\in 1..2 |-> 0]\n"
        "Next == \\E i \\in 1..2 : f' = [f EXCEPT ![i] = [a |-> i]]\n"
        "Inv == f \\in [1..2 -> [a : 1..2] \\union {0}]"
    )
    (tmp_path / "M.cfg").write_text(f"{CONFIG}CHECK_DEADLOCK FALSE")
    result = verify("bmc", str(write_module(tmp_path, body)), "--depth", "3")
    assert result.exit_code == 2
    assert "in the reachable state f = <<" in result.stderr
    assert "explore, as TLC, ends here with an error: " in result.stderr
    assert "M.tla:6:14: values of different kinds are compared, in Inv" in result.stderr
    assert verify("explore", str(tmp_path / "M.tla")).exit_code == 2
