"""The adapter between the tests of ReplicatedLog and service.py.

The environment variable REPLICATED_LOG_BUG switches the bug on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from service import Leader


class ReplicatedLogAdapter:
    """A leader with its followers, driven by the actions of ReplicatedLog."""

    def start(self, state: dict[str, Any]) -> None:
        """Start the followers that the initial state names."""
        self.leader = Leader(list(state["copies"]), appends_blindly="REPLICATED_LOG_BUG" in os.environ)

    def close(self) -> None:
        """Stop the followers."""
        self.leader.close()

    def read_state(self) -> dict[str, Any]:
        """Return all variables."""
        leader = self.leader
        return {
            "leader": leader.log,
            "copies": leader.copies(),
            "acked": leader.acked,
            "commit": leader.commit,
        }

    def write(self, v: Any) -> None:
        """Perform Write."""
        self.leader.write(v)

    def replicate(self, f: Any) -> None:
        """Perform Replicate."""
        self.leader.replicate(f)

    def lose_ack(self, f: Any) -> None:
        """Perform LoseAck."""
        self.leader.replicate(f, loses_ack=True)

    def commit(self) -> None:
        """Perform Commit."""
        self.leader.advance()
