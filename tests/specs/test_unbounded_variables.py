"""A variable that grows forever: what is violated is said at once, and the run ends with what is known."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.signals import UNBOUNDED, UNBOUNDED_CONFIG
from verifier.cli.reporter import Reporter
from verifier.engines import bmc, explore, proofs
from verifier.outcomes.unbounded import (
    choose_depth,
    explain_stop,
    find_unbounded,
    has_ended_without_end,
    seems_unbounded,
)
from verifier.processes.limits import Interrupted
from verifier.runs.modules import refining
from verifier.runs.modules.growth import measure_size
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.telling import hide_own_properties
from verifier.runs.news import Known, Remark
from verifier.runs.unbounded import Widened, explain_loops_of_view
from verifier.text.progress import ProgressText
from verifier.tla.value_types import Value
from verifier.verdict import Verdict, VerdictKind


@pytest.fixture
def unbounded(tmp_path: Path) -> Path:
    path = tmp_path / "Unbounded.tla"
    path.write_text(UNBOUNDED)
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)
    return path


def test_exploration_ends_where_a_variable_seems_unbounded(unbounded: Path) -> None:
    done = verify("explore", str(unbounded), "--timeout", "60s", "--format", "json")
    assert done.exit_code == 10
    results = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    assert (results["TypeOK"]["verdict"], results["TypeOK"]["steps"]) == ("VIOLATED", 1)
    for name in ("Binary", "Shrinks", "Less"):
        assert results[name]["verdict"] == "INCONCLUSIVE"
        assert results[name]["reason"].startswith("stopped because left seems unbounded (")
        assert results[name]["depth"] >= 30


_QUEUE = """---- MODULE Queue ----
EXTENDS Naturals, Sequences
VARIABLES sent, got, queue
Init == sent = 0 /\\ got = 0 /\\ queue = <<>>
Send == sent' = sent + 1 /\\ queue' = Append(queue, sent) /\\ UNCHANGED got
Receive == queue # <<>> /\\ got' = got + 1 /\\ queue' = Tail(queue) /\\ UNCHANGED sent
Next == Send \\/ Receive
Order == got + Len(queue) = sent
Short == Len(queue) < 4
Bound == sent < 10
====
"""


@pytest.mark.parametrize("command", ["check", "explore", "prove"])
def test_an_endless_module_gets_a_command_that_decides_it(command: str, tmp_path: Path) -> None:
    """The command is run as it is printed."""
    path = tmp_path / "Queue.tla"
    path.write_text(_QUEUE)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Order Short\n")
    said = verify(command, str(path)).stdout
    assert "sent, got and queue seem unbounded" in said
    printed = re.search(r"verify explore (.*) --depth (\d+)", " ".join(said.split()))
    assert printed is not None, said
    given, depth = printed.groups()
    done = verify("explore", *given.split(), "--depth", depth, "--format", "json")
    results = {one["property"]: (one["verdict"], one["depth"]) for one in json.loads(done.stdout)["results"]}
    assert results == {name: ("HOLDS", int(depth)) for name in ("Order", "NoDeadlock")}


def test_a_constraint_ends_an_endless_module(tmp_path: Path) -> None:
    path = tmp_path / "Queue.tla"
    path.write_text(_QUEUE)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTRAINT Bound\nINVARIANTS Order Short\n")
    done = verify("check", str(path), "--format", "json")
    results = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert results == {"Order": "PROVED", "Short": "VIOLATED", "NoDeadlock": "PROVED"}


def test_a_limit_and_growth_are_told_apart_in_a_reason() -> None:
    names = ["sent", "queue"]
    grows, stop = seems_unbounded(names), explain_stop(names)
    assert find_unbounded(f"timeout of 3 s; {grows}") == find_unbounded(stop) == grows
    assert find_unbounded("timeout of 3 s") == find_unbounded(None) == ""
    assert find_unbounded(explain_loops_of_view(["sent"])) == ""
    ended = Verdict("P", VerdictKind.INCONCLUSIVE, 30, 1.0, f"timeout of 3 s; {grows}")
    assert choose_depth([ended]) == 30
    assert choose_depth([replace(ended, reason=stop)]) == 60


def test_an_exploration_that_is_cut_off_names_what_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.runs.modules.exploring.POLICY", replace(POLICY, seconds_before_growth=0.0))
    path = tmp_path / "Queue.tla"
    path.write_text(_QUEUE)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Order\n")
    asked = ("--by", "interpreter", "--property", "Order", "--max-states", "12000")
    said = verify("explore", str(path), *asked).stdout
    assert "(more than 12,000 states; sent, got and queue seem unbounded" in " ".join(said.split())


_GROWING = {
    "left": ("left = 0", "left' = left - 1", "left \\in -2..0"),
    "queue": ("queue = <<>>", "queue' = Append(queue, 1)", "Len(queue) < 3"),
    "seen": ("seen = {}", "seen' = seen \\cup {Cardinality(seen)}", "Cardinality(seen) < 3"),
}


@pytest.mark.parametrize("name", _GROWING)
def test_a_proof_ends_where_a_variable_seems_unbounded(name: str, tmp_path: Path) -> None:
    begin, grow, bounded = _GROWING[name]
    path = tmp_path / "Grows.tla"
    path.write_text(
        f"---- MODULE Grows ----\nEXTENDS Integers, Sequences, FiniteSets\nVARIABLES {name}, flag\n"
        f"Init == {begin} /\\ flag = 0\nNext == {grow} /\\ flag' = 1 - flag\n"
        f"Small == {bounded}\nFlag == flag \\in 0..1\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next\nINVARIANTS Small Flag\n")
    done = verify("prove", str(path), "--timeout", "60s", "--format", "json")
    results = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    assert (done.exit_code, results["Small"]["verdict"], results["Small"]["steps"]) == (10, "VIOLATED", 3)
    assert results["Flag"]["verdict"] == "INCONCLUSIVE"
    words = f"stopped because {name} seems unbounded (--keep-going continues)"
    assert results["Flag"]["reason"] == words


@pytest.mark.slow
def test_what_ends_between_two_rounds_is_said_with_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sorts are widened there, and no engine runs that could say what it has closed, or has a model."""

    def interrupt(*_: object) -> str:
        raise Interrupted("timeout of 9 s")

    monkeypatch.setattr(refining, "widen_after", interrupt)
    path = tmp_path / "Many.tla"
    path.write_text(
        "---- MODULE Many ----\nEXTENDS Integers\nCONSTANT Nodes\nVARIABLES left, held\n"
        "Init == left = 0 /\\ held = [n \\in Nodes |-> 0]\n"
        "Tick == left' = left - 1 /\\ UNCHANGED held\n"
        "Take(n) == UNCHANGED left /\\ held' = [held EXCEPT ![n] = 1 - @]\n"
        "Next == Tick \\/ \\E n \\in Nodes : Take(n)\n"
        "Few == left > -2\nBinary == \\A n \\in Nodes : held[n] \\in 0..1\n====\n"
    )
    names = ", ".join(f"n{number}" for number in range(1, 8))
    config = f"CONSTANT Nodes = {{{names}}}\nINIT Init NEXT Next\nINVARIANTS Few Binary\n"
    path.with_suffix(".cfg").write_text(config)
    done = verify("prove", str(path), "--keep-going", "--format", "json")
    results = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    assert (done.exit_code, results["Few"]["verdict"], results["Few"]["steps"]) == (10, "VIOLATED", 2)
    assert (results["Binary"]["verdict"], results["Binary"]["reason"]) == (
        "INCONCLUSIVE",
        "timeout of 9 s; left seems unbounded",
    )
    assert results["Binary"]["depth"] >= 2
    shown = verify("prove", str(path), "--keep-going").stdout
    assert "    left: -1 → -2" in shown
    assert "Many.tla:9: left > -2 is false" in shown


