"""The question of a run, in the protocol's words: formulas and documentation of properties and actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from verifier.encodings.printing import text
from verifier.specs.definition import Definition, Property, PropertyKind
from verifier.verdict import OF_STEPS

_LONGEST = 600
"""The most characters of a formula: nobody reads more."""
_TRUE = "true"
_WITHOUT_FORMULA = (PropertyKind.UNDEFINED_READ,)

TEMPORAL_PROPERTY = "temporal property"
"""The kind of a property of executions, in the JSON output."""


def describe_asked_properties(definition: Definition, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return for each property, or lemma, its kind, its formula and its documentation."""
    built_in = {
        title: {"kind": "built in", "says": "", "description": words}
        for title, words in (
            (definition.titles.no_deadlock, "In every reachable state some action is enabled."),
            (definition.titles.sorts, "No value leaves the sorts found for the variables."),
            (definition.titles.undefined_read, "Nothing reads what has no value."),
        )
    }
    of_states = {prop.name: _of_property(definition, prop) for prop in definition.properties}
    lasting = {
        prop.name: {
            "kind": TEMPORAL_PROPERTY,
            "says": _says(definition, prop.name, partial(str, prop.formula)),
            "description": _plain(prop.description),
        }
        for prop in definition.temporal
    }
    lemmas = {
        lemma.name: {
            "kind": "lemma",
            "says": _says(definition, lemma.name, partial(text, lemma.formula, longest=_LONGEST)),
            "description": _plain(lemma.description),
        }
        for lemma in definition.lemmas
    }
    known, asked = {**lemmas, **built_in, **lasting, **of_states}, list(names)
    for name in lasting.keys() & of_states.keys():  # such as []P /\\ <>Q: each part is decided apart
        known[name] = {**known[name], "kind": f"{of_states[name]['kind']} and {lasting[name]['kind']}"}
    for name in asked:
        part = f"{name}{OF_STEPS}"
        if part in of_states and part in asked:  # each part of the formula has a verdict of its own
            known[name] = {**known[name], "kind": f"{known[name]['kind']}: the part about states"}
            known[part] = {**known[part], "kind": f"{known[part]['kind']}: the part about steps"}
        elif part in of_states:
            known[name] = {**known[name], "kind": f"{known[name]['kind']} and {of_states[part]['kind']}"}
    return {name: known[name] for name in asked if name in known}


def document_actions(definition: Definition) -> dict[str, str]:
    """The documentation of the actions that have some."""
    return {a.name: _plain(a.description) for a in definition.actions if a.description}


def place_actions(definition: Definition) -> dict[str, str]:
    """Return the place of each action: the file without its folder, and the line."""
    return {a.name: re.split(r"[/\\]", a.place)[-1] for a in definition.actions if a.place}


def _of_property(definition: Definition, prop: Property) -> dict[str, str]:
    says = ""
    if prop.kind not in _WITHOUT_FORMULA:
        says = _says(definition, prop.name, lambda: text(prop.formula, longest=_LONGEST))
        says = "" if says == _TRUE else says  # its description says what it claims beyond that
    return {"kind": prop.kind.value, "says": says, "description": _plain(prop.description)}


def _says(definition: Definition, name: str, of_protocol: Callable[[], str]) -> str:
    """Return a property's formula: the text of a module, the formula for all constants, or else the printed
    formula of a protocol. The formulas of a module that is not translated cannot be read."""
    said = definition.presentation.says
    whole = said.get(name, "") if definition.presentation.config or name in said else of_protocol()
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]} …"


def _plain(words: str) -> str:
    """A text on one line, without the marks of code."""
    return " ".join(words.replace("``", "").split())
