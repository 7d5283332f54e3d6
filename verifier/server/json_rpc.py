"""JSON-RPC 2.0: one message on each line, in both directions.

Requests are answered in the order in which they come, but long ones while others are. A notification
``progress`` tells of a long request; a notification ``cancel`` ends one, with what is known.
"""

from __future__ import annotations

import json
import queue
import select
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from verifier.errors import among, cut
from verifier.server.calls import Call
from verifier.server.messages import decode_message, encode_message
from verifier.server.problems import Problem, explain_failure
from verifier.server.requests import Request
from verifier.server.session import Session
from verifier.server.table import REQUESTS

_PARSE_ERROR, _INVALID_REQUEST, _METHOD_NOT_FOUND = -32700, -32600, -32601
CODES: Mapping[str, int] = {"usage": -32602, "undefined": -32000, "cancelled": -32800, "internal": -32603}
"""The code of each kind of problem."""
_LOOK_SECONDS = 0.2


@dataclass
class JsonRpcServer:
    """Answers messages of a stream by a session."""

    outgoing: BinaryIO
    session: Session = field(default_factory=Session)
    _writing: threading.Lock = field(default_factory=threading.Lock)
    _calls: dict[str, Call] = field(default_factory=dict)
    _waiting: queue.Queue[tuple[Any, Request, Mapping[str, Any], Call] | None] = field(
        default_factory=queue.Queue
    )
    _long: list[threading.Thread] = field(default_factory=list)
    _is_broken: bool = False
    """True if nobody reads any more."""

    def serve(self, lines: Iterable[bytes]) -> None:
        """Answer until the stream ends, and what was asked is answered."""
        worker = threading.Thread(target=self._work, name="requests", daemon=True)
        worker.start()
        try:
            for line in lines:
                if line.strip():
                    self._hear(line)
            self._waiting.put(None)
            self._wait_for(worker)
            for thread in self._long:
                self._wait_for(thread)
        except BaseException:  # a signal: nobody waits for the threads, and children end with the process
            self._give_up()
            raise

    def _wait_for(self, thread: threading.Thread) -> None:
        """Wait for a thread, as long as somebody reads."""
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            self._look_for_reader()

    def _look_for_reader(self) -> None:
        """Cancel what runs if nobody reads the answers any more."""
        try:
            pipe = self.outgoing.fileno()
        except (OSError, ValueError):  # it is no file of the system
            return
        waiting = select.poll()
        waiting.register(pipe, 0)
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in waiting.poll(0)):
            self._give_up()

    def _give_up(self) -> None:
        self._is_broken = True
        for call in list(self._calls.values()):
            call.cancelled.set()

    def _hear(self, line: bytes) -> None:
        try:
            message = decode_message(line)
        except ValueError as error:
            self._send_error(None, _PARSE_ERROR, f"this line is not JSON: {error}")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            words = "a request is an object with jsonrpc, id, method and params; several are several lines"
            self._send_error(None, _INVALID_REQUEST, words)
            return
        number, method, given = message.get("id"), message["method"], message.get("params") or {}
        if not isinstance(given, dict):
            self._send_error(number, _INVALID_REQUEST, "params is an object: parameters have names")
        elif method == "cancel":
            self._cancel(number, given)
        elif method not in REQUESTS:
            words = f"unknown method {cut(method)!r} {among(method, REQUESTS)}"
            self._send_error(number, _METHOD_NOT_FOUND, words)
        else:
            call = Call(tell=lambda words: self._tell(number, words))
            self._calls[_key(number)] = call
            self._waiting.put((number, REQUESTS[method], given, call))

    def _cancel(self, number: Any, given: Mapping[str, Any]) -> None:
        call = self._calls.get(_key(given.get("id")))
        if call is not None:
            call.cancelled.set()
        if number is not None:
            self._send({"jsonrpc": "2.0", "id": number, "result": {"cancelled": call is not None}})

    def _work(self) -> None:
        """Answer requests in order; begin long ones, and go on."""
        while (item := self._waiting.get()) is not None:
            if not item[1].is_long:
                self._answer(*item)
                continue
            thread = threading.Thread(target=self._answer, args=item, name=item[1].name, daemon=True)
            thread.start()
            self._long = [*(one for one in self._long if one.is_alive()), thread]

    def _answer(self, number: Any, request: Request, given: Mapping[str, Any], call: Call) -> None:
        try:
            result = request.run(self.session, call, given)
        except Exception as error:  # noqa: BLE001 -- the client is told, and the session goes on
            self._send_problem(number, explain_failure(error))
        else:
            if number is not None:
                self._send({"jsonrpc": "2.0", "id": number, "result": result})
        finally:
            self._calls.pop(_key(number), None)

    def _tell(self, number: Any, words: str) -> None:
        params = {"id": number, "message": words}
        self._send({"jsonrpc": "2.0", "method": "progress", "params": params})

    def _send_problem(self, number: Any, problem: Problem) -> None:
        self._send_error(number, CODES[problem.kind], problem.words, problem.as_object())

    def _send_error(self, number: Any, code: int, words: str, data: Any = None) -> None:
        error = {"code": code, "message": words, **({} if data is None else {"data": data})}
        self._send({"jsonrpc": "2.0", "id": number, "error": error})

    def _send(self, message: Mapping[str, Any]) -> None:
        line = encode_message(message) + b"\n"
        with self._writing:
            if self._is_broken:
                return
            try:
                self.outgoing.write(line)
                self.outgoing.flush()
            except OSError:
                self._give_up()


def _key(number: Any) -> str:
    """Return the key of a request's id: 1 and "1" are two."""
    return json.dumps(number)
