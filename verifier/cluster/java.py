"""Finding the Java that Spark runs on, before anything starts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from verifier.errors import UsageError

LEAST_JAVA = 17
"""Spark 4 needs it."""

_ADVICE = (
    f"install a Java runtime of version {LEAST_JAVA} or newer (Debian: apt-get install "
    "openjdk-17-jre-headless)"
)


def check_java(what: str) -> None:
    """``what`` is the command. Raises UsageError, saying what to install, unless there is a Java that
    Spark can use."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        raise UsageError(f"{what} runs on Spark, which needs Java, and there is none: {_ADVICE}")
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        where = f"JAVA_HOME={home}" if home else java
        raise UsageError(f"Spark needs Java, and {where} does not run: {_ADVICE}, or set JAVA_HOME") from None
    version = re.search(r'version "(?:1\.)?([0-9]+)', done.stderr + done.stdout)
    if version is None:
        raise UsageError(
            f"Spark needs Java, and {java} does not say its version: {_ADVICE}, or set JAVA_HOME"
        )
    if int(version[1]) < LEAST_JAVA:
        raise UsageError(f"Java {version[1]} ({java}) is too old for Spark: {_ADVICE}, or set JAVA_HOME")
