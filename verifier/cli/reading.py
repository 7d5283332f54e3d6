"""Files that commands read."""

from __future__ import annotations

from pathlib import Path

from verifier.errors import UsageError
from verifier.files import reason_of


def read(file: Path) -> str:
    """The text of a file. Raises UsageError, which names it, if it cannot be read as text."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not JSON: it is no UTF-8 text") from None
