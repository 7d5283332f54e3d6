"""Step invariants: which steps they speak of, at which depth one breaks them, and that replay tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import verifier
from tests.support.models import build
from verifier.clauses.unrolling import Steps
from verifier.encodings.expressions import some
from verifier.encodings.quantifiers import count, exists, forall
from verifier.encodings.sorts import Function, Option, Range, Set
from verifier.engines import bmc, explore, induction, simulate
from verifier.engines.bounded_search import DepthClosed, Search, ViolationFound, search
from verifier.engines.ic3.search import Counterexample, Proof
from verifier.engines.provers import ic3_certificate, ic3_work
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    define,
    free,
    invariant,
    lemma,
    step_invariant,
)
from verifier.system.model import Model
from verifier.text.failure import render_failure
from verifier.trust.certify import check
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Trace
from verifier.verdict import VerdictKind

HOLDS, VIOLATED = VerdictKind.HOLDS, VerdictKind.VIOLATED


Found = dict[str, tuple[VerdictKind, int | None]]


def explore_verdicts(model: Model, *names: str, depth: int | None = None) -> Found:
    """The verdict of each property by exploration, and the actions of its counterexample."""
    request = explore.Request(names, max_depth=depth, keep_going=True)
    found = explore.explore(model, request)
    return {verdict.property_name: (verdict.kind, verdict.steps) for verdict in found.verdicts}


def events_of(model: Model, depth: int, names: tuple[str, ...], steps: Steps, symmetry: bool) -> list[Any]:
    """Return the reports of a bounded search. No violation is shortened: one that is too long is searched
    again."""
    events: list[Any] = []
    task = Search(steps, "cadical", depth, names, symmetry)
    search(model.system, task, events.append, is_within=lambda _: False)
    return events


def search_bounded(model: Model, depth: int, name: str, steps: Steps, symmetry: bool = True) -> Trace | int:
    """The counterexample within the depth that one bounded search finds, or the depth that it closes."""
    events = events_of(model, depth, (name,), steps, symmetry)
    for event in events:
        if isinstance(event, ViolationFound):
            taken = [(model.system.instances[f.instance], f.inputs) for f in event.firings]
            found = Replayer(model).execute(event.initial, taken, name)
            if found.steps <= depth:
                return found
    return max(event.depth for event in events if isinstance(event, DepthClosed))


def everywhere(model: Model, name: str, least: int | None, deepest: int) -> None:
    """Every search agrees that the property is violated by so many actions at least, or not at all."""
    for depth in range(deepest + 1):
        within = least is not None and least <= depth
        expected = (VIOLATED, least) if within else (HOLDS, None)
        assert explore_verdicts(model, name, depth=depth)[name] == expected, depth
        for steps in Steps:
            for symmetry in (True, False):
                found = search_bounded(model, depth, name, steps, symmetry)
                if isinstance(found, Trace):
                    Replayer(model).check(found)
                    assert least is not None
                    assert least <= found.steps <= (least if steps is Steps.SERIAL else depth)
                else:
                    assert (found, within) == (depth, False), (depth, steps, symmetry)
    assert explore_verdicts(model, name)[name] == ((HOLDS, None) if least is None else (VIOLATED, least))


class Counter(Protocol, camel_case=True):
    """A counter that goes up, falls from its top, and may rest."""

    top = IntegerConstant(3)
    bound = IntegerConstant(9)

    def state(self) -> State:
        return State(n=Range(0, self.top))

    def init(self, s: Any) -> Any:
        return s.n == 0

    def constraint(self, s: Any) -> Any:
        return s.n <= self.bound

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.n < self.top], then={s.n: s.n + 1})

    @action
    def fall(self, s: Any) -> Step:
        return Step(when=[s.n == self.top], then={s.n: 0})

    @action
    def rest(self, s: Any) -> Step:
        return Step(when=[], then={s.n: s.n})

    @step_invariant
    def never_falls(self, s: Any, after: Any) -> Any:
        return s.n <= after.n

    @step_invariant
    def always_moves(self, s: Any, after: Any) -> Any:
        """A step that changes nothing satisfies it."""
        return s.n != after.n

    @step_invariant(default=False)
    def stays_low(self, s: Any, after: Any) -> Any:
        return after.n < self.top

    @step_invariant(default=False)
    def moves_nowhere(self, s: Any, after: Any) -> Any:
        return s.n == after.n


def test_the_step_that_breaks_it_counts() -> None:
    model = build(Counter())
    everywhere(model, "NeverFalls", 4, 5)
    everywhere(model, "StaysLow", 3, 4)
    everywhere(model, "MovesNowhere", 1, 2)


def test_a_step_that_changes_nothing_satisfies_every_step_invariant() -> None:
    everywhere(build(Counter({"top": 2})), "AlwaysMoves", None, 4)


def test_steps_lead_out_of_the_constraint_but_none_goes_on_from_there() -> None:
    model = build(Counter({"bound": 2}))
    everywhere(model, "NeverFalls", None, 5)  # 3, where it would fall, is beyond the constraint
    everywhere(model, "StaysLow", 3, 4)  # the step to 3 is taken


class Flags(Protocol, camel_case=True):
    """Every node raises its flag; once all are up, one may be lowered."""

    nodes = IndexSetConstant(4, kind="node")

    def state(self) -> State:
        return State(up=Set(self.nodes), lowered=Option(self.nodes))

    def init(self, s: Any) -> Any:
        return s.up.is_empty & s.lowered.is_none

    @action(node="nodes")
    def rise(self, s: Any, node: Any) -> Step:
        return Step(when=[~s.up.contains(node), s.lowered.is_none], then={s.up: s.up.add(node)})

    @action(node="nodes")
    def lower(self, s: Any, node: Any) -> Step:
        all_up = forall(self.nodes, s.up.contains)
        return Step(when=[all_up], then={s.up: s.up.remove(node), s.lowered: some(node)})

    @step_invariant
    def flags_stay(self, s: Any, after: Any) -> Any:
        return s.up <= after.up

    @step_invariant
    def one_changes(self, s: Any, after: Any) -> Any:
        return count(self.nodes, lambda n: s.up.contains(n) != after.up.contains(n)) <= 1

    @invariant
    def not_all_up(self, s: Any) -> Any:
        return exists(self.nodes, lambda n: ~s.up.contains(n))


def test_parallel_steps_are_looked_at_one_by_one_and_keep_to_the_depth() -> None:
    """Four flags rise in one parallel step; what breaks the property is the fifth action."""
    model = build(Flags())
    everywhere(model, "OneChanges", None, 5)
    everywhere(model, "FlagsStay", 5, 6)  # it ends in a deadlock


@pytest.mark.parametrize(("name", "least"), [("FlagsStay", 5), ("OneChanges", None), ("NotAllUp", 4)])
def test_a_search_that_leaps_meets_what_happens_between(name: str, least: int | None) -> None:
    model = build(Flags())
    events: list[Any] = []
    search(model.system, Search(Steps.PARALLEL, "cadical", 20, (name,), stride=10), events.append)
    found = [event for event in events if isinstance(event, ViolationFound)]
    assert [event.depth for event in events if isinstance(event, DepthClosed)] == (
        [0] if least else [0, 10, 20]
    )
    assert len(found) == (0 if least is None else 1)
    for event in found:
        taken = [(model.system.instances[f.instance], f.inputs) for f in event.firings]
        trace = Replayer(model).execute(event.initial, taken, name)
        Replayer(model).check(trace)
        assert least is not None
        assert trace.steps >= least


@pytest.mark.parametrize("steps", list(Steps))
def test_the_limit_of_actions_leaves_other_properties_their_last_action(steps: Steps) -> None:
    """The state in which the fifth action would break the one is the state that violates the other."""
    events = events_of(build(Flags()), 4, ("FlagsStay", "NotAllUp"), steps, True)
    found = [e for e in events if isinstance(e, ViolationFound) and len(e.firings) <= 4]
    assert "NotAllUp" in {event.violates for event in found}
    closed = [event for event in events if isinstance(event, DepthClosed) and "FlagsStay" in event.properties]
    assert closed[-1].depth == 4


class Choosing(Protocol, camel_case=True):
    """A free choice, of which one value breaks the property, and one leaves the sort."""

    values = Range(0, 3)
    kept = IntegerConstant(3)

    def state(self) -> State:
        return State(n=Range(0, self.kept), last=Option(self.values))

    def init(self, s: Any) -> Any:
        return (s.n == 1) & s.last.is_none

    @action(value=free("values"))
    def choose(self, s: Any, value: Any) -> Step:
        return Step(when=[s.last.is_none, value > 0], then={s.n: value, s.last: some(value)})

    @step_invariant
    def not_three(self, s: Any, after: Any) -> Any:
        return after.n != 3

    @step_invariant(default=False)
    def last_is_new(self, s: Any, after: Any) -> Any:
        """It reads what has no value."""
        return s.last.value != after.last.value


def test_a_free_parameter_counts_with_each_of_its_values() -> None:
    model = build(Choosing())
    everywhere(model, "NotThree", 1, 2)
    found = search_bounded(model, 1, "NotThree", Steps.SERIAL)
    assert isinstance(found, Trace)
    assert str(found.actions[-1]) == "Choose(value=3)"


def test_a_step_that_is_not_taken_breaks_nothing() -> None:
    """A value that would leave its sort is what is violated."""
    found = explore_verdicts(build(Choosing({"kept": 2})), "NotThree", "TypeInvariant")
    assert found == {"NotThree": (HOLDS, None), "TypeInvariant": (VIOLATED, 0)}


def test_a_step_invariant_that_reads_what_has_no_value_is_reported_only_if_asked() -> None:
    model = build(Choosing())
    found = explore_verdicts(model, "LastIsNew", "UndefinedRead")
    assert found["UndefinedRead"] == (VIOLATED, 0)
    assert found["LastIsNew"][0] is VerdictKind.INCONCLUSIVE
    request = bmc.Request(("LastIsNew",), 2)
    breach = next(v for v in bmc.check(model, request).verdicts if v.property_name == "UndefinedRead")
    assert breach.trace is not None
    shown = "\n".join(str(line) for line in render_failure(model, breach.trace, 100))
    assert "the property LastIsNew in the step Choose() reads" in shown
    assert explore_verdicts(model, "NotThree") == {"NotThree": (VIOLATED, 1)}


def test_random_walks_do_not_look_beyond_their_last_action() -> None:
    model = build(Counter())
    for depth, kind in ((3, VerdictKind.INCONCLUSIVE), (4, VIOLATED)):
        request = simulate.Request(("NeverFalls",), walks=200, depth=depth)
        (verdict,) = simulate.simulate(model, request).verdicts
        assert verdict.kind is kind
        assert verdict.steps in (None, 4)


class Terms(Protocol, camel_case=True):
    """Nodes whose terms go up; a candidate falls back, which only a lemma excludes."""

    nodes = IndexSetConstant(2, kind="node")
    terms = Range(0, 2)

    def state(self) -> State:
        return State(term=Function(self.nodes, self.terms), voted=Set(self.nodes), stale=Set(self.nodes))

    def init(self, s: Any) -> Any:
        return forall(self.nodes, lambda n: s.term[n] == 0) & s.voted.is_empty & s.stale.is_empty

    @action(node="nodes")
    def vote(self, s: Any, node: Any) -> Step:
        return Step(
            when=[s.term[node] < 2, ~s.stale.contains(node)],
            then={s.term[node]: s.term[node] + 1, s.voted: s.voted.add(node)},
        )

    @action(node="nodes")
    def expire(self, s: Any, node: Any) -> Step:
        return Step(when=[~s.voted.contains(node)], then={s.stale: s.stale.add(node)})

    @action(node="nodes")
    def forget(self, s: Any, node: Any) -> Step:
        return Step(when=[s.stale.contains(node)], then={s.term[node]: 0})

    @step_invariant
    def terms_never_fall(self, s: Any, after: Any) -> Any:
        return forall(self.nodes, lambda n: s.term[n] <= after.term[n])

    @step_invariant
    def votes_stay_away(self, s: Any, after: Any) -> Any:
        return after.voted.is_empty

    @lemma
    def who_is_stale_has_no_term(self, s: Any) -> Any:
        return forall(self.nodes, lambda n: s.stale.contains(n).implies(s.term[n] == 0))

    @lemma
    def who_has_a_term_voted(self, s: Any) -> Any:
        return forall(self.nodes, lambda n: (s.term[n] > 0).implies(s.voted.contains(n)))


def test_ic3_proves_and_refutes_and_the_certificate_needs_its_clauses() -> None:
    model = build(Terms())

    def answer(name: str, lemmas: bool) -> Any:
        events: list[Any] = []
        ic3_work(model, name, lemmas)(events.append, None)  # type: ignore[arg-type]
        return events[-1]

    proof = answer("TermsNeverFall", lemmas=False)
    assert isinstance(proof, Proof)
    certificate = ic3_certificate(model, "TermsNeverFall", proof)
    assert not check(model, certificate, "z3").failed
    assert any(item.certain for item in check(model, replace(certificate, clauses=()), "z3").failed)
    # A proof of one step invariant is none of another.
    other = replace(certificate, property_name="VotesStayAway")
    assert any(item.certain for item in check(model, other, "z3").failed)
    refuted = answer("VotesStayAway", lemmas=False)
    assert isinstance(refuted, Counterexample)
    firings = [(model.system.instances[index], inputs) for index, inputs in refuted.firings]
    assert Replayer(model).execute(refuted.initial, firings, "VotesStayAway").steps == 1


def test_induction_takes_lemmas_and_shows_the_step_that_breaks_the_property() -> None:
    model = build(Terms())
    proved = induction.induct(model, induction.Request("TermsNeverFall"))
    assert proved.verdicts[0].kind is VerdictKind.PROVED
    alone = induction.induct(model, induction.Request("TermsNeverFall", lemmas=())).verdicts[0]
    assert alone.kind is VerdictKind.NOT_INDUCTIVE
    assert alone.trace is not None
    assert alone.trace.actions[-1].name == "Forget"
    assert alone.reason is not None
    assert "a step violates TermsNeverFall; the first state" in alone.reason
    first = induction.induct(model, induction.Request("VotesStayAway")).verdicts[0]
    assert (first.kind, first.steps) == (VIOLATED, 1)


def test_replay_reads_the_last_step_itself() -> None:
    model = build(Counter())
    found = search_bounded(model, 4, "NeverFalls", Steps.SERIAL)
    assert isinstance(found, Trace)
    replayer = Replayer(model)
    replayer.check(found)
    cut = replace(found, states=found.states[:-1], actions=found.actions[:-1])
    again = replace(
        found, states=(*found.states, found.states[1]), actions=(*found.actions, found.actions[0])
    )
    for wrong in (cut, again, replace(cut, states=cut.states[:1], actions=())):
        with pytest.raises(ReplayFailure, match=r"NeverFalls (holds of the last step|is about steps)"):
            replayer.check(wrong)
    lines = [str(line) for line in render_failure(model, found, 100)]
    assert lines[0] == "NeverFalls fails in step 4, Fall():"
    assert lines[1:] == ["  n ≤ n' is false", "  where n = 3, n' = 0"]


def test_scripts_get_the_step_in_the_trace() -> None:
    found = verifier.load(Counter).bmc("NeverFalls", depth=4)
    assert found.exit_code == 10
    (result,) = found.to_dict()["results"]
    assert result["steps"] == 4
    assert len(result["trace"]["states"]) == 5
    assert "fails in step 4, Fall()" in found.to_text()


def test_the_two_states_are_told_apart_by_the_hash() -> None:
    class Turned(Counter):
        name = "counter"

        @step_invariant
        def never_falls(self, s: Any, after: Any) -> Any:
            return after.n <= s.n

    assert define(Turned()).spec_hash != define(Counter()).spec_hash


def test_a_step_invariant_takes_two_states() -> None:
    class Mistaken(Counter):
        @step_invariant
        def never_falls(self, s: Any) -> Any:
            return s.n >= 0

    with pytest.raises(DefinitionError, match=r"takes \(self, s, after\), not \(self, s\)"):
        define(Mistaken())
