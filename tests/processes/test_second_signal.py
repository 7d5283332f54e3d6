"""A second signal loses nothing that is known. A hook sends it at each stage of a command, not chance."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.support.command_line import CHAIN, start_verify
from tests.support.signals import UNBOUNDED, UNBOUNDED_CONFIG
from verifier.processes import interrupts
from verifier.processes.interrupts import Interrupts

_SECONDS = 20.0
"""The time for a command, on a machine that does other work."""
_HOOKS = """
import os, signal, time
from verifier.processes import interrupts
from verifier.runs import asking, check_portfolio, news
interrupts._PATIENCE_SECONDS = -1.0
interrupts._HURRY_SECONDS = 1000.0

def send(times):
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGTERM)

def before(owner, name, times):
    own = getattr(owner, name)
    def work(*given, **named):
        setattr(owner, name, own)
        send(times)
        return own(*given, **named)
    setattr(owner, name, work)

def after(owner, name, times):
    own = getattr(owner, name)
    def work(*given, **named):
        done = own(*given, **named)
        setattr(owner, name, own)
        send(times)
        return done
    setattr(owner, name, work)
"""
_TELLS_AND_GOES_ON = """
real = asking.answer_question
def tells(engine, question, listen, built):
    run = real(engine, question, lambda news: None, built)
    listen(news.Known(run))
    send(1)
    time.sleep(1000)
asking.answer_question = tells
"""
"""An engine that tells its verdicts, gets the first signal, and never comes to an end of its own."""


def _end(words: tuple[str, ...], hooks: str) -> tuple[int, Any]:
    """Run a command with hooks. Returns its exit code and the one JSON object that it printed."""
    process = start_verify(*words, "--format", "json", first=_HOOKS + hooks)
    try:
        output, errors = process.communicate(timeout=_SECONDS)
    finally:
        process.kill()
    assert "Traceback" not in errors
    return process.returncode, json.loads(output)


_LAST_WORD = "from verifier.runs import told; before(told.ToldVerdicts, 'run_without_answer', "
_AFTER_THE_FIRST = {
    "last word, hurried": f"{_LAST_WORD}1)",
    "last word, forced": f"{_LAST_WORD}2)",
    "conclusion": "before(interrupts.Interrupts, 'conclude', 2)",
    "object, hurried": "from verifier.cli import running; before(running, 'as_object', 1)",
    "object, forced": "from verifier.cli import running; before(running, 'as_object', 2)",
    "print": "from verifier.cli import output; before(output.click, 'echo', 2)",
    "printed": "from verifier.cli import running; after(running, 'print_json', 2)",
}


@pytest.mark.parametrize("stage", _AFTER_THE_FIRST)
def test_what_an_engine_told_is_printed(stage: str) -> None:
    words = ("bmc", CHAIN, "--property", "NeverTop", "--quiet")
    code, run = _end(words, f"{_TELLS_AND_GOES_ON}{_AFTER_THE_FIRST[stage]}\n")
    (result,) = run["results"]
    assert (code, run["exit_code"], result["verdict"]) == (10, 10, "VIOLATED")
    assert result["trace"]["states"]


_OF_A_CHECK = {
    "last words of engines": "before(check_portfolio.Portfolio, '_hear_last_words', 1)",
    "their report": "after(check_portfolio.Portfolio, '_take', 1)",
    "merge": "before(check_portfolio, 'conclude_check', 1)",
    "merge, forced": "before(check_portfolio, 'conclude_check', 2)",
    "end of children": "from verifier.processes import children; before(children.Children, '_strike', 1)",
}


@pytest.mark.thorough
@pytest.mark.parametrize("stage", _OF_A_CHECK)
def test_what_a_check_knows_is_printed(stage: str, tmp_path: Path) -> None:
    path = tmp_path / "Unbounded.tla"
    path.write_text(UNBOUNDED)
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)
    first = f"""
own = check_portfolio.Portfolio._tell
def tell(portfolio):
    own(portfolio)
    if portfolio._told:
        check_portfolio.Portfolio._tell = own
        {_OF_A_CHECK[stage]}
        send(1)
check_portfolio.Portfolio._tell = tell
"""
    code, run = _end(("check", str(path), "--keep-going", "--quiet"), first)
    verdicts = {result["property"]: result for result in run["results"]}
    assert code == run["exit_code"] == 10
    assert verdicts["TypeOK"]["verdict"] == "VIOLATED"
    assert verdicts["TypeOK"]["trace"]["states"]
    assert set(verdicts) >= {"TypeOK", "Binary", "Shrinks", "Less"}


class _Exit(BaseException):
    """The end of the process, in its place."""


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Interrupts]:
    def end(code: int) -> NoReturn:
        raise _Exit(code)

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(interrupts, "_PATIENCE_SECONDS", -1.0)
    monkeypatch.setattr(interrupts, "_HURRY_SECONDS", 0.0)
    before = signal.getsignal(signal.SIGALRM)
    yield Interrupts()
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def _first(handler: Interrupts) -> None:
    with pytest.raises(KeyboardInterrupt):
        handler(signal.SIGTERM, None)


def _speaks(said: list[str]) -> Callable[[bool], int]:
    def speak(has_answered: bool) -> int:
        said.append("a code" if has_answered else "last word")
        return 10

    return speak


def test_a_second_signal_hurries_and_a_third_ends_after_the_last_word(handler: Interrupts) -> None:
    said = list[str]()
    handler.last_word = _speaks(said)
    _first(handler)
    handler(signal.SIGTERM, None)
    assert handler.hurried
    assert said == []
    with pytest.raises(_Exit) as ended:
        handler(signal.SIGTERM, None)
    assert ended.value.args == (10,)
    assert said == ["last word"]


def test_what_does_not_hurry_is_ended_by_the_clock(handler: Interrupts) -> None:
    said = list[str]()
    handler.last_word = _speaks(said)
    _first(handler)
    handler(signal.SIGTERM, None)
    with handler.hold_back():
        handler(signal.SIGALRM, None)  # a file is being written
    assert said == []
    with pytest.raises(_Exit):
        handler(signal.SIGALRM, None)
    assert said == ["last word"]


def test_an_answer_that_is_being_printed_has_the_last_word(
    handler: Interrupts, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, reads = list[str](), True
    monkeypatch.setattr(interrupts, "_has_room", lambda descriptor: reads)
    handler.last_word = _speaks(said)
    _first(handler)
    with handler.answering():
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGTERM):
            handler(number, None)
        reads = False  # nobody reads it
        with pytest.raises(_Exit):
            handler(signal.SIGALRM, None)
    assert said == ["a code"]


def test_a_last_word_that_fails_or_hangs_ends_the_process(handler: Interrupts) -> None:
    def fail(_: bool) -> int:
        raise ValueError("broken")

    handler.last_word = fail
    _first(handler)
    handler(signal.SIGTERM, None)
    with pytest.raises(_Exit):
        handler(signal.SIGTERM, None)
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= interrupts._LAST_WORD_SECONDS
    began = time.monotonic()
    with pytest.raises(_Exit):
        time.sleep(5)
    assert time.monotonic() - began < 4
