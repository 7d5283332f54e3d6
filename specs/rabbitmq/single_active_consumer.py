"""Apps that share RabbitMQ queues evenly, where each queue has a single active consumer.

Source: Vanlightly/formal-methods-playground, ``tla/rebalancing-clients``: ``rabbit-sac`` is the text
first published (apps start and stay), ``rabbit-sac-restart`` the one in ``standard-liveness``. What is
written differently here, state for state the same: no active consumer is none; an app that is not started has
the id 0, as there.

An app's place among the others ranks equal loads above its own, so the comparison of ids that
should break ties never matters; it is kept. The safe part of the liveness property is: a
state where nothing can happen is balanced, with every app subscribed everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import floordiv, mod
from typing import Any

from verifier.encodings.collection_values import SequenceValue
from verifier.encodings.declared import Element, Formula, Integer
from verifier.encodings.operations import maximum
from verifier.encodings.quantifiers import all_of, count, exists, filtered, forall, function, if_
from verifier.encodings.sorts import Range
from verifier.encodings.values import FunctionValue
from verifier.specs.protocol import (
    IntegerConstant,
    Ranking,
    Step,
    action,
    always_eventually,
    deadlock_invariant,
    ranking,
    temporal,
    type_invariant,
    weak,
)
from verifier.specs.rabbitmq.consumers import ConsumerState
from verifier.specs.rabbitmq.single_active_consumer_lemmas import SingleActiveConsumerLemmas
from verifier.specs.temporal import Fairness, TemporalFormula


class RabbitSac(SingleActiveConsumerLemmas):
    """RabbitMQ clients balance queues with single active consumers; apps start and never stop."""

    # What is seen of the load

    def is_waiting(self, s: ConsumerState, app: Element, queue: Element) -> Formula:
        """The app is among the queue's subscribers that are not active."""
        waiting = s.subscriber_queue[queue]
        places = Range(0, self.apps.size - 1)
        return exists((place < waiting.length) & (waiting[place] == app) for place in places)

    def is_subscribed(self, s: ConsumerState, app: Element, queue: Element) -> Formula:
        return (s.active[queue] == app) | self.is_waiting(s, app, queue)

    def takes_part(self, s: ConsumerState, app: Element) -> Formula:
        """The app acts on queues."""
        return self.is_started(s, app)

    def is_counted(self, s: ConsumerState, app: Element) -> Formula:
        """The app counts as one of those that share the queues."""
        return self.is_started(s, app)

    def active_count(self, s: ConsumerState, app: Element) -> Integer:
        """The number of queues that the app is active on."""
        return count(s.active[q] == app for q in self.queues)

    def position(self, s: ConsumerState, app: Element) -> Integer:
        """The app's place among the active ones, those with more queues first; -1 if it has none."""
        own = self.active_count(s, app)

        def before(other: Element) -> Formula:
            load = self.active_count(s, other)
            earlier = (load == own) & (s.app_id[app] < s.app_id[other])
            return self.is_started(s, other) & (other != app) & (load > 0) & ((load >= own) | earlier)

        return if_(own == 0, -1, count(self.apps, before))

    def share(self, s: ConsumerState, operation: Callable[[int, Integer], Integer]) -> Integer:
        """The queues divided by the apps that share them, or what remains; 0 where there are none."""
        apps = count(self.is_counted(s, a) for a in self.apps)
        return if_(apps == 0, 0, operation(self.queues.size, maximum(apps, 1)))

    def ideal_number(self, s: ConsumerState, app: Element) -> Integer:
        """The number of queues that the app should be active on; the first in place take what does not
        divide."""
        even, remainder = self.share(s, floordiv), self.share(s, mod)
        takes_one_more = (remainder != 0) & (remainder >= self.position(s, app) + 1)
        return if_(takes_one_more, even + 1, even)

    # Actions

    @action(app="apps")
    def start(self, s: ConsumerState, app: Element) -> Step:
        """An app starts and gets the next id."""
        return Step(
            when=[s.app_id[app] == 0],
            then={s.app_id[app]: s.next_id, s.next_id: s.next_id + 1},
        )

    @action(app="apps", queue="queues")
    def subscribe(self, s: ConsumerState, app: Element, queue: Element) -> Step:
        """An app subscribes to a queue."""
        return Step(
            when=[self.takes_part(s, app), ~self.is_waiting(s, app, queue), s.active[queue] != app],
            then={s.subscriber_queue[queue]: s.subscriber_queue[queue].append(app)},
        )

    @action(app="apps", queue="queues")
    def release(self, s: ConsumerState, app: Element, queue: Element) -> Step:
        """An app that is active on too many queues gives one up."""
        return Step(
            when=[
                self.takes_part(s, app),
                s.active[queue] == app,
                self.active_count(s, app) > self.ideal_number(s, app),
            ],
            then={s.subscriber_queue[queue]: self.others(s, app, queue), s.active[queue]: None},
        )

    @action(app="apps", queue="queues")
    def make_active(self, s: ConsumerState, app: Element, queue: Element) -> Step:
        """A queue without active consumer takes the one that has waited longest."""
        waiting = s.subscriber_queue[queue]
        return Step(
            when=[
                self.takes_part(s, app),
                ~waiting.is_empty,
                waiting[0] == app,
                s.active[queue].is_none,
            ],
            then={s.active[queue]: app, s.subscriber_queue[queue]: self.others(s, app, queue)},
        )

    def others(self, s: ConsumerState, app: Element, queue: Element) -> SequenceValue[Element]:
        """The queue's waiting subscribers without the app."""
        return filtered(other for other in s.subscriber_queue[queue] if other != app)

    # Properties

    @type_invariant(name="TypeOK")
    def type_ok(self, s: ConsumerState) -> Formula:
        """All of it is in the sorts."""
        return all_of()

    @deadlock_invariant(name="DeadlockBalanced")
    def deadlock_balanced(self, s: ConsumerState) -> list[Formula]:
        """Without an enabled action, the load is balanced: all apps run, every queue is consumed, and no app
        is active on two queues more than another."""

        def is_close(one: Element, other: Element) -> Formula:
            return self.active_count(s, one) <= self.active_count(s, other) + 1

        return [
            forall(s.active[q].is_some for q in self.queues),
            forall(self.is_started(s, a) for a in self.apps),
            forall(is_close(a, b) for a in self.apps for b in self.apps),
        ]

    @deadlock_invariant(name="DeadlockPerfect")
    def deadlock_perfect(self, s: ConsumerState) -> list[Formula]:
        """Without an enabled action, the load is balanced and every app is subscribed to every queue."""
        return self.is_perfect(s)

    def is_perfect(self, s: ConsumerState) -> list[Formula]:
        """The load is balanced, and every app is subscribed to every queue."""
        return [
            self.deadlock_balanced(s),
            forall(self.is_subscribed(s, a, q) for a in self.apps for q in self.queues),
        ]

    @temporal(name="Liveness")
    def liveness(self, s: ConsumerState) -> TemporalFormula:
        """Again and again the load is balanced, with every app subscribed to every queue."""
        return always_eventually(self.is_perfect(s))

    def fairness(self) -> list[Fairness]:
        """Every step that stays possible is taken."""
        return [weak()]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Apps start, and each app subscribes to each queue, where they can again and again."""
        return {"each-subscribe": [weak(), weak("start"), weak("subscribe", each=("app", "queue"))]}

    # Why the load gets balanced

    def goal(self, s: ConsumerState) -> Integer:
        """The number of queues that each app is to get next: the even share, and once each has it, one more
        if some remain."""
        even, remainder = self.share(s, floordiv), self.share(s, mod)
        is_short = exists(self.active_count(s, a) < even for a in self.apps)
        return if_(is_short | (remainder == 0), even, even + 1)

    def is_hungry(self, s: ConsumerState, app: Element) -> Formula:
        """The app is to get more queues. It gives up none."""
        return self.active_count(s, app) < self.goal(s)

    def distance(self, s: ConsumerState, app: Element, queue: Element) -> Integer:
        """The distance of the app from being active on the queue: its place in line, and beyond if it is not
        in line. Others never come before it."""
        waiting = s.subscriber_queue[queue]
        places = Range(0, self.apps.size - 1)

        def is_later(place: Integer) -> Formula:
            return ~exists((p <= place) & (p < waiting.length) & (waiting[p] == app) for p in places)

        return if_(s.active[queue] == app, 0, 1 + count(places, is_later))

    def hunger(self, s: ConsumerState, app: Element) -> FunctionValue[Integer]:
        """For each queue how far the app is from it, if it is hungry."""
        return function(
            if_(self.is_hungry(s, app), 1 + self.distance(s, app, q), 0) for q in self.queues
        )

    def in_line(self, s: ConsumerState) -> Formula:
        """Hungry apps are in line, or active, everywhere."""
        return forall(
            ~self.is_hungry(s, a) | self.is_subscribed(s, a, q) for a in self.apps for q in self.queues
        )

    def missing(self, s: ConsumerState, app: Element) -> FunctionValue[Formula]:
        """For each queue whether the app is not subscribed to it, once hungry apps are in line everywhere."""
        return function(self.in_line(s) & ~self.is_subscribed(s, app, q) for q in self.queues)

    def measures(self, s: ConsumerState) -> tuple[Any, ...]:
        """Measures that fall until the load is balanced."""
        even = self.share(s, floordiv)
        return (
            self.last_id + 1 - s.next_id,
            function(self.is_started(s, a) for a in self.apps),
            function(~self.is_counted(s, a) for a in self.apps),
            function(self.active_count(s, a) < even for a in self.apps),
            function(self.hunger(s, a) for a in self.apps),
            function(self.in_line(s) & s.active[q].is_some for q in self.queues),
            function(self.missing(s, a) for a in self.apps),
        )

    @ranking("Liveness")
    def towards_balance(self, s: ConsumerState) -> Ranking:
        """Under each-subscribe: all apps start, hungry apps get closer to the heads of queues, and once they
        are in line everywhere, only so many steps remain."""
        are_started = forall(self.is_started(s, a) for a in self.apps)
        return Ranking(
            self.measures(s),
            helpful={
                weak(): self.in_line(s) & are_started,
                weak("start"): ~are_started,
                weak("subscribe", each=("app", "queue")): lambda app, queue: (
                    are_started & ~self.is_subscribed(s, app, queue) & self.is_hungry(s, app)
                ),
            },
        )


class RabbitSacRestart(RabbitSac):
    """RabbitMQ clients balance queues with single active consumers; apps stop and start again."""

    restart_limit = IntegerConstant(0, "how many ids beyond one per app are given out before stopping ends")

    @property
    def last_id(self) -> int:
        return 2 * self.apps.size + self.restart_limit - 1

    def takes_part(self, s: ConsumerState, app: Element) -> Formula:
        """Every app may, even one that is not started: so it stands in the original."""
        return all_of()

    def is_counted(self, s: ConsumerState, app: Element) -> Formula:
        return exists(self.is_subscribed(s, app, q) for q in self.queues)

    @action(app="apps")
    def stop(self, s: ConsumerState, app: Element) -> Step:
        """An app stops, and with it all its subscriptions."""
        return Step(
            when=[self.is_started(s, app), s.next_id <= self.apps.size + self.restart_limit],
            then={
                s.subscriber_queue: function(self.others(s, app, q) for q in self.queues),
                s.active: function(if_(s.active[q] == app, None, s.active[q]) for q in self.queues),
                s.app_id[app]: 0,
            },
        )

    @ranking("Liveness")
    def towards_balance(self, s: ConsumerState) -> Ranking:
        """Starts and stops come to an end. Then ever more apps are subscribed somewhere, hungry apps get
        closer to the heads of queues, and once they are in line everywhere, only so many steps remain."""
        are_counted = forall(self.is_counted(s, a) for a in self.apps)
        return Ranking(
            self.measures(s),
            helpful={
                weak(): self.in_line(s) & are_counted,
                weak("subscribe", each=("app", "queue")): lambda app, queue: (
                    ~self.is_subscribed(s, app, queue)
                    & if_(are_counted, self.is_hungry(s, app), ~self.is_counted(s, app))
                ),
            },
        )

    def fairness(self) -> list[Fairness]:
        """Every step that stays possible is taken, and each app subscribes to each queue."""
        return [weak(), weak("subscribe", each=("app", "queue"))]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """Every step that stays possible is taken, but apps need not subscribe."""
        return {"next": [weak()]}
