"""The operators that are built in, translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.sorts import Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla import ast
from verifier.tla.evaluator import Evaluator
from verifier.tla.frames import Undefined
from verifier.tla.primitives import divided, modulo
from verifier.tla.translate.merging import Merging
from verifier.tla.translate.refused_parts import refuse_parts
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    AllSequences,
    Chosen,
    Functions,
    Joined,
    Known,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Span,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.values import NoValue, is_infinite, is_set


class Builtins(Merging):
    """Translates the operators that are built in."""

    evaluator: Evaluator

    def builtin(self, name: str, given: list[Sym], whole: ast.Expression) -> Sym:
        """An operator with its arguments."""
        for one in given:
            if isinstance(one, Nothing):
                return one
        if all(isinstance(one, Known) for one in given) and name not in _LOGICAL:
            return self._evaluate(name, [one.value for one in given if isinstance(one, Known)], whole)
        given = self.operands(name, given)
        for one in given:
            if isinstance(one, Nothing):
                return one
        found = self._logical(name, given)
        if found is not None:
            return self.strict(found, *given)
        rule = _RULES.get(name)
        if rule is None:
            raise Untranslated(
                whole.place, f"the operator {name} is not translated where the state decides it"
            )
        return self.strict(rule(self, *given), *given)

    def _evaluate(self, name: str, given: list[Any], whole: ast.Expression) -> Sym:
        compute = self.evaluator.operation(name, len(given), whole.place)
        if compute is None or name in ("TLCGet", "TLCSet", "RandomElement", "JavaTime", "TLCGetOrDefault"):
            raise Untranslated(whole.place, f"the operator {name} is not translated")
        try:
            return Known(compute(given))
        except Undefined as error:
            return Nothing(str(error))

    def _logical(self, name: str, given: list[Sym]) -> Sym | None:
        match name:
            case "TRUE":
                return YES
            case "FALSE":
                return NO
            case "~":
                return self.not_(given[0])
            case "<=>":
                return self._equivalent(*given)
            case "=>":
                return self.implies(given[0], lambda: given[1])
            case "=":
                return self.compared(*given)
            case "#":
                return self.not_(self.compared(*given))
            case "\\in":
                return self.member_of(given[1], given[0])
            case "\\notin":
                return self.not_(self.member_of(given[1], given[0]))
            case "\\subseteq":
                return self.subset(*given)
            case "<" | "<=" | ">" | ">=":
                return self._compared(name, *given)
        return None

    def compared(self, one: Sym, other: Sym) -> Sym:
        """``one = other``, where they are of kinds that may be compared."""
        refused = refuse_parts(self, one, other)
        words = "values with parts of different kinds are compared"
        parts = YES if refused is NO else self.if_(refused, Nothing(words), YES)
        return self.after(self.comparable(one, other), self.after(parts, self.equal(one, other)))

    def _equivalent(self, one: Sym, other: Sym) -> Sym:
        left, right = self.truth(one), self.truth(other)
        if isinstance(left, Nothing) or isinstance(right, Nothing):
            return left if isinstance(left, Nothing) else right
        return self.equal(left, right)

    def is_finite(self, value: Sym) -> Sym:
        """``IsFiniteSet``. Raises Untranslated for a description that may be finite or not."""
        match value:
            case Nothing():
                return value
            case Chosen():
                return self.if_(value.condition, self.is_finite(value.then), self.is_finite(value.otherwise))
            case Known():
                if not is_set(value.value):
                    return Nothing("a set is expected")
                return NO if is_infinite(value.value) else YES
            case Span() | Members():
                return YES
            case Term():
                varies = isinstance(value.sort, Variant)
                return self.over(value, self._is_set) if varies else self._is_set(value)
            case Joined():
                return self.and_([self.is_finite(part) for part in value.parts])
            case Subsets():
                return self.is_finite(value.base)
            case Part() | Functions() | Products() | Records():
                if all(self.is_finite(part) is YES for part in _parts(value)):
                    return YES
        raise Untranslated(None, "whether this set is finite")

    def _is_set(self, value: Term) -> Sym:
        if isinstance(value.sort, Set):
            return YES
        return Nothing("a set is expected")

    def _compared(self, name: str, one: Sym, other: Sym) -> Sym:
        left, right = self.integer(one), self.integer(other)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        if name in (">", ">="):
            left, right = right, left
        return self.less(left, right, equal=name in ("<=", ">="))


def _parts(value: Part | Functions | Products | Records) -> tuple[Sym, ...]:
    """The sets that a set is made of: it is finite if all of them are."""
    match value:
        case Part():
            return (value.base,)
        case Functions():
            return (value.domain, value.range)
        case Products():
            return value.items
        case Records():
            return tuple(value.fields.values())


_LOGICAL = frozenset(
    ("TRUE", "FALSE", "~", "<=>", "=>", "=", "#", "\\in", "\\notin", "\\subseteq", "<", "<=", ">", ">=")
)
"""Operators whose values are formulas."""
_RULES: dict[str, Callable[..., Sym]] = {
    "+": lambda make, one, other: make.sum_of(Operator.ADD, one, other),
    "-": lambda make, one, other: make.sum_of(Operator.SUBTRACT, one, other),
    "-.": lambda make, value: make.sum_of(Operator.SUBTRACT, Known(0), value),
    "*": lambda make, one, other: make.by_cases(int.__mul__, one, other),
    "\\div": lambda make, one, other: make.by_cases(divided, one, other),
    "%": lambda make, one, other: make.by_cases(modulo, one, other),
    "^": Builtins.power,
    "..": Builtins.span,
    "\\cup": Builtins.united,
    "\\cap": Builtins.common,
    "\\": Builtins.without,
    "SUBSET": lambda make, base: Subsets(base),
    "UNION": Builtins.big_union,
    "DOMAIN": Builtins.domain,
    "Cardinality": Builtins.cardinality,
    "IsFiniteSet": Builtins.is_finite,
    "Seq": lambda make, base: AllSequences(base),
    "Len": Builtins.length_of,
    "Head": Builtins.head,
    "Tail": Builtins.tail,
    "Append": Builtins.appended,
    "\\o": Builtins.concatenated,
    "SubSeq": Builtins.sub_seq,
    "SelectSeq": Builtins.select_seq,
    "BoundedSeq": Builtins.bounded,
    ":>": Builtins.pair_of,
    "@@": Builtins.over_each,
    "Reverse": lambda make, value: make.reversed(value),
    "&": lambda make, one, other: make.by_cases(int.__and__, one, other),
    "|": lambda make, one, other: make.by_cases(int.__or__, one, other),
    "^^": lambda make, one, other: make.by_cases(int.__xor__, one, other),
    "shiftR": lambda make, one, other: make.by_cases(_shifted, one, other),
    "IsABag": Builtins.is_bag,
    "SetToBag": lambda make, of: make.function_over(of, lambda key: Known(1)),
    "BagToSet": Builtins.domain,
    "BagIn": lambda make, item, bag: make.member_of(make.domain(bag), item),
    "CopiesIn": Builtins.copies,
    "BagCardinality": Builtins.bag_cardinality,
    "(+)": Builtins.bag_sum,
    "(-)": Builtins.bag_difference,
    "\\sqsubseteq": Builtins.bag_within,
    "kSubset": Builtins.subsets_of_size,
    "Min": lambda make, of: make.extreme(of, largest=False),
    "Max": lambda make, of: make.extreme(of, largest=True),
    "SetToSeq": Builtins.set_to_seq,
    "FoldSet": Builtins.fold_set,
    "FoldLeft": Builtins.fold_left,
    "FoldRight": Builtins.fold_right,
    "MapThenFoldSet": Builtins.map_then_fold,
    "TLCEval": lambda make, value: value,
    "TLCNoOp": lambda make, value: value,
    "TLCCache": lambda make, value, closure: value,
    "Print": lambda make, shown, value: value,
    "PrintT": lambda make, shown: YES,
    "Assert": lambda make, truth, words: make.if_(truth, YES, Nothing("Assert fails")),
}
"""What translates an operator whose arguments are not all known."""


def _shifted(one: int, other: int) -> int:
    if other < 0:
        raise NoValue("a shift by less than 0")
    return one >> other


__all__ = ["Builtins"]
