"""Handlers that process each message once: what both exactly-once protocols claim of them, and assume.

A protocol says in its own way which version of the state a message has made, and which it has sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import any_of, choose, constantly, count, exists, forall
from verifier.encodings.sorts import Boolean, IndexSet, Range
from verifier.encodings.values import FunctionValue
from verifier.specs.protocol import (
    IndexSetConstant,
    Protocol,
    State,
    deadlock_invariant,
    eventually,
    invariant,
    temporal,
    type_invariant,
    weak,
)
from verifier.specs.temporal import Fairness, TemporalFormula


class HandlersState(State):
    """The queue, what was acknowledged, and where the handlers are, which both states declare."""

    input_queue: SetValue[Any]
    processed: SetValue[Any]
    pc: FunctionValue[Element, Any]


S = TypeVar("S", bound=HandlersState)


class Handlers(Protocol, Generic[S], camel_case=True):
    """Handlers, and the claim that each message has its effects once."""

    processes: IndexSetConstant
    lanes = "processes"
    outcomes = Boolean()

    # What each protocol says in its own way

    @property
    def ids(self) -> IndexSet:
        """The ids of messages."""
        raise NotImplementedError

    @property
    def versions(self) -> Range:
        """The versions of the state."""
        raise NotImplementedError

    def has_changed(self, s: S, message: Element, version: Integer) -> Formula:
        """The message made this version of the state."""
        raise NotImplementedError

    def has_sent(self, s: S, message: Element, version: Integer) -> Formula:
        """A message with this version was sent for the message."""
        raise NotImplementedError

    # Handlers

    def handler(self, s: S, process: Element, labels: tuple[str, ...]) -> Formula:
        """The handler is at one of these labels."""
        return any_of(*(s.pc[process] == label for label in labels))

    def is_terminated(self, s: S) -> Formula:
        """All messages are taken, and all handlers wait for more."""
        return s.input_queue.is_empty & forall(s.pc[p] == "LockInMsg" for p in self.processes)

    # Properties

    def at_most_once(self, s: S, which: Callable[[S, Element, Integer], Formula]) -> Formula:
        """No message is so with two versions."""
        return forall(count(which(s, i, v) for v in self.versions) <= 1 for i in self.ids)

    @type_invariant(name="TypeInvariant")
    def types(self, s: S) -> Formula:
        """All of it is in the sorts."""
        return constantly(True)

    @invariant(name="AtMostOneStateChange")
    def at_most_one_state_change(self, s: S) -> Formula:
        """No message has changed the state twice."""
        return self.at_most_once(s, self.has_changed)

    @invariant(name="AtMostOneOutputMsg")
    def at_most_one_output_msg(self, s: S) -> Formula:
        """No message has led to two different messages sent."""
        return self.at_most_once(s, self.has_sent)

    @invariant(name="ConsistentStateAndOutput")
    def consistent_state_and_output(self, s: S) -> Formula:
        """For a message acknowledged, what was sent belongs to the state that was committed."""

        def some(which: Callable[[S, Element, Integer], Formula], message: Element) -> Formula:
            return exists(which(s, message, v) for v in self.versions)

        def version(which: Callable[[S, Element, Integer], Formula], message: Element) -> Integer:
            return choose(v for v in self.versions if which(s, message, v))

        return forall(
            some(self.has_changed, m.id)
            & some(self.has_sent, m.id)
            & (version(self.has_changed, m.id) == version(self.has_sent, m.id))
            for m in s.processed
        )

    @invariant(name="Safety")
    def safety(self, s: S) -> list[Formula]:
        """Each message has its effects once."""
        return [
            self.at_most_one_state_change(s),
            self.at_most_one_output_msg(s),
            self.consistent_state_and_output(s),
        ]

    @deadlock_invariant(name="DeadlockTerminated")
    def deadlock_terminated(self, s: S) -> Formula:
        """Without an enabled action, all messages are taken and all handlers wait for more."""
        return self.is_terminated(s)

    @temporal(name="Termination")
    def termination(self, s: S) -> TemporalFormula:
        """Some time all messages are taken, and all handlers wait for more."""
        return eventually(self.is_terminated(s))

    # Assumptions of temporal properties

    def fairness(self) -> list[Fairness]:
        """Each handler goes on where it can."""
        return [weak(each=("process",))]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Only the first handler must go on; or some handler, whichever."""
        first = list(self.processes.values())[:1]
        return {"first-process": [weak(given={"process": one}) for one in first], "next": [weak()]}
