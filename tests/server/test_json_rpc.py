"""``verify serve`` answers JSON-RPC on its standard streams."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import psutil
import pytest

from verifier.server.json_rpc import JsonRpcServer

LOCK = "docs/examples/FencedLock.tla"
COMMAND = (sys.executable, "-c", "from verifier.cli.entry import main; main()", "serve")

_LARGE = {"replicas": "5", "log_size": "4", "max_records": "4", "max_leader_epoch": "4"}
"""Constants of kip320 at which no search is done before it is cancelled."""


class Server:
    """A process that answers, and what it says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.notices: list[Mapping[str, Any]] = []

    def send(self, text: str) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def request(self, number: int, method: str, **params: Any) -> None:
        """Send a request."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))

    def read(self) -> Mapping[str, Any]:
        """Return the next message."""
        assert self.process.stdout is not None
        found: Mapping[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def wait_for(self, pattern: str) -> None:
        """Read notices up to one with these words. An answer is none."""
        while re.search(pattern, str(message := self.read())) is None:
            assert message.get("method") == "progress" or "spec" in message["result"], message

    def answer(self) -> Mapping[str, Any]:
        """Return the next answer; keep the notices before it."""
        while "method" in (message := self.read()):
            self.notices.append(message)
        return message


@contextmanager
def serving() -> Iterator[Server]:
    """Give a server; at the end, its input ends, and it ends well."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
            process.communicate(timeout=60)
            assert process.returncode == 0
        finally:
            process.kill()


def test_a_session_by_lines() -> None:
    with serving() as server:
        server.request(1, "load", spec=LOCK, constants={"Fencing": "FALSE"})
        assert server.answer()["result"]["spec"] == "FencedLock"
        server.request(2, "check", engine="explore")
        checked = server.answer()
        assert (checked["id"], checked["result"]["exit_code"]) == (2, 10)
        assert all(one["params"]["id"] == 2 for one in server.notices)
        assert any("interpreter" in one["params"]["message"] for one in server.notices)
        server.request(3, "counterexample", property="InOrder")
        assert server.answer()["result"]["at"] == 5


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("nonsense", -32700, "not JSON"),
        ("[" * 100_000, -32700, "nested"),
        ('{"id": "\xff"}', -32700, "not UTF-8"),
        ('{"id": 1, "method": "state", "params": {"state": 1e400}}', -32700, "is not a number"),
        ('{"id": 1, "method": "\\ud800"}', -32601, "unknown method"),
        ('{"id": "\\ud800", "method": "state"}', -32602, "no specification is open"),
        ("[]", -32600, "several lines"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "chek"}', -32601, "did you mean 'check'"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "check", "params": [1]}', -32600, "have names"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "load"}', -32602, "needs the parameter spec"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"spec": "no.tla"}}', -32602, "no.tla"),
    ],
)
def test_a_wrong_message_has_an_error(line: str, code: int, words: str) -> None:
    outgoing = BytesIO()
    JsonRpcServer(outgoing).serve([line.encode("latin-1")])
    error = json.loads(outgoing.getvalue())["error"]
    assert error["code"] == code
    assert words in error["message"]


def test_what_code_prints_is_no_message(tmp_path: Path) -> None:
    file = tmp_path / "talking.py"
    file.write_text(Path("docs/examples/voting.py").read_text(encoding="utf-8") + '\nprint("hello")\n')
    with serving() as server:
        server.request(1, "load", spec=str(file))
        assert "result" in server.answer()


def test_a_formula_that_is_nested_too_deep_ends_no_server() -> None:
    with serving() as server:
        server.request(1, "load", spec=LOCK)
        server.answer()
        server.request(2, "evaluate", expression=f"{'1 + ' * 20_000}1")
        assert "nested too deep" in server.answer()["error"]["message"]
        server.request(3, "evaluate", expression="1 + 1")
        assert server.answer()["result"]["value"] == "2"


def test_a_cancelled_check_says_what_it_knows_and_others_are_answered_meanwhile() -> None:
    with serving() as server:
        server.request(1, "load", spec="kip320", constants=_LARGE)
        server.answer()
        server.request(2, "check", engine="bmc", depth=60)
        server.wait_for("closed depth [1-9]")
        server.request(3, "initial_states")
        assert server.answer()["id"] == 3
        began = time.monotonic()
        server.request(4, "cancel", id=2)
        answers = {one["id"]: one for one in (server.answer(), server.answer())}
        assert answers[4]["result"] == {"cancelled": True}
        result = answers[2]["result"]["results"][0]
        assert (result["verdict"], result["reason"]) == ("INCONCLUSIVE", "interrupted")
        assert result["depth"] >= 1
        assert time.monotonic() - began < 30


def test_the_input_may_end_before_the_answers() -> None:
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"spec": LOCK}},
        {"jsonrpc": "2.0", "id": 2, "method": "check", "params": {"engine": "explore"}},
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run(COMMAND, input=text, capture_output=True, text=True, timeout=60, check=True)
    ids = [json.loads(line).get("id") for line in done.stdout.splitlines()]
    assert [number for number in ids if number is not None] == [1, 2]


def test_a_check_ends_when_the_client_is_gone() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        server = Server(process)
        server.request(1, "load", spec="kip320", constants=_LARGE)
        server.request(2, "check", engine="bmc", depth=60)
        server.wait_for("closed depth [1-9]")
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_checks(number: signal.Signals) -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        server = Server(process)
        server.request(1, "load", spec="kip320", constants=_LARGE)
        server.request(2, "check", engine="bmc", depth=60)
        server.wait_for("closed depth [1-9]")
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.send_signal(number)
        assert process.wait(60) == 12
        psutil.wait_procs(children, 10)
        assert not [child for child in children if child.is_running() and child.status() != "zombie"]


@pytest.mark.thorough
def test_a_second_check_is_answered_at_once() -> None:
    with serving() as server:
        server.request(1, "load", spec="kip320")
        server.request(2, "check", engine="bmc", depth=12)
        server.answer()
        assert server.answer()["result"]["exit_code"] == 0
        began = time.monotonic()
        server.request(3, "check", engine="bmc", depth=12)
        again = server.answer()["result"]
        assert time.monotonic() - began < 0.3
        assert (again["kept"], again["exit_code"]) == (True, 0)
