"""The ASSUMEs of a module about integers and numbers of elements, and what they leave to be assumed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.constants import Constants, conjuncts_of, list_constants, nodes_below
from verifier.tla.first_order.families import Family
from verifier.tla.first_order.kinds import Linear
from verifier.tla.first_order.scopes import Unread
from verifier.tla.specification import Specification

_RELATIONS = {
    "=": "==", "#": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
SIZE = ".count"
"""The attribute of an index set that is its number of elements."""


@dataclass(frozen=True)
class Assumed:
    """A comparison of integers that an ASSUME makes, in words."""

    left: Linear
    relation: str
    right: Linear
    place: Place

    @property
    def words(self) -> str:
        """Return the place of the ASSUME."""
        return f"the ASSUME in line {self.place.line}"

    @property
    def test(self) -> Callable[[Any], bool]:
        """Return the comparison as a function of a protocol.

        It is code of the module and not of the verifier, so that a reading for all constants records what it
        decides (``parametric.callers``).
        """
        lines = "\n" * (self.place.line - 1)
        text = f"{lines}lambda self: {_write(self.left)} {self.relation} {_write(self.right)}"
        code = compile(text, self.place.file, "eval")
        test: Callable[[Any], bool] = eval(code, {"__name__": f"module {self.place.file}"})
        return test


def _write(linear: Linear) -> str:
    """Return a sum as Python text of a protocol. A constant may have a name that is none in Python."""
    parts = [str(linear.number)]
    for name, times in linear.parts:
        attribute, size, _ = name.partition(SIZE)
        parts.append(f"{times} * getattr(self, {attribute!r}){size}")
    return " + ".join(parts)


def read_assumptions(specification: Specification, constants: Constants) -> tuple[Assumed, ...]:
    """Return what the ASSUMEs of a module say of numbers and sizes. Raises Unread, with the place."""
    assumptions = []
    for assumption in specification.module.assumptions:
        for whole in conjuncts_of(specification, assumption.body):
            if list_constants(whole) & constants.families.keys():
                continue  # ``read_facts``
            _require_own_meanings(specification, whole)
            one = _read_assumption(whole, constants)
            if one is not None:
                assumptions.append(one)
    return tuple(assumptions)


def _require_own_meanings(specification: Specification, whole: ast.Expression) -> None:
    """Refuse an ASSUME with an operator in whose place the configuration puts another one: the rules below
    know standard operators by their names, and definitions by their bodies."""
    for node in nodes_below([whole]):
        symbol = node.operator if isinstance(node, ast.Apply) else None
        if not isinstance(symbol, ast.Builtin | ast.Definition):
            continue
        put = specification.evaluator.resolve(symbol, specification.module.name)
        if put is not None and put is not symbol:
            words = f"this ASSUME has {symbol.name}, and the configuration puts another operator in its place"
            raise Unread(node.place, words)


def _read_assumption(whole: ast.Expression, constants: Constants) -> Assumed | None:
    """Return an assumption as a comparison; None if it is always true."""
    if isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Builtin):
        name, given = whole.operator.name, whole.arguments
        if name in _RELATIONS and len(given) == 2:
            emptiness = _read_emptiness(name, given, constants)
            if emptiness is not None:
                return emptiness
            if name == "#" and _are_declared_different(given, constants):
                return None
            left, right = _read_sum(given[0], constants), _read_sum(given[1], constants)
            if left is not None and right is not None:
                return Assumed(left, _RELATIONS[name], right, whole.place)
        if name == "\\in" and (least := _find_least_of_naturals(given[1])) is not None:
            left = _read_sum(given[0], constants)
            if left is not None:
                return Assumed(left, ">=", Linear(least), whole.place)
        if name == "\\in" and _is_builtin(given[1], "BOOLEAN") and _constant_among(given[0], constants.fixed):
            return None
        if name == "\\notin" and _is_declared_apart(given, constants):
            return None
        if name == "IsFiniteSet" and _set_name(given[0], constants) is not None:
            return None  # every index set is finite
    raise Unread(
        whole.place,
        "this ASSUME is not a comparison of integer constants or of numbers of elements of constant sets: "
        "leave it out, or make it a premise of the property, as in P => Q",
    )


def _find_least_of_naturals(whole: ast.Expression) -> int | None:
    """Return the least element of Nat, or of Nat without its first elements; None for another set."""
    if _is_builtin(whole, "Nat"):
        return 0
    if _is_builtin(whole, "\\"):
        base, without = _arguments(whole)
        items = without.items if isinstance(without, ast.SetOf) else ()
        numbers = {item.value for item in items if isinstance(item, ast.Number)}
        if _is_builtin(base, "Nat") and len(numbers) == len(items) and numbers == set(range(len(numbers))):
            return len(numbers)
    return None


def _read_emptiness(name: str, given: tuple[ast.Expression, ...], constants: Constants) -> Assumed | None:
    """Return ``S # {}`` as a comparison of the number of elements."""
    for one, other in (given, given[::-1]):
        set_name = _set_name(one, constants)
        if set_name is not None and _is_empty_set(other) and name == "#":
            return Assumed(Linear(0, ((f"{set_name}{SIZE}", 1),)), ">=", Linear(1), one.place)
    return None


