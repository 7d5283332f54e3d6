"""The original TLA+ texts of the protocols, beside TLC's counts and the Python protocols."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.measuring import run_to_end, verify
from tests.support.tlc import constants_of

MINUTE = 60


_KAFKA = {
    "kafka-truncate-hw": "KafkaTruncateToHighWatermark", "kip101": "Kip101", "kip279": "Kip279",
    "kip320-first-try": "Kip320FirstTry", "kip320": "Kip320",
}  # fmt: skip


_BOUNDED = """---- MODULE Bounded ----
EXTENDS AsyncIsr
Within ==
    /\\ controllerState.version <= {max_version}
    /\\ \\A r \\in Replicas : leaderState.offsets[r] <= {max_offset}
====
"""


_MODEL_VALUES = {
    "pulsar-compaction": (
        "Nil Compactor_In_PhaseOne Compactor_In_PhaseTwoWrite Compactor_In_PhaseTwoUpdateContext "
        "Compactor_In_PhaseTwoUpdateHorizon Compactor_In_PhaseTwoPersistCusror "
        "Compactor_In_PhaseTwoDeleteLedger"
    ),
    "exactly-once-atomic": "defaultInitValue NULL EMPTY",
    "bookkeeper": (
        "AddEntryRequestMessage AddEntryResponseMessage FenceRequestMessage FenceResponseMessage "
        "ReadRequestMessage ReadResponseMessage STATUS_OPEN STATUS_CLOSED STATUS_IN_RECOVERY "
        "CLIENT_WITHDRAWN RECOVERY_ABORTED NeedMoreResponses Nil NoSuchEntry Unknown OK"
    ),
}


_OTHER_TEXT = {
    "exactly-once": "the text at hand is newer than the one measured (commit 15b007f)",
    "rabbit-sac": "the text is part of a page, not a file",
}


_CHANGED = "TLC measured a changed text"


_NO_TEXT = "no text"


BUT = "but for generated states: "


_NO_VALUE = "has no value: it compares -1 with a record (TLC measured a mended text)"


NOT_AT_HAND = {*_OTHER_TEXT.values(), _CHANGED, _NO_TEXT, _NO_VALUE}


_NAMES = {"DeadlockBalanced", "DeadlockPerfect"}
"""Properties that the Python protocols add."""


_WITHOUT_VALUE = {(spec, "TypeOk") for spec in _KAFKA}
"""Properties of original texts that have no value in some state."""


@dataclass(frozen=True)
class Text:
    """An original text, and the configuration of a row."""

    module: Path
    config: str


def text(row: Mapping[str, Any], upstream: Path, folder: Path) -> Text | str:
    """The text and the configuration for the constants of a row; or why there is none."""
    spec, given = row["spec"], row["constants"]
    if spec in _OTHER_TEXT:
        return _OTHER_TEXT[spec]
    if row["symmetry"] or "restricted" in row["note"]:
        return _CHANGED
    if spec in _KAFKA:
        values = {
            "Replicas": _set("r", given["replicas"]), "LogSize": given["log_size"],
            "MaxRecords": given["max_records"], "MaxLeaderEpoch": given["max_leader_epoch"],
        }  # fmt: skip
        return _make(upstream / f"kafka-specification/{_KAFKA[spec]}.tla", spec, values)
    if spec == "kafka-async-isr":
        (folder / "Bounded.tla").write_text(_BOUNDED.format(**given))
        values = {"Replicas": _set("r", given["replicas"]), "Leader": "r1", "MaxOffset": given["max_offset"]}
        return _make(folder / "Bounded.tla", spec, values, "CONSTRAINT Within\n")
    if spec == "pulsar-compaction":
        values = {
            "MessageSentLimit": given["message_sent_limit"], "MaxCrashTimes": given["max_crash_times"],
            "CompactionTimesLimit": given["compaction_times_limit"], "ModelConsumer": "FALSE",
            "ConsumeTimesLimit": 2, "KeySpace": _numbers(given["keys"]),
            "ValueSpace": _numbers(given["values"]),
            "RetainNullKey": str(given["retain_null_key"]).upper(),
            "ModelProducer": str(given["model_producer"]).upper(),
        }  # fmt: skip
        return _make(upstream / "pulsar-tlaplus/compaction.tla", spec, values)
    if spec == "rabbit-sac-restart":
        values = {
            "A": _set("a", given["apps"]), "Q": _set("q", given["queues"]),
            "RESTART_LIMIT": given["restart_limit"],
        }  # fmt: skip
        place = "formal-methods-playground/tla/rebalancing-clients/standard-liveness"
        return _make(upstream / place / "rabbit_leaderless_rebalancing.tla", spec, values)
    if spec == "exactly-once-atomic":
        values = {"MaxQueue": given["max_queue"], "MaxRetry": given["max_retry"]}
        return _make(upstream / "model-checking/exactly_once.tla", spec, values)
    if spec == "bookkeeper":
        values = {
            "Bookies": _set("b", given["bookies"]), "Clients": _set("c", given["clients"]),
            "WriteQuorum": given["write_quorum"], "AckQuorum": given["ack_quorum"],
            "SendLimit": given["send_limit"], "InflightLimit": given["inflight_limit"],
        }  # fmt: skip
        return _make(upstream / "bookkeeper-tlaplus/BookKeeperProtocol.tla", spec, values)
    return _NO_TEXT


def _set(letter: str, count: int) -> str:
    return f"{{{', '.join(f'{letter}{number}' for number in range(1, count + 1))}}}"


def _numbers(count: int) -> str:
    return f"{{{', '.join(map(str, range(1, count + 1)))}}}"


def _make(module: Path, spec: str, values: Mapping[str, Any], more: str = "") -> Text:
    begin = "INIT Init\nNEXT Next" if spec == "kafka-async-isr" else "SPECIFICATION Spec"
    lines = [f"  {name} = {value}" for name, value in values.items()]
    lines += [f"  {name} = {name}" for name in _MODEL_VALUES.get(spec, "").split()]
    return Text(module, "\n".join([begin, "CHECK_DEADLOCK FALSE", "CONSTANTS", *lines, more]))


def explore_module(words: list[str], seconds: float) -> dict[str, Any] | str:
    """Return the JSON object of `verify explore`, or its error."""
    done = run_to_end(verify("explore", *words, "--timeout", f"{seconds:g}s", "--format", "json"))
    assert done is not None
    if done.output.startswith("{"):
        found: dict[str, Any] = json.loads(done.output)
        return found
    return done.last_error


def agreement(row: Mapping[str, Any], properties: Iterable[str], run: dict[str, Any] | str) -> str:
    """True if a run found what TLC found: "yes", or the difference."""
    if isinstance(run, str):
        return run[:160]
    results = [result for result in run["results"] if result["property"] in properties]
    if row["verdict"] == "violated":
        # Of several properties, TLC ends with the one that fails first.
        steps = [result["steps"] for result in results if result["verdict"] == "VIOLATED"]
        if steps and min(steps) + 1 == row["shortest_states"]:
            return "yes"
        return "; ".join(f"{result['property']}: {result['verdict']}" for result in results)
    for result in results:
        if result["verdict"] != "HOLDS":
            return f"{result['property']}: {result['verdict']}"
    figures = run["statistics"]
    own = figures["distinct_states"], figures["generated_states"], figures["depth"] + 1
    wanted = row["distinct_states"], row["generated_states"], row["depth_levels"]
    if own[::2] == wanted[::2] and own != wanted:
        return f"{BUT}{own[1]}"
    if row["symmetry"] and own != wanted:
        return f"verdict; TLC counted with SYMMETRY, here {' / '.join(map(str, own))}"
    return "yes" if own == wanted else " / ".join(map(str, own))


def compare_rows(
    group: list[dict[str, Any]], upstream: Path, seconds: float, by: str = "auto"
) -> list[list[str]]:
    """The cells of rows at the same constants, the original text by a semantics."""
    first = group[0]
    properties = list(dict.fromkeys(name for row in group for name in row["properties"]))
    python = ["--spec", first["spec"]]
    for name, value in constants_of(first).items():
        python += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    for name in properties:
        python += ["--property", name]
    ours = explore_module(python, seconds)
    with tempfile.TemporaryDirectory() as folder:
        found = text(first, upstream, Path(folder))
        run: dict[str, Any] | str = ""
        if not isinstance(found, str):
            asked = [n for n in properties if (first["spec"], n) not in _WITHOUT_VALUE and n not in _NAMES]
            config = Path(folder) / "text.cfg"
            config.write_text(f"{found.config}\nINVARIANTS {' '.join(asked)}\n")
            library = str(upstream / "kafka-specification")
            words = ["--spec", str(found.module), "--config", str(config), "--library", library, "--by", by]
            run = explore_module(words, seconds)
    cells = []
    for row in group:
        if isinstance(found, str):
            original = found
        elif any((row["spec"], name) in _WITHOUT_VALUE for name in row["properties"]):
            original = _NO_VALUE
        else:
            original = agreement(row, row["properties"], run).replace(f"{upstream}/", "")
        cells.append([*_head(row), original, agreement(row, row["properties"], ours)])
    return cells


def _head(row: Mapping[str, Any]) -> list[str]:
    constants = ", ".join(f"{name}={value}" for name, value in row["constants"].items())
    counts = f"{row['distinct_states']} / {row['generated_states']} / {row['depth_levels']}"
    tlc = f"violated, {row['shortest_states']} states" if row["verdict"] == "violated" else counts
    return [row["spec"], constants, ", ".join(row["properties"]), tlc]
