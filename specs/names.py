"""Titles and names: the rules by which a name has only one meaning."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.definition import DefinitionError, Property, PropertyKind
from verifier.specs.titles import NO_DEADLOCK, UNDEFINED_READ

TYPE_INVARIANT = "TypeInvariant"
"""The title of the type invariant that a protocol without one gets."""

CAMEL_CASE = "_camel_case"
"""The attribute of a protocol class whose properties and lemmas have the names of TLA+ operators."""

_TITLE = re.compile(r"[^\W\d_][\w.-]*")
_RESERVED = {
    NO_DEADLOCK: "freedom from deadlock, which --deadlock asks for",
    "Typed": "that the bits of a state hold values",
    UNDEFINED_READ: "reading what has no value",
    **{word: f"a choice of --property ({word} of them)" for word in ("all", "none")},
}


@dataclass(frozen=True)
class Titled:
    """A property, lemma or action with a title: what it is, its method, and the place of the method."""

    title: str
    what: str
    method: str
    place: str

    @property
    def words(self) -> str:
        """Its kind and place, in words."""
        return f"{self.what} {self.method}" + (f" ({self.place})" if self.place else "")


def title_of(method: str) -> str:
    """The name of an operator of TLA+ for a method's name: ``no_lost_write`` becomes NoLostWrite."""
    return "".join(word[:1].upper() + word[1:] for word in method.split("_"))


def claim_title(kind: type, method: str, given: str | None) -> str:
    """The title of a property or lemma: the one given, or the name of its method."""
    if given is not None:
        return given
    return title_of(method) if getattr(kind, CAMEL_CASE, False) else method


def own_name(name: str, own: Collection[str]) -> str:
    """The name itself; or the one of the protocol's ``own`` names that is the same as an operator of TLA+."""
    if name in own:
        return name
    return next((one for one in own if one == title_of(name) or title_of(one) == name), name)


def check_titles(spec: str, claims: Iterable[Titled], actions: Iterable[Titled]) -> None:
    """Refuses titles that are no names or reserved, and titles that two claims or two actions share."""
    claims, actions = list(claims), list(actions)
    for item in (*claims, *actions):
        if not _TITLE.fullmatch(item.title):
            raise DefinitionError(
                f"{spec}: the {item.words} has the title {item.title!r}; "
                "a title is a letter and then letters, digits, _, - or ."
            )
    for item in claims:
        if item.title in _RESERVED:
            raise DefinitionError(
                f"{spec}: the {item.words} has the title {item.title}, which stands for "
                f"{_RESERVED[item.title]}: give it another name"
            )
    for group in (claims, actions):
        known: dict[str, Titled] = {}
        for item in group:
            first = known.setdefault(item.title, item)
            if first is not item:
                raise DefinitionError(
                    f"{spec}: the {first.words} and the {item.words} have one title, {item.title}: "
                    "give one of them another name"
                )


def check_type_invariant(spec: str, claims: Iterable[tuple[Titled, Property | None]]) -> bool:
    """True if the protocol has a type invariant.

    Refuses two type invariants. If there is none, refuses another claim with the title of the added one.
    """
    claims = list(claims)
    own = [item for item, prop in claims if prop is not None and prop.kind is PropertyKind.TYPE_INVARIANT]
    if len(own) > 1:
        raise DefinitionError(
            f"{spec}: the {own[0].words} and the {own[1].words} are both type invariants; "
            "a protocol has one: join them with &"
        )
    taken = next((item for item, _ in claims if item.title == TYPE_INVARIANT), None)
    if not own and taken is not None:
        raise DefinitionError(
            f"{spec}: the {taken.words} has the title {TYPE_INVARIANT}, which stands for what every protocol "
            "is checked for: mark it with @type_invariant() or give it another name"
        )
    return bool(own)


def check_kinds(spec: str, protocol: type) -> None:
    """Refuses two constants whose elements have the same kind: nothing would distinguish the elements."""
    known: dict[str, str] = {}
    for name, constant in constants_of(protocol).items():
        if isinstance(constant, IndexSetConstant):
            kind = constant.kind_of(name)
            first = known.setdefault(kind, name)
            if first != name:
                raise DefinitionError(
                    f"{spec}: the constants {first} and {name} both have elements of kind {kind!r}: "
                    "give each its own kind=…"
                )
