"""SYMMETRY, checked: permutations of a configuration must change only names.

Source: Ip and Dill 1996, doi:10.1007/BF00625968, require the same of their scalarsets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Symbol
from verifier.tla.errors import Place, TlaError
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import subexpressions
from verifier.tla.frames import Undefined
from verifier.tla.interpreter import Interpreter
from verifier.tla.lazy_sets import Infinite, Interval
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.symmetry import Permutation, Renaming
from verifier.tla.value_types import Boolean, Fn, ModelValue, NoValue, Value
from verifier.tla.values import members, pairs_of

_MOST = 50_000
_UNEVEN = {
    "RandomElement", "RandomSubset", "RandomSubsetSet", "RandomSetOfSubsets", "TestRandomSetOfSubsets",
    "TLCGet", "TLCSet", "TLCGetOrDefault", "TLCGetAndSet", "TLCModelValue", "JavaTime", "ToString",
    "SetToSeq", "Serialize", "JsonSerialize", "ndJsonSerialize", "CSVWrite", "ToJson", "ToJsonArray",
    "ToJsonObject", "IOExec", "Trace", "CounterExample", "PickSuccessor", "TLCFP",
}  # fmt: skip
"""Operators whose value may depend on the order of values, on chance or on the search."""


def permutations(specification: Specification) -> list[Permutation]:
    """Return all permutations that the configuration's SYMMETRY generates, without the identity. Raises
    TlaError."""
    generators: list[Permutation] = []
    shared = specification.evaluator
    # Symmetry is not checked yet during this evaluation, so its values must not be kept.
    evaluator = Interpreter(shared.variables, shared.resolve, shared.constants, shared.order)
    evaluator.model_values = shared.model_values
    for formula in specification.symmetry:
        try:
            value = evaluator.compile_value(formula.body, formula.module)()
        except Undefined as error:
            raise TlaError(error.place, f"SYMMETRY has no value: {error.words}") from None
        place = formula.body.place
        try:
            generators += [_permutation(pairs_of(item)) for item in members(value)]
        except NoValue:
            raise TlaError(place, "SYMMETRY expects a set of permutations of model values") from None
    return _closure([g for g in generators if g], specification)


def _permutation(pairs: dict[Value, Value]) -> Permutation:
    if set(pairs) != set(pairs.values()) or not all(isinstance(value, ModelValue) for value in pairs):
        raise NoValue("no permutation")
    return {key: value for key, value in pairs.items() if key is not value}


def _closure(generators: list[Permutation], specification: Specification) -> list[Permutation]:
    """Return the group that permutations generate."""
    closure: dict[frozenset[tuple[Value, Value]], Permutation] = {}
    waiting: list[Permutation] = [{}]
    while waiting:
        one = waiting.pop()
        for generator in generators:
            keys = one.keys() | generator.keys()
            made = {key: generator.get(one.get(key, key), one.get(key, key)) for key in keys}
            made = {key: value for key, value in made.items() if key is not value}
            mark = frozenset(made.items())
            if made and mark not in closure:
                if len(closure) == _MOST:
                    words = f"SYMMETRY makes more than {_MOST} permutations: name fewer values"
                    raise TlaError(specification.symmetry[0].body.place, words)
                closure[mark] = made
                waiting.append(made)
    return list(closure.values())


def interchangeable(
    specification: Specification, formulas: Sequence[Formula], most: int
) -> list[Permutation]:
    """Return permutations of model values of one set, or of several at once, that change only names in
    formulas. The identity is left out. There are at most ``most``; if there are more, some values are not
    permuted."""
    generators: list[Permutation] = []
    size, known = 1, set[Value]()
    for values in companions(specification):
        classes: list[list[Value]] = []
        for value in [value for value in values if value not in known]:
            known.add(value)
            for alike in classes:
                exchanged: Permutation = {alike[0]: value, value: alike[0]}
                if asymmetry(specification, formulas, [exchanged]) is None:
                    if size * (len(alike) + 1) <= most:
                        size *= len(alike) + 1
                        generators.append(exchanged)
                        alike.append(value)
                    break
            else:
                classes.append([value])
    return _closure(generators, specification)


def companions(specification: Specification) -> list[list[Value]]:
    """Return the constants that are sets of model values."""
    constants = dict.fromkeys(specification.constants.values())
    sets = (one for one in constants if isinstance(one, frozenset) and one)
    return [
        specification.evaluator.order.sort(one)
        for one in sets
        if all(isinstance(item, ModelValue) for item in one)
    ]


def asymmetry(
    specification: Specification, formulas: Iterable[Formula], permutations: list[Permutation]
) -> str | None:
    """Return the reason why permutations may change the meaning of formulas; None if they do not."""
    look = _Look(specification.evaluator, [Renaming(permutation) for permutation in permutations])
    for formula in formulas:
        reason = look.expression(formula.body, formula.module)
        if reason is not None:
            return reason
    return None


class _Look:
    """Searches formulas for operators that distinguish permuted values."""

    def __init__(self, evaluator: Evaluator, renamings: list[Renaming]) -> None:
        self.evaluator, self.renamings = evaluator, renamings
        self.definitions: dict[Definition, str | None] = {}

    def expression(self, whole: Expression, module: str) -> str | None:
        parts, _ = subexpressions(whole)
        if isinstance(whole, ast.Let):
            parts = [whole.body]
        for part in parts:
            reason = self.expression(part, module)
            if reason is not None:
                return reason
        if isinstance(whole, ast.Apply | ast.OperatorArgument):
            return self._symbol(whole.operator, whole.place, module)
        return None

    def _symbol(self, symbol: Symbol, place: Place, module: str) -> str | None:
        symbol = self.evaluator.resolve(symbol, module) or symbol
        constants = self.evaluator.constants
        if symbol in constants:
            if self._is_kept(constants[symbol]):
                return None
            return f"{place}: {symbol.name} stands here, and a permutation changes its value"
        if isinstance(symbol, Builtin) and symbol.name in _UNEVEN:
            return f"{place}: the answer of {symbol.name} may rest on the order of values, or on the search"
        if isinstance(symbol, Definition):
            return self._definition(symbol)
        return None

    def _definition(self, symbol: Definition) -> str | None:
        if symbol not in self.definitions:
            self.definitions[symbol] = None
            assert symbol.body is not None
            reason = self.expression(symbol.body, symbol.module)
            if reason is not None and not symbol.parameters and not symbol.nested:
                reason = reason if not self._same(symbol) else None
            self.definitions[symbol] = reason
        return self.definitions[symbol]

    def _same(self, symbol: Definition) -> bool:
        """True if a definition has one value that permutations do not change: ``{a, b}``."""
        if not self.evaluator.analysis.of_definition(symbol).fixed or symbol.body is None:
            return False
        shared = self.evaluator
        evaluator = Interpreter(shared.variables, shared.resolve, shared.constants, shared.order)
        evaluator.model_values = shared.model_values
        try:
            return self._is_kept(evaluator.compile_value(symbol.body, symbol.module)())
        except (Undefined, NoValue):
            return False

    def _is_kept(self, value: Value) -> bool:
        if type(value) is ModelValue or type(value) in (frozenset, tuple, Fn):
            return all(renaming.of(value) == value for renaming in self.renamings)
        return isinstance(value, int | str | Boolean | Infinite | Interval)
