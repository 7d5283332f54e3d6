"""What the parametric reading cannot read."""

from __future__ import annotations

from verifier.errors import UsageError


class NotParametric(UsageError):
    """A construct has no parametric reading. The message names the construct and its place."""
