r"""``\E b, e \in m..n : A`` of two known states, decided without a look at all values.

The body is evaluated for whole intervals (``verifier.tla.approximate_conjuncts``). If it has a value for all
of them and is false for all, none of them is looked at. Otherwise an interval is halved. Where one value is
left for each name, the interpreter decides. If the body may have no value somewhere, the loop runs as it is
written: then the order of its passes decides between TRUE and an error.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.approximate_conjuncts import Conjuncts
from verifier.tla.approximation import Approximate, Exactly, Unsure, Within
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
        body, module = self.whole.body, self.unit.module
        scope = self.approximation.begin(self._names(e))
        waiting, most = [ranges], prod(map(len, ranges))
        while waiting:
            box = waiting.pop()
            most -= 1
            if most < 0:
                return None
            truth = self.approximation.holds(body, module, scope.part(box, self._approximate_box(box)))
            if truth:
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

    def _approximate_box(self, box: _Box) -> dict[Symbol, Approximate]:
        pairs = zip(self.names, box, strict=True)
        return {name: Exactly(one[0]) if len(one) == 1 else Within(one[0], one[-1]) for name, one in pairs}

    def _names(self, e: Frame) -> dict[Symbol, Approximate]:
        """Return the values of the names around. Raises Unsure."""
        facts, names = self.ev.analysis.of(self.whole.body, self.unit.module), dict[Symbol, Approximate]()
        for symbol in facts.free.difference(self.names):
            if isinstance(symbol, Definition) and symbol.parameters:
                continue
            value = e[self.unit.slot(symbol)]
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
