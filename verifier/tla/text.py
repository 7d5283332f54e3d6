"""The text of a file as the parser gets it: comments blanked, and how places in it are counted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import tree_sitter
import tree_sitter_tlaplus

from verifier.files import bytes_of, did_you_mean
from verifier.processes.interrupts import causes_of
from verifier.processes.limits import Interrupted
from verifier.tla.errors import Place, TlaError
from verifier.tla.precedence import INFIX, POSTFIX, PREFIX, canonical

# A quotation mark behind a backslash begins no string, and dashes are taken at once: else the time would grow
# with the square of their number.
_TOKEN = re.compile(
    r'(?<!\\)"(?:\\.|[^"\\\n])*"|\\\*[^\n]*|\(\*|\*\)|(?P<begin>-{4,}+[ \t]*MODULE\b)|-{4,}+'
    r"|(?P<end>={4,}+)",
    re.DOTALL,
)
_TAB = re.compile(r'(?<!\\)"(?:\\.|[^"\\\n])*"|\t')
_FIELD = re.compile(
    r"""(?<!\\)"(?:\\.|[^"\\\n])*"|(?P<before>[\[,]\s*|(?<!\.)\.\s*)"""
    r"(?P<name>Nat|Int|Real|TRUE|FALSE|BOOLEAN|STRING)\b(?P<after>\s*(?:\|->|:(?![:>=])))?"
)
"""Names of fields that the grammar takes for words of the language."""
_SYMBOL = re.compile(
    r'(?<!\\)"(?:\\.|[^"\\\n])*"|(?<=[\w)@:]!)(?P<symbol>\\[A-Za-z]++|[-+*/^%#$?&|=<>.:@~]++)(?!\s*\()'
)
"""An operator of an instance or a LET behind ``!``, without arguments: the grammar reads only names there."""
_SELECTORS = {"<<", ">>", ":", "@"}
_LET = re.compile(r'(?<!\\)"(?:\\.|[^"\\\n])*"|\b(?:LET|IN|LOCAL(?!\s+(?:LOCAL|INSTANCE|RECURSIVE)\b))\b')
"""What says whether LOCAL stands in a LET: SANY takes it before a definition there, the grammar does not."""
_WITH_FIELDS = {
    *("record_literal", "set_of_records", "record_value", "except_update_record_field"),
    *("prefixed_op", "subexpr_component", "subexpression"),
}
_TAB_STOP = 8
_READ_AT_ONCE = 1 << 12
"""Bytes that the parser reads at once, and all names of nodes are cut out of."""
_MODULE = re.compile(r"(?<!-)-{4,}+[ \t]*MODULE\b")
with warnings.catch_warnings():
    # The grammar's package gives its language in a way that the parser will drop some day.
    warnings.simplefilter("ignore", DeprecationWarning)
    _LANGUAGE = tree_sitter.Language(tree_sitter_tlaplus.language())


