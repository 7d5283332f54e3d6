"""The address of a Spark master, looked at before anything starts: Spark itself tries for a minute to reach
a master that is not there."""

from __future__ import annotations

import re
import socket

from verifier.cluster.extra import TO_RUN_SPARK, check_extra
from verifier.cluster.java import check_java
from verifier.errors import UsageError
from verifier.files import reason_of
from verifier.processes.cores import cores

_LOCAL = re.compile(
    r"local(\[(?P<threads>\*|[1-9]\d*)(, *\d+)?\])?"
    r"|local-cluster\[(?P<executors>[1-9]\d*), *(?P<cores>[1-9]\d*), *[1-9]\d*\]"
)
_ELSEWHERE = re.compile(r"yarn|k8s://.+|spark://[^/]+")
_STANDALONE = "spark://"
_CONNECT_SECONDS = 5.0
_FORMS = "local[2], local[*], local-cluster[2,1,1024], spark://HOST:PORT, k8s://HOST:PORT or yarn"


def is_local(master: str) -> bool:
    """True if Spark runs on this machine, started by this process."""
    return _LOCAL.fullmatch(master) is not None


def is_one_process(master: str) -> bool:
    """True if Spark is one process on this machine, its executor within it."""
    match = _LOCAL.fullmatch(master)
    return match is not None and not match["executors"]


def slots_here(master: str) -> int | None:
    """The number of tasks at a time that Spark runs on this machine; None where it is elsewhere."""
    match = _LOCAL.fullmatch(master)
    if match is None:
        return None
    if match["executors"]:
        return int(match["executors"]) * int(match["cores"])
    return cores() if match["threads"] == "*" else int(match["threads"] or 1)


def check_spark(what: str, master: str) -> None:
    """Raise UsageError if a command, ``what``, cannot run on Spark here: a package, Java or the master is
    missing."""
    check_extra(what, TO_RUN_SPARK)
    check_java(what)
    check_master(master)


def check_master(master: str) -> None:
    """Raises UsageError for what Spark takes for no master, or if none of a standalone cluster answers."""
    if not is_local(master) and not _ELSEWHERE.fullmatch(master):
        raise UsageError(f"--master {master} is not a master of Spark: it takes {_FORMS}")
    if master.startswith(_STANDALONE):
        reasons = [_refusal(place) for place in master.removeprefix(_STANDALONE).split(",")]
        if all(reasons):
            raise UsageError(f"no master of Spark answers at {master}: {reasons[0]}")


def _refusal(place: str) -> str:
    """Say why nobody answers at HOST:PORT; an empty text if somebody does."""
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 1 << 16:
        raise UsageError(f"--master {_STANDALONE}{place} has no port: it takes {_STANDALONE}HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError as error:
        return reason_of(error)
    return ""
