"""The parsed modules in a file, and the errors of unreadable text."""

from __future__ import annotations

import re
from pathlib import Path

from tree_sitter import Node

from verifier.tla.brackets import find_wrong_bracket
from verifier.tla.errors import Place, TlaError
from verifier.tla.misspelling import find_misspelling
from verifier.tla.text import Source, field_of, text_of

_UNITS = {
    "extends", "variable_declaration", "constant_declaration", "operator_definition", "function_definition",
    "module_definition", "instance", "assumption", "theorem", "recursive_declaration", "local_definition",
    "module",
}  # fmt: skip

_DEFINITION = re.compile(r"\s*(\w+)(\([^()]*\)|\[[^\[\]]*\])?\s*==")


def module_node(source: Source, name: str, place: Place) -> Node:
    """Return the module of this name in a file. Raises TlaError."""
    root = source.tree.root_node
    if root.has_error:
        raise _unreadable(source)
    nodes = {
        text_of(field_of(child, "name")): child for child in root.named_children if child.type == "module"
    }
    if not nodes:
        raise TlaError(Place(source.file, 1, 1), "there is no module here: ---- MODULE Name ---- is expected")
    other, node = next(iter(nodes.items()))
    if name not in nodes or (name == Path(source.file).stem and name != other):
        words = f"the file has the module {other}, which should have the file's name, {name}"
        if name in nodes:
            words = f"{words}: that one stands further on"
        raise TlaError(source.place(node), words)
    return nodes[name]


def _unreadable(source: Source) -> TlaError:
    """Return the error for text that the parser could not read."""
    wrong_bracket = find_wrong_bracket(source.text)
    if wrong_bracket is not None:
        offset, mistake = wrong_bracket
        return TlaError(source.place_at(offset), f"syntax error: {mistake}")
    error = _find_unreadable_part(source)
    return find_misspelling(source, error.place.line - 1) or error


def _find_unreadable_part(source: Source) -> TlaError:
    """Return the error for the part at which the parser gave up."""
    error_node: Node | None = None
    node: Node | None = source.tree.root_node
    while node is not None:
        wrong = next((child for child in node.children if child.is_missing), None)
        if wrong is not None:
            # For two adjacent expressions, the parser reads the first as a label.
            what = "an operator, or the :: of a label," if wrong.type == "::" else wrong.type
            return TlaError(source.place(wrong), f"{what} is missing here")
        if node.is_error:
            error_node = node
        node = next((child for child in node.children if child.has_error), None)
    assert error_node is not None
    inside = next((i for i, child in enumerate(error_node.children) if child.type in _UNITS), None)
    if inside is not None:
        # The module is not complete: the first node that is no unit begins the unreadable text.
        known = (*_UNITS, "single_line", "double_line", "header_line")
        begin = next((child for child in error_node.children[inside:] if child.type not in known), None)
        if begin is None or "\n====" not in source.text:
            return TlaError(source.place(error_node.children[-1]), "==== is missing at the end of the module")
        first = text_of(begin).split()[0][:30]
        return TlaError(source.place(begin), f"syntax error in the part that begins here, at `{first}`")
    words = text_of(error_node).split()
    row, column = error_node.start_point
    definition = _DEFINITION.match(source.lines[row].encode()[: column + 1].decode(errors="replace"))
    if definition is not None and words[:1] == ["="]:  # the parser takes the name for the missing text
        place = Place(source.file, row + 1, definition.start(1) + 1)
        mistake = f"the text before the definition of {definition[1]} is incomplete"
        return TlaError(place, f"syntax error: {mistake}")
    shown = f"`{words[0][:30]}`" if words else "end of the text"
    hint = "; a definition is written with ==" if shown in ("`=`", "`:=`") else ""
    return TlaError(source.place(error_node), f"syntax error: unexpected {shown}{hint}")


def lines_of(module: Node) -> dict[str, int]:
    """Return the lines of the definitions of a module."""
    units = [
        inner
        for unit in module.named_children
        for inner in (unit.named_children if unit.type == "local_definition" else [unit])
    ]
    defined = [unit for unit in units if unit.type in ("operator_definition", "function_definition")]
    return {text_of(field_of(unit, "name")): unit.start_point.row + 1 for unit in defined}
