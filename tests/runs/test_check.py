"""`verify check`: every property of a spec, by the engines that decide it."""

from __future__ import annotations

import json
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import verifier
from tests.support.command_line import LOCK, ROOT, start_verify, verify, wrong
from verifier.engines.outcome import Outcome
from verifier.outcomes.expectations import list_unmet
from verifier.runs.check_merge import EngineReport, keep_told_executions, merge
from verifier.runs.check_plan import Plan
from verifier.runs.check_reports import describe_effort
from verifier.specs.definition import Definition
from verifier.trust.trace import ActionTaken, Trace
from verifier.verdict import COMPLETE, LEFT_TO_LIVE, Verdict, VerdictKind

FENCED = str(ROOT / "docs" / "examples" / "FencedLock.tla")

COUNTER = """
---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Most
VARIABLE x
Init == x = 0
Next == x < Most /\\ x' = x + 1
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Small == x <= Most
Never2 == x # 2
Grows == [][x' > x]_x
Ends == <>(x = Most)
Mixed == [](x <= Most) /\\ <>[](x = Most)
Wrong == [](x < Most) /\\ <>(x = Most)
Fails == x < 2 \\/ x \\in {1} \\/ x + "a" = 3
====
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """A module that counts to a constant and stops."""
    path = tmp_path / "Counter.tla"
    path.write_text(COUNTER)
    return path


def run_check(spec: str, *arguments: str) -> tuple[int, dict[str, str], dict[str, Any]]:
    """The exit code, the verdicts by property, and the JSON object of a check."""
    done = verify("check", spec, *arguments, "--format", "json")
    content = json.loads(done.stdout)
    assert done.exit_code == content["exit_code"]
    return done.exit_code, {one["property"]: one["verdict"] for one in content["results"]}, content


def configure(path: Path, text: str) -> str:
    """Writes the configuration beside a module."""
    path.with_suffix(".cfg").write_text(f"CONSTANT Most = 3\nSPECIFICATION Spec\n{text}\n")
    return str(path)


def test_one_command_decides_all_that_a_configuration_asks() -> None:
    code, verdicts, content = run_check(FENCED)
    assert code == 0
    assert verdicts == dict.fromkeys(("TypeOK", "OneEach", "InOrder", "Released"), "PROVED")
    assert content["statistics"]["decided_by"]["Released"] == "live"
    assert content["statistics"]["evidence"]["OneEach"] == "every reachable state (112)"
    assert content["statistics"]["distinct_states"] == 112


def test_a_violation_of_each_kind_is_shown(counter: Path) -> None:
    asked = "INVARIANT Small Never2\nPROPERTY Grows Ends Mixed Wrong"
    code, verdicts, content = run_check(configure(counter, asked))
    assert code == 10
    assert verdicts == {
        "Small": "PROVED",
        "Never2": "VIOLATED",
        "Grows": "PROVED",
        "Ends": "PROVED",
        "Mixed": "PROVED",
        "Wrong": "VIOLATED",
        "NoDeadlock": "VIOLATED",
    }
    traces = {one["property"]: one["trace"] for one in content["results"]}
    assert [state["x"] for state in traces["Never2"]["states"]] == [0, 1, 2]


def test_deadlock_is_looked_for_where_tlc_does(counter: Path) -> None:
    quiet = configure(counter, "INVARIANT Small\nCHECK_DEADLOCK FALSE")
    assert run_check(quiet)[1] == {"Small": "PROVED"}
    code, verdicts, _ = run_check(quiet, "--deadlock")
    assert (code, verdicts["NoDeadlock"]) == (13, "VIOLATED")


def test_a_module_without_properties_is_evaluated(counter: Path, tmp_path: Path) -> None:
    code, verdicts, content = run_check(configure(counter, "CHECK_DEADLOCK FALSE"))
    assert (code, verdicts) == (0, {"Evaluation": "PROVED"})
    assert content["statistics"]["evidence"]["Evaluation"] == "every reachable state (4)"
    alone = tmp_path / "Alone.tla"
    alone.write_text("---- MODULE Alone ----\nEXTENDS Naturals\nASSUME 1 + 1 = 2\n====\n")
    alone.with_suffix(".cfg").write_text("")
    assert run_check(str(alone))[:2] == (0, {"Evaluation": "PROVED"})
    alone.write_text("---- MODULE Alone ----\nEXTENDS Naturals\nASSUME 1 + 1 = 3\n====\n")
    assert verify("check", str(alone)).exit_code == 2


def test_where_not_all_was_evaluated_nothing_passes(counter: Path) -> None:
    text = "CHECK_DEADLOCK FALSE\nCONSTRAINT Endless"
    endless = counter.read_text().replace("Small ==", "Endless == x >= 0\nSmall ==")
    counter.write_text(endless.replace("x < Most /\\ x' = x + 1", "x' = x + 1"))
    code, verdicts, _ = run_check(configure(counter, text), "--timeout", "3s")
    assert (code, verdicts) == (12, {"Evaluation": "INCONCLUSIVE"})


def test_a_postcondition_is_decided_beside_temporal_properties(counter: Path) -> None:
    text = "PROPERTY Ends\nPOSTCONDITION After\nCHECK_DEADLOCK FALSE"
    counter.write_text(counter.read_text().replace("Small ==", "After == Most = 4\nSmall =="))
    code, verdicts, _ = run_check(configure(counter, text))
    assert (code, verdicts) == (10, {"Ends": "PROVED", "After": "VIOLATED"})


def test_a_temporal_property_within_a_constraint_holds_and_is_no_more_than_that(counter: Path) -> None:
    text = "INVARIANT Small\nPROPERTY Mixed\nCONSTRAINT Small\nCHECK_DEADLOCK FALSE"
    code, verdicts, content = run_check(configure(counter, text))
    assert (code, verdicts) == (0, {"Small": "PROVED", "Mixed": "HOLDS"})
    assert content["statistics"]["decided_by"]["Mixed"] == "live"


def test_what_has_no_value_ends_the_check(counter: Path) -> None:
    done = verify("check", configure(counter, "INVARIANT Fails"))
    assert done.exit_code == 2
    assert "Counter.tla:15" in done.stderr


def test_the_table_comes_first_and_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = verify("check", LOCK, "--property", "NotAllAsk").stdout.splitlines()
    assert lines[2].split() == ["property", "verdict", "by", "seconds", "evidence"]
    assert "VIOLATED in 3 steps" in lines[3]
    assert max(map(len, lines)) <= 80
    assert any("Ask(client=c1)" in line for line in lines)


def test_names_are_checked_before_anything_runs() -> None:
    assert "unknown property 'NotAllAks'" in wrong("check", LOCK, "--property", "NotAllAks")
    assert "has no operator of that name" in wrong("check", FENCED, "--property", "Nothing")


def test_operators_of_a_module_are_properties() -> None:
    assert run_check(FENCED, "--property", "InOrder")[1] == {"InOrder": "PROVED"}


def test_the_provers_decide_what_exploration_does_not() -> None:
    sizes = ("--set", "replicas=3", "--set", "log_size=3", "--set", "max_records=3")
    asked = ("--property", "WeakIsr", "--expect", "WeakIsr=violated", "--timeout", "120s")
    code, verdicts, content = run_check("kip101", *sizes, *asked)
    assert (code, verdicts["WeakIsr"]) == (0, "VIOLATED")
    assert content["statistics"]["decided_by"]["WeakIsr"] in ("explore", "prove")


def test_a_limit_leaves_properties_open_and_names_the_next_command() -> None:
    large = ("--set", "replicas=5", "--set", "log_size=4", "--set", "max_records=4")
    done = verify("check", "kip320", *large, "--property", "StrongIsr", "--timeout", "1s")
    assert done.exit_code == 12
    assert "INCONCLUSIVE" in done.stdout
    assert f"verify prove kip320 {' '.join(large)} --property StrongIsr" in " ".join(done.stdout.split())


def test_an_interrupt_keeps_what_is_known() -> None:
    large = ("--set", "log_size=4", "--set", "max_records=4", "--set", "max_leader_epoch=4")
    process = start_verify("check", "kip320", *large, "--property", "StrongIsr", "--format", "json")
    until = time.monotonic() + 60
    while not psutil.Process(process.pid).children() and time.monotonic() < until:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 12, err
    (result,) = json.loads(out)["results"]
    assert result["verdict"] == "INCONCLUSIVE"


def test_from_python() -> None:
    result = verifier.load(LOCK).check("HolderWaitsNoMore")
    assert result["HolderWaitsNoMore"].verdict == "PROVED"
    assert "by" in result.to_text()
    assert "HolderWaitsNoMore" in result.to_html()


# -- the verdicts of several engines


def report(engine: str, *verdicts: Verdict, complete: bool = False) -> EngineReport:
    """Return an engine's report with these verdicts and nothing else."""
    outcome = Outcome(verdicts, (), {"complete": complete})
    return EngineReport(engine, outcome, (), (), {}, {}, _definition(), 0.0)


