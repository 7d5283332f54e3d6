"""Tasks of a level, done."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.explicit.expanding import expand
from verifier.explicit.level_tasks import Expand, Result, Stage, Task
from verifier.explicit.settling import settle
from verifier.files import reason_of
from verifier.processes.allocating import keep_what_is_freed
from verifier.processes.limits import Interrupted
from verifier.storage.blocks import Damaged


@dataclass(frozen=True)
class Failed:
    """The reason why a task cannot be done, wherever it is tried."""

    reason: str


def perform(stage: Stage, task: Task) -> Result:
    """Does a task. Raises OSError or Damaged where the folder cannot be written or read."""
    return expand(stage, task) if isinstance(task, Expand) else settle(stage, task)


def attempt(stage: Stage, task: Task) -> Result | Failed:
    """Does a task in a process that has nothing else to do."""
    keep_what_is_freed()
    try:
        return perform(stage, task)
    except OSError as error:
        return Failed(f"{error.filename or stage.folder}: {reason_of(error)}")
    except (Damaged, Interrupted) as error:
        return Failed(str(error))
    except MemoryError:
        return Failed("out of memory")
