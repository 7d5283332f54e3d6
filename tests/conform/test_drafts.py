"""Proposals of mappings: by trial of the first events, with how sure, and by names where nothing tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier.conform import drafting
from verifier.conform.logs import Event
from verifier.conform.mapping import read_mapping
from verifier.conform.modules import ModuleMachine
from verifier.conform.outcome import Conformance
from verifier.conform.search import Search
from verifier.conform.trials import Claim, Trials
from verifier.runs.modules.loading import load

BANK = r"""---- MODULE Bank ----
EXTENDS Naturals
VARIABLES held, open
Init == held = [c \in {"ann", "bob"} |-> 1] /\ open = TRUE
Pay(c, n) == open /\ held' = [held EXCEPT ![c] = @ + n] /\ UNCHANGED open
Take(c, n) == open /\ held[c] >= n /\ held' = [held EXCEPT ![c] = @ - n] /\ UNCHANGED open
Close == open /\ open' = FALSE /\ UNCHANGED held
Next == (\E c \in {"ann", "bob"}, n \in 1..3 : Pay(c, n) \/ Take(c, n)) \/ Close
====
"""
LOG: list[dict[str, Any]] = [
    {"k": "a1", "who": "ann", "sum": 2, "now": 3},
    {"k": "b2", "who": "ann", "sum": 1, "now": 2},
    {"k": "tick", "load": 0.5},
    {"k": "a1", "who": "bob", "sum": 1, "now": 2},
    {"k": "b2", "who": "bob", "sum": 2, "now": 0},
]


@pytest.fixture
def bank(tmp_path: Path) -> ModuleMachine:
    (tmp_path / "Bank.tla").write_text(BANK)
    (tmp_path / "Bank.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    return ModuleMachine(load(str(tmp_path / "Bank.tla"), {}, None, ()))


def make_events(log: list[dict[str, Any]]) -> list[Event]:
    return [Event(number, json.dumps(one), one) for number, one in enumerate(log, 1)]


def test_trials_find_actions_parameters_and_parts_without_names(bank: ModuleMachine) -> None:
    best = Trials(bank, "k").guess(make_events(LOG))[0]
    assert {name: one.action for name, one in best.meanings.items()} == {
        "a1": "Pay", "b2": "Take", "tick": None,
    }  # fmt: skip
    assert set(best.meanings["a1"].choose_claims()) == {
        Claim("parameters", "c", "who"), Claim("parameters", "n", "sum"), Claim("after", "held[who]", "now"),
    }  # fmt: skip


def test_the_proposal_accepts_its_log_and_rejects_a_changed_one(bank: ModuleMachine, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(json.dumps(one) + "\n" for one in LOG))
    spec = str(tmp_path / "Bank.tla")
    drafted = verify("conform", str(tmp_path / "log"), "--spec", spec, "--draft").stdout
    assert "by trial: it explains the first 5 of 5 events" in drafted
    assert 'event = "k"' in drafted
    assert "# 2 events: no other action fits as well\n[events.a1]" in drafted
    assert '# ignore = ["tick"]' in drafted
    (tmp_path / "map.toml").write_text(drafted.replace("# ignore", "ignore"))
    asked = ("--spec", spec, "--map", str(tmp_path / "map.toml"))
    assert verify("conform", str(tmp_path / "log"), *asked).exit_code == 0
    (tmp_path / "bad").write_text((tmp_path / "log").read_text().replace('"now": 0', '"now": 1'))
    assert "bad:5: REJECTED" in verify("conform", str(tmp_path / "bad"), *asked).stdout


def test_a_proposal_says_which_other_action_fits_as_well(bank: ModuleMachine) -> None:
    lines = list(
        drafting.draft_mapping(bank, make_events([{"k": "p", "who": "ann"}, {"k": "p", "who": "bob"}]))
    )
    rivals = next(line for line in lines if "would fit as well" in line)
    action = next(line for line in lines if line.startswith("action"))
    assert {"Pay", "Take"} == {word for word in ("Pay", "Take") if word in rivals + action}


def test_a_value_that_a_later_event_contradicts_is_not_proposed(bank: ModuleMachine) -> None:
    log = [{"k": "a1", "who": "ann", "n": 1, "now": 2}, {"k": "a1", "who": "ann", "n": 9, "now": 4}]
    claims = Trials(bank, "k").guess(make_events(log))[0].meanings["a1"].choose_claims()
    assert Claim("after", "held[who]", "now") in claims
    assert not [one for one in claims if one.field == "n"]


def test_without_a_trial_the_names_say_it(bank: ModuleMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trials, "guess", lambda *_: [])
    lines = list(
        drafting.draft_mapping(bank, make_events([{"k": "pay", "c": "ann"}, {"k": "zz", "c": "ann"}]))
    )
    assert lines[0] == "# A proposal by names alone: correct it before you use it."
    assert "# chosen only because the names are similar" in lines
    assert 'parameters = { c = "c" }' in lines


def test_rules_by_trial_explain_what_they_were_tried_on(bank: ModuleMachine) -> None:
    best = Trials(bank, "k").guess(make_events(LOG))[0]
    rules = {
        name: {
            "action": one.action,
            **{
                kind: {claim.target: claim.field for claim in one.choose_claims() if claim.kind == kind}
                for kind in ("parameters", "after")
            },
        }
        for name, one in best.meanings.items()
        if one.action is not None
    }
    content = {"event": "k", "ignore": ["tick"], "events": rules}
    mapped = read_mapping(content, "the mapping", bank.actions, bank.variables)
    found = Search(bank, mapped).judge_list(Path("log"), make_events(LOG))
    assert found.verdict is Conformance.ACCEPTED
