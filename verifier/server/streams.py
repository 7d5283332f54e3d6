"""The standard streams as the wire of a server."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output, for the server alone.

    What a specification's code prints goes to standard error from now on, and what it reads is empty.
    """
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")