def _is_declared_apart(given: tuple[ast.Expression, ...], constants: Constants) -> bool:
    """True for a single value or a string that is no element of a set, as the reading takes it to be. Note
    it."""
    one, set_name = _read_definition(given[0]), _set_name(given[1], constants)
    atom = _atom_name(one, constants)
    if atom is not None and _is_builtin(given[1], "STRING"):
        constants.declared_no_strings.add(atom)
        return True
    if set_name is None or set_name in constants.families:
        return False
    if isinstance(one, ast.String):
        constants.declared_apart.add((one.value, set_name))
        constants.assume_beside_strings(set_name, one.place)
        return True
    if atom is not None:
        constants.declared_apart.add((atom, set_name))
        constants.assume_apart(atom, set_name)
    return atom is not None


def _read_definition(whole: ast.Expression) -> ast.Expression:
    """Return the string that a definition without parameters stands for; another expression itself."""
    symbol = whole.operator if isinstance(whole, ast.Apply) else None
    if isinstance(symbol, ast.Definition) and not symbol.parameters and isinstance(symbol.body, ast.String):
        return symbol.body
    return whole


def _atom_name(whole: ast.Expression, constants: Constants) -> str | None:
    """Return the name of a single value; None for another expression."""
    return _constant_among(whole, constants.atoms)


def _are_declared_different(given: tuple[ast.Expression, ...], constants: Constants) -> bool:
    """True for two single values, which the reading takes to differ. Note it."""
    names = {name for one in given if (name := _atom_name(one, constants)) is not None}
    if len(names) == 2:
        constants.declared_different.add(frozenset(names))
    return len(names) == 2


def _is_builtin(whole: ast.Expression, name: str) -> bool:
    return (
        isinstance(whole, ast.Apply)
        and isinstance(whole.operator, ast.Builtin)
        and whole.operator.name == name
    )


def _set_name(whole: ast.Expression, constants: Constants) -> str | None:
    return _constant_among(whole, constants.sets)


def _constant_among(whole: ast.Expression, known: Container[str]) -> str | None:
    """Return the name of a constant that is among known ones; None for another expression."""
    symbol = whole.operator if isinstance(whole, ast.Apply) else None
    return symbol.name if isinstance(symbol, ast.Constant) and symbol.name in known else None


def _read_sum(whole: ast.Expression, constants: Constants) -> Linear | None:
    """Return an expression as a sum of constants; None if it is none."""
    if isinstance(whole, ast.Number):
        return Linear(whole.value)
    if (number := _constant_among(whole, constants.numbers)) is not None:
        return Linear(0, ((number, 1),))
    if not isinstance(whole, ast.Apply) or not isinstance(whole.operator, ast.Builtin):
        return None
    name, given = whole.operator.name, whole.arguments
    if name == "Cardinality" and (set_name := _set_name(given[0], constants)) is not None:
        return Linear(0, ((f"{set_name}{SIZE}", 1),))
    if name in ("+", "-", "*") and len(given) == 2:
        left, right = _read_sum(given[0], constants), _read_sum(given[1], constants)
        if left is None or right is None:
            return None
        if name != "*":
            return left.plus(right, 1 if name == "+" else -1)
        if left.parts and right.parts:
            return None
        whole_sum, factor = (left, right.number) if not right.parts else (right, left.number)
        return Linear(0).plus(whole_sum, factor)
    return None


# -- what is assumed although no ASSUME says so


