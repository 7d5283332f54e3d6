"""The expressions of a PlusCal algorithm, which its translation has too.

A translation has each expression of the algorithm as it stands, but for primes, ``[self]`` and names
that were made different from others. Words are compared without these and without brackets.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\\[A-Za-z]+|\w+|:=|\|\||\|->|->|==|/\\|\\/|\S')
_BRACKETS = frozenset("()[]{}'")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_SEPARATORS = frozenset({
    ";", "{", "}", "||", "begin", "then", "else", "do", "either", "or", "skip", "end", "algorithm", "return",
    "fair", "if", "elsif", "while", "await", "when", "assert", "print", "with", "variable", "variables",
    "procedure", "process", "macro", "call", "goto", "define",
})  # fmt: skip
_LISTS = frozenset({"with", "variable", "variables", "procedure", "process", "call"})
"""Statements that have several parts, with commas between them."""
_ENDING = re.compile(r"(?!EXCEPT\b)[A-Za-z_]|/\\|\\/|-")
"""The words that may follow an assignment that keeps a value."""
_LONGEST = 60
_ASKING = frozenset({"if", "elsif", "while", "await", "when", "assert", "print"})


def words_of(text: str) -> list[str]:
    """The words and symbols of a text."""
    return _TOKEN.findall(text)


def difference(algorithm: str, translation: str, macros: Collection[str], *, braces: bool) -> str:
    """Return what one of an algorithm and its translation has and the other has not; empty if they agree.

    The algorithm comes without its macros. ``braces``: it has the syntax with braces.
    """
    theirs = _Translation(words_of(translation))
    statements = _Statements(words_of(algorithm), macros, braces)
    unknown = {"pc", "stack"}
    for expression in statements.expressions():
        assigned = bool(expression.target)
        there = [theirs.has(parts, assigned) for parts in _readings(expression)]  # each explains something
        if not any(there):
            words = " ".join([*expression.target, *([":="] if expression.target else []), *expression.words])
            return f"which has {_short(words)}, and the translation has not"
        if expression.target and "self" in (*expression.words, *expression.target[3:]):
            unknown.update(expression.target[:1])
    if macros or statements.calls:
        return ""
    left = theirs.find_unexplained_assignment(set(statements.words) - unknown)
    return f"which has no {_short(left)}, and the translation has" if left else ""


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ..."


class _Translation:
    """The words of a translation, and which of them the algorithm explains."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words: list[str] = []
        self.primed = set[int]()
        for word in words:
            if word == "'":
                self.primed.add(len(self.words) - 1)
            elif word not in _BRACKETS and word != "self":
                self.words.append("=" if word == "==" else word)
        self.places = defaultdict[str, list[int]](list)
        for place, word in enumerate(self.words):
            for name in {word, *_first_names(word)}:
                self.places[name].append(place)
        self.explained = set[int]()

    def has(self, parts: Sequence[Sequence[str]], assigned: bool) -> bool:
        """True if each of the parts is there; ``assigned``: as an assignment, where it begins as one."""
        candidates = [[at for at in self.places.get(part[0], ()) if self._fits(part, at)] for part in parts]
        if assigned:
            begins = self._begins_assignment
            candidates = [[at for at in places if begins(at)] for places in candidates]
        if not all(candidates):
            return False
        for part, places in zip(parts, candidates, strict=True):
            for place in places:
                self.explained.update(range(place, place + len(part)))
        return True

    def _begins_assignment(self, place: int) -> bool:
        return place in self.primed or self.words[place + 1 : place + 2] != ["="]

    def _fits(self, part: Sequence[str], place: int) -> bool:
        there = self.words[place : place + len(part)]
        pairs = zip(part, there, strict=False)
        return len(there) == len(part) and all(a == b or a in _first_names(b) for a, b in pairs)

    def find_unexplained_assignment(self, names: Collection[str]) -> str:
        """An assignment to one of the names that nothing explains; empty if there is none."""
        for place in sorted(self.primed - self.explained):
            name, after = self.words[place], self.words[place + 1 : place + 4]
            is_named = name in names or any(one in names for one in _first_names(name))
            kept = after[1:2] == [name] and (len(after) < 3 or _ENDING.match(after[2]) is not None)
            if is_named and after[:1] == ["="] and not kept:
                return " ".join([f"{name} :=", *after[1:]])
        return ""


def _plain(words: Sequence[str]) -> list[str]:
    return ["=" if word == "==" else word for word in words if word not in _BRACKETS]


def _first_names(word: str) -> list[str]:
    """Return the names that one may have been before it got a suffix: ``x_p`` was ``x``."""
    return [word[: place.start()] for place in re.finditer("_", word) if place.start()]


