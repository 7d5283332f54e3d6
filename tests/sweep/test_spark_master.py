"""A master of Spark that is none, or not there, and a Spark that does not start."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from tests.support.child_processes import list_children
from tests.support.command_line import LOCK, ROOT, wrong
from tests.support.level_search import IN_FILES, Switching, collect_findings, everything
from tests.support.models import build
from tests.support.toys import Chain, LockServer
from verifier.cluster.master import check_master, is_local, slots_here
from verifier.cluster.session import Session, SparkSettings
from verifier.engines.exploration import Exploration, Request, Runner, RunningExploration
from verifier.engines.exploration_progress import Progress
from verifier.engines.explore import explore
from verifier.engines.findings import Findings
from verifier.engines.task_cluster import TaskCluster
from verifier.errors import UsageError
from verifier.explicit.level_tasks import Result, Stage, Task
from verifier.processes.limits import Interrupted, Limits

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")


@pytest.mark.parametrize(
    "master", ["local", "local[2]", "local[*]", "local[2, 3]", "local-cluster[2,1,1024]", "yarn", "k8s://h:1"]
)
def test_masters(master: str) -> None:
    check_master(master)
    assert is_local(master) is master.startswith("local")


@pytest.mark.parametrize(
    ("master", "slots"),
    [
        ("local", 1),
        ("local[2]", 2),
        ("local[12, 3]", 12),
        ("local[*]", os.cpu_count()),
        ("local-cluster[2,3,1024]", 6),
        ("yarn", None),
    ],
)
def test_slots_of_this_machine(master: str, slots: int | None) -> None:
    assert slots_here(master) == slots


@pytest.mark.parametrize(
    "master", ["local[0]", "lokal[2]", "local[2", "local[two]", "local-cluster[2,1]", "", "spark://"]
)
def test_what_is_none_is_refused(master: str) -> None:
    with pytest.raises(UsageError, match="is not a master of Spark: it takes"):
        check_master(master)


def test_a_master_that_is_not_there_is_refused_at_once() -> None:
    """One of several is enough."""
    with socket.socket() as there, socket.socket() as silent:
        there.bind(("127.0.0.1", 0))
        there.listen()
        silent.bind(("127.0.0.1", 0))
        answers, refuses = (f"127.0.0.1:{each.getsockname()[1]}" for each in (there, silent))
        check_master(f"spark://{refuses},{answers}")
        with pytest.raises(UsageError, match=f"no master of Spark answers at spark://{refuses}: .*refused"):
            check_master(f"spark://{refuses}")
    for place in ("127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"):
        with pytest.raises(UsageError, match="has no port"):
            check_master(f"spark://{place}")


@needs_java
def test_commands_refuse_it(tmp_path: Path) -> None:
    assert "is not a master of Spark" in wrong("explore", LOCK, "--master", "lokal[2]")
    (tmp_path / "grid.toml").write_text('[[grid]]\nspecs = ["kip320"]\nengines = ["bmc"]\n', encoding="utf-8")
    asked = ("sweep", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "run"))
    assert "is not a master of Spark" in wrong(*asked, "--master", "lokal[2]")
    assert not (tmp_path / "run").exists()


def test_a_start_that_is_interrupted_leaves_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark was waiting for it, and nobody else knows of it."""
    left: list[psutil.Popen] = []

    def interrupt(session: Session) -> None:
        left.append(
            psutil.Popen(
                [
                    sys.executable,
                    "-c",
                    "import time; time.sleep(100)",
                    session._mark,
                ]
            )
        )
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "_start", interrupt)
    with pytest.raises(KeyboardInterrupt), Session(SparkSettings("local[2]", tmp_path / "spark.log")):
        pass
    assert left[0].wait(timeout=20) == -signal.SIGKILL


def _starting(session: Session) -> None:
    """A start takes as long as it takes on a busy machine."""
    java = [sys.executable, "-c", "import time; time.sleep(100)", session._mark]
    raise RuntimeError(f"java ended with code {subprocess.run(java, check=False).returncode}")


def test_the_time_ends_also_while_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of its tasks at a time is only known once it has started, unless it is on this machine."""
    monkeypatch.setattr(Session, "_start", _starting)
    request = Request(("NeverTop",), limits=Limits(seconds=1.0))
    findings = Findings(build(Chain()), request, lambda _: None)
    began = time.monotonic()
    with TaskCluster(findings, SparkSettings("yarn", tmp_path / "spark.log")) as cluster:
        assert not cluster.ready
        with pytest.raises(Interrupted, match="timeout of 1 s"):
            _ = cluster.slots
    assert time.monotonic() - began < 30
    assert not list_children()


@pytest.mark.parametrize("master", ["local[2]", "yarn"])
def test_an_exploration_may_end_while_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, master: str
) -> None:
    """On this machine processes do the tasks meanwhile, elsewhere the search goes on in memory."""
    monkeypatch.setattr(Session, "_start", _starting)
    began = time.monotonic()
    explored = _explore(partial(TaskCluster, patience=0), master, tmp_path)
    assert ("bytes_in_files" in explored.statistics) is (master != "yarn")
    model = build(LockServer())
    assert collect_findings(explored) == collect_findings(explore(model, everything(model)))
    assert time.monotonic() - began < 30
    assert not list_children()


def _explore(
    kind: Callable[[RunningExploration, SparkSettings], Runner],
    master: str,
    folder: Path,
    listen: Callable[[Progress], None] = lambda _: None,
) -> Exploration:
    def on_spark(findings: RunningExploration, files: Path) -> Runner:
        return kind(findings, SparkSettings(master, folder / "spark.log"))

    model = build(LockServer())
    return explore(model, everything(model, beyond=replace(IN_FILES, runner=on_spark)), listen)


@pytest.mark.parametrize(
    ("master", "waits"), [("local", True), ("local[2]", True), ("local-cluster[2,1,1024]", False)]
)
def test_spark_within_one_process_starts_where_the_search_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, master: str, waits: bool
) -> None:
    """True if it is long is a matter of the levels that are whole, and so the same in each run."""
    monkeypatch.setattr(Session, "_start", _starting)
    model, patience = build(LockServer()), 9
    seen = list[tuple[int, bool]]()

    class Observed(TaskCluster):
        def _run_tasks(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
            done = super()._run_tasks(stage, tasks)
            seen.append((self._findings.tally.generated, self._starting is not None))
            return done

    explored = _explore(partial(Observed, patience=patience), master, tmp_path)
    assert collect_findings(explored) == collect_findings(explore(model, everything(model)))
    assert {made >= patience for made, _ in seen} == {False, True}
    assert all(started is (made >= patience or not waits) for made, started in seen)


def test_a_short_exploration_starts_no_spark_within_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says what does the tasks instead."""

    def never(session: Session) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(Session, "_start", never)
    news = list[Progress]()
    explored = _explore(TaskCluster, "local[2]", tmp_path, news.append)
    assert explored.statistics["complete"]
    assert news[-1].means == "2 processes (Spark starts if it takes long)"


