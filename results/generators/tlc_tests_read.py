"""TLC's own tests as data: which module each runs, with which configuration, and how TLC must end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_CASES = "ModelCheckerTestCase"
_STRING = r'"((?:\\.|[^"\\])*)"'
_CLASS = re.compile(r"class\s+(\w+)\s+extends\s+(\w+)")
_SUPER = re.compile(r"\bsuper\(([^;]*)\);", re.DOTALL)
_SET_STATUS = re.compile(r"setExitStatus\(ExitStatus\.([A-Z_0-9]+)\)")
_STATUS = re.compile(r"(?:ExitStatus|EC)\.([A-Z_0-9]+)\b(?!\.)")
_STATS = re.compile(r"TLC_STATS,\s*" + ",\\s*".join([_STRING] * 3))
_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_FOLDERS = {
    "debug": "TLC's debugger",
    "distributed": "TLC's distributed mode",
    "coverage": "TLC's report of coverage",
    "checkpoint": "TLC's checkpoints",
    "doinitfunctor": "how TLC goes on behind an error (-continue), and its limits of memory",
}
_WORDS = {
    "-simulate": "random walks with TLC's seed",
    "-recover": "TLC's checkpoints",
    "-debugger": "TLC's debugger",
    "-loadTrace": "TLC's files of traces",
    "-invlevel": "an option of TLC that verify does not have",
    "-aril": "random walks with TLC's seed",
    "-postCondition": "an option of TLC that verify does not have",
    "-userFile": "files that TLC writes",
    "-messagesAsErrors": "TLC's warnings",
    "-suppressMessages": "TLC's warnings",
}
"""Words of a command line that ask for TLC's insides, and for which."""
_NAMES = {
    "_TTraceTest": "modules that TLC writes for a trace",
    "Debug": "TLC's debugger",
    "Fingerprint(?!Exc)|FPSet": "TLC's fingerprints",
    "Distributed": "TLC's distributed mode",
    "Simulat": "random walks with TLC's seed",
    "Checkpoint|Recover": "TLC's checkpoints",
}
_INSIDE = {
    "results of Java code that stands for an operator": (
        "EvaluatingValueTest UserModuleOverrideTest UserModuleOverrideAnnotationTest"
        " UserModuleOverrideFromJarTest"
    ),
    "redefinitions in a circle, which TLC takes only by a property of the Java machine": (
        "CyclicRedefineInitTest CyclicRedefineNextTest CyclicRedefineOpTest CyclicRedefineVarsTest"
        " CyclicRedefineSubActionTest"
    ),
    "registers of each of TLC's workers": "Github866Test TLCGetAllTest",
    "how often TLC evaluates what it could keep": "ConstantContextTLCCacheTest",
    "TLC's fingerprints": "Github1302cTest",
    "values that random operators take with TLC's seed": (
        "RandomElementXandYTest Github648Test Github648wNTest"
    ),
    "configurations that the test writes while it runs": "Github432Test",
    "files that TLC writes": "StringDeserializeTLCTest JsonTest",
    "how TLC goes on behind an error (-continue), and its limits of memory": "ContinueTest",
    "an option of TLC that verify does not have": "InvParameterizedBTest InvParameterizedCTest",
}
"""Tests of TLC's insides that neither a name nor a word of the command line tells."""
_KINDS = {
    "SUCCESS": "success",
    "VIOLATION_SAFETY": "safety",
    "VIOLATION_LIVENESS": "liveness",
    "VIOLATION_DEADLOCK": "deadlock",
    "VIOLATION_ASSUMPTION": "assumption",
}


@dataclass(frozen=True)
class Test:
    """A test of TLC: its module, configuration and expected output."""

    name: str
    module: Path
    config: Path | None
    expected: str
    """The end of TLC's run; ``error`` for any error."""
    counts: tuple[int, int] | None
    """States generated and distinct states, of a search to the end."""
    deadlock: bool
    """True if it looks for deadlocks."""


@dataclass(frozen=True)
class LeftOut:
    """A test of TLC's insides."""

    name: str
    why: str


@dataclass(frozen=True)
class _Class:
    file: Path
    name: str
    above: str
    text: str


def tests(home: Path) -> Iterator[Test | LeftOut]:
    """All tests that run TLC on a module, those of TLC's insides, and how many others there are."""
    known = {}
    for file in sorted((home / "test" / "tlc2").rglob("*.java")):
        text = _COMMENT.sub("", file.read_text(errors="replace"))
        found = _CLASS.search(text)
        if found is not None:
            known[found[1]] = _Class(file, found[1], found[2], text)
    others = 0
    for one in known.values():
        if "abstract class" in one.text or "@Test" not in "".join(c.text for c in _above(one, known)):
            continue
        if not _runs_models(one, known):
            others += 1
            continue
        yield _outside(one, known) or _read(home, one, known)
    yield LeftOut(f"{others} classes", "tests of TLC's classes, which run no module")


