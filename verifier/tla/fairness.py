"""What fairness says in other words."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.scope import LANGUAGE


def meaning_of(whole: ast.Fairness) -> Expression:
    """What fairness of a module's own action says."""
    step = ast.Step(whole.action, whole.subscript, False, place=whole.place)
    return meaning_of_fairness(whole.strong, ast.Enabled(step, place=whole.place), step)


def meaning_of_fairness(strong: bool, enabled: ast.Enabled, step: ast.Step) -> Expression:
    """What ``WF_v(A)`` says: ``<<A>>_v`` is impossible again and again, or taken again and again. ``SF_v(A)``
    says that it is impossible from some state on, or taken again and again."""
    place = step.place

    def temporal(kind: str, item: Expression) -> Expression:
        return ast.Temporal(kind, (item,), place=place)

    impossible = ast.Apply(LANGUAGE["~"], (enabled,), place=place)
    taken = temporal("[]", temporal("<>", step))
    outer, inner = ("<>", "[]") if strong else ("[]", "<>")
    return ast.Junction(False, (temporal(outer, temporal(inner, impossible)), taken), place=place)
