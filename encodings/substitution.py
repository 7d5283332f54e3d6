"""Terms with other terms in the place of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from verifier.encodings.terms import Operator, Symbol, Term


def substitute(term: Term, meaning: Mapping[Symbol, Term]) -> Term:
    """The term with ``meaning`` in the place of variables. What is shared in the term stays shared.

    A term must have the sort of the variable that it replaces, because sorts of larger terms depend on it.
    No binder captures a variable, because each has a symbol of its own.
    """
    known: dict[int, Term] = {}

    def new(part: Term) -> Term:
        if meaning.keys().isdisjoint(part.free):
            return part
        replaced = known.get(id(part))
        if replaced is None:
            if part.operator is Operator.VARIABLE and isinstance(part.data, Symbol):
                replaced = meaning[part.data]
                assert replaced.sort == part.sort, f"{part.data.name} is in {part.sort}, not {replaced.sort}"
            else:
                replaced = replace(part, arguments=tuple(map(new, part.arguments)))
            known[id(part)] = replaced
        return replaced

    return new(term)
