"""A worker that knows nothing of earlier tasks, so that tasks may be lost, repeated, or done in any order.

It drops a successor only if an earlier state of the same task has it. If it dropped what an earlier task had
found, states would be lost whenever the answer to that task is lost.
"""

from __future__ import annotations

import time

from verifier.tla.known_states import KnownStates
from verifier.tla.workers.messages import Task
from verifier.tla.workers.worker import Worker


class StatelessWorker(Worker):
    """A search that expands the states of one task after the other, each as if it were the first."""

    def _listen(self, task: Task) -> float:
        """Forget all states and numbers. The numbers of values are their places in the table of the task."""
        began = time.process_time()
        search = self.search
        search.known = search.violations.known = self.known = KnownStates(search.view, None)
        search.level = task.level
        for _, code in task.told:
            self.known.number(self.coding.decode(code))
        self.common = len(task.told)
        self.given.clear()
        return began
