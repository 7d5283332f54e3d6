"""The table of the rules of the translation, and translators that have them."""

from __future__ import annotations

from verifier.encodings.terms import Symbol, Term
from verifier.tla import ast
from verifier.tla.interpreter import Interpreter
from verifier.tla.translate.coding import Names
from verifier.tla.translate.comparability import (
    member_of,
    require_comparable_parts,
    require_one_kind_of_parts,
)
from verifier.tla.translate.converting import convert, fit_to_sort
from verifier.tla.translate.evaluating import value_of
from verifier.tla.translate.expressions import FORMS
from verifier.tla.translate.membership import has_candidate
from verifier.tla.translate.sets import term_of
from verifier.tla.translate.strict_reading import after, strict
from verifier.tla.translate.symbolic import Sym
from verifier.tla.translate.translator import Rules, Translator


def make_translator(
    evaluator: Interpreter,
    names: Names,
    variables: dict[ast.Variable, Symbol],
    successor: dict[ast.Variable, Symbol],
) -> Translator:
    """Return a translator of a module's expressions, with all rules."""
    return Translator(ALL_RULES, evaluator, names, variables, successor)


def _term_of_one_kind(t: Translator, value: Sym) -> Term:
    """Return a value as a term. Raises Untranslated, also for a set whose members are of several kinds."""
    return term_of(t, require_one_kind_of_parts(t, value))


ALL_RULES = Rules(
    forms=FORMS,
    value=value_of,
    term=_term_of_one_kind,
    fit_kinds=fit_to_sort,
    convert=convert,
    strict=strict,
    after=after,
    has_candidate=has_candidate,
    member_of=member_of,
    require_comparable_parts=require_comparable_parts,
)
