"""Several properties ask an obligation once, if the later one assumes all that the proof assumes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.models import build
from verifier.cli import output
from verifier.encodings.sorts import Option, Range
from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.engines.recheck import rechecker
from verifier.specs.protocol import Protocol, State, Step, action, invariant, lemma
from verifier.system.model import Model
from verifier.trust.certificate import FoundBy, certificate_of
from verifier.trust.certify import add_checked, check
from verifier.trust.kept_formulas import KeptFormulas, SharedProofs, split_formulas
from verifier.verdict import VerdictKind

PROVED, NOT_INDUCTIVE = VerdictKind.PROVED, VerdictKind.NOT_INDUCTIVE


class Chained(Protocol, camel_case=True):
    """A lemma is kept where a property holds, or where a property has a value."""

    def state(self) -> State:
        return State(x=Range(0, 3), y=Range(0, 3), box=Option(Range(0, 3)))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & (s.y == 0) & s.box.is_some & (s.box.value == 0)

    @action()
    def follow(self, s: Any) -> Step:
        return Step(then={s.y: s.x})

    @action()
    def spoil(self, s: Any) -> Step:
        return Step(when=[s.box.is_none], then={s.y: 3})

    @invariant()
    def x_stays(self, s: Any) -> Any:
        return s.x == 0

    @invariant()
    def box_is_low(self, s: Any) -> Any:
        """It reads what may have no value."""
        return s.box.value < 2

    @invariant()
    def y_is_low(self, s: Any) -> Any:
        return s.y < 2

    @lemma()
    def y_stays(self, s: Any) -> Any:
        """Kept only where x is 0 and the box is full."""
        return s.y == 0


class Lasting(Protocol, camel_case=True):
    """A lemma that is kept alone, and properties that read what may have no value."""

    def state(self) -> State:
        return State(x=Range(0, 3), box=Option(Range(0, 3)), other=Option(Range(0, 3)))

    def init(self, s: Any) -> Any:
        boxes = s.box.is_some & s.other.is_some
        return (s.x == 0) & boxes & (s.box.value == 0) & (s.other.value == 0)

    @action()
    def grow(self, s: Any) -> Step:
        return Step(when=[s.x < 2], then={s.x: s.x + 1})

    @invariant()
    def box_is_low(self, s: Any) -> Any:
        return s.box.value < 2

    @invariant()
    def other_is_low(self, s: Any) -> Any:
        return s.other.value < 2

    @lemma()
    def x_is_low(self, s: Any) -> Any:
        """Nothing else is needed for it."""
        return s.x < 3


def _prove(model: Model, name: str, shared: SharedProofs | None = None) -> InductionOutcome:
    return induct(model, Request(name, symmetry=False, shared=shared))


def _invariant_of(model: Model, name: str) -> tuple[str, ...]:
    titles = model.definition.titles
    lemmas = [lemma.name for lemma in model.system.lemmas]
    return (titles.undefined_read, *lemmas, *([] if name == "YIsLow" else [name]))


def _check(model: Model, name: str, known: KeptFormulas | None) -> Any:
    claim = certificate_of(model, name, _invariant_of(model, name), (), FoundBy("induct", "cadical", "1"))
    report = check(model, claim, rechecker("cadical"), images=False, known=known)
    if known is not None:
        add_checked(model, claim, report, known)
    return report


@pytest.mark.parametrize("first", ["XStays", "BoxIsLow"])
def test_a_proof_is_not_used_where_its_hypotheses_are_not_assumed(first: str) -> None:
    """XStays and the reads of BoxIsLow help to keep the lemma; YIsLow assumes neither."""
    model, shared = build(Chained()), SharedProofs()
    _prove(model, first, shared)
    assert _prove(model, "YIsLow", shared).verdicts[0].kind is NOT_INDUCTIVE
    assert _prove(model, "YIsLow").verdicts[0].kind is NOT_INDUCTIVE


def test_a_check_is_not_used_where_its_hypotheses_are_not_assumed() -> None:
    model, known = build(Chained()), KeptFormulas()
    alone = [failed.obligation for failed in _check(model, "YIsLow", None).failed]
    assert alone  # the lemma is not kept
    for before in ("XStays", "BoxIsLow"):
        _check(model, before, known)
        assert [failed.obligation for failed in _check(model, "YIsLow", known).failed] == alone


def test_without_the_condition_a_wrong_proof_would_be_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the tests above can fail. ``Spoil`` breaks the lemma where the box is empty, ``Follow`` where x is
    not 0: between them two properties keep the lemma, and neither does alone."""
    model, known = build(Chained()), KeptFormulas()
    monkeypatch.setattr(
        KeptFormulas, "is_kept", lambda self, part, instance, _: (part, instance) in self._proofs
    )
    for before in ("XStays", "BoxIsLow"):
        _check(model, before, known)
    assert not _check(model, "YIsLow", known).failed


def test_what_is_shared_is_asked_once_though_each_property_reads_something_else() -> None:
    model, shared = build(Lasting()), SharedProofs()
    first, second = (_prove(model, name, shared) for name in ("BoxIsLow", "OtherIsLow"))
    assert (first.verdicts[0].kind, second.verdicts[0].kind) == (PROVED, PROVED)
    assert first.rechecked is not None
    assert second.rechecked is not None
    assert second.rechecked.reused > first.rechecked.reused == 0
    alone = _prove(model, "OtherIsLow")
    assert alone.rechecked is not None
    assert alone.invariant == second.invariant
    assert {(o.kind, o.formula, o.instance, o.holds) for o in alone.obligations} == {
        (o.kind, o.formula, o.instance, o.holds) for o in second.obligations
    }


def test_the_certificate_of_a_shared_proof_stands_alone() -> None:
    model, shared = build(Lasting()), SharedProofs()
    for name in ("BoxIsLow", "OtherIsLow"):
        again = _prove(model, name, shared).rechecked
        assert again is not None
        assert not check(model, again.certificate, "z3").failed


def test_reads_are_split_into_those_of_actions_and_of_the_property() -> None:
    model = build(Chained()).asking(("BoxIsLow",))
    title = model.definition.titles.undefined_read
    found = {title: model.system.property_named(title).formula, "YStays": model.system.lemmas[0].formula}
    split = split_formulas(model, found, "BoxIsLow")
    assert split.own == {title}
    assert len(split.parts[title]) == 2
    assert split.list_shared(found) == [split.parts[title][0], found["YStays"]]


def test_the_text_says_what_was_checked_before() -> None:
    done = verify("induct", "--spec", f"{__file__}:Lasting", "--property", "all")
    assert done.exit_code == 0, done.stdout
    assert "that it had checked for other properties" in " ".join(done.stdout.split())


def test_output_of_a_pipe_is_narrow_and_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is cut into parts that fit, and progress has no line for each action."""
    monkeypatch.setattr(output, "PLAIN_WIDTH", 80)
    done = verify("induct", "--spec", "kip320", "--set", "replicas=2", "--property", "StrongIsr")
    assert done.exit_code == 0
    rows = [line for line in done.stdout.splitlines() if line.startswith("LogMatching")]
    assert len(rows) == 2
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    kept = [line for line in done.stderr.splitlines() if "asked" in line and " s: " not in line]
    assert len(kept) == 1
    assert re.fullmatch(r"StrongIsr: \d+ obligations asked \(\d+\.\d\d s\)", kept[0])
