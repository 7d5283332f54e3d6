"""The constants of a module, as the configuration says what each is: a set, an integer, or a single value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.families import Family, declare, find_again, find_families
from verifier.tla.first_order.kinds import Linear, Member
from verifier.tla.first_order.scopes import Unread
from verifier.tla.said_parts import span
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.text import text_at
from verifier.tla.value_types import ModelValue, Value

_RELATIONS = {
    "=": "==", "#": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
SIZE = ".count"
"""The attribute of an index set that is its number of elements."""


@dataclass
class Constants:
    """The constants by what they are. The values in the configuration only say that."""

    sets: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    """The elements of each constant that is a set, in a fixed order."""
    numbers: dict[str, int] = field(default_factory=dict)
    atoms: dict[str, ModelValue] = field(default_factory=dict)
    """The constants that are single model values."""
    refused: dict[str, str] = field(default_factory=dict)
    """The constants without a reading, with the reason. They must not occur in what is read."""
    apart: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a single value and a set that the reading takes to be without it."""
    families: dict[str, Family] = field(default_factory=dict)
    """The constants among ``sets`` whose elements are sets."""
    substitutes: dict[str, str] = field(default_factory=dict)
    """The definitions that are read as another one, which the configuration puts in their place."""
    said_of_families: tuple[str, ...] = ()
    """The texts of the ASSUMEs that say what is known of families."""
    strings: tuple[str, ...] = ()
    """The strings that the module mentions."""
    beside_strings: set[str] = field(default_factory=set)
    """The sets that the reading takes to be without these strings."""
    declared_apart: set[tuple[str, str]] = field(default_factory=set)
    """The pairs of a string and a set that an ASSUME of the module says to be without it."""

    def member(self, name: str) -> Member:
        """Return the kind of a set's elements."""
        return Member(name)

    def assume_apart(self, word: str, name: str) -> bool:
        """Note that a single model value is no element of a set. False if the word is a string."""
        if word not in self.atoms:
            return False
        self.apart.add((word, name))
        return True

    def assume_beside_strings(self, name: str) -> None:
        """Note that no element of a set is one of the strings."""
        self.beside_strings.add(name)

    @property
    def _apart_from_strings(self) -> Iterator[tuple[str, bool]]:
        """Yield the assumptions on sets and strings, each with True if the module makes it."""
        for name in sorted(self.beside_strings):
            declared = [one for one in self.strings if (one, name) in self.declared_apart]
            others = [one for one in self.strings if one not in declared]
            for strings, is_declared in ((declared, True), (others, False)):
                if strings:
                    said = " or ".join(f'"{one}"' for one in strings)
                    yield f"no element of {name} is the string {said}", is_declared

    @property
    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions on single values, sets and strings, in words."""
        said = []
        if len(self.atoms) > 1:
            said.append(f"{', '.join(sorted(self.atoms))} are different values")
        if self.atoms:
            names = ", ".join(sorted(self.atoms))
            said.append(f"{names}: no string, and no element of {', '.join(sorted(self.sets)) or 'a set'}")
        said += [words for words, _ in self._apart_from_strings]
        said += [words for one in self.families.values() for words in one.assumed]
        return (*said, *self.said_of_families)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Return the assumptions that the module does not make, in words."""
        put = [f"{name} is {other}, as in the configuration" for name, other in self.substitutes.items()]
        strings = [words for words, is_declared in self._apart_from_strings if not is_declared]
        families = [words for one in self.families.values() for words in one.undeclared]
        return (*put, *strings, *families)


def classify(specification: Specification, like: Constants | None = None) -> Constants:
    """Return the constants of a module. ``like``: what they are, from other values."""
    constants, evaluator = Constants(), specification.evaluator
    for constant in specification.module.constants:
        name = constant.name
        if constant.arity:
            constants.refused[name] = f"the constant {name} is an operator"
        elif evaluator.resolve(constant, specification.module.name) is not None:
            constants.refused[name] = (
                f"the configuration gives {name} by an operator: assign a set of model values, an integer or "
                "a model value"
            )
        else:
            _classify(constants, name, evaluator.constants.get(constant), specification)
    _refuse_shared(constants)
    families = find_families(constants.sets) if like is None else find_again(like.families, constants.sets)
    for name, family in families.items():
        if isinstance(family, str):
            constants.refused[name] = family
            del constants.sets[name]
        else:
            constants.families[name] = family
            constants.sets[name] = family.given
    constants.families = declare(constants.families, _find_mentioned(specification))
    texts = (" ".join(text_at(span(one.body)).split()) for one in read_facts(specification, constants))
    constants.said_of_families = tuple(dict.fromkeys(f"ASSUME {text}" for text in texts))
    return constants


