r"""Sums of the values of a function in proofs for all constants of a module: and what is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.protocol_agreement import Compared, compare
from verifier.runs.prove_options import ProveOptions
from verifier.specs.protocol import define
from verifier.tla.first_order.protocol_classes import make_protocol
from verifier.tla.first_order.scopes import Unread
from verifier.tla.specification import Specification

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Sent ----
EXTENDS Integers, Functions, FiniteSetsExt, Folds
CONSTANTS N, Peer
ASSUME N \in Nat \ {0} /\ Peer # {}
Node == 0..N-1
VARIABLES out, way, got
TypeOK == out \in [Node -> Int] /\ way \in [Node -> Nat] /\ got \in [Peer -> 0..9]
Plus(a, b) == a + b
RECURSIVE Rec(_, _)
Rec(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Rec(f, S \ {x})
RECURSIVE Other(_, _)
OTHER
Init == out = [i \in Node |-> 0] /\ way = [i \in Node |-> 0] /\ got = [p \in Peer |-> 0]
Send(i, j) == out' = [out EXCEPT ![i] = @ + 1] /\ way' = [way EXCEPT ![j] = @ + 1] /\ got' = got
Take(i, p) == /\ way[i] > 0 /\ way' = [way EXCEPT ![i] = @ - 1] /\ out' = [out EXCEPT ![i] = @ - 1]
              /\ got' = [got EXCEPT ![p] = IF @ < 9 THEN @ + 1 ELSE @]
Next == \E i \in Node : (\E j \in Node : Send(i, j)) \/ (\E p \in Peer : Take(i, p))
Sum(f, S) == FoldFunctionOnSet(+, 0, f, S)
Balanced == Sum(out, Node) = Sum(way, Node)
Claim == CLAIM
====
"""
CONFIG = "CONSTANTS N = 2\nPeer = {a, b}\nINIT Init\nNEXT Next\nINVARIANT Claim\n"
PLAIN = r"Other(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Other(f, S \ {x})"


def _write(folder: Path, claim: str, other: str = PLAIN) -> str:
    text = MODULE.replace("CLAIM", claim).replace("OTHER\n", f"{other}\n")
    (folder / "Sent.tla").write_text(text)
    (folder / "Sent.cfg").write_text(CONFIG)
    return str(folder / "Sent.tla")


def _compare(spec: str, *claims: str) -> Compared:
    """Compare the protocol with the interpreter, at small constants."""
    protocol = make_protocol(load_module(spec, {}).specification, claims)

    def specify_at(given: Mapping[str, str]) -> Specification:
        return load_module(spec, given).specification

    return compare(protocol, specify_at, 0.5, Limits(60).begin())


READ = {
    "a fold on a set": r"Sum(out, {i \in Node : i > 0}) <= Sum(way, Node)",
    "a fold of a function": "FoldFunction(+, 0, out) >= 0",
    "of the module Functions": "SumFunction(way) = SumFunctionOnSet(way, DOMAIN way)",
    "a fold with LAMBDA": r"FoldFunctionOnSet(LAMBDA a, b : b + a, 0, out, Node) >= 0",
    "a fold with a definition": r"MapThenFoldSet(+, 0, LAMBDA i : out[i] - way[i], "
    r"LAMBDA s : CHOOSE x \in s : TRUE, 0..N-1) = 0",
    "a fold of a set": r"FoldSet(+, 0, {i \in Node : way[i] > 0}) >= 0",
    "a fold of a set with LAMBDA": r"FoldSet(LAMBDA i, made : way[i] + made, 0, Node) >= 0",
    "a recursive definition": r"Rec(out, Node) = Rec(way, {i \in Node : way[i] > 0})",
    "of elements": "Rec(got, Peer) >= FoldFunction(+, 0, [p \\in Peer |-> 0])",
    "of nothing": r"Rec(out, {}) = 0 /\ Sum(out, 1..0) = 0",
    "of a range that is reversed": r"Sum(out, N-1..0) <= Sum(out, Node)",
    "of listed elements": r"Sum(out, {0, N-1}) <= 1",
    "in a sum": r"FoldSet(LAMBDA i, made : made + Rec(out, 0..i), 0, Node) >= 0",
    "for each element": r"\A i \in Node : Sum(out, 0..i) + Sum(out, i+1..N-1) = Sum(out, Node)",
    "of a restricted function": r"SumFunction([i \in Node |-> IF i = 0 THEN 0 ELSE way[i]]) >= 0",
}


def test_sums_are_read_as_the_interpreter_computes_them(tmp_path: Path) -> None:
    spec = _write(tmp_path, "TRUE")
    claims = {f"Claim{number}": claim for number, claim in enumerate(READ.values())}
    said = "\n".join(f"{name} == {claim}" for name, claim in claims.items())
    (tmp_path / "Sent.tla").write_text(
        (tmp_path / "Sent.tla").read_text().replace("Claim ==", f"{said}\nClaim ==")
    )
    compared = _compare(spec, *claims)
    assert compared.states > 200
    assert compared.steps > 500


