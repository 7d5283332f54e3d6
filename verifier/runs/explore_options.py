"""The options of exhaustive exploration."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.runs.option import Folder, Name, OneOf, Size, Switch, Whole, Words, internal, option
from verifier.runs.options import (
    COVERAGE,
    DeadlockOption,
    FirstOption,
    Options,
    SemanticsOption,
    ValidationOption,
)

_DEPTH = "The largest number of actions in an execution. [default: no limit]"
_KEEP_GOING = "Count all states, even after every property has its verdict."
_SYMMETRY = (
    "Python protocols: count states as one if they differ only in the names of interchangeable elements. "
    "Off by default, because it changes the counts. TLA+ modules: --no-symmetry ignores the SYMMETRY of the "
    "configuration, which is used by default."
)
_MEMORY = (
    "Stay within this much memory: 512MiB, 2GiB. States that do not fit go to files. With --master: "
    "the memory of each task. [default: most of the free memory; with --master, 1GiB]"
)
_WORKERS = "Divide large levels among this many processes. [default: 1]"
_MASTER = (
    "Run large levels on Spark: local[2] is this machine; spark://HOST:PORT, k8s://... and yarn are "
    "clusters. Needs Java 17. For a Python protocol, every executor must see the --work folder."
)
_WORK = "Keep the states in this folder, for --resume. [default: a temporary folder]"
_RESUME = "Continue from the last complete level in the --work folder."
_ARCHIVE = "With --master: a packed environment with this package, for the executors."
_KERNELS = (
    "auto uses a small library in C for long searches; the answer is the same. If there is a C compiler, "
    "verify compiles the library once, and keeps it in the user's cache folder."
)
_CONF = "With --master: a setting of Spark; may be repeated."


@dataclass(frozen=True)
class ExploreOptions(SemanticsOption, ValidationOption, DeadlockOption, FirstOption, Options):
    """The options of exhaustive exploration."""

    keep_going: bool = option(False, Switch(), _KEEP_GOING)
    symmetry: bool | None = option(None, Switch(both_ways=True), _SYMMETRY)
    max_states: int | None = option(None, Whole(), "End when there are more states than this.")
    depth: int | None = option(None, Whole(), _DEPTH, former_flag="--max-depth")
    workers: int | None = option(None, Whole(1), _WORKERS)
    master: str | None = option(None, Name(), _MASTER, metavar="URL", of_command=True)
    work: str | None = option(None, Folder(), _WORK, metavar="FOLDER", of_command=True)
    resume: bool = option(False, Switch(), _RESUME, of_command=True)
    archive: str | None = option(None, Name(), _ARCHIVE, metavar="FILE", of_command=True)
    conf: tuple[str, ...] = option((), Words("NAME=VALUE"), _CONF, of_command=True)
    memory: int | None = option(None, Size(), _MEMORY)
    kernels: str = option("auto", OneOf(("auto", "off")), _KERNELS, of_command=True)
    coverage: bool = option(False, Switch(), COVERAGE)
    graph: bool = internal(False)
    """Keep the states and steps."""
    module_workers: int = internal(1)
    """The processes that share levels of a module that the interpreter explores, without ``workers``."""
