"""Expressions compiled to Python functions.

``value`` returns a function that computes a value, ``truth`` one that returns Python's ``bool``. A function
takes the frame of the definition that contains the expression. An expression with one value in all states is
evaluated once, when it is first needed. It is compiled for the state or, below a prime, for the next state
(``primed``).

This module knows no form of expression: ``interpreter`` has the table of what compiles each.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.drawing import Draw
from verifier.tla.emitting import Emitter, Source
from verifier.tla.errors import Place
from verifier.tla.facts import CONSTANT, Analysis
from verifier.tla.frames import UNSET, Evaluate, Frame, Truth, Undefined, Unit
from verifier.tla.memories import Memory
from verifier.tla.order import Order, text
from verifier.tla.strictness import Strictness
from verifier.tla.value_types import ModelValue, NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.formula_counts import FormulaCounts
    from verifier.tla.symmetry import Symmetry

Compile: TypeAlias = "Callable[[Evaluator, Any, Unit, bool], Source]"
"""Compiles an expression of one form, in a unit, for the state or (True) for the next state."""
Continue: TypeAlias = Callable[[], None]
Walk: TypeAlias = Callable[[Frame, Continue], None]
"""Calls a continuation for each way in which a formula can be true."""
_TEMPORAL = {ast.Temporal: "[], <> or ~>", ast.Fairness: "WF_ or SF_"}


@dataclass(frozen=True)
class Compilers:
    """The compilers of the forms of expressions."""

    values: Mapping[type[Expression], Compile]
    formulas: Mapping[type[Expression], Compile]
    parts: Mapping[type[Expression], Callable[[Evaluator, Any, Unit, bool, Callable[..., Source]], Source]]
    """Of forms whose value is that of a part. The last argument compiles that part."""
    application: Compile
    predicate: Callable[[Evaluator, ast.Apply, Unit, bool], Source | None]
    """Compiles an application that is a formula; None for others."""


class ActionWalker(Protocol):
    """The compiler of walks over actions, as ENABLED and composed actions use it."""

    between: int
    """The number of intermediate states found."""

    def walk(self, whole: Expression, unit: Unit, primed: bool, *, top: bool = False) -> Walk:
        """Return the walker of a formula."""

    def target(
        self, whole: Expression, unit: Unit, primed: bool
    ) -> int | Callable[[Frame], int | None] | None:
        """Return the index of the variable whose next value a formula is, or a function that finds it in a
        walk; None if it is another one."""

    def composes(self, whole: ast.Apply, unit: Unit, primed: bool) -> Callable[[Frame], bool]:
        """Return a test that a step is one of a composed action."""


class Evaluator(ABC):
    """Compiles expressions, and holds the state and the next state in which they are evaluated."""

    actions: ActionWalker

    def __init__(
        self,
        compilers: Compilers,
        variables: list[ast.Variable],
        resolve: Callable[[Symbol, str], Symbol | None],
        constants: dict[Symbol, Value],
        order: Order,
    ) -> None:
        self.compilers = compilers
        self.variables = variables
        self.index = {variable: number for number, variable in enumerate(variables)}
        self.now: list[Any] = [UNSET] * len(variables)
        self.next: list[Any] = [UNSET] * len(variables)
        self.read_next = [False]
        self.resolve = resolve
        self.constants = constants
        self.order = order
        self.analysis = Analysis(resolve)
        self.registers: dict[Any, Value] = {}
        """The values that TLCSet set."""
        self.answers: dict[str, Callable[[], Value]] = {}
        """The answers of TLCGet about the search."""
        self.model_values: dict[str, ModelValue] = {}
        """The model values of the configuration and of TLCModelValue, by name."""
        self.origins: Mapping[str, str] = {}
        """The option that names a model value, by the value's name."""
        self.printed: list[str] = []
        self.symmetry: Symmetry | None = None
        """Checks the choices of CHOOSE and folds while permutations are used."""
        self.seeks_first_error = [False]
        """True while a loop runs again, to find the error that comes first in TLC's order."""
        self.draw = Draw()
        self.seed = secrets.randbits(64)
        """With this, definitions without parameters draw their values. So the processes of one run have the
        same values, whichever of them they need first."""
        self.counts: FormulaCounts | None = None
        """The counts of formulas, if they are wanted."""
        self.emit = Emitter(self.now, self.next)
        self.strictness = Strictness(resolve, constants.__contains__)
        self._begin_compiling()

    def _begin_compiling(self) -> None:
        """Initialise the caches of compiled code."""
        self.at_slots: list[int] = []
        self.at_of: dict[Definition, tuple[int, ...]] = {}
        """The slots of @ for definitions of a LET below EXCEPT."""
        self.bodies: dict[tuple[Any, ...], str] = {}
        self.evaluated: frozenset[ast.Parameter] = frozenset()
        """The parameters that are values in the code that is being compiled: none of them is delayed."""
        self.rooms: dict[Unit, str] = {}
        self.values: dict[Definition, str] = {}
        self.units: dict[Definition, Unit] = {}
        self.operations: dict[tuple[str, int, Place], Evaluate | None] = {}
        self.memories: dict[tuple[Definition, bool], Memory] = {}
        self.passes_changing = False
        """True if some operator argument may have another value each time, or has a side effect."""
        self.parts_of_steps: set[ast.Quantifier] = set()
        """Quantifiers over what a formula of a step says of the first state (``verifier.tla.remaining``)."""
        self.step_reads: dict[tuple[Expression, str], tuple[set[int], set[int]] | None] = {}
        """The variables that a formula of a step reads in either state (``verifier.tla.kept_conjuncts``)."""
        self.computes_later = False
        """True if there are functions whose values are computed on demand."""
        self.inside_recursive: set[ast.Function] = set()
        """Inner functions that are values of a recursive function and call that function."""

    @abstractmethod
    def beside(self, variables: list[ast.Variable]) -> Evaluator:
        """Return an evaluator with other variables and all else the same."""

    def show(self, value: Value) -> str:
        """Return a value as a text of limited length."""
        words = text(value, self.order)
        return words if len(words) <= 200 else f"{words[:120]} … {words[-60:]}"

    def describe(self, value: Value) -> str:
        """Return a value as text. Of a model value that an option names, the option is told."""
        origin = self.origins.get(value.name) if isinstance(value, ModelValue) else None
        return self.show(value) + (f", a model value from {origin}" if origin else "")

    def fault(self, place: Place, error: NoValue, *value: Value) -> Undefined:
        """Return the error for an operation that has no value."""
        words = str(error)
        if words in ("no set", "no function"):
            shown = f": it is {self.show(value[0])}" if value else ""
            words = f"a {words.removeprefix('no ')} is expected here{shown}"
        elif words == "an integer is expected here":
            wrong = next((one for one in value if isinstance(one, ModelValue)), None)
            words += "" if wrong is None else f": it is {self.describe(wrong)}"
        return Undefined(place, words)

    # -- values and truths

    def value(self, whole: Expression, unit: Unit, primed: bool = False) -> Evaluate:
        """Return a function that computes a value."""
        return self.emit.function(self.value_source(whole, unit, primed))

    def truth(self, whole: Expression, unit: Unit, primed: bool = False) -> Truth:
        """Return a function that decides a formula."""
        return self.emit.function(self.truth_source(whole, unit, primed))

    def value_source(self, whole: Expression, unit: Unit, primed: bool = False) -> Source:
        """Return the source that computes a value."""
        if isinstance(whole, ast.Number | ast.String):
            return self.emit.literal(whole.value)
        if not isinstance(whole, ast.Apply) and self.is_fixed(whole, unit):
            return self.emit.once(self._value(whole, unit, primed))
        return self.emit.shorten(self._value(whole, unit, primed))

    def is_fixed(self, whole: Expression, unit: Unit) -> bool:
        """True if an expression has one value in every context."""
        return self.analysis.of(whole, unit.module).fixed

    def _value(self, whole: Expression, unit: Unit, primed: bool) -> Source:
        if type(whole) is ast.Apply:
            return self.compilers.application(self, whole, unit, primed)
        formula = self.compilers.formulas.get(type(whole))
        if formula is not None:
            return f"(TRUE if {formula(self, whole, unit, primed)} else FALSE)"
        form = self.compilers.values.get(type(whole))
        if form is None:
            return self.make_refusal(
                whole.place, f"a formula with {_TEMPORAL[type(whole)]} has no value in a state"
            )
        return form(self, whole, unit, primed)

    def truth_source(self, whole: Expression, unit: Unit, primed: bool = False) -> Source:
        """Return the source that decides a formula."""
        source = self._truth(whole, unit, primed)
        if self.counts is not None and not self.is_fixed(whole, unit):
            source = self.counts.add_counter(whole, source, self.emit)
        return self.emit.shorten(source)

    def _truth(self, whole: Expression, unit: Unit, primed: bool) -> Source:
        if type(whole) is ast.Apply:
            test = self.compilers.predicate(self, whole, unit, primed)
            if test is not None:
                return self.emit.once(test) if self.is_fixed(whole, unit) else test
        elif (formula := self.compilers.formulas.get(type(whole))) is not None:
            test = formula(self, whole, unit, primed)
            return self.emit.once(test) if self.is_fixed(whole, unit) else test
        elif (part := self.compilers.parts.get(type(whole))) is not None:
            return part(self, whole, unit, primed, self.truth_source)
        return self.truth_of(self.value_source(whole, unit, primed), whole.place)

    def truth_of(self, source: Source, place: Place) -> Source:
        """Return the source of a value, which must be TRUE or FALSE, as a Python ``bool``."""

        def wrong(value: Value) -> bool:
            shown = self.show(value)
            meant = shown.upper() if isinstance(value, ModelValue) else ""
            hint = f", a model value; is {meant} meant?" if meant in ("TRUE", "FALSE") else ""
            raise Undefined(place, f"TRUE or FALSE is expected here: it is {shown}{hint}")

        bad = self.emit.bind(wrong)
        if source.isdigit() or source.startswith(("'", '"')):
            return f"{bad}({source})"
        return self.emit.let([source], lambda t: f"({t} is TRUE or {t} is not FALSE and {bad}({t}))")

    def make_refusal(self, place: Place, words: str) -> Source:
        """Return source that raises an error when it is evaluated."""

        def refuse(e: Frame) -> Value:
            raise Undefined(place, words)

        return self.emit.call(refuse)

    # -- the start of an evaluation

    def compile_value(self, whole: Expression, module: str, primed: bool = False) -> Callable[[], Value]:
        """Return a function that computes the value of an expression in the state that is set."""
        unit = Unit(module)
        return self._begin(self.value(whole, unit, primed), unit, whole.place)

    def compile_truth(self, whole: Expression, module: str, primed: bool = False) -> Callable[[], bool]:
        """Return a function that decides a formula in the state that is set."""
        unit = Unit(module)
        return self._begin(self.truth(whole, unit, primed), unit, whole.place)

    @staticmethod
    def _begin(evaluate: Evaluate, unit: Unit, place: Place) -> Callable[[], Any]:
        """Return the evaluation in a new frame. An error inside Python's own operations, such as a hash, gets
        the place of the whole expression."""
        room = unit.room

        def begin_evaluation() -> Any:
            try:
                return evaluate(room[:])
            except NoValue as error:
                raise Undefined(place, str(error)) from None

        return begin_evaluation

    def is_constant(self, whole: Expression, module: str) -> bool:
        """True if an expression has the same value in all states."""
        return self.analysis.of(whole, module).level == CONSTANT
