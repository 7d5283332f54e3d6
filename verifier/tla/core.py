"""What the parts of the evaluator ask of each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.errors import Place
from verifier.tla.facts import Analysis
from verifier.tla.frames import Code, Evaluate, Frame, Undefined, Unit
from verifier.tla.order import Order
from verifier.tla.values import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.actions import Walker
    from verifier.tla.symmetry import Asymmetric, Symmetry

Truth: TypeAlias = Callable[[Frame], bool]
Bind: TypeAlias = Callable[[Frame], Iterator[None]]
"""Gives bound names all their values, one after the other."""


class Core(ABC):
    """The state of evaluation, and what compiles expressions."""

    index: dict[ast.Variable, int]
    now: list[Any]
    next: list[Any]
    read_next: list[bool]
    """One entry, which becomes true where a variable is read in the next state."""
    resolve: Callable[[Symbol, str], Symbol | None]
    constants: dict[Symbol, Value]
    known: dict[Symbol, Value]
    order: Order
    analysis: Analysis
    registers: dict[Any, Value]
    answers: dict[str, Callable[[], Value]]
    printed: list[str]
    actions: Walker
    symmetry: Symmetry | None
    """Watches what CHOOSE and folds take while permutations are used."""
    at_slots: list[int]

    @abstractmethod
    def value(self, whole: Expression, unit: Unit, primed: bool = False) -> Evaluate:
        """A closure that computes a value."""

    @abstractmethod
    def truth(self, whole: Expression, unit: Unit, primed: bool = False) -> Truth:
        """A closure that says whether a formula is true."""

    @abstractmethod
    def truth_of(self, evaluate: Evaluate, place: Place) -> Truth:
        """A value that must be TRUE or FALSE, as Python's."""

    @abstractmethod
    def integer(self, whole: Expression, unit: Unit, primed: bool) -> Callable[[Frame], int]:
        """An expression that must be an integer."""

    @abstractmethod
    def domain(
        self, whole: Expression, unit: Unit, primed: bool, *, ordered: bool = False
    ) -> Callable[[Frame], Iterable[Value]]:
        """The members of a set, to walk through once; ``ordered`` as TLC orders them."""

    @abstractmethod
    def bind(
        self, bindings: tuple[ast.Binding, ...], unit: Unit, primed: bool, *, ordered: bool = False
    ) -> Bind:
        """Gives the bound names all their values in turn; the sets are evaluated first."""

    @abstractmethod
    def setter(self, binding: ast.Binding, unit: Unit) -> Callable[[Frame, Value], None]:
        """Puts an element of a set where the names of a binding are read."""

    @abstractmethod
    def comparison(self, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Truth | None:
        """A formula made by an operator of the language or of numbers; None for any other operator."""

    @abstractmethod
    def membership(
        self, wanted: bool, left: Expression, right: Expression, unit: Unit, primed: bool
    ) -> Truth:
        """Membership, or its negation."""

    @abstractmethod
    def application(self, whole: ast.Apply, unit: Unit, primed: bool) -> Evaluate:
        """The value of a name, or of an operator with arguments."""

    @abstractmethod
    def let(
        self,
        whole: ast.Let,
        unit: Unit,
        primed: bool,
        compile: Callable[[Expression, Unit, bool], Callable[[Frame], Any]],  # noqa: A002
    ) -> Callable[[Frame], Any]:
        """Definitions for one expression."""

    @abstractmethod
    def entries(self, whole: ast.Let, unit: Unit, primed: bool) -> list[tuple[int, Code]]:
        """What a LET puts into the frame: its definitions without parameters, to be evaluated when needed."""

    @abstractmethod
    def unit_of(self, definition: Definition) -> Unit:
        """The unit of a definition of a module, with its parameters in the first slots."""

    @abstractmethod
    def arguments(self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool) -> list[Evaluate]:
        """The arguments of a definition, evaluated at once where they are needed or cannot fail."""

    @abstractmethod
    def is_fixed(self, whole: Expression, unit: Unit) -> bool:
        """Whether an expression has one value, whatever is around it."""

    @abstractmethod
    def firsts(self, whole: ast.Choose, unit: Unit, primed: bool) -> Callable[[Frame], list[Value]]:
        """What CHOOSE takes; with permutations, in each order that they make of TLC's."""

    @abstractmethod
    def uneven(self, whole: ast.Choose, found: list[Value]) -> Asymmetric:
        """The error for a CHOOSE that takes different elements in orders that should be alike."""

    @staticmethod
    @abstractmethod
    def once(evaluate: Callable[[Frame], Any]) -> Callable[[Frame], Any]:
        """Evaluates once: the value does not depend on the frame or the state."""

    @abstractmethod
    def show(self, value: Value) -> str:
        """A value as text, not too long."""

    @abstractmethod
    def fault(self, place: Place, error: NoValue, *value: Value) -> Undefined:
        """The error for an operation that has no value."""
