"""Fixtures of the tests of TLA+: columns, and proofs for all constants."""

from __future__ import annotations

import pytest

from verifier.runs import all_constants
from verifier.runs.modules import for_all_constants, protocol_agreement
from verifier.tla.columns import level_choice as levels


@pytest.fixture
def columns_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns take small levels, too, and however long it takes."""
    monkeypatch.setattr(levels, "_LARGE", 1)
    monkeypatch.setattr(levels, "_TRIED_SECONDS", 1e9)


@pytest.fixture
def few_drawn_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare a module and its protocol in 60 drawn states at each choice of constants, instead of 300.

    For tests of proofs: the comparison takes most of their time. `test_tla_for_all_constants` tests it.
    """
    monkeypatch.setattr(protocol_agreement, "_DRAWN", 60)


@pytest.fixture
def no_small_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the search for violations at small constants, so that the provers alone must not err.

    The search takes half of a run and makes no proof. Its counterexamples to induction would also keep
    obligations from the provers, as would violations that the comparison meets.
    """
    monkeypatch.setattr(all_constants, "list_small_constants", lambda _: [])
    monkeypatch.setattr(for_all_constants, "tell_violation", lambda *_: None)
