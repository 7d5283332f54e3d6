"""Expressions that a reader asks about: text that a module could have, with the names of the module."""

from __future__ import annotations

from pathlib import Path

from verifier.tla.ast import Definition
from verifier.tla.contexts import Context
from verifier.tla.errors import Place, TlaError
from verifier.tla.facts import STATE
from verifier.tla.levels import check_levels
from verifier.tla.loading import Library
from verifier.tla.modules import Reader
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.text import parse_text
from verifier.tla.texts_of_modules import module_node

SHOWN = "the expression"
"""The name of the text in errors."""
_NAME, _MODULE = "AskedExpression", "AskedModule"
_LINES_BEFORE = 3


def read_expression(spec: Specification, folder: Path, text: str) -> Formula:
    """Return an expression over a state, given as text. Raises TlaError with the place in that text.

    ``folder``: where the module stands.
    """
    written = f"---- MODULE {_MODULE} ----\nEXTENDS {spec.module.name}\n{_NAME} ==\n{text}\n====\n"
    source = parse_text(written, SHOWN)
    context = Context(Library((folder,)))
    context.read[spec.module.name] = spec.module
    try:
        made = Reader(context, source).module(module_node(source, _MODULE, Place(SHOWN, 0, 0)))
        check_levels(made)
    except TlaError as error:
        words = error.words if _is_in_text(error.place) else "this cannot be read as an expression"
        raise TlaError(place_in_text(error.place), words) from None
    own = [name for name, one in made.names.items() if isinstance(one, Definition) and one.module == _MODULE]
    asked = made.names[_NAME]
    if own != [_NAME] or not isinstance(asked, Definition) or asked.body is None:
        raise TlaError(Place(SHOWN, 1, 1), "one expression is expected here, and this is more")
    formula = Formula(asked.body, spec.module.name)
    if spec.evaluator.analysis.of(formula.body, formula.module).level > STATE:
        raise TlaError(Place(SHOWN, 1, 1), "it speaks of more than one state")
    spec.refuse_by_value([formula])
    return formula


def place_in_text(place: Place) -> Place:
    """Return a place in the text that was asked, if it is in the module made of that text."""
    if place.file != SHOWN:
        return place
    return (
        Place(SHOWN, place.line - _LINES_BEFORE, place.column) if _is_in_text(place) else Place(SHOWN, 1, 1)
    )


def _is_in_text(place: Place) -> bool:
    """True for other files, too: the text names what stands there."""
    return place.file != SHOWN or place.line > _LINES_BEFORE
