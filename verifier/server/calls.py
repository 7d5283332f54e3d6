"""Calls of a session: requests under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Call:
    """A request under way: how it tells of its progress, and how it hears that it is cancelled."""

    tell: Callable[[str], None] = lambda _: None
    cancelled: threading.Event = field(default_factory=threading.Event)
