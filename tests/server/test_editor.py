"""An editor's session: a client of the Language Server Protocol asks ``verify serve --protocol lsp``."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from tests.support.command_line import ROOT
from tests.support.editing import Editor, run
from verifier.server.editor.columns import to_column, to_index
from verifier.server.editor.findings import find_in_module
from verifier.server.editor.places import Positions
from verifier.server.editor.told import describe_coverage

LOCK = ROOT / "docs" / "examples" / "FencedLock.tla"


def at(uri: str, line: int, column: int) -> tuple[lsp.TextDocumentIdentifier, lsp.Position]:
    """Return a position; lines and columns begin at 1."""
    return lsp.TextDocumentIdentifier(uri), lsp.Position(line - 1, column - 1)


def test_a_module_is_looked_at_while_it_is_written() -> None:
    text = LOCK.read_text(encoding="utf-8")

    async def session(editor: Editor) -> None:
        uri = editor.open(LOCK)
        assert await editor.findings(uri) == []
        editor.edit(uri, text.replace("~free /\\", "~fre /\\"))
        line, column, words = (await editor.findings(uri))[0]
        assert (line, column) == (32, 12)
        assert "did you mean free" in words
        editor.edit(uri, text.replace("free' = TRUE", "free'' = TRUE"))
        assert "prime" in (await editor.findings(uri))[0][2]
        editor.edit(uri, text)
        assert await editor.findings(uri) == []

    run(session)


def test_a_name_is_explained_found_and_completed() -> None:
    async def session(editor: Editor) -> None:
        uri = editor.open(LOCK)
        await editor.findings(uri)
        where = at(uri, 44, 38)
        hover = await editor.text_document_hover_async(lsp.HoverParams(*where))
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        assert "Acquire(c) == /\\ free" in hover.contents.value
        found = await editor.text_document_definition_async(lsp.DefinitionParams(*where))
        assert isinstance(found, lsp.Location)
        assert found.range.start == lsp.Position(25, 0)
        context = lsp.ReferenceContext(include_declaration=True)
        asked = lsp.ReferenceParams(context=context, text_document=where[0], position=where[1])
        places = await editor.text_document_references_async(asked)
        assert sorted(one.range.start.line + 1 for one in places or ()) == [26, 44]
        items = await editor.text_document_completion_async(lsp.CompletionParams(*at(uri, 44, 38)))
        assert isinstance(items, list)
        names = {one.label for one in items}
        assert {"c", "lease", "Acquire", "Nat", "UNCHANGED"} <= names
        outline = await editor.text_document_document_symbol_async(lsp.DocumentSymbolParams(where[0]))
        assert [one.name for one in outline or ()][:4] == ["Client", "Leases", "Fencing", "free"]

    run(session)


def test_a_bound_name_is_found_in_its_scope() -> None:
    async def session(editor: Editor) -> None:
        uri = editor.open(LOCK)
        for line, column, expected in ((48, 39, (48, 15)), (44, 45, (44, 22)), (27, 18, (12, 11))):
            found = await editor.text_document_definition_async(lsp.DefinitionParams(*at(uri, line, column)))
            assert isinstance(found, lsp.Location)
            begin = found.range.start
            assert (begin.line + 1, begin.character + 1) == expected

    run(session)


def test_names_are_found_across_modules(tmp_path: Path) -> None:
    base, user = tmp_path / "Base.tla", tmp_path / "User.tla"
    base.write_text(
        "---- MODULE Base ----\nEXTENDS Naturals\n\\* Adds one.\nPlus(a) == a + 1\n====\n", encoding="utf-8"
    )
    user.write_text(
        "---- MODULE User ----\nEXTENDS Naturals, Base\nI == INSTANCE Base\nP == Plus(1) + I!Plus(2)\n====\n",
        encoding="utf-8",
    )

    async def session(editor: Editor) -> None:
        uri = editor.open(user)
        for column in (6, 18):
            found = await editor.text_document_definition_async(lsp.DefinitionParams(*at(uri, 4, column)))
            assert isinstance(found, lsp.Location)
            assert (found.uri, found.range.start.line) == (base.as_uri(), 3)
        hover = await editor.text_document_hover_async(lsp.HoverParams(*at(uri, 4, 6)))
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        assert "Adds one." in hover.contents.value
        await editor.findings(uri)
        base_uri = editor.open(base, base.read_text(encoding="utf-8").replace("Plus(a) ==", "Plus(a, b) =="))
        assert "2 arguments" in (await editor.findings(uri))[0][2]
        assert base_uri in editor.diagnostics

    run(session)


def test_a_configuration_is_looked_at_with_its_module(tmp_path: Path) -> None:
    module, config = tmp_path / "FencedLock.tla", tmp_path / "FencedLock.cfg"
    shutil.copy(LOCK, module)
    shutil.copy(LOCK.with_suffix(".cfg"), config)

    async def session(editor: Editor) -> None:
        uri = editor.open(config)
        assert await editor.findings(uri) == []
        editor.edit(uri, config.read_text(encoding="utf-8").replace("TypeOK", "TypeOk"))
        line, column, words = (await editor.findings(uri))[0]
        assert (line, column) == (6, 12)
        assert "TypeOK" in words
        editor.edit(uri, "INVARIANTS {")
        assert (await editor.findings(uri))[0][:2] == (1, 12)

    run(session)


PROTOCOL = """from verifier import Option, IndexSetConstant, Protocol, State, Step, action, invariant
from pathlib import Path

