"""The entry point of ``verify``, which answers an interrupt also while the rest is being imported."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

_INTERRUPTED = 12
"""``ExitCode.INCONCLUSIVE``, whose module is among what is still imported."""


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        from verifier.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.stderr.write("verify: interrupted\n")
        sys.exit(_INTERRUPTED)
    finally:
        with suppress(KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is given, Python only has to end
