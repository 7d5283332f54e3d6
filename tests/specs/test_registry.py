"""Finding protocols by name and by file, and every way in which that can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.specs.built_in import BUILT_IN
from verifier.specs.expectations import expectations
from verifier.specs.protocol import define
from verifier.specs.registry import load

HEAD = "from verifier.specs.protocol import Protocol\n"


def _file(folder: Path, source: str | bytes) -> Path:
    path = folder / "mine.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return path


def test_built_in_protocols_have_their_names() -> None:
    for name, listed in BUILT_IN.items():
        protocol = load(name)
        assert protocol.spec_name() == name
        assert protocol.__doc__
        assert listed.summary == protocol.__doc__.splitlines()[0]
        assert len(listed.summary) < 100


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_protocols_name_properties_as_tla_does(name: str) -> None:
    made = define(load(name)())
    names = [one.name for one in made.properties] + [one.name for one in made.lemmas]
    names += [one.name for one in made.temporal]
    assert [name for name in names if "_" in name or name[0].islower()] == []


def test_only_built_in_protocols_have_expectations() -> None:
    assert expectations("mine.py") == []
    assert {expected.verdict for expected in expectations("kip320")} == {"holds", "violated"}


def test_a_file_with_one_protocol(tmp_path: Path) -> None:
    helper = tmp_path / "helper_of_mine.py"
    helper.write_text("NAME = 'helped'\n")
    source = HEAD + "from helper_of_mine import NAME\nclass Mine(Protocol):\n    name = NAME\n"
    assert load(str(_file(tmp_path, source))).spec_name() == "helped"
    assert str(tmp_path) not in sys.path


def test_a_file_with_several_protocols(tmp_path: Path) -> None:
    path = _file(tmp_path, HEAD + "class One(Protocol, camel_case=True): pass\nclass Other(One): pass\n")
    assert load(f"{path}:Other").__name__ == "Other"
    with pytest.raises(UsageError, match=r"\(One, Other\): say which, as in .*mine\.py:One$"):
        load(str(path))
    with pytest.raises(UsageError, match=r"unknown protocol in .*'Othr'.*did you mean 'Other'"):
        load(f"{path}:Othr")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "defines no protocol"),
        (HEAD, "defines no protocol"),
        ("x = 1\nif x\n", r"mine\.py, line 2: SyntaxError: expected ':'"),
        ("x = 1\n\ny = x / 0\n", r"mine\.py, line 3: ZeroDivisionError: division by zero$"),
        ("def f():\n    raise KeyError\nf()\n", r"mine\.py, line 2: KeyError$"),
        ("import no_such_module\n", r"mine\.py, line 1: ModuleNotFoundError: No module named 'no_such"),
        ("raise SystemExit(3)\n", r"mine\.py, line 1: SystemExit: 3"),
        ("raise ValueError('two\\nlines')\n", r"mine\.py, line 1: ValueError: two lines$"),
        (b"x = '\xff'\n", r"mine\.py.*: SyntaxError: .*(utf-8|codec)"),
        (b"x = 1\0\n", r"mine\.py.*null bytes"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, source: str | bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load(str(_file(tmp_path, source)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kip32", "unknown spec 'kip32'.*did you mean 'kip320'.*as in kip32.py"),
        ("KIP320", "did you mean 'kip320'"),
        ("no/such.py", "cannot read the spec file no/such.py: No such file"),
        ("no/such.py:Mine", "cannot read the spec file no/such.py: No such file"),
        ("/", "/ is a folder: name a file in it, as in /M.tla"),
        ("", "unknown spec ''"),
    ],
)
def test_specs_that_are_not_there(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(spec)


def test_listing_protocols_imports_neither_them_nor_a_solver() -> None:
    code = (
        "import sys; from verifier.cli.main import cli; from verifier.specs import expectations; "
        "cli(['list'], standalone_mode=False); loaded = set(sys.modules); "
        "heavy = {'verifier.specs.protocol', 'verifier.specs.kafka', 'numpy', 'rich'} & loaded; "
        "expectations.expectations('kip320'); "
        "heavy |= {'z3', 'pysmt', 'pysat', 'cvc5', 'bitwuzla'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
