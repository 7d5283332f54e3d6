"""No protocol that hides what its constants do is proved for all constants."""

from __future__ import annotations

import pytest

from tests import misread_constants
from verifier.parametric.errors import NotParametric
from verifier.parametric.loading import read_for_all
from verifier.parametric.proving import prove
from verifier.processes.limits import Limits
from verifier.specs.protocol import Protocol, define

HIDING = [
    kind
    for kind in vars(misread_constants).values()
    if isinstance(kind, type) and issubclass(kind, Protocol) and kind is not Protocol
]
HIDING.remove(misread_constants.Counter)
HIDING.remove(misread_constants.PartOf)


def shown_for_all(kind: type[Protocol]) -> bool:
    """Whether the invariant is proved with nothing assumed but what the constants are declared with."""
    define(kind({}))  # it is well formed
    try:
        reading = read_for_all(kind, {})
        return not reading.beyond_declared and prove(reading, "Inv", Limits(20).begun()).proved
    except NotParametric:
        return False


@pytest.mark.parametrize("kind", HIDING, ids=lambda kind: kind.__name__)
def test_what_fails_at_some_constants_is_not_proved(kind: type[Protocol]) -> None:
    assert not shown_for_all(kind)


def test_the_protocol_that_hides_nothing_is_proved() -> None:
    assert shown_for_all(misread_constants.Counter)
