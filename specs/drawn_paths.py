"""Paths in drawings: ``requests[client].count``, ``messages[m]``, and of values ``m.vote.voter``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from verifier.encodings.sorts import (
    Bag,
    Enum,
    Function,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.errors import UsageError, make_unknown_name_error

NAMES = r"\{([\w.]+)\}"
"""The names in a label, as in ``{m.kind}``."""
_PART = re.compile(r"\.(\w+)|\[([\w.]+)\]")
_CONTAINERS = (Function, PartialFunction, Set, Bag, Sequence, Tuple)


@dataclass(frozen=True)
class Resolved:
    """The meaning of a path: the sorts of the names in its brackets, and of the value that it leads to."""

    names: Mapping[str, Sort]
    value: Sort | None
    """None if the path leads to a message by itself, which is there or not."""
    is_counted: bool
    """True if the value says how many of the message there are."""


def head_of(path: str) -> str:
    """The variable at the beginning of a path."""
    return re.split(r"[\[.]", path, maxsplit=1)[0]


def parts_of(path: str) -> list[tuple[str, str]]:
    """The fields and the brackets of a path after its variable, each as a pair of which one is empty."""
    rest = path.removeprefix(head_of(path))
    parts: list[tuple[str, str]] = _PART.findall(rest)
    if _PART.sub("", rest):
        raise UsageError(f"the path {path!r} in the drawing is not like requests[client].count")
    return parts


def resolve_path(
    path: str, variables: Mapping[str, Sort], given: Mapping[str, Sort] | None = None
) -> Resolved:
    """Resolve a path in the state. ``given``: the names in brackets must be of these, or fields of them.

    Raises UsageError if there is no such path.
    """
    names: dict[str, Sort] = {}
    value: Sort | None = variables[head_of(path)]
    counted = False
    for field, name in parts_of(path):
        if value is None:
            raise UsageError(f"the path {path!r} in the drawing goes on after a message")
        if field:
            value = _field(value, field, path)
            continue
        held, value, counted = _member(value, name, path)
        if held is None:
            continue
        if given is None:
            if "." in name or name in names:
                raise UsageError(f"the path {path!r} in the drawing: [{name}] gives no new name")
            names[name] = held
        elif name.split(".")[0] not in given:
            raise make_unknown_name_error("name in brackets in the drawing", name, given)
        else:
            sort_of(name, given)
    return Resolved(names, value, counted)


def sort_of(path: str, names: Mapping[str, Sort]) -> Sort:
    """The sort of a path such as ``m.vote.voter`` whose first word is one of ``names``."""
    head, *fields = path.split(".")
    sort = names[head]
    for field in fields:
        sort = _field(sort, field, path)
    return sort


def _field(sort: Sort, name: str, path: str) -> Sort:
    inner = sort.inner if isinstance(sort, Option) else sort
    parts: Mapping[str, Sort] = {}
    if isinstance(inner, Record):
        parts = inner.field_sorts
    elif isinstance(inner, Variant):
        parts = {**inner.payloads, "tag": inner.tags}
    if not parts:
        raise UsageError(f"{path!r} in the drawing: {sort} is not a record or variant with a field {name!r}")
    if name not in parts:
        raise make_unknown_name_error(f"field of {path!r} in the drawing", name, parts)
    return parts[name]


def _member(sort: Sort, name: str, path: str) -> tuple[Sort | None, Sort | None, bool]:
    """The sort of what a bracket stands for, the sort after it, and whether that is a number of messages."""
    inner = sort.inner if isinstance(sort, Option) and isinstance(sort.inner, _CONTAINERS) else sort
    match inner:
        case Function():
            return inner.domain, inner.range, False
        case PartialFunction():
            is_message = not isinstance(inner.domain, Enum) and not inner.domain.is_scalar
            return inner.domain, inner.range, is_message and isinstance(inner.range, Range)
        case Bag():
            return inner.element, None, True
        case Set() | Sequence():
            return inner.element, None, False
        case Option():
            return inner.inner, None, False
        case Tuple() if name.isdigit() and int(name) < len(inner.items):
            return None, inner.items[int(name)], False
    words = f"{path!r} in the drawing: {sort} has neither keys nor members for [{name}]"
    raise UsageError(words)
