"""Marks on the methods of a protocol class: actions, properties and lemmas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar, overload

from verifier.encodings.values import BooleanValue
from verifier.specs.definition import DefinitionError, PropertyKind
from verifier.specs.formulas import formula
from verifier.specs.steps import Step

Method = Callable[..., Any]
Using = Sequence[str] | Mapping[str, Sequence[str]]
Marked = TypeVar("Marked")


@dataclass(frozen=True)
class Free:
    """Marks a parameter of an action as free: the solver chooses its value within one instance."""

    domain: str
    always: bool = True
    """True if every engine reads it so; if not, each engine reads it as it does best."""


def free(domain: str) -> Free:
    """A free parameter over the sort that the protocol's attribute ``domain`` holds."""
    return Free(domain)


def free_or_expanded(domain: str) -> Free:
    """A parameter that is free for engines that are faster so, and expanded for the others."""
    return Free(domain, always=False)


@dataclass(frozen=True)
class BoundAction:
    """An action of a protocol: called with the state and its parameters, it gives its step."""

    owner: Any
    method: Callable[..., Step]

    def __call__(self, s: Any, *arguments: Any, **named: Any) -> Step:
        return self.method(self.owner, s, *arguments, **named)


@dataclass(frozen=True)
class ActionMember:
    """A method marked as an action. ``self.ask(s, client)`` gives its step."""

    method: Callable[..., Step]
    domains: Mapping[str, str | Free]

    @overload
    def __get__(self, instance: None, owner: type) -> ActionMember: ...
    @overload
    def __get__(self, instance: object, owner: type) -> BoundAction: ...
    def __get__(self, instance: object | None, owner: type) -> ActionMember | BoundAction:
        return self if instance is None else BoundAction(instance, self.method)


@dataclass(frozen=True)
class BoundClaim:
    """A property or lemma of a protocol: called with the state, it gives its formula."""

    owner: Any
    method: Callable[..., Any]

    def __call__(self, s: Any) -> BooleanValue:
        name = getattr(self.method, "__name__", "the property")
        return BooleanValue(formula(self.method(self.owner, s), name, self.method))


@dataclass(frozen=True)
class ClaimMember:
    """A method that gives a formula. ``self.no_divergence(s)`` gives it as one formula."""

    method: Callable[..., Any]

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> BoundClaim: ...
    def __get__(self, instance: object | None, owner: type) -> Self | BoundClaim:
        return self if instance is None else BoundClaim(instance, self.method)


@dataclass(frozen=True)
class PropertyMember(ClaimMember):
    """A method marked as a property."""

    kind: PropertyKind
    default: bool
    name: str | None


@dataclass(frozen=True)
class LemmaMember(ClaimMember):
    """A method marked as a lemma."""

    name: str | None
    using: Using = ()
    """The methods of the lemmas that a proof for all constants is to try first, or those by the method of an
    action."""


Marks = Callable[[Method], PropertyMember]


@overload
def action(method: Callable[..., Step], /) -> ActionMember: ...
@overload
def action(**domains: str | Free) -> Callable[[Callable[..., Step]], ActionMember]: ...
def action(method: Any = None, /, **domains: str | Free) -> Any:
    """Marks a method as an action. Each parameter names the attribute that holds its sort:
    ``@action(leader="replicas", epoch="epochs")``. Without parameters it is ``@action``."""
    return _mark("action", method, lambda found: ActionMember(found, domains))


@overload
def invariant(method: Method, /) -> PropertyMember: ...
@overload
def invariant(*, default: bool = True, name: str | None = None) -> Marks: ...
def invariant(method: Any = None, /, *, default: bool = True, name: str | None = None) -> Any:
    """Marks a method as a property that every reachable state must satisfy."""
    return _property("invariant", method, PropertyKind.INVARIANT, default, name)


