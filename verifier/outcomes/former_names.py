"""Names in results of earlier versions."""

from __future__ import annotations

from types import MappingProxyType

_FORMER_ENGINES = MappingProxyType({"induction": "induct"})
_IN_KEYS = MappingProxyType({now: former for former, now in _FORMER_ENGINES.items()})


def current_name(engine: str) -> str:
    """The current name of an engine that results may call by a former name."""
    return _FORMER_ENGINES.get(engine, engine)


def name_in_keys(engine: str) -> str:
    """The name of an engine in the keys of jobs: its first one, so that old rows are found again."""
    return _IN_KEYS.get(engine, engine)
