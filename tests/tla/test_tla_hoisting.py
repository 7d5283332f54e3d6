"""Loops over intervals and constant sets that are cut short: values and errors of the loops as written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.tla_modules import explore_module, specify_module
from verifier.tla import hoisting, pruning
from verifier.tla.ast import Definition
from verifier.tla.frames import Frame, Undefined
from verifier.tla.pruning import Pruned
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import FALSE, TRUE, Fn, function
from verifier.tla.values import pairs_of

HEAD = r"""EXTENDS Naturals, Sequences, Bags, FiniteSetsExt
VARIABLES log, sent, n, on
vars == <<log, sent, n, on>>
Some == {1, 2, 3, 5}
Words == {"a", "no", "yes"}
Init == log = <<>> /\ sent = EmptyBag /\ n = 0 /\ on = FALSE
Send(m) == sent' = sent (+) SetToBag({m})
Entries(range) == SubSeq(log, range[1], Min({Len(log), range[2] - 1}))
Term(k) == IF k > 0 /\ k <= Len(log) THEN log[k].term ELSE 0
First(range) == range[1] = 2
Ordered(range) == range[1] <= range[2]
Share(i, range) ==
    /\ i > 0
    /\ Ordered(range)
    /\ on
    /\ LET prev == range[1] - 1
           term == IF prev > 0 /\ prev <= Len(log) THEN log[prev].term ELSE 0
       IN /\ Send([kind |-> "share", from |-> i, prev |-> prev, term |-> term, entries |-> Entries(range)])
          /\ UNCHANGED <<log, n, on>>
"""
PARTS = [
    "on", "~on", "n = 1", "n' = n", "b < e", "b <= e", "e > n + 2", "b = e", "UNCHANGED log", "b - e < n'",
    "log[b].term = 1", "log[n].term = 1", "Term(b) = n'", "Term(e) > 0", "b + n > 3", "UNCHANGED <<n, on>>",
    "Len(Entries(<<b, e>>)) = n", "Ordered(<<b, e>>)", "Ordered(<<e, b>>)", 'b = "no"', "Share(n, <<b, e>>)",
    "Len(SubSeq(log, b, e)) > 1",
    "First(<<b, e>>)", "First(<<e, log[b].term>>)", "Send([prev |-> b])",
    "Send([prev |-> b, term |-> Term(e)])", "(b > 2 => on)", "(b > n \\/ e = n')", "n",
    "(IF b > n THEN e > n ELSE n' > b)", "(LET k == b + 1 IN k > n /\\ k < 5)", "~(b > e)", "sent' = sent",
    'Send([prev |-> n, kind |-> "beat"])', "log # <<>>", "(on /\\ b > 1)",
]  # fmt: skip


def _module(folder: Path, bodies: list[str], domain: str) -> Specification:
    defined = [f"A{number} == \\E b, e \\in {domain} : {body}" for number, body in enumerate(bodies)]
    return specify_module(folder, HEAD + "\n".join([*defined, "Next == UNCHANGED vars"]))


def _test(spec: Specification, name: str) -> Callable[[], bool]:
    found = spec.module.names[name]
    assert isinstance(found, Definition)
    assert found.body is not None
    return spec.evaluator.compile_truth(found.body, found.module)


def _outcome(spec: Specification, test: Callable[[], bool], now: list[Any], later: list[Any]) -> object:
    spec.evaluator.now[:], spec.evaluator.next[:] = now, later
    try:
        return test()
    except Undefined as error:
        return error.words


def _record(log: tuple[Any, ...], chance: Random) -> Any:
    """A record of one of the kinds that the formulas send, often for places of the log."""
    first, last = chance.randint(1, 4), chance.randint(1, 5)
    term = log[first - 2]["term"] if 1 < first <= len(log) + 1 else 0
    last = min(last, len(log) + 1)
    match chance.randrange(4):
        case 0:
            return Fn({"prev": first})
        case 1:
            return Fn({"prev": first, "term": chance.choice([term, 1])})
        case 2:
            return Fn({"prev": chance.randint(0, 2), "kind": "beat"})
    return Fn(
        {"kind": "share", "from": 1, "prev": first - 1, "term": term, "entries": log[first - 1 : last - 1]}
    )


def _states(chance: Random, count: int) -> list[tuple[list[Any], list[Any]]]:
    """Random pairs of states; in many the second one has sent a record more."""
    found = []
    for _ in range(count):
        log = tuple(Fn({"term": chance.randint(0, 2)}) for _ in range(chance.choice([0, 1, 3, 6])))
        sent: Any = function(
            {_record(log, chance): chance.randint(1, 2) for _ in range(chance.choice([0, 1, 2]))}
        )
        now = [log, sent, chance.randint(0, 2), chance.choice([TRUE, FALSE])]
        counts = dict(pairs_of(sent))
        if chance.random() < 0.7:
            record = _record(log, chance)
            counts[record] = counts.get(record, 0) + 1
        later = [log, function(counts), now[2] if chance.random() < 0.7 else 1, now[3]]
        found.append((now, later))
        found += _steps_from(later, chance)
    return found


def _steps_from(now: list[Any], chance: Random) -> list[tuple[list[Any], list[Any]]]:
    """Further steps, each of which leaves most values the same objects."""
    found = []
    for _ in range(3):
        log, sent, number, on = now
        match chance.randrange(4):
            case 0:
                log = (*log, Fn({"term": chance.randint(0, 2)}))
            case 1:
                number, on = chance.randint(0, 2), chance.choice([TRUE, FALSE])
            case _:
                record = _record(log, chance)
                counts = pairs_of(sent)
                sent = function({**counts, record: counts.get(record, 0) + 1})
        later = [log, sent, number, on]
        found.append((now, later))
        now = later
    return found


def test_a_shortened_loop_has_the_value_and_the_error_of_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(35)
    bodies = [" /\\ ".join(chance.sample(PARTS, chance.randint(1, 4))) for _ in range(50)]
    bodies += [f"{one} /\\ Share(1, <<b, e>>)" for one in PARTS[:6]]
    bodies += [f"{one} /\\ Share(1, <<b, e>>) /\\ {other}" for one, other in pairwise(PARTS[6:16])]
    pairs, decided, decide = _states(chance, 10), [0], Pruned.decide

    def count_answers(pruned: Pruned, e: Frame, *ranges: range) -> bool | None:
        answer = decide(pruned, e, *ranges)
        decided[0] += answer is not None
        return answer

    monkeypatch.setattr(Pruned, "decide", count_answers)
    for domain in ("n..6", "1..Len(log) + 1", "1..n", "Some", "Words"):
        found = []
        for shortened in (True, False):
            with monkeypatch.context() as patch:
                if shortened:
                    patch.setattr(pruning, "FEWEST", 1)
                else:
                    patch.setattr(hoisting, "_guards", lambda *_, **__: [])
                spec = _module(tmp_path, bodies, domain)
                tests = [_test(spec, f"A{number}") for number in range(len(bodies))]
                found.append([[_outcome(spec, test, *pair) for pair in pairs] for test in tests])
        for body, one, other in zip(bodies, *found, strict=True):
            assert one == other, body
        outcomes = {str(outcome) for row in found[0] for outcome in row}
        assert {"True", "False"} < outcomes, "no formula had an error"
    assert decided[0] > 500


SHARING = (
    HEAD
    + r"""
