r"""Variables in Nat and Int in proofs for all constants: their bound at given constants is none there."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.outcomes.run import Run
from verifier.runs.asking import execute
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions
from verifier.tla.first_order.scopes import Unread

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Free ----
EXTENDS Integers, FiniteSets
CONSTANTS N
ASSUME N \in Nat \ {0}
Node == 0..N-1
VARIABLES c, p, r, seen
TypeOK == /\ c \in [Node -> Int] /\ p \in [Node -> Nat] /\ r \in [q : Int, pos : Node]
          /\ seen \in SUBSET (0..3)
Init == c = [i \in Node |-> 0] /\ p = [i \in Node |-> 0] /\ r \in [q : {0}, pos : Node] /\ seen = {}
Send(i, j) == /\ c' = [c EXCEPT ![i] = @ - 1] /\ p' = [p EXCEPT ![j] = @ + 1] /\ UNCHANGED <<r, seen>>
Recv(i) == /\ p[i] > 0 /\ p' = [p EXCEPT ![i] = @ - 1] /\ r' = [q |-> r.q + 1, pos |-> i]
           /\ UNCHANGED <<c, seen>>
Next == \E i \in Node : Recv(i) \/ (\E j \in Node : Send(i, j))
Claim == CLAIM
====
"""
TRUE_CLAIMS = (
    r"r.q >= 0 /\ \A i \in Node : c[i] <= 0",
    r"c \in [Node -> Int] /\ p \in [Node -> Nat] /\ \A i \in Node : p[i] + 1 \in Nat \ {0}",
    r"\A i \in Node : c[i] \in Int /\ -c[i] \in Nat",
    r"\A x \in {p[i] : i \in Node} : x >= 0",
    r"{c[i] : i \in Node} \subseteq Int",
)
FALSE_CLAIMS = (
    r"r.q <= 3",
    r"\A i \in Node : c[i] >= -2",
    r"\A i \in Node : p[i] + p[i] < 5",
    r"\A i \in Node : c[i] \in Nat",
    r"\A x \in {p[i] : i \in Node} : x < 3",
    r"{p[i] : i \in Node} \subseteq 0..2",
    r"[i \in Node |-> p[i] + 1] \in [Node -> 0..3]",
    r"Cardinality({p[i] : i \in Node}) <= 2",
    r"\E i \in Node : p[i] = 0 \/ p[i] < 3",
)
"""Some are violated only where an integer is at least 3, or where N is."""


def _write(folder: Path, claim: str) -> str:
    (folder / "Free.tla").write_text(MODULE.replace("CLAIM", claim))
    (folder / "Free.cfg").write_text("CONSTANT N = 2\nINIT Init\nNEXT Next\nINVARIANT Claim\n")
    return str(folder / "Free.tla")


def _prove(folder: Path, claim: str) -> Run:
    loaded = load(_write(folder, claim), {}, reading=ReadingOptions(None, (), ()))
    return execute("prove", loaded, ProveOptions(properties=("Claim",), all_constants=True, timeout=40))


@pytest.mark.slow
@pytest.mark.parametrize("claim", TRUE_CLAIMS)
def test_what_is_true_of_all_integers_is_proved(claim: str, tmp_path: Path) -> None:
    (verdict,) = _prove(tmp_path, claim).outcome.verdicts
    assert verdict.kind.name == "PROVED", verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize("claim", FALSE_CLAIMS)
@pytest.mark.usefixtures("no_small_constants")
def test_what_is_false_beyond_small_integers_is_not_proved(claim: str, tmp_path: Path) -> None:
    (verdict,) = _prove(tmp_path, claim).outcome.verdicts
    assert verdict.kind.name == "INCONCLUSIVE"


def test_a_violation_at_small_integers_is_found(tmp_path: Path) -> None:
    (verdict,) = _prove(tmp_path, r"\A i \in Node : c[i] >= -1").outcome.verdicts
    assert verdict.kind.name == "VIOLATED"


