"""The conjuncts of a formula of a step, while some names range over intervals.

Most conjuncts speak of the first state only, and a step leaves most variables as they are. So a conjunction
is split once into what is known of the first state and the conjuncts that speak of both. These alone are
evaluated again while the variables that the others read are the same objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.approximating import ApproximateTruth, Approximation
from verifier.tla.approximation import Fields, Part, Within, count_records, find_one_more, may_equal
from verifier.tla.approximation_scopes import Known, Scope
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.part_reads import Read
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_Part: TypeAlias = tuple[Expression, str, Scope]
_Sent: TypeAlias = tuple[int, int, Expression]
"""The place of the variable, that of the bag before, and the record."""


@dataclass
class _Split:
    """The knowledge of the first state, and the rest of a conjunction."""

    is_false: bool = False
    is_known: bool = True
    """False if a conjunct of the first state may be true or false."""
    reads: set[Read] = field(default_factory=set)
    """The parts of variables of the first state on which this split depends."""
    is_kept: bool = True
    """False if it depends on the next state too."""
    parts: list[_Part] = field(default_factory=list)
    """The conjuncts that are left to evaluate, in order."""


class Conjuncts(Approximation):
    """Evaluates formulas of steps for one evaluator."""

    def __init__(self, ev: Evaluator) -> None:
        super().__init__(ev)
        self._known_sent: dict[tuple[Expression, str], _Sent | None] = {}
        self._last: tuple[Value, Value, Value | None] = ((), (), None)
        """Two bags of which the second may have one record more, and that record."""
        self.sought: tuple[Value, Fields] | None = None
        """The record that a step sends, and the one that may be equal to it, of the last formula."""

    def holds(self, whole: Expression, module: str, scope: Scope) -> ApproximateTruth:
        """Return the truth value of a formula of a step."""
        self.sought = None
        kept = scope.split
        if kept is None or not kept.holds(self.step, self.ev.now):
            split = _Split()
            self._split(whole, module, scope, split)
            reads = split.reads if split.is_kept else None
            kept = scope.split = Known(self.step, reads, self.ev.now, split)
        split = kept.result
        if split.is_false:
            return False
        conjunction: ApproximateTruth = True if split.is_known else None
        for one, inside, own in split.parts:
            sent = self._read_sent(one, inside)
            truth = self._adds(sent, one, inside, own) if sent else self.truth(one, inside, own)
            if truth is False:
                return False
            if truth is None:
                conjunction = None
        return conjunction

    def _split(self, whole: Expression, module: str, scope: Scope, split: _Split) -> None:
        reads = self.reads(whole, module, scope)
        if split.parts:  # its value may depend on what comes before it
            split.parts.append((whole, module, scope))
            return
        if reads is not None:
            split.reads.update(reads)
            truth = self.truth(whole, module, scope)
            split.is_false = truth is False
            split.is_known = split.is_known and truth is not None
            return
        match whole:
            case ast.Junction(conjunction=True):
                for item in whole.items:
                    before, split.is_known = split.is_known, True
                    self._split(item, module, scope, split)
                    if split.is_false:
                        return
                    if not split.is_known:
                        scope = self.refine(item, module, scope, True)
                    split.is_known = split.is_known and before
            case ast.Let():
                self._split(whole.body, module, scope, split)
            case ast.Apply() if isinstance(symbol := self.resolve(whole.operator, module), Definition):
                for argument in whole.arguments:
                    of_argument = self.reads(argument, module, scope)
                    split.is_kept = split.is_kept and of_argument is not None
                    split.reads.update(of_argument or ())
                body, inside, own = self.enter(symbol, whole, module, scope)
                try:
                    self._split(body, inside, own, split)
                finally:
                    self.depth -= 1
            case _:
                split.parts.append((whole, module, scope))

    # -- one more message

    def _read_sent(self, whole: Expression, module: str) -> _Sent | None:
        """Return what a conjunct ``v' = w (+) SetToBag({m})`` speaks of; None for another one."""
        place = whole, module
        if place not in self._known_sent:
            self._known_sent[place] = self._find_sent(whole, module)
        return self._known_sent[place]

    def _find_sent(self, whole: Expression, module: str) -> _Sent | None:
        match whole:
            case ast.Apply(operator=Builtin(name="="), arguments=(ast.Prime(body=left), right)):
                bag, item = self._split_sum(right, module)
                target, base = self._variable(left, module), self._variable(bag, module)
                if target is not None and base is not None and item is not None:
                    return target, base, item
        return None

    def _split_sum(self, whole: Expression, module: str) -> tuple[Expression | None, Expression | None]:
        """Return the bag and the record of ``bag (+) SetToBag({record})``, perhaps as a definition's body."""
        if not isinstance(whole, ast.Apply):
            return None, None
        symbol = self.resolve(whole.operator, module)
        if isinstance(symbol, Definition) and symbol.body is not None and not symbol.nested:
            if symbol.recursive or symbol in self.ev.constants:
                return None, None
            given: dict[Symbol, Expression] = dict(zip(symbol.parameters, whole.arguments, strict=True))
            names = [_name(part) for part in self._split_sum(symbol.body, symbol.module)]
            bag, item = (None if name is None else given.get(name) for name in names)
            return bag, item
        match symbol, whole.arguments:
            case Builtin(name="(+)"), (base, ast.Apply(arguments=(ast.SetOf(items=(record,)),)) as single):
                operator = self.resolve(single.operator, module)
                if isinstance(operator, Builtin) and operator.name == "SetToBag":
                    return base, record
        return None, None

    def _variable(self, whole: Expression | None, module: str) -> int | None:
        name = _name(whole)
        symbol = None if name is None else self.resolve(name, module)
        return self.ev.index.get(symbol) if isinstance(symbol, ast.Variable) else None

    def _adds(self, sent: _Sent, whole: Expression, module: str, scope: Scope) -> ApproximateTruth:
        """Return the truth value of such a conjunct."""
        target, base, record = sent
        after, before = self.ev.next[target], self.ev.now[base]
        item = self.value(record, module, scope)
        if type(item) is not Fields or type(after) not in self.plain or type(before) not in self.plain:
            return self.truth(whole, module, scope)
        if self._last[0] is not after or self._last[1] is not before:
            self._last = after, before, find_one_more(after, count_records(before))
        added = self._last[2]
        if added is None or not may_equal(added, item):
            return False
        self.sought = added, item
        return None

    def aim(self, values: range) -> list[int]:
        """Return guesses of a name's value for which the last formula sends the record that the step sends.
        Often a field is the name plus a number, or is as long as the name says."""
        if self.sought is None:
            return []
        added, item = self.sought
        found = list[int]()
        for name, one in item.fields.items():
            value = len(added[name]) if type(one) is Part else added[name]
            if isinstance(one, Part | Within) and one.high > one.low:
                found.append(values[-1] - (one.high - value))
        return [one for one in dict.fromkeys(found) if one in values]


def _name(whole: Expression | None) -> Symbol | None:
    return whole.operator if isinstance(whole, ast.Apply) and not whole.arguments else None
