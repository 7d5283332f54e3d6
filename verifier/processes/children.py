"""Work in child processes with a clock and a memory limit that kill.

A solver that hangs inside its own code cannot be asked to stop; a process can be killed.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, TypeAlias

import psutil

from verifier.processes.interrupts import hold_interrupts
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits

_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())  # silent unless the user listens
_POLL_SECONDS = 0.2
_COUNTED_AFTER = 50
"""The pause before shared memory is counted again, as a multiple of the time of the count. The system visits
each page, 35 ms for a GiB."""
_PR_SET_PDEATHSIG = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM)

Work: TypeAlias = Callable[[Callable[[Any], None], Connection], None]
"""The work of a child: gets a function to report with, and a connection to hear from the parent."""


@dataclass(frozen=True)
class Message:
    """A message from a child."""

    child: str
    content: Any


@dataclass(frozen=True)
class ChildEnded:
    """A child ended. ``failure`` is None if it came to its own end, else why it did not."""

    child: str
    failure: str | None


class _OwnProcess(ForkProcess):
    """A process that was started here."""


@dataclass
class Child:
    """A child process, and the ends of what connects it."""

    process: Any
    receiving: Connection
    sending: Connection


@dataclass
class Pace:
    """When the memory that processes share may be counted again. Groups of processes can have it together."""

    counted_again: float = 0.0


@dataclass
class Children:
    """Named child processes. Use as a context: leaving it kills them."""

    limits: Limits
    nested: bool = False
    """True if children have children of their own, which count, and are killed, with them."""
    _children: dict[str, Child] = field(default_factory=dict)
    _measured: float = 0.0
    """When memory was measured last."""
    pace: Pace = field(default_factory=Pace)
    peak_memory: int = 0
    """Bytes."""
    _own: int = 0
    """The memory that is not shared, as it was measured last."""

    def __post_init__(self) -> None:
        self.limits = self.limits.begin()
        if self.nested:  # it takes long to measure these, and many end soon
            self._measured = time.monotonic()

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_: object) -> None:
        with hold_interrupts():
            for child in self._children.values():  # side by side: a large process takes long to be gone
                self._strike(child)
            for name in list(self._children):
                self.kill(name)

    def supervise(self, work: Callable[[], None]) -> str:
        """Run the work, which starts children and follows them, and kill the remaining ones. Returns the
        limit or interrupt that ended it; an empty text if none did."""
        with self:
            try:
                work()
            except Interrupted as limit:
                _LOG.info("%s ends %s", limit, ", ".join(self.running))
                return str(limit)
            except KeyboardInterrupt:
                return INTERRUPTED
        return ""

    def start(self, name: str, work: Work) -> None:
        """Starts ``work(report, incoming)`` in a process that inherits this one's memory.

        ``incoming`` yields what ``send`` sends to it.
        """
        context = multiprocessing.get_context("fork")
        receiving, child_sending = context.Pipe(duplex=False)
        child_receiving, sending = context.Pipe(duplex=False)
        # A daemon, as multiprocessing calls it, may have no children.
        process = _OwnProcess(
            target=_run,
            args=(work, child_sending, child_receiving, self.nested, os.getpid()),
            daemon=not self.nested,
        )
        # Until it has its own handlers (``_run``), the child has those of this process.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            process.start()
            if self.nested and process.pid is not None:
                _lead_group(process.pid)
            self._children[name] = Child(process, receiving, sending)
        except BaseException:  # an interrupt must not leave behind what nobody knows of
            if process.pid is not None:
                kill_with_descendants(process.pid)
                process.kill()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _LOG.debug("%s starts as process %s", name, process.pid)
        child_sending.close()
        child_receiving.close()

    def send(self, name: str, content: Any) -> None:
        """Sends to a child. Nothing happens if it has ended."""
        if name in self._children:
            with contextlib.suppress(BrokenPipeError):
                self._children[name].sending.send(content)

    def give_way(self, name: str, by: int) -> None:
        """Lowers the priority of a child by so much; its own children, if it has some, keep theirs."""
        child = self._children.get(name)
        if child is not None and child.process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                niceness = os.getpriority(os.PRIO_PROCESS, child.process.pid)
                os.setpriority(os.PRIO_PROCESS, child.process.pid, niceness + by)

    def release(self, name: str) -> Child | None:
        """Take a child out of these; it continues, for others to ``adopt``. None if it has ended."""
        return self._children.pop(name, None)

    def adopt(self, name: str, child: Child) -> None:
        """Takes a child in that others released."""
        self._children[name] = child

    def interrupt(self, name: str) -> None:
        """Passes Ctrl-C on to a child, which hears it only if it set a handler."""
        child = self._children.get(name)
        if child is not None and child.process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child.process.pid, signal.SIGINT)

    def kill(self, name: str) -> None:
        """Ends a child at once."""
        child = self._children.pop(name, None)
        if child is not None:
            self._strike(child)
            child.process.join()
            child.receiving.close()
            child.sending.close()

    def _strike(self, child: Child) -> None:
        if self.nested and child.process.is_alive():
            kill_with_descendants(child.process.pid)
        child.process.kill()

    @property
    def running(self) -> list[str]:
        """The names of the children that have not ended."""
        return list(self._children)

    def events(self) -> Iterator[Message | ChildEnded]:
        """Yield the children's reports until all have ended.

        Raises Interrupted when a limit is reached.
        """
        while self._children:
            yield from self.poll(_POLL_SECONDS)

    @property
    def connections(self) -> list[Connection]:
        """Return the connections, for waiting for reports of these and other children at once; then
        ``poll``."""
        return [child.receiving for child in self._children.values()]

    def poll(self, seconds: float) -> Iterator[Message | ChildEnded]:
        """Wait for reports of the children; return none after that time.

        Raises Interrupted when a limit is reached.
        """
        self._enforce()
        by_connection = {child.receiving: name for name, child in self._children.items()}
        for connection in wait(list(by_connection), timeout=seconds):
            name = by_connection[connection]  # type: ignore[index]
            if name in self._children:
                yield self._receive(name)

    def _receive(self, name: str) -> Message | ChildEnded:
        child = self._children[name]
        try:
            content = child.receiving.recv()
        except (EOFError, OSError):  # the latter where it was killed in the midst of a message
            child.process.join()
            code = child.process.exitcode
            self.kill(name)
            _LOG.debug("%s ended with code %s", name, code)
            return ChildEnded(name, None if code == 0 else _death(code))
        if isinstance(content, _Failure):
            self.kill(name)
            _LOG.warning("%s failed: %s", name, content.text)
            return ChildEnded(name, content.text)
        return Message(name, content)

    def _enforce(self) -> None:
        self.limits.check_time()
        if time.monotonic() - self._measured < _POLL_SECONDS:
            return
        self._measured = time.monotonic()
        used: int | None = sum(map(_resident, self._pids))
        if self.nested or self.limits.is_beyond(used or 0):  # children may share much with this process
            used = self._measure_trees()
        if used is not None:
            self.peak_memory = max(self.peak_memory, used)
            self.limits.check_memory(used)

    @property
    def _pids(self) -> list[int]:
        return [child.process.pid for child in self._children.values()]

    def measure_own_memory(self) -> int:
        """Return the memory of the children that they do not share, as it was a moment ago."""
        if time.monotonic() >= self.pace.counted_again:
            began = time.thread_time()
            self._own = sum(map(_private, self._pids))
            self.pace.counted_again = time.monotonic() + max(
                _POLL_SECONDS, _COUNTED_AFTER * (time.thread_time() - began)
            )
        return self._own

    def _measure_trees(self) -> int | None:
        """Return the memory of the children and all below them, shared memory once; None if it is too soon to
        count. It is never too soon if the limit may be reached. The sum of all processes' memory, shared or
        not, is an upper bound."""
        processes = [process for pid in self._pids for process in _with_descendants(pid)]
        at_most = sum(_resident(process.pid) for process in processes)
        if time.monotonic() < self.pace.counted_again and not self.limits.is_beyond(at_most):
            return None
        began = time.thread_time()
        used = sum(map(_proportional, processes))
        self.pace.counted_again = time.monotonic() + _COUNTED_AFTER * (time.thread_time() - began)
        return used


@dataclass(frozen=True)
class _Failure:
    text: str


def _resident(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _with_descendants(pid: int) -> list[psutil.Process]:
    """Return a process and all below it, as far as they still are."""
    processes, waiting = list[psutil.Process](), [pid]
    while waiting:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(waiting.pop())
            processes.append(process)
            waiting += _children_of(process)
    return processes


def _proportional(process: psutil.Process) -> int:
    """Return the memory of a process, with its share of the memory that it shares by fork."""
    return _measure(process.pid, "pss")  # only Linux has the proportional size


def _private(pid: int) -> int:
    """Return the memory of a process that it does not share."""
    return _measure(pid, "uss")


def _measure(pid: int, kind: str) -> int:
    """Return the memory of a process by one kind of size, or what is resident where that is not known."""
    with contextlib.suppress(psutil.Error):
        memory = psutil.Process(pid).memory_full_info()
        return int(getattr(memory, kind, memory.rss))
    return 0


def seconds_of_others() -> float:
    """The processor seconds of the parent of this process and all its other children, ended ones included."""
    total = 0.0
    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(os.getppid())
        times = parent.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
        for pid in _children_of(parent):
            if pid != os.getpid():
                with contextlib.suppress(psutil.Error):
                    own = psutil.Process(pid).cpu_times()
                    total += own.user + own.system
    return total


def _children_of(parent: psutil.Process) -> list[int]:
    """List the children of a process, from the system's own list if it has one: psutil looks at every
    process."""
    try:
        lists = [Path(f"/proc/{parent.pid}/task/{one.id}/children") for one in parent.threads()]
        return [int(pid) for file in lists for pid in file.read_text(encoding="ascii").split()]
    except OSError:
        return [child.pid for child in parent.children()]


def kill_with_descendants(pid: int) -> None:
    """Kill the descendants of a process, and the process group that it leads, if it leads one."""
    with contextlib.suppress(psutil.Error):
        for process in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.kill()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


@atexit.register
def kill_left() -> None:
    """Kills the children that an interrupt left behind: Python waits at its end for those that may have
    children of their own, and no signal is heard any more."""
    for child in multiprocessing.active_children():
        if isinstance(child, _OwnProcess):  # a script that uses this package may have others
            if child.pid is not None:
                kill_with_descendants(child.pid)
            child.kill()


def _lead_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpgid(pid, pid)


def die_with_parent() -> None:
    """Let this process be killed when the thread that started it ends, however that ends (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _death(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"ended with code {code}"


def _run(work: Work, sending: Connection, incoming: Connection, leads_group: bool, parent: int) -> None:
    die_with_parent()
    if os.getppid() != parent:  # it ended before
        os._exit(1)
    if leads_group:
        _lead_group(os.getpid())  # here and in the parent: whoever comes first
    gc.freeze()  # what was there before the fork is no garbage of this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to decide about
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)  # else the event loop of the parent would hear this process's signals
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    try:
        work(sending.send, incoming)
    except KeyboardInterrupt:  # of a child that heeds it, before it had something to say
        _LOG.debug("interrupted")
    except MemoryError:
        sending.send(_Failure("out of memory"))
    except Exception as error:  # noqa: BLE001 -- the parent reports it as a verdict of its own
        sending.send(_Failure(f"{type(error).__name__}: {error}"))
    finally:
        sending.close()
    os._exit(0)
