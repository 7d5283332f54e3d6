"""The command `verify prove --all-constants`: its output, wrong usage, and its end by the user."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify
from verifier.encodings.sorts import Range
from verifier.engines.all_constants import ONLY_INVARIANTS, AllConstantsOutcome
from verifier.engines.all_constants import check as prove_all
from verifier.parametric.formulas import say_formulas
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Attempt
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.runs.loading import load as load_spec
from verifier.specs.protocol import IntegerConstant, Protocol, State, Step, action, invariant
from verifier.specs.registry import load
from verifier.text.all_constants import render_for_all
from verifier.verdict import VerdictKind


def test_the_command_says_all(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    spec = str(ROOT / "docs" / "tutorial" / "ticket_lock.py")
    asked = ("prove", "--spec", spec, "--property", "mutual_exclusion", "--all-constants")
    done = verify(*asked, "--certificate", str(proof), "--format", "json")
    content = json.loads(done.stdout)
    assert (done.exit_code, content["constants"]) == (0, "all")
    assert content["assumptions"] == ["clients is not empty", "last_ticket >= 0"]
    assert content["results"][0]["verdict"] == "PROVED"
    assert "client(2)" not in content["asked"]["mutual_exclusion"]["says"]
    again = verify("certify", str(proof), "--spec", spec)
    assert again.exit_code == 0
    assert "mutual_exclusion  PROVED" in again.output


def test_formulas_for_all_constants_have_the_names_of_constants() -> None:
    says = say_formulas(read_for_all(load("kip320"), {}))["WeakIsr"]
    assert says.startswith("∀ leader ∈ replica: ")
    assert "∀ offset ∈ 0..log_size - 1: " in says


def test_a_certificate_is_good_wherever_the_file_of_its_protocol_is(tmp_path: Path) -> None:
    proof, there = tmp_path / "proof.json", tmp_path / "moved.py"
    written = (ROOT / "tests" / "support" / "misread_constants.py").read_text(encoding="utf-8")
    there.write_text(f"# One line more.\n{written}", encoding="utf-8")
    spec = f"{ROOT / 'tests' / 'support' / 'misread_constants.py'}:Matched"
    asked = ("--property", "Inv", "--all-constants", "--certificate", str(proof))
    assert verify("prove", "--spec", spec, *asked).exit_code == 0
    again = verify("certify", str(proof), "--spec", f"{there}:Matched")
    assert (again.exit_code, "n != 7 (moved.py, line" in again.output) == (0, True)


def test_the_command_does_not_say_all_where_code_decides_on_a_constant() -> None:
    spec = f"{ROOT / 'tests' / 'support' / 'misread_constants.py'}:Matched"
    asked = ("prove", "--spec", spec, "--property", "Inv", "--all-constants")
    content = json.loads(verify(*asked, "--format", "json").stdout)
    assert (content["results"][0]["verdict"], content["constants"]) == ("PROVED", "assumed")
    (beyond,) = content["beyond_declared"]
    assert beyond.startswith("n != 7 (")
    assert beyond in content["assumptions"]
    assert "assumes the following, which the spec does not declare: n != 7" in verify(*asked).output


def test_what_was_not_tried_is_told_from_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a proof of another property, which says nothing of either. No violation is searched here."""
    monkeypatch.setattr("verifier.engines.small_violations.find_violations", lambda *_, **__: {})
    loaded = load_spec(f"{ROOT / 'tests' / 'support' / 'toys.py'}:LockServer", {})
    names = ["HolderWaitsNoMore", "NotAllAsk"]
    run = execute("prove", loaded, engine_named("prove").options_for(names, {"all_constants": True}))
    outcome = run.outcome
    assert isinstance(outcome, AllConstantsOutcome)

    def render(tried: Sequence[Attempt]) -> str:
        shown = replace(run, outcome=replace(outcome, attempts=tuple(tried)))
        return " ".join(" ".join(str(line) for line in render_for_all(shown, 200, full=False)).split())

    assert outcome.verdicts[1].kind is VerdictKind.INCONCLUSIVE
    tried = render(outcome.attempts)
    assert "NotAllAsk is neither proved nor refuted: 1 of its" in tried
    assert "for fixed constants (--set), run: verify prove " in tried
    assert "toys.py --property NotAllAsk" in tried
    assert "HolderWaitsNoMore was" not in tried
    assert "The proof of NotAllAsk was not tried, so nothing is known" in render(outcome.attempts[:1])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--engine", "ic3"), "--engine ic3 does not go with --all-constants"),
        (("--solver", "z3"), "--solver z3 does not go with --all-constants"),
        (("--set", "clients=4"), "proves for every clients"),
        (("--property", "Nothing"), "Nothing"),
    ],
)
def test_wrong_usage(more: tuple[str, ...], says: str) -> None:
    spec = str(ROOT / "docs" / "tutorial" / "ticket_lock.py")
    done = verify("prove", "--spec", spec, "--all-constants", *more)
    assert done.exit_code == 2
    assert says in done.output