def _definition() -> Definition:
    return verifier.load(LOCK).definition


def verdict(kind: VerdictKind, reason: str | None = None, depth: int | None = 3) -> Verdict:
    """A verdict of the property P."""
    return Verdict("P", kind, depth, 0.0, reason)


def test_engines_that_contradict_each_other_are_an_error() -> None:
    reports = {
        "explore": report("explore", verdict(VerdictKind.VIOLATED)),
        "prove": report("prove", verdict(VerdictKind.PROVED)),
    }
    assert merge(Plan(("P",), ()), reports)["P"].kind is VerdictKind.ERROR


def _violation(client: str, steps: int, *, fewest: bool) -> Verdict:
    actions = (ActionTaken("Write", {"c": client}),) * steps
    trace = Trace("M", "", {}, "P", ({},) * (steps + 1), actions)
    return replace(verdict(VerdictKind.VIOLATED, depth=steps), trace=trace, fewest=fewest)


def test_the_execution_that_was_printed_early_is_in_the_result() -> None:
    """Another one of the same length confuses the reader, who has read the first one."""
    told = report("explore", _violation("b", 7, fewest=True))
    for own in (_violation("a", 7, fewest=True), _violation("a", 8, fewest=False)):
        (kept,) = keep_told_executions(told, report("explore", own)).outcome.verdicts
        assert kept == told.outcome.verdicts[0]
    long = report("explore", _violation("b", 9, fewest=False))
    for own in (
        _violation("a", 7, fewest=True),
        _violation("a", 9, fewest=True),
        verdict(VerdictKind.ERROR),
    ):
        own_report = report("explore", own)
        assert keep_told_executions(long, own_report) == own_report
    assert keep_told_executions(None, told) == told


