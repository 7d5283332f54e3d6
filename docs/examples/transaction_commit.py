"""Transaction commit: what resource managers may decide together, whoever tells them.

Source: Gray and Lamport, Consensus on Transaction Commit, ACM TODS 31(1), 2006, doi:10.1145/1132863.1132867;
tlaplus/Examples, ``specifications/transaction_commit/TCommit.tla``. The two cases of Decide are two actions.
"""

from __future__ import annotations

from verifier import (
    Element,
    Enum,
    Formula,
    Function,
    IndexSetConstant,
    Members,
    Protocol,
    State,
    Step,
    action,
    forall,
    invariant,
    member,
    variable,
)


class RM(Members):
    """What a resource manager does."""

    WORKING = member("working")
    PREPARED = member("prepared")
    COMMITTED = member("committed")
    ABORTED = member("aborted")


class CommitState(State):
    """The resource managers."""

    def __init__(self, p: TransactionCommit) -> None:
        self.rm_state = variable(Function(p.rm, Enum(RM)))


class TransactionCommit(Protocol, camel_case=True):
    """A transaction is committed at all resource managers or at none."""

    rm = IndexSetConstant(3, "the resource managers", kind="rm")

    def state(self) -> CommitState:
        return CommitState(self)

    def init(self, s: CommitState) -> Formula:
        return forall(s.rm_state[rm] == RM.WORKING for rm in self.rm)

    @action(rm="rm")
    def prepare(self, s: CommitState, rm: Element) -> Step:
        """A resource manager prepares."""
        return Step(when=s.rm_state[rm] == RM.WORKING, then={s.rm_state[rm]: RM.PREPARED})

    @action(rm="rm")
    def decide_commit(self, s: CommitState, rm: Element) -> Step:
        """A resource manager commits; all are prepared then, or have committed."""
        can_commit = forall(
            (s.rm_state[other] == RM.PREPARED) | (s.rm_state[other] == RM.COMMITTED) for other in self.rm
        )
        return Step(
            when=[s.rm_state[rm] == RM.PREPARED, can_commit],
            then={s.rm_state[rm]: RM.COMMITTED},
        )

    @action(rm="rm")
    def decide_abort(self, s: CommitState, rm: Element) -> Step:
        """A resource manager aborts; none has committed then."""
        undecided = (s.rm_state[rm] == RM.WORKING) | (s.rm_state[rm] == RM.PREPARED)
        not_committed = forall(s.rm_state[other] != RM.COMMITTED for other in self.rm)
        return Step(when=[undecided, not_committed], then={s.rm_state[rm]: RM.ABORTED})

    @invariant
    def consistent(self, s: CommitState) -> Formula:
        """No resource manager has aborted where another has committed."""
        return forall(
            ~((s.rm_state[one] == RM.ABORTED) & (s.rm_state[other] == RM.COMMITTED))
            for one in self.rm
            for other in self.rm
        )
