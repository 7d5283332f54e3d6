"""Substitution of symbols in expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from verifier.tla.ast import Binding, Bound, Definition, Expression, Let, Parameter, Symbol, Update


def rename_symbols(whole: Expression, names: Mapping[Symbol, Symbol]) -> Expression:
    """Return an expression with some symbols replaced. The definitions of its LETs are copied, so that it can
    be used beside the original."""
    made: Expression = _rename(whole, names)
    return made


def rebuild(thing: Any, of: Callable[[Any], Any]) -> Any:
    """Return a part of an expression, made of what ``of`` makes of its own parts."""
    match thing:
        case tuple():
            return tuple(map(of, thing))
        case Expression() | Binding() | Update():
            return replace(thing, **{one.name: of(getattr(thing, one.name)) for one in fields(thing)})
    return thing


def _rename(thing: Any, names: Mapping[Symbol, Symbol]) -> Any:
    match thing:
        case Let():
            copies: dict[Symbol, Definition] = {one: replace(one) for one in thing.definitions}
            inner = {**names, **copies}
            for one in copies.values():
                one.body = _rename(one.body, inner)
            body = _rename(thing.body, inner)
            return replace(thing, definitions=tuple(copies.values()), body=body)
        case Bound() | Parameter() | Definition():
            return names.get(thing, thing)
    return rebuild(thing, lambda part: _rename(part, names))
