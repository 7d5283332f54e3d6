"""The shipped expectations as questions for bounded model checking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.engines.bmc import Request, check
from verifier.processes.limits import Limits
from verifier.specs.built_in import BUILT_IN
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import build
from verifier.verdict import Verdict, VerdictKind


@dataclass(frozen=True)
class Question:
    """Expectations of one spec at the same constants and depth, to be checked in one run."""

    spec: str
    constants: Mapping[str, Any]
    depth: int
    expected: tuple[Expectation, ...]

    @property
    def label(self) -> str:
        """``kip101-2.2.2.1-14``."""
        return f"{self.spec}-{'.'.join(str(value) for value in self.constants.values())}-{self.depth}"


def questions(family: str) -> Iterator[Question]:
    """Yield the questions of a family's shipped expectations: to the diameter, or to the violation."""
    grouped: dict[tuple[Any, ...], list[Expectation]] = {}
    for spec, protocol in BUILT_IN.items():
        for expected in expectations(spec) if f".{family}." in protocol.place else ():
            depth = expected.steps if expected.verdict == "violated" else expected.depth
            if depth is not None:
                grouped.setdefault((spec, tuple(expected.constants.items()), depth), []).append(expected)
    for (spec, constants, depth), group in grouped.items():
        yield Question(spec, dict(constants), depth, tuple(group))


def answer(question: Question, solver: str | None, seconds: float | None = None) -> list[Verdict]:
    """The verdicts, violations with the fewest actions."""
    request = Request(
        properties=tuple(expected.property_name for expected in question.expected),
        depth=question.depth,
        solver=solver,
        shortest=True,
        limits=Limits(seconds=seconds),
    )
    names = request.properties
    model = build(define(load(question.spec)(question.constants)))
    verdicts = check(model, request).verdicts
    return [verdict for verdict in verdicts if verdict.property_name in names]


def agrees(expected: Expectation, verdict: Verdict) -> bool:
    """True if a verdict is what the independent checker found, to the same depth."""
    if expected.verdict == "violated":
        return verdict.kind is VerdictKind.VIOLATED and verdict.fewest and verdict.steps == expected.steps
    return verdict.kind is VerdictKind.HOLDS and verdict.depth == expected.depth
