"""Protocols with one line less: an action without one of its guards, or without one of its effects."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from verifier.specs.protocol import ActionMember, Protocol, Step, define


def without(
    protocol: type[Protocol],
    constants: Mapping[str, Any],
    method: str,
    *,
    guard: int | None = None,
    effect: int | None = None,
) -> Protocol:
    """The protocol whose action lacks the guard line, or the assignment, at that place."""
    member = getattr(protocol, method)

    def weaker(self: Any, s: Any, **parameters: Any) -> Step:
        step = member.method(self, s, **parameters)
        assert guard is None or guard < len(step.when)
        return Step(
            [when for place, when in enumerate(step.when) if place != guard],
            {target: value for place, (target, value) in enumerate(step.then.items()) if place != effect},
        )

    changed = {"name": f"{protocol.spec_name()}-mutant", method: ActionMember(weaker, member.domains)}
    mutant: type[Protocol] = type("Mutant", (protocol,), changed)
    return mutant(constants)


def all_without(protocol: type[Protocol], constants: Mapping[str, Any]) -> Iterator[tuple[str, Protocol]]:
    """Yield every protocol that lacks one line, with that line."""
    methods = {
        name.replace("_", ""): name
        for name in dir(protocol)
        if isinstance(inspect.getattr_static(protocol, name), ActionMember)
    }
    for action in define(protocol(constants)).actions:
        method = methods[action.name.lower()]
        for place in range(len(action.when)):
            yield f"{method} guard {place}", without(protocol, constants, method, guard=place)
        for place in range(len(action.then)):
            yield f"{method} effect {place}", without(protocol, constants, method, effect=place)
