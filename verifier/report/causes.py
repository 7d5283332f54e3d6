"""The earlier causes of a failure: which step last changed each value at fault, and where that came from.

The rule knows no protocol. A value has its last change; a change has the parts of the state that the step
read for it (``verifier.trust.flow``); each of these has its last change before that step. If that leads
nowhere, the values that the last step demanded take its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier.report.diagram import ABSENT, MEMBER, Change, Diagram, DiagramStep
from verifier.report.failing import are_related

_MOST_PLACES = 3
"""A value in more places, such as a whole function, says nothing of one of them."""
_MOST_VALUES, _MOST_LINKS = 4, 8
_LONGEST = 80


@dataclass(frozen=True)
class Piece:
    """A part of a sentence: a text, or a link to a step."""

    text: str
    step: int | None = None
    title: str = ""


@dataclass(frozen=True)
class _Write:
    """A step that changes a place; step 0 gives it its first value."""

    step: int
    place: int


def earlier_causes(diagram: Diagram, *, is_arbitrary: bool = False) -> list[tuple[Piece, ...]]:
    """Return sentences on which steps gave the values at fault, and those that led to the last change.

    ``is_arbitrary``: the first state is not one in which executions begin, so its values count too.
    """
    return _Causes(diagram, is_arbitrary).sentences() if len(diagram.steps) > 1 else []


class _Causes:
    def __init__(self, diagram: Diagram, is_arbitrary: bool) -> None:
        self.diagram = diagram
        self.is_arbitrary = is_arbitrary
        self.paths = [place.path for place in diagram.places]
        self.names = diagram.names
        self.last = diagram.fails_at
        parts = (*diagram.failing, *diagram.unmet)
        self.blamed = [
            place
            for part in parts
            for one in part.blamed
            if len(one.places) <= _MOST_PLACES
            for place in one.places
        ]
        premises = [place for part in parts for place in part.premises]
        context = [place for part in parts for place in part.context]
        self.roots = list(dict.fromkeys([*self.blamed, *premises, *context]))

    def sentences(self) -> list[tuple[Piece, ...]]:
        """Return what was last changed when, and below it what the last change came from."""
        writes = [self._last_write(place, self.last) for place in self.roots]
        old = [one for one in writes if one.step < self.last and self._is_told(one)]
        pieces = [piece for one in old[:_MOST_VALUES] for piece in self._last_changed(one)]
        breaking = [one for one in writes if one.step == self.last > 0]
        if self.diagram.about_step:  # it speaks of the values before the step, too
            pieces += [piece for one in breaking for piece in self._before(one)]
        if self.diagram.unmet or self.diagram.about_step or not breaking:
            return [tuple(pieces)] if pieces else []
        chains = [chain for one in breaking if (chain := tuple(self._chain(one)))]
        if not chains:
            pieces += [piece for one in breaking if one.place in self.blamed for piece in self._before(one)]
        return [one for one in (tuple(pieces), *(chains or [tuple(self._say_demands())])) if one]

    def _is_told(self, one: _Write) -> bool:
        """True if the reader needs it: of the first state the values at fault, unless they are told."""
        is_short = len(self.diagram.start[one.place]) <= _LONGEST
        is_early = is_short and self.is_arbitrary != (one.place in self.blamed)
        return one.step > 0 or (is_early and not self._is_of_others(one.place))

    def _is_of_others(self, place: int) -> bool:
        """True of a member of a set, if the false formula is about other possible members of the set."""
        member = self.diagram.member_of(place)
        if member is None:
            return False
        witnesses = {value for part in self.diagram.failing for _, value in part.witnesses}
        beside = map(self.diagram.member_of, range(len(self.paths)))
        about = {one[1] for one in beside if one is not None and one[0] == member[0]} & witnesses
        return bool(about) and member[1] not in about

    def _last_write(self, place: int, until: int) -> _Write:
        """The last step up to this one that changes a place."""
        steps = range(until, 0, -1)
        return _Write(next((n for n in steps if self._change(n, place)), 0), place)

    def _change(self, step: int, place: int) -> Change | None:
        return next((one for one in self.diagram.steps[step].changes if one.place == place), None)

    def _link(self, step: int) -> Piece:
        return Piece(f"step {step}", step, str(self.diagram.steps[step]))

    def _words(self, one: _Write) -> str:
        change = self._change(one.step, one.place)
        words = "" if change is None else self.diagram.words(change)
        return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"

    def _last_changed(self, one: _Write) -> Iterator[Piece]:
        path = self.names[one.place]
        if one.step == 0:
            yield Piece(f"{self._say_start(one.place)}. ")
            return
        yield Piece(f"{path} was last changed in ")
        yield self._link(one.step)
        yield Piece(f", {self.diagram.steps[one.step].action}: {self._words(one)}. ")

    def _say_start(self, place: int) -> str:
        """Say the value of a place that no step changes."""
        name, value = self.names[place], self.diagram.start[place]
        member = self.diagram.member_of(place)
        if member is not None and not self.is_arbitrary:
            when = "was in" if value in MEMBER else "was never in"
            return f"{member[1]} {when} {member[0]}{' from the start' if value in MEMBER else ''}"
        if member is not None:
            return f"{member[1]} {'is' if value in MEMBER else 'is not'} in {member[0]} in step 0"
        if self.is_arbitrary:
            return f"{name} {'has no value' if value == ABSENT else f'is {value}'} in step 0"
        return f"{name} {'has had no value' if value == ABSENT else f'has been {value}'} since the start"

    def _before(self, one: _Write) -> Iterator[Piece]:
        """Say which change of a value came before the last one."""
        before = self._last_write(one.place, one.step - 1)
        if before.step > 0:
            yield Piece(f"{self.names[one.place]} was changed before in ")
            yield self._link(before.step)
            yield Piece(f", {self.diagram.steps[before.step].action}: {self._words(before)}. ")

    def _chain(self, first: _Write) -> Iterator[Piece]:
        """Say which changes led to the value of a change, the earliest first."""
        origins = self._origins(first)
        if not origins:
            return
        left_out = len(origins) - _MOST_LINKS
        which = f", the last {_MOST_LINKS} of {len(origins)} changes" if left_out > 0 else ""
        yield Piece(f"How {self._became(first)}{which}: ")
        for number, one in enumerate(reversed(origins[:_MOST_LINKS])):
            if number:
                yield Piece(" → ")
            yield self._link(one.step)
            yield Piece(f": {self._became(one, is_in_chain=True)}")
        yield Piece(".")

    def _became(self, one: _Write, *, is_in_chain: bool = False) -> str:
        """Say what a place became in a step: its value, or of a long one what was added and removed."""
        change, path = self._change(one.step, one.place), self.names[one.place]
        is_long = change is None or len(change.after) > _LONGEST
        if change is None or is_long or (change.delta and change.words == change.delta):
            return f"{path}: {self._words(one)}" if is_in_chain else f"{path} came about"
        is_now = "=" if is_in_chain and " " not in path else "became"  # "n1 ∈ up = no" would be misread
        return f"{path} {'lost its value' if change.after == ABSENT else f'{is_now} {change.after}'}"

    def _origins(self, first: _Write) -> list[_Write]:
        """Return all writes that a write came from, the latest first."""
        origins, waiting = dict[_Write, None](), [first]
        while waiting:
            one = waiting.pop()
            for flow in self.diagram.steps[one.step].flows:
                if not are_related(flow.target, self.paths[one.place]):
                    continue
                for read in flow.reads:
                    for origin in self._writes_of(read, one.step - 1):
                        if origin not in origins and origin.place != first.place:
                            origins[origin] = None
                            waiting.append(origin)
        return sorted(origins, key=lambda one: -one.step)

    def _writes_of(self, path: str, until: int) -> list[_Write]:
        """Return the last writes of what a step read; none if that lies in many places or never changed."""
        places = self._places(path)
        return [one for one in (self._last_write(place, until) for place in places) if one.step > 0]

    def _places(self, path: str) -> Sequence[int]:
        places = [number for number, one in enumerate(self.paths) if are_related(one, path)]
        return places if len(places) <= _MOST_PLACES else ()

    def _select_named(self, places: Sequence[int], step: DiagramStep) -> Sequence[int]:
        """Select the places at keys that are parameters of the step, if there are several places."""
        keys = [f"[{value}]" for _, value in step.parameters]
        return [one for one in places if len(places) == 1 or any(key in self.paths[one] for key in keys)]

    def _say_demands(self) -> Iterator[Piece]:
        """Say which values the last step found, and when they were last changed."""
        step = self.diagram.steps[self.last]
        read = [place for path in step.reads for place in self._select_named(self._places(path), step)]
        writes = [self._last_write(place, self.last - 1) for place in dict.fromkeys(read)]
        earlier = sorted(
            (one for one in writes if one.step > 0 and one.place not in self.roots), key=lambda one: one.step
        )
        for number, one in enumerate(earlier[:_MOST_VALUES]):
            yield Piece("; " if number else "")
            yield Piece(f"{self.names[one.place]} was last changed in ")
            yield self._link(one.step)
            yield Piece(f", {self.diagram.steps[one.step].action}: {self._words(one)}")
        if earlier:
            yield Piece(".")
