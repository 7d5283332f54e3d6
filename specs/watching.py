"""Watches a protocol's code while it runs, and refuses what Python decides in place of a formula.

``s.holder is not None`` is always true in Python: ``s.holder`` is an expression, and no expression is None.
As a guard or a property it would have no effect. So while ``define`` calls the protocol's methods, this
module checks each ``is``, ``in`` and ``match`` just before it runs. It refuses it if an operand is a value.
It finds the operands in the running frame, so it accepts a constant that is ``None`` or a tuple of numbers.

What Python cannot decide is an error: ``if s.x == 3``, ``len(s.x)``. A ``try`` around it would answer in its
place. So an error about a value that the protocol's code catches is an error too.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType, TracebackType
from typing import Any

from verifier.encodings.expressions import Value
from verifier.encodings.python_use import GUARD
from verifier.encodings.scalar_sorts import Expression
from verifier.encodings.sorts import SortError
from verifier.specs.definition import DefinitionError
from verifier.specs.explaining import explain_error
from verifier.specs.reading.code_places import (
    find_raising_line,
    is_engine,
    is_watched,
    place,
    place_of_class,
    prefix_place,
)
from verifier.specs.reading.keys import Keys
from verifier.specs.reading.operands import Scope, Unknown
from verifier.specs.reading.side_effects import Holdings
from verifier.specs.reading.suspects import ASKING, COUNTING, OF_SETS, Suspect, name_of_call, suspects
from verifier.specs.reading.unread import on_value

_DISPATCHING = ("singledispatch.<locals>.wrapper", "singledispatchmethod.__get__.<locals>._method")
"""Functions of Python that choose another by the type of its first argument."""
_VALUE = re.compile(r"\w+Value\b|'State'")
"""A class of values in an error of Python's."""


@contextmanager
def reading(protocol: Any) -> Iterator[Keys]:
    """The context in which a protocol is read. Raises DefinitionError if Python decided on values in it.

    What it gives is told the variables of the state, once they are known.
    """
    bases = (base.__module__ for base in type(protocol).__mro__ if not is_engine(base.__module__))
    watch = Watch({module.partition(".")[0] for module in bases} - {"builtins"})
    keys = Keys()
    holdings = Holdings(protocol)
    token = GUARD.set(keys)
    before = sys.gettrace()
    # From Python 3.12 on, settrace gives opcode events only if some frame asked for them before.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(watch.trace_call)
    try:
        yield keys
    except DefinitionError:
        watch.caught.clear()  # it was not caught
        if not watch.found and not keys.refused:
            raise
    except TypeError as error:  # SortError is a TypeError: a formula has no truth value, …
        watch.caught.clear()
        if not watch.found and not keys.refused:
            raise DefinitionError(prefix_place(find_raising_line(error), explain_error(error))) from error
    except Exception:  # of the protocol's code, which may be what an answer of Python led to
        if not watch.found and not keys.refused:
            raise
    finally:
        sys.settrace(before)
        GUARD.reset(token)
    changed = (_refuse_change(protocol, name) for name in Holdings(protocol).list_changes(holdings))
    for refused in (*watch.found, *keys.refused, *keys.list_messages(), *watch.caught, *changed):
        raise DefinitionError(refused)


def _refuse_change(protocol: Any, name: str) -> str:
    words = (
        f"a method changes {name} while {type(protocol).__name__} is read. A method runs once for all "
        "states: it may return formulas, and change nothing (functools.cache may keep what it returns)"
    )
    return prefix_place(place_of_class(type(protocol)), words)


@dataclass(frozen=True)
class _Known:
    """Facts about some code."""

    code: CodeType
    """The code itself: while it is kept, no other code gets its id."""
    suspects: Mapping[int, Suspect]
    is_own: bool
    """True if it belongs to the protocol or its helpers."""

    @property
    def catches(self) -> bool:
        """True if it belongs to them and may catch errors."""
        return self.is_own and bool(self.code.co_exceptiontable)


