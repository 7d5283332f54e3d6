r"""Claims that are false at great integer constants only: none is proved for all constants.

A constant N says that x is at most 3 N and that f has the domain 0..N+6, which is smaller from N = 4 on.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.loaded import Differs
from verifier.runs.loading import load
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.protocol_agreement import compare
from verifier.runs.prove_options import ProveOptions
from verifier.tla.first_order.kinds import Kind
from verifier.tla.first_order.operators import OPERATORS
from verifier.tla.first_order.protocol_classes import Rules, make_protocol
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Scope, Unread
from verifier.tla.first_order.typed import ALWAYS

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Great ----
EXTENDS Integers, FiniteSets
CONSTANT N
VARIABLES x, f
TypeOK == x \in 0..(N + N + N) /\ f \in [0..(N + 6) -> BOOLEAN]
Init == x = 0 /\ f = [i \in 0..(N + 6) |-> FALSE]
Next == x < N + N + N /\ x' = x + 1 /\ UNCHANGED f
Claim == CLAIM
====
"""
CONFIG = "CONSTANT N = 2\nINIT Init\nNEXT Next\nINVARIANT Claim\n"
FALSE_CLAIMS = (
    r"x \in DOMAIN f",
    r"0..x \subseteq DOMAIN f",
    r"{x} \in SUBSET (0..(N + 6))",
    r"{x} \in SUBSET DOMAIN f",
    r"<<x, TRUE>> \in (0..(N + 6)) \X BOOLEAN",
    r"[a |-> x, b |-> TRUE] \in [a : 0..(N + 6), b : BOOLEAN]",
    r"[i \in 0..N |-> x] \in [0..N -> 0..(N + 6)]",
    r"[i \in 0..N |-> x] \in [0..N -> DOMAIN f]",
    r"{<<x, y>> : y \in {0}} \subseteq (0..(N + 6)) \X {0}",
)


FAR = r"""---- MODULE Great ----
EXTENDS Integers, FiniteSets
CONSTANT N
VARIABLES x, S, f
K == N + 50
TypeOK == x \in 0..MOST /\ S \in SUBSET (0..(N + 50)) /\ f \in [0..1 -> 0..(N + 50)]
Init == x = 0 /\ S = {} /\ f = [i \in 0..1 |-> 0]
Next == x < N + N + N /\ STEP /\ UNCHANGED <<S, f>>
Claim == CLAIM
====
"""
"""From N = 26 on, x leaves 0..K: no comparison looks so far."""
FAR_CLAIMS = (
    r"\A y \in S \cup {x} : y <= K",
    r"{y \in S \cup {x} : y > K} = {}",
    r"S \cup {x} \subseteq 0..K",
    r"\A p \in {<<i, TRUE>> : i \in S} \cup {<<x, TRUE>>} : p[1] <= K",
    r"\A r \in {[a |-> i] : i \in S} \cup {[a |-> x]} : r.a <= K",
    r"S = {y \in {x} : y > K}",
    r"S = {y \in {x} \cap {x} : y > K}",
    r"\A y \in S \cup {y \in {x} : y > K} : FALSE",
    r"~(\E y \in 0..([f EXCEPT ![1] = x][1]) : y > K)",
    r"{0, x} \subseteq 0..K",
)
FAR_STEPS = (
    r"x' = x + 1 /\ (\E y \in 0..x' : y = x + 1)",
    r"x' \in {x + 1}",
    r"\E q \in {x + 1} : x' \in {y \in {q} : TRUE}",
    r"x' \in {x + 1} \cup {}",
    r"x' \in {y + 1 : y \in {x}}",
)
"""Steps that leave the type invariant x \\in 0..K at great N."""

UNTYPED = (
    ("UNCHANGED w", r"\A v \in 0..x : v <= K"),
    ("UNCHANGED w", r"~(\E v \in {x} : v > K)"),
    ("UNCHANGED w", r"Cardinality(0..x) <= K + 1"),
    (r"w' \in {x}", "w <= K"),
    (r"w' = Cardinality({v \in 0..x : v > K})", "w = 0"),
)
"""Steps and claims. The bound name v has no value beyond K, but from N = 26 on, x has."""
UNTYPED_INITIALLY = (
    "x = N + N + N",
    r"x \in 0..(N + N + N)",
    r"\E v \in 0..(N + N + N) : x = v",
    r"(x = 0 \/ x = N + N + N)",
    r"x = N + N + N /\ (w = 0 \/ ~(\A v \in 0..x : v <= K))",
    r"x \in {v \in 0..(N + N + N) : v > K \/ v = 0}",
)
TWO = r"""---- MODULE Great ----
EXTENDS Integers, FiniteSets
CONSTANT N
VARIABLES x, w
K == N + 50
TypeOK == x \in 0..K /\ w \in 0..K
Init == INIT
Next == STEP
Claim == CLAIM
====
"""


