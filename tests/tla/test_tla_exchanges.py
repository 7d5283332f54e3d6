"""Model values are exchanged in proofs where that changes nothing but names, and only there."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.support.tla_modules import translate_body
from verifier.encodings.evaluator import Evaluator
from verifier.engines.hypotheses import hypothesis
from verifier.engines.ic3.problem import problem
from verifier.engines.ic3.search import Proof, prove
from verifier.engines.provers import with_goal
from verifier.runs.building import build_model
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.symmetry.exchanges import exchange_values, find_exchanges, move_bits
from verifier.symmetry.instance_images import find_representatives
from verifier.system.model import Model
from verifier.trust.certificate import FoundBy, certificate_of
from verifier.trust.certify import check

CONFIG = """
INIT Init
NEXT Next
CONSTANTS N = {a, b, c}
 None = None
 a = a
INVARIANT Inv
CHECK_DEADLOCK FALSE
"""
HEAD = """
EXTENDS Naturals, FiniteSets
CONSTANTS N, None, a
VARIABLES holder, asked
"""
INIT = "Init == holder = None /\\ asked = {}\n"
INV = "Inv == holder \\in asked \\/ holder = None\n"
ASK = "Ask(n) == n \\notin asked /\\ asked' = asked \\cup {n} /\\ UNCHANGED holder\n"
GIVE = "Give(n) == holder = None /\\ n \\in asked /\\ holder' = n /\\ UNCHANGED asked\n"
FREE = "Free == holder # None /\\ asked' = asked \\ {holder} /\\ holder' = None\n"
NEXT = "Next == (\\E n \\in N : Ask(n) \\/ Give(n)) \\/ Free\n"
LOCK = HEAD + INIT + INV + ASK + GIVE + FREE + NEXT

CASES = {
    "nobody is named": (LOCK, 6),
    "a free parameter": (
        LOCK.replace("\\/ Free", "\\/ Free \\/ \\E s \\in SUBSET N : Cardinality(s) = 2 /\\ holder \\notin s "
                     "/\\ asked' = asked \\cup s /\\ UNCHANGED holder"), 6
    ),
    "who is named in Init": (LOCK.replace("asked = {}", "asked = {a}"), 2),
    "who is named in a guard": (LOCK.replace("holder # None /\\", "holder \\notin {None, a} /\\"), 2),
    "who is named in what is assigned": (
        LOCK.replace("holder' = None", "holder' = IF holder = a THEN a ELSE None"), 2
    ),
    "an action of one": (LOCK.replace("\\E n \\in N : Ask(n)", "\\E n \\in N \\ {a} : Ask(n)"), 2),
    "the first in an order": (
        LOCK.replace("n \\in asked /\\ holder'", "n = (CHOOSE m \\in asked : TRUE) /\\ holder'"), 1
    ),
    "a property may name": (LOCK.replace("\\/ holder = None", "\\/ holder # a"), 6),
}  # fmt: skip


def _model(text: str, folder: Path) -> Model:
    return build_model(translate_body(folder, text, CONFIG).definition(), free=True)


def _steps(model: Model) -> set[tuple[int, int]]:
    """All steps between valid codes, states as integers: bit *i* is the *i*-th bit."""
    system, count = model.system, len(model.system.bits)
    found = set()
    for instance in system.instances:
        symbols, bits = (*system.bits, *instance.inputs), list(system.bits)
        read = Evaluator(
            symbols, (system.valid, instance.guard, *(instance.updates.get(bit, bit) for bit in bits))
        )
        for values in product((False, True), repeat=len(symbols)):
            valid, guard, *after = read.single(values)
            if valid and guard:
                found.add((_number(values[:count]), _number(after)))
    return found


def _number(bits: tuple[bool, ...] | list[bool]) -> int:
    return sum(on << place for place, on in enumerate(bits))


def _move(state: int, permutation: tuple[int, ...]) -> int:
    return sum((state >> place - 1 & 1) << permutation[place] - 1 for place in range(1, len(permutation)))


@pytest.mark.parametrize("name", CASES)
def test_only_what_changes_nothing_is_used(name: str, tmp_path: Path) -> None:
    text, count = CASES[name]
    model = _model(text, tmp_path)
    group = bit_permutations(model)
    assert len(group) == count
    steps, bits = _steps(model), len(model.system.bits)
    for permutation in group:
        assert {(_move(one, permutation), _move(other, permutation)) for one, other in steps} == steps
        init = Evaluator(model.system.bits, (model.system.init,))
        for values in product((False, True), repeat=bits):
            moved = _move(_number(values), permutation)
            (holds,) = init.single(values)
            assert init.single([bool(moved >> place & 1) for place in range(bits)]) == [holds]


@pytest.mark.parametrize("name", [name for name, (_, count) in CASES.items() if count < 6])
def test_each_exchange_that_is_refused_changes_steps_or_init(name: str, tmp_path: Path) -> None:
    model = _model(CASES[name][0], tmp_path)
    steps, found = _steps(model), set(find_exchanges(model, ()))
    init = Evaluator(model.system.bits, (model.system.init,))
    for exchange in model.definition.exchanges:
        permutation = move_bits(model.layout, exchange)
        assert permutation is not None
        if permutation not in found:
            other = {(_move(s, permutation), _move(t, permutation)) for s, t in steps}
            codes = list(product((False, True), repeat=len(model.system.bits)))
            renamed = [_move(_number(values), permutation) for values in codes]
            begin = {_number(values) for values in codes if init.single(values) == [True]}
            assert (
                other != steps
                or {m for v, m in zip(codes, renamed, strict=True) if _number(v) in begin} != begin
            )


def test_a_formula_that_is_assumed_must_stay(tmp_path: Path) -> None:
    model = _model(CASES["a property may name"][0], tmp_path)
    formula = model.system.property_named("Inv").formula
    assert len(bit_permutations(model)) == 6
    assert len(bit_permutations(model, (formula,))) == 2


@pytest.mark.parametrize("name", CASES)
def test_proofs_are_those_without_exchanges(name: str, tmp_path: Path) -> None:
    model = _model(CASES[name][0], tmp_path)
    question = problem(with_goal(model.system, "Inv"), "Inv")
    group = bit_permutations(model)
    with_images, without = prove(question, group), prove(question, group[:1])
    assert isinstance(with_images, Proof) is isinstance(without, Proof)
    if isinstance(with_images, Proof):
        names = [bit.symbol_name() for bit in model.system.bits]
        clauses = tuple(tuple((names[abs(v) - 1], v > 0) for v in clause) for clause in with_images.clauses)
        certificate = certificate_of(model, "Inv", (), clauses, FoundBy("ic3", "minisat", ""))
        report = check(model, certificate, "cadical")
        assert not report.failed
        assert not check(model, certificate, "cadical", images=False).failed
        assert report.instances <= len(model.system.instances)
        assert hypothesis(model, certificate) is not None


def test_one_instance_stands_for_its_images(tmp_path: Path) -> None:
    model = _model(LOCK, tmp_path)
    stands = find_representatives(model, (model.system.valid,))
    actions = {model.system.instances[index].action for index in set(stands.values())}
    assert len(set(stands.values())) == len(actions)
    telling = (model.system.valid, model.layout.bits[0])
    assert len(set(find_representatives(model, telling).values())) > len(actions)


def test_values_within_values_are_exchanged() -> None:
    swap = {"a": "b", "b": "a"}
    assert exchange_values(("a", frozenset({"b", "c"}), 1), swap) == ("b", frozenset({"a", "c"}), 1)
