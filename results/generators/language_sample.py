"""The small protocol in which the examples of docs/language.md are read."""

from __future__ import annotations

from typing import Any

from verifier.encodings.concrete import FrozenMap, Tagged
from verifier.encodings.quantifiers import constantly
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Tuple,
    Variant,
)
from verifier.specs.protocol import IndexSetConstant, IntegerConstant, Protocol, State, Step, action

VALUES: dict[str, Any] = {
    "x": 2,
    "y": 3,
    "p": True,
    "e": "n1",
    "phase": "idle",
    "o": "n2",
    "none": None,
    "r": {"id": 7, "epoch": 1},
    "t": (1, "n2"),
    "m": Tagged("vote", FrozenMap({"voter": "n1", "epoch": 2})),
    "f": {"n1": 0, "n2": 2, "n3": 2},
    "g": {"n1": 3},
    "a": {0, 2},
    "b": {2, 3},
    "q": (2, 0, 3),
    "c": {2: 1},
}
"""The state in which the examples are evaluated."""


class Sample(Protocol):
    """A variable of every sort."""

    nodes = IndexSetConstant(3, "who takes part", kind="node")
    last = IntegerConstant(3, "the last epoch", minimum=1)

    @property
    def epochs(self) -> Range:
        """The epochs."""
        return Range(0, self.last)

    @property
    def messages(self) -> Variant:
        """The messages that are sent."""
        return Variant(vote=Record(voter=self.nodes, epoch=self.epochs), stop=None)

    def state(self) -> State:
        return State(
            x=Range(0, 9),
            y=Range(0, 9),
            p=Boolean(),
            e=self.nodes,
            phase=Enum("phase", ("idle", "busy")),
            o=Option(self.nodes),
            none=Option(self.epochs),
            r=Record(id=Range(0, 9), epoch=self.epochs),
            t=Tuple(self.epochs, self.nodes),
            m=self.messages,
            f=Function(self.nodes, self.epochs),
            g=PartialFunction(self.nodes, self.epochs),
            a=Set(self.epochs),
            b=Set(self.epochs),
            q=Sequence(self.epochs, 4),
            c=Bag(self.epochs, 2),
        )

    def init(self, s: Any) -> Any:
        return [getattr(s, name) == value for name, value in VALUES.items()]

    @action
    def stay(self, s: Any) -> Step:
        """Nothing changes."""
        return Step(when=constantly(True))