Path(__file__).with_suffix(".ran").touch()


class Lock(Protocol):
    clients = IndexSetConstant(2, "who wants it", kind="client")

    def state(self):
        return State(holder=Option(self.clients))

    def init(self, s):
        return s.holder.is_none

    @action(client="clients")
    def take(self, s, client):
        return Step(when=[s.holdr.is_none], then={s.holder: client})

    @invariant()
    def free(self, s):
        return s.holder.is_none
"""


@pytest.mark.parametrize("run_python", [False, True])
def test_a_protocol_is_run_only_if_the_editor_says_so(tmp_path: Path, run_python: bool) -> None:
    file = tmp_path / "lock.py"
    file.write_text(PROTOCOL, encoding="utf-8")

    async def session(editor: Editor) -> None:
        uri = editor.open(file)
        assert await editor.findings(uri) == []
        assert not file.with_suffix(".ran").exists()
        lenses = await editor.text_document_code_lens_async(
            lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
        )
        titles = [one.command.title for one in lenses or () if one.command is not None]
        assert titles == ["check", "prove", "find a violation"]
        editor.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        found = await editor.findings(uri)
        assert file.with_suffix(".ran").exists() is run_python
        assert [(line, "holdr" in words) for line, _, words in found] == ([(18, True)] if run_python else [])
        editor.edit(uri, "class Lock(Protocol:\n")
        assert (await editor.findings(uri))[0][0] == 1

    run(session, runPython=run_python)


def test_what_is_saved_right_after_typing_is_run(tmp_path: Path) -> None:
    """The look that waits for a pause in typing does not take the protocol's errors back."""
    file = tmp_path / "lock.py"
    file.write_text(PROTOCOL, encoding="utf-8")

    async def session(editor: Editor) -> None:
        uri = editor.open(file)
        assert await editor.findings(uri) == []
        editor.edit(uri, f"{PROTOCOL}\n")
        editor.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        assert len(await editor.findings(uri)) == 1
        await asyncio.sleep(1.0)
        assert uri not in editor.diagnostics

    run(session, runPython=True)


def test_what_depends_on_a_text_is_looked_at_again(tmp_path: Path) -> None:
    base, middle, top, config = (tmp_path / name for name in ("Base.tla", "Middle.tla", "Top.tla", "Top.cfg"))
    base.write_text("---- MODULE Base ----\nDouble(n) == <<n, n>>\n====\n", encoding="utf-8")
    middle.write_text("---- MODULE Middle ----\nEXTENDS Base\n====\n", encoding="utf-8")
    init = "Init == x = Double(K)\nNext == x' = x\n"
    top.write_text(
        f"---- MODULE Top ----\nEXTENDS Middle\nCONSTANT K\nVARIABLE x\n{init}====\n", encoding="utf-8"
    )
    config.write_text("INIT Init\nNEXT Next\n", encoding="utf-8")

    async def session(editor: Editor) -> None:
        uri = editor.open(top)
        assert "K has no value" in (await editor.findings(uri))[0][2]
        editor.open(config, "INIT Init\nNEXT Next\nCONSTANT K = 1\n")
        assert await editor.findings(uri) == []
        other = editor.open(base)
        await editor.findings(uri)
        editor.edit(other, "---- MODULE Base ----\nTwice(n) == <<n, n>>\n====\n")
        assert (await editor.findings(uri))[0] == (5, 13, "unknown operator Double")
        editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(other)))
        assert await editor.findings(uri) == []

    run(session)


def test_an_error_in_another_file_is_taken_back_when_the_module_is_closed(tmp_path: Path) -> None:
    base, top = tmp_path / "Base.tla", tmp_path / "Top.tla"
    base.write_text("---- MODULE Base ----\nDouble(n) == <<n,\n====\n", encoding="utf-8")
    top.write_text("---- MODULE Top ----\nEXTENDS Base\n====\n", encoding="utf-8")

    async def session(editor: Editor) -> None:
        uri = editor.open(top)
        assert len(await editor.findings(base.as_uri())) == 1
        editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        assert await editor.findings(base.as_uri()) == []

    run(session)


