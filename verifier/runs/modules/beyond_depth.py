"""Executions beyond the depth of a bounded search that leave the sorts.

If sorts are guessed from executions within the depth alone, longer ones may leave them. Parallel steps search
some longer executions, and a violation in those counts. At a step that leaves the sorts such an execution
stops, so the search would miss the violation. Therefore leaving the sorts counts there, too: the sorts are
widened, and the search begins again. Sorts that were guessed from more states are left as they are.

Small sorts are sound because no verdict rests on the guess. For `HOLDS(k)`, the search shows that no
execution of at most k actions leaves the sorts. A violation is replayed by the interpreter.
"""

from __future__ import annotations

from dataclasses import replace

from verifier.runs.bmc import BmcOptions
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translating import Symbolic
from verifier.verdict import Verdict


def count_beyond_depth(asked: ModuleQuestion, made: Symbolic) -> ModuleQuestion:
    """Return the question in which leaving the sorts counts beyond the depth, if they were guessed from
    executions within the depth alone."""
    sample = made.translation.sample
    return _set_counting(asked, sample.closed and not sample.complete)


def count_within_depth(asked: ModuleQuestion) -> ModuleQuestion:
    """Return the question in which leaving the sorts counts within the depth only."""
    return _set_counting(asked, False)


def is_beyond_depth(asked: ModuleQuestion, leaving: Verdict) -> bool:
    """True if only an execution with more actions than the depth is known to leave the sorts."""
    options = asked.question.options
    return isinstance(options, BmcOptions) and (leaving.steps or 0) > (options.depth or 0)


def has_rounds_left(asked: ModuleQuestion, leaving: Verdict, number: int) -> bool:
    """True if the sorts may be widened for this execution after this number of rounds."""
    return number < POLICY.rounds_beyond or not is_beyond_depth(asked, leaving)


def _set_counting(asked: ModuleQuestion, counts: bool) -> ModuleQuestion:
    options = asked.question.options
    if not isinstance(options, BmcOptions):
        return asked
    options = replace(options, ends_beyond=counts)
    return replace(asked, question=replace(asked.question, options=options))
