"""TLC's configurations: the files ``*.cfg``.

Source: Specifying Systems (Lamport, 2002), chapter 14; in tlaplus/tlaplus,
``tlc2.tool.impl.ModelConfig``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from verifier.errors import nearest
from verifier.files import did_you_mean, text_of
from verifier.tla.errors import Place, TlaError, integer
from verifier.tla.precedence import canonical

_TOKEN = re.compile(
    r"""(?P<space>\s+|\\\*[^\n]*)|(?P<comment>\(\*)|(?P<string>"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<number>-?\d+(?![A-Za-z0-9_]))|(?P<name>[A-Za-z0-9_!]+)|(?P<sign><-|[{}\[\]=,()])"""
    r"""|(?P<operator>\\[A-Za-z]+|\.\.\.?|[-+*/^<>|&@#$%?]+)"""
)
_SECTION = re.compile(r"^-{4,}[ \t]*CONFIG[ \t]+(?P<name>\w+)[ \t]*-{4,}(?P<body>.*?)^={4,}", re.M | re.S)
_LISTS = {
    "INVARIANT": "invariants", "INVARIANTS": "invariants", "PROPERTY": "properties",
    "PROPERTIES": "properties", "CONSTRAINT": "constraints", "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints", "ACTION_CONSTRAINTS": "action_constraints",
    "SYMMETRY": "symmetry", "_POSSIBLE": "possible",
    "POSTCONDITION": "postconditions", "POSTCONDITIONS": "postconditions",
}  # fmt: skip
_SINGLE = {
    "SPECIFICATION": "specification", "INIT": "init", "NEXT": "next", "VIEW": "view", "ALIAS": "alias",
    "_PERIODIC": "periodic",
}  # fmt: skip
_CONSTANTS = ("CONSTANT", "CONSTANTS")
KEYWORDS = (*_LISTS, *_SINGLE, *_CONSTANTS, "CHECK_DEADLOCK")


@dataclass(frozen=True)
class ModelName:
    """A model value, by its name."""

    name: str


ConfigValue: TypeAlias = "int | bool | str | ModelName | frozenset[ConfigValue]"


@dataclass(frozen=True)
class Named:
    """A name and its place in the file."""

    name: str
    place: Place


@dataclass(frozen=True)
class Assignment:
    """``name = value``, ``name <- operator`` or, several times, ``name(arguments) = value``.

    With ``module``, it holds only in the text of that module.
    """

    name: str
    place: Place
    value: ConfigValue | None = None
    operator: str | None = None
    module: str | None = None
    table: tuple[tuple[tuple[ConfigValue, ...], ConfigValue], ...] = ()
    """The values of an operator, each with its arguments."""
    words: tuple[str, ...] = ()
    """The names and strings of a value of ``--set``, in order."""


@dataclass
class Config:
    """The content of a configuration."""

    file: str
    specification: Named | None = None
    init: Named | None = None
    next: Named | None = None
    view: Named | None = None
    alias: Named | None = None
    periodic: Named | None = None
    invariants: list[Named] = field(default_factory=list)
    properties: list[Named] = field(default_factory=list)
    constraints: list[Named] = field(default_factory=list)
    action_constraints: list[Named] = field(default_factory=list)
    symmetry: list[Named] = field(default_factory=list)
    possible: list[Named] = field(default_factory=list)
    postconditions: list[Named] = field(default_factory=list)
    constants: dict[tuple[str | None, str], Assignment] = field(default_factory=dict)
    """The assignments by module and name. The module is None for an assignment that holds everywhere."""
    check_deadlock: bool = True
    warnings: list[str] = field(default_factory=list)
    """Texts that TLC reads differently."""
    words: list[tuple[str, str]] = field(default_factory=list)
    """Names and strings in TLC's order, that of the text, each with the constant in whose value it stands."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: Place


def read_config(path: Path) -> Config:
    """Read the configuration in a file. Raises TlaError."""
    try:
        text = text_of(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        words = f"the configuration cannot be read: {reason}{did_you_mean(path, '.cfg')}"
        raise TlaError(Place(str(path), 0, 0), words) from None
    return parse_config(_section(text, path) if path.suffix == ".tla" else text, str(path))


def _section(text: str, path: Path) -> str:
    """Return the configuration inside the file of a module, with the line numbers of the file."""
    for section in _SECTION.finditer(text):
        if section["name"] == path.stem:
            return "\n" * text.count("\n", 0, section.start("body")) + section["body"]
    raise TlaError(Place(str(path), 0, 0), f"there is no configuration here: ---- CONFIG {path.stem} ----")


def parse_config(text: str, file: str) -> Config:
    """Parse a configuration. Raises TlaError."""
    return _Parser(list(_tokens(text, file)), Config(file)).parse()


def parse_value(text: str, file: str) -> Assignment:
    """Parse a value of ``--set``: the text after ``=`` in a configuration, or ``<-Operator``. Raises
    TlaError."""
    tokens = [_Token("name", "value", Place(file, 0, 0))]
    if not text.lstrip().startswith("<-"):
        tokens.append(_Token("sign", "=", Place(file, 0, 0)))
    try:
        tokens += [_Token(token.kind, token.text, Place(file, 0, 0)) for token in _tokens(text, file)]
    except TlaError as error:
        raise TlaError(Place(file, 0, 0), error.words) from None
    parser = _Parser(tokens, Config(file))
    assignment = parser.assignment()
    if parser.position < len(tokens):
        raise TlaError(
            Place(file, 0, 0), f"{text} is not a value: a number, a string, a name or a set is expected"
        )
    return replace(assignment, words=tuple(word for _, word in parser.config.words))


def _tokens(text: str, file: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        line = text.count("\n", 0, position) + 1
        place = Place(file, line, position - text.rfind("\n", 0, position))
        token = _TOKEN.match(text, position)
        if token is None:
            words = f"{text[position]!r} is not expected in a configuration"
            known = "its values are numbers, strings, names and sets of them"
            raise TlaError(place, f"{words}: {known}; for others say N <- Op, and Op == … in the module")
        kind = str(token.lastgroup)
        position = token.end()
        if kind == "comment":
            position = _after_comment(text, position, place)
        elif kind != "space":
            yield _Token(kind, token.group(), place)


def _after_comment(text: str, position: int, place: Place) -> int:
    depth = 1
    for bracket in re.finditer(r"\(\*|\*\)", text[position:]):
        depth += 1 if bracket.group() == "(*" else -1
        if depth == 0:
            return position + bracket.end()
    raise TlaError(place, "this comment does not end: *) is missing")


@dataclass
class _Parser:
    tokens: list[_Token]
    config: Config
    position: int = 0
    deadlock_said: bool = False
    assigned: str = ""

    def peek(self) -> _Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, wanted: str) -> _Token:
        token = self.peek()
        if token is None:
            last = self.tokens[-1].place if self.tokens else Place(self.config.file, 1, 1)
            words = "the configuration ends after this" if last.line else "the value ends too early"
            raise TlaError(last, f"{words}: {wanted} is expected")
        self.position += 1
        return token

    def parse(self) -> Config:
        while (token := self.peek()) is not None:
            self.position += 1
            if token.text in _CONSTANTS:
                self._constants()
            elif token.text in _LISTS:
                getattr(self.config, _LISTS[token.text]).extend(self._names(token))
            elif token.text in _SINGLE:
                self._single(token)
            elif token.text == "CHECK_DEADLOCK":
                self._check_deadlock()
            else:
                near = nearest(token.text, KEYWORDS)
                hint = f"; did you mean {near}?" if near else f" ({', '.join(KEYWORDS)})"
                raise TlaError(token.place, f"{token.text} is not a keyword of a configuration{hint}")
        return self.config

    def _statement_ends(self) -> bool:
        token = self.peek()
        return token is None or token.text in KEYWORDS

    def _names(self, keyword: _Token) -> list[Named]:
        names = []
        while not self._statement_ends():
            token = self.take("a name")
            if token.text == ",":
                self._note_comma(token)
                continue
            names.append(self._name(token, keyword))
        if keyword.text == "SYMMETRY" and len(self.config.symmetry) + len(names) > 1:
            words = "SYMMETRY takes one name: define the union of both sets of permutations"
            raise TlaError(names[-1].place if names else keyword.place, words)
        return names

    def _note_comma(self, token: _Token) -> None:
        self._warn(token, "a comma between names: TLC refuses it")

    def _warn(self, token: _Token, words: str) -> None:
        self.config.warnings.append(f"warning: {token.place}: {words}")

    def _name(self, token: _Token, keyword: _Token) -> Named:
        if token.kind != "name":
            raise TlaError(token.place, f"{token.text} stands here, where {keyword.text} expects a name")
        return Named(token.text, token.place)

    def _single(self, keyword: _Token) -> None:
        attribute = _SINGLE[keyword.text]
        if getattr(self.config, attribute) is not None:
            raise TlaError(keyword.place, f"{keyword.text} stands here a second time")
        if self._statement_ends():
            raise TlaError(keyword.place, f"{keyword.text} needs a name")
        setattr(self.config, attribute, self._name(self.take("a name"), keyword))

    def _check_deadlock(self) -> None:
        token = self.take("TRUE or FALSE")
        if token.text not in ("TRUE", "FALSE"):
            raise TlaError(token.place, f"CHECK_DEADLOCK takes TRUE or FALSE, not {token.text}")
        if self.deadlock_said:
            raise TlaError(token.place, "CHECK_DEADLOCK stands here a second time")
        self.config.check_deadlock, self.deadlock_said = token.text == "TRUE", True

    def _constants(self) -> None:
        while not self._statement_ends():
            token = self.peek()
            if token is not None and token.text == ",":
                self.position += 1
                self._note_comma(token)
                continue
            made = self.assignment()
            key = (made.module, made.name)
            known = self.config.constants.get(key)
            if known is not None and known.table and made.table:
                made = _merge_assignments(known, made)
            elif known is not None and bool(known.table) != bool(made.table) and made.operator is None:
                words = f"{made.name} gets one value, and here or before others for its arguments"
                raise TlaError(made.place, f"{words}: TLC takes one of both forms")
            elif known is not None and known.operator is not None and made.operator is None:
                words = f"warning: {made.place}: {made.name} gets a value, and an operator by <- before"
                self.config.warnings.append(f"{words}: the operator is taken, as by TLC")
                continue
            elif known is not None and (known.value, known.operator) != (made.value, made.operator):
                words = f"warning: {made.place}: {made.name} gets a value a second time"
                self.config.warnings.append(f"{words}: this one is taken, as by TLC")
            self.config.constants[key] = made

    def assignment(self) -> Assignment:
        """Parse ``name = value`` or ``name <- operator``, either with a module."""
        name = self.take("the name of a constant")
        self.assigned = name.text
        if name.kind not in ("name", "number", "operator"):
            raise TlaError(name.place, f"{name.text} stands here, where the name of a constant is expected")
        sign = self.take("= or <-")
        if sign.text == "(":
            return self._table(name)
        if sign.text not in ("=", "<-"):
            near = nearest(name.text, KEYWORDS)
            hint = f"; did you mean {near}?" if near else ""
            place = name.place if near else sign.place
            raise TlaError(place, f"after {name.text}, = or <- is expected, not {sign.text}{hint}")
        module = None
        token = self.peek()
        if token is not None and token.text == "[":
            self.position += 1
            module = self.take("a module").text
            if (closing := self.take("]")).text != "]":
                raise TlaError(closing.place, f"] is expected after the module {module}")
        if sign.text == "=":
            return Assignment(name.text, name.place, value=self._value(), module=module)
        operator = self.take("an operator")
        if operator.kind not in ("name", "operator"):
            raise TlaError(
                operator.place, f"after <- the name of an operator is expected, not {operator.text}"
            )
        put = canonical(operator.text)
        return Assignment(canonical(name.text), name.place, operator=put, module=module)

    def _table(self, name: _Token) -> Assignment:
        """Parse ``name(1, 2) = value`` from the open parenthesis."""
        arguments = self._values(")", f"the arguments of {name.text}")
        if not arguments:
            raise TlaError(name.place, f"{name.text}() has no arguments: write {name.text} = value")
        if (sign := self.take("=")).text != "=":
            words = f"after {name.text}(…), = and a value are expected, not {sign.text}"
            raise TlaError(sign.place, words)
        return Assignment(name.text, name.place, table=((arguments, self._value()),))

    def _value(self) -> ConfigValue:
        token = self.take("a value")
        if token.kind == "number":
            if token.text.startswith("-"):
                self._warn(token, "TLC reads no negative number here, but N <- Op and Op == -1")
            return integer(token.text, token.place)
        if token.kind == "string":
            self.config.words.append((self.assigned, token.text[1:-1]))
            return token.text[1:-1]
        if token.text in ("TRUE", "FALSE"):
            return token.text == "TRUE"
        if token.kind == "name" and token.text not in KEYWORDS:
            self.config.words.append((self.assigned, token.text))
            return ModelName(token.text)
        if token.text == "{":
            return self._set(token)
        raise TlaError(token.place, f"{token.text} stands here, where a value is expected")

    def _set(self, token: _Token) -> ConfigValue:
        items = self._values("}", "a set")
        members, words = frozenset(items), "a set of values of different kinds, which TLC refuses"
        if not _cannot_be_sorted(items):
            return members
        if len(set(map(str, _alike(items)))) > len(members):  # in Python, TRUE is 1
            raise TlaError(token.place, f"{words}: TRUE or FALSE beside numbers")
        self._warn(token, words)
        return members

    def _values(self, closing: str, where: str) -> tuple[ConfigValue, ...]:
        """Parse values with commas between them, up to a closing bracket."""
        items: list[ConfigValue] = []
        token = self.peek()
        if token is not None and token.text == closing:
            self.position += 1
            return ()
        while True:
            items.append(self._value())
            sign = self.take(f"a comma or {closing}")
            if sign.text == closing:
                return tuple(items)
            if sign.text != ",":
                words = f"in {where}, a comma or {closing} is expected, not {sign.text}"
                raise TlaError(sign.place, words)


def _cannot_be_sorted(values: Iterable[ConfigValue]) -> bool:
    """True if TLC refuses to compare two of the values when it sorts a set."""
    kinds, by_size = set[str](), dict[int, list[ConfigValue]]()
    for one in values:
        if isinstance(one, frozenset):
            by_size.setdefault(len(one), []).extend(one)
        kind = f"{one.name[0]}_" if isinstance(one, ModelName) else type(one).__name__
        if not isinstance(one, ModelName) or (one.name[1:2] == "_" and len(one.name) > 2):
            kinds.add(kind)
    return len(kinds) > 1 or any(_cannot_be_sorted(members) for members in by_size.values())


def _merge_assignments(known: Assignment, more: Assignment) -> Assignment:
    """Merge the values of an operator for different arguments. Raises TlaError for two values at the same
    arguments."""
    for arguments, value in more.table:
        for others, other in known.table:
            if len(arguments) != len(others):
                words = f"{more.name} has {len(arguments)} arguments here, and {len(others)} before"
                raise TlaError(more.place, words)
            if _alike(arguments) == _alike(others) and _alike((value,)) != _alike((other,)):
                raise TlaError(more.place, f"{more.name} gets a second value here for the same arguments")
    return replace(known, table=known.table + more.table)


def _alike(values: Iterable[ConfigValue]) -> list[object]:
    """Return values that Python compares as TLA+ does: in Python, TRUE equals 1."""
    return [
        (type(one), frozenset(map(str, _alike(one))) if isinstance(one, frozenset) else one) for one in values
    ]
