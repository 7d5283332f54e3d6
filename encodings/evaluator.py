"""The concrete evaluator: boolean terms compiled to plain Python, without a solver.

The compiled function works on the bits of Python integers. Bit *j* of every argument belongs to state *j*, so
one call evaluates as many states as the integers have bits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import and_, or_

from pysmt.fnode import FNode
from pysmt.operators import AND, BOOL_CONSTANT, IFF, ITE, NOT, OR, SYMBOL

_STATEMENTS_PER_FUNCTION = 20_000
_OPERANDS_PER_GROUP = 50


class Evaluator:
    """Evaluates ``outputs`` from the values of ``inputs`` (boolean symbols).

    Raises ValueError if an output mentions a symbol that is not among the inputs.
    """

    def __init__(self, inputs: Sequence[FNode], outputs: Sequence[FNode]) -> None:
        self._run = _compile(inputs, outputs)

    def __call__(self, values: Sequence[int], mask: int = 1) -> list[int]:
        """The outputs, each as wide as ``mask`` (all ones, one per state)."""
        return self._run(values, mask)

    def single(self, values: Sequence[bool]) -> list[bool]:
        """The outputs for one state."""
        return [bool(output) for output in self._run([int(value) for value in values], 1)]


def _compile(inputs: Sequence[FNode], outputs: Sequence[FNode]) -> Callable[[Sequence[int], int], list[int]]:
    place: dict[FNode, int] = {symbol: index for index, symbol in enumerate(inputs)}
    lines: list[str] = []
    for node in _in_order(outputs):
        if node in place:
            continue
        arguments = [f"v[{place[argument]}]" for argument in node.args()]
        place[node] = len(inputs) + len(lines)
        lines.append(f"a({_expression(node, arguments)})")
    result = ", ".join(f"v[{place[output]}]" for output in outputs)
    starts = range(0, len(lines), _STATEMENTS_PER_FUNCTION)
    chunks = [lines[start : start + _STATEMENTS_PER_FUNCTION] for start in starts]
    source = ""
    for number, chunk in enumerate(chunks):
        source += f"def step{number}(v, m):\n a = v.append\n " + "\n ".join(chunk) + "\n"
    source += "def run(values, m):\n v = list(values)\n"
    source += "".join(f" step{number}(v, m)\n" for number in range(len(chunks)))
    source += f" return [{result}]\n"
    scope: dict[str, Callable[[Sequence[int], int], list[int]]] = {}
    exec(compile(source, "<evaluator>", "exec"), scope)
    return scope["run"]


def _expression(node: FNode, arguments: list[str]) -> str:
    kind = node.node_type()
    if kind == AND:
        return _join(" & ", arguments)
    if kind == OR:
        return _join(" | ", arguments)
    if kind == NOT:
        return f"{arguments[0]} ^ m"
    if kind == IFF:
        return f"{arguments[0]} ^ {arguments[1]} ^ m"
    if kind == ITE:
        return f"({arguments[0]} & {arguments[1]}) | ({arguments[2]} & ({arguments[0]} ^ m))"
    if kind == BOOL_CONSTANT:
        return "m" if node.constant_value() else "0"
    if kind == SYMBOL:
        raise ValueError(f"the variable {node.symbol_name()} is not among the evaluator's inputs")
    raise ValueError(f"not a boolean term of this project: {node}")


def _join(operator: str, arguments: list[str]) -> str:
    """The arguments joined by the operator, in groups: Python's compiler limits the nesting."""
    while len(arguments) > _OPERANDS_PER_GROUP:
        groups = range(0, len(arguments), _OPERANDS_PER_GROUP)
        arguments = [f"({operator.join(arguments[start : start + _OPERANDS_PER_GROUP])})" for start in groups]
    return operator.join(arguments)


def _in_order(roots: Sequence[FNode]) -> list[FNode]:
    """All nodes below the roots, each after its arguments."""
    order: list[FNode] = []
    seen: set[FNode] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((argument, False) for argument in node.args())
    return order


class LaneEvaluator:
    """Evaluates boolean terms without compiling them, for many states at once.

    Bit *j* of every integer belongs to state *j*. Values are kept, so that terms share their common parts.
    Terms over ``free`` symbols are evaluated again for each assignment of these (``under``).
    """

    def __init__(self, values: Mapping[FNode, int], mask: int, free: Collection[FNode] = ()) -> None:
        self._values, self._mask, self._free = dict(values), mask, frozenset(free)
        self._open: dict[FNode, bool] = {}

    def __call__(self, term: FNode) -> int:
        """The value of a term without free symbols, as wide as the mask."""
        return self._evaluate(term, self._values)

    def under(self, assigned: Mapping[FNode, bool], terms: Sequence[FNode]) -> list[int]:
        """The values of terms, the free symbols having these values in all states."""
        own = {symbol: self._mask if value else 0 for symbol, value in assigned.items()}
        return [self._evaluate(term, own) for term in terms]

    def _is_open(self, node: FNode) -> bool:
        is_known_open = self._open.get(node)
        if is_known_open is None:
            free = self._free
            is_known_open = node in free or any(self._open.get(part, part in free) for part in node.args())
            self._open[node] = is_known_open
        return is_known_open

    def _evaluate(self, root: FNode, own: dict[FNode, int]) -> int:
        values, mask, stack = self._values, self._mask, [root]
        while stack:
            node = stack[-1]
            if node in values or node in own:
                stack.pop()
                continue
            parts = node.args()
            missing = [part for part in parts if part not in values and part not in own]
            if missing:
                stack += missing
                continue
            stack.pop()
            kept = own if own is not values and self._is_open(node) else values
            arguments = [own[part] if part in own else values[part] for part in parts]
            kept[node] = _evaluate_node(node, arguments, mask)
        return own[root] if root in own else values[root]


def _evaluate_node(node: FNode, arguments: Sequence[int], mask: int) -> int:
    kind = node.node_type()
    if kind == AND:
        return reduce(and_, arguments, mask)
    if kind == OR:
        return reduce(or_, arguments, 0)
    if kind == NOT:
        return arguments[0] ^ mask
    if kind == IFF:
        return arguments[0] ^ arguments[1] ^ mask
    if kind == ITE:
        return (arguments[0] & arguments[1]) | (arguments[2] & (arguments[0] ^ mask))
    if kind == BOOL_CONSTANT:
        return mask if node.constant_value() else 0
    raise ValueError(f"not a boolean term of this project, or a symbol without a value: {node}")
