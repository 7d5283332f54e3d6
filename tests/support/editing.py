"""An editor: a client of the Language Server Protocol, and what it is shown."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

COMMAND = ("-c", "from verifier.cli.entry import main; main()", "serve", "--protocol", "lsp")


class Editor(LanguageClient):
    """An editor, and what it is shown."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.diagnostics: dict[str, list[lsp.Diagnostic]] = {}
        self.told = asyncio.Event()

        def show(params: lsp.PublishDiagnosticsParams) -> None:
            self.diagnostics[params.uri] = list(params.diagnostics)
            self.told.set()

        self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(show)

    def open(self, file: Path, text: str | None = None) -> str:
        """Open a file, with another text in the editor if one is given."""
        written = file.read_text(encoding="utf-8") if text is None else text
        item = lsp.TextDocumentItem(file.as_uri(), "tlaplus", 1, written)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return file.as_uri()

    def edit(self, uri: str, text: str) -> None:
        """Replace the text of an open file."""
        document = lsp.VersionedTextDocumentIdentifier(version=2, uri=uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text=text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def findings(self, uri: str) -> list[tuple[int, int, str]]:
        """Return the next findings about a file: lines and columns from 1, and words."""
        while uri not in self.diagnostics:
            self.told.clear()
            await asyncio.wait_for(self.told.wait(), 60)
        found = self.diagnostics.pop(uri)
        return [(one.range.start.line + 1, one.range.start.character + 1, one.message) for one in found]


@asynccontextmanager
async def editing(**options: Any) -> AsyncIterator[Editor]:
    """Give an editor with a server."""
    editor = Editor()
    await editor.start_io(sys.executable, *COMMAND)
    asked = lsp.InitializeParams(lsp.ClientCapabilities(), initialization_options=options)
    await editor.initialize_async(asked)
    editor.initialized(lsp.InitializedParams())
    try:
        yield editor
    finally:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()  # type: ignore[no-untyped-call]


def run(session: Callable[[Editor], Awaitable[None]], **options: Any) -> None:
    """Run a session of an editor."""

    async def whole() -> None:
        async with editing(**options) as editor:
            await session(editor)

    asyncio.run(asyncio.wait_for(whole(), 180))
