"""The error for constructs without a parametric reading."""

from __future__ import annotations

from verifier.errors import UsageError


class NotParametric(UsageError):
    """Raised for a construct without a parametric reading. The message names the construct and its place."""
