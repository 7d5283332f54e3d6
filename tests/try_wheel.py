"""Builds the sdist and the wheel, and tries the wheel as a user has it: `python tests/try_wheel.py [FOLDER]`.

The wheel is built from the sdist, and installed in an environment of its own outside the checkout: first
alone, then with each extra as the documents install it. FOLDER gets both files. Only the standard library is
used.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("verifier", "encodings", "specs", "tests", "pyproject.toml", "README.md")
"""The content of the distributions, and the tests, which do not go into them."""
_PIP_LINE = re.compile(r"pip install ('protoverify[^'\n]*'(?: [a-z][\w-]*)*)")
_BUILD = "import sys, setuptools.build_meta as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"
_HOME = "import verifier, pathlib; print(pathlib.Path(verifier.__file__).parent)"
BROUGHT = {
    "protoverify[sweep]": ("pyspark", "pyarrow", "filelock"),
    "protoverify[notebook]": ("pandas",),
    "protoverify[server]": ("mcp", "pygls"),
}
"""The packages that each extra of the documents installs."""


def pip_lines() -> dict[str, list[str]]:
    """Return the documents' pip commands, with the documents."""
    found: dict[str, list[str]] = {}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for words in _PIP_LINE.findall(page.read_text(encoding="utf-8")):
            found.setdefault(words, []).append(page.name)
    return found


def run(*words: str | Path, folder: Path, code: int = 0) -> str:
    """Return the output of a command. Raises RuntimeError if its exit code differs."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != code:
        said = f"{done.stdout}{done.stderr}"
        raise RuntimeError(f"{shlex.join(map(str, words))} ended with {done.returncode}, not {code}:\n{said}")
    return done.stdout + done.stderr


def environment(folder: Path) -> Path:
    """A new environment; the folder of its commands."""
    venv.create(folder, with_pip=True)
    return folder / "bin"


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist of the checkout, and the wheel made from the sdist."""
    source, tools = folder / "source", environment(folder / "tools")
    ignored = shutil.ignore_patterns("__pycache__")
    for path in (ROOT / name for name in SOURCES):  # a copy: setuptools writes beside the sources
        if path.is_dir():
            shutil.copytree(path, source / path.name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(path, source)
    run(tools / "pip", "install", "--quiet", "setuptools>=77", folder=folder)
    run(tools / "python", "-c", _BUILD, "build_sdist", folder, folder=source)
    (sdist,) = folder.glob("protoverify-*.tar.gz")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder)
    run(tools / "pip", "wheel", *options, sdist, folder=folder)
    (wheel,) = folder.glob("protoverify-*.whl")
    with tarfile.open(sdist) as inside:
        assert not [name for name in inside.getnames() if "/tests/" in name or "/results/" in name]
    return sdist, wheel


def try_alone(commands: Path, wheel: Path, folder: Path) -> Iterator[str]:
    """The wheel without extras. Yields what was tried."""
    run(commands / "pip", "install", "--quiet", wheel, folder=folder)
    verify = commands / "verify"
    home = Path(run(commands / "python", "-c", _HOME, folder=folder).strip())
    assert home.is_relative_to(commands.parent.resolve()), home
    assert (home / "py.typed").is_file()
    yield run(verify, "--version", folder=folder).splitlines()[0]
    assert "kip320" in run(verify, "list", folder=folder)
    yield "verify list"
    assert "HOLDS(3)" in run(verify, "bmc", "--spec", "kip101", "--depth", "3", folder=folder)
    yield "verify bmc --spec kip101 --depth 3"
    found = run(
        verify, "bmc", "--spec", "kip320-first-try", "--property", "WeakIsr", "--html", "run.html", "--quiet",
        "--depth", "11", folder=folder, code=10,
    )  # fmt: skip
    assert "VIOLATED" in found
    assert (folder / "run.html").stat().st_size > 10_000
    yield "verify bmc --html"
    (folder / "rows").mkdir()
    for words in (("sweep", "--spec", "kip101"), ("report", "rows")):
        said = run(verify, *words, folder=folder, code=2)
        assert "pip install 'protoverify[sweep]'" in said, said
        yield f"verify {' '.join(words)} says what to install"


def try_documented(commands: Path, folder: Path) -> Iterator[str]:
    """Install the documents' packages. The wheel is there already, and pip adds missing packages. Yields what
    was tried."""
    for words, pages in pip_lines().items():
        given = shlex.split(words)
        run(commands / "pip", "install", "--quiet", *given, folder=folder)
        for module in BROUGHT[given[0]]:
            run(commands / "python", "-c", f"import {module}", folder=folder)
        yield f"pip install {words} ({', '.join(pages)})"


def main(target: Path | None) -> int:
    """Builds and tries; 0 if all of it works."""
    with tempfile.TemporaryDirectory(prefix="protoverify-") as place:
        folder = Path(place).resolve()
        sdist, wheel = build(folder)
        print(f"{sdist.name} and {wheel.name}, on Python {sys.version.split()[0]}")
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        commands = environment(folder / "environment")
        for tried in chain(try_alone(commands, wheel, elsewhere), try_documented(commands, elsewhere)):
            print(f"  ok  {tried}", flush=True)
        if target is not None:
            target.mkdir(parents=True, exist_ok=True)
            for file in (sdist, wheel):
                shutil.copy(file, target)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
