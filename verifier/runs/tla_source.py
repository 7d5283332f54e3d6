"""TLA+ modules where engines expect protocols: what is asked is translated, run, and checked by the
interpreter.

Every engine but ``explore`` needs a definition with sorts, which the module does not have. So a question is
prepared by the names of the module, and the definition made when it is answered (``tla_symbolic``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError, unknown_name
from verifier.runs.asking import Remark
from verifier.runs.loading import Loaded, Reading
from verifier.runs.tla import explore
from verifier.runs.tla_loading import TlaLoaded, evaluated, formula_named, load
from verifier.runs.tla_symbolic import Asked, Symbolic, explored, run, symbolic
from verifier.specs.constants import AssumptionFailed
from verifier.specs.definition import NO_DEADLOCK, UNDEFINED_READ, Lemma, Property, PropertyKind
from verifier.system.loops import WHERE_LOOP_STARTS
from verifier.tla.errors import TlaError
from verifier.tla.explorer import Explorer, State
from verifier.tla.itf import decoded, model_values
from verifier.tla.translate.specification import SORTS
from verifier.trust.certificate import TYPED

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.question import Question
    from verifier.system.model import Model


def load_tla(spec: str, settings: Mapping[str, Any], began: float | None, reading: Reading) -> Loaded:
    """The module of a file, at the constants of its configuration. Raises UsageError."""
    given = {name: _word(value) for name, value in settings.items()}
    module = load(spec, given, reading.config, reading.libraries)
    for name in reading.lemmas:
        formula_named(module.specification, name, [], "lemma")
    lemmas = tuple(Lemma(name, module.definition.init, "") for name in reading.lemmas)
    definition = replace(module.definition, lemmas=lemmas)
    return Loaded(spec, definition, {}, began, TlaSource(replace(module, definition=definition)))


def _word(value: Any) -> str:
    """A value from a file as a configuration writes it."""
    return str(value).upper() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class TlaSource:
    """A module at its constants, and the properties that were named when it was asked."""

    module: TlaLoaded
    named: tuple[str, ...] = ()

    def prepared(self, engine: Engine[Any], loaded: Loaded, options: Any) -> Question[Any]:
        """The question, with what the configuration asks for where no property is named."""
        if getattr(options, "symmetry", False) and engine.name == "explore":
            raise UsageError("--symmetry is not allowed for a TLA+ file: its configuration says SYMMETRY")
        definition = self.module.definition
        claims = engine.claims(definition)
        names = options.properties or tuple(name for name, by_default in claims.items() if by_default)
        if "all" in names:
            names = tuple(dict.fromkeys((*(name for name in names if name != "all"), *claims)))
        own = [name for name in names if name not in claims and name != NO_DEADLOCK]
        added = [self._operator(engine, name, claims) for name in own]
        sorts = Property(SORTS, PropertyKind.TYPE_INVARIANT, definition.init, False, "")
        definition = replace(definition, properties=(*definition.properties, *added, sorts))
        if not names and engine.decides_temporal:
            words = f"{self.module.specification.config.file} names no temporal PROPERTY"
            raise UsageError(f"{words}: name an operator of {definition.name} with --property")
        changes: dict[str, Any] = {"properties": names or (SORTS,)}
        if engine.looks_for_deadlocks:
            changes["deadlock"] = options.deadlock or NO_DEADLOCK in names
        source = replace(self, named=options.properties)
        return engine.prepare(
            replace(loaded, definition=definition, source=source),
            replace(options, **changes),
        )

    def _operator(self, engine: Engine[Any], name: str, claims: Mapping[str, bool]) -> Property:
        """A property that only the module names. Raises UsageError."""
        spec, definition = self.module.specification, self.module.definition
        lasting = [prop.name for prop in definition.temporal]
        if engine.decides_temporal:
            raise unknown_name("temporal property", name, [*claims, "all"])
        if name in lasting:
            raise UsageError(f"{name} is a temporal property, which verify live decides")
        formula_named(spec, name, [*claims, NO_DEADLOCK])
        return Property(name, PropertyKind.INVARIANT, definition.init, True, "")

    def answered(
        self, engine: Engine[Any], question: Question[Any], listen: Listen, built: Callable[[Model], None]
    ) -> Run:
        """The engine's run; of ``explore`` by the interpreter, where that is as good or the only way."""
        asked = Asked(engine, self.module, question, self.named, listen, built)
        if engine.name != "explore":
            return run(asked)
        found, why = explored(asked)
        if found is not None:
            listen(Remark("explored as translated: generated states are counted by steps of actions"))
            return found
        listen(Remark(f"explored by the interpreter: {why}"))
        began = question.limits.since
        module = replace(self.module, began=time.monotonic() if began is None else began)
        options = question.options if self.named else replace(question.options, properties=())
        return explore(module, options, listen)

    def whole(self, loaded: Loaded, named: Sequence[str], beyond: Sequence[Any]) -> Loaded:
        """The module translated at the sorts of its first states, and of those beyond. The first name is that
        of a property, the others those of properties and lemmas. Raises UsageError."""
        spec, definition = self.module.specification, self.module.definition
        known = {*definition.property_names, SORTS, NO_DEADLOCK, UNDEFINED_READ, TYPED}
        plain = dict.fromkeys(name.removesuffix(f" {WHERE_LOOP_STARTS}") for name in named)
        own = [name for name in plain if name not in known]
        for name in own:
            formula_named(spec, name, definition.property_names)
        declared = [lemma.name for lemma in definition.lemmas]
        helping = [name for name in own if name not in (*declared, *named[:1])]
        lemmas = (*definition.lemmas, *(Lemma(name, definition.init, "") for name in helping))
        made = symbolic(replace(self.module, definition=replace(definition, lemmas=lemmas)), named[:1])
        made.widen(self._states(made, beyond))
        return replace(loaded, definition=made.definition(), source=None)

    def _states(self, made: Symbolic, beyond: Sequence[Any]) -> list[State]:
        """The states of a file. Raises UsageError for what are none."""
        spec = self.module.specification
        seen = [value for state in made.translation.sample.states for value in state]
        known = model_values((*spec.constants.values(), *seen))
        try:
            states = [tuple(decoded(value, known) for value in state) for state in beyond]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            words = f"the states that the sorts are for are none of {spec.module.name}"
            raise UsageError(f"{words}: {error}") from None
        if any(len(state) != len(spec.variables) for state in states):
            words = f"the states that the sorts are for have other variables than {spec.module.name}"
            raise UsageError(words)
        return states

    @property
    def files(self) -> tuple[Path, ...]:
        """The modules and the configuration."""
        return self.module.files

    def check_assumptions(self) -> None:
        """Raises AssumptionFailed for an ASSUME that is false."""
        definition = self.module.definition
        explorer = Explorer(self.module.specification, properties=())
        try:
            evaluated(explorer.assume)
        except TlaError as error:
            constants = ", ".join(f"{name}={value}" for name, value in definition.constants.items())
            raise AssumptionFailed(definition.name, str(error), constants) from None
