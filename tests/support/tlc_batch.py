"""TLC, asked of many modules by one process (``TlcBatch.java``)."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

_INTERVAL = re.compile(r"(-?\d+)\.\.(-?\d+)")
PROGRAM = Path(__file__).with_name("TlcBatch.java")


def _list_numbers(interval: re.Match[str]) -> str:
    """The set that TLC writes as ``1..3``."""
    return "{" + ", ".join(map(str, range(int(interval[1]), int(interval[2]) + 1))) + "}"


@dataclass(frozen=True)
class Said:
    """TLC's answer on an expression: a value, or an error in words."""

    value: str | None
    words: str = ""


class Tlc:
    """A process with TLC. ``home`` has its jars and ``library``."""

    def __init__(self, home: Path) -> None:
        jars = f"{home / 'tla2tools.jar'}:{home / 'CommunityModules.jar'}"
        options = ["-XX:+UseSerialGC", "-Xss64m", "-Xmx2g", f"-DTLA-Library={home / 'library'}", "-cp", jars]
        self.command = ["java", *options, str(PROGRAM)]
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, what: str, folder: Path) -> str:
        """Return TLC's output. If the process ended, as without memory, a new one is asked."""
        if self.process.poll() is not None:
            self.process = self._start()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{what} {folder}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer == str(folder), answer
        return (folder / "tlc.out").read_text()

    def values(self, folder: Path) -> dict[tuple[int, str], Said]:
        """Return TLC's answer on each expression in each state, by the value of ``n`` there and the
        expression's name."""
        found: dict[tuple[int, str], Said] = {}
        state = -1
        for line in self._ask("values", folder).split("\n"):
            if match := re.match(r"STATE (\d+)$", line):
                state = int(match[1])
            elif match := re.match(r"T(E\d+) (?:VALUE <<\d+, (.*)>>|ERROR (.*))$", line):
                value = None if match[2] is None else _INTERVAL.sub(_list_numbers, match[2])
                found[state, match[1]] = Said(value, match[3] or "")
        return found

    def check(self, folder: Path) -> str:
        """Return TLC's output of a search."""
        return self._ask("check", folder)
