"""Commands that continue with open properties, and advice where a module may have no end."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from verifier.outcomes.run import Run
from verifier.outcomes.unbounded import choose_depth, find_unbounded, list_unbounded
from verifier.printable import join_words
from verifier.specs.definition import Definition
from verifier.verdict import FOUND_ALL, Verdict, VerdictKind

OPTIONS_OF_LIMITS = {
    "timeout of ": "--timeout",
    "timeout: this property's share of ": "--timeout",
    "memory limit of ": "--memory",
    "more than ": "--max-states",
}
"""The beginnings of reasons that name a limit, and its option."""
_PAGE = "docs/tla.md, Modules with infinitely many states"
_STATES_OF_A_LOOP = 20
"""The states of the lassos that are looked for where a module has no end."""


def to_go_on(definition: Definition, verdicts: Sequence[Verdict]) -> list[str]:
    """Suggest options that may decide more, where a limit that the user gave ended the run. If variables
    grow, no limit is great enough, unless constants bound them."""
    reasons = [one.reason or "" for one in verdicts if one.kind is VerdictKind.INCONCLUSIVE]
    endless = [one for one in reasons if find_unbounded(one)]
    greater = _name_limits(one for one in reasons if one not in endless)
    smaller = ", or smaller constants (--set)," if definition.constants else ""
    words = [f"A greater {greater}{smaller} may decide more."] if greater else []
    longer = _name_limits(endless)
    if longer and definition.constants:
        growing = list_unbounded(endless[0])
        words.append(
            f"If constants bound {growing}, a greater {longer} or smaller constants (--set) may decide more."
        )
    ended = FOUND_ALL in reasons
    return [*words, *["With --keep-going the run continues when the others are violated or reached."] * ended]


def _name_limits(reasons: Iterable[str]) -> str:
    """Return the options of the limits that some reasons name."""
    named = list(reasons)
    limits = OPTIONS_OF_LIMITS.items()
    given = [option for words, option in limits if any(one.startswith(words) for one in named)]
    return " or ".join(dict.fromkeys(given))


def advise_on_growth(run: Run, verdicts: Sequence[Verdict]) -> list[str]:
    """Suggest commands for properties that are open since variables of the module grow."""
    open_ones = [one for one in verdicts if find_unbounded(one.reason)]
    if not open_ones:
        return []
    words = " ".join(find_command_to_depth(run.definition, open_ones))
    growing = f"The module may have infinitely many states: {find_unbounded(open_ones[0].reason)}"
    return [
        f"{growing}. A CONSTRAINT bounds {_refer_to(growing)} ({_PAGE}).",
        # The command stands last: nothing that follows is copied with it.
        f"To decide {join_words([one.property_name for one in open_ones])} up to a depth, run: {words}",
    ]


def advise_on_loops(
    definition: Definition, names: Sequence[str], growing: str, spec: Sequence[str] | None = None
) -> list[str]:
    """Suggest a search for counterexamples to temporal properties of a module whose variables grow.
    ``spec``: the words that name the spec in the command."""
    asked = [f"--property {shlex.quote(name)}" for name in names]
    words = ["verify live", *(spec or name_module(definition)), *asked, "--engine bmc"]
    words.append(f"--depth {_STATES_OF_A_LOOP}")
    bound = f"Bound {_refer_to(growing)} in the module ({_PAGE})."
    return [
        f"{join_words(names)} may stay open, whatever the time, since {growing}. {bound}",
        f"To look for counterexamples of at most {_STATES_OF_A_LOOP} states, run: {' '.join(words)}",
    ]


def _refer_to(growing: str) -> str:
    """Return the pronoun for the variables of a message that they seem unbounded."""
    return "it" if growing.endswith(" seems unbounded") else "them"


def find_command_to_depth(definition: Definition, verdicts: Sequence[Verdict]) -> list[str]:
    """Return the words of a command that decides properties to a depth that it can reach."""
    stuck = definition.titles.no_deadlock
    names = [one.property_name for one in verdicts if one.property_name != stuck]
    asked = [f"--property {shlex.quote(name)}" for name in names]
    asked += ["--deadlock"] if len(names) < len(verdicts) else []
    return ["verify explore", *name_module(definition), *asked, f"--depth {choose_depth(verdicts)}"]


def name_module(definition: Definition) -> list[str]:
    """Return the words that name a spec in a command, with the configuration, libraries and constants."""
    shown = definition.presentation
    named = [name_spec(shown.source)]
    if shown.config and Path(shown.config) != Path(shown.source).with_suffix(".cfg"):
        named += ["--config", shlex.quote(shown.config)]
    for folder in shown.libraries:
        named += ["--library", shlex.quote(folder)]
    for name, value in shown.settings.items():
        named += ["--set", shlex.quote(f"{name}={value}")]
    return named


def name_spec(spec: str) -> str:
    """Return the words that name a spec in a command. A name that looks like an option needs ``--spec``."""
    return f"--spec {shlex.quote(spec)}" if spec.startswith("-") else shlex.quote(spec)
