"""Paxos: acceptors choose one value by voting in ballots, whatever messages are lost or late.

Source: Lamport, The Part-Time Parliament, ACM TOCS 16(2), 1998, doi:10.1145/279227.279229; tlaplus/Examples,
``specifications/Paxos/Paxos.tla``, and for the lemmas ``PaxosProof.tla``. Messages stay once they were sent.
There is a set of messages for each type. A quorum is any majority.
"""

from __future__ import annotations

from typing import Any

from voting import Voting

from verifier import (
    BooleanConstant,
    Element,
    Fairness,
    Fields,
    Formula,
    Function,
    IndexSetConstant,
    Integer,
    IntegerConstant,
    Option,
    Protocol,
    Range,
    Record,
    Set,
    SetValue,
    State,
    Step,
    TemporalFormula,
    action,
    comprehension,
    eventually,
    exists,
    field,
    forall,
    function,
    if_,
    invariant,
    lemma,
    refines,
    step_invariant,
    temporal,
    variable,
    weak,
)


class Promise(Fields):
    """1b: an acceptor has entered a ballot, and tells its last vote."""

    def __init__(self, p: Paxos) -> None:
        self.acc = field(p.acceptor)
        self.bal = field(p.ballot)
        self.mbal = field(p.ballot_or_none)
        self.mval = field(Option(p.value))


class Proposal(Fields):
    """2a: the leader of a ballot asks for votes for a value."""

    def __init__(self, p: Paxos) -> None:
        self.bal = field(p.ballot)
        self.val = field(p.value)


class Vote(Fields):
    """2b: an acceptor has voted."""

    def __init__(self, p: Paxos) -> None:
        self.acc = field(p.acceptor)
        self.bal = field(p.ballot)
        self.val = field(p.value)


class PaxosState(State):
    """What acceptors remember, and the messages."""

    def __init__(self, p: Paxos) -> None:
        self.max_bal = variable(Function(p.acceptor, p.ballot_or_none))
        self.max_vbal = variable(Function(p.acceptor, p.ballot_or_none))
        self.max_val = variable(Function(p.acceptor, Option(p.value)))
        self.msgs_1a = variable(Set(p.ballot))
        self.msgs_1b = variable(Set(Record(Promise(p))))
        self.msgs_2a = variable(Set(Record(Proposal(p))))
        self.msgs_2b = variable(Set(Record(Vote(p))))


