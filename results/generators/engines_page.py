"""Write docs/engines.md from the engines' declarations: `python -m results.generators.engines_page`."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.runs.option import OneOf, Option, Switch, Whole, Words, list_declared
from verifier.runs.table import ENGINES, engine_named

_HEAD = """\
# Engines and their options

`make docs` writes this page from the declarations of the engines (`verifier/runs/`). An option has one name
everywhere: `--max-states 9` on the command line, `max_states = 9` in the `options` of a grid or of a
manifest's cell, `max_states=9` in Python. A project can set [its own defaults](cli.md#defaults-of-a-project).

## Which engine finds what

`verify check` runs all that apply. `--find-bugs` runs those that find violations, side by side:

| engine | finds first | misses |
|---|---|---|
| `bmc`, parallel steps | violations a few steps deep, however many actions run side by side | \
depth: each step costs more than the last |
| `simulate --guided` | deep violations with many ways to them, at large constants | a violation \
that needs one rare order of many actions |
| its searches ahead | violations a few parallel steps beyond what walks reach | what lies further \
from all promising states |
| `explore` | everything, while the states fit | nothing, but it sees the deep states last |
| `simulate` | counts and shares of ordinary executions | rare violations |

Guided walks restart from states whose fields have new values, alone or together. Each walk prefers \
some actions and
nearly leaves out others, and actions that were seldom taken come first. Between rounds a solver \
looks some parallel
steps ahead of promising states and of those on the way to them. By the interpreter of a module, \
walks do the same
without a solver. The same seed gives the same walks. Each violation is replayed and shortened; it \
is maybe not the
fewest actions, which `bmc --shortest` finds. kip320-first-try with 5 replicas and logs of 4 is \
violated within 2,000
walks, in 3 seconds of one core; bounded search alone takes 8 to 20.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *(line for name in ENGINES for line in _engine(name))])


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
    yield "decides properties, so it can be swept" if engine.decides else "samples, so it cannot be swept"
    if not engine.decides_reachable:
        yield "does not decide reachable properties"
    if engine.looks_for_deadlocks:
        yield "checks for deadlocks if asked"
    if engine.has_parts:
        yield "its search can be split into parts"
    if engine.reads_free:
        yield "treats open parameters (`free_or_expanded`) as free"
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
    return words.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
