"""The built-in operators, translated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla import ast
from verifier.tla.calls import compile_operator
from verifier.tla.extensions import shift_right
from verifier.tla.frames import Undefined
from verifier.tla.primitives import divide, modulo
from verifier.tla.translate.arithmetic import by_cases, make_span, power_of, sum_of
from verifier.tla.translate.comparability import require_comparable
from verifier.tla.translate.connectives import and_, if_, implies, not_, truth_of
from verifier.tla.translate.domains import domain_of
from verifier.tla.translate.kinds import expect_kind
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.membership import subset
from verifier.tla.translate.merging import (
    bag_cardinality,
    bag_difference,
    bag_in,
    bag_sum,
    bag_within,
    copies,
    function_over,
    is_bag,
    merge_functions,
    pair_of,
    set_to_seq,
)
from verifier.tla.translate.refused_parts import refuse_parts
from verifier.tla.translate.sequences import (
    append,
    concatenate,
    fold_left,
    fold_right,
    head_of,
    length_of,
    reverse,
    select_seq,
    sub_seq,
    tail_of,
    translate_bounded_sequences,
)
from verifier.tla.translate.set_operators import (
    cardinality_of,
    difference,
    extreme,
    fold_set,
    intersect,
    map_then_fold,
    subsets_of_size,
    unite,
    unite_all,
)
from verifier.tla.translate.spreading import integer_of, over_alternatives
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
from verifier.tla.translate.value_kinds import FUNCTION, SET
from verifier.tla.values import is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


@dataclass(frozen=True)
class Rule:
    """The rule that translates an operator."""

    make: Callable[..., Sym]
    """Makes the value from the translator and the arguments. No argument is without a value."""
    operands: tuple[str | None, ...] = ()
    """The kind that each argument must have. None if any kind will do, or if ``make`` checks the kind itself,
    as for integers and truths. The empty tuple means None for all arguments."""
    is_formula: bool = False
    """True if the rule also translates known arguments. Otherwise the interpreter evaluates these."""


def apply_operator(t: Translator, name: str, given: list[Sym], whole: ast.Expression) -> Sym:
    """Apply an operator to its arguments. Raises Untranslated."""
    for one in given:
        if isinstance(one, Nothing):
            return one
    rule = RULES.get(name)
    if all(isinstance(one, Known) for one in given) and not (rule is not None and rule.is_formula):
        return _evaluate_operator(t, name, [one.value for one in given if isinstance(one, Known)], whole)
    if rule is None:
        raise Untranslated(whole.place, f"the operator {name} is not translated where the state decides it")
    if rule.operands:
        given = [
            one if kind is None else expect_kind(t, one, kind)
            for one, kind in zip(given, rule.operands, strict=True)
        ]
    for one in given:
        if isinstance(one, Nothing):
            return one
    return t.strict(rule.make(t, *given), *given)


def _evaluate_operator(t: Translator, name: str, given: list[Any], whole: ast.Expression) -> Sym:
    compute = compile_operator(t.evaluator, name, len(given), whole.place)
    if compute is None or name in ("TLCGet", "TLCSet", "RandomElement", "JavaTime", "TLCGetOrDefault"):
        raise Untranslated(whole.place, f"the operator {name} is not translated")
    try:
        return Known(compute(given))
    except Undefined as error:
        return Nothing(str(error))


def compare_values(t: Translator, one: Sym, other: Sym) -> Sym:
    """Translate ``one = other``. It has no value where the kinds may not be compared."""
    refused = refuse_parts(t, one, other)
    words = "values with parts of different kinds are compared"
    parts = YES if refused is NO else if_(t, refused, Nothing(words), YES)
    return t.after(require_comparable(t, one, other), t.after(parts, equals(t, one, other)))


def _equivalent(t: Translator, one: Sym, other: Sym) -> Sym:
    left, right = truth_of(t, one), truth_of(t, other)
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        return left if isinstance(left, Nothing) else right
    return equals(t, left, right)


def is_finite(t: Translator, value: Sym) -> Sym:
    """Translate ``IsFiniteSet``. Raises Untranslated for a description whose finiteness is not known."""
    match value:
        case Nothing():
            return value
        case Chosen():
            return if_(t, value.condition, is_finite(t, value.then), is_finite(t, value.otherwise))
        case Known():
            if not is_set(value.value):
                return Nothing("a set is expected")
            return NO if is_infinite(value.value) else YES
        case Span() | Members():
            return YES
        case Term():
            varies = isinstance(value.sort, Variant)
            return over_alternatives(t, value, _is_set) if varies else _is_set(value)
        case Joined():
            return and_(t, [is_finite(t, part) for part in value.parts])
        case Subsets():
            return is_finite(t, value.base)
        case Part() | Functions() | Products() | Records():
            if all(is_finite(t, part) is YES for part in _parts(value)):
                return YES
    raise Untranslated(None, "whether this set is finite")


def _is_set(value: Term) -> Sym:
    if isinstance(value.sort, Set):
        return YES
    return Nothing("a set is expected")


def _is_less(t: Translator, one: Sym, other: Sym, *, equal: bool = False) -> Sym:
    left, right = integer_of(t, one), integer_of(t, other)
    for part in (left, right):
        if isinstance(part, Nothing):
            return part
    return less(t, left, right, equal=equal)


def _parts(value: Part | Functions | Products | Records) -> tuple[Sym, ...]:
    """Return the sets that a set is built from. The set is finite if all of them are."""
    match value:
        case Part():
            return (value.base,)
        case Functions():
            return (value.domain, value.range)
        case Products():
            return value.items
        case Records():
            return tuple(value.fields.values())


RULES: dict[str, Rule] = {
    "TRUE": Rule(lambda t: YES, is_formula=True),
    "FALSE": Rule(lambda t: NO, is_formula=True),
    "~": Rule(not_, is_formula=True),
    "<=>": Rule(_equivalent, is_formula=True),
    "=>": Rule(lambda t, one, other: implies(t, one, lambda: other), is_formula=True),
    "=": Rule(compare_values, is_formula=True),
    "#": Rule(lambda t, one, other: not_(t, compare_values(t, one, other)), is_formula=True),
    "\\in": Rule(lambda t, item, of: t.member_of(of, item), (None, SET), is_formula=True),
    "\\notin": Rule(lambda t, item, of: not_(t, t.member_of(of, item)), (None, SET), is_formula=True),
    "\\subseteq": Rule(subset, (SET, SET), is_formula=True),
    "<": Rule(_is_less, is_formula=True),
    "<=": Rule(partial(_is_less, equal=True), is_formula=True),
    ">": Rule(lambda t, one, other: _is_less(t, other, one), is_formula=True),
    ">=": Rule(lambda t, one, other: _is_less(t, other, one, equal=True), is_formula=True),
    # -- integers
    "+": Rule(lambda t, one, other: sum_of(t, Operator.ADD, one, other)),
    "-": Rule(lambda t, one, other: sum_of(t, Operator.SUBTRACT, one, other)),
    "-.": Rule(lambda t, value: sum_of(t, Operator.SUBTRACT, Known(0), value)),
    "*": Rule(lambda t, one, other: by_cases(t, int.__mul__, one, other)),
    "\\div": Rule(lambda t, one, other: by_cases(t, divide, one, other)),
    "%": Rule(lambda t, one, other: by_cases(t, modulo, one, other)),
    "^": Rule(power_of),
    "..": Rule(make_span),
    "&": Rule(lambda t, one, other: by_cases(t, int.__and__, one, other)),
    "|": Rule(lambda t, one, other: by_cases(t, int.__or__, one, other)),
    "^^": Rule(lambda t, one, other: by_cases(t, int.__xor__, one, other)),
    "shiftR": Rule(lambda t, one, other: by_cases(t, shift_right, one, other)),
    # -- sets
    "\\cup": Rule(unite, (SET, SET)),
    "\\cap": Rule(intersect, (SET, SET)),
    "\\": Rule(difference, (SET, SET)),
    "SUBSET": Rule(lambda t, base: Subsets(base), (SET,)),
    "UNION": Rule(unite_all, (SET,)),
    "Cardinality": Rule(cardinality_of, (SET,)),
    "IsFiniteSet": Rule(is_finite, (SET,)),
    "kSubset": Rule(subsets_of_size, (None, SET)),
    "Min": Rule(lambda t, of: extreme(t, of, largest=False), (SET,)),
    "Max": Rule(lambda t, of: extreme(t, of, largest=True), (SET,)),
    "SetToSeq": Rule(set_to_seq, (SET,)),
    "FoldSet": Rule(fold_set, (None, None, SET)),
    "MapThenFoldSet": Rule(map_then_fold, (None, None, None, None, SET)),
    # -- functions, sequences and bags
    "DOMAIN": Rule(domain_of, (FUNCTION,)),
    ":>": Rule(lambda t, key, item: pair_of(key, item)),
    "@@": Rule(merge_functions, (FUNCTION, FUNCTION)),
    "Seq": Rule(lambda t, base: AllSequences(base)),
    "BoundedSeq": Rule(translate_bounded_sequences, (SET, None)),
    "Len": Rule(length_of, (FUNCTION,)),
    "Head": Rule(head_of, (FUNCTION,)),
    "Tail": Rule(tail_of, (FUNCTION,)),
    "Append": Rule(append, (FUNCTION, None)),
    "\\o": Rule(concatenate, (FUNCTION, FUNCTION)),
    "SubSeq": Rule(sub_seq, (FUNCTION, None, None)),
    "SelectSeq": Rule(select_seq, (FUNCTION, None)),
    "Reverse": Rule(reverse, (FUNCTION,)),
    "FoldLeft": Rule(fold_left, (None, None, FUNCTION)),
    "FoldRight": Rule(fold_right, (None, FUNCTION, None)),
    "IsABag": Rule(is_bag),
    "SetToBag": Rule(lambda t, of: function_over(t, of, lambda key: Known(1)), (SET,)),
    "BagToSet": Rule(domain_of, (FUNCTION,)),
    "BagIn": Rule(bag_in, (None, FUNCTION)),
    "CopiesIn": Rule(copies, (None, FUNCTION)),
    "BagCardinality": Rule(bag_cardinality, (FUNCTION,)),
    "(+)": Rule(bag_sum, (FUNCTION, FUNCTION)),
    "(-)": Rule(bag_difference, (FUNCTION, FUNCTION)),
    "\\sqsubseteq": Rule(bag_within, (FUNCTION, FUNCTION)),
    # -- TLC
    "TLCEval": Rule(lambda t, value: value),
    "TLCNoOp": Rule(lambda t, value: value),
    "TLCCache": Rule(lambda t, value, closure: value),
    "Print": Rule(lambda t, shown, value: value),
    "PrintT": Rule(lambda t, shown: YES),
    "Assert": Rule(lambda t, truth, words: if_(t, truth, YES, Nothing("Assert fails"))),
}
"""The operators that are translated. Each has a line here; the module of its subject has its rule."""

__all__ = ["RULES", "Rule", "apply_operator", "compare_values"]
