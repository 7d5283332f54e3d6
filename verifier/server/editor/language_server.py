"""The Language Server Protocol: the features that editors ask for, answered by one session."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from verifier.processes.children import kill_left
from verifier.server.editor import navigation
from verifier.server.editor.editor_server import EditorServer
from verifier.server.editor.lenses import make_lenses
from verifier.server.editor.places import path_of
from verifier.server.editor.told import CHECK, COVER, FIND, PROVE, WHY
from verifier.server.streams import claim_streams
from verifier.verdict import ExitCode

REQUEST = "verify.request"
"""The command for any request of a session: its name, and its parameters."""


def make_server() -> EditorServer:
    """Return the server with its features."""
    server = EditorServer()
    _add_texts(server)
    _add_navigation(server)
    _add_commands(server)
    return server


def _add_texts(server: EditorServer) -> None:
    def initialize(params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        given = options if isinstance(options, Mapping) else vars(options) if options is not None else {}
        server.run_python = given.get("runPython") is True
        folders = given.get("library")
        server.libraries = tuple(map(Path, folders)) if isinstance(folders, list | tuple) else ()
        server.modules.libraries = server.libraries

    async def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        server.texts[path] = server.workspace.get_text_document(params.text_document.uri).source
        await server.look_now(path, saved=False)

    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        server.texts[path] = server.workspace.get_text_document(params.text_document.uri).source
        server.look_soon(path)

    async def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        await server.look_now(path_of(params.text_document.uri), saved=True)

    async def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        await server.close(path_of(params.text_document.uri))

    server.feature(lsp.INITIALIZE)(initialize)
    server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def _add_navigation(server: EditorServer) -> None:
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return navigation.describe_name(server, path_of(params.text_document.uri), params.position)

    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        return navigation.find_definition(server, path_of(params.text_document.uri), params.position)

    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        path, own = path_of(params.text_document.uri), params.context.include_declaration
        return navigation.find_references(server, path, params.position, declaration=own)

    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return navigation.outline(server, path_of(params.text_document.uri))

    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return navigation.complete_name(server, path_of(params.text_document.uri), params.position)

    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return make_lenses(server, path_of(params.text_document.uri))

    server.feature(lsp.TEXT_DOCUMENT_HOVER)(hover)
    server.feature(lsp.TEXT_DOCUMENT_DEFINITION)(definition)
    server.feature(lsp.TEXT_DOCUMENT_REFERENCES)(references)
    server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(symbols)
    server.feature(lsp.TEXT_DOCUMENT_COMPLETION)(completion)
    server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)(lenses)


def _add_commands(server: EditorServer) -> None:
    def add_check(command: str) -> None:
        async def check(path: str, name: str) -> dict[str, Any]:
            return await server.check(command, Path(path), name)

        server.command(command)(check)

    async def why(path: str, name: str) -> dict[str, Any]:
        spec = await server.load(Path(path))
        return await server.request("why_disabled", {"spec": spec, "action": name})

    async def cover(path: str, name: str) -> dict[str, Any]:
        return await server.cover(Path(path))

    async def request(name: str, params: dict[str, Any]) -> dict[str, Any]:
        return await server.request(name, params)

    for command in (CHECK, PROVE, FIND):
        add_check(command)
    server.command(WHY)(why)
    server.command(COVER)(cover)
    server.command(REQUEST)(request)


def _end_at_once(number: int, frame: object) -> None:
    """End the process and its runs: the thread that reads standard input cannot be asked to stop."""
    kill_left()
    os._exit(ExitCode.INCONCLUSIVE)


def serve() -> None:
    """Answer on the standard streams until the editor ends, or a signal comes."""
    incoming, outgoing = claim_streams()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)
    make_server().start_io(incoming, outgoing)
