"""Boolean terms with constants folded: pySMT's constructors build them but do not simplify."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import is_

from pysmt.environment import Environment
from pysmt.fnode import FNode
from pysmt.formula import FormulaManager
from pysmt.operators import AND, IFF, ITE, NOT, OR
from pysmt.typing import BOOL


class _BooleanManager(FormulaManager):  # type: ignore[misc]  # pySMT has no types
    """Checks no types. That takes a third of the time, and no term here has another one than BOOL: the
    variables are boolean, and the only operators are those below."""

    def _do_type_check(self, formula: FNode) -> None:
        """Nothing."""


class _BooleanEnvironment(Environment):  # type: ignore[misc]  # pySMT has no types
    FormulaManagerClass = _BooleanManager


ENVIRONMENT = _BooleanEnvironment()
"""All terms belong to it; pySMT's own functions take them as its terms while it is entered (``with``)."""
_manager = ENVIRONMENT.formula_manager
TRUE: FNode = _manager.TRUE()
FALSE: FNode = _manager.FALSE()


def bit(name: str) -> FNode:
    """The boolean variable of that name."""
    return _manager.Symbol(name, BOOL)


def negation(operand: FNode) -> FNode:
    """``not operand``."""
    if operand is TRUE:
        return FALSE
    if operand is FALSE:
        return TRUE
    return operand.arg(0) if operand.node_type() == NOT else _manager.Not(operand)


def _junction(operands: Iterable[FNode], kind: int, unit: FNode, zero: FNode) -> FNode:
    kept: dict[int, FNode] = {}  # by identity: equal terms are one object, whose own hash is slow
    for operand in operands:
        if operand is zero:
            return zero
        if operand is unit:
            continue
        if operand.node_type() == kind:
            for inner in operand.args():
                kept[id(inner)] = inner
        else:
            kept[id(operand)] = operand
    for operand in kept.values():
        if operand.node_type() == NOT and id(operand.arg(0)) in kept:
            return zero
    if not kept:
        return unit
    if len(kept) == 1:
        return next(iter(kept.values()))
    return _manager.create_node(kind, tuple(kept.values()))


def conjunction(operands: Iterable[FNode]) -> FNode:
    """The conjunction of the operands; true if there are none."""
    return _junction(operands, AND, TRUE, FALSE)


def disjunction(operands: Iterable[FNode]) -> FNode:
    """The disjunction of the operands; false if there are none."""
    return _junction(operands, OR, FALSE, TRUE)


def equivalence(left: FNode, right: FNode) -> FNode:
    """``left <=> right``."""
    if left is right:
        return TRUE
    for one, other in ((left, right), (right, left)):
        if one is TRUE:
            return other
        if one is FALSE:
            return negation(other)
    if left is negation(right):
        return FALSE
    return _manager.Iff(left, right)


def choice(condition: FNode, then: FNode, otherwise: FNode) -> FNode:
    """``if condition then then else otherwise``."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if then is TRUE:
        return disjunction((condition, otherwise))
    if then is FALSE:
        return conjunction((negation(condition), otherwise))
    if otherwise is TRUE:
        return disjunction((negation(condition), then))
    if otherwise is FALSE:
        return conjunction((condition, then))
    if then is condition:
        return disjunction((condition, otherwise))
    if otherwise is condition:
        return conjunction((condition, then))
    return _manager.Ite(condition, then, otherwise)


def restrict_formula(root: FNode, known: Mapping[FNode, FNode]) -> FNode:
    """The formula with variables replaced by constants or formulas, and constants folded."""
    return restrict_formulas((root,), known)[0]


def restrict_formulas(roots: Sequence[FNode], known: Mapping[FNode, FNode]) -> list[FNode]:
    """The formulas with variables replaced. A part that several formulas share is replaced once."""
    result = dict(known)
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in result:
            continue
        waiting = [argument for argument in node.args() if argument not in result]
        if waiting:
            stack += [node, *waiting]
            continue
        arguments = [result[argument] for argument in node.args()]
        kept = all(map(is_, arguments, node.args()))
        result[node] = node if kept else _rebuild(node, arguments)
    return [result[root] for root in roots]


def _rebuild(node: FNode, arguments: list[FNode]) -> FNode:
    kind = node.node_type()
    if kind in (AND, OR):
        return conjunction(arguments) if kind == AND else disjunction(arguments)
    operations: dict[int, Callable[..., FNode]] = {NOT: negation, IFF: equivalence, ITE: choice}
    return operations[kind](*arguments) if kind in operations else node


def in_order(roots: Sequence[FNode]) -> tuple[list[FNode], Mapping[FNode, int]]:
    """All nodes of formulas, each after its arguments, and how often each is used."""
    order: list[FNode] = []
    uses: dict[FNode, int] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, finished = stack.pop()
        if finished:
            order.append(node)
            continue
        uses[node] = uses.get(node, 0) + 1
        if uses[node] == 1:
            stack.append((node, True))
            stack.extend((argument, False) for argument in reversed(node.args()))
    return order, uses


def subterms(terms: Iterable[FNode]) -> Iterator[FNode]:
    """The different subterms of all terms, each once, in no order that matters."""
    seen: set[FNode] = set()
    waiting = list(terms)
    while waiting:
        term = waiting.pop()
        if term not in seen:
            seen.add(term)
            yield term
            waiting.extend(term.args())
