r"""The parts of variables that an expression of one state reads: of ``log[i]`` the part ``i``, not the whole.

A step changes the part of one process, and leaves the others' parts the same value objects. So what is known
of ``log[i]`` stays true although ``log`` is another value. This is sound under these conditions:

- The variable stands in ``v[i]`` wherever it is read. ``i`` is a name from outside of the expression. A
  parameter of a definition counts as the name that is its argument.
- The value of the variable is a listed function, and the part is the same value object. Objects are compared
  by identity, and are kept alive, so that no new object can have the same identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Bound, Builtin, Definition, Expression, Parameter, Symbol, Variable
from verifier.tla.facts import subexpressions
from verifier.tla.frames import UNSET
from verifier.tla.value_types import Fn

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator

PartRead: TypeAlias = tuple[int, Symbol | None]
"""The place of a variable, and the name of the part that is read; None: all of it."""
Read: TypeAlias = tuple[int, Any]
"""The place of a variable, and the argument of the part that is read; ``UNSET``: all of it."""
_Names: TypeAlias = dict[Symbol, Symbol | None]
"""Names inside of an expression, each with the name from outside that has the same value; else None."""
_OTHERS = (ast.OperatorArgument, ast.Lambda, ast.Enabled, ast.Prime)


def find_part_reads(ev: Evaluator, whole: Expression, module: str) -> tuple[PartRead, ...]:
    """Return the parts of variables that an expression of one state reads."""
    found = set[PartRead]()
    _collect(ev, whole, module, {}, found)
    return tuple(part for part in found if part[1] is None or (part[0], None) not in found)


def _collect(ev: Evaluator, whole: Expression, module: str, names: _Names, found: set[PartRead]) -> None:
    if not ev.analysis.of(whole, module).reads:
        return
    if isinstance(whole, _OTHERS):
        _collect_whole(ev, whole, module, found)
        return
    match whole:
        case ast.FunctionApply(
            function=ast.Apply(operator=function, arguments=()),
            argument=ast.Apply(operator=Bound() | Parameter() as name, arguments=()),
        ) if isinstance(variable := ev.resolve(function, module) or function, Variable):
            found.add((ev.index[variable], names.get(name, name)))
        case ast.Apply():
            _collect_application(ev, whole, module, names, found)
        case ast.Let():
            _collect(ev, whole.body, module, names, found)
        case _:
            parts, bound = subexpressions(whole)
            inner = {**names, **dict.fromkeys(bound)} if bound else names
            for part in parts:
                _collect(ev, part, module, inner, found)


def _collect_application(
    ev: Evaluator, whole: ast.Apply, module: str, names: _Names, found: set[PartRead]
) -> None:
    symbol = ev.resolve(whole.operator, module) or whole.operator
    if isinstance(symbol, Definition):
        plain = not symbol.recursive and not any(one.arity for one in symbol.parameters)
        if symbol.body is None or symbol in ev.constants or not plain:
            _collect_whole(ev, whole, module, found)
            return
        inner: _Names = dict(names) if symbol.nested else {}
        for parameter, part in zip(symbol.parameters, whole.arguments, strict=True):
            inner[parameter] = _name(part, names)
        _collect(ev, symbol.body, symbol.module, inner, found)
    elif isinstance(symbol, Variable):
        found.add((ev.index[symbol], None))
    elif not isinstance(symbol, Builtin | Bound | Parameter):
        _collect_whole(ev, whole, module, found)
        return
    for part in whole.arguments:
        _collect(ev, part, module, names, found)


def _collect_whole(ev: Evaluator, whole: Expression, module: str, found: set[PartRead]) -> None:
    """Add all variables that an expression reads, each as a whole."""
    found.update((ev.index[one], None) for one in ev.analysis.of(whole, module).reads)


def _name(argument: Expression, names: _Names) -> Symbol | None:
    """Return the name from outside whose value an argument is; None for another argument."""
    match argument:
        case ast.Apply(operator=Bound() | Parameter() as name, arguments=()):
            return names.get(name, name)
    return None


def read_part(now: list[Any], read: Read) -> Any:
    """Return the value object of a part; ``UNSET`` if it is no part of a listed function."""
    place, key = read
    value = now[place]
    if key is UNSET:
        return value
    return value.get(key, UNSET) if type(value) is Fn else UNSET
