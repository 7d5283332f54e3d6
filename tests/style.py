"""Checks docstrings, comments and pages against the style guide: `python tests/style.py`.

tests/style.toml says what is refused. Code in pages and text in the program's messages is not looked at.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = ("encodings", "specs", "verifier", "tests", "results")
_PAGES = ("*.md", "docs/*.md")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Fault:
    """A text that the guide refuses, and what to write instead."""

    path: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.words}"


@dataclass(frozen=True)
class Style:
    """The rules: openings of docstrings, words, and what each folder is still allowed."""

    openings: Sequence[str]
    words: Mapping[str, str]
    unfinished: Mapping[str, int]

    @classmethod
    def read(cls, file: Path) -> Style:
        """Read the rules from a file."""
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(content["openings"], content["words"], content["unfinished"])

    @cached_property
    def _opens(self) -> re.Pattern[str]:
        return re.compile(rf"""['"][\s`*']*({"|".join(self.openings)})\b""")

    def may_fail(self, text: str) -> bool:
        """False if no fault is possible: reading Python takes long, and most files have none."""
        lower = text.lower()
        return any(word in lower for word in self.words) or self._opens.search(text) is not None

    def opening_faults(self, path: str, text: str) -> Iterator[Fault]:
        """Yield docstrings that begin with a refused word."""
        for line, docstring in docstrings(text):
            start = re.sub(r"^[\s`*']+", "", docstring)
            for opening in self.openings:
                if re.match(rf"{opening}\b", start):
                    words = f"a docstring begins with a verb or a noun, not with {opening!r}"
                    yield Fault(path, line, words)

    def word_faults(self, path: str, lines: Iterator[tuple[int, str]]) -> Iterator[Fault]:
        """Yield words that readers do not expect."""
        for line, text in lines:
            for word, better in self.words.items():
                if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE):
                    yield Fault(path, line, f"instead of {word!r} write {better!r}")

    def faults(self, path: str, text: str) -> list[Fault]:
        """All faults of a file."""
        if not self.may_fail(text):
            return []
        if path.endswith(".md"):
            return list(self.word_faults(path, prose(text)))
        return [*self.opening_faults(path, text), *self.word_faults(path, comments(text))]

    def select_remaining(self, found: Sequence[Fault]) -> list[Fault]:
        """The faults, without those of unfinished folders that have no more than they may."""
        counts = Counter(self._folder(fault.path) for fault in found)
        allowed = {folder for folder, most in self.unfinished.items() if counts[folder] <= most}
        return [fault for fault in found if self._folder(fault.path) not in allowed]

    def _folder(self, path: str) -> str:
        return max((one for one in self.unfinished if path.startswith(f"{one}/")), key=len, default="")


def docstrings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of modules, classes, functions and attributes, with their lines."""
    for node in ast.walk(ast.parse(text)):
        for statement in node.body if isinstance(node, _DEFINITIONS) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of docstrings and the comments of a module."""
    for line, docstring in docstrings(text):
        yield from enumerate(docstring.splitlines(), line)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page without its blocks of code."""
    blank = _FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    yield from enumerate(blank.splitlines(), 1)


def files() -> Iterator[Path]:
    """Yield the modules and pages of the project."""
    for folder in _FOLDERS:
        linked = (ROOT / "verifier" / "encodings", ROOT / "verifier" / "specs")
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.is_relative_to(linked[0]) and not path.is_relative_to(linked[1]):
                yield path
    for pattern in _PAGES:
        yield from sorted(ROOT.glob(pattern))


def main() -> int:
    """Print the faults; 0 if there is none."""
    style = Style.read(Path(__file__).with_name("style.toml"))
    texts = ((path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in files())
    found = style.select_remaining([fault for path, text in texts for fault in style.faults(path, text)])
    for fault in found:
        print(fault)
    print(f"Style: {len(found)} faults" if found else "Style: texts follow the guide")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
