"""The policy for modules: all budgets of interpreter and translation, each with its reason and measurement.

Seconds are processor seconds of the process, unless a text says otherwise. Measurements are from the commits
that brought the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from verifier.tla.translate.sampling_budget import SAMPLING, SamplingBudget


@dataclass(frozen=True)
class Policy:
    """The budgets, by the decision that they serve."""

    sampling: SamplingBudget = SAMPLING
    """The states from which sorts are guessed."""

    # -- a translation before the interpreter

    building_seconds: float = 5.0
    """Building after which the interpreter continues. EWD998ChanID's 14 states were undecided after 45 s,
    most of it building; now they take 5."""
    building_seconds_if_explored: float = 2.0
    """As many if all reachable states were sampled. A tree of 43 states as nested tuples: 31 -> 5 s, since
    its formulas are large, and each prover builds them again."""
    interpreter_seconds: float = 20.0
    """The time that the interpreter then gets, also if there is no translation. Quicksort at other constants
    was undecided after 60 s; all its 4,548 states take 0.8."""

    # -- refinement of guessed sorts

    rounds: int = 60
    """Rounds of widening. Each round widens by every value that it met, so modules with finite sorts need
    fewer."""
    rounds_beyond: int = 8
    """Rounds after which executions beyond the depth of a bounded search no longer widen sorts. They cannot
    change a verdict about the depth."""
    widenings_without_end: int = 2
    """Widenings of one variable's sort after which a proof ends, if some property is violated: no bound is
    in sight, and the violation is what the user needs."""
    long_translation_seconds: float = 0.3
    """Translation from which more states are sampled before anything else is built. All else takes several
    times as long, in vain if the sorts are too narrow (MultiPaxos)."""
    walks_beyond: int = 20
    """Random walks from a state that left its sorts, before the engine starts again. Each restart builds all
    again, a walk takes milliseconds."""
    steps_beyond: int = 40
    """The steps of each."""

    # -- bounded checking by the interpreter

    states_of_few_bits: int = 16_000
    """States that the interpreter explores in the time of a translation. Kip320.tla at (3,2,2,2) to depth 8:
    3.5 -> 1.9 s."""
    states_of_many_bits: int = 80_000
    """As many if states have many bits: their translation is built for long, and again for wider sorts. So
    BookKeeperProtocol.tla with two clients has an answer to depth 8."""
    many_bits: int = 256
    """Bits of the first states from which translation is slow. Later states have even more."""
    states_by_columns: int = 250_000
    """States that columns explore in that time: they are 7 to 20 times as fast (NanoMedium, EWD998PCal)."""
    expected_by_columns: int = 1_000_000
    """Expected states. If more are expected, a quarter of ``states_by_columns`` is explored, since a
    violation may come before."""
    generated_per_state: int = 5
    """Generated states for each state found: with symmetry, many generated states are one."""
    states_before_expecting: int = 1_000
    """States before an expectation is formed, one by one. Growth of a few small levels says nothing."""
    states_before_expecting_by_columns: int = 8_000
    """States before one by columns, which explore 8,000 in less than a second."""
    interchanged_names: int = 120
    """Permutations of model values, as of five of them: each state is compared with all its images.
    Kip320.tla at (3,3,3,3) to depth 12 ended at the time limit and takes 7 s."""

    # -- proofs by the interpreter

    states_ahead: int = 1_000
    """States near the initial ones that are explored before any prover: a violation there is reported at
    once."""
    seconds_ahead: float = 1.0
    """The time for them, and for the search for growing variables. Provers of many bits need more to
    start."""
    levels_ahead: int = 16
    """The depth of the states from which that search starts."""
    seconds_before_growth: float = 2.0
    """An exploration measures its variables after this time, also if nothing is violated. Until then most
    models are explored, and a level would cost more to measure than to explore."""
    seconds_before_symmetry: float = 60.0
    """The seconds of the clock that the provers get before all states are explored up to SYMMETRY. They prove
    27 of endive's 29 protocols in a few seconds each, and leave MongoLoglessDynamicRaft open after 280."""
    growth_levels: int = 32
    """The last levels in which a variable that seems unbounded grows."""
    growths: int = 8
    """The growths in them. A variable with a bound may grow a few times."""
    growth_steps: int = 96
    """The steps that are tried ahead."""
    growth_states: int = 16
    """The states that are kept at each step: those in which the variable is largest."""
    growth_sample: int = 2_000
    """The values and states that are compared."""
    late_growth_sample: int = 16
    """The values and states that are compared at each level if nothing is violated. With sequences of 700
    elements, an exploration then takes 2 % longer."""
    growth_depth: int = 4
    """The nesting of values to which sizes are added up."""

    states_before_loops: int = 2_000
    """The first states that are searched for loops before all states are. A lasso of one state among 700,000
    was found after 43 s."""
    states_of_hidden_growth: int = 2_000
    """States from which on a search for loops ends if a VIEW hides variables that seem unbounded. A graph
    with fewer is completed, and its growth may have a bound."""

    # -- exploration as translated

    bits_explored: int = 600
    """Bits of a state. The interpreter explores states with more, since the compiled tables grow with
    bits."""
    formula_parts: int = 100_000
    """Parts of formulas. Each level evaluates all of them, even for few states, and compiling takes as long
    as building. EWD998PCal was built for 16 s in vain."""
    permutations: int = 48
    """Permutations of SYMMETRY. With more, orbits are large and few; the interpreter needs long for the
    first ones, and would have to explore them twice."""
    least_building_seconds: float = 2.0
    """The least time for building in a round; after that, the interpreter explores."""
    most_building_seconds: float = 12.0
    """The most time for it. MultiPaxos_MC_small: 94.7 -> 12.3 s."""
    expected_states: int = 20 * SAMPLING.states_of_explore
    """States that are expected if the sample is not complete. Building may take as long as the interpreter
    takes for their successors."""
    share_of_translating: float = 0.4
    """The share of that time for translation alone. Terms that take longer are too large to be lowered
    soon."""
    states_of_few_values: int = 1_000
    """States from which a variable may have few values."""
    share_of_few_values: float = 0.2
    """The values for each state up to which a variable has few: columns evaluate formulas once for these.
    btree takes 4 s by columns and 18 as translated."""
    small_bits: int = 256
    """Bits up to which a translation is faster than columns, even if each variable has few values: its cost
    for a state grows with bits and terms (SlushSmall, Chameneos)."""
    small_terms: int = 5_000
    """As for bits, for terms."""
    few_initial: int = 1_000
    """As for bits, for initial states, which are listed in the translation."""

    # -- all engines

    quiet_seconds: float = 1.0
    """Seconds of the clock between two reports of progress."""
    share_of_free_memory: float = 0.9
    """The share of free memory that a search takes if no limit is given: the rest is for the other
    programs."""
    share_of_freed_memory: float = 0.4
    """The share of the memory limit from which on freed memory is given back to the system. btree kept
    230 MiB, 150 of them in use."""
    share_of_memory: float = 0.7
    """The share of the memory limit from which on the interpreter's states go to files. Moving them takes
    memory, too: for the index of the files."""
    share_of_full_memory: float = 0.8
    """The share from which on columns are left, which are several times as fast but need more memory."""
    states_with_successors: int = 50_000
    """States whose successors random walks keep: they return to the states near Init."""


POLICY = Policy()
