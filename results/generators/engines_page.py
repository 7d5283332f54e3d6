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
manifest's cell, `max_states=9` in Python. There are exceptions: `--property` is `properties` in files and
in Python, and [some options about the spec](#options-of-all-engines) have other names there. A project
can set [its own defaults](cli.md#defaults-of-a-project).

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

Each violation is replayed and shortened. There may still be a shorter violation; `bmc --shortest` \
finds a shortest one.
For kip320-first-try with 5 replicas and logs of 4, guided walks find a violation in 3 seconds of one \
core. Bounded search
alone needs 8 to 20.
"""


_SPEC = """\
## Options of all engines

These options say which spec is checked, and how it is read. Every engine has them, except `--lemma` (below
the table). Grids and cells have keys for these options, and `verifier.load` has arguments:

| option | in a grid or cell | in Python | |
|---|---|---|---|
"""
_SPEC_OPTIONS = (
    ("SPEC", "`spec`, or `specs` in a grid", "the first argument", SPEC_HELP),
    ("--set", "`constants`", "a keyword argument with the name of the constant", SET_HELP),
    ("--config", "`config`", "`config`", CONFIG_HELP),
    ("--library", "`library`", "`library`", LIBRARY_HELP),
    ("--lemma", "`lemmas`", "`lemmas`", LEMMA_HELP),
)
_SHARED = """\
## Options of several engines

| option | takes | default | engines | |
|---|---|---|---|---|
"""
_LEAST_SHARING = 3
"""The number of engines from which an option stands in the table of shared options."""
_FREE = "meaning.md#parameters-of-actions-free-or-expanded"


def page() -> str:
    """Return the page."""
    engines = (line for name in ENGINES for line in _engine(name))
    return "\n".join([_HEAD, *_options_of_all(), *_shared_options(), *engines])


def _options_of_all() -> Iterator[str]:
    """Yield the section on the options that no engine declares."""
    yield _SPEC + "\n".join(
        f"| `{flag}` | {key} | {argument} | {_escape(words)} |"
        for flag, key, argument, words in _SPEC_OPTIONS
    )
    proving = [f"`{name}`" for name in ENGINES if engine_named(name).writes_certificates]
    yield f"""
These engines use lemmas, because they prove: {", ".join(proving)}. For a TLA+ module, `--lemma` names an
operator of the module. All other engines accept `--lemma` for a module, too, so that the same options fit
several commands. They only check that the module has such an operator, and their `--help` does not list
the option. A Python protocol declares its lemmas itself. For a protocol, only `prove` and `induct` accept
`--lemma`, and then use only the lemmas that it names. For a protocol, all other engines and
`prove --all-constants` refuse `--lemma`.
"""


def _find_sharing() -> dict[tuple[str, str], list[str]]:
    """Return the engines of each option that several engines have in the same way, by its flag and row."""
    sharing: dict[tuple[str, str], list[str]] = {}
    for name in ENGINES:
        for item in list_declared(engine_named(name).options).values():
            sharing.setdefault((item.flag, _row(item)), []).append(name)
    return {row: names for row, names in sharing.items() if len(names) >= _LEAST_SHARING}


def _shared_options() -> Iterator[str]:
    """Yield the section on the options that several engines have in the same way."""
    rows = []
    for (flag, row), names in _find_sharing().items():
        before, _, words = row.rpartition(" | ")
        engines = "all" if len(names) == len(ENGINES) else ", ".join(names)
        rows.append(f"| `{flag}` | {before} | {engines} | {words} |")
    yield _SHARED + "\n".join(rows) + "\n"


def _row(item: Option) -> str:
    return f"{_takes(item)} | {_default(item)} | {_help(item)}"


def _engine(name: str) -> Iterator[str]:
    engine = engine_named(name)
    sharing = _find_sharing()
    yield f"## {name}\n"
    yield f"{ENGINES[name][1]}\n"
    yield from (f"- {words}" for words in _capabilities(name))
    items = list(list_declared(engine.options).values())
    shared = [f"`{one.flag}`" for one in items if (one.flag, _row(one)) in sharing]
    yield f"- has these [shared options](#options-of-several-engines): {', '.join(shared)}"
    yield "\n| option | takes | default | |\n|---|---|---|---|"
    for item in items:
        if (item.flag, _row(item)) not in sharing:
            yield f"| `{item.flag}` | {_row(item)} |"
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
        yield "can check for deadlocks"
    if engine.has_parts:
        yield "a [sweep](sweeps.md) can split its search into parts"
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