def find_undeclared(
    specification: Specification, constants: Constants, assumed: Sequence[Assumed]
) -> tuple[str, ...]:
    """Return what the reading assumes of sets and integers and no ASSUME implies, in words: each set has an
    element, no integer is negative, and the elements of a family are parts of its base."""
    least = _find_least(constants, assumed)
    bodies = [one.body for one in specification.module.assumptions]
    facts = [part for body in bodies for part in conjuncts_of(specification, body)]
    undeclared = []
    for name in constants.sets:
        is_family = name in constants.families
        inhabited = is_family and any(_says_inhabited(one, name, constants) for one in facts)
        if least[f"{name}{SIZE}"] < 1 and not inhabited:
            undeclared.append(f"{name} is not empty")
    undeclared += [f"{one} >= 0" for one in constants.numbers if least.get(one, -1) < 0]
    for family in constants.families.values():
        if not any(_says_parts(specification, one, family, constants) for one in facts):
            undeclared.append(family.said_of_parts)
    return tuple(undeclared)


def _find_least(constants: Constants, assumed: Sequence[Assumed]) -> dict[str, int]:
    """Return lower bounds of sizes and integers that follow from comparisons, each from others."""
    least = {f"{name}{SIZE}": 0 for name in constants.sets}
    for _ in range(len(constants.sets) + len(constants.numbers) + 1):
        for one in assumed:
            for name, bound in _bounds_from(one, least):
                least[name] = max(bound, least.get(name, bound))
    return least


def _bounds_from(one: Assumed, least: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield lower bounds that one comparison implies."""
    forth, back = one.left.plus(one.right, -1), one.right.plus(one.left, -1)
    ways = {">": [(forth, 1)], ">=": [(forth, 0)], "<": [(back, 1)], "<=": [(back, 0)]}
    ways["=="] = [(forth, 0), (back, 0)]
    for sum_, more in ways.get(one.relation, []):
        for name, times in sum_.parts:
            others = [(other, factor) for other, factor in sum_.parts if other != name]
            if times > 0 and all(factor < 0 and other in least for other, factor in others):
                rest = more - sum_.number - sum(factor * least[other] for other, factor in others)
                yield name, -(-rest // times)
    if one.relation == "!=" and len(forth.parts) == 1:
        ((name, times),) = forth.parts
        if name in least and times * least[name] + forth.number == 0:
            yield name, least[name] + 1


def _says_inhabited(whole: ast.Expression, name: str, constants: Constants) -> bool:
    """True if a formula says that a family has an element."""
    if isinstance(whole, ast.Quantifier):
        domains = [binding.domain for binding in whole.bindings]
        return not whole.universal and any(_set_name(one, constants) == name for one in domains)
    if _is_builtin(whole, "\\in"):
        return _set_name(_arguments(whole)[1], constants) == name
    if _is_builtin(whole, "#"):
        one, other = _arguments(whole)
        pairs = ((one, other), (other, one))
        return any(_set_name(one, constants) == name and _is_empty_set(other) for one, other in pairs)
    return False


def _says_parts(
    specification: Specification, whole: ast.Expression, family: Family, constants: Constants
) -> bool:
    """True if a formula says that the elements of a family are parts of its base."""
    if _is_builtin(whole, "\\subseteq"):
        one, other = _arguments(whole)
        return _set_name(one, constants) == family.name and _is_powerset(other, family, constants)
    if not isinstance(whole, ast.Quantifier) or not whole.universal:
        return False
    if any(_set_name(one.domain, constants) != family.name for one in whole.bindings):
        return False  # another set may be empty
    names = [name for one in whole.bindings for name in one.names]
    for part in conjuncts_of(specification, whole.body):
        if not _is_builtin(part, "\\subseteq") and not _is_builtin(part, "\\in"):
            continue
        one, other = _arguments(part)
        is_base = _set_name(other, constants) == family.base
        fits = is_base if _is_builtin(part, "\\subseteq") else _is_powerset(other, family, constants)
        if fits and isinstance(one, ast.Apply) and any(one.operator is name for name in names):
            return True
    return False


def _is_powerset(whole: ast.Expression, family: Family, constants: Constants) -> bool:
    return _is_builtin(whole, "SUBSET") and _set_name(_arguments(whole)[0], constants) == family.base


def _is_empty_set(whole: ast.Expression) -> bool:
    return isinstance(whole, ast.SetOf) and not whole.items


def _arguments(whole: ast.Expression) -> tuple[ast.Expression, ...]:
    assert isinstance(whole, ast.Apply)
    return whole.arguments
