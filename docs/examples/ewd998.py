"""Termination detection in a ring whose messages take time: Safra's token counts them.

Source: Dijkstra, Shmuel Safra's version of termination detection, EWD 998, 1987,
https://www.cs.utexas.edu/users/EWD/ewd09xx/EWD998.PDF; tlaplus/Examples,
``specifications/ewd998/EWD998.tla``. The constraint bounds counters, as there.
"""

from __future__ import annotations

from verifier import (
    Boolean,
    BooleanConstant,
    Enum,
    Fairness,
    Fields,
    Formula,
    Function,
    Integer,
    IntegerConstant,
    Members,
    Protocol,
    Range,
    Record,
    State,
    Step,
    TemporalFormula,
    action,
    arbitrary,
    exists,
    field,
    forall,
    if_,
    invariant,
    leads_to,
    lemma,
    member,
    reachable,
    step_invariant,
    sum_of,
    temporal,
    variable,
    weak,
)


class Color(Members):
    """The color of a node or the token: black where the round cannot be conclusive."""

    WHITE = member("white")
    BLACK = member("black")


class Token(Fields):
    """The token, with the sum of the counters of the nodes that it has passed."""

    def __init__(self, ring: Ewd998) -> None:
        self.pos = field(ring.node)
        self.q = field(Range(-ring.sends * (ring.n - 1), ring.sends))
        self.color = field(Enum(Color))


class RingState(State):
    """The nodes, the messages on their way, and the token."""

    def __init__(self, ring: Ewd998) -> None:
        self.active = variable(Function(ring.node, Boolean()))
        self.color = variable(Function(ring.node, Enum(Color)))
        self.counter = variable(Function(ring.node, Range(-ring.sends, ring.most + 1)))
        self.pending = variable(Function(ring.node, Range(0, ring.most + 1)))
        self.token = variable(Record(Token(ring)))


class Ewd998(Protocol, camel_case=True):
    """Node 0 finds out that all nodes of a ring are passive and no message is on its way."""

    n = IntegerConstant(3, "how many nodes there are", minimum=2)
    most = IntegerConstant(1, "the highest counter of a node, and the most messages to it", minimum=1)
    blackens = BooleanConstant(True, "a node that receives a message becomes black")

    @property
    def node(self) -> Range:
        """The nodes, in the order of the ring."""
        return Range(0, self.n - 1)

    @property
    def other(self) -> Range:
        """The nodes that only pass the token."""
        return Range(1, self.n - 1)

    @property
    def sends(self) -> int:
        """What the counters of all nodes but one add up to at most."""
        return (self.n - 1) * self.most

    def state(self) -> RingState:
        return RingState(self)

    def init(self, s: RingState) -> list[Formula]:
        return [
            arbitrary(s.active, s.color),
            forall((s.counter[i] == 0) & (s.pending[i] == 0) for i in self.node),
            (s.token.q == 0) & (s.token.color == Color.BLACK),
        ]

    def constraint(self, s: RingState) -> list[Formula]:
        return [
            forall((s.counter[i] <= self.most) & (s.pending[i] <= self.most) for i in self.node),
            s.token.q <= self.n * self.most,
        ]

    @action
    def initiate_probe(self, s: RingState) -> Step:
        """Node 0 sends a white token round, if the round that has ended was not conclusive."""
        inconclusive = (
            (s.token.color == Color.BLACK) | (s.color[0] == Color.BLACK) | (s.counter[0] + s.token.q > 0)
        )
        return Step(
            when=[s.token.pos == 0, inconclusive],
            then={s.token: {"pos": self.n - 1, "q": 0, "color": Color.WHITE}, s.color[0]: Color.WHITE},
        )

    @action(i="other")
    def pass_token(self, s: RingState, i: Integer) -> Step:
        """A passive node adds its counter to the token, stains it if the node is black, and becomes white."""
        color = if_(s.color[i] == Color.BLACK, Color.BLACK, s.token.color)
        return Step(
            when=[~s.active[i], s.token.pos == i],
            then={
                s.token: {"pos": i - 1, "q": s.token.q + s.counter[i], "color": color},
                s.color[i]: Color.WHITE,
            },
        )

    @action(i="node", j="node")
    def send_msg(self, s: RingState, i: Integer, j: Integer) -> Step:
        """An active node sends a message."""
        return Step(
            when=[s.active[i], j != i],
            then={s.counter[i]: s.counter[i] + 1, s.pending[j]: s.pending[j] + 1},
        )

    @action(i="node")
    def recv_msg(self, s: RingState, i: Integer) -> Step:
        """A message makes its receiver active and black."""
        return Step(
            when=s.pending[i] > 0,
            then={
                s.pending[i]: s.pending[i] - 1,
                s.counter[i]: s.counter[i] - 1,
                s.color[i]: if_(self.blackens, Color.BLACK, s.color[i]),
                s.active[i]: True,
            },
        )

    @action(i="node")
    def deactivate(self, s: RingState, i: Integer) -> Step:
        """A node becomes passive, at any moment."""
        return Step(when=s.active[i], then={s.active[i]: False})

    def termination(self, s: RingState) -> Formula:
        """All nodes are passive, and no message is on its way."""
        return forall(~s.active[i] & (s.pending[i] == 0) for i in self.node)

    @reachable
    def termination_detected(self, s: RingState) -> list[Formula]:
        """Node 0 sees that all nodes are passive."""
        return [
            (s.token.pos == 0) & (s.token.color == Color.WHITE) & (s.token.q + s.counter[0] == 0),
            (s.color[0] == Color.WHITE) & ~s.active[0],
        ]

    @invariant
    def termination_detection(self, s: RingState) -> Formula:
        """What node 0 detects is true."""
        return self.termination_detected(s).implies(self.termination(s))

    @step_invariant
    def quiescence(self, s: RingState, after: RingState) -> Formula:
        """Once terminated, nothing becomes active again."""
        return self.termination(s).implies(self.termination(after))

    @temporal
    def liveness(self, s: RingState) -> TemporalFormula:
        """Once all nodes are passive and no message is on its way, node 0 sees it some time."""
        return leads_to(self.termination(s), self.termination_detected(s))

    def fairness(self) -> list[Fairness]:
        """The token moves on. Nothing is demanded of the nodes: they may be active for ever."""
        return [weak("initiate_probe", "pass_token")]

    @lemma
    def p0(self, s: RingState) -> Formula:
        """Safra's invariant begins: the counters together are the messages on their way."""
        return sum_of(s.counter[i] for i in self.node) == sum_of(s.pending[i] for i in self.node)

    @lemma
    def sum_is_bounded(self, s: RingState) -> Formula:
        """The token has passed the nodes behind its position, each with a bounded counter."""
        passed = self.n - 1 - s.token.pos
        return (s.token.q >= -passed * self.sends) & (s.token.q <= passed * self.most)

    @lemma
    def p1_to_p4(self, s: RingState) -> Formula:
        """The rest: the token has passed passive nodes, and knows their sum, or is not conclusive."""
        pos = s.token.pos
        passed = sum_of(s.counter[i] for i in self.node if pos < i)
        rest = sum_of(s.counter[i] for i in self.node if i <= pos)
        return (
            (forall(~s.active[i] for i in self.node if pos < i) & (s.token.q == passed))
            | (rest + s.token.q > 0)
            | exists(s.color[i] == Color.BLACK for i in self.node if i <= pos)
            | (s.token.color == Color.BLACK)
        )
