"""The caller of an operation: the verifier, or the protocol that is being read for all constants."""

from __future__ import annotations

from pathlib import Path
from types import FrameType

from verifier.specs.reading.code_places import is_engine, is_standard_library, place

_READER = "verifier.parametric.protocol_readings"
"""The module that starts the reading of protocols. Its callers are not part of the protocol."""


def asker(frame: FrameType | None) -> FrameType | None:
    """Return the frame of the protocol that calls directly, or through special methods such as ``__eq__`` of
    a sort. None if other code of the verifier calls."""
    while frame is not None:
        name = frame.f_code.co_name
        if _is_of_protocol(frame):
            return frame
        is_special = name.startswith("__") and name.endswith("__") and _module(frame) != _READER
        if not is_special and is_of_verifier(frame):
            return None
        frame = frame.f_back
    return None


def running(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the protocol on the stack, even below the verifier's; None if there is
    none."""
    while frame is not None and _module(frame) != _READER:
        if _is_of_protocol(frame):
            return frame
        frame = frame.f_back
    return None


def place_of_frame(frame: FrameType) -> str:
    """Return the file and line of a frame."""
    return place(frame.f_code.co_filename, frame.f_lineno)


def short_place_of_frame(frame: FrameType) -> str:
    """Return the file and line of a frame, without the folders of the file."""
    return place(Path(frame.f_code.co_filename).name, frame.f_lineno)


def is_of_verifier(frame: FrameType) -> bool:
    """True if a frame belongs to the verifier's code."""
    return is_engine(_module(frame))


def _is_of_protocol(frame: FrameType) -> bool:
    """True if a frame belongs neither to the verifier nor to Python's library, which both may call."""
    return not is_of_verifier(frame) and not is_standard_library(frame.f_code.co_filename)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
