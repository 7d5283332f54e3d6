"""Refinement: what it claims, that engines and a naive judge agree on it, and what is said of mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import verifier.specs.protocol
from tests.support.command_line import ROOT, verify, wrong
from tests.support.random_refinements import pair_of, truth_of
from verifier import load
from verifier.encodings.quantifiers import if_
from verifier.encodings.sorts import Boolean, Function, Option, Range
from verifier.engines import bmc, explore
from verifier.errors import UsageError
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    define,
    refines,
)
from verifier.specs.reading.keys import Keys
from verifier.specs.registry import load as class_of
from verifier.system.model import build
from verifier.verdict import VerdictKind

VIOLATED = VerdictKind.VIOLATED
EXAMPLES = ROOT / "docs" / "examples"
TWO_PHASE, PAXOS = str(EXAMPLES / "two_phase.py"), str(EXAMPLES / "paxos.py")


class Counter(Protocol, camel_case=True):
    """A number grows, by one at a time."""

    top = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(n=Range(0, self.top))

    def init(self, s: Any) -> Any:
        return s.n == 0

    @action
    def count(self, s: Any) -> Step:
        return Step(when=[s.n < self.top], then={s.n: s.n + 1})


class Bits(Protocol, camel_case=True):
    """A number in binary, with a step between one and two."""

    limit = IntegerConstant(2, minimum=1)
    carries = Boolean()

    def state(self) -> State:
        return State(low=Boolean(), high=Boolean(), carry=Boolean())

    def init(self, s: Any) -> Any:
        return ~s.low & ~s.high & ~s.carry

    @action
    def set_low(self, s: Any) -> Step:
        return Step(when=[~s.low, ~s.high], then={s.low: True})

    @action
    def begin(self, s: Any) -> Step:
        return Step(when=[s.low, ~s.carry], then={s.carry: True})

    @action
    def end(self, s: Any) -> Step:
        return Step(when=s.carry, then={s.low: False, s.high: True, s.carry: False})

    def number(self, s: Any) -> Any:
        return if_(s.low, 1, 0) + if_(s.high, 2, 0)

    @refines(Counter, constants={"top": "limit"})
    def counts(self, s: Any) -> dict[str, Any]:
        """The number counts."""
        return {"n": self.number(s)}


def find_verdicts(protocol: Protocol, *names: str) -> dict[str, tuple[VerdictKind, int | None]]:
    """The verdicts of exploration, each with the actions of its counterexample."""
    done = explore.explore(build(define(protocol)), explore.Request(names, keep_going=True))
    return {verdict.property_name: (verdict.kind, verdict.steps) for verdict in done.verdicts}


def test_steps_are_those_of_the_abstract_protocol_or_none() -> None:
    holds = (VerdictKind.HOLDS, None)
    assert find_verdicts(Bits(), "Counts", "CountsInit") == {"Counts": holds, "CountsInit": holds}

    class Jumps(Bits):
        """From zero to two at once."""

        @action
        def jump(self, s: Any) -> Step:
            return Step(when=[~s.low, ~s.high], then={s.high: True})

    assert find_verdicts(Jumps(), "Counts")["Counts"] == (VIOLATED, 1)


def test_what_begins_elsewhere_is_found_although_nothing_happens() -> None:
    class Later(Bits):
        """It begins with two, where nothing is possible."""

        def init(self, s: Any) -> Any:
            return ~s.low & s.high & ~s.carry

    verdicts = find_verdicts(Later(), "Counts", "CountsInit")
    assert verdicts["CountsInit"] == (VIOLATED, 0)
    assert verdicts["Counts"] == (VerdictKind.HOLDS, None)


def test_a_value_outside_the_abstract_sort_is_reported_as_a_read_of_nothing() -> None:
    verdicts = find_verdicts(Bits({"limit": 1}), "Counts", "CountsInit")
    assert verdicts["UndefinedRead"][0] is VIOLATED


def test_an_abstract_step_that_would_leave_its_sort_is_none() -> None:
    class Endless(Counter):
        """The counter without a guard."""

        @action
        def count(self, s: Any) -> Step:
            return Step(then={s.n: s.n + 1})

    class Stops(Counter):
        """As the counter, and back to the beginning from its top."""

        @action
        def restart(self, s: Any) -> Step:
            return Step(when=s.n == self.top, then={s.n: 0})

        @refines(Endless)
        def counts(self, s: Any) -> dict[str, Any]:
            return {}

    assert find_verdicts(Stops(), "Counts")["Counts"] == (VIOLATED, 3)
    Stops.next = ("count",)
    assert find_verdicts(Stops(), "Counts")["Counts"][0] is VerdictKind.HOLDS


def test_the_order_of_assignments_to_one_function_is_kept() -> None:
    class Pair(Protocol, camel_case=True):
        """Two places, of which the second assignment counts where they are one."""

        nodes = IndexSetConstant(2, kind="node")

        def state(self) -> State:
            return State(at=Function(self.nodes, Range(0, 2)))

        def init(self, s: Any) -> Any:
            return s.at == dict.fromkeys(self.nodes.values(), 0)

        @action(one="nodes", other="nodes")
        def put(self, s: Any, one: Any, other: Any) -> Step:
            return Step(then={s.at[one]: 1, s.at[other]: 2})

    class Same(Pair):
        """Both places are one."""

        @refines(Pair)
        def is_pair(self, s: Any) -> dict[str, Any]:
            return {"at": s.at}

        @action(one="nodes", other="nodes")
        def put(self, s: Any, one: Any, other: Any) -> Step:
            return Step(when=one == other, then={s.at[one]: 2})

    class Wrong(Same):
        """The first assignment counts."""

        @action(one="nodes", other="nodes")
        def put(self, s: Any, one: Any, other: Any) -> Step:
            return Step(when=one == other, then={s.at[one]: 1})

    assert find_verdicts(Same(), "IsPair")["IsPair"][0] is VerdictKind.HOLDS
    assert find_verdicts(Wrong(), "IsPair")["IsPair"] == (VIOLATED, 1)


def test_the_abstract_protocol_is_part_of_the_hash() -> None:
    class Slow(Counter):
        """Another counter."""

        @action
        def count(self, s: Any) -> Step:
            return Step(when=[s.n + 1 < self.top], then={s.n: s.n + 1})

    class Other(Bits):
        """A protocol with these bits."""

        name = "bits"

        @refines(Slow, constants={"top": "limit"})
        def counts(self, s: Any) -> dict[str, Any]:
            return {"n": self.number(s)}

    assert define(Other()).spec_hash != define(Bits()).spec_hash


# Examples and their broken variants


def _two_phase() -> Iterator[tuple[str, type[Protocol], dict[str, Any], int]]:
    base: Any = class_of(TWO_PHASE)

    class Impatient(base):  # type: ignore[misc]
        """A prepared resource manager aborts by itself."""

        @action(rm="rm")
        def rm_choose_to_abort(self, s: Any, rm: Any) -> Step:
            return Step(when=s.rm_state[rm] != "aborted", then={s.rm_state[rm]: "aborted"})

    class Relapse(base):  # type: ignore[misc]
        """A resource manager forgets that it is prepared."""

        @action(rm="rm")
        def forget(self, s: Any, rm: Any) -> Step:
            return Step(when=s.rm_state[rm] == "prepared", then={s.rm_state[rm]: "working"})

    yield "does not wait", base, {"waits_for_all": False}, 2
    yield "aborts after commit", Impatient, {"rm": 1}, 5
    yield "relapses", Relapse, {}, 2


def _paxos() -> Iterator[tuple[str, type[Protocol], dict[str, Any], int]]:
    base: Any = class_of(PAXOS)

    class Late(base):  # type: ignore[misc]
        """An acceptor votes in a ballot that it has left."""

        @action(a="acceptor", b="ballot", v="value")
        def phase2b(self, s: Any, a: Any, b: Any, v: Any) -> Step:
            vote = {"acc": a, "bal": b, "val": v}
            return Step(
                when=s.msgs_2a.contains({"bal": b, "val": v}), then={s.msgs_2b: s.msgs_2b.add(vote)}
            )

    class Hasty(base):  # type: ignore[misc]
        """A leader proposes as soon as two acceptors have promised anything."""

        @action(b="ballot", v="value")
        def phase2a(self, s: Any, b: Any, v: Any) -> Step:
            return Step(
                when=s.msgs_1b.cardinality > 1,
                then={s.msgs_2a: s.msgs_2a.add({"bal": b, "val": v})},
            )

    yield "does not heed votes", base, {"heeds_votes": False}, 10
    yield "votes late", Late, {}, 5
    yield "proposes what it likes", Hasty, {}, 5


@pytest.mark.parametrize(("name", "kind", "constants", "steps"), list(_two_phase()), ids=str)
def test_broken_commits_are_found(
    name: str, kind: type[Protocol], constants: dict[str, Any], steps: int
) -> None:
    assert find_verdicts(kind(constants), "IsTransactionCommit")["IsTransactionCommit"] == (VIOLATED, steps)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "kind", "constants", "steps"), list(_paxos()), ids=str)
def test_broken_paxos_is_found(
    name: str, kind: type[Protocol], constants: dict[str, Any], steps: int
) -> None:
    model = build(define(kind(constants)))
    request = bmc.Request(("IsVoting",), depth=10, shortest=True)
    (verdict,) = [v for v in bmc.check(model, request).verdicts if v.property_name == "IsVoting"]
    assert (verdict.kind, verdict.steps) == (VIOLATED, steps)


# Random pairs


def compare(seed: int, *, bounded: bool = False) -> bool:
    """True if the pair of a seed was compared: some are refused or have too many states."""
    pair = pair_of(seed)
    try:
        definition = define(pair.concrete())
    except DefinitionError:
        return False
    truth = truth_of(pair, definition)
    if truth is None:
        return False
    model = build(definition)
    names = ("Mapped", "MappedInit")
    done = explore.explore(model, explore.Request(names, keep_going=True))
    verdicts = {v.property_name: v for v in done.verdicts}
    broken = {name for name, v in verdicts.items() if v.kind is VIOLATED}
    if truth.outside:
        assert broken & {*names, "UndefinedRead"}
        return True
    assert ("MappedInit" in broken) is not truth.begins
    assert ("Mapped" in broken) is (truth.least is not None)
    assert truth.least is None or verdicts["Mapped"].steps == truth.least
    if bounded and truth.least is not None:
        found = bmc.check(model, bmc.Request(names, depth=truth.least, shortest=True)).verdicts
        assert {v.property_name: v.steps for v in found}["Mapped"] == truth.least
    return True


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protocols are read without looking for mistakes in their code, which takes most of the time."""
    monkeypatch.setattr(verifier.specs.protocol, "reading", lambda _: nullcontext(Keys()))


