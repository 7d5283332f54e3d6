"""Expressions over a state, given as text: what a histogram counts.

An expression is Python, restricted to what builds terms: variables of the state (also as fields of
``s``), constants of the protocol, its own methods, and the quantifiers. Nothing else can be named.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import quantifiers
from verifier.encodings.cases import cases
from verifier.encodings.concrete import Concrete
from verifier.encodings.expressions import Value, sort_of, term_of, wrap
from verifier.encodings.lowering import Lowering
from verifier.encodings.sorts import Boolean, SortError
from verifier.encodings.terms import Operator, Term
from verifier.errors import UsageError, make_unknown_name_error, nearest
from verifier.specs.definition import Definition
from verifier.system.model import Model

_FUNCTIONS = (
    "forall", "exists", "count", "sum_of", "if_", "minimum", "maximum", "all_of", "any_of", "comprehension",
    "union_of", "filtered", "mapped",
)  # fmt: skip
_ALLOWED = (
    ast.Expression, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Call, ast.keyword, ast.Constant,
    ast.Lambda, ast.arguments, ast.arg, ast.Tuple,
    ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr,
    ast.UnaryOp, ast.Invert, ast.USub,
)  # fmt: skip

_HELP = (
    "it may have variables of the state, constants, methods of the protocol with s for the state, "
    f"+ - * // % < <= == != & | ~ [ ], and {', '.join(_FUNCTIONS)}, as in "
    "\"count(queues, lambda q: active[q] == 'a1')\""
)


def measure(model: Model, text: str, vocabulary: Mapping[str, Any]) -> list[tuple[Concrete, FNode]]:
    """The values an expression may have, each with the formula that it has it. ``vocabulary`` is what it may
    name beside the state.

    Raises UsageError if the text is no such expression, or one of a sort with parts.
    """
    value = read_expression(model.definition, text, vocabulary)
    sort = sort_of(value)
    if not (sort.is_scalar or isinstance(sort, Boolean)):
        raise UsageError(f"the expression {text!r} is of {sort}, not one value: count something")
    layout = model.layout
    lowering = Lowering({symbol: layout.lowered[symbol.name] for symbol in model.definition.variables})
    return cases(sort, lowering.lower(term_of(value), {}))


def read_expression(definition: Definition, text: str, vocabulary: Mapping[str, Any]) -> Value:
    """Return an expression over a state, given as text. Raises UsageError if the text is none."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise UsageError(f"the expression {text!r} is not Python: {error.msg}") from None
    names = _names(definition, vocabulary)
    _check(text, tree, names)
    try:
        value = eval(compile(tree, "<expression>", "eval"), {"__builtins__": {}, **names})
    except AttributeError as error:
        if isinstance(error.obj, SimpleNamespace):
            variables = [symbol.name for symbol in definition.variables]
            raise make_unknown_name_error("state variable", error.name or "", variables) from None
        raise UsageError(f"the expression {text!r} is not allowed: {error}") from None
    except (SortError, TypeError, KeyError, IndexError) as error:
        raise UsageError(f"the expression {text!r} is not allowed: {error}") from None
    if not isinstance(value, Value):
        raise UsageError(f"the expression {text!r} does not read the state")
    return value


def _names(definition: Definition, vocabulary: Mapping[str, Any]) -> Mapping[str, Any]:
    variables = {
        symbol.name: wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol)) for symbol in definition.variables
    }
    functions = {name: getattr(quantifiers, name) for name in _FUNCTIONS}
    return {**functions, **vocabulary, **variables, "s": SimpleNamespace(**variables)}


def _check(text: str, tree: ast.AST, names: Mapping[str, Any]) -> None:
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise UsageError(f"the expression {text!r} may not have {type(node).__name__}; {_HELP}")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise UsageError(f"the expression {text!r} may not name {node.attr}")
        if isinstance(node, ast.Name) and node.id not in names and node.id not in bound:
            near = nearest(node.id, [*names, *bound])
            hint = f"did you mean {near!r}?" if near else _HELP
            raise UsageError(f"the expression {text!r} names {node.id}, which is not known; {hint}")
