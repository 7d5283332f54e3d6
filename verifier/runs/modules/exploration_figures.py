"""The figures of an exploration by the interpreter, for its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifier.engines.exploration_progress import name_processes
from verifier.tla.explorer import Explorer


def describe_exploration(
    explorer: Explorer, never: Sequence[str], seconds: float, cpu_seconds: float
) -> dict[str, Any]:
    """Return the figures. ``never``: actions that no state enables. The seconds are those of this process."""
    result, orbits, workers = explorer.result, explorer.known.orbits, explorer.workers
    cpu_seconds += 0.0 if workers is None else workers.cpu_seconds
    made = result.generated - (0 if explorer.keeper is None else explorer.keeper.generated_before)
    taken = {**result.taken, **dict.fromkeys(never, 0)}
    return {
        "distinct_states": result.distinct,
        "generated_states": result.generated,
        "depth": max(result.depth, 0),
        "levels": result.levels,
        "initial_states": result.initial,
        "deadlocks": result.deadlocks,
        "complete": result.complete,
        "waiting_states": explorer.count - explorer.current - 1,
        "states_beyond_constraint": result.beyond,
        "view": explorer.view is not None,
        "actions": {name: {"taken": count} for name, count in taken.items()},
        "states_per_second": round(made / seconds) if seconds else None,
        "exploring_seconds": round(seconds, 3),
        "exploring_cpu_seconds": round(cpu_seconds, 3),
        "symmetry": orbits is not None,
        "permutations": len(orbits.renamings) + 1 if orbits is not None else 1,
        "states_in_orbits": explorer.in_orbits,
        "symmetry_refused": explorer.asymmetric,
        "printed": explorer.evaluator.printed,
        **_describe_workers(explorer),
    }


def _describe_workers(explorer: Explorer) -> dict[str, Any]:
    """Return the figures of workers, if some were asked for."""
    if explorer.workers is None:
        return {}
    workers, first = explorer.workers, explorer.workers.first_level
    count = workers.count if workers.runner is None or first is None else workers.runner.slots
    several = "" if workers.runner is None else workers.runner.name
    means = [
        {"name": (several if processes > 1 else "") or name_processes(processes), "first_level": level}
        for processes, level in workers.means
    ]
    seconds = round(workers.cpu_seconds, 3)
    return {"workers": 1 if first is None else count, "workers_cpu_seconds": seconds, "explored_by": means}
