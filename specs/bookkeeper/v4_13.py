"""``bookkeeper-4-13``: the protocol of release 4.13, whose recovery can lose committed entries.

Source: Vanlightly/bookkeeper-tlaplus, BookKeeperProtocol_v4_13.tla and MessagePassing_v4_13.tla.
Differences, none of which changes what can happen:

- What other variables determine is left out: the fragments of pending adds, where the current fragments
  begin, the ensemble of the recovery's (the last one: the writer changes nothing once the ledger is in
  recovery), the fields of w1 that only a recovery uses, the content of adds (w1 sends numbers, w2 what
  it read: ``data``), and the id of the entry last read (each read has all its answers, or time-outs,
  before it ends, so that no answer is taken for another entry's).
- The bookies that answered a read or timed out are counted together, not in three numbers that are added:
  none is counted twice (``bookies_answer_once``).
- A bookie has at most one content per entry. The original has a set of entries, which could hold two
  with the same id; the first state in which one of them is wrong violates NoOutOfOrderEntries in both.

As in the original, a bookie that does not have an entry answers with a message that does not name the
entry, and so sends it once only; and such an answer counts no time-outs.

``recovery_reads_fence=false`` is what 4.13 does, and the known-bad variant.

Liveness is the original's ``LedgerIsClosed`` under ``[]<>``, which asks that w1 has closed the ledger.
LedgerIsClosed here asks that somebody has. The original's fairness, ``WF_vars(Next)``, is the protocol's own.
"""

from __future__ import annotations

from verifier.encodings.declared import Formula
from verifier.specs.bookkeeper.v4_13_bookies import Bookies413
from verifier.specs.bookkeeper.v4_13_clients import State413
from verifier.specs.bookkeeper.v4_13_lemmas import Lemmas413
from verifier.specs.bookkeeper.v4_13_recovery import Recovery413
from verifier.specs.bookkeeper.v4_13_writer import Writer413
from verifier.specs.protocol import always_eventually, invariant, temporal, weak
from verifier.specs.temporal import Fairness, TemporalFormula

RECOVERY = (
    "w1_creates_ledger",
    "w2_place_in_recovery",
    "bookie_sends_fencing_read_lac_response",
    "w2_receives_fencing_read_lac_response",
    "w2_sends_read_requests",
    "bookie_sends_read_response",
    "w2_receives_non_final_read",
    "w2_completes_read_successfully",
    "w2_completes_read_with_no_such_entry",
    "w2_writes_back_entry",
    "bookie_sends_add_confirmed_response",
    "w2_receives_add_confirmed_response",
    "w2_closes_ledger",
)
"""The actions that must go on for the ledger to be closed. None can be left out."""


class BookKeeper413(Lemmas413, Recovery413, Writer413, Bookies413):
    """Apache BookKeeper 4.13: recovery reads that do not fence lose entries already acknowledged."""

    name = "bookkeeper-4-13"
    default_depth = 20

    @invariant(name="OnlyValidFragments")
    def only_valid_fragments(self, s: State413) -> Formula:
        """No fragment is put before another."""
        return (s.w1.status != "INVALID") & (s.w2.status != "INVALID")

    @invariant(name="NoDivergenceBetweenWriterAndMetaData")
    def no_divergence_between_writer_and_meta_data(self, s: State413) -> Formula:
        """No entry that the writer knows to be confirmed lies behind the end of the closed ledger."""
        return (s.meta_status == "CLOSED").implies(s.w1.lac <= s.meta_last_entry)

    @invariant(name="NoDivergence", default=False)
    def no_divergence(self, s: State413) -> Formula:
        """Short for NoDivergenceBetweenWriterAndMetaData."""
        return self.no_divergence_between_writer_and_meta_data(s)

    @temporal(name="Liveness")
    def liveness(self, s: State413) -> TemporalFormula:
        """Again and again the ledger is closed, and w1 has closed it: as the original states it."""
        return always_eventually((s.meta_status == "CLOSED") & (s.w1.status == "CLOSED"))

    @temporal
    def ledger_is_closed(self, s: State413) -> TemporalFormula:
        """Again and again the ledger is closed, by w1 or by the recovery."""
        return always_eventually(s.meta_status == "CLOSED")

    def fairness(self) -> list[Fairness]:
        """Every step that stays possible is taken."""
        return [weak()]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        """The recovery begins and goes on, and bookies answer; nothing is demanded of the writer."""
        return {"recovery": [weak(name) for name in RECOVERY]}
