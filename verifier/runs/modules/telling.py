"""Tells violations of a module while its translation is still explored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.exploration import Execution
from verifier.engines.exploration_progress import Progress
from verifier.engines.outcome import Outcome
from verifier.outcomes.run import Run
from verifier.runs.news import Known
from verifier.trust.replay import Replayer
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.runs.engine import Listen
    from verifier.runs.modules.module_question import ModuleQuestion
    from verifier.runs.modules.translating import Symbolic
    from verifier.system.model import Model


def hide_own_properties(listen: Listen, own: Collection[str]) -> Listen:
    """Return a listener that leaves out what a translation finds of its ``own`` properties.

    They say that the sorts were left, which is not about the module: the remark on the wider sorts follows.
    """

    from verifier.engines import bmc, proofs

    def listen_to_others(news: Any) -> None:
        match news:
            case Progress(violated=str(name)) if name in own:
                return
            case proofs.Progress(property_name=name, note=str(note)) if note and name in own:
                return
            case bmc.Progress(properties=names, steps=int()):
                others = tuple(name for name in names if name not in own)
                if not others:
                    return
                news = replace(news, properties=others)
        listen(news)

    return listen_to_others


@dataclass
class Telling:
    """A listener for the news of an exploration. The interpreter replays each violation before it is told."""

    asked: ModuleQuestion
    made: Symbolic
    listen: Listen
    model: Model | None = None
    _left: bool = False
    """True if an execution left the sorts: a shorter violation may be beyond them."""

    def __call__(self, news: Any) -> None:
        """Pass the news on, and tell the violation that they bring."""
        self.listen(news)
        if not isinstance(news, Progress) or news.execution is None or news.reached or self.model is None:
            return
        titles = self.asked.module.definition.titles
        self._left = self._left or news.execution.violates in titles.of_the_translation
        if not self._left:
            self._tell(self.model, news.execution, news.seconds)

    def _tell(self, model: Model, execution: Execution, seconds: float) -> None:
        from verifier.runs.modules.verdicts import check_run

        trace = Replayer(model).execute(list(execution.initial), list(execution.firings), execution.violates)
        verdict = Verdict(
            execution.violates,
            VerdictKind.VIOLATED,
            trace.steps,
            seconds,
            trace=trace,
            fewest=True,
            found_by=self.asked.engine.name,
        )
        run = Run(
            engine=self.asked.engine.name,
            definition=model.definition,
            model=model,
            options={"properties": [execution.violates]},
            depth=trace.steps,
            solvers=(),
            outcome=Outcome((verdict,), (), {}),
            seconds=seconds,
            building_seconds=0.0,
            exit_code=VerdictKind.VIOLATED.exit_code,
        )
        checked = check_run(self.made, run, self.asked)
        told = tuple(one for one in checked.outcome.verdicts if one.kind is VerdictKind.VIOLATED)
        if told:
            self.asked.listen(Known(replace(checked, outcome=replace(checked.outcome, verdicts=told))))