def test_a_check_ends_where_a_variable_seems_unbounded(unbounded: Path) -> None:
    """Also the engine of temporal properties, which meets no violation itself."""
    unbounded.write_text(unbounded.read_text().replace("====\n", "Settles == <>[](left < 0)\n====\n"))
    unbounded.with_suffix(".cfg").write_text(f"{UNBOUNDED_CONFIG}PROPERTY Settles\n")
    done = verify("check", str(unbounded), "--timeout", "60s", "--format", "json")
    results = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    assert (done.exit_code, results["TypeOK"]["verdict"], results["TypeOK"]["steps"]) == (10, "VIOLATED", 1)
    words = "stopped because left seems unbounded (--keep-going continues)"
    left = {name: one["reason"] for name, one in results.items() if one["verdict"] == "INCONCLUSIVE"}
    assert left.keys() >= {"Binary", "Shrinks", "Less"}
    assert set(left.values()) == {words}


def test_a_check_shows_an_execution_that_a_translation_found(tmp_path: Path) -> None:
    path = tmp_path / "Counts.tla"
    path.write_text(
        "---- MODULE Counts ----\nEXTENDS Integers\nVARIABLES a, b, c\nInit == a = 0 /\\ b = 0 /\\ c = 0\n"
        "Next == /\\ a' \\in {a, (a + 1) % 90} /\\ b' \\in {b, (b + 1) % 90} /\\ c' \\in {c, (c + 1) % 90}\n"
        "Small == a < 3\nSum == a + b < 170\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next\nINVARIANTS Small Sum\n")
    done = verify("check", str(path), "--by", "translation", "--first", "--timeout", "60s")
    assert done.exit_code == 10
    assert "Small: VIOLATED in 3 steps" in done.stdout
    assert "a: 2 → 3" in done.stdout
    assert "Counts.tla:6: a < 3 is false" in done.stdout