def test_a_spark_that_does_not_start_ends_the_exploration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where processes did the tasks meanwhile: whoever asks for Spark is told that there is none."""

    def failing(session: Session) -> None:
        raise RuntimeError("no Java today")

    monkeypatch.setattr(Session, "_start", failing)
    explored = _explore(Switching, "local[2]", tmp_path)
    assert not explored.statistics["complete"]
    assert "Spark did not start: RuntimeError: no Java today" in str(explored.verdicts[0].reason)
    assert not list_children()


_GATEWAY = RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.")


def _begin_after(log: Path) -> Session:
    """A session that began when all of the log was written."""
    session = Session(SparkSettings("local[2]", log))
    session._log_begins = log.stat().st_size
    return session


_UNREACHED = """\
2026-11-22 21:42:43 ERROR StandaloneSchedulerBackend: All masters are unresponsive!
2026-11-22 21:42:43 WARN StandaloneSchedulerBackend: Application ID is not initialized yet.
Caused by: java.net.ConnectException: Connection refused
\tat io.netty.channel.unix
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("WARNING: Using incubator modules\nInvalid maximum heap size: -Xmxabc\n", "Invalid maximum heap"),
        (_UNREACHED, "All masters are unresponsive!"),
        ('Setting default log level to "WARN".\n', "JAVA_GATEWAY_EXITED"),
        ("", "JAVA_GATEWAY_EXITED"),
    ],
)
def test_why_spark_did_not_start_is_read_in_its_log(tmp_path: Path, log: str, said: str) -> None:
    file = tmp_path / "spark.log"
    file.write_text(log, encoding="utf-8")
    words = Session(SparkSettings("local[2]", file)).words("did not start", _GATEWAY)
    assert said in words
    assert str(file) in words
    assert "JAVA_GATEWAY_EXITED" in _begin_after(file).words("did not start", _GATEWAY)
    assert str(file) not in Session(SparkSettings("local[2]", file, log_stays=False)).words("ended", _GATEWAY)


_WHERE = """\
from importlib.util import find_spec
from verifier.cluster.daemon import prefer_installed
prefer_installed()
print(find_spec("pyspark").origin)
"""


@pytest.mark.parametrize("same", [True, False])
def test_workers_take_the_pyspark_that_is_compiled_only_if_it_is_the_same(tmp_path: Path, same: bool) -> None:
    """Another Spark than the installed one brings its own PySpark: workers speak with that Spark's JVM."""
    installed = find_spec("pyspark")
    assert installed is not None
    assert installed.origin is not None
    library = Path(installed.origin).parent / "python" / "lib"
    if not same:
        library = Path(shutil.copytree(library, tmp_path / "python" / "lib"))
    places = [str(ROOT), *map(str, library.glob("*.zip"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    asked = [sys.executable, "-c", _WHERE]
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True)
    found_in = Path(done.stdout.strip())
    assert found_in == (Path(installed.origin) if same else library / "pyspark.zip/pyspark/__init__.py")


@pytest.mark.thorough
@needs_java
def test_what_starts_with_spark_is_little(tmp_path: Path) -> None:
    """Neither pandas in this process nor sources that each worker compiles."""
    settings = SparkSettings("local[2]", tmp_path / "spark.log")
    asked = f"""\
import sys
from pathlib import Path
from verifier.cluster.session import Session, SparkSettings

with Session(SparkSettings({settings.master!r}, Path({str(settings.log)!r}))) as session:
    origins = session.context.parallelize([0], 1).map(lambda _: sys.modules["pyspark"].__file__).collect()
print(".zip" in origins[0], "pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.thorough
@needs_java
def test_a_level_without_successors_is_no_job(tmp_path: Path) -> None:
    findings = Findings(build(Chain()), Request(("NeverTop",)), lambda _: None)
    stage = Stage(tmp_path, findings.moves, findings.orbits, 16)
    with Switching(findings, SparkSettings("local[2]", tmp_path / "spark.log")) as cluster:
        for _ in range(Switching.times + 2):
            assert list(cluster.run(stage, [])) == []
        assert cluster._started
