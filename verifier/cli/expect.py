"""``--expect``: which verdicts count as success, for negative controls in CI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifier.errors import UsageError, unknown_name
from verifier.verdict import EXIT_CODES, NO_DEADLOCK, Verdict, VerdictKind, worst

NOT_AS_EXPECTED = 14
"""Exit code of a success where another verdict was expected."""

DEADLOCK = 13
"""Exit code where a deadlock was looked for and found, and nothing worse."""

_EXPECTABLE = {kind.value.lower(): kind for kind in VerdictKind if kind is not VerdictKind.ERROR}

EXPECT_HELP = (
    "The verdict that counts as success (exit code 0): holds, violated or inconclusive; of several "
    "properties, the worst verdict. PROPERTY=VERDICT speaks of one property; may be repeated. Any other "
    "verdict gives its own exit code, and 14 where that would be 0."
)


@dataclass(frozen=True)
class Expectation:
    """An expected verdict, of one property or (None) of the worst one that no other expectation names."""

    property_name: str | None
    kind: VerdictKind


def parse_expectations(words: Sequence[str], properties: Iterable[str]) -> list[Expectation]:
    """The expectations. Raises UsageError for unknown names and for two on the same property."""
    known = list(properties)
    found: list[Expectation] = []
    for word in words:
        name, equals, verdict = word.rpartition("=")
        if equals and name not in known:
            raise unknown_name("property to expect something of", name, known)
        if verdict.lower() not in _EXPECTABLE:
            raise unknown_name("verdict to expect", verdict, _EXPECTABLE)
        expectation = Expectation(name if equals else None, _EXPECTABLE[verdict.lower()])
        if any(other.property_name == expectation.property_name for other in found):
            raise UsageError(f"--expect {word}: another --expect speaks of the same")
        found.append(expectation)
    return found


def exit_code(verdicts: Sequence[Verdict], expectations: Sequence[Expectation]) -> int:
    """The exit code of a run; of several, the one that weighs most."""
    own = {expectation.property_name: expectation.kind for expectation in expectations}
    codes = [
        _code(verdict.kind, own[verdict.property_name], _plain_code(verdict))
        for verdict in verdicts
        if verdict.property_name in own
    ]
    rest = [verdict for verdict in verdicts if verdict.property_name not in own]
    if rest:
        kind = worst(rest)
        plain = max((_plain_code(v) for v in rest if v.kind is kind), key=_WEIGHT.index)
        codes.append(_code(kind, own.get(None), plain))
    return max(codes, key=_WEIGHT.index)


_WEIGHT = (0, NOT_AS_EXPECTED, 12, 11, DEADLOCK, 10, 1)


def _plain_code(verdict: Verdict) -> int:
    if verdict.property_name == NO_DEADLOCK and verdict.kind is VerdictKind.VIOLATED:
        return DEADLOCK
    return EXIT_CODES[verdict.kind]


def _code(kind: VerdictKind, expected: VerdictKind | None, plain: int) -> int:
    if expected is None:
        return plain
    return 0 if kind is expected else plain or NOT_AS_EXPECTED
