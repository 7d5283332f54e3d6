"""Searches of the interpreter that continue from a folder: they find what one search finds, in its order."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

from tests.support.columns import QUIET
from tests.support.command_line import start_verify, verify
from tests.support.tla_modules import specify_module, write_module
from tests.support.tla_random_texts import configuration, module
from tests.support.workers import find_with_workers, share_all_levels
from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.runs.modules import memory_watch
from verifier.runs.modules.policy import POLICY
from verifier.storage.work_folder import WorkFolder
from verifier.tla.columns import level_choice, search
from verifier.tla.explorer import Explorer
from verifier.tla.files import byte_table, stored_states
from verifier.tla.files.byte_table import ByteTable
from verifier.tla.specification import Specification
from verifier.tla.storing import level_keeper
from verifier.tla.storing.checkpoints import read_search
from verifier.tla.storing.level_keeper import LevelKeeper

GRID = (
    "EXTENDS Naturals, Sequences, FiniteSets, TLC\nCONSTANTS S\nVARIABLES x, y\nSym == Permutations(S)\n"
    "Init == x = <<>> /\\ y \\in [S -> {0}]\n"
    "Take(s) == Len(x) < 3 /\\ x' = Append(x, s) /\\ y' = [y EXCEPT ![s] = (@ + 1) % 3]\n"
    "Drop == x # <<>> /\\ x' = Tail(x) /\\ UNCHANGED y\nNext == Drop \\/ (\\E s \\in S : Take(s))\n"
    "Inv == ~(Len(x) = 3 /\\ \\A s \\in S : y[s] = 1)\nFew == Cardinality({s \\in S : y[s] = 2}) < 3\n"
    "Within == Cardinality({s \\in S : y[s] = 2}) < 2\nSlow == x' # x \\/ y' # y\n"
    "Steps == [][(\\E s \\in S : y[s] # 2) \\/ Len(x') < Len(x)]_y\nSeen == <<Len(x), y>>\n"
    "Count == TLCSet(1, TLCGet(1) + 1) /\\ PrintT(TLCGet(1))\nBegin == TLCSet(1, 0) /\\ Init\n"
    'Deep == TLCGet("level") < 6\n'
)
HEAD = f"{QUIET}\nCONSTANTS S = {{a, b, c}}\n"
CONFIGURATIONS = [
    f"{HEAD}INVARIANT Inv\nINVARIANT Few\n",
    f"{HEAD}CONSTRAINT Within\nINVARIANT Inv\n",
    f"{HEAD}ACTION_CONSTRAINT Slow\nPROPERTY Steps\n",
    f"{HEAD}VIEW Seen\nINVARIANT Inv\n",
    f"{HEAD}SYMMETRY Sym\nINVARIANT Inv\n",
    f"{HEAD}SYMMETRY Sym\nVIEW Seen\n",
    f"{HEAD}CONSTRAINT Deep\nINVARIANT Few\n",
    "INIT Begin\nNEXT Next\nCONSTANTS S = {a, b}\nCONSTRAINT Count\nCHECK_DEADLOCK FALSE\n",
]


def _stop_at(level: int) -> Callable[[Explorer], None]:
    """Ends a search in the middle of a level."""

    def enforce(explorer: Explorer) -> None:
        if explorer.level >= level and (explorer.columns.search or explorer.current % 3 == 1):
            raise Interrupted("stopped")

    return enforce


def _search(made: Specification, folder: Path, *, resume: bool, workers: int = 1, **options: Any) -> Any:
    with WorkFolder(folder, {}, read_search, resume=resume) as held:
        keeper = LevelKeeper(held, made.evaluator.model_values, resume=resume)
        explorers: list[Explorer] = []
        limits = options.pop("enforce", lambda _: None)

        def enforce(explorer: Explorer) -> None:
            explorers.append(explorer)
            limits(explorer)

        options["enforce"] = enforce
        found, _ = find_with_workers(made, workers, keeper=keeper, **options)
        for explorer in explorers[-1:]:
            keeper.close(explorer)
        return found


def _compare(folder: Path, body: str, config: str, **options: Any) -> tuple[Any, ...]:
    """Compare a search with one that is stopped at several levels and continues each time."""
    alone = options | {"workers": 1}
    one, _ = find_with_workers(specify_module(folder, body, config), **alone)
    work, resume = folder / "work", False
    for level in (2, 3, 5):
        made = specify_module(folder, body, config)
        found = _search(made, work, resume=resume, enforce=_stop_at(level), **options)
        assert found[0] == "stopped" or found == one
        resume = (work / "manifest.json").exists()
    for _ in range(2):  # a search that has ended finds the same again
        found = _search(specify_module(folder, body, config), work, resume=resume, **options)
        assert found == one
        resume = True
    return one


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at limits at each state, and keep each level."""
    monkeypatch.setattr("verifier.tla.expanding.BETWEEN_CHECKS", 1)
    monkeypatch.setattr(level_keeper, "_LEAST_SECONDS", -1.0)
    monkeypatch.setattr(level_keeper, "_TIMES_THE_COST", 0.0)


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_a_search_continues(config: str, tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{}, {"keep_going": True}, {"first": True}, {"max_depth": 7}]
    for number, options in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        one = _compare(folder, GRID, config, by_columns=False, **options)
        assert one[1][0] > 10