def test_other_kinds_of_properties_are_open_beside_proofs(tmp_path: Path) -> None:
    """A property that no proof can show does not keep others from their verdicts."""
    spec = tmp_path / "lock.py"
    spec.write_text(LOCK, encoding="utf-8")
    asked = ("prove", str(spec), "--all-constants", "--format", "json")
    content = json.loads(verify(*asked, "--property", "all").stdout)
    verdicts = {one["property"]: (one["verdict"], one["reason"]) for one in content["results"]}
    assert verdicts == {
        "idle": ("VIOLATED", "with clients=1"),
        "held": ("INCONCLUSIVE", ONLY_INVARIANTS),
        "TypeInvariant": ("PROVED", None),
        "UndefinedRead": ("INCONCLUSIVE", ONLY_INVARIANTS),
    }
    assert content["exit_code"] == 10
    done = verify(*asked, "--property", "UndefinedRead", "--property", "TypeInvariant")
    first, second = json.loads(done.stdout)["results"]
    assert (first["property"], second["property"]) == ("UndefinedRead", "TypeInvariant")
    assert (first["verdict"], second["verdict"], done.exit_code) == ("INCONCLUSIVE", "PROVED", 12)
    alone = verify(*asked, "--property", "UndefinedRead")
    assert (alone.exit_code, ONLY_INVARIANTS in alone.output) == (2, True)


LOCK = """
from verifier.encodings.sorts import Boolean, Function, Option
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant, reachable


class Lock(Protocol):
    clients = IndexSetConstant(2, "who wants it", kind="client")

    def state(self):
        return State(holder=Option(self.clients), busy=Function(self.clients, Boolean()))

    def init(self, s):
        return s.holder.is_none & (s.busy == s.busy)

    @action(client="clients")
    def take(self, s, client):
        return Step(when=[s.holder.is_none], then={s.holder: client})

    @invariant()
    def idle(self, s):
        return ~s.busy[s.holder.value]

    @reachable()
    def held(self, s):
        return s.holder.is_some
"""
"""A protocol whose invariant reads a holder where there is none."""


class TwoCounters(Protocol, camel_case=True):
    """Two counters, each within its range."""

    last = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.last), y=Range(0, self.last))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == 0)

    @action
    def up(self, s: Any) -> Step:
        return Step(when=s.x < self.last, then={s.x: s.x + 1, s.y: s.x + 1})

    @invariant
    def alike(self, s: Any) -> Any:
        return s.x == s.y

    @invariant
    def small(self, s: Any) -> Any:
        return s.x <= self.last


@pytest.mark.parametrize("within", [True, False])
def test_the_user_ends_all_properties(within: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the proof that is being searched, and those that would have come after it."""
    asked: list[int] = []

    def interrupt(*_: Any) -> Any:
        asked.append(1)
        raise KeyboardInterrupt

    # The first is raised while the processes are waited for, the second between them.
    monkeypatch.setattr(f"verifier.parametric.proving.{'run_tasks' if within else '_result'}", interrupt)
    found = prove_all(read_for_all(TwoCounters, {}), ["Alike", "Small"], Limits(60))
    assert [str(verdict.reason) for verdict in found.verdicts] == ["interrupted", "interrupted"]
    assert found.interrupted
    assert len(asked) == 1
