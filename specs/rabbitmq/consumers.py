"""The state of the protocols of queues with single active consumers."""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, variable
from verifier.encodings.quantifiers import forall
from verifier.encodings.sorts import Function, Option, Range, Sequence
from verifier.specs.protocol import Call, Drawing, IndexSetConstant, Protocol, State


class ConsumerState(State):
    """The queues' knowledge of the apps, and the ids of the apps."""

    def __init__(self, sac: Consumers) -> None:
        self.subscriber_queue = variable(Function(sac.queues, Sequence(sac.apps, sac.apps.size)))
        self.active = variable(Function(sac.queues, Option(sac.apps)))
        self.app_id = variable(Function(sac.apps, Range(0, sac.last_id)))
        self.next_id = variable(Range(1, sac.last_id + 1))


class Consumers(Protocol, camel_case=True):
    """Queues, and the apps that consume them."""

    queues = IndexSetConstant(3, "queues to share", kind="queue")
    apps = IndexSetConstant(3, "apps that share them", kind="app")
    lanes = "queues"
    drawing = Drawing(
        lanes=("apps", "queues"),
        messages=(
            Call(("Subscribe",), "app", "queue", "subscribe"),
            Call(("Release",), "app", "queue", "release"),
            Call(("MakeActive",), "queue", "app", "active"),
        ),
    )

    @property
    def last_id(self) -> int:
        """The greatest id that an app can get."""
        return self.apps.size

    def state(self) -> ConsumerState:
        return ConsumerState(self)

    def init(self, s: ConsumerState) -> list[Formula]:
        return [
            forall(s.subscriber_queue[q].is_empty & s.active[q].is_none for q in self.queues),
            forall(s.app_id[a] == 0 for a in self.apps),
            s.next_id == 1,
        ]

    def is_started(self, s: ConsumerState, app: Element) -> Formula:
        """The app has an id."""
        return s.app_id[app] != 0
