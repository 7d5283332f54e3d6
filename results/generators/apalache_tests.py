"""``results/apalache-tests.md``: how Apalache's tests of ``apalache-mc check`` end, beside what verify says.

Run ``python -m results.generators.apalache_tests APALACHE [--jobs 2] [--seconds 20] [--only WORDS]``: a
checkout of Apalache's source. ``test/tla/cli-integration-tests.md`` has commands and how each ends. A module
around each names Init, Next and the property, and defines the constants. Only names of theirs are stored.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from results.generators.their_tests import AGREES, REFUSED, Row, describe_making, run_apart, table
from verifier.verdict import LEFT_TO_LIVE

_TABLE = Path(__file__).resolve().parents[1] / "apalache-tests.md"
_FOLDER, _PAGE = Path("test", "tla"), "cli-integration-tests.md"
_COMMAND = re.compile(r"^\$ apalache-mc check (?P<words>[^|\n]*?)(?:2>&1)?\s*(?:\|.*)?$", re.M)
_OF_THE_TOOL = (
    "out-dir",
    "run-dir",
    "config-file",
    "smtprof",
    "debug",
    "profiling",
    "output-traces",
    "write-intermediate",
)
"""Options about the files that Apalache reads and writes."""
_IGNORED = ("smt-solver", "tuning-options", "tuning-options-file", "discard-disabled", "max-error", "view")
"""Options about how Apalache searches."""
_USED = ("length", "init", "next", "inv", "cinit", "config", "temporal", "no-deadlock")
_FINE = ("HOLDS", "PROVED", "REACHED")
_DEPTH = 10
"""The length of executions to Apalache if the command does not say."""
_OUTSIDE = {
    "takes 1 argument, none are expected": "invariants of executions, an operator of Apalache's",
    "it is infinite|cannot be listed": "values out of infinite sets, which neither TLC nor verify lists",
    r"unknown operator (Gen|Guess)\b": "Gen and Guess are any value, which no expression of TLA+ is",
    "or in a formula of initial states": (
        "Init has primes: the values of the first state to Apalache, an error to TLC and verify"
    ),
}
"""By the words of verify's error, what has a meaning to Apalache only."""
_DECIDED = ("success", "violation", "deadlock")
_REASONS = {
    "--length=0 --inv=AllTests TestSequences.tla": (
        "Head(<<>>) has a value to Apalache, none to TLC and verify"
    ),
    "Verifier_functionComparison.tla": "no state satisfies Init: an error to verify, a deadlock to Apalache",
    "--length=0 --inv=AllTests TestSequencesExt.tla": (
        "f[10] has a value to Apalache for an f of 0..9, none to TLC and verify"
    ),
}
"""Why the two differ, where what verify says does not tell."""


@dataclass(frozen=True)
class Test:
    """A command of theirs."""

    name: str
    file: Path
    modules: Path
    """The folder of Apalache's own modules."""
    options: dict[str, str]
    expected: str
    """``success``, ``violation``, ``deadlock`` or ``error``."""


@dataclass(frozen=True)
class LeftOut:
    """A command that verify has nothing to compare with."""

    name: str
    why: str


def tests(folder: Path) -> Iterator[Test | LeftOut]:
    """The commands of the page, each once."""
    page = (folder / _PAGE).read_text()
    seen = set[tuple[str, ...]]()
    for found in _COMMAND.finditer(page):
        words = found["words"].split()
        ends = page[found.end() : page.index("```", found.end())]
        one = _test(folder, words, ends)
        options = one.options if isinstance(one, Test) else {}
        key = (words[-1], *(f"{name}={options[name]}" for name in _USED if name in options))
        if isinstance(one, LeftOut) or key not in seen:
            seen.add(key)
            yield one