def _above(one: _Class, known: Mapping[str, _Class]) -> list[_Class]:
    return [one, *(_above(known[one.above], known) if one.above in known else [])]


def _runs_models(one: _Class, known: Mapping[str, _Class]) -> bool:
    return any(c.name == _CASES or "TTrace" in c.name or "Debug" in c.name for c in _above(one, known))


def _outside(one: _Class, known: Mapping[str, _Class]) -> LeftOut | None:
    """True if the name, the folder or the text of a test says that it is about TLC's insides."""
    if one.file.parent.name in _FOLDERS:
        return LeftOut(one.name, _FOLDERS[one.file.parent.name])
    for pattern, why in _NAMES.items():
        if any(re.search(pattern, each.name) for each in _above(one, known) if each.name != _CASES):
            return LeftOut(one.name, why)
    for why, names in _INSIDE.items():
        if one.name in names.split():
            return LeftOut(one.name, why)
    if re.search(r"@Ignore", one.text):
        return LeftOut(one.name, "ignored by TLC, too")
    return None


def _arguments(text: str) -> list[str]:
    """Return the parts between the commas that are in no parentheses."""
    parts, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == '"'
        depth += 0 if quoted else (character in "({[") - (character in ")}]")
        if character == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _list_arguments(one: _Class, known: Mapping[str, _Class]) -> list[str]:
    """The arguments that the class of all tests is made with."""
    found = _SUPER.search(one.text)
    given = _arguments(found[1]) if found is not None else []
    if one.above == _CASES or one.above not in known:
        return given
    above = known[one.above]
    for made in re.finditer(rf"{one.above}\s*\(([^)]*)\)\s*\{{\s*(super|this)\(([^;]*)\);", above.text):
        names = [part.split()[-1] for part in made[1].split(",") if part.strip()]
        if len(names) != len(given):
            continue
        if made[2] == "super":
            return _arguments(_put(made[3], dict(zip(names, given, strict=True))))
    return given


def _put(text: str, given: Mapping[str, str]) -> str:
    """Return a text with values substituted for its names."""
    return re.sub(r"\b\w+\b(?!\")", lambda word: given.get(word[0], word[0]), text)


def _read(home: Path, one: _Class, known: Mapping[str, _Class]) -> Test | LeftOut:
    given = _list_arguments(one, known)
    classes = [each for each in _above(one, known) if each.name != _CASES]
    text = "".join(each.text for each in classes)
    listed = next((part for part in given if part.startswith("new String")), "")
    words = re.findall(_STRING, listed)
    for word, why in _WORDS.items():
        if word in words:
            return LeftOut(one.name, why)
    strings = [_join(part) for part in given if part.startswith('"')]
    status = next((part for part in given if _STATUS.search(part)), "")
    statistics = _STATS.search(text)
    numbers = (int(statistics[1]), int(statistics[2])) if statistics is not None else None
    spec, folder = strings[0] if strings else one.name, strings[1] if len(strings) > 1 else ""
    if one.file.parent.name == "suite":
        spec, folder = one.name.lower(), "suite"
        counted = [int(part) for part in strings if part.lstrip("-").isdigit()]
        numbers = (counted[0], counted[1]) if len(counted) > 1 else numbers
        if one.above == "SuiteTestCase" and not strings:
            numbers = (2, 1)
    found = _SET_STATUS.search(text) or _STATUS.search(status)
    # A class that names no status says by what it looks for that TLC ends with an error.
    unnamed = "ERROR" if "EC.TLC_NESTED_EXPRESSION" in text else "SUCCESS"
    kind = _KINDS.get(found[1] if found is not None else unnamed, "error")
    config = words[words.index("-config") + 1] if "-config" in words else spec.removesuffix(".tla")
    config = config if Path(config).suffix else f"{config}.cfg"
    module = home / "test-model" / folder / f"{spec.removesuffix('.tla')}.tla"
    if not module.is_file():
        return LeftOut(one.name, f"runs no module of test-model that a reader finds ({spec})")
    named = module.parent / config if (module.parent / config).is_file() else None
    checks = re.search(r"checkDeadLock\(\)\s*\{\s*return true", text) is not None
    counts = numbers if kind == "success" and numbers and min(numbers) >= 0 else None
    return Test(one.name, module, named, kind, counts, checks)


def _join(part: str) -> str:
    """The text of strings that Java joins with the separator of folders."""
    return "/".join(piece.strip("/") for piece in re.findall(_STRING, part) if piece.strip("/"))
