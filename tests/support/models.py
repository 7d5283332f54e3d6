"""The model of a protocol that a test wrote as a class."""

from __future__ import annotations

from verifier.specs.protocol import Protocol, define
from verifier.system import model
from verifier.system.model import Model


def build(protocol: Protocol) -> Model:
    """The model at the protocol's constants."""
    return model.build(define(protocol))
