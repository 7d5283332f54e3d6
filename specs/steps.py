"""Steps: what an action returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.expressions import Value, term_of
from verifier.encodings.python_use import take
from verifier.encodings.sorts import SortError
from verifier.specs.formulas import Formulas, conjuncts
from verifier.specs.targets import overlaps, target_words


@dataclass(frozen=True, init=False)
class Step:
    """The effect of an action: its guard lines, and the new value for each target that it assigns.

    ``one & other`` is one step with the guard lines and assignments of both, in this order, as if they were
    written together.
    """

    when: list[Any]
    then: Mapping[Any, Any]

    def __init__(self, when: Formulas = (), then: Mapping[Any, Any] | None = None) -> None:
        written: Any = {} if then is None else then
        if not isinstance(written, Mapping):
            raise SortError(f"then is a dictionary of what is assigned, {{s.x: …}}, not {written!r}")
        for target in take(written):
            if not isinstance(target, Value):
                raise SortError(target_words(target))
        object.__setattr__(self, "when", list(conjuncts(when)))
        object.__setattr__(self, "then", written)

    def __bool__(self) -> bool:
        raise SortError("a step has no truth value: & joins steps, and Python's and, or, not and if drop one")

    def __and__(self, other: Step) -> Step:
        given: Any = other
        if not isinstance(given, Step):
            raise SortError(f"& joins a step with a step, not with {given!r}: write & Step(when=…, then=…)")
        for one, value in self.then.items():
            for another, new in given.then.items():
                if overlaps(term_of(one), term_of(another)):
                    raise SortError(
                        f"two steps joined with & assign the same: one {one!r} to be {value!r}, the "
                        f"other {another!r} to be {new!r}; leave one"
                    )
        return Step([*self.when, *given.when], {**self.then, **given.then})