@pytest.mark.parametrize("config", CONFIGURATIONS[:5])
def test_by_columns_and_workers(config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_choice, "_LARGE", 5)
    share_all_levels(monkeypatch)
    cases: list[dict[str, Any]] = [{"by_columns": True}, {"workers": 2, "by_columns": False}]
    for number, options in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        _compare(folder, GRID, config, keep_going=True, **options)


@pytest.mark.parametrize("seed", range(10))
def test_random_modules(seed: int, tmp_path: Path) -> None:
    text, config = module(Random(seed)), configuration(Random(f"configuration {seed}"))[0]
    _compare(tmp_path, text, config)


def test_permutations_that_change_more_than_names(tmp_path: Path) -> None:
    """The search that continues does not use them either, and begins no search again."""
    body = GRID + "Least == Len(x) < 2 \\/ x[2] # CHOOSE s \\in S : s # x[1]\n"
    one = _compare(tmp_path, body, f"{HEAD}SYMMETRY Sym\nINVARIANT Least", keep_going=True)
    assert one[6][1] is not None


def test_a_search_is_continued_not_repeated(tmp_path: Path) -> None:
    config = f"{HEAD}INVARIANT Few\n"
    made, work = specify_module(tmp_path, GRID, config), tmp_path / "work"
    _search(made, work, resume=False, enforce=_stop_at(5))
    levels: list[int] = []
    _search(
        specify_module(tmp_path, GRID, config),
        work,
        resume=True,
        enforce=lambda explorer: levels.extend([explorer.level] * (explorer.result.generated > 0)),
    )
    assert min(levels) == 5
    with pytest.raises(UsageError, match="--depth 3 is too small"):
        _search(specify_module(tmp_path, GRID, config), work, resume=True, max_depth=3)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    made, work = specify_module(tmp_path, GRID, HEAD), tmp_path / "work"
    _search(made, work, resume=False, enforce=_stop_at(5))
    for pattern in ("*.rows", "*.values"):
        block = max((work / "states").glob(pattern))
        whole = block.read_bytes()
        block.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        with pytest.raises(UsageError, match="is damaged"):
            _search(made, work, resume=True)
        block.write_bytes(whole[:-8])
        with pytest.raises(UsageError, match="bytes and not"):
            _search(made, work, resume=True)
        block.write_bytes(whole)
    manifest = work / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"generated": ', '"generated": 1'))
    with pytest.raises(UsageError, match="it is damaged"):
        _search(made, work, resume=True)


