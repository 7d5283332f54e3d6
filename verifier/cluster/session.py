"""A Spark session: its settings, its start with all that Spark says in a log, its end, and what went
wrong."""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

import verifier
from verifier.cluster.daemon import DAEMON
from verifier.cluster.master import is_local
from verifier.errors import UsageError
from verifier.files import reason_of
from verifier.processes.children import kill_with_descendants
from verifier.processes.interrupts import is_stop_asked

if TYPE_CHECKING:
    from typing import Self

PY4J = "py4j"
_ENVIRONMENT = "environment"
"""The folder of an unpacked archive, beside each executor."""

_SAFE_PATH = "PYTHONSAFEPATH"
"""With it Python does not look for modules where it is started."""
_SAYS_NOTHING = ("JAVA_GATEWAY_EXITED", "stopped SparkContext")
"""Errors whose reason is only in the log."""
_DATED = re.compile(r"[0-9-]{10} [0-9:]{8} ")
_OF_ANOTHER_LINE = re.compile(r"\s|Caused by:")
_TELLS = re.compile(r"error|exception|invalid", re.IGNORECASE)

_RAISED = re.compile(r"(?:^|[ (])([A-Z]\w*Error: .*?)\)?$")
"""The error of a worker's Python, at the end of its traceback or in parentheses."""

_LOG4J = Path(__file__).with_name("log4j2.properties")


class SparkFailed(Exception):
    """Spark did not start, or ended. The text says what it said."""


@dataclass(frozen=True)
class SparkSettings:
    """The Spark to use, and its settings."""

    master: str
    log: Path
    """The file for all that Spark says."""
    archive: Path | None = None
    """A packed environment for the executors, with this package in it."""
    files: tuple[str, ...] = ()
    """Spec files that executors need."""
    conf: Mapping[str, str] = field(default_factory=dict)
    java_options: tuple[str, ...] = ()
    """For the driver's JVM, and those of executors on this machine."""
    log_stays: bool = True
    """True if the log is still there when the user reads what went wrong."""

    name: str = "verify"
    """The name of the work in Spark."""

    @property
    def local(self) -> bool:
        """True if all of it runs on this machine, started by this process."""
        return is_local(self.master)


class Session:
    """A Spark session. Use as a context: leaving it ends Spark, and what it runs."""

    def __init__(self, settings: SparkSettings) -> None:
        self.settings = settings
        self._mark = f"verify-spark-{secrets.token_hex(8)}"
        """Is in the command lines of this session's JVMs."""
        self._scratch = ""
        """The folder of Spark's own files on this machine; empty before the start."""
        self._context: SparkContext | None = None
        self._log_begins = 0
        """The place in the log: an earlier session may have written it."""

    def __enter__(self) -> Self:
        self._log_begins = _size(self.settings.log)
        # For good: objects of the JVM are given back to it whenever Python collects them, also after its end.
        logging.getLogger().addFilter(not_of_py4j)
        # Once the root logger was written to, it has a handler, which this logger's records would reach.
        logging.getLogger(PY4J).propagate = False
        try:
            self._context = self._start()
            self._ready()
        except BaseException as error:  # also an interrupt: a JVM that was half started is ended
            self.__exit__()
            if isinstance(error, OSError | PySparkException | RuntimeError) or _from_java(error):
                raise SparkFailed(self.words("did not start", error)) from error
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.settings.local and is_stop_asked():
            # What the user wants to end is not left in good order, which takes seconds on a busy machine.
            self.kill_java()
        try:
            if self._context is not None:
                with suppress(Exception):  # it may have ended before, in any way
                    self._context.cancelAllJobs()
                with suppress(Exception):
                    # A thread of PySpark's looks for this once a second, and is waited for.
                    self._context._accumulatorServer.server_shutdown = True
                with suppress(Exception), warnings.catch_warnings(action="ignore"):
                    self._context.stop()  # it warns on the terminal if Java has ended
            with suppress(Exception):
                self._end_java()
        finally:
            self.kill_java()
            shutil.rmtree(self._scratch, ignore_errors=True)

    def kill_java(self) -> None:
        """Kills a JVM that is still there, and what it runs on this machine: PySpark knows nothing of one
        whose start was interrupted, and it would stay for good."""
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if self._mark in " ".join(child.cmdline()):
                    kill_with_descendants(child.pid)
                    child.kill()

    def _ready(self) -> None:
        """The objects to make once Spark has started."""

    @property
    def context(self) -> SparkContext:
        """The context that runs jobs. Spark SQL, which takes as long to start as all else, is not used."""
        assert self._context is not None
        return self._context

    @property
    def slots(self) -> int:
        """The number of tasks that can run at a time; grows as executors join. Raises SparkFailed if Spark
        has ended."""
        try:
            return max(self.context.defaultParallelism, 1)
        except Exception as error:
            raise SparkFailed(self.words("ended", error)) from error

    def words(self, what: str, error: BaseException) -> str:
        """The error, on one line."""
        said = find_cause(_message(error))
        if any(each in said for each in _SAYS_NOTHING):
            said = _last_words(self.settings.log, self._log_begins) or said
        where = f" (see {self.settings.log})" if self.settings.log_stays else ""
        return f"Spark {what}: {said[:300]}{where}"

    def _start(self) -> SparkContext:
        settings = self.settings
        home = str(Path(verifier.__file__).resolve().parent.parent)
        java = " ".join(settings.java_options)
        marked = f"-Dlog4j2.configurationFile={_LOG4J.as_uri()} -Dverify.session={self._mark}"
        conf = SparkConf(loadDefaults=True).setMaster(settings.master).setAppName(settings.name)
        conf.setAll(
            [
                ("spark.ui.enabled", "false"),
                ("spark.ui.showConsoleProgress", "false"),
                ("spark.driver.extraJavaOptions", f"{marked} {java}"),
                ("spark.python.task.killTimeout", "200ms"),
                ("spark.task.maxFailures", "4"),
            ]
        )
        # Workers are started with -m, and would import what stands in the folder that they are started in.
        os.environ[_SAFE_PATH] = "1"
        conf.set(f"spark.executorEnv.{_SAFE_PATH}", "1")
        if settings.local:
            self._scratch = tempfile.mkdtemp(prefix="verify-spark-")
            conf.set("spark.local.dir", self._scratch)
            conf.set("spark.driver.extraJavaOptions", f"-Djava.io.tmpdir={self._scratch} {marked} {java}")
            conf.set("spark.python.daemon.module", DAEMON)
            conf.setAll([("spark.driver.host", "127.0.0.1"), ("spark.driver.bindAddress", "127.0.0.1")])
            if java:
                conf.setIfMissing("spark.executor.extraJavaOptions", java)
            os.environ["PYTHONPATH"] = _join_paths(home, os.environ.get("PYTHONPATH"))
        python = sys.executable
        if settings.archive is not None:
            conf.set("spark.archives", f"{settings.archive}#{_ENVIRONMENT}")
            python = f"./{_ENVIRONMENT}/bin/python"
        elif not settings.local:
            conf.set("spark.executorEnv.PYTHONPATH", home)
        os.environ["PYSPARK_PYTHON"] = python
        os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        conf.setAll(list(settings.conf.items()))
        with _append_to(settings.log) as log:
            gateway = launch_gateway(conf, {"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
        # Those of Spark SQL import pandas to look at the first object that Java gets.
        client = gateway._gateway_client
        client.converters = [one for one in client.converters if not _of_sql(one)]
        with _own_handler_of_signals():
            context = SparkContext(conf=conf, gateway=gateway)
        # Where the JVM is ended from outside, this thread of PySpark's would print on the user's terminal.
        context._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]
        for file in settings.files if not settings.local else ():
            context.addFile(file)
        return context

    def _end_java(self) -> None:
        """Ends the JVM, which PySpark keeps for a next session."""
        gateway = SparkContext._gateway
        SparkContext._gateway = SparkContext._jvm = None
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=20)


