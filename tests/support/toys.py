"""Toy protocols whose verdicts are known by looking at them; shared by the tests of all engines."""

from __future__ import annotations

from typing import Any

from verifier.encodings.expressions import literal
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import Function, Option, Range, Set
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    deadlock_invariant,
    free,
    invariant,
    reachable,
)


class Chain(Protocol, camel_case=True):
    """0 -> 1 -> … -> top, and then nothing: a violation in the state without successor."""

    top = IntegerConstant(2, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.top))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def count(self, s: Any) -> Step:
        return Step(when=[s.x < self.top], then={s.x: s.x + 1})

    @invariant()
    def never_top(self, s: Any) -> Any:
        return s.x != self.top

    @invariant()
    def starts_low(self, s: Any) -> Any:
        return s.x >= 0

    @invariant(default=False)
    def not_at_start(self, s: Any) -> Any:
        return s.x != 0

    @deadlock_invariant(default=False)
    def stuck_only_at_top(self, s: Any) -> Any:
        return s.x == self.top

    @deadlock_invariant(default=False)
    def stuck_elsewhere(self, s: Any) -> Any:
        return s.x != self.top


class SelfLoop(Chain):
    """The chain, but the last state repeats itself: no deadlock anywhere."""

    @action()
    def rest(self, s: Any) -> Step:
        return Step(when=[s.x == self.top], then={})


class Unreachable(Protocol, camel_case=True):
    """Counts by two from 0: odd numbers are never reached."""

    top = IntegerConstant(7, minimum=2)

    def state(self) -> State:
        return State(x=Range(0, self.top))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def count(self, s: Any) -> Step:
        return Step(when=[s.x + 2 <= self.top], then={s.x: s.x + 2})

    @action()
    def never(self, s: Any) -> Step:
        return Step(when=[s.x == 1], then={s.x: 0})

    @invariant()
    def never_odd(self, s: Any) -> Any:
        return (s.x != 1) & (s.x != 3)


class Corridor(Unreachable):
    """A corridor with claims of reachability: some are true, and one is not."""

    @reachable()
    def at_four(self, s: Any) -> Any:
        return s.x == 4

    @reachable()
    def at_five(self, s: Any) -> Any:
        return s.x == 5

    @reachable()
    def at_start(self, s: Any) -> Any:
        return s.x == 0

    @invariant(default=False)
    def below_four(self, s: Any) -> Any:
        return s.x < 4


class Overflow(Protocol, camel_case=True):
    """Counts without looking at the bound: the type invariant is what fails."""

    top = IntegerConstant(3, minimum=1)

    def state(self) -> State:
        return State(x=Range(0, self.top))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def count(self, s: Any) -> Step:
        return Step(when=[], then={s.x: s.x + 1})

    @invariant()
    def small(self, s: Any) -> Any:
        return s.x <= self.top


class LockServer(Protocol, camel_case=True):
    """Clients take turns holding one lock."""

    clients = IndexSetConstant(3, kind="client")

    def state(self) -> State:
        return State(holder=Option(self.clients), asked=Set(self.clients))

    def init(self, s: Any) -> Any:
        return s.holder.is_none & s.asked.is_empty

    @action(client="clients")
    def ask(self, s: Any, client: Any) -> Step:
        return Step(when=[~s.asked.contains(client), s.holder != client], then={s.asked: s.asked.add(client)})

    @action(client="clients")
    def grant(self, s: Any, client: Any) -> Step:
        return Step(
            when=[s.holder.is_none, s.asked.contains(client)],
            then={s.holder: client, s.asked: s.asked.remove(client)},
        )

    @invariant()
    def holder_waits_no_more(self, s: Any) -> Any:
        return forall(self.clients, lambda c: (s.holder == c).implies(~s.asked.contains(c)))

    @invariant()
    def not_all_ask(self, s: Any) -> Any:
        return s.asked.cardinality < self.clients.size

    @invariant(default=False)
    def first_never_holds(self, s: Any) -> Any:
        return s.holder != literal(self.clients, "c1")


class Lottery(Protocol, camel_case=True):
    """A set of players is drawn at once, by a free parameter, from those not drawn before."""

    players = IndexSetConstant(3, kind="player")

    @property
    def groups(self) -> Set:
        return Set(self.players)

    def state(self) -> State:
        return State(drawn=Set(self.players), rounds=Range(0, 2))

    def init(self, s: Any) -> Any:
        return s.drawn.is_empty & (s.rounds == 0)

    @action(group=free("groups"))
    def draw(self, s: Any, group: Any) -> Step:
        return Step(
            when=[s.rounds < 2, ~group.is_empty, (group & s.drawn).is_empty],
            then={s.drawn: s.drawn | group, s.rounds: s.rounds + 1},
        )

    @invariant()
    def some_left(self, s: Any) -> Any:
        return s.drawn.cardinality < self.players.size

    @invariant()
    def drawn_in_rounds(self, s: Any) -> Any:
        return (s.rounds == 0).implies(s.drawn.is_empty)


class Matchmaker(Protocol, camel_case=True):
    """Pairs two different people at a time: naming two at once is the first action."""

    people = IndexSetConstant(4, kind="person")

    def state(self) -> State:
        return State(partner=Function(self.people, Option(self.people)))

    def init(self, s: Any) -> Any:
        return forall(self.people, lambda p: s.partner[p].is_none)

    @action(one="people", two="people")
    def pair(self, s: Any, one: Any, two: Any) -> Step:
        return Step(
            when=[one != two, s.partner[one].is_none, s.partner[two].is_none],
            then={s.partner[one]: two, s.partner[two]: one},
        )

    @invariant()
    def someone_alone(self, s: Any) -> Any:
        return exists(self.people, lambda p: s.partner[p].is_none)

    @invariant()
    def mutual(self, s: Any) -> Any:
        return forall(self.people, self.people, lambda a, b: (s.partner[a] == b).implies(s.partner[b] == a))


class Lamps(Protocol, camel_case=True):
    """Lamps that are lit in any order, and lamps above that are lit once all of these are: one parallel step
    lights all below, another one all above."""

    lamps = IndexSetConstant(4, "lamps below, and as many above", kind="lamp")

    def state(self) -> State:
        return State(below=Set(self.lamps), above=Set(self.lamps))

    def init(self, s: Any) -> Any:
        return s.below.is_empty & s.above.is_empty

    @action(lamp="lamps")
    def light_below(self, s: Any, lamp: Any) -> Step:
        return Step(when=[~s.below.contains(lamp)], then={s.below: s.below.add(lamp)})

    @action(lamp="lamps")
    def light_above(self, s: Any, lamp: Any) -> Step:
        dark = forall(self.lamps, s.below.contains)
        return Step(when=[dark, ~s.above.contains(lamp)], then={s.above: s.above.add(lamp)})

    @invariant()
    def some_dark_below(self, s: Any) -> Any:
        return ~forall(self.lamps, s.below.contains)

    @invariant()
    def some_dark_above(self, s: Any) -> Any:
        return ~forall(self.lamps, s.above.contains)
