"""The parts of its property that are false in the loop of an infinite execution, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def list_unmet(written: Mapping[str, Any]) -> list[str]:
    """Return for each part, in an execution as ITF, in which states it is false, or true where it may not be;
    empty if the execution is finite."""
    about = written["#meta"].get("loop", {})
    return [_line(one, about.get("state")) for one in about.get("failing", ())]


def _line(one: Mapping[str, Any], state: int | None) -> str:
    states: str = one.get("states") or f"in state {state}"  # older files have one state
    truth = "true" if one.get("truth") else "false"
    comma = "," if states.endswith(("again", "forever")) and one["witnesses"] else ""
    stays = "at" not in one and ("every" in states or states.endswith("forever"))
    where = _where(one["where"], f"in state {one['at']}: " if "at" in one else "", "stays" if stays else "=")
    return f"{truth} {states}{comma}{_at(one['witnesses'])}: {one['formula']}{where}"


def _at(witnesses: Sequence[Sequence[str]]) -> str:
    """The values for which a part is false: `` for q = q1``."""
    return f" for {', '.join(f'{name} = {value}' for name, value in witnesses)}" if witnesses else ""


def _where(where: Sequence[Sequence[str]], state: str, verb: str) -> str:
    """The values that a part mentions, and the state that has them if another may have others."""
    return f" ({state}{', '.join(f'{name} {verb} {value}' for name, value in where)})" if where else ""
