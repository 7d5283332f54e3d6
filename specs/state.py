"""The state variables of a protocol."""

from __future__ import annotations

from typing import Any

from verifier.encodings.sorts import Sort, SortError, no_sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import wrap
from verifier.errors import unknown_name
from verifier.specs.definition import primed


class State:
    """The state variables. A protocol declares them with their sorts and reads them as expressions."""

    def __init__(self, **sorts: Sort) -> None:
        given: dict[str, Any] = sorts  # whatever a protocol's author wrote
        for name, sort in given.items():
            if not name.isidentifier() or name.startswith("__") or name in ("symbols", "_symbols", "_terms"):
                raise SortError(
                    f"a state variable cannot be called {name!r}: give it the name of a Python attribute, "
                    "letters, digits and _, other than symbols"
                )
            if not isinstance(sort, Sort):
                words = f"the state variable {name} needs a sort, as Range(0, 3)"
                raise SortError(f"{words}, not {no_sort(sort)}")
        self._declare({name: Symbol(name, sort) for name, sort in sorts.items()})

    def _declare(self, symbols: dict[str, Symbol]) -> None:
        self.__dict__["_symbols"] = symbols
        self.__dict__["_terms"] = {
            name: Term(Operator.VARIABLE, symbol.sort, (), symbol) for name, symbol in symbols.items()
        }

    def __getattr__(self, name: str) -> Any:
        if name in ("_symbols", "_terms"):  # copy and pickle ask before there are any
            raise AttributeError(name)
        if name in self._terms:
            # Each access gives a new value, so ``then`` keeps two entries for one variable and refuses them.
            return wrap(self._terms[name])
        raise AttributeError(str(unknown_name("state variable", name, self._symbols)))

    def __setattr__(self, name: str, value: Any) -> None:
        words = f"an action says then={{s.{name}: …}} in its Step"
        raise SortError(f"s.{name} is not assigned in Python: {words}")

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The variables' symbols, in the order declared."""
        return tuple(self._symbols.values())


def successor_of(state: State) -> State:
    """The variables' values after a step, for step invariants to read under the same names."""
    after = State()
    after._declare({s.name: Symbol(primed(s.name), s.sort) for s in state.symbols})
    return after