def _test(folder: Path, words: Sequence[str], ends: str) -> Test | LeftOut:
    name, file = " ".join(words), folder / words[-1]
    options = dict(word.removeprefix("--").partition("=")[::2] for word in words[:-1])
    if any(option in _OF_THE_TOOL for option in options):
        return LeftOut(name, "files that Apalache reads and writes")
    if file.suffix != ".tla":
        return LeftOut(name, "formats other than TLA+")
    unknown = [option for option in options if option not in (*_USED, *_IGNORED)]
    if unknown:
        return LeftOut(name, f"an option of Apalache's: {unknown[0]}")
    code = re.search(r"EXITCODE: (OK|ERROR \((\d+)\))", ends)
    if code is None:
        return LeftOut(name, "the page does not say how it ends")
    if code[1] == "OK":
        return Test(name, file, folder.parents[1] / "src" / "tla", options, "success")
    if code[2] != "12":
        return Test(name, file, folder.parents[1] / "src" / "tla", options, "error")
    return Test(
        name,
        file,
        folder.parents[1] / "src" / "tla",
        options,
        "deadlock" if "outcome is: Deadlock" in ends else "violation",
    )


# -- what verify is asked


def _body(text: str, name: str) -> str | None:
    """Return the body of an operator of a module."""
    found = re.search(rf"^{name}\s*==(.*?)(?=^\S[^\n]*==|^====|^\(\*|^\\\*|\Z)", text, re.M | re.S)
    return None if found is None else found[1]


def _constants(text: str, name: str) -> dict[str, str] | None:
    """Return the values that ``--cinit`` names; None unless it names one for each constant."""
    body = _body(text, name)
    parts = (
        []
        if body is None
        else [part.strip() for part in re.split(r"^\s*/\\", body, flags=re.M) if part.strip()]
    )
    if len(parts) == 1:
        parts = [part.strip() for part in parts[0].split("/\\")]
    pairs = [re.fullmatch(r"(\w+)'?\s*=\s*(.*)", part, re.S) for part in parts]
    if not pairs or None in pairs:
        return None
    return {pair[1]: pair[2].strip() for pair in pairs if pair is not None}


def _list_declared(text: str, keyword: str) -> list[str]:
    """Return the names that a text declares with VARIABLES or CONSTANTS."""
    text = re.sub(r"\(\*.*?\*\)|\\\*[^\n]*", "", text, flags=re.S)
    names = []
    for found in re.finditer(rf"^\s*{keyword}S?\s+((?:\w+\s*,\s*)*\w+)", text, re.M):
        names += [name.strip() for name in found[1].split(",")]
    return names


def _variables(folder: Path, file: Path) -> list[str]:
    text = file.read_text()
    names = _list_declared(text, "VARIABLE")
    for extended in re.findall(r"EXTENDS([^\n]*(?:,\s*\n[^\n]*)*)", text):
        for module in re.findall(r"\w+", extended):
            if (folder / f"{module}.tla").is_file():
                names += _variables(folder, folder / f"{module}.tla")
    return list(dict.fromkeys(names))


def _read_given(file: Path, options: Mapping[str, str]) -> str:
    """Return a configuration of theirs, without what the command names itself."""
    text = re.sub(r"\\\*[^\n]*", "", file.read_text())
    for keyword in ("init", "next"):
        text = re.sub(rf"^\s*{keyword.upper()}\s+\w+", "", text, flags=re.M) if keyword in options else text
    return text


def _begin_and_step(config: str, begins: str, goes: str) -> list[str]:
    """Return what a configuration lacks of INIT and NEXT."""
    if "SPECIFICATION" in config:
        return []
    lacking = {"INIT": begins, "NEXT": goes}
    return [
        f"{word} {name}" for word, name in lacking.items() if not re.search(rf"^\s*{word}\b", config, re.M)
    ]


def _take_begin_and_step(config: Sequence[str], begins: str, goes: str) -> tuple[str, str, list[str]]:
    """Return the INIT and NEXT that a configuration names, or else these, and the configuration without."""
    text = "\n".join(config)
    init, following = (re.search(rf"^\s*{word}\s+(\w+)", text, re.M) for word in ("INIT", "NEXT"))
    without = re.sub(r"^\s*(?:INIT|NEXT)\s+\w+", "", text, flags=re.M)
    return init[1] if init else begins, following[1] if following else goes, [without]


