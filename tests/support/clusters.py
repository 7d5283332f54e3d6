"""A standalone Spark cluster of one master and two workers of one core each, from pip's files."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

MASTER, WORKERS = "master", ("one", "two")
_START_SECONDS = 60


@dataclass
class Standalone:
    """The cluster: processes that can be killed, and started again."""

    folder: Path
    """The working folder of workers, with all their output."""
    port: int
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The address for ``--master``."""
        return f"spark://127.0.0.1:{self.port}"

    def start(self, name: str) -> None:
        """Starts the master, or the worker of that name."""
        import pyspark

        run = Path(pyspark.__file__).parent / "bin" / "spark-class"
        common = ["--host", "127.0.0.1", "--webui-port", "0"]
        own = ["--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / name), self.url]
        port = ["--port", str(self.port)]
        kind, more = ("master.Master", port) if name == MASTER else ("worker.Worker", own)
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [str(run), f"org.apache.spark.deploy.{kind}", *common, *more],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            )
        until = time.monotonic() + _START_SECONDS
        while name == MASTER and not _listens(self.port):
            assert time.monotonic() < until, "the master does not listen"
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        """Kills the master, or a worker with its executors, as a machine that is switched off."""
        process = self.running.pop(name)
        for one in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            one.kill()
        process.wait()


@contextmanager
def standalone(folder: Path) -> Iterator[Standalone]:
    """The cluster, started, and ended afterwards."""
    folder.mkdir(exist_ok=True)
    cluster = Standalone(folder, _free_port())
    try:
        for name in (MASTER, *WORKERS):
            cluster.start(name)
        yield cluster
    finally:
        for process in cluster.running.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
