"""Modules that read JSON and CSV, as specifications do that check recorded traces."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.tla_modules import value, write_module

MODULES = "Naturals, Sequences, TLC, Json, CSV, IOUtils"
TRACE = """EXTENDS Naturals, Sequences, Json
VARIABLES x, l
Trace == ndJsonDeserialize("t.ndjson")
Init == x = 0 /\\ l = 1
Next == l <= Len(Trace) /\\ l' = l + 1
        /\\ IF Trace[l].event = "inc" THEN x' = x + 1 ELSE x' = Trace[l].to /\\ x > 0
Follows == l <= Len(Trace)
"""
LOG = '{"event": "inc"}\n{"event": "inc"}\n\n{"event": "set", "to": 0}\n'


@pytest.mark.parametrize("engine", ["explore", "bmc", "prove"])
def test_a_recorded_trace_is_followed_to_its_end_or_not(engine: str, tmp_path: Path) -> None:
    module = str(write_module(tmp_path, TRACE))
    config = "INIT Init\nNEXT Next\nINVARIANT Follows\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "M.cfg").write_text(config)

    def judge(log: str) -> tuple[int, str, int | None]:
        (tmp_path / "t.ndjson").write_text(log)
        done = verify(engine, module, "--format", "json", *(["--depth", "9"] if engine == "bmc" else []))
        (one,) = json.loads(done.stdout)["results"]
        return done.exit_code, one["verdict"], one["steps"]

    assert judge(LOG) == (10, "VIOLATED", 3)
    assert judge(LOG.replace("inc", "set", 1).replace('"set"}', '"set", "to": 1}')) == (
        0,
        "PROVED" if engine == "prove" else "HOLDS",
        None,
    )


def test_a_file_is_looked_for_where_the_command_runs_and_then_beside_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    beside = tmp_path / "spec"
    beside.mkdir()
    (beside / "d.json").write_text('{"a": [1, true, "é"], "b": {}, "c": -4.0}')
    read = 'JsonDeserialize("d.json")'
    assert value(beside, read, MODULES) == '[a |-> <<1, TRUE, "é">>, b |-> <<>>, c |-> -4]'
    (tmp_path / "d.json").write_text("[]")
    assert value(beside, read, MODULES) == "<<>>"


# What TLC prints of the same, its order of fields aside.
@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        (
            'ToJson(<<1, {3, 2}, [a |-> "b\\"c"], TRUE, <<>>, {}, [i \\in {2, 4} |-> i], 1 :> "x">>)',
            r'"[1,[2,3],{\"a\":\"b\\\"c\"},true,[],[],{\"2\":2,\"4\":4},[\"x\"]]"',
        ),
        ("ToJsonArray({<<>>, <<1>>})", '"[[],[1]]"'),
        ("ToJsonObject(<<5, 6>>)", r'"{\"0\":5,\"1\":6}"'),
        ('CSVRecords("r.csv")', "3"),
        ('CSVRecords("none.csv")', "0"),
        (
            'Tail(CSVRead(<<"a", "b">>, ",", "r.csv"))',
            r'<<[a |-> "1", b |-> "2"], [a |-> "x", b |-> "\"y"]>>',
        ),
        ("zeroPadN(42, 5)", '"00042"'),
    ],
)
def test_values_are_as_tlc_reads_and_writes_them(expression: str, printed: str, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('a,b\n1,2\nx,"y,z"\n')
    assert value(tmp_path, expression, MODULES) == printed


@pytest.mark.parametrize(
    ("written_text", "words"),
    [
        ("[1,\n2,]", r"d.json:2:3: no JSON"),
        ("", r"d.json:1:1: no JSON"),
        (None, "d.json: cannot be read: no such file"),
    ],
)
def test_a_file_that_has_no_value_is_one_line(written_text: str | None, words: str, tmp_path: Path) -> None:
    if written_text is not None:
        (tmp_path / "d.json").write_text(written_text)
    body = 'EXTENDS Json\nVARIABLE x\nInit == x = JsonDeserialize("d.json")\nNext == x\' = x\n'
    module = write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    line = wrong("explore", str(module))
    assert re.search(r"M.tla:4:13: .*" + words, line), line


_FOREIGN = {
    "null": "null has no value in TLA",
    "1.5": "1.5 is not an integer",
    "1e400": "inf is not an integer",
    "99999999999": "beyond TLC's integers",
}


@pytest.mark.parametrize(("written_text", "words"), _FOREIGN.items())
@pytest.mark.parametrize("used", ["x.a = x.b", "x.a = 1", 'x.a = "s"', "x.a \\in {x.b}"])
def test_a_value_that_tla_has_not_is_an_error_where_it_is_compared(
    written_text: str, words: str, used: str, tmp_path: Path
) -> None:
    (tmp_path / "d.json").write_text(f'{{"a": {written_text}, "b": 1.25, "c": 1}}')
    body = f'EXTENDS Json\nVARIABLE x\nInit == x = JsonDeserialize("d.json")\nNext == {used} /\\ x\' = x\n'
    module = write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    assert re.search(r"M.tla:5:", wrong("explore", str(module)))


@pytest.mark.parametrize("written_text", _FOREIGN)
def test_a_value_that_tla_has_not_may_stand_where_nobody_reads_it(written_text: str, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(f'[{{"a": {written_text}, "c": 1}}, {{"a": {written_text}, "c": 2}}]')
    assert value(tmp_path, 'JsonDeserialize("d.json")[2].c', "Json, Sequences, SequencesExt") == "2"
    shown = value(tmp_path, 'ToSet(JsonDeserialize("d.json"))', "Json, Sequences, SequencesExt")
    assert shown.count("c |->") == 2


def test_what_writes_is_refused_unless_another_operator_is_put_for_it(tmp_path: Path) -> None:
    body = """EXTENDS Naturals, CSV