def test_an_infinite_value_ends_the_search(tmp_path: Path) -> None:
    body = "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0 /\\ TLCSet(1, Nat)\nNext == x' = 1 - x\n"
    found = _search(specify_module(tmp_path, body), tmp_path / "work", resume=False)
    assert found[0].startswith("--work cannot keep ")


# -- temporary files


def _fill_memory(states: int, *, full: bool = True) -> Callable[[Explorer], None]:
    """Let memory be nearly full from so many states on."""

    def enforce(explorer: Explorer) -> None:
        explorer.crowded = explorer.count >= states
        explorer.full = full and explorer.crowded

    return enforce


def _compare_in_files(folder: Path, body: str, config: str, *, full: bool = True, **options: Any) -> None:
    """Compare a search in memory with searches that go to files at once, and in the middle."""
    alone = options | {"workers": 1}
    one, _ = find_with_workers(specify_module(folder, body, config), **alone)
    for states in (1, one[1][0] // 2):
        made = specify_module(folder, body, config)
        fill, explorers = _fill_memory(states, full=full), list[Explorer]()

        def enforce(explorer: Explorer, fill: Any = fill, explorers: Any = explorers) -> None:
            fill(explorer)
            explorers.append(explorer)

        asked: dict[str, Any] = {"workers": 1, "enforce": enforce, **options}
        assert find_with_workers(made, **asked)[0] == one
        moved = explorers[-1].in_files or explorers[-1].known.orbits is not None
        assert moved or len(one[1][2]) < 3 or one[0] or not full


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_a_search_goes_to_files(config: str, tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{}, {"keep_going": True}, {"first": True}, {"max_states": 9}]
    for options in cases:
        _compare_in_files(tmp_path, GRID, config, by_columns=False, **options)


@pytest.mark.parametrize("config", CONFIGURATIONS[:4])
def test_from_columns_and_workers_to_files(
    config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(level_choice, "_LARGE", 5)
    share_all_levels(monkeypatch)
    for options in ({"by_columns": True}, {"by_columns": False, "workers": 2}):
        _compare_in_files(tmp_path, GRID, config, keep_going=True, **options)


_COUNTERS = (
    "EXTENDS Naturals\nVARIABLES a, b, c\nInit == a = 0 /\\ b = 0 /\\ c = 0\n"
    "Up == a < 9 /\\ a' = a + 1 /\\ UNCHANGED <<b, c>>\nOver == b < 9 /\\ b' = b + 1 /\\ UNCHANGED <<a, c>>\n"
    "Out == c < 9 /\\ c' = c + (a % 3) + 1 /\\ UNCHANGED <<a, b>>\nNext == Up \\/ Over \\/ Out\n"
    "Inv == a + b + c < 24\nSum == <<a + b, c>>\nWithin == a + b < 15\n"
)


@pytest.mark.parametrize("more", ["", "INVARIANT Inv\n", "VIEW Sum\n", "CONSTRAINT Within\n"])
def test_columns_keep_old_states_in_a_file(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys are made again from the file, and columns may be left for one state."""
    monkeypatch.setattr(level_choice, "_LARGE", 5)
    monkeypatch.setattr(level_choice, "_TRIED_SECONDS", 1e9)
    monkeypatch.setattr(search, "_FIRST_ROWS", 8)
    monkeypatch.setattr(search, "_READ_AT_ONCE", 5)
    monkeypatch.setattr(search, "_KEYS_AT_ONCE", 7)
    moved: list[bool] = []
    move = search.Search.move_to_file

    def count_moves(columns: search.Search, end: int) -> bool:
        moved.append(move(columns, end))
        return moved[-1]

    monkeypatch.setattr(search.Search, "move_to_file", count_moves)
    _compare_in_files(tmp_path, _COUNTERS, f"{QUIET}\n{more}", full=False, keep_going=True)
    assert sum(moved) > 3
    work, resume = tmp_path / "work", False
    one, _ = find_with_workers(specify_module(tmp_path, _COUNTERS, f"{QUIET}\n{more}"), 1, keep_going=True)
    for level in (6, 9, 99):
        stop, fill = _stop_at(level), _fill_memory(20, full=False)

        def enforce(explorer: Explorer, stop: Any = stop, fill: Any = fill) -> None:
            fill(explorer)
            stop(explorer)

        made = specify_module(tmp_path, _COUNTERS, f"{QUIET}\n{more}")
        found = _search(made, work, resume=resume, enforce=enforce, keep_going=True)
        resume = True
    assert found == one


@pytest.mark.parametrize("seed", range(10))
def test_random_modules_in_files(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal hashes decide nothing, and values are made again if few are kept."""
    monkeypatch.setattr(byte_table, "hash", len, raising=False)
    monkeypatch.setattr(byte_table, "_WRITTEN_AT_ONCE", 50)
    monkeypatch.setattr(byte_table, "_FEWEST_SLOTS", 2)
    monkeypatch.setattr(stored_states, "MOST_VALUES", 5)
    monkeypatch.setattr(stored_states, "MOST_BYTES", 40)
    text, config = module(Random(seed)), configuration(Random(f"configuration {seed}"))[0]
    _compare_in_files(tmp_path, text, config)


@pytest.mark.parametrize("config", CONFIGURATIONS[:4])
def test_a_search_in_files_continues(config: str, tmp_path: Path) -> None:
    """It goes to files while it is stopped and continues, too."""
    one, _ = find_with_workers(specify_module(tmp_path, GRID, config), 1, keep_going=True)
    work, resume = tmp_path / "work", False
    for level in (3, 5, 99):
        stop, fill = _stop_at(level), _fill_memory(20)

        def enforce(
            explorer: Explorer, stop: Callable[..., None] = stop, fill: Callable[..., None] = fill
        ) -> None:
            fill(explorer)
            stop(explorer)

        made = specify_module(tmp_path, GRID, config)
        found = _search(made, work, resume=resume, enforce=enforce, keep_going=True)
        resume = True
    assert found == one


def test_strings_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_table, "_WRITTEN_AT_ONCE", 100)
    monkeypatch.setattr(byte_table, "_READ_AT_ONCE", 7)
    for width in (None, 4):
        table = ByteTable(width)
        strings = [b"%04d" % number if width else b"x" * number for number in range(9000 if width else 90)]
        assert [table.add(string) for string in strings] == list(range(len(strings)))
        assert [table.find(string) for string in strings] == list(range(len(strings)))
        assert table.find(b"none") is None
        assert list(table.read_all()) == strings
        assert [table.read(number) for number in range(len(table))] == strings
        assert table.size == sum(map(len, strings))


# -- the command

_SLOW = (
    "EXTENDS Naturals\nCONSTANT N\nVARIABLES a, b, c\nInit == a = 0 /\\ b = 0 /\\ c = {}\n"
    "Up == a < N /\\ a' = a + 1 /\\ c' = c \\cup {a % 4} /\\ UNCHANGED b\n"
    "Over == b < N /\\ b' = b + 1 /\\ c' = c \\ {b % 4} /\\ UNCHANGED a\n"
    "Next == Up \\/ Over \\/ (a + b = 2 * N /\\ UNCHANGED <<a, b, c>>)\nInv == a + b <= 2 * N\n"
    "Far == a < N - 2 \\/ b < N - 2\n"
)
_CONFIG = "INIT Init\nNEXT Next\nCONSTANT N = 40\nINVARIANT Inv\nINVARIANT Far\n"


def _explore(path: Path, *arguments: str, code: int | None = None) -> Any:
    done = verify("explore", str(path), "--keep-going", "--format", "json", *arguments)
    if code is not None:
        assert done.exit_code == code, done.stderr
        return done.stderr
    return json.loads(done.stdout)


def _found(run: Any) -> Any:
    names = ("distinct_states", "generated_states", "levels", "depth", "actions", "complete", "deadlocks")
    return [run["statistics"][name] for name in names], [
        (one["property"], one["verdict"], one["trace"]) for one in run["results"]
    ]


def _slow_module(folder: Path) -> Path:
    path = write_module(folder, _SLOW)
    (folder / "M.cfg").write_text(_CONFIG)
    return path


_SHARING = (
    "from verifier.tla.workers import level_choice as choice; "
    "choice._BEGIN_SECONDS, choice._WORTH_SECONDS, choice._MOST_IN_BLOCK = -1e9, -1.0, 5; "
)
"""Workers start at once and share each level."""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_command_continues(workers: int, tmp_path: Path) -> None:
    """Its workers end with it."""
    path, work = _slow_module(tmp_path), tmp_path / "work"
    expected = _explore(path, "--by", "interpreter")
    first = "from verifier.tla.storing import level_keeper; level_keeper._LEAST_SECONDS = 0.05; "
    command = ["explore", str(path), "--keep-going", "--work", str(work), "--workers", str(workers)]
    killed = start_verify(*command, first=first + _SHARING)
    deadline = time.monotonic() + 60
    children: list[psutil.Process] = []
    while not (work / "manifest.json").exists() or len(children) < (workers if workers > 1 else 0):
        assert killed.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
        children = psutil.Process(killed.pid).children()
    killed.kill()
    killed.communicate()
    run = _explore(path, "--work", str(work), "--resume", "--workers", str(workers))
    assert _found(run) == _found(expected)
    assert 0 < run["statistics"]["resumed_at_level"] < 80
    assert not psutil.wait_procs(children, timeout=60)[1]


def test_the_text_says_what_is_in_files(tmp_path: Path) -> None:
    """The figures of tasks are absent: one process keeps the levels."""
    path, work = _slow_module(tmp_path), str(tmp_path / "work")
    for more in ((), ("--resume",)):
        done = verify("explore", str(path), "--work", work, "--depth", "5", *more)
        assert done.exit_code == 0, done.stderr
        assert "MiB in files" in done.stdout
    page = tmp_path / "page.html"
    verify("explore", str(path), "--work", work, "--resume", "--depth", "5", "--html", str(page))
    assert "Inv" in page.read_text(encoding="utf-8")


def test_refusals(tmp_path: Path) -> None:
    path, work = _slow_module(tmp_path), str(tmp_path / "work")
    few = ("--depth", "5")
    run = _explore(path, "--work", work, *few)
    assert run["statistics"]["depth"] == 5
    assert "holds an exploration: --resume" in _explore(path, "--work", work, code=2)
    assert "of another properties" in _explore(path, "--work", work, "--resume", "--property", "Inv", code=2)
    assert "constants; ask as before" in _explore(path, "--work", work, "--resume", "--set", "N=41", code=2)
    assert "with --by translation" in _explore(path, "--work", work, "--by", "translation", code=2)
    assert "--depth 3 is too small" in _explore(path, "--work", work, "--resume", "--depth", "3", code=2)
    with WorkFolder(Path(work), {}, read_search, resume=True):
        assert "another exploration works in" in _explore(path, "--work", work, "--resume", code=2)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    assert "it has other files" in _explore(path, "--work", str(tmp_path / "mine"), code=2)
    assert _explore(path, "--work", work, "--resume", "--depth", "7")["statistics"]["depth"] == 7
    path.write_text(path.read_text().replace("a + b <= 2", "a + b <= 3"))
    assert "of another spec hash" in _explore(path, "--work", work, "--resume", code=2)


def test_the_memory_limit_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command uses files before memory is full, and finds the same."""
    path = _slow_module(tmp_path)
    expected = _explore(path, "--by", "interpreter")
    less = replace(POLICY, share_of_memory=0.001, share_of_full_memory=0.001)
    monkeypatch.setattr(memory_watch, "POLICY", less)
    run = _explore(path, "--by", "interpreter", "--memory", "4GiB")
    assert _found(run) == _found(expected)
    assert run["statistics"]["bytes_in_temporary_files"] > 12 * run["statistics"]["distinct_states"]
    assert run["statistics"]["peak_memory_bytes"] < 4 << 30
