"""Paxos for measurements of building: its messages are many, and its quorums are quantified over.

Source: tlaplus/Examples, ``specifications/Paxos/Paxos.tla`` and, for the lemmas, ``PaxosProof.tla``. Messages
stay once they were sent. A quorum is any majority.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.expressions import record
from verifier.encodings.quantifiers import all_of, comprehension, exists, forall, if_, image
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set, Variant
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
    lemma,
    type_invariant,
)


class Paxos(Protocol, camel_case=True):
    """Acceptors agree on one value by ballots (single-decree Paxos); a set of messages for each type."""

    acceptors = IndexSetConstant(3, "those who vote")
    values = IndexSetConstant(2, "what may be chosen")
    ballots = IntegerConstant(2, "how many ballots there are", minimum=1)

    @property
    def ballot(self) -> Range:
        """The ballots."""
        return Range(0, self.ballots - 1)

    @property
    def earlier(self) -> Range:
        """The ballots, and -1 for none."""
        return Range(-1, self.ballots - 1)

    def state(self) -> State:
        return State(
            max_bal=Function(self.acceptors, self.earlier),
            max_vbal=Function(self.acceptors, self.earlier),
            max_val=Function(self.acceptors, Option(self.values)),
            **self.messages(),
        )

    def messages(self) -> dict[str, Any]:
        """The variables for the messages that were sent."""
        promise = Record(acc=self.acceptors, bal=self.ballot, mbal=self.earlier, val=Option(self.values))
        return {
            "m1a": Set(Record(bal=self.ballot)),
            "m1b": Set(promise),
            "m2a": Set(Record(bal=self.ballot, val=self.values)),
            "m2b": Set(Record(acc=self.acceptors, bal=self.ballot, val=self.values)),
        }

    def of_type(self, s: Any, kind: str) -> Any:
        """The messages of one type."""
        return getattr(s, f"m{kind}")

    def send(self, s: Any, kind: str, **fields: Any) -> dict[Any, Any]:
        """The assignment that sends a message."""
        sent = self.of_type(s, kind)
        return {sent: sent.add(record(sent.element, **fields))}

    def was_sent(self, s: Any, kind: str, **fields: Any) -> Any:
        """The message was sent."""
        sent = self.of_type(s, kind)
        return sent.contains(record(sent.element, **fields))

    def sender(self, m: Any) -> Any:
        """The acceptor that sent a message."""
        return m.acc

    def init(self, s: Any) -> Any:
        return (
            forall(self.acceptors, lambda a: s.max_bal[a] == -1)
            & forall(self.acceptors, lambda a: s.max_vbal[a] == -1)
            & forall(self.acceptors, lambda a: s.max_val[a].is_none)
            & all_of(*(getattr(s, name).is_empty for name in self.messages()))
        )

    def for_some_quorum(self, body: Callable[[Any], Any]) -> Any:
        """True if the formula holds for some majority."""
        least = self.acceptors.size // 2 + 1
        return exists(Set(self.acceptors), lambda quorum: (quorum.cardinality >= least) & body(quorum))

    # Actions

    @action(bal="ballot")
    def phase1a(self, s: Any, bal: Any) -> Step:
        """The leader of a ballot asks for promises."""
        return Step(when=[], then=self.send(s, "1a", bal=bal))

    @action(acc="acceptors", bal="ballot")
    def phase1b(self, s: Any, acc: Any, bal: Any) -> Step:
        """An acceptor promises to take part in no earlier ballot, and tells its last vote."""
        promise = self.send(s, "1b", acc=acc, bal=bal, mbal=s.max_vbal[acc], val=s.max_val[acc])
        return Step(
            when=[self.was_sent(s, "1a", bal=bal), bal > s.max_bal[acc]],
            then={s.max_bal[acc]: bal, **promise},
        )

    @action(bal="ballot", val="values")
    def phase2a(self, s: Any, bal: Any, val: Any) -> Step:
        """The leader asks for votes, once per ballot, for a value that a quorum shows to be safe."""

        def shows_safe(quorum: Any) -> Any:
            promises = comprehension(
                self.of_type(s, "1b"), lambda m: quorum.contains(self.sender(m)) & (m.bal == bal)
            )
            voted = comprehension(promises, lambda m: m.mbal >= 0)
            last = exists(voted, lambda m: (m.val == val) & forall(voted, lambda other: m.mbal >= other.mbal))
            return forall(quorum, lambda a: exists(promises, lambda m: m.acc == a)) & (voted.is_empty | last)

        return Step(
            when=[~exists(self.of_type(s, "2a"), lambda m: m.bal == bal), self.for_some_quorum(shows_safe)],
            then=self.send(s, "2a", bal=bal, val=val),
        )

    @action(acc="acceptors", bal="ballot", val="values")
    def phase2b(self, s: Any, acc: Any, bal: Any, val: Any) -> Step:
        """An acceptor votes as it is asked."""
        return Step(
            when=[self.was_sent(s, "2a", bal=bal, val=val), bal >= s.max_bal[acc]],
            then={
                s.max_bal[acc]: bal,
                s.max_vbal[acc]: bal,
                s.max_val[acc]: val,
                **self.send(s, "2b", acc=acc, bal=bal, val=val),
            },
        )

    # Properties

    def has_voted_for(self, s: Any, acc: Any, val: Any, bal: Any) -> Any:
        """The acceptor voted for the value in that ballot."""
        return self.was_sent(s, "2b", acc=acc, bal=bal, val=val)

    def is_chosen(self, s: Any, val: Any) -> Any:
        """A quorum voted for the value in one ballot."""
        return exists(
            self.ballot,
            lambda b: self.for_some_quorum(lambda q: forall(q, lambda a: self.has_voted_for(s, a, val, b))),
        )

    @type_invariant(name="TypeOK")
    def type_ok(self, s: Any) -> Any:
        """Acceptors voted in no ballot later than the one they are in."""
        return forall(self.acceptors, lambda a: s.max_bal[a] >= s.max_vbal[a])

    @invariant()
    def agreement(self, s: Any) -> Any:
        """At most one value is chosen."""
        return forall(
            self.values,
            self.values,
            lambda v, w: (self.is_chosen(s, v) & self.is_chosen(s, w)).implies(v == w),
        )

    # Lemmas

    def will_not_vote(self, s: Any, acc: Any, bal: Any) -> Any:
        """The acceptor did not vote in that ballot, and is beyond it."""
        voted = exists(self.values, lambda v: self.has_voted_for(s, acc, v, bal))
        return ~voted & (s.max_bal[acc] > bal)

    def is_safe_at(self, s: Any, val: Any, bal: Any) -> Any:
        """No other value was or will be chosen in an earlier ballot."""
        return forall(
            self.ballot,
            lambda c: (c < bal).implies(
                self.for_some_quorum(
                    lambda q: forall(
                        q, lambda a: self.has_voted_for(s, a, val, c) | self.will_not_vote(s, a, c)
                    )
                )
            ),
        )

    @lemma()
    def promises_are_kept(self, s: Any) -> Any:
        """An acceptor that promised a ballot is in it or beyond, and had not voted since the vote it told."""

        def between(m: Any, ballot: Any) -> Any:
            return (m.mbal < ballot) & (ballot < m.bal)

        return forall(
            self.of_type(s, "1b"),
            lambda m: (
                (m.bal <= s.max_bal[self.sender(m)])
                & if_(
                    m.mbal >= 0,
                    exists(self.values, lambda v: (m.val == v) & self.has_voted_for(s, m.acc, v, m.mbal)),
                    m.val.is_none,
                )
                & forall(
                    self.ballot,
                    self.values,
                    lambda c, v: between(m, c).implies(~self.has_voted_for(s, m.acc, v, c)),
                )
            ),
        )

    @lemma()
    def proposals_are_safe(self, s: Any) -> Any:
        """A proposed value is safe at its ballot, and the only one proposed there."""
        return forall(
            self.of_type(s, "2a"),
            lambda m: (
                self.is_safe_at(s, m.val, m.bal)
                & forall(
                    self.of_type(s, "2a"), lambda other: (other.bal == m.bal).implies(other.val == m.val)
                )
            ),
        )

    @lemma()
    def votes_were_proposed(self, s: Any) -> Any:
        """A vote is for what was proposed, and no later than the acceptor's last."""
        return forall(
            self.of_type(s, "2b"),
            lambda m: self.was_sent(s, "2a", bal=m.bal, val=m.val) & (m.bal <= s.max_vbal[self.sender(m)]),
        )

    @lemma()
    def last_votes_are_known(self, s: Any) -> Any:
        """The stored last vote of an acceptor is its last vote."""
        return forall(
            self.acceptors,
            lambda a: (
                ((s.max_vbal[a] == -1) == s.max_val[a].is_none)
                & (s.max_vbal[a] <= s.max_bal[a])
                & forall(
                    self.ballot,
                    self.values,
                    lambda b, v: ((s.max_vbal[a] == b) & (s.max_val[a] == v)).implies(
                        self.has_voted_for(s, a, v, b)
                    ),
                )
            ),
        )