@contextmanager
def _own_handler_of_signals() -> Iterator[None]:
    """Keep the process's handler of SIGINT: PySpark sets one of its own, in the main thread, and whoever asks
    whether the user wants to stop would hear no more of it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is not before:  # so this is the main thread
            signal.signal(signal.SIGINT, before)


def not_of_py4j(record: logging.LogRecord) -> bool:
    """Py4J writes tracebacks to the root logger, so to the terminal, where an interrupt comes in the midst of
    a command, and where the JVM has ended. Both are raised, too."""
    return Path(record.pathname).parent.name != PY4J


def _of_sql(converter: object) -> bool:
    return type(converter).__module__.startswith("pyspark.sql")


def _join_paths(*paths: str | None) -> str:
    return os.pathsep.join(dict.fromkeys(path for path in paths if path))


def _size(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size
    return 0


def find_cause(message: str) -> str:
    """Find what a message of Spark has for its reason: the error of a worker's Python, or the first error."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    raised = [match[1] for line in lines if (match := _RAISED.search(line))]
    if raised:
        return raised[-1]
    return next((line for line in lines if "Exception" in line or "Error" in line), lines[0] if lines else "")


def _last_words(log: Path, begins: int) -> str:
    """Find the cause of failure in a log from a place on: the last error, or what stands beside the log's own
    lines."""
    try:
        lines = log.read_bytes()[begins:].decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    errors = [line.partition(" ERROR ")[2] for line in lines if _DATED.match(line) and " ERROR " in line]
    plain = [line for line in lines if not _DATED.match(line) and not _OF_ANOTHER_LINE.match(line)]
    return errors[-1] if errors else "; ".join(line for line in plain if _TELLS.search(line))


def _from_java(error: BaseException) -> bool:
    return type(error).__module__.startswith("py4j.")


def _message(error: BaseException) -> str:
    java = getattr(error, "java_exception", None)
    with suppress(Exception):
        if java is not None:
            return str(java.getMessage() or java.toString())
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- some errors ask the JVM for their text, and it has ended
        return type(error).__name__


@contextmanager
def _append_to(log: Path) -> Iterator[int]:
    """The log, open for the JVM: all that it says is added there."""
    try:
        opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise UsageError(f"--spark-log {log} cannot be written: {reason_of(error)}") from None
    try:
        yield opened
    finally:
        os.close(opened)
