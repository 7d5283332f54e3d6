"""``kafka-async-isr``: leader and controller agree on the ISR by messages."""

from __future__ import annotations

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Fields, Formula, Integer, field, variable
from verifier.encodings.expressions import literal, set_of
from verifier.encodings.quantifiers import comprehension, forall, image
from verifier.encodings.sorts import Function, Range, Record, Set
from verifier.specs.protocol import (
    Call,
    Drawing,
    IndexSetConstant,
    IntegerConstant,
    Lane,
    Protocol,
    State,
    Step,
    action,
    invariant,
)


class Controller(Fields):
    """The ISR that counts, and its version."""

    def __init__(self, protocol: AsyncIsr) -> None:
        self.isr = field(protocol.isrs)
        self.version = field(protocol.reached_versions)


class Leader(Fields):
    """The ISR that the leader knows of, what it has asked for, and how far the logs are."""

    def __init__(self, protocol: AsyncIsr) -> None:
        self.isr = field(protocol.isrs)
        self.version = field(protocol.reached_versions)
        self.pending_isr = field(protocol.isrs)
        self.pending_version = field(Range(-1, protocol.max_version))
        self.offsets = field(Function(protocol.replicas, Range(0, protocol.max_offset + 1)))


class Request(Fields):
    """An ISR that the leader wants, and the version that it should replace."""

    def __init__(self, protocol: AsyncIsr) -> None:
        self.isr = field(protocol.isrs)
        self.version = field(Range(0, protocol.max_version))


class AsyncIsrState(State):
    """The controller, the leader, and the messages between them."""

    def __init__(self, protocol: AsyncIsr) -> None:
        self.controller = variable(Record(Controller(protocol)))
        self.leader = variable(Record(Leader(protocol)))
        self.requests = variable(Set(protocol.request))
        self.updates = variable(Function(protocol.versions, protocol.isrs))


