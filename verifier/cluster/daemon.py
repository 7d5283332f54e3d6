"""The process that Spark forks its Python workers from, where it runs on this machine.

Spark lets Python find PySpark in archives of sources. The daemon and each worker compile what they import of
it, each time: two thirds of the processor time of their start. The package that the archives are in is
compiled, and is the same.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

DAEMON = "verifier.cluster.daemon"
_ARCHIVE = "pyspark.zip"


def prefer_installed() -> None:
    """Takes Spark's archives off Python's path, unless the PySpark found then is another than theirs."""
    before = list(sys.path)
    places = {Path(place).parent for place in before if Path(place).name == _ARCHIVE}
    sys.path[:] = [place for place in before if Path(place).parent not in places]
    installed, java = find_spec("pyspark"), find_spec("py4j")
    origin = installed and installed.origin
    if not java or not origin or places != {Path(origin).parent / "python" / "lib"}:
        sys.path[:] = before


if __name__ == "__main__":
    prefer_installed()
    import_module("pyspark.daemon").manager()
