"""The entry point of ``verify``, which answers an interrupt also while the rest is being imported.

An interrupt before ``main`` shows Python's own traceback, so nothing is imported here, nor by the packages
around, but what Python has loaded when it starts.
"""

from __future__ import annotations

import sys
import time

COLLECTIONS = (300_000, 20, 20)
"""Thresholds that make Python's garbage collection rare. Modules and models are many small objects, and few
are garbage."""
_INTERRUPTED = 12
"""``ExitCode.INCONCLUSIVE``, whose module is among what is still imported."""


_starts: list[float] = []
"""When this process began its command, until the command asks for it."""


def take_start() -> float:
    """Return when the command began, on the monotonic clock: before the imports, if this process runs one
    command."""
    return _starts.pop() if _starts else time.monotonic()


def main() -> None:
    """Runs the command line and exits with its code."""
    _starts.append(time.monotonic())
    try:
        _handle_signals()
        _prepare()
        from verifier.cli.main import main as run_command_line

        run_command_line()
    except (KeyboardInterrupt, Exception) as error:
        if not _is_interrupt(error):
            raise
        sys.exit(_say_end())
    finally:
        _end()


def _handle_signals() -> None:
    from verifier.processes.interrupts import Interrupts

    Interrupts().install()


def _is_interrupt(error: BaseException) -> bool:
    if isinstance(error, KeyboardInterrupt):
        return True
    from verifier.processes.interrupts import is_interrupt

    return is_interrupt(error)


def _say_end() -> int:
    """Says that the command was ended while it was being imported, and returns the exit code."""
    from verifier.processes.interrupts import handler

    end = handler()
    if end is not None:
        end.conclude()
    try:
        from verifier.cli.main import cli

        return cli.say_end(sys.argv[1:], time.monotonic(), "interrupted")
    except Exception:  # noqa: BLE001 -- some modules cannot be imported again after an interrupt
        if "json" in " ".join(sys.argv):
            sys.stdout.write('{"ended": "interrupted", "exit_code": 12}\n')
        sys.stderr.write("verify: interrupted\n")
        return _INTERRUPTED


def _prepare() -> None:
    import gc
    import os

    gc.set_threshold(*COLLECTIONS)
    # No matrix is multiplied here. The threads that NumPy starts for that would turn idly for 100 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if "z3" in sys.modules:
        return
    sys.modules["z3"] = None  # type: ignore[assignment]
    try:
        import pysmt.constants  # noqa: F401 -- it would load z3, which takes 40 ms, for algebraic numbers
    finally:
        del sys.modules["z3"]


def _end() -> None:
    """The answer is given, Python only has to end."""
    try:
        import gc
        import signal

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        gc.freeze()  # without a last search for garbage in all there is, which takes 50 ms
    except KeyboardInterrupt:
        return
