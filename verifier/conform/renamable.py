r"""Constant sets of strings whose members a module never tells apart.

``Val <- {"V1", "V2"}`` becomes a set of new model values, and the module is specified again. Its executions
are those of the module with other names, if the members are only compared with each other, counted and
handed on. Then permutations of the new names map executions to executions.

The conditions, for all that Init and Next need:

- The operators are those of ``_OPERATORS`` and ``_FORMS``. Each gives the renamed value for renamed
  operands, or an error. None depends on an order, as CHOOSE does.
- No string of the module's text, of the log, and of other constants is a member. So a member differs from
  all that is no member, and a new name does too.
- No string that ``\o`` or ``SubSeq`` may make of those strings is a member.
- Two sets have no common member, or all members.

An error that the module has, and the new one has not, is not found: a string of such a set that is compared
with a number. Executions that end in it are executions of the new module.

Sets of numbers keep their members: a number of a set may equal one that the module computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifier.tla import ast
from verifier.tla.ast import Builtin, Constant, Definition, Expression
from verifier.tla.facts import subexpressions
from verifier.tla.frames import Undefined
from verifier.tla.lazy_sets import Interval
from verifier.tla.specification import Specification
from verifier.tla.value_types import Boolean, Fn, ForeignValue, ModelValue, NoValue, Value

_MOST_MEMBERS = 64
_OPERATORS = frozenset((
    "TRUE", "FALSE", "BOOLEAN", "~", "=>", "<=>", "=", "#", "\\in", "\\notin", "\\subseteq", "\\cup", "\\cap",
    "\\", "SUBSET", "UNION", "DOMAIN", "<", ">", "<=", ">=", "+", "-", "*", "\\div", "%", "-.", "..", "Len",
    "Cardinality", "IsFiniteSet", "Head", "Tail", "Append", "\\o", "SubSeq", ":>", "@@", "Print", "PrintT",
))  # fmt: skip
_FORMS = (
    ast.Number, ast.String, ast.Apply, ast.OperatorArgument, ast.Lambda, ast.Junction, ast.If, ast.Case,
    ast.Let, ast.Quantifier, ast.SetOf, ast.Filter, ast.Image, ast.Function, ast.FunctionSet, ast.Record,
    ast.RecordSet, ast.Tuple, ast.Product, ast.At, ast.Except, ast.FunctionApply, ast.Prime, ast.Unchanged,
    ast.Step,
)  # fmt: skip


@dataclass(frozen=True)
class Renamed:
    """New names for the members of constant sets."""

    settings: Mapping[str, str]
    """The set of names for each constant, as a setting."""
    groups: tuple[tuple[str, ...], ...]
    """The names of each set."""
    strings: frozenset[Value]
    """The members that get new names."""


def rename_constants(spec: Specification) -> Renamed | None:
    """Return new names for the members of constant sets; None if there are no such sets."""
    sets = dict[str, frozenset[Value]]()
    for name, symbol in spec.module.names.items():
        if isinstance(symbol, Constant) and not symbol.arity:
            found = _value(spec, ast.Apply(symbol, place=symbol.place), spec.module.name)
            is_short = type(found) is frozenset and 1 < len(found) <= _MOST_MEMBERS
            if is_short and all(type(one) is str for one in found):
                sets[name] = found
    different = set(sets.values())
    apart = [one for one in different if all(one == other or not one & other for other in different)]
    rows, settings = dict[frozenset[Value], tuple[str, ...]](), dict[str, str]()
    for name, found in sets.items():
        if found in apart:
            begin = f"renamed{len(rows) + 1}m"
            row = rows.setdefault(found, tuple(f"{begin}{number}" for number in range(len(found))))
            settings[name] = f"{{{', '.join(row)}}}"
    return Renamed(settings, tuple(rows.values()), frozenset().union(*rows)) if settings else None


def _value(spec: Specification, whole: Expression, module: str) -> Value:
    """Return the value of a constant expression; None if it has none."""
    try:
        return spec.evaluator.compile_value(whole, module)()
    except (Undefined, NoValue, RecursionError):
        return None


def tells_apart(spec: Specification, renamed: Renamed) -> str | None:
    """Return what may tell members apart in a module with new names, None for nothing."""
    look = _Look(spec, renamed)
    for formula in (*spec.init, *filter(None, (spec.next,))):
        reason = next(look.find(formula.body, formula.module), None)
        if reason is not None:
            return reason
    return look.find_made_member()


class _Look:
    """Finds what may tell members apart."""

    def __init__(self, spec: Specification, renamed: Renamed) -> None:
        self.spec, self.evaluator, self.renamed = spec, spec.evaluator, renamed
        self.seen = set[Definition]()
        self.strings = set[str]()
        """The strings that are no members."""
        self.joins = self.cuts = False
        """True if an operator may join strings, or cut them."""
        self.names = frozenset[str]().union(*renamed.groups)
        self.needing = dict[Definition, bool]()
        """For definitions: True if they need a renamed set."""

    def find(self, whole: Expression, module: str) -> Iterator[str]:
        """Yield the reasons."""
        if self.evaluator.analysis.of(whole, module).fixed and not self._needs_names(whole, module):
            value = _value(self.spec, whole, module)
            if not self._is_foreign(value):
                yield f"{whole.place}: a value that may be compared with members"
            return
        if not isinstance(whole, _FORMS):
            yield f"{whole.place}: a form that may tell members apart"
            return
        if isinstance(whole, ast.Record | ast.RecordSet):
            yield from self._check_words(whole)
        if isinstance(whole, ast.Apply | ast.OperatorArgument):
            yield from self._find_in_symbol(whole, module)
        parts = [whole.body] if isinstance(whole, ast.Let) else subexpressions(whole)[0]
        for part in parts:
            yield from self.find(part, module)

    def find_made_member(self) -> str | None:
        """Return the reason if joins and cuts of strings may give a member; None if they cannot."""
        members, strings = [str(one) for one in self.renamed.strings], self.strings - {""}
        joined = self.joins and any(one in member for one in strings for member in members)
        cut = self.cuts and any(member in one for one in strings for member in members)
        may_be = joined or cut or (self.joins and self.cuts)
        return "a string that is made may be a member" if may_be else None

    def _check_words(self, whole: ast.Record | ast.RecordSet) -> Iterator[str]:
        for name, _ in whole.fields:
            self.strings.add(name)
            if name in self.renamed.strings:
                yield f"{whole.place}: the field {name} has the name of a member"

    def _find_in_symbol(self, whole: ast.Apply | ast.OperatorArgument, module: str) -> Iterator[str]:
        symbol = self.evaluator.resolve(whole.operator, module) or whole.operator
        if isinstance(symbol, Builtin):
            if symbol.name not in _OPERATORS:
                yield f"{whole.place}: {symbol.name} may tell members apart"
            given = whole.arguments if isinstance(whole, ast.Apply) else ()
            self.joins |= symbol.name == "\\o" and not any(isinstance(one, ast.Tuple) for one in given)
            self.cuts |= symbol.name == "SubSeq"
        elif isinstance(symbol, Definition):
            if symbol.body is None:
                yield f"{whole.place}: {symbol.name} has no text"
            elif symbol not in self.seen:
                self.seen.add(symbol)
                yield from self.find(symbol.body, symbol.module)

    def _needs_names(self, whole: Expression, module: str) -> bool:
        """True if an expression needs a renamed set."""
        if isinstance(whole, ast.Apply | ast.OperatorArgument):
            symbol = self.evaluator.resolve(whole.operator, module) or whole.operator
            if isinstance(symbol, Constant) and symbol.name in self.renamed.settings:
                return True
            if isinstance(symbol, Definition) and symbol.body is not None:
                if symbol not in self.needing:
                    self.needing[symbol] = True  # a recursive one is looked into
                    self.needing[symbol] = symbol.recursive or self._needs_names(symbol.body, symbol.module)
                if self.needing[symbol]:
                    return True
        parts = subexpressions(whole)[0]
        if isinstance(whole, ast.Let):
            parts = [whole.body, *(one.body for one in whole.definitions if one.body is not None)]
        return any(self._needs_names(part, module) for part in parts)

    def _is_foreign(self, value: Value) -> bool:
        """True if no part of a value is a member."""
        match value:
            case str():
                self.strings.add(value)
                return value not in self.renamed.strings
            case ModelValue():
                return value.name not in self.names
            case int() | Boolean() | ForeignValue() | Interval():
                return True
            case frozenset() | tuple():
                return all(map(self._is_foreign, value))
            case Fn():
                return all(map(self._is_foreign, value)) and all(map(self._is_foreign, value.values()))
        return False
