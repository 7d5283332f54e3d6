"""The built-in protocols. This module imports none of them, so that a command can name them at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BuiltIn:
    """A built-in protocol."""

    place: str
    """Module, colon, class."""
    summary: str
    """The first line of the class's docstring."""


BUILT_IN: Mapping[str, BuiltIn] = {
    "kafka-truncate-hw": BuiltIn(
        "verifier.specs.kafka.truncate_hw:KafkaTruncateToHighWatermark",
        "Kafka before KIP-101: a new follower truncates to its own high watermark.",
    ),
    "kip101": BuiltIn(
        "verifier.specs.kafka.kip101:Kip101",
        "KIP-101: a new follower truncates to where the leader's log leaves the follower's last epoch.",
    ),
    "kip279": BuiltIn(
        "verifier.specs.kafka.kip279:Kip279",
        "KIP-279: a new follower truncates to just after the last record that it shares with the leader.",
    ),
    "kip320-first-try": BuiltIn(
        "verifier.specs.kafka.kip320_first_try:Kip320FirstTry",
        "KIP-320, first try: followers truncate when a fetch finds a wrong epoch; it loses committed data.",
    ),
    "kip320": BuiltIn(
        "verifier.specs.kafka.kip320:Kip320",
        "KIP-320: leader and follower deal with each other only within one epoch.",
    ),
    "kafka-async-isr": BuiltIn(
        "verifier.specs.kafka.async_isr:AsyncIsr",
        "ISR changes as messages: the leader's high watermark must be safe for whatever ISR comes of them.",
    ),
    "bookkeeper": BuiltIn(
        "verifier.specs.bookkeeper.bookkeeper:BookKeeper",
        "Apache BookKeeper: entries of a ledger survive the recovery that closes it.",
    ),
    "bookkeeper-4-13": BuiltIn(
        "verifier.specs.bookkeeper.v4_13:BookKeeper413",
        "Apache BookKeeper 4.13: recovery reads that do not fence lose entries already acknowledged.",
    ),
    "pulsar-compaction": BuiltIn(
        "verifier.specs.pulsar.compaction:PulsarCompaction",
        "Pulsar topic compaction: what ledgers and cursor hold when the compactor's broker crashes.",
    ),
    "rabbit-sac": BuiltIn(
        "verifier.specs.rabbitmq.single_active_consumer:RabbitSac",
        "RabbitMQ clients balance queues with single active consumers; apps start and never stop.",
    ),
    "rabbit-sac-restart": BuiltIn(
        "verifier.specs.rabbitmq.single_active_consumer:RabbitSacRestart",
        "RabbitMQ clients balance queues with single active consumers; apps stop and start again.",
    ),
    "exactly-once": BuiltIn(
        "verifier.specs.exactly_once.staged:ExactlyOnce",
        "Exactly-once message processing with an outbox that is not written together with the state.",
    ),
    "exactly-once-atomic": BuiltIn(
        "verifier.specs.exactly_once.atomic:ExactlyOnceAtomic",
        "Exactly-once message processing with an outbox that is written together with the state.",
    ),
}
"""All built-in protocols by name, in the order in which ``verify list`` shows them."""
