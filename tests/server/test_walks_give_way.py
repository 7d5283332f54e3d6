"""A long random walk lets other requests be answered, and ends if one of them walks on."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from verifier.errors import UsageError
from verifier.server.calls import Call
from verifier.server.session import Session
from verifier.server.table import REQUESTS

_LONG = 10_000_000
RING = """---- MODULE Ring ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 50
====
"""


def ask(session: Session, call: Call, name: str, /, **given: Any) -> Any:
    """Return the answer to a request."""
    return REQUESTS[name].run(session, call, given)


def test_a_walk_is_watched_and_ends_when_somebody_else_walks_on(tmp_path: Path) -> None:
    session, call, failures = Session(), Call(), list[BaseException]()
    (tmp_path / "Ring.tla").write_text(RING)  # a walk in it has no end
    (tmp_path / "Ring.cfg").write_text("INIT Init\nNEXT Next\n")
    ask(session, Call(), "load", spec=str(tmp_path / "Ring.tla"))
    began = ask(session, Call(), "initial_states")["states"][0]["state"]

    def walk() -> None:
        with pytest.raises(UsageError, match="somebody walked on during the random walk") as raised:
            ask(session, call, "random_walk", steps=_LONG)
        failures.append(raised.value)

    thread = threading.Thread(target=walk)
    thread.start()
    try:
        while ask(session, Call(), "state")["state"] == began:
            assert thread.is_alive()
        while thread.is_alive():  # the walk may be in this very state: then nobody walked on
            ask(session, Call(), "go", state=began)
        assert failures
        assert ask(session, Call(), "state")["state"] == began
    finally:
        call.cancelled.set()
        thread.join()