def _write(folder: Path, claim: str, text: str = MODULE) -> str:
    (folder / "Great.tla").write_text(text.replace("CLAIM", claim))
    (folder / "Great.cfg").write_text(CONFIG)
    return str(folder / "Great.tla")


def _prove(spec: str) -> str:
    """Return the verdict, or that the module has no reading."""
    try:
        run = execute("prove", load(spec, {}), ProveOptions(all_constants=True))
    except Unread:
        return "no reading"
    return run.outcome.verdicts[0].kind.name


@pytest.mark.usefixtures("no_small_constants")
def test_a_claim_that_great_integers_violate_is_not_proved(tmp_path: Path) -> None:
    claims = {f"Claim{place}": claim for place, claim in enumerate(FALSE_CLAIMS)}
    text = "\n".join(f"{name} == {claim}" for name, claim in claims.items())
    spec = _write(tmp_path, "", MODULE.replace("Claim == CLAIM", text))
    config = CONFIG.replace("INVARIANT Claim", f"INVARIANTS {' '.join(claims)}")
    Path(spec).with_suffix(".cfg").write_text(config + "CHECK_DEADLOCK FALSE\n")
    run = execute("prove", load(spec, {}), ProveOptions(all_constants=True))
    verdicts = {one.property_name: one.kind.name for one in run.outcome.verdicts}
    assert verdicts == dict.fromkeys(claims, "INCONCLUSIVE")


def test_the_search_at_small_constants_makes_no_proof(tmp_path: Path) -> None:
    run = execute("prove", load(_write(tmp_path, FALSE_CLAIMS[0]), {}), ProveOptions(all_constants=True))
    assert run.outcome.verdicts[0].kind.name == "VIOLATED"  # at the great integers of the comparison


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize("claim", FAR_CLAIMS)
def test_no_bound_name_takes_the_bounds_of_another_set(tmp_path: Path, claim: str) -> None:
    text = FAR.replace("MOST", "(N + N + N)").replace("STEP", "x' = x + 1")
    assert _prove(_write(tmp_path, claim, text)) in ("no reading", "INCONCLUSIVE")


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize("step", FAR_STEPS)
def test_a_step_that_leaves_the_type_invariant_is_not_lost(tmp_path: Path, step: str) -> None:
    text = FAR.replace("MOST", "(N + 50)").replace("STEP", step)
    assert _prove(_write(tmp_path, "x <= K", text)) in ("no reading", "INCONCLUSIVE")


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize(("step", "claim"), UNTYPED)
def test_the_type_invariant_is_part_of_each_proof(tmp_path: Path, step: str, claim: str) -> None:
    text = TWO.replace("INIT", r"x = 0 /\ w = 0").replace("STEP", rf"x < N + N + N /\ x' = x + 1 /\ {step}")
    assert _prove(_write(tmp_path, claim, text)) == "INCONCLUSIVE"


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize("init", UNTYPED_INITIALLY)
def test_initial_states_beyond_the_type_invariant_are_not_lost(tmp_path: Path, init: str) -> None:
    text = TWO.replace("INIT", rf"{init} /\ w = 0").replace("STEP", "UNCHANGED <<x, w>>")
    assert _prove(_write(tmp_path, "x <= K", text)) in ("no reading", "INCONCLUSIVE")


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize("product", ["3 * N", "N * 3", "(-3) * (0 - N)"])
def test_a_multiple_has_the_bounds_of_its_factor(tmp_path: Path, product: str) -> None:
    text = TWO.replace("x \\in 0..K", f"x \\in 0..({product})").replace("INIT", "x = 0 /\\ w = 0")
    text = text.replace("STEP", f"x' = {product} /\\ w' = w")
    assert _prove(_write(tmp_path, f"x <= {product}", text)) == "PROVED"
    assert _prove(_write(tmp_path, "x <= K", text)) == "INCONCLUSIVE"


