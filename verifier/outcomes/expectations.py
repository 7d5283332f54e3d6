"""``--expect``: which verdicts count as success, and what must have been possible, for controls in CI."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from verifier.errors import UsageError, make_unknown_name_error
from verifier.specs.definition import Definition
from verifier.specs.titles import NO_DEADLOCK
from verifier.verdict import ExitCode, Verdict, VerdictKind, worst

_EXPECTABLE = {kind.value.lower(): kind for kind in VerdictKind if kind is not VerdictKind.ERROR}
ENABLED = "enabled"
"""The word that an expectation of an action ends with."""


@dataclass(frozen=True)
class Expectation:
    """An expected verdict, of one property or (None) of the worst one that no other expectation names."""

    property_name: str | None
    kind: VerdictKind


@dataclass(frozen=True)
class Enabling:
    """The expectation that an action is enabled in a searched state."""

    action: str


@dataclass(frozen=True)
class Expectations:
    """All that was expected of a run."""

    verdicts: tuple[Expectation, ...] = ()
    enabled: tuple[Enabling, ...] = ()
    no_deadlock: str = NO_DEADLOCK
    """The title of freedom from deadlock."""

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that are mentioned."""
        return tuple(e.property_name for e in self.verdicts if e.property_name is not None)

    def never_enabled(self, enabled: Collection[str]) -> tuple[str, ...]:
        """The actions that should have been enabled and were not."""
        return tuple(expected.action for expected in self.enabled if expected.action not in enabled)


def expectations_of(words: Sequence[str], definition: Definition, *, deadlock: bool) -> Expectations:
    """The expectations of a run of that protocol. Raises UsageError as ``parse_expectations`` does."""
    properties = [prop.name for prop in definition.properties]
    actions = [action.name for action in definition.actions]
    title = definition.titles.no_deadlock
    return parse_expectations(words, [*properties, title] if deadlock else properties, actions, title)


def parse_expectations(
    words: Sequence[str],
    properties: Iterable[str],
    actions: Iterable[str] = (),
    no_deadlock: str = NO_DEADLOCK,
) -> Expectations:
    """The expectations. Raises UsageError for unknown names and for two on the same."""
    known, possible = list(properties), list(actions)
    expectations: list[Expectation | Enabling] = []
    for word in words:
        expected = _parse(word, known, possible)
        if any(_subject(other) == _subject(expected) for other in expectations):
            raise UsageError(f"--expect {word}: another --expect is about the same")
        expectations.append(expected)
    return Expectations(
        tuple(expected for expected in expectations if isinstance(expected, Expectation)),
        tuple(expected for expected in expectations if isinstance(expected, Enabling)),
        no_deadlock,
    )


def _parse(word: str, properties: list[str], actions: list[str]) -> Expectation | Enabling:
    name, equals, verdict = word.rpartition("=")
    verdict = verdict.lower()
    if equals and name not in (*properties, *actions):
        raise UsageError(
            f"--expect: {make_unknown_name_error('property or action', name, [*properties, *actions])}"
        )
    if verdict == ENABLED and name in actions:
        return Enabling(name)
    if equals and name not in properties:
        raise UsageError(f"--expect {word}: {name} is an action, so only {name}={ENABLED} can be expected")
    if verdict == ENABLED:
        of = f"{name} is a property" if equals else "no action is named"
        raise UsageError(f"--expect {word}: {of}, but only ACTION={ENABLED} can be expected")
    if verdict not in _EXPECTABLE:
        raise make_unknown_name_error("verdict to expect", verdict, _EXPECTABLE)
    return Expectation(name if equals else None, _EXPECTABLE[verdict])


def _subject(expected: Expectation | Enabling) -> tuple[type, str | None]:
    return type(expected), expected.action if isinstance(expected, Enabling) else expected.property_name


def exit_code(verdicts: Sequence[Verdict], expectations: Expectations, enabled: Collection[str] = ()) -> int:
    """The exit code of a run in which these actions were enabled; of several, the one that weighs most."""
    kinds = [(verdict.property_name, verdict.kind) for verdict in verdicts]
    missing = [ExitCode.NOT_AS_EXPECTED for _ in expectations.never_enabled(enabled)]
    return ExitCode.worst([*exit_codes(kinds, expectations), *missing])


def exit_codes(verdicts: Sequence[tuple[str, VerdictKind]], expectations: Expectations) -> list[int]:
    """The exit code of each verdict: of a property that is mentioned its own; the others are as expected if
    the worst of them is."""
    stuck = expectations.no_deadlock
    own = {expectation.property_name: expectation.kind for expectation in expectations.verdicts}
    rest = [kind for name, kind in verdicts if name not in own]
    met = bool(rest) and own.get(None) is worst(rest)
    return [
        0
        if name not in own and met
        else _code(kind, own.get(name, own.get(None)), plain_code(name, kind, stuck))
        for name, kind in verdicts
    ]


def plain_code(property_name: str, kind: VerdictKind, no_deadlock: str) -> int:
    """The exit code of a verdict of which nothing was expected."""
    if property_name == no_deadlock and kind is VerdictKind.VIOLATED:
        return ExitCode.DEADLOCK
    return kind.exit_code


def list_unmet(words: Sequence[str], verdicts: Sequence[Verdict], missing: Collection[str]) -> list[str]:
    """Return the expectations that a run does not meet, as they were written. ``missing``: the actions that
    should have been enabled and were not."""
    parts = [(word, *word.rpartition("=")[::2]) for word in words]
    named = {name for _, name, _ in parts}
    kinds = {one.property_name: one.kind for one in verdicts}
    rest = [kind for name, kind in kinds.items() if name not in named]

    def is_met(name: str, expected: str) -> bool:
        if expected == ENABLED:
            return name not in missing
        found = kinds.get(name) if name else worst(rest) if rest else None
        return found is _EXPECTABLE[expected]

    return [word for word, name, expected in parts if not is_met(name, expected.lower())]


def _code(kind: VerdictKind, expected: VerdictKind | None, plain: int) -> int:
    if expected is None:
        return plain
    return 0 if kind is expected else plain or ExitCode.NOT_AS_EXPECTED
