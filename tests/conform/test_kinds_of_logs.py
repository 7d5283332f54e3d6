"""Logs of states, in ITF, from standard input, that end early; invariants on them; many side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.support.command_line import verify, wrong
from verifier import UsageError, load
from verifier.cli.main import cli

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x \\in {0, 5}
Inc == x # 3 /\\ x' = x + 1
Set(n) == x > 1 /\\ x' = n
Next == Inc \\/ \\E n \\in 0..3 : Set(n)
Small == x < 3
====
"""
Event = dict[str, Any]


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("Counter.tla").write_text(COUNTER)
    Path("Counter.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    Path("map.toml").write_text('event = "event"\n[events.inc]\naction = "Inc"\nafter = { x = "value?" }\n')
    Path("states.toml").write_text('[state]\nx = "x"\n')
    return tmp_path


def _write_log(events: list[Event], name: str = "log") -> str:
    Path(name).write_text("".join(json.dumps(event) + "\n" for event in events))
    return name


def _judge(*arguments: str) -> list[dict[str, Any]]:
    done = verify("conform", *arguments, "--spec", "Counter.tla", "--format", "json")
    found: list[dict[str, Any]] = json.loads(done.stdout)["logs"]
    return found


@pytest.mark.usefixtures("counter")
@pytest.mark.parametrize(
    ("values", "line", "reason"),
    [
        ([0, 1, 2, 0], None, ""),
        ([1, 2], 1, "no initial state matches this line"),
        ([5, 6, 3], None, ""),
        ([5, 7], 2, "no step leads to it"),
    ],
)
def test_a_log_may_have_states_alone(values: list[int], line: int | None, reason: str) -> None:
    (found,) = _judge(_write_log([{"x": value} for value in values]), "--map", "states.toml")
    assert (found["line"], found["reason"]) == (line, reason)
    itf = {
        "#meta": {"format": "ITF"},
        "vars": ["x"],
        "states": [{"#meta": {"index": 1}, "x": {"#bigint": str(v)}} for v in values],
    }
    Path("run.itf.json").write_text(json.dumps(itf, indent=1))
    (found,) = _judge("run.itf.json")
    assert found["reason"] == reason
    assert (found["line"] is None) == (line is None)


@pytest.mark.usefixtures("counter")
def test_a_trace_of_ours_is_an_execution_again() -> None:
    with Path("Counter.cfg").open("a") as config:
        config.write("INVARIANT Small\n")
    done = verify("explore", "--spec", "Counter.tla", "--format", "json")
    (trace,) = [one["trace"] for one in json.loads(done.stdout)["results"] if one.get("trace")]
    Path("run.itf.json").write_text(json.dumps(trace))
    Path("Counter.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    assert _judge("run.itf.json")[0]["verdict"] == "ACCEPTED"


@pytest.mark.usefixtures("counter")
def test_standard_input_is_judged_as_it_comes() -> None:
    lines = '{"event": "inc"}\n{"event": "inc", "value": 3}\nthis is never read\n'
    asked = ["conform", "-", "--spec", "Counter.tla", "--map", "map.toml"]
    done = CliRunner().invoke(cli, asked, input=lines)
    assert done.exit_code == 10
    assert "-:2: REJECTED: no Inc step matches this line" in done.stdout


@pytest.mark.usefixtures("counter")
def test_ignored_events_count_for_nothing_on_standard_input_too() -> None:
    Path("map.toml").write_text('ignore = ["beat"]\n' + Path("map.toml").read_text())
    lines = '{"event": "inc"}\n{"event": "beat"}\n{"event": "inc", "value": 3}\n'
    Path("log.ndjson").write_text(lines)
    for log in ("log.ndjson", "-"):
        asked = ["conform", log, "--spec", "Counter.tla", "--map", "map.toml"]
        done = CliRunner().invoke(cli, asked, input=lines)
        assert done.exit_code == 10
        assert "  1 of 2 events is explained, 1 is ignored" in done.stdout.splitlines(), log


@pytest.mark.usefixtures("counter")
def test_a_log_that_ends_early_is_told() -> None:
    Path("map.toml").write_text('end = ["Set"]\n' + Path("map.toml").read_text())
    events: list[Event] = [{"event": "inc"}, {"event": "inc"}, {"event": "Set", "n": 0}]
    whole, part = _judge(_write_log(events), _write_log(events[:2], "part"), "--map", "map.toml")
    assert whole["verdict"] == "ACCEPTED"
    assert (part["verdict"], part["explained"], part["line"]) == ("REJECTED", 2, None)
    assert part["reason"] == "the log ends early: its last event is 'inc', and a whole log ends with Set"
    Path("cut").write_text(Path("log").read_text()[:-8])
    (cut,) = _judge("cut", "log", "--map", "map.toml")[:1]
    assert (cut["verdict"], cut["line"]) == ("ERROR", 3)
    assert "the log was cut off there, or is still being written" in cut["reason"]


@pytest.mark.usefixtures("counter")
def test_invariants_are_judged_on_complete_matches() -> None:
    with Path("Counter.cfg").open("a") as config:
        config.write("INVARIANT Small\n")
    # Each execution of three steps passes 3 or more; of "low", the one from 5 does not match.
    high = _write_log([{"event": "inc"}, {"event": "inc"}, {"event": "inc"}])
    low = _write_log([{"event": "inc"}, {"event": "inc", "value": 2}], "low")
    one, other = _judge(high, low, "--map", "map.toml")
    assert (one["verdict"], one["line"], one["explained"]) == ("REJECTED", 3, 3)
    assert one["reason"] == "false in each execution that agrees with the log: Small"
    assert other["verdict"] == "ACCEPTED"
    Path("map.toml").write_text("invariants = []\n" + Path("map.toml").read_text())
    assert _judge(high, "--map", "map.toml")[0]["verdict"] == "ACCEPTED"
    Path("map.toml").write_text(Path("map.toml").read_text().replace("[]", '["Smal"]', 1))
    assert "unknown invariant 'Smal'" in wrong("conform", high, "--spec", "Counter.tla", "--map", "map.toml")


@pytest.mark.usefixtures("counter")
def test_fields_named_as_parameters_and_variables_need_no_entry() -> None:
    events: list[Event] = [{"event": "Inc", "x": 1}, {"event": "Inc", "x": 2}, {"event": "Set", "n": 0}]
    (found,) = _judge(_write_log([*events, {"event": "Inc", "x": 2}]), "--map", "map.toml")
    assert (found["verdict"], found["line"]) == ("REJECTED", 4)


@pytest.mark.usefixtures("counter")
def test_processes_judge_as_one_does() -> None:
    logs = [_write_log([{"event": "inc", "value": value}], f"log{value}") for value in (1, 2)]
    Path("broken").write_text("[")
    found = [_judge(*logs, "broken", "--map", "map.toml", "--jobs", jobs) for jobs in ("1", "2")]
    kept = [[(one["log"], one["verdict"], one["line"], one["reason"]) for one in logs] for logs in found]
    assert kept[0] == kept[1]
    assert [verdict for _, verdict, _, _ in kept[0]] == ["ACCEPTED", "REJECTED", "ERROR"]


def _read(event: Event) -> Event | None:
    match event["event"]:
        case "inc":
            return {"action": "Inc", "before": {"x": event["from"]}}
        case "odd":
            return {"action": "Odd"}
        case "fails":
            return {"action": event["nothing"]}
    return None


@pytest.mark.usefixtures("counter")
@pytest.mark.parametrize(
    ("last", "verdict", "words"),
    [
        ({"event": "inc", "from": 1}, "ACCEPTED", ""),
        ({"event": "inc", "from": 2}, "REJECTED", "no Inc step matches this line"),
        ({"event": "odd"}, "ERROR", "unknown action 'Odd'"),
        ({"event": "fails"}, "ERROR", "the mapping's function fails: KeyError: 'nothing'"),
    ],
)
def test_a_function_says_what_an_event_means(last: Event, verdict: str, words: str) -> None:
    log = _write_log([{"event": "inc", "from": 0}, {"event": "beat"}, last])
    (found,) = load("Counter.tla").conform(log, mapping={"read": _read})
    assert (found.verdict, found.line) == (verdict, None if verdict == "ACCEPTED" else 3)
    assert words in found.reason


@pytest.mark.usefixtures("counter")
def test_conform_from_python_refuses_what_it_cannot_use() -> None:
    counter, _ = load("Counter.tla"), _write_log([])
    with pytest.raises(UsageError, match="Give a mapping"):
        counter.conform("log")
    with pytest.raises(UsageError, match="constants are given to load"):
        counter.conform("log", mapping={"read": _read, "constants": {}})
    with pytest.raises(UsageError, match="unknown table 'reed'"):
        counter.conform("log", mapping={"reed": _read})


@pytest.mark.usefixtures("counter")
def test_files_of_several_nodes_are_merged_by_a_clock() -> None:
    Path("map.toml").write_text('merge = { clock = "at.ms" }\n' + Path("map.toml").read_text())
    one = _write_log(
        [{"event": "inc", "value": 1, "at": {"ms": 1}}, {"event": "inc", "value": 3, "at": {"ms": 2.5}}], "n1"
    )
    other = _write_log(
        [{"event": "inc", "value": 2, "at": {"ms": 2}}, {"event": "inc", "at": {"ms": 4}}], "n2"
    )
    (found,) = _judge(one, other, "--map", "map.toml")
    assert (found["log"], found["verdict"], found["line"]) == ("n1, n2", "REJECTED", 4)
    assert found["text"].startswith("n2:2: ")
    assert [event["text"].split(" ")[0] for event in found["events"]] == ["n1:1:", "n2:1:", "n1:2:", "n2:2:"]
    Path("n2").write_text('{"event": "inc", "at": {"ms": "late"}}\n')
    (found,) = _judge(one, other, "--map", "map.toml")
    assert (found["verdict"], found["line"]) == ("ERROR", 1)
    assert found["reason"].startswith("n2:1: the event has no number in at.ms")


_PAIRS = """---- MODULE Pairs ----
EXTENDS Naturals
VARIABLE held
Init == held = [pair \\in {1, 2} \\X {1, 2} |-> 0]
Next == \\E pair \\in DOMAIN held : held[pair] < 1 /\\ held' = [held EXCEPT ![pair] = @ + pair[1]]
Few == held[<<2, 2>>] = 0
====
"""


@pytest.mark.parametrize("spec", ["exactly-once", "rabbit-sac", "Pairs.tla"])
def test_traces_have_options_variants_and_compound_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Pairs.tla").write_text(_PAIRS)
    Path("Pairs.cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE\n")
    cover = "pairs" if spec == "Pairs.tla" else "actions"
    asked = ("tests", "--spec", spec, "--cover", cover, "--depth", "8", "--out", "made")
    verify(*asked, "--max-states", "2000")
    logs = [str(file) for file in sorted(Path("made").glob("*.itf.json"))]
    done = verify("conform", *logs, "--spec", spec, "--format", "json")
    found = json.loads(done.stdout)["logs"]
    assert {one["verdict"] for one in found} == {"ACCEPTED"}
    text = Path(logs[0]).read_text()
    changed = json.loads(text)
    changed["states"][1] = {**changed["states"][-1], "#meta": {"index": 1}}
    Path("changed.itf.json").write_text(json.dumps(changed))
    (one,) = json.loads(verify("conform", "changed.itf.json", "--spec", spec, "--format", "json").stdout)[
        "logs"
    ]
    assert one["verdict"] == "REJECTED"


@pytest.mark.usefixtures("counter")
def test_a_missing_log_is_named_before_anything_else_that_is_missing() -> None:
    Path("log").write_text("{}")
    assert "absent: cannot be read" in wrong("conform", "absent", "--spec", "Counter.tla")
    assert "absent: cannot be read" in wrong("conform", "log", "absent", "--spec", "Counter.tla")
    assert "Give a mapping" in wrong("conform", "log", "--spec", "Counter.tla")


def test_bytes_that_are_no_text_have_a_line(counter: Path) -> None:
    good, bad = b'{"event": "inc"}\n', b'{"event": "\xff\xfe"}\n'
    Path("log.ndjson").write_bytes(good + bad)
    asked = ("--spec", "Counter.tla", "--map", "map.toml")
    for log in ("log.ndjson", "-"):
        found = CliRunner().invoke(cli, ["conform", log, *asked], input=good + bad)
        assert found.exit_code == 2
        assert f"{log}:2: ERROR: no JSON: it is not UTF-8 text" in found.output


def test_a_log_that_is_missing_is_named_once(counter: Path) -> None:
    log = _write_log([{"event": "inc"}])
    found = CliRunner().invoke(
        cli, ["conform", log, "gone.ndjson", "--spec", "Counter.tla", "--map", "map.toml"]
    )
    assert found.exit_code == 2
    assert "gone.ndjson: ERROR: cannot be read: no such file" in found.output


def test_a_log_without_events_is_accepted_and_says_so(counter: Path) -> None:
    Path("log.ndjson").write_text("\n")
    printed = verify("conform", "log.ndjson", "--spec", "Counter.tla", "--map", "map.toml")
    assert "log.ndjson: ACCEPTED: the log has no events" in printed.output
