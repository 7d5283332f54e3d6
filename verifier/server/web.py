"""A page in the browser to walk through the states of one specification.

It is served on this machine only, to whoever knows its token, and ends with the command. The page may walk
and ask; it may not load other specifications, read files, or run engines.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from verifier.server.calls import Call
from verifier.server.drawing import draw_execution, draw_graph
from verifier.server.messages import decode_message, encode_message
from verifier.server.open_spec import OpenSpec
from verifier.server.problems import Problem, explain_failure
from verifier.server.session import Session
from verifier.server.table import REQUESTS

LOOPBACK = "127.0.0.1"
_ALLOWED = frozenset(
    {
        "initial_states", "state", "successors", "why_disabled", "why_false", "evaluate", "evaluate_along",
        "find_state", "go", "step", "back", "forward", "path", "random_walk",
    }
)  # fmt: skip
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_OWN = frozenset(
    {"walk.html", "walk.css", "walk.js", "drawing.html", "drawing.js", "graph.html", "graph.js", "frame.css"}
)
_OF_REPORTS: Mapping[str, tuple[str, ...]] = {
    "report.css": ("style.css",),
    "execution.js": (
        "address.js", "trace.js", "diagram.js", "lanes.js", "variables.js", "whole.js", "watch.js",
        "detail.js",
    ),
    "states.js": ("address.js", "trace.js", "detail.js", "graph.js"),
}  # fmt: skip
"""The files that the page shares with reports, each made of these."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; "
    "frame-ancestors 'self'; base-uri 'none'"
)
_DRAWINGS: Mapping[str, Callable[[OpenSpec], dict[str, Any]]] = {
    "drawing": draw_execution,
    "graph": draw_graph,
}
_LONGEST = 1_000_000
"""The most bytes of a request."""


@dataclass
class WalkServer:
    """Serves the page of one specification."""

    session: Session
    spec: OpenSpec
    port: int = 0
    """0: any that is free."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def __post_init__(self) -> None:
        self.http = ThreadingHTTPServer((LOOPBACK, self.port), self._make_handler())
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def serve(self) -> None:
        """Serve until the process is interrupted, or the server is shut down."""
        with self.http:
            self.http.serve_forever()

    def answer(self, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request of the page. Raises UsageError and others."""
        if method == "about":
            return self._about()
        if method in _DRAWINGS:
            with self.session.lock:
                return _DRAWINGS[method](self.spec)
        call = Call()
        return REQUESTS[method].run(self.session, call, {**given, "spec": self.spec.name})

    def _about(self) -> dict[str, Any]:
        constants = self.spec.loaded.definition.constants
        shown = ", ".join(f"{name}={value}" for name, value in constants.items())
        walked = bool(self.spec.path)
        with self.session.lock:
            initial = self.spec.initial.index(self.spec.path[0].state) if walked else 0
        title = f"{self.spec.name} with {shown}" if shown else self.spec.name
        return {"title": title, "walked": walked, "initial": initial}

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            """Answers one request of the browser."""

            def do_GET(self) -> None:
                """Send a file of the page."""
                name = self.path.partition("?")[0].removeprefix(f"/{server.token}/") or "walk.html"
                content = _read_file(name) if self._is_trusted() and self.path.count("/") == 2 else None
                if content is None:
                    self._send(HTTPStatus.NOT_FOUND, b"", "text/plain")
                else:
                    self._send(HTTPStatus.OK, content, _KINDS[PurePosixPath(name).suffix])

            def do_POST(self) -> None:
                """Answer a request of the page."""
                own = secrets.compare_digest(self.headers.get("X-Token", ""), server.token)
                length = int(self.headers.get("Content-Length") or 0)
                if not (self._is_trusted() and own and self.path == f"/{server.token}/request"):
                    self._send(HTTPStatus.NOT_FOUND, b"", "text/plain")
                elif length > _LONGEST:
                    self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"", "text/plain")
                else:
                    answer = encode_message(server.read(self.rfile.read(length)))
                    self._send(HTTPStatus.OK, answer, "application/json")

            def _is_trusted(self) -> bool:
                """True if the browser asked for this address, and not for another name of it."""
                named = self.headers.get("Host") == f"{LOOPBACK}:{server.port}"
                token = self.path.split("/")[1] if self.path.startswith("/") else ""
                return named and secrets.compare_digest(token, server.token)

            def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Content-Security-Policy", _POLICY)
                self.send_header("Referrer-Policy", "no-referrer")
                self.send_header("X-Content-Type-Options", "nosniff")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the library's name
                """Say nothing: the terminal belongs to the command."""

        return Handler

    def read(self, body: bytes) -> dict[str, Any]:
        """Return the answer to a message of the page, or its problem."""
        try:
            asked = decode_message(body)
            method, given = asked["method"], asked.get("params", {})
            if method not in {*_ALLOWED, *_DRAWINGS, "about"} or not isinstance(given, dict):
                problem = Problem("usage", "the page may not ask for this")
                return {"error": problem.as_object()}
            return {"result": self.answer(method, given)}
        except (ValueError, KeyError, TypeError, AttributeError):
            return {"error": Problem("usage", "this is not a request").as_object()}
        except Exception as error:  # noqa: BLE001 -- the page is told
            return {"error": explain_failure(error).as_object()}


def _read_file(name: str) -> bytes | None:
    """Return a file of the page; None if it has none of this name."""
    if name in _OWN:
        return (files("verifier.server") / "page" / name).read_bytes()
    if name not in _OF_REPORTS:
        return None
    folder = files("verifier.report") / "html"
    return b"\n".join((folder / part).read_bytes() for part in _OF_REPORTS[name])
