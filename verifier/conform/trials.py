"""Meanings of events, found by trial: which action's step has the values that an event says.

A guess follows the first events of a log from an initial state. The first event of a name may be any action,
or say nothing; a later one is the same action. What all events of a name agree with is what its fields mean.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from verifier.conform.logs import Event
from verifier.conform.machine import Machine, Parameters, State
from verifier.errors import UsageError

MOST_EVENTS = 40
"""The number of events that are tried."""
_MOST_GUESSES, _MOST_STEPS, _MOST_FIELDS = 120, 600, 16
_SECONDS = 8.0
"""The processor time that trials get."""
_IGNORED, _NEAR_NAME = 0.3, 0.75


@dataclass(frozen=True)
class Claim:
    """A field that has the value of a parameter, or of a variable or its part after the step."""

    kind: str
    """``parameters`` or ``after``."""
    target: str
    field: str


@dataclass(frozen=True)
class Meaning:
    """The meaning of the events of a name, as far as they were tried."""

    action: str | None
    """None if they say nothing."""
    count: int = 0
    """The number of events."""
    claims: frozenset[Claim] = frozenset()
    """The claims that all of these events agree with."""
    told: frozenset[Claim] = frozenset()
    """Those of them that another value would have contradicted."""

    def choose_claims(self) -> list[Claim]:
        """Return a claim for each field that a step told: of a parameter, else of a part, else of a variable.
        A target has one field."""
        claims = list[Claim]()
        ranks = {"parameters": 0, "after": 1}
        order = sorted(
            self.told & self.claims,
            key=lambda one: (ranks[one.kind], "[" not in one.target, one.target, one.field),
        )
        for one in order:
            if all(one.field != other.field and one.target != other.target for other in claims):
                claims.append(one)
        return claims


@dataclass(frozen=True)
class Guess:
    """An execution that agrees with the events that were tried, and what they then mean."""

    state: State
    meanings: Mapping[str, Meaning]
    score: float = 0.0
    events: int = 0
    """The number of events that were tried."""


@dataclass(frozen=True)
class _Fit:
    action: str
    after: State
    claims: frozenset[Claim]
    told: frozenset[Claim]


@dataclass
class Trials:
    """Tries the events of a log, whose names a field has."""

    machine: Machine
    name_field: str
    _fits: dict[tuple[State, int], list[_Fit]] = field(default_factory=dict)

    def guess(self, events: Sequence[Event]) -> list[Guess]:
        """Return the guesses that agree with most of the first events, the best first."""
        until = time.process_time() + _SECONDS
        guesses = [Guess(state, {}) for state in islice(self.machine.initial(), _MOST_GUESSES)]
        for event in events[:MOST_EVENTS]:
            made: dict[Any, Guess] = {}
            for guess in guesses:
                for one in self._follow(guess, event):
                    key = (one.state, frozenset(one.meanings.items()))
                    made.setdefault(key, one)
                if time.process_time() > until:
                    return guesses
            guesses = _choose(list(made.values()))
        return guesses

    def _follow(self, guess: Guess, event: Event) -> Iterator[Guess]:
        name = str(event.fields[self.name_field])
        known = guess.meanings.get(name)
        if known is None or known.action is None:
            yield self._with(guess, name, Meaning(None, (known.count if known else 0) + 1), guess.state)
        if known is not None and known.action is None:
            return
        near = [action for action in self.machine.actions if _is_near(name, action)]
        for fit in self._fits_of(guess.state, event):
            if known is None and near and fit.action not in near:
                continue  # a name says more than some values
            if known is None:
                yield self._with(guess, name, Meaning(fit.action, 1, fit.claims, fit.told), fit.after)
            elif known.action == fit.action:
                kept = known.claims & fit.claims
                meaning = replace(known, count=known.count + 1, claims=kept, told=known.told | fit.told)
                yield self._with(guess, name, meaning, fit.after)

    def _with(self, guess: Guess, name: str, meaning: Meaning, state: State) -> Guess:
        meanings = {**guess.meanings, name: meaning}
        score = sum(map(_score, meanings.keys(), meanings.values()))
        return Guess(state, meanings, score, guess.events + 1)

    def _fits_of(self, state: State, event: Event) -> list[_Fit]:
        key = (state, event.line)
        if key not in self._fits:
            self._fits[key] = list(islice(self._list_fits(state, event), _MOST_STEPS))
        return self._fits[key]

    def _list_fits(self, state: State, event: Event) -> Iterator[_Fit]:
        fields = dict(islice(_list_fields(event, self.name_field), _MOST_FIELDS))
        for action in self.machine.actions:
            try:
                for given, after in self.machine.steps(state, action, lambda _: True):
                    claims = dict(self._list_claims(state, given, after, event, fields))
                    told = frozenset(claim for claim, is_told in claims.items() if is_told)
                    yield _Fit(action, after, frozenset(claims), told)
            except UsageError:
                continue  # too many parameters to try

    def _list_claims(
        self, state: State, given: Parameters, after: State, event: Event, fields: Mapping[str, Any]
    ) -> Iterator[tuple[Claim, bool]]:
        """Yield what the fields of an event agree with, and whether it is told by the step."""
        machine = self.machine
        for path, written in fields.items():
            for name, value in given.items():
                if machine.agrees(value, written):
                    yield Claim("parameters", name, path), True
            for variable in machine.variables:
                before, now = machine.value(state, variable), machine.value(after, variable)
                if machine.agrees(now, written):
                    yield Claim("after", variable, path), before != now
                for other, key in fields.items():
                    if other != path and isinstance(key, str | int) and not isinstance(key, bool):
                        part = self._part(now, key)
                        if part is not None and machine.agrees(part, written):
                            changed = self._part(before, key) != part
                            yield Claim("after", f"{variable}[{other}]", path), changed

    def _part(self, value: Any, key: Any) -> Any:
        try:
            return self.machine.part(value, key)
        except (KeyError, UsageError):
            return None


def _choose(guesses: list[Guess]) -> list[Guess]:
    """Return the best guesses. Of equal ones, the first of each meaning come before the second of any."""
    seen, ranked = Counter[frozenset[tuple[str, Meaning]]](), list[tuple[float, int, Guess]]()
    for one in guesses:
        meanings = frozenset(one.meanings.items())
        ranked.append((-one.score, seen[meanings], one))
        seen[meanings] += 1
    ranked.sort(key=lambda one: one[:2])
    return [one for _, _, one in ranked[:_MOST_GUESSES]]


def _list_fields(event: Event, name_field: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an event, and the fields in these."""
    for name, value in event.fields.items():
        if name != name_field:
            yield name, value
            if isinstance(value, Mapping):
                yield from ((f"{name}.{inner}", one) for inner, one in value.items())