Wide == \E b, e \in 1..30000 : Share(1, <<b, e>>)
Near == \E b, e \in 1..Len(log) + 1 : Share(1, <<b, e>>)
Guarded == \E b, e \in 1..30000 : on /\ log[b].term = e
Outer == \E b, e \in 1..3000 : b = 7 /\ e = b + 1
"""
)


def _sharing(folder: Path, entries: int) -> tuple[Specification, list[Any]]:
    spec = specify_module(folder, f"{SHARING}Next == UNCHANGED vars")
    log = tuple(Fn({"term": number // 9}) for number in range(entries))
    return spec, [log, (), 1, TRUE]


def test_a_step_that_sends_nothing_is_decided_without_all_ranges(tmp_path: Path) -> None:
    spec, now = _sharing(tmp_path, 40_000)
    assert _outcome(spec, _test(spec, "Wide"), now, now) is False
    entries, prev = now[0][16:29_000], 16
    fields = {"kind": "share", "from": 1, "prev": prev, "term": now[0][prev - 1]["term"], "entries": entries}
    later = [now[0], Fn({Fn(fields): 1}), 1, TRUE]
    assert _outcome(spec, _test(spec, "Wide"), now, later) is True
    assert spec.evaluator.next[1] == later[1]


def test_the_values_that_a_sent_record_names_are_tried_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes, approximate = list[object](), Pruned._approximate

    def note(pruned: Pruned, scope: Any, box: Any) -> bool | None:
        boxes.append(box)
        return approximate(pruned, scope, box)

    monkeypatch.setattr(Pruned, "_approximate", note)
    spec, now = _sharing(tmp_path, 40)
    fields = {"kind": "share", "from": 1, "prev": 16, "term": 1, "entries": now[0][16:29]}
    later = [now[0], Fn({Fn(fields): 1}), 1, TRUE]
    assert _outcome(spec, _test(spec, "Near"), now, later) is True
    assert len(boxes) <= 4, boxes


def test_a_guard_is_decided_once_and_an_error_behind_it_is_found(tmp_path: Path) -> None:
    spec, now = _sharing(tmp_path, 4)
    off = [*now[:3], FALSE]
    assert _outcome(spec, _test(spec, "Guarded"), off, off) is False
    assert "not in the domain" in str(_outcome(spec, _test(spec, "Guarded"), [(), *now[1:]], now))


def test_a_walk_decides_a_guard_of_the_outer_name_once_for_each(tmp_path: Path) -> None:
    body = r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Set(b, e) == b = x + 7 /\ x < 2 /\ e = b + 1 /\ x' = x + 1
Next == \E b, e \in 1..3000 : Set(b, e)
"""
    found = explore_module(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE").result
    assert (found.distinct, found.generated) == (3, 3)


def test_an_item_of_a_tuple_names_only_what_stands_in_it(tmp_path: Path) -> None:
    """``range[1] = x + 7`` of ``<<b, e>>`` is decided once for each b, so 3,000 passes end at once."""
    body = r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Set(range) == range[1] = x + 7 /\ x < 2 /\ range[2] = range[1] + 1 /\ x' = x + 1
Next == \E b, e \in 1..3000 : Set(<<b, e>>)
"""
    found = explore_module(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE").result
    assert (found.distinct, found.generated) == (3, 3)
    spec = _module(tmp_path, ["(LET p == <<b, e>> IN p[1] = 1) /\\ log[e].term = b"], "1..3")
    now = [(Fn({"term": 1}),), (), 1, TRUE]
    assert _outcome(spec, _test(spec, "A0"), now, now) is True
    spec = _module(tmp_path, ["First(<<b, log[e].term>>)"], "1..3")
    assert "domain" in str(_outcome(spec, _test(spec, "A0"), [(Fn({"term": 3}),), (), 1, TRUE], now))


STORES = r"""EXTENDS Naturals, TLC
CONSTANTS Thread, Key, Value
VARIABLES open, store
Threads == {"one", "two", "three"}
Keys == Print("keys", {1, 2, 3})
Init == open = {"one"} /\ store = [k \in Key |-> 0]
Put(t, k, v) == t \in open /\ store[k] = 0 /\ v > 1 /\ store' = [store EXCEPT ![k] = v] /\ UNCHANGED open
Open(t) == t \notin open /\ open' = open \cup {t} /\ UNCHANGED store
Next == (\E t \in Thread, k \in Key, v \in Value : Put(t, k, v)) \/ \E t \in Thread : Open(t)
"""
CONFIG = """INIT Init
NEXT Next
CHECK_DEADLOCK FALSE
CONSTANTS Thread <- Threads
 Key <- Keys
 Value = {1, 2, 3}
"""


def test_loops_over_constant_sets_have_the_steps_of_the_loops_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guards = list[int]()
    find = hoisting._guards

    def note(*given: Any, **named: Any) -> Any:
        made = find(*given, **named)
        guards.append(len([one for one in made if one is not None]))
        return made

    monkeypatch.setattr(hoisting, "_guards", note)
    shortened = explore_module(tmp_path, STORES, CONFIG)
    assert max(guards) == 2, "a guard for each key, and one for each value"
    assert shortened.evaluator.printed.count('"keys"') <= 1, "a constant that prints is computed once"
    monkeypatch.setattr(hoisting, "_guards", lambda *_, **__: [])
    plain = explore_module(tmp_path, STORES, CONFIG)
    assert set(shortened.states) == set(plain.states)
    assert shortened.result.generated == plain.result.generated


def test_drawn_successors_are_some_of_all_and_none_only_if_there_are_none(tmp_path: Path) -> None:
    explorer = explore_module(tmp_path, STORES, CONFIG)
    stepper = Stepper(explorer.specification)
    for state in explorer.states:
        every = set(stepper.successors(state))
        some = stepper.draw_successors(state, 1)
        assert set(some) <= every
        assert bool(some) == bool(every)
        assert len(some) <= 4, "one of each loop, and all steps of the loop without a guard"
        assert set(stepper.successors(state)) == every, "the next search looks at all again"
