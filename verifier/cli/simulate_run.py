"""What ``verify simulate`` does once its options are parsed."""

from __future__ import annotations

from verifier.cli.output import say
from verifier.cli.running import Shown, announce, check_targets, show, terminable
from verifier.engines.simulate import Progress
from verifier.runs import simulate
from verifier.runs.loading import load
from verifier.runs.options import SimulateOptions
from verifier.text.simulation import render_simulation


def run(spec: str, settings: dict[str, str], options: SimulateOptions, shown: Shown) -> int:
    """Simulates, prints, and returns the exit code."""
    asked = simulate.prepare(load(spec, settings), options)
    check_targets(shown, {}, asked.properties)

    def tell(news: Progress) -> None:
        if news.violated is not None:
            say(f"{news.violated} is {'reached' if news.reached else 'violated'}", err=True)

    announce(asked.definition, f"{options.walks} random executions")
    with terminable():
        finished = simulate.run(asked, tell)
    return show(finished, shown, render_simulation)
