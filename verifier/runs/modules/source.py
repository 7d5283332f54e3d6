"""TLA+ modules in place of protocols: a question is translated, run, and checked by the interpreter.

Every engine but ``explore`` needs a definition with sorts, which the module lacks. So a question is prepared
by the names of the module, and the definition is made when it is answered (``translating``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError, cut
from verifier.runs.answering_source import AnsweringSource
from verifier.runs.loaded import Loaded, ReadingOptions
from verifier.runs.modules.configured_module import ConfiguredModule
from verifier.runs.modules.loading import (
    UNKNOWN,
    TlaDefinition,
    explain_left_to_live,
    formula_named,
    load,
    temporal_named,
    word_of,
)
from verifier.runs.news import Remark
from verifier.runs.options import TRANSLATION
from verifier.runs.semantics import name_semantics_asked
from verifier.specs.definition import Lemma, Property, PropertyKind
from verifier.specs.temporal import TemporalProperty
from verifier.tla.exploration_result import State
from verifier.tla.itf import decode_value, model_values
from verifier.verdict import TEMPORAL_PART

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.engine import Engine, Listen
    from verifier.runs.modules.translating import Symbolic
    from verifier.runs.question import Question
    from verifier.system.model import Model

_MOST_SHOWN = 4
"""The limit of strings in a remark."""


def load_tla(
    spec: str,
    settings: Mapping[str, Any],
    began: float | None,
    reading: ReadingOptions,
    said: Mapping[str, Any] = MappingProxyType({}),
) -> Loaded:
    """Load the module of a file, at the constants of its configuration, or at those ``said`` by a file of
    results. Raises UsageError."""
    for name, value in settings.items():
        if isinstance(value, list | dict):  # from a manifest; the list of a grid was expanded before
            words = f"constant {name}={cut(value)} is not a value of a TLA+ constant"
            raise UsageError(f'{words}: write a set in quotes, as in {name} = "{{a, b}}"')
    given = {name: word_of(value) for name, value in settings.items()}
    module = load(spec, given, reading.config, reading.libraries, said=said)
    for name in reading.lemmas:
        formula_named(module.specification, name, [], "lemma")
    lemmas = tuple(Lemma(name, module.definition.init, "") for name in reading.lemmas)
    shown = replace(
        module.definition.presentation,
        libraries=tuple(map(str, reading.libraries)),
        named_lemmas=reading.lemmas,
        settings=given,
    )
    definition = replace(module.definition, lemmas=lemmas, presentation=shown)
    made = TlaSource(replace(module, definition=definition), (), reading.libraries, given)
    return Loaded(spec, definition, {}, began, made)


@dataclass(frozen=True)
class TlaSource(ConfiguredModule, AnsweringSource):
    """A module that is translated for each question."""

    def prepare(self, engine: Engine[Any], loaded: Loaded, options: Any) -> Question[Any]:
        """Return the question, with the properties of the configuration if none is named."""
        if getattr(options, "symmetry", False) and engine.name == "explore":
            raise UsageError("--symmetry is not allowed for a TLA+ file: its configuration says SYMMETRY")
        if getattr(options, "work", None) is not None and name_semantics_asked(options) == TRANSLATION:
            words = "if a value leaves the guessed sorts, the exploration starts again"
            raise UsageError(f"--work cannot be combined with --by translation: {words}")
        definition = self.module.definition
        claims = engine.claims(definition)
        names = options.properties or tuple(name for name, by_default in claims.items() if by_default)
        defined = self.module.specification.module.names
        if "all" in names:
            kept = [name for name in names if name != "all" or name in defined]
            names = tuple(dict.fromkeys((*kept, *claims)))
        if engine.decides_temporal:
            names = tuple(name.removesuffix(TEMPORAL_PART) for name in names)
        stuck = definition.titles.no_deadlock
        beside = (stuck, *(("none",) if not engine.decides and "none" not in defined else ()))
        own = [name for name in names if name not in (*claims, *beside)]
        definition = self._extend(engine, own, claims)
        if not names and engine.decides_temporal:
            words = f"{self.module.specification.config.file} names no temporal PROPERTY"
            others = self.module.specification.properties
            hint = f"; {explain_left_to_live(*others)}" if others else ""
            raise UsageError(f"{words}: name an operator of {definition.name} with --property{hint}")
        changes: dict[str, Any] = {"properties": names or (definition.titles.sorts,)}
        if engine.looks_for_deadlocks:
            changes["deadlock"] = options.deadlock or stuck in names
        source = replace(self, named=options.properties)
        return engine.prepare(
            replace(loaded, definition=definition, source=source),
            replace(options, **changes),
        )

    def _extend(self, engine: Engine[Any], own: Sequence[str], claims: Mapping[str, bool]) -> TlaDefinition:
        """Return the definition with properties that only the module names. Raises UsageError."""
        spec, definition = self.module.specification, self.module.definition
        sorts = Property(definition.titles.sorts, PropertyKind.TYPE_INVARIANT, definition.init, False, "")
        lasting = [prop.name for prop in definition.temporal]
        temporal, states = list(definition.temporal), list(definition.properties)
        for name in own:
            if engine.decides_temporal:
                temporal_named(spec, name, list(claims))
                temporal.append(TemporalProperty(name, UNKNOWN, True, ""))
            elif name.removesuffix(TEMPORAL_PART) in lasting:
                raise UsageError(f"{name} is a temporal property, which verify live decides")
            else:
                formula_named(spec, name, [*claims, definition.titles.no_deadlock])
                states.append(Property(name, PropertyKind.INVARIANT, definition.init, True, ""))
        return replace(definition, properties=(*states, sorts), temporal=tuple(temporal))

    def answer(
        self, engine: Engine[Any], question: Question[Any], listen: Listen, built: Callable[[Model], None]
    ) -> Run:
        """Run the engine, by the semantics that is asked for."""
        run = self._run(engine, question, listen, built)
        computed = sorted(self.module.specification.evaluator.order.unsure)
        if computed:
            words = ", ".join(json.dumps(word) for word in computed[:_MOST_SHOWN])
            more = ", …" if len(computed) > _MOST_SHOWN else ""
            words = f"warning: no text has the strings {words}{more}"
            listen(Remark(f"{words}: TLC may order them in another way"))
        return run

    def _run(
        self, engine: Engine[Any], question: Question[Any], listen: Listen, built: Callable[[Model], None]
    ) -> Run:
        from verifier.runs.modules.module_question import ModuleQuestion
        from verifier.runs.modules.strategy import answer_question

        module = self.module
        if engine.name == "explore" and question.options.symmetry is False:
            module = replace(module, specification=replace(module.specification, symmetry=[]))
        asked = ModuleQuestion(engine, module, question, self.named, listen, built)
        for words in self.warnings:
            listen(Remark(words))
        return answer_question(asked)

    def whole(
        self,
        loaded: Loaded,
        named: Sequence[str],
        beyond: Sequence[Any],
        *,
        own_sorts: bool,
        temporal: bool,
    ) -> Loaded:
        """Translate the module at the sorts of its first states, and of those beyond. The first name is that
        of a property (``temporal``: of executions), the others are properties and lemmas. Raises
        UsageError."""
        from verifier.runs.modules.translating import translate_module
        from verifier.runs.validation.verdicts import compare_again
        from verifier.system.liveness_to_safety import WHERE_LOOP_STARTS

        spec, definition = self.module.specification, self.module.definition
        known = {*definition.property_names, *astuple(definition.titles)}
        plain = dict.fromkeys(name.removesuffix(f" {WHERE_LOOP_STARTS}") for name in named)
        lasting = list(named[:1]) if temporal else []
        own = [name for name in plain if name not in (*known, *lasting)]
        for name in own:
            formula_named(spec, name, definition.property_names)
        declared = [lemma.name for lemma in definition.lemmas]
        helping = [name for name in own if name not in (*declared, *named[:1])]
        lemmas = (*definition.lemmas, *(Lemma(name, definition.init, "") for name in helping))
        module = replace(self.module, definition=replace(definition, lemmas=lemmas))
        made = translate_module(module, () if lasting else named[:1])
        made.widen(self._states(made, beyond))
        made.translation.keeps_sorts = not own_sorts
        definition = made.definition(lasting)
        return replace(loaded, definition=definition, source=None, validate=partial(compare_again, made))

    def _states(self, made: Symbolic, beyond: Sequence[Any]) -> list[State]:
        """Return the states of a file. Raises UsageError for other data."""
        spec = self.module.specification
        seen = [value for state in made.translation.sample.states for value in state]
        known = model_values((*spec.constants.values(), *seen))
        try:
            states = [tuple(decode_value(value, known) for value in state) for state in beyond]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            words = f"the states that the sorts are for are not states of {spec.module.name}"
            raise UsageError(f"{words}: {error}") from None
        if any(len(state) != len(spec.variables) for state in states):
            words = f"the states that the sorts are for have other variables than {spec.module.name}"
            raise UsageError(words)
        return states

    def as_protocol(self, loaded: Loaded, properties: Sequence[str], lemmas: Sequence[str]) -> Loaded:
        """Return the module as a protocol. Raises UsageError, with the place, for what has no reading."""
        from verifier.runs.modules.for_all_constants import read_as_protocol  # others start without it

        return read_as_protocol(self, loaded, properties, lemmas, load_tla)

    def name_growing_variables(self, run: Run) -> Run:
        """Return the run; what a limit left open names the variables of the module that seem unbounded."""
        from verifier.runs.modules.endless import name_growing_in

        return name_growing_in(self.module.specification, run)

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the modules and the configuration."""
        return self.module.files

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings about the module and the configuration."""
        return self.module.specification.warnings

    @property
    def postconditions(self) -> tuple[str, ...]:
        """Return TLC's POSTCONDITIONs."""
        return tuple(self.module.specification.postconditions)

    @property
    def has_view(self) -> bool:
        """True if exploration takes states with equal views for one."""
        return self.module.specification.view is not None
