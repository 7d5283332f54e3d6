"""What the parts of the evaluator ask of each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.emitting import Emitter
from verifier.tla.errors import Place
from verifier.tla.facts import Analysis
from verifier.tla.frames import Evaluate, Frame, Undefined, Unit
from verifier.tla.order import Order
from verifier.tla.values import ModelValue, NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.actions import Walker
    from verifier.tla.symmetry import Asymmetric, Symmetry

Truth: TypeAlias = Callable[[Frame], bool]
Source: TypeAlias = str
"""An expression as Python, for ``emitting``; of a formula, its value is Python's ``bool``."""


class Core(ABC):
    """The state of evaluation, and what compiles expressions."""

    index: dict[ast.Variable, int]
    now: list[Any]
    next: list[Any]
    read_next: list[bool]
    """One entry, which becomes true where a variable is read in the next state."""
    resolve: Callable[[Symbol, str], Symbol | None]
    constants: dict[Symbol, Value]
    order: Order
    analysis: Analysis
    registers: dict[Any, Value]
    answers: dict[str, Callable[[], Value]]
    model_values: dict[str, ModelValue]
    printed: list[str]
    actions: Walker
    symmetry: Symmetry | None
    """Watches what CHOOSE and folds take while permutations are used."""
    at_slots: list[int]
    at_of: dict[Definition, tuple[int, ...]]
    emit: Emitter

    @abstractmethod
    def beside(self, variables: list[ast.Variable]) -> Core:
        """One with other variables, and else the same."""

    @abstractmethod
    def value_source(self, whole: Expression, unit: Unit, primed: bool = False) -> Source:
        """What computes a value."""

    @abstractmethod
    def truth_source(self, whole: Expression, unit: Unit, primed: bool = False) -> Source:
        """What says whether a formula is true."""

    @abstractmethod
    def value(self, whole: Expression, unit: Unit, primed: bool = False) -> Evaluate:
        """A closure that computes a value."""

    @abstractmethod
    def truth(self, whole: Expression, unit: Unit, primed: bool = False) -> Truth:
        """A closure that says whether a formula is true."""

    @abstractmethod
    def truth_of(self, source: Source, place: Place) -> Source:
        """A value that must be TRUE or FALSE, as Python's."""

    @abstractmethod
    def integer(self, whole: Expression, unit: Unit, primed: bool) -> Source:
        """An expression that must be an integer."""

    @abstractmethod
    def domain(self, whole: Expression, unit: Unit, primed: bool, *, ordered: bool = False) -> Source:
        """The members of a set, to walk through once; ``ordered`` as TLC orders them."""

    @abstractmethod
    def loops(
        self,
        bindings: tuple[ast.Binding, ...],
        unit: Unit,
        primed: bool,
        inner: Sequence[str],
        *,
        ordered: bool = False,
    ) -> list[str]:
        """Lines that run others for all values of the bound names; the sets are evaluated first."""

    @abstractmethod
    def loop(self, binding: ast.Binding, unit: Unit, source: Source, inner: Sequence[str]) -> list[str]:
        """The same for one binding, whose set is known."""

    @abstractmethod
    def is_interval(self, whole: Expression, unit: Unit) -> bool:
        """Whether an expression is ``a..b`` of integers."""

    @abstractmethod
    def refused(self, place: Place, words: str) -> Source:
        """What cannot be evaluated: an error where it would be."""

    @abstractmethod
    def if_of(
        self,
        whole: ast.If,
        unit: Unit,
        primed: bool,
        source: Callable[[Expression, Unit, bool], Source],
    ) -> Source:
        """A value or a formula by a condition."""

    @staticmethod
    @abstractmethod
    def item(binding: ast.Binding, unit: Unit) -> Source:
        """The element of a set that the names of a binding stand for."""

    @abstractmethod
    def setter(self, binding: ast.Binding, unit: Unit) -> Callable[[Frame, Value], None]:
        """Puts an element of a set where the names of a binding are read."""

    @abstractmethod
    def comparison(self, name: str, whole: ast.Apply, unit: Unit, primed: bool) -> Source | None:
        """A formula made by an operator of the language or of numbers; None for any other operator."""

    @abstractmethod
    def membership(
        self, wanted: bool, left: Expression, right: Expression, unit: Unit, primed: bool
    ) -> Source:
        """Membership, or its negation."""

    @abstractmethod
    def application(self, whole: ast.Apply, unit: Unit, primed: bool) -> Source:
        """The value of a name, or of an operator with arguments."""

    @abstractmethod
    def let(
        self,
        whole: ast.Let,
        unit: Unit,
        primed: bool,
        source: Callable[[Expression, Unit, bool], Source],
    ) -> Source:
        """Definitions for one expression."""

    @abstractmethod
    def entries(self, whole: ast.Let, unit: Unit, primed: bool, *, walked: bool = False) -> list[str]:
        """Lines that put the definitions of a LET without parameters into the frame."""

    @abstractmethod
    def unit_of(self, definition: Definition) -> Unit:
        """The unit of a definition of a module, with its parameters in the first slots."""

    @abstractmethod
    def arguments(self, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool) -> list[Source]:
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

    @abstractmethod
    def show(self, value: Value) -> str:
        """A value as text, not too long."""

    @abstractmethod
    def fault(self, place: Place, error: NoValue, *value: Value) -> Undefined:
        """The error for an operation that has no value."""
