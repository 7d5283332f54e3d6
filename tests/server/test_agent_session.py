"""An agent's session over the Model Context Protocol, from nothing to an explained violation."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from verifier.server.table import REQUESTS

if TYPE_CHECKING:
    from mcp.client.client import Client

LARGE = {"replicas": "5", "log_size": "4", "max_records": "4", "max_leader_epoch": "4"}
LOCK = "docs/examples/FencedLock.tla"
ARGUMENTS = ("-c", "from verifier.cli.entry import main; main()", "serve", "--protocol", "mcp")


async def ask(client: Client, name: str, /, **given: Any) -> Any:
    """Return the content of a tool's answer."""
    found = await client.call_tool(name, given)
    assert not found.is_error, found.content
    return found.structured_content


async def find_and_explain() -> dict[str, Any]:
    """Go from a file to the reason of a violation, and to the setting without it."""
    # 35 MiB, which each process that other tests fork would copy
    import anyio
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=sys.executable, args=list(ARGUMENTS))
    told: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with Client(stdio_client(server)) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        loaded = await ask(client, "load", spec=LOCK, constants={"Fencing": "FALSE"})
        asked = {"spec": loaded["spec"], "engine": "explore"}
        checked = await client.call_tool("check", asked, progress_callback=hear)
        assert isinstance(checked.structured_content, dict)
        violated = [
            one["property"] for one in checked.structured_content["results"] if one["verdict"] == "VIOLATED"
        ]
        end = await ask(client, "counterexample", property=violated[0])
        why = await ask(client, "why_false", property=violated[0])
        before = await ask(client, "back")
        stale = await ask(client, "evaluate", expression="{c \\in Client : lease[c] > 0 /\\ lease[c] < last}")
        fenced = await ask(client, "load", spec=LOCK)
        await ask(client, "initial_states")
        for action, given in (("Acquire", {"c": "c1"}), ("RunOut", {}), ("Acquire", {"c": "c2"})):
            await ask(client, "step", action=action, parameters=given)
        await ask(client, "step", action="Write", parameters={"c": "c2"})
        blocked = await ask(client, "why_disabled", action="Write", parameters={"c": "c1"})
        again = await ask(client, "check", spec=fenced["spec"])
        wrong = await client.call_tool("evaluate", {"expression": "leas"})
        await ask(client, "load", spec="kip320", constants=LARGE)
        with anyio.CancelScope() as long:

            async def cancel(progress: float, total: float | None, message: str | None) -> None:
                long.cancel()

            asked = {"engine": "bmc", "depth": 60}
            await client.call_tool("check", asked, progress_callback=cancel)
        after = await ask(client, "state")
    return {
        "tools": tools, "told": told, "violated": violated, "end": end, "why": why, "before": before,
        "stale": stale, "blocked": blocked, "again": again, "wrong": wrong,
        "cancelled": long.cancelled_caught, "after": after,
    }  # fmt: skip


@pytest.fixture(scope="module")
def session() -> dict[str, Any]:
    import anyio

    return anyio.run(find_and_explain)


def test_every_request_is_a_tool_with_a_schema(session: dict[str, Any]) -> None:
    assert session["tools"].keys() == REQUESTS.keys()
    assert session["tools"]["load"].input_schema["required"] == ["spec"]


def test_the_violation_is_found_and_explained(session: dict[str, Any]) -> None:
    assert session["violated"] == ["InOrder"]
    assert [one["title"] for one in session["end"]["steps"]][-1] == "Write(c=c1)"
    assert session["why"]["false_parts"][0]["why"] == "last' is 1, and must be at least last, which is 2"
    assert session["before"]["properties"] == {"TypeOK": True, "OneEach": True}
    assert session["stale"]["value"] == "{c1}"


def test_the_repair_is_seen_to_disable_the_step(session: dict[str, Any]) -> None:
    nearest = session["blocked"]["nearest"][0]
    assert nearest["formula"] == "Fencing => lease[c] >= last"
    assert session["again"]["exit_code"] == 0


def test_progress_is_told(session: dict[str, Any]) -> None:
    assert any("interpreter" in words for words in session["told"])


def test_a_session_goes_on_after_a_cancelled_check(session: dict[str, Any]) -> None:
    assert session["cancelled"]
    assert session["after"]["state"] == 0


def test_an_error_has_its_place(session: dict[str, Any]) -> None:
    wrong = session["wrong"]
    assert wrong.is_error
    assert wrong.structured_content["error"]["place"] == {"file": "the expression", "line": 1, "column": 1}


def test_a_signal_ends_the_server() -> None:
    command = [sys.executable, *ARGUMENTS]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{json.dumps(asked)}\n")
        process.stdin.flush()
        assert "serverInfo" in process.stdout.readline()
        process.terminate()
        assert process.wait(60) == 12