def test_lines_end_where_they_end_in_an_editor() -> None:
    positions = Positions("a\x0c\u2028b\r\nc\n\nd", PositionCodec())
    assert [positions.line(number) for number in range(1, 6)] == ["a\x0c\u2028b", "c", "", "d", ""]


def test_a_manifest_is_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "verify.toml"
    file.write_text('[[cell]]\nid = "lock"\nspec = "kip101"\nengin = "bmc"\n', encoding="utf-8")

    async def session(editor: Editor) -> None:
        line, _, words = (await editor.findings(editor.open(file)))[0]
        assert line == 2
        assert "did you mean 'engine'" in words

    run(session)


def test_a_lens_checks_and_shows_the_last_verdict() -> None:
    async def session(editor: Editor) -> None:
        uri = editor.open(LOCK)
        await editor.findings(uri)
        asked = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
        lenses = await editor.text_document_code_lens_async(asked) or []
        commands = [one.command for one in lenses if one.command is not None]
        check = next(one for one in commands if one.title == "check" and "OneEach" in (one.arguments or ()))
        assert any(one.title == "why disabled?" and "Write" in (one.arguments or ()) for one in commands)
        command = lsp.ExecuteCommandParams(check.command, check.arguments)
        found: Any = await editor.workspace_execute_command_async(command)
        assert found["exit_code"] == 0
        lenses = await editor.text_document_code_lens_async(asked) or []
        titles = [one.command.title for one in lenses if one.command is not None]
        assert [one for one in titles if re.fullmatch(r"PROVED \(\d\d:\d\d\)", one)] != []

    run(session)


def test_a_lens_says_how_often_an_action_is_taken() -> None:
    async def session(editor: Editor) -> None:
        uri = editor.open(LOCK)
        await editor.findings(uri)
        command = lsp.ExecuteCommandParams("verify.coverage", [str(LOCK), "Write"])
        found: Any = await editor.workspace_execute_command_async(command)
        assert found["states"] == 112
        asked = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
        lenses = await editor.text_document_code_lens_async(asked) or []
        titles = [one.command.title for one in lenses if one.command is not None]
        assert "taken 122 times in 112 states" in titles

    run(session)


def test_coverage_is_said_in_words() -> None:
    parts = [{"formula": "n < 2", "steps": 2}, {"formula": "n > 7", "steps": 0}]
    taken = {"action": "Up", "steps": 2, "parts": parts}
    never = {"action": "Down", "steps": 0, "parts": [], "nearest": {"formula": "n > 9", "says": "is false"}}
    assert describe_coverage({"states": 3, "all_states": False, "actions": [taken, never]}) == {
        "Up": "taken 2 times in 3 nearest states; never true: n > 7",
        "Down": "never enabled in 3 nearest states: n > 9 is false",
    }


def test_a_hover_has_the_value_in_the_state_where_one_walks() -> None:
    async def session(editor: Editor) -> None:
        uri = editor.open(LOCK)

        async def ask(name: str, **given: Any) -> Any:
            command = lsp.ExecuteCommandParams("verify.request", [name, given])
            return await editor.workspace_execute_command_async(command)

        await ask("load", spec=str(LOCK))
        await ask("step", action="Acquire", parameters={"c": "c2"})
        hover = await editor.text_document_hover_async(lsp.HoverParams(*at(uri, 34, 17)))
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        assert "`(c1 :> 0 @@ c2 :> 1)`" in hover.contents.value
        with pytest.raises(Exception, match="unknown request"):
            await ask("nothing")

    run(session)


EXAMPLES = ROOT.parent / "shared" / "tla" / "examples"


@pytest.mark.slow
@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="needs the examples of TLA+")
def test_no_module_that_sany_accepts_has_an_error() -> None:
    library = (EXAMPLES.parent / "library",)
    found = {
        file.name: one.words
        for file in sorted(EXAMPLES.rglob("*.tla"))
        for one in find_in_module(file, {}, library).problems
        if not one.is_warning
    }
    assert found.keys() == {"IndInv_apa.tla"}, found  # it extends Apalache, which is not there


@pytest.mark.parametrize(
    ("line", "column", "index"), [("abc", 2, 1), ("\tx", 9, 1), ("a\tx", 9, 2), ("abc", 4, 3), ("", 1, 0)]
)
def test_a_tab_counts_as_spaces_up_to_the_next_stop(line: str, column: int, index: int) -> None:
    assert to_index(line, column) == index
    assert to_column(line, index) == column
