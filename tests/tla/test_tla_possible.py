"""_POSSIBLE of a configuration, and Trace and AssertError of TLCExt, as TLC answers them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module
from verifier.runs.modules import exploring
from verifier.tla.errors import TlaError
from verifier.tla.frames import Undefined
from verifier.tla.value_types import boolean

# TLC's own PossibleTest and MinimalSetOfNextStates count so: a state for each time that it is generated.
COUNTING = r"""EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3 \/ (x = 0 /\ x' = 1)
Two == x = 2
Back == x = 2 /\ x' = 0
One == x = 1
Far == x' > x + 1
Small == x < 2
Up == x' > x
Fine == x < 3
Counts == LET p == TLCGet("all:named")["s:_possible"][1] IN p["One"] = 2 /\ p["Back"] = 1
"""


def _run(folder: Path, config: str, command: str = "explore") -> tuple[int, dict[str, tuple[str, str]], str]:
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{COUNTING}====\n")
    (folder / "M.cfg").write_text(f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n{config}\n")
    done = verify(*command.split(), "--spec", str(folder / "M.tla"), "--format", "json")
    rows = json.loads(done.stdout)["results"]
    return done.exit_code, {row["property"]: (row["verdict"], row["reason"]) for row in rows}, done.stderr


def test_what_is_possible_is_reached_and_what_is_not_is_violated(tmp_path: Path) -> None:
    code, found, _ = _run(tmp_path, "_POSSIBLE One Back Two Far\nPOSTCONDITION Counts")
    assert code == 10
    assert found.pop("Counts")[0] == "HOLDS"
    assert found.pop("Far")[0] == "VIOLATED"
    assert found == {
        "One": ("REACHED", "true 2 times"),
        "Back": ("REACHED", "true once"),
        "Two": ("REACHED", "true once"),
    }


def test_states_and_steps_beyond_a_constraint_are_not_possible(tmp_path: Path) -> None:
    code, found, _ = _run(tmp_path, "_POSSIBLE One Back Two\nCONSTRAINT Small")
    assert code == 10
    assert found["One"] == ("REACHED", "true 2 times")
    assert [found[name][0] for name in ("Two", "Back")] == ["VIOLATED", "VIOLATED"]


def test_an_action_constraint_excludes_steps_and_not_the_states_behind_them(tmp_path: Path) -> None:
    _, found, _ = _run(tmp_path, "_POSSIBLE Two Back\nACTION_CONSTRAINT Up")
    assert found["Two"][0] == "REACHED"
    assert found["Back"][0] == "VIOLATED"


def test_others_say_that_they_do_not_look_at_it(tmp_path: Path) -> None:
    code, found, said = _run(tmp_path, "INVARIANT Fine\n_POSSIBLE Far", "bmc --depth 3")
    assert code == 0, said
    assert "Far" not in found
    assert found["Fine"][0] == "HOLDS"
    assert "_POSSIBLE is not looked at here: verify explore does" in said


TRACED = """EXTENDS Naturals, Sequences, TLCExt
VARIABLE x
Init == x = 1
Next == x < 5 /\\ x' = x + 1
Inv == Len(Trace) = x /\\ \\A i \\in 1..x : Trace[i] = [x |-> i]
Short == Len(Trace) < 4
"""


def test_trace_is_the_states_up_to_the_one_that_is_looked_at(tmp_path: Path) -> None:
    config = "INIT Init\nNEXT Next\nINVARIANT Inv Short\nCONSTRAINT Inv\nCHECK_DEADLOCK FALSE"
    found = explore_module(tmp_path, TRACED, config).result
    assert (found.distinct, set(found.violations)) == (5, {"Short"})
    assert len(found.violations["Short"].states) == 4


def test_assert_error_compares_tlcs_words(tmp_path: Path) -> None:
    words = "Attempted to check equality of the differently-typed model values T_a and S_a"
    compared = 'TLCModelValue("T_a") = TLCModelValue("S_a")'
    body = "EXTENDS TLCExt, Integers\nVARIABLE x\nNext == UNCHANGED x\nInit == x = "
    for formula, value in (
        (f'AssertError("{words}", {compared})', True),
        (f'AssertError("another error", {compared})', False),
        ('AssertError("no error", TRUE)', False),
    ):
        assert explore_module(tmp_path, f"{body}{formula}").states == [(boolean(value),)]
    with pytest.raises(Undefined, match=r"are not known of this error: .*division"):
        explore_module(tmp_path, f'{body}AssertError("words", 1 \\div 0)')


def test_the_counterexample_is_empty_where_nothing_is_violated(tmp_path: Path) -> None:
    claims = "No == CounterExample = [action |-> {}, state |-> {}] /\\ ToTrace(CounterExample) = <<>>\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{TRACED}{claims}====\n")
    (tmp_path / "M.cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANTS No Inv\nPOSTCONDITION No\nCHECK_DEADLOCK FALSE"
    )
    done = verify("explore", str(tmp_path / "M.tla"), "--format", "json")
    found = [(one["property"], one["verdict"]) for one in json.loads(done.stdout)["results"]]
    assert found == [("No", "HOLDS"), ("Inv", "HOLDS"), ("No", "HOLDS")]


PERIODIC = """EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3000
Few == TLCGet("distinct") < 1000
Fine == x < 3000
"""


@pytest.mark.parametrize(("period", "verdict", "code"), [(0.0, "INCONCLUSIVE", 12), (60.0, "HOLDS", 0)])
def test_what_is_looked_at_periodically_ends_the_search(
    period: float, verdict: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "PERIOD", period)
    path = tmp_path / "M.tla"
    path.write_text(f"---- MODULE M ----\n{PERIODIC}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Fine\n_PERIODIC Few")
    done = verify("explore", str(path), "--format", "json")
    (found,) = (one for one in json.loads(done.stdout)["results"] if one["property"] == "Fine")
    assert (found["verdict"], done.exit_code) == (verdict, code)
    assert verdict == "HOLDS" or found["reason"].startswith("_PERIODIC is false")
    said = verify("bmc", str(path), "--depth", "1").stderr
    assert "_PERIODIC is not evaluated here: verify explore does" in said


def test_what_is_looked_at_periodically_reads_no_state(tmp_path: Path) -> None:
    with pytest.raises(TlaError, match="_PERIODIC Fine: it reads x, and the search as a whole has no state"):
        explore_module(tmp_path, PERIODIC, "INIT Init\nNEXT Next\n_PERIODIC Fine")