def test_a_depth_is_no_proof() -> None:
    reports = {"explore": report("explore", verdict(VerdictKind.HOLDS))}
    assert merge(Plan(("P",), ()), reports)["P"].kind is VerdictKind.HOLDS
    reports = {"explore": report("explore", verdict(VerdictKind.HOLDS, COMPLETE), complete=True)}
    assert merge(Plan(("P",), ()), reports)["P"].kind is VerdictKind.PROVED


def test_a_property_of_both_kinds_needs_both_engines() -> None:
    both, live = Plan(("P",), ("P",)), report("live", verdict(VerdictKind.PROVED))
    left = verdict(VerdictKind.INCONCLUSIVE, LEFT_TO_LIVE)
    whole = {"explore": report("explore", left, complete=True), "live": live}
    assert merge(both, whole)["P"].kind is VerdictKind.PROVED
    part = {"explore": report("explore", left), "live": live}
    assert merge(both, part)["P"].kind is VerdictKind.INCONCLUSIVE
    assert (
        merge(both, {"explore": report("explore", left, complete=True)})["P"].kind is VerdictKind.INCONCLUSIVE
    )
    broken = {"explore": report("explore", verdict(VerdictKind.VIOLATED)), "live": live}
    assert merge(both, broken)["P"].kind is VerdictKind.VIOLATED


def test_what_bounded_search_closed_in_a_hunt_is_open() -> None:
    bounded = {"bmc": report("bmc", verdict(VerdictKind.HOLDS))}
    said = merge(Plan(("P",), ()), bounded)["P"]
    assert said.kind is VerdictKind.INCONCLUSIVE
    complete = {**bounded, "explore": report("explore", verdict(VerdictKind.HOLDS, COMPLETE), complete=True)}
    assert merge(Plan(("P",), ()), complete)["P"].kind is VerdictKind.PROVED


