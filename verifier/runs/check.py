"""Checks of a whole spec: every property, by the engines that decide it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.runs.engine import Engine, Listen, late
from verifier.runs.option import Switch, Whole, option
from verifier.runs.options import (
    COVERAGE,
    KEEP_GOING,
    DeadlockOption,
    FirstOption,
    Options,
    SemanticsOption,
    memory_option,
    properties_option,
)

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.loaded import Loaded
    from verifier.runs.question import Question
    from verifier.system.model import Model

_EXPLORE = (
    "Explore beside the other engines. Exploration gives no certificate, so --certificate switches "
    "exploration off."
)
_FIND_BUGS = (
    "Look for violations of invariants and step properties by bounded searches with several seeds, guided "
    "walks and exploration, without provers. Temporal properties are decided as usual. Give --timeout too."
)
_WORKERS = (
    "Divide large levels of the exploration among this many processes. [default: the number of cores, at "
    "most 8, if the interpreter explores a module; else 1]"
)
_WHOLE = " Exploration then continues even if every property is decided; --timeout ends it."
_HELP = """Decide the invariants, step properties and temporal properties of a spec.

A deadlock of a TLA+ module is a violation, unless --property is given without NoDeadlock, or the
configuration says CHECK_DEADLOCK FALSE. In a Python protocol, a deadlock is a violation only with
--deadlock. A @reachable property is decided only if it is named, or by --property all.

Engines run side by side: exploration visits every state, the provers search for an invariant or a
counterexample, the liveness engines decide temporal properties. An engine ends once others have decided
its properties.

Progress goes to standard error, the result to standard output.

\b
Examples:
  verify check kip320
  verify check Paxos.tla --config Small.cfg
  verify check my_protocol.py --timeout 10m --memory 8GiB
  verify check rabbit-sac --property Liveness --html run.html
  verify check kip320-first-try --find-bugs --first --timeout 10m
  verify check kip320 --certificate kip320.json
"""


@dataclass(frozen=True)
class CheckOptions(SemanticsOption, DeadlockOption, FirstOption, Options):
    """The options of a check."""

    properties: tuple[str, ...] = properties_option("What to decide")
    find_bugs: bool = option(False, Switch(), _FIND_BUGS)
    seed: int = option(0, Whole(), "With --find-bugs: vary the searches.")
    keep_going: bool = option(False, Switch(), KEEP_GOING)
    explore: bool = option(True, Switch(), _EXPLORE)
    coverage: bool = option(False, Switch(), COVERAGE + _WHOLE)
    workers: int | None = option(None, Whole(1), _WORKERS)
    memory: int | None = memory_option()


def _prepare(loaded: Loaded, options: CheckOptions) -> Question[CheckOptions]:
    from verifier.runs.check_plan import prepare

    return prepare(ENGINE, loaded, options)


def _run(
    question: Question[CheckOptions],
    listen: Listen = lambda _: None,
    built: Callable[[Model], None] = lambda _: None,
) -> Run:
    from verifier.runs.check_portfolio import run

    return run(question, listen, built)


ENGINE = Engine(
    name="check",
    help=_HELP,
    options=CheckOptions,
    prepare=_prepare,
    run=_run,
    announcement=lambda asked: f"check of {', '.join(asked.properties) or 'all that is evaluated'}",
    render=late("verifier.text.check", "render_check"),
    progress=late("verifier.text.check", "CheckText"),
    asks=("explore", "prove", "live"),
    writes_certificates=True,
    certifying={"explore": False},
    relative_cost=2.0,
    forks_late=True,
    may_find_fewest=True,
)