def is_found(name: str, meaning: Meaning) -> bool:
    """True if a step told what the events of a name mean, or the name does."""
    if meaning.action is None:
        return False
    return bool(meaning.told & meaning.claims) or _is_near(name, meaning.action)


def _score(name: str, meaning: Meaning) -> float:
    if meaning.action is None:
        return _IGNORED * meaning.count
    near = _is_near(name, meaning.action)
    fields = len({one.field for one in meaning.told & meaning.claims})
    return meaning.count * (fields + (1.0 if fields or near else 0.0)) + (0.5 if near else 0.0)


def _is_near(name: str, action: str) -> bool:
    """True if an event and an action have nearly the same name."""
    one, other = ("".join(filter(str.isalnum, word.lower())) for word in (name, action))
    return SequenceMatcher(None, one, other).ratio() >= _NEAR_NAME


def find_rivals(best: Guess, guesses: Sequence[Guess], name: str) -> list[str]:
    """Return the other actions that the events of a name may be, by guesses that agree with as much."""
    rivals = dict[str, None]()
    for one in guesses:
        meaning = one.meanings.get(name)
        if one.score >= best.score and meaning is not None and meaning.action is not None:
            rivals[meaning.action] = None
    rivals.pop(best.meanings[name].action or "", None)
    return list(rivals)
