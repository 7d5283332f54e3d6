"""The entry point of ``verify``, which answers an interrupt also while the rest is being imported."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

COLLECTIONS = (300_000, 20, 20)
"""How seldom Python looks for garbage in cycles. Modules and models are many small objects, and few are
garbage."""
_INTERRUPTED = 12
"""``ExitCode.INCONCLUSIVE``, whose module is among what is still imported."""


def main() -> None:
    """Runs the command line and exits with its code."""
    gc.set_threshold(*COLLECTIONS)
    # No matrix is multiplied here. The threads that NumPy starts for that would turn idly for 100 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        with _without("z3"):
            import pysmt.constants  # noqa: F401 -- it would load z3, which takes 40 ms, for algebraic numbers

        from verifier.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.stderr.write("verify: interrupted\n")
        sys.exit(_INTERRUPTED)
    finally:
        with suppress(KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is given, Python only has to end
            gc.freeze()  # without a last search for garbage in all there is, which takes 50 ms


@contextmanager
def _without(package: str) -> Iterator[None]:
    """Within it the package seems not to be installed, unless it is loaded already."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]
