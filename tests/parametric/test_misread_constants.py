"""No protocol that hides what its constants do is proved for all constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support import misread_constants
from verifier import (
    Boolean,
    Function,
    IntegerConstant,
    Option,
    PartialFunction,
    Protocol,
    Range,
    Record,
    Sequence,
    Set,
    State,
    Step,
    Tuple,
    Variant,
    action,
    arbitrary,
    function,
    if_,
    image,
    invariant,
    literal,
    partial_function,
    set_of,
)
from verifier.parametric.errors import NotParametric
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs, prove
from verifier.parametric.smtlib import Printer
from verifier.parametric.system import ParametricSystem
from verifier.processes.limits import Limits
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import define

HIDING = [
    kind
    for kind in vars(misread_constants).values()
    if isinstance(kind, type) and issubclass(kind, Protocol) and kind is not Protocol
]
HIDING.remove(misread_constants.Counter)
HIDING.remove(misread_constants.PartOf)


def is_proved_for_all(kind: type[Protocol]) -> bool:
    """True if the invariant is proved with nothing assumed but what the constants are declared with."""
    try:
        define(kind({}))
    except DefinitionError:  # Python is not asked for the text of a value
        return False
    try:
        reading = read_for_all(kind, {})
        return not reading.beyond_declared and prove(Proofs.of(reading), "Inv", Limits(20).begin()).proved
    except NotParametric:
        return False


@pytest.mark.parametrize("kind", HIDING, ids=lambda kind: kind.__name__)
def test_what_fails_at_some_constants_is_not_proved(kind: type[Protocol]) -> None:
    assert not is_proved_for_all(kind)


def test_the_protocol_that_hides_nothing_is_proved() -> None:
    assert is_proved_for_all(misread_constants.Counter)


# Where a constant stands for an expression


class Entered(Protocol, camel_case=True):
    n = IntegerConstant(3, minimum=1)
    numbers = property(lambda self: Range(0, self.n))
    record = property(lambda self: Record(a=self.numbers))
    variant = property(lambda self: Variant(a=self.numbers, b=None))

    def state(self) -> State:
        return State(
            x=self.numbers,
            b=Boolean(),
            t=Tuple(self.numbers, self.numbers),
            r=self.record,
            q=Sequence(self.numbers, self.n),
            f=Function(self.numbers, self.numbers),
            g=PartialFunction(self.numbers, self.numbers),
            z=Set(self.numbers),
            o=Option(self.numbers),
            v=self.variant,
        )

    def init(self, s: Any) -> Any:
        return arbitrary(s.x, s.b, s.t, s.r, s.q, s.f, s.g, s.z, s.o, s.v)

    @action
    def step(self, s: Any) -> Step:
        return Step(then={s.b: s.b})


SAYS: dict[str, Callable[[Any, Any], Any]] = {
    "a tuple": lambda self, s: s.t == (self.n, 0),
    "a dictionary": lambda self, s: s.r == {"a": self.n},
    "a record": lambda self, s: s.r == self.record(a=self.n),
    "a list": lambda self, s: s.q == [self.n],
    "a function's value": lambda self, s: s.f == function(self.numbers, lambda _: self.n),
    "a partial function's value": lambda self, s: s.g == partial_function(self.numbers, lambda _: self.n),
    "a dictionary of keys": lambda self, s: s.g == {0: self.n},
    "a place": lambda self, s: s.q[self.n] == 0,
    "a key": lambda self, s: s.f[self.n] == 0,
    "a length": lambda self, s: s.q.truncate(self.n) == s.q,
    "a member": lambda self, s: s.z.contains(self.n),
    "an element of a set": lambda self, s: s.z == set_of(self.numbers, self.n),
    "an image": lambda self, s: s.z == image(self.n for _ in self.numbers),
    "all values": lambda self, s: s.z == self.numbers,
    "an option": lambda self, s: s.o == self.n,
    "a variant": lambda self, s: s.v == self.variant.a(self.n),
    "a literal": lambda self, s: s.x == literal(self.numbers, self.n),
    "a summand": lambda self, s: self.n - s.x == s.x - self.n,
    "a factor": lambda self, s: self.n * s.x <= 0,
    "a condition": lambda self, s: s.x == if_(s.b, self.n, 0),
    "the bound of a sort": lambda self, s: s.x == self.numbers.high,
}


@pytest.mark.parametrize("what", SAYS)
def test_a_constant_in_an_expression_is_read_as_itself(what: str) -> None:
    says = SAYS[what]

    class Says(Entered):
        @invariant
        def inv(self, s: Any) -> Any:
            return says(self, s)

    reading = read_for_all(Says, {})
    assert reading.beyond_declared == ()
    system = ParametricSystem(reading.definition)
    formula = system.formula("Inv", system.before)
    axioms = [axiom for some in system.definitions.axioms.values() for axiom in some]
    assert any("|$constant n|" in Printer().text(node) for node in (formula, *axioms))
