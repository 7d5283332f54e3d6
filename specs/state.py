"""The state variables of a protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from verifier.encodings.expressions import wrap
from verifier.encodings.sorts import Sort, SortError, no_sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.errors import make_unknown_name_error
from verifier.specs.definition import prime


class State:
    """The state variables. A protocol declares them with their sorts and reads them as expressions.

    ``State(holder=Option(self.clients))`` declares them by name. A subclass declares them in ``__init__``, as
    ``self.holder = variable(Option(lock.clients))``, and type checkers know them.
    """

    def __new__(cls, /, *_: Any, **__: Any) -> Self:  # a variable may be called cls
        made = super().__new__(cls)
        made.__dict__.update(_symbols={}, _terms={}, _is_complete=False)
        return made

    def __init__(self, /, **sorts: Sort) -> None:
        for name, sort in sorts.items():
            self._declare(name, sort)

    def _declare(self, name: str, sort: Any) -> None:
        if not name.isidentifier() or name.startswith("__") or hasattr(State, name) or name in self.__dict__:
            raise SortError(
                f"a state variable cannot be called {name!r}: give it the name of a Python attribute, "
                "letters, digits and _, other than symbols"
            )
        if name in self._symbols:
            raise SortError(f"the state variable {name} is declared twice")
        if hasattr(type(self), name):
            raise SortError(f"the state variable {name} has the name of a method of {type(self).__name__}")
        if not isinstance(sort, Sort):
            words = f"the state variable {name} needs a sort, as Range(0, 3)"
            raise SortError(f"{words}, not {no_sort(sort)}")
        self._add(name, Symbol(name, sort))

    def _add(self, name: str, symbol: Symbol) -> None:
        self._symbols[name] = symbol
        self._terms[name] = Term(Operator.VARIABLE, symbol.sort, (), symbol)

    if not TYPE_CHECKING:  # type checkers know the variables that a subclass declares

        def __getattr__(self, name: str) -> Any:
            if name in ("_symbols", "_terms"):  # copy and pickle ask before there are any
                raise AttributeError(name)
            if name in self._terms:
                # Each access gives a new value, so ``then`` keeps two entries for one variable and
                # refuses them.
                return wrap(self._terms[name])
            raise AttributeError(str(make_unknown_name_error("state variable", name, self._symbols)))

        def __setattr__(self, name: str, value: Any) -> None:
            if not self._is_complete:
                self._declare(name, value)
                return
            words = f"an action says then={{s.{name}: …}} in its Step"
            raise SortError(f"s.{name} is not assigned in Python: {words}")

    else:
        _symbols: dict[str, Symbol]
        _terms: dict[str, Term]

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The variables' symbols, in the order declared."""
        return tuple(self._symbols.values())


def complete(state: State) -> State:
    """The state, which takes no further variables from now on."""
    state.__dict__["_is_complete"] = True
    return state


def successor_of(state: State) -> State:
    """The variables' values after a step, for step invariants to read under the same names."""
    after = State.__new__(type(state))
    for name, symbol in state._symbols.items():
        after._add(name, Symbol(prime(name), symbol.sort))
    return complete(after)
