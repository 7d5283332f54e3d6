"""System packages that some tests need: `python tests/system_packages.py announce|install|missing [NAME…]`.

They are installed where apt may do it without asking: by root, or by sudo without a password.
SYSTEM_PACKAGES=no leaves everything as it is. Only the standard library is used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

SWITCH = "SYSTEM_PACKAGES"
_APT = ("apt-get", "--quiet", "--yes", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10")


@dataclass(frozen=True)
class Need:
    """A program that tests call, the packages that bring it, and the tests that skip without it."""

    command: str
    packages: tuple[str, ...]
    tests: str

    @property
    def is_there(self) -> bool:
        """True if the program can be called."""
        return shutil.which(self.command) is not None


NEEDS = {
    "java": Need("java", ("openjdk-17-jre-headless",), "sweeps on Spark"),
    "readers": Need("berkeley-abc", ("berkeley-abc",), "exported AIGER"),
    "chromium": Need("chromedriver", ("chromium", "chromium-driver"), "HTML reports in a browser"),
}


def announce(names: Sequence[str]) -> None:
    """Says what would be installed, and how that is switched off."""
    wanted = [package for name in names if not NEEDS[name].is_there for package in NEEDS[name].packages]
    if not wanted:
        print("System packages: all that tests need are there; none is installed")
    elif _is_off():
        print(f"System packages: {', '.join(wanted)} are missing and not installed ({SWITCH}=no)")
    elif not _apt():
        print(f"System packages: {', '.join(wanted)} are missing, and apt-get may not be used here")
    else:
        switch = f"make {SWITCH}=no quick leaves that out"
        print(f"System packages: apt-get installs {', '.join(wanted)}; {switch}")


def install(names: Sequence[str]) -> None:
    """Installs what is missing, where it may."""
    apt = [] if _is_off() else _apt()
    updated = False
    for need in (NEEDS[name] for name in names if not NEEDS[name].is_there):
        if apt and not updated:
            updated = _is_done(*apt, "update")
        if not updated or not _is_done(*apt, "install", *need.packages):
            print(f"{need.command} is missing: its tests skip ({need.tests})")


def missing(names: Sequence[str]) -> None:
    """Says which tests were skipped for what."""
    left = [NEEDS[name] for name in names if not NEEDS[name].is_there]
    for need in left:
        print(
            f"Skipped, because {need.command} is missing: {need.tests} (apt-get: {' '.join(need.packages)})"
        )
    if not left:
        print("No test was skipped for want of a system package")


def _is_off() -> bool:
    return os.environ.get(SWITCH, "").lower() in ("no", "0", "false")


def _apt() -> list[str]:
    """The command that calls apt-get; empty if it may not be called."""
    if shutil.which(_APT[0]) is None:
        return []
    if os.geteuid() == 0:
        return list(_APT)
    may = shutil.which("sudo") is not None and _is_done("sudo", "-n", "true")
    return ["sudo", "-n", *_APT] if may else []


def _is_done(*words: str) -> bool:
    quiet = subprocess.DEVNULL
    return subprocess.run(words, stdin=quiet, stdout=quiet, stderr=quiet, check=False).returncode == 0


def main(arguments: Sequence[str]) -> int:
    """Does what the first argument says, for the names that follow, or for all."""
    does = {"announce": announce, "install": install, "missing": missing}
    if not arguments or arguments[0] not in does or not set(arguments[1:]) <= set(NEEDS):
        print(f"usage: system_packages.py {'|'.join(does)} [{'|'.join(NEEDS)}]...", file=sys.stderr)
        return 2
    does[arguments[0]](arguments[1:] or list(NEEDS))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
