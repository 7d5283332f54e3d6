"""The actions of a protocol, read from its methods."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

from verifier.encodings.expressions import wrap
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.errors import among
from verifier.specs.constants import Constant
from verifier.specs.definition import Action, DefinitionError, Parameter
from verifier.specs.explaining import explain_error
from verifier.specs.formulas import formula
from verifier.specs.members import ActionMember, Free
from verifier.specs.names import Titled, title_of
from verifier.specs.outline import check_parameters, sorts_of
from verifier.specs.reading.code_places import (
    find_raising_line,
    place_of,
    place_of_attribute,
    place_of_class,
    prefix_place,
)
from verifier.specs.reading.guard_places import place_of_guard
from verifier.specs.state import State
from verifier.specs.steps import Step
from verifier.specs.targets import assignments


def actions_of(protocol: Any, state: State, members: Mapping[str, Any]) -> list[tuple[Titled, Action]]:
    """The actions that a protocol has. Raises DefinitionError for one that is not well formed."""
    spec = protocol.spec_name()
    names = protocol.next or tuple(n for n, member in members.items() if isinstance(member, ActionMember))
    for name in names:
        if not isinstance(members.get(name), ActionMember):
            known = [n for n, member in members.items() if isinstance(member, ActionMember)]
            raise _of_next(protocol, f"next names {name!r}, which is not an action {among(name, known)}")
    if not names:
        where = place_of_class(type(protocol))
        raise DefinitionError(prefix_place(where, f"{spec} has no action: mark a method with @action"))
    if len(set(names)) < len(names):
        raise _of_next(protocol, f"next names an action twice: {', '.join(names)}")
    return [_action(protocol, state, name, members[name]) for name in names]


def _of_next(protocol: Any, words: str) -> DefinitionError:
    return DefinitionError(prefix_place(place_of_attribute(type(protocol), "next"), words))


def _action(protocol: Any, state: State, method: str, member: ActionMember) -> tuple[Titled, Action]:
    item = Titled(title_of(method), "action", method, place_of(member.method))
    check_parameters(f"action {method}", member.method, ("s",), member.domains)
    parameters = tuple(parameter_of(protocol, item, name, domain) for name, domain in member.domains.items())
    arguments = {
        p.symbol.name: wrap(Term(Operator.VARIABLE, p.symbol.sort, (), p.symbol)) for p in parameters
    }
    try:
        step: Any = member.method(protocol, state, **arguments)
    except TypeError as error:
        where = find_raising_line(error) or item.place
        raise DefinitionError(prefix_place(where, f"action {method}: {explain_error(error)}")) from error
    if not isinstance(step, Step):
        given = "nothing" if step is None else repr(step)
        words = f"action {method} returns {given}, not a Step: write return Step(when=…, then=…)"
        raise DefinitionError(prefix_place(item.place, words))
    when = tuple(
        formula(line, f"a guard line of {method}", member.method, partial(place_of_guard, index=index))
        for index, line in enumerate(step.when)
    )
    try:
        then = assignments(step.then, state.symbols)
    except (TypeError, DefinitionError) as error:
        raise DefinitionError(prefix_place(item.place, f"action {method}: {error}")) from error
    words = inspect.getdoc(member.method) or ""
    return item, Action(item.title, parameters, when, then, words, item.place or "")


def parameter_of(protocol: Any, action: Titled, name: str, domain: str | Free) -> Parameter:
    """The parameter of an action over a domain. Raises DefinitionError for a wrong one."""
    attribute: Any = domain.domain if isinstance(domain, Free) else domain
    if not isinstance(attribute, str):
        raise DefinitionError(
            prefix_place(
                action.place,
                f"action {action.method}: the domain of {name} is the name of an attribute in quotes, as in "
                f"{name}='nodes', not {_describe(attribute)}",
            )
        )
    if not name.isidentifier():
        raise DefinitionError(
            f"{action.words}: a parameter cannot be called {name!r}, which is not a name in Python"
        )
    sort = getattr(protocol, attribute, None)
    if not isinstance(sort, Sort):
        raise DefinitionError(
            prefix_place(
                action.place,
                f"action {action.method}: the domain {attribute!r} of {name} is not a sort of the protocol "
                f"{among(attribute, sorts_of(protocol))}",
            )
        )
    if isinstance(domain, Free):
        return Parameter(Symbol(name, sort), free=domain.always, left_open=not domain.always)
    return Parameter(Symbol(name, sort), free=False)


def _describe(value: Any) -> str:
    return "the constant itself" if isinstance(value, Constant) else repr(value)
