"""Messages as bytes: JSON from a client, read within bounds, and JSON for it."""

from __future__ import annotations

import json
from typing import Any

from verifier.json_shape import read_json


def decode_message(content: bytes) -> Any:
    """Return the value of a message. Raises ValueError, which says what is wrong with it."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8: {error.reason} at byte {error.start}") from None
    return read_json(text)


def encode_message(value: Any) -> bytes:
    """Return a message. Half a pair of surrogates, which UTF-8 cannot say, stays escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