def _write(test: Test, folder: Path, *, steps: bool, open_constants: bool = False) -> str | None:
    """Writes a module and its configuration; why there is none. ``steps``: the invariant speaks of steps.
    ``open_constants``: constants without a value are model values, since Apalache leaves them open."""
    options, file = test.options, folder / test.file.name
    text = file.read_text() if file.is_file() else ""
    for module in re.findall(r"\w+", " ".join(re.findall(r"EXTENDS([^\n]*)", text))):
        other = folder / f"{module}.tla"
        text += other.read_text() if other.is_file() else ""
    lines, config = [], list[str]()
    if "config" in options:
        if not (folder / options["config"]).is_file():
            return "a configuration that is not there"
        config.append(_read_given(folder / options["config"], options))
    if "cinit" in options:
        values = _constants(text, options["cinit"])
        if values is None:
            return "constants that a predicate chooses"
        lines += [f"ApaOf_{name} == {value}" for name, value in values.items()]
        config += [f"CONSTANT {name} <- ApaOf_{name}" for name in values]
    if open_constants:
        config += [f"CONSTANT {name} = {name}" for name in _list_declared(file.read_text(), "CONSTANT")]
    begins, goes = options.get("init", "Init"), options.get("next", "Next")
    vars_ = f"<<{', '.join(_variables(folder, file))}>>"
    named = re.search(r"PROPERT(?:Y|IES)\s+\w", "".join(config)) and "SPECIFICATION" not in "".join(config)
    if "temporal" in options:
        config.append(f"PROPERTY {options['temporal']}")
    if "temporal" in options or named:
        begins, goes, config = _take_begin_and_step(config, begins, goes)
        lines.append(f"ApaSpec == {begins} /\\ [][{goes}]_{vars_} /\\ WF_{vars_}({goes})")
        config.append("SPECIFICATION ApaSpec")
    else:
        config += _begin_and_step("".join(config), begins, goes)
    for name in filter(None, options.get("inv", "").split(",")):
        if steps:
            lines.append(f"ApaStep == [][{name}]_{vars_}")
        config.append("PROPERTY ApaStep" if steps else f"INVARIANT {name}")
    if not any("CHECK_DEADLOCK" in one for one in config):
        config.append(f"CHECK_DEADLOCK {str(test.expected == 'deadlock').upper()}")
    module = "\n".join([f"---- MODULE ApaTest ----\nEXTENDS {test.file.stem}", *lines, "====", ""])
    (folder / "ApaTest.tla").write_text(module)
    (folder / "ApaTest.cfg").write_text("\n".join(config) + "\n")
    return None


def _ask(test: Test, folder: Path, seconds: int) -> tuple[str, str]:
    """The end of verify, and its reason."""
    depth = test.options.get("length", str(_DEPTH))
    asked = [
        "--spec",
        str(folder / "ApaTest.tla"),
        "--library",
        str(test.modules),
        "--timeout",
        f"{seconds}s",
        "--format",
        "json",
    ]
    command = ["live"] if "temporal" in test.options else ["bmc", "--depth", depth]
    code, found, why = run_apart([*command, *asked], seconds + 20)
    if "names no temporal PROPERTY" in why:  # it speaks of states and steps only
        code, found, why = run_apart(["bmc", "--depth", depth, *asked], seconds + 20)
    elif code == 2 and command[0] == "bmc":
        code, found, why = run_apart(["explore", "--depth", depth, *asked], seconds + 20)
    if found is None or code not in (0, 10, 12, 13):
        return ("error" if code == 2 else "undecided" if code in (12, -1) else f"exit code {code}"), why
    rows = found["results"]
    if any(row["reason"] == LEFT_TO_LIVE for row in rows):
        # Apalache searches lassos of so many steps.
        bounded = ["live", "--engine", "bmc", "--depth", str(int(depth) + 1)]
        code, found, why = run_apart([*bounded, *asked], seconds + 20)
        if found is None:
            return ("error" if code == 2 else "undecided" if code in (12, -1) else f"exit code {code}"), why
        rows = [row for row in rows if row["reason"] != LEFT_TO_LIVE] + found["results"]
    violated = [row for row in rows if row["verdict"] == "VIOLATED"]
    if any(not row["property"].startswith("NoDeadlock") for row in violated):
        return "violation", ""
    if violated:
        return "deadlock", ""
    closed = all(row["verdict"] in _FINE or (row["depth"] or -1) >= int(depth) for row in rows)
    return ("success", "") if closed else ("undecided", str(rows[0]["reason"]))


