"""Properties and lemmas that a protocol class states, and their reading."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from verifier.specs.definition import DefinitionError, Lemma, Property, PropertyKind
from verifier.specs.formulas import formula
from verifier.specs.members import ActionMember, LemmaMember, PropertyMember
from verifier.specs.names import Titled, claim_title, title_of
from verifier.specs.outline import check_parameters
from verifier.specs.reading.code_places import place_of, prefix_place
from verifier.specs.state import State


def read_property(
    protocol: object, state: State, after: State, method: str, member: PropertyMember
) -> tuple[Titled, Property]:
    """Read a property of a protocol, and where its title comes from. Raises DefinitionError."""
    given = {"s": state} | ({"after": after} if member.kind is PropertyKind.STEP_INVARIANT else {})
    item = _read_title(type(protocol), "property", method, member, *given)
    claimed = member.method(protocol, *given.values())
    said = formula(claimed, f"property {item.title}", member.method)
    about = inspect.getdoc(member.method) or ""
    return item, Property(item.title, member.kind, said, member.default, about, item.place or "")


def read_lemma(
    protocol: object, state: State, method: str, members: Mapping[str, LemmaMember]
) -> tuple[Titled, Lemma]:
    """Read a lemma, with the hints on the others among ``members``. Raises DefinitionError."""
    member = members[method]
    item = _read_title(type(protocol), "lemma", method, member, "s")
    said = formula(member.method(protocol, state), f"lemma {item.title}", member.method)
    return item, Lemma(
        item.title, said, inspect.getdoc(member.method) or "", _read_hints(protocol, item, members)
    )


def _read_hints(
    protocol: object, item: Titled, members: Mapping[str, LemmaMember]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """With which other lemmas a lemma is to be shown, by actions. Raises DefinitionError for wrong names."""
    using = members[item.method].using
    hints = []
    for at, others in using.items() if isinstance(using, Mapping) else [("", using)]:
        if at and not isinstance(inspect.getattr_static(protocol, at, None), ActionMember):
            words = f"lemma {item.title} has a hint for {at}, which is the method of no action"
            raise DefinitionError(prefix_place(item.place, words))
        for other in others:
            if other not in members:
                words = f"lemma {item.title} is to be shown using {other}, which is the method of no lemma"
                raise DefinitionError(prefix_place(item.place, words))
        kind = type(protocol)
        names = tuple(claim_title(kind, other, members[other].name) for other in others)
        hints += [(title_of(at) if at else "", names)] if names else []
    return tuple(hints)


def _read_title(
    kind: type, what: str, method: str, member: PropertyMember | LemmaMember, *states: str
) -> Titled:
    check_parameters(f"{what} {method}", member.method, states)
    given: Any = member.name
    if given is not None and not isinstance(given, str):
        words = f"the name of {what} {method} is a word in quotes, not {given!r}"
        raise DefinitionError(prefix_place(place_of(member.method), words))
    title = claim_title(kind, method, member.name)
    return Titled(title, what, method, place_of(member.method))
