"""A proof for all constants is given up at once where it needs what is false at small constants."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.parametric.test_suggesting import lock_without
from tests.support.command_line import verify
from tests.support.models import build
from tests.support.naive import Naive
from verifier import (
    Boolean,
    IntegerConstant,
    Option,
    Protocol,
    Range,
    Sequence,
    State,
    Step,
    action,
    invariant,
    lemma,
    minimum,
)
from verifier.encodings.plain_terms import Undefined, values_of
from verifier.engines.refuting import refute_obligations
from verifier.parametric.assumed import is_satisfied
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs, prove
from verifier.parametric.results import Refuted, place_of
from verifier.parametric.system import ALWAYS, INITIALLY
from verifier.processes.limits import Limits
from verifier.specs.definition import Definition
from verifier.specs.protocol import define


class Counters(Protocol, camel_case=True):
    """Counters without the lemma that the first is not behind."""

    last = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.last), y=Range(0, self.last), q=Sequence(Range(0, 1), self.last))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == 0) & s.q.is_empty

    @action
    def up(self, s: Any) -> Step:
        return Step(when=s.x < self.last, then={s.x: s.x + 1})

    @action
    def follow(self, s: Any) -> Step:
        return Step(when=s.y < self.last, then={s.y: minimum(s.y + 1, s.x)})

    @action
    def note(self, s: Any) -> Step:
        return Step(when=s.q.length < self.last, then={s.q: s.q.append(s.x - s.y)})

    @lemma
    def first_is_none(self, s: Any) -> Any:
        return s.q.is_empty | (s.q[0] == 0)

    @lemma
    def is_behind(self, s: Any) -> Any:
        return (s.y == 0) | (s.y <= s.x - 1)

    @invariant
    def ordered(self, s: Any) -> Any:
        return s.y <= s.x


def brute(definition: Definition, name: str) -> set[tuple[str, str]]:
    """The obligations that fail, by going through all states."""
    naive, found = Naive(definition), set[tuple[str, str]]()
    claims = {one.name: one.formula for one in definition.lemmas}
    wanted = next(prop.formula for prop in definition.properties if prop.name == name)

    def value(term: Any, state: Any) -> bool | None:
        try:
            return bool(naive.read(term)(naive.environment(state)))
        except Undefined:
            return None

    for state in product(*(list(values_of(v.sort)) for v in definition.variables)):
        if naive.is_initial(state):
            found |= {(INITIALLY, n) for n, term in claims.items() if value(term, state) is False}
            found |= {(INITIALLY, name)} if value(wanted, state) is False else set()
        happenings = [(one, naive.happening(one, naive.environment(state))) for one in naive.instances]
        if any(what.undefined or what.leaves for _, what in happenings):
            continue
        if not all(value(term, state) for term in claims.values()) or value(wanted, state) is None:
            continue
        if not value(wanted, state):
            found.add((ALWAYS, name))
            continue
        for one, what in happenings:
            if what.state is not None:
                after = what.state
                false = (n for n, term in {**claims, name: wanted}.items() if value(term, after) is False)
                found |= {(one.action.name, n) for n in false}
    return found


@pytest.mark.parametrize("last", [1, 2])
def test_what_is_refuted_fails_in_some_state(last: int) -> None:
    kind = Counters({"last": last})
    found = {(one.at, one.claim) for one in refute_obligations(build(kind), "Ordered")}
    assert found == brute(define(kind), "Ordered")
    assert ("Note", "FirstIsNone") in found


def random_counters(seed: int) -> type[Protocol]:
    """The counters with other claims."""
    rng = random.Random(seed)

    def claim() -> Callable[[Any, Any], Any]:
        which, least, other = rng.randrange(5), rng.randrange(3), rng.randrange(2)
        return lambda self, s: [
            s.x + least >= s.y,
            (s.x == least) | (s.y <= other),
            (s.q.length <= least) | (s.q[least] == other),
            s.q[0] == other,
            s.q.length <= s.x + other,
        ][which]

    members = {name: lemma(claim()) for name in ("first_is_none", "is_behind")}
    return type("Other", (Counters,), {**members, "ordered": invariant(claim()), "name": "other"})


@pytest.mark.parametrize("seed", range(25))
def test_random_claims_are_refuted_as_by_brute_force(seed: int) -> None:
    kind = random_counters(seed)({"last": 2})
    found = {(one.at, one.claim) for one in refute_obligations(build(kind), "Ordered")}
    assert found == brute(define(kind), "Ordered")


def test_no_effort_is_made_for_what_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(*_: Any, **__: Any) -> Any:
        time.sleep(1000)

    monkeypatch.setattr("verifier.parametric.proving.decide", forever)
    monkeypatch.setattr("verifier.parametric.proving._Search.is_implied", lambda *_, **__: False)
    work = lambda report, _: report(Refuted("Follow", "Ordered", "last=1"))  # noqa: E731
    proofs = Proofs.of(read_for_all(Counters, {}))
    attempt = prove(proofs, "Ordered", Limits(100).begin(), refuting=[work])
    (left,) = attempt.open
    assert (left.name, left.reason) == ("Follow Ordered 0", "counterexample to induction with last=1")


# What must not be given up


class Hidden(Protocol, camel_case=True):
    """It is read for more than two only."""

    n = IntegerConstant(3)

    def state(self) -> State:
        return State(x=Range(0, self.n))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action
    def stay(self, s: Any) -> Step:
        return Step(then={s.x: minimum(s.x, 1) if self.n > 2 else self.n})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x == 0


class BeyondTheEnd(Protocol, camel_case=True):
    """After the step the lemma reads what has no value. No reading says that it is false there."""

    n = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(q=Sequence(Range(0, 1), self.n))

    def init(self, s: Any) -> Any:
        return s.q == [1]

    @action
    def clear(self, s: Any) -> Step:
        return Step(then={s.q: s.q.truncate(0)})

    @lemma
    def first(self, s: Any) -> Any:
        return (s.q[0] == 1) | (s.q.length > self.n)

    @invariant
    def inv(self, s: Any) -> Any:
        return s.q.is_empty | (s.q[0] == 1)


class LeavesItsSort(Protocol, camel_case=True):
    """From where ``spoil`` is enabled ``up`` would leave its sort, and it is proved that it never does."""

    n = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.n), on=Boolean(), spoiled=Boolean(), o=Option(Range(0, 1)))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & ~s.on & ~s.spoiled & s.o.is_none

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[~s.on, s.o.is_none | (s.o.value == 0)], then={s.x: s.x + 1, s.on: True})

    @action
    def spoil(self, s: Any) -> Step:
        return Step(when=[s.x == self.n, ~s.on, s.o.is_none], then={s.spoiled: True, s.o: 0})

    @action
    def look(self, s: Any) -> Step:
        return Step(when=s.spoiled & (s.o.value == 1), then={s.o: 1})

    @invariant
    def inv(self, s: Any) -> Any:
        return ~s.spoiled


@pytest.mark.parametrize("kind", [Hidden, BeyondTheEnd, LeavesItsSort])
def test_what_is_proved_is_not_refuted(kind: type[Protocol]) -> None:
    reading = read_for_all(kind, {})
    attempt = prove(Proofs.of(reading), "Inv", Limits(100).begin())
    assert attempt.proved
    shown = {place_of(name)[:2] for name in attempt.results}
    for n in (1, 2, 3):
        fits = all(is_satisfied(said, {"n": n}) for said in reading.assumptions)
        assert fits == (kind is not Hidden or n == 3)
        found = {(one.at, one.claim) for one in refute_obligations(build(kind({"n": n})), "Inv")}
        assert found.isdisjoint(shown) == fits


def test_the_command_says_what_is_false_at_small_constants(tmp_path: Path) -> None:
    spec = lock_without(tmp_path, "tickets_were_drawn")
    asked = ("prove", "--spec", str(spec), "--property", "mutual_exclusion", "--all-constants")
    content = json.loads(verify(*asked, "--format", "json").stdout)
    assert content["results"][0]["verdict"] == "INCONCLUSIVE"
    assert {one["lemma"] for one in content["statistics"]["open"]} == {"tickets_differ"}


def _counting(folder: Path) -> str:
    """A protocol whose invariant is violated with three clients, where it has two by default."""
    (folder / "counting.py").write_text(
        "from verifier import Function, IndexSetConstant, IntegerConstant, Protocol, Range, State, Step\n"
        "from verifier import action, forall, invariant\n\n\nclass Counting(Protocol):\n"
        "    clients = IndexSetConstant(2, 'who', kind='client')\n"
        "    limit = IntegerConstant(2, 'lim', minimum=1)\n\n"
        "    def state(self):\n        return State(taken=Function(self.clients, Range(0, self.limit)))\n\n"
        "    def init(self, s):\n        return forall(self.clients, lambda c: s.taken[c] == 0)\n\n"
        "    @action(client='clients')\n    def take(self, s, client):\n        more = s.taken[client] + 1\n"
        "        return Step(when=[s.taken[client] < self.limit], then={s.taken[client]: more})\n\n"
        "    @invariant()\n    def low(self, s):\n"
        "        return forall(self.clients, lambda c: s.taken[c] < 3)\n"
    )
    return str(folder / "counting.py")


def test_the_step_is_shown_and_compared_at_its_own_constants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No violation is searched here."""
    monkeypatch.setattr("verifier.engines.small_violations.find_violations", lambda *_, **__: {})
    done = verify("prove", _counting(tmp_path), "--all-constants")
    assert done.exit_code == 12
    assert "Its constants: clients=3, limit=3." in " ".join(done.stdout.split())
    assert "TypeInvariant   PROVED" in done.stdout


def test_a_false_invariant_is_violated_at_small_constants(tmp_path: Path) -> None:
    done = verify("prove", _counting(tmp_path), "--all-constants")
    assert done.exit_code == 10
    shown = " ".join(done.stdout.split())
    assert "VIOLATED in 3 steps, with clients=3, limit=3" in shown
    assert "0 initially" in shown
    assert "Low: counterexample to induction" not in shown
    assert "TypeInvariant PROVED" in shown