def _leave_out_rewired(test: Test, folder: Path) -> None:
    """Remove files that have the name of a module that Apalache replaces: to it they are not there."""
    for file in test.modules.glob("__rewire_*.tla"):
        module = re.search(r"MODULE (\w+)", file.read_text())
        if module is not None and module[1] != test.file.stem:
            (folder / f"{module[1]}.tla").unlink(missing_ok=True)


def compare_readings(test: Test, seconds: int) -> Row | LeftOut:
    """The comparison of the two."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "tla"
        shutil.copytree(test.file.parent, folder)
        _leave_out_rewired(test, folder)
        why = _write(test, folder, steps=False)
        if why is not None:
            return LeftOut(test.name, why)
        got, why = _ask(test, folder, seconds)
        if "speaks of two states" in why:
            _write(test, folder, steps=True)
            got, why = _ask(test, folder, seconds)
        elif re.search(r"the constant \w+ has no value", why) and test.expected != "error":
            _write(test, folder, steps=False, open_constants=True)
            got, why = _ask(test, folder, seconds)
    if test.expected == "error" and got in _DECIDED:
        return LeftOut(
            test.name, "Apalache ends with an error, by its types or its limits, and verify decides it"
        )
    outside = next((reason for pattern, reason in _OUTSIDE.items() if re.search(pattern, why)), None)
    if got == "error" and outside is not None:
        return LeftOut(test.name, outside)
    judged = AGREES if got == test.expected else REFUSED if got == "error" else "differs"
    if judged != AGREES:
        print(f"{test.name}: {test.expected}, {got}: {judged}: {why[:200]}", file=sys.stderr, flush=True)
    return Row(test.name, test.expected, got, judged, why if judged != AGREES else "")


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the table; with --only, what it would say of the commands with these words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--only", action="append", default=[])
    given = parser.parse_args(arguments)
    every = list(tests(given.checkout.resolve() / _FOLDER))
    asked = [one for one in every if isinstance(one, Test)]
    asked = [one for one in asked if not given.only or any(words in one.name for words in given.only)]
    with ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(partial(compare_readings, seconds=given.seconds), asked))
    if given.only:
        for one in found:
            print(one)
        return
    rows = [one for one in found if isinstance(one, Row)]
    others = [one for one in (*every, *found) if isinstance(one, LeftOut)]
    _TABLE.write_text(_make_page(f"--jobs {given.jobs} --seconds {given.seconds}", rows, others))


def _make_page(words: str, rows: Sequence[Row], others: Sequence[LeftOut]) -> str:
    left_out = defaultdict[str, list[str]](list)
    for one in others:
        left_out[one.why].append(f"`{one.name}`")
    return "\n".join(
        [
            "# Apalache's own tests",
            "",
            describe_making(f"python -m results.generators.apalache_tests APALACHE {words}"),
            "how `apalache-mc check` ends in Apalache's integration tests, beside `verify bmc` to the same",
            "depth, or `verify live` for `--temporal` with weak fairness of Next: theirs do not stutter. To",
            "Apalache a deadlock is where no execution goes on; only there verify looks for one.",
            "",
            *table(rows, "Apalache", _REASONS),
            "",
            "## Left out",
            "",
            *(f"- {why}: {', '.join(names)}" for why, names in left_out.items()),
            "",
        ]
    )


if __name__ == "__main__":
    main()
