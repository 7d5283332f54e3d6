"""The last word of a run that ends without an answer of its engine: its final verdicts so far."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from verifier.cli.output import PLAIN_WIDTH
from verifier.cli.running import Display, Render
from verifier.cli.streams import write_all
from verifier.printable import json_text, printable_text
from verifier.processes.interrupts import INTERRUPTED, is_interrupt
from verifier.processes.limits import Interrupted
from verifier.runs.engine import Engine
from verifier.runs.told import ToldVerdicts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from verifier.outcomes.run import Run


@dataclass(frozen=True)
class LastWord:
    """The answer of an engine that gives none."""

    engine: Engine[Any]
    told: ToldVerdicts

    def run(self, error: BaseException) -> Run:
        """Return the run that ended with an exception. What is not final is INCONCLUSIVE. Raises the
        exception if it neither is an interrupt nor came of one."""
        if isinstance(error, Interrupted):
            return self.told.run_without_answer(self.engine, str(error))
        if is_interrupt(error):
            return self.told.run_without_answer(self.engine, INTERRUPTED)
        raise error

    def render(self, run: Run, width: int, *, full: bool) -> list[RenderableType]:
        """Return the executions that were told, and the table of verdicts."""
        from verifier.text.run import render_counterexamples, render_verdicts

        executions = [line for one in self.told.alone for line in render_counterexamples(one, width, full)]
        return executions + render_verdicts(run, width)

    def write(self, shown: Display, has_answered: bool) -> int:
        """Write it by the descriptor, and return the exit code."""
        run = self.told.run_without_answer(self.engine, INTERRUPTED)
        return write_run(run, shown, self.render, has_answered)


def write_run(run: Run, shown: Display, render: Render, has_answered: bool) -> int:
    """Write a run by the descriptor, since the streams may be in use, unless it ``has_answered``. Returns its
    exit code."""
    if not has_answered:
        write_all(1, _text(run, shown, render))
    return run.exit_code


def _text(run: Run, shown: Display, render: Render) -> str:
    if shown.output_format == "json":
        from verifier.outcomes.content import as_object

        return f"{json_text(as_object(run))}\n"
    from rich.console import Console

    kept = io.StringIO()
    target = Console(file=kept, width=PLAIN_WIDTH, highlight=False, markup=False, emoji=False)
    for line in render(run, PLAIN_WIDTH, full=shown.full):
        target.print(line, soft_wrap=True)
    return printable_text(kept.getvalue())
