"""Words about proofs for all constants: open claims, claims that need no solver, and sorts that are left."""

from __future__ import annotations

from pathlib import Path

from tests.support.command_line import verify
from tests.tla.test_shared_lemmas import ONCE
from verifier.parametric.results import Open, Shown
from verifier.text.progress import ProversText

GROWING = '''"""A set that grows."""

from verifier import *


class Growing(Protocol):
    nodes = IndexSetConstant(2, "who is known", kind="node")

    def state(self):
        return State(known=Set(self.nodes))

    def init(self, s):
        return s.known.is_empty

    @action(node="nodes")
    def learn(self, s, node):
        return Step(then={s.known: s.known.add(node)})

    @step_invariant
    def known_stays(self, s, after):
        return s.known <= after.known

    @step_invariant
    def known_is_lost(self, s, after):
        return after.known <= s.known
'''


def test_a_claim_without_obligations_says_how_it_was_proved(tmp_path: Path) -> None:
    """It is the simplification of terms that shows it. A false claim of this form has obligations."""
    (tmp_path / "growing.py").write_text(GROWING)
    spec, file = str(tmp_path / "growing.py"), str(tmp_path / "proof.json")
    options = ("--all-constants", "--certificate", file)
    shown = verify("prove", spec, "--property", "known_stays", *options)
    assert shown.exit_code == 0, shown.output
    assert "known_stays holds by the form of Init and of each action: no obligation is left" in shown.stdout
    checked = verify("certify", file, "--spec", spec)
    assert "no obligation is left for a solver" in checked.stdout
    lost = verify("prove", spec, "--property", "known_is_lost", "--all-constants")
    assert lost.exit_code == 10
    assert "known_is_lost   VIOLATED in 1 step, with nodes=1" in lost.stdout


def test_an_open_claim_is_said_once() -> None:
    """Several parts of a claim, and several properties, may need it."""
    text = ProversText()
    news: list[Open | Shown] = [
        Open("Finish Typed:effects 1", "z3 gave up"),
        Open("Finish Typed:effects 2", "z3 gave up"),
        Shown("Finish TypeOK 0", 0, False, (), (), "", 0.0, 0.0),
        Open("Start Typed:effects 1", "z3 gave up"),
        Open("Finish Typed:effects 1", "z3 gave up"),
    ]
    said = [line for one in news for line in text.hear(one)]
    assert said == [
        "not proved so far (z3 gave up): that Finish keeps the variable effects within its sort",
        "not proved so far (z3 gave up): that Start keeps the variable effects within its sort",
    ]
    assert text.now() == "5 obligations checked so far"


def test_a_module_s_own_name_of_the_type_invariant_is_said(tmp_path: Path) -> None:
    """The value that leaves its sort is a function on elements, whose number is said."""
    module = ONCE.replace("count \\in 0..1", "count \\in [Node -> 0..1]").replace(
        "Init == count = 0", "Init == count = [n \\in Node |-> 0]"
    )
    module = module.replace("count' = count + 1", "count' = [count EXCEPT ![n] = @ + 1]")
    (tmp_path / "Once.tla").write_text(module)
    (tmp_path / "Once.cfg").write_text("SPECIFICATION Spec\nCONSTANT Node = {a, b}\nINVARIANT DoneIsFree\n")
    shown = verify("prove", str(tmp_path / "Once.tla"), "--property", "DoneIsFree", "--all-constants")
    assert shown.exit_code == 12, shown.output
    words = " ".join(shown.stdout.split())
    assert "TypeOK fails in" in words
    assert "would give count a value outside [Node → 0..1], Node with 1 element The first" in words
    assert "open: Finish keeps the variable count within its sort" in words
    assert "TypeInvariant" not in words
