"""Py4J's log does not reach the terminal."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import NoReturn

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("py4j")

import py4j.java_gateway

from verifier.cluster.session import PY4J, Session, SparkSettings, find_cause, not_of_py4j


def _log_as_py4j() -> None:
    """Log as Py4J does, from its place: to the root logger, then to its own."""
    logs = "import logging\nlogging.error('sending', exc_info=KeyboardInterrupt())"
    exec(compile(logs, py4j.java_gateway.__file__, "exec"))
    logging.getLogger("py4j.clientserver").error("shutting down", exc_info=BrokenPipeError())


class _Started(Session):
    """A session whose JVM does not start, and that is interrupted while Py4J sends a command."""

    def _start(self) -> NoReturn:
        _log_as_py4j()
        logging.getLogger().warning("of another")
        raise KeyboardInterrupt


def test_an_interrupt_while_py4j_sends_shows_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = _Started(SparkSettings("local[1]", tmp_path / "spark.log"))
    with pytest.raises(KeyboardInterrupt), session:
        pass
    _log_as_py4j()  # of what Python collects later
    logging.getLogger().warning("of another after it")
    logging.getLogger().removeFilter(not_of_py4j)
    logging.getLogger(PY4J).propagate = True
    assert [record.getMessage() for record in caplog.records] == ["of another", "of another after it"]


_NO_PACKAGE = """Job aborted due to stage failure: Task 0 in stage 8.0 failed 4 times, most recent failure: \
Lost task 0.3 in stage 8.0 (TID 35) (127.0.0.1 executor 0): org.apache.spark.SparkException:
Error from python worker:
  /usr/bin/python3: Error while finding module specification for 'pyspark.daemon' \
(ModuleNotFoundError: No module named 'pyspark')
PYTHONPATH was:
  /jars/spark-core.jar
org.apache.spark.SparkException: EOFException occurred while reading the port number from pyspark.daemon.
\tat org.apache.spark.errors.SparkCoreErrors$.eofExceptionWhileReadPortNumberError(SparkCoreErrors.scala:55)
"""
_IN_A_TASK = """Job aborted due to stage failure: org.apache.spark.api.python.PythonException: Traceback:
  File "worker.py", line 1, in <module>
ModuleNotFoundError: No module named 'verifier'
"""


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (_NO_PACKAGE, "ModuleNotFoundError: No module named 'pyspark'"),
        (_IN_A_TASK, "ModuleNotFoundError: No module named 'verifier'"),
        ("a\njava.io.IOException: No space left\nb", "java.io.IOException: No space left"),
        ("Job 1 cancelled", "Job 1 cancelled"),
        ("", ""),
    ],
)
def test_the_cause_of_a_failure_is_found(message: str, cause: str) -> None:
    assert find_cause(message) == cause
