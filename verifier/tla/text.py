"""The text of a file for the parser: comments are blanked, and places are counted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path

import tree_sitter
import tree_sitter_tlaplus

from verifier.files import bytes_of, did_you_mean
from verifier.processes.interrupts import causes_of
from verifier.processes.limits import Interrupted
from verifier.tla.errors import Place, TlaError
from verifier.tla.precedence import INFIX, POSTFIX, PREFIX, canonical

_STRING = r'(?<!\\)"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
"""A string; a quotation mark after a backslash begins none. Its characters are matched many at once, since no
signal is heard within a match."""
# Dashes are matched at once: otherwise the time would be quadratic in their number.
_TOKEN = re.compile(
    _STRING + r"|\\\*[^\n]*|\(\*|\*\)|(?P<begin>-{4,}+[ \t]*MODULE\b)|-{4,}+"
    r"|(?P<end>={4,}+)",
    re.DOTALL,
)
_TAB = re.compile(_STRING + r"|\t")
_FIELD = re.compile(
    _STRING + r"""|(?P<before>[\[,]\s*|(?<!\.)\.\s*)"""
    r"(?P<name>Nat|Int|Real|TRUE|FALSE|BOOLEAN|STRING)\b(?P<after>\s*(?:\|->|:(?![:>=])))?"
)
"""Names of fields that the grammar reads as words of the language."""
_SYMBOL = re.compile(_STRING + r"|(?<=[\w)@:]!)(?P<symbol>\\[A-Za-z]++|[-+*/^%#$?&|=<>.:@~]++)(?!\s*\()")
"""An operator of an instance or a LET behind ``!``, without arguments: the grammar reads only names there."""
_SELECTORS = {"<<", ">>", ":", "@"}
_LET = re.compile(_STRING + r"|\b(?:LET|IN|LOCAL(?!\s+(?:LOCAL|INSTANCE|RECURSIVE)\b))\b")
"""The tokens that decide whether LOCAL is in a LET. SANY accepts it before a definition there, but the
grammar does not."""
_WITH_FIELDS = {
    *("record_literal", "set_of_records", "record_value", "except_update_record_field"),
    *("prefixed_op", "subexpr_component", "subexpression"),
}
_TAB_STOP = 8
_READ_AT_ONCE = 1 << 7
"""The bytes that the parser reads at once. py-tree-sitter 0.26 never frees what it is given, and it
reads again at each token: with 4 KiB, a text of 100 KB left 40 MiB behind."""
_MODULE = re.compile(r"(?<!-)-{4,}+[ \t]*MODULE\b")
with warnings.catch_warnings():
    # The grammar's package passes its language in a way that the parser deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    _LANGUAGE = tree_sitter.Language(tree_sitter_tlaplus.language())


@dataclass(frozen=True)
class Source:
    """A parsed file."""

    file: str
    text: str
    tree: tree_sitter.Tree
    fields: Mapping[int, str] = field(default_factory=dict)
    """The names of fields that the grammar cannot read, by the byte where each begins. The tree has other
    names of the same length in their place."""
    own: bool = False
    """True if it is a module of this program."""
    written: str = ""
    """The text of the file, with comments."""

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines of the text."""
        return self.text.split("\n")

    def name_of(self, node: tree_sitter.Node) -> str:
        """The name of a field, or the operator behind ``!``."""
        return self.fields.get(node.start_byte) or text_of(node)

    def place(self, node: tree_sitter.Node) -> Place:
        """Return the place of a node."""
        return Place(self.file, *self._point(node.start_point), end=self._point(node.end_point))

    def place_at(self, offset: int) -> Place:
        """Return the place of a character of the text."""
        begin = self.text.rfind("\n", 0, offset)
        return Place(self.file, self.text.count("\n", 0, offset) + 1, offset - begin)

    def _point(self, point: tuple[int, int]) -> tuple[int, int]:
        """Return the line and column, in characters from 1, for a point that the tree counts in bytes from
        0."""
        row, column = point
        line = self.lines[row].encode() if not self.text.isascii() else b""
        return row + 1, (len(line[:column].decode(errors="replace")) if line else column) + 1


def parse(path: Path, shown: str) -> Source:
    """Parse a file, with its comments blanked. Raises TlaError if it cannot be read."""
    try:
        raw = bytes_of(path)
    except OSError as error:
        raise TlaError(
            Place(shown, 0, 0), f"the module cannot be read: {error.strerror}{did_you_mean(path, '.tla')}"
        ) from None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        words = f"byte {error.start} is not UTF-8: save the module as UTF-8"
        raise TlaError(Place(shown, 0, 0), words) from None
    written = text.replace("\r\n", "\n")
    return replace(parse_text(written, shown), written=written)


def parse_text(text: str, shown: str) -> Source:
    """Parse a text, with its comments blanked."""
    blanked = _blank_out(text, shown)
    whole = _without_local_in_let(blanked)
    readable, fields = _readable_fields(whole)
    readable, symbols = _readable_symbols(readable)
    fields |= symbols
    tree = _parse(readable)
    if all(_is_field(tree, begin) for begin in fields):
        return Source(shown, blanked, tree, fields)
    return Source(shown, blanked, _parse(whole))


def _parse(text: str) -> tree_sitter.Tree:
    """Return the tree of a text. An exception that ends this thread's work also ends the parser, which calls
    back regularly. The time is quadratic in the length of a line: at each token the grammar asks for its
    column, which the parser counts from the beginning of the line.

    A tree of callbacks calls back for the text of each node, and ends the process if an exception arrives
    there (py-tree-sitter, issue 435). So the same bytes are parsed again from this tree, which takes over its
    nodes: that tree has the bytes themselves."""
    data, stops = text.encode(), list[BaseException]()

    def read(offset: int, _: object) -> bytes:
        return data[offset : offset + _READ_AT_ONCE]

    def is_stopped(*_: object) -> bool:
        try:
            return _call_back()
        except (KeyboardInterrupt, Interrupted) as stop:
            stops.append(stop)
            return True

    parser = tree_sitter.Parser(_LANGUAGE)
    try:
        tree = parser.parse(read, encoding="utf8", progress_callback=is_stopped)
    except (SystemError, ValueError) as error:
        stops += [cause for cause in causes_of(error) if isinstance(cause, KeyboardInterrupt | Interrupted)]
        if not stops:
            raise
        raise stops[0] from None
    return parser.parse(data, old_tree=tree, encoding="utf8")


def _call_back() -> bool:
    """Run Python code, so that an exception from a signal or another thread can arrive."""
    return False


def _is_field(tree: tree_sitter.Tree, begin: int) -> bool:
    """True if the name that begins at this byte is the name of a field."""
    node = tree.root_node.descendant_for_byte_range(begin, begin + 1)
    return node is not None and node.parent is not None and node.parent.type in _WITH_FIELDS


def _without_local_in_let(text: str) -> str:
    """Return the text with spaces for each LOCAL in a LET, where it has no meaning."""
    if "LOCAL" not in text:
        return text
    depth = 0

    def put(match: re.Match[str]) -> str:
        nonlocal depth
        word = match.group()
        depth += (word == "LET") - (word == "IN")
        return " " * len(word) if depth > 0 and word == "LOCAL" else word

    return _LET.sub(put, text)


def _readable_fields(text: str) -> tuple[str, dict[int, str]]:
    """Return the text for the grammar, and the names of fields that are replaced in it: ``r.Nat`` by
    ``r.Na0``. Names at these places may be fields: after a dot, or between ``[`` or ``,`` and ``|->`` or
    ``:``."""
    fields: dict[int, str] = {}

    def put(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None or not (match["after"] or match["before"].startswith(".")):
            return match.group()
        fields[len(text[: match.start("name")].encode())] = name
        return f"{match['before']}{name[:-1]}0{match['after'] or ''}"

    return _FIELD.sub(put, text), fields


def _readable_symbols(text: str) -> tuple[str, dict[int, str]]:
    """The text with a name for each operator behind ``!``, ``I!zz`` for ``I!++``, and these operators."""
    symbols: dict[int, str] = {}

    def put(match: re.Match[str]) -> str:
        symbol = match["symbol"]
        if symbol is None or symbol in _SELECTORS or canonical(symbol) not in {*INFIX, *POSTFIX, *PREFIX}:
            return match.group()
        symbols[len(text[: match.start()].encode())] = symbol
        return "z" * len(symbol)

    return _SYMBOL.sub(put, text), symbols


_OPEN, _CLOSED = re.compile(r"\(+$"), re.compile(r"[\s)]*\)")


@lru_cache(maxsize=16)  # an execution of ten steps asks for hundreds of places, in few files
def _blank_out(text: str, shown: str) -> str:
    """Return the text in which places are counted."""
    return _with_spaces(without_comments(text, shown))


def text_at(place: Place) -> str:
    """Return the text of a module at a place, on one line. Empty if its file cannot be read any more."""
    try:
        whole = _blank_out(bytes_of(Path(place.file)).decode().replace("\r\n", "\n"), place.file)
    except (OSError, UnicodeDecodeError, TlaError):
        return ""
    begins = list(accumulate((len(line) + 1 for line in whole.split("\n")), initial=0))
    if not 0 < place.line <= place.end[0] < len(begins):  # it was changed, or is not part of a module
        return ""
    first, last = begins[place.line - 1] + place.column - 1, begins[place.end[0] - 1] + place.end[1] - 1
    own = whole[first:last]
    opened = closed = 0  # parentheses whose partners are outside: no expression begins or ends with one
    for character in own:
        if character == "(":
            opened += 1
        elif character == ")" and opened:
            opened -= 1
        elif character == ")":
            closed += 1
    before, after = _OPEN.search(whole[:first]), _CLOSED.match(whole[last:])
    if closed and before is not None:
        own = before.group()[-closed:] + own
    if opened and after is not None:
        own += after.group().replace(" ", "")[:opened]
    return " ".join(own.split())


def without_comments(text: str, file: str) -> str:
    """Return the text with spaces for comments and for text outside the modules. Raises TlaError for a
    comment that does not end."""
    begin = _MODULE.search(text)
    if begin is None:
        return text
    pieces = [_blank(text[: begin.start()])]
    position, depth, opened, modules = begin.start(), 0, begin.start(), 0
    for token in _TOKEN.finditer(text, begin.start()):
        if token.start() < position:
            continue
        word = token.group()
        if depth == 0:
            modules += bool(token["begin"]) - bool(token["end"])
        if word == "(*":
            if depth == 0:
                pieces.append(text[position : token.start()])
                position = opened = token.start()
            depth += 1
        elif word == "*)" and depth:
            depth -= 1
            if depth == 0:
                pieces.append(_blank(text[position : token.end()]))
                position = token.end()
        elif word.startswith("\\*") and depth == 0:
            pieces += [text[position : token.start()], _blank(word)]
            position = token.end()
        elif depth and word.startswith(('"', "\\*")) and ("(*" in word or "*)" in word):
            depth, position = _inside(text, token, depth, position, pieces)
    rest = text[position:]
    if depth and modules > 0:
        line = text.count("\n", 0, opened) + 1
        column = opened - text.rfind("\n", 0, opened)
        raise TlaError(Place(file, line, column), "this comment does not end: *) is missing")
    # A comment that begins after the modules needs no end: text there has no meaning.
    return "".join([*pieces, _blank(rest) if depth else rest])


def _inside(text: str, token: re.Match[str], depth: int, position: int, pieces: list[str]) -> tuple[int, int]:
    """Handle a quoted or commented word inside a block comment: only its comment brackets count."""
    for bracket in re.finditer(r"\(\*|\*\)", token.group()):
        depth += 1 if bracket.group() == "(*" else -1
        if depth == 0:
            end = token.start() + bracket.end()
            pieces.append(_blank(text[position:end]))
            return 0, end
    return depth, position


def _blank(text: str) -> str:
    return re.sub(r"[^\n\t]", " ", text)


def _with_spaces(text: str) -> str:
    """Return the text with spaces for each tab, up to the next multiple of 8, as SANY counts. Lists of
    conjuncts and disjuncts end by columns. Tabs in strings stay."""
    if "\t" not in text:
        return text
    return "\n".join(_line_with_spaces(line) if "\t" in line else line for line in text.split("\n"))


def _line_with_spaces(line: str) -> str:
    pieces, column, end = [], 0, 0
    for tab in _TAB.finditer(line):
        column += tab.start() - end
        width = len(tab.group()) if tab.group() != "\t" else _TAB_STOP - column % _TAB_STOP
        pieces += [line[end : tab.start()], " " * width if tab.group() == "\t" else tab.group()]
        column, end = column + width, tab.end()
    return "".join([*pieces, line[end:]])


def text_of(node: tree_sitter.Node) -> str:
    """Return the text of a node."""
    assert node.text is not None
    return node.text.decode()


def field_of(node: tree_sitter.Node, name: str) -> tree_sitter.Node:
    """Return the child of a node by the name of its field in the grammar."""
    field = next((child for child in node.children_by_field_name(name) if child.is_named), None)
    assert field is not None, (node.type, name)
    return field
