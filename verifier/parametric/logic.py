"""Many-sorted first-order formulas with integers: immutable nodes, each structure made once.

The sorts are ``Bool``, ``Int`` and the uninterpreted sorts of the index sets. Bound variables are numbered
and never used twice, so that substitution captures nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from verifier.parametric.determined import find_by_cases, simplify
from verifier.parametric.nodes import BOOL, INT, Bound, Node


class Logic:
    """Makes nodes, with simple folding. Two nodes with the same content are the same object."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Node] = {}
        self._variables = 0
        self._substitutions: dict[tuple[Node, Node], _Substitution] = {}
        self.true = self._node("true", BOOL)
        self.false = self._node("false", BOOL)

    def _node(self, kind: str, sort: str, args: tuple[Node, ...] = (), data: Any = None) -> Node:
        key = (kind, sort, tuple(map(id, args)), data)
        node = self._made.get(key)
        if node is None:
            free = frozenset().union(*(arg.free for arg in args)) if args else frozenset()
            if isinstance(data, Bound):
                free -= frozenset(data.variables)
            quantified = isinstance(data, Bound) or any(arg.quantified for arg in args)
            node = Node(kind, sort, args, data, free, quantified)
            if kind == "var":
                object.__setattr__(node, "free", frozenset((node,)))
            self._made[key] = node
        return node

    def variable(self, sort: str) -> Node:
        """Return a new bound variable."""
        self._variables += 1
        return self._node("var", sort, (), self._variables)

    def app(self, name: str, sort: str, args: Sequence[Node] = ()) -> Node:
        """Apply a function or predicate; without arguments it is a constant."""
        return self._node("app", sort, tuple(args), name)

    # Formulas

    def truth(self, value: bool) -> Node:
        """Return true or false."""
        return self.true if value else self.false

    def neg(self, one: Node) -> Node:
        """Return the negation."""
        if one is self.true or one is self.false:
            return self.truth(one is self.false)
        return one.args[0] if one.kind == "not" else self._node("not", BOOL, (one,))

    def conj(self, parts: Iterable[Node]) -> Node:
        """Return the conjunction."""
        return self._join("and", parts, self.true, self.false)

    def disj(self, parts: Iterable[Node]) -> Node:
        """Return the disjunction."""
        return self._join("or", parts, self.false, self.true)

    def _find_negation(self, one: Node) -> Node | None:
        """Return the negation if there is one: what was never made is in no formula."""
        return one.args[0] if one.kind == "not" else self._made.get(("not", BOOL, (id(one),), None))

    def _join(self, kind: str, parts: Iterable[Node], unit: Node, zero: Node) -> Node:
        flat: dict[Node, None] = {}
        for part in parts:
            for one in part.args if part.kind == kind else (part,):
                if one is zero or self._find_negation(one) in flat:
                    return zero
                if one is not unit:
                    flat[one] = None
        if not flat:
            return unit
        return next(iter(flat)) if len(flat) == 1 else self._node(kind, BOOL, tuple(flat))

    def implies(self, one: Node, other: Node) -> Node:
        """Return the implication."""
        return self.disj((self.neg(one), other))

    def follows(self, one: Node, other: Node) -> Node:
        """Return the implication, without the conjuncts of ``other`` that ``one`` contains."""
        said = self.implies(one, other)
        known: set[Node] = set()
        for arg in said.args if said.kind == "or" else ():
            false = self.neg(arg)
            known |= set(false.args) if false.kind == "and" else {false}
        if not known:
            return said
        return self.disj(
            self.conj(part for part in arg.args if part not in known) if arg.kind == "and" else arg
            for arg in said.args
        )

    def ite(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """Return ``then`` if the condition holds, else ``otherwise``."""
        then, otherwise = _where(condition, then, 1), _where(condition, otherwise, 2)
        if condition is self.true or then is otherwise:
            return then
        if condition is self.false:
            return otherwise
        if then.sort == BOOL:
            if condition.kind == "=" and _same_where(condition.args, then, otherwise):
                return otherwise
            if then is self.true:
                return self.disj((condition, otherwise))
            if then is self.false:
                return self.conj((self.neg(condition), otherwise))
            if otherwise is self.true:
                return self.disj((self.neg(condition), then))
            if otherwise is self.false:
                return self.conj((condition, then))
            return self._node("ite", BOOL, (condition, then, otherwise))
        if condition.kind == "not":
            condition, then, otherwise = condition.args[0], otherwise, then
        if condition.kind == "=" and _same_where(condition.args, then, otherwise):
            return otherwise
        return self._node("ite", then.sort, (condition, then, otherwise))

    def iff(self, one: Node, other: Node) -> Node:
        """Return the equivalence."""
        for a, b in ((one, other), (other, one)):
            if a is self.true:
                return b
            if a is self.false:
                return self.neg(b)
        if one is other:
            return self.true
        return self._node("=", BOOL, (one, other))

    def equal(self, one: Node, other: Node) -> Node:
        """Return the equality of two values of a sort."""
        if one.sort == BOOL:
            return self.iff(one, other)
        if one is other:
            return self.true
        if one.sort == INT and "sum" in (one.kind, other.kind):
            coefficients, constant = _linear(self.minus(one, other))
            if not coefficients:
                return self.truth(constant == 0)
        for a, b in ((one, other), (other, one)):
            if a.kind == "ite" and (a.args[1] is b or a.args[2] is b):
                same = self.equal(a.args[2] if a.args[1] is b else a.args[1], b)
                chosen = a.args[0] if a.args[1] is b else self.neg(a.args[0])
                return self.disj((chosen, same))
        return self._node("=", BOOL, (one, other))

    def less_equal(self, one: Node, other: Node) -> Node:
        """Return ``one <= other`` of integers."""
        if one is other:
            return self.true
        if "sum" in (one.kind, other.kind):
            coefficients, constant = _linear(self.minus(other, one))
            if not coefficients:
                return self.truth(constant >= 0)
        return self._node("<=", BOOL, (one, other))

    def less(self, one: Node, other: Node) -> Node:
        """Return ``one < other`` of integers."""
        return self.neg(self.less_equal(other, one))

    # Integers

    def integer(self, value: int) -> Node:
        """Return a number."""
        return self._sum({}, int(value))

    def plus(self, one: Node, other: Node) -> Node:
        """Return the sum."""
        (a, m), (b, n) = _linear(one), _linear(other)
        return self._sum({x: a.get(x, 0) + b.get(x, 0) for x in {**a, **b}}, m + n)

    def minus(self, one: Node, other: Node) -> Node:
        """Return the difference."""
        return self.plus(one, self.times(self.integer(-1), other))

    def times(self, one: Node, other: Node) -> Node:
        """Return the product."""
        for a, b in ((one, other), (other, one)):
            coefficients, factor = _linear(a)
            if not coefficients:
                parts, constant = _linear(b)
                return self._sum({x: factor * c for x, c in parts.items()}, factor * constant)
        return self._node("*", INT, (one, other))

    def _sum(self, coefficients: Mapping[Node, int], constant: int) -> Node:
        kept = {x: c for x, c in coefficients.items() if c}
        if len(kept) == 1 and not constant and next(iter(kept.values())) == 1:
            return next(iter(kept))
        return self._node("sum", INT, tuple(kept), (tuple(kept.values()), constant))

    # Quantifiers

    def forall(self, variables: Sequence[Node], body: Node, triggers: Sequence[Sequence[Node]] = ()) -> Node:
        """Quantify universally over the variables."""
        used, body = self._solve(variables, body, False)
        return self._quantify("forall", used, body, triggers)

    def exists(self, variables: Sequence[Node], body: Node, triggers: Sequence[Sequence[Node]] = ()) -> Node:
        """Quantify existentially over the variables."""
        used, body = self._solve(variables, body, True)
        return self._quantify("exists", used, body, triggers)

    def _quantify(
        self, kind: str, variables: Sequence[Node], body: Node, triggers: Sequence[Sequence[Node]]
    ) -> Node:
        while body.kind == kind:
            variables, body = (*variables, *body.data.variables), body.args[0]
        bound = tuple(v for v in variables if v in body.free)
        if not bound:
            return body
        outside = body.free - set(bound)  # variables with a value from the body are no longer bound
        reads = [(tuple(t), frozenset().union(*(p.free for p in t))) for t in triggers]
        fit = tuple(t for t, free in reads if set(bound) <= free <= {*bound, *outside})
        return self._node(kind, BOOL, (body,), Bound(bound, fit))

    def _solve(self, variables: Sequence[Node], body: Node, sign: bool) -> tuple[list[Node], Node]:
        """Replace variables whose value the body determines; its negation if ``sign`` is false."""
        left = list(variables)
        while left:
            solution = self._solution(left, body, sign)
            by_cases = None if solution else find_by_cases(self, left, list(_facts(body, sign)))
            if (found := solution or by_cases) is None:
                break
            variable, value = found
            left.remove(variable)
            body = self.substitute(body, {variable: value})
            if by_cases:
                body = simplify(self, body)
        return left, body

    def _solution(self, variables: Sequence[Node], body: Node, sign: bool) -> tuple[Node, Node] | None:
        """Return a variable and its value, which follow from the body, or from its negation."""
        sums = list[Node]()
        for part in _facts(body, sign):
            if part.kind == "=":
                for one, other in (part.args, part.args[::-1]):
                    if one in variables and one not in other.free:
                        return one, other
                if any(arg.kind == "sum" for arg in part.args):
                    sums.append(part)
        for part in sums:
            coefficients, constant = _linear(self.minus(*part.args))
            for one, factor in coefficients.items():
                rest = {x: -factor * c for x, c in coefficients.items() if x is not one}
                if one in variables and abs(factor) == 1 and all(one not in x.free for x in rest):
                    return one, self._sum(rest, -factor * constant)
        return None

    # Substitution

    def substitute(self, node: Node, values: Mapping[Node, Node]) -> Node:
        """Substitute values for free variables of the node.

        Instances of a clause share what a value decides. So results are kept for each variable and value,
        which is sound since nodes never change.
        """
        if len(values) != 1:
            return _Substitution(self, values).of(node)
        (replaced,) = values.items()
        if replaced not in self._substitutions:
            self._substitutions[replaced] = _Substitution(self, values)
        return self._substitutions[replaced].of(node)

    def replace_constants(self, node: Node, values: Mapping[Node, Node]) -> Node:
        """Substitute values for constants in the node."""
        return _Substitution(self, values, everywhere=True).of(node)

    def rebuild(self, node: Node, args: Sequence[Node]) -> Node:
        """Return the node with other arguments."""
        match node.kind:
            case "not":
                return self.neg(*args)
            case "and":
                return self.conj(args)
            case "or":
                return self.disj(args)
            case "=":
                return self.equal(*args)
            case "<=":
                return self.less_equal(*args)
            case "ite":
                return self.ite(*args)
            case "app":
                return self.app(node.data, node.sort, args)
            case "*":
                return self.times(*args)
            case "sum":
                factors, constant = node.data
                total = self.integer(constant)
                for factor, arg in zip(factors, args, strict=True):
                    total = self.plus(total, self.times(self.integer(factor), arg))
                return total
        return node


class _Substitution:
    def __init__(self, logic: Logic, values: Mapping[Node, Node], *, everywhere: bool = False) -> None:
        self.logic = logic
        self.values = values
        self.everywhere = everywhere
        """True if the replaced nodes are not variables, so that they may occur in any node."""
        self.known: dict[Node, Node] = dict(values)

    def of(self, node: Node) -> Node:
        known = self.known.get(node)
        if known is not None:
            return known
        if not self.everywhere and self.values.keys().isdisjoint(node.free):
            return node
        if isinstance(node.data, Bound):
            (body,) = map(self.of, node.args)
            triggers = tuple(tuple(map(self.of, trigger)) for trigger in node.data.triggers)
            make = self.logic.forall if node.kind == "forall" else self.logic.exists
            result = make(node.data.variables, body, triggers)
        else:
            result = self.logic.rebuild(node, [self.of(arg) for arg in node.args])
        self.known[node] = result
        return result


def _same_where(equal: tuple[Node, ...], then: Node, otherwise: Node) -> bool:
    """True if two applications are equal where two arguments are equal."""
    if then.kind != "app" or otherwise.kind != "app" or then.data != otherwise.data:
        return False
    pairs = zip(then.args, otherwise.args, strict=True)
    return all(one is other or {one, other} == set(equal) for one, other in pairs)


def _where(condition: Node, value: Node, place: int) -> Node:
    """Return a value under a known condition: an ITE with this condition is replaced by one side."""
    while value.kind == "ite" and value.args[0] is condition:
        value = value.args[place]
    return value


def _linear(node: Node) -> tuple[Mapping[Node, int], int]:
    """Return the coefficients and the constant of a sum."""
    if node.kind == "sum":
        factors, constant = node.data
        return dict(zip(node.args, factors, strict=True)), constant
    return {node: 1}, 0


def _facts(node: Node, sign: bool) -> Iterator[Node]:
    """Yield formulas that must be true for the node to have this truth value."""
    if node.kind == "not":
        yield from _facts(node.args[0], not sign)
    elif node.kind == ("and" if sign else "or"):
        for arg in node.args:
            yield from _facts(arg, sign)
    elif sign:
        yield node
