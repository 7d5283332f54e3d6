"""The states of a module as states of the protocol that is read from it, at one choice of constants."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import Any

from verifier.encodings.open_integers import LARGEST
from verifier.encodings.plain_terms import Environment
from verifier.runs.loaded import Differs
from verifier.runs.modules.constant_choices import Choice
from verifier.specs.definition import Definition
from verifier.tla.exploration_result import State
from verifier.tla.first_order.constants import Constants
from verifier.tla.first_order.kinds import Kind
from verifier.tla.first_order.protocol_classes import ModuleProtocol
from verifier.tla.first_order.values import Outside, Translator, find_integers
from verifier.tla.itf import show_state
from verifier.tla.specification import Specification
from verifier.tla.value_types import Value


class EncodedStates:
    """The encoding of states at one choice of constants, and the bounds of their integers."""

    def __init__(
        self,
        protocol: ModuleProtocol,
        specification: Specification,
        definition: Definition,
        choice: Choice,
        constants: Constants,
    ) -> None:
        self.kinds: list[Kind] = list(protocol.kinds.values())
        self.shown, self.largest = choice.shown, choice.sizes.get(LARGEST)
        sorts = protocol.reading(protocol.kind(dict(choice.sizes))).sorts
        self.values = Translator(constants, sorts)
        fixed = self.values.encode_families()
        self.fixed = {one: fixed[one.name] for one in definition.variables if one.name in fixed}
        self.variables = [one for one in definition.variables if one not in self.fixed]
        self.names = [one.name for one in specification.variables]
        self.order = specification.evaluator.order

    def encode(self, state: State) -> Environment:
        """Return the values of the protocol's variables. Raises Differs for a value that has none."""
        try:
            encoded = [self.values.encode(value, kind) for value, kind in zip(state, self.kinds, strict=True)]
        except Outside as error:
            raise Differs(f"with {self.shown}, in the state {self.show(state)}: {error}") from None
        return {**self.fixed, **dict(zip(self.variables, encoded, strict=True))}

    def decode(self, environment: Mapping[Any, Any]) -> State:
        """Return the state of the module."""
        pairs = zip(self.variables, self.kinds, strict=True)
        return tuple(self.values.decode(environment[symbol], kind) for symbol, kind in pairs)

    def is_beyond(self, state: State) -> bool:
        """True if a state has integers beyond the bounds that are taken here where the module has none. There
        is no such state here, and no step to it."""
        if self.largest is None:
            return False
        return any(map(self._has_outside, state, self.kinds, repeat(True)))

    def leaves_bounds(self, state: State) -> bool:
        """True if a state has integers beyond the bounds that the module says."""
        return any(map(self._has_outside, state, self.kinds, repeat(False)))

    def _has_outside(self, value: Value, kind: Kind, beyond: bool) -> bool:
        sorts = self.values.sorts
        return any(
            own.is_beyond(number, sorts) is beyond and not own.sort(sorts).contains(number)
            for number, own in find_integers(value, kind)
        )

    def show(self, state: State) -> str:
        """Return a state in words."""
        shown = show_state(self.names, state, self.order)
        return ", ".join(f"{name} = {value}" for name, value in shown.items())
