"""A translated module at the final sorts of a run: its states in both semantics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.runs.validation.agreement import Agreement, Disagreement, Disagrees, WrongModule
from verifier.tla.errors import Place
from verifier.tla.facts import answers_differently
from verifier.tla.frames import Undefined
from verifier.tla.order import text
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import NoValue

if TYPE_CHECKING:
    from verifier.runs.validation.translated_module import TranslatedModule
    from verifier.system.model import Model
    from verifier.tla.exploration_result import State
    from verifier.tla.splitting import Formula

ERRORS = (Undefined, NoValue, RecursionError)
"""The exceptions of evaluation if the interpreter has no value."""
_LONGEST = 400
"""The most characters of a value: readers need no more."""


@dataclass
class Subject:
    """The module and the model that are compared."""

    made: TranslatedModule
    model: Model
    asked: frozenset[str] = frozenset()
    """The properties that were asked."""
    proved: bool = False
    """True if a verdict claims that no execution leaves the sorts or reads an undefined value."""
    depth: int | None = None
    """The depth of the executions that a verdict covers; None: all executions."""
    agreement: Agreement = field(default_factory=Agreement)

    def __post_init__(self) -> None:
        self.spec = self.made.translation.specification
        self.names = self.made.translation.names
        self.stepper = Stepper(self.spec)
        self.variables = self.made.translation.variables
        self.excluded = self.made.translation.excluded
        self._known: dict[State, int | None] = {}
        self._tests: dict[Formula, Callable[[], bool]] = {}

    # -- states

    def encode(self, state: State) -> int | None:
        """Return the bits of a state, in the order of the layout; None outside the sorts."""
        if state not in self._known:
            self._known[state] = self._bits(state, excluded=False)
        return self._known[state]

    def encode_after(self, state: State, following: State) -> int | None:
        """Return the bits of a state after a step, as `encode` does, with the mark of an excluded step."""
        if self.excluded is None:
            return self.encode(following)
        return self._bits(following, excluded=not self.stepper.goes_on(state, following))

    def _bits(self, state: State, *, excluded: bool) -> int | None:
        pairs = zip(self.variables, state, strict=True)
        try:
            values = {symbol.name: self.names.encode(value, symbol.sort) for symbol, value in pairs}
        except NotInSort:
            return None
        if self.made.translation.decode(values) != state:
            raise self.differ("its values", "these", "others once it is encoded and decoded", state)
        if self.excluded is not None:
            values[self.excluded.name] = excluded
        return sum(1 << place for place, bit in enumerate(self.model.layout.encode_state(values)) if bit)

    def decode(self, bits: int) -> State:
        """Return the state of bits. Raises ValueError if there is none."""
        width = len(self.model.layout.bits)
        values = self.model.layout.decode_state([bool(bits >> place & 1) for place in range(width)])
        return self.made.translation.decode(dict(values))

    # -- words

    def show(self, state: State) -> str:
        """Return a state as text."""
        names = [one.name for one in self.spec.variables]
        return ", ".join(f"{n} = {self.value_text(v)}" for n, v in zip(names, state, strict=True))

    def value_text(self, value: object) -> str:
        """Return a value as text."""
        words = text(value, self.spec.evaluator.order)
        return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"

    def differ(
        self,
        what: str,
        interpreter: object,
        translation: object,
        state: State,
        place: Place | None = None,
    ) -> Disagrees:
        """Return the error for a difference."""
        shown = self.show(state)
        return Disagrees(Disagreement(what, str(interpreter), str(translation), shown, place), state)

    def without_value(self, error: BaseException, state: State) -> Exception:
        """Return the error for a reachable state in which only the formula has a value. The module is wrong,
        and TLC ends there."""
        if isinstance(error, RecursionError):
            return error
        shown = self.show(state)
        where = getattr(error, "place", None)
        return WrongModule(f"{error if where else str(error)}, in the reachable state {shown}")

    # -- the interpreter

    def set_state(self, state: State, following: State | None = None) -> None:
        """Set the state, or the step, in which the interpreter evaluates."""
        self.spec.evaluator.now[:] = state
        if following is not None:
            self.spec.evaluator.next[:] = following

    def holds(self, formulas: Sequence[Formula], state: State, following: State | None = None) -> bool:
        """True if formulas are true in the interpreter. Raises one of the errors of evaluation."""
        self.set_state(state, following)
        return all(self._test(one)() for one in formulas)

    def is_settled(self, formulas: Sequence[Formula]) -> bool:
        """True if formulas have the same value each time, so that they can be compared."""
        resolve, has_one_value = self.spec.evaluator.resolve, self.spec.evaluator.analysis.has_one_value
        return not any(answers_differently(one.body, one.module, resolve, has_one_value) for one in formulas)

    def _test(self, formula: Formula) -> Callable[[], bool]:
        if formula not in self._tests:
            evaluator = self.spec.evaluator
            self._tests[formula] = evaluator.compile_truth(formula.body, formula.module)
        return self._tests[formula]


def truth(value: bool) -> str:
    """Return a truth value in TLA+ syntax."""
    return "TRUE" if value else "FALSE"


__all__ = ["ERRORS", "Subject", "truth"]
