"""The operators that are built in, translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla import ast
from verifier.tla.calls import compile_operator
from verifier.tla.frames import Undefined
from verifier.tla.primitives import divided, modulo
from verifier.tla.translate.arithmetic import by_cases, make_span, power_of, sum_of
from verifier.tla.translate.comparability import require_comparable
from verifier.tla.translate.connectives import and_, if_, implies, not_, truth_of
from verifier.tla.translate.domains import domain_of
from verifier.tla.translate.kinds import narrow_operands
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.membership import subset
from verifier.tla.translate.merging import (
    bag_cardinality,
    bag_difference,
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
    bounded_sequences,
    concatenate,
    fold_left,
    fold_right,
    head_of,
    length_of,
    reverse,
    select_seq,
    sub_seq,
    tail_of,
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
from verifier.tla.values import NoValue, is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def apply_operator(t: Translator, name: str, given: list[Sym], whole: ast.Expression) -> Sym:
    """An operator with its arguments."""
    for one in given:
        if isinstance(one, Nothing):
            return one
    if all(isinstance(one, Known) for one in given) and name not in _LOGICAL:
        return _evaluate_operator(t, name, [one.value for one in given if isinstance(one, Known)], whole)
    given = narrow_operands(t, name, given)
    for one in given:
        if isinstance(one, Nothing):
            return one
    found = _logical(t, name, given)
    if found is not None:
        return t.strict(found, *given)
    rule = _RULES.get(name)
    if rule is None:
        raise Untranslated(whole.place, f"the operator {name} is not translated where the state decides it")
    return t.strict(rule(t, *given), *given)


def _evaluate_operator(t: Translator, name: str, given: list[Any], whole: ast.Expression) -> Sym:
    compute = compile_operator(t.evaluator, name, len(given), whole.place)
    if compute is None or name in ("TLCGet", "TLCSet", "RandomElement", "JavaTime", "TLCGetOrDefault"):
        raise Untranslated(whole.place, f"the operator {name} is not translated")
    try:
        return Known(compute(given))
    except Undefined as error:
        return Nothing(str(error))


def _logical(t: Translator, name: str, given: list[Sym]) -> Sym | None:
    match name:
        case "TRUE":
            return YES
        case "FALSE":
            return NO
        case "~":
            return not_(t, given[0])
        case "<=>":
            return _equivalent(t, *given)
        case "=>":
            return implies(t, given[0], lambda: given[1])
        case "=":
            return compare_values(t, *given)
        case "#":
            return not_(t, compare_values(t, *given))
        case "\\in":
            return t.member_of(given[1], given[0])
        case "\\notin":
            return not_(t, t.member_of(given[1], given[0]))
        case "\\subseteq":
            return subset(t, *given)
        case "<" | "<=" | ">" | ">=":
            return _compare_integers(t, name, *given)
    return None


def compare_values(t: Translator, one: Sym, other: Sym) -> Sym:
    """``one = other``, where they are of kinds that may be compared."""
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
    """``IsFiniteSet``. Raises Untranslated for a description that may be finite or not."""
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


def _compare_integers(t: Translator, name: str, one: Sym, other: Sym) -> Sym:
    left, right = integer_of(t, one), integer_of(t, other)
    for part in (left, right):
        if isinstance(part, Nothing):
            return part
    if name in (">", ">="):
        left, right = right, left
    return less(t, left, right, equal=name in ("<=", ">="))


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
    "+": lambda t, one, other: sum_of(t, Operator.ADD, one, other),
    "-": lambda t, one, other: sum_of(t, Operator.SUBTRACT, one, other),
    "-.": lambda t, value: sum_of(t, Operator.SUBTRACT, Known(0), value),
    "*": lambda t, one, other: by_cases(t, int.__mul__, one, other),
    "\\div": lambda t, one, other: by_cases(t, divided, one, other),
    "%": lambda t, one, other: by_cases(t, modulo, one, other),
    "^": power_of,
    "..": make_span,
    "\\cup": unite,
    "\\cap": intersect,
    "\\": difference,
    "SUBSET": lambda t, base: Subsets(base),
    "UNION": unite_all,
    "DOMAIN": domain_of,
    "Cardinality": cardinality_of,
    "IsFiniteSet": is_finite,
    "Seq": lambda t, base: AllSequences(base),
    "Len": length_of,
    "Head": head_of,
    "Tail": tail_of,
    "Append": append,
    "\\o": concatenate,
    "SubSeq": sub_seq,
    "SelectSeq": select_seq,
    "BoundedSeq": bounded_sequences,
    ":>": lambda t, key, item: pair_of(key, item),
    "@@": merge_functions,
    "Reverse": reverse,
    "&": lambda t, one, other: by_cases(t, int.__and__, one, other),
    "|": lambda t, one, other: by_cases(t, int.__or__, one, other),
    "^^": lambda t, one, other: by_cases(t, int.__xor__, one, other),
    "shiftR": lambda t, one, other: by_cases(t, _shifted, one, other),
    "IsABag": is_bag,
    "SetToBag": lambda t, of: function_over(t, of, lambda key: Known(1)),
    "BagToSet": domain_of,
    "BagIn": lambda t, item, bag: t.member_of(domain_of(t, bag), item),
    "CopiesIn": copies,
    "BagCardinality": bag_cardinality,
    "(+)": bag_sum,
    "(-)": bag_difference,
    "\\sqsubseteq": bag_within,
    "kSubset": subsets_of_size,
    "Min": lambda t, of: extreme(t, of, largest=False),
    "Max": lambda t, of: extreme(t, of, largest=True),
    "SetToSeq": set_to_seq,
    "FoldSet": fold_set,
    "FoldLeft": fold_left,
    "FoldRight": fold_right,
    "MapThenFoldSet": map_then_fold,
    "TLCEval": lambda t, value: value,
    "TLCNoOp": lambda t, value: value,
    "TLCCache": lambda t, value, closure: value,
    "Print": lambda t, shown, value: value,
    "PrintT": lambda t, shown: YES,
    "Assert": lambda t, truth, words: if_(t, truth, YES, Nothing("Assert fails")),
}
"""What translates an operator whose arguments are not all known."""


def _shifted(one: int, other: int) -> int:
    if other < 0:
        raise NoValue("a shift by less than 0")
    return one >> other
