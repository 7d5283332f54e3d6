"""Termination detection in a ring: a token goes round, and comes back white only if all nodes are passive.

Source: Dijkstra, Feijen and van Gasteren, Derivation of a termination detection algorithm for distributed
computations, EWD 840, 1983, doi:10.1016/0020-0190(83)90092-3; tlaplus/Examples,
``specifications/ewd840/EWD840.tla``.
"""

from __future__ import annotations

from verifier import (
    Boolean,
    BooleanConstant,
    Enum,
    Fairness,
    Formula,
    Function,
    Integer,
    IntegerConstant,
    Members,
    Protocol,
    Range,
    State,
    Step,
    TemporalFormula,
    action,
    always_eventually,
    arbitrary,
    exists,
    for_each,
    forall,
    if_,
    invariant,
    leads_to,
    lemma,
    member,
    reachable,
    step_invariant,
    temporal,
    variable,
    weak,
)


class Color(Members):
    """The color of a node or the token: black where the round cannot be conclusive."""

    WHITE = member("white")
    BLACK = member("black")


class RingState(State):
    """The nodes, and the token."""

    def __init__(self, ring: Ewd840) -> None:
        self.active = variable(Function(ring.node, Boolean()))
        self.color = variable(Function(ring.node, Enum(Color)))
        self.tpos = variable(ring.node)
        self.tcolor = variable(Enum(Color))


class Ewd840(Protocol, camel_case=True):
    """Node 0 finds out that all nodes of a ring are passive. Messages arrive at once."""

    n = IntegerConstant(3, "how many nodes there are", minimum=2)
    blackens = BooleanConstant(True, "who activates a node that the token has passed becomes black")

    @property
    def node(self) -> Range:
        """The nodes, in the order of the ring."""
        return Range(0, self.n - 1)

    @property
    def other(self) -> Range:
        """The nodes that only pass the token."""
        return Range(1, self.n - 1)

    def state(self) -> RingState:
        return RingState(self)

    def init(self, s: RingState) -> list[Formula]:
        return [arbitrary(s.active, s.color, s.tpos), s.tcolor == Color.BLACK]

    @action
    def initiate_probe(self, s: RingState) -> Step:
        """Node 0 sends a white token round, if the round that has ended was not conclusive."""
        return Step(
            when=[s.tpos == 0, (s.tcolor == Color.BLACK) | (s.color[0] == Color.BLACK)],
            then={s.tpos: self.n - 1, s.tcolor: Color.WHITE, s.color[0]: Color.WHITE},
        )

    @action(i="other")
    def pass_token(self, s: RingState, i: Integer) -> Step:
        """A node passes the token, stained if the node is black, and becomes white."""
        return Step(
            when=[s.tpos == i, ~s.active[i] | (s.color[i] == Color.BLACK) | (s.tcolor == Color.BLACK)],
            then={
                s.tpos: i - 1,
                s.tcolor: if_(s.color[i] == Color.BLACK, Color.BLACK, s.tcolor),
                s.color[i]: Color.WHITE,
            },
        )

    @action(i="node", j="node")
    def send_msg(self, s: RingState, i: Integer, j: Integer) -> Step:
        """An active node activates another; it becomes black if the token may have passed the other."""
        return Step(
            when=[s.active[i], j != i],
            then={
                s.active[j]: True,
                s.color[i]: if_((j > i) & self.blackens, Color.BLACK, s.color[i]),
            },
        )

    @action(i="node")
    def deactivate(self, s: RingState, i: Integer) -> Step:
        """A node becomes passive, at any moment."""
        return Step(when=s.active[i], then={s.active[i]: False})

    def terminated(self, s: RingState) -> Formula:
        """All nodes are passive."""
        return forall(~s.active[i] for i in self.node)

    @reachable
    def termination_detected(self, s: RingState) -> list[Formula]:
        """Node 0 sees that all nodes are passive."""
        return [s.tpos == 0, s.tcolor == Color.WHITE, s.color[0] == Color.WHITE, ~s.active[0]]

    @invariant
    def termination_detection(self, s: RingState) -> Formula:
        """What node 0 detects is true."""
        return self.termination_detected(s).implies(self.terminated(s))

    @step_invariant
    def quiescence(self, s: RingState, after: RingState) -> Formula:
        """Passive nodes stay so when all are: only a message activates."""
        return self.terminated(s).implies(self.terminated(after))

    @temporal
    def liveness(self, s: RingState) -> TemporalFormula:
        """Once all nodes are passive, node 0 sees it some time."""
        return leads_to(self.terminated(s), self.termination_detected(s))

    @temporal(default=False)
    def false_liveness(self, s: RingState) -> TemporalFormula:
        """Termination is detected if each node is passive again and again. That is false: they wake up each
        other."""
        rest = for_each(self.node, lambda i: always_eventually(~s.active[i]))
        return rest.implies(always_eventually(self.termination_detected(s)))

    def fairness(self) -> list[Fairness]:
        """The token moves on. Nothing is demanded of the nodes: they may be active for ever."""
        return [weak("initiate_probe", "pass_token")]

    @lemma
    def inv(self, s: RingState) -> Formula:
        """Dijkstra's invariant: all that the token has passed is passive, or the round is not conclusive."""
        return (
            forall(~s.active[i] for i in self.node if s.tpos < i)
            | exists(s.color[j] == Color.BLACK for j in self.node if j <= s.tpos)
            | (s.tcolor == Color.BLACK)
        )
