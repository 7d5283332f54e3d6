"""The budget for the states from which sorts are guessed: each number with its reason and measurement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SamplingBudget:
    """Limits of the first states, of random walks behind them, and of walks to new values."""

    states: int = 2_000
    """States found breadth first. A proof or a bounded search needs the sorts, not the states."""
    states_of_explore: int = 8_000
    """States found for `explore`: the interpreter explores a smaller module alone, in about a second."""
    generated_of_explore: int = 40_000
    """States generated meanwhile. A state may have thousands of successors."""
    growth: float = 1.2
    """The growth of a level over the largest one before it. Levels that grow less may end soon."""
    states_before_growth: int = 2_000
    """The states from which growth counts. A search that passes both is expected to be much larger."""
    initial: int = 50_000
    """Initial states. With more, sorts follow from the values that Init states for each variable."""
    initial_of_explore: int = 500_000
    """Initial states for `explore`, if Init does not say in how many ways it is true."""
    initial_told_by_init: int = 8_000
    """Initial states for `explore`, if Init says so. MCBakery: 66 -> 3.1 processor seconds."""
    walks: int = 30
    """Random walks from the first states. They reach larger values than breadth first does."""
    steps: int = 60
    """The steps of each. A bounded search takes no more than its depth: walks of 60 steps gave it sequences
    of 85 places for 10 steps."""
    successors: int = 300_000
    """Successors after which walks end: if a step leads to one of 100,000 states, few say enough. Such a
    module spent minutes on 1,800 steps."""
    walks_more: int = 4
    """The factor by which the number of walks grows while they find values that no sort has. Walking takes
    less time than building and exploring again (btree)."""
    walks_at_once: int = 6
    """Walks after which their new values are looked at."""
    idle_batches: int = 5
    """Batches of walks without a new value after which walks end."""
    scouted: int = 400
    """States whose successors are computed at first, to find new values. Walks begin again at these, so that
    logs and numbers grow before anything is translated: compaction.tla with three ledgers to depth 8 took
    two rounds, and takes one."""
    scouted_after_news: int = 250
    """States whose successors are computed after each new value."""
    scouted_at_most: int = 1_500
    """All states whose successors are computed."""
    scouted_successors: int = 60_000
    """All successors. Walks took minutes for states with thousands of successors."""
    scouting_starts: int = 16
    """The latest new states, from which walks start."""
    idle_steps: int = 6
    """Steps without a new value after which such a walk ends."""
    scouted_of_state: int = 8
    """New states that are kept among the successors of one state."""
    scouting_steps: int = 60
    """The steps of such a walk, if no depth is given."""


SAMPLING = SamplingBudget()
