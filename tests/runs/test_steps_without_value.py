"""A property of steps that has no value in a step: each engine names the place, as TLC does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify

_HEAD = """---- MODULE HeadP ----
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<5, 6>>
Next == \\/ q # <<>> /\\ q' = Tail(q)
        \\/ Len(q) < 3 /\\ q' = Append(q, 7)
Spec == Init /\\ [][Next]_q
R == [][Head(q') > 4]_q
Always == [](Head(q) > 4)
Short == Len(q) < 4
====
"""
_BY = ("--by translation", "--by interpreter")
_COMMANDS = ("prove", *(f"{command} {by}" for command in ("explore", "bmc --depth 5") for by in _BY))


def _write(folder: Path, name: str, text: str, configuration: str) -> Path:
    """Write a module with its configuration."""
    path = folder / f"{name}.tla"
    path.write_text(text)
    path.with_suffix(".cfg").write_text(configuration)
    return path


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(
    ("name", "place", "where"),
    [
        ("R", "8:9", "after 1 step: Next(); in the state q = <<6>>"),
        ("Always", "9:14", "in the state q = <<>>"),
    ],
)
def test_a_step_without_a_value_is_named_by_its_place(
    name: str, place: str, where: str, command: str, tmp_path: Path
) -> None:
    path = _write(tmp_path, "HeadP", _HEAD, f"SPECIFICATION Spec\nPROPERTY {name}\n")
    first, *options = command.split()
    done = verify(first, str(path), *options)
    assert done.exit_code == 2
    assert f"HeadP.tla:{place}: Head of the empty sequence has no value" in done.stderr
    assert where in done.stderr


def test_a_property_that_is_not_asked_for_may_have_no_value(tmp_path: Path) -> None:
    path = _write(tmp_path, "HeadP", _HEAD, "SPECIFICATION Spec\nPROPERTY R\nINVARIANT Short\n")
    done = verify("prove", str(path), "--property", "Short")
    assert (done.exit_code, "PROVED" in done.stdout) == (0, True)


_CHOICE = """---- MODULE Choice ----
EXTENDS Naturals
VARIABLE s
Init == s \\in SUBSET {1, 2, 3}
Next == s' = s \\ {CHOOSE x \\in s : x > 1}
Small == s # {3}
====
"""


@pytest.mark.parametrize("command", [*(f"explore {by}" for by in _BY), "check", "prove"])
def test_the_place_of_a_missing_value_stands_beside_a_violation(command: str, tmp_path: Path) -> None:
    path = _write(tmp_path, "Choice", _CHOICE, "INIT Init\nNEXT Next\nINVARIANT Small\n")
    first, *options = command.split()
    done = verify(first, str(path), *options)
    printed = " ".join(done.stdout.split())
    assert done.exit_code == 10
    assert "Small: VIOLATED in 0 steps" in printed
    assert "Choice.tla:5:19: CHOOSE finds no element that satisfies its formula" in printed
    assert "UndefinedRead" not in printed
    assert "Complete" not in printed


_STAYS = """---- MODULE Stays ----
EXTENDS Integers, Sequences
VARIABLES q, x
Init == q = <<1, 2>> /\\ x = 0
Next == \\/ q # <<>> /\\ q' = Tail(q) /\\ x' = x
        \\/ x' = 1 - x /\\ q' = q
Spec == Init /\\ [][Next]_<<q, x>>
R == [][Head(q) >= 1]_q
====
"""


@pytest.mark.parametrize("command", ["check", *_COMMANDS])
def test_a_step_that_changes_no_subscript_needs_a_value_too(command: str, tmp_path: Path) -> None:
    """TLC evaluates A of ``[A]_q`` first."""
    path = _write(tmp_path, "Stays", _STAYS, "SPECIFICATION Spec\nPROPERTY R\n")
    first, *options = command.split()
    done = verify(first, str(path), *options)
    assert done.exit_code == 2
    assert "Stays.tla:8:9: Head of the empty sequence has no value" in done.stderr
    assert "after 2 steps: Next(), Next(); in the state q = <<>>" in done.stderr


_GROWS = """---- MODULE Grows ----
EXTENDS Integers, Sequences
VARIABLE p
Init == p = <<0, 1>>
Next == p' = IF Len(p) < 3 THEN Append(p, p[Len(p)] + 1) ELSE Tail(p)
Third == p[2] < 4 \\/ p[3] = 5
Low == p[1] < LOW
====
"""


@pytest.mark.parametrize(("low", "code", "stream"), [("9", 2, "stderr"), ("2", 10, "stdout")])
def test_what_has_no_value_ends_a_proof_that_has_no_end(
    low: str, code: int, stream: str, tmp_path: Path
) -> None:
    path = _write(
        tmp_path, "Grows", _GROWS.replace("LOW", low), "INIT Init\nNEXT Next\nINVARIANTS Third Low\n"
    )
    done = verify("prove", str(path))
    assert done.exit_code == code
    assert "Grows.tla:6:22: 3 is not in the domain of the function" in " ".join(getattr(done, stream).split())


_BESIDE = """---- MODULE Beside ----
EXTENDS Integers, Sequences
VARIABLE v
Init == v \\in {<<1, 2>>}
Next == \\/ v' = [x \\in {1, 2} |-> v[x]]
        \\/ v' = [x \\in {2, 3} |-> v[x - 1]] /\\ 1 \\in DOMAIN v
        \\/ v' = <<v[3], v[2]>>
Inv == v[2] = 2
====
"""


@pytest.mark.parametrize("command", ["check", "explore", "prove", "bmc"])
def test_a_violation_stands_before_a_disjunct_without_a_value(command: str, tmp_path: Path) -> None:
    path = _write(tmp_path, "Beside", _BESIDE, "INIT Init\nNEXT Next\nINVARIANT Inv\n")
    trace = tmp_path / "trace.itf.json"
    done = verify(command, str(path), *([] if command == "check" else ["--trace-out", str(trace)]))
    assert "Inv: VIOLATED in 1 step" in done.stdout
    assert done.exit_code == 10
    if command != "check":
        assert verify("replay", str(trace), "--spec", str(path)).exit_code == 0