@pytest.mark.parametrize("spec", ["module", "kip320-first-try"])
def test_a_check_ends_at_the_first_violation(spec: str, unbounded: Path) -> None:
    given = str(unbounded) if spec == "module" else spec
    done = verify("check", given, "--first", "--timeout", "60s", "--format", "json")
    results = json.loads(done.stdout)["results"]
    assert done.exit_code == 10
    left = [one["reason"] for one in results if one["verdict"] == "INCONCLUSIVE"]
    assert left
    assert all("ended at the first violation" in reason for reason in left)


_RING = """---- MODULE Ring ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\\ [][Next]_x
Stays == <>[](x = 0)
Leaves == []<>(x = 7)
====
"""


@pytest.mark.parametrize("by", ["interpreter", "translation"])
@pytest.mark.parametrize("first", [True, False])
def test_live_ends_at_the_first_violation_where_that_is_asked(by: str, first: bool, tmp_path: Path) -> None:
    path = tmp_path / "Ring.tla"
    path.write_text(_RING)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTIES Stays Leaves\n")
    asked = ["--first"] if first else []
    done = verify("live", str(path), "--by", by, *asked, "--format", "json")
    results = json.loads(done.stdout)["results"]
    assert done.exit_code == 10
    assert [one["verdict"] for one in results].count("VIOLATED") == (1 if first else 2)
    left = [one["reason"] for one in results if one["verdict"] != "VIOLATED"]
    assert left == ["ended at the first violation, as asked"] * first


@pytest.mark.parametrize("command", ["bmc", "explore", "prove", "simulate"])
@pytest.mark.parametrize("spec", ["module", "kip320-first-try"])
def test_first_ends_at_the_first_violation(command: str, spec: str, unbounded: Path) -> None:
    own = ["--depth", "6"] if command in ("bmc", "simulate") else ["--timeout", "60s"]
    given = [str(unbounded)] if spec == "module" else [spec, "--property", "all"]
    done = verify(command, *given, "--first", *own, "--format", "json")
    results = json.loads(done.stdout)["results"]
    assert done.exit_code == 10
    left = [one["reason"] for one in results if one["verdict"] == "INCONCLUSIVE"]
    assert left
    assert all("ended at the first violation" in reason for reason in left)


@pytest.mark.parametrize("asked", [("--keep-going", "--timeout", "4s"), ("--depth", "90")])
def test_it_looks_on_where_that_is_asked(unbounded: Path, asked: tuple[str, ...]) -> None:
    done = verify("explore", str(unbounded), *asked, "--format", "json")
    results = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    assert not has_ended_without_end(results["Binary"]["reason"])