@pytest.mark.parametrize(
    "claim",
    [
        r"\A n \in Nat : n >= 0",
        r"\E n \in Int : n = c[0]",
        r"\A n \in Nat \ {0} : n > 0",
        r"\A n \in Nat \cup {-1} : n >= -1",
        r"{n \in Nat : n < 3} # {}",
        r"\A f \in [Node -> Nat] : f[0] >= 0",
        r"\A z \in [q : Int, pos : Node] : z.q >= 0",
        r"\A z \in Int \X Node : z[1] >= 0",
        r"\A s \in SUBSET Nat : s = s",
        r"Cardinality(Nat) > 2",
        r"Nat # {}",
        r"\A i \in Nat \cap Int : i >= 0",
        r"[n \in Nat |-> 0] = [n \in Nat |-> 0]",
    ],
)
def test_no_name_ranges_over_integers_without_bounds(claim: str, tmp_path: Path) -> None:
    with pytest.raises(Unread, match="no reading for all constants"):
        _prove(tmp_path, claim)


def test_a_type_invariant_that_is_violated_below_the_bound_is_reported(tmp_path: Path) -> None:
    """The pending messages are less than 0 without a guard, which Nat excludes."""
    spec = Path(_write(tmp_path, "TRUE"))
    spec.write_text(spec.read_text().replace(r"/\ p[i] > 0 ", ""))
    run = execute(
        "prove", load(str(spec), {}, reading=ReadingOptions(None, (), ())),
        ProveOptions(properties=("Claim",), all_constants=True),
    )  # fmt: skip
    assert "VIOLATED" in [one.kind.name for one in run.outcome.verdicts]


@pytest.mark.parametrize("most", [1, 3])
def test_an_execution_beyond_the_bound_violates_nothing(most: int, tmp_path: Path) -> None:
    """The bound at small constants is none of the module: a step beyond it is no violation of TypeOK. An
    execution that passes 2 is found."""
    (verdict,) = _prove(tmp_path, rf"\A i \in Node : p[i] <= {most}").outcome.verdicts
    assert (verdict.property_name, verdict.kind.name, verdict.steps) == ("Claim", "VIOLATED", most + 1)


@pytest.mark.parametrize(("value", "sort", "kind"), [("-1", "Nat", "VIOLATED"), ("7", "Nat", "PROVED")])
def test_initial_values_beyond_the_bound_violate_nothing(
    value: str, sort: str, kind: str, tmp_path: Path
) -> None:
    """A number below 0 is outside Nat. A great one is only outside the bound at small constants."""
    spec = Path(_write(tmp_path, r"seen = {}"))
    text = spec.read_text().replace("p = [i \\in Node |-> 0]", f"p \\in [Node -> {{0, {value}}}]")
    spec.write_text(text.replace("[Node -> Nat]", f"[Node -> {sort}]"))
    run = execute(
        "prove", load(str(spec), {}, reading=ReadingOptions(None, (), ())),
        ProveOptions(properties=("Claim",), all_constants=True),
    )  # fmt: skip
    assert run.outcome.verdicts[0].kind.name == kind


MESSAGES = r"""---- MODULE Free ----
EXTENDS Integers
CONSTANTS N
VARIABLES sent, at
TypeOK == sent \subseteq [by : 0..N, val : Nat] /\ at \in [0..N -> Nat]
Init == sent = {} /\ at = [n \in 0..N |-> 0]
Send(n) == sent' = sent \cup {[by |-> n, val |-> at[n] + 1]} /\ at' = [at EXCEPT ![n] = @ + 1]
Jump(n) == \E k \in 0..at[n] : at' = [at EXCEPT ![n] = k + at[n]] /\ UNCHANGED sent
Next == \E n \in 0..N : Send(n) \/ Jump(n)
Claim == CLAIM
====
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\A m \in sent : m.val <= at[m.by]", "PROVED"),
        (r"\A m \in sent : m.val < 3", "VIOLATED"),
        (r"\A n \in 0..N : \A k \in 0..at[n] : k < 9", "VIOLATED"),
        (r"\A n \in 0..N : at[n] < 99", "INCONCLUSIVE"),
    ],
)
def test_a_step_beyond_a_bound_of_given_constants_violates_nothing(
    claim: str, verdict: str, tmp_path: Path
) -> None:
    spec = Path(_write(tmp_path, claim))
    spec.write_text(MESSAGES.replace("CLAIM", claim))
    loaded = load(str(spec), {}, reading=ReadingOptions(None, (), ()))
    run = execute("prove", loaded, ProveOptions(properties=("Claim",), all_constants=True))
    assert {one.property_name: one.kind.name for one in run.outcome.verdicts} == {"Claim": verdict}
