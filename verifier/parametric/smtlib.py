"""Formulas as SMT-LIB 2 text.

Source: the SMT-LIB standard, version 2.6, https://smt-lib.org.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from verifier.parametric.nodes import BOOL, INT, Bound, Node, walk

_PLAIN = re.compile(r"[A-Za-z0-9_.!?' :-]")


@cache
def symbol(name: str) -> str:
    """Return the name of a function. It is quoted and begins with a dollar, so it differs from SMT-LIB's own
    names, bound variables and hypotheses."""
    return f"|${_escape(name)}|"


@cache
def sort_symbol(name: str) -> str:
    """Return the name of a sort: one of SMT-LIB's, or, quoted and with a dollar, that of an index set."""
    return name if name in (BOOL, INT) else symbol(name)


def _escape(name: str) -> str:
    """Return the name in letters that all solvers accept. Different names have different texts."""
    return "".join(c if _PLAIN.fullmatch(c) else f"~{ord(c):x}~" for c in name)


class Printer:
    """Prints nodes. Variables are numbered from 0 in each formula, so that equal formulas have equal
    texts."""

    def __init__(self) -> None:
        self._ground: dict[Node, str] = {}
        """The texts of nodes without variables, which are the same in every formula."""

    def text(self, node: Node) -> str:
        """Return the text of one formula."""
        numbers: dict[Node, int] = {}
        return self._of(node, numbers)

    def _of(self, node: Node, numbers: dict[Node, int]) -> str:
        if node.free or node.quantified:
            return self._print_node(node, numbers)
        text = self._ground.get(node)
        if text is None:
            text = self._ground[node] = self._print_node(node, numbers)
        return text

    def _print_node(self, node: Node, numbers: dict[Node, int]) -> str:
        parts = [self._of(arg, numbers) for arg in node.args] if not isinstance(node.data, Bound) else []
        match node.kind:
            case "true" | "false":
                return node.kind
            case "var":
                return f"v{numbers.setdefault(node, len(numbers))}"
            case "app":
                return _print_application(symbol(node.data), parts)
            case "sum":
                return _sum(node, parts)
            case "forall" | "exists":
                return self._quantifier(node, numbers)
        return _print_application(node.kind, parts)

    def _quantifier(self, node: Node, numbers: dict[Node, int]) -> str:
        bound: Bound = node.data
        variables = " ".join(f"({self._of(v, numbers)} {sort_symbol(v.sort)})" for v in bound.variables)
        body = self._of(node.args[0], numbers)
        if bound.triggers:
            patterns = (
                f":pattern ({' '.join(self._of(part, numbers) for part in trigger)})"
                for trigger in bound.triggers
            )
            body = f"(! {body} {' '.join(patterns)})"
        return f"({node.kind} ({variables}) {body})"


def _print_application(operator: str, parts: Sequence[str]) -> str:
    return f"({operator} {' '.join(parts)})" if parts else operator


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _sum(node: Node, parts: Sequence[str]) -> str:
    factors, constant = node.data
    summands = [
        part if factor == 1 else f"(* {_number(factor)} {part})"
        for factor, part in zip(factors, parts, strict=True)
    ]
    if constant or not summands:
        summands.append(_number(constant))
    return _print_application("+", summands) if len(summands) > 1 else summands[0]


def declarations(formulas: Iterable[Node]) -> list[str]:
    """Return the declarations of the sorts and function symbols in formulas."""
    sorts: dict[str, None] = {}
    functions: dict[str, tuple[tuple[str, ...], str]] = {}
    seen: set[Node] = set()

    def see(node: Node) -> None:
        if node.sort not in (BOOL, INT):
            sorts.setdefault(node.sort)
        if isinstance(node.data, Bound):
            for variable in node.data.variables:
                if variable.sort not in (BOOL, INT):
                    sorts.setdefault(variable.sort)
        if node.kind == "app":
            functions.setdefault(node.data, (tuple(arg.sort for arg in node.args), node.sort))

    for formula in formulas:
        walk(formula, see, seen)
    declared = [f"(declare-sort {sort_symbol(name)} 0)" for name in sorted(sorts)]
    for name, (args, result) in sorted(functions.items()):
        inside = " ".join(map(sort_symbol, args))
        declared.append(f"(declare-fun {symbol(name)} ({inside}) {sort_symbol(result)})")
    return declared


def script(
    local: Sequence[tuple[str, Node]],
    definitions: Sequence[tuple[str, Node]],
    hypotheses: Sequence[tuple[str, Node]],
    printer: Printer | None = None,
) -> str:
    """Return declarations and assertions. Each hypothesis has its lemma."""
    printer = printer or Printer()
    lines = declarations(node for _, node in (*local, *definitions, *hypotheses))
    lines += [f"(assert {printer.text(node)})" for _, node in local]
    lines += [f"(assert {printer.text(node)}) ; defines {name}" for name, node in definitions]
    lines += [f"(assert {printer.text(node)}) ; {lemma}" for lemma, node in hypotheses]
    return "\n".join([*lines, ""])
