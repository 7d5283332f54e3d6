"""The parts of a formula: the meaning of its names, and leaves, which share known results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache, partial
from typing import Any, TypeVar, cast

from verifier.tla import ast
from verifier.tla.arguments import operator_source, unit_of, waiting_source
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.columns.assigned_variable import symbol_of
from verifier.tla.columns.batches import ColumnReference
from verifier.tla.columns.environments import Columns, Environment, Given
from verifier.tla.columns.leaves import Derived, Leaf, Members, Test, Valued
from verifier.tla.columns.meanings import Meanings
from verifier.tla.columns.numbers import Numbers
from verifier.tla.columns.paths import Paths
from verifier.tla.columns.truths import Tested
from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.evaluator import Evaluator
from verifier.tla.frames import Undefined
from verifier.tla.lets import code_of
from verifier.tla.loops import domain_source

_MOST_PARTS = 3_000
LeafOf = TypeVar("LeafOf", bound=Leaf)


class Parts:
    """Makes the leaves of formulas."""

    def __init__(self, columns: Columns, evaluator: Evaluator) -> None:
        self.columns, self.evaluator = columns, evaluator
        self.paths = Paths(columns, self._derive_column)
        self.leaves: list[Leaf] = []
        self.meanings, self.made = Meanings(columns), dict[Hashable, Leaf]()

    # -- names

    def symbol(self, symbol: Symbol, around: Environment) -> Symbol:
        """Return the symbol of a name at the constants of the configuration."""
        return symbol_of(self.evaluator, symbol, around)

    def find_given(self, whole: Expression, around: Environment, arity: int) -> ColumnReference | Given:
        """Return the column or argument of a parameter."""
        evaluator, unit = self.evaluator, around.unit
        if isinstance(whole, ast.Apply) and not whole.arguments:
            stands = around.names.get(self.symbol(whole.operator, around))
            if isinstance(stands, ColumnReference) or (stands is not None and stands.around is not None):
                return stands
        source = (
            partial(operator_source, evaluator)
            if arity
            else partial(partial(waiting_source, evaluator), acts=True)
        )
        return Given(whole, around, evaluator.emit.function(source(whole, unit, False)))

    def enter(self, symbol: Definition, arguments: Sequence[Expression], around: Environment) -> Environment:
        """Return the environment of a definition's body."""
        names: dict[Symbol, ColumnReference | Given] = {
            parameter: self.find_given(argument, around, parameter.arity)
            for parameter, argument in zip(symbol.parameters, arguments, strict=True)
        }
        if symbol.nested:
            return around.having(names)
        return Environment(unit_of(self.evaluator, symbol), names)

    def let(self, whole: ast.Let, around: Environment) -> Environment:
        """Return the environment of a LET's body."""
        names: dict[Symbol, ColumnReference | Given] = {
            each: Given(each.body, None, code_of(self.evaluator, each, around.unit, False))
            for each in whole.definitions
            if each.body is not None and not each.parameters
        }
        return around.having(names)

    def bind_names(
        self, binding: ast.Binding, around: Environment
    ) -> tuple[Members, list[ColumnReference], Environment]:
        """Return the members of a binding's set, the columns of its names, and the environment with them."""
        source = domain_source(self.evaluator, binding.domain, around.unit, False, ordered=True)
        make, place, count = self.evaluator.emit.function(source), binding.domain.place, len(binding.names)

        def parts(item: Any) -> Sequence[Any]:
            if not binding.is_tuple:
                return (item,)
            if type(item) is not tuple or len(item) != count:
                raise Undefined(place, f"tuples of {count} are expected in this set")
            return item

        def members(whole: Expression, around: Environment) -> Members:
            numbers = [Numbers() for _ in binding.names]
            return Members(self.columns, whole, around, make, numbers, parts)

        leaf = self._make_shared_leaf((Members, binding.is_tuple, count), members, binding.domain, around)
        names = [ColumnReference(own, name.name) for own, name in zip(leaf.names, binding.names, strict=True)]
        inner = around.having(dict(zip(binding.names, names, strict=True)))
        return leaf, names, inner

    def _count_leaf(self, leaf: LeafOf) -> LeafOf:
        self.leaves.append(leaf)
        if len(self.leaves) > _MOST_PARTS:
            raise Unsuited(f"formulas have more than {_MOST_PARTS:,} parts")
        return leaf

    # -- leaves

    def test(self, whole: Expression, around: Environment) -> Tested:
        """Make the leaf of a formula that is evaluated as a whole."""

        def test(one: Expression, names: Environment) -> Test:
            return Test(self.columns, one, names, self.evaluator.truth(one, names.unit))

        return Tested(self._by_paths((Test,), test, whole, around))

    def make_whole_leaf(
        self, whole: Expression, around: Environment, numbers: Numbers, *, primed: bool = False
    ) -> Valued:
        """Make the leaf of an expression that is evaluated as a whole."""

        def make_leaf(one: Expression, names: Environment) -> Valued:
            make = self.evaluator.value(one, names.unit, primed)
            return Valued(self.columns, one, names, make, numbers, primed=primed)

        if primed:
            return self._count_leaf(make_leaf(whole, around))
        return self._by_paths((Valued, numbers), make_leaf, whole, around)

    def _by_paths(
        self,
        kind: tuple[Hashable, ...],
        made: Callable[[Expression, Environment], LeafOf],
        whole: Expression,
        around: Environment,
    ) -> LeafOf:
        """Make a leaf whose paths are evaluated by leaves of their own."""
        body, names = whole, around
        while isinstance(body, ast.Let):
            names = self.let(body, names)
            body = body.body
        short, names = self.paths.shorten(body, names)
        if short is body:
            return self._make_shared_leaf(kind, made, whole, around)
        leaf = self._make_shared_leaf(kind, made, whole, around, (short, names))
        leaf.plain = cache(lambda: made(whole, around))
        return leaf

    def _derive_column(self, path: Expression, around: Environment) -> ColumnReference:
        numbers = Numbers()

        def derive(one: Expression, names: Environment) -> Derived:
            return Derived(self.columns, one, names, self.evaluator.value(one, names.unit), numbers)

        leaf = self._by_paths((Derived,), derive, path, around)
        numbers = leaf.numbers  # shared with the leaf of another path that is the same function
        return ColumnReference(numbers, "", derived=leaf)

    def _make_shared_leaf(
        self,
        kind: tuple[Hashable, ...],
        made: Callable[[Expression, Environment], LeafOf],
        whole: Expression,
        around: Environment,
        written: tuple[Expression, Environment] | None = None,
    ) -> LeafOf:
        """Make the leaf of an expression. ``written``: another form of it. The leaf shares the known results
        of a leaf of its kind that is the same function."""
        short, names = (whole, around) if written is None else written
        reads = self.columns.read(short, names, False)
        columns = tuple((of.numbers, of.variable, of.primed, of.derived is None) for of in reads)
        key = (kind, self.meanings.of(whole, around), columns)
        known = self.made.get(key)
        if known is None:
            leaf = self.made[key] = self._count_leaf(made(short, names))
            return leaf
        return cast("LeafOf", known.reading(reads))
