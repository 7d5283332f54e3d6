"""TLA+ modules read as protocols for proofs at all constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from verifier.encodings.terms import Term
from verifier.errors import UsageError
from verifier.parametric.traced import polynomial_of, polynomial_text
from verifier.processes.limits import Limits
from verifier.runs.loaded import Agreement, Loaded, OfModule, ReadingOptions
from verifier.runs.modules.configured_module import ConfiguredModule
from verifier.runs.modules.constrained_violations import name_constraints
from verifier.runs.modules.explained_sizes import LoadAt, explain_at_sizes, retell_at_sizes
from verifier.runs.modules.fixed_constants import SpecifyAt
from verifier.runs.modules.loading import TlaDefinition, TlaLoaded, formula_named
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.met_violations import tell_violation
from verifier.runs.modules.protocol_agreement import compare
from verifier.runs.modules.type_violations import LeavesSorts, find_violations
from verifier.runs.modules.verdicts import temporal_verdicts
from verifier.runs.protocol_loading import load_class_at
from verifier.specs.constants import AssumptionFailed
from verifier.tla import ast
from verifier.tla.first_order.lemma_texts import LemmaWriter, NoText
from verifier.tla.first_order.protocol_classes import ModuleProtocol, make_protocol
from verifier.tla.first_order.scopes import Unread
from verifier.tla.specification import Specification
from verifier.verdict import ALL_CONSTANTS, OF_STEPS, TEMPORAL_PART, Verdict, VerdictKind

LoadModule = Callable[[str, Mapping[str, Any], "float | None", ReadingOptions], Loaded]
"""Loads a module from a file."""
NO_INVARIANT = "of a module, only invariants can be proved for all constants"
"""Why a property of steps, or freedom from deadlock, has no verdict."""
_SECONDS = 3.0
"""The processor time of the comparison at the constants of the configuration, and later of drawn states."""


def read_as_protocol(
    source: ConfiguredModule,
    loaded: Loaded,
    properties: Sequence[str],
    lemmas: Sequence[str],
    load_tla: LoadModule,
) -> Loaded:
    """Return a module as a protocol with these properties, and with the lemmas that the user names. Raises
    UsageError, with the place, for a module without a reading."""
    module = source.module
    specification = module.specification
    asked, open_ = tuple(properties), [one for one in properties if _is_no_invariant(source, one)]
    if not properties:
        raise UsageError("no property of the module is named")
    if len(open_) == len(properties):
        raise UsageError(f"--all-constants proves invariants of a TLA+ module, and {open_[0]} is not one")
    left_out = [
        Verdict(one, VerdictKind.INCONCLUSIVE, None, 0.0, NO_INVARIANT, found_by=ALL_CONSTANTS)
        for one in open_
    ]
    left_out += temporal_verdicts(specification, source.named)
    properties = tuple(one for one in properties if one not in open_)
    for name in properties:
        if name not in specification.invariants:
            formula_named(specification, name, list(specification.invariants))
    helping = list(dict.fromkeys([*(one.name for one in loaded.definition.lemmas), *lemmas]))
    for name in helping:
        formula_named(specification, name, [], "lemma")
    try:
        protocol, unread = _make_protocol(specification, properties, helping)
    except Unread:
        source.check_assumptions()  # the given constants may be the reason
        raise
    left_out += unread
    watched = [one.property_name for one in unread]
    try:
        made = load_class_at(protocol.kind, {}, loaded.spec, loaded.began)
    except AssumptionFailed:
        source.check_assumptions()  # the error has the place in the module
        raise
    own, of_module = made.definition.presentation, loaded.definition.presentation
    shown = replace(
        own,
        source=loaded.spec,
        config=specification.config.file,
        says={**own.says, **{name: words for name, words in of_module.says.items() if words}},
        libraries=of_module.libraries,
        named_lemmas=of_module.named_lemmas,
        settings=of_module.settings,
    )
    read = {one.name: getattr(made.definition, one.name) for one in fields(made.definition)}
    source_hash = module.definition.spec_hash
    return replace(
        made,
        definition=TlaDefinition(**{**read, "presentation": shown}, source_hash=source_hash),
        of_module=OfModule(
            source_hash,
            protocol.constants.assumed,
            lambda limits: _compare(protocol, source, asked, watched, limits),
            lambda terms: _write_module(protocol, terms),
            lambda text, names, more: _extend_module(source, text, names, (*helping, *more), load_tla),
            protocol.type_invariant,
            frozenset(specification.module.names),
            protocol.constants.undeclared,
            partial(explain_at_sizes, protocol, _load_at(protocol, source)),
            partial(retell_at_sizes, protocol, _load_at(protocol, source)),
            tuple(left_out),
            name_constraints(specification),
        ),
    )


def _make_protocol(
    specification: Specification, properties: Sequence[str], lemmas: Sequence[str]
) -> tuple[ModuleProtocol, list[Verdict]]:
    """Return the protocol of the properties that have a reading. Each other one is left open alone, with the
    reason. Raises Unread if no property has a reading, or the rest of the module has none."""
    try:
        return make_protocol(specification, properties, lemmas), []
    except Unread:
        if len(properties) < 2:
            raise
        make_protocol(specification, (), lemmas)
        refused = {name: _find_refusal(specification, name, lemmas) for name in properties}
        read = [name for name in properties if refused[name] is None]
        if not read or len(read) == len(properties):
            raise
    left_open = [
        Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, str(refusal), found_by=ALL_CONSTANTS)
        for name, refusal in refused.items()
        if refusal is not None
    ]
    return make_protocol(specification, read, lemmas), left_open


def _find_refusal(specification: Specification, name: str, lemmas: Sequence[str]) -> Unread | None:
    """Return the reason why a property has no reading; None if it has one."""
    try:
        make_protocol(specification, (name,), lemmas)
    except Unread as refusal:
        return refusal
    return None


def _write_module(protocol: ModuleProtocol, terms: Mapping[str, Term]) -> str:
    """Return the text of a module that extends the protocol's own by lemmas. Raises NoText."""
    module = protocol.specification.module
    kinds = {variable.name: kind for variable, kind in protocol.kinds.items()}
    constants = protocol.constants

    def number(value: int) -> str:
        return polynomial_text(polynomial_of(value))

    writer = LemmaWriter(kinds, constants.atoms, module.names, number, constants.families.values())
    lemmas = [f"{name} == {writer.write(term)}" for name, term in terms.items()]
    also = ", FiniteSets" if any("Cardinality(" in one for one in lemmas) else ""
    if also and isinstance(module.names.get("Cardinality"), ast.Definition):
        raise NoText
    lines = [f"---- MODULE {module.name}_lemmas ----", f"EXTENDS {module.name}{also}", "", *lemmas]
    return "\n".join([*lines, "====", ""])


