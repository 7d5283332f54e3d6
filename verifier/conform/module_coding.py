"""TLA+ modules for the search by solver: translated at guessed sorts, which are widened where a step that a
log allows may leave them.

An execution that the solver finds is taken again by the interpreter. A rejection is sound if no step that the
log allows leaves the sorts or reads what has no value. The solver is asked that, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.conform.coding import NotSymbolic
from verifier.conform.machine import Parameters, State
from verifier.conform.modules import ModuleMachine
from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.errors import UsageError
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translating import NotTranslated, translate_module
from verifier.specs.definition import PropertyKind
from verifier.tla.frames import Undefined
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.symbolic import Untranslated

_UNKNOWN = frozenset({"?", "TRUE", "FALSE", "(empty)"})
"""The texts of parameters that may stand for several values."""


class ModuleCoding:
    """A module's translation."""

    first_index, names_each_parameter = 1, False

    def __init__(self, machine: ModuleMachine) -> None:
        self.spec, self._steps_beyond = machine.spec, POLICY.steps_beyond
        try:
            self._made = translate_module(machine.module)
            self._translate()
        except UsageError as error:
            raise NotSymbolic(str(error)) from None

    def _translate(self) -> None:
        self.definition = self._made.definition()
        if self._made.translation.excluded is not None:
            raise NotSymbolic("an ACTION_CONSTRAINT excludes steps, and not states")

    def decode(self, value: Concrete, sort: Sort) -> Any:
        """Return a value of a sort as the interpreter knows it."""
        return self._made.translation.names.decode(value, sort)

    def decode_state(self, values: Mapping[str, Concrete]) -> State:
        """Return a state as the interpreter knows it."""
        return self._made.translation.decode(dict(values))

    def decode_parameters(self, values: Mapping[str, Concrete]) -> Parameters:
        """Return the values of expanded parameters, as far as they are known: an action for one value has its
        text as the parameter, which a log writes the same way. A truth value has the text of a string."""
        known = self._made.translation.names.meant
        return {
            name: known.get(value, value) if isinstance(value, str) else value
            for name, value in values.items()
            if type(value) is int or (isinstance(value, str) and value not in _UNKNOWN)
        }

    def name_of(self, action: str) -> str:
        """Return the module's name of an action: there is one for each way to take it."""
        return self._made.translation.named.get(action, action)

    def is_initial(self, state: State) -> bool:
        """True if the interpreter finds Init true in a state."""
        evaluator = self.spec.evaluator
        evaluator.now[:] = state
        return all(evaluator.compile_truth(one.body, one.module)() for one in self.spec.init)

    def claims(self) -> frozenset[str]:
        """Return the invariants that are translated."""
        properties = self.definition.properties
        names = {one.name for one in properties if one.kind is PropertyKind.INVARIANT}
        return frozenset(names.intersection(self.spec.invariants))

    def widen(self, state: State) -> bool:
        """Widen the sorts for the steps from a state, and for some walks beyond. False if the sorts are as
        wide as they get. Raises NotSymbolic."""
        stepper, made = Stepper(self.spec), self._made
        try:
            seen = stepper.successors(state)
            beyond = stepper.strolls(seen, POLICY.walks_beyond, self._steps_beyond) if seen else []
            self._steps_beyond *= 2  # a counter leaves its sort again
            if not made.widen([*seen, *beyond]):
                if not made.translation.keeps_sorts:
                    return False
                # a value on the way to what is assigned leaves the sorts: it gets a sort of its own
                made.translation.keeps_sorts = False
            self._translate()
        except (Undefined, Untranslated, NotTranslated, UsageError) as error:
            raise NotSymbolic(str(error)) from None
        return True
