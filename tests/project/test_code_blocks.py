"""Blocks of code in the pages can be copied: a key of TOML stands at the start of its line, and a line with a
command has nothing behind the command. Text editors that wrap paragraphs break both."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from verifier.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_KEY = re.compile(r"(\w+) = ")


def _blocks(language: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a language, each with its page and line."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(rf"^ *```{language}\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
            line = text[: block.start()].count("\n") + 2
            yield f"{page.relative_to(ROOT)}:{line}", block[1]


def hidden_keys(toml: str) -> list[str]:
    """Return the keys with values that stand in comments. A comment that is nothing but a key is meant."""
    found = []
    for line in toml.splitlines():
        comment = line.partition("#")[2].strip()
        keys = [key for key in _KEY.finditer(comment) if _is_toml(comment[key.start() :])]
        found += [key[1] for key in keys if key.start() or not line.startswith("#")]
    return found


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def superfluous_words(command: str) -> list[str]:
    """Return the words of a command line that `verify` does not take. Raises NoSuchOption."""
    name, *words = shlex.split(command, comments=True)[1:]
    end = min([words.index(word) for word in words if word in ("|", ">", "&&")], default=len(words))
    context = click.Context(cli)
    group_option = name.startswith("-")
    found = cli if group_option else cli.get_command(context, name)
    assert found is not None, f"verify has no command {name}"
    if group_option:
        return []
    own = click.Context(found, info_name=name, parent=context)
    _, rest, _ = found.make_parser(own).parse_args(words[:end])
    places = [one.nargs for one in found.params if isinstance(one, click.Argument)]
    return [] if -1 in places else rest[sum(places) :]


def test_keys_in_comments_are_noticed() -> None:
    wrapped = '[defaults]   # for all engine = "bmc" timeout = "2m"\n# default: 10m memory = "2GiB"   # 4GiB'
    assert hidden_keys(wrapped) == ["timeout", "memory"]
    assert hidden_keys('# states = 9   # the number\nx = "a"   # variable = field') == []


def test_words_behind_a_command_are_noticed() -> None:
    assert superfluous_words("verify live rabbit-sac --set queues=2 # all")[:1] == []
    assert superfluous_words("verify live rabbit-sac --set queues=2 … Nothing changes")[:1] != []


@pytest.mark.parametrize(("place", "toml"), list(_blocks("toml")))
def test_each_block_of_toml_has_its_keys_at_the_start_of_lines(place: str, toml: str) -> None:
    if "…" not in toml:
        tomllib.loads(toml)
    assert hidden_keys(toml) == [], place


@pytest.mark.parametrize(("place", "console"), list(_blocks("console")))
def test_each_command_ends_where_its_line_ends(place: str, console: str) -> None:
    for line in console.replace("\\\n", " ").splitlines():
        if line.startswith("$ verify "):
            assert superfluous_words(line[2:]) == [], f"{place}: {line}"
