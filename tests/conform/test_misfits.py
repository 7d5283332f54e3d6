"""Parameters that no step has, and logs that begin with a byte order mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conform.test_mapped_logs import LOCK
from tests.support.command_line import verify
from tests.support.mapped_counter import GOOD, judge_logs, write_log
from verifier.conform.logs import read_lines


@pytest.mark.parametrize("to", [7, "1", None])
def test_parameters_that_no_step_has_are_told(counter: Path, to: object) -> None:
    (found,) = judge_logs(counter, write_log(counter, [*GOOD[:3], {"event": "set", "to": to}]))
    *steps, last = found["obstacles"]
    assert found["line"] == 4
    assert [one["action"] for one in steps] == ["Set(n=0)", "Set(n=1)", "Set(n=3)"]
    assert [one["words"] for one in steps] == [
        f"is {n} in the step, and the log's to is {to!r}" for n in (0, 1, 3)
    ]
    assert (last["formula"], last["words"]) == ("Set(n)", "has no parameters with the values of the log")


def test_a_client_that_a_protocol_lacks_is_told(tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(LOCK)
    mapping = 'event = "e"\n[events.take]\naction = "take"\nparameters = { client = "who" }\n'
    (tmp_path / "lock.toml").write_text(mapping)
    log = write_log(tmp_path, [{"e": "take", "who": "client1"}])
    options = ("--spec", str(tmp_path / "lock.py"), "--map", str(tmp_path / "lock.toml"))
    done = verify("conform", log, *options)
    assert "client   is c1 in the step, and the log's who is 'client1'" in done.stdout
    assert "0 of 1 event is explained" in done.stdout


def test_a_byte_order_mark_is_no_part_of_a_log(counter: Path) -> None:
    log = write_log(counter, GOOD)
    whole = Path(log).read_text()
    (counter / "table.csv").write_text("\ufeffevent,value\ninc,1\ninc,2\n")
    Path(log).write_text(f"\ufeff{whole}")
    found = judge_logs(counter, log, str(counter / "table.csv"))
    assert [one["verdict"] for one in found] == ["ACCEPTED", "ACCEPTED"]
    (event,) = read_lines(Path("-"), ["\ufeff{}\n"])
    assert event.text == "{}"
