"""A search in parts: together they say what the whole search says."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import LOCK, TOYS
from tests.support.sweeping import jobs_of
from tests.sweep.test_sweep import HereRunner
from verifier.engines import search_parts as parts
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.engines.search_parts import Choice, Part, choose, common_invariants, halves
from verifier.outcomes.row import Row
from verifier.runs.loading import load
from verifier.sweep import sweep
from verifier.sweep.execution import error_row, run_job
from verifier.sweep.job import Job
from verifier.sweep.split import Split, decides, halves_of, parts_of
from verifier.sweep.store import PARTS, Store, read_rows
from verifier.sweep.sweep import News, Sweep
from verifier.system.model import build
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.thorough

SMALL = ("replicas=2", "log_size=2", "max_records=2", "max_leader_epoch=2")


@pytest.fixture(autouse=True)
def short_look_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look ahead as usual, but less deep."""
    monkeypatch.setattr(parts, "_MOST_EFFORT", 20_000)


@pytest.fixture(autouse=True)
def long_searches(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Searches are split as if they took longer than choosing their parts."""
    if "short_searches" not in request.fixturenames:
        monkeypatch.setattr(sweep, "_has_decided", lambda job, future: False)


@pytest.fixture
def short_searches() -> None:
    """Searches are as short as they are."""


def parts_in(submitted: list[Job]) -> list[Job]:
    """Without the whole jobs that ran while parts were chosen."""
    return [job for job in submitted if job.part_of is not None]


def split_jobs(*axes: str, **grid: Any) -> list[Job]:
    """Jobs in four parts of serial steps."""
    return jobs_of(*axes, **{"split": 4, "options": {"steps": "serial"}, **grid})


def sweep_jobs(folder: Path, jobs: list[Job], runner: HereRunner) -> list[Row]:
    """The rows of the jobs, in their order."""
    with Store(folder) as store:
        Sweep(store, runner, lambda _: None).run(jobs)
    rows = {row.job_id: row for row in read_rows(folder)}
    return [rows[job.job_id] for job in jobs]


@pytest.mark.parametrize("steps", ["serial", "auto"])
@pytest.mark.parametrize(
    ("spec", "axes", "name", "depth"),
    [
        pytest.param("kafka-truncate-hw", SMALL, "WeakIsr", 9, marks=pytest.mark.thorough),
        # At greater depths parallel steps may, or may not in time, see a violation of more actions.
        ("kafka-truncate-hw", SMALL, "WeakIsr", 4),
        pytest.param("kip101", SMALL, "StrongIsr", 11, marks=pytest.mark.slow),
        pytest.param("kip320", SMALL, "StrongIsr", 9, marks=pytest.mark.slow),
        (LOCK, (), "HolderWaitsNoMore", 6),
        (f"{TOYS}:Chain", ("top=4",), "NeverTop", 6),
        (f"{TOYS}:Overflow", (), "Small", 6),
        (f"{TOYS}:Corridor", ("top=7",), "AtFive", 4),
        (f"{TOYS}:Corridor", ("top=7",), "AtFour", 4),
    ],
)
def test_parts_say_what_the_whole_says(
    tmp_path: Path, steps: str, spec: str, axes: tuple[str, ...], name: str, depth: int
) -> None:
    common: dict[str, Any] = {"specs": (spec,), "properties": (name,), "depth": depth}
    common["options"] = {"steps": steps}
    (whole,) = jobs_of(*axes, **common)
    (split,) = jobs_of(*axes, **common, split=4)
    assert whole.job_id == split.job_id
    plain = {row.property_name: row for row in run_job(whole, "x")}
    with Store(tmp_path) as store:
        Sweep(store, HereRunner(), lambda _: None).run([split])
    parted = {row.property_name: row for row in read_rows(tmp_path)}
    assert parted.keys() == plain.keys()
    assert [parted[key].verdict for key in plain] == [row.verdict for row in plain.values()]
    assert parted[name].job_id == whole.job_id
    if plain[name].verdict in (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE):
        assert parted[name].depth == plain[name].depth == depth
    assert "part" not in parted[name].options


def test_a_violation_is_in_exactly_the_parts_that_have_it() -> None:
    """Chain has one execution, so a bit in a frame has one value in it, and none in the other part."""
    model = build(load(f"{TOYS}:Chain", {"top": 3}).definition)
    bit = model.system.bits[0].symbol_name()
    found = []
    for index in (0, 1):
        part = Part(index, (Choice(bit, 2),))
        request = Request(("NeverTop",), 5, StepsChoice.SERIAL, solver="cadical", part=part)
        (verdict,) = check(model, request).verdicts
        found.append(verdict.kind)
    assert sorted(found) == [VerdictKind.HOLDS, VerdictKind.VIOLATED]


def test_choices_tell_executions_apart() -> None:
    model = build(load("kip320", {"replicas": 2}).definition)
    system, invariants = model.system, common_invariants(model)
    choices = choose(system, "StrongIsr", 12, 8, invariants)
    assert len(set(choices)) == 3
    assert choices[:1] == choose(system, "StrongIsr", 12, 2, invariants)
    assert all(1 <= choice.frame <= 12 for choice in choices)
    assert choose(system, "StrongIsr", 12, 1, invariants) == ()


def test_needless_choices_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    right = parts.LookAhead._search

    def search(self: Any, *given: Any) -> tuple[int, int]:
        looked.append(1)
        return right(self, *given)

    monkeypatch.setattr(parts.LookAhead, "_search", search)
    system = build(load("kip320", {"replicas": 2}).definition).system
    asked = iter((False, False, False, True))  # by the first loop, then before each of two choices
    assert len(choose(system, "StrongIsr", 12, 8, [], lambda: next(asked, True))) == 1
    assert len(looked) <= 1 + 2 * 2
    assert choose(system, "StrongIsr", 12, 8, [], lambda: True) == ()


def test_parts_are_told_structural_invariants() -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    model = build(load(LOCK, {}).definition)
    split = parts_of(job)
    (half, _) = halves_of(job, split[0])
    for part in (*split, half):
        assert part.options["guesses"] == common_invariants(model) != []
        assert "guesses" not in part.recorded


def test_wrong_guesses_hide_no_violation() -> None:
    """Chain goes through all values of its bits, and is in 0 first."""
    model = build(load(f"{TOYS}:Chain", {"top": 3}).definition)
    guesses = [[-number] for number in range(1, len(model.system.bits) + 1)]
    request = Request(("NeverTop",), 5, StepsChoice.SERIAL, guesses=guesses)
    (verdict,) = check(model, request).verdicts
    assert verdict.kind is VerdictKind.VIOLATED


def test_a_choice_is_looked_at_as_far_on_as_it_is() -> None:
    part = Part(2, (Choice("a", 7), Choice("b", 3)))
    assert part.shrunk(7, 14) == Part(2, (Choice("a", 4), Choice("b", 2)))
    assert part.shrunk(14, 14) == part
    assert Choice("a", 1).shrunk(1, 30) == Choice("a", 1)


def test_choices_that_look_alike_are_looked_at_once() -> None:
    system = build(load("kip320", {"replicas": 2}).definition).system
    looking = parts.LookAhead(system, "StrongIsr", 12, [])
    looking._small = 4
    one, like, other = Choice("a", 4), Choice("a", 6), Choice("a", 7)
    assert looking.tell_apart([one, like, other], ()) == [like, other]
    assert looking.tell_apart([one, like, other], [Choice("a", 5)]) == [other]


def test_parts_that_were_done_are_not_done_again(tmp_path: Path) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    split = parts_of(job)
    with Store(tmp_path) as store:
        store.add(run_job(split[0], "x"), job.job_id, PARTS)
        store.add([error_row(split[1], "x", "lost")], job.job_id, PARTS)
    runner = HereRunner()
    (row,) = sweep_jobs(tmp_path, [job], runner)
    assert row.verdict is VerdictKind.HOLDS
    assert [part.job_id for part in parts_in(runner.submitted)] == [part.job_id for part in split[1:]]
    assert runner.cancelled == [job.job_id]


def test_a_violation_ends_the_other_parts(tmp_path: Path) -> None:
    (job,) = split_jobs(*SMALL, specs=("kafka-truncate-hw",), properties=("WeakIsr",), depth=9, split=8)
    runner = HereRunner(slots=1)
    (row,) = sweep_jobs(tmp_path, [job], runner)
    assert (row.verdict, row.fewest) == (VerdictKind.VIOLATED, False)
    assert len(parts_in(runner.submitted)) < 8


@pytest.mark.usefixtures("short_searches")
@pytest.mark.parametrize(
    ("spec", "axes", "name", "depth", "verdict"),
    [
        (LOCK, (), "HolderWaitsNoMore", 6, VerdictKind.HOLDS),
        ("kafka-truncate-hw", SMALL, "WeakIsr", 9, VerdictKind.VIOLATED),
    ],
)
def test_what_ends_while_parts_are_chosen_is_not_split(
    tmp_path: Path, spec: str, axes: tuple[str, ...], name: str, depth: int, verdict: VerdictKind
) -> None:
    (job,) = split_jobs(*axes, specs=(spec,), properties=(name,), depth=depth)
    runner, news = HereRunner(), list[News]()
    with Store(tmp_path) as store:
        Sweep(store, runner, news.append).run([job])
    (row,) = [row for row in read_rows(tmp_path) if row.job_id == job.job_id]
    assert row.verdict is verdict
    assert [done.job_id for done in runner.submitted] == [job.job_id]
    assert (news[-1].unsplit, runner.cancelled) == (1, [])


@pytest.mark.usefixtures("short_searches")
def test_a_whole_that_is_lost_or_out_of_time_is_split(tmp_path: Path) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    for runner in (HereRunner(losses={job.job_id: 1}), _Hasty(choices=2, whole_in_time=False)):
        (row,) = sweep_jobs(tmp_path / str(len(runner.losses)), [job], runner)
        assert (row.verdict, row.depth) == (VerdictKind.HOLDS, 6)
        assert len(parts_in(runner.submitted)) == 4
        assert runner.cancelled[0] == job.job_id


@pytest.mark.parametrize(("most", "parts"), [(1, 0), (2, 2), (3, 4), (16, 4), (None, 4)])
def test_there_are_no_more_parts_than_can_run(most: int | None, parts: int) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    assert len(parts_of(job, most)) == parts


@pytest.mark.parametrize(("most", "parts"), [(1, 0), (2, 2)])
def test_fewer_parts_say_what_the_whole_says(tmp_path: Path, most: int, parts: int) -> None:
    """With room for one, it is the whole search."""
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    runner = HereRunner(most=most)
    (row,) = sweep_jobs(tmp_path, [job], runner)
    assert (row.verdict, row.depth) == (VerdictKind.HOLDS, 6)
    assert len(parts_in(runner.submitted)) == parts


def test_few_parts_out_of_time_become_as_many_as_asked_for_and_more(tmp_path: Path) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    runner = _Hasty(choices=4, most=2)
    (row,) = sweep_jobs(tmp_path, [job], runner)
    assert (row.verdict, row.depth) == (VerdictKind.HOLDS, 6)
    assert len(parts_in(runner.submitted)) == 2 + 4 + 8 + 16


@pytest.mark.parametrize(
    ("kind", "depth", "decided"),
    [
        (VerdictKind.HOLDS, 7, True),
        (VerdictKind.VIOLATED, 4, True),
        (VerdictKind.INCONCLUSIVE, 5, False),
        (VerdictKind.INCONCLUSIVE, 7, True),  # a reachable property was not reached
        (VerdictKind.ERROR, None, False),
    ],
)
def test_what_decides_a_job(kind: VerdictKind, depth: int | None, decided: bool) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=7)
    assert decides(part_row(job, kind, depth), job) is decided


@pytest.fixture
def lock() -> Split:
    """A job in parts, of which nothing is known."""
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=7)
    return Split(job, parts_of(job))


def part_row(part: Job, kind: VerdictKind, depth: int | None, reason: str | None = None) -> Row:
    """Return a possible result of a part."""
    changed = {"verdict": kind, "depth": depth, "reason": reason, "error": None, "seconds": 2.0}
    return replace(error_row(part, "x", "-"), **changed)  # type: ignore[arg-type]


def test_a_part_that_is_open_leaves_the_job_open(lock: Split) -> None:
    for part in lock.parts[:-1]:
        lock.rows[part.job_id] = [part_row(part, VerdictKind.HOLDS, 7)]
    assert lock.outcome() is None
    assert lock.open == [lock.parts[-1]]


def test_the_least_depth_of_the_parts_is_closed(lock: Split) -> None:
    for part in lock.parts:
        lock.rows[part.job_id] = [part_row(part, VerdictKind.HOLDS, 7)]
    last = lock.parts[-1]
    lock.rows[last.job_id] = [part_row(last, VerdictKind.INCONCLUSIVE, 5, "timeout of 1 s")]
    [row] = lock.outcome() or []
    assert (row.verdict, row.depth, row.reason) == (VerdictKind.INCONCLUSIVE, 5, "timeout of 1 s")
    assert (row.job_id, row.seconds) == (lock.job.job_id, 8.0)
    lock.rows[last.job_id] = [part_row(last, VerdictKind.INCONCLUSIVE, None, "memory")]
    assert [(row.verdict, row.depth) for row in lock.outcome() or ()] == [(VerdictKind.INCONCLUSIVE, None)]
    lock.rows[last.job_id] = [part_row(last, VerdictKind.ERROR, None, "crashed")]
    assert [row.verdict for row in lock.outcome() or ()] == [VerdictKind.ERROR]
    lock.rows[last.job_id] = [part_row(last, VerdictKind.VIOLATED, 6)]
    assert [row.verdict for row in lock.outcome() or ()] == [VerdictKind.VIOLATED]


def test_a_search_over_all_parts_may_close_a_depth_that_they_do_not() -> None:
    """Also depth 0, which is not the same as none."""
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=7, options={"steps": "auto"})
    split = Split(job, parts_of(job))
    over_all, *others = split.parts
    assert "part" not in over_all.options
    for part in others:
        split.rows[part.job_id] = [part_row(part, VerdictKind.INCONCLUSIVE, None, "memory")]
    for depth in (0, 3, None):
        split.rows[over_all.job_id] = [part_row(over_all, VerdictKind.INCONCLUSIVE, depth, "memory")]
        [row] = split.outcome() or []
        assert (row.verdict, row.depth) == (VerdictKind.INCONCLUSIVE, depth)


def test_an_action_is_never_enabled_if_no_part_enabled_it(lock: Split) -> None:
    for number, part in enumerate(lock.parts):
        never = ["A", "B"] if number else ["B", "C"]
        row = part_row(part, VerdictKind.HOLDS, 7)
        lock.rows[part.job_id] = [replace(row, statistics={"never_enabled": never})]
    [row] = lock.outcome() or []
    assert row.statistics["never_enabled"] == ["B"]
    assert len(row.statistics["parts"]) == 4


# Parts whose time is over


@pytest.mark.slow
def test_halves_are_the_part_with_one_choice_more() -> None:
    system = build(load("kip320", {"replicas": 2}).definition).system
    for index in range(4):
        part = Part(index, choose(system, "StrongIsr", 12, 4, []))
        one, other = halves(system, "StrongIsr", 12, part, [])
        assert one.choices == other.choices
        assert one.choices[:2] == part.choices
        assert len(set(one.choices)) == 3
        assert (one.index, other.index) == (index, index + 4)


@dataclass
class _Hasty(HereRunner):
    """Nothing with fewer choices than these ends in time."""

    choices: int = 0
    whole_in_time: bool = True

    def submit(self, job: Job, run_id: str) -> Future[list[Row]]:
        part = job.options.get("part")
        if self.whole_in_time if part is None else len(part.choices) >= self.choices:
            return super().submit(job, run_id)
        self.submitted.append(job)
        future: Future[list[Row]] = Future()
        future.set_result([part_row(job, VerdictKind.INCONCLUSIVE, 3, "timeout of 1 s")])
        return future


@pytest.mark.parametrize("choices", [3, 4])
def test_a_part_out_of_time_is_split_again(tmp_path: Path, choices: int) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    runner = _Hasty(choices=choices)
    (row,) = sweep_jobs(tmp_path, [job], runner)
    assert (row.verdict, row.depth) == (VerdictKind.HOLDS, 6)
    assert len(parts_in(runner.submitted)) == sum(2**number for number in range(2, choices + 1))
    again = _Hasty(choices=choices)
    (tmp_path / "again").mkdir()
    for file in (tmp_path / PARTS).iterdir():
        (tmp_path / "again" / PARTS).mkdir(exist_ok=True)
        (tmp_path / "again" / PARTS / file.name).write_bytes(file.read_bytes())
    (row,) = sweep_jobs(tmp_path / "again", [job], again)
    assert (row.verdict, row.depth) == (VerdictKind.HOLDS, 6)
    assert all(len(done.options["part"].choices) < choices for done in parts_in(again.submitted))


def test_a_part_is_not_split_without_end(tmp_path: Path) -> None:
    (job,) = split_jobs(specs=(LOCK,), properties=("HolderWaitsNoMore",), depth=6)
    runner = _Hasty(choices=9)
    (row,) = sweep_jobs(tmp_path, [job], runner)
    assert (row.verdict, row.depth, row.reason) == (VerdictKind.INCONCLUSIVE, 3, "timeout of 1 s")
    assert len(parts_in(runner.submitted)) == 4 + 8 + 16


def test_halves_close_what_both_close(lock: Split) -> None:
    for part in lock.parts:
        lock.rows[part.job_id] = [part_row(part, VerdictKind.HOLDS, 7)]
    last = lock.parts[-1]
    lock.rows[last.job_id] = [part_row(last, VerdictKind.INCONCLUSIVE, 5, "timeout of 1 s")]
    one, other = lock.halves[last.job_id] = halves_of(lock.job, last)
    assert lock.outcome() is None
    lock.rows[one.job_id] = [part_row(one, VerdictKind.HOLDS, 7)]
    assert lock.outcome() is None
    for kind, depth, expected in [
        (VerdictKind.HOLDS, 7, (VerdictKind.HOLDS, 7)),
        (VerdictKind.INCONCLUSIVE, 6, (VerdictKind.INCONCLUSIVE, 6)),
        (VerdictKind.INCONCLUSIVE, 2, (VerdictKind.INCONCLUSIVE, 5)),
        (VerdictKind.ERROR, None, (VerdictKind.ERROR, 5)),
        (VerdictKind.VIOLATED, 6, (VerdictKind.VIOLATED, 6)),
    ]:
        lock.rows[other.job_id] = [part_row(other, kind, depth)]
        assert [(row.verdict, row.depth) for row in lock.outcome() or ()] == [expected]
