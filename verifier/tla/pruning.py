r"""``\E b, e \in m..n : A`` of two known states, decided without a look at all values.

The body is evaluated for whole intervals (``verifier.tla.approximate_conjuncts``). If it has a value for all
of them and is false for all, none of them is looked at. Otherwise an interval is halved. Where one value is
left for each name, the interpreter decides. It looks first at values that are guessed from the record that
the step sends. If the body may have no value somewhere, the loop runs as it is written: then the order of its
passes decides between TRUE and an error.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.approximate_conjuncts import Conjuncts
from verifier.tla.approximation import Approximate, Exactly, Unsure, Within
from verifier.tla.approximation_scopes import Scope
from verifier.tla.ast import Definition, Symbol
from verifier.tla.facts import ACTION
from verifier.tla.frames import Frame, Truth, Undefined, Unit, Waiting, force_delayed
from verifier.tla.lets import extend_frame
from verifier.tla.value_types import NoValue

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

FEWEST = 8
"""A loop of fewer passes runs as it is written."""
_TRIES = 8
"""The number of times that a formula is tried before it is given up, if it never worked."""
_Box: TypeAlias = tuple[range, ...]


def may_prune(ev: Evaluator, whole: ast.Quantifier, unit: Unit) -> bool:
    """True if a quantifier over intervals speaks of two states, or is part of one that does, so that its
    search may be shortened."""
    facts = ev.analysis.of(whole.body, unit.module)
    speaks = facts.level == ACTION or whole in ev.parts_of_steps
    return speaks and not facts.changing and not facts.enabled


class Pruned:
    """A quantifier over intervals."""

    def __init__(self, ev: Evaluator, whole: ast.Quantifier, unit: Unit) -> None:
        self.ev, self.whole, self.unit = ev, whole, unit
        self.names: list[Symbol] = [one.names[0] for one in whole.bindings]
        self.approximation = Conjuncts(ev)
        self.tries = _TRIES
        self._test: Truth | None = None
        self._around: list[tuple[Symbol, int]] | None = None

    def decide(self, e: Frame, *ranges: range) -> bool | None:
        """Return the value of the quantifier; None if the loop must run."""
        if not self.tries:
            return None
        try:
            decision = self._search(e, ranges)
        except Unsure:
            self.tries -= self.tries < _TRIES * 2
            return None
        self.tries = _TRIES * 2  # it works, so it is always tried
        return decision

    def _search(self, e: Frame, ranges: _Box) -> bool | None:
        scope = self.approximation.begin(self._names(e))
        waiting, most = [ranges], prod(map(len, ranges))
        while waiting:
            box = waiting.pop()
            most -= 1
            if most < 0:
                return None
            truth = self._approximate(scope, box)
            if truth:
                return True
            if box is ranges and truth is None and self._aim(e, scope, box):
                return True
            if truth is None:
                wide = max(range(len(box)), key=lambda number: len(box[number]))
                one = box[wide]
                if len(one) > 1:
                    middle = len(one) // 2
                    halves = (one[:middle], one[middle:])
                    waiting += [(*box[:wide], half, *box[wide + 1 :]) for half in halves]
                elif self._holds(e, box):
                    return True
        return False

    def _aim(self, e: Frame, scope: Scope, box: _Box) -> bool:
        """True if the body holds of guessed values: those for which it sends the record that the step sends,
        or else the first ones. No other value leads to an error: the body has a value for the whole box."""
        if self.approximation.sought is None:
            return self._holds(e, tuple(values[:1] for values in box))
        for number, values in enumerate(box):
            for value in self.approximation.aim(values) if len(values) > 1 else ():
                narrower = (*box[:number], range(value, value + 1), *box[number + 1 :])
                if self._approximate(scope, narrower) is not False:
                    box = narrower
                    break
        return self._holds(e, tuple(values[-1:] for values in box))

    def _approximate(self, scope: Scope, box: _Box) -> bool | None:
        part = scope.parts.get(box) or scope.part(box, self._approximate_box(box))
        return self.approximation.holds(self.whole.body, self.unit.module, part)

    def _approximate_box(self, box: _Box) -> dict[Symbol, Approximate]:
        pairs = zip(self.names, box, strict=True)
        return {name: Exactly(one[0]) if len(one) == 1 else Within(one[0], one[-1]) for name, one in pairs}

    def _names(self, e: Frame) -> dict[Symbol, Approximate]:
        """Return the values of the names around. Raises Unsure."""
        if self._around is None:
            free = self.ev.analysis.of(self.whole.body, self.unit.module).free.difference(self.names)
            own = [one for one in free if not (isinstance(one, Definition) and one.parameters)]
            self._around = [(one, self.unit.slot(one)) for one in own]
        names = dict[Symbol, Approximate]()
        for symbol, slot in self._around:
            value = e[slot]
            try:
                names[symbol] = Exactly(force_delayed(value.force() if type(value) is Waiting else value))
            except (Undefined, NoValue, RecursionError):
                raise Unsure from None
        return names

    def _holds(self, e: Frame, box: _Box) -> bool:
        """True if the body holds of single values."""
        if self._test is None:
            self._test = self.ev.truth(self.whole.body, self.unit)
        extend_frame(e, self.unit)
        for name, one in zip(self.names, box, strict=True):
            e[self.unit.slot(name)] = one[0]
        return self._test(e)
