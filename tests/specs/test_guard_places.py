"""An error about a guard line names the line of the guard, not that of the method."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import wrong

LOCK = '''"""A lock."""
from verifier.encodings.declared import variable
from verifier.encodings.sorts import Option
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action


class LockState(State):
    def __init__(self, lock):
        self.holder = variable(Option(lock.clients))


class Lock(Protocol):
    clients = IndexSetConstant(2, "who wants it", kind="client")

    def state(self):
        return LockState(self)

    def init(self, s):
        return s.holder.is_none

    @action(client="clients")
    def take(self, s, client):  # a def
        free = s.holder.is_none
        return STEP
'''


@pytest.mark.parametrize(
    "step",
    [
        "Step(\n  when=True,  # here\n  then={s.holder: client})",
        "Step(\n  when=[\n    free,\n    # a remark\n    True,  # here\n  ],\n  then={s.holder: client})",
        "Step(\n  [\n    len(()) == 0],  # here\n  {s.holder: client})",
        "Step(\n  when=[  \n    *[free,  # here\n    True]],\n  then={s.holder: client})",
        "Step(\n  when=free) & Step(when=True)",
    ],
)
def test_the_error_names_the_line_of_the_guard(tmp_path: Path, step: str) -> None:
    file = tmp_path / "lock.py"
    text = LOCK.replace("STEP", step)
    file.write_text(text)
    mark = "# here" if "# here" in text else "# a def"
    line = next(number for number, words in enumerate(text.splitlines(), 1) if mark in words)
    assert f"{file}, line {line}: a guard line of take is decided" in wrong("show", str(file))
