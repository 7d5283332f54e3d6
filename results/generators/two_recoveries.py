"""Write the execution of two recoveries of one ledger (``tests.support.two_recoveries``) as a trace.

Run ``python -m results.generators.two_recoveries FILE.itf.json``: ``verify replay`` and ``verify report``
read it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.support.two_recoveries import two_recoveries
from verifier.trust import itf


def main() -> None:
    """Writes the trace."""
    model, trace = two_recoveries()
    Path(sys.argv[1]).write_text(json.dumps(itf.dump(trace, model)), encoding="utf-8")


if __name__ == "__main__":
    main()
