"""Knowledge of ``log[i]`` is kept while that part is the same, and no longer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.tla_modules import specify_module
from verifier.tla import hoisting, pruning
from verifier.tla.ast import Definition
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.part_reads import find_part_reads, read_part
from verifier.tla.pruning import Pruned
from verifier.tla.specification import Specification
from verifier.tla.value_types import Fn

HEAD = r"""EXTENDS Integers, Sequences, Bags, FiniteSetsExt
VARIABLES log, role, sent, n
vars == <<log, role, sent, n>>
S == {"a", "b", "c"}
Init == log = [i \in S |-> <<>>] /\ role = [i \in S |-> 0] /\ sent = EmptyBag /\ n = 0
Last(k) == Len(log[k])
Longest == Max({Last(k) : k \in S})
Send(m) == sent' = sent (+) SetToBag({m})
Share(k, range) == /\ role[k] = 1
                   /\ range[1] <= range[2]
                   /\ LET prev == range[1] - 1
                          upto == Min({Last(k), range[2]})
                      IN Send([from |-> k, prev |-> prev, items |-> SubSeq(log[k], range[1], upto)])
"""
READS = {
    "log[i] = <<>>": {("log", "i")},
    "Last(i) = 1": {("log", "i")},
    "Len(log[i]) > role[j]": {("log", "i"), ("role", "j")},
    "log[i] = log[j]": {("log", "i"), ("log", "j")},
    "log[i] = <<>> /\\ DOMAIN log = S": {("log", "")},
    "Longest = 1": {("log", "")},
    "\\E k \\in S : log[k] = role[i]": {("log", ""), ("role", "i")},
    "LET f(k) == role[k] + role[i] IN f(j) = 0": {("role", "j"), ("role", "i")},
    "LET x == role[i] IN log[j] = x": {("role", "i"), ("log", "j")},
    "log[role[i]] = <<>>": {("log", ""), ("role", "i")},
    'role["a"] = 0': {("role", "")},
    "[role EXCEPT ![i] = 1] = role": {("role", "")},
    "Last(role[i]) = 1": {("log", ""), ("role", "i")},
    "n = 1": {("n", "")},
    "i = j": set(),
}
BODIES = [
    "Share(i, <<b, e>>)", "Share(i, <<b, e>>) /\\ UNCHANGED log", "b <= Last(j) /\\ Share(i, <<b, e>>)",
    "Longest > b /\\ role'[j] = e", "log[i][b] = log[j][e] /\\ n' = n", "role[i] = b /\\ n' = e",
    "Last(i) = b /\\ Share(j, <<b, e>>)", "role = [role EXCEPT ![i] = 1] /\\ Share(i, <<b, e>>)",
    "LET x == role[i] IN x <= b /\\ n' = e", "(\\E k \\in S : role[k] = b) /\\ Share(i, <<b, e>>)",
    "e = b + 1 /\\ Share(i, <<b, e>>)", "Send([from |-> i, prev |-> e - 1, items |-> <<>>])",
]  # fmt: skip


def _compile(spec: Specification, name: str) -> Callable[[], bool]:
    found = spec.module.names[name]
    assert isinstance(found, Definition)
    assert found.body is not None
    return spec.evaluator.compile_truth(found.body, found.module)


def test_parts_are_named_by_what_stands_outside(tmp_path: Path) -> None:
    defined = [f"R{number}(i, j) == {body}" for number, body in enumerate(READS)]
    spec = specify_module(tmp_path, HEAD + "\n".join([*defined, "Next == UNCHANGED vars"]))
    for number, (body, expected) in enumerate(READS.items()):
        found = spec.module.names[f"R{number}"]
        assert isinstance(found, Definition)
        assert found.body is not None
        reads = find_part_reads(spec.evaluator, found.body, found.module)
        names = {
            (spec.evaluator.variables[place].name, "" if name is None else name.name)
            for place, name in reads
        }
        assert names == expected, body


def test_a_value_that_is_no_listed_function_has_no_part() -> None:
    now = [Fn({"a": 1}), (1, 2), 3]
    reads = [(0, "a"), (0, "b"), (1, 1), (2, "a"), (2, UNSET)]
    assert [read_part(now, one) for one in reads] == [1, UNSET, UNSET, UNSET, 3]


def _steps(chance: Random, count: int) -> list[tuple[list[Any], list[Any]]]:
    """Successive steps, each of which changes one part or sends a record. The rest stays the same objects."""
    now: list[Any] = [Fn(dict.fromkeys("abc", (1,))), Fn(dict.fromkeys("abc", 1)), Fn(), 0]
    found = []
    for _ in range(count):
        later, one = list(now), chance.choice("abc")
        match chance.randrange(6):
            case 0:
                later[0] = Fn({**now[0], one: (*now[0][one][-3:], chance.randint(0, 2))})
            case 1:
                later[1] = Fn({**now[1], one: chance.randint(0, 2)})
            case 2:
                later[3] = chance.randint(0, 3)
            case _:
                log = now[0][one]
                first = chance.randint(1, len(log) + 1)
                upto = chance.randint(first - 1, len(log))
                record = Fn({"from": one, "prev": first - 1, "items": log[first - 1 : upto]})
                later[2] = Fn({**now[2], record: now[2].get(record, 0) + 1})
        found.append((now, later))
        now = later if chance.random() < 0.8 else chance.choice(found)[0]
    return found


def _outcomes(folder: Path, steps: list[tuple[list[Any], list[Any]]]) -> list[list[object]]:
    loops = [f"\\E i, j \\in S : \\E b, e \\in 1..Last(i) + 1 : {body}" for body in BODIES]
    defined = [f"A{number} == {loop}" for number, loop in enumerate(loops)]
    spec = specify_module(folder, HEAD + "\n".join([*defined, "Next == UNCHANGED vars"]))
    tests = [_compile(spec, f"A{number}") for number in range(len(loops))]
    return [[_decide(spec, test, *step) for step in steps] for test in tests]


def _decide(spec: Specification, test: Callable[[], bool], now: list[Any], later: list[Any]) -> object:
    spec.evaluator.now[:], spec.evaluator.next[:] = now, later
    try:
        return test()
    except Undefined as error:
        return error.words


def test_loops_with_kept_parts_have_the_values_and_errors_of_the_loops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, decided, decide = _steps(Random(35), 200), [0], Pruned.decide

    def count_answers(pruned: Pruned, *given: Any) -> bool | None:
        answer = decide(pruned, *given)
        decided[0] += answer is not None
        return answer

    monkeypatch.setattr(Pruned, "decide", count_answers)
    monkeypatch.setattr(pruning, "FEWEST", 1)
    found = _outcomes(tmp_path, steps)
    assert decided[0] > 2_000
    monkeypatch.setattr(hoisting, "_guards", lambda *_, **__: [])
    count = decided[0]
    plain = _outcomes(tmp_path, steps)
    assert decided[0] == count, "loops are shortened although none may be"
    for body, one, other in zip(BODIES, found, plain, strict=True):
        assert one == other, body
    assert sum(row.count(True) for row in plain) > 100


def test_a_listed_constant_costs_nothing_where_it_is_used(tmp_path: Path) -> None:
    """It is computed once. So a definition that looks into it is evaluated, and not looked up."""
    body = r"""EXTENDS Naturals, Sequences, TLC
VARIABLE x
Init == x = 1
All == [k \in 1..9 |-> k * k]
Log == TLCEval(IF 1 \in DOMAIN All THEN SubSeq(All, 1, 9) ELSE All)
Chosen == SelectSeq(All, LAMBDA k : k > 3)
Shown == TLCEval([k \in 1..x |-> k])
Thrown == TLCEval([k \in 1..9 |-> RandomElement(1..k)])
Is(k) == Log[x] = k /\ Len(Chosen) > x
Of(k) == Shown[x] = k
Other(k) == All[x] = k
Next == UNCHANGED x
"""
    spec = specify_module(tmp_path, body)
    costly = {
        name: spec.evaluator.analysis.of_definition(found).costly
        for name in ("Log", "Chosen", "Is", "All", "Shown", "Thrown", "Of", "Other")
        if isinstance(found := spec.module.names[name], Definition)
    }
    assert costly == {
        "Is": False, "Log": True, "Chosen": True,
        "All": True, "Shown": True, "Thrown": True, "Of": True, "Other": True,
    }  # fmt: skip
