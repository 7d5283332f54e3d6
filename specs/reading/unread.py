"""Finds the operands of an instruction in the bytecode before it, for code without source text."""

from __future__ import annotations

import dis
from collections.abc import Iterable
from types import FrameType
from typing import Any

from verifier.specs.reading.operands import holds, names_of

_LOADS_NAME = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_CLASSDEREF")


def on_value(frame: FrameType) -> bool:
    """True if a value is part of the operands of the frame's present instruction."""
    before = [item for item in dis.get_instructions(frame.f_code) if item.offset <= frame.f_lasti]
    needed = 2 if before[-1].opname in ("IS_OP", "CONTAINS_OP") else 1
    operands: list[dis.Instruction] = []
    for item in reversed(before[:-1]):
        if needed <= 0:
            break
        operands.insert(0, item)
        needed -= dis.stack_effect(item.opcode, item.arg, jump=False)
    return any(holds(item) for item in _list_loaded(operands, frame))


def _list_loaded(operands: Iterable[dis.Instruction], frame: FrameType) -> list[Any]:
    """The objects that instructions load. A path of attributes gives the object at its end."""
    names = names_of(frame)
    loaded: list[Any] = []
    for item in operands:
        if any(name in item.opname for name in _LOADS_NAME):
            wanted = item.argval if isinstance(item.argval, tuple) else (item.argval,)
            loaded.extend(names[name] for name in wanted if name in names)
        elif item.opname in ("LOAD_ATTR", "LOAD_METHOD") and loaded:
            loaded[-1] = getattr(loaded[-1], str(item.argval), loaded[-1])
    return loaded
