"""A server of the page on which one walks through a specification."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from verifier.runs.loaded import ReadingOptions
from verifier.server.session import Session
from verifier.server.web import WalkServer


@contextmanager
def serving(spec: str, **constants: str) -> Iterator[WalkServer]:
    """Give a server of a specification."""
    session = Session()
    server = WalkServer(session, session.load(spec, constants, ReadingOptions(), None))
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        thread.join()