@pytest.mark.parametrize("init", ["x = N + 50 - 1", r"\E v \in 0..N : x = v + 1", r"(x = 0 \/ x \in 1..N)"])
def test_initial_states_within_the_type_invariant_are_read(tmp_path: Path, init: str) -> None:
    text = TWO.replace("INIT", rf"{init} /\ w = 0").replace("STEP", "UNCHANGED <<x, w>>")
    assert _prove(_write(tmp_path, "x <= K", text)) == "PROVED"


def test_a_subscript_that_leaves_variables_out_is_refused(tmp_path: Path) -> None:
    text = TWO.replace("INIT", r"x = 0 /\ w = 0").replace(
        "Next == STEP", "Spec == Init /\\ [][UNCHANGED w]_x"
    )
    spec = _write(tmp_path, "w = 0", text)
    (tmp_path / "Great.cfg").write_text("CONSTANT N = 2\nSPECIFICATION Spec\nINVARIANT Claim\n")
    with pytest.raises(Unread, match="lets w change"):
        execute("prove", load(spec, {}), ProveOptions(all_constants=True))


def test_an_integer_that_stays_within_its_bounds_is_still_read(tmp_path: Path) -> None:
    text = FAR.replace("MOST", "(N + 50)").replace("STEP", "x' = x + 1")
    claim = r"\A y \in S \cup {x} : y <= K /\ [f EXCEPT ![1] = x] \in [0..1 -> 0..K]"
    assert _prove(_write(tmp_path, claim, text.replace("x < N + N + N", "x < N"))) == "PROVED"


def test_the_same_claim_is_proved_where_the_domain_is_large_enough(tmp_path: Path) -> None:
    spec = _write(tmp_path, r"x \in DOMAIN f /\ {x} \in SUBSET DOMAIN f")
    module = Path(spec)
    module.write_text(module.read_text().replace("N + 6", "N + N + N"))
    run = execute("prove", load(spec, {}), ProveOptions(all_constants=True))
    assert [one.kind.name for one in run.outcome.verdicts][:1] == ["PROVED"]


def test_the_comparison_looks_at_great_integers_too(tmp_path: Path) -> None:
    def has_any_integer(reading: Reading, whole: Any, scope: Scope, expected: Kind | None) -> Any:
        found: Any = OPERATORS["DOMAIN"](reading, whole, scope, expected)
        return replace(found, has=lambda _: ALWAYS)

    specification = load_module(_write(tmp_path, FALSE_CLAIMS[0]), {}).specification
    wrong = Rules(operators={**OPERATORS, "DOMAIN": has_any_integer})
    protocol = make_protocol(specification, ("Claim",), (), wrong)
    spec = str(tmp_path / "Great.tla")
    with pytest.raises(Differs, match="N=13"):
        compare(protocol, lambda given: load_module(spec, given).specification, 1.0, Limits().begin())


BELOW_AND_BEYOND = r"""---- MODULE Counts ----
EXTENDS Integers
CONSTANT Node
VARIABLES s, c
TypeOK == s \subseteq Node /\ c \in Nat
Init == s = {} /\ c = 0
Add(n) == n \notin s /\ s' = s \cup {n} /\ c' = c + 3
Cut(n) == n \in s /\ s' = s \ {n} /\ c' = c - 1
Next == \E n \in Node : Add(n) \/ Cut(n)
Sum == TRUE
====
"""


def test_a_drawn_state_may_leave_the_type_invariant_while_another_step_is_beyond(tmp_path: Path) -> None:
    """From s = {a}, c = 0, Cut leads to c = -1, and Add beyond the greatest integer that is compared."""
    (tmp_path / "Counts.tla").write_text(BELOW_AND_BEYOND)
    config = "CONSTANT Node = {a, b}\nINIT Init\nNEXT Next\nINVARIANT Sum\n"
    (tmp_path / "Counts.cfg").write_text(config)
    spec = str(tmp_path / "Counts.tla")
    protocol = make_protocol(load_module(spec, {}).specification, ("Sum",), ())
    compared = compare(protocol, lambda given: load_module(spec, given).specification, 9.0, Limits().begin())
    assert compared.undefined > 0
    assert compared.steps > 0


