"""A long random walk lets other requests be answered, and ends if one of them walks on."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from verifier.errors import UsageError
from verifier.server.calls import Call
from verifier.server.session import Session
from verifier.server.table import REQUESTS

_LONG = 200_000


def ask(session: Session, call: Call, name: str, /, **given: Any) -> Any:
    """Return the answer to a request."""
    return REQUESTS[name].run(session, call, given)


def test_a_walk_is_watched_and_ends_when_somebody_else_walks_on() -> None:
    session, call, failures = Session(), Call(), list[BaseException]()
    ask(session, Call(), "load", spec="rabbit-sac")
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
        ask(session, Call(), "go", state=began)
        thread.join(60)
        assert failures
        assert ask(session, Call(), "state")["state"] == began
    finally:
        call.cancelled.set()
        thread.join()