def _find_mentioned(specification: Specification) -> set[str]:
    """Return the constants that ASSUMEs mention."""
    bodies = [one.body for one in specification.module.assumptions]
    return {name for body in bodies for name in list_constants(body)}


def list_constants(whole: ast.Expression) -> set[str]:
    """Return the constants that an expression mentions, through definitions."""
    symbols = (node.operator for node in nodes_below([whole]) if isinstance(node, ast.Apply))
    return {symbol.name for symbol in symbols if isinstance(symbol, ast.Constant)}


def _classify(constants: Constants, name: str, value: Value, specification: Specification) -> None:
    if isinstance(value, ModelValue):
        constants.atoms[name] = value
    elif type(value) is int and value >= 0:
        constants.numbers[name] = value
    elif isinstance(value, frozenset):
        if not value:
            constants.refused[name] = f"{name} is empty in the configuration, and read sets have elements"
        else:
            constants.sets[name] = tuple(specification.evaluator.order.sort_by_kind(value))
    else:
        constants.refused[name] = f"the value of {name} is neither a set, a model value nor an integer from 0"


def _refuse_shared(constants: Constants) -> None:
    """Refuse single values that are elements of sets, or equal to each other."""
    elements = {value: name for name, values in constants.sets.items() for value in values}
    by_value: dict[Value, str] = {}
    for name, value in list(constants.atoms.items()):
        other = by_value.setdefault(value, name)
        if value in elements:
            constants.refused[name] = (
                f"{name} is an element of {elements[value]} in the configuration; a proof for all constants "
                "knows no element by its name"
            )
        elif other != name:
            constants.refused[name] = f"{name} and {other} are one value in the configuration"
        else:
            continue
        del constants.atoms[name]


def list_words(
    specification: Specification, constants: Constants, roots: list[ast.Expression]
) -> tuple[str, ...]:
    """Return the strings and single values that the expressions mention, through definitions."""
    words: dict[str, None] = {}
    put = [one.body for _, one in substitutes_below(specification, roots)]
    roots = [*roots, *(body for body in put if body is not None)]
    for node in nodes_below(roots):
        if isinstance(node, ast.String):
            words[node.value] = None
        elif isinstance(node, ast.Apply) and isinstance(node.operator, ast.Constant):
            name = node.operator.name
            if name in constants.atoms:
                words[name] = None
    strings = {node.value for node in nodes_below(roots) if isinstance(node, ast.String)}
    for name in strings & constants.atoms.keys():
        constants.refused[name] = f"{name} is both a string and a constant of the module"
        del constants.atoms[name]
    constants.strings = tuple(sorted(strings))
    return tuple(word for word in words if word)


def substitutes_below(
    specification: Specification, roots: list[ast.Expression]
) -> Iterator[tuple[ast.Definition, ast.Definition]]:
    """Yield the definitions in place of which the configuration puts others, each with the other one."""
    for node in nodes_below(roots):
        symbol = getattr(node, "operator", None)
        if isinstance(symbol, ast.Definition):
            put = specification.evaluator.resolve(symbol, symbol.module)
            if isinstance(put, ast.Definition) and put is not symbol:
                yield symbol, put


def nodes_below(roots: list[ast.Expression], *, definitions: bool = True) -> Iterator[Any]:
    """Yield all nodes below expressions, and below the definitions that they use, unless ``definitions`` is
    false."""
    seen, waiting = set[int](), list[Any](roots)
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, tuple | list):
            waiting += node
        elif isinstance(node, ast.Definition):
            waiting += [node.body] if definitions else []
        elif isinstance(node, ast.Expression | ast.Binding | ast.Update):
            yield node
            waiting += [getattr(node, one.name) for one in fields(node)]
        elif is_dataclass(node) and not isinstance(node, ast.Module | ast.Instance):
            continue


def _conjuncts(specification: Specification, whole: ast.Expression) -> Iterator[ast.Expression]:
    if isinstance(whole, ast.Junction) and whole.conjunction:
        for item in whole.items:
            yield from _conjuncts(specification, item)
    elif isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Definition) and not whole.arguments:
        symbol = whole.operator
        meant = specification.evaluator.resolve(symbol, specification.module.name) or symbol
        if not isinstance(meant, ast.Definition) or meant.body is None:
            raise Unread(whole.place, "an ASSUME without a body")
        yield from _conjuncts(specification, meant.body)
    else:
        yield whole


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
        text = f"{lines}lambda self: {self.left.text} {self.relation} {self.right.text}"
        code = compile(text, self.place.file, "eval")
        test: Callable[[Any], bool] = eval(code, {"__name__": f"module {self.place.file}"})
        return test


