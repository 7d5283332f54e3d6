"""Parts of the Next of a TLA+ module, each with the way in which it stands there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from verifier.conform.coverage import Part
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.said_parts import span
from verifier.tla.specification import Specification
from verifier.tla.text import text_at

Around: TypeAlias = Callable[[Expression], Expression]
"""Puts an expression into the place of a part of Next."""
_LONGEST = 120
"""The characters of a part that its text shows."""


@dataclass(frozen=True)
class NextPlace:
    """A part of Next, and how it stands there."""

    whole: Expression
    module: str
    around: Around
    action: str = "Next"
    is_conjunct: bool = False
    has_choices: bool = False
    """True if names are bound around it, so that there are several ways to it."""
    within: tuple[Definition, ...] = ()
    """The definitions around it, from the outside."""

    def enter(self, whole: Expression, inner: Around) -> NextPlace:
        """Return the place of a part of this part. ``inner`` puts an expression into that place."""
        return replace(self, whole=whole, around=lambda hole: self.around(inner(hole)))

    def enter_item(self, whole: ast.Junction, number: int) -> NextPlace:
        """Return the place of an item of a junction, which is this part."""
        before, after = whole.items[:number], whole.items[number + 1 :]
        return self.enter(whole.items[number], lambda hole: replace(whole, items=(*before, hole, *after)))

    def enter_body(self, whole: ast.Quantifier | ast.Let) -> NextPlace:
        """Return the place of the body of a quantifier or LET, which is this part."""
        return self.enter(whole.body, lambda hole: replace(whole, body=hole))

    def open_call(self, whole: ast.Apply, evaluator: Evaluator) -> NextPlace | None:
        """Return the place of the body of the definition that a call names, which is this part. It is the
        last of those around it. None if it has no body to be opened, or takes operators."""
        symbol = evaluator.resolve(whole.operator, self.module) or whole.operator
        if not isinstance(symbol, Definition) or symbol.body is None or symbol.recursive:
            return None
        if symbol in self.within or any(one.arity for one in symbol.parameters):
            return None
        named = symbol
        opened = self.enter(symbol.body, lambda hole: replace(whole, operator=replace(named, body=hole)))
        return replace(opened, module=symbol.module, within=(*self.within, symbol))


def place_of_next(spec: Specification) -> NextPlace:
    """Return the place of Next itself. Of ``[A]_v`` it is A."""
    assert spec.next is not None
    body = spec.next.body
    return NextPlace(body.action if isinstance(body, ast.Step) else body, spec.next.module, lambda hole: hole)


def make_part(action: str, whole: Expression, words: str = "") -> Part:
    """Return a part of an action's guard with its text, cut if it is long, and words about it."""
    where = span(whole)
    text = text_at(where)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return Part(action, f"{text}{words}", str(where))
