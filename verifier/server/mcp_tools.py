"""The Model Context Protocol: each request of a session is a tool."""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from verifier.errors import UsageError, make_unknown_name_error
from verifier.processes.children import kill_left
from verifier.server.calls import Call
from verifier.server.problems import explain_failure
from verifier.server.requests import Request
from verifier.server.session import Session
from verifier.server.table import REQUESTS
from verifier.verdict import ExitCode
from verifier.version import tool_version

INSTRUCTIONS = """Check protocols and step through their states. Begin with load: a built-in name \
(list_specs), a TLA+ module, or a Python file. check decides properties. After a violation, counterexample \
walks to the violating state, why_false says which part is false there, back and forward move along the \
execution, successors lists what can happen next, and why_disabled says why an action cannot."""


def make_server(session: Session) -> Server[Any]:
    """Return the server whose tools are the requests of a session."""

    async def list_tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        tools = [
            Tool(name=one.name, description=one.words, input_schema=one.schema) for one in REQUESTS.values()
        ]
        return ListToolsResult(tools=tools)

    async def call_tool(context: ServerRequestContext[Any], asked: CallToolRequestParams) -> CallToolResult:
        return await _call(session, context, asked.name, dict(asked.arguments or {}))

    return Server(
        "verify",
        version=tool_version(),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _call(
    session: Session, context: ServerRequestContext[Any], name: str, given: dict[str, Any]
) -> CallToolResult:
    """Answer in a thread. A cancelled request hears of it, and the thread is not waited for."""
    told = 0

    async def report(words: str) -> None:
        nonlocal told
        told += 1
        await context.session.report_progress(told, None, words)

    def tell(words: str) -> None:
        anyio.from_thread.run(report, words)

    call = Call(tell)
    try:
        request = _find(name)
        work = partial(request.run, session, call, given)
        result = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        call.cancelled.set()
        raise
    except Exception as error:  # noqa: BLE001 -- the client is told, and the session goes on
        return _make_result({"error": explain_failure(error).as_object()}, is_error=True)
    return _make_result(result)


def _find(name: str) -> Request:
    if name not in REQUESTS:
        error: UsageError = make_unknown_name_error("tool", name, REQUESTS)
        raise error
    return REQUESTS[name]


def _make_result(content: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    text = json.dumps(content, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=content, is_error=is_error
    )


async def _end_by_signal() -> None:
    """End the process at a signal: the thread that reads standard input cannot be asked to stop."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            kill_left()
            os._exit(ExitCode.INCONCLUSIVE)


def serve() -> None:
    """Answer on the standard streams until the client closes them."""

    async def run() -> None:
        server = make_server(Session())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_by_signal)
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    anyio.run(run)