def _readings(expression: Expression) -> Iterator[list[list[str]]]:
    """The parts that an expression may have in a translation."""
    words = expression.words
    if not expression.target or "self" in words:
        yield _parts(words)
        for word in ("=", "\\in"):  # x = e of a process is x = [self \in .. |-> e]
            if word in words[1:2] and not expression.target:
                yield _parts(words[2:])
    elif "self" not in expression.target[3:]:
        name, path = (
            expression.target[0],
            [one for one in expression.target[1:] if one not in ("self", "[", "]")],
        )
        yield _parts([name, "=", *words])
        yield _parts([name, "=", name, "EXCEPT", "!", *path, "=", *words])
        if path:  # another part of what the statement assigns
            yield _parts(["!", *path, "=", *words])
    else:
        yield _parts(words)


def _parts(expression: Sequence[str]) -> list[list[str]]:
    """An expression without what a translation changes: ``self`` may be the name of the one process."""
    parts: list[list[str]] = [[]]
    for word in _plain(expression):
        if word == "self":
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


@dataclass(frozen=True)
class Expression:
    """The words of an expression, and of what it is assigned to."""

    words: Sequence[str]
    target: Sequence[str] = ()
    of_process: bool = False
    """True if it says which processes there are."""


class _Statements:
    """Goes through an algorithm."""

    def __init__(self, words: Sequence[str], macros: Collection[str], braces: bool) -> None:
        self.words, self.macros, self.braces, self.at = words, macros, braces, 0
        self.calls = False
        """True if something is called, which assigns too."""

    def expressions(self) -> Iterator[Expression]:
        """The expressions, in the order of the text."""
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if word in _ASKING:
                yield from map(Expression, self._read_asked(word))
            elif word in _LISTS:
                yield from (Expression(one, (), word == "process") for one in self._read_listed(word))
            elif word == "define":
                yield from map(Expression, self._read_defined())
            elif word in ("goto", "end"):
                self.at += 1
            elif word in _SEPARATORS or word in "+-:":
                continue
            elif self._is_label():
                self.at += 1
            elif word in self.macros and self._next() == "(":
                self.calls = True
                self._expression()
            else:
                yield from self._read_assigned()

    def _next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _is_label(self) -> bool:
        return self._next() == ":"

    def _expression(self) -> list[str]:
        """The words up to the end of a statement or of the parentheses around."""
        first, depth = self.at, 0
        while self.at < len(self.words):
            word = self.words[self.at]
            depth += (word in _OPEN) - (word in _CLOSE)
            if depth < 0 or (depth == 0 and word in _SEPARATORS - {"{", "}"}):
                break
            self.at += 1
        return list(self.words[first : self.at])

    def _read_enclosed(self) -> list[str] | None:
        """Return the words in the parentheses here, which end a condition: ``if (e) x := 1``."""
        if self._next() != "(":
            return None
        first, depth = self.at, 0
        for place in range(first, len(self.words)):
            depth += (self.words[place] in _OPEN) - (self.words[place] in _CLOSE)
            if depth == 0:
                self.at = place + 1
                return list(self.words[first + 1 : place])
        return None

    def _read_asked(self, kind: str) -> Iterator[list[str]]:
        whole = self._read_enclosed() if self.braces and kind in ("if", "while") else self._expression()
        if whole and whole != ["TRUE"]:  # WHILE TRUE is no test
            yield whole

    def _read_listed(self, kind: str) -> Iterator[list[str]]:
        if kind in ("procedure", "call"):
            self.calls, self.at = True, self.at + 1
        before = self.at
        whole = self._read_enclosed()
        if whole is None or (kind == "with" and self._next() == ","):
            self.at = before
            whole = self._expression()
        yield from (part for part in _between_commas(whole) if len(part) > 1 or kind == "call")
        while kind == "with" and not self.braces and self._next() == ";":
            self.at += 1
            yield from _between_commas(self._expression())
        if kind in ("variable", "variables"):
            while self._next() == ";":
                self.at += 1
                if self._next() in _SEPARATORS or ":" in self.words[self.at + 1 : self.at + 2]:
                    return
                yield from (part for part in _between_commas(self._expression()) if len(part) > 1)

    def _read_defined(self) -> Iterator[list[str]]:
        if self._next() == "{":
            first = self.at + 1
            self.at += 1
            depth = 1
            while self.at < len(self.words) and depth:
                depth += (self.words[self.at] in _OPEN) - (self.words[self.at] in _CLOSE)
                self.at += 1
            yield list(self.words[first : self.at - 1])
        else:
            first = self.at
            while self.at < len(self.words) and list(self.words[self.at : self.at + 2]) != ["end", "define"]:
                self.at += 1
            yield list(self.words[first : self.at])
            self.at += 2

    def _read_assigned(self) -> Iterator[Expression]:
        self.at -= 1
        while ":=" in self.words[self.at :]:
            end = self.words.index(":=", self.at)
            target = list(self.words[self.at : end])
            self.at = end + 1
            yield Expression(self._expression(), target)
            if self._next() != "||":
                break
            self.at += 1
        else:
            self.at += 1


def _between_commas(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for place, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        both = "".join(words[place : place + 2])
        depth += (both == "<<") - (both == ">>")
        if depth == 0 and word in (",", ";"):
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]