@overload
def type_invariant(method: Method, /) -> PropertyMember: ...
@overload
def type_invariant(*, default: bool = True, name: str | None = None) -> Marks: ...
def type_invariant(method: Any = None, /, *, default: bool = True, name: str | None = None) -> Any:
    """Marks a method as the type invariant.

    It claims its formula, and that no enabled action would assign a value outside its variable's sort. If a
    protocol has no type invariant, it gets ``TypeInvariant``.
    """
    return _property("type_invariant", method, PropertyKind.TYPE_INVARIANT, default, name)


@overload
def deadlock_invariant(method: Method, /) -> PropertyMember: ...
@overload
def deadlock_invariant(*, default: bool = True, name: str | None = None) -> Marks: ...
def deadlock_invariant(method: Any = None, /, *, default: bool = True, name: str | None = None) -> Any:
    """Marks a method as a property that every reachable state in which nothing can happen must satisfy."""
    return _property("deadlock_invariant", method, PropertyKind.DEADLOCK_INVARIANT, default, name)


@overload
def step_invariant(method: Method, /) -> PropertyMember: ...
@overload
def step_invariant(*, default: bool = True, name: str | None = None) -> Marks: ...
def step_invariant(method: Any = None, /, *, default: bool = True, name: str | None = None) -> Any:
    """Marks a method as a property that every step from a reachable state must satisfy.

    The method takes the state and its successor: ``def epochs_grow(self, s, after)``. A step that changes
    nothing satisfies it.
    """
    return _property("step_invariant", method, PropertyKind.STEP_INVARIANT, default, name)


@overload
def reachable(method: Method, /) -> PropertyMember: ...
@overload
def reachable(*, default: bool = False, name: str | None = None) -> Marks: ...
def reachable(method: Any = None, /, *, default: bool = False, name: str | None = None) -> Any:
    """Marks a method as a property that some reachable state must satisfy.

    Such a property detects a protocol that is safe because it does nothing.
    """
    return _property("reachable", method, PropertyKind.REACHABLE, default, name)


@overload
def lemma(method: Method, /) -> LemmaMember: ...
@overload
def lemma(*, name: str | None = None, using: Using = ()) -> Callable[[Method], LemmaMember]: ...
def lemma(method: Any = None, /, *, name: str | None = None, using: Using = ()) -> Any:
    """Marks a method as a lemma.

    Every reachable state should satisfy its formula, and each action should keep it if all lemmas hold
    before. Only proofs use lemmas; no engine checks a lemma alone. The docstring says why the lemma holds.
    ``using`` is a hint to proofs for all constants, which may need it where there are many lemmas: the
    methods of the lemmas with which actions keep this one; or, by the method of an action, with which it
    does.
    """
    for names in using.values() if isinstance(using, Mapping) else [using]:
        if isinstance(names, str) or not all(isinstance(other, str) for other in names):
            raise DefinitionError(f"using names methods, as in @lemma(using=['one_leader']), not {names!r}")
    return _mark("lemma", method, lambda found: LemmaMember(found, name, using))


def _property(mark: str, method: Any, kind: PropertyKind, default: bool, name: str | None) -> Any:
    return _mark(mark, method, lambda found: PropertyMember(found, kind, default, name))


def _mark(mark: str, method: Any, made: Callable[[Method], Marked]) -> Any:
    """The member if a method is given, or the decorator that makes it. Raises DefinitionError for what is no
    method."""

    def of(found: Any) -> Marked:
        if isinstance(found, ActionMember | PropertyMember | LemmaMember):
            raise DefinitionError(f"@{mark} stands above another mark: a method has one")
        if not callable(found) or isinstance(found, type):
            raise DefinitionError(f"@{mark} marks a method, not {found!r}: {USAGE[mark]}")
        return made(found)

    return of if method is None else of(method)


_BY_NAME = "another title is given as name='Title'"
USAGE = {
    "action": "parameters and their domains are given as client='clients'",
    **dict.fromkeys(("invariant", "type_invariant", "deadlock_invariant", "step_invariant"), _BY_NAME),
    **dict.fromkeys(("reachable", "lemma"), _BY_NAME),
}
"""The text of each mark with arguments."""
