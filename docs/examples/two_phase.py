"""Two-phase commit: a transaction manager asks all resource managers, and commits if all are prepared.

Source: Gray and Lamport, Consensus on Transaction Commit, ACM TODS 31(1), 2006, doi:10.1145/1132863.1132867;
tlaplus/Examples, ``specifications/transaction_commit/TwoPhase.tla`` and ``TCommit.tla``. Messages stay once
they were sent. There is a set of messages for each type.
"""

from __future__ import annotations

from typing import Any

from transaction_commit import RM, TransactionCommit

from verifier import (
    BooleanConstant,
    Element,
    Enum,
    Formula,
    Function,
    IndexSetConstant,
    Members,
    Protocol,
    Set,
    State,
    Step,
    action,
    forall,
    invariant,
    lemma,
    member,
    refines,
    step_invariant,
    variable,
)


class TM(Members):
    """What the transaction manager has decided."""

    INIT = member("init")
    COMMITTED = member("committed")
    ABORTED = member("aborted")


class Decision(Members):
    """What the transaction manager tells all resource managers."""

    COMMIT = member("Commit")
    ABORT = member("Abort")


class TwoPhaseState(State):
    """The managers, and the messages between them."""

    def __init__(self, p: TwoPhase) -> None:
        self.rm_state = variable(Function(p.rm, Enum(RM)))
        self.tm_state = variable(Enum(TM))
        self.tm_prepared = variable(Set(p.rm))
        self.prepared_msgs = variable(Set(p.rm))
        self.decision_msgs = variable(Set(Enum(Decision)))


class TwoPhase(Protocol, camel_case=True):
    """A transaction is committed at all resource managers or at none."""

    rm = IndexSetConstant(3, "the resource managers", kind="rm")
    waits_for_all = BooleanConstant(True, "the transaction manager commits only when all are prepared")

    def state(self) -> TwoPhaseState:
        return TwoPhaseState(self)

    def init(self, s: TwoPhaseState) -> list[Formula]:
        return [
            forall(s.rm_state[rm] == RM.WORKING for rm in self.rm),
            s.tm_state == TM.INIT,
            s.tm_prepared.is_empty,
            s.prepared_msgs.is_empty,
            s.decision_msgs.is_empty,
        ]

    @action(rm="rm")
    def tm_rcv_prepared(self, s: TwoPhaseState, rm: Element) -> Step:
        """The transaction manager learns that a resource manager is prepared."""
        return Step(
            when=[s.tm_state == TM.INIT, s.prepared_msgs.contains(rm)],
            then={s.tm_prepared: s.tm_prepared.add(rm)},
        )

    @action
    def tm_commit(self, s: TwoPhaseState) -> Step:
        """The transaction manager commits, because all resource managers are prepared."""
        return Step(
            when=[s.tm_state == TM.INIT, (s.tm_prepared == self.rm) | (not self.waits_for_all)],
            then={s.tm_state: TM.COMMITTED, s.decision_msgs: s.decision_msgs.add(Decision.COMMIT)},
        )

    @action
    def tm_abort(self, s: TwoPhaseState) -> Step:
        """The transaction manager aborts, for whatever reason."""
        return Step(
            when=s.tm_state == TM.INIT,
            then={s.tm_state: TM.ABORTED, s.decision_msgs: s.decision_msgs.add(Decision.ABORT)},
        )

    @action(rm="rm")
    def rm_prepare(self, s: TwoPhaseState, rm: Element) -> Step:
        """A resource manager prepares, and says so."""
        return Step(
            when=s.rm_state[rm] == RM.WORKING,
            then={s.rm_state[rm]: RM.PREPARED, s.prepared_msgs: s.prepared_msgs.add(rm)},
        )

    @action(rm="rm")
    def rm_choose_to_abort(self, s: TwoPhaseState, rm: Element) -> Step:
        """A resource manager aborts by itself, and tells nobody."""
        return Step(when=s.rm_state[rm] == RM.WORKING, then={s.rm_state[rm]: RM.ABORTED})

    @action(rm="rm")
    def rm_rcv_commit_msg(self, s: TwoPhaseState, rm: Element) -> Step:
        """A resource manager commits as it is told."""
        return Step(when=s.decision_msgs.contains(Decision.COMMIT), then={s.rm_state[rm]: RM.COMMITTED})

    @action(rm="rm")
    def rm_rcv_abort_msg(self, s: TwoPhaseState, rm: Element) -> Step:
        """A resource manager aborts as it is told."""
        return Step(when=s.decision_msgs.contains(Decision.ABORT), then={s.rm_state[rm]: RM.ABORTED})

    @invariant
    def consistent(self, s: TwoPhaseState) -> Formula:
        """No resource manager has aborted where another has committed."""
        return forall(
            ~((s.rm_state[one] == RM.ABORTED) & (s.rm_state[other] == RM.COMMITTED))
            for one in self.rm
            for other in self.rm
        )

    @step_invariant
    def decisions_stand(self, s: TwoPhaseState, after: TwoPhaseState) -> list[Formula]:
        """What a manager has decided never changes."""
        return [
            forall(
                after.rm_state[rm] == s.rm_state[rm]
                for rm in self.rm
                if (s.rm_state[rm] == RM.COMMITTED) | (s.rm_state[rm] == RM.ABORTED)
            ),
            (s.tm_state == TM.INIT) | (after.tm_state == s.tm_state),
        ]

    @refines(TransactionCommit)
    def is_transaction_commit(self, s: TwoPhaseState) -> dict[str, Any]:
        """The protocol implements transaction commit: it only adds who tells the resource managers."""
        return {"rm_state": s.rm_state}

    # Why it is consistent

    @lemma
    def tm_keeps_its_word(self, s: TwoPhaseState) -> list[Formula]:
        """The transaction manager says what it has decided, and commits only if all are prepared."""
        return [
            s.decision_msgs.contains(Decision.COMMIT) == (s.tm_state == TM.COMMITTED),
            s.decision_msgs.contains(Decision.ABORT) == (s.tm_state == TM.ABORTED),
            s.tm_prepared <= s.prepared_msgs,
            (s.tm_state == TM.COMMITTED).implies(s.tm_prepared == self.rm),
        ]

    @lemma
    def rms_keep_their_word(self, s: TwoPhaseState) -> Formula:
        """After a manager says that it is prepared, it aborts only when told. It commits only when told."""
        commits, aborts = s.decision_msgs.contains(Decision.COMMIT), s.decision_msgs.contains(Decision.ABORT)
        return forall(
            s.prepared_msgs.contains(rm).implies(
                (s.rm_state[rm] != RM.WORKING) & ((s.rm_state[rm] == RM.ABORTED).implies(aborts))
            )
            & ((s.rm_state[rm] == RM.PREPARED).implies(s.prepared_msgs.contains(rm)))
            & ((s.rm_state[rm] == RM.COMMITTED).implies(commits))
            for rm in self.rm
        )