@dataclass(frozen=True)
class Source:
    """A parsed file."""

    file: str
    text: str
    tree: tree_sitter.Tree
    fields: Mapping[int, str] = field(default_factory=dict)
    """The names of fields and the operators that the grammar cannot read, by the byte where each begins. The
    tree has names of the same length for them."""
    own: bool = False
    """Whether it is a module of this program."""
    written: str = ""
    """What the file says, comments included."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    def name_of(self, node: tree_sitter.Node) -> str:
        """The name of a field, or the operator behind ``!``."""
        return self.fields.get(node.start_byte) or text_of(node)

    def place(self, node: tree_sitter.Node) -> Place:
        """Where a node stands."""
        return Place(self.file, *self._point(node.start_point), end=self._point(node.end_point))

    def _point(self, point: tuple[int, int]) -> tuple[int, int]:
        """The line and column, in characters from 1, of what the tree counts in bytes from 0."""
        row, column = point
        line = self.lines[row].encode() if not self.text.isascii() else b""
        return row + 1, (len(line[:column].decode(errors="replace")) if line else column) + 1


def parse(path: Path, shown: str) -> Source:
    """The file as a tree, its comments blanked. Raises TlaError if it cannot be read."""
    try:
        raw = bytes_of(path)
    except OSError as error:
        raise TlaError(
            Place(shown, 0, 0), f"the module cannot be read: {error.strerror}{did_you_mean(path, '.tla')}"
        ) from None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        words = f"byte {error.start} is no UTF-8: save the module as UTF-8"
        raise TlaError(Place(shown, 0, 0), words) from None
    written = text.replace("\r\n", "\n")
    return replace(parse_text(written, shown), written=written)


def parse_text(text: str, shown: str) -> Source:
    """The same of text."""
    blanked = _blanked(text, shown)
    whole = _without_local_in_let(blanked)
    readable, fields = _readable_fields(whole)
    readable, symbols = _readable_symbols(readable)
    fields |= symbols
    tree = _parsed(readable)
    if all(_is_field(tree, begin) for begin in fields):
        return Source(shown, blanked, tree, fields)
    return Source(shown, blanked, _parsed(whole))


def _parsed(text: str) -> tree_sitter.Tree:
    """The tree of a text. What ends this thread's work ends the parser too, which calls back now and then.

    The time grows with the square of the length of a line: at each token the grammar asks for its column,
    which the parser counts from the beginning of the line.
    """
    data, stops = text.encode(), list[BaseException]()

    def read(offset: int, _: object) -> bytes:
        return data[offset : offset + _READ_AT_ONCE]

    def is_stopped(*_: object) -> bool:
        try:
            return _call_back()
        except (KeyboardInterrupt, Interrupted) as stop:
            stops.append(stop)
            return True

    try:
        return tree_sitter.Parser(_LANGUAGE).parse(read, encoding="utf8", progress_callback=is_stopped)
    except (SystemError, ValueError) as error:
        stops += [cause for cause in causes_of(error) if isinstance(cause, KeyboardInterrupt | Interrupted)]
        if not stops:
            raise
        raise stops[0] from None


def _call_back() -> bool:
    """Any call of a function: here an exception arrives that a signal or another thread raises."""
    return False


def _is_field(tree: tree_sitter.Tree, begin: int) -> bool:
    """Whether the name that begins at this byte is one of a field, and no other name."""
    node = tree.root_node.descendant_for_byte_range(begin, begin + 1)
    return node is not None and node.parent is not None and node.parent.type in _WITH_FIELDS


def _without_local_in_let(text: str) -> str:
    """The text with spaces for each LOCAL in a LET, where it says nothing."""
    if "LOCAL" not in text:
        return text
    depth = 0

    def put(found: re.Match[str]) -> str:
        nonlocal depth
        word = found.group()
        depth += (word == "LET") - (word == "IN")
        return " " * len(word) if depth > 0 and word == "LOCAL" else word

    return _LET.sub(put, text)


def _readable_fields(text: str) -> tuple[str, dict[int, str]]:
    """The text as the grammar gets it, and the names of fields that it gets in another way: ``r.Nat`` as
    ``r.Na0``. They may be names of fields by where they stand: behind a dot, or between ``[`` or ``,`` and
    ``|->`` or ``:``."""
    fields: dict[int, str] = {}

    def put(found: re.Match[str]) -> str:
        name = found["name"]
        if name is None or not (found["after"] or found["before"].startswith(".")):
            return found.group()
        fields[len(text[: found.start("name")].encode())] = name
        return f"{found['before']}{name[:-1]}0{found['after'] or ''}"

    return _FIELD.sub(put, text), fields


def _readable_symbols(text: str) -> tuple[str, dict[int, str]]:
    """The text with a name for each operator behind ``!``, ``I!zz`` for ``I!++``, and these operators."""
    symbols: dict[int, str] = {}

    def put(found: re.Match[str]) -> str:
        symbol = found["symbol"]
        if symbol is None or symbol in _SELECTORS or canonical(symbol) not in {*INFIX, *POSTFIX, *PREFIX}:
            return found.group()
        symbols[len(text[: found.start()].encode())] = symbol
        return "z" * len(symbol)

    return _SYMBOL.sub(put, text), symbols


_OPEN, _CLOSED = re.compile(r"\(+$"), re.compile(r"[\s)]*\)")


def _blanked(text: str, shown: str) -> str:
    """What places are counted in."""
    return _with_spaces(without_comments(text, shown))


def said_at(place: Place) -> str:
    """What a module says at a place, on one line. Empty if its file cannot be read any more."""
    try:
        whole = _blanked(bytes_of(Path(place.file)).decode().replace("\r\n", "\n"), place.file)
    except (OSError, UnicodeDecodeError, TlaError):
        return ""
    begins = list(accumulate((len(line) + 1 for line in whole.split("\n")), initial=0))
    if not 0 < place.line <= place.end[0] < len(begins):  # it was changed, or is no part of a module
        return ""
    first, last = begins[place.line - 1] + place.column - 1, begins[place.end[0] - 1] + place.end[1] - 1
    own = whole[first:last]
    opened = closed = 0  # of the parentheses whose others are outside: no expression begins or ends with any
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
    """The text with comments, and what stands around the modules, replaced by spaces of the same length.

    Raises TlaError for a comment that does not end.
    """
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
    # A comment that begins behind the modules needs no end: nothing means anything there.
    return "".join([*pieces, _blank(rest) if depth else rest])


def _inside(text: str, token: re.Match[str], depth: int, position: int, pieces: list[str]) -> tuple[int, int]:
    """What a quoted or commented word means inside a block comment: only its brackets count."""
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
    """The text with spaces up to the next multiple of 8 for each tab, as SANY counts: lists of conjuncts and
    disjuncts end by columns. Tabs in strings stay."""
    if "\t" not in text:
        return text
    return "\n".join(_line_with_spaces(line) if "\t" in line else line for line in text.split("\n"))


def _line_with_spaces(line: str) -> str:
    pieces, column, end = [], 0, 0
    for found in _TAB.finditer(line):
        column += found.start() - end
        width = len(found.group()) if found.group() != "\t" else _TAB_STOP - column % _TAB_STOP
        pieces += [line[end : found.start()], " " * width if found.group() == "\t" else found.group()]
        column, end = column + width, found.end()
    return "".join([*pieces, line[end:]])


def text_of(node: tree_sitter.Node) -> str:
    """The text that a node is."""
    assert node.text is not None
    return node.text.decode()


def field_of(node: tree_sitter.Node, name: str) -> tree_sitter.Node:
    """The child of a node by the name of its field in the grammar."""
    found = next((child for child in node.children_by_field_name(name) if child.is_named), None)
    assert found is not None, (node.type, name)
    return found
