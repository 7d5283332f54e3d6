"""Why the apps end up balanced: lemmas that every action keeps. They bound ids and subscribers.

That the load is balanced where nothing can happen then follows without looking at executions: every
app could start, subscribe, or give up a queue that it has too many of.
"""

from __future__ import annotations

from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.quantifiers import count, forall
from verifier.encodings.sorts import Range
from verifier.specs.protocol import lemma
from verifier.specs.rabbitmq.consumers import Consumers, ConsumerState


class SingleActiveConsumerLemmas(Consumers):
    """To be mixed into the protocols of queues with single active consumers."""

    @lemma
    def ids_last(self, s: ConsumerState) -> Formula:
        """Each start takes one id; an app stops only while so many are left that every app can start."""
        return s.next_id + count(~self.is_started(s, a) for a in self.apps) <= self.last_id + 1

    @lemma
    def subscribed_once(self, s: ConsumerState) -> Formula:
        """An app subscribes only where it is not subscribed, so a queue has no more subscribers than
        there are apps."""
        places = Range(0, self.apps.size - 1)

        def is_twice(queue: Element, one: Integer, other: Integer) -> Formula:
            waiting = s.subscriber_queue[queue]
            return (one < other) & (other < waiting.length) & (waiting[one] == waiting[other])

        return forall(~is_twice(q, i, j) for q in self.queues for i in places for j in places)
