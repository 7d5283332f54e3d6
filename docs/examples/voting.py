"""Voting: how acceptors choose one value, whatever messages tell them what is safe to vote for.

Source: Lamport, tlaplus/Examples, ``specifications/Paxos/Voting.tla``. A quorum is any majority.
"""

from __future__ import annotations

from verifier import (
    Element,
    Fields,
    Formula,
    Function,
    IndexSetConstant,
    Integer,
    IntegerConstant,
    Protocol,
    Range,
    Record,
    Set,
    SetValue,
    State,
    Step,
    action,
    exists,
    field,
    forall,
    invariant,
    lemma,
    variable,
)


class Vote(Fields):
    """What an acceptor has voted for, and in which ballot."""

    def __init__(self, p: Voting) -> None:
        self.bal = field(p.ballot)
        self.val = field(p.value)


class VotingState(State):
    """The votes, and the ballots that the acceptors have come to."""

    def __init__(self, p: Voting) -> None:
        self.votes = variable(Function(p.acceptor, Set(Record(Vote(p)))))
        self.max_bal = variable(Function(p.acceptor, p.ballot_or_none))


class Voting(Protocol, camel_case=True):
    """At most one value is chosen by a majority of votes in one ballot."""

    acceptor = IndexSetConstant(3, "who votes", kind="acceptor")
    value = IndexSetConstant(2, "what may be chosen", kind="value")
    ballots = IntegerConstant(2, "how many ballots there are", minimum=1)

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

    def state(self) -> VotingState:
        return VotingState(self)

    def init(self, s: VotingState) -> Formula:
        return forall(s.votes[a].is_empty & (s.max_bal[a] == -1) for a in self.acceptor)

    def voted_for(self, s: VotingState, a: Element, b: Integer, v: Element) -> Formula:
        """The acceptor voted for the value in the ballot."""
        return s.votes[a].contains({"bal": b, "val": v})

    def did_not_vote_at(self, s: VotingState, a: Element, b: Integer) -> Formula:
        """The acceptor did not vote in the ballot."""
        return forall(~self.voted_for(s, a, b, v) for v in self.value)

    def shows_safe_at(self, s: VotingState, q: SetValue[Element], b: Integer, v: Element) -> Formula:
        """The acceptors of the set vote no more before the ballot, and the last one who did voted for v."""
        return forall(s.max_bal[a] >= b for a in q) & exists(
            ((c == -1) | exists(self.voted_at(s, a, c, v) for a in q))
            & forall(self.did_not_vote_at(s, a, d) for a in q for d in self.ballot if (c < d) & (d < b))
            for c in self.ballot_or_none
            if c < b
        )

    def voted_at(self, s: VotingState, a: Element, c: Integer, v: Element) -> Formula:
        """The acceptor voted for the value in the ballot, if it is one."""
        return exists((b == c) & self.voted_for(s, a, b, v) for b in self.ballot)

    @action(a="acceptor", b="ballot")
    def increase_max_bal(self, s: VotingState, a: Element, b: Integer) -> Step:
        """An acceptor promises not to vote before the ballot."""
        return Step(when=b > s.max_bal[a], then={s.max_bal[a]: b})

    @action(a="acceptor", b="ballot", v="value")
    def vote_for(self, s: VotingState, a: Element, b: Integer, v: Element) -> Step:
        """An acceptor votes, once in a ballot, for a safe value for which others vote in the ballot."""
        return Step(
            when=[
                s.max_bal[a] <= b,
                self.did_not_vote_at(s, a, b),
                forall(
                    vote.val == v for c in self.acceptor if c != a for vote in s.votes[c] if vote.bal == b
                ),
                exists(self.shows_safe_at(s, q, b, v) for q in self.group if self.is_quorum(q)),
            ],
            then={s.votes[a]: s.votes[a].add({"bal": b, "val": v}), s.max_bal[a]: b},
        )

    def chosen(self, s: VotingState, v: Element) -> Formula:
        """A quorum voted for the value in one ballot."""
        return exists(
            forall(self.voted_for(s, a, b, v) for a in q)
            for b in self.ballot
            for q in self.group
            if self.is_quorum(q)
        )

    @invariant
    def agreement(self, s: VotingState) -> Formula:
        """At most one value is chosen."""
        return forall(
            (self.chosen(s, v) & self.chosen(s, w)).implies(v == w) for v in self.value for w in self.value
        )

    # Why at most one value is chosen

    def cannot_vote_at(self, s: VotingState, a: Element, b: Integer) -> Formula:
        """The acceptor did not vote in the ballot and is beyond it."""
        return (s.max_bal[a] > b) & self.did_not_vote_at(s, a, b)

    def safe_at(self, s: VotingState, b: Integer, v: Element) -> Formula:
        """No other value was or will be chosen in an earlier ballot."""
        return forall(
            exists(
                forall(self.voted_for(s, a, c, v) | self.cannot_vote_at(s, a, c) for a in q)
                for q in self.group
                if self.is_quorum(q)
            )
            for c in self.ballot
            if c < b
        )

    @lemma
    def votes_safe(self, s: VotingState) -> Formula:
        """Votes are for safe values."""
        return forall(
            self.safe_at(s, vote.bal, vote.val) for a in self.acceptor for vote in s.votes[a]
        )

    @lemma
    def one_value_per_ballot(self, s: VotingState) -> Formula:
        """All votes of a ballot are for the same value."""
        return forall(
            one.val == other.val
            for a in self.acceptor
            for c in self.acceptor
            for one in s.votes[a]
            for other in s.votes[c]
            if one.bal == other.bal
        )
