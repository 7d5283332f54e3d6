"""Fairness conditions as temporal formulas.

Source: Specifying Systems (Lamport, 2002), chapter 8.
"""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.scope import LANGUAGE


def meaning_of(whole: ast.Fairness) -> Expression:
    """Return the formula that defines a fairness condition on an action of the module."""
    step = ast.Step(whole.action, whole.subscript, False, place=whole.place)
    return meaning_of_fairness(whole.strong, ast.Enabled(step, place=whole.place), step)


def meaning_of_fairness(strong: bool, enabled: ast.Enabled, step: ast.Step) -> Expression:
    """Return the formula that defines ``WF_v(A)``: ``<<A>>_v`` is disabled infinitely often, or taken
    infinitely often. ``SF_v(A)``: it is disabled from some state on, or taken infinitely often."""
    place = step.place

    def temporal(kind: str, item: Expression) -> Expression:
        return ast.Temporal(kind, (item,), place=place)

    impossible = ast.Apply(LANGUAGE["~"], (enabled,), place=place)
    taken = temporal("[]", temporal("<>", step))
    outer, inner = ("<>", "[]") if strong else ("[]", "<>")
    return ast.Junction(False, (temporal(outer, temporal(inner, impossible)), taken), place=place)
