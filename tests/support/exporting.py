"""Systems with known answers for the tests of exported files, and readers of such files."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_ic3 import KNOWN as TOYS
from tests.support.models import build
from tests.support.toys import Chain, SelfLoop
from verifier.encodings.sorts import Option, Range
from verifier.interchange.exporting import Exported, Format, export
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model

ABC = shutil.which("berkeley-abc")
needs_abc = pytest.mark.skipif(ABC is None, reason="berkeley-abc is not installed")


class ManyStarts(Protocol, camel_case=True):
    """Init allows several states, and none with the holder c3."""

    clients = IndexSetConstant(3, kind="client")

    def state(self) -> State:
        return State(holder=Option(self.clients), started=Range(0, 4))

    def init(self, s: Any) -> Any:
        return (s.started < 2) & s.holder.is_some & (s.holder != "c3")

    @action()
    def count(self, s: Any) -> Step:
        return Step(when=[s.started < 3], then={s.started: s.started + 1})

    @action()
    def release(self, s: Any) -> Step:
        return Step(when=[s.started == 3], then={s.holder: None})

    @invariant()
    def below_three(self, s: Any) -> Any:
        return s.started < 3

    @invariant()
    def below_four(self, s: Any) -> Any:
        return s.started < 4

    @invariant()
    def third_never_holds(self, s: Any) -> Any:
        return s.holder != "c3"

    @invariant()
    def first_never_holds(self, s: Any) -> Any:
        return s.holder != "c1"

    @invariant()
    def always_held(self, s: Any) -> Any:
        return s.holder.is_some


KNOWN: list[tuple[Protocol, str, int | None]] = [
    *TOYS,
    (Chain(), NO_DEADLOCK, 2),
    (SelfLoop(), NO_DEADLOCK, None),
    (ManyStarts(), "BelowThree", 2),
    (ManyStarts(), "BelowFour", None),
    (ManyStarts(), "ThirdNeverHolds", None),
    (ManyStarts(), "FirstNeverHolds", 0),
    (ManyStarts(), "AlwaysHeld", 3),
]
"""Protocol, property, and the fewest actions to a violation, or to a witness of a reachable property."""


def name_case(case: tuple[Protocol, str, int | None]) -> str:
    """Return the name of a case."""
    return f"{case[0].spec_name()}-{'.'.join(map(str, case[0].constants.values()))}-{case[1]}"


def model_of(protocol: Protocol) -> Model:
    """The model, with freedom from deadlock among its properties."""
    return with_deadlock(build(protocol))


def starting_steps(exported: Exported) -> int:
    """Return the number of steps of a circuit before the first action."""
    return 0 if exported.names["started"] is None else 1


@dataclass(frozen=True)
class Abc:
    """ABC's output, and its counterexample: the values of the inputs, step by step."""

    said: str
    inputs: tuple[tuple[bool, ...], ...]

    @property
    def frame(self) -> int | None:
        """The number of steps to the bad state; None if there is none."""
        found = re.search(r"was asserted in frame (\d+)", self.said)
        return None if found is None else int(found[1])

    @property
    def proved(self) -> bool:
        """True if it says that no bad state is reached."""
        return "Property proved" in self.said


def abc(path: Path, commands: str, seconds: float = 300) -> Abc:
    """Runs ABC on a file. Raises AssertionError if it could not read it."""
    witness = path.with_suffix(".cex")
    script = f"read {path}; {commands}; write_cex -a {witness}"
    done = subprocess.run(
        [str(ABC), "-q", script], capture_output=True, text=True, timeout=seconds, check=False
    )
    said = done.stdout + done.stderr
    assert not re.search("cannot|error|empty|unknown", said.replace(str(path), ""), re.IGNORECASE), said
    lines = witness.read_text().split("\n") if witness.is_file() else []
    rows = [line.split("#")[0].strip() for line in lines[1:]]
    return Abc(said, tuple(tuple(digit == "1" for digit in row) for row in rows if row))


def aiger_file(model: Model, names: Sequence[str], path: Path) -> Exported:
    """Writes a binary AIGER file."""
    exported = export(model, names, Format.AIGER)
    path.write_bytes(exported.content)
    return exported


def values_of(fields: Sequence[Mapping[str, Any]], read: Any) -> dict[str, str]:
    """The value that each field of a map holds, where ``read`` gives the bit at a place."""
    result = {}
    for field in fields:
        digits = "".join("1" if read(place) else "0" for place in field["bits"])
        (result[field["variable"]],) = [text for text, code in field["values"].items() if code == digits]
    return result
