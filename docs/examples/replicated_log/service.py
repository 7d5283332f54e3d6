"""A replicated log: a leader and followers that speak JSON over TCP on the loopback.

With ``appends_blindly`` a follower has a bug: it appends whatever the leader sends. If an acknowledgement is
lost, the leader sends the entry again, and the follower has it twice.
"""

from __future__ import annotations

import json
import socket
import socketserver
import sys
import threading
from pathlib import Path
from typing import Any


class Follower:
    """A server that keeps a copy of the log. It answers one request after the other."""

    def __init__(self, *, appends_blindly: bool = False) -> None:
        self.log: list[str] = []
        self.appends_blindly = appends_blindly
        follower = self

        class Handler(socketserver.StreamRequestHandler):
            """A request on a line, and the copy as the answer."""

            def handle(self) -> None:
                """Store the entry, if the request has one, and answer."""
                request = json.loads(self.rfile.readline())
                if "entry" in request:
                    follower.store(request["index"], request["entry"])
                try:
                    self.wfile.write(json.dumps(follower.log).encode() + b"\n")
                except OSError:
                    return  # the leader did not wait for the answer

        self._server = socketserver.TCPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.address: Any = self._server.server_address

    def store(self, index: int, entry: str) -> None:
        """Store an entry at its index, and drop what came after it."""
        if self.appends_blindly:
            self.log.append(entry)
        else:
            self.log[index:] = [entry]

    def close(self) -> None:
        """Stop the server, and free its port."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Leader:
    """The leader, which writes each event into a log file."""

    def __init__(
        self, names: list[str], events: Path | None = None, *, appends_blindly: bool = False
    ) -> None:
        self.log: list[str] = []
        self.commit = 0
        self.followers = {name: Follower(appends_blindly=appends_blindly) for name in names}
        self.acked = dict.fromkeys(names, 0)
        self._events = events

    def write(self, value: str) -> None:
        """Append a value to the log."""
        self.log.append(value)
        self._record(event="write", value=value)

    def replicate(self, name: str, *, loses_ack: bool = False) -> None:
        """Send a follower its next entry. The acknowledgement may be lost: the leader does not read it."""
        index = self.acked[name]
        copy = self._ask(name, {"index": index, "entry": self.log[index]}, waits=not loses_ack)
        if copy is None:
            self._record(event="timeout", follower=name)
        else:
            self.acked[name] += 1
            self._record(event="replicated", follower=name, copy=copy)

    def advance(self) -> None:
        """Commit the next entry, if a majority has it."""
        holders = 1 + sum(acked > self.commit for acked in self.acked.values())
        if 2 * holders > 1 + len(self.acked):
            self.commit += 1
            self._record(event="commit", commit=self.commit)

    def copies(self) -> dict[str, list[str]]:
        """Ask each follower for its copy."""
        return {name: self._ask(name, {}) or [] for name in self.followers}

    def close(self) -> None:
        """Stop the followers."""
        for follower in self.followers.values():
            follower.close()

    def _ask(self, name: str, request: dict[str, Any], *, waits: bool = True) -> list[str] | None:
        with socket.create_connection(self.followers[name].address, timeout=5) as connection:
            connection.sendall(json.dumps(request).encode() + b"\n")
            if not waits:
                return None
            with connection.makefile() as answers:
                copy: list[str] = json.loads(answers.readline())
                return copy

    def _record(self, **event: Any) -> None:
        if self._events is not None:
            with self._events.open("a") as log:
                log.write(json.dumps(event) + "\n")


def main(path: str, *switches: str) -> None:
    """Write two values, and replicate them. One acknowledgement is lost."""
    events = Path(path)
    events.unlink(missing_ok=True)
    leader = Leader(["f1", "f2"], events, appends_blindly="--bug" in switches)
    leader.write("a")
    leader.replicate("f1", loses_ack=True)
    leader.replicate("f1")
    leader.advance()
    leader.write("b")
    leader.replicate("f2")
    leader.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