def read_assumptions(specification: Specification, constants: Constants) -> tuple[Assumed, ...]:
    """Return what the ASSUMEs of a module say of numbers and sizes. Raises Unread, with the place."""
    assumptions = []
    for assumption in specification.module.assumptions:
        for whole in _conjuncts(specification, assumption.body):
            if list_constants(whole) & constants.families.keys():
                continue  # ``read_facts``
            _require_own_meanings(specification, whole)
            one = _read_assumption(whole, constants)
            if one is not None:
                assumptions.append(one)
    return tuple(assumptions)


def _require_own_meanings(specification: Specification, whole: ast.Expression) -> None:
    """Refuse an ASSUME with a standard operator in whose place the configuration puts another one: the rules
    below know it by its name."""
    for node in nodes_below([whole]):
        symbol = node.operator if isinstance(node, ast.Apply) else None
        if not isinstance(symbol, ast.Builtin):
            continue
        if specification.evaluator.resolve(symbol, specification.module.name) is not None:
            words = f"this ASSUME has {symbol.name}, and the configuration puts another operator in its place"
            raise Unread(node.place, words)


def read_facts(specification: Specification, constants: Constants) -> list[Formula]:
    """Return what the ASSUMEs of a module say of families: formulas of their state variables."""
    name = specification.module.name
    bodies = [one.body for one in specification.module.assumptions]
    wholes = [part for body in bodies for part in _conjuncts(specification, body)]
    return [Formula(one, name) for one in wholes if list_constants(one) & constants.families.keys()]


def _read_assumption(whole: ast.Expression, constants: Constants) -> Assumed | None:
    """Return an assumption as a comparison; None if it is always true."""
    if isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Builtin):
        name, given = whole.operator.name, whole.arguments
        if name in _RELATIONS and len(given) == 2:
            emptiness = _read_emptiness(name, given, constants)
            if emptiness is not None:
                return emptiness
            left, right = _read_sum(given[0], constants), _read_sum(given[1], constants)
            if left is not None and right is not None:
                return Assumed(left, _RELATIONS[name], right, whole.place)
        if name == "\\in" and _is_builtin(given[1], "Nat"):
            left = _read_sum(given[0], constants)
            if left is not None:
                return Assumed(left, ">=", Linear(0), whole.place)
        if name == "\\notin" and _is_declared_apart(given, constants):
            return None
        if name == "IsFiniteSet" and _set_name(given[0], constants) is not None:
            return None  # every index set is finite
    raise Unread(
        whole.place,
        "this ASSUME is no comparison of integer constants or of numbers of elements of constant sets",
    )


def _read_emptiness(name: str, given: tuple[ast.Expression, ...], constants: Constants) -> Assumed | None:
    """Return ``S # {}`` as a comparison of the number of elements."""
    for one, other in (given, given[::-1]):
        set_name = _set_name(one, constants)
        if set_name is not None and isinstance(other, ast.SetOf) and not other.items and name == "#":
            return Assumed(Linear(0, ((f"{set_name}{SIZE}", 1),)), ">=", Linear(1), one.place)
    return None


def _is_declared_apart(given: tuple[ast.Expression, ...], constants: Constants) -> bool:
    """True for a single value that is no element of a set, as the reading takes it to be. Note it of a
    string."""
    one, set_name = given[0], _set_name(given[1], constants)
    if set_name is None or set_name in constants.families:
        return False
    if isinstance(one, ast.String):
        constants.declared_apart.add((one.value, set_name))
        constants.assume_beside_strings(set_name)
        return True
    symbol = one.operator if isinstance(one, ast.Apply) else None
    return isinstance(symbol, ast.Constant) and symbol.name in constants.atoms


def _is_builtin(whole: ast.Expression, name: str) -> bool:
    return (
        isinstance(whole, ast.Apply)
        and isinstance(whole.operator, ast.Builtin)
        and whole.operator.name == name
    )


def _set_name(whole: ast.Expression, constants: Constants) -> str | None:
    if isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Constant):
        name = whole.operator.name
        return name if name in constants.sets else None
    return None


def _read_sum(whole: ast.Expression, constants: Constants) -> Linear | None:
    """Return an expression as a sum of constants; None if it is none."""
    if isinstance(whole, ast.Number):
        return Linear(whole.value)
    if not isinstance(whole, ast.Apply):
        return None
    if isinstance(whole.operator, ast.Constant) and whole.operator.name in constants.numbers:
        return Linear(0, ((whole.operator.name, 1),))
    if not isinstance(whole.operator, ast.Builtin):
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