@pytest.mark.usefixtures("unwatched")
def test_a_naive_judge_agrees_on_random_pairs() -> None:
    assert sum(map(compare, range(60))) > 55


@pytest.mark.thorough
@pytest.mark.usefixtures("unwatched")
def test_a_naive_judge_agrees_on_more_random_pairs() -> None:
    assert sum(compare(seed, bounded=seed % 20 == 0) for seed in range(60, 200)) > 135


# The command line


def test_both_properties_are_asked_and_a_violation_names_the_abstract_states(tmp_path: Path) -> None:
    file = tmp_path / "step.itf.json"
    asked = ("--spec", TWO_PHASE, "--set", "waits_for_all=false", "--property", "IsTransactionCommit")
    done = verify("explore", *asked, "--keep-going", "--trace-out", str(file))
    assert done.exit_code == 10, done.stderr
    shown = " ".join(done.stdout.split())
    assert "IsTransactionCommit fails in step 2, RmRcvCommitMsg(rm=" in shown
    assert "transaction-commit has no step from rm_state = (r1: working, r2: working, r3: working)" in shown
    assert "IsTransactionCommitInit HOLDS" in shown
    replayed = verify("replay", str(file), "--show", "--spec", TWO_PHASE)
    assert replayed.exit_code == 0, replayed.stderr
    (failing,) = json.loads(file.read_text())["#meta"]["failing"]
    assert failing["formula"].startswith("transaction-commit has no step from")