class Watch:
    """Traces the running code. ``found`` has a message for each decision on values, in order."""

    def __init__(self, own: Collection[str]) -> None:
        self.own = own
        self.found: list[str] = []
        self.caught: list[str] = []
        """A message for each error about a value that a function may have caught."""
        self._known: dict[int, _Known] = {}
        self._places: dict[int, list[tuple[int, int] | None]] = {}
        self._returned: dict[int, dict[tuple[int, int], tuple[CodeType, Any]]] = {}

    def trace_call(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """``sys.settrace`` calls this function with each new frame."""
        if frame.f_code.co_qualname in _DISPATCHING and frame.f_code.co_filename == functools.__file__:
            self._look_at_dispatch(frame)
        known = self._about(frame)
        decides = bool(known.suspects)
        if not decides and not known.catches and not (self._returned and id(frame.f_back) in self._returned):
            return None
        frame.f_trace_lines = False
        if not decides:
            return self._record_end
        # Python 3.13 gives opcode events only in a frame that has a trace function already.
        frame.f_trace = self._running
        frame.f_trace_opcodes = True
        self._returned[id(frame)] = {}
        return self._running

    def _about(self, frame: FrameType) -> _Known:
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            module = str(frame.f_globals.get("__name__", ""))
            watched = is_watched(code.co_filename, module, self.own)
            checked = suspects(code, frame.f_globals) if watched else {}
            known = self._known[id(code)] = _Known(code, checked, watched)
        return known

    def _record_end(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        """Records the result of a function that returns to a watched frame, by the place of the call."""
        if event == "exception":
            self._look_at_error(frame, *argument[1:])
        back = frame.f_back
        if event == "return" and back is not None and id(back) in self._returned:
            end = self._ends(back.f_code)[back.f_lasti // 2]
            if end is not None and frame.f_code.co_name != "__init__":
                self._returned[id(back)][end] = frame.f_code, argument
        return self._record_end

    def _ends(self, code: CodeType) -> list[tuple[int, int] | None]:
        """The line and column where each instruction ends, of code that is watched."""
        ends = self._places.get(id(code))
        if ends is None:  # once for all calls in it; _known keeps the code alive
            ends = self._places[id(code)] = [
                None if line is None or column is None else (line, column)
                for _, line, _, column in code.co_positions()
            ]
        return ends

    def _running(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "opcode":
            suspect = self._about(frame).suspects.get(frame.f_lasti)
            if suspect is not None:
                self._look(frame, suspect)
        elif event == "exception":
            self._look_at_error(frame, *argument[1:])
        elif event == "return":
            self._record_end(frame, event, argument)
            self._returned.pop(id(frame), None)
        return self._running

    def _look_at_error(self, frame: FrameType, error: BaseException, raised: TracebackType | None) -> None:
        """Keep an error about a value that this frame may catch. Code that names SortError knows what it
        catches."""
        if SortError.__name__ in frame.f_code.co_names:
            return
        if self._about(frame).catches and _is_about_values(error, raised):
            words = f"no try may catch this while the protocol is read: {explain_error(error)}"
            self.caught.append(f"{place(frame.f_code.co_filename, frame.f_lineno)}: {words}")

    def _look_at_dispatch(self, frame: FrameType) -> None:
        words, back = _explain_dispatch(frame), frame.f_back
        if words and back is not None and self._about(back).is_own:
            self.found.append(f"{place(back.f_code.co_filename, back.f_lineno)}: {words}")

    def _look(self, frame: FrameType, suspect: Suspect) -> None:
        scope = Scope.of(frame, self._returned[id(frame)])
        match suspect.node:
            case None:
                words = _explain_unread(frame)
            case ast.Match(subject=subject):
                words = _explain_match(scope, subject)
            case ast.Compare() as node:
                words = _explain_comparison(scope, node, suspect.optional)
            case ast.Call() as node:
                words = _explain_question(scope, node, _list_given(frame))
            case ast.Attribute(value=owner) as node:
                words = _of_class(scope, node, owner, _list_given(frame))
            case ast.BinOp(left=left, right=right) | ast.AugAssign(target=left, value=right) as node:
                words = _of_sets(scope, node, left, right)
        if words:
            self.found.append(f"{place(frame.f_code.co_filename, suspect.line)}: {words}")


def _is_about_values(error: BaseException, raised: TracebackType | None) -> bool:
    """True if an error says that Python cannot handle a value, or comes from a function that was given
    one."""
    if isinstance(error, SortError | DefinitionError):
        return True
    if not isinstance(error, TypeError | AttributeError | ValueError):
        return False
    frames = (frame for frame, _ in traceback.walk_tb(raised and raised.tb_next))
    return _VALUE.search(str(error)) is not None or any(
        isinstance(local, Expression) for frame in frames for local in frame.f_locals.values()
    )


def _explain_comparison(scope: Scope, node: ast.Compare, optional: frozenset[str]) -> str:
    operands = [node.left, *node.comparators]
    for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
        shown = ast.unparse(ast.Compare(left, [operator], [right]))
        if isinstance(operator, ast.Is | ast.IsNot):
            if (scope.is_value(left) or scope.is_value(right)) and not _asks_if_omitted(
                scope, left, right, optional
            ):
                equal = ast.Eq() if isinstance(operator, ast.Is) else ast.NotEq()
                return _explain_decision(shown, ast.unparse(ast.Compare(left, [equal], [right])))
        elif isinstance(operator, ast.In | ast.NotIn) and (
            scope.holds_value(left) or scope.holds_value(right)
        ):
            negated = "~" if isinstance(operator, ast.NotIn) else ""
            return _explain_decision(shown, f"{negated}{_member(scope, left, right)}")
        elif words := _of_sets(scope, ast.Compare(left, [operator], [right]), left, right):
            return words
    return ""


def _of_sets(scope: Scope, node: ast.AST, left: ast.expr, right: ast.expr) -> str:
    """The message about an operation on two sets of Python, for which different expressions are different."""
    held = scope.set_holds_value(left), scope.set_holds_value(right)
    if None in held or not any(held):
        return ""
    return _explain_decision(ast.unparse(node), "set_of(…) for one of the sets")


def _list_given(frame: FrameType) -> Collection[str]:
    """The parameters that a helper may be given plain values for; the verifier itself gives none."""
    code, back = frame.f_code, frame.f_back
    if back is None or is_engine(str(back.f_globals.get("__name__", ""))):
        return code.co_freevars
    return (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *code.co_freevars)


_INSTEAD_OF_METHODS = (
    "table({…})[x] or table({…}).get(x, default) for a lookup, set_of(…) and |, &, -, <= for sets"
)


def _explain_question(scope: Scope, node: ast.Call, given: Collection[str]) -> str:
    """The message about a function of Python that is asked about an expression, or about what holds some."""
    name, shown = name_of_call(node), ast.unparse(node)
    if isinstance(node.func, ast.Attribute) and name not in ASKING:
        held = scope.set_holds_value(node.func.value)
        if name in OF_SETS and held is False:
            held = any(scope.holds_value(argument) for argument in node.args)
        return _explain_decision(shown, _INSTEAD_OF_METHODS) if held else ""
    if not node.args or not _is_of_python(scope, node.func):
        return ""
    first = node.args[0]
    if name in ("isinstance", "type") and isinstance(first, ast.Name) and first.id in given:
        return ""
    if name in COUNTING:
        return _explain_decision(shown, "set_of(…).cardinality") if scope.set_holds_value(first) else ""
    match name:
        case "is_" | "is_not":
            decides = any(scope.is_value(argument) for argument in node.args)
            return _explain_decision(shown, "==") if decides else ""
        case "isinstance" if scope.is_known_value(first) and scope.is_of_python(node.args[-1]):
            return _explain_decision(shown, "== to compare: an expression is of no type of Python")
        case "type" | "id" if len(node.args) == 1 and scope.is_known_value(first):
            return _explain_decision(shown, "== to compare")
    return ""


def _of_class(scope: Scope, node: ast.Attribute, owner: ast.expr, given: Collection[str]) -> str:
    """The message about the class of an expression, which says nothing of its values."""
    if isinstance(owner, ast.Name) and owner.id in given:
        return ""
    return _explain_decision(ast.unparse(node), "== to compare") if scope.is_known_value(owner) else ""


def _explain_dispatch(frame: FrameType) -> str:
    """The message about a function that is chosen by the type of a value, if it is the one for all others."""
    names = frame.f_locals
    given, dispatch = names.get("args"), names.get("dispatch")
    if not (given and isinstance(given[0], Value)):
        return ""
    if dispatch is None:  # of a method
        dispatch = names["self"].dispatcher.dispatch
    if dispatch(type(given[0])) is not dispatch(object):
        return ""
    return _explain_decision(
        "the choice of a function by the type of a value (singledispatch)", "== and if_(…)"
    )


def _is_of_python(scope: Scope, function: ast.expr) -> bool:
    """True if a name still means Python's own function."""
    try:
        return getattr(scope.resolve(function), "__module__", "") in ("builtins", "_operator", "collections")
    except Unknown:
        return False


def _explain_decision(shown: str, instead: str) -> str:
    return f"{shown} is decided by Python while it reads the protocol, not in each state: write {instead}"


def _member(scope: Scope, left: ast.expr, right: ast.expr) -> str:
    if isinstance(right, ast.Tuple | ast.List | ast.Set) and right.elts:
        equal = (ast.unparse(ast.Compare(left, [ast.Eq()], [item])) for item in right.elts)
        return "(" + " | ".join(f"({one})" for one in equal) + ")"
    if scope.is_value(right):
        return f"{ast.unparse(right)}.contains({ast.unparse(left)}) for a set"
    return "(… == …) | (… == …) for what it may be"


def _asks_if_omitted(scope: Scope, left: ast.expr, right: ast.expr, optional: frozenset[str]) -> bool:
    """True if the comparison asks if an argument was given: its default is None, and no value is."""
    if not (isinstance(right, ast.Constant) and right.value is None) or scope.is_optional(left):
        return False
    return (isinstance(left, ast.Name) and left.id in optional) or scope.is_none_by_default(left)


def _explain_match(scope: Scope, subject: ast.expr) -> str:
    if not scope.holds_value(subject):
        return ""
    return (
        f"match {ast.unparse(subject)} is decided by Python while it reads the protocol, not in each state: "
        "write if_(…) with == for the cases"
    )


def _explain_unread(frame: FrameType) -> str:
    """The message for code without source text; empty if no operand is a value."""
    if not on_value(frame):
        return ""
    return (
        f"{frame.f_code.co_name} has is, in or match on a value, which Python decides while it reads the "
        "protocol, not in each state: write ==, contains or if_(…)"
    )