IFS = (
    r"w' = [i \in 0..1 |-> IF w[i] < N THEN w[i] + 1 ELSE 0]",
    r"w' = (IF x < N THEN [w EXCEPT ![0] = IF @ < N THEN @ + 1 ELSE N] ELSE w)",
    r"w' = (CASE x = 0 -> w [] OTHER -> [w EXCEPT ![1] = IF @ < N THEN @ + 1 ELSE @])",
)
FUNCTION = TWO.replace(r"w \in 0..K", r"w \in [0..1 -> 0..K]").replace(
    "INIT", r"x = 0 /\ w = [i \in 0..1 |-> 0]"
)


@pytest.mark.parametrize("step", IFS)
def test_integers_of_several_branches_are_read(tmp_path: Path, step: str) -> None:
    text = FUNCTION.replace("STEP", f"{step} /\\ x' = (IF x < N THEN x + 1 ELSE 0)")
    assert _prove(_write(tmp_path, r"\A i \in 0..1 : w[i] <= K", text)) == "PROVED"


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize("step", IFS)
def test_a_branch_that_leaves_the_type_invariant_is_not_lost(tmp_path: Path, step: str) -> None:
    far = (
        step.replace("< N THEN w", "< 3 * N THEN w")
        .replace("@ < N", "@ < 3 * N")
        .replace("ELSE N]", "ELSE 3 * N]")
    )
    text = FUNCTION.replace("STEP", f"{far} /\\ x' = (IF x < N THEN x + 1 ELSE 0)")
    assert _prove(_write(tmp_path, r"\A i \in 0..1 : w[i] <= K", text)) in ("no reading", "INCONCLUSIVE")


def test_the_refusal_of_unknown_bounds_says_what_to_write(tmp_path: Path) -> None:
    step = r"w' = [i \in 0..1 |-> w[i] \div 2] /\ x' = x"
    spec = _write(tmp_path, "x <= K", FUNCTION.replace("STEP", step))
    words = r"Great.tla:8:14: .* such as a quotient .* write f' \\in \[S -> 0..N\]"
    with pytest.raises(Unread, match=words):
        execute("prove", load(spec, {}), ProveOptions(all_constants=True))
    given = step.replace(r"[i \in 0..1 |-> w[i] \div 2]", "v")
    given = given.replace("w' = v", r"w' \in [0..1 -> 0..K] /\ (\A i \in 0..1 : w'[i] = w[i] \div 2)")
    assert _prove(_write(tmp_path, r"\A i \in 0..1 : w[i] <= K", FUNCTION.replace("STEP", given))) == "PROVED"


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize(
    ("branches", "stays"),
    [
        ("IF w[i] = 0 THEN 0 ELSE w[i] - 1", True),
        ("IF w[i] = N THEN N ELSE w[i] + 1", True),
        ("IF w[i] = N THEN 0 ELSE w[i] + 1", True),
        ("IF x = 0 THEN N - 1 ELSE 0", False),  # at N = 0
        ("IF w[i] = N THEN w[i] + 1 ELSE 0", False),
        ("IF x = 0 THEN N - 3 ELSE 0", False),
        ("IF x = 0 THEN 3 ELSE N", False),
    ],
)
def test_bounds_of_branches_need_not_be_comparable(tmp_path: Path, branches: str, stays: bool) -> None:
    step = rf"w' = [i \in 0..1 |-> {branches}] /\ x' = x"
    text = FUNCTION.replace("STEP", step)
    verdict = _prove(_write(tmp_path, r"\A i \in 0..1 : w[i] \in 0..N", text))
    assert verdict in (("PROVED",) if stays else ("VIOLATED", "INCONCLUSIVE"))


GIVEN = r"w' \in [0..1 -> 0..K] /\ (\A i \in 0..1 : w'[i] = EACH) /\ x' = x"


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize(
    ("each", "step", "verdict"),
    [
        ("w[1 - i]", GIVEN, "PROVED"),
        ("IF x = 0 THEN N ELSE w[i]", GIVEN, "PROVED"),
        ("2 * N", GIVEN, "INCONCLUSIVE"),
        ("0", r"(\A i \in 0..1 : w'[i] = EACH) /\ w' \in [0..1 -> 0..K] /\ x' = x", "no reading"),
    ],
)
def test_a_next_value_is_given_for_each_argument(
    tmp_path: Path, each: str, step: str, verdict: str
) -> None:
    text = FUNCTION.replace("STEP", step.replace("EACH", each))
    assert _prove(_write(tmp_path, r"\A i \in 0..1 : w[i] <= N", text)) == verdict
