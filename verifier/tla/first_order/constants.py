"""The constants of a module, as the configuration says what each is: a set, an integer, a single value, or a
Boolean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import combinations
from typing import Any

from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.families import Family, declare, find_again, find_families
from verifier.tla.first_order.kinds import Member
from verifier.tla.first_order.scopes import Unread
from verifier.tla.said_parts import span
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.text import text_at
from verifier.tla.value_types import FALSE, TRUE, ModelValue, Value


@dataclass
class Constants:
    """The constants by what they are. The values in the configuration only say that."""

    sets: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    """The elements of each constant that is a set, in a fixed order."""
    numbers: dict[str, int] = field(default_factory=dict)
    atoms: dict[str, ModelValue] = field(default_factory=dict)
    """The constants that are single model values."""
    fixed: dict[str, bool] = field(default_factory=dict)
    """The Boolean constants. Each keeps its value, which is an assumption of the proof."""
    refused: dict[str, str] = field(default_factory=dict)
    """The constants without a reading, with the reason. They must not occur in what is read."""
    apart: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a single value and a set that the reading takes to be without it."""
    families: dict[str, Family] = field(default_factory=dict)
    """The constants among ``sets`` whose elements are sets."""
    has_unbounded: bool = False
    """True if a variable has integers without bounds. A constant of the protocol stands for their bounds."""
    has_uncounted_sets: bool = False
    """True if a quantifier over large sets has no reading as a count (``large_sets``)."""
    keeps_large_sets: bool = False
    """True if no such quantifier is read as a count."""
    substitutes: dict[str, str] = field(default_factory=dict)
    """The definitions that are read as another one, which the configuration puts in their place."""
    said_of_families: tuple[str, ...] = ()
    """The texts of the ASSUMEs that say what is known of families."""
    strings: tuple[str, ...] = ()
    """The strings that the module mentions."""
    beside_strings: set[str] = field(default_factory=set)
    """The sets that the reading takes to be without these strings."""
    declared_apart: set[tuple[str, str]] = field(default_factory=set)
    """The pairs of a string or a single value and a set that an ASSUME says to be without it."""
    used_atoms: tuple[str, ...] = ()
    """The single values that the module mentions."""
    declared_different: set[frozenset[str]] = field(default_factory=set)
    """The pairs of single values that an ASSUME says to be different."""
    declared_no_strings: set[str] = field(default_factory=set)
    """The single values that an ASSUME says to be no strings."""
    undeclared_facts: tuple[str, ...] = ()
    """Assumptions on sets and integers that no ASSUME implies, in words (``assumptions``)."""

    def member(self, name: str) -> Member:
        """Return the kind of a set's elements."""
        return Member(name)

    def assume_apart(self, word: str, name: str) -> bool:
        """Note that a single model value is no element of a set. False if the word is a string."""
        if word not in self.atoms:
            return False
        self.apart.add((word, name))
        return True

    def assume_beside_strings(self, name: str, place: Place) -> None:
        """Note that no element of a set is one of the strings. Raises Unread if one is in the configuration:
        the proof would not be about it."""
        for word in self.strings:
            if word in self.sets[name]:
                raise Unread(
                    place,
                    f'the configuration puts the string "{word}" into {name}, and the module mentions '
                    f'"{word}": a proof assumes that no element of {name} is such a string. Give {name} '
                    f"other strings, or model values, such as {name} = {{e1, e2}}",
                )
        self.beside_strings.add(name)

    @property
    def _said_of_values(self) -> Iterator[tuple[str, bool]]:
        """Yield the assumptions on single values and strings, each with True if the module makes it."""
        for pair in combinations(self.used_atoms, 2):
            yield f"{' and '.join(pair)} are different values", frozenset(pair) in self.declared_different
        for name in self.used_atoms:
            if self.strings:
                yield f"{name} is not a string", name in self.declared_no_strings
            sets = sorted(other for word, other in self.apart if word == name)
            declared = [one for one in sets if (name, one) in self.declared_apart]
            for some in (declared, [one for one in sets if one not in declared]):
                if some:
                    yield f"{name} is not an element of {' or '.join(some)}", some is declared
        for name in sorted(self.beside_strings):
            declared = [one for one in self.strings if (one, name) in self.declared_apart]
            for some in (declared, [one for one in self.strings if one not in declared]):
                if some:
                    said = " or ".join(f'"{one}"' for one in some)
                    yield f"no element of {name} is the string {said}", some is declared

    @property
    def _said_of_fixed(self) -> list[str]:
        return [f"{name} = {str(value).upper()}" for name, value in self.fixed.items()]

    @property
    def _said_of_substitutes(self) -> list[str]:
        """Return what the configuration puts in place of definitions, in words."""
        return [f"{name} is {other}, as in the configuration" for name, other in self.substitutes.items()]

    @property
    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions on single values, strings and families, in words."""
        said = [*self._said_of_substitutes, *self._said_of_fixed]
        said += [words for words, _ in self._said_of_values]
        said += [words for one in self.families.values() for words in one.assumed]
        return (*said, *self.said_of_families)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Return the assumptions that the module does not make, in words."""
        put = [*self._said_of_substitutes, *self._said_of_fixed]
        values = [words for words, is_declared in self._said_of_values if not is_declared]
        families = [words for one in self.families.values() for words in one.undeclared]
        return (*put, *self.undeclared_facts, *values, *families)


