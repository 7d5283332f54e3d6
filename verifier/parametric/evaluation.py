"""The instances that a model violates, without making them: clauses are evaluated at all terms at once.

Source: Ge and de Moura 2009, doi:10.1007/978-3-642-02658-4_25, choose instances by a model, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.parametric.instances import Family
from verifier.parametric.nodes import Node
from verifier.parametric.smtlib import sort_symbol, symbol
from verifier.solvers.interface import ScriptModel

Numbers = NDArray[np.int64]
"""The values of a term: one for each choice of terms for the variables, an axis for each variable."""


class Evaluation:
    """Values of formulas without quantifiers in a model."""

    def __init__(self, model: ScriptModel) -> None:
        self._model = model
        self._known: dict[Node, int] = {}

    def find_violated(self, family: Family) -> Sequence[int]:
        """Return the numbers of the instances that are false."""
        if family.is_ground:
            return () if self.value(family.clause.body) else (0,)
        axes = {}
        count = len(family.choices)
        is_near = np.zeros((1,) * count, dtype=bool)
        for place, (variable, terms) in enumerate(zip(family.clause.variables, family.choices, strict=True)):
            shape = [-1 if axis == place else 1 for axis in range(count)]
            axes[variable] = np.array([self.value(term) for term in terms], dtype=np.int64).reshape(shape)
            is_near = is_near | np.array([term in family.near for term in terms], dtype=bool).reshape(shape)
        is_false = self._evaluate(family.clause.body, axes, {}) == 0
        if family.near:
            is_false = is_false & is_near
        violated: list[int] = np.flatnonzero(np.broadcast_to(is_false, [*map(len, family.choices)])).tolist()
        return violated

    def value(self, node: Node) -> int:
        """Return the value of a term or formula without variables."""
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._find_value(node)
        return known

    def _find_value(self, node: Node) -> int:
        match node.kind:
            case "and":
                return int(all(map(self.value, node.args)))
            case "or":
                return int(any(map(self.value, node.args)))
            case "ite":
                return self.value(node.args[1] if self.value(node.args[0]) else node.args[2])
            case "app":
                args = tuple(map(self.value, node.args))
                return self._model.value(_name(node), args, _name_sort(node))
        return int(_combine(node, [*map(self.value, node.args)]))

    def _evaluate(self, node: Node, axes: Mapping[Node, Numbers], known: dict[Node, Any]) -> Any:
        """Return the values of a node at all values of its variables."""
        if not node.free:
            return self.value(node)
        if node.kind == "var":
            return axes[node]
        values = known.get(node)
        if values is None:
            args = [self._evaluate(arg, axes, known) for arg in node.args]
            values = known[node] = self._apply(node, args) if node.kind == "app" else _combine(node, args)
        return values

    def _apply(self, node: Node, args: Sequence[Any]) -> Numbers:
        """Return the values of a function. Each combination of arguments is looked up once."""
        spread = np.broadcast_arrays(*args)
        columns = [one.ravel() for one in spread]
        keys = np.zeros(columns[0].size, dtype=np.int64)
        for column in columns:
            different, places = np.unique(column, return_inverse=True)
            # The keys stay below the number of values, so that their products fit.
            _, keys = np.unique(keys * different.size + places, return_inverse=True)
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        name, sort = _name(node), _name_sort(node)
        chosen = np.stack(columns)[:, first].T.tolist()
        values = [self._model.value(name, tuple(each), sort) for each in chosen]
        return np.array(values, dtype=np.int64)[places].reshape(spread[0].shape)


def _combine(node: Node, args: Sequence[Any]) -> Any:
    """Return the value of a node that is neither a variable nor an application, from its parts."""
    match node.kind:
        case "true" | "false":
            return int(node.kind == "true")
        case "not":
            return 1 - args[0]
        case "and":
            return reduce(lambda one, other: one & other, args)
        case "or":
            return reduce(lambda one, other: one | other, args)
        case "=":
            return (args[0] == args[1]) * 1
        case "<=":
            return (args[0] <= args[1]) * 1
        case "ite":
            return np.where(args[0], args[1], args[2])
        case "*":
            return args[0] * args[1]
        case "sum":
            factors, constant = node.data
            return sum((factor * arg for factor, arg in zip(factors, args, strict=True)), constant)
    raise ValueError(f"no value of {node.kind}")


def _name(node: Node) -> str:
    return symbol(node.data)[1:-1]


def _name_sort(node: Node) -> str:
    return sort_symbol(node.sort).strip("|")
