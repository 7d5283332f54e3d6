"""Messages to authors of temporal properties, and the name of a property if fairness varies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong

QUEUE = '''"""Clients wait for a lock."""
from verifier import *


class Queue(Protocol, camel_case=True):
    """Clients wait for a lock."""

    name = "queue"
    clients = IndexSetConstant(2, kind="client")

    def state(self):
        return State(waiting=Set(self.clients), holder=Option(self.clients))

    def init(self, s):
        return [s.waiting.is_empty, s.holder.is_none]

    @action(c="clients")
    def ask(self, s, c):
        return Step(when=~s.waiting.contains(c), then={s.waiting: s.waiting.add(c)})

    @action(c="clients")
    def take(self, s, c):
        return Step(when=[s.holder.is_none, s.waiting.contains(c)], then={s.holder: c})

    @action(c="clients")
    def leave(self, s, c):
        return Step(when=s.holder == c, then={s.holder: None, s.waiting: s.waiting.remove(c)})

    def fairness(self):
        return [weak("ask"), weak("take"), weak("leave")]

    def fairness_variants(self):
        return {"first": [weak("ask"), weak("take", given={"c": "c1"}), weak("leave")]}

    @invariant
    def waits(self, s):
        return forall(s.waiting.contains(c) for c in self.clients if s.holder == c)

    @temporal
    def taken(self, s):
        return always_eventually(s.holder.is_some)
'''
CLAIM, FAIR = "always_eventually(s.holder.is_some)", 'weak("ask"), weak("take"), weak("leave")'


@pytest.mark.parametrize(
    ("instead_of", "written", "said"),
    [
        (CLAIM, "s.holder.is_some | always(s.holder.is_none)", "now(P) | always(Q)"),
        (CLAIM, "s.holder.is_some.implies(eventually(s.holder.is_none))", "now(P)"),
        (CLAIM, "forall(self.clients, lambda c: eventually(s.holder == c))", "for_each"),
        (CLAIM, "for_each(eventually(s.holder == c) for c in self.clients)", "for_each(self.apps, "),
        (CLAIM, "always_eventually(True)", "constantly(True)"),
        (CLAIM, "always_eventually(s.waiting)", "is not a formula"),
        (FAIR, "weak(self.ask)", 'weak("send", "receive")'),
        (FAIR, 'strong(["ask"])', 'strong("send", "receive")'),
        (FAIR, 'weak("ask", each=3)', 'each=("app", "queue")'),
        (FAIR, 'weak("ask", given="c1")', 'given={"app": "a1"}'),
        (FAIR, 'weak("ask", given={"c": "c3"})', "(allowed: c1, c2)"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, instead_of: str, written: str, said: str) -> None:
    text = QUEUE.replace(instead_of, written, 1)
    path = tmp_path / "waiting.py"
    path.write_text(text)
    told = wrong("live", "--spec", str(path))
    assert said in told
    assert "waiting.py, line " in told
    assert "TypeError" not in told


def test_properties_are_sent_to_the_command_that_checks_them(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text(QUEUE)
    for command in ("bmc", "prove", "explore", "induct", "simulate"):
        assert "verify live checks it" in wrong(command, "--spec", str(path), "--property", "Taken")
    assert "verify bmc, explore and prove" in wrong("live", "--spec", str(path), "--property", "Waits")


def test_an_element_is_named_as_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text(QUEUE)
    done = verify("live", "--spec", str(path), "--fairness", "first", "--engine", "explicit")
    assert done.exit_code == 0, done.output


def test_what_an_update_records_of_a_lasso_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "waiting.py").write_text(QUEUE)
    manifest = tmp_path / "verify.toml"
    options = 'options = { engine = "bmc", fairness = "none" }'
    live = f'[[cell]]\nid = "queue"\nspec = "waiting.py"\nengine = "live"\n{options}\n'
    manifest.write_text(f'{live}\n[[cell]]\nid = "rest"\nspec = "waiting.py"\nengine = "explore"\n')
    assert verify("ci", str(manifest), "--update").exit_code == 0
    assert "steps = " in manifest.read_text()
    done = verify("ci", str(manifest))
    assert done.exit_code == 0, done.output


def test_a_report_names_the_fairness_that_is_not_the_protocols_own(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text(QUEUE)
    run = tmp_path / "run.json"
    for fairness, name in (("none", "Taken (none)"), ("spec", "Taken  ")):
        run.write_text(verify("live", "--spec", str(path), "--fairness", fairness, "--format", "json").stdout)
        assert name in verify("report", str(run)).stdout
