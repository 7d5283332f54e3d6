"""Reads of what has no value: reported where they are made, in every engine, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.models import build
from tests.support.sampling import first_of, some_of
from verifier.encodings.quantifiers import choose, comprehension, count, exists, filtered, forall, if_
from verifier.encodings.sorts import Function, Option, Range, Sequence, Set
from verifier.engines import bmc, explore, induction, prove, simulate
from verifier.engines.choices import EngineChoice, StepsChoice
from verifier.specs.protocol import ChoiceConstant, Protocol, State, Step, action, free, invariant, reachable
from verifier.specs.titles import UNDEFINED_READ
from verifier.system.model import Model
from verifier.trust.explain import breaches
from verifier.trust.initial_states import InitReadsUndefined
from verifier.verdict import Verdict, VerdictKind

Formula = Callable[[Any], Any]
SMALL = Range(0, 2)
READS: dict[str, Formula] = {
    "beyond a sequence": lambda s: s.log[s.i] == 0,
    "not equal beyond a sequence": lambda s: s.log[s.i] != 0,
    "some beyond a sequence": lambda s: s.boxes[s.i].is_some,
    "guarded too late": lambda s: (s.log[s.i] == 0) & (s.i < s.log.length),
    "value of none": lambda s: s.o.value == 0,
    "beyond a function": lambda s: s.f[s.i].is_empty,
    "a quantifier over what is beyond": lambda s: forall(s.f[s.i], lambda n: n != n),
    "those of what is beyond": lambda s: comprehension(s.f[s.i], lambda n: n == n).is_empty,
    "least of nothing": lambda s: s.e.minimum == 0,
    "no choice": lambda s: choose(SMALL, lambda n: n > 2) == 0,
    "one value of several": lambda s: exists(SMALL, lambda k: s.log[k] == 0),
    "counting": lambda s: count(SMALL, lambda k: s.log[k] == 0) == 0,
    "an update beyond": lambda s: s.f.updated(s.i, s.e) == s.f,
    "the branch taken": lambda s: if_(s.o.is_none, s.o.value, 0) == 0,
    "a conclusion": lambda s: (s.i == 2).implies(s.log[s.i] == 0),
    "contained": lambda s: s.e.contains(s.o.value),
}
GUARDED: dict[str, Formula] = {
    "by a conjunct": lambda s: (s.i < s.log.length) & (s.log[s.i] == 0),
    "by a premise": lambda s: (s.i < s.log.length).implies(s.log[s.i] == 0),
    "by a disjunct": lambda s: (s.i >= s.log.length) | (s.log[s.i] == 0),
    "by a condition": lambda s: if_(s.o.is_some, s.o.value, 0) == 0,
    "in a quantifier": lambda s: exists(SMALL, lambda k: (k < s.log.length) & (s.log[k] == 0)),
    "by membership": lambda s: forall(s.e, lambda n: s.log[n] == 0),
    "by what a sequence has": lambda s: filtered(s.log, lambda n: s.o.value == n).is_empty,
    "by not being empty": lambda s: s.e.is_empty | (s.e.minimum == 0),
}
FORMULAS = READS | GUARDED


class Base(Protocol, camel_case=True):
    """Nothing is in the log, the option and the set; ``i`` is beyond all of them."""

    formula = ChoiceConstant("by a conjunct", choices=tuple(FORMULAS))

    def read(self, s: Any) -> Any:
        return FORMULAS[self.formula](s)

    def state(self) -> State:
        return State(
            log=Sequence(SMALL, 2),
            boxes=Sequence(Option(SMALL), 2),
            o=Option(SMALL),
            e=Set(SMALL),
            f=Function(Range(0, 1), Set(SMALL)),
            i=SMALL,
            n=SMALL,
        )

    def init(self, s: Any) -> Any:
        nothing = s.log.is_empty & s.boxes.is_empty & s.o.is_none & s.e.is_empty
        return nothing & forall(Range(0, 1), lambda k: s.f[k].is_empty) & (s.i == 1) & (s.n == 0)

    @action()
    def move(self, s: Any) -> Step:
        return Step(when=[s.i == 1], then={s.i: 2})

    @invariant()
    def low(self, s: Any) -> Any:
        return s.n <= 2


class InProperty(Base):
    """Read by a property, once ``i`` has moved."""

    @invariant()
    def reads(self, s: Any) -> Any:
        return (s.i == 2).implies(self.read(s))


class InGuard(Base):
    """Read by a guard."""

    @action()
    def fire(self, s: Any) -> Step:
        return Step(when=[s.i == 2, self.read(s), s.n < 2], then={s.n: s.n + 1})


class InAssignment(Base):
    """Read by what is assigned."""

    @action()
    def fire(self, s: Any) -> Step:
        return Step(when=[s.i == 2], then={s.n: if_(self.read(s), 1, 0)})


class InConstraint(Base):
    """Read by the constraint."""

    def constraint(self, s: Any) -> Any:
        return (s.i == 2).implies(self.read(s) | (s.n == 0))


class InReachable(Base):
    """Read by what is to be reached."""

    @reachable(default=True)
    def reads(self, s: Any) -> Any:
        return (s.i == 2) & self.read(s)


class UnderFree(Base):
    """Read by a guard, for some values of a free parameter only."""

    places = SMALL

    @action(k=free("places"))
    def fire(self, s: Any, k: Any) -> Step:
        return Step(when=[s.i == 2, (k == 0) | self.read(s), s.n < 2], then={s.n: s.n + 1})


PLACES = (InProperty, InGuard, InAssignment, InConstraint, InReachable, UnderFree)


def defaults(model: Model) -> tuple[str, ...]:
    return tuple(p.name for p in model.system.properties if p.default)


def by_name(verdicts: tuple[Verdict, ...]) -> dict[str, Verdict]:
    return {verdict.property_name: verdict for verdict in verdicts}


@pytest.mark.parametrize(("place", "formula"), some_of(product(PLACES, READS), every=5))
def test_a_read_without_value_is_reported(place: type[Base], formula: str) -> None:
    model = build(place({"formula": formula}))
    found = explore.explore(model, explore.Request(defaults(model), keep_going=True))
    verdicts = by_name(found.verdicts)
    breach = verdicts[UNDEFINED_READ]
    assert (breach.kind, breach.steps) == (VerdictKind.VIOLATED, 1)
    assert found.verdicts[0] is breach
    assert breach.trace is not None
    assert all("which has no value" in words for words in breaches(model, breach.trace))
    for name in defaults(model):
        assert verdicts[name].kind in (VerdictKind.INCONCLUSIVE, VerdictKind.VIOLATED)
        assert verdicts[name].kind is VerdictKind.INCONCLUSIVE or verdicts[name].trace is not None
    walked = by_name(simulate.simulate(model, simulate.Request(defaults(model), walks=20, depth=4)).verdicts)
    assert walked[UNDEFINED_READ].kind is VerdictKind.VIOLATED


@pytest.mark.parametrize(("place", "formula"), some_of(product(PLACES, GUARDED), every=5))
def test_what_is_guarded_is_not_reported(place: type[Base], formula: str) -> None:
    model = build(place({"formula": formula}))
    verdicts = by_name(explore.explore(model, explore.Request((*defaults(model), UNDEFINED_READ))).verdicts)
    assert verdicts[UNDEFINED_READ].kind is VerdictKind.HOLDS
    assert verdicts["Low"].kind is VerdictKind.HOLDS


@pytest.mark.parametrize("place", first_of(PLACES, 2))
def test_searches_and_proofs_agree(place: type[Base]) -> None:
    for formula, kind in (("guarded too late", VerdictKind.VIOLATED), ("by a conjunct", None)):
        model = build(place({"formula": formula}))
        for steps in StepsChoice:
            verdicts = by_name(bmc.check(model, bmc.Request(("Low",), 3, steps)).verdicts)
            low, breach = verdicts["Low"], verdicts.get(UNDEFINED_READ)
            # What a property reads that was not asked for does not matter.
            matters = kind is not None and place not in (InProperty, InReachable)
            assert (breach is not None) == matters
            assert low.kind is (VerdictKind.INCONCLUSIVE if matters else VerdictKind.HOLDS)
            assert not matters or low.depth in (None, 0)
        for engine in EngineChoice:
            verdicts = by_name(prove.check(model, prove.Request(("Low",), engine)).verdicts)
            assert verdicts["Low"].kind is (VerdictKind.INCONCLUSIVE if matters else VerdictKind.PROVED)
            assert (UNDEFINED_READ in verdicts) == matters
        (low,) = induction.induct(model, induction.Request("Low")).verdicts
        assert (low.kind is VerdictKind.PROVED) == (not matters) or low.kind is VerdictKind.NOT_INDUCTIVE


class InInit(Base):
    """Read by Init, before it is said that there is something."""

    def init(self, s: Any) -> Any:
        return (s.log[0] == 0) & super().init(s)


def test_init_must_not_read_what_has_no_value() -> None:
    with pytest.raises(InitReadsUndefined, match=r"init reads log\[0\], which has no value in some states"):
        explore.explore(build(InInit()), explore.Request(("Low",)))


def test_the_command_line_says_where() -> None:
    spec = f"{__file__}:InGuard"
    done = verify("bmc", "--spec", spec, "--set", "formula=value of none", "--depth", "3")
    assert done.exit_code == 10
    assert "UndefinedRead: VIOLATED in 1 step" in done.output
    assert "the guard of Fire() reads o, which has no value" in " ".join(done.output.split())
    assert "INCONCLUSIVE(UndefinedRead is violated, depth 0 closed)" in done.output
