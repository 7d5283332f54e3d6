"""Checks of a protocol's class before its methods are called: its attributes, and its methods' parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from verifier.encodings.sorts import Sort
from verifier.errors import among, nearest
from verifier.specs.constants import constants_of
from verifier.specs.definition import DefinitionError
from verifier.specs.members import ActionMember, ClaimMember
from verifier.specs.reading.code_places import (
    find_defined_twice,
    is_engine,
    place_of,
    place_of_attribute,
    place_of_class,
    prefix_place,
)

_REQUIRED = {
    "state": ("define state(self), which returns State(…)", ()),
    "init": ("define init(self, s), the formula of the initial states", ("s",)),
}


def check_attributes(spec: str, kind: type) -> None:
    """Refuses class attributes that do not mean what their name says."""
    given: Any = kind
    if not isinstance(given.name, str):
        raise _attribute(kind, "name", f"name is a word, as in name = 'lock', not {given.name!r}")
    if not isinstance(given.next, tuple | list) or not all(isinstance(item, str) for item in given.next):
        raise _attribute(
            kind,
            "next",
            "next is a tuple of the names of actions in quotes, as in ('ask', 'grant'), not "
            f"{_show(given.next)}",
        )
    depth = given.default_depth
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise _attribute(kind, "default_depth", f"default_depth is an integer, at least 0, not {depth!r}")
    if not isinstance(given.lanes, str):
        raise _attribute(kind, "lanes", f"lanes is a name in quotes, as in 'clients', not {given.lanes!r}")


def check_marked(kind: type, base: type) -> None:
    """Refuses an action, property or lemma whose name has a meaning in each protocol."""
    for one in kind.__mro__:
        for name, item in vars(one).items():
            if isinstance(item, ActionMember | ClaimMember) and hasattr(base, name):
                what = "an action" if isinstance(item, ActionMember) else "a property or lemma"
                words = f"{what} cannot be called {name}: in each protocol that name has a meaning of its own"
                raise DefinitionError(prefix_place(place_of(item.method), words))


def check_given_once(kind: type) -> None:
    """Refuses a class that defines a method twice, or a method and something else of its name: Python drops
    the first, and what it says would never be checked."""
    for one in kind.__mro__:
        if is_engine(one.__module__):
            continue
        for name, before, now in find_defined_twice(one):
            raise DefinitionError(
                f"{now}: {one.__name__} already has {name} ({before}), which this would replace: give one of "
                "them another name"
            )


def check_methods(spec: str, kind: type, base: type) -> None:
    """Refuses a class without ``state`` or ``init``, or one that takes other parameters than it is given."""
    for name, (words, parameters) in _REQUIRED.items():
        method = getattr(kind, name)
        if method is getattr(base, name):
            own = (one for one in vars(kind) if not one.startswith("_") and not hasattr(base, one))
            near = nearest(name, [one for one in own if inspect.isfunction(vars(kind)[one])])
            hint = f"; did you mean {name} by {near!r}?" if near else ""
            raise DefinitionError(prefix_place(place_of_class(kind), f"{spec} has no {name}: {words}{hint}"))
        check_parameters(name, method, parameters)
    check_parameters("constraint", getattr(kind, "constraint"), ("s",))  # noqa: B009
    check_parameters("assumptions", getattr(kind, "assumptions"), ())  # noqa: B009


def check_parameters(what: str, method: Any, names: Iterable[str], domains: Iterable[str] = ()) -> None:
    """Refuses a method that cannot be called with self, ``names`` by place, and ``domains`` by name."""
    names, domains = tuple(names), tuple(domains)
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return
    try:
        signature.bind("self", *names, **dict.fromkeys(domains))
    except TypeError:
        raise DefinitionError(
            prefix_place(place_of(method), _mismatch(what, signature, names, domains))
        ) from None


def sorts_of(protocol: Any) -> list[str]:
    """The attributes of a protocol that can be domains of parameters."""
    names = [*constants_of(type(protocol)), *(n for n in dir(type(protocol)) if not n.startswith("_"))]
    return [name for name in dict.fromkeys(names) if isinstance(getattr(protocol, name), Sort)]


def _mismatch(
    what: str, signature: inspect.Signature, names: tuple[str, ...], domains: tuple[str, ...]
) -> str:
    """Why a method cannot be called."""
    own = list(signature.parameters)
    extra = own[1 + len(names) :]
    for name in extra:
        if domains and name not in domains and len(own) > len(names):
            return f"{what}: the parameter {name!r} has no domain {among(name, domains)}"
    for name in domains:
        if name not in extra:
            return f"{what}: the mark gives {name!r} a domain, but the method has no such parameter: add it"
    if what.startswith("action") and extra:
        return (
            f"{what}: the parameter {extra[0]!r} has no domain: write @action({extra[0]}='…') with the name "
            "of its index set or sort"
        )
    wanted = ", ".join(("self", *names))
    return f"{what} takes ({wanted}), not ({', '.join(own)})"


def _attribute(kind: type, name: str, words: str) -> DefinitionError:
    return DefinitionError(prefix_place(place_of_attribute(kind, name), words))


def _show(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(item if isinstance(item, str) else type(item).__name__ for item in value) or "()"
    return repr(value)
