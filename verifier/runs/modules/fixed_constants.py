"""A module and the protocol that is read from it, at chosen constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verifier.encodings.plain_terms import Map as PlainMap
from verifier.encodings.plain_terms import Reader
from verifier.errors import UsageError
from verifier.runs.loaded import Differs
from verifier.runs.modules.constant_choices import Choice
from verifier.specs.definition import Definition
from verifier.specs.protocol import define
from verifier.tla.explorer import Explorer
from verifier.tla.first_order.kinds import Sorts
from verifier.tla.first_order.protocol_classes import ModuleProtocol
from verifier.tla.specification import Specification, without_traces

SpecifyAt = Callable[[Mapping[str, str]], Specification]
"""Returns the module with other constants, which are given as texts."""


def make_specifications(
    protocol: ModuleProtocol, specify_at: SpecifyAt, choice: Choice
) -> tuple[Specification, Definition] | None:
    """Return the module and the protocol at these constants; None if both refuse them. Raises Differs."""
    refused: list[str] = []
    specification = definition = None
    try:
        own = protocol.specification
        specification = own if choice.is_own else specify_at(choice.settings(protocol.constants))
        with without_traces(specification):
            Explorer(specification, properties=()).assume()
    except UsageError as error:
        specification = None
        refused.append(f"the module refuses these constants: {error}")
    try:
        definition = _fix_constants(protocol, choice)
    except UsageError as error:
        refused.append(f"the protocol refuses these constants: {error}")
    if len(refused) == 1:
        raise Differs(f"with {choice.shown}, {refused[0]}, and the other accepts them")
    if specification is None or definition is None:
        return None
    return specification, definition


def _fix_constants(protocol: ModuleProtocol, choice: Choice) -> Definition:
    """Return the protocol at these constants. Raises UsageError if it does not allow them, or if the families
    do not satisfy what is assumed of them."""
    made = protocol.kind(dict(choice.sizes))
    definition = define(made)
    given = _rigid(protocol, choice, protocol.reading(made).sorts)
    fixed = {one: given[one.name] for one in definition.variables if one.name in given}
    read = Reader()
    for lemma in definition.lemmas:
        if lemma.name == protocol.facts_name and not read(lemma.formula)(fixed):
            raise UsageError("the sets are not as assumed")
    return definition


def _rigid(protocol: ModuleProtocol, choice: Choice, sorts: Sorts) -> dict[str, Any]:
    """Return the values of the families' variables by name."""
    values = {}
    for name, parts in choice.families.items():
        family = protocol.constants.families[name]
        keys, elements = (list(sorts.members[one].values()) for one in (name, family.base))
        sets = (frozenset(elements[place] for place in part) for part in parts)
        values[family.variable] = PlainMap(dict(zip(keys, sets, strict=True)))
    return values
