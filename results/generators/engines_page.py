"""Write docs/engines.md from the engines' declarations: `python -m results.generators.engines_page`."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.cli.help_groups import SPEC_HELP
from verifier.cli.specs import CONFIG_HELP, LEMMA_HELP, LIBRARY_HELP, SET_HELP
from verifier.runs.engine import engine_named
from verifier.runs.option import OneOf, Option, Switch, Whole, Words, list_declared
from verifier.runs.table import ENGINES

_HEAD = """\
# Engines and their options

`make docs` writes this page from the declarations of the engines (`verifier/runs/`). An option has one name
everywhere: `--max-states 9` on the command line, `max_states = 9` in the `options` of a grid or of a
manifest's cell, `max_states=9` in Python. A project can set [its own defaults](cli.md#defaults-of-a-project).

## Which engine finds what

`verify check` runs all that apply. `--find-bugs` runs those that find violations, side by side:

| engine | finds first | misses |
|---|---|---|
| `bmc`, with parallel steps | violations after few steps, even if many processes act in each step | \
deep violations: each step costs more than the last |
| `simulate --guided` | deep violations with many ways to them, at large constants | a violation \
that needs one rare order of many actions |
| the solver of `simulate --guided` | violations a few \
[parallel steps](meaning.md#which-steps-does-a-step-invariant-cover) away from a state that a walk visited | \
violations further away |
| `explore` | the violations nearest to the initial states; in the end all | none, but it reaches deep \
states last |
| `simulate` | violations in ordinary executions, with counts | rare violations |

Guided walks restart from states in which some field, or some combination of fields, has a value not \
seen before. Each
walk prefers some actions and avoids others. Actions that were seldom taken come first. Between rounds \
a solver searches
a few steps beyond the promising states. The interpreter of TLA+ modules walks without a solver. It \
tries one disjunct of
Next at a time. A quarter of its walks go to the full depth without guidance. The same seed gives the \
same walks.

Each violation is replayed and shortened. It may still not be a shortest one; `bmc --shortest` finds \
a shortest one. For
kip320-first-try with 5 replicas and logs of 4, guided walks find a violation in 3 seconds of one \
core. Bounded search
alone needs 8 to 20.
"""


_SPEC = """\
## Options of all engines

These options say which spec is checked, and how it is read. The command of each engine takes them. The
tables below have the other options. Grids and cells have keys for these options, and `verifier.load` has
arguments:

| option | in a grid or cell | in Python | |
|---|---|---|---|
"""
_SPEC_OPTIONS = (
    ("SPEC", "`spec`, or `specs` in a grid", "the first argument", SPEC_HELP),
    ("--set", "`constants`", "arguments with their names", SET_HELP),
    ("--config", "`config`", "`config`", CONFIG_HELP),
    ("--library", "`library`", "`library`", LIBRARY_HELP),
    ("--lemma", "`lemmas`", "`lemmas`", LEMMA_HELP),
)
_FREE = "meaning.md#parameters-of-actions-free-or-expanded"


def page() -> str:
    """Return the page."""
    engines = (line for name in ENGINES for line in _engine(name))
    return "\n".join([_HEAD, *_options_of_all(), *engines])


def _options_of_all() -> Iterator[str]:
    """Yield the section on the options that no engine declares."""
    yield _SPEC + "\n".join(
        f"| `{flag}` | {key} | {argument} | {_escape(words)} |"
        for flag, key, argument, words in _SPEC_OPTIONS
    )
    proving = [f"`{name}`" for name in ENGINES if engine_named(name).writes_certificates]
    yield f"""
These engines use lemmas, because they prove: {", ".join(proving)}. For a TLA+ module, `--lemma` names an
operator of the module. A Python protocol declares its lemmas itself. Then `prove` and `induct` take
`--lemma` to use only the named lemmas. `prove --all-constants` and the other engines refuse `--lemma` for a
Python protocol.
"""


def _engine(name: str) -> Iterator[str]:
    engine = engine_named(name)
    yield f"## {name}\n"
    yield f"{ENGINES[name][1]}\n"
    yield from (f"- {words}" for words in _capabilities(name))
    yield "\n| option | takes | default | |\n|---|---|---|---|"
    for item in list_declared(engine.options).values():
        yield f"| `{item.flag}` | {_takes(item)} | {_default(item)} | {_help(item)} |"
    for file in engine.files:
        yield f"| `{file.flag}` | a file | | {file.help} |"
    yield ""


def _capabilities(name: str) -> Iterator[str]:
    engine = engine_named(name)
    if engine.decides:
        yield "decides properties, so a [sweep](sweeps.md) can use it"
    else:
        yield "cannot be used in a [sweep](sweeps.md), because it only samples"
    if not engine.decides_reachable:
        yield "does not decide reachable properties"
    if engine.looks_for_deadlocks:
        yield "checks for deadlocks if asked"
    if engine.has_parts:
        yield "its search can be split into parts"
    if engine.reads_free:
        yield f"reads parameters declared `free_or_expanded` as [free]({_FREE})"
    if engine.counts_states:
        yield "counts all reachable states"
    if engine.writes_certificates:
        yield "writes certificates of proofs"


def _takes(item: Option) -> str:
    match item.kind:
        case OneOf():
            return ", ".join(f"`{word}`" for word in item.kind.words)
        case Switch():
            return "–" if not item.default and not item.kind.both_ways else f"also `--no-{item.flag[2:]}`"
        case Words():
            return f"{item.kind.metavar}, repeated"
        case Whole():
            return item.kind.allowed
    return type(item.kind).__name__.lower()


def _default(item: Option) -> str:
    match item.default:
        case None | ():
            return ""
        case bool():
            return "on" if item.default else "off"
    return f"`{item.default}`"


def _help(item: Option) -> str:
    words = f"{item.help} Not allowed in grids and manifests." if item.of_command else item.help
    return _escape(words)


def _escape(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
