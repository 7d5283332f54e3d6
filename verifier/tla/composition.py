r"""Composed actions, ``A \cdot B``: a step of A to an intermediate state, and a step of B from there.

The intermediate state has the values that A assigns. Variables that A leaves open may have any value, so B
must not read them. An argument or a definition of a LET around the composition that reads the state would
refer to another state in B. So it is refused there.

Source: Specifying Systems (Lamport, 2002), Table 3; in tlaplus/tlaplus, ``tlc2.tool.impl.Tool``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.branching import Branching
from verifier.tla.errors import Place
from verifier.tla.evaluator import Continue, Walk
from verifier.tla.facts import ACTION, Facts
from verifier.tla.frames import UNSET, Closure, Frame, Undefined, Unit, Waiting, force_delayed
from verifier.tla.value_types import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator
    from verifier.tla.exploration_result import State

CDOT = "\\cdot"
_AROUND = "stands around \\cdot and would speak of another state in its second action: put it inside"


class Composing(Branching):
    """Compiles the walkers of composed actions."""

    between = 0
    """The number of intermediate states found: TLC counts them as generated."""
    inside = 0
    """The depth of composed actions that are being walked."""

    @contextmanager
    def within(self) -> Iterator[None]:
        """Mark the evaluation of a part of a composed action: TLC does not count its intermediate states."""
        kept, self.inside = self.inside, self.inside + 1
        try:
            yield
        finally:
            self.inside = kept

    @abstractmethod
    def walk(self, whole: Expression, unit: Unit, primed: bool, *, top: bool = False) -> Walk:
        """Return the walker of a formula."""

    def compose(self, whole: ast.Apply, unit: Unit, primed: bool) -> Walk:
        """Return the walker of a composed action."""
        halves = _Halves(self, whole, unit, primed)
        second = self.walk(whole.arguments[1], unit, False)
        now, following = self.evaluator.now, self.evaluator.next

        def walk_composition(e: Frame, follow: Continue) -> None:
            before, partial = now[:], halves.materialize_all(following)

            def go_on() -> None:
                here, there = now[:], following[:]
                now[:], following[:] = before, halves.materialize_all(there)
                self.inside -= 1
                follow()
                self.inside += 1
                now[:], following[:] = here, there

            with _restore(now), _restore(following):
                for state in halves.between(e):
                    now[:], following[:] = state, partial
                    with self.within():
                        second(e, go_on)

        return walk_composition

    def composes(self, whole: ast.Apply, unit: Unit, primed: bool) -> Callable[[Frame], bool]:
        """Return a test that a composed action leads from the state to the next state, both known."""
        halves = _Halves(self, whole, unit, primed)
        second = self.evaluator.truth(whole.arguments[1], unit)
        now, following = self.evaluator.now, self.evaluator.next

        def holds(e: Frame) -> bool:
            there = halves.materialize_all(following)
            with _restore(now), _restore(following):
                for state in halves.between(e):
                    now[:], following[:] = state, there
                    with self.within():
                        if second(e):
                            return True
            return False

        return holds


class _Halves:
    """The states after the first action, and the names around the composition that the second may read."""

    def __init__(self, walker: Composing, whole: ast.Apply, unit: Unit, primed: bool) -> None:
        self.walker, self.place, self.evaluator = walker, whole.place, walker.evaluator
        if primed:
            words = "a formula of two states stands below a prime, or among initial states"
            raise Undefined(self.place, words)
        self.first = walker.walk(whole.arguments[0], unit, False)
        facts = self.evaluator.analysis.of(whole.arguments[1], unit.module)
        self.reads = [(self.evaluator.index[one], one.name) for one in facts.reads]
        self.given = [(unit.slot(one), one.name) for one in _around(self.evaluator, facts, self.place)]

    def between(self, e: Frame) -> list[State]:
        """Return the intermediate states, in the order of the walk and with repetitions."""
        for slot, name in self.given:
            if not self._is_rigid(e, slot):
                raise Undefined(self.place, f"{name} {_AROUND}")
        walker, now, following = self.walker, self.evaluator.now, self.evaluator.next
        states: list[State] = []
        with _restore(following), walker.within():
            following[:] = [UNSET] * len(now)
            self.first(e, lambda: states.append(tuple(self.materialize_all(following))))
        for state in states:
            for index, name in self.reads:
                if state[index] is UNSET:
                    words = f"the first action of \\cdot leaves {name} open, which the second one reads"
                    raise Undefined(self.place, words)
        walker.between += len(states) * (not walker.inside)
        return states

    def materialize_all(self, values: Sequence[Value]) -> list[Value]:
        """Return values with all delayed parts computed. These parts may read the current state."""
        try:
            return [one if one is UNSET else force_delayed(one) for one in values]
        except NoValue as error:
            raise Undefined(self.place, f"beside \\cdot, {error}") from None

    def _is_rigid(self, e: Frame, slot: int) -> bool:
        """True if the value of a slot is the same in all states."""
        value = e[slot] if slot < len(e) else None
        if isinstance(value, Closure):
            return False
        if type(value) is not Waiting:
            if value is not None:
                (e[slot],) = self.materialize_all([value])
            return True
        code = value.code
        facts = self.evaluator.analysis.of(code.expression, code.unit.module)
        if facts.level < ACTION and (facts.reads or facts.changing or facts.level):
            return False  # its value in this state is kept
        slots = code.unit.slots
        return all(self._is_rigid(value.env, slots[one]) for one in facts.free if one in slots)


def _around(evaluator: Evaluator, facts: Facts, place: Place) -> list[ast.Parameter | ast.Bound]:
    """Return the names around a composition that the second action needs. Raises Undefined for one that reads
    the state."""
    waiting, seen, names = list(facts.free), set[Definition](), dict[ast.Parameter | ast.Bound, None]()
    while waiting:
        symbol = waiting.pop()
        if symbol in names or symbol in seen:
            continue
        if isinstance(symbol, Definition):
            seen.add(symbol)
            own = evaluator.analysis.of_definition(symbol)
            if own.reads and not symbol.parameters and own.level < ACTION:
                raise Undefined(place, f"{symbol.name} {_AROUND}")
            waiting += own.free - {symbol}
            continue
        if isinstance(symbol, ast.Parameter | ast.Bound):
            names[symbol] = None
    return list(names)


@contextmanager
def _restore(values: list[Value]) -> Iterator[None]:
    kept = values[:]
    try:
        yield
    finally:
        values[:] = kept