def test_bounded_variables_are_not_called_unbounded(tmp_path: Path) -> None:
    path = tmp_path / "Bounded.tla"
    path.write_text(
        UNBOUNDED.replace("Unbounded", "Bounded").replace("left' = left - 1", "left' = (left + 1) % 20")
    )
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)
    done = verify("explore", str(path), "--format", "json")
    results = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert results == {
        **dict.fromkeys(("TypeOK", "Shrinks"), "VIOLATED"),
        **dict.fromkeys(("Binary", "Less", "NoDeadlock"), "HOLDS"),
    }


def test_what_is_widened_again_is_told_as_what_it_is() -> None:
    widened = Widened()
    widened.add(["left", "log"])
    widened.add(["left"])
    assert widened.at_least(2) == ["left"]
    assert seems_unbounded(widened.at_least(2)) == "left seems unbounded"


def test_a_violation_is_shown_once_the_run_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, now = list[object](), [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with Reporter(ProgressText(), show=shown.append) as reporter:
        reporter(Known(run="a run"))  # type: ignore[arg-type]
        reporter(Remark("goes on"))
        assert shown == []
        now[0] += 1.5
        reporter(Remark("goes on"))
        reporter(Remark("goes on"))
    assert shown == ["a run"]


def test_what_is_open_when_the_others_are_violated_was_not_asked_to_end(tmp_path: Path) -> None:
    path = tmp_path / "Grow.tla"
    either = " \\/ ".join(f"({a}' = {a} + 1 /\\ UNCHANGED <<{b}, {c}>>)" for a, b, c in ("xyz", "yxz", "zxy"))
    path.write_text(
        "---- MODULE Grow ----\nEXTENDS Naturals\nVARIABLES x, y, z\nInit == x = 0 /\\ y = 0 /\\ z = 0\n"
        f"Next == {either}\nTypeOK == x < 1\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT TypeOK\n")
    done = verify("explore", str(path), "--by", "translation", "--format", "json")
    reasons = {one["property"]: one["reason"] for one in json.loads(done.stdout)["results"]}
    assert reasons["NoDeadlock"].startswith("ended when the other properties were violated")


def test_sizes_of_shared_sets_are_remembered_as_they_are() -> None:
    inner = frozenset({1, 5})
    value = frozenset({inner, frozenset({(7, 2)})})
    known = dict[tuple[Value, int], int]()
    assert measure_size(value, 4) == measure_size(value, 4, known=known) == 7
    assert measure_size(value, 4, known=known) == 7
    # Where the nesting that counts ends, a set has as many as its elements.
    assert measure_size(value, 1) == measure_size(value, 1, known=known) == 2
    assert known[inner, 3] == 5


class _Late(ProgressText):
    def hear(self, news: object) -> Iterator[str]:
        yield from super().hear(news)
        if news == "found":
            yield "P is violated"


def test_progress_in_a_file_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines come after 1, 2, 4, 8, 16 and 26 seconds, beside what is found."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with Reporter(_Late()) as reporter:
        for number in range(1_080):
            now[0] += 0.025
            reporter(f"depth {number} closed")
        reporter("found")
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "closed" not in line] == ["P is violated"]
    assert len(said) == 7


def test_what_a_translation_finds_of_its_sorts_is_no_news_of_the_module() -> None:
    heard = list[object]()
    listen = hide_own_properties(heard.append, ("Sorts", "UndefinedRead"))
    violated = explore.Progress(43, 100, 1, 1.0, violated="UndefinedRead")
    for news in (
        violated,
        replace(violated, violated="P"),
        bmc.Progress("serial", ("Sorts", "P"), 3, 1.0, steps=3),
        bmc.Progress("serial", ("Sorts",), 3, 1.0, steps=3),
        bmc.Progress("serial", ("Sorts",), 3, 1.0),
        proofs.Progress("ic3", "Sorts", 1.0, note="violated in 3 steps"),
        proofs.Progress("ic3", "Sorts", 1.0, depth=3),
    ):
        listen(news)
    names = [getattr(one, "violated", None) or getattr(one, "properties", None) for one in heard]
    assert names == ["P", ("P",), ("Sorts",), None]
