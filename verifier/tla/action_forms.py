r"""The forms of actions: what a formula of Init or Next does when it is walked.

Three analyses walk actions: to Python (``actions``), by columns (``columns/compiling``) and to terms
(``translate/next_actions``). Each has its own semantics, so that they check each other. The forms are the
same for all: a guard, an assignment, a choice, a binding, variables that stay, and the connectives.

Source: Specifying Systems (Lamport, 2002), section 14.2.6; in tlaplus/tlaplus, ``tlc2.tool.impl.Tool``,
getInitStates and getNextStates.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Symbol

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

_IN, _SUBSETS = Builtin("\\in", 2), Builtin("SUBSET", 1)


@dataclass(frozen=True, slots=True)
class Guard:
    """A formula that is only tested."""

    whole: Expression


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Formulas that are walked one after the other, from the left."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """A branch for each formula."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    r"""A branch for each member of a set: ``\E x \in S : A``."""

    whole: ast.Quantifier


@dataclass(frozen=True, slots=True)
class Each:
    r"""A conjunction over the members of a set: ``\A x \in S : A``."""

    whole: ast.Quantifier


@dataclass(frozen=True, slots=True)
class Condition:
    """``IF c THEN A ELSE B``, or ``c => A``, which has no other side."""

    condition: Expression
    then: Expression
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class Cases:
    """``CASE``: the first arm whose guard is true."""

    whole: ast.Case


@dataclass(frozen=True, slots=True)
class Binding:
    """``LET``: names for a formula."""

    whole: ast.Let


@dataclass(frozen=True, slots=True)
class Stay:
    """``UNCHANGED e``: variables keep their values."""

    body: Expression


@dataclass(frozen=True, slots=True)
class Boxed:
    """``[A]_v``, or ``<<A>>_v``."""

    whole: ast.Step


@dataclass(frozen=True, slots=True)
class Assignment:
    r"""``x' = e`` or ``x' \in S``, if the left side is a variable in the next state; else it is a guard.

    ``x' \subseteq S`` is ``x' \in SUBSET S``.
    """

    is_equation: bool
    left: Expression
    right: Expression
    whole: ast.Apply
    """The formula with ``=`` or ``\\in``."""


@dataclass(frozen=True, slots=True)
class Call:
    """A definition with its arguments."""

    definition: Definition
    whole: ast.Apply


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a definition, which stands for a formula or an operator."""

    parameter: ast.Parameter
    whole: ast.Apply


@dataclass(frozen=True, slots=True)
class Composition:
    r"""``A \cdot B``: two steps in one."""

    whole: ast.Apply


ActionForm: TypeAlias = (
    Guard
    | Conjunction
    | Disjunction
    | Choice
    | Each
    | Condition
    | Cases
    | Binding
    | Stay
    | Boxed
    | Assignment
    | Call
    | Argument
    | Composition
)


def action_form(evaluator: Evaluator, whole: Expression, module: str) -> ActionForm:
    """Return the form of a formula whose text stands in a module."""
    match whole:
        case ast.Junction():
            return Conjunction(whole.items) if whole.conjunction else Disjunction(whole.items)
        case ast.Quantifier():
            return Each(whole) if whole.universal else Choice(whole)
        case ast.If():
            return Condition(whole.condition, whole.then, whole.otherwise)
        case ast.Case():
            return Cases(whole)
        case ast.Let():
            return Binding(whole)
        case ast.Unchanged():
            return Stay(whole.body)
        case ast.Step():
            return Boxed(whole)
        case ast.Apply():
            symbol = evaluator.resolve(whole.operator, module) or whole.operator
            return _form_of_application(symbol, whole, evaluator.constants)
    return Guard(whole)


def _form_of_application(symbol: Symbol, whole: ast.Apply, constants: Container[Symbol]) -> ActionForm:
    match symbol:
        case ast.Parameter():
            return Argument(symbol, whole)
        case Definition() if symbol not in constants:
            return Call(symbol, whole)
        case Builtin(name="="):
            return Assignment(True, whole.arguments[0], whole.arguments[1], whole)
        case Builtin(name="\\in"):
            return Assignment(False, whole.arguments[0], whole.arguments[1], whole)
        case Builtin(name="\\subseteq"):
            left, right = whole.arguments
            subsets = ast.Apply(_SUBSETS, (right,), place=right.place)
            return Assignment(False, left, subsets, ast.Apply(_IN, (left, subsets), place=whole.place))
        case Builtin(name="=>"):
            return Condition(whole.arguments[0], whole.arguments[1], None)
        case Builtin(name="\\cdot"):
            return Composition(whole)
    return Guard(whole)