class PaxosUnion(Paxos):
    """Acceptors agree on one value by ballots (single-decree Paxos); one set of messages of all types."""

    def messages(self) -> dict[str, Any]:
        message = Record(
            kind=Enum("kind", ("1a", "1b", "2a", "2b")),
            acc=Option(self.acceptors),
            bal=self.ballot,
            mbal=self.earlier,
            val=Option(self.values),
        )
        return {"msgs": Set(message)}

    def of_type(self, s: Any, kind: str) -> Any:
        sender = kind in ("1b", "2b")
        return comprehension(s.msgs, lambda m: (m.kind == kind) & (m.acc.is_some == sender))

    def send(self, s: Any, kind: str, **fields: Any) -> dict[Any, Any]:
        return {s.msgs: s.msgs.add(self._message(s, kind, fields))}

    def was_sent(self, s: Any, kind: str, **fields: Any) -> Any:
        return s.msgs.contains(self._message(s, kind, fields))

    def _message(self, s: Any, kind: str, fields: dict[str, Any]) -> Any:
        return record(s.msgs.element, **{"acc": None, "mbal": -1, "val": None, "kind": kind, **fields})

    def sender(self, m: Any) -> Any:
        return m.acc.value


class PaxosVariant(Paxos):
    """Acceptors agree on one value by ballots (single-decree Paxos); one set of a variant of messages."""

    def messages(self) -> dict[str, Any]:
        types = {name: sort.element for name, sort in super().messages().items()}
        return {"msgs": Set(Variant(**types))}

    def of_type(self, s: Any, kind: str) -> Any:
        return image(m.payload(f"m{kind}") for m in s.msgs if m.is_(f"m{kind}"))

    def send(self, s: Any, kind: str, **fields: Any) -> dict[Any, Any]:
        return {s.msgs: s.msgs.add(s.msgs.element.make(f"m{kind}", **fields))}

    def was_sent(self, s: Any, kind: str, **fields: Any) -> Any:
        return s.msgs.contains(s.msgs.element.make(f"m{kind}", **fields))