def test_a_proof_has_a_certificate_that_is_checked_again(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    asked = ("--spec", TWO_PHASE, "--property", "IsTransactionCommit")
    done = verify("induct", *asked, "--certificate", str(file))
    assert done.exit_code == 0, done.output
    checked = verify("certify", str(file), "--spec", TWO_PHASE)
    assert checked.exit_code == 0, checked.output


def test_simulation_finds_a_broken_refinement() -> None:
    found = load(TWO_PHASE, waits_for_all=False).simulate("IsTransactionCommit", seed=1)
    assert found["IsTransactionCommit"].verdict == "VIOLATED"


# Mistakes


def _mistaken(tmp_path: Path, mark: str, returned: str) -> str:
    file = tmp_path / "mistaken.py"
    file.write_text(
        f"""from verifier import *


class Abstract(Protocol, camel_case=True):
    \"\"\"Abstract.\"\"\"

    nodes = IndexSetConstant(2)
    top = IntegerConstant(2)

    def state(self):
        return State(n=Range(0, self.top), q=Sequence(Range(0, 1), 2), up=Set(self.nodes))

    def init(self, s):
        return [s.n == 0, s.q.is_empty, s.up.is_empty]

    @action
    def count(self, s):
        return Step(when=[s.n < self.top], then={{s.n: s.n + 1}})


class Concrete(Protocol, camel_case=True):
    \"\"\"Concrete.\"\"\"

    nodes = IndexSetConstant(2)
    limit = IntegerConstant(2)

    def state(self):
        return State(n=Range(0, self.limit), up=Set(self.nodes), q=Sequence(Range(0, 1), 1))

    def init(self, s):
        return [s.n == 0, s.up.is_empty, s.q.is_empty]

    @action
    def count(self, s):
        return Step(when=[s.n < self.limit], then={{s.n: s.n + 1}})

    {mark}
    def mapped(self, s):
        return {returned}
"""
    )
    return wrong("explore", "--spec", f"{file}:Concrete")


MARK = "@refines(Abstract, constants={'top': 'limit'})"
EMPTY = "{'q': []}"


@pytest.mark.parametrize(
    ("mark", "returned", "words"),
    [
        (MARK, "{'q': [], 'm': 1}", "abstract has no variable 'm'"),
        (MARK, "{'q': s.q.append(1).append(0)}", "the variable q of abstract is in Sequence(0..1, up to 2)"),
        (MARK, "{}", "the variable q of abstract is in Sequence(0..1, up to 2): its sort is Sequence(0..1"),
        (MARK, "s.n", "refinement mapped returns a dictionary, as in {'n': …}, not"),
        (MARK, "{'q': [], 'n': s.up}", "the variable n of abstract is in 0..2"),
        ("@refines(Abstract)", EMPTY, "concrete has no constant 'top' for the one of abstract"),
        ("@refines(Abstract, constants={'tip': 'limit'})", EMPTY, "abstract has no constant 'tip'"),
        ("@refines(Abstract, constants={'top': 'nodes'})", EMPTY, "constant top of abstract is an integer"),
        ("@refines", EMPTY, "@refines takes the class of the abstract protocol, as in @refines(Voting)"),
        ("@refines(3)", EMPTY, "@refines takes the class of the abstract protocol"),
        (f"@invariant\n    {MARK}", EMPTY, "@invariant marks a method, not RefinementMember"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, mark: str, returned: str, words: str) -> None:
    assert words in _mistaken(tmp_path, mark, returned)


def test_what_the_abstract_protocol_does_not_assume_is_refused() -> None:
    class Even(Counter):
        """A counter to an even number."""

        def assumptions(self) -> list[tuple[bool, str]]:
            return [(self.top % 2 == 0, "top is even")]

    class Odd(Counter):
        """As the counter."""

        @refines(Even)
        def is_even(self, s: Any) -> dict[str, Any]:
            return {}

    define(Odd())
    with pytest.raises(UsageError, match="refinement is_even of odd: even assumes top is even"):
        define(Odd({"top": 3}))


def test_options_records_and_functions_are_mapped_to_wider_sorts() -> None:
    class Wide(Protocol, camel_case=True):
        """Room for more."""

        nodes = IndexSetConstant(2, kind="node")

        def state(self) -> State:
            return State(last=Option(Range(0, 9)), at=Function(self.nodes, Range(-1, 9)))

        def init(self, s: Any) -> Any:
            return s.last.is_none & (s.at == dict.fromkeys(self.nodes.values(), 0))

        @action(node="nodes")
        def put(self, s: Any, node: Any) -> Step:
            return Step(when=s.at[node] < 9, then={s.last: s.at[node], s.at[node]: s.at[node] + 1})

    class Narrow(Wide):
        """Room for two."""

        def state(self) -> State:
            return State(last=Option(Range(0, 1)), at=Function(self.nodes, Range(0, 2)))

        @action(node="nodes")
        def put(self, s: Any, node: Any) -> Step:
            return Step(when=s.at[node] < 2, then={s.last: s.at[node], s.at[node]: s.at[node] + 1})

        @refines(Wide)
        def is_wide(self, s: Any) -> dict[str, Any]:
            return {}

    assert find_verdicts(Narrow(), "IsWide", "IsWideInit")["IsWide"][0] is VerdictKind.HOLDS