class Paxos(Protocol, camel_case=True):
    """At most one value is chosen."""

    acceptor = IndexSetConstant(3, "who votes", kind="acceptor")
    value = IndexSetConstant(2, "what may be chosen", kind="value")
    ballots = IntegerConstant(2, "how many ballots there are", minimum=1)
    heeds_votes = BooleanConstant(True, "a leader proposes the value of the last vote that it is told")

    @property
    def ballot(self) -> Range:
        """The ballots."""
        return Range(0, self.ballots - 1)

    @property
    def ballot_or_none(self) -> Range:
        """The ballots, and -1 for none."""
        return Range(-1, self.ballots - 1)

    @property
    def group(self) -> Set[Element]:
        """The sets of acceptors."""
        return Set(self.acceptor)

    def is_quorum(self, q: SetValue[Element]) -> Formula:
        """The set is a majority."""
        return q.cardinality > self.acceptor.size // 2

    def state(self) -> PaxosState:
        return PaxosState(self)

    def init(self, s: PaxosState) -> list[Formula]:
        return [
            forall(s.max_bal[a] == -1 for a in self.acceptor),
            forall((s.max_vbal[a] == -1) & s.max_val[a].is_none for a in self.acceptor),
            s.msgs_1a.is_empty,
            s.msgs_1b.is_empty,
            s.msgs_2a.is_empty,
            s.msgs_2b.is_empty,
        ]

    @action(b="ballot")
    def phase1a(self, s: PaxosState, b: Integer) -> Step:
        """The leader of a ballot asks the acceptors to enter it."""
        return Step(then={s.msgs_1a: s.msgs_1a.add(b)})

    @action(a="acceptor", b="ballot")
    def phase1b(self, s: PaxosState, a: Element, b: Integer) -> Step:
        """An acceptor enters a later ballot, and tells its last vote."""
        promise = {"acc": a, "bal": b, "mbal": s.max_vbal[a], "mval": s.max_val[a]}
        return Step(
            when=[s.msgs_1a.contains(b), b > s.max_bal[a]],
            then={s.max_bal[a]: b, s.msgs_1b: s.msgs_1b.add(promise)},
        )

    @action(b="ballot", v="value")
    def phase2a(self, s: PaxosState, b: Integer, v: Element) -> Step:
        """The leader proposes, once, a value that the promises of a quorum show to be safe."""

        def shows_safe(q: SetValue[Element]) -> Formula:
            q1b = comprehension(m for m in s.msgs_1b if q.contains(m.acc) & (m.bal == b))
            q1bv = comprehension(m for m in q1b if m.mbal >= 0)
            last = exists((m.mval == v) & forall(m.mbal >= mm.mbal for mm in q1bv) for m in q1bv)
            promised = forall(exists(m.acc == a for m in q1b) for a in q)
            return promised & (q1bv.is_empty | last | (not self.heeds_votes))

        return Step(
            when=[
                ~exists(m.bal == b for m in s.msgs_2a),
                exists(shows_safe(q) for q in self.group if self.is_quorum(q)),
            ],
            then={s.msgs_2a: s.msgs_2a.add({"bal": b, "val": v})},
        )

    @action(a="acceptor", b="ballot", v="value")
    def phase2b(self, s: PaxosState, a: Element, b: Integer, v: Element) -> Step:
        """An acceptor that is in no later ballot votes as it is asked."""
        return Step(
            when=[s.msgs_2a.contains({"bal": b, "val": v}), b >= s.max_bal[a]],
            then={
                s.max_bal[a]: b,
                s.max_vbal[a]: b,
                s.max_val[a]: v,
                s.msgs_2b: s.msgs_2b.add({"acc": a, "bal": b, "val": v}),
            },
        )

    def voted_for(self, s: PaxosState, a: Element, b: Integer, v: Element) -> Formula:
        """The acceptor voted for the value in the ballot."""
        return s.msgs_2b.contains({"acc": a, "bal": b, "val": v})

    def chosen(self, s: PaxosState, v: Element) -> Formula:
        """A quorum voted for the value in one ballot."""
        return exists(
            forall(self.voted_for(s, a, b, v) for a in q)
            for b in self.ballot
            for q in self.group
            if self.is_quorum(q)
        )

    @invariant
    def agreement(self, s: PaxosState) -> Formula:
        """At most one value is chosen."""
        return forall(
            (self.chosen(s, v) & self.chosen(s, w)).implies(v == w) for v in self.value for w in self.value
        )

    @step_invariant
    def choices_stand(self, s: PaxosState, after: PaxosState) -> Formula:
        """What is chosen stays chosen."""
        return forall(self.chosen(s, v).implies(self.chosen(after, v)) for v in self.value)

    @step_invariant
    def ballots_never_fall(self, s: PaxosState, after: PaxosState) -> Formula:
        """No acceptor returns to an earlier ballot."""
        return forall(s.max_bal[a] <= after.max_bal[a] for a in self.acceptor)

    @refines(Voting)
    def is_voting(self, s: PaxosState) -> dict[str, Any]:
        """Paxos implements voting: the votes are those that acceptors have sent."""

        def votes(a: Element) -> SetValue[Proposal]:
            return comprehension(p for p in Record(Proposal(self)) if self.voted_for(s, a, p.bal, p.val))

        return {"votes": function(votes(a) for a in self.acceptor), "max_bal": s.max_bal}

    @temporal
    def something_is_chosen(self, s: PaxosState) -> TemporalFormula:
        """Some time a value is chosen."""
        return eventually(exists(self.chosen(s, v) for v in self.value))

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """The leader of the last ballot, which no other one interrupts, does what it can, and so do the
        acceptors of one majority."""
        last = self.ballots - 1
        leader = [weak("phase1a", given={"b": last}), weak("phase2a", each="v", given={"b": last})]
        some = list(self.acceptor.values())[: self.acceptor.size // 2 + 1]
        majority = [weak("phase1b", "phase2b", given={"a": a}) for a in some]
        return {"stable-leader": [*leader, *majority], "leader": leader, "acceptors": majority}

    # Why at most one value is chosen

    @lemma
    def last_votes(self, s: PaxosState) -> Formula:
        """An acceptor remembers its last vote, which is in no later ballot than the one that it is in."""
        return forall(
            (s.max_vbal[a] <= s.max_bal[a])
            & if_(
                s.max_vbal[a] == -1,
                s.max_val[a].is_none,
                exists((s.max_val[a] == v) & self.voted_for(s, a, s.max_vbal[a], v) for v in self.value),
            )
            for a in self.acceptor
        )

    @lemma
    def promises(self, s: PaxosState) -> Formula:
        """Promises are kept: the acceptor did not vote between the vote that it told and the ballot."""
        return forall(
            (m.bal <= s.max_bal[m.acc])
            & if_(
                m.mbal == -1,
                m.mval.is_none,
                exists((m.mval == v) & self.voted_for(s, m.acc, m.mbal, v) for v in self.value),
            )
            & forall(
                ~self.voted_for(s, m.acc, b, v)
                for b in self.ballot
                if (m.mbal < b) & (b < m.bal)
                for v in self.value
            )
            for m in s.msgs_1b
        )

    def will_not_vote(self, s: PaxosState, a: Element, b: Integer) -> Formula:
        """The acceptor did not vote in the ballot and is beyond it."""
        return (s.max_bal[a] > b) & forall(~self.voted_for(s, a, b, v) for v in self.value)

    def safe_at(self, s: PaxosState, b: Integer, v: Element) -> Formula:
        """No other value was or will be chosen in an earlier ballot."""
        return forall(
            exists(
                forall(self.voted_for(s, a, c, v) | self.will_not_vote(s, a, c) for a in q)
                for q in self.group
                if self.is_quorum(q)
            )
            for c in self.ballot
            if c < b
        )

    @lemma
    def proposals(self, s: PaxosState) -> Formula:
        """A proposed value is safe, and the only one that is proposed in its ballot."""
        return forall(
            self.safe_at(s, m.bal, m.val) & forall(mm.val == m.val for mm in s.msgs_2a if mm.bal == m.bal)
            for m in s.msgs_2a
        )

    @lemma
    def votes(self, s: PaxosState) -> Formula:
        """A vote is for what was proposed, and in no later ballot than the acceptor's last."""
        return forall(
            s.msgs_2a.contains({"bal": m.bal, "val": m.val}) & (m.bal <= s.max_vbal[m.acc]) for m in s.msgs_2b
        )
