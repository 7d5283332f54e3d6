"""The interpreter's kept values: what is kept, and how it evaluates without keeping anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from verifier.tla import lets, logic
from verifier.tla.kept_conjuncts import Kept
from verifier.tla.remaining import Remaining


@contextmanager
def collecting_memories() -> Iterator[list[Kept | Remaining]]:
    """Collect the memories that are made."""
    made = list[Kept | Remaining]()
    begin, begin_rows = Kept.__init__, Remaining.__init__

    def note(self: Kept) -> None:
        begin(self)
        made.append(self)

    def note_rows(self: Remaining, *given: Any) -> None:
        begin_rows(self, *given)
        made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kept, "__init__", note)
        patch.setattr(Remaining, "__init__", note_rows)
        yield made


@contextmanager
def without_keeping() -> Iterator[None]:
    """Keep no values of formulas, of definitions of a LET, and of the members of loops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logic, "remaining_lines", lambda *_: [])
        patch.setattr(logic, "keep_conjunct", lambda _ev, _whole, _unit, test: test)
        patch.setattr(logic, "keep_parts", lambda _ev, _whole, _unit, test: test)
        patch.setattr(lets, "keep_parts", lambda _ev, _whole, _unit, source, **_: source)
        patch.setattr(lets, "compile_kept", lambda ev, *given: ev.value(*given))
        yield