VARIABLE x
Nothing(template, values, file) == TRUE
Init == x = 0
Next == x < 2 /\\ x' = x + 1 /\\ CSVWrite("%1$s", <<x>>, "out.csv")
"""
    module, config = write_module(tmp_path, body), tmp_path / "M.cfg"
    config.write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    assert re.search("M.tla:6:32: CSVWrite writes a file .*: CSVWrite <- Op", wrong("explore", str(module)))
    config.write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANT CSVWrite <- Nothing\n")
    assert re.search(r"distinct states +3\n", verify("explore", str(module)).stdout)
    assert not list(tmp_path.glob("*.csv"))


@pytest.mark.parametrize("name", ["Folds", "Bags", "FiniteSets", "Json"])
@pytest.mark.parametrize("is_root", [True, False])
def test_a_module_of_ones_own_with_the_name_of_a_built_in_one(
    name: str, is_root: bool, tmp_path: Path
) -> None:
    """As in TLC, the file beside the specification counts."""
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 2 /\\ x' = x + 1\nMine == x < 2\n"
    (tmp_path / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{body}====\n")
    root = name if is_root else "Root"
    if not is_root:
        (tmp_path / "Root.tla").write_text(f"---- MODULE Root ----\nEXTENDS {name}\nInv == Mine\n====\n")
    asked = "Mine" if is_root else "Inv"
    (tmp_path / f"{root}.cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANT {asked}\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", "--spec", str(tmp_path / f"{root}.tla"), "--format", "json")
    assert done.exit_code == 10, done.output
    assert [row["steps"] for row in json.loads(done.stdout)["results"]] == [2]


def test_a_copy_of_a_built_in_module_is_the_built_in_one(tmp_path: Path) -> None:
    text = (
        "LOCAL INSTANCE Naturals\nLOCAL INSTANCE Sequences\nIsFiniteSet(S) == FALSE\nCardinality(S) == 99\n"
    )
    (tmp_path / "FiniteSets.tla").write_text(f"---- MODULE FiniteSets ----\n{text}====\n")
    assert value(tmp_path, "Cardinality({1, 2})", "FiniteSets") == "2"
