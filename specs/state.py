"""The state variables of a protocol."""

from __future__ import annotations

from typing import Any

from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import wrap
from verifier.errors import unknown_name
from verifier.specs.definition import DefinitionError


class State:
    """The state variables: declared with their sorts, then read as expressions."""

    def __init__(self, **sorts: Sort) -> None:
        for name, sort in sorts.items():
            if not name.isidentifier() or name.startswith("__") or name in ("symbols", "_symbols"):
                raise DefinitionError(
                    f"a state variable cannot be called {name!r}: give it the name of a Python attribute, "
                    "letters, digits and _, other than symbols"
                )
            if not isinstance(sort, Sort):
                raise DefinitionError(f"the state variable {name} needs a sort, as Range(0, 3), not {sort!r}")
        self.__dict__["_symbols"] = {name: Symbol(name, sort) for name, sort in sorts.items()}
        for name, symbol in self._symbols.items():
            self.__dict__[name] = wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol))

    def __getattr__(self, name: str) -> Any:
        if name == "_symbols":  # asked for by copy and pickle, before there are any
            raise AttributeError(name)
        raise AttributeError(str(unknown_name("state variable", name, self._symbols)))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The variables' symbols, in the order declared."""
        return tuple(self._symbols.values())