@contextmanager
def _extend_module(
    source: ConfiguredModule,
    text: str,
    properties: Sequence[str],
    lemmas: Sequence[str],
    load_tla: LoadModule,
) -> Iterator[Loaded]:
    """Give a module that extends another one as a protocol, while its file exists."""
    own = source.module
    folders = (own.path.parent, *source.libraries)
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{own.specification.module.name}_lemmas.tla"
        for other in own.path.parent.glob("*.tla"):  # a copy of a standard module beside it counts
            if other.name != file.name:
                (Path(folder) / other.name).symlink_to(other.resolve())
        file.write_text(text)
        reading = ReadingOptions(Path(own.specification.config.file), folders, tuple(lemmas))
        loaded = load_tla(str(file), source.settings, None, reading)
        assert loaded.source is not None
        yield loaded.source.as_protocol(loaded, properties, ())


def _is_no_invariant(source: ConfiguredModule, name: str) -> bool:
    """True for freedom from deadlock, and for a PROPERTY or a part of one."""
    module = source.module
    if name == module.definition.titles.no_deadlock:
        return True
    whole = name.removesuffix(TEMPORAL_PART).removesuffix(OF_STEPS)
    return whole in module.specification.properties and name not in module.specification.invariants


def _compare(
    protocol: ModuleProtocol,
    source: ConfiguredModule,
    properties: Sequence[str],
    watched: Sequence[str],
    limits: Limits,
) -> Agreement:
    """Compare a protocol with its module. ``watched``: asked invariants without a reading. Raises Differs and
    TypeInvariantViolated."""
    definition = source.module.definition
    try:
        compared = compare(protocol, _specify_at(protocol, source), _SECONDS, limits, watched)
    except LeavesSorts as met:
        raise find_violations(met, protocol.type_invariant, properties, definition, limits) from None
    told = {
        name: tell_violation(name, met, definition, limits)
        for name, met in compared.violated.items()
        if name in properties
    }
    violated = {name: one for name, one in told.items() if one is not None}
    return Agreement(compared.figures(), violated, compared.without_value)


def _specify_at(protocol: ModuleProtocol, source: ConfiguredModule) -> SpecifyAt:
    """Return a function that reads the module with other constants."""
    load_at = _load_at(protocol, source)
    return lambda settings: load_at(settings).specification


def _load_at(protocol: ModuleProtocol, source: ConfiguredModule) -> LoadAt:
    file = Path(protocol.specification.config.file)

    def load_at(settings: Mapping[str, str]) -> TlaLoaded:
        given = {**source.settings, **settings}
        return load_module(str(source.module.path), given, file, source.libraries)

    return load_at
