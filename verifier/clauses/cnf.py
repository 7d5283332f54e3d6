"""Clauses for boolean pySMT terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pysmt import operators as op
from pysmt.fnode import FNode

from verifier.solvers.interface import Clause


class Clausifier:
    """Turns boolean terms into clauses by Tseitin definitions, sharing equal subterms.

    Definitions go both ways, because incremental queries use a literal under both signs.
    Variables are numbered from `first_variable` without gaps, in the order they are needed;
    `clauses` only grows, so that a caller can hand over what was added since it last looked.
    """

    def __init__(self, first_variable: int = 1) -> None:
        if first_variable < 1:
            raise ValueError(f"variables are numbered from 1 (got {first_variable})")
        self.clauses: list[list[int]] = []
        self._first = first_variable
        self._next = first_variable
        self._literals: dict[int, int] = {}  # by node id: nodes live as long as pySMT's environment
        self._true = 0  # the literal of True, 0 until it is needed
        self._definitions: dict[int, Callable[[list[int]], int]] = {
            op.AND: self._and,
            op.OR: self._or,
            op.NOT: lambda literals: -literals[0],
            op.IMPLIES: lambda literals: self._or([-literals[0], literals[1]]),
            op.IFF: self._iff,
            op.ITE: self._ite,
        }

    @property
    def variable_count(self) -> int:
        """Return the number of variables in use; the first is `first_variable`."""
        return self._next - self._first

    @property
    def next_variable(self) -> int:
        """The number that the next variable will get."""
        return self._next

    def declare(self, symbol: FNode) -> int:
        """The variable of a boolean symbol, allocated when first asked for.

        Raises TypeError for anything but a boolean symbol.
        """
        if not (symbol.is_symbol() and symbol.symbol_type().is_bool_type()):
            raise TypeError(f"not a boolean symbol: {symbol}")
        return self._leaf(symbol)

    def literal(self, term: FNode) -> int:
        """A literal that equals the term in every assignment; adds the clauses that define it.

        Raises TypeError for a term with a non-boolean part.
        """
        known = self._literals
        stack = [term]
        # A stack of our own: terms nest deeper than Python's.
        while stack:
            node = stack[-1]
            identity = node.node_id()
            if identity in known:
                stack.pop()
                continue
            missing = [child for child in node.args() if child.node_id() not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            define = self._definitions.get(node.node_type())
            if define is None:
                self._leaf(node)
            else:
                known[identity] = define([known[child.node_id()] for child in node.args()])
        return known[term.node_id()]

    def assert_term(self, term: FNode) -> None:
        """Add clauses that make the term true.

        Conjunctions are split and disjunctions become one clause, without a variable of their
        own; a term that is false by its constants adds the empty clause. Raises TypeError for a
        term with a non-boolean part.
        """
        stack = [(term, True)]
        while stack:
            node, positive = stack.pop()
            kind = node.node_type()
            if kind == op.NOT:
                stack.append((node.arg(0), not positive))
            elif kind == op.IFF or kind == op.ITE:
                self._assert_choice(kind, [self.literal(child) for child in node.args()], positive)
            elif node.node_id() in self._literals:
                literal = self._literals[node.node_id()]
                self.add_clause([literal if positive else -literal])
            elif kind == (op.AND if positive else op.OR):
                # Reversed, so that clauses come in the order of the arguments.
                stack += [(child, positive) for child in reversed(node.args())]
            elif kind == op.IMPLIES and not positive:
                stack += [(node.arg(1), False), (node.arg(0), True)]
            else:
                self.add_clause(self._disjuncts(node, positive))

    def _disjuncts(self, term: FNode, positive: bool) -> list[int]:
        """Literals whose disjunction is the term (or its negation), looking through nested ones."""
        literals: list[int] = []
        stack = [(term, positive)]
        while stack:
            node, sign = stack.pop()
            kind = node.node_type()
            if kind == op.NOT:
                stack.append((node.arg(0), not sign))
            elif kind == (op.OR if sign else op.AND) and node.node_id() not in self._literals:
                stack += [(child, sign) for child in reversed(node.args())]
            elif kind == op.IMPLIES and sign and node.node_id() not in self._literals:
                stack += [(node.arg(1), True), (node.arg(0), False)]
            else:
                literal = self.literal(node)
                literals.append(literal if sign else -literal)
        return literals

    def _assert_choice(self, kind: int, literals: list[int], positive: bool) -> None:
        """Assert an equivalence or an if-then-else, or its negation, over literals."""
        if kind == op.IFF:
            one, other = literals
            condition, then, otherwise = one, other, -other
        else:
            condition, then, otherwise = literals
        if not positive:
            then, otherwise = -then, -otherwise
        self.add_clause([-condition, then])
        self.add_clause([condition, otherwise])

    def add_clause(self, clause: Clause) -> None:
        """Add a clause, without repeated or false literals, unless it is always true."""
        literals = set(clause)
        if self._true:
            literals.discard(-self._true)
        if (self._true and self._true in literals) or any(-literal in literals for literal in literals):
            return
        self.clauses.append([literal for literal in dict.fromkeys(clause) if literal in literals])

    def fresh(self) -> int:
        """A new variable."""
        variable = self._next
        self._next += 1
        return variable

    def _constant(self, value: bool) -> int:
        """The literal of a constant: a variable forced true, or its negation."""
        if not self._true:
            self._true = self.fresh()
            self.clauses.append([self._true])
        return self._true if value else -self._true

    def _leaf(self, node: FNode) -> int:
        """The literal of a symbol or a constant."""
        identity = node.node_id()
        literal = self._literals.get(identity)
        if literal is None:
            kind = node.node_type()
            if kind == op.BOOL_CONSTANT:
                literal = self._constant(node.constant_value())
            elif kind == op.SYMBOL and node.symbol_type().is_bool_type():
                literal = self.fresh()
            else:
                raise TypeError(f"not a boolean term: {node}")
            self._literals[identity] = literal
        return literal

    def _and(self, literals: Iterable[int]) -> int:
        return -self._or([-literal for literal in literals])

    def _or(self, literals: list[int]) -> int:
        """A literal for the disjunction; repeated, complementary and constant literals go first."""
        distinct = set(literals)
        if self._true:
            distinct.discard(-self._true)
            if self._true in distinct:
                return self._true
        if len(distinct) < 2:
            return distinct.pop() if distinct else self._constant(False)
        if not distinct.isdisjoint([-literal for literal in distinct]):
            return self._constant(True)
        # Only a set can tell that nothing repeats; the list has the order of the arguments.
        if len(distinct) < len(literals):
            literals = [literal for literal in dict.fromkeys(literals) if literal in distinct]
        result = self.fresh()
        self.clauses += [[result, -literal] for literal in literals]
        self.clauses.append([-result, *literals])
        return result

    def _iff(self, literals: list[int]) -> int:
        one, other = literals
        if one == other or one == -other:
            return self._constant(one == other)
        if self._true in (abs(one), abs(other)):
            constant, rest = (one, other) if abs(one) == self._true else (other, one)
            return rest if constant == self._true else -rest
        result = self.fresh()
        self.clauses += [
            [-result, -one, other],
            [-result, one, -other],
            [result, one, other],
            [result, -one, -other],
        ]
        return result

    def _ite(self, literals: list[int]) -> int:
        condition, then, otherwise = literals
        if then == otherwise:
            return then
        if then == -otherwise:
            return self._iff([condition, then])
        if self._true and abs(condition) == self._true:
            return then if condition == self._true else otherwise
        # A branch that the condition decides, or that is constant, leaves a plain gate.
        if then in (condition, self._true):
            return self._or([condition, otherwise])
        if otherwise in (-condition, self._true):
            return self._or([-condition, then])
        if then in (-condition, -self._true):
            return self._and([-condition, otherwise])
        if otherwise in (condition, -self._true):
            return self._and([condition, then])
        result = self.fresh()
        self.clauses += [
            [-result, -condition, then],
            [-result, condition, otherwise],
            [result, -condition, -then],
            [result, condition, -otherwise],
            # Redundant: they let the result propagate before the condition is known.
            [-result, then, otherwise],
            [result, -then, -otherwise],
        ]
        return result
