"""A protocol with types, which uses every kind of value. ``test_typed_protocols`` misspells its names."""

from __future__ import annotations

from verifier import (
    BooleanConstant,
    Element,
    Enum,
    Fields,
    Formula,
    Function,
    IndexSetConstant,
    Integer,
    IntegerConstant,
    Members,
    Option,
    Protocol,
    Range,
    Record,
    Sequence,
    Set,
    SetValue,
    State,
    Step,
    action,
    all_of,
    choose,
    comprehension,
    count,
    exists,
    field,
    forall,
    function,
    if_,
    image,
    invariant,
    member,
    minimum,
    record,
    variable,
)


class Role(Members):
    FOLLOWER = member()
    LEADER = member("leads")


class Message(Fields):
    def __init__(self, copying: Copying) -> None:
        self.sender = field(copying.nodes)
        self.epoch = field(copying.epochs)
        self.votes = field(Option(copying.epochs))


class CopyingState(State):
    def __init__(self, copying: Copying) -> None:
        self.role = variable(Function(copying.nodes, Enum(Role)))
        self.epoch = variable(copying.epochs)
        self.holder = variable(Option(copying.nodes))
        self.sent = variable(Set(Record(Message(copying))))
        self.log = variable(Sequence(Record(Message(copying)), 2))

    def leads(self, node: Element) -> Formula:
        return self.role[node] == Role.LEADER


class Copying(Protocol, camel_case=True):
    """Copies."""

    nodes = IndexSetConstant(2, "nodes", kind="node", symmetric=False)
    last = IntegerConstant(2, "the last epoch", minimum=1)
    strict = BooleanConstant(False, "whether")

    @property
    def epochs(self) -> Range:
        return Range(0, self.last)

    @property
    def messages(self) -> Record[Message]:
        return Record(Message(self))

    @property
    def groups(self) -> Set[Element]:
        return Set(self.nodes)

    def state(self) -> CopyingState:
        return CopyingState(self)

    def init(self, s: CopyingState) -> Formula:
        return (
            forall(self.nodes, lambda n: s.role[n] == Role.FOLLOWER)
            & (s.epoch == 0)
            & s.holder.is_none
            & s.sent.is_empty
            & s.log.is_empty
        )

    @action(node="nodes")
    def lead(self, s: CopyingState, node: Element) -> Step:
        message = record(self.messages, sender=node, epoch=s.epoch, votes=None)
        return Step(
            when=[~s.leads(node), s.epoch < self.last, s.holder.is_none | (s.holder == node)],
            then={
                s.role[node]: if_(s.epoch == 0, Role.LEADER, Role.FOLLOWER),
                s.epoch: s.epoch + 1,
                s.holder: if_(self.strict, s.holder, node),
                s.sent: s.sent.add(message.updated(votes=s.epoch)),
                s.log: s.log.append({"sender": node, "epoch": 0, "votes": None}).truncate(2),
            },
        )

    @action(lost="groups")
    def lose(self, s: CopyingState, lost: SetValue[Element]) -> Step:
        kept = comprehension(s.sent, lambda m: ~lost.contains(m.sender) | (m.votes == s.epoch))
        return Step(when=[lost.cardinality == 1], then={s.sent: kept})

    def newest(self, s: CopyingState) -> Integer:
        return image(s.sent, lambda m: m.epoch).maximum

    @invariant()
    def fine(self, s: CopyingState) -> Formula:
        """No two leaders."""
        first = choose(self.nodes, lambda n: s.role[n] == Role.LEADER)
        counts = function(self.nodes, lambda n: count(s.sent, lambda m: (m.sender == n) & (m.epoch > 0)))
        return s.sent.is_empty | all_of(
            forall(self.nodes, s.sent, lambda n, m: (m.sender == n).implies(m.epoch <= self.newest(s))),
            exists(s.sent, lambda m: m.votes.is_none | (m.votes.value + 1 >= minimum(m.epoch, 1))),
            (s.log.length > 0).implies(s.log[0].sender == s.log.last.sender),
            counts[first] >= 0,
        )
