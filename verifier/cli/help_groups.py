"""The help of a command, its options in groups."""

from __future__ import annotations

from collections.abc import Mapping

import click

GROUPS: Mapping[str, tuple[str, ...]] = {
    "What to check": (
        *("--spec", "--set", "--property", "--depth", "--walks", "--fairness", "--deadlock", "--find-bugs"),
        *("--shortest", "--all-constants", "--count-action", "--histogram"),
        *("--grid", "--cover", "--map", "--env", "--cell"),
        *("--config", "--library", "--lemma"),
    ),
    "How": (),
    "Limits": ("--timeout", "--memory", "--max-states", "--first", "--keep-going"),
    "Output": (
        *("--format", "--html", "--trace-out", "--certificate", "--graph", "--dump-smt2"),
        *("--out", "--junit", "--title", "--show", "--full", "--expect", "--quiet", "--verbose", "--help"),
    ),
}
"""The flags of each group in the order to show. ``How`` has all others."""
_FIRST, _OTHERS = "What to check", "How"
_SPEC = "spec_argument"
SPEC_HELP = (
    "A built-in protocol (verify list); a TLA+ module, FILE.tla; or a Python file, FILE.py, or "
    "FILE.py:Class if it has several protocols. The code of the file is run."
)


class GroupedCommand(click.Command):
    """A command that shows its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group that has options."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        for title, params in group_options(options).items():
            records = [record for record in (param.get_help_record(ctx) for param in params) if record]
            if title == _FIRST and any(param.name == _SPEC for param in self.params):
                records.insert(0, ("SPEC", SPEC_HELP))
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def group_options(params: list[click.Option]) -> dict[str, list[click.Option]]:
    """The options by group, each group in its order."""
    place = {flag: (title, number) for title, flags in GROUPS.items() for number, flag in enumerate(flags)}
    options: dict[str, list[tuple[int, click.Option]]] = {title: [] for title in GROUPS}
    for count, param in enumerate(params):
        title, number = next((place[flag] for flag in param.opts if flag in place), (_OTHERS, count))
        options[title].append((number, param))
    return {
        title: [param for _, param in sorted(rows, key=lambda row: row[0])] for title, rows in options.items()
    }
