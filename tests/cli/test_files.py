"""Files are written whole, and never over files that are read or written by the same command."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, FAST, ROOT, TOYS, verify, wrong
from verifier.files import replace_file

_MANIFEST = """# a comment
[[cell]]
id = "chain"
spec = "chain.py"
engine = "bmc"
depth = 2
timeout = "60s"
memory = "2GiB"
seconds = 1.0

[cell.expect]
StartsLow = "holds"
"""
_SPEC = "from tests.support.toys import Chain\n\n\nclass Own(Chain):\n    pass\n"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Inside, files larger than this cannot be written, as on a disk that is full. Nor is bytecode: Python
    3.11 would keep modules that are cut short, and fail to import them from then on."""
    before, wrote_none = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = wrote_none


def test_a_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o640)
    replace_file(target, "neü")
    assert target.read_bytes() == "neü".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "new", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_readers_see_the_old_or_the_new(tmp_path: Path) -> None:
    target = tmp_path / "a"
    old, new = b"o" * 300_000, b"n" * 300_000
    target.write_bytes(old)
    seen, stop = set(), threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.add(target.read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    for content in (new, old) * 20:
        replace_file(target, content)
    stop.set()
    reader.join()
    assert seen <= {old, new}


def test_where_the_disk_is_full_the_old_file_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("precious")
    with largest_file(1000), pytest.raises(OSError, match="File too large"):
        replace_file(target, b"x" * 5000)
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("step", ["fsync", "replace", "fchmod"])
@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
def test_whatever_fails_leaves_no_draft(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a"
    target.write_text("precious")

    def fail(*_: object) -> None:
        raise error

    if step == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        replace_file(target, "other")
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("there", [True, False])
def test_a_symbolic_link_stays_one(there: bool, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "a", tmp_path / "link"
    if there:
        target.write_text("old")
    link.symlink_to("folder/a")
    replace_file(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert [path.name for path in target.parent.iterdir()] == ["a"]


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    said = wrong("report", str(run_of(tmp_path)), "--html", str(tmp_path / "a"))
    assert "cannot be written: too many levels of symbolic links" in said


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    replace_file(pipe, "said")
    reader.join(10)
    assert heard == [b"said"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_devices_are_written_through() -> None:
    replace_file(Path(os.devnull), "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(OSError, match="No space left"):
        replace_file(Path("/dev/full"), "too much")


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "link"])
def test_standard_output_is_written_through_where_it_is_a_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    out = tmp_path / "out"
    code = "import sys; from pathlib import Path; from verifier.files import replace_file\n"
    code += f"print('first', flush=True); replace_file(Path({name!r}), 'second')"
    with out.open("wb") as stream:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=stream,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert done.returncode == 0
    assert out.read_text() == "first\nsecond"


def run_of(folder: Path) -> Path:
    """The JSON of a run."""
    path = folder / "run.json"
    done = verify("bmc", "--spec", CHAIN, "--property", "NeverTop", "--format", "json", *FAST)
    assert done.exit_code == 10
    path.write_text(done.stdout)
    return path


@pytest.mark.thorough
def test_full_disks_while_reports_are_written(tmp_path: Path) -> None:
    run, target = run_of(tmp_path), tmp_path / "report"
    target.write_text("precious")
    for form in ("html", "markdown", "junit", "json", "text"):
        with largest_file(100):
            said = wrong("report", str(run), "--format", form, "--out", str(target))
        assert said == f"verify: --out {target} cannot be written: file too large"
        assert target.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "run.json"]
    assert "no space left on device" in wrong("report", str(run), "--html", "/dev/full")


@pytest.mark.thorough
def test_full_disks_while_exports_are_written(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_text("precious")
    for form in ("smt2", "vmt", "btor2", "aiger"):
        with largest_file(50):
            assert "file too large" in wrong("export", CHAIN, "--format", form, "--out", str(target))
        assert target.read_text() == "precious"


def manifest_in(folder: Path) -> Path:
    """A manifest whose spec lies beside it."""
    (folder / "chain.py").write_text(_SPEC)
    path = folder / "verify.toml"
    path.write_text(_MANIFEST)
    return path


def test_a_manifest_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    path = manifest_in(tmp_path)
    before = path.read_text()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        done = verify("ci", str(path), "--update")
    assert done.exit_code == 2, done.output
    assert f"{path} cannot be written: no space left on device" in done.stderr
    assert path.read_text() == before
    assert verify("ci", str(path), "--update").exit_code == 0
    assert "spec_hash" in path.read_text()
    assert not list(tmp_path.glob(".*.tmp"))


OVERWRITES: list[tuple[str, ...]] = [
    ("bmc", "{spec}", "--html", "{spec}"),
    ("bmc", "--spec", "{spec}:Own", "--trace-out", "{spec}"),
    ("bmc", "--spec", "{spec}", "--dump-smt2", "{link}"),
    ("bmc", "--spec", "{link}", "--html", "{hard}"),
    ("bmc", "{spec}", "--html", "{new}", "--trace-out", "{new}"),
    ("bmc", "{spec}", "--html", "{new}", "--dump-smt2", "{folder}/./new"),
    ("bmc", "{spec}", "--html", "{folder}/t.NeverTop.itf.json", "--trace-out", "{folder}/t.itf.json"),
    ("explore", "{spec}", "--html", "{hard}"),
    ("explore", "{dot}", "--graph", "{folder}/spec.py.dot"),
    ("simulate", "{spec}", "--trace-out", "{spec}"),
    ("prove", "{spec}", "--certificate", "{spec}"),
    ("induct", "{spec}", "--certificate", "{new}", "--html", "{new}"),
    ("export", "{spec}", "--format", "smt2", "--out", "{spec}"),
    ("export", "{spec}", "--format", "smt2", "--out", "{new}", "--map", "{new}"),
    ("report", "{run}", "--out", "{run}"),
    ("report", "{run}", "--html", "{run}"),
    ("report", "{trace}", "--spec", "{spec}", "--html", "{spec}"),
    ("report", "{sweep}", "--out", "{sweep}/sweep.json"),
    ("report", "{sweep}", "--html", "{sweep}/rows/1.parquet"),
    ("ci", "{manifest}", "--junit", "{manifest}"),
    ("ci", "{manifest}", "--junit", "{folder}/chain.py"),
    ("sweep", "{grid}", "--spark-log", "{grid}"),
    ("sweep", "{grid}", "--spark-log", "{folder}/chain.py"),
    ("sweep", "{grid}", "--out", "{grid}"),
    ("sweep", "--spec", "{spec}", "--out", "{spec}"),
    ("sweep", "{grid}", "--out", "{sweep}", "--spark-log", "{sweep}/sweep.json"),
    ("bmc", TOYS + ":Chain", "--html", "{module}"),
]


@pytest.mark.parametrize("arguments", OVERWRITES, ids=" ".join)
def test_nothing_is_written_over_what_is_read(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(tmp_path)
    manifest = manifest_in(tmp_path)
    spec, sweep = tmp_path / "spec.py", tmp_path / "sweep"
    spec.write_text(_SPEC)
    (tmp_path / "link").symlink_to(spec)
    os.link(spec, tmp_path / "hard")
    (tmp_path / "spec.py.dot").symlink_to("spec.py")
    (tmp_path / "grid.toml").write_text('[[grid]]\nspecs = ["chain.py"]\n')
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "trace.itf.json").write_text("{}")
    (sweep / "rows").mkdir(parents=True)
    (sweep / "sweep.json").write_text("{}")
    (sweep / "rows" / "1.parquet").write_text("rows")
    module = tmp_path / "module"
    module.symlink_to(sys.modules["verifier.specs.protocol"].__file__ or "")
    places = {
        "folder": tmp_path,
        "spec": spec,
        "dot": spec,
        "link": tmp_path / "link",
        "hard": tmp_path / "hard",
        "new": tmp_path / "new",
        "run": tmp_path / "run.json",
        "trace": tmp_path / "trace.itf.json",
        "sweep": sweep,
        "manifest": manifest,
        "grid": tmp_path / "grid.toml",
        "module": module,
    }
    before = contents(tmp_path)
    said = wrong(*(word.format(**places) for word in arguments))
    assert "would overwrite" in said or "are one file" in said
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_streams_may_be_written_by_many(tmp_path: Path) -> None:
    null = os.devnull
    done = verify(
        "bmc", CHAIN, "--depth", "1", "--html", null, "--trace-out", null, "--dump-smt2", null, *FAST
    )
    assert done.exit_code == 0, done.output
    run = run_of(tmp_path)
    assert verify("report", str(run), "--out", str(tmp_path / "a.md")).exit_code == 0
    assert verify("report", str(run), "--out", str(tmp_path / "a.md")).exit_code == 0


def test_a_file_beside_the_one_named_is_not_written_over_what_is_read(tmp_path: Path) -> None:
    """Known only once something is found that was not asked for."""
    from verifier.cli.main import cli
    from verifier.cli.output import write
    from verifier.cli.paths import reads
    from verifier.errors import UsageError

    spec = tmp_path / "t.Typed.py"
    spec.write_text("precious")
    with cli.make_context("verify", ["list"]):
        reads("--spec", spec)
        with pytest.raises(UsageError, match="would overwrite"):
            write("--trace-out", spec, "trace")
    assert spec.read_text() == "precious"
