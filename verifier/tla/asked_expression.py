"""Expressions that a reader asks about: text that a module could have, with the names of the module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from verifier.tla.ast import Definition, Expression
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
from verifier.tla.value_types import ModelValue

SHOWN = "the expression"
"""The name of the text in errors."""
_NAME, _MODULE = "AskedExpression", "AskedModule"
_LINES_BEFORE = 3
_WORD = re.compile(r"\w+")


def read_expression(spec: Specification, folder: Path, text: str) -> Formula:
    """Return an expression over a state, given as text. Raises TlaError with the place in that text.

    ``folder``: where the module stands. Model values may be named, unless the text binds their names.
    """
    model_values = _find_model_values(spec, text)
    try:
        body = _read(spec, folder, text, {})
    except TlaError:
        if not model_values:
            raise
        body = _read(spec, folder, text, model_values)
    formula = Formula(body, spec.module.name)
    if spec.evaluator.analysis.of(formula.body, formula.module).level > STATE:
        raise TlaError(Place(SHOWN, 1, 1), "it is about more than one state")
    spec.refuse_by_value([formula])
    return formula


def _read(spec: Specification, folder: Path, text: str, model_values: Mapping[str, ModelValue]) -> Expression:
    """Return an expression, in which constants with the names of model values have these values."""
    declared = f" CONSTANTS {', '.join(model_values)}" if model_values else ""
    written = f"---- MODULE {_MODULE} ----\nEXTENDS {spec.module.name}{declared}\n{_NAME} ==\n{text}\n====\n"
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
    for constant in made.constants:
        if constant.name in model_values:
            spec.evaluator.constants[constant] = model_values[constant.name]
    return asked.body


def _find_model_values(spec: Specification, text: str) -> dict[str, ModelValue]:
    """Return the model values that a text names. The module does not declare them, but readers see them in
    states. A name of the module means what it means there."""
    known, names = spec.evaluator.model_values, spec.module.names
    return {word: known[word] for word in _WORD.findall(text) if word in known and word not in names}


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
