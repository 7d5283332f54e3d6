"""The settings of Spark for logs, with a folder for what Spark says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.cluster.master import check_spark

if TYPE_CHECKING:
    from verifier.cluster.session import SparkSettings


@contextmanager
def use_spark(
    what: str, master: str, archive: Path | None, conf: Mapping[str, str]
) -> Iterator[SparkSettings]:
    """Give the settings of Spark to a command, ``what``. Raises UsageError if Spark cannot run here."""
    check_spark(what, master)
    from verifier.cluster.session import SparkSettings

    with tempfile.TemporaryDirectory(prefix="verify-conform-") as folder:
        log = Path(folder) / "spark.log"
        yield SparkSettings(master, log, archive, conf=conf, log_stays=False, name="verify conform")
