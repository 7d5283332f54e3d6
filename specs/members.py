"""Marks on the methods of a protocol class: actions, properties and lemmas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.values import Value
from verifier.specs.definition import PropertyKind


@dataclass(frozen=True)
class Free:
    """Marks a parameter of an action as free: the solver chooses its value within one instance."""

    domain: str


def free(domain: str) -> Free:
    """A free parameter over the sort that the protocol's attribute ``domain`` holds."""
    return Free(domain)


@dataclass(frozen=True)
class Step:
    """What an action does: its guard lines, and the new value for each target that it assigns."""

    when: list[Any]
    then: Mapping[Value, Any]


@dataclass(frozen=True)
class ActionMember:
    """A method marked as an action."""

    method: Callable[..., Step]
    domains: Mapping[str, str | Free]


@dataclass(frozen=True)
class PropertyMember:
    """A method marked as a property."""

    method: Callable[..., Any]
    kind: PropertyKind
    default: bool
    name: str | None


@dataclass(frozen=True)
class LemmaMember:
    """A method marked as a lemma."""

    method: Callable[..., Any]
    name: str | None


def action(**domains: str | Free) -> Callable[[Callable[..., Step]], ActionMember]:
    """Marks a method as an action. Each parameter names the attribute that holds its sort:
    ``@action(leader="replicas", epoch="epochs")``."""
    return lambda method: ActionMember(method, domains)


def invariant(
    *, default: bool = True, name: str | None = None
) -> Callable[[Callable[..., Any]], PropertyMember]:
    """Marks a method as a property that every reachable state must satisfy."""
    return lambda method: PropertyMember(method, PropertyKind.INVARIANT, default, name)


def type_invariant(
    *, default: bool = True, name: str | None = None
) -> Callable[[Callable[..., Any]], PropertyMember]:
    """Marks a method as the type invariant.

    It claims its formula, and that no enabled action would assign a value outside its variable's sort. If a
    protocol has no type invariant, it gets ``TypeInvariant``.
    """
    return lambda method: PropertyMember(method, PropertyKind.TYPE_INVARIANT, default, name)


def deadlock_invariant(
    *, default: bool = True, name: str | None = None
) -> Callable[[Callable[..., Any]], PropertyMember]:
    """Marks a method as a property that every reachable state in which nothing can happen must satisfy."""
    return lambda method: PropertyMember(method, PropertyKind.DEADLOCK_INVARIANT, default, name)


def reachable(
    *, default: bool = False, name: str | None = None
) -> Callable[[Callable[..., Any]], PropertyMember]:
    """Marks a method as a property that some reachable state must satisfy.

    Such a property detects a protocol that is safe because it does nothing.
    """
    return lambda method: PropertyMember(method, PropertyKind.REACHABLE, default, name)


def lemma(*, name: str | None = None) -> Callable[[Callable[..., Any]], LemmaMember]:
    """Marks a method as a lemma.

    Every reachable state should satisfy its formula, and each action should keep it if all lemmas hold
    before. Only proofs use lemmas; no engine checks a lemma alone. The docstring says why the lemma holds.
    """
    return lambda method: LemmaMember(method, name)