class AsyncIsr(Protocol, camel_case=True):
    """ISR changes as messages: the leader's high watermark must be safe for whatever ISR comes of them.

    Source: hachikuji/kafka-specification, AsyncIsr.tla. What is written differently here:

    - The original counts versions and offsets without bound. Here nothing happens in a state whose
      controller version is above ``max_version`` or that has an offset above ``max_offset``, so one
      value more of each is enough; a verdict is about the executions within that bound.
    - Each update of the controller raises its version by one, so updates are a map from version to
      ISR; the update with a version exists exactly if the controller has reached it.
    - A request carries the leader's version, which is at most ``max_version`` where anything happens.
    - The leader, a constant of the original, is the first replica; which one it is makes no difference.
    - TypeOk fails in the first state, as in the original: no pending version is -1, which is no
      natural number. So it is not checked by default; TypeInvariant is what it means to say.
    """

    name = "kafka-async-isr"
    default_depth = 12
    next = (
        "controller_shrink_isr",
        "controller_handle_request",
        "leader_request_shrink_isr",
        "leader_request_expand_isr",
        "leader_write",
        "leader_handle_update",
        "follower_replicate",
    )

    replicas = IndexSetConstant(3, "brokers with a copy of the partition", kind="replica", minimum=1)
    max_offset = IntegerConstant(2, "the last offset from which anything happens", minimum=1)
    max_version = IntegerConstant(2, "the last controller version in which anything happens", minimum=0)

    drawing = Drawing(
        lanes=(
            Lane("controller", ("controller", "updates"), ("Controller*",)),
            Lane("leader", ("leader", "requests"), ("Leader*",)),
            "replicas",
        ),
        messages=(
            Call(("ControllerHandleRequest",), "leader", "controller", "{isr}", sent="requests"),
            Call(("LeaderHandleUpdate",), "controller", "leader", "ISR {version}", sent="updates[version]"),
            Call(("FollowerReplicate",), "leader", "replica", "record"),
        ),
    )

    @property
    def the_leader(self) -> Element:
        """The replica that leads throughout."""
        return literal(self.replicas, "r1")

    @property
    def isrs(self) -> Set[Element]:
        """The sets of replicas."""
        return Set(self.replicas)

    @property
    def versions(self) -> Range:
        """The versions that an update can have; the first ISR has version 0 and needs none."""
        return Range(1, self.max_version + 1)

    @property
    def reached_versions(self) -> Range:
        """The versions that an ISR can have."""
        return Range(0, self.max_version + 1)

    @property
    def request(self) -> Record[Request]:
        """The requests of the leader."""
        return Record(Request(self))

    def state(self) -> AsyncIsrState:
        return AsyncIsrState(self)

    def init(self, s: AsyncIsrState) -> list[Formula]:
        everyone = comprehension(r for r in self.replicas)
        return [
            s.controller.isr == everyone,
            s.controller.version == 0,
            s.leader.isr == everyone,
            s.leader.version == 0,
            s.leader.pending_isr.is_empty,
            s.leader.pending_version == -1,
            forall(s.leader.offsets[r] == 0 for r in self.replicas),
            s.requests.is_empty,
            forall(s.updates[v].is_empty for v in self.versions),
        ]

    def constraint(self, s: AsyncIsrState) -> list[Formula]:
        return [
            s.controller.version <= self.max_version,
            forall(s.leader.offsets[r] <= self.max_offset for r in self.replicas),
        ]

    def high_watermark(self, s: AsyncIsrState) -> Integer:
        """The least offset in any ISR that the leader must reckon with."""
        return image(s.leader.offsets[r] for r in s.leader.isr | s.leader.pending_isr).minimum

    # The controller

    def controller_write_isr(self, s: AsyncIsrState, isr: SetValue[Element]) -> Step:
        """The controller gives the ISR a new version and tells the leader."""
        version = s.controller.version + 1
        return Step(then={s.controller: {"isr": isr, "version": version}, s.updates[version]: isr})

    @action(replica="replicas")
    def controller_shrink_isr(self, s: AsyncIsrState, replica: Element) -> Step:
        """The controller drops a follower on its own account."""
        isr = s.controller.isr
        is_follower = Step(when=[replica != self.the_leader, isr.contains(replica)])
        return is_follower & self.controller_write_isr(s, isr.remove(replica))

    @action(isr="isrs")
    def controller_handle_request(self, s: AsyncIsrState, isr: SetValue[Element]) -> Step:
        """The controller grants a request that was made for the version it is at."""
        request = self.request(isr=isr, version=s.controller.version)
        return Step(when=[s.requests.contains(request)]) & self.controller_write_isr(s, isr)

    # The leader

    def leader_request_isr(self, s: AsyncIsrState, isr: SetValue[Element]) -> Step:
        """The leader asks for an ISR, and must from now on reckon with it."""
        version = s.leader.version
        return Step(
            then={
                s.requests: s.requests.add(self.request(isr=isr, version=version)),
                s.leader.pending_isr: s.leader.pending_isr | isr,
                s.leader.pending_version: version,
            },
        )

    @action(replica="replicas")
    def leader_request_shrink_isr(self, s: AsyncIsrState, replica: Element) -> Step:
        """The leader wants to drop a follower."""
        isr = s.leader.isr
        is_follower = Step(when=[isr.contains(replica), replica != self.the_leader])
        return is_follower & self.leader_request_isr(s, isr.remove(replica))

    @action(replica="replicas")
    def leader_request_expand_isr(self, s: AsyncIsrState, replica: Element) -> Step:
        """The leader wants to admit a follower that has reached the high watermark."""
        isr = s.leader.isr
        reached = s.leader.offsets[replica] >= self.high_watermark(s)
        return Step(when=[~isr.contains(replica), reached]) & self.leader_request_isr(s, isr.add(replica))

    @action
    def leader_write(self, s: AsyncIsrState) -> Step:
        """The leader appends a record."""
        own = s.leader.offsets[self.the_leader]
        return Step(then={own: own + 1})

    @action(version="versions")
    def leader_handle_update(self, s: AsyncIsrState, version: Integer) -> Step:
        """The leader takes over a newer ISR of the controller; what it had asked for is settled."""
        return Step(
            when=[version <= s.controller.version, version > s.leader.version],
            then={
                s.leader.isr: s.updates[version],
                s.leader.version: version,
                s.leader.pending_isr: set_of(self.replicas),
                s.leader.pending_version: -1,
            },
        )

    # The followers

    @action(replica="replicas")
    def follower_replicate(self, s: AsyncIsrState, replica: Element) -> Step:
        """A follower appends the next record of the leader."""
        own = s.leader.offsets[replica]
        return Step(
            when=[replica != self.the_leader, own < s.leader.offsets[self.the_leader]], then={own: own + 1}
        )

    # Properties

    @invariant(name="TypeOk", default=False)
    def type_ok(self, s: AsyncIsrState) -> Formula:
        """The original's: the leader's pending version is a natural number, which it is not at first."""
        return s.leader.pending_version >= 0

    @invariant
    def valid_high_watermark(self, s: AsyncIsrState) -> Formula:
        """Every member of the controller's ISR has reached the leader's high watermark."""
        reached = self.high_watermark(s)
        return forall(s.leader.offsets[r] >= reached for r in s.controller.isr)
