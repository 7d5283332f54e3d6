"""Single changes to the Kafka protocols are noticed, or listed here with why nothing can notice them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.support.mutants import CHECKED_BY, find_difference, find_difference_at, mutants
from tests.support.sampling import some_of

EPOCH_NAMES_LEADER = "an epoch has one leader, and the replica that it names presumes leadership in it"
LEADER_IN_OWN_ISR = "a presumed leader is in its own ISR, and what is asked of the ISR says it of the leader"
LEADER_CAUGHT_UP = "a presumed leader is always caught up with itself"
NO_RECORD_COMPARES = "a record that is not there equals nothing, and no epoch is greater than its own"
WEAKER = "the property asks less, and the protocol satisfies more"
EITHER_WAY = "which log is compared with which makes no difference"
UNREAD = "no action reads the pending version, and the requests tell what it would be"

EQUIVALENT: Mapping[str, str] = {
    "replication.is_true_leader: without (s.quorum.leader == leader)": EPOCH_NAMES_LEADER,
    "replication.is_true_leader: without self.presumes_leadership(s, leader)": EPOCH_NAMES_LEADER,
    "replication.has_high_watermark_reached_current_epoch: without has_next": (
        "a high watermark that is not the log's length is below it; without the guard the read has no "
        "value where that is not so, which is nowhere"
    ),
    "replication.is_follower_caught_up: without self.has_offset(s, leader, last)": (
        "it is asked for the leader's end offset or high watermark, and neither is beyond the leader's log"
    ),
    "replication.is_follower_caught_up: without (end_offset == 0)": "every log is longer than -1",
    "replication.controller_shrink_isr: without leads": "an elected leader is in the ISR",
    "replication.leader_shrink_isr: without follower != leader": LEADER_CAUGHT_UP,
    "replication.leader_inc_high_watermark: hw < self.log_size becomes hw <= self.log_size": (
        LEADER_IN_OWN_ISR
    ),
    "replication.leader_inc_high_watermark: without hw < self.log_size": LEADER_IN_OWN_ISR,
    "replication.type_ok: forall over self.epochs becomes exists": WEAKER,
    "replication.type_ok: e >= s.next_leader_epoch becomes e > s.next_leader_epoch": WEAKER,
    "replication.strong_isr: without the premise self.presumes_leadership(s, leader)": (
        "a follower's high watermark is one that some leader had, so the property fails no earlier"
    ),
    "kip101.lookup_offset_for_epoch: if_(log.is_empty, hw, if_(log.last.epoch == epoch, log.length, beyond))"
    " becomes if_(log.last.epoch == epoch, log.length, beyond)": NO_RECORD_COMPARES,
    "kip101.become_follower_truncate_kip101: if_(own.is_empty, 0, self.lookup_offset_for_epoch(s, leader, "
    "follower, own.last.epoch)) becomes self.lookup_offset_for_epoch(s, leader, follower, own.last.epoch)": (
        f"{NO_RECORD_COMPARES}; so it finds the follower's high watermark, which is 0 with an empty log"
    ),
    "kip279.first_non_matching_offset_from_tail: self.has_same_entry of follower, leader": EITHER_WAY,
    "kip279.become_follower_truncate_kip279: self.first_non_matching_offset_from_tail of follower, leader": (
        EITHER_WAY
    ),
    "kip279.become_follower_truncate_kip279: self.become_follower_and_truncate_to of follower, leader": (
        "the parameters have changed names, and where to cut is the same either way"
    ),
    "kip320_first_try.follower_truncate: self.first_non_matching_offset_from_tail of follower, leader": (
        EITHER_WAY
    ),
    "kip320_first_try.follower_needs_truncation: without self.has_offset(s, leader, last)": (
        "where the leader has no such offset, the follower's log is the longer one"
    ),
    "kip320_first_try.improved_leader_inc_high_watermark: without self.presumes_leadership(s, leader)": (
        LEADER_IN_OWN_ISR
    ),
    "kip320_first_try.improved_leader_inc_high_watermark: without self.has_offset(s, leader, hw)": (
        LEADER_IN_OWN_ISR
    ),
    "kip320_first_try.leader_shrink_isr_better_fencing: without follower != leader": LEADER_CAUGHT_UP,
    "kip320.is_following_leader_epoch: without self.presumes_leadership(s, leader)": EPOCH_NAMES_LEADER,
    "kip320.is_following_leader_epoch: without self.is_following(s, follower, leader)": EPOCH_NAMES_LEADER,
    "kip320.fenced_leader_shrink_isr: without follower != leader": LEADER_CAUGHT_UP,
    "kip320.fenced_become_follower_and_truncate: without self.presumes_leadership(s, leader)": (
        EPOCH_NAMES_LEADER
    ),
    "kip320.fenced_become_follower_and_truncate: "
    "self.first_non_matching_offset_from_tail of follower, leader": EITHER_WAY,
    **{
        f"kip320.epochs_never_fall: {change}": WEAKER
        for change in (
            "without (s.quorum.epoch <= after.quorum.epoch)",
            "without forall( s.replica[r].epoch <= after.replica[r].epoch for r in self.replicas )",
            "forall over self.replicas becomes exists",
        )
    },
    "async_isr.leader_request_isr: without s.leader.pending_version: version": UNREAD,
    "async_isr.leader_handle_update: without s.leader.pending_version: -1": UNREAD,
    "async_isr.follower_replicate: without replica != self.the_leader": "the leader is never behind itself",
    "async_isr.type_ok: s.leader.pending_version >= 0 becomes s.leader.pending_version > 0": (
        "it fails in the first state either way"
    ),
    "async_isr.valid_high_watermark: forall over s.controller.isr becomes exists": WEAKER,
}

# A follower cuts off records that it knew to be committed only after the first try has lost data.
AFTER_THE_LOSS = [
    f"kip320_first_try.follower_truncate: {change}"
    for change in (
        "without s.replica[follower].hw: minimum(offset, s.replica[follower].hw)",
        "minimum(offset, s.replica[follower].hw) becomes s.replica[follower].hw",
    )
]
LARGER = (("replicas", 3), ("log_size", 1), ("max_records", 1), ("max_leader_epoch", 2))

ALL = {mutant.name: mutant for mutant in mutants()}


def test_mutants_of_every_module() -> None:
    assert {mutant.module for mutant in ALL.values()} == set(CHECKED_BY)
    assert len(ALL) == len(mutants()) >= 250
    assert set(EQUIVALENT) <= set(ALL)
    assert set(AFTER_THE_LOSS) <= set(ALL)


@pytest.mark.parametrize(
    "name", some_of((name for name in ALL if name not in {*EQUIVALENT, *AFTER_THE_LOSS}), every=24)
)
def test_is_noticed(name: str) -> None:
    assert find_difference(ALL[name]) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", AFTER_THE_LOSS)
def test_is_noticed_at_larger_constants(name: str) -> None:
    assert find_difference_at(ALL[name], "kip320-first-try", LARGER) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", EQUIVALENT)
def test_equivalent_ones_do_nothing_else(name: str) -> None:
    assert find_difference(ALL[name], most_states=50_000) is None