def test_proofs_have_one_certificate(tmp_path: Path) -> None:
    proof = tmp_path / "lock.json"
    asked = ("--property", "OneEach", "--property", "InOrder", "--certificate", str(proof))
    code, verdicts, content = run_check(FENCED, *asked)
    assert (code, verdicts) == (0, {"OneEach": "PROVED", "InOrder": "PROVED"})
    assert set(content["statistics"]["decided_by"].values()) == {"prove"}
    again = verify("certify", str(proof), "--spec", FENCED)
    assert again.exit_code == 0, again.stderr


def test_what_only_exploration_decides_has_no_certificate(counter: Path) -> None:
    spec = configure(counter, "CHECK_DEADLOCK FALSE")
    assert "left to exploration" in wrong("check", spec, "--no-explore")
    assert "--find-bugs starts no provers" in wrong("check", LOCK, "--find-bugs", "--no-explore")


def test_a_hunt_finds_each_violation(counter: Path) -> None:
    asked = configure(counter, "INVARIANT Small Never2\nPROPERTY Ends")
    code, verdicts, content = run_check(asked, "--find-bugs", "--timeout", "60s")
    assert code == 10
    assert (verdicts["Never2"], verdicts["NoDeadlock"]) == ("VIOLATED", "VIOLATED")
    assert verdicts["Small"] == verdicts["Ends"] == "PROVED"
    assert "prove" not in content["statistics"]["engines"]


def test_a_hunt_sees_far_at_once() -> None:
    """Breadth first these are 48 levels and 2^25 states, and two parallel steps."""
    lamps = str(ROOT / "tests" / "support" / "toys.py:Lamps")
    asked = ("--property", "SomeDarkBelow", "--property", "SomeDarkAbove", "--timeout", "120s")
    code, verdicts, content = run_check(lamps, "--set", "lamps=24", "--find-bugs", *asked)
    assert code == 10
    assert (verdicts["SomeDarkBelow"], verdicts["SomeDarkAbove"]) == ("VIOLATED", "VIOLATED")
    assert content["statistics"]["decided_by"]["SomeDarkAbove"] in ("bmc", "simulate")


def test_a_hunt_says_what_each_engine_tried() -> None:
    walks = {"walks": 2048, "steps": 31000, "deepest": 32, "probes": 56, "probed_steps": 4}
    said = describe_effort("simulate", Outcome((), (), walks))
    ahead = "56 solver look-aheads of 4 steps"
    assert said == f"2,048 guided walks, 31,000 actions, at most 32 in a row; {ahead}"
    explored = {"distinct_states": 1000, "depth": 7, "complete": False}
    said = describe_effort("explore", Outcome((), (), explored))
    assert said == "1,000 states to depth 7, not all that can be reached"
    closed = Outcome((verdict(VerdictKind.INCONCLUSIVE, "timeout", 5),), (), {})
    assert describe_effort("bmc", closed) == "all executions of at most 5 parallel steps"
    assert describe_effort("explore", Outcome((), (), {})) == ""
    violated = verdict(VerdictKind.VIOLATED, None, 8)
    alone = Outcome((violated,), (), {})
    assert describe_effort("bmc", alone) == ""  # its depth is its number of actions
    both = Outcome((violated, *closed.verdicts), (), {})
    assert describe_effort("bmc", both) == "all executions of at most 5 parallel steps"


_UNREAD = """
from verifier import Option, Protocol, Range, State, Step, action, invariant


class Unread(Protocol):
    def state(self):
        return State(x=Option(Range(0, 2)), y=Range(0, 3))

    def init(self, s):
        return [s.x.is_none, s.y == 0]

    @action()
    def go(self, s):
        return Step(when=[s.x.value == 1, s.x.is_some], then={s.x: 2})

    @action()
    def up(self, s):
        return Step(when=[s.y < 3], then={s.y: s.y + 1})

    @invariant
    def low(self, s):
        return s.y <= 3
"""


