r"""A quantifier looks at the members of a set in TLC's order, and ends at the first that decides or fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import run_with_hash_seed
from verifier.runs.modules.loading import load
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined

MODULE = r"""---- MODULE Members ----
EXTENDS Integers, FiniteSets, TLC
CONSTANT Node
VARIABLES known, count
First == CHOOSE n \in Node : TRUE
Init == known \in {[n \in {First} |-> 1], [n \in Node \ {First} |-> 1]} /\ count = 0
Next == count < 2 /\ count' = count + 1 /\ UNCHANGED known
Some == \E n \in Node : known[n] = 1
Every == \A n \in Node : known[n] = 2
Pairs == \E m, n \in Node : known[m] = known[n]
Kept == \E n \in {m \in Node : known[m] = 1} : TRUE
Images == {known[n] : n \in Node} = {1}
Listed == [n \in Node |-> known[n]] = known
Typed == known \in [DOMAIN known -> 0..2]
===="""
SEEDS = ("0", "1")


def _write(folder: Path, name: str, *, known: str) -> Path:
    path = folder / "Members.tla"
    path.write_text(MODULE.replace(r"known \in {[n \in {First} |-> 1], [n \in Node \ {First} |-> 1]}", known))
    words = f"CONSTANT Node = {{a, b, c, d}}\nINIT Init\nNEXT Next\nINVARIANT {name}\nCHECK_DEADLOCK FALSE\n"
    path.with_suffix(".cfg").write_text(words)
    return path


FIRST, OTHERS = r"known = [n \in {First} |-> 1]", r"known = [n \in Node \ {First} |-> 1]"
ENGINES = (("explore",), ("bmc", "--depth", "2"), ("simulate", "--depth", "2", "--walks", "20"), ("prove",))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda words: str(words[0]))
@pytest.mark.parametrize(("known", "fails"), [(FIRST, False), (OTHERS, True)])
def test_each_process_gives_the_answer_of_tlc(
    tmp_path: Path, engine: tuple[str, ...], known: str, fails: bool
) -> None:
    """TLC 2026.04 finds no error if the first member decides, and an error if the first has no value."""
    path = str(_write(tmp_path, "Some", known=known))
    for seed in SEEDS:
        done = run_with_hash_seed(seed, *engine, path, "--property", "Some")
        assert (done.returncode == 2) is fails, (seed, done.stdout, done.stderr)
        assert ("a is not in the domain" in done.stdout + done.stderr) is fails, (seed, done.stderr)


def _errors_of_loads(path: Path, name: str) -> set[str]:
    """The errors of several loads: model values have other hashes in each. A violation is its name."""
    said, kept = set(), []
    for _ in range(12):
        spec = load(str(path), {}).specification
        kept.append(spec)  # its values keep their addresses
        explorer = Explorer(spec, properties=(name,))
        try:
            explorer.explore()
        except Undefined as error:
            said.add(str(error))
        else:
            said.add(" ".join(explorer.result.violations) or "no error")
    return said


@pytest.mark.parametrize("name", ["Some", "Pairs", "Kept", "Images", "Listed", "Every"])
def test_each_load_reports_the_first_error(tmp_path: Path, name: str) -> None:
    said = _errors_of_loads(_write(tmp_path, name, known=OTHERS), name)
    assert len(said) == 1
    assert "a is not in the domain" in said.pop()


def test_a_false_member_hides_the_errors_after_it(tmp_path: Path) -> None:
    assert _errors_of_loads(_write(tmp_path, "Every", known=FIRST), "Every") == {"Every"}


def test_the_first_value_out_of_the_range_decides(tmp_path: Path) -> None:
    r"""``f \in [S -> T]`` is FALSE if the first value is no member, and an error if it is of another kind."""
    path = _write(tmp_path, "Typed", known=r"known = [n \in Node |-> IF n = First THEN 3 ELSE {}]")
    assert _errors_of_loads(path, "Typed") == {"Typed"}
    path = _write(tmp_path, "Typed", known=r"known = [n \in Node |-> IF n = First THEN {} ELSE 3]")
    (said,) = _errors_of_loads(path, "Typed")
    assert "compared, in Typed" in said


def test_an_error_below_many_loops_takes_no_longer(tmp_path: Path) -> None:
    """Each loop runs again after an error. Without care, forty loops would take 2^40 passes."""
    path = tmp_path / "Members.tla"
    path.write_text(r"""---- MODULE Members ----
EXTENDS Integers, Sequences
VARIABLE x
RECURSIVE Deep(_)
Deep(n) == IF n = 0 THEN Head(<<>>) ELSE UNION {Deep(m) : m \in {n - 1}}
Init == x = 0
Next == UNCHANGED x
Inv == Deep(40) = {}
====""")
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    with pytest.raises(Undefined, match="Head of the empty sequence"):
        Explorer(load(str(path), {}).specification, properties=("Inv",)).explore()
