"""Commands as mistakes and strangers type them: ``python -m tests.support.fuzz_commands 5000``.

Words of a command are drawn: options of its own and of others, values that fit and values that do not, files
of all kinds. Whatever is typed, the command ends in time, in one of its exit codes, with one line where it
refuses, and with one JSON object where that is asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import click

from tests.support.clock import OutOfTime, at_most
from tests.support.command_line import CHAIN, LOCK, verify
from verifier.cli.main import cli

SECONDS = 60
"""The most that a command takes that is given a timeout of a second, on a busy machine."""
_CODES = (0, 2, 10, 11, 12, 13, 14)
_MODULE = """---- MODULE Ring ----
EXTENDS Naturals
CONSTANTS N, a, b
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Low == x < 2
Comes == []<>(x = 0)
====
"""
_CONFIG = "SPECIFICATION Spec\nINVARIANT Low\nPROPERTY Comes\nCONSTANT N = 5 a = a b = 2\n"
_BROKEN = {
    "empty.tla": "",
    "empty.json": "",
    "empty.toml": "",
    "half.tla": _MODULE[:90],
    "wrong.cfg": "INIT Init\nNEXT Nxt\nINVARANT Low\n",
    "wrong.py": "import nothing_like_this\n",
    "none.py": "x = 1\n",
    "list.json": "[1, 2]",
    "wrong.toml": "[[cell]\n",
    "manifest.toml": '[[cell]]\nid = "ring"\nspec = "Ring.tla"\nengine = "explore"\n',
    "grid.toml": '[[grid]]\nspecs = ["Ring.tla"]\nengines = ["bmc"]\ndepth = 2\n',
}
_NUMBERS = ("0", "1", "2", "3", "-1", "007", "1.5", "1e3", "9" * 20, "²", "two", "", " ", "0x10")
_WORDS = (
    *(
        "all",
        "none",
        "auto",
        "text",
        "json",
        "html",
        "xml",
        "violated",
        "holds",
        "TypeOK=holds",
        "Low",
        "Comes",
    ),
    *("z3", "cadical", "cvc5", "serial", "explicit", "interpreter", "translation", "spec", "N=3", "N=", "=3"),
    *("N", "clients=2", "clients=1..3", "queues=2", "a=b", "1s", "0s", "5", "1GiB", "1 B", "local[1]", "$"),
    *(
        "*",
        "--",
        "-",
        "-x",
        "--no",
        "--depth",
        "\x1b[2J",
        "é",
        "\udce9",
        "x" * 5000,
        "%s",
        "{0}",
        "a\nb",
        "..",
    ),
)
_FIT = 0.7
_ENDLESS = ("open", "watch")
"""The commands that go on until somebody stops them."""
_OF_FILES = ("certify", "replay", "report", "ci", "matrix", "help")
_SPECS = ("Ring.tla", "Ring.tla", CHAIN, LOCK, "rabbit-sac")
_FITTING = {
    "--property": ("all", "Low", "Comes", "TypeOK", "Low", "NotAllAsk", "StartsLow"),
    "--set": ("N=3", "N=4", "queues=2", "clients=2"),
    "--grid": ("N=3..4", "queues=1..2", "clients=2"),
    "--config": ("Ring.cfg", "wrong.cfg"),
    "--expect": ("violated", "Low=violated", "Comes=proved", "holds"),
    "--trace-out": ("out/t.itf.json", "empty.json"),
    "--certificate": ("out/proof.json",),
    "--html": ("out/r.html",),
    "--out": ("out/x", "out", "out/x.json"),
    "--work": ("out/work", "out"),
    "--graph": ("out/g.dot", "out/g.html"),
    "--fairness": ("spec", "none"),
    "--memory": ("1GiB", "300MiB", "1MiB"),
}
"""Values with which an option goes further than to the check of its value."""


def main(count: int, seed: int = 1) -> int:
    """Prints how often each exit code came, and each fault; 1 if there is one."""
    codes, faults = Counter[int](), 0
    os.environ["JAVA_HOME"] = "/nowhere"  # sweeps are refused once their words were looked at
    for words, code, fault in trials(count, seed):
        codes[code] += 1
        if fault:
            faults += 1
            print(f"{fault}: {words}", flush=True)
    found = ", ".join(f"{number} with exit code {code}" for code, number in sorted(codes.items()))
    print(f"{count} commands, {found}; {faults} faults")
    return 1 if faults else 0


def trials(count: int, seed: int) -> Iterator[tuple[list[str], int, str]]:
    """Yield random commands, each with its exit code and the fault in its end, if there is one."""
    rng = random.Random(seed)
    for _ in range(count):
        with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
            words = _draw_words(rng, _prepare_files(Path(name)))
            yield words, *try_command(words)


def try_command(words: Sequence[str]) -> tuple[int, str]:
    """Return the exit code of a command, and the fault in its end."""
    try:
        with at_most(SECONDS):
            done = verify(*words)
    except OutOfTime:
        return -1, "hangs"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return 1, f"{type(done.exception).__name__}: {done.exception}"
    said = done.stderr
    if done.exit_code not in _CODES or "Traceback" in said or "internal error" in said:
        return done.exit_code, f"exit code {done.exit_code}: {said[-300:]}"
    if done.exit_code == 2 and not said.splitlines()[-1].startswith("verify: "):
        return 2, f"no line that refuses: {said[-300:]}"
    if done.stdout and ("--format", "json") in pairwise(words) and done.exit_code != 2:
        try:
            json.loads(done.stdout)
        except ValueError:
            return done.exit_code, f"no JSON: {done.stdout[:200]}"
    return done.exit_code, ""


def _prepare_files(folder: Path) -> list[str]:
    """Writes files of all kinds, and names them, with specs that are no files."""
    for name, text in {**_BROKEN, "Ring.tla": _MODULE, "Ring.cfg": _CONFIG}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "binary.tla").write_bytes(bytes(range(256)))
    (folder / "folder.tla").mkdir()
    (folder / "out").mkdir()
    shutil.copy(Path(CHAIN.partition(":")[0]), folder / "toys.py")
    files = sorted(path.name for path in folder.iterdir())
    return [*files, "missing.tla", "missing.json", *_SPECS, "kip320", "kip32", "toys.py:Nobody"]


def _draw_words(rng: random.Random, files: Sequence[str]) -> list[str]:
    """The words of a command: of most, all fit where they stand, if not together."""
    context, fit = click.Context(cli), rng.random() < _FIT
    name = rng.choice([one for one in cli.list_commands(context) if one not in _ENDLESS])
    command = cli.get_command(context, name)
    assert command is not None
    words = [name]
    own = [one for one in command.params if isinstance(one, click.Option) and "--help" not in one.opts]
    if rng.random() < 0.95:
        words.append(rng.choice(_SPECS if fit and name not in _OF_FILES else files))
    for option in rng.sample(own, min(len(own), rng.choice((0, 1, 1, 2, 2, 3, 4)))):
        words.append(rng.choice([*option.opts, *option.secondary_opts]))
        if not option.is_flag and (fit or rng.random() < 0.97):
            words.append(_value(rng, option, files, fit=fit))
    if any("--timeout" in one.opts for one in own) and "--timeout" not in words:
        words += ["--timeout", "1s"]
    if not fit and rng.random() < 0.1:
        rng.shuffle(words)
    return words


def _value(rng: random.Random, option: click.Option, files: Sequence[str], *, fit: bool) -> str:
    """A value of an option."""
    allowed = getattr(getattr(option.type, "kind", None), "words", ())
    if "--timeout" in option.opts:
        return rng.choice(("1s", "0.5s", "2s") if fit else ("1", "0", "-1s", "1m1s", "x"))
    if fit:
        named = next((_FITTING[one] for one in option.opts if one in _FITTING), ("1", "2", "3"))
        return str(rng.choice(allowed or named))
    return str(
        rng.choice(allowed if allowed and rng.random() < 0.3 else rng.choice((_NUMBERS, _WORDS, files)))
    )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