def test_an_undefined_read_is_said_once_and_keeps_the_others_open(tmp_path: Path) -> None:
    """Several engines find it at once, and more time decides nothing else."""
    path = tmp_path / "unread.py"
    path.write_text(_UNREAD)
    printed = verify("check", str(path)).stdout
    assert printed.count("\nUndefinedRead  VIOLATED in 0 steps") == 1
    assert "UndefinedRead: VIOLATED in 0 steps (fewest)" in printed
    assert "low and TypeInvariant are open as long as UndefinedRead is violated." in " ".join(printed.split())
    assert "more time" not in printed
    assert "VIOLATED in 0 steps (fewest)" in verify("prove", str(path)).stdout


def test_a_surprise_is_told_from_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "over.py"
    text = _UNREAD.replace("s.x.value == 1, ", "").replace("when=[s.y < 3], ", "")
    path.write_text(text.replace("s.y <= 3", "s.y < 3"))
    result = verify("check", str(path), "--expect", "low=violated")
    assert result.exit_code == 10
    words = "Expectation met: low=violated (exit code 10: TypeInvariant violated, which no --expect covers)"
    assert words in " ".join(result.stdout.split())
    result = verify("check", str(path), "--expect", "low=holds", "--expect", "TypeInvariant=violated")
    assert "Expectation not met: low=holds (exit code 10)." in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("words", "unmet"),
    [
        (("violated",), []),
        (("holds",), ["holds"]),
        (("A=HOLDS", "violated"), []),
        (("B=violated", "holds"), []),
        (("A=violated", "B=violated", "Step=enabled", "Drop=enabled"), ["A=violated", "Drop=enabled"]),
        (("A=holds", "B=violated", "proved"), ["proved"]),
    ],
)
def test_unmet_expectations(words: tuple[str, ...], unmet: list[str]) -> None:
    verdicts = [Verdict("A", VerdictKind.HOLDS, 3, 0.0), Verdict("B", VerdictKind.VIOLATED, 2, 0.0)]
    assert list_unmet(words, verdicts, ("Drop",)) == unmet


def test_a_temporal_property_without_a_value_is_open_for_that_reason(counter: Path) -> None:
    text = COUNTER.replace("Ends == <>(x = Most)", 'Ends == <>(x = "end")')
    counter.write_text(text)
    configure(counter, "INVARIANT Small\nPROPERTY Ends\nCHECK_DEADLOCK FALSE")
    code, verdicts, content = run_check(str(counter))
    assert (code, verdicts["Small"], verdicts["Ends"]) == (12, "PROVED", "INCONCLUSIVE")
    reason = next(one["reason"] for one in content["results"] if one["property"] == "Ends")
    assert "Counter.tla:12:14: values of different kinds are compared" in reason
    shown = verify("check", str(counter)).stdout
    assert shown.count("The engine live") == 1
    assert "To continue" not in shown


_CHOSEN = """
---- MODULE Chosen ----
EXTENDS FiniteSets, TLC
CONSTANT S
VARIABLE x
Init == x = {}
Next == \\E s \\in S : x' = x \\cup {s}
Spec == Init /\\ [][Next]_x
Sym == Permutations(S)
Inside == x \\subseteq S
Full == <>(x = S)
====
"""


def test_evidence_counts_classes_and_says_if_a_shorter_execution_may_exist(tmp_path: Path) -> None:
    path = tmp_path / "Chosen.tla"
    path.write_text(_CHOSEN)
    path.with_suffix(".cfg").write_text(
        "CONSTANTS S = {a, b, c}\nSPECIFICATION Spec\nSYMMETRY Sym\nINVARIANT Inside\nPROPERTY Full\n"
    )
    code, verdicts, content = run_check(str(path))
    evidence = content["statistics"]["evidence"]
    assert (code, verdicts["Inside"], verdicts["Full"]) == (10, "PROVED", "VIOLATED")
    assert evidence["Inside"] == "every reachable state (4 classes, 8 states)"
    fewest = next(one["fewest"] for one in content["results"] if one["property"] == "Full")
    assert evidence["Full"] == f"replayed, {'fewest' if fewest else 'maybe not the fewest'} steps"