_BODY = r"LET x == CHOOSE x \in S : TRUE IN f[x] + Other(f, S \ {x})"
NO_SUMS = {
    "another operator": ("FoldFunctionOnSet(-, 0, out, Node) = 0", PLAIN),
    "a product": ("FoldFunctionOnSet( *, 0, out, Node) = 0", PLAIN),
    "another base": ("FoldFunctionOnSet(+, 1, out, Node) = 0", PLAIN),
    "a base that is a number of the state": ("FoldFunctionOnSet(+, out[0], out, Node) = 0", PLAIN),
    "a LAMBDA that adds one twice": ("FoldFunctionOnSet(LAMBDA a, b : b + b, 0, out, Node) = 0", PLAIN),
    "a LAMBDA that forgets": ("FoldFunctionOnSet(LAMBDA a, b : a, 0, out, Node) = 0", PLAIN),
    "a LAMBDA that reads the sum": ("FoldSet(LAMBDA i, made : (i + made) + made, 0, Node) = 0", PLAIN),
    "a LAMBDA that reads the sum below": (
        "FoldSet(LAMBDA i, made : made + (IF made > 1 THEN 1 ELSE i), 0, Node) = 0",
        PLAIN,
    ),
    "a choice of no element": (
        "MapThenFoldSet(+, 0, LAMBDA i : i, LAMBDA s : CHOOSE x \\in Node : TRUE, Node) = 0",
        PLAIN,
    ),
    "a choice of some elements": (
        "MapThenFoldSet(+, 0, LAMBDA i : i, LAMBDA s : CHOOSE x \\in s : x > 0, Node) = 0",
        PLAIN,
    ),
    "recursion from one": ("Other(out, Node) = 0", rf"Other(f, S) == IF S = {{}} THEN 1 ELSE {_BODY}"),
    "recursion to another set": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('{x}', '{x, 0}')}",
    ),
    "recursion with another function": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('Other(f', 'Other(way')}",
    ),
    "recursion to another definition": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('Other(f', 'Rec(f')}",
    ),
    "a difference": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('+', '-')}",
    ),
    "a choice with a condition": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('TRUE', 'f[x] > 0')}",
    ),
    "a summand of the set": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('f[x]', 'Cardinality(S)')}",
    ),
    "a summand of the set in a LET": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{}} THEN 0 ELSE {_BODY.replace('f[x]', '(LET n == Cardinality(S) IN n)')}",
    ),
    "a test of another set": (
        "Other(out, Node) = 0",
        rf"Other(f, S) == IF S = {{0}} THEN 0 ELSE {_BODY}",
    ),
    "a set without bounds": (r"Sum([i \in Node |-> 0], Nat) = 0", PLAIN),
    "a set of integers without bounds": (r"FoldSet(+, 0, {out[i] : i \in Node}) = 0", PLAIN),
}


@pytest.mark.parametrize("what", NO_SUMS)
def test_what_may_be_no_sum_is_refused_with_its_place(what: str, tmp_path: Path) -> None:
    claim, other = NO_SUMS[what]
    specification = load_module(_write(tmp_path, claim, other), {}).specification
    with pytest.raises(Unread, match="no reading for all constants") as refused:
        define(make_protocol(specification, ["Claim"]).kind({}))
    assert "Sent.tla:" in str(refused.value)


def _prove(spec: str, name: str, *lemmas: str) -> Run:
    loaded = load(spec, {}, reading=ReadingOptions(None, (), lemmas))
    return execute("prove", loaded, ProveOptions(properties=(name,), all_constants=True))


@pytest.mark.slow
def test_a_sum_is_proved_and_certified(tmp_path: Path) -> None:
    spec = _write(tmp_path, r"(\A i \in Node : out[i] = 0) => \A i \in Node : way[i] = 0")
    run = _prove(spec, "Claim", "Balanced")
    assert [one.kind.name for one in run.outcome.verdicts] == ["PROVED"]
    path = tmp_path / "claim.json"
    path.write_text(run.certificate_texts["Claim"])
    assert certify(read_claim(path, spec, None, Limits())).verdict.kind.name == "PROVED"


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [
        r"Sum(out, Node) = 0",
        r"Sum(out, 0..0) = Sum(way, 0..0)",
        r"\A i \in Node : Sum(out, 0..i) >= Sum(way, 0..i)",
        r"Sum(got, Peer) <= 9",
    ],
)
def test_a_false_claim_about_sums_is_violated(claim: str, tmp_path: Path) -> None:
    run = _prove(_write(tmp_path, claim), "Claim", "Balanced")
    assert [one.kind.name for one in run.outcome.verdicts] == ["VIOLATED"]


@pytest.mark.parametrize(
    "claim",
    [r"Sum(out, 0..N) >= 0", r"Sum(out, -1..0) >= 0", r"FoldSet(LAMBDA i, s : way[i - 1] + s, 0, Node) >= 0"],
)
def test_a_sum_beyond_the_domain_has_no_value(claim: str, tmp_path: Path) -> None:
    reason = _compare(_write(tmp_path, claim), "Claim").without_value["Claim"]
    assert re.search(r"domain|is not in", reason)


BANK = r"""---- MODULE Sent ----
EXTENDS Integers, Functions
CONSTANT Acc
ASSUME Acc # {}
VARIABLE b
TypeOK == b \in [Acc -> Int]
Init == b = [x \in Acc |-> 0]
Next == \E x, y \in Acc : b' = [b EXCEPT ![x] = @ - 1, ![y] = MORE + 1]
Claim == FoldFunction(+, 0, b) = 0
====
"""


@pytest.mark.slow
@pytest.mark.parametrize(("more", "kind"), [("@", "PROVED"), ("b[y]", "VIOLATED")])
def test_a_step_that_changes_a_function_twice(more: str, kind: str, tmp_path: Path) -> None:
    """If x = y, then @ is the value after the first change, and b[y] is the one before."""
    (tmp_path / "Sent.tla").write_text(BANK.replace("MORE", more))
    config = "CONSTANT Acc = {p, q}\nINIT Init\nNEXT Next\nINVARIANT Claim\n"
    (tmp_path / "Sent.cfg").write_text(config)
    run = _prove(str(tmp_path / "Sent.tla"), "Claim")
    assert [one.kind.name for one in run.outcome.verdicts] == [kind]
