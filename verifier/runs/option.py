"""Options of engines, declared once.

The command line, grids, manifests, records and documents derive their texts from the field that declares an
option.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field
from typing import Any, Protocol

from verifier.errors import UsageError, cut, suggest
from verifier.runs.quantities import DURATION, SIZE, parse_duration, parse_size, size_word

_KEY, _RECORDED = "option", "recorded"
MOST = 10**9 - 1
"""The largest integer that an option takes."""


class Kind(Protocol):
    """The values that an option accepts, and their syntax."""

    @property
    def allowed(self) -> str:
        """Return the allowed values in words."""
        ...

    def of_word(self, word: str) -> Any:
        """Return the value of a word of the command line. Raises ValueError."""
        ...

    def of_value(self, value: Any) -> Any:
        """Return the value of a value in a file. Raises ValueError."""
        ...


@dataclass(frozen=True)
class Switch:
    """True or false."""

    both_ways: bool = False
    """True if the command line shows ``--name`` and ``--no-name`` although the default is false."""

    allowed = "true or false"

    def of_word(self, word: str) -> bool:
        """Return the truth value."""
        if word.lower() not in ("true", "false"):
            raise ValueError(word)
        return word.lower() == "true"

    def of_value(self, value: Any) -> bool:
        """Return the truth value."""
        if not isinstance(value, bool):
            raise ValueError(value)
        return value


@dataclass(frozen=True)
class Whole:
    """An integer from ``least`` on."""

    least: int = 0

    @property
    def allowed(self) -> str:
        """Return the allowed values in words."""
        return f"an integer, at least {self.least}"

    def of_word(self, word: str) -> int:
        """Return the integer."""
        if not re.fullmatch(r"0*[0-9]{1,9}", word):
            raise ValueError(word)
        return self.of_value(int(word))

    def of_value(self, value: Any) -> int:
        """Return the integer."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= MOST:
            raise ValueError(value)
        return value


@dataclass(frozen=True)
class Duration:
    """Seconds, or a number with a unit."""

    allowed = DURATION

    def of_word(self, word: str) -> float:
        """Return the seconds."""
        return parse_duration(word)

    def of_value(self, value: Any) -> float:
        """Return the seconds."""
        return parse_duration(value if isinstance(value, str) else repr(value))