def classify(specification: Specification, like: Constants | None = None) -> Constants:
    """Return the constants of a module. ``like``: what they are, from other values."""
    constants, evaluator = Constants(), specification.evaluator
    for constant in specification.module.constants:
        name = constant.name
        if constant.arity:
            constants.refused[name] = f"the constant {name} is an operator"
        elif evaluator.resolve(constant, specification.module.name) is not None:
            constants.refused[name] = (
                f"the configuration gives {name} by an operator: assign a set of model values, an integer, a "
                "Boolean or a model value"
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
    elif value is TRUE or value is FALSE:
        constants.fixed[name] = value is TRUE
    elif isinstance(value, frozenset):
        if not value:
            constants.refused[name] = (
                f"{name} is empty in the configuration, and read sets have elements: give it one"
            )
        else:
            constants.sets[name] = tuple(specification.evaluator.order.sort_by_kind(value))
    else:
        constants.refused[name] = (
            f"the value of {name} is not a set, model value, Boolean or non-negative integer: give it one of "
            f"these, such as the model value {name} = {name}"
        )


def _refuse_shared(constants: Constants) -> None:
    """Refuse single values that are elements of sets, or equal to each other."""
    elements = {value: name for name, values in constants.sets.items() for value in values}
    by_value: dict[Value, str] = {}
    for name, value in list(constants.atoms.items()):
        other = by_value.setdefault(value, name)
        if value in elements:
            constants.refused[name] = (
                f"{name} is an element of {elements[value]} in the configuration; a proof for all constants "
                "knows no element by its name: write a variable that never changes"
            )
        elif other != name:
            constants.refused[name] = f"{name} and {other} are one value in the configuration: give them two"
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
        constants.refused[name] = f"{name} is both a string and a constant of the module: rename one"
        del constants.atoms[name]
    constants.strings = tuple(sorted(strings))
    constants.used_atoms = tuple(sorted(words.keys() & constants.atoms.keys()))
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


def conjuncts_of(specification: Specification, whole: ast.Expression) -> Iterator[ast.Expression]:
    """Yield the conjuncts of an ASSUME, through definitions."""
    if isinstance(whole, ast.Junction) and whole.conjunction:
        for item in whole.items:
            yield from conjuncts_of(specification, item)
    elif isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Definition) and not whole.arguments:
        symbol = whole.operator
        meant = specification.evaluator.resolve(symbol, specification.module.name) or symbol
        if not isinstance(meant, ast.Definition) or meant.body is None:
            raise Unread(whole.place, "an ASSUME without a body")
        yield from conjuncts_of(specification, meant.body)
    else:
        yield whole


def read_facts(specification: Specification, constants: Constants) -> list[Formula]:
    """Return what the ASSUMEs of a module say of families: formulas of their state variables."""
    name = specification.module.name
    bodies = [one.body for one in specification.module.assumptions]
    wholes = [part for body in bodies for part in conjuncts_of(specification, body)]
    return [Formula(one, name) for one in wholes if list_constants(one) & constants.families.keys()]
