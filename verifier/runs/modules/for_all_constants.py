"""TLA+ modules read as protocols for proofs at all constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.processes.limits import Limits
from verifier.runs.loaded import Loaded, OfModule
from verifier.runs.modules.loading import formula_named
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.protocol_agreement import compare
from verifier.runs.protocol_loading import load_class_at
from verifier.tla.first_order.protocol_classes import ModuleProtocol, make_protocol
from verifier.tla.specification import Specification

if TYPE_CHECKING:
    from verifier.runs.modules.source import TlaSource

_SECONDS = 3.0
"""The processor time of the comparison at the constants of the configuration, and later of drawn states."""


def read_as_protocol(
    source: TlaSource, loaded: Loaded, properties: Sequence[str], lemmas: Sequence[str] = ()
) -> Loaded:
    """Return a module as a protocol with these properties, and with the lemmas that the user names. Raises
    UsageError, with the place, for a module without a reading."""
    module = source.module
    specification = module.specification
    left_out = tuple(one for one in properties if _is_no_invariant(source, one))
    for name in left_out:
        if name in source.named or len(left_out) == len(properties):
            raise UsageError(f"--all-constants proves invariants of a TLA+ module, and {name} is none")
    properties = tuple(one for one in properties if one not in left_out)
    for name in properties:
        if name not in specification.invariants:
            formula_named(specification, name, list(specification.invariants))
    helping = [*(one.name for one in loaded.definition.lemmas), *lemmas]
    helping = [name for name in dict.fromkeys(helping) if name not in properties]
    for name in helping:
        formula_named(specification, name, [], "lemma")
    protocol = make_protocol(specification, properties, helping)
    made = load_class_at(protocol.kind, {}, loaded.spec, loaded.began)
    shown = replace(made.definition.presentation, source=loaded.spec, config=specification.config.file)
    return replace(
        made,
        definition=replace(made.definition, presentation=shown),
        of_module=OfModule(
            module.definition.spec_hash,
            protocol.constants.assumed,
            lambda limits: _compare(protocol, source, limits),
            left_out,
        ),
    )


def _is_no_invariant(source: TlaSource, name: str) -> bool:
    """True for freedom from deadlock and for a PROPERTY."""
    module = source.module
    return name == module.definition.titles.no_deadlock or any(
        name.startswith(one) and name not in module.specification.invariants
        for one in module.specification.properties
    )


def _compare(protocol: ModuleProtocol, source: TlaSource, limits: Limits) -> Mapping[str, Any]:
    """Compare a protocol with its module. Return the extent. Raises Differs."""
    file = Path(protocol.specification.config.file)

    def specify_at(settings: Mapping[str, str]) -> Specification:
        given = {**source.settings, **settings}
        return load_module(str(source.module.path), given, file, source.libraries).specification

    return compare(protocol, specify_at, _SECONDS, limits).figures()
