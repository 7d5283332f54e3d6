"""Looks for the packages that Spark and the rows of sweeps need, before they are imported."""

from __future__ import annotations

from importlib.util import find_spec

from verifier.errors import UsageError

TO_RUN_SPARK = ("pyspark",)
TO_SWEEP = ("pyspark", "pyarrow", "filelock")
TO_READ_ROWS = ("pyarrow", "filelock")


def check_extra(what: str, packages: tuple[str, ...]) -> None:
    """Raises UsageError, saying what to install, unless the packages are there."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        needed = ", ".join(missing[:-1]) + " and " + missing[-1] if len(missing) > 1 else missing[0]
        raise UsageError(f"{what} needs {needed}: pip install 'protoverify[sweep]' brings what is missing")
