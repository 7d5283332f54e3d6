"""Words of the command line as values: each kind of option (``verifier.runs.option``) as a type of click."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from verifier.cli.paths import FileToWrite
from verifier.runs.option import Duration, Kind, OneOf, Size, Whole, make_not_allowed_error


class Parameter(click.ParamType[Any]):
    """Values of a kind. The error for any other word says in one line what is allowed."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = {Whole: "n", Duration: "duration", Size: "size"}.get(type(kind), "text")

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """The value's name in the help."""
        return f"[{'|'.join(self.kind.words)}]" if isinstance(self.kind, OneOf) else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value. Raises UsageError if the word is not allowed."""
        if not isinstance(value, str):
            return value  # a default
        try:
            return self.kind.of_word(value)
        except ValueError:
            flag = param.opts[0] if param is not None else self.name
            raise make_not_allowed_error(flag, value, self.kind) from None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the allowed words with this beginning."""
        words = self.kind.words if isinstance(self.kind, OneOf) else ()
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


class FolderParameter(Parameter):
    """A folder that is written to."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path as it was given. Raises UsageError if something else is read from there, or written to
        it."""
        word = super().convert(value, param, ctx)
        if isinstance(word, str):
            FileToWrite().convert(word, param, ctx)
        return word


def one_of(words: tuple[str, ...]) -> Parameter:
    """One of several words."""
    return Parameter(OneOf(words))


COUNT = Parameter(Whole())
POSITIVE = Parameter(Whole(1))
DURATION = Parameter(Duration())
SIZE = Parameter(Size())
