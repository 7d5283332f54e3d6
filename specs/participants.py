"""The participants of a protocol: what has a lane in drawings, or a column in a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.encodings.sorts import (
    Bag,
    Enum,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Set,
    Sort,
)
from verifier.errors import among
from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.definition import Action, DefinitionError
from verifier.specs.outline import sorts_of
from verifier.specs.reading.code_places import place_of_attribute, prefix_place


@dataclass(frozen=True)
class Family:
    """The lanes of one kind: the values of an attribute of the protocol."""

    kind: str
    sort: Sort
    attribute: str

    @property
    def is_numbered(self) -> bool:
        """True if its values are integers, which say nothing without the kind."""
        return isinstance(self.sort, Range) or (
            isinstance(self.sort, Enum) and isinstance(self.sort.members[0], int)
        )

    def lanes(self) -> Iterator[dict[str, Any]]:
        """Its lanes as JSON."""
        for value in self.sort.values():
            name = f"{self.kind} {value}" if self.is_numbered else str(value)
            yield {
                "name": name,
                "kind": self.kind,
                "variables": (),
                "actions": (),
                "element": str(value) if self.is_numbered else "",
            }


@dataclass(frozen=True)
class Drawn:
    """The names that a drawing can use: the protocol, its state variables and its actions."""

    protocol: object
    variables: Mapping[str, Sort]
    actions: Sequence[Action]
    domains: Mapping[str, Mapping[str, str]]
    """For each action that the protocol's class has, the attribute that is the domain of each parameter."""
    inherited: bool = False
    """True if the drawing is that of a base class, which may have further actions."""
    families: list[Family] = field(default_factory=list)


def family(protocol: object, attribute: str) -> Family | None:
    """The lanes for an attribute of the protocol; None if it is no index set, range or enumeration."""
    sort = getattr(protocol, attribute, None)
    if isinstance(sort, IndexSet | Enum):
        return Family(sort.name, sort, attribute)
    return Family(_one_of(attribute), sort, attribute) if isinstance(sort, Range) else None


def _one_of(attribute: str) -> str:
    """The word for one of several: ``servers`` are each a server, ``processes`` a process."""
    word = (attribute.lower() if attribute.isupper() else attribute).strip("_").replace("_", " ")
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith("ss") else word.removesuffix("s") or word


def columns_of(protocol: Any, drawn: Drawn) -> Family | None:
    """The participants that have a column in a trace: those that ``lanes`` names, or the first index set."""
    if protocol.lanes:
        if (named := family(protocol, protocol.lanes)) is not None:
            return named
        where = place_of_attribute(type(protocol), "lanes")
        known = [name for name in sorts_of(protocol) if family(protocol, name)]
        words = f"lanes names no index set, range or enumeration: {protocol.lanes!r}"
        raise DefinitionError(prefix_place(where, f"{words} {among(protocol.lanes, known)}"))
    constants = constants_of(type(protocol)).items()
    first = next((name for name, one in constants if isinstance(one, IndexSetConstant)), None)
    return _likely(drawn) if first is None else family(protocol, first)


def _likely(drawn: Drawn) -> Family | None:
    """The range or enumeration whose values look like processes.

    It is the domain of an expanded parameter and of a function in the state. Of several, most actions have it
    as a parameter.
    """
    known = {sort for _, sort in keys_of(drawn.variables, deep=False)}
    counts: dict[str, int] = {}
    for action in drawn.actions:
        for name, attribute in drawn.domains.get(action.name, {}).items():
            sort = action.sorts.get(name)
            if isinstance(sort, Range | Enum) and sort in known:
                counts[attribute] = counts.get(attribute, 0) + 1
    best = max(counts, key=lambda name: counts[name], default=None)
    return None if best is None else family(drawn.protocol, best)


def keys_of(variables: Mapping[str, Sort], *, deep: bool = True) -> Iterator[tuple[str, Sort]]:
    """The keys of functions in the state: their paths such as ``log[][]``, and their sorts.

    Not ``deep``: only the first keys of a path. A variable that is a set has keys, too: its members.
    """
    for name, sort in variables.items():
        if isinstance(sort, Set) and deep:
            yield f"{name}[]", sort.element
        yield from _keys_in(name, sort, deep)


def _keys_in(path: str, sort: Sort, deep: bool) -> Iterator[tuple[str, Sort]]:
    match sort:
        case Function() | PartialFunction():
            yield f"{path}[]", sort.domain
            if deep:
                yield from _keys_in(f"{path}[]", sort.range, deep)
        case Bag():
            yield f"{path}[]", sort.element
        case Record():
            for name, part in sort.fields:
                yield from _keys_in(f"{path}.{name}", part, deep)
        case Option():
            yield from _keys_in(path, sort.inner, deep)
