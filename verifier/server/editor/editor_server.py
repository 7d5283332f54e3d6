"""The server of an editor: one session with the texts that the editor has open."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from verifier.server.calls import Call
from verifier.server.editor.findings import Finding, Findings, look_at
from verifier.server.editor.module_text import ModuleTexts
from verifier.server.editor.places import Positions, uri_of
from verifier.server.editor.told import ENGINES, Verdicts, describe_coverage
from verifier.server.json_rpc import CODES
from verifier.server.open_spec import OpenSpec
from verifier.server.problems import explain_failure
from verifier.server.session import Session
from verifier.server.table import REQUESTS
from verifier.version import tool_version

_PAUSE_SECONDS = 0.3
"""The pause in typing after which a text is looked at."""
_LOOK_SECONDS = 0.1


class EditorServer(LanguageServer):
    """A language server with a session."""

    def __init__(self) -> None:
        # whole texts: pygls applies a change of a part to lines that editors count in another way
        whole = lsp.TextDocumentSyncKind.Full
        super().__init__("verify", tool_version(), text_document_sync_kind=whole)
        self.session = Session()
        self.texts: dict[Path, str] = {}
        self.modules = ModuleTexts(self.texts)
        self.looked: dict[Path, Findings] = {}
        self.verdicts = Verdicts()
        self.covered: dict[Path, dict[str, str]] = {}
        """The counts of the actions of a module, in words."""
        self.libraries: tuple[Path, ...] = ()
        """Folders with modules that others extend."""
        self.run_python = False
        """True if the editor says that saved protocols are run."""
        self._published: dict[Path, set[Path]] = {}
        self._waiting: dict[Path, asyncio.Task[None]] = {}
        self._tokens = itertools.count(1)

    # -- texts

    def text(self, path: Path) -> str:
        """Return the text of a file, as the editor has it if it is open. Empty if it cannot be read."""
        if path in self.texts:
            return self.texts[path]
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def positions(self, path: Path) -> Positions:
        """Return the positions in a file."""
        return Positions(self.text(path), self.workspace.position_codec)

    def find_open(self, path: Path) -> OpenSpec | None:
        """Return the specification of a file that is open in the session, the last one."""
        for one in reversed(self.session.specs.values()):
            if Path(one.loaded.spec.partition(".py:")[0]) == path or one.loaded.spec == str(path):
                return one
        return None

    # -- findings

    def look_soon(self, path: Path) -> None:
        """Look at a text once nobody types for a moment."""
        self._forget_waiting(path)
        looking = self._look(path, _PAUSE_SECONDS, saved=False)
        self._waiting[path] = asyncio.get_running_loop().create_task(looking)

    async def look_now(self, path: Path, *, saved: bool) -> None:
        """Look at a text. What was typed before is part of it."""
        self._forget_waiting(path)
        await self._look(path, 0.0, saved=saved)

    async def close(self, path: Path) -> None:
        """Forget a text that the editor closed, and what is known of it."""
        self._forget_waiting(path)
        self.texts.pop(path, None)
        self.looked.pop(path, None)
        self._publish(path, ())
        await self._look_at_dependents(path)

    def _forget_waiting(self, path: Path) -> None:
        if path in self._waiting:
            self._waiting.pop(path).cancel()

    async def _look(self, path: Path, pause: float, *, saved: bool) -> None:
        """Look at a text, and at the open ones that may need it."""
        await asyncio.sleep(pause)
        await self._look_at_one(path, saved=saved)
        await self._look_at_dependents(path)

    async def _look_at_dependents(self, path: Path) -> None:
        for other in [one for one in self.texts if one != path and self._depends(one, path)]:
            await self._look_at_one(other, saved=False)

    def _depends(self, one: Path, other: Path) -> bool:
        """True if the findings about a text may depend on another: a module on what it extends and on its
        configuration, and a configuration on its module."""
        beside = one.with_suffix("") == other.with_suffix("")
        if beside and {one.suffix, other.suffix} == {".tla", ".cfg"}:
            return True
        return one.suffix == other.suffix == ".tla" and self.modules.extends(one, other.stem)

    async def _look_at_one(self, path: Path, *, saved: bool) -> None:
        text, run = self.text(path), self.run_python and saved
        look = partial(look_at, path, text, dict(self.texts), self.libraries, run_python=run)
        findings = await asyncio.get_running_loop().run_in_executor(None, look)
        if self.texts.get(path) == text:
            self.looked[path] = self._keep_names(path, findings)
            self._publish(path, findings.problems)

    def _keep_names(self, path: Path, findings: Findings) -> Findings:
        """Return findings, with the names that were known before an error."""
        known = self.looked.get(path)
        if known is None or findings.properties or not findings.problems:
            return findings
        return Findings(findings.problems, known.properties, known.actions)

    def _publish(self, path: Path, findings: tuple[Finding, ...]) -> None:
        """Publish the findings about a file, and take back those of other files that it had before."""
        by_file: dict[Path, list[lsp.Diagnostic]] = {path: []}
        for one in findings:
            by_file.setdefault(one.file, []).append(self._diagnostic(one))
        for file in self._published.get(path, set()) - by_file.keys():
            by_file[file] = []
        self._published[path] = {file for file, diagnostics in by_file.items() if diagnostics}
        for file, diagnostics in by_file.items():
            params = lsp.PublishDiagnosticsParams(uri_of(file), diagnostics)
            self.text_document_publish_diagnostics(params)

    def _diagnostic(self, one: Finding) -> lsp.Diagnostic:
        severity = lsp.DiagnosticSeverity.Warning if one.is_warning else lsp.DiagnosticSeverity.Error
        where = self.positions(one.file).to_range(one.place)
        return lsp.Diagnostic(where, one.words, severity=severity, source="verify")

    # -- requests and checks

    async def request(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request of the session, with progress that the editor may show and cancel. Raises
        JsonRpcException."""
        if name not in REQUESTS:
            raise JsonRpcException(message=f"unknown request {name!r}", code=CODES["usage"])
        loop, token = asyncio.get_running_loop(), f"verify-{next(self._tokens)}"
        shows = REQUESTS[name].is_long and await self._begin_progress(token, name)

        def tell(words: str) -> None:
            report = lsp.WorkDoneProgressReport(message=words)
            loop.call_soon_threadsafe(self.work_done_progress.report, token, report)

        call = Call(tell) if shows else Call()
        running = loop.run_in_executor(None, partial(REQUESTS[name].run, self.session, call, given))
        try:
            while not (await asyncio.wait({running}, timeout=_LOOK_SECONDS))[0]:
                if shows and self.work_done_progress.tokens[token].cancelled():
                    call.cancelled.set()
            return await running
        except asyncio.CancelledError:
            call.cancelled.set()
            raise
        except Exception as error:  # noqa: BLE001 -- the editor is told, and the session goes on
            problem = explain_failure(error)
            raise JsonRpcException(problem.words, CODES[problem.kind], problem.as_object()) from None
        finally:
            if shows:
                self.work_done_progress.end(token, lsp.WorkDoneProgressEnd())

    async def _begin_progress(self, token: str, name: str) -> bool:
        """Begin progress. False if the editor shows none."""
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            return False
        await self.work_done_progress.create_async(token)
        self.work_done_progress.begin(
            token, lsp.WorkDoneProgressBegin(title=f"verify {name}", cancellable=True)
        )
        return True

    async def load(self, path: Path) -> str:
        """Open the specification of a file. Returns its name."""
        library = [str(folder) for folder in self.libraries] if path.suffix == ".tla" else []
        loaded = await self.request("load", {"spec": str(path), "library": library})
        return str(loaded["spec"])

    async def check(self, command: str, path: Path, name: str) -> dict[str, Any]:
        """Check a property by the engine of a command, and keep its verdict for the lenses."""
        engine, options = ENGINES[command]
        spec = await self.load(path)
        asked = {"spec": spec, "engine": engine, "properties": [name], "options": dict(options)}
        answer = await self.request("check", asked)
        self.verdicts.note(path, answer)
        self._refresh_lenses()
        return answer

    async def cover(self, path: Path) -> dict[str, Any]:
        """Count what the actions of a module cover, for the lenses."""
        spec = await self.load(path)
        counts = await self.request("coverage", {"spec": spec})
        self.covered[path] = describe_coverage(counts)
        self._refresh_lenses()
        return counts

    def _refresh_lenses(self) -> None:
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