@dataclass(frozen=True)
class Size:
    """An amount of memory."""

    allowed = SIZE

    def of_word(self, word: str) -> int:
        """Return the bytes."""
        return parse_size(word)

    def of_value(self, value: Any) -> int:
        """Return the bytes."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise ValueError(value)
        return parse_size(value) if isinstance(value, str) else parse_size(f"{value}B")


def make_not_allowed_error(option: str, value: Any, kind: Kind) -> UsageError:
    """Return the error for a value that an option does not take. One of several words is suggested."""
    hint = suggest(str(value), kind.words) if isinstance(kind, OneOf) else ""
    return UsageError(f"{option} {cut(value)} is not allowed: it takes {kind.allowed}{hint}")


@dataclass(frozen=True)
class OneOf:
    """One of several words."""

    words: tuple[str, ...]
    former: Mapping[str, str] = field(default_factory=dict)
    """Words of earlier versions, still accepted, each with the word that stands for it now."""

    @property
    def allowed(self) -> str:
        """Return the allowed values in words."""
        return " or ".join(filter(None, (", ".join(self.words[:-1]), *self.words[-1:])))

    def of_word(self, word: str) -> str:
        """Return the word that stands for it now."""
        return self.of_value(word)

    def of_value(self, value: Any) -> str:
        """Return the word that stands for it now."""
        current = self.former.get(value, value) if isinstance(value, str) else value
        if current not in self.words:
            raise ValueError(value)
        return str(current)


class _Text:
    """A text that is not empty."""

    def of_word(self, word: str) -> str:
        """Return the text itself."""
        return self.of_value(word)

    def of_value(self, value: Any) -> str:
        """Return the text itself."""
        if not isinstance(value, str) or not value:
            raise ValueError(value)
        return value


@dataclass(frozen=True)
class Name(_Text):
    """A name that the protocol knows."""

    allowed = "a name"


@dataclass(frozen=True)
class Folder(_Text):
    """A folder that is written to."""

    allowed = "a folder"


@dataclass(frozen=True)
class Words:
    """Several words; on the command line the option is repeated."""

    metavar: str = "NAME"

    allowed = "a list of words in quotes"

    def of_word(self, word: str) -> str:
        """Return one of the words."""
        return word

    def of_value(self, value: Any) -> tuple[str, ...]:
        """Return the words."""
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ValueError(value)
        return tuple(value)


@dataclass(frozen=True)
class Option:
    """An option of an engine."""

    name: str
    """The name of the field, in files and records."""
    default: Any
    kind: Kind
    help: str
    flag: str
    """The name on the command line, as in ``--max-states``."""
    metavar: str | None
    of_command: bool = False
    """True if only a command has it, not a file that asks for many runs."""
    former_flag: str | None = None
    """The name on the command line of earlier versions. It is still accepted, and no help shows it."""

    def parse(self, value: Any) -> Any:
        """Parse a value from a file. Raises UsageError if it is not allowed."""
        try:
            return self.kind.of_value(value)
        except ValueError:
            raise make_not_allowed_error(f"{self.name} =", value, self.kind) from None

    def words(self, value: Any) -> Iterator[str]:
        """Yield the words of the command line that set the option to this value; none for None."""
        match value:
            case None | () | []:
                return
            case True:
                yield self.flag
            case False:
                yield f"--no-{self.flag[2:]}"
            case list() | tuple():
                for item in value:
                    yield from (self.flag, str(item))
            case int() if isinstance(self.kind, Size):  # a damaged file of results may have another value
                yield from (self.flag, size_word(value))
            case _:
                yield from (self.flag, f"{value:g}" if isinstance(value, float) else str(value))


def option(
    default: Any,
    kind: Kind,
    words: str,
    *,
    flag: str | None = None,
    metavar: str | None = None,
    of_command: bool = False,
    former_flag: str | None = None,
) -> Any:
    """Declare a field of an engine's options. ``words``: the help text. ``flag``: the name on the command
    line, by default the field's name. ``of_command``: files that ask for many runs lack it."""
    declared = (kind, words, flag, metavar, of_command, former_flag)
    return field(default=default, metadata={_KEY: declared})


def internal(default: Any, *, recorded: bool = False) -> Any:
    """Declare a field that only the program sets. ``recorded``: results contain it if it is not the
    default."""
    return field(default=default, metadata={_RECORDED: recorded})


def list_declared(options: type[Any]) -> Mapping[str, Option]:
    """Return the declared options of a dataclass, by name, without internal fields."""
    return {item.name: _option(item) for item in dataclasses.fields(options) if _KEY in item.metadata}


def _option(item: Field[Any]) -> Option:
    kind, words, flag, metavar, of_command, former_flag = item.metadata[_KEY]
    assert item.default is not MISSING
    return Option(
        item.name,
        item.default,
        kind,
        words,
        flag or f"--{item.name.replace('_', '-')}",
        metavar,
        of_command,
        former_flag,
    )


def record_options(options: Any) -> dict[str, Any]:
    """Return the options for results, as JSON values, without the properties and expectations."""
    names = (name for name in list_declared(type(options)) if name not in ("properties", "expect"))
    values = {name: getattr(options, name) for name in names}
    said = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    for item in dataclasses.fields(options):
        value = getattr(options, item.name)
        if item.metadata.get(_RECORDED) and value != item.default:
            said[item.name] = dataclasses.asdict(value) if dataclasses.is_dataclass(value) else value  # type: ignore[arg-type]
    return said
