"""The language server, asked by pytest-lsp's client: it checks each answer by what an editor can show."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.support.command_line import ROOT

LOCK = ROOT / "docs" / "examples" / "FencedLock.tla"
COMMAND = (sys.executable, "-c", "from verifier.cli.entry import main; main()", "serve", "--protocol", "lsp")
_PIPE = subprocess.PIPE
LARGE = {"replicas": "5", "log_size": "4", "max_records": "4", "max_leader_epoch": "4"}
EDITORS = [
    "visual-studio-code",
    *(pytest.param(name, marks=pytest.mark.thorough) for name in ("neovim@v0.11.0", "emacs")),
]

pytestmark = pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    params=EDITORS,
    config=ClientServerConfig(server_command=[*COMMAND]),
)
async def editor(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    """Give a client with the capabilities of an editor."""
    asked = lsp.InitializeParams(capabilities=client_capabilities(request.param))
    await lsp_client.initialize_session(asked)
    yield
    await lsp_client.shutdown_session()


def open_file(client: LanguageClient, text: str) -> str:
    """Open the lock in the editor, with this text."""
    item = lsp.TextDocumentItem(LOCK.as_uri(), "tlaplus", 1, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    return LOCK.as_uri()


async def ask(client: LanguageClient, name: str, **given: Any) -> Any:
    """Make a request of the session."""
    command = lsp.ExecuteCommandParams("verify.request", [name, given])
    return await client.workspace_execute_command_async(command)


@pytest.mark.asyncio
async def test_an_editor_gets_what_it_can_show(editor: LanguageClient) -> None:
    text = LOCK.read_text(encoding="utf-8")
    uri = open_file(editor, text.replace("~free /\\", "~fre /\\"))
    await editor.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    (found,) = editor.diagnostics[uri]
    assert "did you mean free" in found.message
    where = lsp.TextDocumentIdentifier(uri), lsp.Position(43, 37)
    hover = await editor.text_document_hover_async(lsp.HoverParams(*where))
    assert hover is not None
    place = await editor.text_document_definition_async(lsp.DefinitionParams(*where))
    assert isinstance(place, lsp.Location)
    symbols = await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(where[0]))
    assert symbols is not None
    items = await editor.text_document_completion_async(lsp.CompletionParams(*where))
    assert items
    document = lsp.VersionedTextDocumentIdentifier(version=2, uri=uri)
    whole = lsp.TextDocumentContentChangeWholeDocument(text=text)
    editor.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
    await editor.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert not editor.diagnostics[uri]
    lenses = await editor.text_document_code_lens_async(lsp.CodeLensParams(where[0]))
    assert {one.command.title for one in lenses or () if one.command} >= {"check", "prove", "why disabled?"}


@pytest.mark.asyncio
async def test_short_requests_are_answered_during_long_ones(editor: LanguageClient) -> None:
    uri = open_file(editor, LOCK.read_text(encoding="utf-8"))
    await editor.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    lock = await ask(editor, "load", spec=str(LOCK))
    large = await ask(editor, "load", spec="kip320", constants=LARGE)
    running = [
        asyncio.ensure_future(ask(editor, "check", spec=large["spec"], engine="bmc", depth=60, timeout="6s")),
        asyncio.ensure_future(ask(editor, "coverage", spec=large["spec"], limit=4000)),
    ]
    where = lsp.TextDocumentIdentifier(uri), lsp.Position(43, 37)
    for _ in range(5):
        assert await editor.text_document_hover_async(lsp.HoverParams(*where)) is not None
        assert (await ask(editor, "initial_states", spec=lock["spec"]))["count"] == 1
    assert not any(one.done() for one in running)
    check, coverage = await asyncio.gather(*running)
    assert check["exit_code"] == 12
    assert coverage["states"] == 4000


def test_a_signal_ends_the_server_and_its_check(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with (
            (tmp_path / "errors").open("w+b") as errors,
            subprocess.Popen(COMMAND, stdin=_PIPE, stdout=_PIPE, stderr=errors) as process,
        ):
            send(process, 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
            request(process, 2, "load", {"spec": "kip320", "constants": LARGE})
            request(process, 3, "check", {"engine": "bmc", "depth": 60})
            while len(children := psutil.Process(process.pid).children(recursive=True)) < 3:
                time.sleep(0.1)
            process.send_signal(number)
            assert process.wait(60) == 12
            psutil.wait_procs(children, 10)
            assert not [child for child in children if child.is_running() and child.status() != "zombie"]
            errors.seek(0)
            assert b"Traceback" not in errors.read()


def request(process: subprocess.Popen[bytes], number: int, name: str, given: Mapping[str, Any]) -> None:
    """Send a request of the session."""
    command = {"command": "verify.request", "arguments": [name, given]}
    send(process, number, "workspace/executeCommand", command)


def send(process: subprocess.Popen[bytes], number: int, method: str, params: Mapping[str, Any]) -> None:
    """Send a message, and wait for no answer."""
    content = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    assert process.stdin is not None
    process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
    process.stdin.flush()
